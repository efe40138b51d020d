"""What the displays share: matplotlib where it is there, axes to draw on, colors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._base import Array
from mercer._samples import column_names, is_frame

# Okabe and Ito's: told apart with any color vision, in print too.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")


def matplotlib_for(display: Any) -> Any:
    """Give ``matplotlib.pyplot``, or say how to get it."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError(
            f"{type(display).__name__}.plot requires matplotlib. You can install matplotlib with "
            "`pip install matplotlib`"
        ) from error
    return pyplot


def axes_for(display: Any, ax: Any) -> Any:
    """Give the axes to draw on, new ones where there are none, and keep them in the display."""
    pyplot = matplotlib_for(display)
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")
    display.ax_ = ax
    display.figure_ = ax.figure
    return ax


def class_colors(count: int) -> list[str]:
    """Give one color per class; they come again after eight."""
    return [COLORS[number % len(COLORS)] for number in range(count)]


def column_labels(estimator: Any, count: int, X: Any = None) -> list[str]:
    """Give the names of the columns that an estimator was fitted to, or of X, or their numbers."""
    names = getattr(estimator, "feature_names_in_", column_names(X))
    return [f"column {number}" for number in range(count)] if names is None else [str(name) for name in names]


def flat_numbers(values: Any, name: str) -> Array:
    """Give one number per row, as float64."""
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise ValueError(f"{name} must have one number per row, but its shape is {numbers.shape}")
    return numbers


def rows_like(X: Any, rows: Array) -> Any:
    """Give new rows as what X is: an array, or a frame with the same columns."""
    return type(X)(dict(zip(X.columns, rows.T, strict=True))) if is_frame(X) else rows
