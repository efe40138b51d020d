"""Problems for margin and least-squares machines: data, weights and a kernel matrix by NumPy, and what a model says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.subjects import models, options_of
from hunt.verdict import Judge, NotApplicable
from mercer import _core

Array = np.ndarray
EPS = float(np.finfo(float).eps)

# ---- Kernels -------------------------------------------------------------------------------------------------------

STATIONARY = ("rbf", "exponential", "matern", "rq", "laplacian", "cauchy", "inverse_multiquadric")
DOT = ("linear", "poly")
WIDTHS = (1.0, 0.3, 3.0, 30.0)
ORDERS = (0.5, 1.5, 2.5)


def draw_kernel(pick: Any, names: tuple[str, ...] = STATIONARY + DOT) -> dict[str, Any]:
    """Draw a kernel; its width is in units of the data."""
    return {
        "kernel": pick(st.sampled_from(names)),
        "width": pick(st.sampled_from(WIDTHS)),
        "order": pick(st.sampled_from(ORDERS)),
    }


class Gram:
    """A kernel of the engine and its formula, by differences of rows: nothing is lost far from the origin."""

    def __init__(self, name: str, width: float, order: float, unit: float) -> None:
        self.name, self.width, self.order = name, width * unit, order
        self.degree = round(order + 0.5)

    def text(self) -> str:
        """In the kernel language."""
        w = repr(self.width)
        if self.name == "matern":
            return f"matern(nu={self.order}, lengthscale={w})"
        if self.name == "rq":
            return f"rq(alpha={self.order}, lengthscale={w})"
        if self.name == "laplacian":
            return f"laplacian(gamma={1 / self.width!r})"
        if self.name == "poly":
            return f"poly(degree={self.degree}, gamma={1 / self.width**2!r}, coef0=1)"
        return "linear()" if self.name == "linear" else f"{self.name}(lengthscale={w})"

    def __call__(self, x: Array, z: Array) -> Array:
        """The matrix of two sets of rows."""
        if self.name == "linear":
            return x @ z.T
        if self.name == "poly":
            return (x @ z.T / self.width**2 + 1) ** self.degree
        steps = (x[:, None, :] - z[None, :, :]) / self.width
        if self.name == "laplacian":
            return np.exp(-np.abs(steps).sum(axis=2))
        squares = (steps**2).sum(axis=2)
        r = np.sqrt(squares)
        if self.name == "rbf":
            return np.exp(-squares / 2)
        if self.name == "exponential" or (self.name == "matern" and self.order == 0.5):
            return np.exp(-r)
        if self.name == "matern":
            z1 = np.sqrt(2 * self.order) * r
            return (1 + z1 + (z1**2 / 3 if self.order == 2.5 else 0)) * np.exp(-z1)
        if self.name == "rq":
            return (1 + squares / (2 * self.order)) ** -self.order
        return 1 / (1 + squares) if self.name == "cauchy" else 1 / np.sqrt(1 + squares)


# ---- Problems ------------------------------------------------------------------------------------------------------


def draw_problem(
    pick: Any,
    model: str,
    options: dict[str, tuple[str, ...]],
    *,
    kernels: tuple[str, ...] = STATIONARY + DOT,
    classes: int = 4,
    most: int = 24,
    fewest: int = 2,
    weights: tuple[str, ...] = data.WEIGHTS,
) -> dict[str, Any]:
    """Draw data, a kernel, weights and a few options of those that are listed, each with its values."""
    facts = draw_kernel(pick, kernels)
    facts.update(data.draw_inputs(pick, fewest=fewest, most=most, columns=4, plain=facts["kernel"] in DOT))
    if facts["kernel"] in DOT:
        facts["offset"] = pick(st.sampled_from((0, 0, 0, 10, 1e3)))
        facts["unit"] = pick(st.sampled_from((1, 1, 1e-3, 1e3)))
    task = models()[model]["task"]
    if task == "classification":
        facts.update(data.draw_classes(pick, most=classes))
    elif task == "regression":
        facts.update(data.draw_numbers(pick))
    facts["weights"] = pick(st.sampled_from(weights))
    chosen = pick(st.lists(st.sampled_from(sorted(options)), max_size=5, unique=True)) if options else []
    facts["settings"] = {
        name: pick(st.sampled_from(others_twice(model, name, options[name]))) for name in sorted(chosen)
    }
    return facts


def others_twice(model: str, name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values of an option that is drawn, its default once: options that are left out have it anyway."""
    default = options_of(model)[name]["default"]
    return (*values, *(value for value in values if value != default))


class Problem:
    """A case, built: what a model is fitted to, and the matrices that judge it."""

    def __init__(self, model: str, facts: dict[str, Any]) -> None:
        self.model, self.settings = model, dict(facts["settings"])
        self.kernel = Gram(facts["kernel"], facts["width"], facts["order"], facts.get("unit", 1))
        self.x = data.build_inputs(facts)
        self.queries = data.build_queries(facts)
        self.task = models()[model]["task"]
        self.given = data.build_weights(facts, len(self.x))
        self.weights = np.ones(len(self.x)) if self.given is None else self.given
        self.y: Array | None = None
        if self.task == "classification":
            self.y = data.build_classes(facts, self.x)
            self.count = int(self.y.max()) + 1
            if (np.bincount(self.y, weights=self.weights) <= 0).any():
                raise NotApplicable("a class without weight")
            self.weights = self.weights * self.class_factors()[self.y]
        elif self.task == "regression":
            self.y = data.build_numbers(facts, self.x)
        if not (self.weights > 0).any():
            raise NotApplicable("no row is left")
        self.K = self.kernel(self.x, self.x)

    @property
    def targets(self) -> Array:
        """The targets, where there must be some."""
        if self.y is None:
            raise NotApplicable("no targets")
        return self.y

    def class_factors(self) -> Array:
        """What ``class_weight`` multiplies the weights of each class by."""
        text = self.settings.get("class_weight", "")
        factors = np.ones(self.count)
        if text == "balanced":
            of_class = np.bincount(self.targets, weights=self.weights, minlength=self.count)
            return self.weights.sum() / (self.count * of_class)
        for part in filter(None, text.split(",")):
            label, value = part.split(":")
            factors[int(label[1:])] = float(value)
        return factors

    def option(self, name: str) -> str:
        """The value of an option, given or by default."""
        return self.settings.get(name, options_of(self.model)[name]["default"])

    def number(self, name: str) -> float:
        """The value of an option that is a number."""
        return float(self.option(name))

    def tube(self, scale: float) -> float:
        """Half the width of the tube of a machine whose targets are divided by ``scale``: a tenth of it by default."""
        return self.number("epsilon") if self.option("epsilon") else 0.1 * scale

    def fit(self, kernel: str | None = None, **named: Any) -> Fitted:
        """Fit the model, by default to everything."""
        arguments = {"x": self.x, "y": self.y, "weights": self.given, "settings": self.settings, **named}
        text = self.kernel.text() if kernel is None else kernel
        x, y, settings = arguments.pop("x"), arguments.pop("y"), arguments.pop("settings")
        return Fitted(self, engine.fit(self.model, text, settings, x, y, **arguments))

    def covers(self, judge: Judge, *settings: str) -> None:
        """Say that the case judges the model, its kernel and its options (those of ``settings`` by default values)."""
        judge.covers(*names_of(self.model, {**{name: self.option(name) for name in settings}, **self.settings}))
        judge.covers(f"kernel {self.kernel.name}")


# ---- Fits ----------------------------------------------------------------------------------------------------------


class Fitted:
    """A fitted model as a sum of kernel functions, in NumPy: f(x) = k(x, centres) coefficients + offset."""

    def __init__(self, problem: Problem, model: _core.FittedModel) -> None:
        self.problem, self.model = problem, model
        self.arrays: dict[str, Array] = model.arrays()
        report = model.report
        self.status: str = report["status"]
        self.objective: float = report["objective"]
        self.measures: dict[str, float] = report["measures"]
        self.notes: list[str] = report["notes"]
        self.gram: Callable[[Array, Array], Array] = problem.kernel
        if "coefficients" in self.arrays and "centres" in model.sample_set_names:
            self.centres = np.asarray(model.sample_set("centres"), dtype=float)
            self.coefficients = self.arrays["coefficients"]
            parametric = self.arrays.get("parametric")  # none where there is no offset
            self.offset = np.zeros(self.coefficients.shape[1]) if parametric is None else parametric[-1]

    def demand_convergence(self) -> None:
        """End the case where the solver itself says that it did not get there."""
        if self.status != "converged":
            raise NotApplicable(f"status {self.status}")

    def values(self, x: Array) -> Array:
        """The functions at rows."""
        return self.gram(x, self.centres) @ self.coefficients + self.offset

    def sizes(self, x: Array) -> Array:
        """What rounding of these values is relative to."""
        return np.abs(self.gram(x, self.centres)) @ np.abs(self.coefficients) + np.abs(self.offset)

    def squared_norms(self) -> Array:
        """Of each function, in the kernel's space."""
        K = self.gram(self.centres, self.centres)
        return np.einsum("io,ij,jo->o", self.coefficients, K, self.coefficients)

    def decide(self, x: Array) -> Array:
        """The engine's own values: decision values, or predictions of a regression."""
        if self.model.decision_names:
            return np.asarray(engine.called(self.model.decide, engine.samples(x)))
        return np.asarray(engine.called(self.model.predict, engine.samples(x)))

    def predict(self, x: Array) -> Array:
        """Predictions, one column."""
        return np.asarray(engine.called(self.model.predict, engine.samples(x))).ravel()

    def probabilities(self, x: Array) -> Array:
        """Probabilities of the classes."""
        return np.asarray(engine.called(self.model.probabilities, engine.samples(x)))

    def judge_expansion(self, judge: Judge, allowed: float) -> None:
        """What the engine computes of new rows is what its coefficients say; ``allowed`` in the units of the values."""
        x = self.problem.queries
        expected, sizes = self.values(x), self.sizes(x)
        found = self.decide(x).reshape(expected.shape)
        bound = allowed + 1e-11 * sizes.max()
        error = float(np.abs(found - expected).max())
        judge.holds(
            "expansion",
            error <= bound,
            f"values of new rows are off by {error:.3g} from k(x, centres) a + b (allowed {bound:.3g})",
        )


def judge_classes(judge: Judge, fitted: Fitted, *, threshold: float = 0.0, reject: float = 0.0) -> None:
    """Predictions follow from decision values: the sign for two classes (0 is the second), the largest else."""
    x = np.vstack([fitted.problem.queries, fitted.problem.x])
    values, predictions = fitted.decide(x), fitted.predict(x)
    if values.shape[1] == 1:
        expected = (values[:, 0] >= threshold).astype(float)
        clear = (np.abs(values[:, 0] - threshold) > 1e-9) | (values[:, 0] == threshold)
        clear &= np.abs(values[:, 0] - threshold) >= reject
    else:
        expected = values.argmax(axis=1).astype(float)
        best = np.sort(values, axis=1)
        clear = best[:, -1] - best[:, -2] > 1e-9 * np.abs(values).max()
    judge.same("prediction_rule", predictions[clear], expected[clear], "classes by decision values")


def judge_probabilities(judge: Judge, fitted: Fitted, *, largest: bool = True) -> Array:
    """Shares between 0 and 1 that sum to 1, and the most probable class is the answer."""
    x = np.vstack([fitted.problem.queries, fitted.problem.x])
    shares = fitted.probabilities(x)
    judge.holds("probabilities", bool(np.isfinite(shares).all()), "probabilities that are not finite")
    judge.holds("probabilities", bool((shares >= 0).all() and (shares <= 1).all()), "probabilities outside of [0, 1]")
    judge.close("probabilities", shares.sum(axis=1), np.ones(len(x)), 1e-9, what="sums of probabilities")
    if largest:
        best = np.sort(shares, axis=1)
        clear = best[:, -1] - best[:, -2] > 1e-9
        predictions = fitted.predict(x)
        judge.same("probabilities", predictions[clear], shares.argmax(axis=1)[clear].astype(float), "predictions")
    return shares
