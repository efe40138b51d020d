"""Features that samples share with targets, as in ``sklearn.cross_decomposition``."""

from mercer._kernel_cca import KernelCCA

__all__ = ["KernelCCA"]
