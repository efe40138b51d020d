"""The parameter ``prior``: estimators that begin with a function that is known."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer.kernel_ridge import KernelRidge
from mercer.linear_model import FalkonRegressor, LeastSquares, MappedRidge, RiskRegressor
from mercer.multiple_kernel import MultipleKernelRidge, MultipleKernelSVR
from mercer.svm import SVC, SVR, LinearSVR, NuSVR

SUM = "0.5*rbf(gamma=0.5) + 0.5*rbf(gamma=0.1)"
WITH_PRIOR: list[Any] = [
    KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5),
    SVR(C=10, epsilon=0.01),
    NuSVR(C=10),
    RiskRegressor("huber", gamma=0.5),
    LinearSVR(),
    MappedRidge(random_state=0),
    FalkonRegressor(random_state=0),
    MultipleKernelSVR(kernel=SUM),
    MultipleKernelRidge(kernel=SUM),
]


def problem(seed: int = 0, rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Rows of columns of different sizes, and targets with a line in them."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 2)) * [1, 3]
    return X, 20 + 5 * X[:, 0] - 2 * X[:, 1] + np.sin(2 * X[:, 0])


def with_prior(estimator: Any, prior: Any) -> Any:
    return clone(estimator).set_params(prior=prior)


@pytest.mark.parametrize("estimator", WITH_PRIOR, ids=lambda estimator: type(estimator).__name__)
def test_what_is_learned_is_added(estimator: Any) -> None:
    """f = f0 + g, g the same estimator on the targets less f0."""
    X, y = problem()
    law = LeastSquares(parametric="linear").fit(X[:10], y[:10])
    model = with_prior(estimator, law).fit(X, y)
    beside = clone(estimator).fit(X, y - law.predict(X))
    fresh = problem(1)[0]
    np.testing.assert_allclose(model.predict(fresh), law.predict(fresh) + beside.predict(fresh), rtol=1e-12)


@pytest.mark.parametrize("estimator", WITH_PRIOR, ids=lambda estimator: type(estimator).__name__)
def test_files_and_copies(estimator: Any, tmp_path: Any) -> None:
    """One file holds both; a copy keeps the fitted prior."""
    X, y = problem()
    law = LeastSquares(parametric="linear").fit(X, y)
    law.save(tmp_path / "law.mercer")
    model = with_prior(estimator, str(tmp_path / "law.mercer")).fit(X, y)
    (tmp_path / "law.mercer").unlink()
    expected = model.predict(X)
    model.save(tmp_path / "model.mercer")
    loaded = type(model).load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(loaded.predict(X), expected)
    assert loaded.prior.name == "leastsquares"
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(loaded)).predict(X), expected)
    assert clone(loaded).prior is loaded.prior
    np.testing.assert_array_equal(with_prior(estimator, law).fit(X, y).predict(X), expected)


def test_searches_keep_the_prior() -> None:
    X, y = problem()
    law = LeastSquares(parametric="linear").fit(X[:20], y[:20])
    order = np.argsort(X[:, 0])
    scores = cross_val_score(SVR(prior=law), X[order], y[order], cv=4)
    without = cross_val_score(SVR(), X[order], y[order], cv=4)
    assert scores.mean() > without.mean()
    search = GridSearchCV(KernelRidge(kernel="rbf", prior=law), {"alpha": [0.01, 1]}, cv=3).fit(X, y)
    assert search.best_estimator_.prior is law


def test_searches_among_priors_take_paths(tmp_path: Any) -> None:
    X, y = problem()
    law = LeastSquares(parametric="linear").fit(X[:20], y[:20])
    path = str(tmp_path / "law.mercer")
    law.save(path)
    search = GridSearchCV(KernelRidge(kernel="rbf"), {"prior": [None, path]}, cv=3).fit(X, y)
    assert search.best_params_ == {"prior": path}


def test_frames(tmp_path: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": ["u", "v", "w"] * 20})
    law = LeastSquares(parametric="linear").fit(frame[["b"]], y)
    model = SVR(prior=law, kernel="rbf(gamma=0.3)").fit(frame, y)
    assert np.isfinite(model.predict(frame)).all()
    np.testing.assert_allclose(model.predict(frame[["kind", "b", "a"]]), model.predict(frame))


def test_columns_that_the_prior_alone_sees() -> None:
    """By a subscript, or since they tell the new model nothing."""
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    y = y - np.sin(2 * X[:, 0])
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": ["u", "v", "w"] * 20})
    law = LeastSquares(parametric="linear").fit(frame[["a", "b"]], y)
    expected = law.predict(frame[["a", "b"]])
    for rows in (frame, frame[["a", "b"]]):
        model = KernelRidge(kernel="rbf()[a]", prior=law).fit(rows, y)
        np.testing.assert_allclose(model.predict(rows), expected, rtol=1e-9)
    constant = frame.assign(b=2.0)
    with pytest.warns(UserWarning, match="constant"):
        model = KernelRidge(kernel="rbf", prior=law).fit(constant, law.predict(constant[["a", "b"]]))
    np.testing.assert_allclose(model.predict(frame), expected, rtol=1e-9)


def test_refusals() -> None:
    X, y = problem()
    with pytest.raises(ValueError, match="must be a fitted estimator"):
        SVR(prior=3).fit(X, y)
    with pytest.raises(ValueError, match="not fitted"):
        SVR(prior=SVR()).fit(X, y)
    with pytest.raises(ValueError, match="must be a model of quantities"):
        SVR(prior=SVC().fit(X, y > 20)).fit(X, y)
    law = LeastSquares(parametric="linear").fit(X, y)
    with pytest.raises(ValueError, match="precomputed kernel"):
        KernelRidge(kernel="precomputed", prior=law).fit(X @ X.T, y)
    with pytest.raises(ValueError, match="has no values at these rows"):
        SVR(prior=law).fit(X[:, :1], y)
    with pytest.raises(ValueError, match="one alpha"):
        KernelRidge(alpha=[1, 2], prior=law).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="1 output, and there are 2 targets"):
        KernelRidge(prior=law).fit(X, np.column_stack([y, y]))
