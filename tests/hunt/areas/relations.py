"""Relations that every model obeys, whatever the right answer is: order, units, copies, threads, files."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.subjects import STATIONARY, draw_kernel, draw_options, kernel_names, models, options_of
from hunt.verdict import Finding, Judge, NotApplicable
from mercer import _core

SOLVER = 5e-3  # what a default tolerance leaves of an answer, relative to its size
TIGHT = 1e-6  # what a tolerance of 1e-9 leaves
RELATIONS = (
    "threads",
    "files",
    "single_row",
    "row_order",
    "column_order",
    "input_units",
    "offset",
    "repetition",
    "deletion",
    "storage",
    "target_units",
    "class_names",
)


def subjects() -> list[str]:
    """All models."""
    return list(models())


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A fit, and the relation that it is tried by."""
    entry = models()[model]
    facts = {"relation": pick(st.sampled_from(RELATIONS)), **data.draw_inputs(pick, fewest=2)}
    facts.update(data.draw_classes(pick) if entry["task"] == "classification" else data.draw_numbers(pick))
    facts["settings"] = {**settled(model), **draw_options(pick, model, skip=CHOSEN_BY_ROWS)}
    facts["kernel"] = ""
    if entry["default_kernel"]:
        facts["kernel"] = pick(st.sampled_from(("", "drawn"))) and draw_kernel(pick, width=1.0, stationary=True)
    return facts


# What is chosen in folds depends on the order of rows, and so does all that follows.
CHOSEN_BY_ROWS = frozenset({"select", "folds", "probability", "points"})


def settled(model: str) -> dict[str, str]:
    """The penalty, given where a model would choose it in folds."""
    chooses = options_of(model).get("select", {}).get("default") in ("cv", "gcv") or model in ("lapr", "kfd", "klr")
    return {"lambda": "0.1"} if chooses else {}


class Fit:
    """The fit of a case; changed copies of it are what relations compare."""

    def __init__(self, model: str, facts: dict[str, Any], settings: dict[str, str]) -> None:
        self.model, self.settings = model, settings
        self.kernel = facts["kernel"] or models()[model]["default_kernel"]
        self.x = data.build_inputs(facts)
        self.queries = data.build_queries(facts)
        self.y = self._targets(facts)
        self.weights: np.ndarray | None = None
        self.names: list[str] | None = None

    def _targets(self, facts: dict[str, Any]) -> np.ndarray | None:
        entry = models()[self.model]
        if entry["task"] == "classification":
            return data.build_classes(facts, self.x)
        if entry["task"] == "regression" or entry["takes_second_view"]:
            return data.build_numbers(facts, self.x)
        return None

    def run(self, **named: Any) -> _core.FittedModel:
        """Fit it."""
        return engine.fit(
            self.model, self.kernel, self.settings, self.x, self.y, weights=self.weights, names=self.names, **named
        )

    def answers(self) -> dict[str, np.ndarray]:
        """Fit it and ask for the queries; a fit that says that it has not converged promises nothing."""
        model = self.run()
        if model.report["status"] != "converged":
            raise NotApplicable(f"the fit ended as {model.report['status']}")
        if self.model in SPARSE:
            return {"objective": np.array([model.report["objective"]])}
        return engine.answers(model, self.queries)


# Penalties of absolute values: many functions may be equally good (that of one row with a, that of the other with -a);
# what is the same for all of them is the objective.
SPARSE = frozenset({"lapr", "lapc", "l1vmr", "l1vmc"})


# What says how near to its optimum a solver ends, where that is not `tolerance` (which is of the map there).
ENDS = {"mapsvc": "gap"}


def tightened(model: str, settings: dict[str, str]) -> dict[str, str]:
    """The same options with the solver's tolerance at 1e-9, where there is one."""
    name = ENDS.get(model, "tolerance")
    return {**settings, name: "1e-9"} if name in options_of(model) else settings


def judge(model: str, facts: dict[str, Any], judge: Judge) -> None:
    """Try the case by its relation, loosely first, and again with tight tolerances before anything is said."""
    relation = globals()[f"relation_{facts['relation']}"]
    first = Fit(model, facts, facts["settings"])
    judge.covers(*names_of(model, facts["settings"]))
    if first.kernel:
        judge.covers(*(f"kernel {name}" for name in kernel_names(first.kernel)))
    try:
        relation(first, judge, SOLVER)
    except Finding as finding:
        if finding.oracle in EXACT or "tolerance" not in options_of(model):
            raise
        relation(Fit(model, facts, tightened(model, facts["settings"])), judge, SOLVER)


EXACT = {"threads", "files"}
# Tasks whose predictions are words for what decision values say: a side, or a number of a class.
WORDS = ("classification", "clustering", "novelty")


def compare(
    judge: Judge, oracle: str, found: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float, fit: Fit
) -> None:
    """Answers that agree; of classes the values behind them, of features the inner products, which have no signs."""
    task = _task(fit)
    for name, values in expected.items():
        if name == "predictions" and task in WORDS:
            continue
        if task == "features":
            products, wanted = found[name] @ found[name].T, values @ values.T
            judge.close(oracle, products, wanted, tolerance, size=1e-9, what=f"products of {name}")
        else:
            judge.close(oracle, found[name], values, tolerance, size=natural_size(name, fit), what=name)


def natural_size(name: str, fit: Fit) -> float:
    """What answers of that name are measured by, where all of them happen to be about 0."""
    if name in ("predictions", "means") and fit.y is not None and _task(fit) == "regression":
        return float(np.abs(fit.y).max())
    if name == "variances" and fit.y is not None:
        return float(np.abs(fit.y).max()) ** 2 * 1e-6
    if name == "objective" and fit.y is not None and _task(fit) == "regression":
        return float((fit.y.astype(float) ** 2).sum()) * 1e-6
    return 0.1 if name == "decision values" else 0.0


def _task(fit: Fit) -> str:
    return str(models()[fit.model]["task"])


# ---- Exact relations -----------------------------------------------------------------------------------------------


def relation_threads(fit: Fit, judge: Judge, tolerance: float) -> None:
    """The same bits for any number of threads."""
    judge.same("threads", fit.run(threads=3).to_bytes(), fit.run(threads=1).to_bytes(), "the model's file")


def relation_files(fit: Fit, judge: Judge, tolerance: float) -> None:
    """A model that was saved and loaded is the same model."""
    model = fit.run()
    again = engine.called(_core.FittedModel.from_bytes, engine.called(model.to_bytes))
    judge.same("files", again.to_bytes(), model.to_bytes(), "the file of the loaded model")
    found, expected = engine.answers(again, fit.queries), engine.answers(model, fit.queries)
    for name, values in expected.items():
        judge.same("files", found[name], values, name)


def relation_single_row(fit: Fit, judge: Judge, tolerance: float) -> None:
    """A row alone is answered as it is among others."""
    model = fit.run()
    together = engine.answers(model, fit.queries)
    for i in (0, len(fit.queries) - 1):
        alone = engine.answers(model, fit.queries[i : i + 1])
        for name, values in together.items():
            if name != "predictions" or _task(fit) not in WORDS:
                size = max(float(np.abs(values[np.isfinite(values)]).max(initial=0)), natural_size(name, fit))
                judge.close("single_row", alone[name][0], values[i], 1e-3, size=size, what=f"{name} of row {i} alone")


# ---- Relations to the solver's tolerance ---------------------------------------------------------------------------


def relation_row_order(fit: Fit, judge: Judge, tolerance: float) -> None:
    """The order of the rows does not matter."""
    expected = fit.answers()
    order = np.random.default_rng(7).permutation(len(fit.x))
    fit.x, fit.y = fit.x[order], None if fit.y is None else fit.y[order]
    compare(judge, "row_order", fit.answers(), expected, tolerance, fit)


def relation_column_order(fit: Fit, judge: Judge, tolerance: float) -> None:
    """The order of the columns does not matter to kernels that treat them alike."""
    expected = fit.answers()
    fit.x, fit.queries = fit.x[:, ::-1], fit.queries[:, ::-1]
    compare(judge, "column_order", fit.answers(), expected, tolerance, fit)


def relation_input_units(fit: Fit, judge: Judge, tolerance: float) -> None:
    """With widths that follow the data, the units of the inputs do not matter."""
    if "gamma=scale" not in fit.kernel or not kernel_names(fit.kernel) <= {*STATIONARY, "sum", "scale"}:
        raise NotApplicable("the width has units")
    if not np.ptp(fit.x):
        raise NotApplicable("rows without a spread have a width of 1, whatever their unit")
    expected = fit.answers()
    fit.x, fit.queries = fit.x * 1024.0, fit.queries * 1024.0
    compare(judge, "input_units", fit.answers(), expected, tolerance, fit)


def relation_offset(fit: Fit, judge: Judge, tolerance: float) -> None:
    """Kernels of differences do not see where the origin is."""
    if fit.kernel and not kernel_names(fit.kernel) <= {*STATIONARY, "sum", "scale"}:
        raise NotApplicable("the kernel sees the origin")
    largest = float(np.abs(np.vstack([fit.x, fit.queries])).max()) or 1.0
    step = 2.0 ** np.ceil(np.log2(largest) + 4)
    fit.x, fit.queries = (np.round(part / step * 2.0**40) / 2.0**40 * step for part in (fit.x, fit.queries))
    expected = fit.answers()
    fit.x, fit.queries = fit.x + step, fit.queries + step
    compare(judge, "offset", fit.answers(), expected, tolerance, fit)


def relation_repetition(fit: Fit, judge: Judge, tolerance: float) -> None:
    """A weight of 2 is the row twice."""
    counts = np.random.default_rng(5).integers(1, 3, len(fit.x))
    fit.weights = counts.astype(float)
    weighted = fit.answers()
    fit.x, fit.weights = np.repeat(fit.x, counts, axis=0), None
    fit.y = None if fit.y is None else np.repeat(fit.y, counts)
    compare(judge, "repetition", weighted, fit.answers(), tolerance, fit)


def relation_deletion(fit: Fit, judge: Judge, tolerance: float) -> None:
    """A weight of 0 is no row."""
    kept = np.random.default_rng(6).random(len(fit.x)) < 0.7
    if fit.y is not None and _task(fit) == "classification":
        kept[: int(fit.y.max()) + 1] = True  # every class stays
    if not kept.any():
        raise NotApplicable("no row is left")
    fit.weights = kept.astype(float)
    weighted = fit.answers()
    fit.x, fit.y, fit.weights = fit.x[kept], None if fit.y is None else fit.y[kept], None
    compare(judge, "deletion", weighted, fit.answers(), tolerance, fit)


def relation_storage(fit: Fit, judge: Judge, tolerance: float) -> None:
    """Column by column or sparse, the rows are the same."""
    expected = fit.answers()
    fit.x, fit.queries = np.asfortranarray(fit.x), np.asfortranarray(fit.queries)
    compare(judge, "storage", fit.answers(), expected, tolerance, fit)
    sparse = data.as_sparse(fit.x, 0)
    fit.x = sparse.toarray()
    expected = fit.answers()
    fit.x = sparse
    compare(judge, "storage", fit.answers(), expected, tolerance, fit)


def relation_target_units(fit: Fit, judge: Judge, tolerance: float) -> None:
    """Models that standardise their targets answer in any unit of them."""
    if fit.y is None or fit.model not in ("gp", "ridge", "knnr", "nw", "loess", "falkon", "mapridge"):
        raise NotApplicable("the target's unit matters, or there is none")
    if fit.settings.get("standardize") == "no" or "likelihood" in fit.settings:
        raise NotApplicable("options in the target's unit")
    expected = fit.run()
    c = 2.0**13
    fit.y = fit.y * c
    found = engine.called(fit.run().predict, engine.samples(fit.queries))
    first = engine.called(expected.predict, engine.samples(fit.queries))
    judge.close("target_units", found / c, first, tolerance, what="predictions")


def relation_class_names(fit: Fit, judge: Judge, tolerance: float) -> None:
    """What classes are called does not matter, as long as their order stays."""
    if _task(fit) != "classification" or fit.y is None:
        raise NotApplicable("no classes")
    expected = fit.answers()
    fit.names = [f'{k:02d} ;,"é' for k in range(int(fit.y.max()) + 1)]
    found = fit.answers()
    for name, values in expected.items():
        judge.same("class_names", found[name], values, name)
