"""Local regressions by dense least squares, one row at a time: LOESS and LOWESS after Cleveland, as in R."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from hunt.oracles.density_kde import ENDLESS, log_profile
from hunt.verdict import NotApplicable

WORST_CONDITION = 1e5


def monomials(z: np.ndarray, degree: int) -> np.ndarray:
    """All products of at most ``degree`` columns, the constant first."""
    columns = [np.ones(len(z))]
    for power in range(1, degree + 1):
        for chosen in itertools.combinations_with_replacement(range(z.shape[1]), power):
            columns.append(np.prod(z[:, list(chosen)], axis=1))
    return np.column_stack(columns)


def middle_deviations(x: np.ndarray) -> np.ndarray:
    """The standard deviation of the middle 80 % of every column."""
    cut = int(np.ceil(0.1 * len(x)))
    middle = np.sort(x, axis=0)[cut : len(x) - cut]
    if len(middle) < 2:
        raise NotApplicable("no middle")
    return np.asarray(middle.std(axis=0, ddof=1))


def bisquare(residuals: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Weights that fall with the residual, 0 beyond six times their median."""
    size = np.abs(residuals)
    reach = 6 * np.median(size)
    if reach <= 1e-8 * np.abs(targets).max():
        raise NotApplicable("residuals that are rounding errors")
    return np.where(size > 0.999 * reach, 0.0, (1 - np.minimum(size / reach, 1) ** 2) ** 2)


@dataclass
class Loess:
    """A fit; ``divisors`` are what columns are divided by."""

    x: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    divisors: np.ndarray
    shape: str
    degree: int
    span: float
    bandwidth: float | None

    def width(self, distances: np.ndarray) -> float:
        """How far the window around a query reaches, its distances given."""
        if self.bandwidth is not None:
            return self.bandwidth
        n = len(self.x)
        count = min(n, int(n * self.span + 1e-5))
        if count < 1:
            raise NotApplicable("an empty neighbourhood")
        return float(np.sort(distances)[count - 1] * np.sqrt(max(self.span, 1.0)))

    def operator(self, query: np.ndarray, robustness: np.ndarray) -> np.ndarray:
        """The row l(x) with f(x) = l(x)·y; NotApplicable where the local fit is not unique or hangs on rounding."""
        z = (self.x - query) / self.divisors
        distances = np.sqrt((z**2).sum(axis=1))
        h = self.width(distances)
        if h <= 0:
            raise NotApplicable("a window of width 0")
        if self.shape == "boxcar" and (np.abs(distances / h - 1) < 1e-9).any():
            raise NotApplicable("a row stands at the end of the window")
        # A window that falls to 0 at its end, and no row but there: which of rows that are as far counts is their
        # rounding (rows of a near pair lie 1e-9 apart, and h is the distance of one of them).
        if self.shape not in ENDLESS and self.shape != "boxcar" and distances.min() > (1 - 1e-8) * h:
            raise NotApplicable("no row but at the end of the window")
        kernel = self.weights * robustness * np.exp(log_profile(self.shape, distances / h))
        used = kernel > 1e-14 * kernel.max() if kernel.max() > 0 else np.zeros(len(z), dtype=bool)
        root = np.sqrt(kernel[used])
        spread = np.abs(z[used]).max(axis=0, initial=0)
        design = monomials(z[used] / np.where(spread > 0, spread, 1.0), self.degree)
        if len(design) < design.shape[1]:
            raise NotApplicable("fewer rows than terms")
        left, values, right = np.linalg.svd(design * root[:, None], full_matrices=False)
        if values[-1] * WORST_CONDITION < values[0]:
            raise NotApplicable("a local fit that is nearly singular")
        row = np.zeros(len(z))
        row[used] = (right.T[0] / values) @ left.T * root
        return row

    def smoother(self, robustness: np.ndarray) -> np.ndarray:
        """The matrix L of fitted values: ŷ = L y."""
        return np.array([self.operator(row, robustness) for row in self.x])

    def robustness(self, rounds: int) -> np.ndarray:
        """Weights of rows after so many fits."""
        found = np.ones(len(self.x))
        for _ in range(rounds):
            found = bisquare(self.y - self.smoother(found) @ self.y, self.y)
        return found

    def traces(self) -> tuple[float, float, float]:
        """The trace of L, δ₁ and δ₂, of the fit without robustness."""
        smoother = self.smoother(np.ones(len(self.x)))
        rest = np.eye(len(self.x)) - smoother
        product = rest @ rest.T
        return float(np.trace(smoother)), float(np.trace(product)), float((product**2).sum())


# ---- LOWESS --------------------------------------------------------------------------------------------------------


def lowess(x: np.ndarray, y: np.ndarray, span: float, rounds: int, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cleveland's robust local lines on sorted places: values at the points and at other places."""
    n = len(x)
    count = max(2, min(n, int(span * n + 1e-7)))
    robustness = np.ones(n)
    for step in range(rounds + 1):
        fitted = np.array([_line(x, y, robustness, count, place) for place in x])
        if step == rounds:
            break
        size = np.abs(y - fitted)
        reach = 6 * np.median(size)
        if reach < 1e-7 * size.mean() or size.max() <= 1e-9 * np.abs(y).max(initial=0):
            raise NotApplicable("residuals of which most are 0")
        ratio = size / reach
        robustness = np.where(ratio <= 0.001, 1.0, np.where(ratio <= 0.999, (1 - np.minimum(ratio, 1) ** 2) ** 2, 0.0))
    return fitted, np.array([_line(x, y, robustness, count, place) for place in places])


def _line(x: np.ndarray, y: np.ndarray, robustness: np.ndarray, count: int, place: float) -> float:
    distances = np.abs(x - place)
    h = np.sort(distances)[count - 1]
    ratio = distances / h if h > 0 else np.where(distances > 0, np.inf, 0.0)
    kernel = np.where(ratio <= 0.001, 1.0, np.where(ratio <= 0.999, (1 - np.minimum(ratio, 1) ** 3) ** 3, 0.0))
    kernel = kernel * robustness
    if kernel.sum() <= 0:
        raise NotApplicable("a neighbourhood without weight")
    kernel = kernel / kernel.sum()
    z = x - place
    centre = kernel @ z
    spread = np.sqrt(kernel @ (z - centre) ** 2)
    limit = 0.001 * (x[-1] - x[0])
    if 0.99 * limit < spread < 1.01 * limit:
        raise NotApplicable("a neighbourhood on the border of having no slope")
    if spread > limit:
        kernel = kernel * (1 - centre * (z - centre) / spread**2)
    return float(kernel @ y)
