"""Version spaces, one-class machines per class, covers: what they promise, by NumPy and by other fits."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import engine
from hunt.oracles.machine_nearest import distances
from hunt.oracles.machine_problem import Problem, draw_problem, judge_classes, judge_probabilities
from hunt.verdict import Judge, NotApplicable

OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "bayespoint": {
        "ridge": ("0.01", "0.1", "1", "1e-4"),
        "walk": ("reflect", "hitandrun"),
        "multiclass": ("ovr", "ovo", "dag"),
        "committee": ("10", "3"),
        "chains": ("4", "1", "3"),
    },
    "oneclassc": {
        "nu": ("0.05", "0.5", "1", "0.2"),
        "shape": ("plane", "ball"),
        "outside": ("nearest", "none"),
        "outlier_rate": ("0.1", "0.34"),
        "tolerance": ("1e-9", "1e-7"),
    },
    "cover": {
        "radius": ("0", "0.3", "1", "3", "100"),
        "clusters": ("8", "1", "3"),
        "method": ("auto", "program", "greedy"),
    },
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine with data, kernel, weights and options."""
    weights = ("none", "ones") if model == "bayespoint" else ("none", "ones", "twos", "zeros")
    facts = draw_problem(pick, model, OPTIONS[model], weights=weights, fewest=1 if model == "cover" else 2)
    if model == "bayespoint":
        facts["settings"] = {"samples": "20", "committee": "10", **facts["settings"]}
        facts["unit"] = pick(st.sampled_from((1, 1e-3, 1e3)))
    if model == "oneclassc":
        facts["settings"] = {"tolerance": "1e-9", **facts["settings"]}
        if "outlier_rate" in facts["settings"]:
            facts["settings"]["nu"] = "1"  # rows on a margin are equal but for what the solver leaves
    return facts


def judge_bayespoint(problem: Problem, judge: Judge) -> None:
    """Every member of the committee has length 1 and is right on every row; the others follow from them."""
    fitted = problem.fit()
    K, n = problem.K, len(problem.x)
    ridge = problem.number("ridge") * float(np.diag(K).mean())
    ridged = K + ridge * np.eye(n)
    if np.linalg.eigvalsh(ridged)[0] < 1e-10 * float(np.diag(ridged).max()):
        raise NotApplicable("a kernel matrix that rounding decides on")
    committee = fitted.arrays["committee"]
    machines = fitted.coefficients.shape[1]
    members = committee.shape[1] // machines
    way = problem.option("multiclass")
    if problem.count == 2 or way == "ovr":
        classes = [1] if problem.count == 2 else range(problem.count)
        for m, positive in enumerate(classes):
            side = np.where(problem.targets == positive, 1.0, -1.0)
            for k in range(members):
                a = committee[:, m * members + k]
                values = ridged @ a
                size = float((np.abs(ridged) @ np.abs(a)).max())
                judge.close("member", float(a @ values), 1.0, 1e-6, what="squared length of a machine")
                judge.at_most("member", float((-side * values).max()), 1e-9 * size, "a row on the wrong side")
    values = problem.kernel(problem.queries, problem.x) @ fitted.coefficients
    size = float((np.abs(problem.kernel(problem.queries, problem.x)) @ np.abs(fitted.coefficients)).max())
    judge.close("bayes_point", fitted.decide(problem.queries), values, 1e-9, size=size, what="decision values")
    if way == "ovr" or problem.count == 2:
        judge_classes(judge, fitted)
        votes = (problem.kernel(problem.queries, problem.x) @ committee).reshape(
            len(problem.queries), machines, members
        )
        chosen = (votes[:, 0] >= 0).astype(int) if problem.count == 2 else votes.argmax(axis=1)
        ordered = np.sort(np.abs(votes) if problem.count == 2 else votes, axis=1)
        lead = ordered[:, -1] - (ordered[:, -2] if machines > 1 else 0)
        if float(lead.min(initial=np.inf)) > 1e-9 * max(size, float(np.abs(votes).max(initial=0))):
            shares = np.stack([(chosen == c).sum(axis=1) + 1.0 for c in range(problem.count)], axis=1)
            expected = shares / (members + problem.count)
            judge.close("votes", fitted.probabilities(problem.queries), expected, 1e-12, what="shares of votes")
    judge_probabilities(judge, fitted, largest=False)
    measures = fitted.measures
    for name in measures:
        if name.startswith("length of the mean"):
            judge.at_most("bayes_point", measures[name], 1 + 1e-9, "length of a mean of unit vectors")
    problem.covers(judge, "ridge", "walk", "multiclass", "committee", "chains")


def judge_oneclassc(problem: Problem, judge: Judge) -> None:
    """The machines are those of oneclass or svdd on the rows of the class; answers follow from their distances."""
    fitted = problem.fit()
    fitted.demand_convergence()
    ball = problem.option("shape") == "ball"
    settings = {name: problem.option(name) for name in ("nu", "tolerance")}
    if "outlier_rate" in problem.settings:
        settings["outlier_rate"] = problem.settings["outlier_rate"]
    inside = np.empty((len(problem.queries), problem.count))
    noise = 0.0
    for c in range(problem.count):
        of = problem.targets == c
        weights = None if problem.given is None else problem.given[of]
        name = "svdd" if ball else "oneclass"
        machine = engine.fit(name, problem.kernel.text(), settings, problem.x[of], None, weights=weights)
        if machine.report["status"] != "converged":
            raise NotApplicable("a machine that does not converge")
        a, points = machine.arrays()["coefficients"][:, 0], np.asarray(machine.sample_set("centres"), dtype=float)
        f = np.asarray(engine.called(machine.decide, engine.samples(problem.queries)))[:, 0]
        squared = float(a @ problem.kernel(points, points) @ a)
        size = float((np.abs(problem.kernel(problem.queries, points)) @ np.abs(a)).max())
        loss = 1e-6 * size
        if ball:
            radius = float(machine.arrays()["parametric"][0, 0]) + squared / 4
            if radius <= 1e-5 * size:
                raise NotApplicable("a ball that is a point")
            inside[:, c] = np.sqrt(radius) - np.sqrt(np.maximum(radius - f, 0))
            noise = max(noise, loss / np.sqrt(radius))
        else:
            if squared <= 1e-9 * size * float(np.abs(a).sum()):
                raise NotApplicable("a plane through the origin of nothing")
            inside[:, c] = f / np.sqrt(squared)
            noise = max(noise, loss / np.sqrt(squared))
    expected = inside[:, 1:] - inside[:, :1] if problem.count == 2 else inside
    judge.close("machines", fitted.decide(problem.queries), expected, 1e-6, size=1e7 * noise, what="distances inside")
    answers = fitted.predict(problem.queries)
    largest = inside.max(axis=1)
    ordered = np.sort(inside, axis=1)
    clear = (ordered[:, -1] - ordered[:, -2] > 100 * noise) & (np.abs(largest) > 100 * noise)
    wanted = inside.argmax(axis=1).astype(float)
    if problem.option("outside") == "none":
        wanted[largest < 0] = -1
    judge.same("answers", answers[clear], wanted[clear], "classes, and none outside of all")
    problem.covers(judge, "nu", "shape", "outside", "tolerance")


def judge_cover(problem: Problem, judge: Judge) -> None:
    """Every row is within the radius of a code vector, none is superfluous, and the bound is none above them."""
    fitted = problem.fit()
    rows = fitted.arrays["point_rows"].ravel().astype(int)
    kept = np.flatnonzero(problem.weights > 0)
    squares, noise = distances(problem, problem.x[kept])
    apart = np.sqrt(np.maximum(squares, 0))
    rough = float(np.sqrt(noise)) + 1e-9 * float(apart.max(initial=0))
    radius = fitted.measures["radius"]
    if "radius" in problem.settings:
        judge.same("cover", radius, problem.number("radius"), "radius")
    else:
        judge.at_most("cover", float(len(rows)), problem.number("clusters"), "number of code vectors")
    judge.holds("cover", bool(np.isin(rows, kept).all()), "a code vector of weight 0")
    to_codes = apart[:, rows]
    judge.at_most("cover", float(to_codes.min(axis=1).max()), radius + rough, "distance of a row to its code vector")
    for place in range(len(rows)):
        rest = np.delete(to_codes, place, axis=1)
        least = float(rest.min(axis=1).max()) if rest.shape[1] else np.inf
        judge.holds("cover", least > radius - rough, f"code vector {rows[place]} is not needed")
    judge.at_most("cover", fitted.measures["no cover has fewer than"], float(len(rows)), "the bound")
    own, loss = distances(problem, problem.queries)
    found = fitted.decide(problem.queries)
    size = max(float(own.max(initial=0)), 1e9 * loss)
    judge.close("distances", found, own[:, rows], 1e-6, size=size, what="squared distances to the code vectors")
    problem.covers(judge, "method", "clusters", *(["radius"] if "radius" in problem.settings else []))
