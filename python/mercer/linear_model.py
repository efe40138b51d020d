"""Models that are linear in feature space, as in ``sklearn.linear_model``."""

from mercer._falkon import FalkonClassifier, FalkonRegressor
from mercer._kernel_logistic import KernelLogisticRegression
from mercer._kernel_perceptron import KernelPerceptron
from mercer._least_squares import LeastSquares
from mercer._mapped import MappedLogisticRegression, MappedRidge, MappedSVC
from mercer._prototype_machines import L1VMClassifier, L1VMRegressor, L2VMClassifier, L2VMRegressor
from mercer._risk import RiskClassifier, RiskRegressor

__all__ = [
    "FalkonClassifier",
    "FalkonRegressor",
    "KernelLogisticRegression",
    "KernelPerceptron",
    "L1VMClassifier",
    "L1VMRegressor",
    "L2VMClassifier",
    "L2VMRegressor",
    "LeastSquares",
    "MappedLogisticRegression",
    "MappedRidge",
    "MappedSVC",
    "RiskClassifier",
    "RiskRegressor",
]
