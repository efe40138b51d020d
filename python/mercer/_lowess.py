"""LOWESS, Cleveland's smoother of a scatter of points, called as in statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from mercer import _core
from mercer._base import Array
from mercer._parameters import thread_count
from mercer._rules import COUNT, Limits

FRACTION = Limits(0.0, 1.0, closed="right")


def lowess(
    endog: Any,
    exog: Any,
    frac: float = 2 / 3,
    it: int = 3,
    delta: float = 0.0,
    xvals: Any = None,
    is_sorted: bool = False,
    missing: str = "drop",
    return_sorted: bool = True,
    *,
    n_jobs: int | None = None,
) -> Array:
    """Smooth a scatter of points by local lines, resistant to outliers.

    The values are those of ``lowess`` in R with ``delta=0``.

    Parameters
    ----------
    endog : array-like of shape (n,)
        The targets.
    exog : array-like of shape (n,)
        Where they are.
    frac : float, default=2/3
        The fraction of the points in a neighbourhood, two at least.
    it : int, default=3
        Fits with less weight on outliers, after the first.
    delta : float, default=0
        Taken and not used: every point is fitted, none interpolated.
    xvals : array-like of shape (m,), optional
        New places; the curve is then evaluated there.
    is_sorted : bool, default=False
        Taken and not used: finding out is quick.
    missing : {'drop', 'raise', 'none'}, default='drop'
        Points with values that are not finite are left out, or refused ('raise' and 'none').
    return_sorted : bool, default=True
        Give points in the order of ``exog``, with it, or fitted values alone in the order that they were given.
    n_jobs : int, optional
        Threads, as in ``SVC``.

    Returns
    -------
    ndarray of shape (n, 2), (n,) or (m,)
        Places and fitted values by rising place; fitted values as given, NaN for points that were left out, where
        ``return_sorted`` is false; values at ``xvals`` where there are some.

    Examples
    --------
    >>> from mercer.smoothing import lowess
    >>> x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    >>> y = [0.0, 1.0, 2.0, 99.0, 4.0, 5.0]
    >>> lowess(y, x, frac=0.9).round(3).tolist()[3]
    [3.0, 3.0]
    """
    y = column_or_1d(endog, dtype=np.float64)
    x = column_or_1d(exog, dtype=np.float64)
    check_consistent_length(y, x)
    if not FRACTION.hold(frac):
        raise ValueError(f"frac must be {FRACTION}, got {frac!r}")
    if not COUNT.hold(it):
        raise ValueError(f"it must be {COUNT}, got {it!r}")
    if missing not in ("drop", "raise", "none"):
        raise ValueError(f"missing must be 'drop', 'raise' or 'none', got {missing!r}")
    finite = np.isfinite(x) & np.isfinite(y)
    if not finite.all() and missing != "drop":
        raise ValueError("endog or exog holds values that are not finite; missing='drop' leaves their points out")
    places = None if xvals is None else np.ascontiguousarray(column_or_1d(xvals, dtype=np.float64))
    if places is not None and not np.isfinite(places).all():
        raise ValueError("xvals must be finite")
    known = np.ascontiguousarray(x[finite])
    fitted, values = _core.lowess(
        known, np.ascontiguousarray(y[finite]), float(frac), int(it), places, threads=thread_count(n_jobs)
    )
    if places is not None:
        return np.asarray(values)
    if return_sorted:
        order = np.argsort(known, kind="stable")
        return np.column_stack([known[order], np.asarray(fitted)[order]])
    result = np.full(len(x), np.nan)
    result[finite] = fitted
    return result
