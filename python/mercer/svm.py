"""Support vector machines, as in ``sklearn.svm``."""

from mercer._bayes_point import BayesPointClassifier
from mercer._least_squares_svc import LSSVM, LeastSquaresSVC
from mercer._linear_svm import LinearSVC, LinearSVR
from mercer._one_class import SVDD, OneClassSVM
from mercer._one_class_classifier import OneClassClassifier
from mercer._quantile import KernelQuantileRegressor
from mercer._support_sets import fit_on_support, support_overlap
from mercer._svc import SVC, NuSVC
from mercer._svr import SVR, NuSVR

__all__ = [
    "LSSVM",
    "SVC",
    "SVDD",
    "SVR",
    "BayesPointClassifier",
    "KernelQuantileRegressor",
    "LeastSquaresSVC",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassClassifier",
    "OneClassSVM",
    "fit_on_support",
    "support_overlap",
]
