"""Kernels: one class each, and operators that combine them.

>>> from mercer.kernels import RBF, Matern
>>> RBF(gamma=1) + Matern(nu=1.5)[["age", "bmi"]]
RBF(gamma=1) + Matern()['age', 'bmi']
"""

from mercer.kernels._convert import as_kernel, from_sklearn
from mercer.kernels._kernel import Kernel
from mercer.kernels._library import public_names as _public_names
from mercer.kernels._nodes import OnColumns, Power, Product, Scaled, Sum
from mercer.kernels._salzberg import salzberg_scores
from mercer.kernels._text import bounded, fixed

_named = _public_names()
globals().update(_named)

__all__ = [
    "Kernel",
    "OnColumns",
    "Power",
    "Product",
    "Scaled",
    "Sum",
    "as_kernel",
    "bounded",
    "fixed",
    "from_sklearn",
    "salzberg_scores",
    *_named,
]
