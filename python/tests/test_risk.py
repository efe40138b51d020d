"""RiskRegressor and RiskClassifier against generic optimizers on their definition, and against their special cases."""

import numpy as np
import pytest
import scipy.optimize
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from mercer._risk import density_text
from mercer.kernel_ridge import KernelRidge
from mercer.linear_model import KernelLogisticRegression, RiskClassifier, RiskRegressor
from mercer.svm import SVC, SVR

GAMMA, C = 0.7, 1.5
EPSILON, SIGMA, EXPONENT, QUANTILE = 0.2, 0.3, 3.0, 0.8


def power(r, p):
    return np.abs(r) ** p / p


RESIDUAL_LOSSES = {
    "epsilon_insensitive": (lambda r: np.maximum(np.abs(r) - EPSILON, 0), {"epsilon": EPSILON}),
    "laplace": (np.abs, {}),
    "squared": (lambda r: r**2 / 2, {}),
    "squared_epsilon_insensitive": (lambda r: np.maximum(np.abs(r) - EPSILON, 0) ** 2 / 2, {"epsilon": EPSILON}),
    "huber": (
        lambda r: np.where(np.abs(r) <= SIGMA, r**2 / (2 * SIGMA), np.abs(r) - SIGMA / 2),
        {"sigma": SIGMA},
    ),
    "polynomial": (lambda r: power(r, EXPONENT), {"exponent": EXPONENT}),
    "piecewise_polynomial": (
        lambda r: np.where(
            np.abs(r) <= SIGMA, power(r, EXPONENT) / SIGMA ** (EXPONENT - 1), np.abs(r) - SIGMA * (1 - 1 / EXPONENT)
        ),
        {"exponent": EXPONENT, "sigma": SIGMA},
    ),
    "quantile": (lambda r: np.where(r > 0, (1 - QUANTILE) * r, -QUANTILE * r), {"quantile": QUANTILE}),
}
MARGIN_LOSSES = {
    "hinge": lambda t: np.maximum(0, 1 - t),
    "squared_hinge": lambda t: np.maximum(0, 1 - t) ** 2,
    "logistic": lambda t: np.logaddexp(0, -t),
    "exponential": lambda t: np.exp(-t),
    "inverse_complementary_log_log": lambda t: -np.expm1(-np.exp(-t)),
}
CORNERS = {"epsilon_insensitive", "laplace", "quantile", "hinge"}


@pytest.fixture(scope="module")
def curve():
    random = np.random.default_rng(3)
    X = random.uniform(-3, 3, size=(20, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * random.normal(size=20)
    y[5] += 3
    return X, y


@pytest.fixture(scope="module")
def moons():
    random = np.random.default_rng(4)
    X = random.normal(size=(40, 2))
    return X, np.where(np.sin(2 * X[:, 0]) + 0.4 * random.normal(size=40) > 0, "up", "down")


def basis(X):
    """Functions of norm theta, and the constant."""
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=GAMMA))
    kept = values > 1e-11
    return np.column_stack([vectors[:, kept] * np.sqrt(values[kept]), np.ones(len(X))])


def point_of(Z, values, constant):
    """The coefficients of a function with these values."""
    return np.append(np.linalg.lstsq(Z[:, :-1], values - constant, rcond=None)[0], constant)


def least(Z, loss, start):
    """The least objective that generic optimizers find, from a start that is 0 or somebody's solution."""

    def objective(w):
        return w[:-1] @ w[:-1] / 2 + C * loss(Z @ w).sum()

    best = min(
        (
            scipy.optimize.minimize(objective, start, method=method, options={"maxiter": 3000})
            for method in ("BFGS", "Powell")
        ),
        key=lambda found: found.fun,
    )
    return best.fun, Z @ best.x


@pytest.mark.parametrize("name", RESIDUAL_LOSSES)
def test_no_generic_optimizer_finds_less(curve, name):
    X, y = curve
    loss, parameters = RESIDUAL_LOSSES[name]
    model = RiskRegressor(name, C=C, gamma=GAMMA, standardize=False, **parameters).fit(X, y)
    Z = basis(X)
    objective = model.fit_report_["objective"]
    # The objective that is reported is that of the predictions.
    w = point_of(Z, model.predict(X), model.intercept_)
    assert w[:-1] @ w[:-1] / 2 + C * loss(model.predict(X) - y).sum() == pytest.approx(objective, rel=1e-5)
    found, values = least(Z, lambda f: loss(f - y), np.zeros(Z.shape[1]))
    assert objective <= found * (1 + 1e-6)
    if name not in CORNERS:
        assert found == pytest.approx(objective, rel=1e-4)
        assert np.abs(values - model.predict(X)).max() < 0.02
    near, _ = least(Z, lambda f: loss(f - y), w)
    assert objective <= near * (1 + 1e-5)


@pytest.mark.parametrize("name", MARGIN_LOSSES)
def test_no_generic_optimizer_finds_less_for_classes(moons, name):
    X, labels = moons
    y = np.where(labels == "up", 1.0, -1.0)
    model = RiskClassifier(name, C=C, gamma=GAMMA).fit(X, labels)
    Z = basis(X)
    w = point_of(Z, model.decision_function(X), model.intercept_[0])
    objective = w[:-1] @ w[:-1] / 2 + C * MARGIN_LOSSES[name](y * model.decision_function(X)).sum()
    starts = [w] if name == "inverse_complementary_log_log" else [w, np.zeros(Z.shape[1])]
    for start in starts:
        found, _ = least(Z, lambda f: MARGIN_LOSSES[name](y * f), start)
        assert objective <= found * (1 + 1e-5)
    assert hasattr(model, "predict_proba") == (name in ("logistic", "exponential"))


def test_special_cases(curve, moons):
    X, y = curve
    ridge = KernelRidge(alpha=1 / C, kernel="rbf", gamma=GAMMA, parametric="constant").fit(X, y)
    assert np.allclose(
        RiskRegressor("squared", C=C, gamma=GAMMA, standardize=False).fit(X, y).predict(X), ridge.predict(X)
    )
    tube = SVR(C=C, gamma=GAMMA, epsilon=EPSILON, tol=1e-8).fit(X, y)
    model = RiskRegressor("epsilon_insensitive", C=C, gamma=GAMMA, epsilon=EPSILON, standardize=False).fit(X, y)
    assert np.allclose(model.predict(X), tube.predict(X), atol=1e-4)
    X, labels = moons
    machine = SVC(C=C, gamma=GAMMA, tol=1e-8).fit(X, labels)
    margins = RiskClassifier("hinge", C=C, gamma=GAMMA).fit(X, labels)
    assert np.allclose(margins.decision_function(X), machine.decision_function(X), atol=1e-4)
    klr = KernelLogisticRegression(1 / C, gamma=GAMMA).fit(X, labels)
    logistic = RiskClassifier("logistic", C=C, gamma=GAMMA).fit(X, labels)
    assert np.allclose(logistic.predict_proba(X), klr.predict_proba(X), atol=1e-5)


def student(residual):
    return (1 + (residual / 0.3) ** 2 / 3) ** -2


def test_a_density_is_a_function_a_table_or_its_text(curve):
    X, y = curve
    grid = np.linspace(-8, 8, 801)
    settings = {"gamma": GAMMA, "C": C, "standardize": False}
    by_function = RiskRegressor("density", density=student, **settings).fit(X, y).predict(X)
    table = np.column_stack([grid, student(grid)])
    by_table = RiskRegressor("density", density=table, **settings).fit(X, y).predict(X)
    by_text = RiskRegressor("density", density=density_text(table, 0.0), **settings).fit(X, y).predict(X)
    assert np.allclose(by_function, by_table, atol=2e-3)
    assert np.array_equal(by_table, by_text)
    # A heavy tail forgets the row that is out; the squared loss does not.
    squared = RiskRegressor("squared", **settings).fit(X, y).predict(X)
    assert abs(by_function[5] - np.sin(2 * X[5, 0])) < abs(squared[5] - np.sin(2 * X[5, 0]))


def test_densities_that_mean_nothing(curve):
    X, y = curve
    with pytest.raises(ValueError, match="density has the shape"):
        RiskRegressor("density", density=[1.0, 2.0]).fit(X, y)
    with pytest.raises(ValueError, match="needs a table of residuals and densities"):
        RiskRegressor("density").fit(X, y)
    with pytest.raises(ValueError, match="grows outward"):
        RiskRegressor("density", density=lambda r: 1 + r**2).fit(X, y)
    with pytest.raises(ValueError, match="epsilon is no part of loss = squared"):
        RiskRegressor("squared", epsilon=1).fit(X, y)


def test_files_keep_densities(curve, tmp_path):
    X, y = curve
    model = RiskRegressor("density", density=[[-4, 0.01], [-1, 0.2], [0, 0.4], [1, 0.2], [4, 0.01]]).fit(X, y)
    model.save(tmp_path / "model.mercer")
    loaded = RiskRegressor.load(tmp_path / "model.mercer")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert np.array_equal(clone(loaded).fit(X, y).predict(X), model.predict(X))


def test_parametric_parts_and_quantiles(curve):
    X, y = curve
    line = y + 5 * X[:, 0] + 2
    model = RiskRegressor("quantile", quantile=0.5, parametric="linear", gamma=GAMMA, C=C).fit(X, line)
    assert model.parametric_coef_.shape == (2, 1)
    assert abs(model.parametric_coef_[1, 0] - 5) < 1
    assert model.intercept_ == model.parametric_coef_[0, 0]
    without = RiskRegressor("huber", parametric="none", gamma=GAMMA).fit(X, y)
    assert without.parametric_coef_.shape == (0, 1)
    assert without.intercept_ == 0
    assert np.allclose(without.predict([[1000.0]]), 0)


def test_weights_are_copies_and_targets_are_columns(curve):
    X, y = curve
    weights = np.arange(20) % 3
    once = RiskRegressor("huber", gamma=GAMMA, sigma=SIGMA).fit(X, y, sample_weight=weights)
    copies = RiskRegressor("huber", gamma=GAMMA, sigma=SIGMA).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.allclose(once.predict(X), copies.predict(X), atol=1e-5)
    both = RiskRegressor("laplace", gamma=GAMMA).fit(X, np.column_stack([y, -2 * y]))
    assert both.predict(X).shape == (20, 2)
    assert np.allclose(both.predict(X)[:, 1], -2 * both.predict(X)[:, 0], atol=1e-4)
