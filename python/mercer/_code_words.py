"""Codes of classes as the engine reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

SIGNS = {-1: "-", 0: "0", 1: "+"}


def code_words(code: Any) -> str:
    """Write a matrix of classes and machines as words of signs, one per class.

    Parameters
    ----------
    code : str or array-like of shape (n_classes, n_machines)
        Of -1, 0 and 1; a text is what it is.

    Returns
    -------
    str

    Examples
    --------
    >>> code_words([[1, 1, -1], [-1, 0, 1]])
    '++-;-0+'
    """
    if isinstance(code, str):
        return code
    matrix = np.asarray(code)
    if matrix.ndim != 2 or not np.isin(matrix, list(SIGNS)).all():
        raise ValueError(
            f"code: a matrix of -1, 0 and 1 is needed with a row per class and a column per machine, not {code!r}"
        )
    return ";".join("".join(SIGNS[int(sign)] for sign in row) for row in matrix)
