"""Gaussian processes, as in ``sklearn.gaussian_process``."""

from mercer._gpc import GaussianProcessClassifier
from mercer._gpr import GaussianProcessRegressor

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor"]
