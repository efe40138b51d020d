"""Learning with kernels: support vector machines, Gaussian processes, kernel ridge, as scikit-learn estimators."""

from mercer import gaussian_process, kernel_ridge, kernels, svm
from mercer._core import versions as _core_versions
from mercer._errors import NumericalError
from mercer._versions import show_versions
from mercer.kernels import Kernel

__version__ = _core_versions()["mercer"]

__all__ = ["Kernel", "NumericalError", "gaussian_process", "kernel_ridge", "kernels", "show_versions", "svm"]
