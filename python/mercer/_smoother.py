"""What smoothers share: predictions with standard errors, quantiles of new observations."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin

from mercer._options import check_parameters
from mercer._regressor import DistributionRegressor, check_targets
from mercer._windowed import Windowed


class Smoother(MultiOutputMixin, DistributionRegressor, Windowed):
    """Regression whose values are averages of the targets, with what that says of their errors."""

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "multi_output": True}

    def _fit_targets(self, X: Any, y: Any, weights: Any) -> None:
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        targets = check_targets(self, y, rows, several=True)
        self._flat_target = targets.ndim == 1
        checked = self._check_weights(weights, rows)
        count = rows.shape[0] if checked is None else int(np.count_nonzero(checked))
        training = self._rows_for(choice, rows)
        preparation = self._preparation(choice, training, checked)
        columns = rows.shape[1] if preparation is None else len(preparation.names)
        settings = self._settings_of(count, columns)
        self._adopt(self._run(choice, rows, targets, training=training, settings=settings, sample_weight=checked))

    def _settings_of(self, rows: int, columns: int) -> dict[str, str]:
        """Give the settings for so many rows that count, and columns."""
        return self._settings()

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the target of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        return_std : bool, default=False
            Whether to give the standard error of the curve, too.

        Returns
        -------
        y_mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The curve.
        y_std : ndarray of the same shape
            Where ``return_std`` is true: its standard error, noise of new observations not included.
        """
        if not return_std:
            return super().predict(X)
        return self._mean_and_deviation(X, "function")
