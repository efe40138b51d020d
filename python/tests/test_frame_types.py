"""Columns of new rows of another type than at the fit, and targets that are dates."""

import datetime
import decimal
import subprocess

import numpy as np
import pandas as pd
import pytest
from frame_helpers import PROGRAM, needs_program

from mercer.kernel_ridge import KernelRidge
from mercer.neighbors import KernelDensity
from mercer.svm import SVC, SVR

ROWS = 12


def table():
    """A number, a date, a time of day, a length of time, a truth value, and words."""
    days = pd.Series(pd.date_range("2020-01-01", periods=ROWS))
    return pd.DataFrame(
        {
            "x": np.linspace(0, 1, ROWS),
            "day": days,
            "clock": [datetime.time(hour) for hour in range(ROWS)],
            "wait": days - days[0],
            "flag": [True, False] * (ROWS // 2),
            "word": list("abc") * (ROWS // 3),
        }
    )


KERNEL = "rbf(gamma=1)[x, day, clock, wait] + delta()[word]"
TARGET = np.arange(float(ROWS))

# What takes the place of a column, and what is said of it.
STRANGERS = {
    "dates for numbers": ("x", "day", r"'x' holds dates \(2020-01-01 in row 0.*fit held numbers"),
    "truth values for numbers": ("x", "flag", r"'x' holds truth values \(True in row 0.*fit held numbers"),
    "lengths for numbers": ("x", "wait", r"'x' holds lengths of time \(0 days 00:00:00 in row 0.*fit held numbers"),
    "times for numbers": ("x", "clock", r"'x' holds times of day \(00:00:00 in row 0.*fit held numbers"),
    "words for numbers": ("x", "word", r"column 'x': 'a' is not a number"),
    "numbers for dates": ("day", "x", r"'day' holds numbers \(0.0 in row 0.*fit held dates"),
    "truth values for dates": ("day", "flag", r"'day' holds truth values \(True in row 0.*fit held dates"),
    "lengths for dates": ("day", "wait", r"'day' holds lengths of time .*fit held dates"),
    "words for dates": ("day", "word", r"column 'day': 'a' is no date"),
    "dates for times": ("clock", "day", r"'clock' holds dates .*fit held times of day"),
    "numbers for times": ("clock", "x", r"'clock' holds numbers .*fit held times of day"),
    "numbers for lengths": ("wait", "x", r"'wait' holds numbers .*fit held lengths of time"),
    "dates for lengths": ("wait", "day", r"'wait' holds dates .*fit held lengths of time"),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_another_type_is_refused(name):
    column, other, said = STRANGERS[name]
    frame = table()
    model = KernelRidge(kernel=KERNEL).fit(frame, TARGET)
    strange = frame.assign(**{column: frame[other]})
    for estimator in (model, KernelRidge.from_bytes(model.to_bytes())):
        with pytest.raises(ValueError, match=said):
            estimator.predict(strange)
        # Where nothing is there, nothing is of another type.
        estimator.predict(strange.assign(**{column: strange[column].iloc[:0].reindex(range(ROWS))}))


@needs_program
@pytest.mark.parametrize("name", STRANGERS)
def test_the_program_refuses_the_csv(tmp_path, name):
    column, other, _ = STRANGERS[name]
    frame = table()
    file, data = tmp_path / "m.mercer", tmp_path / "t.csv"
    KernelRidge(kernel=KERNEL).fit(frame, TARGET).save(file)
    for rows, code in ((frame, 0), (frame.assign(**{column: frame[other]}), 3)):
        rows.to_csv(data, index=False)
        assert subprocess.run([PROGRAM, "predict", file, data], capture_output=True).returncode == code


def test_a_frame_of_numbers_takes_no_other_type():
    frame = table()
    numbers = frame[["x"]].assign(z=TARGET)
    model = SVR().fit(numbers, TARGET)
    for other, said in (("day", "dates"), ("flag", "truth values"), ("wait", "lengths of time")):
        for estimator in (model, SVR.from_bytes(model.to_bytes())):
            with pytest.raises(ValueError, match=f"'z' holds {said} .*fit held numbers"):
                estimator.predict(numbers.assign(z=frame[other]))
    flags = numbers.assign(flag=frame["flag"])
    of_flags = SVR().fit(flags, TARGET)
    for estimator in (of_flags, SVR.from_bytes(of_flags.to_bytes())):
        with pytest.raises(ValueError, match=r"'flag' holds numbers \(0.0909\d* in row 1.*fit held truth values"):
            estimator.predict(flags.assign(flag=frame["x"]))
        with pytest.raises(ValueError, match=r"'flag' holds dates .*fit held truth values"):
            estimator.predict(flags.assign(flag=frame["day"]))
    density = KernelDensity().fit(numbers)
    with pytest.raises(ValueError, match="'z' holds truth values"):
        density.score_samples(numbers.assign(z=frame["flag"]))
    # Names that are no strings say nothing of types.
    unnamed = SVR().fit(numbers.set_axis([0, 1], axis=1), TARGET)
    with pytest.raises(ValueError, match="'1' holds dates"):
        unnamed.predict(numbers.assign(z=frame["day"]).set_axis([0, 1], axis=1))


# The same numbers in other types.
SAME = {
    "int8": lambda values: values.astype(np.int8),
    "uint64": lambda values: values.astype(np.uint64),
    "float32": lambda values: values.astype(np.float32),
    "Int64": lambda values: pd.array(values, dtype="Int64"),
    "Float32": lambda values: pd.array(values, dtype="Float32"),
    "objects": lambda values: values.astype(object),
    "Decimal": lambda values: pd.Series([decimal.Decimal(int(value)) for value in values]),
    "texts": lambda values: values.astype(str),
    "category": lambda values: pd.Categorical(values.astype(int)),
}


@pytest.mark.parametrize("form", SAME)
def test_numbers_of_any_width_are_numbers(form):
    frame = table()
    for rows in (frame.assign(x=TARGET), frame[["x"]].assign(x=TARGET, z=1.0)):
        model = SVR().fit(rows, TARGET)
        np.testing.assert_array_equal(model.predict(rows.assign(x=SAME[form](TARGET))), model.predict(rows))


@pytest.mark.parametrize("flags", [[True, False], [1, 0], [1.0, 0.0], ["True", "false"], ["1", "0"]], ids=str)
def test_truth_values_may_be_ones_and_zeros(flags):
    numbers = pd.DataFrame({"x": TARGET, "flag": [True, False] * (ROWS // 2)})
    model = SVR().fit(numbers, TARGET)
    again = numbers.assign(flag=pd.Series(flags * (ROWS // 2), dtype=object if isinstance(flags[0], str) else None))
    np.testing.assert_array_equal(model.predict(again), model.predict(numbers))


def test_dates_of_every_kind_are_dates():
    frame = table()[["day", "word"]]
    model = SVR().fit(frame, TARGET)
    expected = model.predict(frame)
    forms = [
        frame["day"].dt.date,
        frame["day"].astype("datetime64[s]"),
        frame["day"].dt.tz_localize("UTC"),
        frame["day"].dt.strftime("%d %B %Y"),
        frame["day"].dt.to_period("D"),
        frame["day"].astype(object),
    ]
    for form in forms:
        np.testing.assert_array_equal(model.predict(frame.assign(day=form)), expected)


def test_truth_values_in_models_of_before_are_numbers():
    frame = table()[["x", "word"]]
    old = KernelRidge(kernel="if_present(rbf(gamma=1)[x]) + delta()[word]").fit(frame, TARGET)
    assert not old._fitted.preparation.is_coded
    as_numbers = frame.assign(x=[1.0, 0.0] * (ROWS // 2))
    truth = frame.assign(x=[True, False] * (ROWS // 2))
    np.testing.assert_array_equal(old.predict(truth), old.predict(as_numbers))


# ---- Targets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        lambda days: days,
        lambda days: days.to_numpy(),
        lambda days: days.dt.tz_localize("Europe/Paris"),
        lambda days: list(days.dt.date),
        lambda days: days - days[0],
        lambda days: days.to_frame(),
    ],
)
def test_dates_are_no_quantities(target):
    frame = table()[["x"]]
    days = pd.Series(pd.date_range("2020-01-01", periods=ROWS))
    for model in (SVR(), KernelRidge()):
        with pytest.raises(
            ValueError, match="y holds dates or times where numbers are predicted: give them as numbers"
        ):
            model.fit(frame, target(days))
    SVR().fit(frame, (days - days.min()) / np.timedelta64(1, "D"))  # as the message says
    SVC().fit(frame, days.dt.date.astype(str).str[-1])
