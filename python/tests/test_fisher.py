"""KernelFisherDiscriminant against linear discriminant analysis and against its definition."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from mercer.discriminant_analysis import KernelFisherDiscriminant


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_a_linear_kernel_gives_linear_discriminants(wine):
    X, y = wine
    ours = KernelFisherDiscriminant(1e-6, kernel="linear").fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    a, b = ours.transform(X), theirs.transform(X)
    for c in range(2):
        assert abs(np.corrcoef(a[:, c], b[:, c])[0, 1]) > 0.9999
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.98


def test_two_classes_maximise_the_ratio():
    X, y = make_moons(80, noise=0.2, random_state=0)
    model = KernelFisherDiscriminant(0.1, gamma=1).fit(X, y)
    gram = rbf_kernel(X, gamma=1)
    means = [gram[:, y == c].mean(axis=1) for c in (0, 1)]
    scatter = sum((y == c).sum() * np.cov(gram[:, y == c], bias=True) for c in (0, 1)) + 0.1 * gram
    want = gram @ np.linalg.lstsq(scatter, means[1] - means[0], rcond=None)[0]
    values = model.transform(X)[:, 0]
    assert np.corrcoef(values, want)[0, 1] > 0.99999
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))
    assert values[y == 1].mean() - values[y == 0].mean() == pytest.approx(2)


@pytest.mark.parametrize("threshold", ["automatic", "bayes"])
def test_scores_decide(threshold):
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    model = KernelFisherDiscriminant(threshold=threshold).fit(X, labels)
    scores = model.decision_function(X)
    assert scores.shape == (150, 3)
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    if threshold == "bayes":
        np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(model.priors_, 1 / 3)


def test_bayes_is_the_most_probable_class_beyond_both_roots():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 0.1, 100), rng.normal(1, 1, 100)][:, None]
    y = np.repeat(["a", "b"], 100)
    line = np.linspace(-8, 8, 161)[:, None]
    model = KernelFisherDiscriminant(1e-3, kernel="linear", threshold="bayes").fit(X, y)
    assert model.predict([[-8]]) == ["b"]
    np.testing.assert_array_equal(model.classes_[model.predict_proba(line).argmax(axis=1)], model.predict(line))
    np.testing.assert_array_equal(model.decision_function(line) > 0, model.predict(line) == "b")


def test_default_cuts_by_least_squares():
    X, y = make_moons(100, noise=0.3, random_state=1)
    default = KernelFisherDiscriminant(0.1, gamma=1).fit(X, y)
    given = KernelFisherDiscriminant(0.1, gamma=1, threshold="least_squares").fit(X, y)
    np.testing.assert_array_equal(default.decision_function(X), given.decision_function(X))


def test_priors_and_class_weights():
    X, y = make_moons(200, noise=0.4, random_state=0)
    X, y = X[(y == 0) | (np.arange(200) % 4 == 0)], y[(y == 0) | (np.arange(200) % 4 == 0)]
    shares = KernelFisherDiscriminant(threshold="bayes").fit(X, y)
    equal = KernelFisherDiscriminant(threshold="bayes", priors="equal").fit(X, y)
    given = KernelFisherDiscriminant(threshold="bayes", priors=[0.5, 0.5]).fit(X, y)
    np.testing.assert_allclose(shares.priors_, np.bincount(y) / len(y))
    np.testing.assert_allclose(equal.predict_proba(X), given.predict_proba(X), atol=1e-12)
    assert equal.predict(X).sum() > shares.predict(X).sum()
    assert KernelFisherDiscriminant.from_bytes(given.to_bytes()).priors == [0.5, 0.5]
    assert KernelFisherDiscriminant(class_weight="balanced").fit(X, y).predict(X).sum() > shares.predict(X).sum()
    with pytest.raises(ValueError, match="priors"):
        KernelFisherDiscriminant(priors=[1, 2, 3]).fit(X, y)
    with pytest.raises(ValueError, match="priors"):
        KernelFisherDiscriminant(priors="even").fit(X, y)


@pytest.mark.parametrize("form", ["exact", "low_rank", "greedy", "sparse"])
def test_forms_agree(form):
    X, y = make_moons(150, noise=0.2, random_state=0)
    model = KernelFisherDiscriminant(form=form, gamma=1).fit(X, y)
    assert model.score(X, y) > 0.9
    if form in ("greedy", "sparse"):
        assert len(model.dual_coef_) < 100


def test_penalty_is_chosen_and_can_be_searched(wine):
    X, y = wine
    assert KernelFisherDiscriminant().fit(X, y).alpha_ > 0
    search = GridSearchCV(KernelFisherDiscriminant(), {"alpha": [1e-3, 1e-1], "gamma": [0.01, 0.1]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.96
    with pytest.raises(ValueError, match="'alpha' parameter"):
        KernelFisherDiscriminant(-1).fit(X, y)
