"""SVC and NuSVC with one slack per group, margins, and support vectors of two machines."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate

from mercer.svm import SVC, SVR, NuSVC, fit_on_support, support_overlap


@pytest.fixture
def two():
    return make_classification(n_samples=120, n_features=4, class_sep=0.8, random_state=3)


def objective(model, X, y, groups, C):
    """Half the squared norm, and C for the largest slack of every group."""
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    f = model.decision_function(X)
    slack = np.maximum(0, 1 - signs * f)
    worst = [slack[groups == group].max() for group in np.unique(groups)]
    coefficients = model.dual_coef_[0]
    norm = coefficients @ (f[model.support_] - model.intercept_[0])
    return norm / 2 + C * np.sum(worst)


def test_groups_of_one_row_are_the_usual_machine(two):
    X, y = two
    usual = SVC(tol=1e-7).fit(X, y)
    grouped = SVC(tol=1e-7, slack="group").fit(X, y, groups=np.arange(len(y)))
    np.testing.assert_allclose(grouped.decision_function(X), usual.decision_function(X), atol=1e-4)
    # So are rows whose group is missing.
    for missing in (np.full(len(y), np.nan), [None] * len(y)):
        again = SVC(tol=1e-7, slack="group").fit(X, y, groups=missing)
        np.testing.assert_array_equal(again.decision_function(X), grouped.decision_function(X))


def test_no_other_machine_costs_less(two):
    X, y = two
    groups = np.array([f"g{i}" for i in np.arange(len(y)) % 30])
    found = SVC(C=2, tol=1e-7, slack="group").fit(X, y, groups=groups)
    least = objective(found, X, y, groups, 2)
    assert least == pytest.approx(found.fit_report_["measures"]["primal value"], rel=1e-5)
    for other in (SVC(C=2), SVC(C=0.5), SVC(C=0.1, slack="squared")):
        assert objective(other.fit(X, y), X, y, groups, 2) > least
    sums = [np.abs(found.dual_coef_[0][groups[found.support_] == group]).sum() for group in np.unique(groups)]
    assert max(sums) <= 2 * (1 + 1e-6)


def test_nu_is_a_fraction_of_groups(two):
    X, y = two
    groups = np.arange(len(y)) // 3
    model = NuSVC(nu=0.6, tol=1e-6, slack="group").fit(X, y, groups=groups)
    signs = np.where(y == 1, 1, -1)
    wrong = {g for g, value in zip(groups, signs * model.decision_function(X), strict=True) if value < 1 - 1e-4}
    assert len(wrong) <= 0.6 * 40
    assert len(set(groups[model.support_])) >= 0.6 * 40


def test_groups_must_be_there_and_fit_the_rows(two):
    X, y = two
    with pytest.raises(ValueError, match="needs the group of every row"):
        SVC(slack="group").fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SVC(slack="group").fit(X, y, groups=[1, 2])
    with pytest.raises(ValueError, match="one value per row"):
        SVC(slack="group").fit(X, y, groups=np.ones((len(y), 2)))
    # Another slack has no part for them.
    np.testing.assert_array_equal(
        SVC().fit(X, y, groups=np.zeros(len(y))).decision_function(X), SVC().fit(X, y).decision_function(X)
    )


def test_metadata_routing_hands_groups_on(two):
    X, y = two
    groups = np.arange(len(y)) // 4
    with sklearn.config_context(enable_metadata_routing=True):
        model = SVC(slack="group").set_fit_request(groups=True)
        result = cross_validate(model, X, y, cv=GroupKFold(3), params={"groups": groups})
        assert (result["test_score"] > 0.6).all()
        search = GridSearchCV(model, {"C": [0.1, 1]}, cv=GroupKFold(3)).fit(X, y, groups=groups)
        assert search.best_score_ > 0.6


def test_all_classes_in_one_problem_with_nu():
    X, y = load_iris(return_X_y=True)
    model = NuSVC(nu=0.2, multiclass="ww").fit(X, y)
    assert model.fit_report_["status"] == "converged"
    assert model.score(X, y) > 0.95
    rho = model.fit_report_["measures"]["rho"]
    same = SVC(C=2 / rho, multiclass="ww").fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), same.decision_function(X), atol=0.05)
    assert NuSVC(nu=0.2, multiclass="ww", class_weight={0: 2}).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="is infeasible"):
        NuSVC(nu=0.9, multiclass="ww").fit(X[:70], np.r_[y[:60], np.full(10, 2)])


def test_margins_are_distances(two):
    X, y = two
    model = SVC(kernel="linear", C=10).fit(X, y)
    signs = np.where(y == 1, 1, -1)
    expected = signs * model.decision_function(X) / np.linalg.norm(model.coef_)
    np.testing.assert_allclose(model.margins(X, y), expected, rtol=1e-5, atol=1e-6)
    assert np.isnan(model.margins(X[:1], [7])).all()
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    several = SVC(kernel="rbf").fit(X, names).margins(X, names)
    assert several.shape == (150, 3)
    assert (np.isnan(several).sum(axis=1) == 1).all()
    K = X @ X.T
    given = SVC(kernel="precomputed").fit(K, names)
    np.testing.assert_allclose(given.margins(K, names), SVC(kernel="linear").fit(X, names).margins(X, names), atol=1e-3)


def test_overlap_counts_rows():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    one, other = SVC(C=1).fit(X, names), SVC(C=100, kernel="poly").fit(X, names)
    found = support_overlap(one, other)
    both = np.intersect1d(one.support_, other.support_)
    assert found["all"] == {
        "own": len(one.support_),
        "other": len(other.support_),
        "both": len(both),
        "share": len(both) / len(other.support_),
    }
    assert list(found["classes"]) == ["a", "b", "c"]
    assert len(found["machines"]) == 3
    with pytest.raises(TypeError, match="no support vector machine"):
        support_overlap(one, 3)


def test_fitting_to_the_support_vectors_of_another(two):
    X, y = two
    wide = SVC(gamma=0.05).fit(X, y)
    model = fit_on_support(SVC(gamma=0.5), wide, X, y, sample_weight=None)
    assert model.shape_fit_[0] == len(wide.support_)
    rows = np.sort(wide.support_)
    np.testing.assert_array_equal(model.decision_function(X), SVC(gamma=0.5).fit(X[rows], y[rows]).decision_function(X))
    # A machine of its own support vectors is the same machine.
    again = fit_on_support(SVC(gamma=0.05, tol=1e-6), SVC(gamma=0.05, tol=1e-6).fit(X, y), X, y)
    np.testing.assert_allclose(
        again.decision_function(X), SVC(gamma=0.05, tol=1e-6).fit(X, y).decision_function(X), atol=1e-3
    )
    with pytest.raises(ValueError, match="give the rows that it was fitted to"):
        fit_on_support(SVC(), wide, X[:10], y[:10])
    weighted = fit_on_support(SVR(), wide, X, X[:, 0], sample_weight=np.ones(len(y)))
    assert weighted.shape_fit_[0] == len(rows)
