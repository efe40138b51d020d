"""Explicit features of kernels, as in ``sklearn.kernel_approximation``."""

from mercer._additive_chi2 import AdditiveChi2Sampler
from mercer._explicit_features import ExplicitFeatures
from mercer._kernel_map import KernelMap
from mercer._kitchen_sinks import KitchenSinks
from mercer._nystroem import Nystroem
from mercer._polynomial_sketch import PolynomialCountSketch
from mercer._random_fourier import RandomFourierFeatures, RBFSampler

__all__ = [
    "AdditiveChi2Sampler",
    "ExplicitFeatures",
    "KernelMap",
    "KitchenSinks",
    "Nystroem",
    "PolynomialCountSketch",
    "RBFSampler",
    "RandomFourierFeatures",
]
