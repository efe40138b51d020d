"""What the columns of a frame become."""

import datetime
import decimal
import warnings

import numpy as np
import pandas as pd
import pytest
from frame_helpers import coded, mixed

from mercer._frames import frame_columns, frame_matrix, is_matrix
from mercer.kernel_ridge import KernelRidge
from mercer.svm import SVC


def test_every_column_is_coded():
    frame, label, _ = mixed()
    values, names, model = coded(frame, label)
    levels = ["job is missing", *(f"job={job}" for job in ("clerk", "cook", "nurse", "pilot"))]
    assert names == [
        "age",
        "income",
        "age is missing",
        *levels,
        *(f"town={town}" for town in ("Oslo", "Paris", "Rome")),
    ]
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == ["age", "job", "income", "town"]
    assert model.coef_.shape == (1, len(names))
    gaps = frame["age"].isna().to_numpy()
    filled = frame["age"].fillna(frame["age"].median()).to_numpy()
    np.testing.assert_allclose(values[:, 0], (filled - filled.mean()) / filled.std(), atol=1e-12)
    np.testing.assert_array_equal(values[:, 2], gaps)
    jobs = pd.get_dummies(frame["job"].fillna(""), dtype=float).to_numpy()
    np.testing.assert_array_equal(values[:, 3:8], jobs)
    np.testing.assert_allclose(
        model.decision_function(frame), values @ model.coef_[0] + model.intercept_[0], rtol=1e-6, atol=1e-8
    )


def with_gaps(values):
    return [None if place == 3 else value for place, value in enumerate(values)]


# Columns that hold the same numbers, and one that is missing.
NUMBERS = [1.0, 0.0, 1.0, None, 0.0, 0.0, 1.0, 0.0]
SAME_NUMBERS = {
    "float": lambda: pd.Series([np.nan if value is None else value for value in NUMBERS]),
    "object": lambda: pd.Series(NUMBERS, dtype=object),
    "object of NaN": lambda: pd.Series([1, 0, 1, np.nan, 0, 0, 1, 0], dtype=object),
    "object of NA": lambda: pd.Series([1, 0, 1, pd.NA, 0, 0, 1, 0], dtype=object),
    "Int64": lambda: pd.array([1, 0, 1, pd.NA, 0, 0, 1, 0], dtype="Int64"),
    "Float64": lambda: pd.array([1, 0, 1, pd.NA, 0, 0, 1, 0], dtype="Float64"),
    "boolean": lambda: pd.array([True, False, True, pd.NA, False, False, True, False], dtype="boolean"),
    "object of bool": lambda: pd.Series([True, False, True, None, False, False, True, False], dtype=object),
    "texts": lambda: pd.Series(["1", "0", "1.0", None, "0", "0", " 1", "+0"], dtype=object),
    "string": lambda: pd.array(["1", "0", "1.0", pd.NA, "0", "0", " 1", "+0"], dtype="string"),
    "int64[pyarrow]": lambda: pd.array([1, 0, 1, None, 0, 0, 1, 0], dtype="int64[pyarrow]"),
    "bool[pyarrow]": lambda: pd.array([True, False, True, None, False, False, True, False], dtype="bool[pyarrow]"),
    "sparse": lambda: pd.arrays.SparseArray([1.0, 0, 1, np.nan, 0, 0, 1, 0], fill_value=0.0),
}


@pytest.mark.parametrize("form", SAME_NUMBERS)
def test_numbers_in_every_form(form):
    if "pyarrow" in form:
        pytest.importorskip("pyarrow", exc_type=ImportError)
    frame = pd.DataFrame({"x": SAME_NUMBERS[form](), "z": [1.0, 2, 3, 4, 5, 6, 7, 8]})
    assert is_matrix(frame)
    np.testing.assert_array_equal(frame_matrix(frame)[:, 0], np.array(NUMBERS, dtype=float))
    kept = frame.assign(kind=list("ababbaab"))
    values, names, _ = coded(kept)
    if "bool" in form:  # words of a file
        truths = ["x is missing", "x=False", "x=True"]
        assert names == ["z", *truths, "kind=a", "kind=b"]
        np.testing.assert_array_equal(values[:, 3], [value == 1 for value in NUMBERS])
    else:
        assert names == ["x", "z", "x is missing", "kind=a", "kind=b"]
        np.testing.assert_array_equal(values[:, 2], [value is None for value in NUMBERS])
    model = SVC().fit(frame, np.arange(8) % 2)
    floats = pd.DataFrame({"x": SAME_NUMBERS["float"](), "z": frame["z"]})
    expected = SVC().fit(floats, np.arange(8) % 2)
    np.testing.assert_array_equal(model.decision_function(frame), expected.decision_function(floats))


# Columns that hold the same categories, and one that is missing.
LEVELS = ["b", "a", "b", None, "a", "c", "b", "a"]
SAME_CATEGORIES = {
    "object": lambda: pd.Series(LEVELS, dtype=object),
    "NaN": lambda: pd.Series([np.nan if level is None else level for level in LEVELS], dtype=object),
    "str": lambda: pd.Series(LEVELS),
    "string": lambda: pd.array(LEVELS, dtype="string"),
    "category": lambda: pd.Categorical(LEVELS),
    "ordered": lambda: pd.Categorical(LEVELS, categories=["c", "b", "a", "unused"], ordered=True),
    "blanks": lambda: pd.Series(["b ", " a", "b", "", "a", "c", "b", "a"], dtype=object),
    "a word for it": lambda: pd.Series(["b", "a", "b", "NA", "a", "c", "b", "a"], dtype=object),
}


@pytest.mark.parametrize("form", SAME_CATEGORIES)
def test_categories_in_every_form(form):
    frame = pd.DataFrame({"x": SAME_CATEGORIES[form](), "z": np.arange(8.0)})
    values, names, model = coded(frame)
    assert names == ["z", "x is missing", "x=a", "x=b", "x=c"]
    np.testing.assert_array_equal(values[:, 1:], [[level == one for one in (None, "a", "b", "c")] for level in LEVELS])
    for other in SAME_CATEGORIES.values():
        again = frame.assign(x=other())
        np.testing.assert_array_equal(model.decision_function(again), model.decision_function(frame))


def test_a_category_of_numbers_is_a_category():
    frame = pd.DataFrame({"floor": pd.Categorical([1, 2, 3, 1, 2, 3]), "z": np.arange(6.0)})
    _, names, model = coded(frame)
    assert names == ["z", "floor=1", "floor=2", "floor=3"]
    plain = frame.assign(floor=[1, 2, 3, 1, 2, 3])
    for other in (plain, plain.assign(floor=plain["floor"].astype(float)), plain.assign(floor=list("123123"))):
        np.testing.assert_array_equal(model.decision_function(other), model.decision_function(frame))


def test_dates_are_days():
    dates = ["2020-01-01", "2020-01-02", "1969-12-31", None, "2020-02-01"]
    days = [18262.0, 18263.0, -1.0, np.nan, 18293.0]
    half = pd.Timedelta(hours=12)
    forms = {
        "datetime": (pd.to_datetime(pd.Series(dates)), days),
        "seconds": (pd.to_datetime(pd.Series(dates)).astype("datetime64[s]"), days),
        "noon": (pd.to_datetime(pd.Series(dates)) + half, np.array(days) + 0.5),
        "zone": ((pd.to_datetime(pd.Series(dates)) + half).dt.tz_localize("Etc/GMT-2"), np.array(days) + 10 / 24),
        "period": (pd.Series(pd.PeriodIndex(dates, freq="D")), days),
        "date": (
            pd.Series([None if day is None else datetime.date.fromisoformat(day) for day in dates], dtype=object),
            days,
        ),
        "length": (pd.to_timedelta([24, 36, -24, None, 0], unit="h"), [1, 1.5, -1, np.nan, 0]),
        "time of day": (
            pd.Series([datetime.time(13, 30), datetime.time(0), None, datetime.time(1, 0, 36), datetime.time(6)]),
            [13.5, 0, np.nan, 1.01, 6],
        ),
    }
    for name, (values, expected) in forms.items():
        (column,) = frame_columns(pd.DataFrame({"when": values}))
        assert column.kind == "dates", name
        np.testing.assert_allclose(column.numbers, expected, rtol=1e-12, err_msg=name)
    frame = pd.DataFrame({"when": forms["noon"][0], "z": np.arange(5.0)})
    values, names, _ = coded(frame)
    assert names == ["when", "z", "when is missing"]
    assert values[:, :2].std(axis=0) == pytest.approx(1)


def test_texts_that_are_dates_or_grouped_numbers():
    frame, _, score = mixed(60)
    days = pd.date_range("2019-12-25", periods=60, freq="3D")
    dates = frame.assign(day=days.strftime("%Y-%m-%d"), price=[f"{1000 + 37 * row:,}" for row in range(60)])
    numbers = frame.assign(day=days, price=[1000 + 37 * row for row in range(60)])
    model = KernelRidge(kernel="rbf(gamma=0.1)").fit(dates, score)
    expected = KernelRidge(kernel="rbf(gamma=0.1)").fit(numbers, score)
    assert list(model.coded_feature_names_) == list(expected.coded_feature_names_)
    for X in (dates, numbers):
        np.testing.assert_allclose(model.predict(X), expected.predict(numbers), rtol=1e-12)
    # Who was fitted to numbers takes dates as texts, too; a comma in numbers nobody has told it of.
    np.testing.assert_allclose(
        expected.predict(dates.assign(price=numbers["price"])), expected.predict(numbers), rtol=1e-12
    )
    with pytest.raises(ValueError, match="column 'price': '1,000' is not a number"):
        expected.predict(dates)
    assert not is_matrix(dates[["day"]])


def test_a_slip_among_numbers_is_told():
    frame, label, _ = mixed()
    slip = frame.assign(income=frame["income"].astype(object) + 0.5 + np.arange(150))
    slip.loc[4, "income"] = "1o00"
    with pytest.raises(ValueError, match=r"row 4 .*column 'income': '1o00' is not a number, but 149 of the 150 values"):
        SVC().fit(slip, label)


def test_columns_that_tell_nothing_are_left_out_and_named():
    frame, label, _ = mixed()
    more = frame.assign(
        name=[f"person {row}" for row in range(len(frame))],
        note=[f"{'word ' * 20}{row // 2}" for row in range(len(frame))],
        unit="kg",
        one=1.0,
        nothing=np.nan,
        none=None,
    )
    said = (
        r"SVC: left out: one \(constant\), nothing \(empty\), none \(empty\), name \(unique\), note \(text\), "
        r"unit \(constant\)"
    )
    with pytest.warns(UserWarning, match=said) as seen:
        model = SVC().fit(more, label)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    np.testing.assert_array_equal(model.decision_function(more), SVC().fit(frame, label).decision_function(frame))
    # What is left out is not asked for.
    np.testing.assert_array_equal(model.predict(frame), model.predict(more))
    assert model.n_features_in_ == 10
    assert list(model.feature_names_in_) == list(more.columns)
    assert "left out: one (constant)" in model.fit_report_["columns"]


@pytest.mark.parametrize(
    "missing",
    [None, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), decimal.Decimal("nan"), "", "NaT", "NA"],
    ids=repr,
)
def test_what_is_missing_among_words(missing):
    frame, label, _ = mixed()
    jobs = frame["job"].fillna("cook")
    jobs[3] = missing
    for column in (jobs, jobs.astype("category")):
        _, names, _ = coded(frame.assign(job=column), label)
        assert [name for name in names if name.startswith("job")] == [
            "job is missing",
            *(f"job={job}" for job in ("clerk", "cook", "nurse", "pilot")),
        ]


def test_names_that_look_missing_are_words():
    frame, label, _ = mixed()
    _, names, _ = coded(frame.assign(job=["Nat", "None", "-", "cook", "cook"] * 30), label)
    assert [name for name in names if name.startswith("job")] == ["job=-", "job=Nat", "job=None", "job=cook"]


def test_what_is_said_of_columns_that_are_left_out():
    frame, label, _ = mixed()
    names = [f"person {row}" for row in range(150)]
    for more, advice in (({"unit": "kg"}, "$"), ({"unit": "kg", "name": names}, r"; texts \(name\) are used where")):
        with pytest.warns(UserWarning, match="Without them in the frame the fit is the same" + advice):
            SVC().fit(frame.assign(**more), label)


def test_one_warning_where_a_fit_is_several_models():
    frame, _, score = mixed()
    with pytest.warns(UserWarning, match="left out: unit") as seen:
        KernelRidge(kernel="rbf", alpha=[1.0, 2.0]).fit(frame.assign(unit="kg"), np.column_stack([score, -score]))
    assert len(seen) == 1


def test_nothing_is_said_where_all_is_used():
    frame, label, _ = mixed()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC().fit(frame, label).predict(frame)


def test_columns_of_words_that_the_kernel_names_are_texts():
    frame, label, _ = mixed(60)
    frame = frame.assign(sequence=["ACGT" * (1 + row % 3) for row in range(60)])
    model = SVC(kernel="spectrum(k=2)[sequence]").fit(frame, label)
    expected = (
        SVC(kernel="spectrum(k=2)").fit(list(frame["sequence"]), label).decision_function(list(frame["sequence"]))
    )
    np.testing.assert_allclose(model.decision_function(frame), expected, rtol=1e-9)
    # Nobody looks at the others.
    np.testing.assert_array_equal(model.predict(frame[["sequence"]]), model.predict(frame))
    with pytest.raises(ValueError, match="column 'sequence' holds None in row 1 where texts are expected"):
        SVC(kernel="spectrum(k=2)[sequence]").fit(frame.assign(sequence=["A", None] * 30), label)
