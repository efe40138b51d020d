"""Kernels made by operators."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from mercer.kernels._kernel import Columns, Kernel
from mercer.kernels._text import Value, column_to_text, value_to_text


def is_number(value: object) -> bool:
    """Whether the value is a real number, or text of the kernel language that stands for one."""
    return isinstance(value, (numbers.Real, str)) and not isinstance(value, bool)


def as_operand(value: object) -> Kernel | None:
    """A kernel for one side of a sum: numbers are constants. None for anything else."""
    if isinstance(value, Kernel):
        return value
    if is_number(value):
        from mercer.kernels._library import CLASSES

        return CLASSES["constant"](value=value)
    return None


class _Pair(Kernel):
    _names = ("k1", "k2")
    _sign = ""

    def __init__(self, k1: Kernel, k2: Kernel) -> None:
        self.k1 = k1
        self.k2 = k2

    def _text(self) -> str:
        return self._joined(python=False)

    def _repr(self) -> str:
        return self._joined(python=True)

    def _joined(self, *, python: bool) -> str:
        # Python groups from the left: what stands on the right must bind tighter to come back as it was. In the kernel
        # language a number anywhere in a product scales the whole of it, and would come before the parameters of k1.
        right = self.k2._wrapped(self._binding + 1, python=python)
        return self.k1._wrapped(self._binding, python=python) + self._sign + right


class Sum(_Pair):
    """k1 + k2."""

    _binding = 1
    _sign = " + "


class Product(_Pair):
    """k1 * k2."""

    _binding = 2
    _sign = " * "


class Scaled(Kernel):
    """scale * kernel; Gaussian processes learn the scale, other models leave it alone."""

    _names = ("scale", "kernel")
    _binding = 2

    def __init__(self, scale: Value, kernel: Kernel) -> None:
        self.scale = scale
        self.kernel = kernel

    def _text(self) -> str:
        return f"({value_to_text(self.scale)}) * {self.kernel._wrapped(3, python=False)}"

    def _repr(self) -> str:
        return f"{_plain(self.scale)!r} * {self.kernel._wrapped(3, python=True)}"


class Power(Kernel):
    """kernel ** exponent, entry by entry."""

    _names = ("kernel", "exponent")
    _binding = 3

    def __init__(self, kernel: Kernel, exponent: float) -> None:
        self.kernel = kernel
        self.exponent = exponent

    def _text(self) -> str:
        return f"{self.kernel._wrapped(4, python=False)}^{value_to_text(self.exponent)}"

    def _repr(self) -> str:
        return f"{self.kernel._wrapped(4, python=True)} ** {_plain(self.exponent)!r}"


class OnColumns(Kernel):
    """kernel[columns]: the kernel on some columns, by names, numbers, or ranges of numbers."""

    _names = ("kernel", "columns")

    def __init__(self, kernel: Kernel, columns: Columns) -> None:
        self.kernel = kernel
        self.columns = columns

    def _text(self) -> str:
        columns = ", ".join(column_to_text(column) for column in _listed(self.columns))
        return f"{self.kernel._wrapped(4, python=False)}[{columns}]"

    def _repr(self) -> str:
        columns = ", ".join(_column_repr(column) for column in _listed(self.columns))
        return f"{self.kernel._wrapped(4, python=True)}[{columns}]"


def _plain(value: Any) -> Any:
    # NumPy's scalars print as np.float64(1.0).
    return value.item() if isinstance(value, np.generic) else value


def _listed(columns: Columns) -> list[Any]:
    listed = list(columns) if isinstance(columns, (list, tuple, np.ndarray)) else [columns]
    if not listed:
        raise ValueError("a kernel on no columns: name at least one")
    return listed


def _column_repr(column: Any) -> str:
    if isinstance(column, slice):
        return column_to_text(column)
    return repr(str(column)) if isinstance(column, str) else str(int(column))
