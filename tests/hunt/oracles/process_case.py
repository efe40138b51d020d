"""What judges of features share: a fit with the kernel's matrices of the rows that count."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from hunt import engine
from hunt.oracles.process_kernels import gram
from hunt.verdict import Judge, NotApplicable
from mercer import _core

Matrix = np.ndarray


class Case:
    """A fit, with the kernel's matrices of the rows that count."""

    def __init__(
        self,
        judge: Judge,
        model: _core.FittedModel,
        kernel: str,
        settings: dict[str, str],
        x: Matrix,
        queries: Matrix,
        weights: Matrix | None,
        targets: Matrix | None,
    ) -> None:
        kept = np.ones(len(x), bool) if weights is None else weights > 0
        self.judge, self.model, self.kernel, self.settings = judge, model, kernel, settings
        self.x, self.queries = x[kept], queries
        self.w = (np.ones(len(x)) if weights is None else weights)[kept]
        self.w = self.w / self.w.sum()
        self.targets = None if targets is None else targets[kept]
        self.gram, self.cross = gram(kernel, self.x), gram(kernel, self.x, queries)
        self.diagonal = np.diag(gram(kernel, queries))
        self.size = float(np.abs(np.diag(self.gram)).max())
        if not self.size > 0:
            raise NotApplicable("the kernel is 0")

    def predict(self, x: Matrix) -> Matrix:
        """Features."""
        return engine.called(self.model.predict, engine.samples(x))

    def centered(self) -> tuple[Matrix, Matrix, Matrix]:
        """Matrices of inner products with the mean taken away: rows, rows by queries, squares of queries."""
        mean = self.gram @ self.w
        total = float(self.w @ mean)
        rows = self.gram - mean[:, None] - mean[None] + total
        query_mean = self.w @ self.cross
        cross = self.cross - mean[:, None] - query_mean[None] + total
        return rows, cross, self.diagonal - 2 * query_mean + total

    def coordinates(self, share: float = 1e-9) -> tuple[Matrix, Matrix, Matrix]:
        """Centred images of rows and queries along their principal axes, with the variances of these."""
        rows, cross, _ = self.centered()
        root = np.sqrt(self.w)
        values, vectors = scipy.linalg.eigh(root[:, None] * rows * root)
        order = np.argsort(-values)
        values, vectors = values[order], vectors[:, order]
        kept = values > max(share * values[0], 1e-13 * self.size)
        if not kept.any():
            raise NotApplicable("all images are equal")
        values, vectors = values[kept], vectors[:, kept]
        axes = root[:, None] * vectors / np.sqrt(values)
        return rows @ axes, cross.T @ axes, values


def up_to_sign(
    judge: Judge, oracle: str, found: Matrix, expected: Matrix, tolerance: float, size: float, what: str
) -> None:
    """One component, of either sign."""
    sign = 1.0 if float(found @ expected) >= 0 else -1.0
    judge.close(oracle, sign * found, expected, tolerance, size=size, what=what)


def separate(values: Matrix, k: int, gap: float) -> bool:
    """Whether a value differs from its neighbours by a share of the largest."""
    others = np.delete(values, k)
    return bool(np.all(np.abs(others - values[k]) > gap * values[0]))
