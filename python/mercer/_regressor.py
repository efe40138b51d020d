"""What regressors share: targets, and predictions in their shape."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from mercer._base import Array, Estimator
from mercer._options import check_parameters
from mercer._record import damaged


def check_targets(estimator: Any, y: Any, rows: Any, *, several: bool) -> Array:
    """Give targets as float64: one column flat, several (where they are allowed) as a matrix."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    _refuse_times(y)
    if several:
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        if y.ndim > 2:
            raise ValueError(f"y has {y.ndim} dimensions; one target per row is needed, or a row of them")
    else:
        y = column_or_1d(y, warn=True)
    targets = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(rows, targets)
    return np.ascontiguousarray(targets)


def check_tube(tube: Any, count: int) -> Array:
    """Give widths of a tube, one per row, as float64."""
    widths = check_array(column_or_1d(tube), ensure_2d=False, dtype=np.float64, input_name="tube")
    if len(widths) != count:
        raise ValueError(f"tube has {len(widths)} widths for {count} rows")
    if (widths < 0).any():
        raise ValueError(f"tube holds {widths.min()}: widths are not negative")
    return np.ascontiguousarray(widths)


def _refuse_times(y: Any) -> None:
    """Refuse dates and lengths of time, of which NumPy would take the nanoseconds for numbers."""
    values = np.asarray(y)
    first = next((value for value in values.ravel() if value is not None), None) if values.dtype.kind == "O" else None
    if values.dtype.kind in "mM" or isinstance(first, (datetime.date, datetime.time, datetime.timedelta)):
        raise ValueError(
            "y holds dates or times where numbers are predicted: give them as numbers, for example the days since one "
            'of them, (y - y.min()) / numpy.timedelta64(1, "D")'
        )


class Regressor(RegressorMixin, Estimator):
    """A regressor over one model of the engine."""

    def _fit_values(self, X: Any, y: Any, sample_weight: Any = None, *, several: bool = True, tube: Any = None) -> Any:
        """Check everything, fit, and give the checked rows.

        several: whether there may be more targets than one; tube: row by row what an error costs nothing within.
        """
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        targets = check_targets(self, y, rows, several=several)
        weights = self._check_weights(sample_weight, rows)
        self._flat_target = targets.ndim == 1
        widths = None if tube is None else check_tube(tube, len(targets))
        self._run(choice, rows, targets, sample_weight=weights, noise=widths)
        return rows

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "flat_target": self._is_flat(len(self._check_fitted().output_names))}

    def _take_facts(self, facts: Mapping[str, Any]) -> None:
        super()._take_facts(facts)
        flat = facts.get("flat_target")
        if type(flat) is not bool or (flat and len(self._check_fitted().output_names) > 1 and not self._is_flat(2)):
            raise damaged(f"flat_target is {flat!r}")
        self._flat_target = flat

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
        return self._in_shape(values)

    def _is_flat(self, targets: int) -> bool:
        return bool(getattr(self, "_flat_target", targets == 1))

    def _in_shape(self, values: Any) -> Array:
        """Give a column per target in the shape of the targets."""
        shaped: Array = np.asarray(values)
        return shaped[:, 0] if self._is_flat(shaped.shape[1]) else shaped


class DistributionRegressor(Regressor):
    """A regressor whose predictions have a distribution."""

    def _mean_and_deviation(self, X: Any, of: str) -> tuple[Array, Array]:
        """Give means and standard deviations of the "function" or of an "observation"."""
        mean, variance = self._check_fitted().moments(self._samples(X), of, threads=self._threads())
        return self._in_shape(mean), self._in_shape(np.sqrt(np.maximum(variance, 0)))

    def predict_quantiles(self, X: Any, levels: float | Sequence[float] = (0.025, 0.5, 0.975)) -> Array:
        """Predict quantiles of new observations, noise included.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        levels : float or sequence of float, default=(0.025, 0.5, 0.975)
            Between 0 and 1.

        Returns
        -------
        ndarray of shape (n_samples, n_levels) or (n_samples, n_targets, n_levels)
        """
        wanted = [float(level) for level in np.atleast_1d(levels)]
        values = self._check_fitted().quantiles(self._samples(X), wanted, "observation", threads=self._threads())
        return self._by_target(np.asarray(values), len(wanted))

    def _by_target(self, values: Array, count: int) -> Array:
        """Give ``count`` columns per target in the shape of the targets."""
        shaped = values.reshape(len(values), len(self._check_fitted().output_names), count)
        return shaped[:, 0, :] if self._is_flat(shaped.shape[1]) else shaped
