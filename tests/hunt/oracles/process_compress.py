"""Judges reduced sets: the stated error is the distance of the functions, and bounds what changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import data, engine
from hunt.oracles.process_kernels import diagonal, gram
from hunt.oracles.process_regression import draw_rows
from hunt.subjects import kernel_names, models
from hunt.verdict import Judge, NotApplicable
from mercer import _core

Facts = dict[str, Any]
TRIALS = ("compress",)
METHODS = ("auto", "construct", "greedy", "delete", "kpca", "l1", "svr", "clusters")
MODELS = ("ridge", "svr", "svc", "lssvm", "kfd", "oneclass", "svdd", "nusvc", "nusvr", "gp")


def draw(pick: Any, trial: str) -> Facts:
    """A model, and how it is made smaller."""
    facts = draw_rows(pick, fewest=6, most=20)
    facts["model"] = pick(st.sampled_from(MODELS))
    facts.update(data.draw_numbers(pick))
    facts["classes"], facts["balance"], facts["errors"] = pick(st.integers(2, 3)), "even", 0.1
    facts["method"] = pick(st.sampled_from(METHODS))
    facts["to"] = pick(st.sampled_from((3, 1, 6)))
    facts["per_output"] = pick(st.booleans())
    facts["rows_given"] = pick(st.booleans())
    return facts


def judge(trial: str, facts: Facts, judge: Judge) -> None:
    """Compare the report with the functions themselves."""
    x, kernel, name = data.build_inputs(facts), facts["kernel"], facts["model"]
    task = models()[name]["task"]
    y = data.build_classes(facts, x) if task == "classification" else data.build_numbers(facts, x)
    settings = {"optimize": "no"} if name == "gp" else {}
    large = engine.fit(name, kernel, settings, x, None if task == "novelty" else y)
    given: dict[str, Any] = {"x": engine.samples(x)} if facts["rows_given"] else {}
    small, report = engine.called(
        _core.compress,
        large,
        size=facts["to"],
        method=facts["method"],
        per_output=facts["per_output"],
        threads=1,
        **given,
    )
    judge.covers(*(f"kernel {k}" for k in kernel_names(kernel)))
    centers, points = (np.asarray(m.sample_set("centres"), dtype=float) for m in (large, small))
    alpha, beta = large.arrays()["coefficients"], small.arrays()["coefficients"]
    if name == "gp":
        alpha = alpha * large.arrays()["target_scaling"].ravel()[1]
    if alpha.shape[1] != beta.shape[1] or not np.isfinite(points).all():
        raise NotApplicable("functions of another form")
    every = np.vstack([centers, points])
    matrix = gram(kernel, every)
    together = np.vstack([alpha, -beta])
    alone = np.vstack([alpha, 0 * beta])
    norms = np.sqrt(np.maximum(np.diag(alone.T @ matrix @ alone), 0))
    errors = np.sqrt(np.maximum(np.diag(together.T @ matrix @ together), 0))
    # The square of a distance is a difference: what rounding leaves of it is relative to its parts.
    parts = np.sqrt(np.abs(together).T @ np.abs(matrix) @ np.abs(together)).max(initial=0)
    loss = 1e-6 * norms.max(initial=0) + 1e-7 * float(parts)
    size = loss / 1e-6
    judge.same(
        f"compress_size_{facts['method']}",
        len(points) <= facts["to"] * (alpha.shape[1] if facts["per_output"] else 1),
        True,
        "no more centres than asked for",
    )
    judge.same(
        "compress_size",
        (report["centers_before"], report["centers_after"]),
        (len(centers), len(points)),
        "numbers of centres",
    )
    outputs = report["outputs"]
    judge_best(judge, kernel, centers, points, alpha, errors, facts, loss)
    oracle = "compress_gp" if name == "gp" else "compress"
    judge_values(judge, oracle, facts, large, small, report, x, errors, loss)
    judge.close(f"{oracle}_error", [o["norm"] for o in outputs], norms, 1e-6, size=size, what="norms")
    judge.close(f"{oracle}_error", [o["error"] for o in outputs], errors, 1e-6, size=size, what="errors")
    judge.close(f"{oracle}_error", report["norm"], np.linalg.norm(norms), 1e-6, size=size, what="norm of all")
    judge.close(f"{oracle}_error", report["error"], np.linalg.norm(errors), 1e-6, size=size, what="error of all")


def judge_best(
    judge: Judge,
    kernel: str,
    centers: np.ndarray,
    points: np.ndarray,
    alpha: np.ndarray,
    errors: np.ndarray,
    facts: Facts,
    loss: float,
) -> None:
    """Coefficients are the best for the points found."""
    if not len(points):
        return
    inner, cross, outer = gram(kernel, points), gram(kernel, points, centers), gram(kernel, centers)
    values = np.linalg.eigvalsh(inner)
    if values[0] <= 1e-8 * values[-1] or facts["per_output"]:
        return
    best = np.linalg.solve(inner, cross @ alpha)
    squares = np.diag(alpha.T @ outer @ alpha) - np.einsum("ij,ij->j", best, cross @ alpha)
    judge.at_most(
        "compress_best",
        float((errors - np.sqrt(np.maximum(squares, 0))).max()),
        100 * loss * np.sqrt(values[-1] / values[0]),
        "error beyond that of the best coefficients",
    )


def judge_values(
    judge: Judge,
    oracle: str,
    facts: Facts,
    large: _core.FittedModel,
    small: _core.FittedModel,
    report: dict[str, Any],
    x: np.ndarray,
    errors: np.ndarray,
    loss: float,
) -> None:
    """Values change by at most the error times sqrt k(x, x), beside the constants; agreement is what it says."""
    queries = np.vstack([data.build_queries(facts), x])
    rows = engine.samples(queries)

    def values(model: _core.FittedModel) -> np.ndarray:
        return engine.called(model.decide if model.decision_names else model.predict, rows)

    before, after = values(large), values(small)
    if before.shape == after.shape and before.shape[1] == len(errors) and facts["model"] not in ("svdd", "kfd"):
        shifts = np.array([o["offset_shift"] for o in report["outputs"]])
        bound = np.sqrt(diagonal(facts["kernel"], queries))[:, None] * errors
        beyond = np.minimum(np.abs(after - before - shifts), np.abs(after - before + shifts)) - bound
        slack = 10 * loss * np.sqrt(np.abs(bound).max() / max(errors.max(initial=0), 1e-300) + 1)
        slack += 1e-9 * float(np.abs(before).max())
        judge.at_most("compress_bound", float(beyond.max()), slack, "change of a value beyond the bound")
    agreement = report.get("agreement")
    if not agreement:
        return
    count = len(x)
    difference = (after - before)[-count:]
    scale = float(np.abs(before).max()) + loss
    if models()[facts["model"]]["task"] == "regression":
        judge.close(
            "compress_agreement",
            agreement["rmse"],
            np.sqrt(np.mean(difference**2)),
            1e-6,
            size=scale,
            what="root mean square difference",
        )
        judge.close(f"{oracle}_constant", difference.mean(), 0.0, 1e-6, size=scale, what="mean difference")
    if "same_labels" in agreement:
        first, second = (engine.called(m.predict, engine.samples(x)).ravel() for m in (large, small))
        judge.close(
            "compress_agreement",
            agreement["same_labels"],
            np.mean(first == second),
            1e-12,
            size=1.0,
            what="share of equal answers",
        )
