"""Falkon and the linear models on explicit features against exact solutions."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernel_ridge import KernelRidge
from mercer.linear_model import (
    FalkonClassifier,
    FalkonRegressor,
    KernelLogisticRegression,
    MappedLogisticRegression,
    MappedRidge,
    MappedSVC,
)


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (300, 2))
    return X, np.sin(X[:, 0]) + np.cos(2 * X[:, 1]) + rng.normal(0, 0.1, 300) + 4


@pytest.fixture(scope="module")
def moons():
    return make_moons(200, noise=0.25, random_state=0)


def test_all_rows_as_landmarks_are_kernel_ridge(waves):
    X, y = waves
    exact = KernelRidge(0.1, kernel="rbf", gamma=0.5, parametric="constant").fit(X, y)
    model = FalkonRegressor(0.1, gamma=0.5, n_landmarks=300, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict(X), exact.predict(X), atol=1e-6)


def test_landmarks_solve_the_normal_equations(waves):
    X, y = waves
    model = FalkonRegressor(0.1, gamma=0.5, n_landmarks=40, tol=1e-12, precision="double").fit(X, y)
    values = rbf_kernel(X, model.landmarks_, gamma=0.5)
    centered = values - values.mean(axis=0)
    system = centered.T @ centered + 0.1 * rbf_kernel(model.landmarks_, gamma=0.5)
    weights = np.linalg.solve(system, centered.T @ (y - y.mean()))
    expected = values @ weights + (y.mean() - values.mean(axis=0) @ weights)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-6)
    np.testing.assert_allclose(model.predict(X), values @ model.dual_coef_ + model.intercept_, atol=1e-9)
    assert all(any(np.array_equal(row, other) for other in X) for row in model.landmarks_)


def test_several_targets_and_scales_of_the_penalty(waves):
    X, y = waves
    one = FalkonRegressor(0.3, gamma=0.5, n_landmarks=50, tol=1e-10).fit(X, y)
    mean = FalkonRegressor(mean_alpha=0.3 / 300, gamma=0.5, n_landmarks=50, tol=1e-10).fit(X, y)
    both = FalkonRegressor(0.3, gamma=0.5, n_landmarks=50, tol=1e-10).fit(X, np.column_stack([y, -y]))
    np.testing.assert_allclose(mean.predict(X), one.predict(X), atol=1e-7)
    np.testing.assert_allclose(both.predict(X), np.column_stack([one.predict(X), -one.predict(X)]), atol=1e-6)
    assert both.dual_coef_.shape == (50, 2)


def test_logistic_loss_is_kernel_logistic_regression(moons):
    X, y = moons
    exact = KernelLogisticRegression(0.5, gamma=1).fit(X, y)
    model = FalkonClassifier(0.5, gamma=1, loss="logistic", n_landmarks=200, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=1e-4)


def test_squared_loss_has_no_probabilities(moons):
    model = FalkonClassifier(gamma=1, n_landmarks=30).fit(*moons)
    assert not hasattr(model, "predict_proba")
    assert model.score(*moons) > 0.85
    X = moons[0]
    values = rbf_kernel(X, model.landmarks_, gamma=1) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-8)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("landmarks", ["uniform", "pivoted"])
def test_several_classes(loss, landmarks):
    X, y = load_iris(return_X_y=True)
    model = FalkonClassifier(0.1, loss=loss, landmarks=landmarks, n_landmarks=40).fit(X, y)
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.94


def test_mapped_ridge_is_ridge_on_its_features(waves):
    X, y = waves
    features = RandomFourierFeatures(120, gamma=0.5, random_state=5).fit_transform(X)
    theirs = Ridge(alpha=0.2).fit(features, y)
    model = MappedRidge(0.2, gamma=0.5, n_components=120, random_state=5).fit(X, y)
    np.testing.assert_allclose(model.predict(X), theirs.predict(features), atol=1e-7)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
    assert model.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)
    assert model.map_ == "fourier"


@pytest.mark.parametrize("select", ["gcv", "loo"])
def test_mapped_ridge_chooses_its_penalty(waves, select):
    X, y = waves
    y = y + np.random.default_rng(1).normal(size=len(y))
    model = MappedRidge(gamma=0.1, n_components=60, select=select).fit(X, y)
    features = RandomFourierFeatures(60, gamma=0.1).fit_transform(X)
    extended = np.hstack([features, np.ones((len(y), 1))])

    def error(alpha):
        penalty = np.diag(np.append(np.full(60, alpha), 0))
        hat = extended @ np.linalg.solve(extended.T @ extended + penalty, extended.T)
        left = 1 - np.diag(hat) if select == "loo" else 1 - np.trace(hat) / len(y)
        return np.sqrt(np.mean(((y - hat @ y) / left) ** 2))

    assert error(model.alpha_) <= min(error(alpha) for alpha in np.logspace(-5, 2, 8)) * (1 + 1e-6)
    name = "leave-one-out RMSE" if select == "loo" else "generalised cross-validation RMSE"
    assert model.fit_report_["measures"][name] == pytest.approx(error(model.alpha_), rel=1e-4)


@pytest.mark.parametrize("kind", ["fourier", "nystroem", "sinks"])
def test_maps(waves, kind):
    X, y = waves
    model = MappedRidge(1e-3, gamma=0.5, n_components=150, map=kind).fit(X, np.column_stack([y, 2 * y]))
    assert model.map_ == kind
    assert model.coef_.shape[0] == 2
    assert np.sqrt(np.mean((model.predict(X)[:, 0] - y) ** 2)) < 0.15


def test_mapped_logistic_regression_is_that_of_scikit_learn(moons):
    X, y = moons
    features = RandomFourierFeatures(100, gamma=1, random_state=2).fit_transform(X)
    theirs = LogisticRegression(C=2, tol=1e-10, max_iter=10_000).fit(features, y)
    model = MappedLogisticRegression(0.5, gamma=1, n_components=100, random_state=2).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(features), atol=1e-3)


def test_mapped_svc_has_the_objective_of_scikit_learn(moons):
    X, y = moons
    features = Nystroem(gamma=1, n_components=40, random_state=2).fit_transform(X)
    theirs = LinearSVC(C=1, loss="squared_hinge", intercept_scaling=1e3, tol=1e-8, max_iter=1_000_000)
    theirs.fit(features, y)
    model = MappedSVC(gamma=1, map="nystroem", n_components=40, random_state=2, tol=1e-8).fit(X, y)
    assert np.mean(np.sign(model.decision_function(X)) == np.sign(theirs.decision_function(features))) > 0.97
    np.testing.assert_allclose(model.decision_function(X), features @ model.coef_[0] + model.intercept_[0], atol=1e-4)
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("cls", [MappedLogisticRegression, MappedSVC])
def test_mapped_classifiers_of_several_classes(cls):
    X, y = load_iris(return_X_y=True)
    model = cls().fit(X, y)
    assert model.coef_.shape[0] == 3
    assert model.score(X, y) > 0.93
