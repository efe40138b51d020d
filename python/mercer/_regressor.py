"""What regressors share: targets, and predictions in their shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from mercer._base import Array, Estimator


def check_targets(estimator: Any, y: Any, rows: Any, *, several: bool) -> Array:
    """Give targets as float64: one column flat, several (where they are allowed) as a matrix."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    if several:
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        if y.ndim > 2:
            raise ValueError(f"y has {y.ndim} dimensions; one target per row is needed, or a row of them")
    else:
        y = column_or_1d(y, warn=True)
    targets = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(rows, targets)
    return np.ascontiguousarray(targets)


class Regressor(RegressorMixin, Estimator):
    """A regressor over one model of the engine."""

    def predict(self, X: Any) -> Array:
        """Predict the target of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            As the targets of the fit.
        """
        samples = self._samples(X)
        values = np.asarray(self._check_fitted().predict(samples, threads=self._threads()))
        return values[:, 0] if getattr(self, "_flat_target", values.shape[1] == 1) else values
