"""GaussianProcessClassifier against scikit-learn's."""

import pickle

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


@pytest.mark.parametrize("kernel", [1.0 * RBF(1.0), 2.0 * RBF([0.5, 1.0, 2.0, 1.5])])
def test_log_marginal_likelihood_is_that_of_scikit_learn(iris, kernel):
    X, y = iris[0][50:], iris[1][50:]
    ours, theirs = (cls(kernel, optimizer=None).fit(X, y) for cls in (GaussianProcessClassifier, Theirs))
    assert ours.log_marginal_likelihood() == ours.log_marginal_likelihood_value_
    for shift in (0.0, 0.7):
        theta = kernel.theta + shift
        (value, gradient), (value2, gradient2) = (
            model.log_marginal_likelihood(theta, eval_gradient=True) for model in (ours, theirs)
        )
        np.testing.assert_allclose(value, value2, rtol=1e-6)
        np.testing.assert_allclose(gradient, gradient2, rtol=1e-3, atol=1e-4)
        assert ours.log_marginal_likelihood(theta, clone_kernel=False) == value
    with pytest.raises(ValueError, match="Gradient can only be evaluated"):
        ours.log_marginal_likelihood(eval_gradient=True)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
def test_mean_of_binary_likelihoods(iris, multi_class):
    X, y = iris
    ours, theirs = (
        cls(1.0 * RBF(1.0), optimizer=None, multi_class=multi_class).fit(X, y)
        for cls in (GaussianProcessClassifier, Theirs)
    )
    assert ours.kernel_ == theirs.kernel_
    for theta in ([0.1, 0.2], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]):
        value, gradient = ours.log_marginal_likelihood(theta, eval_gradient=True)
        np.testing.assert_allclose(value, theirs.log_marginal_likelihood(np.array(theta)), rtol=1e-6)
        np.testing.assert_allclose(gradient, _differences(ours, theta), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="Shape of theta"):
        ours.log_marginal_likelihood([1.0, 2.0, 3.0])


def _differences(model, theta, step=1e-4):
    slopes = []
    for number in range(len(theta)):
        ends = []
        for sign in (1, -1):
            moved = np.array(theta)
            moved[number] += sign * step
            ends.append(model.log_marginal_likelihood(moved))
        slopes.append((ends[0] - ends[1]) / (2 * step))
    return slopes


@pytest.mark.parametrize(
    "options", [{"multi_class": "softmax"}, {"inference": "ep"}, {"inference": "ep", "label_noise": 0.1}]
)
def test_evidence_of_other_inference(iris, options):
    rows = slice(None) if "multi_class" in options else slice(50, None)
    X, y = iris[0][rows][::2], iris[1][rows][::2]
    model = GaussianProcessClassifier("2*rbf(lengthscale=1)", optimizer=None, **options).fit(X, y)
    found = np.log([2.0, 1.0])
    np.testing.assert_allclose(model.log_marginal_likelihood(found), model.log_marginal_likelihood_value_, rtol=1e-9)
    _, gradient = model.log_marginal_likelihood(found + 0.3, eval_gradient=True)
    np.testing.assert_allclose(gradient, _differences(model, found + 0.3), rtol=1e-4, atol=1e-5)
    loaded = GaussianProcessClassifier.from_bytes(model.to_bytes())
    with pytest.raises(AttributeError, match="from a file"):
        loaded.log_marginal_likelihood(found)


def test_latent_mean_and_variance(iris):
    X, y = iris[0][50:], iris[1][50:]
    ours, theirs = (cls(1.0 * RBF(1.0), optimizer=None).fit(X, y) for cls in (GaussianProcessClassifier, Theirs))
    mean, variance = ours.latent_mean_and_variance(X)
    binary = theirs.base_estimator_
    cross = binary.kernel_(X, X)
    np.testing.assert_allclose(mean, cross @ (binary.y_train_ - binary.pi_), rtol=1e-5, atol=1e-6)
    solved = np.linalg.solve(binary.L_, binary.W_sr_[:, None] * cross.T)
    np.testing.assert_allclose(variance, binary.kernel_.diag(X) - np.sum(solved**2, axis=0), rtol=1e-5)
    with pytest.raises(ValueError, match="binary classification"):
        GaussianProcessClassifier(optimizer=None).fit(*iris).latent_mean_and_variance(X)


def test_base_estimator_of_two_classes_is_that_of_scikit_learn(iris):
    X, y = iris[0][50:], iris[1][50:]
    kernel = 2.0 * RBF(1.5)
    ours = GaussianProcessClassifier(kernel, optimizer=None).fit(X, y).base_estimator_
    theirs = Theirs(kernel, optimizer=None).fit(X, y).base_estimator_
    for name in ("f_", "pi_", "W_sr_", "L_", "X_train_", "y_train_", "classes_"):
        if hasattr(theirs, name):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-6, err_msg=name)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_)
    copied = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(copied.L_, ours.L_)
    with pytest.raises(AttributeError, match="laplace"):
        _ = GaussianProcessClassifier(inference="ep").fit(X, y).base_estimator_.pi_


def test_base_estimator_of_three_classes_and_before_a_fit(iris):
    X, y = iris
    assert len(GaussianProcessClassifier().fit(X, y).base_estimator_.estimators_) == 3
    assert not hasattr(GaussianProcessClassifier(), "base_estimator_")
    softmax = GaussianProcessClassifier(multi_class="softmax").fit(X, y)
    np.testing.assert_array_equal(softmax.base_estimator_.classes_, [0, 1, 2])
    assert not hasattr(softmax.base_estimator_, "f_")


def test_one_class_is_refused_as_by_scikit_learn():
    X = np.zeros((4, 2))
    for cls in (GaussianProcessClassifier, Theirs):
        with pytest.raises(ValueError, match="got 1 class"):
            cls().fit(X, np.zeros(4))
