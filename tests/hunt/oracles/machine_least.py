"""Squared losses: the stationarity of the documented objective, dense solutions, leave-one-out by refits."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import scipy.optimize
from scipy.special import expit

from hunt.oracles.machine_margin import CLASS_WEIGHTS
from hunt.oracles.machine_problem import (
    DOT,
    STATIONARY,
    Array,
    Fitted,
    Problem,
    draw_problem,
    judge_classes,
    judge_probabilities,
)
from hunt.verdict import Judge, NotApplicable

PENALTIES = ("1", "0.1", "1e-3", "1e-6", "100")
COMMON = {
    "form": ("automatic", "dual", "primal"),
    "precision": ("double", "float"),
    "method": ("auto", "exact", "iterative"),
}
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "ridge": {
        "lambda": PENALTIES,
        "mean_lambda": ("0.1", "1e-4"),
        "parametric": ("constant", "none"),
        "select": ("none", "loo", "gcv"),
        "loo": ("yes", "no"),
        **COMMON,
    },
    "lssvm": {
        "C": ("1", "10", "1e-3", "1e3", "1e6"),
        "class_weight": CLASS_WEIGHTS,
        "select": ("none", "loo", "gcv", "errors"),
        "probability": ("yes", "no"),
        **COMMON,
    },
    "falkon": {
        "lambda": PENALTIES,
        "mean_lambda": ("0.1", "1e-4"),
        "intercept": ("yes", "no"),
        "precision": ("mixed", "float", "double"),
        "choice": ("uniform", "pivoted"),
        "tolerance": ("1e-6", "1e-9"),
    },
    "falkonc": {
        "loss": ("squared", "logistic"),
        "class_weight": CLASS_WEIGHTS,
        "lambda": PENALTIES,
        "mean_lambda": ("0.1", "1e-4"),
        "intercept": ("yes", "no"),
        "precision": ("mixed", "float", "double"),
        "choice": ("uniform", "pivoted"),
    },
    "mapridge": {
        "lambda": PENALTIES,
        "intercept": ("yes", "no"),
        "select": ("gcv", "loo"),
        "landmarks": ("pivots", "greedy", "leverage", "uniform"),
    },
    "kfd": {
        "lambda": PENALTIES,
        "penalty": ("norm", "coefficients"),
        "threshold": ("least_squares", "midpoint", "svm", "bayes"),
        "calibration": ("training", "left_out"),
        "priors": ("equal", "c0:0.3,c1:0.7"),
        "class_weight": CLASS_WEIGHTS,
    },
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine of squared errors."""
    facts = draw_problem(
        pick,
        model,
        OPTIONS[model],
        kernels=STATIONARY if model == "mapridge" else STATIONARY + DOT,
        classes=2 if model == "kfd" else 4,
        fewest=4 if model == "kfd" else 2,
    )
    settings = facts["settings"]
    if "mean_lambda" in settings:
        settings.pop("lambda", None)
    if "lambda" in settings or "mean_lambda" in settings or "C" in settings:
        settings.pop("select", None)
    if facts["kernel"] != "linear" and settings.get("form") == "primal":
        settings.pop("form")
    if model == "mapridge":
        settings.update(map="nystroem", size=str(facts["rows"]))
    if model == "kfd":
        settings.setdefault("lambda", "1")
    return facts


def penalty_of(problem: Problem, fitted: Fitted) -> float:
    """The number on the diagonal, beside K, of a row of weight 1."""
    settings = problem.settings
    if "C" in settings:
        return 1 / float(settings["C"])
    if "lambda" in settings:
        return float(settings["lambda"])
    if "mean_lambda" in settings:
        return float(settings["mean_lambda"]) * float(problem.weights.sum())
    if "lambda" in fitted.measures:
        return float(fitted.measures["lambda"])
    for note in fitted.notes:
        found = re.match(r"lambda = (\S+) chosen", note)
        if found:
            return float(found[1])
    return 1.0


def codes(problem: Problem) -> Array:
    """Targets as columns: numbers, or ±1 of every class (of the second of two)."""
    if problem.task == "regression":
        return problem.targets[:, None].astype(float)
    if problem.count == 2:
        return np.where(problem.targets == 1, 1.0, -1.0)[:, None]
    return np.where(problem.targets[:, None] == np.arange(problem.count), 1.0, -1.0)


def solve(K: Array, y: Array, w: Array, penalty: float, intercept: bool) -> tuple[Array, Array, Array]:
    """Ridge with weights: coefficients, offsets, and the coefficients' block of the inverse."""
    n = len(y)
    root = np.sqrt(w)
    system = np.zeros((n + intercept, n + intercept))
    system[:n, :n] = root[:, None] * K * root + penalty * np.eye(n)
    if intercept:
        system[n, :n] = system[:n, n] = root
    try:
        inverse = np.linalg.inv(system)
    except np.linalg.LinAlgError as error:
        raise NotApplicable("NumPy finds no inverse") from error
    right = np.vstack([root[:, None] * y, np.zeros((int(intercept), y.shape[1]))])
    found = inverse @ right
    return root[:, None] * found[:n], found[n] if intercept else np.zeros(y.shape[1]), inverse[:n, :n]


def left_out(K: Array, y: Array, w: Array, penalty: float, intercept: bool) -> Array:
    """Errors of rows by fits without them, one by one."""
    errors = np.zeros_like(y)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        a, b, _ = solve(K[np.ix_(rest, rest)], y[rest], w[rest], penalty, intercept)
        errors[i] = y[i] - K[i, rest] @ a - b
    return errors


def judge_stationary(
    judge: Judge, problem: Problem, fitted: Fitted, penalty: float, tolerance: float, intercept: bool
) -> None:
    """λ f = Σ_i w_i r_i k(x_i, ·) and Σ_i w_i r_i = 0, relative to the terms of these sums."""
    y, w = codes(problem), problem.weights[:, None]
    x = np.vstack([problem.x, problem.queries])
    residuals = y - fitted.values(problem.x)
    sizes = np.abs(y) + fitted.sizes(problem.x)
    K = problem.kernel(x, problem.x)
    function = fitted.values(x) - fitted.offset
    error = penalty * function - K @ (w * residuals)
    scale = penalty * fitted.sizes(x).max(axis=0) + (np.abs(K) @ (w * sizes)).max(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    judge.at_most("stationary", float((np.abs(error) / scale).max()), tolerance, "relative gradient of the objective")
    if intercept:
        total = (w * sizes).sum(axis=0)
        sums = np.abs((w * residuals).sum(axis=0)) / np.where(total > 0, total, 1.0)
        judge.at_most("stationary", float(sums.max()), tolerance, "relative gradient by the offset")


def condition(K: Array, w: Array, penalty: float) -> float:
    """Of the regularised system."""
    root = np.sqrt(w)
    return 1 + float(np.linalg.eigvalsh(root[:, None] * K * root)[-1]) / penalty


def judge_dense(
    judge: Judge, problem: Problem, found: Array, penalty: float, tolerance: float, intercept: bool
) -> None:
    """Values of new rows, from the normal equations."""
    used = problem.weights > 0
    K, y, w = problem.K[np.ix_(used, used)], codes(problem)[used], problem.weights[used]
    loss = tolerance * condition(K, w, penalty)
    if loss > 1e-4:
        return
    a, b, _ = solve(K, y, w, penalty, intercept)
    expected = problem.kernel(problem.queries, problem.x[used]) @ a + b
    size = float(np.abs(y).max()) * max(1.0, float(np.abs(expected).max()) / float(np.abs(y).max() or 1))
    judge.close("normal_equations", found, expected, 10 * loss + 1e-9, size=size, what="values of new rows")


def judge_ridge(problem: Problem, judge: Judge) -> None:
    """Ridge and lssvm."""
    fitted = problem.fit()
    fitted.demand_convergence()
    penalty = penalty_of(problem, fitted)
    intercept = problem.model == "lssvm" or problem.option("parametric") != "none"
    iterative = problem.option("method") == "iterative"
    tolerance = 1e-11
    if iterative:
        tolerance = 10 * problem.number("tolerance")
    if problem.option("precision") == "float":
        tolerance = max(tolerance, 2e-5)
    judge_stationary(judge, problem, fitted, penalty, tolerance, intercept)
    rough = 1e-5 if problem.option("precision") == "float" else 1e-9
    found = fitted.decide(problem.queries)
    judge_dense(judge, problem, found, penalty, max(tolerance / 100, 1e-14), intercept)
    fitted.judge_expansion(judge, rough * float(fitted.sizes(problem.queries).max()))
    if tolerance < 1e-9:
        judge_path(problem, judge, fitted, penalty, intercept)
    if problem.model == "lssvm":
        if problem.option("probability") == "yes":
            judge_probabilities(judge, fitted)
            if tolerance < 1e-9:
                judge_platt(problem, judge, fitted, penalty)
        else:
            judge_classes(judge, fitted)
    problem.covers(judge)


def judge_platt(problem: Problem, judge: Judge, fitted: Fitted, penalty: float) -> None:
    """Sigmoids are fitted to left-out values, whose terms and counts are weighted; of several they sum to 1."""
    used = problem.weights > 0
    K, y, w = problem.K[np.ix_(used, used)], codes(problem)[used], problem.weights[used]
    if len(w) < 3 or condition(K, w, penalty) > 1e6:
        return
    values = y - left_out(K, y, w, penalty, True)
    decisions = fitted.decide(problem.queries)
    found = [sigmoid(values[:, o], y[:, o] > 0, w) for o in range(y.shape[1])]
    if not np.isfinite(values).all() or None in found:
        return
    expected = np.column_stack([expit(-(a * decisions[:, o] + b)) for o, (a, b) in enumerate(found)])
    expected = np.column_stack([1 - expected, expected]) if y.shape[1] == 1 else expected
    total = expected.sum(axis=1, keepdims=True)
    if total.min() < 1e-3:
        return
    judge.close("platt", fitted.probabilities(problem.queries), expected / total, 1e-3, size=1.0, what="probabilities")


def sigmoid(values: Array, up: Array, w: Array) -> tuple[float, float] | None:
    """Platt's: the slope and offset of -log odds; None where they are not clear."""
    if not up.any() or up.all() or not np.isfinite(values).all():
        return None
    first, second = float(w[up].sum()), float(w[~up].sum())
    goal = np.where(up, (first + 1) / (first + 2), 1 / (second + 2))

    def loss(p: Array) -> tuple[float, Array]:
        z = p[0] * values + p[1]  # of -log odds
        slope = w * (goal - expit(-z))
        terms = w * (goal * np.logaddexp(0, z) + (1 - goal) * np.logaddexp(0, -z))
        return float(terms.sum()), np.array([slope @ values, slope.sum()])

    found = scipy.optimize.minimize(loss, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-9 * w.sum()})
    if np.abs(loss(found.x)[1]).max() > 1e-6 * w.sum() or np.abs(found.x).max() > 1e6:
        return None
    return float(found.x[0]), float(found.x[1])


def judge_path(problem: Problem, judge: Judge, fitted: Fitted, penalty: float, intercept: bool) -> None:
    """Leave-one-out and generalised cross-validation of the report, and that no other penalty is better."""
    used = problem.weights > 0
    K, y, w = problem.K[np.ix_(used, used)], codes(problem)[used], problem.weights[used]
    if len(w) < 3 or condition(K, w, penalty) > 1e8:
        return
    measures = fitted.measures
    total = float(w.sum())
    errors = left_out(K, y, w, penalty, intercept)
    size = float(np.abs(y).max())
    rmse = float(np.sqrt((w[:, None] * errors**2).sum() / total / y.shape[1]))
    noise = 1e-13 * condition(K, w, penalty) + 1e-7
    for name in ("leave-one-out RMSE", "path leave-one-out RMSE"):
        if name in measures:
            judge.close("left_out", measures[name], rmse, noise, size=size, what=name)
    if "leave-one-out error rate" in measures and problem.model == "lssvm":
        values = y - errors
        wrong = (values[:, 0] >= 0) != (y[:, 0] > 0) if y.shape[1] == 1 else values.argmax(1) != y.argmax(1)
        best = np.sort(values, axis=1)
        doubt = np.abs(values[:, 0]) < 1e-6 if y.shape[1] == 1 else best[:, -1] - best[:, -2] < 1e-6
        rate = measures["leave-one-out error rate"] * total
        if problem.option("class_weight") == "":
            judge.at_most("left_out", float(w[wrong & ~doubt].sum()) - rate, 1e-9 * total, "errors above the reported")
            judge.at_most("left_out", rate - float(w[wrong | doubt].sum()), 1e-9 * total, "errors below the reported")
    way = problem.settings.get("select", "none")
    if way not in ("loo", "gcv"):
        return
    name = "path leave-one-out RMSE" if way == "loo" else "path GCV"
    if way == "gcv":
        expected = gcv(K, y, w, penalty, intercept)
        judge.close("gcv", measures[name], expected, noise, size=size**2, what="GCV of the report")
    chosen = rmse**2 if way == "loo" else measures[name]
    top = largest_eigenvalue(K, w, intercept)
    for step in range(-50, 51):
        other = penalty * 10 ** (step / 5)
        if not 1e-7 * top < other < 900 * top:
            continue
        value = gcv(K, y, w, other, intercept) if way == "gcv" else loo(K, y, w, other, intercept)
        judge.holds(
            "selection",
            value >= chosen * (1 - 1e-5) - 1e-12 * size**2,
            f"{way} is {value:.9g} at lambda {other:.6g}, {chosen:.9g} at the chosen {penalty:.6g}",
        )


def largest_eigenvalue(K: Array, w: Array, intercept: bool) -> float:
    """Of √W K √W, beside the constant where that is not penalised."""
    root = np.sqrt(w)
    beside = np.eye(len(w)) - (np.outer(root, root) / w.sum() if intercept else 0)
    return float(np.linalg.eigvalsh(beside @ (root[:, None] * K * root) @ beside)[-1])


def gcv(K: Array, y: Array, w: Array, penalty: float, intercept: bool) -> float:
    """(1/W) Σ w e² / ((1/n) tr(I − S))², over the outputs."""
    _, _, H = solve(K, y, w, penalty, intercept)
    rest = penalty * H  # I − S in the coordinates √w
    errors = rest @ (np.sqrt(w)[:, None] * y)
    return float((errors**2).sum() / w.sum() / (np.trace(rest) / len(w)) ** 2 / y.shape[1])


def loo(K: Array, y: Array, w: Array, penalty: float, intercept: bool) -> float:
    """The mean squared leave-one-out error."""
    _, _, H = solve(K, y, w, penalty, intercept)
    errors = (H @ (np.sqrt(w)[:, None] * y)) / np.diag(H)[:, None]
    return float((errors**2).sum() / w.sum() / y.shape[1])


def judge_falkon(problem: Problem, judge: Judge) -> None:
    """All rows are landmarks: ridge itself (logistic losses: see machine_logit)."""
    fitted = problem.fit()
    fitted.demand_convergence()
    penalty = penalty_of(problem, fitted)
    intercept = problem.option("intercept") == "yes"
    y, w = codes(problem), problem.weights
    used = w > 0
    kept = problem.K[np.ix_(used, used)]
    loss = 10 * problem.number("tolerance") * condition(kept, w[used], penalty) ** 0.5
    if problem.option("precision") == "float":
        loss = max(loss, 4e-5 * condition(kept, w[used], penalty) ** 0.5)
    a, b, _ = solve(kept, y[used], w[used], penalty, intercept)
    values = problem.K[:, used] @ a + b
    best = (w[:, None] * (y - values) ** 2).sum(axis=0) + penalty * np.einsum("io,ij,jo->o", a, kept, a)
    found = (w[:, None] * (y - fitted.values(problem.x)) ** 2).sum(axis=0) + penalty * fitted.squared_norms()
    scale = (w[:, None] * y**2).sum(axis=0)
    if condition(kept, w[used], penalty) < 1e10:
        excess = float(((found - best) / np.maximum(scale, 1e-300)).max())
        judge.at_most("objective", excess, 1e-4, "relative excess of the objective")
    if loss < 1e-2:
        expected = problem.kernel(problem.queries, problem.x[used]) @ a + b
        size = float(max(np.abs(expected).max(), np.abs(y).max()))
        judge.close("normal_equations", fitted.decide(problem.queries), expected, loss, size=size, what="values")
    if problem.task == "classification":
        judge_classes(judge, fitted)
    problem.covers(judge)


def judge_mapridge(problem: Problem, judge: Judge) -> None:
    """Every row a landmark: kernel ridge regression itself."""
    fitted = problem.fit()
    fitted.demand_convergence()
    penalty = penalty_of(problem, fitted)
    intercept = problem.option("intercept") == "yes"
    used = problem.weights > 0
    K, y, w = problem.K[np.ix_(used, used)], codes(problem)[used], problem.weights[used]
    if (problem.weights <= 0).any() or condition(K, w, penalty) > 1e7:
        raise NotApplicable("directions that the map drops may count")
    a, b, _ = solve(K, y, w, penalty, intercept)
    loss = 1e-8 + 1e-9 * condition(K, w, penalty)
    expected = problem.K @ a + b
    size = float(np.abs(y).max())
    judge.close("normal_equations", fitted.decide(problem.x), expected, loss, size=size, what="values of the rows")
    if "generalised cross-validation RMSE" in fitted.measures:
        value = np.sqrt(gcv(K, y, w, penalty, intercept))
        judge.close(
            "gcv", fitted.measures["generalised cross-validation RMSE"], value, 10 * loss, size=size, what="GCV"
        )
    if "leave-one-out RMSE" in fitted.measures:
        value = np.sqrt(loo(K, y, w, penalty, intercept))
        judge.close("left_out", fitted.measures["leave-one-out RMSE"], value, 10 * loss, size=size, what="LOO RMSE")
    problem.covers(judge, "map")


# ---- Fisher discriminant -------------------------------------------------------------------------------------------


def _values_without(F: Array, P: Array, t: Array, w: Array) -> Array:
    """What the ridge regression of t on the functions F says of every row when it is fitted without it."""
    values = np.empty(len(t))
    for i in range(len(t)):
        rest = np.delete(np.arange(len(t)), i)
        share = w[rest] / w[rest].sum()
        mean, level = share @ F[rest], float(share @ t[rest])
        centred = F[rest] - mean
        a = np.linalg.solve(centred.T @ (w[rest, None] * centred) + P, centred.T @ (w[rest] * (t[rest] - level)))
        values[i] = level + (F[i] - mean) @ a
    return values


def _judge_left_out_cut(problem: Problem, judge: Judge, used: Array, found: Array) -> None:
    """The values of rows that are left out, by refits, lie around the cut as the threshold's rule says.

    The direction is that of the regression of the classes' indicators, t; left-out values are in its units: what the
    regression without the row says of it, turned as the values of all rows are turned to `found`.
    """
    way = problem.option("threshold")
    w, y, K = problem.weights[used], problem.targets[used], problem.K[np.ix_(used, used)]
    if way not in ("automatic", "least_squares", "midpoint") or min(np.bincount(y.astype(int), minlength=2)) < 2:
        return
    penalty = problem.number("lambda")
    if problem.option("penalty") == "norm":
        values, vectors = np.linalg.eigh(K)
        F, P = vectors * np.sqrt(np.maximum(values, 0)), penalty * np.eye(len(w))
    else:
        F, P = K, penalty * np.diag(1 / w)
    t = (y == 1).astype(float)
    share = w / w.sum()
    centred = F - share @ F
    fitted = centred @ np.linalg.solve(
        centred.T @ (w[:, None] * centred) + P, centred.T @ (w * (t - share @ t))
    ) + float(share @ t)
    of = [np.where(y == q, w, 0.0) / w[y == q].sum() for q in range(2)]
    scale = 2 / float((of[1] - of[0]) @ fitted)
    left_out = (_values_without(F, P, t, w) - float(share @ fitted)) * scale + float(share @ found)
    size = float(np.abs(left_out).max())
    if size > 1e3:
        return
    if way == "midpoint":
        judge.close("kfd_left_out", float((of[0] + of[1]) @ left_out), 0.0, 1e-4, size=size, what="sum of class means")
        return
    inside = left_out.min() + 1e-5 * np.ptp(left_out) < 0 < left_out.max() - 1e-5 * np.ptp(left_out)
    sign = 2 * t - 1
    steps = left_out - float(share @ left_out)
    slope = float(w @ (steps * sign)) / float(w @ steps**2)
    if inside and slope > 1e-3:
        at_zero = float(share @ sign) - slope * float(share @ left_out)
        judge.close("kfd_left_out", at_zero, 0.0, 1e-4, size=max(1.0, slope * size), what="regression of ±1 at the cut")


def judge_kfd(problem: Problem, judge: Judge) -> None:
    """Two classes: the direction of the largest ratio, class means 2 apart, and where it is cut."""
    fitted = problem.fit()
    fitted.demand_convergence()
    used = problem.weights > 0
    w, y = problem.weights[used], problem.targets[used]
    K = problem.K[np.ix_(used, used)]
    penalty = problem.number("lambda")
    within = np.diag(w)
    for q in range(2):
        of = np.where(y == q, w, 0.0)
        within -= np.outer(of, of) / of.sum()
    share = np.where(y == 1, w / w[y == 1].sum(), -w / w[y == 0].sum())
    if problem.option("penalty") == "norm":  # in the kernel's own features, where the penalty is the identity
        # from their mean: the direction lies among the differences of rows, and an offset would eat its digits
        middle = K.mean(axis=0)
        values, vectors = np.linalg.eigh(K - middle - middle[:, None] + middle.mean())
        Z = vectors * np.sqrt(np.maximum(values, 0))
        scatter = Z.T @ within @ Z
        direction = Z @ np.linalg.solve(scatter + penalty * np.eye(len(w)), Z.T @ share)
        loss = float(np.abs(scatter).max()) / penalty
        # a direction of rounding alone, in which nothing spreads, against the real ones, which the scatter divides
        rounding = len(w) * np.finfo(float).eps * float(np.abs(K).max())
        if rounding * loss > 1e-6 * float(values.max()):
            raise NotApplicable("rounding of the kernel values is a direction in which the classes do not spread")
    else:  # a row of weight w is w rows, which share its coefficient
        scatter = K @ within @ K
        direction = K @ np.linalg.solve(scatter + penalty * np.diag(1 / w), K @ share)
        loss = float(np.abs(scatter).max() * w.max()) / penalty
    if max(loss, float(np.abs(K).max()) / penalty) > 1e8:
        raise NotApplicable("the scatter is not known to the digits that the penalty needs")
    apart = float(direction[y == 1] @ w[y == 1] / w[y == 1].sum() - direction[y == 0] @ w[y == 0] / w[y == 0].sum())
    largest = float(np.abs(K).max())
    reach = largest if problem.option("penalty") == "norm" else largest**2 * float(w.max())
    if len(w) * np.finfo(float).eps * reach / penalty > 1e-7 * abs(apart):
        raise NotApplicable("classes no farther apart than the kernel values' rounding tells")
    expected = 2 * direction / apart
    if float(np.abs(expected).max()) > 1e3:
        raise NotApplicable("class means that are next to equal")
    found = fitted.values(problem.x[used])[:, 0]
    steps = found - float(w @ found / w.sum()), expected - float(w @ expected / w.sum())
    judge.close("fisher", steps[0], steps[1], 1e-4, what="centred values of the rows")
    sides = [float(found[y == q] @ w[y == q] / w[y == q].sum()) for q in range(2)]
    judge.close(
        "fisher", sides[1] - sides[0], 2.0, 1e-6, size=float(np.abs(found).max()), what="distance of the class means"
    )
    way = problem.option("threshold")
    noted = any("left-out" in note for note in fitted.notes)
    if problem.option("calibration") == "left_out" and not noted:
        _judge_left_out_cut(problem, judge, used, found)
    if problem.option("calibration") == "training" and not noted:
        t = np.where(y == 1, 1.0, -1.0)
        if way == "midpoint":
            size = float(np.abs(found).max())
            judge.close("fisher", sides[0] + sides[1], 0.0, 1e-6, size=size, what="sum of the class means")
        if way in ("automatic", "least_squares") and found.min() < -1e-5 * np.ptp(found) and found.max() > 0:
            centred = found - w @ found / w.sum()
            slope = float(w @ (centred * t)) / float(w @ centred**2)
            at_zero = float(w @ t / w.sum()) - slope * float(w @ found / w.sum())
            judge.close("fisher", at_zero, 0.0, 1e-6, size=max(1.0, abs(slope)), what="regression of ±1 where f is 0")
    judge_probabilities(judge, fitted, largest=way == "bayes")
    if way != "bayes":
        judge_classes(judge, fitted)
    fitted.judge_expansion(judge, 1e-9 * float(fitted.sizes(problem.queries).max()))
    problem.covers(judge, "penalty", "threshold")
