"""LinearSVC and LinearSVR against scikit-learn's, whose solver is LIBLINEAR."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm
from sklearn.datasets import load_diabetes, load_iris
from sklearn.preprocessing import StandardScaler

from mercer.svm import SVC, LinearSVC, LinearSVR

LONG = {"max_iter": 200_000}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_linear_svc_is_that_of_scikit_learn(iris, loss, fit_intercept):
    options = {"loss": loss, "fit_intercept": fit_intercept, "C": 0.5, **LONG}
    ours = LinearSVC(tol=1e-9, **options).fit(*iris)
    theirs = sklearn.svm.LinearSVC(tol=1e-9, dual=True, **options).fit(*iris)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3)
    np.testing.assert_allclose(ours.decision_function(iris[0]), theirs.decision_function(iris[0]), atol=1e-2)
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)


def test_l1_penalty_leaves_out_columns(iris):
    X = np.hstack([iris[0], np.random.default_rng(0).normal(size=(150, 20))])
    options = {"penalty": "l1", "C": 0.1, "tol": 1e-8}
    ours = LinearSVC(**options, **LONG).fit(X, iris[1] == 2)
    theirs = sklearn.svm.LinearSVC(dual=False, **options, **LONG).fit(X, iris[1] == 2)
    assert np.mean(ours.coef_ == 0) > 0.5
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


def test_exact_intercept_is_that_of_the_kernel_machine(iris):
    X, y = iris[0][50:], iris[1][50:]
    linear = LinearSVC(loss="hinge", intercept="exact", tol=1e-8, **LONG).fit(X, y)
    kernel = SVC(kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(linear.coef_, kernel.coef_, atol=1e-3)
    np.testing.assert_allclose(linear.intercept_, kernel.intercept_, atol=1e-3)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_linear_svr_is_that_of_scikit_learn(loss):
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), y / 100
    options = {"loss": loss, "epsilon": 0.1, **LONG}
    ours = LinearSVR(tol=1e-9, **options).fit(X, y)
    theirs = sklearn.svm.LinearSVR(tol=1e-9, dual=True, random_state=0, **options).fit(X, y)

    # LIBLINEAR may end before it has converged: ours must be as low, and not far off.
    def objective(model):
        excess = np.maximum(0, np.abs(y - model.predict(X)) - 0.1)
        penalty = (model.coef_ @ model.coef_ + float(np.squeeze(model.intercept_)) ** 2) / 2
        return penalty + (excess**2 if loss.startswith("squared") else excess).sum()

    assert objective(ours) <= objective(theirs) * (1 + 1e-6)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-2)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)


def test_sparse_rows_give_the_same(iris):
    sparse = scipy.sparse.csr_matrix(iris[0])
    a, b = LinearSVC(tol=1e-8).fit(*iris), LinearSVC(tol=1e-8).fit(sparse, iris[1])
    np.testing.assert_allclose(a.decision_function(iris[0]), b.decision_function(sparse), atol=1e-3)


def test_pairs_with_votes(iris):
    model = LinearSVC(multi_class="ovo").fit(*iris)
    assert model.coef_.shape == (3, 4)
    assert model.score(*iris) > 0.95


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_crammer_singer_is_that_of_scikit_learn(iris, fit_intercept, weighted):
    weights = np.random.default_rng(0).uniform(0.5, 2, 150) if weighted else None
    options = {"multi_class": "crammer_singer", "fit_intercept": fit_intercept, "C": 0.5, "intercept_scaling": 2.0}
    ours = LinearSVC(tol=1e-6, **options, **LONG).fit(*iris, sample_weight=weights)
    theirs = sklearn.svm.LinearSVC(tol=1e-8, **options, **LONG).fit(*iris, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_allclose(ours.decision_function(iris[0]), theirs.decision_function(iris[0]), atol=5e-3)
    np.testing.assert_array_equal(ours.predict(iris[0]), theirs.predict(iris[0]))
    again = LinearSVC.from_bytes(ours.to_bytes())
    assert again.multi_class == "crammer_singer"
    np.testing.assert_array_equal(again.decision_function(iris[0]), ours.decision_function(iris[0]))


def test_crammer_singer_of_two_classes_and_sparse_rows(iris):
    X, y = iris[0][50:], iris[1][50:]
    options = {"multi_class": "crammer_singer", "C": 0.3}
    ours = LinearSVC(tol=1e-9, **options, **LONG).fit(X, y)
    theirs = sklearn.svm.LinearSVC(tol=1e-9, **options, **LONG).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape == (1, 4)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    dense, sparse = (
        LinearSVC(tol=1e-7, **options, **LONG).fit(rows, iris[1])
        for rows in (iris[0], scipy.sparse.csr_matrix(iris[0]))
    )
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-5)
