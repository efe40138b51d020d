"""Learning with kernels: classifiers, regressors, features and clusters as scikit-learn estimators."""

from mercer import (
    cluster,
    cross_decomposition,
    decomposition,
    discriminant_analysis,
    gaussian_process,
    kernel_approximation,
    kernel_ridge,
    kernels,
    linear_model,
    multiple_kernel,
    neighbors,
    series,
    smoothing,
    sparse_bayes,
    svm,
)
from mercer._compress import compress
from mercer._core import versions as _core_versions
from mercer._cost_sensitive import CostSensitiveClassifier
from mercer._error_reject import ErrorRejectCurve, error_reject_curve
from mercer._errors import NumericalError
from mercer._hypothesis import HypothesisTest, independence_test, two_sample_test
from mercer._versions import show_versions
from mercer.kernels import Kernel

__version__ = _core_versions()["mercer"]

__all__ = [
    "CostSensitiveClassifier",
    "ErrorRejectCurve",
    "HypothesisTest",
    "Kernel",
    "NumericalError",
    "cluster",
    "compress",
    "cross_decomposition",
    "decomposition",
    "discriminant_analysis",
    "error_reject_curve",
    "gaussian_process",
    "independence_test",
    "kernel_approximation",
    "kernel_ridge",
    "kernels",
    "linear_model",
    "multiple_kernel",
    "neighbors",
    "series",
    "show_versions",
    "smoothing",
    "sparse_bayes",
    "svm",
    "two_sample_test",
]
