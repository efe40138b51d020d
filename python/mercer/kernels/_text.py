"""Parameters of kernels as text of the kernel language, and back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

Value = Any
"""A number, a sequence of numbers, or text as in the kernel language: ``"scale"``, ``"1!"``, ``"1 in 0.1..10"``."""

_INTEGER = re.compile(r"-?\d+")
_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def number_to_text(value: float) -> str:
    """The shortest text that reads back as the same number."""
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def value_to_text(value: Value) -> str:
    """A parameter as it stands in a spec.

    Parameters
    ----------
    value : number, sequence of numbers or str

    Returns
    -------
    str
    """
    if isinstance(value, str):
        return value
    if np.ndim(value) == 0:
        return number_to_text(value)
    return "[" + ", ".join(number_to_text(item) for item in np.ravel(value)) + "]"


def text_to_value(text: str) -> Value:
    """A number or a list of numbers where the text is one, else the text itself."""
    if text.startswith("[") and text.endswith("]"):
        return [text_to_value(item.strip()) for item in text[1:-1].split(",")]
    if _INTEGER.fullmatch(text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


def fixed(value: float | Sequence[float]) -> str:
    """A parameter that no model learns.

    Examples
    --------
    >>> from mercer.kernels import RBF, fixed
    >>> RBF(lengthscale=fixed(2.0))
    RBF(lengthscale='2!')
    """
    return value_to_text(value) + "!"


def bounded(value: float | Sequence[float], lower: float, upper: float) -> str:
    """A parameter that is learnt within bounds.

    Examples
    --------
    >>> from mercer.kernels import RBF, bounded
    >>> RBF(lengthscale=bounded(1.0, 0.1, 10.0))
    RBF(lengthscale='1 in 0.1..10')
    """
    return f"{value_to_text(value)} in {number_to_text(lower)}..{number_to_text(upper)}"


def column_to_text(column: str | int | slice) -> str:
    """One column of a subscript: a name, a number, or a range of numbers."""
    if isinstance(column, str):
        if _BARE_NAME.fullmatch(column):
            return column
        return '"' + column.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(column, slice):
        if column.step not in (None, 1) or column.stop is None:
            raise ValueError("columns are chosen by a range begin:end without a step")
        if isinstance(column.start, str):
            return f"{column_to_text(column.start)}:{column_to_text(column.stop)}"
        return f"{int(column.start or 0)}:{int(column.stop)}"
    return str(int(column))
