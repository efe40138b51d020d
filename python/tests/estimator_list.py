"""The estimators of the package, each with the class of scikit-learn that it stands for."""

import sklearn.gaussian_process
import sklearn.kernel_ridge
import sklearn.svm

from mercer import gaussian_process, kernel_ridge, svm

COUNTERPARTS = {
    svm.SVC: sklearn.svm.SVC,
    svm.NuSVC: sklearn.svm.NuSVC,
    svm.LinearSVC: sklearn.svm.LinearSVC,
    svm.SVR: sklearn.svm.SVR,
    svm.NuSVR: sklearn.svm.NuSVR,
    svm.LinearSVR: sklearn.svm.LinearSVR,
    svm.OneClassSVM: sklearn.svm.OneClassSVM,
    svm.SVDD: sklearn.svm.OneClassSVM,
    svm.LeastSquaresSVC: None,
    kernel_ridge.KernelRidge: sklearn.kernel_ridge.KernelRidge,
    gaussian_process.GaussianProcessRegressor: sklearn.gaussian_process.GaussianProcessRegressor,
    gaussian_process.GaussianProcessClassifier: sklearn.gaussian_process.GaussianProcessClassifier,
}
CLASSIFIERS = [svm.SVC, svm.NuSVC, svm.LinearSVC, svm.LeastSquaresSVC, gaussian_process.GaussianProcessClassifier]
REGRESSORS = [
    svm.SVR,
    svm.NuSVR,
    svm.LinearSVR,
    kernel_ridge.KernelRidge,
    gaussian_process.GaussianProcessRegressor,
]
NOVELTY = [svm.OneClassSVM, svm.SVDD]
ALL = [*CLASSIFIERS, *REGRESSORS, *NOVELTY]


def called(cls):
    """The name of a class, for test names."""
    return cls.__name__
