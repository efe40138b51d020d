"""Machines that learn the weights of a sum of kernels."""

from mercer._multiple_kernel import MultipleKernelRidge, MultipleKernelSVC, MultipleKernelSVR

__all__ = ["MultipleKernelRidge", "MultipleKernelSVC", "MultipleKernelSVR"]
