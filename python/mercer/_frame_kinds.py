"""Columns of a frame read as what is wanted of them, or as what those of the fit were; refusals name the column."""

from __future__ import annotations

import numbers
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mercer import _core
from mercer._core import Samples
from mercer._frame_column import MEANINGS, TRUTH, Array, FrameColumn
from mercer._objects import object_samples, objects_kind

Words = Mapping[str, Sequence[str]]

SETTLED_KINDS = {"sets": "set", "graphs": "graph", "bags": "bag"}


def as_numbers(column: FrameColumn, notation: str = "plain") -> Array:
    """Numbers of a column that may write them as texts, in this notation; ValueError names the first that is none."""
    if column.kind in ("numbers", "booleans", "dates"):
        return column.numbers
    if column.kind == "objects":
        raise ValueError(_stranger(column.name, column.values, "numbers"))
    return np.asarray(column.fields("numeric", notation=notation)[0])


def as_strings(column: FrameColumn) -> Samples:
    """Texts of a column, all of which are there."""
    if None in column.values:
        raise ValueError(_stranger(column.name, column.values, "texts"))
    return Samples.strings(column.texts)


def as_objects(column: FrameColumn, words: Words) -> Samples:
    """Sets, bags of vectors or graphs of a column; their words have the numbers of ``words``."""
    kind = objects_kind(column.values, f"column {column.name!r}")
    if kind not in SETTLED_KINDS:
        raise ValueError(_stranger(column.name, column.values, "texts"))
    return object_samples(column.values, kind, words.get(column.name))


# ---- As at the fit -----------------------------------------------------------------------------------------------


def as_before(column: FrameColumn, kind: str, levels: Sequence[str], words: Words) -> Samples:
    """Read a column that holds no numbers as one of the kind that it had when the model was fitted."""
    if kind in ("set", "bag", "graph"):
        return as_objects(column, words)
    if column.kind == "objects":
        raise ValueError(_stranger(column.name, column.values, "categories" if kind == "categorical" else "texts"))
    if kind == "text":
        return as_strings(column)
    categories: Samples = column.fields("categorical", levels)[0]
    return categories


def numbers_as_before(column: FrameColumn, notation: str, *, truth_counts: bool) -> Array:
    """Read a column of numbers as that of the fit: what a file of it would be refused for is refused.

    Parameters
    ----------
    column : FrameColumn
        Of new rows.
    notation : str
        How files write the numbers of the column of the fit.
    truth_counts : bool
        Whether truth values are numbers, as they were to models that did not keep what their columns were.
    """
    values = as_numbers(column, notation)
    if column.kind in ("words", "categories"):
        return values
    found, wanted = MEANINGS.get(column.notation), MEANINGS.get(notation)
    strange = ~np.isnan(values)
    if found == wanted or (truth_counts and wanted is None and column.notation == TRUTH):
        return values
    if notation == TRUTH and found is None:
        strange &= ~np.isin(values, (0, 1))
    if strange.any():
        row = int(np.flatnonzero(strange)[0])
        raise ValueError(
            f"column {column.name!r} holds {column.meaning} ({column.texts[row]} in row {row}, counted from 0) where "
            f"that of the fit held {wanted or 'numbers'}: give it the type that it had then"
        )
    return values


def matrix_notations(columns: Sequence[FrameColumn]) -> dict[str, str]:
    """How files write the numbers of the columns of a matrix, where that is not the plain way."""
    return {column.name: column.notation for column in columns if column.notation != "plain"}


def numbers_of_table(column: FrameColumn, seen: _core.Preparation, dates: str | None = None) -> Array:
    """Numbers of a column that a model has seen; dates: the part of dates that the model takes of them."""
    notation = seen.notations.get(column.name, "plain" if dates is None else "date")
    # Models of before do not tell truth values from numbers.
    return numbers_as_before(column, notation, truth_counts=not seen.is_coded)


# ---- Refusals ----------------------------------------------------------------------------------------------------


def require_numbers(columns: Sequence[FrameColumn], who: str, advice: str) -> None:
    """ValueError where a column of a frame is no numbers; who takes numbers alone, and what else could be done."""
    for column in columns:
        if not column.is_numeric:
            raise ValueError(f"{who} takes numbers alone, and column {column.name!r} holds {column.meaning}: {advice}")


def _stranger(name: str, values: list[Any], expected: str) -> str:
    """Say which row holds something else; missing values count where texts are expected."""
    row = next((row for row, value in enumerate(values) if _is_strange(value, expected)), 0)
    shown = reprlib.repr(values[row]) if values else "nothing"
    return (
        f"column {name!r} holds {shown} in row {row} where {expected} are expected (rows are counted from 0): convert "
        "it to numbers, to the category type, or to strings"
    )


def _is_strange(value: Any, expected: str) -> bool:
    return not isinstance(value, str) if expected == "texts" else not isinstance(value, (str, numbers.Real, type(None)))
