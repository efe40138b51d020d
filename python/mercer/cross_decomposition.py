"""Features that samples share with targets, as in ``sklearn.cross_decomposition``."""

from mercer._feature_search import KernelCCA

__all__ = ["KernelCCA"]
