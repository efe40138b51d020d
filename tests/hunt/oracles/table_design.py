"""The matrix that a table becomes, kernels upon it and ridge regression, in NumPy, from docs/tables.md.

A number: the median where it is missing, a column beside it that says so, scaled. A category: one column of 0 and 1 per
level, a missing field being a level, at most 200 levels by frequency and one for the rest. Levels that training did not
have are none.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from hunt.table import Column, Value
from hunt.verdict import NotApplicable

MOST_LEVELS = 200
SCALES = ("standard", "none", "minmax:-1,1", "maxabs", "robust")


def numbers(values: list[Value]) -> np.ndarray:
    """Numbers; NaN is missing."""
    return np.array([np.nan if value is None else value for value in values], dtype=float)


@dataclass
class Scaling:
    """x ↦ (x − shift) / divisor of one column."""

    shift: float
    divisor: float

    @staticmethod
    def fitted(x: np.ndarray, rule: str) -> Scaling:
        """Of the training rows."""
        if rule == "none":
            return Scaling(0.0, 1.0)
        if rule == "standard":
            return Scaling(float(x.mean()), float(x.std()))
        if rule == "maxabs":
            return Scaling(0.0, float(np.abs(x).max()))
        if rule == "robust":
            low, middle, high = np.quantile(x, [0.25, 0.5, 0.75], method="averaged_inverted_cdf")
            # Where half of the rows hold one value, the quartiles are no measure of its spread.
            return Scaling(float(middle), float(high - low) if high > low else float(x.std()))
        low, high = float(x.min()), float(x.max())
        return Scaling((low + high) / 2, (high - low) / 2)

    def scaled(self, x: np.ndarray) -> np.ndarray:
        """Numbers in the units of the scaling."""
        return (x - self.shift) / self.divisor


class Number:
    """A column of numbers as the training rows have it."""

    def __init__(self, column: Column, scale: str, *, filled: bool = True) -> None:
        x = numbers(column.values)
        present = x[~np.isnan(x)]
        if not len(present) or np.ptp(present) == 0:
            raise NotApplicable("a constant column")
        self.median = float(np.median(present))
        self.indicated = len(present) < len(x)
        self.filled = filled
        self.scaling = Scaling.fitted(self.fill(x) if filled else present, scale)

    def fill(self, x: np.ndarray) -> np.ndarray:
        """The median where a number is missing."""
        return np.where(np.isnan(x), self.median, x)

    def values(self, column: list[Value]) -> np.ndarray:
        """Scaled numbers; NaN stays where missing ones are not filled."""
        x = numbers(column)
        return self.scaling.scaled(self.fill(x) if self.filled else x)


class Levels:
    """A category as the training rows have it."""

    def __init__(self, column: Column) -> None:
        counts = Counter(column.values)
        if len(counts) < 2:
            raise NotApplicable("a constant column")
        ranked = [level for level, _ in counts.most_common()]
        self.levels, self.others = ranked[:MOST_LEVELS], set(ranked[MOST_LEVELS:])
        if self.others and counts[self.levels[-1]] == counts[ranked[MOST_LEVELS]]:
            raise NotApplicable("levels that tie for the last place")

    def columns(self, values: list[Value]) -> np.ndarray:
        """One column per level, and one for the rest."""
        found = [[float(value == level) for value in values] for level in self.levels]
        if self.others:
            found.append([float(value in self.others) for value in values])
        return np.array(found).T


class Design:
    """The coding of a table's columns, fitted to some rows and replayed on others."""

    def __init__(self, columns: list[Column], *, missing: str = "indicator", scale: str = "standard") -> None:
        self.columns = columns
        self.parts: dict[str, Number | Levels] = {}
        for column in columns:
            if column.kind == "number":
                self.parts[column.name] = Number(column, scale, filled=missing != "kernel")
            else:
                self.parts[column.name] = Levels(column)
        self.indicators = missing == "indicator"

    def matrix(self, values: dict[str, list[Value]]) -> np.ndarray:
        """What a kernel without a subscript sees."""
        blocks = []
        for name, part in self.parts.items():
            if isinstance(part, Levels):
                blocks.append(part.columns(values[name]))
                continue
            blocks.append(part.values(values[name])[:, None])
            if self.indicators and part.indicated:
                blocks.append(np.isnan(numbers(values[name]))[:, None].astype(float))
        return np.hstack(blocks)

    def named(self, names: list[str], values: dict[str, list[Value]]) -> np.ndarray:
        """What a kernel on columns of numbers sees: those alone."""
        parts = {name: self.parts[name] for name in names}
        return np.column_stack([part.values(values[n]) for n, part in parts.items() if isinstance(part, Number)])


def learnt(columns: list[Column]) -> dict[str, list[Value]]:
    """The training rows."""
    return {column.name: column.values for column in columns}


def new(columns: list[Column]) -> dict[str, list[Value]]:
    """The new rows."""
    return {column.name: column.new_values for column in columns}


# ---- Kernels -------------------------------------------------------------------------------------------------------


def squared_distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """‖x − y‖² of all pairs, without cancellation."""
    return np.asarray(cdist(x, y, "sqeuclidean"))


def on_matrix(spec: str, x: np.ndarray, y: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Values of a kernel of ``KERNELS`` on coded rows; ``train`` decides its width."""
    if spec == "linear()":
        return np.asarray(x @ y.T)
    if spec == "poly(degree=2, gamma=0.2, coef0=1)":
        return np.asarray((0.2 * (x @ y.T) + 1) ** 2)
    if spec == "laplacian(gamma=0.2)":
        return np.asarray(np.exp(-0.2 * cdist(x, y, "cityblock")))
    gamma = 0.3 if "0.3" in spec else 1 / (train.shape[1] * float(train.var()))
    return np.asarray(np.exp(-gamma * squared_distances(x, y)))


KERNELS = ("rbf()", "rbf(gamma=0.3)", "linear()", "poly(degree=2, gamma=0.2, coef0=1)", "laplacian(gamma=0.2)")


def delta(x: list[Value], y: list[Value], known: list[Value]) -> np.ndarray:
    """1 where levels are equal; one that training did not have equals nothing."""
    levels = set(known)
    return np.array([[float(a == b and a in levels) for b in y] for a in x])


def hamming(x: list[list[Value]], y: list[list[Value]], known: list[list[Value]], gamma: float) -> np.ndarray:
    """exp(−γ · how many columns differ)."""
    differ = sum(1 - delta(a, b, c) for a, b, c in zip(x, y, known, strict=True))
    return np.asarray(np.exp(-gamma * differ))


def if_present(values: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The values where both rows have the number, 1 where both miss it, 0 where one does."""
    gone_x, gone_y = np.isnan(x)[:, None], np.isnan(y)[None, :]
    return np.where(gone_x & gone_y, 1.0, np.where(gone_x | gone_y, 0.0, values))


# ---- Ridge regression ----------------------------------------------------------------------------------------------


def ridge(k: np.ndarray, y: np.ndarray, k_new: np.ndarray, penalty: float = 1.0) -> np.ndarray:
    """f(x) = Σ α_i k(x_i, x) + b with (K + λI) α + b·1 = y, 1ᵀα = 0 (docs/models/ridge.md)."""
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = k + penalty * np.eye(n)
    system[n, :n] = system[:n, n] = 1
    solved = np.linalg.solve(system, np.append(y, 0))
    return np.asarray(k_new @ solved[:n] + solved[n])
