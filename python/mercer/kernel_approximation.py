"""Explicit features of kernels, as in ``sklearn.kernel_approximation``."""

from mercer._kernel_map import KernelMap
from mercer._nystroem import Nystroem
from mercer._random_features import (
    AdditiveChi2Sampler,
    KitchenSinks,
    PolynomialCountSketch,
    RandomFourierFeatures,
    RBFSampler,
)

__all__ = [
    "AdditiveChi2Sampler",
    "KernelMap",
    "KitchenSinks",
    "Nystroem",
    "PolynomialCountSketch",
    "RBFSampler",
    "RandomFourierFeatures",
]
