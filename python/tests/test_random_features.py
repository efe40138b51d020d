"""Random features, sketches and Nyström features against their formulas and scikit-learn's classes."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.kernel_approximation
from estimator_list import EXPLICIT_MAPS, called
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import additive_chi2_kernel, laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mercer.kernel_approximation import (
    AdditiveChi2Sampler,
    KitchenSinks,
    Nystroem,
    PolynomialCountSketch,
    RandomFourierFeatures,
    RBFSampler,
)
from mercer.svm import LinearSVC


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(120, 5))


def root_mean_square(difference):
    return float(np.sqrt(np.mean(np.square(difference))))


def test_rbf_sampler_is_the_cosine_of_its_weights_and_offsets(rows):
    model = RBFSampler(gamma=0.3, n_components=64, random_state=3).fit(rows)
    assert model.random_weights_.shape == (5, 64)
    assert model.random_offset_.shape == (64,)
    expected = np.sqrt(2 / 64) * np.cos(rows @ model.random_weights_ + model.random_offset_)
    np.testing.assert_allclose(model.transform(rows), expected, atol=1e-12)
    np.testing.assert_array_equal(model.transform(scipy.sparse.csr_matrix(rows)).shape, (120, 64))


def test_frequencies_have_the_law_of_the_kernel(rows):
    weights = RBFSampler(gamma=0.3, n_components=20000, draws="independent").fit(rows).random_weights_
    np.testing.assert_allclose(weights.var(axis=1), 2 * 0.3, rtol=0.05)
    np.testing.assert_allclose(weights.mean(axis=1), 0, atol=0.02)


def test_orthogonal_pairs_are_closer_than_independent_cosines(rows):
    kernel = rbf_kernel(rows, gamma=0.3)

    def error(cls, **options):
        errors = []
        for seed in range(10):
            features = cls(gamma=0.3, n_components=200, random_state=seed, **options).fit_transform(rows)
            errors.append(root_mean_square(features @ features.T - kernel))
        return np.mean(errors)

    theirs = error(sklearn.kernel_approximation.RBFSampler)
    assert error(RBFSampler, draws="independent") == pytest.approx(theirs, rel=0.25)
    assert error(RBFSampler, form="pairs") < 0.9 * theirs


@pytest.mark.parametrize("form", ["pairs", "phases"])
def test_fourier_features_of_other_kernels(rows, form):
    model = RandomFourierFeatures(4000, kernel="laplacian", gamma=0.2, form=form, random_state=1)
    features = model.fit_transform(rows)
    error = root_mean_square(features @ features.T - laplacian_kernel(rows, gamma=0.2))
    assert error < 0.04
    assert model.kernel_error_ == pytest.approx(error, rel=0.3)


def test_pairs_are_cosines_and_sines(rows):
    model = RandomFourierFeatures(40, gamma=0.3).fit(rows)
    angles = rows @ model.random_weights_
    expected = np.sort(np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(20), axis=1)
    np.testing.assert_allclose(np.sort(model.transform(rows), axis=1), expected, atol=1e-12)
    assert model.random_offset_.shape == (0,)


@pytest.mark.parametrize(
    ("family", "function"),
    [
        ("relu", lambda v: np.sqrt(2 / 30) * np.maximum(v, 0)),
        ("tanh", lambda v: np.sqrt(1 / 30) * np.tanh(v)),
        ("step", lambda v: np.sqrt(1 / 30) * np.sign(v)),
        ("cos", lambda v: np.sqrt(2 / 30) * np.cos(v)),
    ],
)
def test_kitchen_sinks_are_functions_of_projections(rows, family, function):
    model = KitchenSinks(30, gamma=0.5, family=family, random_state=2).fit(rows)
    projections = rows @ model.random_weights_ + model.random_offset_
    np.testing.assert_allclose(model.transform(rows), function(projections), atol=1e-12)
    assert (model.kernel_error_ is None) == (family != "cos")


@pytest.mark.parametrize(("degree", "coef0", "size"), [(1, 0, 16), (2, 0, 1), (2, 0, 15), (3, 1.5, 32), (2, 2.0, 13)])
def test_count_sketch_is_the_convolution_of_its_hashes(rows, degree, coef0, size):
    model = PolynomialCountSketch(gamma=0.7, degree=degree, coef0=coef0, n_components=size, random_state=4).fit(rows)
    extended = np.sqrt(0.7) * rows
    if coef0:
        extended = np.hstack([extended, np.full((len(rows), 1), np.sqrt(coef0))])
    assert model.indexHash_.shape == model.bitHash_.shape == (degree, extended.shape[1])
    spectrum = np.ones((len(rows), size), dtype=complex)
    for factor in range(degree):
        sketch = np.zeros((len(rows), size))
        for column in range(extended.shape[1]):
            sketch[:, model.indexHash_[factor, column]] += model.bitHash_[factor, column] * extended[:, column]
        spectrum *= np.fft.fft(sketch, axis=1)
    np.testing.assert_allclose(model.transform(rows), np.fft.ifft(spectrum, axis=1).real, atol=1e-10)


def test_count_sketch_has_the_polynomial_kernel_on_average(rows):
    X = rows[:20]
    kernel = polynomial_kernel(X, degree=2, gamma=0.5, coef0=1)
    errors = []
    for seed in range(400):
        features = PolynomialCountSketch(gamma=0.5, coef0=1, n_components=16, random_state=seed).fit_transform(X)
        errors.append(features @ features.T - kernel)
    one = root_mean_square(errors)
    assert one < root_mean_square(kernel)
    assert root_mean_square(np.mean(errors, axis=0)) < 1.5 * one / np.sqrt(400)


@pytest.mark.parametrize("options", [{}, {"sample_steps": 1}, {"sample_steps": 3}, {"sample_interval": 0.3}], ids=str)
def test_chi2_features_are_those_of_scikit_learn(options):
    X = np.random.default_rng(0).uniform(size=(40, 6))
    X[::3, 2] = 0
    ours, theirs = AdditiveChi2Sampler(**options), sklearn.kernel_approximation.AdditiveChi2Sampler(**options)
    np.testing.assert_allclose(ours.fit_transform(X), theirs.fit_transform(X), atol=1e-12)
    np.testing.assert_allclose(AdditiveChi2Sampler(**options).transform(X), theirs.transform(X), atol=1e-12)
    sparse = ours.fit(X).transform(scipy.sparse.csr_matrix(X))
    assert scipy.sparse.issparse(sparse)
    np.testing.assert_allclose(sparse.toarray(), theirs.transform(X), atol=1e-12)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_chi2_features_refuse_negative_values():
    with pytest.raises(ValueError, match="Negative values in data passed to X in AdditiveChi2Sampler"):
        AdditiveChi2Sampler().fit([[1.0, -1.0]])


def test_more_chi2_samples_are_closer():
    X = np.random.default_rng(0).dirichlet(np.ones(8), size=50)
    errors = []
    for steps in (1, 2, 3, 5):
        features = AdditiveChi2Sampler(sample_steps=steps).fit_transform(X)
        exact = -additive_chi2_kernel(X)  # scikit-learn's is -sum (x - y)^2 / (x + y) = -2 + 2 sum 2xy/(x + y) there
        errors.append(root_mean_square(features @ features.T - (2 - exact) / 2))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.01


CHOICES = ["pivots", "greedy", "leverage", "kmeans", "uniform"]


@pytest.mark.parametrize("landmarks", CHOICES)
def test_nystroem_features_follow_from_their_components(rows, landmarks):
    model = Nystroem(gamma=0.2, n_components=25, landmarks=landmarks, random_state=1).fit(rows)
    values = rbf_kernel(rows, model.components_, gamma=0.2)
    np.testing.assert_allclose(model.transform(rows), values @ model.normalization_.T, atol=1e-9)
    inner = np.linalg.pinv(rbf_kernel(model.components_, gamma=0.2))
    features = model.transform(rows)
    np.testing.assert_allclose(features @ features.T, values @ inner @ values.T, atol=1e-6)
    if landmarks == "kmeans":
        assert model.component_indices_.size == 0
    else:
        np.testing.assert_array_equal(model.components_, rows[model.component_indices_])
    assert model.kernel_error_ < 0.3


def test_nystroem_takes_what_scikit_learns_takes(rows):
    kernel = rbf_kernel(rows, gamma=1 / 5)
    for options, X in (
        ({}, rows),
        ({"kernel": rbf_kernel}, rows),
        ({"kernel": rbf_kernel, "kernel_params": {"gamma": 1 / 5}}, rows),
        ({"kernel": "precomputed"}, kernel),
    ):
        features = Nystroem(n_components=120, tol=0, **options).fit_transform(X)
        np.testing.assert_allclose(features @ features.T, kernel, atol=1e-7)
    features = Nystroem("poly", n_components=120).fit_transform(rows)
    np.testing.assert_allclose(features @ features.T, polynomial_kernel(rows), rtol=1e-6, atol=1e-6)


def test_pivots_are_better_landmarks_than_uniform_ones():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(380, 2)), rng.normal(size=(20, 2)) + 12])

    def error(landmarks):
        errors = []
        for seed in range(5):
            features = Nystroem(gamma=0.5, n_components=40, landmarks=landmarks, random_state=seed).fit_transform(X)
            errors.append(np.mean(1 - np.square(features).sum(axis=1)))
        return np.mean(errors)

    assert error("pivots") < 0.6 * error("uniform")


def test_a_model_of_another_kernel_is_not_taken(rows):
    model = RandomFourierFeatures(10, kernel="laplacian").fit(rows)
    with pytest.raises(ValueError, match="rbf"):
        RBFSampler.from_bytes(model.to_bytes())
    loaded = PolynomialCountSketch.from_bytes(PolynomialCountSketch(degree=3, gamma=0.25).fit(rows).to_bytes())
    assert (loaded.degree, loaded.gamma, loaded.coef0) == (3, 0.25, 0)


@pytest.mark.parametrize("cls", EXPLICIT_MAPS, ids=called)
def test_pipelines_and_frames(cls):
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(make_pipeline(MinMaxScaler(clip=True), cls(), LinearSVC()), X, y, cv=3).mean() > 0.9
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = cls().set_output(transform="pandas").fit(frame)
    features = model.transform(frame)
    assert list(features.columns) == list(model.get_feature_names_out())
    np.testing.assert_array_equal(features.to_numpy(), cls().fit(X).transform(X))
