"""Functions beside the kernel in KernelRidge, SVR and SVC."""

import numpy as np
import pandas as pd
import pytest

from mercer.kernel_ridge import KernelRidge
from mercer.svm import SVC, SVR, NuSVR


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(80, 2))
    y = 3 + 2 * X[:, 0] - X[:, 1] + np.sin(4 * X[:, 0]) + 0.2 * rng.normal(size=80)
    return X, y


def test_ridge_is_the_bordered_system(data):
    X, y = data
    model = KernelRidge(alpha=0.3, kernel="rbf(gamma=2)", parametric="linear").fit(X, y)
    K = np.exp(-2 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    T = np.column_stack([np.ones(80), X])
    system = np.block([[K + 0.3 * np.eye(80), T], [T.T, np.zeros((3, 3))]])
    solution = np.linalg.solve(system, np.concatenate([y, np.zeros(3)]))
    np.testing.assert_allclose(model.dual_coef_, solution[:80], atol=1e-9)
    np.testing.assert_allclose(model.parametric_coef_[:, 0], solution[80:], atol=1e-9)
    assert model.parametric_names_ == ["1", "x0", "x1"]
    assert model.intercept_[0] == model.parametric_coef_[0, 0]


def test_ridge_with_a_penalty_for_each_target(data):
    X, y = data
    both = KernelRidge(alpha=[0.3, 2], kernel="rbf(gamma=2)", parametric="linear").fit(X, np.column_stack([y, y]))
    one = KernelRidge(alpha=2, kernel="rbf(gamma=2)", parametric="linear").fit(X, y)
    np.testing.assert_allclose(both.parametric_coef_[:, 1], one.parametric_coef_[:, 0], atol=1e-9)


def test_support_vectors_are_orthogonal_to_the_functions(data):
    X, y = data
    model = SVR(kernel="thin_plate()", C=5, epsilon=0.1, parametric="linear").fit(X, y)
    T = np.column_stack([np.ones(80), X])[model.support_]
    assert np.abs(model.dual_coef_ @ T).max() < 1e-12 * np.abs(model.dual_coef_).sum()
    assert model.parametric_coef_.shape == (3, 1)
    rest = y - model.predict(X)
    inside = np.setdiff1d(np.arange(80), model.support_)
    assert np.abs(rest[inside]).max() <= 0.1 + 1e-7
    labels = np.where(y > 3, "high", "low")
    classifier = SVC(kernel="thin_plate()", parametric="linear").fit(X, labels)
    assert classifier.score(X, labels) > 0.8
    assert classifier.parametric_names_ == ["1", "x0", "x1"]


def test_a_price_takes_functions_out(data):
    X, y = data
    model = SVR(C=5, gamma=20, parametric="quadratic", parametric_l1=1).fit(X, y)
    assert 0 < np.count_nonzero(model.parametric_coef_[1:]) < 5


def test_names_of_columns(data):
    X, y = data
    frame = pd.DataFrame({"age": X[:, 0], "dose": X[:, 1], "sex": pd.Categorical(["f", "m"] * 40)})
    model = SVR(kernel="rbf()[age]", parametric="linear[dose]").fit(frame, y)
    assert model.parametric_names_ == ["1", "dose"]
    counted = SVR(kernel="rbf()[age]", parametric="linear[1]").fit(frame, y)
    assert counted.parametric_names_ == ["1", "dose"]
    plain = SVR(kernel="rbf", parametric="linear[dose]").fit(frame[["age", "dose"]], y)
    assert plain.parametric_names_ == ["1", "dose"]
    with pytest.raises(ValueError, match="dosis"):
        SVR(kernel="rbf()[age]", parametric="linear[dosis]").fit(frame, y)


def test_what_is_not_there_is_said(data):
    X, y = data
    with pytest.raises(ValueError, match="Did you mean 'linear'"):
        SVR(parametric="liner").fit(X, y)
    with pytest.raises(ValueError, match="set parametric=linear"):
        KernelRidge(kernel="thin_plate()", parametric="constant").fit(X, y)
    with pytest.raises(ValueError, match="rows of a matrix"):
        SVR(kernel="precomputed", parametric="linear").fit(X @ X.T, y)
    assert "parametric" not in NuSVR().get_params()


def test_files_keep_the_functions(data, tmp_path):
    X, y = data
    for model in (
        SVR(parametric="linear[0] + periodic(period=2)[1]").fit(X, y),
        KernelRidge(kernel="rbf", parametric="quadratic").fit(X, y),
    ):
        model.save(tmp_path / "m.mercer")
        again = type(model).load(tmp_path / "m.mercer")
        assert again.parametric == model.parametric
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(again.parametric_coef_, model.parametric_coef_)
