"""Linear machines in explicit features: their primal value against the optimum of an interior point method."""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

from hunt.oracles.machine_margin import CLASS_WEIGHTS, deviation
from hunt.oracles.machine_problem import Array, Fitted, Problem, draw_problem, judge_classes
from hunt.verdict import Judge, NotApplicable

PRICES = ("1", "10", "0.001", "1000")
SHARED = {
    "C": PRICES,
    "intercept": ("exact", "regularized", "none"),
    "intercept_scale": ("1", "5"),
    "tolerance": ("0.001", "1e-6"),
    "penalty": ("l2", "l1"),
}
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "linearsvc": {
        **SHARED,
        "loss": ("hinge", "squared_hinge"),
        "class_weight": CLASS_WEIGHTS,
        "multiclass": ("ovr", "ovo"),
    },
    "linearsvr": {
        **SHARED,
        "loss": ("epsilon_insensitive", "squared_epsilon_insensitive"),
        "epsilon": ("0.1", "0", "1"),
        "standardize": ("yes", "no"),
    },
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A linear machine; l1 only with a loss that it goes with."""
    facts = draw_problem(pick, model, OPTIONS[model], kernels=("linear",))
    if facts["settings"].get("penalty") == "l1":
        facts["settings"]["loss"] = OPTIONS[model]["loss"][1]
    return facts


class Program:
    """min ½ Σ p_j w_j² + Σ l_j |w_j| + Σ C_i ξ_i^power,  G_i (w, b) ≥ h_i − ξ_i,  b not penalised."""

    def __init__(self, G: Array, h: Array, prices: Array, power: int, squares: Array, absolutes: Array) -> None:
        used = prices > 0
        self.G, self.h, self.prices = G[used], h[used], prices[used]
        self.power, self.squares, self.absolutes = power, squares, absolutes

    def value(self, w: Array) -> float:
        """At a point."""
        slacks = np.maximum(0, self.h - self.G @ w)
        return float(0.5 * self.squares @ w**2 + self.absolutes @ np.abs(w) + self.prices @ slacks**self.power)

    def optimum(self) -> tuple[float, float]:
        """A lower and an upper bound of the least value."""
        n, d = self.G.shape
        scale = np.abs(self.G).max(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        unit = float(np.abs(self.h).max()) or 1.0  # of w and ξ
        top = self.value(np.zeros(d)) or 1.0
        squares, absolutes = self.squares * (unit / scale) ** 2 / top, self.absolutes * (unit / scale) / top
        prices = self.prices * unit**self.power / top
        extra = d if absolutes.any() else 0  # |w|
        quadratic = np.concatenate([squares, np.zeros(extra), 2 * prices if self.power == 2 else np.zeros(n)])
        linear = np.concatenate([np.zeros(d), absolutes[:extra], prices if self.power == 1 else np.zeros(n)])
        eye, none = np.eye(extra, d), np.zeros((extra, n))
        rows = np.vstack(
            [
                np.hstack([-self.G / scale, np.zeros((n, extra)), -np.eye(n)]),
                np.hstack([np.zeros((n, d + extra)), -np.eye(n)]),
                np.hstack([eye, -np.eye(extra), none]),
                np.hstack([-eye, -np.eye(extra), none]),
            ]
        )
        right = np.concatenate([-self.h / unit, np.zeros(n + 2 * extra)])
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
        solver = clarabel.DefaultSolver(
            sp.csc_matrix(np.diag(quadratic)),
            linear,
            sp.csc_matrix(rows),
            right,
            [clarabel.NonnegativeConeT(len(right))],
            settings,
        )
        found = solver.solve()
        if found.status != clarabel.SolverStatus.Solved:
            raise NotApplicable(f"clarabel: {found.status}")
        w = unit * np.asarray(found.x)[:d] / scale
        return float(found.obj_val_dual) * top, self.value(w)


def columns_of(problem: Problem, features: Array) -> tuple[Array, Array, Array]:
    """The features with a column for the intercept, the squared and the absolute penalties."""
    way = problem.option("intercept") if "intercept" in SHARED and problem.model.startswith("linear") else "exact"
    constant = problem.number("intercept_scale") if way == "regularized" else float(way == "exact")
    matrix = np.hstack([features, np.full((len(features), 1), constant)])
    ones = np.ones(matrix.shape[1])
    if way != "regularized":
        ones[-1] = 0
    l1 = problem.model.startswith("linear") and problem.option("penalty") == "l1"
    return matrix, (np.zeros_like(ones) if l1 else ones), (ones if l1 else np.zeros_like(ones))


def judge_value(judge: Judge, program: Program, w: Array, tolerance: float, what: str, rough: float = 0.0) -> float:
    """The primal value is the least one, to the tolerance and what rounding of the features makes of it."""
    low, high = program.optimum()
    value = program.value(w)
    size = max(abs(low), abs(high))
    if high - low > 1e-5 * size:
        raise NotApplicable("clarabel's own gap")
    allowed = (1.01 * tolerance + 1e-7) * value + 2 * rough
    judge.at_most("primal_value", value - high, allowed, f"{what}: value above it")
    judge.at_most(
        "primal_value",
        low - value,
        1e-4 * size + 1e-9 * float(program.prices.sum()),
        f"{what}: value below the optimum",
    )
    return value


def judge_linearsvc(problem: Problem, judge: Judge) -> None:
    """Hinge and squared hinge, by pairs or against the rest."""
    fitted = problem.fit()
    fitted.demand_convergence()
    judge_hinge(problem, judge, fitted, problem.x, problem.number("tolerance"), problem.option("multiclass"))
    problem.covers(judge, "C", "loss", "penalty", "intercept", "tolerance")


def judge_hinge(
    problem: Problem,
    judge: Judge,
    fitted: Fitted,
    features: Array,
    tolerance: float,
    multiclass: str,
    errors: Array | None = None,
) -> None:
    """The machines of a classifier in given features, which the solver has seen with errors of at most ``errors``."""
    matrix, squares, absolutes = columns_of(problem, features)
    weights, offsets = fitted.arrays["weights"], fitted.arrays.get("intercepts", fitted.arrays.get("offsets"))
    assert offsets is not None
    power = 2 if problem.option("loss") == "squared_hinge" else 1
    y, prices = problem.targets, problem.number("C") * problem.weights
    constant = matrix[0, -1]
    total = shaken = 0.0
    for m, signs in enumerate(codes_of(problem, multiclass)):
        t = signs[y]
        w = np.append(weights[:, m], offsets.ravel()[m] / constant if constant else 0.0)
        program = Program(t[:, None] * matrix, np.ones(len(y)), prices * (t != 0), power, squares, absolutes)
        # What the losses change by where decision values change by δ: those of this machine and those of the best one,
        # of which the first stand for both.
        delta = np.zeros(len(y)) if errors is None else errors @ np.abs(weights[:, m])
        slacks = np.maximum(0, 1 - t * (matrix @ w))
        losses = (slacks + delta) ** power - slacks**power
        rough = float((prices * (t != 0)) @ losses)
        total += judge_value(judge, program, w, tolerance, f"machine {m}", rough)
        shaken += rough
    judge.holds(
        "report",
        abs(fitted.objective - total) <= 1e-5 * abs(total) + 2 * shaken,
        f"primal objective of the report is {fitted.objective:.9g}, not {total:.9g} (rounding: {shaken:.3g})",
    )
    values = fitted.decide(problem.x)
    expected = features @ weights + offsets
    size = float((np.abs(features) @ np.abs(weights) + np.abs(offsets)).max())
    judge.close("expansion", values, expected, 2e-6, size=size, what="decision values")
    if multiclass == "ovr" or problem.count == 2:
        judge_classes(judge, fitted)


def codes_of(problem: Problem, multiclass: str) -> Array:
    """Signs of the classes, a row for each machine."""
    k = problem.count
    if k == 2:
        return np.array([[-1.0, 1.0]])
    if multiclass == "ovr":
        return 2 * np.eye(k) - 1
    rows = []
    for a in range(k):
        for b in range(a + 1, k):
            row = np.zeros(k)
            row[a], row[b] = 1, -1
            rows.append(row)
    return np.array(rows)


def judge_linearsvr(problem: Problem, judge: Judge) -> None:
    """The tube and the squared tube."""
    fitted = problem.fit()
    fitted.demand_convergence()
    y, w = problem.targets, problem.weights
    s = deviation(problem)
    if float(np.ptp(y[w > 0])) == 0:
        raise NotApplicable("constant targets")
    way = problem.option("intercept")
    middle = float(w @ y / w.sum()) if problem.option("standardize") == "yes" and way != "none" else 0.0
    if problem.option("standardize") == "yes" and way == "none":
        s = float(np.sqrt(w @ y**2 / w.sum()))  # around 0: the mean stays
    matrix, squares, absolutes = columns_of(problem, problem.x)
    power = 2 if problem.option("loss").startswith("squared") else 1
    target, epsilon = (y - middle) / s, problem.tube(s) / s
    prices = problem.number("C") * w
    constant = matrix[0, -1]
    b = (float(fitted.arrays["intercepts"].ravel()[0]) - middle) / s
    point = np.append(fitted.arrays["weights"][:, 0] / s, b / constant if constant else 0.0)
    program = Program(
        np.vstack([matrix, -matrix]),
        np.concatenate([target - epsilon, -target - epsilon]),
        np.concatenate([prices, prices]),
        power,
        squares,
        absolutes,
    )
    judge_value(judge, program, point, problem.number("tolerance"), "the machine")
    expected = problem.x @ fitted.arrays["weights"] + fitted.arrays["intercepts"]
    size = float(
        (np.abs(problem.x) @ np.abs(fitted.arrays["weights"])).max() + np.abs(fitted.arrays["intercepts"]).max()
    )
    judge.close("expansion", fitted.decide(problem.x), expected, 2e-6, size=size, what="predictions")
    problem.covers(judge, "C", "loss", "penalty", "intercept", "epsilon", "standardize", "tolerance")
