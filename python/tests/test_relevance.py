"""Relevance vector machines and Laplacian processes against what defines them."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import Lasso
from sklearn.metrics.pairwise import rbf_kernel

from mercer.sparse_bayes import RVC, RVR, LaplacianProcessClassifier, LaplacianProcessRegressor


@pytest.fixture(scope="module")
def sinc():
    X = np.linspace(-10, 10, 100)[:, None]
    return X, np.sinc(X[:, 0] / np.pi) + np.random.default_rng(0).normal(0, 0.1, 100)


@pytest.fixture(scope="module")
def moons():
    return make_moons(150, noise=0.25, random_state=0)


def posterior(features, y, noise, weights):
    """The fixed point of the precisions on these features, with the posterior of the weights."""
    precisions = 1 / np.square(weights)
    for _ in range(2000):
        covariance = np.linalg.inv(features.T @ features / noise + np.diag(precisions))
        mean = covariance @ features.T @ y / noise
        precisions = (1 - precisions * np.diag(covariance)) / np.square(mean)
    return mean, covariance


def test_relevance_vectors_are_at_the_maximum_of_the_evidence(sinc):
    X, y = sinc
    model = RVR(gamma=0.1, fit_intercept=False, tol=1e-10).fit(X, y)
    assert 4 <= len(model.relevance_) <= 12
    assert model.intercept_ == 0
    features = rbf_kernel(X, X[model.relevance_], gamma=0.1)
    mean, covariance = posterior(features, y, model.noise_, model.dual_coef_)
    np.testing.assert_allclose(model.dual_coef_, mean, rtol=1e-3)
    prediction, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(prediction, features @ mean, atol=1e-4)
    variance = model.noise_ + np.einsum("ij,jk,ik->i", features, covariance, features)
    np.testing.assert_allclose(std, np.sqrt(variance), rtol=1e-3)


def test_predictions_are_expansions_over_relevance_vectors(sinc):
    X, y = sinc
    model = RVR(gamma=0.1).fit(X, y + 5)
    np.testing.assert_array_equal(model.relevance_vectors_, X[model.relevance_])
    expected = rbf_kernel(X, model.relevance_vectors_, gamma=0.1) @ model.dual_coef_ + model.intercept_
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-9)
    assert np.sqrt(np.mean((model.predict(X) - 5 - np.sinc(X[:, 0] / np.pi)) ** 2)) < 0.06
    assert model.noise_ == pytest.approx(0.01, rel=0.4)


def test_quantiles_and_draws_have_the_moments(sinc):
    X, y = sinc
    model = RVR(gamma=0.1).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    quantiles = model.predict_quantiles(X, [0.025, 0.5])
    np.testing.assert_allclose(quantiles[:, 1], mean, atol=1e-9)
    np.testing.assert_allclose(mean - quantiles[:, 0], 1.959964 * std, rtol=1e-5)
    draws = model.sample_y(X, 4000, random_state=1)
    assert draws.shape == (100, 4000)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=0.01)
    np.testing.assert_allclose(draws.var(axis=1), std**2 - model.noise_, rtol=0.15, atol=1e-5)


def test_several_targets_and_known_noise(sinc):
    X, y = sinc
    model = RVR(gamma=0.1, noise=0.01).fit(X, np.column_stack([y, -y]))
    np.testing.assert_allclose(model.noise_, [0.01, 0.01])
    mean, std = model.predict(X, return_std=True)
    assert mean.shape == std.shape == (100, 2)
    np.testing.assert_allclose(mean[:, 1], -mean[:, 0], atol=1e-6)
    assert model.sample_y(X, 3).shape == (100, 2, 3)
    assert model.dual_coef_.shape == (len(model.relevance_), 2)


@pytest.mark.parametrize("prior", ["gamma", "student"])
def test_other_priors(sinc, prior):
    X, y = sinc
    model = RVR(gamma=0.1, prior=prior).fit(X, y)
    assert np.sqrt(np.mean((model.predict(X) - np.sinc(X[:, 0] / np.pi)) ** 2)) < 0.08


def test_two_classes_are_at_the_mode_of_their_posterior(moons):
    X, y = moons
    names = np.array(["left", "right"])[y]
    model = RVC(gamma=1, moderate=False).fit(X, names)
    assert len(model.relevance_) < 25
    features = rbf_kernel(X, X[model.relevance_], gamma=1)
    decision = features @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), decision, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(decision > 0).astype(int)])
    # At the mode X'(y - p) = A mu: every precision that follows is positive.
    assert np.all(features.T @ (y - 1 / (1 + np.exp(-decision))) / model.dual_coef_[0] > 0)


def test_probabilities_are_moderated(moons):
    X, y = moons
    plain, moderated = (RVC(gamma=1, moderate=moderate).fit(X, y) for moderate in (False, True))
    decision = plain.decision_function(X)
    np.testing.assert_allclose(plain.predict_proba(X)[:, 1], 1 / (1 + np.exp(-decision)), atol=1e-9)
    np.testing.assert_allclose(
        moderated.predict_proba(X)[:, 1], 1 / (1 + np.exp(-moderated.decision_function(X))), atol=1e-9
    )
    np.testing.assert_allclose(moderated.predict_log_proba(X), np.log(moderated.predict_proba(X)))
    assert np.all(np.abs(moderated.predict_proba(X) - 0.5) <= np.abs(plain.predict_proba(X) - 0.5) + 1e-12)


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    model = RVC().fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.decision_function(X).shape == (150, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.dual_coef_.shape == (3, len(model.relevance_))


def test_kernels_that_are_matrices(sinc):
    X, y = sinc
    kernel = rbf_kernel(X, gamma=0.1)
    model, given = RVR(gamma=0.1).fit(X, y), RVR(kernel="precomputed").fit(kernel, y)
    np.testing.assert_array_equal(given.relevance_, model.relevance_)
    np.testing.assert_allclose(given.predict(kernel[:5]), model.predict(X[:5]), atol=1e-6)
    assert given.relevance_vectors_.shape == (0, 0)


def test_laplacian_process_is_the_lasso(sinc):
    X, y = sinc
    model = LaplacianProcessRegressor(5.0, gamma=0.1, noise=0.01).fit(X, y)
    kernel = rbf_kernel(X, gamma=0.1)
    lasso = Lasso(alpha=5.0 * 0.01 / 100, tol=1e-12, max_iter=1_000_000).fit(kernel, y)
    np.testing.assert_allclose(model.predict(X), lasso.predict(kernel), atol=1e-4)
    assert model.alpha_ == 5.0
    assert len(model.centers_) < 30
    expected = rbf_kernel(X, model.centers_, gamma=0.1) @ model.dual_coef_ + model.intercept_
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-9)
    assert np.all(model.predict(X, return_std=True)[1] > 0.1)


def test_absolute_errors_resist_outliers(sinc):
    X, y = sinc
    spoilt = y.copy()
    spoilt[::10] += 5
    model = LaplacianProcessRegressor(gamma=0.1, likelihood="laplacian").fit(X, spoilt)
    assert np.median(np.abs(model.predict(X) - np.sinc(X[:, 0] / np.pi))) < 0.1


def test_nu_finds_the_tube(sinc):
    X, y = sinc
    kernel = rbf_kernel(X, gamma=0.1)
    n = len(y)
    model = LaplacianProcessRegressor(0.5, gamma=0.1, likelihood="insensitive", noise=2, nu=0.2).fit(X, y)
    epsilon = model.fit_report_["measures"]["epsilon"]
    residuals = np.abs(y - model.predict(X))
    assert (residuals > epsilon + 1e-7).sum() <= 0.2 * n <= (residuals > epsilon - 1e-7).sum()
    # a = plus - minus, b free, the tube, slacks
    f = np.hstack([kernel, -kernel, np.ones((n, 1)), -np.ones((n, 1))])
    wide = np.hstack([np.ones((n, 1)), np.eye(n)])
    left = np.vstack([np.hstack([-f, -wide]), np.hstack([f, -wide])])
    cost = np.concatenate([np.full(2 * n, 0.5), [0, 0], [0.2 * n], np.ones(n)])
    least = linprog(cost, A_ub=left, b_ub=np.concatenate([-y, y])).fun
    loss = np.maximum(0, residuals - epsilon).sum() + 0.2 * n * epsilon + 0.5 * np.abs(model.dual_coef_).sum()
    assert loss == pytest.approx(least, rel=1e-6)
    with pytest.raises(ValueError, match="nu finds the tube that epsilon gives"):
        LaplacianProcessRegressor(likelihood="insensitive", nu=0.2, epsilon=0.1).fit(X, y)
    with pytest.raises(ValueError, match="nu belongs to likelihood=insensitive"):
        LaplacianProcessRegressor(nu=0.2).fit(X, y)


def test_the_linear_programming_machine_has_the_least_loss(moons):
    X, y = moons
    codes = 2 * y - 1
    kernel = rbf_kernel(X, gamma=1)
    n = len(y)
    # a = plus - minus, b free, slacks
    cost = np.concatenate([np.full(2 * n, 0.7), [0, 0], np.ones(n)])
    margins = codes[:, None] * np.hstack([kernel, -kernel, np.ones((n, 1)), -np.ones((n, 1))])
    least = linprog(cost, A_ub=-np.hstack([margins, np.eye(n)]), b_ub=-np.ones(n)).fun
    model = LaplacianProcessClassifier(0.7, gamma=1).fit(X, y)
    loss = np.maximum(0, 1 - codes * model.decision_function(X)).sum() + 0.7 * np.abs(model.dual_coef_).sum()
    assert loss == pytest.approx(least, rel=1e-6)
    assert len(model.centers_) < 40


def test_the_price_is_chosen(moons):
    model = LaplacianProcessClassifier(gamma=1, select="cv").fit(*moons)
    assert model.score(*moons) > 0.9
    assert model.alpha_ != 1.0


def test_nu_bounds_the_fraction_of_margin_errors(moons):
    X, y = moons
    for machine in ("l1", "signed"):
        model = LaplacianProcessClassifier(gamma=1, nu=0.2, machine=machine).fit(X, y)
        margins = (2 * y - 1) * model.decision_function(X)
        assert (margins < 1 - 1e-7).mean() <= 0.2 <= (margins <= 1 + 1e-7).mean()
        priced = LaplacianProcessClassifier(model.alpha_, gamma=1, machine=machine).fit(X, y)
        assert priced.fit_report_["objective"] == pytest.approx(0.2 * len(y), rel=1e-6)
    with pytest.raises(ValueError, match="nu finds the lambda that select=cv chooses"):
        LaplacianProcessClassifier(nu=0.2, select="cv").fit(X, y)


def test_the_leave_one_out_machine_is_its_linear_program(moons):
    X, y = moons
    codes = 2 * y - 1
    kernel = rbf_kernel(X, gamma=3)
    for share in (0.0, 0.5):
        judged = codes[:, None] * codes[None, :] * kernel
        np.fill_diagonal(judged, share * np.diag(kernel))
        n = len(y)
        for price in (0.3, 0.0):
            cost = np.concatenate([np.full(n, price), np.ones(n)])
            least = linprog(cost, A_ub=-np.hstack([judged, np.eye(n)]), b_ub=-np.ones(n)).fun
            model = LaplacianProcessClassifier(price, gamma=3, machine="loo", own_share=share, fit_intercept=False)
            model.fit(X, y)
            alpha = np.zeros(n)
            rows = np.abs(X[:, None, :] - model.centers_[None, :, :]).sum(axis=2).argmin(axis=0)
            alpha[rows] = codes[rows] * model.dual_coef_[0]
            assert alpha.min() >= 0
            loss = np.maximum(0, 1 - judged @ alpha).sum() + price * alpha.sum()
            assert loss == pytest.approx(least, rel=1e-6, abs=1e-6)


def test_all_classes_in_one_linear_program():
    rng = np.random.default_rng(0)
    y = np.arange(45) % 3
    X = np.column_stack([np.cos(2 * y), np.sin(2 * y)]) + 0.6 * rng.normal(size=(45, 2))
    kernel = rbf_kernel(X, gamma=1)
    rows = []
    for i in range(45):
        for c in range(3):
            if c != y[i]:
                side = (np.arange(3) == y[i]).astype(float) - (np.arange(3) == c)
                rows.append(np.concatenate([np.kron(side, kernel[i]), side]))
    rows = np.array(rows)
    f, b = rows[:, :-3], rows[:, -3:]
    cost = np.concatenate([np.full(270, 0.5), np.zeros(6), np.ones(len(rows))])
    least = linprog(cost, A_ub=-np.hstack([f, -f, b, -b, np.eye(len(rows))]), b_ub=np.full(len(rows), -2.0)).fun
    model = LaplacianProcessClassifier(0.5, gamma=1, multiclass="ww").fit(X, y)
    assert model.fit_report_["objective"] == pytest.approx(least, rel=1e-6)
    assert model.intercept_.sum() == pytest.approx(0, abs=1e-9)
