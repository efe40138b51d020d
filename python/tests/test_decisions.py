"""Decisions by costs, priors and rates of false positives, and the error-reject curve, against brute force."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer.discriminant_analysis import KernelFisherDiscriminant
from mercer.gaussian_process import GaussianProcessClassifier
from mercer.linear_model import KernelLogisticRegression
from mercer.svm import SVC


def blobs(seed, classes, rows=150, shift=1.2):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=rows)
    return rng.normal(size=(rows, 2)) + shift * np.column_stack([y, y % 2]), y


@parametrize_with_checks(
    [
        mercer.CostSensitiveClassifier(LogisticRegression(), costs=None),
        mercer.CostSensitiveClassifier(KernelLogisticRegression(alpha=1.0), priors="equal"),
        mercer.CostSensitiveClassifier(SVC()),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("inside", [LogisticRegression(), KernelLogisticRegression(alpha=1.0)])
def test_the_least_expected_cost_by_brute_force(inside):
    X, y = blobs(0, 3)
    costs = np.random.default_rng(1).uniform(0, 5, size=(3, 3))
    priors = np.array([0.1, 0.2, 0.7])
    model = mercer.CostSensitiveClassifier(inside, costs=costs, priors=priors).fit(X, y)
    shares = np.bincount(y) / len(y)
    p = model.predict_proba(X) * priors / shares
    p /= p.sum(axis=1, keepdims=True)
    expected = np.array([[sum(costs[j, k] * p[i, j] for j in range(3)) for k in range(3)] for i in range(len(X))])
    np.testing.assert_allclose(model.expected_costs(X), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), expected.argmin(axis=1))
    assert model.cost(X, y) == pytest.approx(np.mean([costs[t, k] for t, k in zip(y, model.predict(X), strict=True)]))


@pytest.mark.parametrize("inside", [SVC(), SVC(probability=True), KernelLogisticRegression(alpha=1.0)])
def test_plain_costs_are_the_plain_prediction(inside):
    X, y = blobs(2, 2)
    model = mercer.CostSensitiveClassifier(inside, costs=[[0, 3], [3, 0]]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), inside.fit(X, y).predict(X))


def test_a_larger_cost_makes_the_decision_rarer():
    X, y = blobs(3, 2)
    share = [
        np.mean(mercer.CostSensitiveClassifier(inside, costs={(1, 0): cost}).fit(X, y).predict(X) == 0)
        for inside in (SVC(), KernelLogisticRegression(alpha=1.0))
        for cost in (0.2, 1, 5)
    ]
    assert share[0] > share[1] > share[2]
    assert share[3] > share[4] > share[5]


def test_the_threshold_is_the_best_of_all_on_held_out_values():
    X, y = blobs(4, 2, shift=0.7)
    weights = np.random.default_rng(5).integers(1, 4, size=len(y)).astype(float)
    costs = np.array([[0.0, 1.0], [7.0, 0.5]])
    inside = sklearn.svm.SVC()
    folds = list(StratifiedKFold(4).split(X, y))
    model = mercer.CostSensitiveClassifier(inside, costs=costs, cv=folds).fit(X, y, sample_weight=weights)
    values = np.empty(len(y))
    for train, test in folds:
        values[test] = (
            sklearn.svm.SVC().fit(X[train], y[train], sample_weight=weights[train]).decision_function(X[test])
        )

    def total(threshold):
        return np.sum(weights * costs[y, (values >= threshold).astype(int)])

    ends = [values.min() - 1, values.max() + 1]
    best = min(total(t) for t in [*values, *ends])
    assert total(model.threshold_) == pytest.approx(best, rel=1e-12)


class Identity(ClassifierMixin, BaseEstimator):
    """Its decision value is the row itself."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) >= 0).astype(int)]


@pytest.mark.parametrize("rule", [{"costs": {(1, 0): 4}}, {"false_positive_rate": 0.2}])
@pytest.mark.parametrize("by_rows", [False, True])
def test_rows_of_weight_0_are_rows_deleted(rule, by_rows):
    rng = np.random.default_rng(9)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 1)) + y[:, None]
    weights = rng.integers(0, 3, size=80).astype(float)
    kept = weights > 0
    folds = list(StratifiedKFold(4).split(X[kept], y[kept]))
    # The same folds by numbers of all rows; those that do not count go anywhere.
    numbers = np.flatnonzero(kept)
    of_all = [(numbers[train], np.concatenate([numbers[test], np.flatnonzero(~kept)])) for train, test in folds]
    all_rows = mercer.CostSensitiveClassifier(Identity(), cv=of_all if by_rows else 4, **rule)
    some_rows = mercer.CostSensitiveClassifier(Identity(), cv=folds if by_rows else 4, **rule)
    all_rows.fit(X, y, sample_weight=weights)
    some_rows.fit(X[kept], y[kept], sample_weight=weights[kept])
    assert all_rows.threshold_ == some_rows.threshold_


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("rule", [{"costs": {(1, 0): 4}}, {"false_positive_rate": 0.2}])
def test_a_class_of_one_row_is_named(rule):
    X = np.arange(13.0)[:, None]
    with pytest.raises(ValueError, match="the class 1 has too few rows for folds, 1"):
        mercer.CostSensitiveClassifier(SVC(), cv=3, **rule).fit(X, (X[:, 0] > 11).astype(int))


def test_what_is_of_another_type_is_said():
    X, y = blobs(7, 2)
    for parameters, words in [
        ({"costs": {1: 5}}, "pairs of labels; 1 is none"),
        ({"costs": {"yes": 1}}, "pairs of labels; 'yes' is none"),
        ({"costs": "yes:no=5"}, "a matrix or a dict"),
        ({"false_positive_rate": "x"}, "a number between 0 and 1 is needed, not 'x'"),
    ]:
        with pytest.raises(TypeError, match=words):
            mercer.CostSensitiveClassifier(SVC(), **parameters).fit(X, y)
    with pytest.raises(TypeError, match="Ridge is a regressor: pass a classifier"):
        mercer.CostSensitiveClassifier(Ridge()).fit(X, y)


def test_a_column_of_confidences_is_a_vector():
    confidence = np.array([[3.0], [0.5], [1.0]])
    curve = mercer.error_reject_curve([0, 0, 1], [0, 1, 1], confidence)
    np.testing.assert_array_equal(curve.confidence, [0.5, 1.0, 3.0])


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("inside", [SVC(), LogisticRegression()])
def test_the_rate_holds_on_new_rows(inside, positive):
    rates = []
    for seed in range(12):
        X, y = blobs(10 + seed, 2, rows=200)
        new, truth = blobs(100 + seed, 2, rows=3000)
        model = mercer.CostSensitiveClassifier(inside, false_positive_rate=0.1, positive=positive).fit(X, y)
        rates.append(np.mean(model.predict(new)[truth != positive] == positive))
    # The mean of 12 rates, each of about 1500 rows and a threshold of 100 negatives (deviation .03): .009.
    assert 0.05 < np.mean(rates) < 0.1 + 3 * 0.009


def test_files_keep_the_rule(tmp_path):
    X, y = blobs(6, 2)
    for inside, rule in [
        (SVC(), {"costs": {(1, 0): 9}}),
        (SVC(), {"false_positive_rate": 0.05}),
        (SVC(break_ties=True), {"priors": [0.9, 0.1]}),
        (KernelLogisticRegression(alpha=1.0), {"costs": {(1, 0): 9}, "priors": "equal"}),
        (GaussianProcessClassifier(optimizer=None), {"costs": {(0, 1): 9}}),
        (GaussianProcessClassifier(optimizer=None), {"false_positive_rate": 0.05}),
        (KernelFisherDiscriminant(threshold="bayes"), {"false_positive_rate": 0.05}),
    ]:
        model = mercer.CostSensitiveClassifier(inside, **rule).fit(X, y)
        answers = model.predict(X)
        assert (answers != type(inside)(**inside.get_params()).fit(X, y).predict(X)).any()
        np.testing.assert_array_equal(model.estimator_.predict(X), answers)
        model.estimator_.save(tmp_path / "m.mercer")
        np.testing.assert_array_equal(type(inside).load(tmp_path / "m.mercer").predict(X), answers)


def test_what_cannot_be_is_said():
    X, y = blobs(7, 2)
    X3, y3 = blobs(8, 3)
    cases = [
        ({"costs": [[0, 1]]}, "costs: a matrix of the shape"),
        ({"costs": [[0, 0], [0, 0]]}, "costs: they are finite"),
        ({"costs": {(0, 5): 1}}, "costs: there is no class 5"),
        ({"priors": [0.5, 0.4]}, "priors: 2 probabilities are needed that sum to 1"),
        ({"priors": "even"}, "neither 'equal' nor 'training'"),
        ({"priors": {0: 1.0}}, "priors: there is none of the class"),
        ({"false_positive_rate": 0.0}, "false_positive_rate: between 0 and 1"),
        ({"false_positive_rate": 0.001}, "needs 999 rows at least"),
        ({"false_positive_rate": 0.1, "positive": 7}, "positive: there is no class 7"),
        ({"false_positive_rate": 0.1, "priors": "equal"}, "take one"),
        ({"positive": 1}, "give both"),
    ]
    for parameters, words in cases:
        with pytest.raises(ValueError, match=words):
            mercer.CostSensitiveClassifier(SVC(), **parameters).fit(X, y)
    with pytest.raises(ValueError, match="a threshold parts two classes, there are 3"):
        mercer.CostSensitiveClassifier(SVC(), costs=np.ones((3, 3)) - np.eye(3) * 0.5).fit(X3, y3)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        mercer.CostSensitiveClassifier(LogisticRegression()).fit(X, np.zeros(len(y)))


@pytest.mark.parametrize("seed", range(5))
def test_the_error_reject_curve_is_that_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    truth, answers = rng.integers(2, size=n), rng.integers(2, size=n)
    confidence = rng.integers(8, size=n) / 4  # many ties
    curve = mercer.error_reject_curve(truth, answers, confidence)
    wrong = truth != answers
    steps = np.unique(confidence)
    np.testing.assert_array_equal(curve.confidence, steps)
    np.testing.assert_allclose(curve.rejected, [np.mean(confidence < step) for step in steps], rtol=1e-15)
    np.testing.assert_allclose(curve.error, [np.mean(wrong[confidence >= step]) for step in steps], rtol=1e-14)
    for target in (0.0, 0.2, 0.5, 1.0):
        enough = [np.mean(confidence < step) for step in steps if np.mean(wrong[confidence >= step]) <= target]
        assert curve.punt_error(target).rejected == pytest.approx(min([*enough, 1.0]))


def test_the_lead_of_columns_and_wrong_input():
    scores = np.array([[0.1, 0.7, 0.2], [0.4, 0.4, 0.2]])
    np.testing.assert_allclose(mercer.error_reject_curve([1, 0], [1, 1], scores).confidence, [0.0, 0.5])
    with pytest.raises(ValueError, match="between 0 and 1, not 2"):
        mercer.error_reject_curve([1], [1], [0.5]).punt_error(2)
    with pytest.raises(ValueError, match="as many labels"):
        mercer.error_reject_curve([1, 2], [1], [0.5])
    with pytest.raises(ValueError, match="no samples"):
        mercer.error_reject_curve([], [], [])
