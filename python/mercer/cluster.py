"""Clusters in feature space, as in ``sklearn.cluster``."""

from mercer._kernel_cover import KernelCover
from mercer._kernel_kmeans import KernelKMeans
from mercer._kernel_kmedoids import KernelKMedoids
from mercer._spectral_clustering import SpectralClustering

__all__ = ["KernelCover", "KernelKMeans", "KernelKMedoids", "SpectralClustering"]
