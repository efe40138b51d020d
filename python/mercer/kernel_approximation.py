"""Explicit features of kernels, as in ``sklearn.kernel_approximation``."""

from mercer._kernel_map import KernelMap

__all__ = ["KernelMap"]
