"""OneClassSVM against scikit-learn's, and SVDD by what defines it."""

import numpy as np
import pytest
import sklearn.svm

from mercer.svm import SVDD, OneClassSVM


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(300, 3))


@pytest.mark.parametrize("options", [{}, {"nu": 0.1, "gamma": 0.5}, {"kernel": "poly", "coef0": 1.0, "nu": 0.2}])
def test_one_class_svm_is_that_of_scikit_learn(rows, options):
    ours, theirs = (cls(tol=1e-7, **options).fit(rows) for cls in (OneClassSVM, sklearn.svm.OneClassSVM))
    scale = np.abs(theirs.decision_function(rows)).max()
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-5 * scale)
    np.testing.assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), rtol=1e-5)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=1e-5)
    np.testing.assert_allclose(ours.dual_coef_.sum(), theirs.dual_coef_.sum(), rtol=1e-6)


@pytest.mark.parametrize("cls", [OneClassSVM, SVDD])
@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_nu_bounds_the_rows_outside(rows, cls, nu):
    model = cls(nu=nu, tol=1e-6).fit(rows)
    assert np.mean(model.predict(rows) == -1) <= nu
    assert len(model.support_) >= nu * len(rows) - 1
    np.testing.assert_array_equal(model.fit_predict(rows), model.predict(rows))


@pytest.mark.parametrize("cls", [OneClassSVM, SVDD])
def test_outlier_rate_is_kept(rows, cls):
    assert np.mean(cls(nu=0.2, outlier_rate=0.1).fit_predict(rows) == -1) == pytest.approx(0.1, abs=0.005)


def test_fit_predict_reads_labels_and_weights(rows):
    y = np.where(rows[:, 0] > 1, "b", "a")
    weights = np.where(rows[:, 1] > 0, 2.0, 1.0)
    model = OneClassSVM(nu=0.2, outlier="b")
    np.testing.assert_array_equal(model.fit_predict(rows, y), model.fit(rows, y).predict(rows))
    expected = model.fit(rows, y, sample_weight=weights).predict(rows)
    np.testing.assert_array_equal(model.fit_predict(rows, y, sample_weight=weights), expected)
    with pytest.raises(ValueError, match="y is None"):
        model.fit_predict(rows)


def test_the_ball_is_the_smallest_around_points():
    corners = np.array([[0.0, 0], [2, 0], [0, 2], [2, 2], [1, 1.2]])
    model = SVDD(kernel="linear", nu=1e-3, tol=1e-8).fit(corners)
    assert model.radius_ == pytest.approx(np.sqrt(2), abs=1e-4)
    np.testing.assert_allclose(model.decision_function([[1, 1], [3, 1]]), [2, -2], atol=1e-3)


def test_ball_and_half_space_agree_for_kernels_of_constant_diagonal(rows):
    ball, plane = SVDD(nu=0.2, tol=1e-7).fit(rows), OneClassSVM(nu=0.2, tol=1e-7).fit(rows)
    assert np.mean(ball.predict(rows) == plane.predict(rows)) > 0.98


def test_a_weight_counts_as_so_many_rows(rows):
    weights = np.random.default_rng(1).integers(0, 3, len(rows))
    weighted = OneClassSVM(gamma=0.3, nu=0.2, tol=1e-8).fit(rows, sample_weight=weights)
    repeated = OneClassSVM(gamma=0.3, nu=0.2, tol=1e-8).fit(np.repeat(rows, weights, axis=0))
    np.testing.assert_allclose(weighted.decision_function(rows), repeated.decision_function(rows), atol=1e-5)


@pytest.mark.parametrize("cls", [OneClassSVM, SVDD])
def test_outlier_rate_is_a_share_of_the_weight(rows, cls):
    weights = np.random.default_rng(3).integers(1, 9, len(rows)).astype(float)
    model = cls(nu=1.0, outlier_rate=0.1).fit(rows, sample_weight=weights)
    share = weights[model.predict(rows) == -1].sum() / weights.sum()
    assert 0.1 - weights.max() / weights.sum() < share <= 0.1
    assert model.fit_report_["measures"]["fraction outside"] == pytest.approx(share)


@pytest.mark.parametrize("cls", [OneClassSVM, SVDD])
def test_outlier_rate_keeps_equal_rows_together(rows, cls):
    twice = np.repeat(rows[:50], 20, axis=0)
    model = cls(nu=1.0, outlier_rate=0.29).fit(twice)
    outside = model.predict(twice) == -1
    assert outside.mean() == pytest.approx(0.28)
    assert model.fit_report_["measures"]["fraction outside"] == pytest.approx(0.28)
