"""What parameters of estimators may be: intervals of numbers, and words."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


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

    def or_none(self) -> Limits:
        """Allow None, too."""
        return replace(self, optional=True)

    def __str__(self) -> str:
        """In the words of scikit-learn's messages."""
        left = "[" if self.closed in ("both", "left") else "("
        right = "]" if self.closed in ("both", "right") else ")"
        kind = "int" if self.integer else "float"
        low, high = (str(v if math.isinf(v) or not self.integer else int(v)) for v in (self.low, self.high))
        return f"{'None or ' if self.optional else ''}{a_or_an(kind)} in the range {left}{low}, {high}{right}"


@dataclass(frozen=True)
class Words:
    """Some words, or truth values, numbers and None in their place."""

    words: tuple[Any, ...]

    def hold(self, value: Any) -> bool:
        """Whether a value is one of them."""
        if isinstance(value, np.generic):
            value = value.item()
        return any(value is word or (isinstance(value, type(word)) and value == word) for word in self.words)

    def or_none(self) -> Words:
        """Allow None, too."""
        return self if None in self.words else Words((None, *self.words))

    def __str__(self) -> str:
        """In the words of scikit-learn's messages."""
        return f"one of {{{', '.join(map(repr, self.words))}}}"


@dataclass(frozen=True)
class WordsOrNumber:
    """Some words, or truth values in their place, or a number of an interval."""

    words: tuple[Any, ...]
    limits: Limits

    def hold(self, value: Any) -> bool:
        """Whether a value is one of the words or a number in the interval."""
        return Words(self.words).hold(value) or self.limits.hold(value)

    def or_none(self) -> WordsOrNumber:
        """Allow None, too."""
        return replace(self, limits=self.limits.or_none())

    def __str__(self) -> str:
        """In the words of scikit-learn's messages."""
        return f"{', '.join(map(repr, self.words))} or {self.limits}"


Rule = Limits | Words | WordsOrNumber
Rules = Mapping[str, Rule]

POSITIVE = Limits(0.0, closed="neither")
NOT_NEGATIVE = Limits(0.0)
COUNT = Limits(0, integer=True)
AT_LEAST_ONE = Limits(1, integer=True)
TRUTH_VALUES = Words((True, False))
NUMBER = Limits(-math.inf, closed="neither")
WIDTHS = WordsOrNumber(("scale", "auto", "median"), POSITIVE)
VERBOSE = WordsOrNumber((True, False), COUNT)

# What parameters of kernels may be that are written into a spec (``_kernel_choice.py``), and others that all classes
# have alike. gamma=None is 'auto' where None is no default, too.
USUAL: Rules = {
    "gamma": WIDTHS.or_none(),
    "degree": POSITIVE,
    "coef0": NUMBER,
    "verbose": VERBOSE,
}


def a_or_an(word: str) -> str:
    """Put the article before a word."""
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def reject(estimator: Any, name: str, value: Any, allowed: Any) -> None:
    """Raise a ValueError in the words that users of scikit-learn know."""
    raise ValueError(f"The {name!r} parameter of {type(estimator).__name__} must be {allowed}. Got {value!r} instead.")
