"""Smoothers against their formulas, against least squares, and against each other."""

import pickle

import numpy as np
import pytest
import scipy.stats
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer.smoothing import LocalRegression, NadarayaWatsonClassifier, NadarayaWatsonRegressor, lowess


@pytest.fixture(scope="module")
def wave():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 120))
    return x[:, None], np.sin(x) + rng.normal(scale=0.2, size=120)


def window(u, kernel):
    if kernel == "gaussian":
        return np.exp(-(u**2) / 2)
    if kernel == "cube":
        return np.where(u <= 1, 1.0, 0)
    return np.where(u <= 1, (1 - u**3) ** 3, 0)


@pytest.mark.parametrize("kernel", ["gaussian", "tricube", "cube"])
def test_averages_are_their_formula(kernel):
    rng = np.random.default_rng(1)
    X, y, queries, weights = rng.normal(size=(80, 2)), rng.normal(size=(80, 2)), rng.normal(size=(9, 2)), np.arange(80)
    widths = np.array([1.5, 2.0])
    model = NadarayaWatsonRegressor(widths, kernel=kernel).fit(X, y, sample_weight=weights)
    order = np.inf if kernel == "cube" else 2
    distances = np.linalg.norm((queries[:, None] - X) / widths, ord=order, axis=2)
    kernels = window(distances, kernel) * weights
    np.testing.assert_allclose(model.predict(queries), kernels @ y / kernels.sum(axis=1, keepdims=True), rtol=1e-10)
    np.testing.assert_array_equal(model.bandwidth_, widths)
    labels = np.where(y[:, 0] > 0, "up", "down")
    classes = NadarayaWatsonClassifier(widths, kernel=kernel).fit(X, labels, sample_weight=weights)
    shares = kernels @ (labels == "up") / kernels.sum(axis=1)
    np.testing.assert_allclose(classes.predict_proba(queries)[:, 1], shares, atol=1e-10)
    np.testing.assert_array_equal(classes.predict(queries), np.where(shares > 0.5, "up", "down"))


def test_widths_are_chosen_by_cross_validation(wave):
    X, y = wave
    noisy = np.column_stack([X, np.random.default_rng(2).normal(size=120)])
    model = NadarayaWatsonRegressor().fit(noisy, y)
    assert model.bandwidth_[0] < 0.6 and model.bandwidth_[1] > 1
    order = np.random.default_rng(6).permutation(120)
    search = GridSearchCV(NadarayaWatsonRegressor(), {"bandwidth": [0.02, 0.2, 5.0]}).fit(X[order], y[order])
    assert search.best_params_["bandwidth"] == 0.2
    iris, species = load_iris(return_X_y=True)
    assert cross_val_score(NadarayaWatsonClassifier(), iris, species, cv=3).mean() > 0.9


def test_local_polynomials_are_weighted_least_squares(wave):
    X, y = wave
    queries = np.linspace(0.5, 5.5, 7)
    for degree in (0, 1, 2):
        model = LocalRegression(0.4, degree=degree).fit(X, y)
        for x, value in zip(queries, model.predict(queries[:, None]), strict=True):
            distances = np.abs(X[:, 0] - x)
            reach = np.sort(distances)[int(0.4 * 120 + 1e-5) - 1]
            weights = np.sqrt(np.where(distances < reach, (1 - (distances / reach) ** 3) ** 3, 0))
            design = np.vander(X[:, 0] - x, degree + 1, increasing=True)
            want = np.linalg.lstsq(design * weights[:, None], y * weights, rcond=None)[0][0]
            assert value == pytest.approx(want, abs=1e-8)
        assert model.degree_ == degree


def test_polynomials_are_reproduced_and_standard_errors_are_of_least_squares(wave):
    X, _ = wave
    y = 2 + X[:, 0] - 0.3 * X[:, 0] ** 2 + np.random.default_rng(3).normal(scale=0.1, size=120)
    model = LocalRegression(bandwidth=1e4, degree=2, kernel="boxcar").fit(X, y)  # one parabola for all
    design = np.vander(X[:, 0], 3)
    fit, residual = np.linalg.lstsq(design, y, rcond=None)[:2]
    sigma = np.sqrt(residual[0] / 117)
    mean, std = model.predict(X[::10], return_std=True)
    np.testing.assert_allclose(mean, design[::10] @ fit, atol=1e-8)
    spread = np.sqrt(np.einsum("ij,jk,ik->i", design, np.linalg.inv(design.T @ design), design))[::10]
    np.testing.assert_allclose(std, sigma * spread, rtol=1e-6)
    np.testing.assert_allclose(model.residual_std_, [sigma], rtol=1e-8)
    bands = model.predict_quantiles(X[::10], [0.05, 0.95])
    half = scipy.stats.t.ppf(0.95, 117) * sigma * np.sqrt(1 + spread**2)
    np.testing.assert_allclose(bands, mean[:, None] + half[:, None] * [-1, 1], rtol=1e-6)


def test_robust_fits_weights_and_several_targets(wave):
    X, y = wave
    wild = y.copy()
    wild[::15] += 20
    robust = LocalRegression(0.3, robust=4).fit(X, wild).predict(X)
    assert np.abs(robust - np.sin(X[:, 0])).max() < 0.6
    assert np.abs(LocalRegression(0.3).fit(X, wild).predict(X) - np.sin(X[:, 0])).max() > 2
    kept = np.arange(120) % 3 > 0
    some = LocalRegression(0.3).fit(X, y, weights=kept.astype(float))
    np.testing.assert_array_equal(some.predict(X), LocalRegression(0.3).fit(X[kept], y[kept]).predict(X))
    both = LocalRegression(0.3).fit(X, np.column_stack([y, wild]))
    mean, std = both.predict(X[:5], return_std=True)
    assert mean.shape == std.shape == (5, 2)
    assert both.predict_quantiles(X[:5]).shape == (5, 2, 3)
    np.testing.assert_allclose(mean[:, 0], LocalRegression(0.3).fit(X, y).predict(X[:5]))


def test_the_degree_gives_way_to_few_rows():
    rng = np.random.default_rng(4)
    for rows, columns, degree in ((40, 2, 2), (7, 2, 1), (40, 5, 1), (7, 5, 0), (40, 4, 2), (15, 4, 1)):
        model = LocalRegression().fit(rng.normal(size=(rows, columns)), rng.normal(size=rows))
        assert model.degree_ == degree, (rows, columns)
    with pytest.raises(ValueError, match="raise span or lower degree"):
        LocalRegression(degree=2).fit(rng.normal(size=(7, 2)), rng.normal(size=7))


def test_models_are_files(wave, tmp_path):
    X, y = wave
    for model in (
        NadarayaWatsonRegressor(0.3, kernel="linear"),
        NadarayaWatsonRegressor(),
        LocalRegression(0.4, degree=1, robust=2, kernel="biweight"),
        LocalRegression(bandwidth=1.5, normalize=False),
    ):
        model.fit(X, y)
        model.save(tmp_path / "m.mercer")
        for loaded in (type(model).load(tmp_path / "m.mercer"), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(loaded.predict(X, return_std=True), model.predict(X, return_std=True))
            refitted = type(model)(**loaded.get_params()).fit(X, y)
            np.testing.assert_array_equal(refitted.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LocalRegression(0), "span"),
        (LocalRegression(bandwidth=-1), "bandwidth"),
        (LocalRegression(degree=3), "degree"),
        (LocalRegression(robust=-1), "robust"),
        (LocalRegression(kernel="rbf"), "tricube"),
        (NadarayaWatsonRegressor("scot"), "normal"),
        (NadarayaWatsonRegressor([1, 2]), "column"),
        (NadarayaWatsonRegressor(kernel="spline"), "gaussian"),
        (NadarayaWatsonClassifier(-1), "bandwidth"),
    ],
)
def test_wrong_parameters_are_explained(model, words, wave):
    X, y = wave
    with pytest.raises(ValueError, match=words):
        model.fit(X, y > 0)


# Cleveland's smoother, straight from his description.
def plain_lowess(x, y, frac, it):
    n = len(x)
    q = max(2, int(frac * n + 1e-7))
    robustness = np.ones(n)
    for _ in range(it + 1):
        fitted = np.empty(n)
        for i in range(n):
            start = min(max(0, i - q + 1), n - q)
            while start + q < n and x[start + q] - x[i] < x[i] - x[start]:
                start += 1
            h = max(x[i] - x[start], x[start + q - 1] - x[i])
            r = np.abs(x - x[i])
            w = np.where(r <= 0.999 * h, np.where(r > 0.001 * h, (1 - (r / h) ** 3) ** 3, 1), 0) * robustness
            w /= w.sum()
            middle = w @ x
            spread = w @ (x - middle) ** 2
            slope = w @ ((x - middle) * y) / spread if np.sqrt(spread) > 0.001 * (x[-1] - x[0]) else 0
            fitted[i] = w @ y + slope * (x[i] - middle)
        residuals = np.abs(y - fitted)
        u = residuals / (6 * np.median(residuals))
        robustness = np.where(u <= 0.001, 1, np.where(u > 0.999, 0, (1 - u**2) ** 2))
    return fitted


@pytest.mark.parametrize(("frac", "it"), [(2 / 3, 3), (0.2, 0), (0.35, 1)])
def test_lowess_is_clevelands(wave, frac, it):
    x, y = wave[0][:, 0], wave[1].copy()
    y[::17] += 3
    want = plain_lowess(x, y, frac, it)
    np.testing.assert_allclose(lowess(y, x, frac, it), np.column_stack([x, want]), atol=1e-10)
    order = np.random.default_rng(5).permutation(120)
    np.testing.assert_allclose(lowess(y[order], x[order], frac, it, return_sorted=False), want[order], atol=1e-10)
    np.testing.assert_allclose(lowess(y[order], x[order], frac, it, xvals=x[::10]), want[::10], atol=1e-10)


def test_lowess_leaves_out_what_is_missing(wave):
    x, y = wave[0][:, 0].copy(), wave[1].copy()
    want = lowess(y[2:], x[2:], return_sorted=False)
    y[0], x[1] = np.nan, np.inf
    got = lowess(y, x, return_sorted=False)
    assert np.isnan(got[:2]).all()
    np.testing.assert_array_equal(got[2:], want)
    assert lowess(y, x).shape == (118, 2)
    with pytest.raises(ValueError, match="missing"):
        lowess(y, x, missing="raise")
    for wrong, words in (({"frac": 0}, "frac"), ({"it": -1}, "it must"), ({"missing": "no"}, "missing")):
        with pytest.raises(ValueError, match=words):
            lowess(y, x, **wrong)
    with pytest.raises(ValueError, match="inconsistent"):
        lowess(y, x[1:])
