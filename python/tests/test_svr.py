"""SVR and NuSVR against scikit-learn's."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.svm
from sklearn.datasets import load_diabetes

from mercer import NumericalError
from mercer.svm import SVR, NuSVR


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X, y / 100


@pytest.mark.parametrize("name", ["SVR", "NuSVR"])
@pytest.mark.parametrize("options", [{}, {"C": 20}, {"kernel": "linear"}, {"kernel": "poly", "gamma": 5}])
def test_same_machine_as_scikit_learn(diabetes, name, options):
    X, y = diabetes
    ours = {"SVR": SVR, "NuSVR": NuSVR}[name](tol=1e-6, **options).fit(X, y)
    theirs = getattr(sklearn.svm, name)(tol=1e-6, **options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0] == 1
    assert abs(len(ours.support_) - len(theirs.support_)) <= 2
    if options.get("kernel") == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("cls", [SVR, NuSVR])
def test_a_weight_counts_as_so_many_rows(diabetes, cls):
    X, y = diabetes[0][:150], diabetes[1][:150]
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = cls(gamma=5, tol=1e-8).fit(X, y, sample_weight=weights)
    repeated = cls(gamma=5, tol=1e-8).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)


def test_nu_is_the_fraction_of_support_vectors(diabetes):
    model = NuSVR(nu=0.3, tol=1e-6).fit(*diabetes)
    assert len(model.support_) >= 0.3 * len(diabetes[1])
    outside = np.abs(model.predict(diabetes[0]) - diabetes[1]) > model.epsilon_ + 1e-4
    assert outside.mean() <= 0.3
    theirs = SVR(epsilon=model.epsilon_, tol=1e-6).fit(*diabetes)
    np.testing.assert_allclose(model.predict(diabetes[0]), theirs.predict(diabetes[0]), atol=1e-3)


def test_standardized_targets_do_not_depend_on_units(diabetes):
    X, y = diabetes
    small = SVR(standardize=True, epsilon=0.1, tol=1e-5).fit(X, y).predict(X)
    large = SVR(standardize=True, epsilon=100, tol=1e-5).fit(X, 1000 * y).predict(X)
    np.testing.assert_allclose(large, 1000 * small, rtol=1e-4)


def test_sparse_rows_and_precomputed_kernels_give_the_same(diabetes):
    X, y = diabetes
    want = SVR(kernel="linear", C=10, tol=1e-6).fit(X, y).predict(X)
    sparse = scipy.sparse.csr_matrix(X)
    np.testing.assert_allclose(SVR(kernel="linear", C=10, tol=1e-6).fit(sparse, y).predict(sparse), want, atol=1e-5)
    given = SVR(kernel="precomputed", C=10, tol=1e-6).fit(X @ X.T, y)
    np.testing.assert_allclose(given.predict(X @ X.T), want, atol=1e-5)


# ---- Tubes of other kinds -------------------------------------------------------------------------------------------


@pytest.fixture
def spread():
    generator = np.random.default_rng(4)
    X = np.column_stack([generator.uniform(-3, 3, 150), generator.uniform(0, 1, 150)])
    return X, np.sin(X[:, 0]) + X[:, 1] * generator.normal(size=150)


def test_a_tube_has_the_shape_of_its_column(spread):
    X, y = spread
    model = NuSVR(kernel="rbf(gamma=1)[0]", tube="linear[1]", nu=0.1, tol=1e-6).fit(X, y)
    assert model.tube_names_ == ["x1"]
    np.testing.assert_allclose(model.tube_width(X), model.tube_coef_[0] * X[:, 1])
    np.testing.assert_allclose(model.epsilon_, model.tube_width(X).mean())
    outside = np.abs(y - model.predict(X)) > model.tube_width(X) + 1e-6
    assert (X[outside, 1]).sum() / 150 <= 0.1 <= X[model.support_, 1].sum() / 150
    frame = pd.DataFrame(X, columns=["place", "spread"])
    named = NuSVR(kernel="rbf(gamma=1)[place]", tube="constant + linear[spread]", tube_nu="0.5,0.1").fit(frame, y)
    assert named.tube_names_ == ["1", "spread"]
    np.testing.assert_allclose(
        named.tube_width(frame), named.tube_coef_[0] + named.tube_coef_[1] * frame["spread"], atol=1e-12
    )
    again = pickle.loads(pickle.dumps(named))
    np.testing.assert_array_equal(again.tube_width(frame), named.tube_width(frame))
    assert SVR(epsilon=0.2).fit(X, y).tube_width(X[:2]).tolist() == [0.2, 0.2]
    with pytest.raises(ValueError, match="a width is not negative"):
        NuSVR(tube="linear[0]").fit(X, y)


def test_a_width_per_row(spread):
    X, y = spread
    equal = SVR(tol=1e-6).fit(X, y, tube=np.full(150, 0.3))
    np.testing.assert_allclose(equal.predict(X), SVR(epsilon=0.3, tol=1e-6).fit(X, y).predict(X), atol=1e-5)
    own = SVR(C=10, tol=1e-6).fit(X, y, tube=X[:, 1])
    outside = np.abs(own.predict(X) - y) > X[:, 1] + 1e-4
    inside = np.abs(own.predict(X) - y) < X[:, 1] - 1e-4
    assert set(np.flatnonzero(outside)) <= set(own.support_)
    assert not set(np.flatnonzero(inside)) & set(own.support_)
    with pytest.raises(ValueError, match="every training row"):
        own.tube_width(X)
    with pytest.raises(ValueError, match="149 widths for 150 rows"):
        SVR().fit(X, y, tube=X[1:, 1])
    with pytest.raises(ValueError, match="widths are not negative"):
        SVR().fit(X, y, tube=X[:, 0])
    with pytest.raises(ValueError, match="NaN"):
        SVR().fit(X, y, tube=np.full(150, np.nan))


def test_fractions_of_a_tube_reach_the_fit(spread):
    X, y = spread
    shape = {"kernel": "rbf(gamma=0.5)[0]", "tube": "constant + linear[1]", "C": 3, "tol": 1e-6}
    one = NuSVR(nu=0.2, **shape).fit(X, y)
    same = NuSVR(nu=0.9, tube_nu="0.2,0.2", **shape).fit(X, y)
    np.testing.assert_allclose(same.tube_coef_, one.tube_coef_)
    other = NuSVR(nu=0.2, tube_nu="0.5,0.05", **shape).fit(X, y)
    assert np.abs(other.tube_coef_ - one.tube_coef_).max() > 1e-3
    assert other.get_params()["tube_nu"] == "0.5,0.05"
    with pytest.raises(ValueError, match="tube_nu"):
        NuSVR(tube_nu="abc", **shape).fit(X, y)
    with pytest.raises(ValueError, match="3 fractions"):
        NuSVR(tube_nu="0.1,0.2,0.3", **shape).fit(X, y)
    with pytest.raises(ValueError, match="found 'abc'"):
        NuSVR(tube="abc").fit(X, y)


def test_the_constant_has_the_first_fraction(spread):
    X, y = spread
    shape = {"kernel": "rbf(gamma=0.5)[0]", "tube_nu": "0.5,0.05", "C": 3, "tol": 1e-6}
    first = NuSVR(tube="constant + linear[1]", **shape).fit(X, y)
    last = NuSVR(tube="linear[1] + constant", **shape).fit(X, y)
    assert first.tube_names_ == last.tube_names_ == ["1", "x1"]
    np.testing.assert_allclose(last.tube_coef_, first.tube_coef_)


def test_an_overall_tube_has_its_mean_error(spread):
    X, y = spread
    model = SVR(errors="overall", epsilon=0.5, C=100, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(np.abs(model.predict(X) - y).mean(), 0.5, atol=1e-4)
    assert 0 < model.fit_report_["measures"]["share of C"] < 1


def test_one_side_and_no_slack(spread):
    X, y = spread
    above = NuSVR(sides="above", nu=0.1, tol=1e-6).fit(X, y)
    below = NuSVR(sides="below", nu=0.1, tol=1e-6).fit(X, -y)
    np.testing.assert_allclose(above.predict(X), -below.predict(X), atol=1e-6)
    assert (y > above.predict(X) + 1e-5).mean() <= 0.1
    hard = SVR(slack="none", epsilon=0.5, gamma=20, tol=1e-6).fit(X, y)
    assert np.abs(hard.predict(X) - y).max() <= 0.5 + 1e-5
    with pytest.raises(NumericalError, match="it would have to be at least"):
        SVR(slack="none", epsilon=0.1, kernel="linear").fit(X, y)
    wide = NuSVR(slack="none", nu=0.1, tol=1e-6).fit(X, y)
    assert np.abs(wide.predict(X) - y).max() <= wide.epsilon_ + 1e-4


def test_huber_with_nu() -> None:
    rng = np.random.default_rng(5)
    X = np.linspace(-3, 3, 80)[:, None]
    y = np.sinc(X[:, 0]) + 0.1 * rng.normal(size=80)
    y[::10] += 3
    model = NuSVR(loss="huber", nu=0.2, C=5, gamma=1, tol=1e-8).fit(X, y)
    errors = np.abs(y - model.predict(X)) / model.scale_
    assert np.mean(errors > 1) <= 0.2
    np.testing.assert_allclose(np.mean(np.minimum(1, errors**2)), 0.2, rtol=1e-6)
    assert not hasattr(NuSVR().fit(X, y), "scale_")
    with pytest.raises(ValueError, match="loss = huber has a scale and no tube"):
        NuSVR(loss="huber", slack="none").fit(X, y)
