"""Neighbours, means, medoids and the perceptron, by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles.machine_problem import (
    DOT,
    STATIONARY,
    Array,
    Problem,
    draw_problem,
    judge_classes,
    judge_probabilities,
)
from hunt.verdict import Judge, NotApplicable

OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "knnc": {"neighbors": ("5", "1", "2", "3", "30"), "weighting": ("uniform", "distance"), "loo": ("yes", "no")},
    "knnr": {"neighbors": ("5", "1", "2", "3", "30"), "weighting": ("uniform", "distance"), "loo": ("yes", "no")},
    "classmean": {"rule": ("mean", "distance", "parzen")},
    "medoidc": {"medoids": ("5", "1", "2"), "swaps": ("yes", "no"), "distance": ("plain", "squared")},
    "perceptron": {
        "form": ("plain", "averaged"),
        "epochs": ("50", "1", "3"),
        "margin": ("0", "0.05"),
        "offset": ("yes", "no"),
    },
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A method without a solver."""
    weights = ("none", "ones") if model == "perceptron" else ("none", "ones", "twos", "zeros", "fractions", "huge")
    # Distances of a linear kernel between whole numbers are exact: the only ties that can be judged.
    kernels = STATIONARY + DOT + ("linear",) * (8 if model.startswith("knn") else 0)
    classes = 2 if model == "perceptron" else 4
    facts = draw_problem(pick, model, OPTIONS[model], kernels=kernels, classes=classes, weights=weights)
    if model.startswith("knn") and pick(st.booleans()):  # a few places: rows repeat, and distances of others tie
        facts.update(kernel="linear", columns=min(facts["columns"], 2), offset=0, unit=1, near=False)
        facts["shape"] = pick(st.sampled_from(("integers", "binary")))
    if model == "perceptron":
        facts["settings"]["shuffle"] = "no"
    return facts


def distances(problem: Problem, x: Array) -> tuple[Array, float]:
    """Squared distances of rows to the training rows, and what rounding leaves of them."""
    if problem.kernel.name == "linear":
        squares = ((x[:, None, :] - problem.x[None, :, :]) ** 2).sum(axis=2)
        size = float(max((x**2).sum(axis=1).max(), (problem.x**2).sum(axis=1).max()))
        exact = bool((x == np.round(x)).all() and (problem.x == np.round(problem.x)).all() and size < 1e12)
        return squares, 0.0 if exact else 1e-13 * size
    own = np.array([problem.kernel(row[None], row[None])[0, 0] for row in x])
    squares = own[:, None] + np.diag(problem.K)[None, :] - 2 * problem.kernel(x, problem.x)
    return np.maximum(squares, 0), 1e-12 * float(max(own.max(), np.diag(problem.K).max()))


def shares(problem: Problem, row: Array, squares: Array, w: Array, noise: float) -> Array | None:
    """What every training row counts for one row; None where rounding decides."""
    wanted = problem.number("neighbors")
    order = np.lexsort((np.arange(len(w)), squares))
    left, counts = wanted, np.zeros(len(w))
    for i in order:
        counts[i] = min(w[i], left)
        left -= counts[i]
    # Rows that count fully against rows that do not, at distances that rounding could exchange.
    inside, outside = np.flatnonzero(counts > 0), np.flatnonzero(counts < w)
    rivals = np.abs(squares[inside][:, None] - squares[outside][None, :]) < noise
    equal = (problem.x[inside][:, None, :] == problem.x[outside][None, :, :]).all(axis=2)
    if (rivals & ~equal).any():
        return None
    used = counts > 0
    if problem.option("weighting") == "distance":
        close = used & (squares < 1e4 * noise)
        if close.any() and not (problem.x[close] == row).all():
            return None
        zero = close if close.any() else used & (squares <= 0)
        if zero.any():
            return np.where(zero, counts, 0.0)
        counts[used] /= np.sqrt(squares[used])
    return counts


def judge_neighbors(problem: Problem, judge: Judge) -> None:
    """Shares of the neighbours, and the mean of their targets."""
    fitted = problem.fit()
    classes = problem.task == "classification"
    target = np.eye(problem.count)[problem.targets] if classes else problem.targets[:, None].astype(float)
    found = fitted.probabilities(problem.queries) if classes else fitted.decide(problem.queries)
    predictions = fitted.predict(problem.queries)
    size = float(np.abs(target).max())
    for i, row in enumerate(problem.queries):
        squares, noise = distances(problem, row[None])
        counts = shares(problem, row, squares[0], problem.weights, noise)
        if counts is None:
            continue
        expected = counts @ target / counts.sum()
        judge.close("neighbors", found[i], expected, 1e-7, size=size, what=f"answer to row {i}")
        if classes and problem.option("weighting") == "uniform":
            votes = counts @ target
            judge.same("neighbors", predictions[i], float(votes.argmax()), f"class of row {i}")
    if problem.option("loo") == "yes":
        judge_left_out(problem, judge, fitted.measures, target)
    problem.covers(judge, "neighbors", "weighting")


def judge_left_out(problem: Problem, judge: Judge, measures: dict[str, float], target: Array) -> None:
    """The error of every row by all others."""
    squares, noise = distances(problem, problem.x)
    w = problem.weights
    total = 0.0
    for i in range(len(w)):
        if w[i] <= 0:
            continue
        others = np.where(np.arange(len(w)) == i, np.maximum(w - 1, 0.0), w)  # one of its copies is left out
        if others.sum() <= 0:
            return
        counts = shares(problem, problem.x[i], squares[i], others, noise)
        if counts is None:
            return
        answer = counts @ target / counts.sum()
        if problem.task == "classification":
            best = np.sort(answer)
            if best[-1] - best[-2] < 1e-9 and problem.option("weighting") == "distance":
                return
            total += w[i] * float(answer.argmax() != problem.targets[i])
        else:
            total += w[i] * float(((answer - target[i]) ** 2).sum())
    if problem.task == "classification":
        judge.close("left_out", measures["leave-one-out error rate"], total / w.sum(), 1e-9, what="error rate")
    else:
        size = float(np.abs(target).max())
        judge.close("left_out", measures["leave-one-out RMSE"], np.sqrt(total / w.sum()), 1e-7, size=size, what="RMSE")


def judge_classmean(problem: Problem, judge: Judge) -> None:
    """The three rules, by their formulas."""
    fitted = problem.fit()
    x, w = problem.queries, problem.weights
    K = problem.kernel(x, problem.x)
    rule = problem.option("rule")
    values = np.zeros((len(x), problem.count))
    size = 0.0
    for c in range(problem.count):
        share = np.where(problem.targets == c, w, 0.0)
        share = share / share.sum()
        offset = {"mean": share @ problem.K @ share, "distance": share @ np.diag(problem.K), "parzen": 0.0}[rule]
        values[:, c] = K @ share - 0.5 * offset
        size = max(size, float((np.abs(K) @ share).max()), abs(float(offset)))
    expected = values[:, 1:] - values[:, :1] if problem.count == 2 else values
    judge.close("class_mean", fitted.decide(x), expected, 1e-6, size=size, what="decision values")
    judge_classes(judge, fitted)
    problem.covers(judge, "rule")


def judge_medoidc(problem: Problem, judge: Judge) -> None:
    """The nearest medoid answers; no exchange of a medoid for another row of its class is better."""
    fitted = problem.fit()
    rows = fitted.arrays["point_rows"].ravel().astype(int)
    labels = fitted.arrays["point_classes"].ravel().astype(int)
    judge.same("medoids", labels, problem.targets[rows], "classes of the medoids")
    squares, noise = distances(problem, problem.queries)
    nearest = np.column_stack([squares[:, rows[labels == c]].min(axis=1) for c in range(problem.count)])
    expected = nearest[:, :1] - nearest[:, 1:] if problem.count == 2 else -nearest
    size = max(float(nearest.max()), 1e7 * noise)
    judge.close("medoids", fitted.decide(problem.queries), expected, 1e-6, size=size, what="decision values")
    judge_classes(judge, fitted)
    own, noise = distances(problem, problem.x)
    cost = own if problem.option("distance") == "squared" else np.sqrt(own)
    rough = noise if problem.option("distance") == "squared" else np.sqrt(noise)
    total = 0.0
    for c in range(problem.count):
        of = np.flatnonzero((problem.targets == c) & (problem.weights > 0))
        chosen = rows[labels == c]
        w = problem.weights[of]
        value = float(w @ cost[np.ix_(of, chosen)].min(axis=1))
        total += value
        if problem.option("swaps") == "no" and len(chosen) > 1:
            continue
        for place in range(len(chosen)):
            rest = np.delete(chosen, place)
            for other in of:
                swapped = float(w @ cost[np.ix_(of, np.append(rest, other))].min(axis=1))
                bound = value * (1 - 1e-6) - 4 * rough * float(w.sum())
                judge.holds("medoids", swapped >= bound, f"{other} for {chosen[place]}: {swapped:.9g} < {value:.9g}")
    size = max(total, 4e6 * rough * float(problem.weights.sum()))
    judge.close("medoids", fitted.objective, total, 1e-6, size=size, what="sum of distances")
    problem.covers(judge, "medoids", "distance", "swaps")


def judge_perceptron(problem: Problem, judge: Judge) -> None:
    """The walk over the rows in their order, step by step."""
    fitted = problem.fit()
    K = problem.K
    t = np.where(problem.targets == 1, 1.0, -1.0)
    n = len(t)
    square = float(np.diag(K).max())
    margin = problem.number("margin")
    shift = square if problem.option("offset") == "yes" else 0.0
    alpha, b = np.zeros(n), 0.0
    sums, sum_b, seen = np.zeros(n), 0.0, 0
    for _ in range(int(problem.number("epochs"))):
        mistakes = 0
        for i in range(n):
            norm = np.sqrt(max(0.0, float(alpha @ K @ alpha))) if margin else 0.0
            slack = t[i] * float(K[i] @ alpha + b) - margin * norm
            size = float(np.abs(K[i]) @ np.abs(alpha)) + abs(b)
            if abs(slack) <= 1e-6 * size and size > 0:
                raise NotApplicable("a step that rounding decides")
            if slack <= 0:
                alpha[i] += t[i]
                b += t[i] * shift
                mistakes += 1
            sums, sum_b, seen = sums + alpha, sum_b + b, seen + 1
        if mistakes == 0:
            break
    a, offset = (sums / seen, sum_b / seen) if problem.option("form") == "averaged" else (alpha, b)
    expected = problem.kernel(problem.queries, problem.x) @ a + offset
    size = float((np.abs(problem.kernel(problem.queries, problem.x)) @ np.abs(a)).max()) + abs(offset)
    judge.close("walk", fitted.decide(problem.queries)[:, 0], expected, 1e-6, size=size, what="decision values")
    judge.same("walk", fitted.measures["mistakes in the last pass"], float(mistakes), "mistakes in the last pass")
    judge_classes(judge, fitted)
    problem.covers(judge, "form", "epochs", "offset")


def judge_shares(problem: Problem, judge: Judge) -> None:
    """Neighbours, and that their shares are probabilities."""
    judge_neighbors(problem, judge)
    if problem.task == "classification":
        judge_probabilities(judge, problem.fit(), largest=False)
