"""SVC and NuSVC against scikit-learn's, whose solver is LIBSVM."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.gaussian_process.kernels
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.preprocessing import StandardScaler

from mercer.kernels import RBF
from mercer.svm import SVC, NuSVC

TIGHT = {"tol": 1e-6}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    # Two rows are equal, and a solution may use either.
    _, rows = np.unique(X, axis=0, return_index=True)
    return X[np.sort(rows)], y[np.sort(rows)]


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("classes", [2, 3])
def test_same_machine_as_scikit_learn(iris, kernel, classes):
    X, y = iris
    X = StandardScaler().fit_transform(X)
    # Two classes that overlap, so that the solution is unique.
    rows = y < classes if classes == 3 else y > 0
    X, y = X[rows], y[rows]
    ours, theirs = SVC(kernel=kernel, **TIGHT).fit(X, y), sklearn.svm.SVC(kernel=kernel, **TIGHT).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
        assert ours.coef_.shape == theirs.coef_.shape


def test_values_of_pairs_have_the_shape_and_signs_of_scikit_learn(iris):
    options = {"decision_function_shape": "ovo", **TIGHT}
    ours, theirs = SVC(**options).fit(*iris), sklearn.svm.SVC(**options).fit(*iris)
    np.testing.assert_allclose(ours.decision_function(iris[0]), theirs.decision_function(iris[0]), atol=1e-5)


def test_break_ties_chooses_the_largest_decision_value():
    X, y = make_classification(300, n_classes=6, n_informative=6, random_state=1)
    model = SVC(break_ties=True).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))
    theirs = sklearn.svm.SVC(break_ties=True).fit(X, y)
    assert np.mean(model.predict(X) == theirs.predict(X)) > 0.99


@pytest.mark.parametrize("nu", [0.2, 0.5])
def test_nu_svc_is_that_of_scikit_learn(iris, nu):
    # Classes that overlap: the offset of separate ones is not unique.
    X, y = iris[0][50:], iris[1][50:]
    ours, theirs = NuSVC(nu=nu, **TIGHT).fit(X, y), sklearn.svm.NuSVC(nu=nu, **TIGHT).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1, 1: 5, 2: 0.5}])
def test_class_weights_are_those_of_scikit_learn(iris, class_weight):
    X, y = iris[0][:120], iris[1][:120]
    options = {"class_weight": class_weight, **TIGHT}
    ours, theirs = SVC(**options).fit(X, y), sklearn.svm.SVC(**options).fit(X, y)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("cls", [SVC, NuSVC])
def test_a_weight_counts_as_so_many_rows(iris, cls):
    X, y = iris
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    if cls is NuSVC:
        weights = np.where(y == 0, 0, 2)
    weighted = cls(gamma=0.2, tol=1e-8).fit(X, y, sample_weight=weights)
    repeated = cls(gamma=0.2, tol=1e-8).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)


def test_a_class_without_weight_is_no_class(iris):
    X, y = iris
    model = SVC().fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 2]
    assert set(model.predict(X)) == {0, 2}


@pytest.mark.parametrize("labels", [["setosa", "versicolor", "virginica"], [1.0, 2.0, 7.0], [10, -3, 5]])
def test_labels_of_any_type(iris, labels):
    X, y = iris
    named = np.array(labels)[y]
    model = SVC().fit(X, named)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == named.dtype
    assert model.score(X, named) == SVC().fit(X, y).score(X, y)


def test_truth_values_are_labels(iris):
    X, y = iris
    assert SVC().fit(X, y > 0).predict(X).dtype == bool


def test_probabilities_agree_with_predictions():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = SVC(probability=True).fit(X[:300], y[:300])
    probabilities = model.predict_proba(X[300:])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X[300:]))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[300:])), probabilities)
    assert model.probA_.shape == model.probB_.shape == (1,)
    assert -np.mean(np.log(probabilities[np.arange(269), y[300:]])) < 0.15


def test_no_probabilities_unless_asked_for(iris):
    model = SVC().fit(*iris)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(iris[0])


def test_precomputed_kernel_and_function_are_the_named_kernel(iris):
    X, y = iris
    named = SVC(kernel="linear", **TIGHT).fit(X, y)
    given = SVC(kernel="precomputed", **TIGHT).fit(X @ X.T, y)
    function = SVC(kernel=lambda a, b: a @ b.T, **TIGHT).fit(X, y)
    np.testing.assert_array_equal(given.support_, named.support_)
    new = X[::7] + 0.1
    for values in (given.decision_function(new @ X.T), function.decision_function(new)):
        np.testing.assert_allclose(values, named.decision_function(new), atol=1e-3)


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_sparse_rows_give_the_same(form):
    dense = scipy.sparse.random(120, 40, density=0.2, random_state=0, format="csr")
    sums = np.asarray(dense.sum(axis=1)).ravel()
    y = (sums > np.median(sums)).astype(int)
    sparse = form(dense)
    a, b = SVC(C=5).fit(dense.toarray(), y), SVC(C=5).fit(sparse, y)
    np.testing.assert_allclose(a.decision_function(dense.toarray()), b.decision_function(sparse), atol=2e-3)
    np.testing.assert_allclose(a.decision_function(sparse), a.decision_function(dense.toarray()), atol=1e-12)
    assert scipy.sparse.issparse(b.support_vectors_)


def test_float32_is_close_to_float64():
    X, y = make_classification(300, random_state=0)
    double, single = SVC().fit(X, y), SVC().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.decision_function(X), double.decision_function(X), atol=5e-3)
    assert single.support_vectors_.dtype == np.float32


@pytest.mark.parametrize("multiclass", ["ovr", "dag", "code", "ww", "cs"])
def test_other_ways_for_several_classes(iris, multiclass):
    model = SVC(multiclass=multiclass).fit(*iris)
    assert model.score(*iris) > 0.95
    values = model.decision_function(iris[0])
    assert values.shape == (149, 3) or multiclass == "code"
    if multiclass in ("ovr", "ww", "cs"):
        np.testing.assert_array_equal(values.argmax(axis=1), model.predict(iris[0]))


def test_kernel_forms_agree(iris):
    X, y = iris
    want = SVC(gamma=0.5).fit(X, y).decision_function(X)
    for kernel in ("rbf(gamma=0.5)", RBF(gamma=0.5), RBF(lengthscale=1.0), sklearn.gaussian_process.kernels.RBF(1.0)):
        np.testing.assert_allclose(SVC(kernel=kernel).fit(X, y).decision_function(X), want, atol=1e-9)


def test_constant_columns_have_a_width():
    X = np.ones((6, 2))
    assert SVC().fit(X, [0, 1, 0, 1, 0, 1]).fit_status_ == 0


def test_reduced_hulls_are_nu_svc_and_whole_ones_a_hard_margin():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    X = rng.normal(size=(60, 2)) + np.where(y, -1.0, 1.0)[:, None]
    hull = NuSVC(hull=0.08, gamma=0.5, tol=1e-8).fit(X, y)
    nu = NuSVC(nu=2 / (0.08 * 60), gamma=0.5, tol=1e-8).fit(X, y)
    assert hull.decision_function(X) == pytest.approx(nu.decision_function(X), abs=1e-6)
    shares = np.abs(hull.dual_coef_[0]) / np.abs(hull.dual_coef_[0]).sum() * 2
    assert shares.max() <= 0.08 + 1e-9
    with pytest.raises(ValueError, match=r"hull = 0\.01: .* must be 0\.05 at least"):
        NuSVC(hull=0.01).fit(X, y)
    apart = X + np.where(y, -5.0, 5.0)[:, None]
    whole = NuSVC(hull=1, gamma=0.1, tol=1e-8).fit(apart, y)
    hard = SVC(slack="none", gamma=0.1, tol=1e-8).fit(apart, y)
    assert whole.decision_function(X) == pytest.approx(hard.decision_function(X), abs=1e-5)


def test_the_primal_formulation_is_the_same_machine():
    rng = np.random.default_rng(1)
    y = np.arange(50) % 2
    X = rng.normal(size=(50, 2)) + 0.7 * y[:, None]
    primal = SVC(formulation="primal", gamma=0.5, C=2, tol=1e-8).fit(X, y)
    dual = SVC(gamma=0.5, C=2, tol=1e-8).fit(X, y)
    assert primal.decision_function(X) == pytest.approx(dual.decision_function(X), abs=1e-4)
    with pytest.raises(ValueError, match="formulation = primal needs slack = linear"):
        SVC(formulation="primal", slack="squared").fit(X, y)
