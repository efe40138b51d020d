"""Judges of histogram and knndensity."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.special import gammaln

from hunt import data, engine
from hunt.coverage import names_of
from hunt.verdict import Judge, NotApplicable

# ---- histogram -----------------------------------------------------------------------------------------------------


def draw_histogram(pick: Any, subject: str) -> dict[str, Any]:
    """Bins and rows."""
    facts = data.draw_inputs(pick, most=25, columns=3)
    facts["bins"] = pick(st.sampled_from(("3", "each", "1", "fd", "scott", "sturges", "quantile")))
    return {**facts, **data.draw_weights(pick)}


def _bin_counts(rule: str, x: np.ndarray) -> list[tuple[int, bool]]:
    """How many bins every column has, and whether that is clear."""
    n, d = x.shape
    found = []
    for column in x.T - x[0][:, None]:
        length = float(np.ptp(column))
        if length == 0:
            found.append((1, True))
            continue
        if rule in ("sturges", "quantile"):
            width = length / (np.log2(n) + 1)
        elif rule == "fd":
            width = 2 * float(np.subtract(*np.percentile(column, [75, 25]))) * n ** (-1 / (d + 2))
        else:
            width = (24 * np.sqrt(np.pi)) ** (1 / 3) * float(column.std()) * n ** (-1 / (d + 2))
        exact = length / width if width > 0 else 1.0
        clear = abs(exact - round(exact)) > 1e-3 * exact or rule in ("sturges", "quantile") or (d == 1 and width == 0)
        found.append((int(np.ceil(exact - 1e-12)), clear))
    return found


def judge_histogram(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Edges by the rule, and counts over volumes."""
    x, queries = data.build_inputs(facts), data.build_queries(facts)
    weights = data.build_weights(facts, len(x))
    d = x.shape[1]
    word = facts["bins"]
    settings = {"bins": ",".join(["4", "2", "5"][:d]) if word == "each" else word}
    w = np.ones(len(x)) if weights is None else weights
    if not w.any():
        raise NotApplicable("no row has weight")
    model = engine.fit("histogram", "", settings, x, None, weights=weights)
    stored = model.arrays()
    counts = stored["edge_counts"][:, 0].astype(int)
    edges = np.split(stored["edges"][:, 0], np.cumsum(counts)[:-1])
    points, w = x[w > 0], w[w > 0]
    judge.covers(*names_of("histogram", settings))
    whole = np.array_equal(w, np.round(w)) and w.max() <= 3
    if whole and (np.ptp(points, axis=0) > 1e-6 * np.abs(points).max(axis=0)).all():
        repeated = np.repeat(points, w.astype(int), axis=0)
        if word in ("fd", "scott", "sturges", "quantile"):
            wanted = _bin_counts(word, repeated)
        else:
            wanted = [
                (int(text), True) for text in (settings["bins"].split(",") * (d if "," not in settings["bins"] else 1))
            ]
        for j, (number, clear) in enumerate(wanted):
            if not clear or number > 50_000:
                continue
            column = repeated[:, j]
            if word == "quantile":
                spots = np.unique(np.quantile(column, np.linspace(0, 1, number + 1)))
                # A place between two rows that is one of them but for rounding gives an end beside that row's own.
                spots = spots[np.diff(spots, prepend=-np.inf) > 1e-12 * np.ptp(column)]
            else:
                spots = np.linspace(column.min(), column.max(), number + 1)
            oracle = "bins_without_middle" if number == 1 and word == "fd" else "bins"
            judge.holds(
                oracle, len(edges[j]) == len(spots), f"{len(edges[j]) - 1} bins of column {j} for {len(spots) - 1}"
            )
            size = float(np.abs(spots).max())
            judge.close("bins", edges[j], spots, 1e-12, size=size, what=f"edges of column {j}")
    for j in range(d):
        if np.ptp(points[:, j]) == 0 and word != "each" and not word.isdigit():
            judge.holds(
                "bins_of_one_value", len(edges[j]) == 2, f"{len(edges[j]) - 1} bins of column {j}, which has one value"
            )
    rows = np.vstack(
        [
            queries,
            points.max(axis=0, keepdims=True),
            points.min(axis=0, keepdims=True),
            2 * points.max(axis=0, keepdims=True) - points.min(axis=0, keepdims=True) + facts["unit"],
        ]
    )
    found = engine.called(model.predict, engine.samples(rows), threads=1)[:, 0]
    cells, masses = _cells(points, edges), w / w.sum()
    where = _cells(rows, edges)
    volumes = np.prod([np.diff(edges[j])[np.clip(where[:, j], 0, len(edges[j]) - 2)] for j in range(d)], axis=0)
    same = (where[:, None, :] == cells[None]).all(axis=2) & (where >= 0).all(axis=1)[:, None]
    with np.errstate(divide="ignore"):
        expected = np.log(same @ masses) - np.log(volumes)
    judge.close("counts", found, expected, 1e-12, size=1, what="ln p")


def _cells(rows: np.ndarray, edges: list[np.ndarray]) -> np.ndarray:
    """The bin of every value: that above an edge, on the last edge the last; −1 outside."""
    found = np.empty(rows.shape, dtype=int)
    for j, spots in enumerate(edges):
        k = np.searchsorted(spots, rows[:, j], side="right") - 1
        k = np.where(rows[:, j] == spots[-1], len(spots) - 2, k)
        found[:, j] = np.where((rows[:, j] < spots[0]) | (rows[:, j] > spots[-1]), -1, k)
    return found


# ---- knndensity ----------------------------------------------------------------------------------------------------


def draw_neighbours(pick: Any, subject: str) -> dict[str, Any]:
    """Rows and k."""
    return {**data.draw_inputs(pick), **data.draw_weights(pick), "k": pick(st.sampled_from((1, 2, 5, 0)))}


def judge_neighbours(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """The formula, distances sorted."""
    x, queries = data.build_inputs(facts), data.build_queries(facts)
    weights = data.build_weights(facts, len(x))
    w = np.ones(len(x)) if weights is None else weights
    if not w.any():
        raise NotApplicable("no row has weight")
    model = engine.fit("knndensity", "", {"k": str(facts["k"])}, x, None, weights=weights)
    total, d = float(w.sum()), x.shape[1]
    k = facts["k"] or max(1, round(total**0.5))
    if not facts["k"] and abs(total**0.5 % 1 - 0.5) < 1e-3:
        raise NotApplicable("the root may be rounded either way")
    judge.covers(*names_of("knndensity", {"k": str(facts["k"])}))
    rows = np.vstack([queries, queries[:1] + 1e4 * facts["unit"]])
    distances = np.sqrt(((rows[:, None] - x[None, w > 0]) ** 2).sum(axis=2))
    order = np.argsort(distances, axis=1, kind="stable")
    held = np.cumsum(w[w > 0][order], axis=1)
    reached = np.argmax(held >= k - 1e-9, axis=1)
    radius = np.take_along_axis(distances, order, axis=1)[np.arange(len(rows)), reached]
    volume = d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
    with np.errstate(divide="ignore"):
        expected = np.log(k) - np.log(total) - volume - d * np.log(radius)
    found = engine.called(model.predict, engine.samples(rows), threads=1)[:, 0]
    judge.close("ball", found, expected, 1e-9, size=1, what="ln p")
