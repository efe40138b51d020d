"""Clusterers against scikit-learn's, against brute force, and against what defines them."""

import itertools

import numpy as np
import pandas as pd
import pytest
import sklearn.cluster
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from mercer.cluster import KernelKMeans, KernelKMedoids, SpectralClustering


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(200, centers=4, random_state=2)


def test_linear_kernel_k_means_is_k_means(blobs):
    X, _ = blobs
    ours = KernelKMeans(4, kernel="linear").fit(X)
    theirs = sklearn.cluster.KMeans(4, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    order = [ours.labels_[np.flatnonzero(theirs.labels_ == c)[0]] for c in range(4)]
    np.testing.assert_allclose(ours.cluster_centers_[order], theirs.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(ours.transform(X)[:, order], theirs.transform(X), atol=1e-6)
    assert ours.score(X) == pytest.approx(theirs.score(X))
    loaded = KernelKMeans.from_bytes(ours.to_bytes())
    np.testing.assert_allclose(loaded.cluster_centers_, ours.cluster_centers_)
    assert loaded.inertia_ == ours.inertia_


def test_inertia_is_what_it_says(blobs):
    X, _ = blobs
    model = KernelKMeans(4, gamma=0.05).fit(X)
    gram = rbf_kernel(X, gamma=0.05)
    total = 0.0
    for c in range(4):
        inside = gram[np.ix_(model.labels_ == c, model.labels_ == c)]
        total += np.trace(inside) - inside.sum() / len(inside)
    assert model.inertia_ == pytest.approx(total)
    assert not hasattr(model, "cluster_centers_")


def test_a_weight_is_so_many_rows(blobs):
    X, _ = blobs
    weights = np.random.default_rng(0).integers(1, 4, size=len(X))
    weighted = KernelKMeans(4, gamma=0.05, n_init=20).fit(X, sample_weight=weights)
    repeated = KernelKMeans(4, gamma=0.05, n_init=20).fit(np.repeat(X, weights, axis=0))
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)


def test_precomputed_matrices_have_clusters_but_no_distances(blobs):
    X, _ = blobs
    gram = rbf_kernel(X, gamma=0.05)
    named, given, function = (
        KernelKMeans(4, kernel=kernel, gamma=0.05, kernel_params=params).fit(rows)
        for kernel, params, rows in (("rbf", None, X), ("precomputed", None, gram), (rbf_kernel, {"gamma": 0.05}, X))
    )
    np.testing.assert_array_equal(given.labels_, named.labels_)
    np.testing.assert_array_equal(function.labels_, named.labels_)
    np.testing.assert_array_equal(given.predict(gram[:9]), named.predict(X[:9]))
    loaded = KernelKMeans.from_bytes(function.to_bytes(), kernel=rbf_kernel)
    np.testing.assert_array_equal(loaded.predict(X), named.labels_)
    for model, rows in ((given, gram), (function, X)):
        with pytest.raises(ValueError, match=r"distances need k\(x, x\)"):
            model.transform(rows)


def test_circles_need_a_kernel():
    X, y = make_circles(200, factor=0.2, noise=0.03, random_state=0)
    assert adjusted_rand_score(y, KernelKMeans(2, kernel="linear").fit_predict(X)) < 0.2
    assert adjusted_rand_score(y, KernelKMeans(2, gamma=4).fit_predict(X)) > 0.9


def test_medoids_are_the_best_of_all():
    X = np.random.default_rng(0).normal(size=(12, 2))
    distances = np.sqrt(np.maximum(2 - 2 * rbf_kernel(X, gamma=0.5), 0))
    best = min(distances[:, list(chosen)].min(axis=1).sum() for chosen in itertools.combinations(range(12), 3))
    model = KernelKMedoids(3, gamma=0.5, n_init=20).fit(X)
    assert model.inertia_ == pytest.approx(best)
    np.testing.assert_array_equal(model.cluster_centers_, X[model.medoid_indices_])
    np.testing.assert_array_equal(model.labels_, distances[:, model.medoid_indices_].argmin(axis=1))
    np.testing.assert_allclose(model.transform(X), distances[:, model.medoid_indices_], atol=1e-7)


def test_medoids_of_frames():
    frame = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1], "kind": pd.Categorical(["a", "a", "b", "b"])})
    model = KernelKMedoids(2, kernel="rbf(gamma=1)[x] * delta()[kind]").fit(frame)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.cluster_centers_["kind"].tolist() == ["a", "b"]


def test_spectral_clusters_are_those_of_scikit_learn():
    X, y = make_moons(200, noise=0.05, random_state=0)
    ours = SpectralClustering(2, gamma=50).fit(X)
    theirs = sklearn.cluster.SpectralClustering(2, gamma=50, random_state=0).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert adjusted_rand_score(ours.labels_, y) == 1
    np.testing.assert_allclose(ours.affinity_matrix_, theirs.affinity_matrix_, atol=1e-12)
    new, labels = make_moons(100, noise=0.05, random_state=1)
    assert adjusted_rand_score(ours.predict(new), labels) > 0.95
    given = SpectralClustering(2, affinity="precomputed").fit(theirs.affinity_matrix_)
    np.testing.assert_array_equal(given.labels_, ours.labels_)
    np.testing.assert_allclose(given.affinity_matrix_, theirs.affinity_matrix_)


def test_spectral_clusters_of_a_graph_of_neighbours():
    X, y = make_moons(200, noise=0.05, random_state=0)
    model = SpectralClustering(2, affinity="nearest_neighbors").fit(X)
    assert adjusted_rand_score(model.labels_, y) > 0.9
    with pytest.raises(ValueError, match="no place for new rows"):
        model.predict(X[:3])


def test_spectral_words():
    X, _ = make_moons(50, random_state=0)
    with pytest.raises(ValueError, match="assign_labels"):
        SpectralClustering(2, assign_labels="discretize").fit(X)
    with pytest.raises(ValueError, match="n_components"):
        SpectralClustering(2, n_components=0).fit(X)
    assert len(SpectralClustering(2, n_components=3).fit(X).eigenvalues_) == 3
    with pytest.raises(ValueError, match="negative"):
        SpectralClustering(2, affinity="linear").fit(X)
