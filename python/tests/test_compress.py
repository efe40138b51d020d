"""Smaller models: they agree with the large ones, load and predict as any other."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

import mercer
from mercer.cluster import KernelKMeans
from mercer.decomposition import KernelPCA
from mercer.discriminant_analysis import KernelFisherDiscriminant
from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.svm import SVC, SVR, LeastSquaresSVC, OneClassSVM


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(400, noise=0.2, random_state=0)
    return X, np.array(["no", "yes"])[y]


@pytest.mark.parametrize("model", [SVC(gamma=1), LeastSquaresSVC(gamma=1), KernelFisherDiscriminant(gamma=1)], ids=str)
def test_classifiers(model, moons, tmp_path):
    X, y = moons
    large = model.fit(X, y)
    before = large.predict(X)
    small = mercer.compress(large, 25, X, y)
    assert type(small) is type(large) and small.get_params() == large.get_params()
    np.testing.assert_array_equal(large.predict(X), before)
    assert np.mean(small.predict(X) == before) > 0.96
    report = small.compress_report_
    assert report["centers_after"] == 25 < report["centers_before"]
    assert 0 <= report["error"] < 0.5 * report["norm"]
    assert report["agreement"]["same_labels"] == pytest.approx(np.mean(small.predict(X) == before))
    if isinstance(small, SVC):
        np.testing.assert_array_equal(small.support_, -1)
        assert small.support_vectors_.shape == (25, 2)
    small.save(tmp_path / "small.mercer")
    np.testing.assert_array_equal(type(small).load(tmp_path / "small.mercer").predict(X), small.predict(X))
    assert len(small.to_bytes()) < len(large.to_bytes())


@pytest.mark.parametrize("model", [KernelRidge(0.1, kernel="rbf", gamma=1), SVR(gamma=1, C=10)], ids=str)
@pytest.mark.parametrize("method", ["auto", "greedy", "kpca"])
def test_regressors(model, method):
    X = np.random.default_rng(0).uniform(-3, 3, size=(300, 1))
    large = model.fit(X, np.sin(2 * X[:, 0]))
    small = mercer.compress(large, 20, X, method=method)
    assert np.abs(small.predict(X) - large.predict(X)).max() < 0.1
    bound = small.compress_report_["error"] * 1.01 + abs(small.compress_report_["outputs"][0]["offset_shift"])
    assert np.abs(small.predict(X) - large.predict(X)).max() <= bound + 1e-5


def test_the_mean_of_a_gaussian_process():
    X = np.random.default_rng(0).uniform(-3, 3, size=(150, 1))
    large = GaussianProcessRegressor("1*rbf(lengthscale=1)", alpha=0.01).fit(X, np.sin(2 * X[:, 0]))
    small = mercer.compress(large, 15)
    assert isinstance(small, KernelRidge)
    assert np.abs(small.predict(X) - large.predict(X)).max() < 0.05


def test_novelty_and_several_classes():
    X, y = load_iris(return_X_y=True)
    large = OneClassSVM(nu=0.2).fit(X)
    small = mercer.compress(large, 10, X)
    assert np.mean(small.predict(X) == large.predict(X)) > 0.9
    machine = SVC(C=10).fit(X, y)
    for per_output in (False, True):
        small = mercer.compress(machine, 10, X, y, per_output=per_output)
        assert small.score(X, y) > 0.95


def test_features_and_clusters():
    X, _ = load_iris(return_X_y=True)
    large = KernelPCA(3, kernel="rbf", gamma=0.2).fit(X)
    small = mercer.compress(large, 20)
    np.testing.assert_allclose(small.transform(X), large.transform(X), atol=0.05)
    np.testing.assert_array_equal(small.eigenvalues_, large.eigenvalues_)
    clusters = KernelKMeans(3, gamma=0.2).fit(X)
    assert np.mean(mercer.compress(clusters, 20).predict(X) == clusters.labels_) > 0.97


def test_what_cannot_be_compressed_is_said(moons):
    X, y = moons
    with pytest.raises(ValueError, match="not fitted"):
        mercer.compress(SVC())
    with pytest.raises(TypeError, match="fitted estimator of mercer"):
        mercer.compress("a model")
    with pytest.raises(ValueError, match="'size' parameter"):
        mercer.compress(SVC().fit(X, y), 0)
    with pytest.raises(ValueError, match="'method' parameter"):
        mercer.compress(SVC().fit(X, y), 5, method="magic")
    with pytest.raises(ValueError, match="y without X"):
        mercer.compress(SVC().fit(X, y), 5, y=y)
    with pytest.raises(ValueError, match="labels that the model does not know"):
        mercer.compress(SVC().fit(X, y), 5, X, np.full(len(y), "maybe"))
    iris = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="one at a time"):
        mercer.compress(GaussianProcessClassifier().fit(*iris), 5)
