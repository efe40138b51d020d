"""What densities and smoothers share: windows in place of a kernel, and their widths."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse

from mercer._base import Array, Estimator
from mercer._frames import require_numeric_frame
from mercer._kernel_choice import KernelChoice
from mercer._options import AddedWords, OptionNames
from mercer._parameters import text_of, value_of
from mercer._rules import POSITIVE, reject
from mercer._samples import is_frame

# scikit-learn's names of two windows.
WINDOW_NAMES = {"tophat": "boxcar", "linear": "triangle"}


class Windowed(Estimator):
    """An estimator over a model without a kernel: where it has windows, ``kernel`` names them."""

    _option_names: ClassVar[OptionNames] = {"kernel": "shape"}
    _added_words: ClassVar[AddedWords] = {"kernel": tuple(WINDOW_NAMES)}
    _kernel_parameter = ""

    def _traits(self) -> dict[str, bool]:
        return {"sparse": True}

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        shape = settings.get("shape")
        return {**settings, "shape": WINDOW_NAMES[shape]} if shape in WINDOW_NAMES else settings

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        return KernelChoice("")

    def _check_vectors(self, X: Any, *, reset: bool) -> Any:
        """Check rows of numbers that are all there, as scikit-learn does."""
        if reset:
            self._forget_frame()
        if not is_frame(X):
            return self._check_array(X, reset=reset)
        require_numeric_frame(X, type(self).__name__, "drop it, or give numbers for it")
        return self._check_matrix(X, reset=reset, gaps=False)

    def _dense_rows(self, X: Any) -> Array:
        """New rows as a matrix of float64."""
        self._check_fitted()
        rows = self._check_vectors(X, reset=False)
        if scipy.sparse.issparse(rows):
            rows = rows.toarray()
        return np.ascontiguousarray(rows, dtype=np.float64)


def width_text(estimator: Any, name: str, rules: Sequence[str], *, matrix: bool = False) -> str:
    """Write a width as the engine reads it.

    Parameters
    ----------
    estimator : BaseEstimator
        Whose parameter it is.
    name : str
        Of the parameter: a rule, a positive number, one per column, or a symmetric matrix.
    rules : sequence of str
        Those that the engine knows.
    matrix : bool
        Whether a matrix may be given.
    """
    value = getattr(estimator, name)
    allowed = f"one of {{{', '.join(map(repr, rules))}}}, a positive number or one per column"
    if matrix:
        allowed += ", or a symmetric matrix of squared widths"
    if isinstance(value, str):
        if value not in rules:
            reject(estimator, name, value, allowed)
        return value
    if isinstance(value, numbers.Real) and POSITIVE.hold(value):
        return text_of(value)
    widths = np.asarray(value)
    if widths.dtype.kind not in "iuf" or widths.size == 0 or not np.isfinite(widths).all():
        reject(estimator, name, value, allowed)
    if widths.ndim == 1 and (widths > 0).all():
        return _list_text(widths)
    if not matrix or widths.ndim != 2 or widths.shape[0] != widths.shape[1]:
        reject(estimator, name, value, allowed)
    if widths.size == 1:  # one column: a width
        if widths[0, 0] <= 0:
            reject(estimator, name, value, allowed)
        return text_of(float(np.sqrt(widths[0, 0])))
    return ";".join(_list_text(row) for row in widths)


def width_of(text: str) -> Any:
    """Read a width back.

    Examples
    --------
    >>> width_of("silverman"), width_of("0.5"), width_of("0.5,2"), width_of("4,1;1,9").shape
    ('silverman', 0.5, array([0.5, 2. ]), (2, 2))
    """
    if ";" in text:
        return np.array([[float(item) for item in row.split(",")] for row in text.split(";")])
    if "," in text:
        return np.array([float(item) for item in text.split(",")])
    return value_of(text)


def ends_text(estimator: Any, name: str) -> str:
    """Write ends of columns, or periods: a number for all, or one per column with None where there is none."""
    value = getattr(estimator, name)
    if value is None:
        return ""
    items = [value] if np.ndim(value) == 0 else list(value)
    texts = ["none" if item is None or (isinstance(item, float) and np.isnan(item)) else item for item in items]
    if not texts or not all(text == "none" or isinstance(text, numbers.Real) for text in texts):
        reject(estimator, name, value, "None, a number, or one number or None per column")
    return ",".join(text if isinstance(text, str) else text_of(text) for text in texts)


def ends_of(text: str) -> Any:
    """Read ends back.

    Examples
    --------
    >>> ends_of(""), ends_of("0"), ends_of("0,none")
    (None, 0, [0, None])
    """
    if not text:
        return None
    items = [None if item == "none" else value_of(item) for item in text.split(",")]
    return items if len(items) > 1 else items[0]


def _list_text(values: Any) -> str:
    return ",".join(text_of(float(value)) for value in values)
