"""The error-reject curve of answers: what errors are left when the least sure ones are declined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mercer import _core

Array = npt.NDArray[Any]


class PuntError(NamedTuple):
    """The least share of rows to decline for an error of at most the target on the others.

    Attributes
    ----------
    rejected : float
        Share of all rows; 1 where no row that is kept reaches the target.
    error : float
        Of the others.
    confidence : float
        The least of the others: rows below it are declined.
    """

    rejected: float
    error: float
    confidence: float


@dataclass(frozen=True)
class ErrorRejectCurve:
    """Errors by the share of answers that are declined, least sure first.

    Attributes
    ----------
    rejected : ndarray
        Shares of all rows, ascending from 0; rows of the same confidence are declined together.
    error : ndarray
        Of the rows that are kept.
    confidence : ndarray
        The least confidence among these.
    """

    rejected: Array
    error: Array
    confidence: Array

    def punt_error(self, target: float) -> PuntError:
        """Give the least share to decline for an error of at most the target.

        Parameters
        ----------
        target : float
            Between 0 and 1.

        Returns
        -------
        PuntError
        """
        return PuntError(*_core.punt_error(self.rejected, self.error, self.confidence, float(target)))


def error_reject_curve(y_true: Any, y_pred: Any, confidence: Any) -> ErrorRejectCurve:
    """Give the errors that are left when the least sure answers are declined.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels, and what was answered.
    confidence : array-like of shape (n_samples,) or (n_samples, n_classes)
        How sure every answer is: for two classes the size of the decision value, ``abs(decision_function(X))``. Of
        columns, such as probabilities or decision values of several classes, the lead of the largest over the second.

    Returns
    -------
    ErrorRejectCurve

    Examples
    --------
    >>> import mercer
    >>> curve = mercer.error_reject_curve([0, 0, 1, 1], [0, 1, 1, 1], [3.0, 0.5, 1.0, 2.0])
    >>> curve.rejected, curve.error.round(2)
    (array([0.  , 0.25, 0.5 , 0.75]), array([0.25, 0.  , 0.  , 0.  ]))
    >>> curve.punt_error(0.1).rejected
    0.25
    """
    sure = np.ascontiguousarray(confidence, dtype=np.float64)
    if sure.ndim == 2:
        sure = np.ascontiguousarray(sure[:, 0]) if sure.shape[1] == 1 else _core.leads(sure)
    truth, answers = np.asarray(y_true), np.asarray(y_pred)
    if truth.ndim != 1 or truth.shape != answers.shape:
        raise ValueError(
            f"y_true and y_pred must be as many labels; they have the shapes {truth.shape}, {answers.shape}"
        )
    wrong = np.ascontiguousarray(truth != answers, dtype=np.int32)
    return ErrorRejectCurve(*_core.error_reject_curve(sure, wrong))
