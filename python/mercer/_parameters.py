"""Parameters of estimators: their limits, their text form for the engine, threads and seeds."""

from __future__ import annotations

import math
import numbers
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


@dataclass(frozen=True)
class Limits:
    """An interval of numbers: ``closed`` is ``both``, ``left``, ``right`` or ``neither``; ``optional``: or None."""

    low: float
    high: float = math.inf
    closed: str = "left"
    integer: bool = False
    optional: bool = False

    def hold(self, value: Any) -> bool:
        """Whether a value is a number in the interval."""
        if value is None:
            return self.optional
        kind = numbers.Integral if self.integer else numbers.Real
        if not isinstance(value, kind) or isinstance(value, bool | np.bool_) or math.isnan(float(value)):
            return False
        number = float(value)
        above = number >= self.low if self.closed in ("both", "left") else number > self.low
        below = number <= self.high if self.closed in ("both", "right") else number < self.high
        return above and below

    def __str__(self) -> str:
        """In the words of scikit-learn's messages."""
        left = "[" if self.closed in ("both", "left") else "("
        right = "]" if self.closed in ("both", "right") else ")"
        kind = "int" if self.integer else "float"
        low, high = (str(v if math.isinf(v) or not self.integer else int(v)) for v in (self.low, self.high))
        return f"{'None or ' if self.optional else ''}{a_or_an(kind)} in the range {left}{low}, {high}{right}"


POSITIVE = Limits(0.0, closed="neither")
POSITIVE_OR_NONE = Limits(0.0, closed="neither", optional=True)
NOT_NEGATIVE = Limits(0.0)
FRACTION = Limits(0.0, 1.0, closed="right")
STEPS = Limits(-1, closed="left", integer=True)
COUNT = Limits(0, closed="left", integer=True)
AT_LEAST_ONE = Limits(1, integer=True)


def a_or_an(word: str) -> str:
    """Put the article before a word."""
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def reject(estimator: Any, name: str, value: Any, allowed: str) -> None:
    """Raise a ValueError in the words that users of scikit-learn know."""
    raise ValueError(f"The {name!r} parameter of {type(estimator).__name__} must be {allowed}. Got {value!r} instead.")


def check_parameters(estimator: Any) -> None:
    """Hold the parameters of an estimator against its ``_limits`` and ``_words``."""
    for name, limits in estimator._limits.items():
        value = getattr(estimator, name)
        if not limits.hold(value):
            reject(estimator, name, value, str(limits))
    for name, words in estimator._words.items():
        value = getattr(estimator, name)
        if not any(value is word or (isinstance(value, str) and value == word) for word in words):
            listed = ", ".join(repr(word) for word in words)
            reject(estimator, name, value, f"one of {{{listed}}}")


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
