"""Models that are linear in feature space, as in ``sklearn.linear_model``."""

from mercer._kernel_perceptron import KernelPerceptron

__all__ = ["KernelPerceptron"]
