"""What users see when something is wrong: the exceptions and words of scikit-learn, and more where it helps."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from estimator_list import ALL, CLASSIFIERS, NEED_TARGETS, NOVELTY, REGRESSORS, apply, called
from sklearn.datasets import load_iris, make_regression
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_approximation import AdditiveChi2Sampler
from mercer.kernel_ridge import KernelRidge
from mercer.linear_model import KernelPerceptron
from mercer.sparse_bayes import LaplacianProcessRegressor
from mercer.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


NEED_NO_FIT = [GaussianProcessRegressor, AdditiveChi2Sampler]


def data_for(cls):
    return make_regression(40, 4, random_state=0) if cls in REGRESSORS else load_iris(return_X_y=True)


@pytest.mark.parametrize("cls", [c for c in ALL if c not in NEED_NO_FIT], ids=called)
def test_unfitted(cls):
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
        apply(cls(), [[1.0, 2.0]])


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_no_model_file_before_a_fit(cls):
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
        cls().to_bytes()


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_wrong_number_of_columns(cls):
    model = cls().fit(*data_for(cls))
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features as input"):
        apply(model, np.zeros((2, 3)))


@pytest.mark.parametrize("cls", ALL, ids=called)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite(cls, value):
    X, y = data_for(cls)
    bad = X.copy()
    bad[3, 1] = value
    with pytest.raises(ValueError, match="NaN" if np.isnan(value) else "infinity"):
        cls().fit(bad, y)
    model = cls().fit(X, y)
    with pytest.raises(ValueError, match="NaN" if np.isnan(value) else "infinity"):
        apply(model, bad)


@pytest.mark.parametrize("cls", NEED_TARGETS, ids=called)
def test_lengths_that_differ(cls):
    X, y = data_for(cls)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        cls().fit(X, y[:-1])


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_one_dimension(cls):
    X, y = data_for(cls)
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array instead"):
        cls().fit(X[:, 0], y)


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=called)
def test_one_class_only(cls, iris):
    with pytest.raises(ValueError, match="The number of classes has to be greater than one; got 1 class"):
        cls().fit(iris[0], np.zeros(150))


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=called)
def test_continuous_labels(cls, iris):
    with pytest.raises(ValueError, match="Unknown label type"):
        cls().fit(iris[0], iris[0][:, 0] + 0.123)


@pytest.mark.parametrize("cls", [SVC, SVR, OneClassSVM, KernelRidge, GaussianProcessRegressor], ids=called)
def test_unknown_kernel(cls):
    X, y = data_for(cls)
    with pytest.raises(ValueError, match=r"unknown kernel 'rbff'\. Did you mean 'rbf'"):
        cls(kernel="rbff").fit(X, y)
    with pytest.raises(TypeError, match="no kernel"):
        cls(kernel=3).fit(X, y)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVC(C=-1), r"The 'C' parameter of SVC must be a float in the range \(0.0, inf\). Got -1 instead."),
        (SVC(C="1"), "The 'C' parameter of SVC must be a float"),
        (SVC(gamma=-0.5), "The 'gamma' parameter of SVC must be 'scale', 'auto'"),
        (SVC(gamma="wide"), "The 'gamma' parameter of SVC"),
        (SVC(tol=0), "The 'tol' parameter of SVC"),
        (SVC(max_iter=1.5), r"The 'max_iter' parameter of SVC must be an int in the range \[-1, inf\)"),
        (SVC(decision_function_shape="one"), "The 'decision_function_shape' parameter of SVC must be one of"),
        (SVC(multiclass="all"), "The 'multiclass' parameter of SVC must be one of"),
        (SVC(break_ties=True, decision_function_shape="ovo"), "break_ties must be False"),
        (SVC(n_jobs=0), "n_jobs == 0 has no meaning"),
        (NuSVC(nu=1.5), r"The 'nu' parameter of NuSVC must be a float in the range \(0.0, 1.0\]"),
        (NuSVC(nu=0.99), "nu = 0.99 is not feasible"),
        (LinearSVC(penalty="l3"), "The 'penalty' parameter of LinearSVC"),
        (SVC(class_weight={5: 2}), r"The classes, \[0, 1, 2\], are not in class_weight"),
        (GaussianProcessClassifier(optimizer="adam"), "The 'optimizer' parameter of GaussianProcessClassifier"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_parameters_of_classifiers(model, words, iris):
    X, y = iris[0][:140], iris[1][:140]
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVR(epsilon=-1), "The 'epsilon' parameter of SVR"),
        (KernelRidge(alpha=-1), "The 'alpha' parameter of KernelRidge"),
        (KernelRidge(alpha=[1.0, 2.0]), "alpha has 2 values for 1 targets"),
        (KernelRidge(alpha=[-1.0]), "The 'alpha' parameter of KernelRidge"),
        (KernelRidge(alpha="small"), "The 'alpha' parameter of KernelRidge"),
        (KernelRidge(kernel="sigmoid", select="loo"), "indefinite"),
        (GaussianProcessRegressor(alpha=-1), "The 'alpha' parameter of GaussianProcessRegressor"),
        (GaussianProcessRegressor(alpha=[1.0, 2.0]), r"alpha must be a scalar or an array .* \(2 != 40\)"),
        (GaussianProcessRegressor(optimizer="adam"), "The 'optimizer' parameter of GaussianProcessRegressor"),
        (GaussianProcessRegressor(n_targets=2), "number of targets seen in `y`"),
        (GaussianProcessRegressor("sigmoid()"), "positive definite"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_parameters_of_regressors(model, words):
    X, y = make_regression(40, 4, random_state=0)
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


def test_only_one_kind_of_uncertainty():
    X, y = make_regression(40, 4, random_state=0)
    with pytest.raises(RuntimeError, match="At most one of return_std or return_cov"):
        GaussianProcessRegressor(alpha=1).fit(X, y).predict(X, return_std=True, return_cov=True)


def test_precomputed_matrices(iris):
    X, y = iris
    with pytest.raises(ValueError, match=r"Precomputed matrix must be a square matrix\. Input is a 150x4 matrix"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="not symmetric"):
        SVC(kernel="precomputed").fit(np.random.default_rng(0).normal(size=(150, 150)), y)


def test_weights(iris):
    X, y = iris
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\), expected \(150,\)"):
        SVC().fit(X, y, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match="negative"):
        SVC().fit(X, y, sample_weight=-np.ones(150))
    with pytest.raises(ValueError, match=r"all weights are 0|at least one non-zero"):
        SVC().fit(X, y, sample_weight=np.zeros(150))
    with pytest.raises(ValueError, match="class"):
        SVC().fit(X, y, sample_weight=(y == 0).astype(float))


def test_a_limit_on_steps_is_said(iris):
    with pytest.warns(ConvergenceWarning, match=r"SVC stopped after .* max_iter=2.*StandardScaler"):
        model = SVC(max_iter=2).fit(*iris)
    assert model.fit_status_ == 1
    with pytest.warns(ConvergenceWarning, match="LinearSVC failed to converge.*max_iter=1"):
        LinearSVC(max_iter=1, tol=1e-12).fit(*iris)


def test_advice_names_what_an_estimator_has():
    stalled = SimpleNamespace(report={"iterations": 7, "status": "stalled"})
    assert SVC()._convergence_words(stalled).endswith("a smaller C, a larger tol, or more iterations.")
    words = LaplacianProcessRegressor()._convergence_words(stalled)
    assert words.endswith("'stalled'). Consider scaling the columns with StandardScaler or MinMaxScaler.")


@pytest.mark.parametrize("model", [SVC(max_iter=2), SVR(max_iter=2), KernelPerceptron(max_iter=1)], ids=repr)
def test_warnings_point_at_the_call_of_the_fit(model, iris):
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(*iris)
    assert caught[0].filename == __file__


def test_jitter_is_said():
    X = np.repeat(np.linspace(0, 1, 20)[:, None], 3, axis=0)
    y = np.arange(60.0)
    with pytest.warns(UserWarning, match="GaussianProcessRegressor: .*jitter"):
        GaussianProcessRegressor("rbf(lengthscale=1)", alpha=0, optimizer=None).fit(X, y)


def test_an_indefinite_kernel_is_said(iris):
    with pytest.warns(UserWarning, match="indefinite"):
        SVC(kernel="sigmoid").fit(*iris)


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_a_good_fit_is_silent(cls, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Not every perceptron comes to an end: the classes must be separable.
        options = {GaussianProcessRegressor: {"alpha": 1.0}, KernelPerceptron: {"gamma": 10.0}}.get(cls, {})
        cls(**options).fit(*data_for(cls))
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_progress_is_shown_when_asked_for(capfd):
    X, y = make_regression(400, 4, random_state=0)
    SVR(verbose=True, C=100).fit(X, y)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "support vectors [####################] 100%" in captured.err
    assert captured.err.endswith("\n")


def test_coef_is_for_linear_kernels(iris):
    with pytest.raises(AttributeError, match="coef_ is only available when using a linear kernel"):
        _ = SVC().fit(*iris).coef_


def test_other_feature_names(iris):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(iris[0], columns=list("abcd"))
    for model in (SVC(), SVC(kernel="rbf()[a, b]")):
        model.fit(frame, iris[1])
        with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
            model.predict(frame.rename(columns={"a": "z"}))


@pytest.mark.parametrize("cls", NOVELTY, ids=called)
def test_fractions_of_novelty(cls, iris):
    with pytest.raises(ValueError, match="The 'nu' parameter"):
        cls(nu=0).fit(iris[0])
    with pytest.raises(ValueError, match="The 'outlier_rate' parameter"):
        cls(outlier_rate=2).fit(iris[0])
