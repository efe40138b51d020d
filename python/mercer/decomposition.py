"""Features that samples vary in, as in ``sklearn.decomposition``."""

from mercer._feature_search import KernelProjectionPursuit, OrientedKernelPCA, SparseKernelFeatures
from mercer._kernel_pca import KernelPCA

__all__ = ["KernelPCA", "KernelProjectionPursuit", "OrientedKernelPCA", "SparseKernelFeatures"]
