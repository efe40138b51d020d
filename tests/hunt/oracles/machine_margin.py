"""Support vector machines, judged by the conditions of optimality that their own coefficients must meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from hunt.oracles.machine_problem import (
    EPS,
    Array,
    Fitted,
    Problem,
    draw_problem,
    judge_classes,
    judge_probabilities,
)
from hunt.oracles.machine_tubes import is_usual, judge_tubes
from hunt.verdict import Judge, NotApplicable

FLOAT = 2.0**-24  # half a unit in the last place of a float
TOLERANCES = ("0.001", "1e-6", "1e-9")
PRICES = ("1", "10", "0.001", "1000", "1e6")
SOLVER = {"tolerance": TOLERANCES, "shrinking": ("yes", "no"), "verify": ("float", "double")}
CLASS_WEIGHTS = ("balanced", "c0:3", "c0:0.5,c1:20")
SVC = {
    "C": PRICES,
    "slack": ("linear", "squared", "none"),
    "formulation": ("dual", "primal"),
    "class_weight": CLASS_WEIGHTS,
    "multiclass": ("ovo", "ovr", "dag", "code"),
    "probability": ("no", "yes"),
    "threshold": ("0", "0.3"),
    "reject": ("0", "0.2"),
    **SOLVER,
}
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "svc": SVC,
    "nusvc": {
        "nu": ("0.5", "0.2", "0.05", "0.9", "0.999"),
        "hull": ("1", "0.3", "0.1", "0.02"),
        "infeasible": ("refuse", "limit"),
        **{name: SVC[name] for name in ("class_weight", "multiclass", "probability", "threshold", "reject")},
        **SOLVER,
    },
    "svr": {
        "C": PRICES,
        "epsilon": ("0.1", "0", "0.001", "2"),
        "standardize": ("yes", "no"),
        "errors": ("each", "overall"),
        "slack": ("linear", "none"),
        **SOLVER,
    },
    "nusvr": {
        "C": PRICES,
        "nu": ("0.5", "0.05", "0.3", "0.95", "1"),
        "standardize": ("yes", "no"),
        "tube": ("constant", "linear", "linear[0]", "constant + linear[0]"),
        "loss": ("insensitive", "insensitive", "huber"),
        "sides": ("both", "above", "below"),
        "slack": ("linear", "none"),
        **SOLVER,
    },
    "oneclass": {"nu": ("0.05", "0.5", "0.001", "0.3", "0.99", "1"), "outlier_rate": ("0.1", "0.34"), **SOLVER},
    "svdd": {"nu": ("0.05", "0.5", "0.001", "0.3", "0.99", "1"), "outlier_rate": ("0.1", "0.34"), **SOLVER},
}


REFUSED_TUBES = (
    "a width is not negative",
    "no function of this kernel",
    "has no tube that could be of the shape",
    "has none: set one of them",
    "has a scale and no tube",
)


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine on vectors."""
    facts = draw_problem(pick, model, OPTIONS[model], fewest=1 if model in ("oneclass", "svdd") else 2)
    if facts["settings"].get("formulation") == "primal":
        for name in ("slack", "probability"):
            facts["settings"].pop(name, None)
    return facts


# ---- Machines for two classes --------------------------------------------------------------------------------------


class Machine:
    """One machine for two classes: signs of its rows (0: not of this machine), prices, coefficients."""

    def __init__(self, problem: Problem, fitted: Fitted, column: int, prices: Array) -> None:
        self.signs = fitted.arrays["code"][column][problem.targets]
        keys = np.column_stack([problem.x, self.signs])
        self.prices, self.beta = merged(
            keys, np.where(self.signs != 0, prices, 0.0), spread(fitted, column, len(problem.x))
        )
        self.offset = float(fitted.offset[column])
        self.kernel = problem.K
        self.values = problem.K @ self.beta + self.offset
        self.round = rounding(problem.K, self.beta, self.offset)
        self.alpha = self.signs * self.beta


def spread(fitted: Fitted, column: int, n: int) -> Array:
    """The coefficients of all rows, from those of the support vectors."""
    beta = np.zeros(n)
    rows = fitted.arrays["support_rows"].ravel().astype(int)
    np.add.at(beta, rows, fitted.coefficients[:, column])
    return beta


def merged(keys: Array, *columns: Array) -> list[Array]:
    """Equal rows may share coefficients in any way: the first of them has the sums, the others 0."""
    equal = (keys[:, None, :] == keys[None, :, :]).all(axis=2).astype(float)
    first = np.argmax(equal, axis=1) == np.arange(len(keys))
    return [np.where(first, equal @ column, 0.0) for column in columns]


def rounding(K: Array, beta: Array, offset: float) -> float:
    """What double precision leaves uncertain in the values of rows."""
    return 8 * EPS * float((np.abs(K) @ np.abs(beta)).max(initial=0) * len(K) ** 0.5 + abs(offset))


def judge_machine(judge: Judge, machine: Machine, slack: str, tolerance: float, what: str) -> float:
    """Feasible coefficients, and a violation of the conditions within twice the tolerance; gives the duality gap."""
    alpha, signs, prices = machine.alpha, machine.signs, machine.prices
    used = signs != 0
    judge.holds("feasible", bool((machine.beta[~used] == 0).all()), f"{what}: coefficients of rows of other classes")
    size = float(np.abs(alpha).sum())
    judge.at_most("feasible", abs(float(machine.beta.sum())), 1e-9 * size, f"{what}: sum of coefficients")
    judge.at_most("feasible", float(-alpha.min(initial=0)), 1e-12 * size, f"{what}: coefficient on the wrong side")
    bounds = prices if slack == "linear" else np.where(prices > 0, np.inf, 0.0)
    over = alpha - bounds
    judge.at_most("feasible", float(over.max()), 1e-9 * float(prices.max()), f"{what}: coefficient above its bound")
    curve = np.zeros(len(alpha))
    if slack == "squared":
        curve[prices > 0] = alpha[prices > 0] / (2 * prices[prices > 0])
    g = signs * machine.values - 1 + curve
    low = used & (prices > 0) & (alpha < bounds * (1 - 1e-9))
    high = used & (alpha > 1e-12 * float(np.abs(alpha).max(initial=0)))
    violation = max(float((-g[low]).max(initial=0)), float(g[high].max(initial=0)))
    judge.at_most("kkt", violation, 4 * tolerance + machine.round, f"{what}: violation of the conditions of optimality")
    slacks = np.maximum(0, 1 - signs * machine.values)
    losses = {"linear": prices * slacks, "squared": prices * slacks**2, "none": 0 * slacks}[slack]
    return float(
        losses[used].sum() - alpha.sum() + machine.beta @ (machine.values - machine.offset) + 0.5 * curve @ alpha
    )


def judge_svc(problem: Problem, judge: Judge, fitted: Fitted | None = None, price: float | None = None) -> None:
    """C-SVC, by pairs or against the rest."""
    fitted = fitted or problem.fit()
    fitted.demand_convergence()
    tolerance = problem.number("tolerance")
    slack = problem.option("slack") if problem.model == "svc" else "linear"
    C = problem.number("C") if price is None else price
    if problem.model == "svc" and problem.option("formulation") == "primal":
        judge_primal(problem, judge, fitted)
        return
    for m in range(len(fitted.arrays["code"])):
        machine = Machine(problem, fitted, m, C * problem.weights)
        judge_machine(judge, machine, slack, tolerance, f"machine {m}")
        if len(fitted.arrays["code"]) == 1:
            judge_facts(judge, machine, fitted, slack, tolerance)
    judge_answers(problem, judge, fitted, tolerance)


def judge_primal(problem: Problem, judge: Judge, fitted: Fitted) -> None:
    """The machines of the dual: as good."""
    tolerance, C = problem.number("tolerance"), problem.number("C")
    peer = problem.fit(settings={**problem.settings, "formulation": "dual", "tolerance": "1e-6"})
    peer.demand_convergence()
    for m in range(len(fitted.arrays["code"])):
        ours, theirs = (Machine(problem, one, m, C * problem.weights) for one in (fitted, peer))
        judge.at_most("feasible", -float(ours.alpha.min()), 0.0, "coefficient against its label")
        values = [
            0.5 * float(one.beta @ (one.values - one.offset))
            + float(one.prices @ np.maximum(0, 1 - one.signs * one.values))
            for one in (ours, theirs)
        ]
        noise = ours.round * float(ours.prices.sum() + np.abs(ours.beta).sum())
        # The dual is right to its tolerance in the values, which costs as much as slacks do.
        allowed = values[1] * (1 + 1e-4 + tolerance) + 1e-6 * float(ours.prices.max()) + noise
        judge.at_most("primal", values[0], allowed, "value of the primal")
    judge_answers(problem, judge, fitted, tolerance)


def judge_facts(judge: Judge, machine: Machine, fitted: Fitted, slack: str, tolerance: float) -> None:
    """What the report says of the one machine."""
    square = float(machine.beta @ (machine.values - machine.offset))
    slacks = np.maximum(0, 1 - machine.signs * machine.values)
    losses = machine.prices * (slacks**2 if slack == "squared" else slacks)
    primal = 0.5 * square + (float(losses.sum()) if slack != "none" else 0.0)
    noise = machine.round * float(machine.prices.sum() + np.abs(machine.beta).sum())
    size = max(abs(primal), float(np.abs(machine.alpha).sum()))
    if noise > 1e-4 * size:
        return
    measures = fitted.measures
    # Values of rows are right to the tolerance, and so is what their slacks cost.
    error = abs(measures["primal value"] - primal)
    allowed = 2e-3 * size + 2 * tolerance * float(machine.prices.sum())
    judge.at_most("report", error, allowed, f"error of the primal value {primal:.6g}")
    judge.same("report", measures["support vectors"], float(len(fitted.coefficients)), "support vectors")
    # βᵀKβ of kernel values in float (an ulp or two each) is off by so much, and 1/√ of it by half of that, relatively.
    single = verified_in_float(fitted, tolerance)
    shaken = 2 * FLOAT * float(np.abs(machine.beta) @ np.abs(machine.kernel) @ np.abs(machine.beta)) if single else 0.0
    if square > max(1e3 * noise, 2 * shaken):
        judge.close("report", measures["margin"], 1 / np.sqrt(square), 2e-3 + shaken / square, what="margin")


def verified_in_float(fitted: Fitted, tolerance: float) -> bool:
    """Whether the last check was done with kernel values in float: docs/models/svc.md."""
    return fitted.problem.option("verify") == "float" and tolerance > 1e-5


def judge_answers(problem: Problem, judge: Judge, fitted: Fitted, tolerance: float) -> None:
    """Decision values of new rows, and the classes that follow from them."""
    fitted.judge_expansion(judge, 2 * tolerance)
    way = problem.option("multiclass")
    threshold, reject = problem.number("threshold"), problem.number("reject")
    if problem.option("probability") == "yes":
        judge_probabilities(judge, fitted, largest=reject == 0)
    elif problem.count == 2:
        judge_classes(judge, fitted, threshold=threshold, reject=reject)
    elif reject == 0 and way in ("ovo", "ovr", "dag"):
        judge_votes(judge, fitted, way)
    problem.covers(judge, "C" if problem.model != "nusvc" else "nu", "tolerance")


def judge_votes(judge: Judge, fitted: Fitted, way: str) -> None:
    """Several classes: most votes (the first of equal ones), the largest value, or who beats everyone."""
    if way == "ovr":
        judge_classes(judge, fitted)
        return
    x = np.vstack([fitted.problem.queries, fitted.problem.x])
    values, predictions, code = fitted.decide(x), fitted.predict(x), fitted.arrays["code"]
    clear = ((np.abs(values) > 1e-9) | (values == 0)).all(axis=1)
    votes = np.where(values > 0, 1.0, 0.0) @ (code > 0) + np.where(values <= 0, 1.0, 0.0) @ (code < 0)
    if way == "dag":
        clear &= votes.max(axis=1) == code.shape[1] - 1
    judge.same("prediction_rule", predictions[clear], votes.argmax(axis=1)[clear].astype(float), f"classes by {way}")


def judge_nusvc(problem: Problem, judge: Judge) -> None:
    """nu-SVC: C-SVC with C = 1/rho, whose coefficients sum to nu W/rho."""
    fitted = problem.fit()
    fitted.demand_convergence()
    tolerance, nu = problem.number("tolerance"), problem.number("nu")
    hull = float(problem.settings.get("hull", 0))
    for m in range(len(fitted.arrays["code"])):
        signs = fitted.arrays["code"][m][problem.targets]
        w = np.where(signs != 0, problem.weights, 0.0)
        # From 1 on no share is at its bound: the hulls themselves, and rho in units of twice the bound.
        bound = 2 * hull if hull * float(w[w > 0].min(initial=np.inf)) >= 1 else hull
        nu = 2 / (bound * float(w.sum())) if bound else nu
        feasible = 2 * min(float(w[signs > 0].sum()), float(w[signs < 0].sum())) / float(w.sum())
        if abs(nu - feasible) <= 1e-9 * feasible and problem.option("infeasible") == "limit":
            raise NotApplicable("nu at its limit, where rounding tells which side it is on")
        if nu > feasible * (1 + 1e-9):
            judge.holds("infeasible", problem.option("infeasible") == "limit", f"nu {nu} above {feasible} was fitted")
            if abs(feasible - 1) <= 1e-9:
                raise NotApplicable("no class is heavier")
            heavy = 1.0 if w[signs > 0].sum() > w[signs < 0].sum() else -1.0
            values = fitted.decide(problem.queries)[:, m]
            judge.holds("infeasible", bool((np.where(values >= 0, 1.0, -1.0) == heavy).all()), "not the heavier class")
            continue
        beta = spread(fitted, m, len(problem.x))
        price = float(np.abs(beta).sum()) / (nu * float(w.sum()))  # 1/rho
        machine = Machine(problem, fitted, m, price * problem.weights)
        judge_machine(judge, machine, "linear", tolerance, f"machine {m}")
        if "distance of the hulls" in fitted.measures:
            alpha = np.abs(machine.beta)
            half = float(alpha.sum()) / 2  # each class sums to this, and its shares to 1
            square = float(machine.beta @ (machine.values - machine.offset))
            noise = machine.round * float(alpha.sum())
            if square > 1e4 * noise:
                distance = fitted.measures["distance of the hulls"]
                judge.close("report", distance, np.sqrt(square) / half, 1e-3, what="distance of the hulls")
        if "rho" in fitted.measures:
            judge.close("report", fitted.measures["rho"], 1 / price, 1e-6, what="rho")
            judge.close("report", fitted.measures["largest feasible nu"], feasible, 1e-9, what="largest feasible nu")
    judge_answers(problem, judge, fitted, tolerance)


# ---- Regression ----------------------------------------------------------------------------------------------------


def deviation(problem: Problem) -> float:
    """The deviation of the targets (rows count as often as they weigh), or 1 where they are not standardised."""
    if problem.option("standardize") == "no":
        return 1.0
    y, w = problem.targets, problem.weights
    mean = float(w @ y / w.sum())
    found = float(np.sqrt(w @ (y - mean) ** 2 / w.sum()))
    return found if found > 1e-12 * float(np.abs(y).max()) else 1.0


def target_unit(problem: Problem) -> float:
    """The unit that the solver's tolerance is in: the deviation of the targets, and 1 where that is more."""
    y, w = problem.targets, problem.weights
    found = float(np.sqrt(w @ (y - w @ y / w.sum()) ** 2 / w.sum()))
    return found if problem.option("standardize") == "yes" else min(found, 1.0)


def judge_tube(problem: Problem, judge: Judge, fitted: Fitted, epsilon: float, s: float) -> Array:
    """The conditions of the epsilon-insensitive machine; gives its coefficients."""
    y, K = problem.targets, problem.K if fitted.gram is problem.kernel else fitted.gram(problem.x, problem.x)
    beta, b = spread(fitted, 0, len(y)), float(fitted.offset[0])
    bounds = problem.number("C") * s * problem.weights
    beta, bounds = merged(np.column_stack([problem.x, y]), beta, bounds)
    size = float(np.abs(beta).sum())
    # Both sides of a tube may be as large as their bounds, and every step rounds two of them once.
    steps = float(fitted.model.report["iterations"]) + len(bounds)
    allowed = 1e-9 * size + EPS * steps * float(bounds.max())
    judge.at_most("feasible", abs(float(beta.sum())), allowed, "sum of coefficients")
    judge.at_most("feasible", float((np.abs(beta) - bounds).max()), 1e-9 * bounds.max(), "coefficient above its bound")
    residuals = y - K @ beta - b
    inside = bounds * (1 - 1e-9)
    unit = target_unit(problem)
    tiny = 1e-12 * float(bounds.max())  # differences of two coefficients that are as large as their bounds
    beta = np.where(np.abs(beta) > tiny, beta, 0.0)
    terms = [
        (residuals - epsilon)[(beta < inside) & (beta >= 0)],
        (-residuals - epsilon)[(beta > -inside) & (beta <= 0) & (bounds > 0)],
        (epsilon - residuals)[beta > 0],
        (epsilon + residuals)[beta < 0],
    ]
    violation = max(float(term.max(initial=0)) for term in terms)
    rough = rounding(K, sides(problem, beta, bounds), b) + 8 * EPS * float(np.abs(y).max())
    allowed = 4 * problem.number("tolerance") * unit + rough
    judge.at_most("kkt", violation, allowed, "violation of the conditions of optimality")
    return beta


def sides(problem: Problem, beta: Array, bounds: Array) -> Array:
    """How large the coefficients of a row's two sides may be: with nu both of them, whatever their difference is."""
    return np.maximum(np.abs(beta), bounds) if problem.model == "nusvr" else beta


def judge_svr(problem: Problem, judge: Judge) -> None:
    """epsilon-SVR and nu-SVR, which is the former with the width that it found."""
    fitted = fitted_tube(problem)
    fitted.demand_convergence()
    y, w, s = problem.targets, problem.weights, deviation(problem)
    unit = target_unit(problem)
    epsilon = float(fitted.arrays["widths"].ravel()[0])
    tolerance = problem.number("tolerance")
    one_sided = problem.model == "nusvr" and problem.option("sides") != "both"  # falls away from the rows
    if unit <= 1e-12 * float(np.abs(y).max()) and not one_sided:
        expected = np.full(len(problem.queries), y[w > 0][0])
        rounding_of = EPS * float(np.abs(problem.K).max()) * problem.number("C") * float(w.max())
        size = 1e-3 + 1e7 * rounding_of
        judge.close("constant", fitted.predict(problem.queries), expected, 1e-7, size=size, what="predictions")
        problem.covers(judge)
        return
    if one_sided and unit <= 1e-12 * float(np.abs(y).max()):  # equal targets: in units of how far it rises above them
        unit = float(np.abs(problem.K @ spread(fitted, 0, len(y))).max())
    if not is_usual(problem):
        judge_tubes(problem, judge, fitted, spread(fitted, 0, len(y)), s, unit)
        fitted.judge_expansion(judge, 2 * tolerance * unit + 4 * EPS * float(np.abs(y).max()))
        problem.covers(judge, "C", "epsilon" if problem.model == "svr" else "nu", "standardize", "tolerance")
        return
    if problem.model == "svr":
        judge.close("report", epsilon, problem.tube(s), 1e-9, what="epsilon")
    judge.close("report", fitted.measures["epsilon"], epsilon, 1e-9, what="epsilon of the report")
    beta = judge_tube(problem, judge, fitted, epsilon, s)
    if problem.model == "nusvr":
        judge_nu(problem, judge, beta, epsilon, s)
    fitted.judge_expansion(judge, 2 * tolerance * unit + 4 * EPS * float(np.abs(y).max()))
    problem.covers(judge, "C", "epsilon" if problem.model == "svr" else "nu", "standardize", "tolerance")


def fitted_tube(problem: Problem) -> Fitted:
    """The machine, where there is one: some tubes are refused, or hold no function."""
    try:
        return problem.fit()
    except (ValueError, ArithmeticError, RuntimeError) as error:
        if any(words in str(error) for words in REFUSED_TUBES):
            raise NotApplicable(str(error)) from None
        raise


def judge_nu(problem: Problem, judge: Judge, beta: Array, epsilon: float, s: float) -> None:
    """The width of the tube is optimal: coefficients sum to what nu allows, less only where the width is 0."""
    total = problem.number("C") * s * problem.number("nu") * float(problem.weights.sum())
    judge.at_most("nu", float(np.abs(beta).sum()), total * (1 + 1e-9), "sum of absolute coefficients")
    judge.at_most("nu", -epsilon, 0.0, "minus the width")
    bounds = problem.number("C") * s * problem.weights
    rough = rounding(problem.K, sides(problem, beta, bounds), 0.0)
    if epsilon > 2 * problem.number("tolerance") * target_unit(problem) + rough:
        judge.close("nu", float(np.abs(beta).sum()), total, 1e-6, what="sum of absolute coefficients")


# ---- One class -----------------------------------------------------------------------------------------------------


def judge_oneclass(problem: Problem, judge: Judge) -> None:
    """The hyperplane and the ball around most of the rows."""
    fitted = problem.fit()
    fitted.demand_convergence()
    ball = problem.model == "svdd"
    w, K, nu = problem.weights, problem.K, problem.number("nu")
    beta = spread(fitted, 0, len(w)) / (2 if ball else 1)
    total = float(beta.sum())
    beta, w = merged(problem.x, beta, w)
    if ball:
        judge.close("feasible", total, 1.0, 1e-9, what="sum of coefficients")
    bounds = w * total / (nu * float(w.sum()))
    judge.at_most("feasible", float((beta - bounds).max()), 1e-9 * bounds.max(), "coefficient above its bound")
    judge.at_most("feasible", float(-beta.min()), 1e-12 * total, "a negative coefficient")
    if any(note.startswith("rho is 0") for note in fitted.notes):
        raise NotApplicable("nothing separates the rows from the origin")
    scores = 2 * K @ beta - np.diag(K) if ball else K @ beta
    centre = float(beta @ K @ beta)
    # Of the rows that the answer is made of: heavy rows that it does not lean on say nothing of its size.
    spread_of = max(float(beta @ np.diag(K) / total - centre / total**2), 0.0)
    low = (w > 0) & (beta < bounds * (1 - 1e-9))
    high = beta > 1e-12 * total
    least, most = float(scores[low].min(initial=np.inf)), float(scores[high].max(initial=-np.inf))
    noise = 8 * EPS * float(np.abs(K).max()) * max(total, 1.0) * len(w)
    if ball:
        unit = float((np.diag(K)[w > 0] - 2 * (K @ beta)[w > 0] + centre).max())
    else:
        unit = min(centre / total, total * spread_of) if centre > noise else total * spread_of
        if int((beta > 0).sum()) == 1:  # one vector has no spread: rows next to it count as the same
            unit = centre / total
    tolerance = problem.number("tolerance")
    allowed = 4 * tolerance * unit + noise
    bound = allowed + 2e-6 * max(abs(float(fitted.offset[0])), unit)
    judge.at_most("kkt", most - least, allowed, "violation of the conditions of optimality")
    if spread_of > 1e-9 * float(np.abs(K).max()):
        judge_boundary(problem, judge, fitted, scores, (least, most), bound)
    if len(problem.queries):
        x = problem.queries
        own = self_values(problem, x) if ball else np.zeros(len(x))
        expected = fitted.gram(x, fitted.centres) @ fitted.coefficients[:, 0] + fitted.offset[0] - own
        size = float(fitted.sizes(x).max() + np.abs(own).max())
        found = fitted.decide(x)[:, 0]
        judge.close("expansion", found, expected, tolerance + 1e-11, size=size, what="decision values of new rows")
        clear = np.abs(found) > 1e-9 * size
        judge.same("prediction_rule", fitted.predict(x)[clear], np.where(found >= 0, 1.0, -1.0)[clear], "answers")
    problem.covers(judge, "nu", "tolerance")


def self_values(problem: Problem, x: Array) -> Array:
    """k(x, x) of rows."""
    return np.array([problem.kernel(row[None], row[None])[0, 0] for row in x])


def judge_boundary(
    problem: Problem, judge: Judge, fitted: Fitted, scores: Array, ends: tuple[float, float], allowed: float
) -> None:
    """The boundary lies between rows that are inside and outside; ``outlier_rate`` moves it between two of them."""
    boundary = -float(fitted.offset[0])
    w = problem.weights
    if "outlier_rate" not in problem.settings:
        low, high = ends
        judge.holds(
            "boundary",
            min(low, high) - allowed <= boundary <= max(low, high) + allowed or not np.isfinite(low + high),
            f"boundary {boundary:.6g} not within {allowed:.3g} of [{min(low, high):.6g}, {max(low, high):.6g}]",
        )
        outside = float(w[scores < boundary - allowed].sum() / w.sum())
        judge.at_most("boundary", outside, problem.number("nu") * (1 + 1e-9), "fraction outside")
        return
    rate = problem.number("outlier_rate") * float(w.sum())
    below = float(w[scores < boundary - allowed].sum())
    judge.at_most("boundary", below, rate * (1 + 1e-9), "weight below the boundary")
    above = scores[(w > 0) & (scores >= boundary - allowed)]
    if not len(above):
        raise NotApplicable("no row inside")
    further = float(w[scores <= float(above.min()) + 2 * allowed].sum())
    if not (scores[w > 0] > float(above.min()) + 2 * allowed).any():
        return
    judge.holds("boundary", further > rate * (1 - 1e-9), f"the boundary could lie further in: {further} of {rate}")
