"""Least squares in functions that are given, by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import data, engine
from hunt.oracles.machine_problem import Array, Problem
from hunt.verdict import Judge


def draw(pick: Any, model: str) -> dict[str, Any]:
    """Data, weights and functions; the kernel of the problem is not used."""
    facts = data.draw_inputs(pick, fewest=1, most=24, columns=3, plain=True)
    facts.update(data.draw_numbers(pick), kernel="linear", width=1.0, order=0.5)
    facts["weights"] = pick(st.sampled_from(data.WEIGHTS))
    facts["settings"] = {"parametric": pick(st.sampled_from(("linear", "constant", "quadratic")))}
    return facts


def basis(text: str, x: Array) -> Array:
    """1, the columns, their squares and products in the order of the documentation."""
    columns = [np.ones(len(x))]
    if text != "constant":
        columns += list(x.T)
    if text == "quadratic":
        d = x.shape[1]
        columns += [x[:, i] * x[:, j] for i in range(d) for j in range(i, d)]
    return np.column_stack(columns)


def _is_doubtful(singular: Array) -> bool:
    """Whether a singular value is neither rounding nor clearly none: the rank depends on the scale of columns then."""
    return bool(((singular > 1e-14 * singular[0]) & (singular < 1e-4 * singular[0])).any())


def judge_leastsquares(problem: Problem, judge: Judge) -> None:
    """The normal equations: residuals are orthogonal to every function; of full rank also standard errors."""
    fitted = problem.fit()
    text, y, w = problem.option("parametric"), problem.targets, problem.weights
    F, G = basis(text, problem.x), basis(text, problem.queries)
    beta = fitted.arrays["coefficients"][:, 0]
    judge.close("values", fitted.predict(problem.queries), G @ beta, 1e-10,
                size=float((np.abs(G) @ np.abs(beta)).max()) or 1.0, what="functions times coefficients")  # fmt: skip
    lengths = np.sqrt(w @ F**2)
    size = np.sqrt(w) * (np.abs(y) + np.abs(F) @ np.abs(beta))
    errors = np.sqrt(w) * (y - F @ beta)
    slopes = np.abs((np.sqrt(w)[:, None] * F).T @ errors) / np.where(lengths > 0, lengths, 1)
    judge.at_most(
        "normal", float(slopes.max()), 1e-10 * float(np.linalg.norm(size)) + 1e-300, "residuals along a function"
    )
    rank = fitted.arrays["spread"].shape[1]
    weighted = np.sqrt(w)[:, None] * F
    weighted_values = np.linalg.svd(weighted, compute_uv=False)
    scaled = weighted / np.where(lengths > 0, lengths, 1)
    singular = np.linalg.svd(scaled, compute_uv=False)
    if rank == F.shape[1] and singular[-1] > 1e-5:
        degrees = max(0.0, float(w.sum()) - rank)
        variance = float(errors @ errors) / degrees if degrees > 0 else 0.0
        rows = G / np.where(lengths > 0, lengths, 1)
        expected = np.sqrt(variance * np.einsum("ij,jk,ik->i", rows, np.linalg.inv(scaled.T @ scaled), rows))
        found = np.sqrt(np.asarray(engine.called(fitted.model.moments, engine.samples(problem.queries))[1])).ravel()
        # Of targets that the functions fit, what is left is rounding.
        allowed = max(float(expected.max()), 1e-8 * float(np.abs(y).max())) or 1.0
        judge.close("errors", found, expected, 1e-6, size=allowed, what="standard errors")
    elif rank < F.shape[1] and not (_is_doubtful(singular) or _is_doubtful(weighted_values)):
        expected = np.linalg.pinv(weighted, rcond=1e-11) @ (np.sqrt(w) * y)
        smallest = float(np.linalg.norm(expected))
        judge.at_most("least_norm", float(np.linalg.norm(beta)), smallest * (1 + 1e-6) + 1e-12, "norm of coefficients")
    problem.covers(judge, "parametric")
