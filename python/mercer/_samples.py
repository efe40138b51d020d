"""Whatever users hold as data becomes samples of the core, without a copy where the memory allows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from mercer._core import Samples
from mercer._objects import object_samples, objects_kind, words_of

Words = Mapping[str, Sequence[str]]


def as_samples(X: Any, *, names: Sequence[str] | None = None, words: Words | None = None) -> Samples:
    """Samples of the core from arrays, sparse matrices, data frames, or lists of strings, sets, bags or graphs.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or sequence
        float32 and float64 arrays of any order are seen without a copy; other numbers become float64. A frame's
        numeric and boolean columns become numbers, its categorical ones categories, its strings texts.
        A sequence may hold strings; sets (of numbers, strings or tuples of these); bags of vectors, each a matrix; or
        graphs: of networkx (labels are the attribute ``label``), square sparse matrices whose entries are edges, pairs
        ``(matrix, vertex_labels)``, or dicts ``{"nodes": number or labels, "edges": [[from, to], ...]}``. Strings in
        sets and labels are coded by a hash of 31 bits that is the same in every process.
    names : sequence of str, optional
        Names of the columns of an array or sparse matrix, so that kernels find them by name.
    words : mapping from str to sequence of str, optional
        By column of sets or graphs, the words that stand for the numbers 0, 1, … there. A list is the first column.

    Returns
    -------
    Samples

    Examples
    --------
    >>> import numpy as np
    >>> from mercer._samples import as_samples
    >>> as_samples(np.eye(3)).kind, as_samples(["ACGT", "AC"]).size
    ('dense', 2)
    >>> as_samples([{"red", "round"}, {"red"}]).kind, as_samples([np.eye(2), np.ones((5, 2))]).kind
    ('sets', 'bags')
    """
    if isinstance(X, Samples):
        return X
    if is_frame(X):
        return _frame_samples(X, words or {})
    if scipy.sparse.issparse(X):
        samples = _sparse_samples(X)
    elif (kind := objects_kind(X)) is not None:
        return _word_samples(X, kind, words) if words else object_samples(X, kind)
    else:
        samples = Samples.dense(as_matrix(X))
    if names is None:
        return samples
    return Samples.table(samples, [str(name) for name in names], [])


def training_samples(X: Any) -> tuple[Samples, dict[str, list[str]]]:
    """Give samples of the core, and the words that number the members of sets and the labels of graphs in a frame.

    Words in a list of sets or graphs have numbers of their own, as ``as_samples`` gives them: a model file keeps words
    by the names of columns.
    """
    if not is_frame(X):
        return as_samples(X), {}
    words: dict[str, list[str]] = {}
    for name in X.columns:
        values = list(X[name]) if _may_hold_objects(X[name]) else []
        kind = objects_kind(values, f"column {name!r}")
        found = words_of(values, kind) if kind in ("sets", "graphs") else []
        if found:
            words[str(name)] = found
    return as_samples(X, words=words), words


def _may_hold_objects(column: Any) -> bool:
    return str(column.dtype) in ("object", "Object")


def _word_samples(X: Any, kind: str, words: Words) -> Samples:
    """Make a table of one column, whose name says that its members have been numbered by its words."""
    name, levels = next(iter(words.items()))
    return Samples.table(None, [], [(name, object_samples(X, kind, levels))])


def rows_at(rows: Any, indices: NDArray[Any]) -> Any:
    """Some of the rows of an array, a sparse matrix, a frame or a list."""
    if hasattr(rows, "iloc"):
        return rows.iloc[indices]
    return rows[indices] if hasattr(rows, "shape") else [rows[row] for row in indices]


def is_frame(X: Any) -> bool:
    """Whether X is a data frame of pandas or polars (neither is imported for that)."""
    module = type(X).__module__.partition(".")[0]
    return module in ("pandas", "polars") and type(X).__name__ == "DataFrame"


def is_strings(X: Any) -> bool:
    """Whether X is a sequence of strings; ValueError where it holds other things beside strings."""
    return objects_kind(X) == "strings"


def is_objects(X: Any) -> bool:
    """Whether X is a sequence of things that are no vectors: strings, sets, bags of vectors, graphs."""
    return objects_kind(X) is not None


def column_names(X: Any) -> list[str] | None:
    """The names of a frame's columns; None for anything else, and where names are not all strings."""
    if not is_frame(X):
        return None
    names = list(X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def as_matrix(X: Any) -> NDArray[Any]:
    """A matrix of float32 or float64 in native byte order, X itself where it is one."""
    array = np.asarray(X)
    if array.ndim != 2:
        hint = (
            "reshape(-1, 1) makes one column, reshape(1, -1) one row of it" if array.ndim == 1 else "one row per sample"
        )
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead of shape {array.shape}: {hint}")
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported")
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    usable = array.dtype == dtype and array.dtype.isnative and array.flags.aligned and _has_usable_strides(array)
    return array if usable else np.ascontiguousarray(array, dtype=dtype)


def _has_usable_strides(array: NDArray[Any]) -> bool:
    return all(stride > 0 and stride % array.itemsize == 0 for stride in array.strides) or array.size == 0


def _sparse_samples(X: Any) -> Samples:
    csr = X.tocsr()
    if not csr.has_canonical_format:
        # Column numbers ascending, none twice; the caller's matrix stays as it is.
        csr = csr.copy() if csr is X else csr
        csr.sum_duplicates()
    dtype = np.float32 if csr.dtype == np.float32 else np.float64
    data = np.ascontiguousarray(csr.data, dtype=dtype)
    return Samples.csr(data, np.ascontiguousarray(csr.indices), np.ascontiguousarray(csr.indptr), csr.shape[1])


def _frame_samples(frame: Any, words: Words) -> Samples:
    polars = type(frame).__module__.partition(".")[0] == "polars"
    numeric: list[str] = []
    others: list[tuple[str, Samples]] = []
    for name in frame.columns:
        column = frame[name]
        values = _polars_column(column, words) if polars else _pandas_column(column, words)
        if values is None:
            numeric.append(name)
        else:
            others.append((str(name), values))
    block = _numeric_block(frame, numeric, polars) if numeric else None
    return Samples.table(block, [str(name) for name in numeric], others)


def _numeric_block(frame: Any, names: list[str], polars: bool) -> Samples:
    chosen = frame if len(names) == frame.shape[1] else frame[names]
    if polars:
        return Samples.dense(as_matrix(chosen.to_numpy()))
    # Whole numbers have no NaN, so that the type must be said.
    dtype = np.float32 if all(str(kind) in ("float32", "Float32") for kind in chosen.dtypes) else np.float64
    return Samples.dense(as_matrix(chosen.to_numpy(dtype=dtype, na_value=np.nan)))


# None: a numeric column.
def _pandas_column(column: Any, words: Words) -> Samples | None:
    kind = getattr(column.dtype, "kind", "O")
    if column.dtype.name == "category":
        return _categories(column.cat.codes.to_numpy(), column.cat.categories)
    if kind in "biuf":
        return None
    return _objects(column.name, column.tolist(), words)


def _polars_column(column: Any, words: Words) -> Samples | None:
    if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
        return None
    if str(column.dtype).startswith(("Categorical", "Enum")):
        values = column.to_list()
        levels = sorted({value for value in values if value is not None})
        numbers = {level: code for code, level in enumerate(levels)}
        return _categories(np.array([numbers.get(value, -1) for value in values]), levels)
    return _objects(column.name, column.to_list(), words)


def _categories(codes: NDArray[Any], levels: Any) -> Samples:
    """Missing values are one level, the empty text, as in the program's tables."""
    names = [str(level) for level in levels]
    codes = np.array(codes, dtype=np.int32)
    if (codes < 0).any():
        if "" not in names:
            names.append("")
        codes[codes < 0] = names.index("")
    return Samples.categories(codes, names)


def _objects(name: object, values: list[Any], words: Words) -> Samples:
    kind = objects_kind(values, f"column {name!r}")
    if kind is None and values:
        raise ValueError(
            f"column {name!r} holds {values[0]!r} in row 0 where texts are expected; convert it to numbers, to the "
            "category type, or to strings"
        )
    return object_samples(values, kind or "strings", words.get(str(name)))
