"""Whatever users hold as data becomes samples of the core, without a copy where the memory allows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from mercer import _core
from mercer._core import Samples
from mercer._frame_kinds import Words, as_numbers
from mercer._frames import (
    column_names,
    frame_columns,
    frame_matrix,
    is_frame,
    is_matrix,
    names_of,
    new_table,
    table_samples,
    with_named_columns,
)
from mercer._objects import object_samples, objects_kind, words_of

__all__ = [
    "as_matrix",
    "as_samples",
    "coded_samples",
    "column_names",
    "is_frame",
    "is_objects",
    "is_strings",
    "kernel_of",
    "rows_at",
    "training_samples",
]


def as_samples(
    X: Any,
    *,
    names: Sequence[str] | None = None,
    words: Words | None = None,
    kernel: str | None = None,
    seen: _core.Preparation | None = None,
) -> Samples:
    """Samples of the core from arrays, sparse matrices, data frames, or lists of strings, sets, bags or graphs.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or sequence
        float32 and float64 arrays of any order are seen without a copy; other numbers become float64. A frame's
        columns are read as ``_frames`` says.
        A sequence may hold strings; sets (of numbers, strings or tuples of these); bags of vectors, each a matrix; or
        graphs: of networkx (labels are the attribute ``label``), square sparse matrices whose entries are edges, pairs
        ``(matrix, vertex_labels)``, or dicts ``{"nodes": number or labels, "edges": [[from, to], ...]}``. Strings in
        sets and labels are coded by a hash of 31 bits that is the same in every process.
    names : sequence of str, optional
        Names of the columns of an array or sparse matrix, so that kernels find them by name.
    words : mapping from str to sequence of str, optional
        By column of sets or graphs, the words that stand for the numbers 0, 1, … there. A list is the first column.
    kernel, seen
        Of frames: as ``new_table`` takes the kernel; what a model has seen, whose columns are chosen.

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
        return table_samples(X, seen=seen, kernel=kernel, words=words)
    if scipy.sparse.issparse(X):
        samples = _sparse_samples(X)
    elif (kind := objects_kind(X)) is not None:
        return _word_samples(X, kind, words) if words else object_samples(X, kind)
    else:
        samples = Samples.dense(as_matrix(X))
    if names is None:
        return samples
    return Samples.table(samples, [str(name) for name in names], [])


class TrainingRows(NamedTuple):
    """Rows that a model is fitted to.

    Attributes
    ----------
    samples : Samples
        What the core takes.
    words : dict
        By column of a frame, the words that number the members of sets and the labels of graphs there.
    notations : dict
        By column of a frame, how files write its numbers where that is not the plain way.
    """

    samples: Samples
    words: dict[str, list[str]]
    notations: dict[str, str]


def training_samples(
    X: Any,
    kernel: str | None = None,
    *,
    names: Sequence[str] | None = None,
    notations: Mapping[str, str] = MappingProxyType({}),
    beside: Collection[str] = (),
) -> TrainingRows:
    """Give samples of the core, and what a model file keeps of the columns of a frame.

    names, notations: of the columns of a matrix that was a frame. beside: columns that stay whatever the kernel names.

    Words in a list of sets or graphs have numbers of their own, as ``as_samples`` gives them: a model file keeps words
    by the names of columns.
    """
    if not is_frame(X):
        return TrainingRows(as_samples(X, names=names), {}, dict(notations))
    words: dict[str, list[str]] = {}
    for column in frame_columns(X):
        kind = objects_kind(column.values, f"column {column.name!r}") if column.kind == "objects" else None
        found = words_of(column.values, kind) if kind in ("sets", "graphs") else []
        if found:
            words[column.name] = found
    samples, notations = new_table(X, kernel, words, beside)
    return TrainingRows(samples, words, notations)


def kernel_of(kernel: _core.Kernel, X: Any) -> _core.Kernel:
    """Give a kernel as it stands for rows: the numbers in its subscripts count all columns of a frame."""
    return with_named_columns(kernel, X) if is_frame(X) else kernel


def coded_samples(kernel: _core.Kernel, X: Any, Y: Any = None) -> tuple[Samples, Samples | None]:
    """Give the rows that a kernel is evaluated on: frames are coded, by the columns of Y, or of X where it is alone.

    Frames of numbers that are all there stay as they are. The kernel is that of ``kernel_of``.
    """
    reference = X if Y is None else Y
    if not is_frame(reference):
        return as_samples(X, kernel=kernel.spec), None if Y is None else as_samples(Y, kernel=kernel.spec)
    if "[" not in kernel.spec and is_matrix(reference):
        if is_frame(X) and set(X.columns) == set(reference.columns):
            X = X[list(reference.columns)]
        samples, others = _number_samples(reference), None if Y is None else _number_samples(X)
        if not any(np.isnan(as_numbers(column)).any() for column in frame_columns(reference)):
            return (samples, None) if others is None else (others, samples)
        coding = _core.code(kernel, samples)
    else:
        samples, notations = new_table(reference, kernel.spec)
        coding = _core.code(kernel, samples, notations)
        others = None if Y is None else as_samples(X, seen=coding)
    coded = coding.apply(samples)
    return (coded, None) if others is None else (coding.apply(others), coded)


def _number_samples(X: Any) -> Samples:
    """Make a table of a frame of numbers, in which truth values are 0 and 1; samples of anything else."""
    if not is_frame(X):
        return as_samples(X)
    matrix, names = frame_matrix(X), names_of(X)
    if matrix is None or np.isinf(matrix).any() or len(set(names)) != len(names):
        return new_table(X)[0]  # which says what is wrong
    return Samples.table(Samples.dense(as_matrix(matrix)), names, [])


def _word_samples(X: Any, kind: str, words: Words) -> Samples:
    """Make a table of one column, whose name says that its members have been numbered by its words."""
    name, levels = next(iter(words.items()))
    return Samples.table(None, [], [(name, object_samples(X, kind, levels))])


def rows_at(rows: Any, indices: NDArray[Any]) -> Any:
    """Some of the rows of an array, a sparse matrix, a frame or a list."""
    if hasattr(rows, "iloc"):
        return rows.iloc[indices]
    return rows[indices] if hasattr(rows, "shape") else [rows[row] for row in indices]


def is_strings(X: Any) -> bool:
    """Whether X is a sequence of strings; ValueError where it holds other things beside strings."""
    return objects_kind(X) == "strings"


def is_objects(X: Any) -> bool:
    """Whether X is a sequence of things that are no vectors: strings, sets, bags of vectors, graphs."""
    return objects_kind(X) is not None


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
