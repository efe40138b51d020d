"""Discriminants in feature space, as in ``sklearn.discriminant_analysis``."""

from mercer._kernel_fisher import KernelFisherDiscriminant

__all__ = ["KernelFisherDiscriminant"]
