"""Programs written for scikit-learn, with ours in place of its classes: the same scores."""

import warnings

import numpy as np
import pytest
import sklearn.gaussian_process
import sklearn.kernel_ridge
import sklearn.svm
from sklearn.datasets import load_diabetes, load_digits, make_friedman2
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel
from sklearn.model_selection import GridSearchCV, train_test_split

from mercer import gaussian_process, kernel_ridge, svm


@pytest.fixture(scope="module")
def digits():
    return train_test_split(*load_digits(return_X_y=True), test_size=0.5, shuffle=False)


def test_recognizing_digits(digits):
    X, new, y, truth = digits
    scores = [module.SVC(gamma=0.001).fit(X, y).score(new, truth) for module in (svm, sklearn.svm)]
    assert scores[0] == scores[1]


def test_searching_digits(digits):
    X, new, y, truth = digits
    grid = {"C": [1, 100], "gamma": [1e-3, 1e-4]}
    searches = [GridSearchCV(module.SVC(), grid, cv=3).fit(X[::2], y[::2]) for module in (svm, sklearn.svm)]
    assert searches[0].best_params_ == searches[1].best_params_
    assert searches[0].score(new, truth) == pytest.approx(searches[1].score(new, truth), abs=0.002)


def test_regression_with_every_support_vector_machine():
    X, y = load_diabetes(return_X_y=True)
    X, new, y, truth = train_test_split(X, y, random_state=0)
    for name, options in {"SVR": {"C": 100}, "NuSVR": {"C": 100}, "LinearSVR": {"C": 100, "max_iter": 20_000}}.items():
        ours, theirs = (getattr(module, name)(**options).fit(X, y).score(new, truth) for module in (svm, sklearn.svm))
        assert ours == pytest.approx(theirs, abs=2e-3), name


def test_kernel_ridge_search():
    rng = np.random.RandomState(42)
    X = 5 * rng.rand(300, 1)
    y = np.sin(X).ravel()
    y[::5] += 3 * (0.5 - rng.rand(60))
    grid = {"alpha": [1e0, 0.1, 1e-2, 1e-3], "gamma": np.logspace(-2, 2, 5)}
    searches = [
        GridSearchCV(module.KernelRidge(kernel="rbf"), grid).fit(X, y)
        for module in (kernel_ridge, sklearn.kernel_ridge)
    ]
    assert searches[0].best_params_ == searches[1].best_params_
    assert searches[0].best_score_ == pytest.approx(searches[1].best_score_, rel=1e-9)


def test_gaussian_process_on_friedman():
    X, y = make_friedman2(n_samples=300, noise=0, random_state=0)
    kernel = DotProduct() + WhiteKernel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [
            module.GaussianProcessRegressor(kernel=kernel, random_state=0).fit(X, y).score(X, y)
            for module in (gaussian_process, sklearn.gaussian_process)
        ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)


def test_gaussian_process_with_noise():
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 5, 40)[:, None]
    y = 0.5 * np.sin(3 * X[:, 0]) + rng.normal(0, 0.3, 40)
    kernel = ConstantKernel(1.0) * RBF(1e-1, (1e-2, 1e3)) + WhiteKernel(1e-2, (1e-10, 1e1))
    ours, theirs = (
        module.GaussianProcessRegressor(kernel, alpha=0.0).fit(X, y)
        for module in (gaussian_process, sklearn.gaussian_process)
    )
    assert ours.log_marginal_likelihood_value_ >= theirs.log_marginal_likelihood_value_ - 1e-3
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=0.02)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=5e-3)


def test_a_value_of_zero_is_the_class_that_scikit_learn_says():
    # The data are symmetric about the origin, so that every value there is exactly 0.
    X, y, origin = np.array([[-1.0], [1.0]]), np.array(["no", "yes"]), np.zeros((1, 1))
    plain = DotProduct(sigma_0=0.0, sigma_0_bounds="fixed")
    for make in (
        lambda modules: modules[0].LinearSVC(fit_intercept=False),
        lambda modules: modules[0].SVC(kernel="linear"),
        lambda modules: modules[1].GaussianProcessClassifier(plain, optimizer=None),
    ):
        ours = make((svm, gaussian_process)).fit(X, y)
        theirs = make((sklearn.svm, sklearn.gaussian_process)).fit(X, y)
        if hasattr(ours, "decision_function"):
            assert ours.decision_function(origin)[0] == 0
            assert theirs.decision_function(origin)[0] == 0
        assert ours.predict(origin)[0] == theirs.predict(origin)[0], type(ours).__name__


def test_a_value_of_zero_is_outside_as_in_libsvm_and_inside_for_our_own(monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 2))
    for machine, answer in ((svm.OneClassSVM(nu=0.2), -1), (svm.SVDD(nu=0.2), 1)):
        machine.fit(X)
        monkeypatch.setattr(machine, "decision_function", lambda rows: np.zeros(len(rows)))
        assert machine.predict(X[:1])[0] == answer, type(machine).__name__
