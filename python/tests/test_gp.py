"""GaussianProcessRegressor against scikit-learn's."""

import warnings

import numpy as np
import pytest
import scipy.optimize
import sklearn.gaussian_process
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

from mercer.gaussian_process import GaussianProcessRegressor

Theirs = sklearn.gaussian_process.GaussianProcessRegressor
KERNELS = {
    "default": None,
    "ard": 2.0 * RBF([1.0, 2.0, 0.5]) + WhiteKernel(0.1),
    "matern": Matern(1.5, nu=2.5) * ConstantKernel(3.0) + DotProduct(1.5),
    "rq": RationalQuadratic(1.2, 0.7) + ConstantKernel(0.5, "fixed"),
    "power": RBF(1.3) ** 2 + WhiteKernel(0.05, "fixed"),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = 5 + np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=80)
    return X, y, rng.normal(size=(20, 3))


@pytest.mark.parametrize("name", list(KERNELS))
@pytest.mark.parametrize("normalize_y", [False, True])
@pytest.mark.parametrize("targets", [1, 2])
def test_same_process_as_scikit_learn(data, name, normalize_y, targets):
    X, y, new = data
    y = y if targets == 1 else np.column_stack([y, 3 * y + X[:, 2]])
    options = {"kernel": KERNELS[name], "alpha": 1e-2, "optimizer": None, "normalize_y": normalize_y}
    ours, theirs = (cls(**options).fit(X, y) for cls in (GaussianProcessRegressor, Theirs))
    for a, b in zip(ours.predict(new, return_std=True), theirs.predict(new, return_std=True), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, atol=1e-8)
    ours_cov, theirs_cov = ours.predict(new, return_cov=True)[1], theirs.predict(new, return_cov=True)[1]
    assert ours_cov.shape == theirs_cov.shape
    np.testing.assert_allclose(ours_cov, theirs_cov, atol=1e-8)
    np.testing.assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-9)
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_, atol=1e-8)
    np.testing.assert_allclose(ours.L_, theirs.L_, atol=1e-10)
    np.testing.assert_allclose(ours.y_train_, theirs.y_train_)
    assert str(ours.kernel_) == str(theirs.kernel_)
    assert ours.sample_y(new, 3).shape == theirs.sample_y(new, 3).shape


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "default"])
def test_evidence_and_gradient_at_any_theta(data, name):
    X, y, _ = data
    options = {"kernel": KERNELS[name], "alpha": 1e-2, "optimizer": None}
    ours, theirs = (cls(**options).fit(X, y) for cls in (GaussianProcessRegressor, Theirs))
    theta = theirs.kernel_.theta + 0.1
    value, gradient = ours.log_marginal_likelihood(theta, eval_gradient=True)
    want, slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    np.testing.assert_allclose(value, want, rtol=1e-10)
    np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-7)
    assert ours.log_marginal_likelihood() == ours.log_marginal_likelihood_value_


@pytest.mark.parametrize("name", KERNELS)
def test_learnt_evidence_is_at_least_that_of_scikit_learn(data, name):
    X, y, _ = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Theirs(KERNELS[name], alpha=1e-3, normalize_y=True).fit(X, y)
        ours = GaussianProcessRegressor(KERNELS[name], alpha=1e-3, normalize_y=True).fit(X, y)
    assert ours.log_marginal_likelihood_value_ >= theirs.log_marginal_likelihood_value_ - 1e-3
    # What is reported is the evidence at what is reported.
    again = ours.log_marginal_likelihood(ours.kernel_.theta)
    np.testing.assert_allclose(again, ours.log_marginal_likelihood_value_, rtol=1e-6)


def test_periodic_kernel_on_a_line():
    X = np.linspace(0, 10, 60)[:, None]
    y = np.sin(2 * np.pi * X[:, 0] / 2.3)
    kernel = ExpSineSquared(1.0, 2.0)
    ours, theirs = (cls(kernel, alpha=1e-4, optimizer=None).fit(X, y) for cls in (GaussianProcessRegressor, Theirs))
    np.testing.assert_allclose(ours.predict(X + 0.1), theirs.predict(X + 0.1), atol=1e-6)


def test_an_optimizer_may_be_a_function(data):
    X, y, _ = data

    def optimizer(function, theta, bounds):
        found = scipy.optimize.minimize(function, theta, jac=True, bounds=bounds, method="L-BFGS-B")
        return found.x, found.fun

    searched = GaussianProcessRegressor(KERNELS["ard"], alpha=1e-3, optimizer=optimizer).fit(X, y)
    own = GaussianProcessRegressor(KERNELS["ard"], alpha=1e-3).fit(X, y)
    assert abs(searched.log_marginal_likelihood_value_ - own.log_marginal_likelihood_value_) < 0.5


def test_noise_per_row(data):
    X, y, new = data
    noise = np.random.default_rng(1).uniform(0.01, 1, len(y))
    for normalize_y in (False, True):
        ours, theirs = (
            cls(RBF(), alpha=noise, optimizer=None, normalize_y=normalize_y).fit(X, y)
            for cls in (GaussianProcessRegressor, Theirs)
        )
        for a, b in zip(ours.predict(new, return_std=True), theirs.predict(new, return_std=True), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-8)


def test_learnt_noise(data):
    rng = np.random.default_rng(2)
    X = rng.uniform(-3, 3, size=(200, 1))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=200)
    model = GaussianProcessRegressor("1*rbf(lengthscale=1)", alpha=None, normalize_y=True).fit(X, y)
    assert model.fit_report_["measures"]["noise variance"] == pytest.approx(0.09, rel=0.3)


def test_prior_before_a_fit(data):
    new = data[2]
    ours, theirs = (cls(2.0 * RBF(0.7)) for cls in (GaussianProcessRegressor, Theirs))
    for a, b in zip(ours.predict(new, return_cov=True), theirs.predict(new, return_cov=True), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    assert ours.sample_y(new, 4).shape == theirs.sample_y(new, 4).shape
    both = GaussianProcessRegressor(n_targets=2)
    assert both.predict(new, return_std=True)[1].shape == (20, 2)


def test_draws_have_the_moments_of_the_process(data):
    X, y, new = data
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None, normalize_y=True).fit(X, y)
    mean, covariance = model.predict(new, return_cov=True)
    draws = model.sample_y(new, 4000, random_state=3)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=5 * np.sqrt(covariance.max() / 4000))
    np.testing.assert_allclose(np.cov(draws), covariance, atol=0.12 * covariance.max())


def test_quantiles_hold_the_observations():
    rng = np.random.default_rng(4)
    X = rng.uniform(-3, 3, size=(300, 1))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=300)
    model = GaussianProcessRegressor("1*rbf(lengthscale=1)", alpha=None).fit(X[:200], y[:200])
    low, high = model.predict_quantiles(X[200:], [0.05, 0.95]).T
    assert 0.8 < np.mean((low < y[200:]) & (y[200:] < high)) < 0.98


@pytest.mark.parametrize("likelihood", ["student_t", "huber", "laplacian"])
def test_robust_noise_resists_outliers(likelihood):
    rng = np.random.default_rng(5)
    X = np.linspace(-3, 3, 80)[:, None]
    y = np.sin(X[:, 0]) + 0.05 * rng.normal(size=80)
    y[::10] += 8
    model = GaussianProcessRegressor("1*rbf(lengthscale=1)", likelihood=likelihood).fit(X, y)
    assert np.abs(model.predict(X) - np.sin(X[:, 0])).mean() < 0.2


def test_inducing_points_come_close(data):
    rng = np.random.default_rng(6)
    X = rng.uniform(-3, 3, size=(400, 1))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=400)
    kernel = "1*rbf(lengthscale=0.7)"
    exact = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None).fit(X, y)
    sparse = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None, method="vfe", inducing=60).fit(X, y)
    np.testing.assert_allclose(sparse.predict(X), exact.predict(X), atol=1e-2)


def test_rows_of_the_caller_may_change_after_the_fit(data):
    X, y, new = data
    rows = X.copy()
    model = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(rows, y)
    before = model.predict(new)
    rows[:] = 0
    np.testing.assert_array_equal(model.predict(new), before)


def leaf(rng, columns):
    """One of scikit-learn's kernels with random values, some of them fixed, some with a width per column."""

    def width():
        return rng.uniform(0.5, 2, columns) if rng.random() < 0.3 else float(rng.uniform(0.5, 2))

    bounds = "fixed" if rng.random() < 0.3 else (1e-3, 1e3)
    value = float(rng.uniform(0.3, 3))
    make = [
        lambda: ConstantKernel(value, bounds),
        lambda: ConstantKernel(value, bounds),
        lambda: WhiteKernel(value, bounds),
        lambda: RBF(width(), bounds),
        lambda: Matern(width(), bounds, nu=1.5),
        lambda: RationalQuadratic(value, float(rng.uniform(0.5, 2)), bounds, (1e-3, 1e3)),
        lambda: DotProduct(value, bounds),
    ]
    return make[rng.integers(len(make))]()


def tree(rng, columns, depth):
    if depth == 0 or rng.random() < 0.15:
        return leaf(rng, columns)
    if rng.random() < 0.1:
        return tree(rng, columns, depth - 1) ** 2
    left, right = (tree(rng, columns, depth - 1) for _ in range(2))
    return left + right if rng.random() < 0.4 else left * right


@pytest.mark.parametrize("seed", range(60))
def test_any_tree_of_kernels_has_scikit_learns_theta(data, seed):
    X, y, new = data[0][:30], data[1][:30], data[2]
    rng = np.random.default_rng(seed)
    kernel = tree(rng, 3, 3)
    options = {"kernel": kernel, "alpha": 0.3, "optimizer": None}
    ours, theirs = (cls(**options).fit(X, y) for cls in (GaussianProcessRegressor, Theirs))
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, rtol=1e-12, atol=1e-12)
    assert str(ours.kernel_) == str(theirs.kernel_)
    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-6, atol=1e-8)
    theta = theirs.kernel_.theta + 0.2 * rng.normal(size=theirs.kernel_.theta.size)
    value, gradient = ours.log_marginal_likelihood(theta, eval_gradient=True)
    expected, slopes = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    np.testing.assert_allclose(value, expected, rtol=1e-7)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-6 * (1 + np.abs(slopes).max(initial=0)))


def test_a_constant_inside_a_product_keeps_its_place(data):
    X, y, _ = data
    kernel = RBF(2.0) * (ConstantKernel(3.0) * Matern(0.5))
    fitted = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.1).fit(X, y).kernel_
    np.testing.assert_allclose(fitted.theta, np.log([2.0, 3.0, 0.5]))


@pytest.mark.parametrize("normalize_y", [False, True])
@pytest.mark.parametrize("method", ["exact", "float", "cg", "greedy"])
def test_the_evidence_is_that_of_the_normalised_targets(data, method, normalize_y):
    X, y, _ = data
    gp = GaussianProcessRegressor(2.0 * RBF(1.5), alpha=0.2, method=method, normalize_y=normalize_y).fit(X, y)
    expected = gp.log_marginal_likelihood(gp.kernel_.theta)
    if method == "greedy":  # its bounds are of another quantity
        assert not hasattr(gp, "log_marginal_likelihood_value_")
    else:
        # The determinant of a factor in single precision is good to 1e-3 per row.
        rough = 0 if method == "exact" else 1e-3 * len(y)
        np.testing.assert_allclose(gp.log_marginal_likelihood_value_, expected, rtol=1e-7, atol=rough)


@pytest.mark.parametrize("mean", ["constant", "linear"])
@pytest.mark.parametrize("likelihood", ["gaussian", "student_t"])
def test_the_evidence_of_normalised_targets_has_no_units(data, mean, likelihood):
    X, y, _ = data
    options = {"kernel": 2.0 * RBF(1.5), "optimizer": None, "normalize_y": True, "likelihood": likelihood, "alpha": 0.2}
    if likelihood == "gaussian":
        options["mean"] = mean
    small, large = (GaussianProcessRegressor(**options).fit(X, unit * y) for unit in (1, 1000))
    np.testing.assert_allclose(large.y_train_, small.y_train_, rtol=1e-9, atol=1e-12)
    evidence = [gp.log_marginal_likelihood_value_ for gp in (small, large)]
    np.testing.assert_allclose(evidence[1], evidence[0], rtol=1e-8)
    with pytest.raises(ValueError, match="is for likelihood='gaussian' and mean='zero'"):
        small.log_marginal_likelihood(small.kernel_.theta)


def test_the_mode_alone_has_no_evidence(data):
    X, y, _ = data
    gp = GaussianProcessRegressor(RBF(1.5), optimizer=None, likelihood="laplacian", inference="map").fit(X, y)
    assert not hasattr(gp, "log_marginal_likelihood_value_")
    with pytest.raises(ValueError, match="this fit has found no evidence"):
        gp.log_marginal_likelihood()
    assert gp.fit_report_["objective_name"] == "log posterior"


@pytest.mark.parametrize("mean", ["zero", "linear"])
def test_a_model_from_a_file_has_the_same_evidence(data, mean):
    X, y, _ = data
    gp = GaussianProcessRegressor(RBF(1.5), alpha=0.2, optimizer=None, normalize_y=True, mean=mean).fit(X, y)
    again = GaussianProcessRegressor.from_bytes(gp.to_bytes())
    np.testing.assert_allclose(again.log_marginal_likelihood_value_, gp.log_marginal_likelihood_value_, rtol=1e-12)


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(1)
    X = np.linspace(0, 6, 60)[:, None]
    return X, rng.poisson(np.exp(4.5 + 0.4 * np.sin(X[:, 0]))).astype(float)


def test_counts_have_one_mean(counts):
    X, y = counts
    gp = GaussianProcessRegressor("0.3*rbf(lengthscale=1)", likelihood="poisson", optimizer=None).fit(X, y)
    mean, std = gp.predict(X, return_std=True)
    np.testing.assert_allclose(mean, gp.predict(X), rtol=1e-9)
    np.testing.assert_allclose(mean, np.exp(4.5 + 0.4 * np.sin(X[:, 0])), rtol=0.2)
    same, cov = gp.predict(X, return_cov=True)
    np.testing.assert_allclose(same, mean, rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), std, rtol=1e-6)
    drawn = np.exp(gp.sample_y(X, 4000))
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(4000))
    np.testing.assert_allclose(drawn.std(axis=1), std, rtol=0.1)


def test_attributes_of_counts_can_be_listed(counts):
    X, y = counts
    gp = GaussianProcessRegressor("0.3*rbf(lengthscale=1)", likelihood="poisson", optimizer=None).fit(X, y)
    assert "predict" in dir(gp)
    with pytest.raises(AttributeError, match="L_ is of Gaussian noise"):
        gp.L_  # noqa: B018
