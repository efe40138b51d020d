"""The program and Python are two fronts of one engine: the same answers, for any threads, within any memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import data, engine
from hunt.oracles.program_fits import Task, draw_fit, loaded, named, standardised
from hunt.program import Place
from hunt.subjects import models, options_of
from hunt.verdict import Finding, Judge, NotApplicable

# Kernels of differences see standardised columns to rounding; the fit may multiply that by its condition.
FRONT = 1e-6
# What says how near to its optimum a solver ends.
TOLERANCES = ("tolerance", "weight_tolerance", "gap")


def draw_fronts(pick: Any) -> dict[str, Any]:
    """A fit, its scaling, and its seed."""
    facts = draw_fit(pick, fewest=4)
    facts["scale"] = pick(st.sampled_from(("none", "standard")))
    facts["fit_seed"] = pick(st.sampled_from((0, 1)))
    facts.update(data.draw_weights(pick))
    return facts


def judge_fronts(facts: dict[str, Any], judge: Judge) -> None:
    """What the program writes is what its file says when Python loads it, and what Python's own fit says."""
    task = Task(facts)
    with Place() as place:
        task.write(place)
        seed = facts["fit_seed"]
        task.fit(place, "--scale", facts["scale"], "--seed", str(seed), "-q")
        model = loaded(place)
        if not model.output_names:
            raise NotApplicable("a model without outputs")
        told = _told(place, model, task)
        task.covers(judge)
        for name, values in _answers(model, named(task.queries), task).items():
            judge.same("loaded_model", told[name], values, f"{name} of the loaded model")
    counted = task.x if task.weights is None else task.x[task.weights > 0]
    if not np.ptp(counted, axis=0).all():
        raise NotApplicable("tables leave columns out that are constant in the rows that count, arrays do not")
    scaled = facts["scale"] == "standard"
    if scaled and task.weights is not None:
        raise NotApplicable("weights count in the scaling: judged by scale none")
    rows = standardised(np.vstack([task.x]))
    here = task.fit_here(rows if scaled else None, seed=seed)
    if scaled:
        _compare_scaled(task, here, told, judge, seed)
        return
    for name, values in _answers(here, engine.samples(task.queries), task).items():
        judge.same("front", told[name], values, f"{name} of the same fit in Python")


def _compare_scaled(task: Task, here: Any, told: dict[str, np.ndarray], judge: Judge, seed: int) -> None:
    """Scaling by hand rounds otherwise: only answers that do not hang on the last digits can be compared."""
    mean, deviation = task.x.mean(axis=0), task.x.std(axis=0)
    if ((deviation > 0) & (deviation < 1e-6 * np.abs(task.x).max(axis=0))).any():
        raise NotApplicable("rows that differ in their last digits: scaling rounds them")
    queries = (task.queries - mean) / np.where(deviation > 0, deviation, 1.0)
    first = _answers(here, engine.samples(queries), task)
    nudged = task.fit_here(standardised(task.x) * (1 + 4e-16) + 1e-15, seed=seed)
    second = _answers(nudged, engine.samples(queries * (1 + 4e-16) + 1e-15), task)
    if models()[task.model]["task"] == "density":  # densities are in the units of the file
        shift = float(np.log(deviation[deviation > 0]).sum())
        first, second = ({name: v - shift for name, v in found.items()} for found in (first, second))
    for name, values in first.items():
        if name == "predictions" and models()[task.model]["task"] in ("classification", "clustering"):
            continue
        size = float(np.abs(values[np.isfinite(values)]).max(initial=0))
        if not np.allclose(values, second[name], rtol=0, atol=1e-9 * size, equal_nan=True):
            raise NotApplicable("the fit hangs on the last digits of its rows")
        judge.close("front_scaled", told[name], values, FRONT, what=f"{name} of rows that are scaled by hand")


def _answers(model: Any, rows: Any, task: Task) -> dict[str, np.ndarray]:
    """What Python says; of distributions the moments of observations, and classes by their names."""
    found = {"predictions": engine.called(model.predict, rows, threads=1)}
    if task.labels:
        names = [*model.classes, "undecided"]
        codes = found["predictions"][:, 0]
        found["predictions"] = np.array([names[int(code)] for code in codes])
    if model.decision_names:
        found["decision values"] = engine.called(model.decide, rows, threads=1)
    if model.has_probabilities:
        found["probabilities"] = engine.called(model.probabilities, rows, threads=1)
    if model.has_distribution:
        mean, variance = engine.called(model.moments, rows, of="observation", threads=1)
        # Quantile regression predicts a level, and --std leaves predictions as they are.
        found["means"] = found["predictions"] if task.model == "kqr" else mean
        found["deviations"] = np.sqrt(variance)
    return found


def _told(place: Place, model: Any, task: Task) -> dict[str, np.ndarray]:
    """What the program says of the new rows, by the same names."""
    run = place.ask("predict", "m.mercer", "new.csv")
    found: dict[str, np.ndarray] = {}
    if task.labels:
        found["predictions"] = np.array([row[0] for row in run.table()[1]])
    else:
        found["predictions"] = run.numbers()
    if model.decision_names:
        found["decision values"] = _after(place.ask("predict", "m.mercer", "new.csv", "--decision").table(), task)
    if model.has_probabilities:
        found["probabilities"] = _after(place.ask("predict", "m.mercer", "new.csv", "--proba").table(), task)
    if model.has_distribution:
        run = place.ask("predict", "m.mercer", "new.csv", "--std")
        found["means"], found["deviations"] = run.numbers("y"), run.numbers("std(")
    return found


def _after(table: tuple[list[str], list[list[str]]], task: Task) -> np.ndarray:
    """The numbers of a table, without a first column of labels."""
    names, rows = table
    first = 1 if task.labels and names[0] == "y" else 0
    return np.array([[float(field) for field in row[first:]] for row in rows])


# ---- Threads and memory --------------------------------------------------------------------------------------------


def draw_threads(pick: Any) -> dict[str, Any]:
    """A fit, and how many threads."""
    facts = draw_fit(pick, fewest=4, most=30)
    facts["threads"] = pick(st.sampled_from((2, 3, 0)))
    return facts


def judge_threads(facts: dict[str, Any], judge: Judge) -> None:
    """The same bytes for any number of threads."""
    task = Task(facts)
    with Place() as place:
        task.write(place)
        task.fit(place, "--threads", "1", "-q")
        other = place.run("fit", *task.flags(), "-o", "n.mercer", "--threads", facts["threads"], "-q")
        judge.holds("threads_bytes", other.code == 0, f"fitted by one thread, but {other.line()}")
        judge.same("threads_bytes", place.read("n.mercer"), place.read("m.mercer"), "the model of several threads")
        one = place.ask("predict", "m.mercer", "new.csv", "--threads", "1")
        several = place.ask("predict", "m.mercer", "new.csv", "--threads", facts["threads"])
        judge.same("threads_bytes", several.out, one.out, "what several threads predict")
        task.covers(judge)


def _tells_memory(message: str) -> bool:
    return "memory" in message.lower() or " MB" in message


def draw_memory(pick: Any) -> dict[str, Any]:
    """A fit, and a budget in MB."""
    facts = draw_fit(pick, fewest=4, most=30)
    facts["memory"] = pick(st.sampled_from((100, 1, 0.01, 0.001, 1e-5, 0)))
    return facts


def judge_memory(facts: dict[str, Any], judge: Judge) -> None:
    """Within any budget: the same answers, or exit code 1 (2 where the budget is no number that can be)."""
    task = Task(facts)
    task.covers(judge)
    try:
        _compare_budgets(task, judge, ())
    except Finding:
        tight = [name for name in TOLERANCES if name in options_of(task.model)]
        if not tight:
            raise
        # Each solution is right to the solver's tolerance, and they need not be the same ones.
        _compare_budgets(task, judge, [word for name in tight for word in ("-s", f"{name}=1e-9")])


def _compare_budgets(task: Task, judge: Judge, more: Sequence[str]) -> None:
    with Place() as place:
        task.write(place)
        task.fit(place, *more, "-q")
        budget = ("--memory", task.facts["memory"], "-q")
        run = place.run("fit", *task.flags(), *more, "-o", "n.mercer", *budget)
        if run.code != 0:
            judge.holds("memory", run.code in (1, 2) and _tells_memory(run.err), run.line())
            judge.holds("memory", not (place.path / "n.mercer").exists(), "a model was written by a fit that failed")
            return
        free = place.must("predict", "m.mercer", "new.csv")
        bound = place.run("predict", "n.mercer", "new.csv", *budget)
        if bound.code != 0:
            judge.holds("memory", bound.code in (1, 2) and _tells_memory(bound.err), bound.line())
            return
        if task.labels:
            judge.same("memory", np.array(bound.table()[1]), np.array(free.table()[1]), "labels within the budget")
        else:
            judge.close("memory", bound.numbers(), free.numbers(), 1e-3, what="predictions within the budget")
