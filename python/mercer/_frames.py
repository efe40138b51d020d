"""Frames of pandas and polars: what every column holds, and how it becomes a column of the core.

Dates and times are days, times of day hours; what is declared a category is one, whatever its levels look like; texts,
and the truth values of a table, are read as the fields of a CSV file are, by the code that reads files: as numbers,
categories or texts. Missing values are NaN, None, NA, NaT and null alike.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from mercer import _core
from mercer._core import Samples
from mercer._frame_column import TRUTH, Array, FrameColumn, pandas_column, polars_column
from mercer._frame_kinds import (
    Words,
    as_before,
    as_numbers,
    as_objects,
    as_strings,
    matrix_notations,
    numbers_as_before,
    numbers_of_table,
    require_numbers,
)

# Name, kind and levels of columns.
Schema = Sequence[tuple[str, str, list[str]]]


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


def called(names: Iterable[Any]) -> list[str]:
    """Give names of columns as texts; a column whose name is empty is called after its place, as in files."""
    return [str(name) or f"column {place}" for place, name in enumerate(names)]


def names_of(frame: Any, wanted: Collection[str] | None = None) -> list[str]:
    """Give the names of a frame's columns; models of before, which want it so, called one without a name by no text."""
    return [str(name) for name in frame.columns] if wanted is not None and "" in wanted else called(frame.columns)


def frame_columns(frame: Any, wanted: Collection[str] | None = None) -> list[FrameColumn]:
    """Tell what the columns of a frame hold, or those of the names that are wanted."""
    chosen = [(place, name) for place, name in enumerate(names_of(frame, wanted)) if wanted is None or name in wanted]
    if _is_polars(frame):
        columns = frame.get_columns()
        return [polars_column(name, columns[place]) for place, name in chosen]
    return [pandas_column(name, frame.iloc[:, place]) for place, name in chosen]


def is_matrix(frame: Any) -> bool:
    """Whether a frame holds numbers alone, as scikit-learn's estimators take it."""
    return _has_plain_numbers(frame) or all(column.is_numeric for column in frame_columns(frame))


def frame_matrix(frame: Any, seen: _core.Preparation | None = None) -> Array | None:
    """Numbers of a frame, NaN where they are missing; None for a frame of sparse columns, which is no dense matrix.

    ValueError names the column that holds other things, or other numbers than that of the same name in what is seen.
    """
    if _is_sparse(frame):
        return None
    if _has_plain_numbers(frame) and (seen is None or not (seen.notations or _truth_columns(frame))):
        return np.asarray(
            frame.to_numpy(dtype=np.float32 if set(frame.dtypes) == {np.dtype(np.float32)} else np.float64)
        )
    columns = frame_columns(frame)
    if seen is None:
        return _block([as_numbers(column) for column in columns], frame.shape[0])
    notations, used = seen.notations, {name for name, _, _ in seen.schema}
    values = [
        numbers_as_before(column, notations.get(column.name, "plain"), truth_counts=not used)
        if not used or column.name in used
        else np.full(frame.shape[0], np.nan, dtype=np.float32)
        for column in columns
    ]
    return _block(values, frame.shape[0])


def notations_of_matrix(frame: Any) -> dict[str, str]:
    """How files write the numbers of a frame of numbers, where that is not the plain way."""
    if _is_sparse(frame) or _has_plain_numbers(frame):
        return dict.fromkeys(_truth_columns(frame), TRUTH)
    return matrix_notations(frame_columns(frame))


def require_numeric_frame(frame: Any, who: str, advice: str) -> None:
    """ValueError where a frame does not hold numbers alone; who takes no other, and what else could be done."""
    if not _has_plain_numbers(frame):
        require_numbers(frame_columns(frame), who, advice)


def with_named_columns(kernel: _core.Kernel, frame: Any) -> _core.Kernel:
    """Give a kernel with names for the numbers of its subscripts, which count all columns of a frame."""
    return kernel.with_named_columns(names_of(frame))


def table_samples(
    frame: Any, *, seen: _core.Preparation | None = None, kernel: str | None = None, words: Words | None = None
) -> Samples:
    """Make a table of the core from a frame: ``seen_table`` or the samples of ``new_table``."""
    return new_table(frame, kernel, words)[0] if seen is None else seen_table(frame, seen, words)


def new_table(
    frame: Any, kernel: str | None = None, words: Words | None = None, beside: Collection[str] = ()
) -> tuple[Samples, dict[str, str]]:
    """Make a table of the core from a frame of columns that nobody has seen before.

    Parameters
    ----------
    frame : data frame
        Of pandas or polars.
    kernel : str, optional
        The spec of a kernel, which says which columns hold texts or sets, and which are all that it looks at.
    words : mapping from str to sequence of str, optional
        By column of sets or graphs, the words that stand for the numbers 0, 1, … there.
    beside : collection of str
        Columns that are kept also where the kernel looks at others alone.

    Returns
    -------
    samples : Samples
    notations : dict
        By column of numbers, how files write them where that is not the plain way.
    """
    columns = _columns_by_name(frame)
    uses = _Uses(kernel, list(columns), beside)
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
    schema, parts = seen.schema, seen.date_parts
    columns = _columns_by_name(frame, _wanted(seen))
    contents: list[tuple[str, Any]] = []
    for name, kind, levels in schema:
        if name in parts:
            part, dates = parts[name]
            days = np.ascontiguousarray(numbers_of_table(columns[dates], seen, dates=part), dtype=np.float64)
            contents.append((name, _core.date_part(days, part)))
        elif kind == "numeric":
            contents.append((name, numbers_of_table(columns[name], seen)))
        else:
            contents.append((name, as_before(columns[name], kind, levels, words or {})))
    _warn_of_unknown_levels(contents, schema)
    return _table(frame, contents)


def _columns_by_name(frame: Any, wanted: Collection[str] | None = None) -> dict[str, FrameColumn]:
    counts = Counter(names_of(frame, wanted))
    twice = [repr(name) for name, count in counts.items() if count > 1 and (wanted is None or name in wanted)]
    if twice:
        raise ValueError(
            f"columns of a table are told apart by their names, and {', '.join(twice)} stands twice: rename one"
        )
    return {column.name: column for column in frame_columns(frame, wanted)}


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
    wanted = _wanted(seen)
    return sorted(wanted - set(names_of(frame, wanted)))


def _wanted(seen: _core.Preparation) -> set[str]:
    parts = seen.date_parts
    return {parts[name][1] if name in parts else name for name, _, _ in seen.schema}


def _is_polars(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "polars"


def _is_sparse(frame: Any) -> bool:
    return not _is_polars(frame) and frame.shape[1] > 0 and all(hasattr(dtype, "fill_value") for dtype in frame.dtypes)


def _truth_columns(frame: Any) -> list[str]:
    return [name for name, dtype in zip(names_of(frame), frame.dtypes, strict=True) if dtype == np.dtype(bool)]


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
    is_whole = not _is_polars(frame) and names == names_of(frame)
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


# ---- Kinds of columns --------------------------------------------------------------------------------------------


class _Uses:
    """What a kernel makes of the columns of a table that nobody has seen before."""

    def __init__(self, kernel: str | None, columns: list[str], beside: Collection[str] = ()) -> None:
        uses = _core.Kernel(kernel).column_uses() if kernel else {}
        self._text, self._sets = set(uses.get("text", ())), set(uses.get("sets", ()))
        self._categories = set(uses.get("categories", ()))
        self._texts_by_default = bool(uses.get("texts_by_default"))
        named = set(uses.get("named", ()))
        # Columns that a kernel does not look at are not read, unless it names some that are not there.
        kept = named | set(beside)
        self.columns = [name for name in columns if name in kept] if named and named <= set(columns) else columns

    def content(self, column: FrameColumn, words: Words) -> tuple[Any, str]:
        """Give numbers or samples, and how files write the numbers."""
        if column.kind == "objects":
            return as_objects(column, words), "plain"
        if column.name in self._text and column.kind in ("words", "categories"):
            return as_strings(column), "plain"
        if column.kind in ("numbers", "dates"):
            return column.numbers, column.notation
        if column.kind == "categories":
            return column.fields("categorical")
        if self._texts_by_default and not column.is_numeric:
            return as_strings(column), "plain"
        if column.name in self._categories:
            return column.fields("words")
        content = column.by_content
        if column.odd:
            warnings.warn(column.odd, UserWarning, stacklevel=level_of_caller())
        return content


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
