"""Judges kmeans, kmedoids and spectral: nearest centres, objectives and what no move may lower."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles.process_kernels import diagonal, gram
from hunt.oracles.process_regression import draw_rows
from hunt.subjects import kernel_names
from hunt.verdict import Judge, NotApplicable
from mercer import _core

Facts = dict[str, Any]
Matrix = np.ndarray
TRIALS = ("kmeans", "kmedoids", "spectral")


def draw(pick: Any, model: str) -> Facts:
    """Rows, a kernel and a number of clusters."""
    facts = draw_rows(pick, fewest=1, most=20, stationary=model == "spectral")
    facts["clusters"] = pick(st.integers(1, 5))
    facts["weights"] = pick(st.sampled_from(("none", "twos", "zeros", "fractions")))
    if model == "kmedoids":
        facts["swaps"] = pick(st.sampled_from(("yes", "no")))
        facts["distance"] = pick(st.sampled_from(("plain", "squared")))
    if model == "spectral":
        facts["components"] = pick(st.sampled_from((0, 1, 2, 3)))
    return facts


def judge(model: str, facts: Facts, judge: Judge) -> None:
    """Run the case."""
    x, kernel = data.build_inputs(facts), facts["kernel"]
    weights = data.build_weights(facts, len(x))
    kept = np.ones(len(x), bool) if weights is None else weights > 0
    if not kept.any():
        raise NotApplicable("no row is left")
    settings = {"clusters": str(facts["clusters"])}
    settings.update({name: str(facts[name]) for name in ("swaps", "distance", "components") if name in facts})
    fitted = engine.fit(model, kernel, settings, x, None, weights=weights)
    judge.covers(*names_of(model, settings), *(f"kernel {name}" for name in kernel_names(kernel)))
    w = (np.ones(len(x)) if weights is None else weights)[kept]
    {"kmeans": judge_means, "kmedoids": judge_medoids, "spectral": judge_spectral}[model](
        judge, fitted, facts, x[kept], w, data.build_queries(facts)
    )


def nearest(
    judge: Judge, oracle: str, model: _core.FittedModel, rows: Matrix, expected: Matrix, loss: float, size: float
) -> None:
    """Squared distances, and the nearest centre where it is clear which one that is."""
    found = engine.called(model.decide, engine.samples(rows))
    judge.close(oracle, found, np.maximum(expected, 0), loss, size=size, what="squared distances")
    predicted = engine.called(model.predict, engine.samples(rows)).ravel().astype(int)
    chosen = expected[np.arange(len(rows)), predicted]
    judge.at_most(oracle, float((chosen - expected.min(axis=1)).max()), 10 * loss * size, "distance beyond the nearest")


def judge_means(judge: Judge, model: _core.FittedModel, facts: Facts, x: Matrix, w: Matrix, queries: Matrix) -> None:
    """Means of the clusters that the fit ended with, of which no row is nearer to another."""
    kernel = facts["kernel"]
    matrix, cross = gram(kernel, x), gram(kernel, x, queries)
    size = float(max(np.abs(np.diag(matrix)).max(), np.abs(diagonal(kernel, queries)).max()))
    labels = engine.called(model.predict, engine.samples(x)).ravel().astype(int)
    count = len(model.decision_names)
    if len(np.unique(labels)) < count:
        raise NotApplicable("ties leave a cluster without rows")
    members = np.array([(labels == c) * w for c in range(count)])
    shares = members / members.sum(axis=1, keepdims=True)

    def distances(k: Matrix, own: Matrix) -> Matrix:
        return own[:, None] - 2 * k.T @ shares.T + np.einsum("ci,ij,cj->c", shares, matrix, shares)

    train = distances(matrix, np.diag(matrix))
    ordered = np.sort(train, axis=1)
    if count > 1 and (ordered[:, 1] - ordered[:, 0]).min() < 1e-7 * size:
        raise NotApplicable("ties")
    judge.at_most(
        "kmeans",
        float((train[np.arange(len(x)), labels] - train.min(axis=1)).max()),
        1e-9 * size,
        "distance of a row beyond that to the nearest mean",
    )
    inertia = float(w @ train[np.arange(len(x)), labels])
    judge.close("kmeans", model.report["objective"], max(inertia, 0), 1e-9, size=size * w.sum(), what="inertia")
    nearest(judge, "kmeans", model, queries, distances(cross, diagonal(kernel, queries)), 1e-9, size)
    worst = model.report["measures"].get("worst inertia of a restart", inertia)
    judge.at_most("kmeans", inertia, worst + 1e-9 * size * w.sum(), "inertia beyond that of the worst restart")
    firsts = [int(np.argmax(labels == c)) for c in range(count)]
    judge.holds("cluster_numbers", firsts == sorted(firsts), f"clusters begin at rows {firsts}")


def judge_medoids(judge: Judge, model: _core.FittedModel, facts: Facts, x: Matrix, w: Matrix, queries: Matrix) -> None:
    """Medoids are rows; with swaps, no other row in place of one lowers the sum."""
    kernel = facts["kernel"]
    points = np.asarray(model.sample_set("centres"), dtype=float)
    rows = [int(np.argmax((x == point).all(axis=1))) for point in points]
    judge.holds("kmedoids", bool((x[rows] == points).all()), "a medoid is no row")
    matrix = gram(kernel, x)
    own = np.diag(matrix)
    squares = np.maximum(own[:, None] + own[None] - 2 * matrix, 0)
    rounding = 1e-12 * float(np.abs(own).max())
    size = float(squares.max()) + rounding

    def objective(chosen: list[int]) -> float:
        least = squares[:, chosen].min(axis=1)
        return float(w @ (least if facts["distance"] == "squared" else np.sqrt(least)))

    scale = size if facts["distance"] == "squared" else np.sqrt(size)
    slack = float(w.sum()) * (1e-9 * scale + (rounding if facts["distance"] == "squared" else 2 * np.sqrt(rounding)))
    sum_of = objective(rows)
    judge.close("kmedoids", model.report["objective"], sum_of, 1e-9, size=slack * 1e9, what="sum of distances")
    cross = gram(kernel, x, queries)
    between = own[rows][None] + diagonal(kernel, queries)[:, None] - 2 * cross[rows].T
    nearest(judge, "kmedoids", model, queries, between, 1e-9, max(size, float(np.abs(between).max()), rounding * 1e9))
    if facts["swaps"] == "yes" and len(rows) < len(x):
        for c in range(len(rows)):
            for other in range(len(x)):
                changed = objective([*rows[:c], other, *rows[c + 1 :]])
                judge.at_most("kmedoids", sum_of, changed + slack, f"the sum, where row {other} for {rows[c]} has less")
    numbers = model.arrays()["point_rows"].ravel().astype(int).tolist()
    judge.holds("cluster_numbers", numbers == sorted(numbers), f"medoids stand at rows {numbers}")


def judge_spectral(judge: Judge, model: _core.FittedModel, facts: Facts, x: Matrix, w: Matrix, queries: Matrix) -> None:
    """Eigenvalues of the normalised weights, distances in the rows of their eigenvectors."""
    kernel = facts["kernel"]
    matrix, cross = gram(kernel, x), gram(kernel, x, queries)
    degrees = matrix @ w
    root = np.sqrt(w / degrees)
    values, vectors = scipy.linalg.eigh(root[:, None] * matrix * root)
    values, vectors = values[::-1], vectors[:, ::-1]
    measures = model.report["measures"]
    for k in range(len(values)):
        name = f"eigenvalue {k + 1}"
        if name in measures:
            judge.close("spectral", measures[name], values[k], 1e-6, size=1.0, what=name)
    count = model.arrays()["means"].shape[1]
    if values[count - 1] < 1e-4 or (count < len(values) and values[count - 1] - values[count] < 1e-3):
        raise NotApplicable("no gap after the eigenvectors")

    def embed(k: Matrix) -> Matrix:
        u = (k.T * root) @ vectors[:, :count] / values[:count]  # sums over rows of w k v/sqrt(D), up to a factor
        lengths = np.linalg.norm(u, axis=1, keepdims=True)
        if (lengths < 1e-8).any():
            raise NotApplicable("a row without coordinates")
        return u / lengths

    train, fresh = embed(matrix), embed(cross)
    labels = engine.called(model.predict, engine.samples(x)).ravel().astype(int)
    clusters = len(model.decision_names)
    if len(np.unique(labels)) < clusters:
        raise NotApplicable("ties leave a cluster without rows")
    means = np.array([np.average(train[labels == c], axis=0, weights=w[labels == c]) for c in range(clusters)])
    distances = ((train[:, None] - means) ** 2).sum(axis=2)
    ordered = np.sort(distances, axis=1)
    if clusters > 1 and (ordered[:, 1] - ordered[:, 0]).min() < 1e-6:
        raise NotApplicable("ties")
    judge.close(
        "spectral",
        model.report["objective"],
        float(w @ distances[np.arange(len(x)), labels]),
        1e-5,
        size=float(w.sum()),
        what="inertia on the sphere",
    )
    nearest(judge, "spectral", model, x, distances, 1e-5, 1.0)
    nearest(judge, "spectral", model, queries, ((fresh[:, None] - means) ** 2).sum(axis=2), 1e-5, 1.0)
