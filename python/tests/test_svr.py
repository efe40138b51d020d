"""SVR and NuSVR against scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm
from sklearn.datasets import load_diabetes

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
