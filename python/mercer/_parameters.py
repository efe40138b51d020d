"""Parameters of estimators: their text form for the engine, threads and seeds."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def text_of(value: Any) -> str:
    """Write a setting as the engine reads it: yes and no for truth values, shortest numbers.

    Examples
    --------
    >>> text_of(True), text_of(0.1), text_of(np.float64(2)), text_of("ovo")
    ('yes', '0.1', '2.0', 'ovo')
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)


def value_of(text: str) -> Any:
    """Read a setting back: a truth value, a number, or the text itself.

    Examples
    --------
    >>> value_of("yes"), value_of("7"), value_of("0.5"), value_of("ovo")
    (True, 7, 0.5, 'ovo')
    """
    if text in ("yes", "no"):
        return text == "yes"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def thread_count(n_jobs: int | None) -> int:
    """Turn n_jobs into a number of threads; 0 means all cores.

    None: ``OMP_NUM_THREADS`` where it is set (joblib sets it in its workers), otherwise all cores. Negative numbers
    count back from all cores, as in joblib.
    """
    if n_jobs is None:
        wanted = os.environ.get("OMP_NUM_THREADS", "")
        return int(wanted) if wanted.isdigit() else 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs == {n_jobs!r} has no meaning: give a number of threads, or -1 for all cores")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def seed_of(random_state: Any) -> int:
    """Turn random_state into a seed. None is 0: the same call gives the same result."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        check_random_state(int(random_state))  # its words for a number out of range
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
