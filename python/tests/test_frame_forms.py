"""Frames of polars and of sparse columns, arrays of numbers in other forms."""

import datetime

import numpy as np
import pandas as pd
import pytest
from frame_helpers import fitted_table, quiet
from sklearn import svm as peer

from mercer._frames import frame_matrix
from mercer.svm import SVC, SVR


def polars_forms(frame):
    pl = pytest.importorskip("polars")
    plain = {name: [None if pd.isna(value) else value for value in frame[name]] for name in frame}
    yield "String", pl.DataFrame(plain)
    yield "Categorical", pl.DataFrame(plain).with_columns(pl.col("job", "town").cast(pl.Categorical))
    jobs, towns = pl.Enum(["clerk", "nurse", "pilot", "cook", "unused"]), pl.Enum(["Paris", "Rome", "Oslo"])
    yield "Enum", pl.DataFrame(plain).with_columns(pl.col("job").cast(jobs), pl.col("town").cast(towns))
    yield "Object", pl.DataFrame(plain, schema_overrides={"job": pl.Object})


def test_polars_gives_the_same():
    model, frame, label = fitted_table()
    for name, other in polars_forms(frame):
        again = SVC().fit(other, label)
        assert list(again.coded_feature_names_) == list(model.coded_feature_names_), name
        assert list(again.feature_names_in_) == list(frame.columns), name
        for X in (frame, other):
            np.testing.assert_array_equal(again.decision_function(X), model.decision_function(frame), err_msg=name)
        reversed_values = model.decision_function(other[::-1])
        np.testing.assert_allclose(reversed_values, model.decision_function(frame)[::-1], rtol=1e-9, atol=1e-12)


def test_numbers_and_dates_of_polars():
    pl = pytest.importorskip("polars")
    day = datetime.date(2020, 1, 1)
    noon = datetime.datetime(2020, 1, 1, 12)
    forms = {
        "Int8": (pl.Series([1, None, 0], dtype=pl.Int8), [1, np.nan, 0]),
        "Boolean": (pl.Series([True, None, False]), [1, np.nan, 0]),
        "Float32": (pl.Series([1.5, None, 0], dtype=pl.Float32), [1.5, np.nan, 0]),
        "Decimal": (pl.Series(["1.5", None, "0"]).cast(pl.Decimal(10, 2)), [1.5, np.nan, 0]),
        "Null": (pl.Series([None, None, None]), [np.nan] * 3),
        "String": (pl.Series(["1.5", None, "0"]), [1.5, np.nan, 0]),
        "Date": (pl.Series([day, None, datetime.date(1970, 1, 2)]), [18262, np.nan, 1]),
        "Datetime": (pl.Series([noon, None, datetime.datetime(1970, 1, 2)]), [18262.5, np.nan, 1]),
        "zone": (
            pl.Series([noon, None, noon]).dt.replace_time_zone("Etc/GMT-2"),
            [18262 + 10 / 24, np.nan, 18262 + 10 / 24],
        ),
        "Duration": (pl.Series([datetime.timedelta(hours=36), None, datetime.timedelta(0)]), [1.5, np.nan, 0]),
        "Time": (pl.Series([datetime.time(13, 30), None, datetime.time(0)]), [13.5, np.nan, 0]),
    }
    for name, (values, expected) in forms.items():
        frame = pl.DataFrame({"x": values, "z": [1.0, 2.0, 3.0]})
        np.testing.assert_allclose(frame_matrix(frame)[:, 0], expected, rtol=1e-12, err_msg=name)
        model = quiet(SVC(), frame.with_columns(kind=pl.Series(["a", "b", "a"])), [0, 1, 0])
        assert model.n_features_in_ == 3, name
    numbers = pl.DataFrame({"x": [1.0, None, 3.0, 4.0], "z": [1, 2, 3, 5]})
    pandas = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0], "z": [1, 2, 3, 5]})
    target = [0.0, 1.0, 3.0, 2.0]
    np.testing.assert_array_equal(
        SVR().fit(numbers, target).predict(numbers), SVR().fit(pandas, target).predict(pandas)
    )


def test_sparse_frames():
    generator = np.random.default_rng(0)
    dense = np.where(generator.random((40, 6)) < 0.3, generator.normal(size=(40, 6)), 0)
    frame = pd.DataFrame(dense, columns=list("abcdef"))
    sparse = frame.astype(pd.SparseDtype("float64", 0.0))
    y = (dense.sum(axis=1) > 0).astype(int)
    expected = SVC().fit(frame, y).decision_function(frame)
    model = SVC().fit(sparse, y)
    np.testing.assert_allclose(model.decision_function(sparse), expected, atol=1e-5)
    assert list(model.feature_names_in_) == list("abcdef")
    mixed_kinds = sparse.assign(kind=["x", "y"] * 20)
    plain = frame.assign(kind=["x", "y"] * 20)
    np.testing.assert_array_equal(
        SVC().fit(mixed_kinds, y).decision_function(mixed_kinds), SVC().fit(plain, y).decision_function(plain)
    )


def test_arrays_of_numbers_in_other_forms():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2)).round(3)
    y = (X[:, 0] > 0).astype(int)
    expected = SVC().fit(X, y).decision_function(X)
    for other in (X.astype(object), X.astype(str), X.astype(str).astype(object), X.astype(str).tolist()):
        np.testing.assert_allclose(SVC().fit(other, y).decision_function(other), expected, rtol=1e-12)
        np.testing.assert_allclose(peer.SVC().fit(other, y).decision_function(other), expected, atol=2e-3)
    with pytest.raises(ValueError, match="could not convert string to float"):
        SVC().fit(np.array([["1", "x"], ["2", "3"]], dtype=object), [0, 1])
