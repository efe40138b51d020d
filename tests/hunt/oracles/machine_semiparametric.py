"""Support vector machines with functions beside the kernel, and machines that begin with a prior function."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import engine
from hunt.oracles import machine_least, machine_margin, machine_risk, machine_sparse
from hunt.oracles.machine_margin import SOLVER, deviation, spread
from hunt.oracles.machine_problem import EPS, STATIONARY, Array, Fitted, Problem, draw_problem
from hunt.verdict import Judge, NotApplicable

PARTS = ("linear", "quadratic", "linear[0]", "none", "linear + periodic(period=3)[0]")
PRICES = ("1", "10", "0.01", "1000")
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "svc": {"C": PRICES, "class_weight": machine_margin.CLASS_WEIGHTS, "tolerance": SOLVER["tolerance"]},
    "svr": {
        "C": PRICES,
        "epsilon": ("0.1", "0", "0.001", "2"),
        "standardize": ("yes", "no"),
        "tolerance": SOLVER["tolerance"],
    },
}
OWN = {
    "svc": (machine_margin.draw, machine_margin.judge_svc),
    "svr": (machine_margin.draw, machine_margin.judge_svr),
    "nusvr": (machine_margin.draw, machine_margin.judge_svr),
    "ridge": (machine_least.draw, machine_least.judge_ridge),
    "riskr": (machine_risk.draw, machine_risk.judge_riskr),
    "riskc": (machine_risk.draw, machine_risk.judge_riskc),
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """The model's own cases, some with functions beside the kernel, some with a prior function."""
    kinds = (
        ["own", "own"]
        + (["sparse"] if model in machine_sparse.LOSSES else [])
        + (["functions"] if model in OPTIONS else [])
        + ([] if model in ("svc", "riskc") else ["prior"])
    )
    kind = pick(st.sampled_from(kinds))
    if kind == "sparse":
        return machine_sparse.draw(pick, model)
    if kind != "functions":
        facts = OWN[model][0](pick, model)
        return {**facts, "prior": True} if kind == "prior" else facts
    facts = draw_problem(pick, model, OPTIONS[model], kernels=STATIONARY, classes=2, fewest=3)
    facts["settings"]["parametric"] = pick(st.sampled_from(PARTS))
    return facts


class WithFacts(Problem):
    """A problem that remembers what was drawn."""

    def __init__(self, model: str, facts: dict[str, Any]) -> None:
        super().__init__(model, facts)
        self.has_prior = bool(facts.get("prior"))


def judge_case(problem: Problem, judge: Judge) -> None:
    """By the kind of the case."""
    if getattr(problem, "has_prior", False):
        judge_prior(problem, judge)
    elif problem.settings.get("norm") == "coefficients":
        machine_sparse.judge_sparse(problem, judge)
    elif problem.model in OPTIONS and problem.settings.get("parametric") in PARTS:
        judge_functions(problem, judge)
    else:
        OWN[problem.model][1](problem, judge)


# ---- Functions beside the kernel -----------------------------------------------------------------------------------


def functions_of(part: str, x: Array) -> Array:
    """What stands beside the kernel, one function per column."""
    one = np.ones((len(x), 1))
    if part == "none":
        return one[:, :0]
    if part == "linear[0]":
        return np.hstack([one, x[:, :1]])
    if part == "linear":
        return np.hstack([one, x])
    if part == "quadratic":
        d = x.shape[1]
        return np.hstack([one, x, *[x[:, [i]] * x[:, [j]] for i in range(d) for j in range(i, d)]])
    turns = 2 * np.pi * x[:, [0]] / 3
    return np.hstack([one, x, np.sin(turns), np.cos(turns)])


def judge_functions(problem: Problem, judge: Judge) -> None:
    """Coefficients that are feasible, functions that are those, and the duality gap of the two."""
    spread_of = problem.x.std(axis=0)
    if (np.abs(problem.x).max(axis=0, initial=0) > 1e5 * np.where(spread_of > 0, spread_of, np.inf)).any():
        # Values are sums of coefficients times raw columns: their rounding, times a price, is what would be judged.
        raise NotApplicable("columns far from the origin")
    fitted = problem.fit()
    fitted.demand_convergence()
    used = problem.weights > 0
    y, scale, epsilon = targets_of(problem, fitted)
    beta = spread(fitted, 0, len(problem.x))
    bounds = problem.number("C") * scale * problem.weights
    psi = functions_of(problem.settings["parametric"], problem.x)
    size = float(np.abs(beta).max(initial=0))
    judge.at_most(
        "feasible", float((np.abs(beta) - bounds).max()), 1e-9 * max(bounds.max(), size), "coefficient above C"
    )
    sums = psi[used].T @ beta[used]
    # The functions are made orthogonal: each takes over what rounding leaves of the others.
    limits = 1e-8 * (np.abs(psi[used]).T @ np.abs(beta[used])) + 1e-10 * size * np.abs(psi[used]).max(axis=0)
    judge.holds("equations", bool((np.abs(sums) <= limits).all()), f"functions times coefficients: {sums}")
    f = fitted.decide(problem.x)[:, 0]
    rest = (f - problem.K @ beta)[used]
    if psi.shape[1]:
        unit = np.abs(psi[used]).max(axis=0)
        columns = psi[used] / np.where(unit > 0, unit, 1)
        rest = rest - columns @ np.linalg.lstsq(columns, rest, rcond=None)[0]
    told = np.abs(fitted.arrays.get("parametric", np.zeros((1, 1)))).sum() * np.abs(psi[used]).max(initial=0)
    rough = (
        256 * EPS * float(told)
        + 1e-9 * float(np.abs(f).max())
        + 256 * EPS * float((np.abs(problem.K) @ np.abs(beta)).max(initial=0))
    )
    judge.at_most("expansion", float(np.abs(rest).max(initial=0)), rough, "values are not K b + functions")
    norm = float(beta @ problem.K @ beta)
    if problem.model == "svr":
        losses, unit = np.maximum(np.abs(y - f) - epsilon, 0), np.abs(y) + epsilon
        dual = float(y @ beta) - epsilon * float(np.abs(beta).sum()) - norm / 2
    else:
        judge.at_most("feasible", float(-(y * beta).min(initial=0)), 1e-12 * size, "coefficient on the wrong side")
        losses, unit = np.maximum(0, 1 - y * f), np.ones(len(y))
        dual = float(np.abs(beta).sum()) - norm / 2
    primal = norm / 2 + float(bounds @ losses)
    whole = max(abs(primal), abs(dual), 1e-6 * float(bounds @ unit))
    shift = float(np.abs(sums).sum()) * float(np.abs(f).max())
    # Functions that nearly depend on each other have large coefficients, and values that are their differences.
    noise = 64 * EPS * float(bounds @ (np.abs(problem.K) @ np.abs(beta) + np.abs(f) + unit + told))
    allowed = 2 * problem.number("tolerance") * whole + shift + noise
    judge.at_most("gap", abs(primal - dual), allowed, "duality gap")
    problem.covers(judge, "C", "parametric", "tolerance")


def targets_of(problem: Problem, fitted: Fitted) -> tuple[Array, float, float]:
    """Targets, by what their deviation multiplies C, and half the width of the tube."""
    if problem.model == "svc":
        if len(fitted.arrays["code"]) != 1:
            raise NotApplicable("several machines")
        return fitted.arrays["code"][0][problem.targets], 1.0, 0.0
    s = deviation(problem) if problem.option("standardize") == "yes" else 1.0
    return problem.targets.astype(float), s, float(fitted.arrays["widths"].ravel()[0])


# ---- Prior functions -----------------------------------------------------------------------------------------------


def judge_prior(problem: Problem, judge: Judge) -> None:
    """A machine that begins with a function is the machine of what that leaves of the targets, beside it."""
    y = problem.targets.astype(float)
    known = engine.fit("leastsquares", "", {"parametric": "linear"}, problem.x, y, weights=problem.given)
    at_rows = np.asarray(known.predict(engine.samples(problem.x)))[:, 0]
    begun = problem.fit(prior=known)
    beside = problem.fit(y=y - at_rows)
    judge.same("prior", np.array([begun.status]), np.array([beside.status]), "status")
    expected = beside.decide(problem.queries)[:, 0] + np.asarray(known.predict(engine.samples(problem.queries)))[:, 0]
    found = begun.decide(problem.queries)[:, 0]
    size = float(np.abs(expected).max()) + float(np.abs(beside.decide(problem.queries)).max())
    judge.close("prior", found, expected, 1e-12, size=max(size, 1e-300), what="both together")
    again = type(begun.model).from_bytes(begun.model.to_bytes())
    judge.same("prior", np.asarray(again.predict(engine.samples(problem.queries)))[:, 0], found, "what the file says")
    problem.covers(judge)
