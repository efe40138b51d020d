"""Columns of pandas and polars: what they hold, as numbers, as texts, and as values of Python."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer import _core

Array = NDArray[Any]
Kind = Literal["numbers", "booleans", "dates", "categories", "words", "objects"]

# How files write truth values, and lengths of time.
TRUTH, LENGTH = "truth value", "length of time"
# What numbers are, by how files write them.
MEANINGS = {
    "date": "dates",
    "day first": "dates",
    "month first": "dates",
    "time": "times of day",
    LENGTH: "lengths of time",
    TRUTH: "truth values",
}

DAY = np.timedelta64(1, "D")
HOUR_NS = 3.6e12


@dataclass
class FrameColumn:
    """One column of a frame.

    Attributes
    ----------
    name : str
        Its name as a text.
    kind : str
        What it holds: numbers, booleans, dates (and times), categories, words, or objects (sets, bags of vectors,
        graphs).
    values : list
        As Python has them; None where they are missing.
    numbers : function
        Gives an array of them: truth values as 0 and 1, dates and lengths of time in days, times of day in hours.
    notation : str
        How files write them.
    odd : str
        Of words that were read: what few of them decide, for a warning; empty where they decide nothing.
    """

    name: str
    kind: Kind
    read: Callable[[], list[Any]]
    read_numbers: Callable[[], Array] = field(default=lambda: np.empty(0))
    notation: str = "plain"
    odd: str = ""

    @cached_property
    def values(self) -> list[Any]:
        """As Python has them; None where they are missing."""
        return self.read()

    @cached_property
    def numbers(self) -> Array:
        """Of numbers, booleans and dates: float64, or float32 where the column is, with NaN for missing values."""
        return self.read_numbers()

    @cached_property
    def texts(self) -> list[str]:
        """As a CSV file would have them; the empty text where they are missing."""
        there = [value for value in self.values if value is not None]
        # As pandas writes dates: without the time where it is midnight throughout.
        is_day = bool(there) and all(isinstance(value, datetime.datetime) and _is_midnight(value) for value in there)
        return ["" if value is None else str(value.date() if is_day else value) for value in self.values]

    @property
    def meaning(self) -> str:
        """What it holds, for messages."""
        return MEANINGS.get(self.notation, self.kind)

    def fields(self, reading: str, levels: Sequence[str] = (), notation: str = "plain") -> tuple[Any, str]:
        """Read the texts as fields of a file: numbers or other samples, and how numbers are written."""
        content, notation, self.odd = _core.fields(self.name, self.texts, reading, levels, notation)
        return content, notation

    @property
    def is_numeric(self) -> bool:
        """Whether every value is a number, a text that is one, a truth value, or missing."""
        if self.kind == "words":
            content, notation = self.by_content
            return isinstance(content, np.ndarray) and notation == "plain"
        return self.kind in ("numbers", "booleans")

    @cached_property
    def by_content(self) -> tuple[Any, str]:
        """What the texts are, by the rule for files."""
        return self.fields("by content")


# ---- Values ------------------------------------------------------------------------------------------------------


# The types of dates and times, by how files write them.
TIMES: dict[str, tuple[type, ...]] = {
    "date": (datetime.date, np.datetime64),
    "time": (datetime.time,),
    LENGTH: (datetime.timedelta, np.timedelta64),
}


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _object_column(name: str, read: Callable[[], list[Any]]) -> FrameColumn:
    """Tell what a column holds whose type says nothing."""
    values = [None if _is_missing(value) else value for value in read()]
    kinds = {type(value) for value in values if value is not None}

    def given() -> list[Any]:
        return values

    if all(issubclass(kind, (numbers.Real, np.bool_, decimal.Decimal)) for kind in kinds):
        if kinds and _are(kinds, bool, np.bool_):
            return FrameColumn(name, "booleans", given, lambda: _floats(values), TRUTH)
        return FrameColumn(name, "numbers", given, lambda: _floats(values))
    for notation, types in TIMES.items():
        if _are(kinds, *types):
            return FrameColumn(
                name, "dates", given, lambda: np.array([_days(value) for value in values], dtype=float), notation
            )
    if all(issubclass(kind, (str, numbers.Real, np.bool_, decimal.Decimal)) for kind in kinds):
        return FrameColumn(name, "words", given)
    return FrameColumn(name, "objects", given)


def _is_midnight(value: datetime.datetime) -> bool:
    return value.tzinfo is None and value.time() == datetime.time() and not getattr(value, "nanosecond", 0)


def _floats(values: list[Any]) -> Array:
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)


def _are(kinds: set[type], *wanted: type) -> bool:
    return all(issubclass(kind, wanted) for kind in kinds)


def _days(value: Any) -> float:
    """Give days since 1970-01-01, or of a length of time; hours since midnight of a time of day."""
    if value is None:
        return np.nan
    if isinstance(value, datetime.time):
        return value.hour + value.minute / 60 + (value.second + value.microsecond / 1e6) / 3600
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return float(np.timedelta64(value) / DAY)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return float((np.datetime64(value, "us") - np.datetime64(0, "us")) / DAY)


# ---- pandas ------------------------------------------------------------------------------------------------------


def pandas_column(name: str, column: Any) -> FrameColumn:
    import pandas as pd

    dtype = column.dtype

    def read() -> list[Any]:
        return [None if _is_missing(value) else value for value in column.tolist()]

    if isinstance(dtype, (pd.CategoricalDtype, pd.IntervalDtype)):
        return FrameColumn(name, "categories", read)
    if isinstance(dtype, pd.PeriodDtype):
        return pandas_column(name, column.dt.to_timestamp())
    if pd.api.types.is_complex_dtype(dtype):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers")
    if pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_bool_dtype(dtype):
            return FrameColumn(name, "booleans", read, lambda: _pandas_numbers(column), TRUTH)
        return FrameColumn(name, "numbers", read, lambda: _pandas_numbers(column))
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return FrameColumn(name, "dates", read, lambda: _pandas_days(pd.to_datetime(column, utc=True)), "date")
    if pd.api.types.is_timedelta64_dtype(dtype):
        return FrameColumn(name, "dates", read, lambda: np.asarray(column.to_numpy() / DAY, dtype=float), LENGTH)
    return _object_column(name, column.tolist)


def _pandas_numbers(column: Any) -> Array:
    if hasattr(column.dtype, "fill_value"):  # sparse
        return np.asarray(column, dtype=np.float64)
    # Whole numbers have no NaN, so that the type must be said.
    dtype = np.float32 if str(column.dtype) in ("float32", "Float32") else np.float64
    return np.asarray(column.to_numpy(dtype=dtype, na_value=np.nan))


def _pandas_days(column: Any) -> Array:
    since = column.dt.tz_localize(None).to_numpy()
    return np.asarray((since - np.datetime64(0, "D")) / DAY, dtype=float)


# ---- polars ------------------------------------------------------------------------------------------------------


def polars_column(name: str, column: Any) -> FrameColumn:
    import polars as pl

    dtype = column.dtype
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        if dtype == pl.Boolean:
            return FrameColumn(name, "booleans", column.to_list, lambda: _polars_numbers(column), TRUTH)
        return FrameColumn(name, "numbers", column.to_list, lambda: _polars_numbers(column))
    if dtype in (pl.Date, pl.Datetime, pl.Duration, pl.Time):
        notation = {pl.Duration: LENGTH, pl.Time: "time"}.get(dtype.base_type(), "date")
        return FrameColumn(name, "dates", column.to_list, lambda: _polars_days(column), notation)
    if dtype in (pl.Categorical, pl.Enum):
        return FrameColumn(name, "categories", column.to_list)
    return _object_column(name, column.to_list)


def _polars_numbers(column: Any) -> Array:
    import polars as pl

    return np.asarray((column if column.dtype == pl.Float32 else column.cast(pl.Float64)).to_numpy())


def _polars_days(column: Any) -> Array:
    import polars as pl

    if column.dtype == pl.Time:
        return np.asarray(column.to_physical().cast(pl.Float64).to_numpy() / HOUR_NS)
    if getattr(column.dtype, "time_zone", None) is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = column.to_numpy()
    return np.asarray((values if column.dtype == pl.Duration else values - np.datetime64(0, "D")) / DAY, dtype=float)
