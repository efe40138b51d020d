"""Kernel densities by brute force, from docs/models/kde.md and the textbooks (Silverman 1986, Scott 1992)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import scipy.optimize
from scipy.special import gammaln, logsumexp

from hunt.verdict import NotApplicable

SHAPES = (
    "gaussian",
    "epanechnikov",
    "tricube",
    "boxcar",
    "triangle",
    "biweight",
    "cosine",
    "exponential",
    "cube",
)
ENDLESS = ("gaussian", "exponential")
MOST_IMAGES = 300
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(64)
_UNIT_NODES, _UNIT_WEIGHTS = (_NODES + 1) / 2, _NODE_WEIGHTS / 2


# ---- Smoothing kernels ---------------------------------------------------------------------------------------------


def log_profile(shape: str, r: np.ndarray) -> np.ndarray:
    """The logarithm of the kernel at a distance, up to its constant."""
    if shape == "gaussian":
        return -0.5 * r**2
    if shape == "exponential":
        return -r
    inside = np.minimum(r, 1.0)
    values = {
        "epanechnikov": lambda: (1 - inside) * (1 + inside),
        "tricube": lambda: (1 - inside**3) ** 3,
        "boxcar": lambda: np.ones_like(inside),
        "cube": lambda: np.ones_like(inside),
        "triangle": lambda: 1 - inside,
        "biweight": lambda: ((1 - inside) * (1 + inside)) ** 2,
        "cosine": lambda: np.sin(np.pi / 2 * (1 - inside)),
    }[shape]()
    with np.errstate(divide="ignore"):
        return np.log(np.where(r <= 1, values, 0.0))


def _log_radial(shape: str, power: int, order: int = 1) -> float:
    """The logarithm of ∫ r^power K(r)^order dr."""
    if shape == "gaussian":
        return float(0.5 * (power - 1) * math.log(2) + gammaln((power + 1) / 2) - 0.5 * (power + 1) * math.log(order))
    if shape == "exponential":
        return float(gammaln(power + 1) - (power + 1) * math.log(order))
    values = np.exp(order * log_profile(shape, _UNIT_NODES))
    return math.log(float(np.sum(_UNIT_WEIGHTS * _UNIT_NODES**power * values)))


def _log_sphere(d: int) -> float:
    return float(math.log(2) + d / 2 * math.log(math.pi) - gammaln(d / 2))


def log_constant(shape: str, d: int) -> float:
    """The logarithm of what makes a kernel integrate to 1 in d columns."""
    if shape == "cube":
        return -d * math.log(2)
    return -_log_sphere(d) - _log_radial(shape, d - 1)


def second_moment(shape: str, d: int) -> float:
    """∫ u_1² K(u) du."""
    if shape == "cube":
        return 1 / 3
    return math.exp(_log_radial(shape, d + 1) - _log_radial(shape, d - 1)) / d


def roughness(shape: str, d: int) -> float:
    """∫ K(u)² du."""
    if shape == "cube":
        return 2.0**-d
    return math.exp(2 * log_constant(shape, d) + _log_sphere(d) + _log_radial(shape, d - 1, 2))


def canonical(shape: str, d: int) -> float:
    """The width of a shape that smooths as much as a gaussian of width 1 (Marron and Nolan 1988)."""
    own = roughness(shape, d) / second_moment(shape, d) ** 2
    return (own / (roughness("gaussian", d) / second_moment("gaussian", d) ** 2)) ** (1 / (d + 4))


def cumulative_kernel(shape: str, u: np.ndarray) -> np.ndarray:
    """∫ K from −∞ to u, in one column."""
    size = np.abs(u)
    if shape == "gaussian":
        half = np.vectorize(math.erf)(size / math.sqrt(2)) / 2
    elif shape == "exponential":
        half = -np.expm1(-size) / 2
    else:
        end = np.minimum(size, 1.0)[..., None]
        values = np.exp(log_profile(shape, _UNIT_NODES * end))
        half = math.exp(log_constant(shape, 1)) * (end[..., 0] * (values @ _UNIT_WEIGHTS))
    return np.where(u >= 0, 0.5 + half, 0.5 - half)


# ---- Densities -----------------------------------------------------------------------------------------------------


@dataclass
class Density:
    """A sum of kernels; ``factor`` is L of H = LLᵀ, ``scales`` widen the kernel of every point."""

    shape: str
    points: np.ndarray
    weights: np.ndarray
    factor: np.ndarray
    scales: np.ndarray
    lower: list[float | None] = field(default_factory=list)
    upper: list[float | None] = field(default_factory=list)
    period: list[float | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        none: list[float | None] = [None] * self.points.shape[1]
        self.lower, self.upper, self.period = self.lower or none, self.upper or none, self.period or none

    def _images(self, j: int) -> list[tuple[int, float]]:
        """Where column j of a point appears again: sign and shift."""
        low, up, period = self.lower[j], self.upper[j], self.period[j]
        width = float(np.linalg.norm(self.factor[j]) * self.scales.max())
        reach = {"gaussian": 9.0, "exponential": 40.0}.get(self.shape, 1.0) * width
        length = (
            period if period is not None else (up or 0.0) - (low or 0.0) if low is not None and up is not None else None
        )
        if length is not None and reach > MOST_IMAGES * length:
            raise NotApplicable("too many images for brute force")
        if period is not None:
            count = math.ceil(reach / period) + 2
            return [(1, k * period) for k in range(-count, count + 1)]
        if low is not None and up is not None:
            count = math.ceil(reach / (2 * (up - low))) + 1
            steps = [2 * (up - low) * k for k in range(-count, count + 1)]
            return [(1, step) for step in steps] + [(-1, 2 * low + step) for step in steps]
        return [(1, 0.0)] + [(-1, 2 * end) for end in (low, up) if end is not None]

    def _part(self, columns: list[int]) -> np.ndarray:
        return np.linalg.cholesky((self.factor @ self.factor.T)[np.ix_(columns, columns)])

    def distances(self, queries: np.ndarray, chosen: list[int] | None = None) -> np.ndarray:
        """Distances in widths of every query from every point and its images: queries × points × images."""
        columns = list(range(self.points.shape[1])) if chosen is None else chosen
        factor = self.factor if chosen is None else self._part(columns)
        queries = queries.astype(float).copy()
        for k, j in enumerate(columns):
            if self.period[j] is not None:
                queries[:, k] = queries[:, k] % self.period[j]
        images = list(itertools.product(*(self._images(j) for j in columns)))
        if len(images) > MOST_IMAGES:
            raise NotApplicable("too many images for brute force")
        found = []
        for image in images:
            sign = np.array([s for s, _ in image], dtype=float)
            shift = np.array([t for _, t in image])
            points = self.points[:, columns].copy()
            for k, j in enumerate(columns):
                if self.period[j] is not None:
                    points[:, k] = points[:, k] % self.period[j]
            centres = np.where(sign > 0, points + shift, shift - points)
            u = np.linalg.solve(factor, (queries[:, None, :] - centres[None]).reshape(-1, len(columns)).T).T
            u = u.reshape(len(queries), len(points), -1)
            r = np.abs(u).max(axis=2) if self.shape == "cube" else np.sqrt((u**2).sum(axis=2))
            found.append(r / self.scales)
        return np.stack(found, axis=2)

    def _outside(self, queries: np.ndarray, columns: list[int]) -> np.ndarray:
        outside = np.zeros(len(queries), dtype=bool)
        for k, j in enumerate(columns):
            low, up = self.lower[j], self.upper[j]
            if low is not None:
                outside |= queries[:, k] < low
            if up is not None:
                outside |= queries[:, k] > up
        return outside

    def log_density(self, queries: np.ndarray) -> np.ndarray:
        """The logarithm of the density at rows."""
        d = self.points.shape[1]
        terms = log_profile(self.shape, self.distances(queries)) + log_constant(self.shape, d)
        terms = terms - d * np.log(self.scales)[:, None] + np.log(self.weights / self.weights.sum())[:, None]
        total = logsumexp(terms, axis=(1, 2)) - math.log(abs(np.linalg.det(self.factor)))
        return np.where(self._outside(queries, list(range(d))), -np.inf, total)

    def marginal(self, columns: list[int], queries: np.ndarray) -> np.ndarray:
        """The density of some columns, by a numeric integral over the others."""
        d, k = self.points.shape[1], len(columns)
        r = self.distances(queries, columns)
        if self.shape == "cube":
            kernel = np.exp(log_profile("cube", r) + log_constant("cube", k))
        else:
            kernel = marginal_profile(self.shape, d, k, r)
        part = self._part(columns)
        share = self.weights / self.weights.sum() / self.scales**k
        density = (kernel.sum(axis=2) @ share) / abs(np.linalg.det(part))
        return np.where(self._outside(queries, columns), 0.0, density)

    def cumulative(self, values: np.ndarray) -> np.ndarray:
        """P(X ≤ x) of one column; on a circle from 0 on."""
        period, low = self.period[0], self.lower[0]
        start = 0.0 if period is not None else -np.inf if low is None else low
        upper = np.inf if self.upper[0] is None else self.upper[0]
        ends = values % period if period is not None else np.clip(values, start, upper)
        points = self.points[:, 0] % period if period is not None else self.points[:, 0]
        total = np.zeros(len(values))
        widths = self.factor[0, 0] * self.scales
        for sign, shift in self._images(0):
            centres = points + shift if sign > 0 else shift - points
            above = cumulative_kernel(self.shape, (ends[:, None] - centres) / widths)
            below = cumulative_kernel(self.shape, (start - centres) / widths) if np.isfinite(start) else 0.0
            total += (above - below) @ (self.weights / self.weights.sum())
        return total

    def near_an_edge(self, queries: np.ndarray, margin: float) -> np.ndarray:
        """Queries that stand within a margin of where a kernel ends: rounding decides what they get."""
        if self.shape in ENDLESS:
            return np.zeros(len(queries), dtype=bool)
        return (np.abs(self.distances(queries) - 1) < margin).any(axis=(1, 2))


def marginal_profile(shape: str, d: int, k: int, r: np.ndarray) -> np.ndarray:
    """The kernel of d columns integrated over all but k of them, at a distance in those."""
    rest = d - k
    if rest == 0:
        return np.exp(log_profile(shape, r) + log_constant(shape, d))
    constant = math.exp(log_constant(shape, d) + _log_sphere(rest))
    if shape == "gaussian":
        return np.exp(log_profile(shape, r) + log_constant(shape, k))
    reach = 60.0 if shape == "exponential" else np.sqrt(np.maximum(1 - r**2, 0.0))
    # t = reach s², which takes the kink at t = 0 of the integrand away where r = 0.
    pieces = np.linspace(0, 1, 9)
    total = np.zeros_like(r)
    for left, right in itertools.pairwise(pieces):
        for node, weight in zip(left + (right - left) * _UNIT_NODES, (right - left) * _UNIT_WEIGHTS, strict=True):
            t = reach * node**2
            values = np.exp(log_profile(shape, np.sqrt(r**2 + t**2)))
            total += weight * 2 * reach * node * t ** (rest - 1) * values
    return constant * total


# ---- Bandwidths ----------------------------------------------------------------------------------------------------


def counted(x: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows of weight 0 go; weights that are shares count as (Σw)²/Σw² rows, which is n where all are alike."""
    if weights is None:
        return x, np.ones(len(x))
    x, weights = x[weights > 0], weights[weights > 0]
    return x, weights * (weights.sum() / (weights**2).sum() if weights.sum() <= 1 else 1.0)


def covariance(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Of rows that count as often as their weights say."""
    z = x - x[0]
    z = z - weights @ z / weights.sum()
    return (z * weights[:, None]).T @ z / (weights.sum() - 1)


def varying(x: np.ndarray) -> np.ndarray:
    """Columns that have more than one value."""
    return np.flatnonzero((x != x[0]).any(axis=0))


def rule_factor(rule: str, n: float, d: int) -> float:
    """What deviations are multiplied by."""
    return float(n ** (-1 / (d + 4)) * (1.0 if rule == "scott" else (4 / (d + 2)) ** (1 / (d + 4))))


def robust_deviations(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """1.4826 times the median absolute deviation, rows as often as their weights say."""
    if not np.array_equal(weights, np.round(weights)):
        raise NotApplicable("a median of parts of rows")
    z = np.repeat(x, weights.astype(int), axis=0)
    return np.asarray(1.4826 * np.median(np.abs(z - np.median(z, axis=0)), axis=0))


def criterion(density: Density, rule: str) -> float:
    """What ``likelihood`` and ``least_squares`` make small, one copy of every row left out in turn."""
    n, w, d = float(density.weights.sum()), density.weights, density.points.shape[1]
    log_k = log_profile(density.shape, density.distances(density.points))[:, :, 0]
    log_unit = log_constant(density.shape, d) - math.log(abs(np.linalg.det(density.factor)))
    left = np.exp(log_k) @ w - 1.0
    left = np.where(left < 1e-12, 0.0, left)
    if rule == "likelihood":
        if density.shape == "gaussian":
            others = np.where(np.eye(len(w)) > 0, w - 1, w[None, :]).clip(0)
            logs = logsumexp(log_k, b=others, axis=1)
        else:
            with np.errstate(divide="ignore"):
                logs = np.log(left)
        return float(-w @ (logs + log_unit - math.log(n - 1)) / n)
    if density.shape != "gaussian":
        raise NotApplicable("the integral of the squared density is not at hand")
    r = density.distances(density.points)[:, :, 0]
    unit = math.exp(log_unit)
    squared = w @ np.exp(-(r**2) / 4) @ w * unit * 2 ** (-d / 2) / n**2
    return float(squared - 2 / n * w @ left / (n - 1) * unit)


def improved_sheather_jones(x: np.ndarray, weights: np.ndarray, margin: float) -> float:
    """The fixed point of Botev, Grotowski and Kroese (2010) on the range of the data with margins, without binning.

    n is the number of distinct values, as in the authors' program and in KDEpy.
    """
    length = float(np.ptp(x)) * (1 + 2 * margin)
    k = np.arange(1, 1024, dtype=float)
    n = float(len(np.unique(x)))
    waves = np.cos(np.pi * k[:, None] * ((x - x.min()) / length + margin / (1 + 2 * margin)))
    power = (waves @ weights / weights.sum()) ** 2

    def norm(order: int, t: float) -> float:
        return float(2 * np.pi ** (2 * order) * np.sum(k ** (2 * order) * power * np.exp(-((k * np.pi) ** 2) * t)))

    def gap(t: float) -> float:
        f = norm(7, t)
        for order in range(6, 1, -1):
            odd = float(np.prod(np.arange(1, 2 * order, 2))) / math.sqrt(2 * math.pi)
            f = norm(order, (2 * (1 + 0.5 ** (order + 0.5)) / 3 * odd / n / f) ** (2 / (3 + 2 * order)))
        return t - (2 * n * math.sqrt(math.pi) * f) ** (-2 / 5)

    grid = np.geomspace(1e-7, 0.1, 120)
    with np.errstate(all="ignore"):
        try:
            values = np.array([gap(float(t)) for t in grid])
        except (ZeroDivisionError, OverflowError) as error:
            raise NotApplicable("no fixed point") from error
        roots = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
        if len(roots) != 1:
            raise NotApplicable("no fixed point, or several")
        root = scipy.optimize.brentq(gap, grid[roots[0]], grid[roots[0] + 1], xtol=1e-12)
    return math.sqrt(root) * length
