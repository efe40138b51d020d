"""Penalised likelihoods on kernel functions and on features: the conditions of their optimum, linear programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize
import scipy.special
from hypothesis import strategies as st

from hunt.oracles.machine_least import PENALTIES, judge_falkon, penalty_of
from hunt.oracles.machine_linear import judge_hinge
from hunt.oracles.machine_margin import CLASS_WEIGHTS
from hunt.oracles.machine_problem import (
    EPS,
    STATIONARY,
    Array,
    Fitted,
    Problem,
    draw_problem,
    judge_classes,
    judge_probabilities,
)
from hunt.oracles.machine_programs import judge_machines, keep_consistent, program
from hunt.verdict import Judge, NotApplicable

VECTORS = {
    "lambda": PENALTIES,
    "intercept": ("yes", "no"),
    "prototypes": ("data", "kmeans", "pivoted", "grid"),
    "count": ("0", "4"),
}
LAPLACIAN = {"lambda": ("1", "0.1", "10", "0.01"), "intercept": ("yes", "no")}
MAPS = {"size": ("0", "6"), "form": ("pairs", "phases"), "draws": ("best", "independent", "orthogonal", "halton")}
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "klr": {"lambda": PENALTIES, "intercept": ("yes", "no"), "class_weight": CLASS_WEIGHTS},
    "l1vmr": {
        **VECTORS,
        "mix": ("1", "0.5", "0.05"),
        "select": ("cv", "cv1se", "bic"),
        "response": ("gaussian", "poisson"),
    },
    "l1vmc": {**VECTORS, "mix": ("1", "0.5", "0.05"), "select": ("cv", "cv1se", "bic"), "class_weight": CLASS_WEIGHTS},
    "l2vmr": {**VECTORS, "select": ("evidence", "cv"), "response": ("gaussian", "poisson")},
    "l2vmc": {**VECTORS, "select": ("evidence", "cv"), "class_weight": CLASS_WEIGHTS},
    "lapr": {
        **LAPLACIAN,
        "likelihood": ("gaussian", "laplacian", "insensitive"),
        "noise": ("0.1", "0.001"),
        "epsilon": ("0.1", "0"),
        "nu": ("0.3", "0.05", "0.9", "1"),
    },
    "lapc": {
        **LAPLACIAN,
        "class_weight": CLASS_WEIGHTS,
        "select": ("none", "cv"),
        "nu": ("0.3", "0.05", "0.6"),
        "machine": ("l1", "signed", "loo"),
        "own_share": ("0", "0.5", "1"),
        "multiclass": ("ovr", "ww"),
    },
    "maplogit": {"lambda": PENALTIES, "class_weight": CLASS_WEIGHTS, "map": ("fourier", "nystroem"), **MAPS},
    "mapsvc": {
        "C": ("1", "10", "0.01", "100"),
        "loss": ("squared_hinge", "hinge"),
        "gap": ("1e-4", "1e-6"),
        "class_weight": CLASS_WEIGHTS,
        "map": ("fourier", "nystroem"),
        **MAPS,
    },
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine with a likelihood; maps of vectors near the origin, where their phases are exact."""
    mapped = model.startswith("map")
    facts = draw_problem(
        pick,
        model,
        OPTIONS[model],
        kernels=("rbf", "matern", "exponential", "cauchy") if mapped else (*STATIONARY, "poly"),
    )
    settings = facts["settings"]
    if mapped:
        facts["offset"] = 0
        settings.setdefault("map", "fourier")
    if model == "lapr" and not pick(st.booleans()):
        settings.setdefault("noise", "0.1")
    if "nu" in settings:
        settings["likelihood"] = "insensitive"
        settings.pop("epsilon", None)
    if model == "lapc":
        keep_consistent(settings)
    if settings.get("response") == "poisson":
        facts["target_unit"], facts["target_offset"] = 1, 0
    return facts


# ---- Losses --------------------------------------------------------------------------------------------------------


def pulls(problem: Problem, values: Array, response: str) -> tuple[Array, Array]:
    """Minus the slope of every row's loss by its values, times its weight; and what its rounding is relative to."""
    w = problem.weights[:, None]
    if problem.task == "regression":
        y = problem.targets[:, None]
        mean = np.exp(np.minimum(values, 700)) if response == "poisson" else values
        return w * (y - mean), w * (np.abs(y) + np.abs(mean))
    shares, right = shares_of(problem, values)
    return w * (right - shares), w * np.ones_like(values)


def shares_of(problem: Problem, values: Array) -> tuple[Array, Array]:
    """Probabilities of the functions' classes, and which class is the right one."""
    if problem.count == 2:
        return scipy.special.expit(values), (problem.targets == 1).astype(float)[:, None]
    return scipy.special.softmax(values, axis=1), (problem.targets[:, None] == np.arange(problem.count)).astype(float)


def losses(problem: Problem, values: Array) -> float:
    """The sum of log-losses."""
    if problem.count == 2:
        t = np.where(problem.targets == 1, 1.0, -1.0)
        return float(problem.weights @ np.logaddexp(0, -t * values[:, 0]))
    logs = scipy.special.logsumexp(values, axis=1) - values[np.arange(len(values)), problem.targets]
    return float(problem.weights @ logs)


def given_targets(problem: Problem) -> None:
    """Counts, where the response asks for them."""
    if problem.settings.get("response") == "poisson":
        problem.y = np.round(np.abs(problem.targets) * 2)


def optimum(problem: Problem, penalty: float, intercept: bool) -> float:
    """The least Σ w (−ln p) + λ/2 Σ‖f‖² over all functions, by Newton's method in the kernel's own features.

    An offset has the common part of all rows.
    """
    away = np.eye(len(problem.K)) - (1 / len(problem.K) if intercept else 0.0)
    values, vectors = np.linalg.eigh(away @ problem.K @ away)
    keep = values > max(1e-12 * values[-1], 8 * EPS * float(np.abs(problem.K).max()))
    Z = vectors[:, keep] * np.sqrt(values[keep])
    Z = np.hstack([Z, np.full((len(Z), 1), float(intercept))])
    ridge = np.append(np.full(Z.shape[1] - 1, penalty), 0.0)
    outputs = 1 if problem.count == 2 else problem.count
    W = np.zeros((Z.shape[1], outputs))

    def value(at: Array) -> float:
        return losses(problem, Z @ at) + 0.5 * float(ridge @ (at**2).sum(axis=1))

    now = value(W)
    for _ in range(100):
        p, right = shares_of(problem, Z @ W)
        slope = Z.T @ (problem.weights[:, None] * (p - right)) + ridge[:, None] * W
        size = Z.shape[1]
        H = np.zeros((size * outputs, size * outputs))
        for a in range(outputs):
            for b in range(outputs):
                curve = problem.weights * p[:, a] * (float(a == b) - p[:, b])
                H[a * size : (a + 1) * size, b * size : (b + 1) * size] = Z.T @ (curve[:, None] * Z)
            H[a * size : (a + 1) * size, a * size : (a + 1) * size] += np.diag(ridge)
        step = np.linalg.lstsq(H, slope.T.ravel(), rcond=1e-14)[0].reshape(outputs, size).T
        rate = 1.0
        while rate > 1e-8 and value(W - rate * step) > now:
            rate /= 2
        W = W - rate * step
        before, now = now, value(W)
        if rate <= 1e-8 or before - now <= 1e-12 * now:
            return min(before, now)
    raise NotApplicable("Newton's method did not end")


# ---- Kernel expansions ---------------------------------------------------------------------------------------------


def judge_klr(problem: Problem, judge: Judge) -> None:
    """λ f_c = Σ_i w_i (1[y_i = c] − P(c | x_i)) k(x_i, ·), and sums of 0 where there are offsets."""
    fitted = problem.fit()
    fitted.demand_convergence()
    penalty = penalty_of(problem, fitted)
    values = fitted.values(problem.x)
    pull, sizes = pulls(problem, values, "")
    x = np.vstack([problem.x, problem.queries])
    K = problem.kernel(x, problem.x)
    function = fitted.values(x) - fitted.offset
    error = np.abs(penalty * function - K @ pull)
    scale = (np.abs(K) @ sizes).max() + penalty * fitted.sizes(x).max()
    intercept = problem.option("intercept") == "yes"
    total = float(np.abs(pull.sum(axis=0)).max()) / float(problem.weights.sum()) if intercept else 0.0
    objective = losses(problem, values) + 0.5 * penalty * float(fitted.squared_norms().sum())
    # Values are known to the rounding of their sums of kernel values: so much does that shake losses and penalty.
    delta = 8 * EPS * len(problem.x) ** 0.5 * float(fitted.sizes(problem.x).max())
    slopes = float(np.abs(pull).sum()) + penalty * float(np.abs(fitted.coefficients).sum())
    lost = delta * slopes + 0.5 * delta**2 * float(curvatures(problem, values, "").sum())
    lost += 4 * EPS * float(problem.weights @ np.abs(values).max(axis=1))  # ln(1 + e^f) − f
    if max(float(error.max() / scale), total) > 1e-8:  # what that leaves of the objective
        excess = objective - optimum(problem, penalty, intercept)
        judge.at_most("objective", excess, 1e-6 * objective + 2 * lost, "objective above the optimum")
    else:
        judge.at_most("stationary", float(error.max() / scale), 1e-8, "relative gradient of the objective")
    size = max(1e-9, lost / 1e-6)
    judge.close("report", fitted.objective, objective, 1e-6, size=size, what="objective of the report")
    judge_shares(problem, judge, fitted)
    problem.covers(judge)


def judge_shares(problem: Problem, judge: Judge, fitted: Fitted) -> None:
    """Probabilities are the sigmoid or the softmax of the decision values, which are those of the expansion."""
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    judge_probabilities(judge, fitted)
    judge_classes(judge, fitted)
    values = fitted.decide(problem.queries)
    if problem.count == 2:
        second = scipy.special.expit(values[:, 0])
        expected = np.column_stack([1 - second, second])
    else:
        expected = scipy.special.softmax(values, axis=1)
    judge.close("probabilities", fitted.probabilities(problem.queries), expected, 1e-6, size=1.0, what="probabilities")


def curvatures(problem: Problem, values: Array, response: str) -> Array:
    """Bounds of the second derivatives of the rows' losses; twice the one that is there for rates, which have none."""
    if problem.task == "classification":
        return problem.weights * (0.25 if problem.count == 2 else 0.5)
    return problem.weights * (2 * np.exp(np.minimum(values[:, 0], 700)) if response == "poisson" else 1.0)


def judge_gain(judge: Judge, fitted: Fitted, wrong: Array, sizes: Array, curves: Array, what: str) -> None:
    """A step along one coefficient gains slope²/(2 curvature), which is next to nothing of the objective.

    Slopes of 1e-12 of ``sizes`` are rounding, or within what the solver ends at.
    """
    if not len(wrong):
        return
    slopes = np.maximum(wrong - 1e-12 * sizes.max(axis=1), 0)
    gain = float((slopes**2 / (2 * curves)).max())
    # Rounding leaves some of the objective of no function at all.
    problem = fitted.problem
    null = float(problem.weights @ problem.targets.astype(float) ** 2) if problem.task == "regression" else 0.0
    allowed = 1e-6 * abs(fitted.objective) + 1e-12 * null + 1e-300
    judge.at_most("one_step", gain, allowed, f"gain by a step along a coefficient: {what}")


def largest_pull(problem: Problem, response: str) -> float:
    """What the residual of the dual coefficients is relative to: slopes of the offsets alone, and 1 without units."""
    w = problem.weights
    if problem.task == "classification":
        return 1 + float(w.max())
    y = problem.targets.astype(float)
    given = problem.option("intercept") == "yes"
    middle = float(w @ y / w.sum()) if given else 1.0 if response == "poisson" else 0.0
    return float((response == "poisson") + (w * np.abs(y - middle)).max())


def judge_vectors(problem: Problem, judge: Judge) -> None:
    """l1vm and l2vm: conditions of the (group) lasso, the elastic net and ridge on coefficients."""
    given_targets(problem)
    fitted = problem.fit()
    fitted.demand_convergence()
    penalty = penalty_of(problem, fitted)
    response = problem.settings.get("response", "gaussian")
    values = fitted.values(problem.x)
    pull, sizes = pulls(problem, values, response)
    rounding = problem.weights[:, None] * fitted.sizes(problem.x) + sizes
    if problem.model.startswith("l2"):  # ends where the dual coefficients and the slopes of the losses agree to 1e-9
        rounding = rounding + 1e3 * largest_pull(problem, response)
    F = problem.kernel(fitted.centres, problem.x)
    a, slopes = fitted.coefficients, F @ pull
    curves = curvatures(problem, values, response)
    mix = problem.number("mix") if problem.model.startswith("l1") else 0.0
    lengths = np.linalg.norm(a, axis=1)
    kept = lengths > 0
    bend = penalty * (1 - mix) + penalty * mix / np.where(kept, lengths, 1.0)
    wanted = penalty * (mix * a / np.where(kept, lengths, 1.0)[:, None] + (1 - mix) * a)
    wrong = np.abs(slopes - wanted).max(axis=1)
    judge_gain(judge, fitted, wrong[kept], np.abs(F[kept]) @ rounding, F[kept] ** 2 @ curves + bend[kept], "in use")
    if mix and problem.option("prototypes") == "data" and problem.option("count") == "0":
        centre = (problem.x[:, None, :] == fitted.centres[kept][None, :, :]).all(axis=2).any(axis=1)
        G = problem.kernel(problem.x[(problem.weights > 0) & ~centre], problem.x)
        over = np.maximum(np.linalg.norm(G @ pull, axis=1) - penalty * mix, 0)
        judge_gain(judge, fitted, over, np.abs(G) @ rounding, G**2 @ curves + penalty * (1 - mix), "not in use")
    if problem.option("intercept") == "yes":
        one = np.ones((1, len(values)))
        judge_gain(
            judge, fitted, np.abs(pull.sum(axis=0)).max(keepdims=True), one @ rounding, one @ curves, "the offset"
        )
    if problem.task == "classification":
        judge_shares(problem, judge, fitted)
    elif response == "gaussian":
        fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    problem.covers(judge)


# ---- Linear programs -----------------------------------------------------------------------------------------------


def tube_program(K: Array, y: Array, w: Array, nu: float, price: float, intercept: bool) -> float:
    """Min Σ w ξ + ν ε Σ w + price Σ|a|,  |y − K a − b| ≤ ε + ξ, ξ ≥ 0, ε ≥ 0: the least value."""
    n, m = K.shape
    shifts = np.column_stack([np.ones(n), -np.ones(n)]) * float(intercept)
    f = np.hstack([K, -K, shifts])
    wide = np.hstack([np.ones((n, 1)), np.eye(n)])
    cost = np.concatenate([np.full(2 * m, price), np.zeros(2), [nu * w.sum()], w])
    left = np.vstack([np.hstack([-f, -wide]), np.hstack([f, -wide])])
    found = scipy.optimize.linprog(cost, A_ub=left, b_ub=np.concatenate([-y, y]), method="highs")
    if found.status != 0:
        raise NotApplicable(f"HiGHS: {found.message}")
    return float(found.fun)


def judge_tube(problem: Problem, judge: Judge, fitted: Fitted, price: float) -> None:
    """A tube that is found: the linear program with ε free, and what ν says of the rows outside."""
    used = problem.weights > 0
    w, K, y = problem.weights[used], problem.K[np.ix_(used, used)], problem.targets[used].astype(float)
    nu, epsilon = problem.number("nu"), float(fitted.measures["epsilon"])
    residuals = np.abs(y - fitted.values(problem.x[used])[:, 0])
    size = float(np.abs(y).max()) or 1.0
    best = size * tube_program(K, y / size, w, nu, price, problem.option("intercept") == "yes")
    found = float(w @ np.maximum(0, residuals - epsilon)) + nu * epsilon * float(w.sum())
    found += price * float(np.abs(fitted.coefficients).sum())
    values = 8 * EPS * len(w) ** 0.5 * float(fitted.sizes(problem.x[used]).max())
    scale = max(1e-2 * float(w @ np.abs(y)), 1e6 * values * float(w.sum()))
    judge.close("linear_program", found, best, 1e-6, size=scale, what="loss, tube and prior")
    judge.close("report", fitted.objective, found, 1e-6, size=scale, what="objective of the report")
    border = 1e-6 * size + 1e3 * values
    total = float(w.sum()) * (1 + 1e-9)
    judge.at_most("nu", float(w @ (residuals > epsilon + border)), nu * total, "weight outside of the tube")
    judge.at_most(
        "nu", nu * float(w.sum()) * (1 - 1e-9), float(w @ (residuals > epsilon - border)), "nu on or outside of it"
    )


def judge_lapc(problem: Problem, judge: Judge) -> None:
    """The linear programming machines."""
    fitted = problem.fit()
    fitted.demand_convergence()
    judge_machines(problem, judge, fitted)
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    judge_classes(judge, fitted)
    problem.covers(judge)


def judge_lapr(problem: Problem, judge: Judge) -> None:
    """Laplacian process regression: the lasso, or a linear program."""
    fitted = problem.fit()
    fitted.demand_convergence()
    noise, rate = float(fitted.arrays["noise"].ravel()[0]), float(fitted.arrays["lambda"].ravel()[0])
    used = problem.weights > 0
    w, K, y = problem.weights[used], problem.K[np.ix_(used, used)], problem.targets[used].astype(float)
    values = fitted.values(problem.x[used])[:, 0]
    residuals = y - values
    intercept = problem.option("intercept") == "yes"
    likelihood = problem.option("likelihood")
    size = float(np.abs(y).max()) or 1.0
    if "noise" in problem.settings:
        judge.close("report", noise, problem.number("noise"), 1e-9, what="noise")
    if "lambda" in problem.settings:
        judge.close("report", rate, problem.number("lambda"), 1e-9, what="lambda")
    if likelihood == "gaussian":
        price = noise * rate
        if "lambda" not in problem.settings or "noise" not in problem.settings:
            raise NotApplicable("a price that was chosen")
        slopes = K @ (w * residuals)
        rough = 1e-9 * float((np.abs(K) @ (w * (np.abs(y) + fitted.sizes(problem.x[used])[:, 0]))).max())
        judge.at_most("subgradient", float(np.abs(slopes).max()) - price, 1e-6 * price + rough, "slope above the price")
        kept = problem.kernel(fitted.centres, problem.x[used]) @ (w * residuals)
        wanted = price * np.sign(fitted.coefficients[:, 0])
        wrong = np.abs(kept - wanted)[fitted.coefficients[:, 0] != 0]
        judge.at_most("subgradient", float(wrong.max(initial=0)), 1e-5 * price + rough, "of coefficients in use")
    else:
        if "lambda" not in problem.settings or "noise" not in problem.settings:
            raise NotApplicable("a price that was chosen")
        price = float(np.sqrt(noise / 2)) * rate
        if "nu" in problem.settings:
            judge_tube(problem, judge, fitted, price)
            fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
            problem.covers(judge, "likelihood", "nu")
            return
        epsilon = problem.number("epsilon") if likelihood == "insensitive" and "epsilon" in problem.settings else 0.0
        if likelihood == "insensitive" and "epsilon" not in problem.settings:
            raise NotApplicable("a tube that was chosen")
        K2 = np.vstack([K, K])
        signs = np.concatenate([np.ones(len(y)), -np.ones(len(y))])
        gaps = np.concatenate([y - epsilon, -y - epsilon]) / size
        constants = signs[:, None] if intercept else np.zeros((len(signs), 0))
        best = size * program(signs[:, None] * K2, constants, np.concatenate([w, w]), price, gaps=gaps)
        found = float(w @ np.maximum(0, np.abs(residuals) - epsilon)) + price * float(np.abs(fitted.coefficients).sum())
        rounded = 8 * EPS * len(w) ** 0.5 * float(fitted.sizes(problem.x[used]).max()) * float(w.sum())
        scale = max(1e-2 * float(w @ np.abs(y)), 1e6 * rounded)
        judge.close("linear_program", found, best, 1e-6, size=scale, what="loss and prior")
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    problem.covers(judge, "likelihood")


# ---- Maps ----------------------------------------------------------------------------------------------------------


def features(fitted: Fitted, x: Array) -> Array:
    """The features of a model that maps rows first."""
    arrays = fitted.arrays
    if "map.coefficients" in arrays:
        landmarks = np.asarray(fitted.model.sample_set("map.landmarks"), dtype=float)
        return fitted.gram(x, landmarks) @ arrays["map.coefficients"]
    phases = x @ arrays["map.frequencies"]
    amplitude = float(arrays["map.amplitude"].ravel()[0])
    if arrays["map.phases"].size:
        return amplitude * np.sqrt(2 / phases.shape[1]) * np.cos(phases + arrays["map.phases"])
    turns = np.stack([np.cos(phases), np.sin(phases)])
    blocks, pairs = np.hstack(list(turns)), turns.transpose(1, 2, 0).reshape(len(x), -1)
    factor = amplitude / np.sqrt(phases.shape[1])
    found = fitted.decide(x)
    first, second = (factor * z @ arrays["weights"] + arrays["offsets"] for z in (blocks, pairs))
    return factor * (blocks if np.abs(first - found).max() <= np.abs(second - found).max() else pairs)


FLOAT = 2.0**-24


def feature_errors(fitted: Fitted, x: Array, Z: Array) -> Array:
    """What features in float, which the solver sees, may be off by: bounds of those of ``features``, entry by entry.

    Nyström: a product of kernel values (an ulp or two each) and coefficients, summed in float. Fourier: sines and
    cosines of angles up to 256 that are sums in float, larger ones are computed in double.
    """
    arrays = fitted.arrays
    if "map.coefficients" in arrays:
        landmarks = np.asarray(fitted.model.sample_set("map.landmarks"), dtype=float)
        terms = np.abs(fitted.gram(x, landmarks)) @ np.abs(arrays["map.coefficients"])
        return FLOAT * (3 + len(landmarks) ** 0.5) * terms
    angles = np.minimum(np.abs(x) @ np.abs(arrays["map.frequencies"]), 256.0).max()
    factor = float(arrays["map.amplitude"].ravel()[0]) * np.sqrt(2 / arrays["map.frequencies"].shape[1])
    return FLOAT * factor * (3 + (2 + x.shape[1] ** 0.5) * angles) * np.ones_like(Z)


def judge_maplogit(problem: Problem, judge: Judge) -> None:
    """λ W = Σ_i w_i z(x_i) (1[y_i] − p_i), and sums of 0 for the offsets."""
    fitted = problem.fit()
    fitted.demand_convergence()
    Z = features(fitted, problem.x)
    if "map.eigenvalues" in fitted.arrays and np.ptp(np.log(fitted.arrays["map.eigenvalues"])) > np.log(1e6):
        raise NotApplicable("directions that features in float do not resolve")
    W, b = fitted.arrays["weights"], fitted.arrays["offsets"]
    values = Z @ W + b
    size = float((np.abs(Z) @ np.abs(W) + np.abs(b)).max())
    judge.close("expansion", fitted.decide(problem.x), values, 1e-5, size=size, what="decision values")
    pull, _ = pulls(problem, values, "")
    penalty = problem.number("lambda")
    # The solver has seen features with errors: values are off by delta, the loss by its slope times that, the slopes by
    # what the losses bend (a quarter at most, a half with several classes), and by the errors themselves.
    errors = feature_errors(fitted, problem.x, Z)
    delta, bends = errors @ np.abs(W), curvatures(problem, values, "")
    shaken = float((np.abs(pull) * delta).sum() + 0.5 * (bends[:, None] * delta**2).sum())
    turned = errors.T @ np.abs(pull) + np.abs(Z).T @ (bends[:, None] * delta)
    objective = losses(problem, values) + 0.5 * penalty * float((W**2).sum())
    size = max(1e-6, 2e4 * shaken)
    judge.close("report", fitted.objective, objective, 1e-4, size=size, what="objective of the report")
    # A step along one weight gains slope²/(2 curvature).
    slope = np.maximum(np.abs(Z.T @ pull - penalty * W) - turned, 0).max(axis=1)
    gain = float((slope**2 / (2 * (Z**2).T @ bends + 2 * penalty)).max())
    judge.at_most("one_step", gain, 1e-5 * objective, "gain by a step along a weight")
    weight = float(problem.weights.sum())
    total = float(np.abs(pull.sum(axis=0)).max()) / weight
    judge.at_most("stationary", total, 1e-4 + float((bends @ delta).max()) / weight, "relative gradient by the offsets")
    judge_probabilities(judge, fitted)
    problem.covers(judge, "map")


def judge_mapsvc(problem: Problem, judge: Judge) -> None:
    """The linear machine in the features of the map."""
    fitted = problem.fit()
    fitted.demand_convergence()
    Z = features(fitted, problem.x)
    judge_hinge(problem, judge, fitted, Z, problem.number("gap"), "ovr", feature_errors(fitted, problem.x, Z))
    problem.covers(judge, "map", "loss", "C")


def judge_falkonc(problem: Problem, judge: Judge) -> None:
    """Squared loss as falkon; logistic loss by the conditions of its optimum."""
    if problem.option("loss") == "squared":
        judge_falkon(problem, judge)
        return
    fitted = problem.fit()
    fitted.demand_convergence()
    penalty = penalty_of(problem, fitted)
    added = fitted.model.report["measures"].get("added to the diagonal of the landmarks", 0.0)
    if added > 1e-4 * penalty:
        raise NotApplicable("the landmarks' matrix is that of a kernel with more noise than the penalty, and says so")
    values = fitted.values(problem.x)
    objective = losses(problem, values) + 0.5 * penalty * float(fitted.squared_norms().sum())
    single = problem.option("precision") == "float"
    best = optimum(problem, penalty, problem.option("intercept") == "yes")
    share = 2e-3 if single else 1e-4  # weights of 10000 times what float leaves
    judge.at_most("objective", objective - best, share * best + 1e-9, "objective above the optimum")
    fitted.judge_expansion(judge, 1e-5 * float(fitted.sizes(problem.queries).max()))
    judge_probabilities(judge, fitted)
    problem.covers(judge)
