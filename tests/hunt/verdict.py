"""What oracles say: comparisons that hold, or a finding."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np


class Finding(Exception):
    """Something that must hold and does not.

    Attributes
    ----------
    oracle : str
        Who says so.
    """

    def __init__(self, oracle: str, message: str) -> None:
        super().__init__(f"{oracle}: {message}")
        self.oracle = oracle


class NotApplicable(Exception):
    """The case cannot be judged: the engine refused it with a message of its own, or an oracle has no answer."""


class Judge:
    """Counts the comparisons of one case and raises ``Finding`` where one does not hold.

    Every tolerance is relative to the size of what is compared.
    """

    def __init__(self) -> None:
        self.comparisons: Counter[str] = Counter()
        self.covered: set[str] = set()

    def covers(self, *names: str) -> None:
        """Say what the comparisons of this case judge: "model svc", "option svc.C", "kernel rbf"."""
        self.covered.update(names)

    def holds(self, oracle: str, condition: bool, message: str) -> None:
        """Count a comparison; a finding where the condition does not hold."""
        self.comparisons[oracle] += 1
        if not condition:
            raise Finding(oracle, message)

    def close(self, oracle: str, found: Any, expected: Any, tolerance: float, *, size: float = 0.0, what: str) -> None:
        """Arrays that agree to ``tolerance`` times their size, or times ``size`` where that is more.

        Numbers that are not finite must stand in the same places and be the same.
        """
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        self.holds(oracle, found.shape == expected.shape, f"{what} of shape {found.shape} for {expected.shape}")
        finite = np.isfinite(expected)
        same = np.array_equal(found[~finite], expected[~finite], equal_nan=True) and np.isfinite(found[finite]).all()
        self.holds(oracle, bool(same), f"{what}: other numbers are not finite: {_short(found)} for {_short(expected)}")
        if not finite.any():
            return
        scale = max(float(np.abs(expected[finite]).max()), size)
        error = float(np.abs(found[finite] - expected[finite]).max())
        self.holds(
            oracle,
            error <= tolerance * scale or error == 0,
            f"{what} off by {error:.3g} of {scale:.3g} (allowed {tolerance:.1g} of it): "
            f"{_short(found)} for {_short(expected)}",
        )

    def same(self, oracle: str, found: Any, expected: Any, what: str) -> None:
        """Arrays, texts or bytes that are equal to the last bit."""
        if isinstance(found, (bytes, str)):
            self.holds(oracle, found == expected, f"{what} differs: {found[:60]!r} for {expected[:60]!r}")
            return
        found, expected = np.asarray(found), np.asarray(expected)
        equal = found.shape == expected.shape and bool(
            np.all((found == expected) | ((found != found) & (expected != expected)))
        )
        self.holds(oracle, equal, f"{what} differs: {_short(found)} for {_short(expected)}")

    def at_most(self, oracle: str, value: float, bound: float, what: str) -> None:
        """Find that a number does not exceed a bound."""
        self.holds(oracle, bool(value <= bound), f"{what} is {value:.6g}, above {bound:.6g}")


def _short(array: Any) -> str:
    flat = np.asarray(array).ravel()
    text = ", ".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in flat[:4].tolist())
    return f"[{text}{', ...' if flat.size > 4 else ''}]"
