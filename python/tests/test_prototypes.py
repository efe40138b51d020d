"""Neighbours, class means, medoids and perceptrons against scikit-learn's and against brute force."""

import numpy as np
import pytest
import sklearn.neighbors
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from mercer.linear_model import KernelPerceptron
from mercer.neighbors import (
    ClassMeanClassifier,
    KernelNeighborsClassifier,
    KernelNeighborsRegressor,
    NearestMedoidClassifier,
)


@pytest.fixture(scope="module")
def data():
    return make_classification(150, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("neighbors", [1, 4, 15])
def test_neighbours_are_those_of_scikit_learn(data, weights, neighbors):
    X, y = data
    ours = KernelNeighborsClassifier(neighbors, weights=weights).fit(X[:100], y[:100])
    theirs = sklearn.neighbors.KNeighborsClassifier(neighbors, weights=weights).fit(X[:100], y[:100])
    np.testing.assert_array_equal(ours.predict(X[100:]), theirs.predict(X[100:]))
    np.testing.assert_allclose(ours.predict_proba(X[100:]), theirs.predict_proba(X[100:]), atol=1e-7)
    distances, rows = ours.kneighbors(X[100:])
    want_distances, want_rows = theirs.kneighbors(X[100:])
    np.testing.assert_array_equal(rows, want_rows)
    np.testing.assert_allclose(distances, want_distances, atol=1e-6)
    np.testing.assert_array_equal(ours.kneighbors(X[100:], return_distance=False), want_rows)
    targets = np.c_[X[:, 0], X[:, 1] * 2]
    ours = KernelNeighborsRegressor(neighbors, weights=weights).fit(X[:100], targets[:100])
    theirs = sklearn.neighbors.KNeighborsRegressor(neighbors, weights=weights).fit(X[:100], targets[:100])
    np.testing.assert_allclose(ours.predict(X[100:]), theirs.predict(X[100:]), atol=1e-6)


def test_a_kernel_that_falls_with_the_distance_has_the_same_neighbours(data):
    X, y = data
    linear = KernelNeighborsClassifier().fit(X, y)
    rbf = KernelNeighborsClassifier(kernel="rbf", gamma=0.1).fit(X, y)
    np.testing.assert_array_equal(linear.kneighbors(X)[1], rbf.kneighbors(X)[1])
    np.testing.assert_allclose(rbf.kneighbors(X)[0][:, 0], 0, atol=1e-7)


def test_rows_of_weight_zero_are_no_neighbours(data):
    X, y = data
    weights = np.ones(len(y))
    weights[::2] = 0
    model = KernelNeighborsClassifier(3).fit(X, y, sample_weight=weights)
    assert set(model.kneighbors(X)[1].ravel()) <= set(range(1, len(y), 2))


def test_class_means(data):
    X, y = data
    gram = rbf_kernel(X, gamma=0.1)
    means = np.array([gram[:, y == c].mean(axis=1) for c in range(3)]).T
    norms = np.array([gram[np.ix_(y == c, y == c)].mean() for c in range(3)])
    for rule, offsets in (("mean", norms / 2), ("distance", np.full(3, 0.5)), ("parzen", np.zeros(3))):
        model = ClassMeanClassifier(gamma=0.1, rule=rule).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), means - offsets, atol=1e-9)
        np.testing.assert_array_equal(model.predict(X), (means - offsets).argmax(axis=1))
    linear = ClassMeanClassifier(kernel="linear").fit(X, y)
    np.testing.assert_array_equal(linear.predict(X), sklearn.neighbors.NearestCentroid().fit(X, y).predict(X))


def test_nearest_medoids(data):
    X, y = data
    labels = np.array(["x", "y", "z"])[y]
    model = NearestMedoidClassifier(4, gamma=0.1).fit(X, labels)
    np.testing.assert_array_equal(labels[model.medoid_indices_], model.medoid_labels_)
    assert model.medoid_labels_.tolist() == ["x"] * 4 + ["y"] * 4 + ["z"] * 4
    nearest = rbf_kernel(X, X[model.medoid_indices_], gamma=0.1).argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X), model.medoid_labels_[nearest])


@pytest.mark.parametrize("form", ["plain", "averaged", "voted"])
def test_perceptrons_separate_what_can_be_separated(form):
    X, y = make_moons(200, noise=0.05, random_state=0)
    model = KernelPerceptron(form=form, gamma=5, max_iter=500).fit(X, y)
    assert model.score(X, y) > (0.999 if form == "plain" else 0.98)
    assert model.n_iter_ < 500
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))
    loaded = KernelPerceptron.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.form == form and loaded.n_iter_ == model.n_iter_


def test_perceptrons_of_several_classes_and_with_a_budget():
    X, y = load_iris(return_X_y=True)
    for multiclass in ("rest", "joint"):
        with pytest.warns(ConvergenceWarning):
            model = KernelPerceptron(multiclass=multiclass, max_iter=5).fit(X, y)
        assert model.score(X, y) > 0.9
    for policy in ("project", "oldest", "smallest"):
        with pytest.warns(ConvergenceWarning):
            model = KernelPerceptron(form="plain", budget=15, policy=policy, max_iter=5).fit(X, y)
        assert model.fit_report_["measures"]["centers"] <= 15
