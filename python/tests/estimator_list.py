"""The estimators of the package, each with the class of scikit-learn that it stands for."""

import sklearn.cluster
import sklearn.decomposition
import sklearn.gaussian_process
import sklearn.kernel_ridge
import sklearn.svm

from mercer import (
    cluster,
    cross_decomposition,
    decomposition,
    discriminant_analysis,
    gaussian_process,
    kernel_approximation,
    kernel_ridge,
    linear_model,
    neighbors,
    svm,
)

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
    discriminant_analysis.KernelFisherDiscriminant: None,
    linear_model.KernelPerceptron: None,
    neighbors.KernelNeighborsClassifier: None,
    neighbors.KernelNeighborsRegressor: None,
    neighbors.ClassMeanClassifier: None,
    neighbors.NearestMedoidClassifier: None,
    decomposition.KernelPCA: sklearn.decomposition.KernelPCA,
    decomposition.SparseKernelFeatures: None,
    decomposition.KernelProjectionPursuit: None,
    decomposition.OrientedKernelPCA: None,
    cross_decomposition.KernelCCA: None,
    kernel_approximation.KernelMap: None,
    cluster.KernelKMeans: None,
    cluster.KernelKMedoids: None,
    cluster.SpectralClustering: sklearn.cluster.SpectralClustering,
}
CLASSIFIERS = [
    svm.SVC,
    svm.NuSVC,
    svm.LinearSVC,
    svm.LeastSquaresSVC,
    gaussian_process.GaussianProcessClassifier,
    discriminant_analysis.KernelFisherDiscriminant,
    linear_model.KernelPerceptron,
    neighbors.KernelNeighborsClassifier,
    neighbors.ClassMeanClassifier,
    neighbors.NearestMedoidClassifier,
]
REGRESSORS = [
    svm.SVR,
    svm.NuSVR,
    svm.LinearSVR,
    kernel_ridge.KernelRidge,
    gaussian_process.GaussianProcessRegressor,
    neighbors.KernelNeighborsRegressor,
]
NOVELTY = [svm.OneClassSVM, svm.SVDD]
SUPERVISED_FEATURES = [decomposition.OrientedKernelPCA, cross_decomposition.KernelCCA]
FEATURES = [
    decomposition.KernelPCA,
    decomposition.SparseKernelFeatures,
    decomposition.KernelProjectionPursuit,
    kernel_approximation.KernelMap,
    *SUPERVISED_FEATURES,
]
CLUSTERERS = [cluster.KernelKMeans, cluster.KernelKMedoids, cluster.SpectralClustering]
NEED_TARGETS = [*CLASSIFIERS, *REGRESSORS, *SUPERVISED_FEATURES]
PREDICTORS = [*CLASSIFIERS, *REGRESSORS, *NOVELTY, *CLUSTERERS]
ALL = [*PREDICTORS, *FEATURES]


def called(cls):
    """The name of a class, for test names."""
    return cls.__name__


def apply(model, X):
    """What a model is for: predictions, or features where there are none."""
    return model.predict(X) if hasattr(model, "predict") else model.transform(X)


def values_of(model, X):
    """What tells fits apart best."""
    for name in ("decision_function", "predict_proba", "transform", "predict"):
        if hasattr(model, name):
            return getattr(model, name)(X)
    raise AssertionError(model)
