"""Neighbours, prototypes in feature space and densities, as in ``sklearn.neighbors``."""

from mercer._density_estimates import HistogramDensity, NeighborsDensity
from mercer._density_parts import ConditionalDensity, MarginalDensity
from mercer._kde_classifier import KernelDensityClassifier
from mercer._kernel_density import KernelDensity
from mercer._kernel_neighbors import KernelNeighborsClassifier, KernelNeighborsRegressor
from mercer._nearest_prototype import ClassMeanClassifier, NearestMedoidClassifier

__all__ = [
    "ClassMeanClassifier",
    "ConditionalDensity",
    "HistogramDensity",
    "KernelDensity",
    "KernelDensityClassifier",
    "KernelNeighborsClassifier",
    "KernelNeighborsRegressor",
    "MarginalDensity",
    "NearestMedoidClassifier",
    "NeighborsDensity",
]
