"""KernelPCA against scikit-learn's, and the other features against what defines them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.decomposition
from sklearn.cross_decomposition import CCA
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel

from mercer.cross_decomposition import KernelCCA
from mercer.decomposition import KernelPCA, KernelProjectionPursuit, OrientedKernelPCA, SparseKernelFeatures
from mercer.kernel_approximation import KernelMap


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(120, 4)) * [1, 2, 3, 4]


CASES = [
    {"kernel": "rbf", "gamma": 0.05, "n_components": 5},
    {"kernel": "rbf", "n_components": 4},
    {"kernel": "poly", "degree": 2, "n_components": 6},
    {"kernel": "linear"},
    {"kernel": "cosine", "n_components": 3},
    {"kernel": "rbf", "gamma": 0.05, "n_components": 3, "eigen_solver": "dense"},
    {"kernel": "rbf", "gamma": 0.05, "n_components": 3, "eigen_solver": "arpack"},
]


def test_ratios_of_an_indefinite_kernel_are_shares(rows):
    options = {"kernel": "sigmoid(gamma=0.02, coef0=-0.5)"}
    ratios = KernelPCA(**options).fit(rows).explained_variance_ratio_
    assert 1 - 1e-6 < ratios.sum() <= 1 + 1e-12
    leading = KernelPCA(3, eigen_solver="arpack", **options).fit(rows)
    assert np.isnan(leading.explained_variance_ratio_).all()
    assert np.isfinite(KernelPCA(3, eigen_solver="arpack", kernel="rbf").fit(rows).explained_variance_ratio_).all()


@pytest.mark.parametrize("options", CASES, ids=str)
def test_kernel_pca_is_that_of_scikit_learn_with_its_signs(rows, options):
    ours, theirs = (cls(**options).fit(rows) for cls in (KernelPCA, sklearn.decomposition.KernelPCA))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-7)
    np.testing.assert_allclose(ours.eigenvectors_, theirs.eigenvectors_, atol=1e-6)
    new = np.random.default_rng(1).normal(size=(30, 4))
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-5)
    np.testing.assert_allclose(ours.fit_transform(rows), theirs.fit_transform(rows), atol=1e-5)
    np.testing.assert_allclose(ours.fit_transform(rows), ours.transform(rows), atol=1e-6)
    assert ours.gamma_ == theirs.gamma_
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_linear_kernel_pca_is_pca(rows):
    ours = KernelPCA(3).fit(rows)
    theirs = sklearn.decomposition.PCA(3).fit(rows)
    np.testing.assert_allclose(np.abs(ours.transform(rows)), np.abs(theirs.transform(rows)), atol=1e-9)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)
    np.testing.assert_allclose(ours.explained_variance_ * 120 / 119, theirs.explained_variance_)


def test_components_without_variance_are_zeros_or_left_out(rows):
    ours, theirs = (cls(6).fit(rows) for cls in (KernelPCA, sklearn.decomposition.KernelPCA))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9, atol=1e-9)
    assert ours.transform(rows).shape == theirs.transform(rows).shape == (120, 6)
    assert not ours.transform(rows)[:, 4:].any()
    short = KernelPCA(6, remove_zero_eig=True).fit(rows)
    assert short.transform(rows).shape == (120, 4)
    assert KernelPCA(500).fit(rows).transform(rows).shape == (120, 120)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_learnt_inverse_is_that_of_scikit_learn(rows, kernel, tmp_path):
    options = {"n_components": 3, "kernel": kernel, "gamma": 0.05, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = (cls(**options).fit(rows) for cls in (KernelPCA, sklearn.decomposition.KernelPCA))
    features = theirs.transform(rows)
    np.testing.assert_allclose(ours.inverse_transform(features), theirs.inverse_transform(features), atol=1e-6)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-6)
    np.testing.assert_allclose(ours.X_transformed_fit_, theirs.X_transformed_fit_, atol=1e-6)
    ours.save(tmp_path / "pca.mercer")
    loaded = KernelPCA.load(tmp_path / "pca.mercer")
    np.testing.assert_array_equal(loaded.inverse_transform(features), ours.inverse_transform(features))
    np.testing.assert_array_equal(loaded.transform(rows), ours.transform(rows))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("columns", [1, 4])
def test_coefficients_of_the_inverse_are_kept_in_files(rows, kernel, columns):
    model = KernelPCA(3, kernel=kernel, fit_inverse_transform=True, alpha=0.1).fit(rows[:, :columns])
    loaded = KernelPCA.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(loaded.dual_coef_, model.dual_coef_)
    assert loaded.to_bytes() == model.to_bytes()


def test_files_without_the_coefficients_of_a_primal_inverse_say_nothing_of_them(rows):
    model = KernelPCA(3, fit_inverse_transform=True).fit(rows)
    bundle = model._bundle()
    del bundle.arrays["inverse"]
    loaded = KernelPCA.from_bytes(bundle.to_bytes(model._record(bundle.facts)))
    assert not hasattr(loaded, "dual_coef_")
    np.testing.assert_array_equal(loaded.inverse_transform(rows[:, :3]), model.inverse_transform(rows[:, :3]))
    assert KernelPCA.from_bytes(loaded.to_bytes()).n_components == 3


@pytest.mark.parametrize("change", [lambda a: a[1:], lambda a: a[:, 0], lambda a: a * np.nan])
def test_damaged_coefficients_of_the_inverse_are_refused(rows, change):
    model = KernelPCA(3, fit_inverse_transform=True).fit(rows)
    bundle = model._bundle()
    bundle.arrays["inverse"] = change(bundle.arrays["inverse"])
    with pytest.raises(ValueError, match="coefficients of the inverse"):
        KernelPCA.from_bytes(bundle.to_bytes(model._record(bundle.facts)))


def test_inverse_of_a_kernel_that_is_a_function(rows):
    model = KernelPCA(3, kernel=rbf_kernel, kernel_params={"gamma": 0.05}, fit_inverse_transform=True).fit(rows)
    named = KernelPCA(3, kernel="rbf", gamma=0.05, fit_inverse_transform=True).fit(rows)
    np.testing.assert_allclose(model.transform(rows), named.transform(rows), atol=1e-9)
    want = model.inverse_transform(model.transform(rows))
    np.testing.assert_allclose(want, named.inverse_transform(named.transform(rows)), atol=1e-9)
    loaded = KernelPCA.from_bytes(model.to_bytes(), kernel=rbf_kernel)
    np.testing.assert_allclose(loaded.inverse_transform(loaded.transform(rows)), want, atol=1e-12)


def test_words_where_there_is_no_inverse(rows):
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        KernelPCA(2).fit(rows).inverse_transform(rows[:, :2])
    with pytest.raises(ValueError, match="precomputed"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(rows @ rows.T)
    with pytest.raises(NotImplementedError, match="sparse"):
        KernelPCA(2, fit_inverse_transform=True).fit(scipy.sparse.csr_matrix(rows))
    with pytest.raises(ValueError, match="'n_components' parameter of KernelPCA"):
        KernelPCA(0).fit(rows)


def test_precomputed_matrices_and_functions(rows):
    gram = rbf_kernel(rows, gamma=0.05)
    new = np.random.default_rng(1).normal(size=(7, 4))
    named = KernelPCA(3, kernel="rbf", gamma=0.05).fit(rows)
    given = KernelPCA(3, kernel="precomputed").fit(gram)
    np.testing.assert_allclose(given.transform(rbf_kernel(new, rows, gamma=0.05)), named.transform(new), atol=1e-8)
    np.testing.assert_allclose(given.eigenvalues_, named.eigenvalues_)


def test_whitening_centring_and_other_methods(rows):
    white = KernelPCA(4, kernel="rbf", gamma=0.05, whiten=True).fit(rows)
    features = white.transform(rows)
    np.testing.assert_allclose(features.T @ features / 120, np.eye(4), atol=1e-6)
    np.testing.assert_allclose(white.fit_transform(rows), features, atol=1e-6)
    values = np.linalg.eigvalsh(rbf_kernel(rows, gamma=0.05))[::-1][:3]
    np.testing.assert_allclose(KernelPCA(3, kernel="rbf", gamma=0.05, center=False).fit(rows).eigenvalues_, values)
    exact = KernelPCA(3, kernel="rbf", gamma=0.05).fit(rows)
    pivoted = KernelPCA(3, kernel="rbf", gamma=0.05, eigen_solver="pivoted", rank=120).fit(rows)
    np.testing.assert_allclose(pivoted.eigenvalues_, exact.eigenvalues_, rtol=1e-6)
    np.testing.assert_allclose(np.abs(pivoted.eigenvectors_), np.abs(exact.eigenvectors_), atol=1e-5)


def test_what_components_leave_out(rows):
    pca = KernelPCA(2).fit(rows)
    centred = rows - rows.mean(axis=0)
    features = pca.transform(rows)
    np.testing.assert_allclose(
        pca.reconstruction_error(rows), np.sum(centred**2, axis=1) - np.sum(features**2, axis=1), atol=1e-6
    )
    line = np.outer(np.linspace(-1, 1, 50), [1.0, 2.0]) + 0.05 * np.random.default_rng(0).normal(size=(50, 2))
    denoised = KernelPCA(1).fit(line).preimage(line)
    assert np.linalg.matrix_rank(denoised - denoised.mean(axis=0), tol=1e-3) == 1
    rbf = KernelPCA(2, kernel="rbf", gamma=0.3).fit(line)
    assert np.abs(rbf.preimage(line) - line).mean() < 0.1


def test_sparse_features_use_as_many_rows_as_there_are_features(rows):
    features = SparseKernelFeatures(5, gamma=0.05).fit(rows)
    assert len(set(features.center_indices_)) == 5
    kernel = rbf_kernel(rows, rows[features.center_indices_], gamma=0.05)
    want = kernel @ features.dual_coef_ + features.intercept_
    np.testing.assert_allclose(features.transform(rows), want, atol=1e-6)
    # The first row is that whose kernel values vary most.
    assert features.center_indices_[0] == np.argmax(rbf_kernel(rows, gamma=0.05).var(axis=0))
    np.testing.assert_allclose(features.explained_variance_, features.transform(rows).var(axis=0), rtol=1e-5)


def test_pursuit_of_the_variance_is_kernel_pca(rows):
    pursuit = KernelProjectionPursuit(2, gamma=0.05, contrast="square").fit_transform(rows)
    pca = KernelPCA(2, kernel="rbf", gamma=0.05).fit_transform(rows)
    correlations = np.abs(np.corrcoef(pursuit.T, pca.T)[:2, 2:])
    assert correlations.diagonal().min() > 0.999


def test_pursuit_finds_clusters_among_larger_noise():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, size=300)
    X = np.c_[np.where(labels, 1.0, -1.0) + 0.1 * rng.normal(size=300), 3 * rng.normal(size=(300, 2))]
    pursuit = KernelProjectionPursuit(1, kernel="linear", contrast="negentropy").fit_transform(X)[:, 0]
    assert abs(np.corrcoef(pursuit, labels)[0, 1]) > 0.95
    assert abs(np.corrcoef(KernelPCA(1).fit_transform(X)[:, 0], labels)[0, 1]) < 0.5


def test_oriented_pca_turns_away_from_noise():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 5)
    thing = rng.normal(size=60)[group]
    X = np.c_[thing, 3 * rng.normal(size=300)]
    names = np.array([f"g{number}" for number in group])
    for groups in (group, names):
        first = OrientedKernelPCA(1, kernel="linear").fit(X, groups).transform(X)[:, 0]
        assert abs(np.corrcoef(first, thing)[0, 1]) > 0.99
    with pytest.raises(ValueError, match="requires y"):
        OrientedKernelPCA().fit(X, None)


def test_linear_cca_is_the_classical_one():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(400, 1))
    X = np.c_[hidden + 0.3 * rng.normal(size=(400, 1)), rng.normal(size=(400, 2))]
    Y = np.c_[rng.normal(size=(400, 1)), hidden + 0.3 * rng.normal(size=(400, 1))]
    ours = KernelCCA(2, kernel="linear", regularization=1e-9, target_regularization=1e-9).fit(X, Y)
    x, y = CCA(2).fit_transform(X, Y)
    want = [abs(np.corrcoef(x[:, c], y[:, c])[0, 1]) for c in range(2)]
    np.testing.assert_allclose(ours.correlations_, want, atol=1e-4)
    assert abs(np.corrcoef(ours.transform(X)[:, 0], x[:, 0])[0, 1]) > 0.9999


def test_cca_with_labels_numbers_and_kernels_of_targets():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    assert KernelCCA(5).fit(X, labels).transform(X).shape == (150, 2)
    assert KernelCCA(5).fit(X, y.astype(object)).transform(X).shape == (150, 1)
    assert KernelCCA(5, target_kernel="rbf(gamma=1)").fit(X, y).transform(X).shape[1] > 1
    loaded = KernelCCA.from_bytes(KernelCCA(2, target_kernel="rbf(gamma=1)").fit(X, y).to_bytes())
    assert loaded.target_kernel == "rbf(gamma=1)"


def test_kernel_map_gives_kernel_values_as_inner_products(rows):
    gram = rbf_kernel(rows, gamma=0.05)
    for landmarks in ("pivots", "random"):
        everything = KernelMap(0, gamma=0.05, landmarks=landmarks).fit_transform(rows)
        np.testing.assert_allclose(everything @ everything.T, gram, atol=1e-8)
    few = KernelMap(60, gamma=0.05).fit(rows)
    random = Nystroem(gamma=0.05, n_components=60, random_state=0).fit(rows)
    errors = [np.abs(f @ f.T - gram).max() for f in (few.transform(rows), random.transform(rows))]
    assert errors[0] < errors[1]
    # Nyström's formula for the same landmarks.
    cross = gram[:, few.center_indices_]
    inside = gram[np.ix_(few.center_indices_, few.center_indices_)]
    features = few.transform(rows)
    np.testing.assert_allclose(features @ features.T, cross @ np.linalg.solve(inside, cross.T), atol=1e-6)
    empirical = KernelMap(20, gamma=0.05, whiten=False).fit(rows)
    np.testing.assert_allclose(empirical.transform(rows), gram[:, empirical.center_indices_], atol=1e-12)


@pytest.mark.parametrize("cls", [KernelPCA, SparseKernelFeatures, KernelMap, KernelProjectionPursuit])
def test_features_of_frames_of_several_kinds(cls):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "kind": pd.Categorical(rng.choice(["a", "b", "c"], 40))})
    model = cls(2, kernel="rbf(gamma=1)[x] + delta()[kind]").fit(frame)
    features = model.transform(frame)
    assert features.shape == (40, 2)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(frame), features)
    np.testing.assert_array_equal(cls.from_bytes(model.to_bytes()).transform(frame), features)


def test_blobs_are_apart_in_kernel_pca():
    X, y = make_blobs(150, centers=3, cluster_std=0.5, random_state=1)
    features = KernelPCA(2, kernel="rbf", gamma=0.1).fit_transform(X)
    centres = np.array([features[y == c].mean(axis=0) for c in range(3)])
    nearest = np.argmin(((features[:, None] - centres) ** 2).sum(axis=2), axis=1)
    assert np.mean(nearest == y) > 0.95
