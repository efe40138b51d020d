"""Time series as rows with their past, and forecasts by iteration, for any regressor."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["embed", "forecast"]


def _delays(lags: int, delay: int) -> tuple[int, int]:
    for name, value in (("lags", lags), ("delay", delay)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{name}={value!r} must be a whole number, 1 or more")
    return int(lags), int(delay)


def _values(series: Any) -> np.ndarray:
    values = np.asarray(series, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"a series must be one row of numbers, and this array has the shape {values.shape}")
    return values


def embed(series: Any, lags: int, delay: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Rows (z(t-delay), z(t-2 delay), ..., z(t-lags delay)) with the target z(t).

    Rows that touch a value that is not finite are left out.

    Parameters
    ----------
    series : array-like of shape (n_values,)
        The values in the order of time.
    lags : int
        How many values of the past are in a row.
    delay : int, default=1
        How far apart they lie.

    Returns
    -------
    X : ndarray of shape (n_rows, lags)
        The past, the latest value first.
    y : ndarray of shape (n_rows,)
        The values that follow.

    Examples
    --------
    >>> from mercer.series import embed
    >>> X, y = embed([1, 2, 3, 4, 5], lags=2)
    >>> X
    array([[2., 1.],
           [3., 2.],
           [4., 3.]])
    >>> y
    array([3., 4., 5.])
    """
    lags, delay = _delays(lags, delay)
    values = _values(series)
    reach = lags * delay
    if len(values) <= reach:
        raise ValueError(
            f"a series of {len(values)} values is too short to look {reach} back "
            f"({lags} lags with a delay of {delay}): it needs {reach + 1} or more"
        )
    last = len(values)
    columns = [values[reach - k * delay : last - k * delay] for k in range(lags + 1)]
    rows = np.column_stack(columns)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        raise ValueError("no row of the series has all of its past: values are missing everywhere")
    return np.ascontiguousarray(rows[:, 1:]), np.ascontiguousarray(rows[:, 0])


def forecast(model: Any, series: Any, steps: int, lags: int, delay: int = 1) -> np.ndarray:
    """Goes on with a series: every prediction becomes a part of the past of the next.

    Parameters
    ----------
    model : regressor
        Fitted to ``embed(..., lags, delay)``; any object with ``predict``.
    series : array-like of shape (n_values,)
        What came before; its last ``lags * delay`` values are looked at.
    steps : int
        How many values to go on for.
    lags, delay : int
        As in ``embed``.

    Returns
    -------
    values : ndarray of shape (steps,)
        The values behind the last one.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_ridge import KernelRidge
    >>> from mercer.series import embed, forecast
    >>> wave = np.cos(0.3 * np.arange(60))
    >>> model = KernelRidge(alpha=1e-10, kernel="linear").fit(*embed(wave, lags=2))
    >>> ahead = forecast(model, wave, steps=20, lags=2)
    >>> bool(np.allclose(ahead, np.cos(0.3 * np.arange(60, 80)), atol=1e-5))
    True
    """
    lags, delay = _delays(lags, delay)
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1:
        raise ValueError(f"steps={steps!r} must be a whole number, 1 or more")
    values = list(_values(series))
    known = len(values)
    if known < lags * delay:
        raise ValueError(f"the series ends after {known} values, and the model looks {lags * delay} back")
    for _ in range(steps):
        past = np.array([values[-k * delay] for k in range(1, lags + 1)])
        if not np.isfinite(past).all():
            raise ValueError("a value that the forecast looks back at is not finite: fill it in")
        values.append(float(np.ravel(model.predict(past[None, :]))[0]))
    return np.array(values[known:])
