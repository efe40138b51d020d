"""Frames of pandas and polars: what every column holds, and how it becomes a column of the core.

Dates and times are days, times of day hours; what is declared a category is one, whatever its levels look like; texts,
and the truth values of a table, are read as the fields of a CSV file are, by the code that reads files: as numbers,
categories or texts. Missing values are NaN, None, NA, NaT and null alike.
"""

from __future__ import annotations

import numbers
import reprlib
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mercer import _core
from mercer._core import Samples
from mercer._frame_column import Array, FrameColumn, pandas_column, polars_column
from mercer._objects import object_samples, objects_kind

Words = Mapping[str, Sequence[str]]
# Name, kind and levels of columns.
Schema = Sequence[tuple[str, str, list[str]]]

SETTLED_KINDS = {"sets": "set", "graphs": "graph", "bags": "bag"}


def is_frame(X: Any) -> bool:
    """Whether X is a data frame of pandas or polars (neither is imported for that)."""
    module = type(X).__module__.partition(".")[0]
    return module in ("pandas", "polars") and type(X).__name__ == "DataFrame"


def column_names(X: Any) -> list[str] | None:
    """The names of a frame's columns; None for anything else, and where names are not all strings."""
    if not is_frame(X):
        return None
    names = list(X.columns)
    return names if all(isinstance(name, str) for name in names) else None


# ---- Frames ------------------------------------------------------------------------------------------------------


def frame_columns(frame: Any) -> list[FrameColumn]:
    """Tell what the columns of a frame hold."""
    if _is_polars(frame):
        return [polars_column(column) for column in frame.get_columns()]
    return [pandas_column(str(name), frame.iloc[:, place]) for place, name in enumerate(frame.columns)]


def is_matrix(frame: Any) -> bool:
    """Whether a frame holds numbers alone, as scikit-learn's estimators take it."""
    return _has_plain_numbers(frame) or all(column.is_numeric for column in frame_columns(frame))


def frame_matrix(frame: Any) -> Array | None:
    """Numbers of a frame, NaN where they are missing; None for a frame of sparse columns, which is no dense matrix.

    ValueError names the column that holds other things.
    """
    if not _is_polars(frame) and frame.shape[1] > 0 and all(hasattr(dtype, "fill_value") for dtype in frame.dtypes):
        return None
    if _has_plain_numbers(frame):
        return np.asarray(
            frame.to_numpy(dtype=np.float32 if set(frame.dtypes) == {np.dtype(np.float32)} else np.float64)
        )
    return _block([as_numbers(column) for column in frame_columns(frame)], frame.shape[0])


def table_samples(
    frame: Any, *, seen: _core.Preparation | None = None, kernel: str | None = None, words: Words | None = None
) -> Samples:
    """Make a table of the core from a frame: ``seen_table`` or the samples of ``new_table``."""
    return new_table(frame, kernel, words)[0] if seen is None else seen_table(frame, seen, words)


def new_table(frame: Any, kernel: str | None = None, words: Words | None = None) -> tuple[Samples, dict[str, str]]:
    """Make a table of the core from a frame of columns that nobody has seen before.

    Parameters
    ----------
    frame : data frame
        Of pandas or polars.
    kernel : str, optional
        The spec of a kernel, which says which columns hold texts or sets, and which are all that it looks at.
    words : mapping from str to sequence of str, optional
        By column of sets or graphs, the words that stand for the numbers 0, 1, … there.

    Returns
    -------
    samples : Samples
    notations : dict
        By column of numbers, how files write them where that is not the plain way.
    """
    columns = _columns_by_name(frame)
    uses = _Uses(kernel, list(columns))
    contents, notations = [], {}
    for name in uses.columns:
        content, notation = uses.content(columns[name], words or {})
        contents.append((name, content))
        if notation != "plain":
            notations[name] = notation
    return _table(frame, contents), notations


def seen_table(frame: Any, seen: _core.Preparation, words: Words | None = None) -> Samples:
    """Make a table of the columns that a model has seen: chosen by name, and read as they were then.

    Levels that were not there count as none, which one warning says.
    """
    columns, schema = _columns_by_name(frame), seen.schema
    parts, notations = seen.date_parts, seen.notations
    contents = []
    for name, kind, levels in schema:
        if name in parts:
            part, dates = parts[name]
            days = as_numbers(columns[dates], notations.get(dates, "date"))
            contents.append((name, _core.date_part(np.ascontiguousarray(days, dtype=np.float64), part)))
        else:
            contents.append((name, _as_before(columns[name], kind, levels, notations.get(name, "plain"), words or {})))
    _warn_of_unknown_levels(contents, schema)
    return _table(frame, contents)


def _columns_by_name(frame: Any) -> dict[str, FrameColumn]:
    columns = {column.name: column for column in frame_columns(frame)}
    if len(columns) != frame.shape[1]:
        counts = Counter(str(name) for name in frame.columns)
        twice = ", ".join(repr(name) for name, count in counts.items() if count > 1)
        raise ValueError(f"columns of a table are told apart by their names, and {twice} stands twice: rename one")
    return columns


def _table(frame: Any, contents: list[tuple[str, Any]]) -> Samples:
    numeric = [(name, _finite(name, content)) for name, content in contents if isinstance(content, np.ndarray)]
    others = [(name, content) for name, content in contents if not isinstance(content, np.ndarray)]
    block = _numeric_block(frame, [name for name, _ in numeric], [values for _, values in numeric])
    return Samples.table(block, [name for name, _ in numeric], others)


def stacked_frames(first: Any, second: Any) -> Any:
    """Give the rows of one frame above those of another, with the columns of the first."""
    if _is_polars(first) and _is_polars(second):
        import polars as pl

        return pl.concat([first, second.select(first.columns)], how="vertical_relaxed")
    import pandas as pd

    return pd.concat([first, second[list(first.columns)]], ignore_index=True)


def missing_columns(frame: Any, seen: _core.Preparation) -> list[str]:
    """Names of columns that a model has seen and the frame does not have."""
    found, parts = {str(name) for name in frame.columns}, seen.date_parts
    wanted = {parts[name][1] if name in parts else name for name, _, _ in seen.schema}
    return sorted(wanted - found)


def _is_polars(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "polars"


def _has_plain_numbers(frame: Any) -> bool:
    """Whether all columns are of NumPy's own types of numbers: then they need not be looked at one by one."""
    kinds = () if _is_polars(frame) else set(frame.dtypes)
    return bool(kinds) and all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds)


def _block(columns: list[Array], rows: int) -> Array:
    dtype = np.float32 if columns and all(values.dtype == np.float32 for values in columns) else np.float64
    block = np.empty((rows, len(columns)), dtype=dtype)
    for place, values in enumerate(columns):
        block[:, place] = values
    return block


def _numeric_block(frame: Any, names: list[str], columns: list[Array]) -> Samples | None:
    if not columns:
        return None
    is_whole = not _is_polars(frame) and names == [str(name) for name in frame.columns]
    matrix = frame.to_numpy() if is_whole and {str(kind) for kind in frame.dtypes} == {"float64"} else None
    if matrix is not None and all(stride > 0 for stride in matrix.strides):
        return Samples.dense(matrix)
    return Samples.dense(_block(columns, frame.shape[0]))


def _finite(name: str, values: Array) -> Array:
    """Give numbers among which there is no infinity; missing ones may be."""
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"column {name!r} holds {values[row]} in row {row} (rows are counted from 0): numbers are finite. Leave "
            "such rows out, or fill them in"
        )
    return values


def as_numbers(column: FrameColumn, notation: str = "plain") -> Array:
    """Numbers of a column that may write them as texts, in this notation; ValueError names the first that is none."""
    if column.kind in ("numbers", "booleans", "dates"):
        return column.numbers
    if column.kind == "objects":
        raise ValueError(_stranger(column.name, column.values, "numbers"))
    return np.asarray(column.fields("numeric", notation=notation)[0])


# ---- Kinds of columns --------------------------------------------------------------------------------------------


class _Uses:
    """What a kernel makes of the columns of a table that nobody has seen before."""

    def __init__(self, kernel: str | None, columns: list[str]) -> None:
        uses = _core.Kernel(kernel).column_uses() if kernel else {}
        self._text, self._sets = set(uses.get("text", ())), set(uses.get("sets", ()))
        self._categories = set(uses.get("categories", ()))
        self._subscripted = set(uses.get("subscripted", ()))
        self._texts_by_default = bool(uses.get("texts_by_default"))
        named = set(uses.get("named", ()))
        # Columns that a kernel does not look at are not read, unless it names some that are not there.
        self.columns = [name for name in columns if name in named] if named and named <= set(columns) else columns

    def content(self, column: FrameColumn, words: Words) -> tuple[Any, str]:
        """Give numbers or samples, and how files write the numbers."""
        if column.kind == "objects":
            return _objects(column, words), "plain"
        if column.name in self._text and column.kind in ("words", "categories"):
            return _strings(column), "plain"
        is_vector = column.name in self._subscripted - self._categories
        if column.kind in ("numbers", "dates") or (column.kind == "booleans" and is_vector):
            return column.numbers, column.notation
        if column.kind == "categories":
            return column.fields("categorical")
        if self._texts_by_default and not column.is_numeric:
            return _strings(column), "plain"
        return column.fields("words") if column.name in self._categories else column.by_content


def _as_before(column: FrameColumn, kind: str, levels: Sequence[str], notation: str, words: Words) -> Any:
    """Read a column as one of the kind that it had when the model was fitted."""
    if kind in ("set", "bag", "graph"):
        return _objects(column, words)
    if kind == "numeric":
        return as_numbers(column, notation)
    if column.kind == "objects":
        raise ValueError(_stranger(column.name, column.values, "categories" if kind == "categorical" else "texts"))
    return _strings(column) if kind == "text" else column.fields("categorical", levels)[0]


def _strings(column: FrameColumn) -> Samples:
    if None in column.values:
        raise ValueError(_stranger(column.name, column.values, "texts"))
    return Samples.strings(column.texts)


def _objects(column: FrameColumn, words: Words) -> Samples:
    kind = objects_kind(column.values, f"column {column.name!r}")
    if kind not in SETTLED_KINDS:
        raise ValueError(_stranger(column.name, column.values, "texts"))
    return object_samples(column.values, kind, words.get(column.name))


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


def _warn_of_unknown_levels(contents: list[tuple[str, Any]], schema: Schema) -> None:
    found = []
    for (name, content), (_, kind, levels) in zip(contents, schema, strict=True):
        if kind != "categorical":
            continue
        codes, here = content.to_python()
        unknown = np.array([level not in levels for level in here] or [False])
        count = int(np.count_nonzero(unknown[codes])) if len(codes) else 0
        if count:
            examples = [level or "a missing value" for level, new in zip(here, unknown, strict=False) if new]
            found.append(f"{name} {count} ({', '.join(examples[:3])}{', ...' if len(examples) > 3 else ''})")
    if found:
        warnings.warn(
            "rows with levels that the training rows did not have, which count as no level: " + ", ".join(found),
            UserWarning,
            stacklevel=level_of_caller(),
        )


def level_of_caller() -> int:
    """Give the stack level at which a warning points at what called the package, however deep the call is."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("mercer."):
        level, frame = level + 1, frame.f_back
    return level
