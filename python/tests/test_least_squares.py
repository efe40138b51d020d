"""Least squares in a basis, beside numpy."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from mercer.linear_model import LeastSquares


def test_linear_functions_are_linear_regression():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(50, 4)), rng.normal(size=(50, 2)), rng.uniform(0.1, 3, 50)
    ours, theirs = LeastSquares().fit(X, y, weights), LinearRegression().fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-12)
    np.testing.assert_allclose(ours.coef_[0], theirs.intercept_, atol=1e-12)
    np.testing.assert_allclose(ours.coef_[1:], theirs.coef_.T, atol=1e-12)
    assert ours.rank_ == 5


def test_standard_errors_are_those_of_the_normal_equations():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 1)), rng.normal(size=30)
    model = LeastSquares("quadratic").fit(X, y)
    F = np.column_stack([np.ones(30), X, X**2])
    noise = np.sum((y - F @ np.linalg.lstsq(F, y)[0]) ** 2) / 27
    _, std = model.predict(X, return_std=True)
    expected = np.sqrt(noise * np.einsum("ij,jk,ik->i", F, np.linalg.inv(F.T @ F), F))
    np.testing.assert_allclose(std, expected, rtol=1e-10)
    np.testing.assert_allclose(model.residual_std_, [np.sqrt(noise)], rtol=1e-12)


@pytest.mark.parametrize("rows", [3, 8])
def test_dependent_functions_give_the_least_norm(rows):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(rows, 4))
    X[:, 3] = X[:, 0] - 2 * X[:, 1]
    y = rng.normal(size=rows)
    model = LeastSquares().fit(X, y)
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(np.column_stack([np.ones(rows), X])) @ y, atol=1e-12)
    assert model.rank_ == min(rows, 4)


def test_words_that_say_no_functions_are_refused():
    with pytest.raises(ValueError, match="parametric = none leaves no function"):
        LeastSquares("none").fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="parametric"):
        LeastSquares("cubic").fit([[1.0], [2.0]], [1.0, 2.0])
