"""Labels of classes: any type in Python, numbers and texts for the engine.

The engine has texts, in one form for every kind: ``"1"`` for integers, the shortest number for reals (``"0.5"``,
``"1"``), ``"True"`` and ``"False"``, and texts as they are. The kind stands in model files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from mercer import _core
from mercer._record import NUMBER_DTYPES, dtype_of

KINDS = {"b": "boolean", "i": "integer", "u": "integer", "f": "real", "U": "text", "O": "text"}
BOOLEANS = {"True": True, "False": False}


def encode(y: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Give the sorted classes and the number of every row's class.

    Examples
    --------
    >>> classes, codes = encode(["b", "a", "b"])
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
    if classes.dtype.kind == "f":
        classes = classes + classes.dtype.type(0)  # -0.0 and 0.0 are one label
    return classes, codes.astype(np.int32)


def kind_of(classes: npt.NDArray[Any]) -> str:
    """Name the kind of labels: text, integer, real or boolean; other types are texts to the engine."""
    return KINDS.get(classes.dtype.kind, "text")


def texts(classes: npt.NDArray[Any]) -> list[str]:
    """Write the classes as texts, each another one.

    Examples
    --------
    >>> texts(np.array([0, 1])), texts(np.array([0.5, 1.0])), texts(np.array([False, True]))
    (['0', '1'], ['0.5', '1'], ['False', 'True'])
    """
    if classes.dtype.kind == "f" and classes.dtype.itemsize <= 8:
        return [_core.number_text(float(item)) for item in classes]
    written = [str(item) for item in (classes.tolist() if classes.dtype.kind in "biuUO" else classes)]
    for text in written:
        try:
            same = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") == text
        except UnicodeEncodeError:
            same = True  # the engine says what is wrong
        if not same:
            raise ValueError(f"the label {text!a} writes a character as bytes: decode it as UTF-8")
    return written


def from_texts(written: Sequence[str], kind: str | None = None) -> npt.NDArray[Any]:
    """Read classes from a model file by their kind; None: whatever all of them are, as files of format 1 do not say.

    Examples
    --------
    >>> from_texts(["1", "10"], "integer"), from_texts(["01", "10"], "text")
    (array([ 1, 10]), array(['01', '10'], dtype='<U2'))
    >>> from_texts(["1", "10"]), from_texts(["1", "two"])
    (array([ 1, 10]), array(['1', 'two'], dtype='<U3'))
    """
    if kind is None:
        return _guessed(written)
    if kind == "text":
        return _text_array(written)
    values = [READERS[kind](text) for text in written]
    if len(set(values)) != len(values):
        raise ValueError(f"the file's labels {list(written)!r} are not all different as labels of the kind {kind!r}")
    if kind == "integer":
        return _integer_array(values)
    return np.array(values, dtype=np.float64 if kind == "real" else np.bool_)


def _text_array(written: Sequence[str]) -> npt.NDArray[Any]:
    # NumPy's texts end where only NUL follows.
    exact = not any(text.endswith("\0") for text in written)
    return np.array(written, dtype=np.str_ if exact else object)


def _integer_array(values: Sequence[int]) -> npt.NDArray[Any]:
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        if all(limits.min <= value <= limits.max for value in values):
            return np.array(values, dtype=dtype)
    return np.array(values, dtype=object)


def _guessed(written: Sequence[str]) -> npt.NDArray[Any]:
    for kind in (int, float):
        try:
            values = [kind(text) for text in written]
        except ValueError:
            continue
        if len(set(values)) == len(values):
            return np.array(values)
    return np.array(written)


def _integer(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"the file's label {text!r} is no integer")
    return int(text)


def _real(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"the file's label {text!r} is no number")
    return value


def _boolean(text: str) -> bool:
    if text not in BOOLEANS:
        raise ValueError(f"the file's label {text!r} is neither True nor False")
    return BOOLEANS[text]


READERS: dict[str, Callable[[str], Any]] = {"integer": _integer, "real": _real, "boolean": _boolean}


def dtype_text(classes: npt.NDArray[Any]) -> str:
    """Name the type of the classes for a file; ValueError where no file can hold it."""
    dtype = classes.dtype
    if dtype.str not in NUMBER_DTYPES and dtype.kind not in "UO":
        raise ValueError(
            f"labels of the type {dtype} cannot be kept in a model file: fit to texts or numbers, or pickle the "
            "estimator"
        )
    return dtype.str


def with_dtype(classes: npt.NDArray[Any], name: Any) -> npt.NDArray[Any]:
    """Give classes of a file the type that they had; ValueError where they cannot have it."""
    dtype = dtype_of(name, len(classes))
    if kind_of(classes) != KINDS[dtype.kind] and classes.dtype != object:
        raise ValueError(f"labels of the kind {kind_of(classes)!r} cannot have the type {name!r}")
    try:
        given = classes.astype(dtype)
    except OverflowError as error:
        raise ValueError(f"the file's labels are no values of the type {name!r}") from error
    if given.tolist() != classes.tolist():
        raise ValueError(f"the file's labels are no values of the type {name!r}")
    return given
