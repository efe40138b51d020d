"""KernelRidge against scikit-learn's."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.kernel_ridge
import sklearn.metrics.pairwise
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
    model = KernelRidge(kernel="rbf", parametric="constant").fit(X, y)
    moved = KernelRidge(kernel="rbf", parametric="constant").fit(X, y + 1000)
    np.testing.assert_allclose(moved.predict(X), model.predict(X) + 1000, atol=1e-7)


@pytest.mark.parametrize("select", ["loo", "gcv", "lcurve"])
def test_penalty_is_chosen(diabetes, select):
    X, y = diabetes
    model = KernelRidge(kernel="rbf", gamma=0.1, select=select).fit(X[:150], y[:150])
    assert model.alpha_ > 0
    best = min(
        np.mean((KernelRidge(a, kernel="rbf", gamma=0.1).fit(X[:150], y[:150]).predict(X[150:]) - y[150:]) ** 2)
        for a in np.logspace(-3, 2, 12)
    )
    assert np.mean((model.predict(X[150:]) - y[150:]) ** 2) < 1.3 * best


@pytest.mark.parametrize(("gamma", "alpha"), [(None, 100.0), (5.0, 0.1)])
def test_sigmoid_kernels_are_solved_as_in_scikit_learn(diabetes, gamma, alpha):
    X, y = diabetes
    options = {"kernel": "sigmoid", "gamma": gamma, "alpha": alpha}
    theirs = sklearn.kernel_ridge.KernelRidge(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, y)
    matrix = sklearn.metrics.pairwise.sigmoid_kernel(X, X, gamma)
    indefinite = np.linalg.eigvalsh(matrix + alpha * np.eye(len(X)))[0] < 0
    assert indefinite == (gamma == 5.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = KernelRidge(**options).fit(X, y)
    assert any("negative eigenvalues" in str(warning.message) for warning in caught) == indefinite
    np.testing.assert_allclose(
        ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-6 * np.abs(theirs.dual_coef_).max()
    )
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6, atol=1e-6)
    again = KernelRidge.from_bytes(ours.to_bytes())
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))


@pytest.mark.parametrize("options", [{"kernel": "rbf", "gamma": 0.3}, {"kernel": "linear"}, {"kernel": "precomputed"}])
@pytest.mark.parametrize("alpha", [[0.1, 3.0, 0.1], np.array([1.0, 2.0, 4.0])])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_alpha_for_every_target(diabetes, options, alpha, weighted):
    X, y = diabetes
    Y = np.column_stack([y, y**2, X[:, 0]])
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    rows = X @ X.T + 1 if options["kernel"] == "precomputed" else X
    ours, theirs = (
        cls(alpha=alpha, **options).fit(rows, Y, sample_weight=weights)
        for cls in (KernelRidge, sklearn.kernel_ridge.KernelRidge)
    )
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(ours.alpha_, alpha)
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.predict(rows), ours.predict(rows))
    np.testing.assert_array_equal(KernelRidge.from_bytes(ours.to_bytes()).predict(rows), ours.predict(rows))


def test_equal_alphas_are_one(diabetes):
    X, y = diabetes
    Y = np.column_stack([y, 2 * y])
    one, two = (KernelRidge(alpha=alpha, kernel="rbf", parametric="constant").fit(X, Y) for alpha in (0.5, [0.5, 0.5]))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert two.alpha_ == 0.5 and two.intercept_.shape == (2,)
    assert KernelRidge.from_bytes(two.to_bytes()).alpha == [0.5, 0.5]


def indefinite_inner(x, y):
    return x[..., :5] @ y[..., :5].T - 2 * x[..., 5:] @ y[..., 5:].T


@pytest.mark.parametrize("kernel", ["precomputed", indefinite_inner])
def test_matrices_that_are_not_positive_definite_are_solved_with_a_warning(diabetes, kernel):
    X, y = diabetes
    rows = indefinite_inner(X, X) if kernel == "precomputed" else X
    with pytest.warns(UserWarning, match="least-squares"):
        ours = KernelRidge(alpha=0.3, kernel=kernel).fit(rows, y)
    with pytest.warns(UserWarning, match="least-squares"):
        theirs = sklearn.kernel_ridge.KernelRidge(alpha=0.3, kernel=kernel).fit(rows, y)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), rtol=1e-6, atol=1e-7)


def test_indefinite_matrices_with_one_alpha_for_every_target(diabetes):
    X, y = diabetes
    gram = indefinite_inner(X, X)
    with pytest.warns(UserWarning, match="least-squares"):
        model = KernelRidge(alpha=[0.3, 0.01], kernel="precomputed").fit(gram, np.column_stack([y, y]))
    for column, alpha in enumerate((0.3, 0.01)):
        want = np.linalg.solve(gram + alpha * np.eye(len(gram)), y)
        np.testing.assert_allclose(model.dual_coef_[:, column], want, rtol=1e-6, atol=1e-6)


def rbf_of_rows(x, y, gamma=0.1):
    return np.exp(-gamma * np.sum((x - y) ** 2))


def test_functions_of_two_rows_and_of_two_matrices(diabetes):
    X, y = diabetes[0][:60], diabetes[1][:60]
    theirs = sklearn.kernel_ridge.KernelRidge(kernel=rbf_of_rows, kernel_params={"gamma": 0.3}).fit(X, y)
    for kernel in (rbf_of_rows, sklearn.metrics.pairwise.rbf_kernel):
        ours = KernelRidge(kernel=kernel, kernel_params={"gamma": 0.3}).fit(X, y)
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_)
        np.testing.assert_allclose(ours.predict(X[:1]), theirs.predict(X[:1]))
        again = pickle.loads(pickle.dumps(ours))
        np.testing.assert_array_equal(again.predict(X), ours.predict(X))
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        KernelRidge(kernel=lambda x, y: 1 / 0).fit(X, y)


def test_singular_matrices_are_solved_with_a_warning(diabetes):
    X, y = np.repeat(diabetes[0][:40], 2, axis=0), diabetes[1][:80]
    with pytest.warns(UserWarning, match="least-squares"):
        ours = KernelRidge(alpha=0, kernel="rbf").fit(X, y)
    gram = sklearn.metrics.pairwise.rbf_kernel(X)
    np.testing.assert_allclose(ours.predict(X), gram @ np.linalg.lstsq(gram, y, rcond=None)[0], rtol=1e-6)


def test_the_iterative_solver_finds_the_exact_solution():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (400, 2))
    y = np.sin(X[:, 0]) + X[:, 1]
    exact = KernelRidge(0.1, kernel="rbf", gamma=0.5, solver="exact").fit(X, y)
    iterative = KernelRidge(0.1, kernel="rbf", gamma=0.5, solver="iterative", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(iterative.dual_coef_, exact.dual_coef_, atol=1e-6)
    assert iterative.fit_report_["iterations"] > 0
