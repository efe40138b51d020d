"""The judge of kdec."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles import density_estimates
from hunt.oracles import density_kde as kde
from hunt.verdict import Judge, NotApplicable


def judge_kdec(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Bayes' rule with the densities of the classes."""
    case = density_estimates.Setup(facts)
    y = data.build_classes(facts, case.x)
    weights = np.ones(len(y)) if case.weights is None else case.weights
    if case.rule and facts["width"] in ("likelihood", "least_squares", "isj", "normal"):
        case.settings["bandwidth"] = "silverman"
    if case.rule and case.settings["form"] != "diagonal":
        raise NotApplicable("classes may have no spread")
    if weights.sum() <= 1:
        raise NotApplicable("shares of what?")
    used = weights > 0
    kept = kde.varying(case.x[used]) if case.rule else np.arange(case.d)
    if not len(kept):
        raise NotApplicable("no column says anything")
    model = engine.fit("kdec", "", case.settings, case.x, y, weights=case.weights)
    total = kde.covariance(case.x[used], weights[used]) if weights.sum() > 1 else None
    logs, masses, tolerances = [], [], []
    rows = case.queries
    clear = np.ones(len(rows), dtype=bool)
    for k in range(int(y.max()) + 1):
        mine = used & (y == k)
        masses.append(float(weights[mine].sum()))
        if not mine.any():
            raise NotApplicable("a class without rows")
        if masses[-1] <= 1 and not np.array_equal(weights[mine], [1.0]):
            raise NotApplicable("a class of less than one row")
        x, w = case.x[mine][:, kept], weights[mine]
        if case.rule:
            deviations = np.array(
                [
                    np.sqrt(kde.covariance(x[:, [j]], w)[0, 0])
                    if len(kde.varying(x[:, [j]]))
                    else np.sqrt(total[kept[j], kept[j]])
                    for j in range(len(kept))
                ]
            )
            factor = density_estimates.widths_by_rule(x, w, case.settings, deviations)
            stored = np.asarray(model.arrays()[f"class_{k}_bandwidth"])
            squares = factor @ factor.T
            # A deviation from a mean is known to the rounding of the rows.
            rounding = 8 * 2.0**-52 * float(np.abs(x).max()) * float(np.sqrt(squares.max()))
            size = max(float(squares.max()), rounding / 1e-8)
            judge.close(
                "class_bandwidth", stored @ stored.T, squares, 1e-8, size=size, what=f"squared widths of class {k}"
            )
        else:
            factor = density_estimates.given_factor(case.settings["bandwidth"], case.d)
        ends = {name: [values[j] for j in kept] for name, values in case.ends.items()}
        density = kde.Density(case.settings["shape"], x, w, factor, np.ones(len(x)), **ends)
        if float(case.settings["adaptive"]) and density.near_an_edge(density.points, 1e-9).any():
            raise NotApplicable("points at the ends of windows")
        density_estimates.scaled(density, float(case.settings["adaptive"]))
        clear &= ~density.near_an_edge(rows[:, kept], 1e-6)
        logs.append(density.log_density(rows[:, kept]))
        tolerances.append(case.tolerance(density))
    if float(case.settings.get("absolute_error", 0)):
        raise NotApplicable("an error that does not follow the density")
    priors = (
        np.array(masses) / sum(masses)
        if case.settings["priors"] == "frequency"
        else np.full(len(masses), 1 / len(masses))
    )
    joint = np.log(priors) + np.array(logs).T
    with np.errstate(invalid="ignore"):
        expected = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    expected = np.where(np.isfinite(joint).any(axis=1)[:, None], expected, priors)
    found = engine.called(model.probabilities, engine.samples(rows), threads=1)
    judge.covers(*names_of("kdec", case.settings))
    size = float(np.abs(joint[np.isfinite(joint)]).max(initial=1.0))
    judge.close("bayes", found[clear], expected[clear], max(tolerances) * max(size, 1.0), size=1, what="probabilities")
