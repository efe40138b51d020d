"""KernelRidge against scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.kernel_ridge
from sklearn.datasets import load_diabetes

from mercer.kernel_ridge import KernelRidge


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:200] / X.std(), y[:200] / 100


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "polynomial", "laplacian", "cosine"])
@pytest.mark.parametrize("gamma", [None, 0.3])
@pytest.mark.parametrize("alpha", [0.01, 1])
def test_same_solution_as_scikit_learn(diabetes, kernel, gamma, alpha):
    X, y = diabetes
    options = {"alpha": alpha, "kernel": kernel, "gamma": gamma, "degree": 2}
    ours, theirs = (cls(**options).fit(X, y) for cls in (KernelRidge, sklearn.kernel_ridge.KernelRidge))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-8)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape


def test_chi2_kernel(diabetes):
    X, y = np.abs(diabetes[0]), diabetes[1]
    ours = KernelRidge(kernel="chi2").fit(X, y)
    theirs = sklearn.kernel_ridge.KernelRidge(kernel="chi2", gamma=1.0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-8)


def test_several_targets_and_weights(diabetes):
    X, y = diabetes
    Y = np.column_stack([y, y**2, X[:, 0]])
    weights = np.random.default_rng(0).uniform(0, 2, len(y))
    weights[:5] = 0
    for kernel in ("linear", "rbf"):
        ours, theirs = (
            cls(alpha=0.5, kernel=kernel).fit(X, Y, sample_weight=weights)
            for cls in (KernelRidge, sklearn.kernel_ridge.KernelRidge)
        )
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-8)
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-8)
        assert ours.predict(X).shape == (200, 3)


def test_precomputed_kernel_function_and_sparse_rows(diabetes):
    X, y = diabetes
    want = KernelRidge(kernel="linear").fit(X, y).predict(X)
    np.testing.assert_allclose(KernelRidge(kernel="precomputed").fit(X @ X.T, y).predict(X @ X.T), want, atol=1e-8)
    function = KernelRidge(kernel=lambda a, b, power: (a @ b.T) ** power, kernel_params={"power": 1})
    np.testing.assert_allclose(function.fit(X, y).predict(X), want, atol=1e-8)
    sparse = scipy.sparse.csr_matrix(X)
    np.testing.assert_allclose(KernelRidge(kernel="linear").fit(sparse, y).predict(sparse), want, atol=1e-8)


def test_intercept_is_not_penalised(diabetes):
    X, y = diabetes
    model = KernelRidge(kernel="rbf", intercept=True).fit(X, y)
    moved = KernelRidge(kernel="rbf", intercept=True).fit(X, y + 1000)
    np.testing.assert_allclose(moved.predict(X), model.predict(X) + 1000, atol=1e-7)


@pytest.mark.parametrize("select", ["loo", "gcv"])
def test_penalty_is_chosen(diabetes, select):
    X, y = diabetes
    model = KernelRidge(kernel="rbf", gamma=0.1, select=select).fit(X[:150], y[:150])
    assert model.alpha_ > 0
    best = min(
        np.mean((KernelRidge(a, kernel="rbf", gamma=0.1).fit(X[:150], y[:150]).predict(X[150:]) - y[150:]) ** 2)
        for a in np.logspace(-3, 2, 12)
    )
    assert np.mean((model.predict(X[150:]) - y[150:]) ** 2) < 1.3 * best
