"""KernelQuantileRegressor against a generic programme, shares of rows, scikit-learn's losses and tools."""

import numpy as np
import pytest
import scipy.optimize
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss
from sklearn.model_selection import KFold

from mercer.svm import KernelQuantileRegressor

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def cone(rows, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(0, 3, size=(rows, 1))
    return X, np.sin(2 * X[:, 0]) + (0.1 + 0.3 * X[:, 0]) * random.normal(size=rows)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.95])
def test_the_dual_is_solved(level):
    X, y = cone(40)
    C = 3.0
    options = {"C": C, "gamma": 1.0, "standardize": False, "tol": 1e-8}
    model = KernelQuantileRegressor(level, **options).fit(X, y)
    K = np.exp(-((X - X.T) ** 2))
    found = scipy.optimize.minimize(
        lambda b: 0.5 * b @ K @ b - y @ b,
        np.zeros(40),
        jac=lambda b: K @ b - y,
        bounds=[(-C * (1 - level), C * level)] * 40,
        constraints={"type": "eq", "fun": np.sum, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    beta = np.zeros(40)
    beta[model.support_] = model.dual_coef_[:, 0]
    assert abs(beta.sum()) < 1e-9
    assert beta.max() <= C * level * (1 + 1e-12) and beta.min() >= -C * (1 - level) * (1 + 1e-12)
    assert 0.5 * beta @ K @ beta - y @ beta <= found.fun + 1e-5 * abs(found.fun)
    np.testing.assert_allclose(model.predict(X), K @ beta + model.intercept_[0], atol=1e-6)


def test_a_linear_kernel_without_a_price_of_slopes_is_linear_quantile_regression():
    X, y = cone(200)
    for level in (0.2, 0.9):
        peer = QuantileRegressor(quantile=level, alpha=0, solver="highs").fit(X, y)
        ours = KernelQuantileRegressor(level, kernel="linear", C=1e4, standardize=False, tol=1e-6).fit(X, y)
        best = mean_pinball_loss(y, peer.predict(X), alpha=level)
        assert mean_pinball_loss(y, ours.predict(X), alpha=level) <= best * (1 + 1e-4)


def test_shares_and_order():
    X, y = cone(1000)
    model = KernelQuantileRegressor(LEVELS)
    fresh = np.empty((len(y), len(LEVELS)))
    for train, test in KFold(10).split(X):
        fresh[test] = model.fit(X[train], y[train]).predict_quantiles(X[test])
    np.testing.assert_allclose((y[:, None] <= fresh).mean(axis=0), LEVELS, atol=0.03)
    model.fit(X, y)
    queries = np.random.default_rng(1).uniform(-3, 6, size=(500, 1))
    assert (np.diff(model.predict_quantiles(queries), axis=1) >= 0).all()


def test_what_is_asked_for():
    X, y = cone(60)
    model = KernelQuantileRegressor((0.9, 0.1, 0.5)).fit(X, y)
    np.testing.assert_array_equal(model.quantiles_, [0.1, 0.5, 0.9])
    table = model.predict_quantiles(X)
    np.testing.assert_array_equal(model.predict(X), table[:, 1])
    np.testing.assert_array_equal(model.predict(X, quantiles=0.9), table[:, 2])
    np.testing.assert_array_equal(model.predict_quantiles(X, 0.9), table[:, 2:])
    np.testing.assert_array_equal(model.predict(X, quantiles=[0.9, 0.1]), table[:, [2, 0]])
    np.testing.assert_allclose(model.predict_interval(X, 0.8), table[:, [0, 2]], rtol=1e-12)
    np.testing.assert_allclose(model.predict(X, quantiles=0.3), table[:, :2].mean(axis=1), rtol=1e-12)
    assert model.dual_coef_.shape == (len(model.support_), 3)
    assert model.intercept_.shape == (3,)
    draws = model.sample_y(X, 2000)
    assert draws.shape == (60, 2000)
    assert abs((draws <= table[:, 2:]).mean() - 0.9) < 0.01
    two = KernelQuantileRegressor().fit(X, np.column_stack([y, -y]))
    assert two.predict(X).shape == (60, 2)
    assert two.predict_quantiles(X, [0.3]).shape == (60, 2, 1)
    assert two.intercept_.shape == (2, 5)
    again = KernelQuantileRegressor.from_bytes(model.to_bytes())
    assert again.quantiles == (0.9, 0.1, 0.5)
    np.testing.assert_array_equal(again.predict_quantiles(X), table)


@pytest.mark.parametrize("quantiles", [0, 1, 1.5, (), (0.5, 0.5), "0.5", None, (0.1, "a"), np.nan])
def test_levels_that_are_none(quantiles):
    X, y = cone(10)
    with pytest.raises(ValueError, match=r"quantiles.*between 0 and 1"):
        KernelQuantileRegressor(quantiles).fit(X, y)


def test_refusals():
    X, y = cone(10)
    model = KernelQuantileRegressor().fit(X, y)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        model.predict_interval(X, 90)
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict(X, quantiles=[0.5, 2])
    with pytest.raises(ValueError, match="not how sure it is of its functions"):
        model._fitted.moments(model._samples(X), "function")
