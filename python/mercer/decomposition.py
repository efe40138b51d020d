"""Features that samples vary in, as in ``sklearn.decomposition``."""

from mercer._kernel_pca import KernelPCA
from mercer._oriented_pca import OrientedKernelPCA
from mercer._projection_pursuit import KernelProjectionPursuit
from mercer._sparse_features import SparseKernelFeatures

__all__ = ["KernelPCA", "KernelProjectionPursuit", "OrientedKernelPCA", "SparseKernelFeatures"]
