"""Exceptions of the package."""

import numpy as np


class NumericalError(ArithmeticError, np.linalg.LinAlgError):
    """Arithmetic that cannot go on: a matrix that is not positive definite, an overflow, a NaN from a kernel."""
