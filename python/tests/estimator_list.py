"""The estimators of the package, each with the class of scikit-learn that it stands for."""

import scipy.sparse
import sklearn.cluster
import sklearn.decomposition
import sklearn.gaussian_process
import sklearn.kernel_approximation
import sklearn.kernel_ridge
import sklearn.neighbors
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
    multiple_kernel,
    neighbors,
    smoothing,
    sparse_bayes,
    svm,
)

COUNTERPARTS = {
    svm.SVC: sklearn.svm.SVC,
    svm.NuSVC: sklearn.svm.NuSVC,
    svm.LinearSVC: sklearn.svm.LinearSVC,
    svm.SVR: sklearn.svm.SVR,
    svm.NuSVR: sklearn.svm.NuSVR,
    svm.LinearSVR: sklearn.svm.LinearSVR,
    svm.KernelQuantileRegressor: None,
    svm.OneClassSVM: sklearn.svm.OneClassSVM,
    svm.SVDD: sklearn.svm.OneClassSVM,
    svm.OneClassClassifier: None,
    svm.BayesPointClassifier: None,
    svm.LeastSquaresSVC: None,
    multiple_kernel.MultipleKernelSVC: None,
    multiple_kernel.MultipleKernelSVR: None,
    multiple_kernel.MultipleKernelRidge: None,
    kernel_ridge.KernelRidge: sklearn.kernel_ridge.KernelRidge,
    gaussian_process.GaussianProcessRegressor: sklearn.gaussian_process.GaussianProcessRegressor,
    gaussian_process.GaussianProcessClassifier: sklearn.gaussian_process.GaussianProcessClassifier,
    discriminant_analysis.KernelFisherDiscriminant: None,
    linear_model.KernelPerceptron: None,
    linear_model.KernelLogisticRegression: None,
    linear_model.L1VMClassifier: None,
    linear_model.L1VMRegressor: None,
    linear_model.L2VMClassifier: None,
    linear_model.L2VMRegressor: None,
    linear_model.FalkonClassifier: None,
    linear_model.FalkonRegressor: None,
    linear_model.MappedLogisticRegression: None,
    linear_model.MappedRidge: None,
    linear_model.MappedSVC: None,
    linear_model.LeastSquares: None,
    linear_model.RiskClassifier: None,
    linear_model.RiskRegressor: None,
    sparse_bayes.RVC: None,
    sparse_bayes.RVR: None,
    sparse_bayes.LaplacianProcessClassifier: None,
    sparse_bayes.LaplacianProcessRegressor: None,
    neighbors.KernelNeighborsClassifier: None,
    neighbors.KernelNeighborsRegressor: None,
    neighbors.ClassMeanClassifier: None,
    neighbors.NearestMedoidClassifier: None,
    neighbors.KernelDensity: sklearn.neighbors.KernelDensity,
    neighbors.KernelDensityClassifier: None,
    neighbors.HistogramDensity: None,
    neighbors.NeighborsDensity: None,
    smoothing.NadarayaWatsonRegressor: None,
    smoothing.NadarayaWatsonClassifier: None,
    smoothing.LocalRegression: None,
    decomposition.KernelPCA: sklearn.decomposition.KernelPCA,
    decomposition.SparseKernelFeatures: None,
    decomposition.KernelProjectionPursuit: None,
    decomposition.OrientedKernelPCA: None,
    cross_decomposition.KernelCCA: None,
    kernel_approximation.KernelMap: None,
    kernel_approximation.RBFSampler: sklearn.kernel_approximation.RBFSampler,
    kernel_approximation.RandomFourierFeatures: None,
    kernel_approximation.KitchenSinks: None,
    kernel_approximation.PolynomialCountSketch: sklearn.kernel_approximation.PolynomialCountSketch,
    kernel_approximation.AdditiveChi2Sampler: sklearn.kernel_approximation.AdditiveChi2Sampler,
    kernel_approximation.Nystroem: sklearn.kernel_approximation.Nystroem,
    cluster.KernelCover: None,
    cluster.KernelKMeans: None,
    cluster.KernelKMedoids: None,
    cluster.SpectralClustering: sklearn.cluster.SpectralClustering,
}
CLASSIFIERS = [
    svm.SVC,
    svm.NuSVC,
    svm.LinearSVC,
    svm.LeastSquaresSVC,
    svm.OneClassClassifier,
    svm.BayesPointClassifier,
    multiple_kernel.MultipleKernelSVC,
    gaussian_process.GaussianProcessClassifier,
    discriminant_analysis.KernelFisherDiscriminant,
    linear_model.KernelPerceptron,
    linear_model.KernelLogisticRegression,
    linear_model.L1VMClassifier,
    linear_model.L2VMClassifier,
    linear_model.FalkonClassifier,
    linear_model.MappedLogisticRegression,
    linear_model.MappedSVC,
    linear_model.RiskClassifier,
    sparse_bayes.RVC,
    sparse_bayes.LaplacianProcessClassifier,
    neighbors.KernelNeighborsClassifier,
    neighbors.ClassMeanClassifier,
    neighbors.NearestMedoidClassifier,
    neighbors.KernelDensityClassifier,
    smoothing.NadarayaWatsonClassifier,
]
REGRESSORS = [
    svm.SVR,
    svm.NuSVR,
    svm.LinearSVR,
    svm.KernelQuantileRegressor,
    kernel_ridge.KernelRidge,
    multiple_kernel.MultipleKernelSVR,
    multiple_kernel.MultipleKernelRidge,
    gaussian_process.GaussianProcessRegressor,
    linear_model.L1VMRegressor,
    linear_model.L2VMRegressor,
    linear_model.FalkonRegressor,
    linear_model.MappedRidge,
    linear_model.LeastSquares,
    linear_model.RiskRegressor,
    sparse_bayes.RVR,
    sparse_bayes.LaplacianProcessRegressor,
    neighbors.KernelNeighborsRegressor,
    smoothing.NadarayaWatsonRegressor,
    smoothing.LocalRegression,
]
NOVELTY = [svm.OneClassSVM, svm.SVDD]
SUPERVISED_FEATURES = [decomposition.OrientedKernelPCA, cross_decomposition.KernelCCA]
EXPLICIT_MAPS = [
    kernel_approximation.RBFSampler,
    kernel_approximation.RandomFourierFeatures,
    kernel_approximation.KitchenSinks,
    kernel_approximation.PolynomialCountSketch,
    kernel_approximation.AdditiveChi2Sampler,
    kernel_approximation.Nystroem,
]
FEATURES = [
    decomposition.KernelPCA,
    decomposition.SparseKernelFeatures,
    decomposition.KernelProjectionPursuit,
    kernel_approximation.KernelMap,
    *EXPLICIT_MAPS,
    *SUPERVISED_FEATURES,
]
CLUSTERERS = [cluster.KernelCover, cluster.KernelKMeans, cluster.KernelKMedoids, cluster.SpectralClustering]
DENSITIES = [neighbors.KernelDensity, neighbors.HistogramDensity, neighbors.NeighborsDensity]
NEED_TARGETS = [*CLASSIFIERS, *REGRESSORS, *SUPERVISED_FEATURES]
PREDICTORS = [*CLASSIFIERS, *REGRESSORS, *NOVELTY, *CLUSTERERS]
ALL = [*PREDICTORS, *FEATURES, *DENSITIES]


def called(cls):
    """The name of a class, for test names."""
    return cls.__name__


def apply(model, X):
    """What a model is for: predictions, features, or densities."""
    for name in ("predict", "transform", "score_samples"):
        if hasattr(model, name):
            return getattr(model, name)(X)
    raise AssertionError(model)


def values_of(model, X):
    """What tells fits apart best."""
    for name in ("decision_function", "predict_proba", "transform", "predict", "score_samples"):
        if hasattr(model, name):
            values = getattr(model, name)(X)
            return values.toarray() if scipy.sparse.issparse(values) else values
    raise AssertionError(model)
