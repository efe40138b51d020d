"""The estimators inside scikit-learn: pipelines, searches, calibration, frames, copies, threads."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from estimator_list import (
    ALL,
    CLASSIFIERS,
    CLUSTERERS,
    EXPLICIT_MAPS,
    FEATURES,
    NEED_TARGETS,
    NOVELTY,
    REGRESSORS,
    called,
    values_of,
)
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris, make_regression
from sklearn.ensemble import BaggingClassifier
from sklearn.inspection import permutation_importance
from sklearn.metrics import adjusted_rand_score, brier_score_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.kernels import RBF, Matern
from mercer.neighbors import HistogramDensity, KernelNeighborsClassifier
from mercer.svm import SVC, SVR, LinearSVC


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def regression():
    X, y = make_regression(90, 4, noise=5, random_state=0)
    return X, y / 50


def fitted(cls, iris, regression, **options):
    if cls in REGRESSORS:
        return cls(**options).fit(*regression), regression[0]
    X, y = iris
    if cls is KernelNeighborsClassifier:  # equal distances would be told apart by rounding
        X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
    return (cls(**options).fit(X, y) if cls in NEED_TARGETS else cls(**options).fit(X)), X


@pytest.mark.parametrize("cls", [c for c in FEATURES if c not in EXPLICIT_MAPS], ids=called)
def test_features_in_pipelines_frames_and_searches(cls, iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), cls(), LinearSVC())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = cls(2).set_output(transform="pandas").fit(frame, y)
    features = model.transform(frame)
    assert list(features.columns) == list(model.get_feature_names_out())
    assert features.columns[0] == f"{cls.__name__.lower()}0"
    np.testing.assert_array_equal(
        features.to_numpy(), clone(model).set_output(transform="default").fit(frame, y).transform(frame)
    )
    steps = Pipeline([("features", cls()), ("machine", LinearSVC())])
    search = GridSearchCV(steps, {"features__n_components": [1, 4], "features__gamma": [0.1, 1]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8


@pytest.mark.parametrize("cls", CLUSTERERS, ids=called)
def test_clusterers_in_pipelines(cls, iris):
    X, y = iris
    labels = make_pipeline(StandardScaler(), cls(n_clusters=3, random_state=0)).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.5
    model = cls(n_clusters=3).fit(X)
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    np.testing.assert_array_equal(model.labels_, cls(n_clusters=3).fit_predict(X))


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS, *NOVELTY], ids=called)
def test_pipeline_and_cross_validation(cls, iris, regression):
    if cls in NOVELTY:
        assert set(make_pipeline(StandardScaler(), cls()).fit(iris[0]).predict(iris[0])) <= {-1, 1}
        return
    X, y = regression if cls in REGRESSORS else iris
    scores = cross_val_score(make_pipeline(StandardScaler(), cls()), X, y, cv=3)
    assert scores.mean() > (0.3 if cls in REGRESSORS else 0.85)


def test_grid_search_over_parameters_and_kernels(iris):
    search = GridSearchCV(SVC(), {"C": [0.1, 1, 10], "kernel": ["rbf", "linear", "matern(nu=1.5)"]}, cv=3).fit(*iris)
    assert search.best_score_ > 0.95


def test_grid_search_reaches_into_kernels(iris):
    model = SVC(kernel=RBF(gamma=1) + Matern(nu=1.5))
    search = GridSearchCV(model, {"kernel__k1__gamma": [0.01, 1, 100], "kernel__k2__nu": [0.5, 2.5]}, cv=3).fit(*iris)
    assert search.best_score_ > 0.93
    assert search.best_estimator_.kernel.get_params()["k1__gamma"] == search.best_params_["kernel__k1__gamma"]
    assert model.kernel.get_params()["k1__gamma"] == 1


def test_grid_search_in_worker_processes(iris):
    one = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=3, n_jobs=1).fit(*iris)
    two = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=3, n_jobs=2).fit(*iris)
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


def test_cross_validation_of_a_precomputed_kernel(iris):
    X, y = iris
    given = cross_val_score(SVC(kernel="precomputed"), X @ X.T, y, cv=5)
    named = cross_val_score(SVC(kernel="linear"), X, y, cv=5)
    np.testing.assert_allclose(given, named, atol=0.04)


def test_calibration(iris):
    X, y = iris[0][50:], iris[1][50:] == 2
    for model in (SVC(), LinearSVC()):
        probabilities = cross_val_predict(CalibratedClassifierCV(model, cv=3), X, y, cv=3, method="predict_proba")
        assert brier_score_loss(y, probabilities[:, 1]) < 0.08


def test_other_meta_estimators(iris, regression):
    assert OneVsRestClassifier(SVC()).fit(*iris).score(*iris) > 0.95
    assert BaggingClassifier(SVC(), n_estimators=3, random_state=0).fit(*iris).score(*iris) > 0.9
    scaled = TransformedTargetRegressor(SVR(C=10), transformer=StandardScaler())
    assert scaled.fit(*regression).score(*regression) > 0.8
    model = KernelRidge(kernel="rbf").fit(*regression)
    assert permutation_importance(model, *regression, n_repeats=2, random_state=0).importances_mean.shape == (4,)


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_clone_keeps_parameters_only(cls, iris, regression):
    model, _ = fitted(cls, iris, regression)
    copy = clone(model)
    assert not hasattr(copy, "_fitted")
    assert str(copy) == str(model)


def test_set_output_of_a_scaler_reaches_the_estimator_as_a_frame(iris):
    X = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), SVC()).fit(X, iris[1])
    assert pipeline[-1].feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert pipeline.score(X, iris[1]) > 0.95


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_same_seed_same_bits_for_any_number_of_threads(cls, iris, regression):
    options = {"probability": True} if cls is SVC else {}
    results = []
    for threads in (1, 2, 3):
        model, X = fitted(cls, iris, regression, n_jobs=threads, **options)
        results.append(values_of(model, X))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_a_row_alone_is_a_row_in_a_batch(cls, iris, regression):
    model, X = fitted(cls, iris, regression)
    batch = values_of(model, X[:40])
    alone = np.concatenate([values_of(model, row[None]) for row in X[:40]])
    np.testing.assert_allclose(alone, batch, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_dense_and_sparse_rows_are_the_same_rows(cls, iris, regression):
    model, X = fitted(cls, iris, regression)
    want = values_of(model, X)
    np.testing.assert_allclose(values_of(model, scipy.sparse.csr_matrix(X)), want, rtol=1e-8, atol=1e-8)
    wide = scipy.sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    np.testing.assert_allclose(values_of(model, wide), want, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_memory_order_and_type_do_not_matter(cls, iris, regression):
    model, X = fitted(cls, iris, regression)
    want = values_of(model, X)
    np.testing.assert_array_equal(values_of(model, np.asfortranarray(X)), want)
    frozen = X.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(values_of(model, frozen), want)
    single = X.astype(np.float32)
    # Rounding moves rows to other bins.
    near = values_of(model, single.astype(np.float64)) if cls is HistogramDensity else want
    np.testing.assert_allclose(values_of(model, single), near, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(values_of(model, X.tolist()), want)


def test_kernels_on_numbers_refuse_texts():
    rows, y = ["ACGTACGT", "ACGTACGA", "TTTTGGGG", "TTTAGGGG"] * 6, ["a", "a", "b", "b"] * 6
    with pytest.raises(ValueError, match="strings"):
        SVC().fit(rows, y)


def test_frames_with_columns_of_several_kinds():
    rng = np.random.default_rng(0)
    n = 80
    frame = pd.DataFrame(
        {
            "age": rng.uniform(20, 60, n),
            "bmi": rng.normal(25, 3, n),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
        }
    )
    y = (frame["age"] > 40).to_numpy() ^ (frame["colour"] == "red").to_numpy()
    kernel = "rbf(gamma=1)[age] * delta()[colour]"  # of scaled columns, as in the program
    model = SVC(kernel=kernel, C=100).fit(frame, y)
    assert model.score(frame, y) > 0.95
    assert model.feature_names_in_.tolist() == ["age", "bmi", "colour"]
    assert cross_val_score(SVC(kernel=kernel, C=100), frame, y, cv=3).mean() > 0.8
    regressor = GaussianProcessRegressor("1*rbf(lengthscale=1)[age]", alpha=0.1).fit(frame, frame["age"] / 10)
    assert regressor.score(frame, frame["age"] / 10) > 0.9


def test_gaussian_process_classifier_takes_threads_and_copies(iris):
    rows = iris[0].copy()
    model = GaussianProcessClassifier(multi_class="softmax").fit(rows, iris[1])
    before = model.predict_proba(iris[0])
    rows[:] = 0
    np.testing.assert_array_equal(model.predict_proba(iris[0]), before)
