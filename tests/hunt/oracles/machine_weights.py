"""Multiple kernel learning: the machine at the weights that were found, and that no other weights are better."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import engine
from hunt.oracles.machine_least import codes, judge_stationary, penalty_of, solve
from hunt.oracles.machine_margin import CLASS_WEIGHTS, PRICES, deviation, judge_svc, judge_tube, spread, target_unit
from hunt.oracles.machine_problem import Array, Fitted, Gram, Problem, draw_problem
from hunt.subjects import options_of
from hunt.verdict import Judge, NotApplicable

SHARED = {
    "method": ("mkl", "align", "alignf", "uniform"),
    "norm": ("1", "2", "1.5", "4"),
    "normalize": ("trace", "variance", "unit", "none"),
    "weight_tolerance": ("0.001", "1e-5"),
}
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "mklsvc": {**SHARED, "C": PRICES[:4], "class_weight": CLASS_WEIGHTS, "multiclass": ("ovo", "ovr")},
    "mklsvr": {**SHARED, "C": PRICES[:4], "epsilon": ("0.1", "0", "0.5"), "standardize": ("yes", "no")},
    "mklridge": {**SHARED, "lambda": ("1", "0.1", "1e-3", "100"), "parametric": ("constant", "none")},
}
WIDTHS = (0.3, 1.0, 3.0)


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A sum of a drawn kernel and Gaussians of other widths."""
    facts = draw_problem(pick, model, OPTIONS[model], kernels=("matern", "linear", "poly", "rq"))
    facts["gaussians"] = pick(st.integers(1, 3))
    if model != "mklridge":
        facts["settings"].setdefault("tolerance", "1e-6")
    return facts


class Sum(Gram):
    """A weighted sum of kernels that are first brought to size 1."""

    def __init__(self, parts: list[Gram], normalize: str, x: Array, w: Array) -> None:
        self.name, self.parts, self.unit_length = parts[0].name, parts, normalize == "unit"
        self.factors = np.ones(len(parts))
        self.sizes = np.ones(len(parts))
        for k, part in enumerate(parts):
            K = part(x, x)
            mean = float(w @ np.diag(K) / w.sum())
            if normalize == "trace":
                self.sizes[k] = mean
            if normalize == "variance":
                self.sizes[k] = mean - float(w @ K @ w) / float(w.sum()) ** 2
            if self.sizes[k] <= 1e-9 * mean:
                raise NotApplicable("a summand without size")

    def text(self) -> str:
        """In the kernel language, without weights."""
        return " + ".join(part.text() for part in self.parts)

    def one(self, k: int, x: Array, z: Array) -> Array:
        """A summand of size 1."""
        K = self.parts[k](x, z)
        if not self.unit_length:
            return K / self.sizes[k]
        first, second = (np.array([self.parts[k](row[None], row[None])[0, 0] for row in of]) for of in (x, z))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(K / np.sqrt(first[:, None] * second[None, :]))

    def __call__(self, x: Array, z: Array) -> Array:
        """The sum."""
        return sum((f * self.one(k, x, z) for k, f in enumerate(self.factors)), start=np.zeros((len(x), len(z))))


class Weighted(Problem):
    """A problem whose kernel is a sum of known kernels and unknown weights."""

    def __init__(self, model: str, facts: dict[str, Any]) -> None:
        super().__init__(model, facts)
        if self.kernel.name in ("linear", "poly") and facts.get("offset", 0):
            raise NotApplicable("sums of kernels far from the origin")
        unit = facts.get("unit", 1)
        parts = [self.kernel, *(Gram("rbf", width, 0.5, unit) for width in WIDTHS[: facts["gaussians"]])]
        self.sum = Sum(parts, self.option("normalize"), self.x, self.weights)
        self.kernel = self.sum

    def learnt(self) -> tuple[Fitted, Array]:
        """Fit; give the weights, which the kernel then has."""
        fitted = self.fit()
        fitted.demand_convergence()
        found = np.array([value for name, value in fitted.measures.items() if name.startswith("weight of ")])
        if len(found) != len(self.sum.parts):
            raise NotApplicable("equal summands")
        self.sum.factors = found
        self.K = self.sum(self.x, self.x)
        return fitted, found


def judge_weights(problem: Weighted, judge: Judge, d: Array, forms: Array, factor: float, value: float) -> None:
    """The constraint of the weights, and the gap to the best ones: forms are β'K_k β, all machines together."""
    method = problem.option("method")
    judge.at_most("weights", float(-d.min()), 0.0, "a negative weight")
    if method != "mkl":
        judge.close("weights", float(d.sum()), 1.0, 1e-9, what="sum of the weights")
        if method == "uniform":
            judge.close("weights", d, np.full(len(d), 1 / len(d)), 1e-9, what="weights")
        return
    p = problem.number("norm")
    judge.at_most("weights", float(np.linalg.norm(d, p)), 1 + 1e-6, "norm of the weights")
    dual = float(forms.max()) if p == 1 else float(np.linalg.norm(forms, p / (p - 1)))
    gap = factor * (dual - float(d @ forms))
    allowed = 3 * problem.number("weight_tolerance") * abs(value) + 1e-4 * abs(value)
    if gap <= allowed:
        judge.at_most("weight_gap", gap, allowed, "duality gap of the weights")
        return
    # Coefficients that are not unique may give no good bound: the value is convex in the weights, so that weights
    # nearby tell whether these are the best.
    here = value_at(problem, d)
    for k in range(len(d)):
        for step in (0.02, 0.2):
            other = (1 - step) * d + step * (np.arange(len(d)) == k)
            other = other / float(np.linalg.norm(other, p))
            gain = here - value_at(problem, other)
            rough = 2 * problem.number("weight_tolerance") + 1e-4
            judge.at_most("weight_gap", gain, rough * abs(here), f"gain by more weight of summand {k}")


def value_at(problem: Weighted, d: Array) -> float:
    """The least value of the machine at given weights, by the machine without a choice of weights."""
    base = problem.model.removeprefix("mkl")
    parts = zip(d, problem.sum.sizes, problem.sum.parts, strict=True)
    wrap = "normalize({})" if problem.sum.unit_length else "{}"
    text = " + ".join(f"{float(f / s)!r}*{wrap.format(g.text())}" for f, s, g in parts if f > 0)
    if base == "ridge":
        used = problem.weights > 0
        y, w = codes(problem)[used], problem.weights[used]
        problem.sum.factors = d
        K = problem.sum(problem.x[used], problem.x[used])
        penalty = float(problem.settings.get("lambda", 1))
        a, b, _ = solve(K, y, w, penalty, problem.option("parametric") != "none")
        return float(w @ ((y - K @ a - b) ** 2)[:, 0]) + penalty * float((a.T @ K @ a)[0, 0])
    settings = {name: value for name, value in problem.settings.items() if name in options_of(base)}
    model = engine.fit(base, text, {**settings, "tolerance": "1e-6"}, problem.x, problem.y, weights=problem.given)
    return -float(model.report["objective"])


def judge_mklsvc(problem: Weighted, judge: Judge) -> None:
    """The machines as svc, their weights."""
    fitted, d = problem.learnt()
    judge_svc(problem, judge, fitted)
    forms, value = np.zeros(len(d)), 0.0
    for m in range(len(fitted.arrays["code"])):
        beta = spread(fitted, m, len(problem.x))
        forms += [beta @ problem.sum.one(k, problem.x, problem.x) @ beta for k in range(len(d))]
        value += float(np.abs(beta).sum()) - 0.5 * float(beta @ problem.K @ beta)
    judge_weights(problem, judge, d, forms, 0.5, value)
    problem.covers(judge, "method", "normalize", "norm")


def judge_mklsvr(problem: Weighted, judge: Judge) -> None:
    """The tube as svr, its weights."""
    y = problem.targets
    if target_unit(problem) <= 1e-12 * float(np.abs(y).max()):
        raise NotApplicable("constant targets")
    fitted, d = problem.learnt()
    epsilon = problem.tube(deviation(problem))
    beta = judge_tube(problem, judge, fitted, epsilon, deviation(problem))
    forms = np.array([beta @ problem.sum.one(k, problem.x, problem.x) @ beta for k in range(len(d))])
    value = float(beta @ y) - epsilon * float(np.abs(beta).sum()) - 0.5 * float(beta @ problem.K @ beta)
    judge_weights(problem, judge, d, forms, 0.5, value)
    problem.covers(judge, "method", "normalize", "norm")


def judge_mklridge(problem: Weighted, judge: Judge) -> None:
    """The function as ridge, its weights."""
    fitted, d = problem.learnt()
    penalty = penalty_of(problem, fitted)
    if not fitted.notes or "primal" not in fitted.notes[0]:
        judge_stationary(judge, problem, fitted, penalty, 1e-9, problem.option("parametric") != "none")
        y, w = codes(problem)[:, 0], problem.weights
        values = fitted.values(problem.x)[:, 0]
        alpha = w * (y - values) / penalty
        forms = np.array([alpha @ problem.sum.one(k, problem.x, problem.x) @ alpha for k in range(len(d))])
        value = float(w @ (y - values) ** 2) + penalty * float(alpha @ problem.K @ alpha)
        if float(np.ptp(y[w > 0])) > 0:
            judge_weights(problem, judge, d, forms, penalty, value)
    problem.covers(judge, "method", "normalize", "norm")
