"""Kernel logistic regression and the vector machines against their optimality conditions and linear models."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import Lasso, LogisticRegression, MultiTaskLasso, Ridge
from sklearn.metrics.pairwise import rbf_kernel

from mercer.linear_model import KernelLogisticRegression, L1VMClassifier, L1VMRegressor, L2VMClassifier, L2VMRegressor


@pytest.fixture(scope="module")
def sinc():
    X = np.linspace(-10, 10, 80)[:, None]
    return X, np.sinc(X[:, 0] / np.pi) + np.random.default_rng(0).normal(0, 0.1, 80)


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.25, random_state=0)


def softmax(values):
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def test_kernel_logistic_regression_is_optimal(moons):
    X, y = moons
    model = KernelLogisticRegression(0.5, gamma=1).fit(X, y)
    probabilities = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(0.5 * model.dual_coef_[0], y - probabilities, atol=1e-6)
    assert abs(model.dual_coef_.sum()) < 1e-6
    decision = rbf_kernel(X, gamma=1) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), decision, atol=1e-9)
    np.testing.assert_allclose(probabilities, 1 / (1 + np.exp(-decision)), atol=1e-9)
    assert model.alpha_ == 0.5


def test_several_classes_are_optimal():
    X, y = load_iris(return_X_y=True)
    X, y = X[::2], y[::2]
    model = KernelLogisticRegression(0.3, gamma=0.2).fit(X, y)
    values = model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X), softmax(values), atol=1e-9)
    np.testing.assert_allclose(0.3 * model.dual_coef_.T, np.eye(3)[y] - softmax(values), atol=1e-5)


def test_the_evidence_chooses_a_penalty(moons):
    model = KernelLogisticRegression(gamma=1).fit(*moons)
    for factor in (0.3, 3):
        other = KernelLogisticRegression(model.alpha_ * factor, gamma=1).fit(*moons)
        assert other.log_evidence_ < model.log_evidence_


def test_weights_and_classes(moons):
    X, y = moons
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    once = KernelLogisticRegression(0.5, gamma=1).fit(X, y, sample_weight=weights)
    copies = KernelLogisticRegression(0.5, gamma=1).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(once.decision_function(X), copies.decision_function(X), atol=1e-5)
    heavy = KernelLogisticRegression(0.5, gamma=1, class_weight={0: 1, 1: 10}).fit(X, y)
    assert (heavy.predict(X) == 1).sum() > (once.predict(X) == 1).sum()


def test_l1_regression_is_the_lasso(sinc):
    X, y = sinc
    kernel = rbf_kernel(X, gamma=0.1)
    model = L1VMRegressor(0.05, gamma=0.1).fit(X, y)
    lasso = Lasso(alpha=0.05 / 80, tol=1e-12, max_iter=1_000_000).fit(kernel, y)
    np.testing.assert_allclose(model.predict(X), lasso.predict(kernel), atol=1e-4)
    expected = rbf_kernel(X, model.prototypes_, gamma=0.1) @ model.dual_coef_ + model.intercept_
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-9)
    assert np.all(model.dual_coef_ != 0)
    residuals = y - model.predict(X)
    assert np.all(np.abs(kernel @ residuals) <= 0.05 * (1 + 1e-5))


def test_targets_share_their_prototypes(sinc):
    X, y = sinc
    both = np.column_stack([y, np.cos(X[:, 0])])
    kernel = rbf_kernel(X, gamma=0.1)
    model = L1VMRegressor(0.5, gamma=0.1).fit(X, both)
    theirs = MultiTaskLasso(alpha=0.5 / 80, tol=1e-10, max_iter=1_000_000).fit(kernel, both)
    np.testing.assert_allclose(model.predict(X), theirs.predict(kernel), atol=1e-3)
    assert model.dual_coef_.shape == (len(model.prototypes_), 2)
    assert model.intercept_.shape == (2,)


def test_l1_classification_is_optimal(moons):
    X, y = moons
    model = L1VMClassifier(0.6, gamma=1).fit(X, y)
    gradient = rbf_kernel(X, gamma=1) @ (y - model.predict_proba(X)[:, 1])
    assert np.abs(gradient).max() <= 0.6 * (1 + 1e-4)
    kept = rbf_kernel(model.prototypes_, X, gamma=1) @ (y - model.predict_proba(X)[:, 1])
    np.testing.assert_allclose(kept, 0.6 * np.sign(model.dual_coef_[0]), rtol=1e-4)
    assert len(model.prototypes_) < 30


def test_l1_groups_of_several_classes():
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    model = L1VMClassifier(1.0, gamma=0.3).fit(X, y)
    gradient = rbf_kernel(X, gamma=0.3) @ (np.eye(3)[y] - model.predict_proba(X))
    assert np.linalg.norm(gradient, axis=1).max() <= 1 + 1e-4
    assert model.dual_coef_.shape == (3, len(model.prototypes_))
    assert len(model.prototypes_) < len(X)


@pytest.mark.parametrize("select", ["cv", "cv1se", "bic"])
def test_the_path_is_searched(sinc, select):
    X, y = sinc
    model = L1VMRegressor(gamma=0.1, select=select).fit(X, y)
    assert np.sqrt(np.mean((model.predict(X) - np.sinc(X[:, 0] / np.pi)) ** 2)) < 0.08
    assert model.alpha_ > 0


def test_l2_regression_is_ridge_on_kernel_values(sinc):
    X, y = sinc
    kernel = rbf_kernel(X, gamma=0.1)
    model = L2VMRegressor(0.2, gamma=0.1).fit(X, y)
    theirs = Ridge(alpha=0.2).fit(kernel, y)
    np.testing.assert_allclose(model.predict(X), theirs.predict(kernel), atol=1e-7)
    np.testing.assert_allclose(model.dual_coef_, theirs.coef_, atol=1e-6)


def test_counts_have_a_gradient_of_zero():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (100, 1))
    y = rng.poisson(np.exp(1 + np.sin(2 * X[:, 0])))
    model = L2VMRegressor(0.5, gamma=1, response="poisson").fit(X, y)
    residuals = y - model.predict(X)
    np.testing.assert_allclose(rbf_kernel(X, gamma=1) @ residuals, 0.5 * model.dual_coef_, atol=1e-5)
    assert abs(residuals.sum()) < 1e-5
    assert np.all(model.predict(X) > 0)


def test_l2_classification_is_logistic_regression_on_kernel_values(moons):
    X, y = moons
    model = L2VMClassifier(0.5, gamma=1).fit(X, y)
    kernel = rbf_kernel(X, gamma=1)
    theirs = LogisticRegression(C=2, tol=1e-10, max_iter=10_000).fit(kernel, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(kernel), atol=1e-5)


@pytest.mark.parametrize("prototypes", ["data", "kmeans", "pivoted", "grid"])
@pytest.mark.parametrize("cls", [L1VMClassifier, L2VMClassifier])
def test_prototypes(moons, cls, prototypes):
    X, y = moons
    model = cls(0.1, gamma=1, prototypes=prototypes, n_prototypes=16).fit(X, y)
    assert model.prototypes_.shape[1] == 2
    assert len(model.prototypes_) <= 16
    decision = rbf_kernel(X, model.prototypes_, gamma=1) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), decision, atol=1e-9)
    assert model.score(X, y) > 0.85


def test_any_similarity_will_do(sinc):
    X, y = sinc
    model = L2VMRegressor(1e-3, kernel="sigmoid", gamma=0.3, coef0=-1).fit(X, y)
    given = L2VMRegressor(1e-3, kernel="precomputed").fit(np.tanh(0.3 * X @ X.T - 1), y)
    np.testing.assert_allclose(given.predict(np.tanh(0.3 * X @ X.T - 1)), model.predict(X), atol=1e-5)
    assert given.prototypes_.shape == (0, 0)
