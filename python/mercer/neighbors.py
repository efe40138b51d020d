"""Neighbours and prototypes in feature space, as in ``sklearn.neighbors``."""

from mercer._kernel_neighbors import KernelNeighborsClassifier, KernelNeighborsRegressor
from mercer._nearest_prototype import ClassMeanClassifier, NearestMedoidClassifier

__all__ = ["ClassMeanClassifier", "KernelNeighborsClassifier", "KernelNeighborsRegressor", "NearestMedoidClassifier"]
