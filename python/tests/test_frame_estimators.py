"""Frames in all kinds of estimators, in files, pipelines, folds and kernels."""

import pickle

import numpy as np
import pandas as pd
import pytest
from frame_helpers import fitted_table, mixed
from sklearn.base import clone
from sklearn.gaussian_process import kernels as gaussian
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from mercer.cluster import KernelKMeans
from mercer.decomposition import KernelPCA
from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernels import RBF, Linear, as_kernel
from mercer.linear_model import KernelLogisticRegression
from mercer.neighbors import KernelDensity, KernelDensityClassifier
from mercer.smoothing import LocalRegression, NadarayaWatsonClassifier, NadarayaWatsonRegressor
from mercer.svm import SVC, SVR, LinearSVC, OneClassSVM


def test_persistence_and_clones():
    model, frame, label = fitted_table()
    expected = model.decision_function(frame)
    for again in (pickle.loads(pickle.dumps(model)), SVC.from_bytes(model.to_bytes()), clone(model).fit(frame, label)):
        np.testing.assert_array_equal(again.decision_function(frame), expected)
        assert again.n_features_in_ == 4
        assert list(again.feature_names_in_) == list(frame.columns)
        assert list(again.coded_feature_names_) == list(model.coded_feature_names_)
        assert again.fit_report_["columns"] == model.fit_report_["columns"]


def test_in_pipelines_and_folds():
    frame, label, _ = mixed(240)
    model = SVC(C=2)
    scores = cross_val_score(model, frame, label, cv=4)
    assert scores.mean() > 0.85
    assert scores.mean() > cross_val_score(model, frame[["age", "income"]], label, cv=4).mean() + 0.1
    older = FunctionTransformer(lambda X: X.assign(age=X["age"] + 1))
    assert cross_val_score(make_pipeline(older, model), frame, label, cv=4).mean() == pytest.approx(
        scores.mean(), abs=0.02
    )
    features = make_pipeline(KernelPCA(n_components=5, kernel="rbf").set_output(transform="pandas"), SVC())
    assert features.fit(frame, label).score(frame, label) > 0.8
    assert list(features[0].transform(frame).columns) == [f"kernelpca{number}" for number in range(5)]


@pytest.mark.parametrize(
    "estimator",
    [
        KernelLogisticRegression(kernel="rbf(gamma=0.1)"),
        GaussianProcessClassifier(kernel="rbf(gamma=0.1)", optimizer=None),
        LinearSVC(),
        SVC(kernel="linear", probability=True),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_classifiers(estimator):
    frame, label, _ = mixed()
    assert estimator.fit(frame, label).score(frame, label) > 0.85
    if hasattr(estimator, "coef_"):
        assert estimator.coef_.shape[-1] == len(estimator.coded_feature_names_)
    numbers = frame[["age", "income"]].assign(income=frame["income"] / 1e4)
    assert clone(estimator).fit(numbers, label).predict(numbers).shape == (150,)


def test_other_models():
    frame, _, score = mixed()
    for X in (frame, frame[["age", "income"]].assign(income=frame["income"] / 1e4)):
        assert KernelKMeans(n_clusters=3, kernel="rbf(gamma=0.1)").fit(X).predict(X).shape == (150,)
        assert OneClassSVM(nu=0.1).fit(X).predict(X).shape == (150,)
        features = KernelPCA(n_components=3, kernel="rbf", gamma=0.1, fit_inverse_transform=True).fit(X)
        assert features.inverse_transform(features.transform(X)).shape == (150, len(features.coded_feature_names_))
        several = GaussianProcessClassifier(kernel="rbf(gamma=0.1)", optimizer=None).fit(X, np.arange(150) % 3)
        assert several.predict_proba(X).shape == (150, 3)
        process = GaussianProcessRegressor(kernel=gaussian.RBF(2.0), alpha=0.5, optimizer=None).fit(X, score)
        assert process.log_marginal_likelihood(process.kernel_.theta) == pytest.approx(
            process.log_marginal_likelihood_value_
        )
        assert process.L_.shape == (150, 150)
        assert process.sample_y(X[:5], 3).shape == (5, 3)


@pytest.mark.parametrize("cls", [NadarayaWatsonClassifier, KernelDensityClassifier])
def test_classifiers_without_kernels(cls):
    frame, label, _ = mixed()
    model = cls(bandwidth=0.8).fit(frame, label)
    assert model.score(frame, label) > 0.8
    again = cls.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


@pytest.mark.parametrize("model", [NadarayaWatsonRegressor(bandwidth=0.8), LocalRegression(span=0.9, degree=1)])
def test_smoothers(model):
    frame, _, score = mixed()
    two = frame[["age", "town"]]
    assert model.fit(two, score).score(two, score) > 0.3
    assert model.fit(frame[["age"]], score).predict(frame[["age"]]).shape == (150,)


def test_densities_are_of_numbers():
    frame, _, _ = mixed()
    with pytest.raises(ValueError, match="KernelDensity takes numbers alone, and column 'job' holds words: drop it"):
        KernelDensity().fit(frame)
    with pytest.raises(ValueError, match="column 'when' holds dates"):
        KernelDensity().fit(frame[["income"]].assign(when=pd.Timestamp("2020-01-01")))
    with pytest.raises(ValueError, match="NaN"):
        KernelDensity().fit(frame[["age"]])


def test_functions_and_matrices_of_kernels_take_numbers():
    frame, label, score = mixed()
    numbers = frame[["income"]] / 1e4

    def product(x, y):
        return x @ y.T

    np.testing.assert_allclose(
        SVR(kernel=product).fit(numbers, score).predict(numbers),
        SVR(kernel="linear").fit(numbers, score).predict(numbers),
        atol=1e-3,
    )
    said = "kernel that is a function takes numbers alone, and column 'job' holds words: convert it"
    model = SVC(kernel=product).fit(frame[["income"]], label)
    for call in (lambda: SVC(kernel=product).fit(frame, label), lambda: model.predict(frame)):
        with pytest.raises(ValueError, match=said):
            call()
    with pytest.raises(ValueError, match="precomputed kernel takes numbers alone, and column 'job' holds words"):
        SVC(kernel="precomputed").fit(frame, label)


def test_kernels_see_every_column():
    frame, _, _ = mixed(20)
    dummies = np.hstack(
        [
            frame["age"].isna().to_numpy()[:, None],
            pd.get_dummies(frame["job"].fillna("")).to_numpy(),
            pd.get_dummies(frame["town"]).to_numpy(),
        ]
    ).astype(float)
    numbers = frame[["age", "income"]].fillna(frame["age"].median()).to_numpy()
    rows = np.hstack([numbers, dummies])
    np.testing.assert_allclose(Linear()(frame), rows @ rows.T)
    np.testing.assert_allclose(Linear()(frame[:5], frame), rows[:5] @ rows.T)
    assert (as_kernel("hamming()")(frame).diagonal() > 0).all()
    truth = frame[["income"]].assign(flag=[True, False] * 10)
    for X in (truth, truth.assign(age=frame["age"])):
        np.testing.assert_array_equal(Linear()(X), Linear()(X.astype(float)))
        np.testing.assert_array_equal(Linear()(X[:5], X), Linear()(X)[:5])
        np.testing.assert_array_equal(Linear()(X[X.columns[::-1]][:5], X), Linear()(X)[:5])
    assert RBF(gamma="scale").resolved(frame).spec != RBF(gamma="scale").resolved(frame[["age"]].fillna(0)).spec


def test_a_frame_of_which_nothing_is_left_is_refused():
    frame = pd.DataFrame({"note": [f"note {i}" for i in range(20)], "kind": ["c"] * 20})
    for columns in (["note", "kind"], ["note"]):
        with pytest.raises(ValueError, match=r"no column of the frame holds numbers or categories.*note"):
            SVC().fit(frame[columns], ["p", "q"] * 10)
    with pytest.raises(ValueError, match=r"no column is left for the model; left out: kind \(constant\)"):
        SVC().fit(frame[["kind"]], ["p", "q"] * 10)
    SVC(kernel="spectrum(k=2)[note]").fit(frame, ["p", "q"] * 10)


def test_kernels_on_ranges_of_names():
    frame = pd.DataFrame({"a": [1.0, 2, 4] * 4, "b": [2.0, 3, 1, 5] * 3, "c": [0.5, 1, 9, 4] * 3})
    y = ["p", "q", "q"] * 4
    ranges, listed = "linear()[a:b]", "linear()[a, b]"
    np.testing.assert_allclose(as_kernel(ranges)(frame), as_kernel(listed)(frame), rtol=1e-12)
    np.testing.assert_allclose(
        SVC(kernel=ranges).fit(frame, y).decision_function(frame),
        SVC(kernel=listed).fit(frame, y).decision_function(frame),
        rtol=1e-6,
    )
