"""LeastSquaresSVC against its definition."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from mercer.svm import LSSVM, LeastSquaresSVC


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_two_classes_solve_the_bordered_system(iris):
    X, y = iris[0][50:], iris[1][50:]
    codes = np.where(y == 2, 1.0, -1.0)
    C, n = 3.0, len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = rbf_kernel(X, gamma=0.3) + np.eye(n) / C
    system[:n, n] = system[n, :n] = 1
    solution = np.linalg.solve(system, np.append(codes, 0))
    model = LeastSquaresSVC(C=C, gamma=0.3).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_[0], solution[:n], atol=1e-9)
    np.testing.assert_allclose(model.intercept_, solution[n:], atol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(X), rbf_kernel(X, gamma=0.3) @ solution[:n] + solution[n], atol=1e-9
    )


def test_several_classes(iris):
    model = LSSVM(C=10).fit(*iris)
    assert model.decision_function(iris[0]).shape == (150, 3)
    np.testing.assert_array_equal(model.predict(iris[0]), model.decision_function(iris[0]).argmax(axis=1))
    assert model.score(*iris) > 0.95


def test_linear_kernel_has_weights(iris):
    X, y = iris
    primal = LeastSquaresSVC(kernel="linear", C=2).fit(X, y)
    dual = LeastSquaresSVC(kernel="linear", C=2, form="dual").fit(X, y)
    np.testing.assert_allclose(X @ primal.coef_.T + primal.intercept_, primal.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-6)
    assert not hasattr(dual, "coef_")


@pytest.mark.parametrize("select", ["loo", "errors", "gcv"])
def test_the_price_is_chosen(iris, select):
    assert LeastSquaresSVC(select=select).fit(*iris).score(*iris) > 0.95


def test_probabilities_agree_with_predictions(iris):
    model = LeastSquaresSVC(C=10, probability=True).fit(*iris)
    probabilities = model.predict_proba(iris[0])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(iris[0]))
