"""GaussianProcessClassifier against scikit-learn's."""

import numpy as np
import pytest
import sklearn.gaussian_process
from sklearn.datasets import load_iris
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics import log_loss

from mercer.gaussian_process import GaussianProcessClassifier

Theirs = sklearn.gaussian_process.GaussianProcessClassifier


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("optimizer", [None, "fmin_l_bfgs_b"])
def test_two_classes_are_those_of_scikit_learn(iris, optimizer):
    X, y = iris[0][50:], iris[1][50:]
    ours, theirs = (cls(1.0 * RBF(1.0), optimizer=optimizer).fit(X, y) for cls in (GaussianProcessClassifier, Theirs))
    np.testing.assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, atol=1e-4)
    # scikit-learn replaces the integral over the latent value by a fit of five error functions.
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-2)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
def test_several_classes_are_those_of_scikit_learn(iris, multi_class):
    X, y = iris
    options = {"multi_class": multi_class}
    ours, theirs = (cls(1.0 * RBF(1.0), **options).fit(X[::2], y[::2]) for cls in (GaussianProcessClassifier, Theirs))
    np.testing.assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if multi_class == "one_vs_rest":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-3)
    else:
        with pytest.raises(ValueError, match="one_vs_one"):
            ours.predict_proba(X)


def test_softmax_knows_at_least_as_much(iris):
    X, y = iris
    softmax, rest = (
        GaussianProcessClassifier(1.0 * RBF(1.0), multi_class=kind).fit(X[::2], y[::2])
        for kind in ("softmax", "one_vs_rest")
    )
    held_out = X[1::2], y[1::2]
    losses = [log_loss(held_out[1], model.predict_proba(held_out[0])) for model in (softmax, rest)]
    assert losses[0] < losses[1] + 0.02
    np.testing.assert_allclose(softmax.predict_proba(X).sum(axis=1), 1)


def test_names_of_classes(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for kind in ("softmax", "one_vs_rest", "one_vs_one"):
        model = GaussianProcessClassifier(multi_class=kind).fit(X[::3], names[::3])
        assert set(model.predict(X)) <= set(names)
        assert model.n_classes_ == 3


@pytest.mark.parametrize("inference", ["ep", "variational"])
def test_other_inference(iris, inference):
    X, y = iris[0][50:], iris[1][50:]
    laplace = GaussianProcessClassifier("1*rbf(lengthscale=1)").fit(X, y)
    other = GaussianProcessClassifier("1*rbf(lengthscale=1)", inference=inference).fit(X, y)
    assert other.score(X, y) > 0.9
    assert np.abs(other.predict_proba(X) - laplace.predict_proba(X)).max() < 0.3
