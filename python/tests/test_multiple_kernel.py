"""Multiple kernel learning: weights against brute force, and the machines that they give."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_iris, make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.preprocessing import scale

from mercer import compress
from mercer.kernels import RBF, Linear
from mercer.multiple_kernel import MultipleKernelRidge, MultipleKernelSVC, MultipleKernelSVR
from mercer.svm import SVC


@pytest.fixture(scope="module")
def circles():
    X, y = make_circles(120, noise=0.15, factor=0.5, random_state=0)
    noise = np.random.default_rng(0).normal(size=(120, 1))
    return np.hstack([X, noise]), y


def svm_objective(K, y, C):
    """The dual value of sklearn's machine on a kernel matrix."""
    machine = sklearn.svm.SVC(C=C, kernel="precomputed", tol=1e-8).fit(K, y)
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    return np.abs(beta).sum() - beta @ K @ beta / 2


def test_no_weights_are_better(circles):
    X, y = circles
    kernels = [linear_kernel(X), rbf_kernel(X, gamma=1), rbf_kernel(X, gamma=10)]
    kernels = [K / np.trace(K) * len(y) for K in kernels]
    model = MultipleKernelSVC(
        C=2, kernel="linear() + rbf(gamma=1) + rbf(gamma=10)", weight_tol=1e-6, precision="double"
    ).fit(X, y)
    assert model.weights_.sum() == pytest.approx(1)
    assert model.weight_gap_ <= 1e-6
    reached = svm_objective(sum(w * K for w, K in zip(model.weights_, kernels, strict=True)), y, 2)
    assert reached == pytest.approx(model.fit_report_["measures"]["objective of the weights"], rel=1e-5)
    grid = np.linspace(0, 1, 9)
    for a in grid:
        for b in grid[grid <= 1 - a + 1e-12]:
            K = a * kernels[0] + b * kernels[1] + (1 - a - b) * kernels[2]
            assert svm_objective(K, y, 2) >= reached * (1 - 1e-5)


def test_the_machine_is_an_svc_with_the_learnt_kernel(circles):
    X, y = circles
    model = MultipleKernelSVC(kernel=[Linear(), 3 * RBF(gamma=1)[[0, 1]], "rbf(gamma=1)[2]"]).fit(X, y)
    plain = SVC(kernel=model.kernel_).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-8)
    assert len(model.kernels_) == len(model.weights_) == 3
    assert model.weights_[1] > 0.9  # the columns that tell the classes apart
    small = compress(model, 10)
    assert isinstance(small, MultipleKernelSVC)
    np.testing.assert_array_equal(small.weights_, model.weights_)


def test_norms_from_sparse_to_all(circles):
    X, y = circles
    kernel = "linear() + rbf(gamma=1)[0:2] + rbf(gamma=1)[2] + rbf(gamma=0.1)"
    sparse = MultipleKernelSVC(kernel=kernel).fit(X, y).weights_
    dense = MultipleKernelSVC(kernel=kernel, norm=2).fit(X, y).weights_
    every = MultipleKernelSVC(kernel=kernel, norm=100).fit(X, y).weights_
    assert (sparse == 0).sum() >= 2
    assert (dense > 0).all()
    assert np.linalg.norm(dense) == pytest.approx(1)
    np.testing.assert_allclose(every, 1, atol=0.1)


@pytest.mark.parametrize("method", ["align", "alignf", "uniform"])
def test_alignment(circles, method):
    X, y = circles
    centre = np.eye(len(y)) - 1 / len(y)
    kernels = [centre @ K @ centre for K in (rbf_kernel(X, gamma=0.1), rbf_kernel(X, gamma=2))]
    target = np.outer(*2 * [centre @ np.where(y == 1, 1.0, -1.0)])
    model = MultipleKernelSVC(kernel="rbf(gamma=0.1) + rbf(gamma=2)", method=method).fit(X, y)
    assert np.isnan(model.weight_gap_)

    def aligned(d):
        K = d[0] * kernels[0] + d[1] * kernels[1]
        return np.sum(K * target) / np.linalg.norm(K) / np.linalg.norm(target)

    alone = np.array([aligned([1, 0]), aligned([0, 1])])
    if method == "uniform":
        np.testing.assert_allclose(model.weights_, 0.5)
    elif method == "align":
        np.testing.assert_allclose(model.weights_, alone / alone.sum())
    else:
        best = max(aligned([t, 1 - t]) for t in np.linspace(0, 1, 401))
        assert aligned(model.weights_) >= best - 1e-12


def test_ridge_is_ridge_with_the_learnt_kernel():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = np.c_[np.sin(2 * X[:, 0]), X[:, 1]] + 0.1 * rng.normal(size=(80, 2))
    model = MultipleKernelRidge(0.1, kernel=["linear()", "rbf(gamma=1)"], fit_intercept=False, weight_tol=1e-8)
    model.fit(X, y)
    a, b = model.weights_ / [np.square(X).sum(axis=1).mean(), 1]
    K = a * linear_kernel(X) + b * rbf_kernel(X, gamma=1)
    expected = KernelRidge(alpha=0.1, kernel="precomputed").fit(K, y).predict(K)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-7)
    assert model.intercept_.shape == (2,)
    assert model.fit(X, y[:, 0]).predict(X).shape == (80,)


def test_regression_finds_the_width():
    X = np.linspace(0, 6, 80)[:, None]
    y = 1000 + 50 * np.sin(3 * X[:, 0])
    kernel = [f"rbf(gamma={gamma})" for gamma in (1e-3, 1e-2, 0.1, 1, 10)]
    model = MultipleKernelSVR(C=10, epsilon=1, kernel=kernel).fit(X, y)
    assert model.weights_[3:].sum() > 0.9
    assert model.score(X, y) > 0.99


def test_several_classes_probabilities_and_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = MultipleKernelSVC(probability=True, multiclass="ovr").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.95
    model.save(tmp_path / "m.mercer")
    loaded = MultipleKernelSVC.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(loaded.weights_, model.weights_)
    np.testing.assert_array_equal(SVC.load(tmp_path / "m.mercer").predict(X), model.predict(X))
    plain = SVC().fit(X, y).to_bytes()
    with pytest.raises(ValueError, match="no learnt weights"):
        MultipleKernelSVC.from_bytes(plain)


def test_many_kernels_of_single_columns():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    kernel = [f"rbf(gamma={gamma})[{column}]" for column in range(30) for gamma in (0.1, 1)]
    model = MultipleKernelSVC(C=10, kernel=kernel).fit(X, y)
    assert 3 <= np.count_nonzero(model.weights_) <= 45
    assert model.weight_gap_ <= 1e-3
    assert model.score(X, y) > 0.97


def test_mistakes_are_named(circles):
    X, y = circles
    for options, match in [
        ({"norm": 0.5}, "norm"),
        ({"method": "best"}, "method"),
        ({"normalize": "some"}, "normalize"),
        ({"kernel": []}, "empty"),
        ({"kernel": "rbf() + sigmoid()"}, "sigmoid"),
    ]:
        with pytest.raises(ValueError, match=match):
            MultipleKernelSVC(**options).fit(X, y)
    with pytest.raises(TypeError, match="no kernel"):
        MultipleKernelSVC(kernel=[np.inner]).fit(X, y)


PARAMETERS = [
    (MultipleKernelSVC, {"C": 3.0, "probability": True, "multiclass": "ovr", "max_iter": 100000}),
    (MultipleKernelSVR, {"C": 3.0, "epsilon": 0.2, "standardize": False, "memory_mb": 500.0}),
    (MultipleKernelRidge, {"alpha": 0.5, "fit_intercept": False, "precision": "float"}),
]


@pytest.mark.parametrize("learning", ["mkl", "alignf"])
@pytest.mark.parametrize(("cls", "own"), PARAMETERS)
def test_parameters_come_back_from_files(cls, own, learning, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = cls(
        kernel=["linear()", "rbf(gamma=0.1)", "rbf(gamma=50)"],
        method=learning,
        norm=1.5,
        normalize="unit",
        weight_tol=0.01,
        max_rounds=50,
        weight_rows=100,
        **own,
    ).fit(X, y)
    model.save(tmp_path / "m.mercer")
    loaded = cls.load(tmp_path / "m.mercer")
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.fit(X, y).weights_, model.weights_)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_the_warning_speaks_of_the_weights(circles):
    X, y = circles
    kernel = [f"rbf(gamma={gamma})" for gamma in (0.01, 0.1, 1, 10)]
    with pytest.warns(ConvergenceWarning, match=r"max_rounds=1 .*weight_gap_.*weight_tol=1e-09"):
        MultipleKernelSVC(kernel=kernel, norm=2, max_rounds=1, weight_tol=1e-9).fit(X, y)


def test_weights_of_rows_of_a_frame():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=30), "b": rng.normal(size=30), "note": ["x"] * 30}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        model = MultipleKernelRidge().fit(frame, columns["a"], sample_weight=np.ones(30))
        assert model.score(frame, columns["a"]) > 0.5
