"""Labels of classes: any type in Python, numbers and texts for the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets


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
    return classes, codes.astype(np.int32)


def texts(classes: npt.NDArray[Any]) -> list[str]:
    """Write the classes as texts, one for each; numbered where two would look the same.

    Examples
    --------
    >>> texts(np.array([0, 1])), texts(np.array([0.5, 1.0])), texts(np.array([False, True]))
    (['0', '1'], ['0.5', '1'], ['False', 'True'])
    """
    items = classes.tolist()
    written = [str(int(item)) if isinstance(item, float) and item.is_integer() else str(item) for item in items]
    return written if len(set(written)) == len(written) else [str(number) for number in range(len(items))]


def from_texts(written: Sequence[str]) -> npt.NDArray[Any]:
    """Read classes from a model file: whole numbers, numbers, or texts, whatever all of them are.

    Examples
    --------
    >>> from_texts(["1", "10"]), from_texts(["1", "two"])
    (array([ 1, 10]), array(['1', 'two'], dtype='<U3'))
    """
    for kind in (int, float):
        try:
            return np.array([kind(text) for text in written])
        except ValueError:
            continue
    return np.array(written)
