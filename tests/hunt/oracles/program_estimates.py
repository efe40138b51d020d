"""What a model says of itself: leave-one-out by refits, machines, paths, and what compression loses."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import engine
from hunt.oracles.program_fits import Task, draw_fit, loaded, named
from hunt.program import Place
from hunt.subjects import draw_kernel
from hunt.verdict import Judge, NotApplicable

TIGHT = "1e-9"


def _draw_two(pick: Any, names: tuple[str, ...], most: int = 10) -> dict[str, Any]:
    """A fit of one of some models on two classes or numbers, with a positive definite kernel of fixed widths."""
    facts = draw_fit(pick, names=names, fewest=6, most=most, kernel=False, options=0)
    facts["kernel"] = draw_kernel(pick, width=1.0, stationary=True)
    if "classes" in facts:
        facts["classes"] = 2
    return facts


# ---- Inspect -------------------------------------------------------------------------------------------------------


def draw_inspect(pick: Any) -> dict[str, Any]:
    """A ridge or lssvm whose leave-one-out is exact, or a support vector machine."""
    facts = _draw_two(pick, ("ridge", "lssvm", "svc"))
    name = {"ridge": "lambda", "lssvm": "C", "svc": "C"}[facts["model"]]
    facts["settings"] = {name: pick(st.sampled_from(("1", "0.1", "10")))}
    if facts["model"] == "svc":
        facts["settings"]["tolerance"] = TIGHT
        facts["settings"]["slack"] = pick(st.sampled_from(("linear", "squared")))
    return facts


def judge_inspect(facts: dict[str, Any], judge: Judge) -> None:
    """Leave-one-out by n refits, and the facts of the machine by its own values."""
    task = Task(facts)
    with Place() as place:
        task.write(place)
        task.fit(place, "--scale", "none", "-q")
        found = place.ask("inspect", "m.mercer", "train.csv", "--json").json()
        task.covers(judge)
        if task.model == "svc":
            _machine(task, found, judge)
        else:
            _exact(task, found["estimates"], judge)


def _left_out(task: Task) -> list[tuple[Any, float]]:
    """For every row the model without it, and its value there."""
    assert task.y is not None
    found = []
    for i in range(len(task.x)):
        kept = np.delete(np.arange(len(task.x)), i)
        names = task.classes if task.labels else None
        if names and len(set(task.y[kept])) < len(names):
            raise NotApplicable("a class of one row")
        model = engine.fit(task.model, task.kernel, task.settings, task.x[kept], task.y[kept], names=names)
        row = engine.samples(task.x[i : i + 1])
        value = engine.called(model.decide if names else model.predict, row)[0, 0]
        found.append((model, float(value)))
    return found


def _exact(task: Task, estimates: dict[str, Any], judge: Judge) -> None:
    assert task.y is not None
    values = np.array([value for _, value in _left_out(task)])
    if task.model == "ridge":
        rmse = float(np.sqrt(((task.y - values) ** 2).mean()))
        size = 1e-6 * float(np.abs(task.y).max())
        judge.close("inspect_loo", estimates["leave-one-out RMSE"]["value"], rmse, 1e-6, size=size, what="loo RMSE")
        return
    signs = 2.0 * task.y - 1
    if np.abs(values).min() < 1e-9:
        raise NotApplicable("a value of 0")
    for name, entry in estimates.items():
        if "leave-one-out" in name and "RMSE" in name:
            rmse = float(np.sqrt(((signs - values) ** 2).mean()))
            judge.close("inspect_loo", entry["value"], rmse, 1e-6, what=name)
        elif "leave-one-out" in name and "error" in name:
            judge.close("inspect_loo", entry["value"], float(np.mean(signs * values < 0)), 1e-9, size=1, what=name)


def _machine(task: Task, found: dict[str, Any], judge: Judge) -> None:
    assert task.y is not None
    signs = 2.0 * task.y - 1
    model = task.fit_here()
    f = engine.called(model.decide, engine.samples(task.x))[:, 0]
    facts = next(iter(found["machine_facts"].values()))
    price = float(task.settings["C"])
    slacks = np.maximum(0, 1 - signs * f)
    squared = task.settings["slack"] == "squared"
    size = max(1.0, len(f) * price)
    judge.close("inspect_slack", facts["slack"], slacks.sum(), 1e-5, size=len(f), what="the sum of the slacks")
    paid = price * ((slacks**2).sum() if squared else slacks.sum())
    judge.close("inspect_primal", facts["primal"], 0.5 * facts["squared_norm"] + paid, 1e-6, size=size, what="primal")
    judge.close("inspect_dual", facts["dual"], facts["primal"], 1e-5, size=size, what="the dual value")
    if facts["squared_norm"] < 1e-12:
        raise NotApplicable("a machine without margin")
    judge.close("inspect_margin", facts["margin"], facts["squared_norm"] ** -0.5, 1e-9, what="the margin")
    estimates = found["estimates"]
    if np.abs(f).min() > 1e-6:
        wrong = float(np.mean(signs * f < 0))
        judge.close("inspect_training", estimates["training errors"]["value"], wrong, 1e-9, size=1, what="errors")
    matrix = engine.gram(task.kernel, task.x)
    centre = np.eye(len(f)) - 1 / len(f)
    k, t = centre @ matrix @ centre, centre @ np.outer(signs, signs) @ centre
    alignment = float((k * t).sum() / np.sqrt((k * k).sum() * (t * t).sum()))
    judge.close("inspect_alignment", estimates["kernel alignment"]["value"], alignment, 1e-6, size=1, what="alignment")
    _bounds(task, estimates, signs, judge)


def _bounds(task: Task, estimates: dict[str, Any], signs: np.ndarray, judge: Judge) -> None:
    """Bounds on leave-one-out errors hold, but for rows without which all support vectors are at their bound."""
    errors = 0
    for sign, (model, value) in zip(signs, _left_out(task), strict=True):
        measures = dict(model.report["measures"]) if isinstance(model.report, dict) else {}
        free = measures.get("support vectors", 1) - measures.get("at the bound", 0)
        errors += sign * value < -1e-6 and free > 0
    for name in ("span bound", "Lagrange bound", "support vectors"):
        bound = estimates.get(name, {}).get("value")
        if bound is not None:
            judge.at_most("inspect_bound", errors / len(signs), bound + 1e-9, f"leave-one-out errors, by the {name},")


# ---- Paths ---------------------------------------------------------------------------------------------------------


def draw_path(pick: Any) -> dict[str, Any]:
    """A path, and which of its points are fitted by hand."""
    facts = _draw_two(pick, ("ridge", "svc"))
    facts["at"] = pick(st.integers(0, 99))
    return facts


def judge_path(facts: dict[str, Any], judge: Judge) -> None:
    """Points of the path are fits with that much regularisation."""
    task = Task(facts)
    with Place() as place:
        task.write(place)
        run = place.ask("path", *task.flags(), "--scale", "none", "--json")
        result = run.json()
        rows = [dict(zip(result["columns"], row, strict=True)) for row in result["rows"]]
        text = place.ask("path", *task.flags(), "--scale", "none").table()
        numbers = [[float(field) for field in row] for row in text[1]]
        judge.same("path_json", np.array(result["rows"], dtype=float), np.array(numbers), "the rows of --json")
        judge.covers(f"model {task.model}")
        for step in (0, 7):
            point = rows[(facts["at"] + step) % len(rows)]
            (_ridge_point if task.model == "ridge" else _svc_point)(task, point, judge)


def _ridge_point(task: Task, point: dict[str, Any], judge: Judge) -> None:
    """The hat matrix of the penalised system, with an unpenalised constant."""
    assert task.y is not None
    n, penalty = len(task.x), point["lambda"]
    matrix = engine.gram(task.kernel, task.x)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(centre @ matrix @ centre)
    values = np.maximum(values, 0)
    if penalty < 1e-6 * max(values.max(), np.trace(matrix)):
        raise NotApplicable("rounding speaks here")
    rest = centre @ (vectors * (penalty / (values + penalty))) @ vectors.T @ centre  # I - S
    e = rest @ task.y
    freedom = n - np.trace(rest)
    judge.close("path_freedom", point["degrees_of_freedom"], freedom, 1e-6, what="degrees of freedom")
    rmse = float(np.sqrt(((e / np.diag(rest)) ** 2).mean()))
    judge.close("path_loo", point["loo_rmse"], rmse, 1e-5, size=float(np.abs(task.y).max()) * 1e-3, what="loo rmse")
    gcv = float((e**2).mean() / (np.trace(rest) / n) ** 2)
    judge.close("path_gcv", point["gcv"], gcv, 1e-5, size=float((task.y**2).mean()) * 1e-6, what="gcv")


def _svc_point(task: Task, point: dict[str, Any], judge: Judge) -> None:
    """The optimal value and the norm, which are unique, of the machine of this C."""
    if not 1e-4 < point["C"] < 1e4:
        raise NotApplicable("a C at which a solver does not get there")
    assert task.y is not None
    settings = {"C": repr(point["C"]), "tolerance": TIGHT}
    model = engine.fit("svc", task.kernel, settings, task.x, task.y, names=task.classes)
    measures = dict(model.report["measures"])
    objective = measures["primal value"]
    size = max(1.0, objective)
    judge.close("path_objective", point["objective"], objective, 1e-5, size=size, what=f"the objective at {point['C']}")
    norm = measures["margin"] ** -2 if measures["margin"] else 0.0
    judge.close("path_norm", point["squared_norm"], norm, 1e-3, size=max(1.0, norm), what="the squared norm")


# ---- Compression ---------------------------------------------------------------------------------------------------


def draw_compress(pick: Any) -> dict[str, Any]:
    """A model that can be compressed, to how many centres, and how."""
    facts = _draw_two(pick, ("ridge", "svc", "svr", "lssvm", "kfd", "oneclass"), most=14)
    facts["to"] = pick(st.integers(1, 14))
    facts["method"] = pick(st.sampled_from(("auto", "greedy", "delete", "kpca", "l1", "svr", "clusters")))
    facts["refit"] = pick(st.booleans())
    return facts


def judge_compress(facts: dict[str, Any], judge: Judge) -> None:
    """Nothing differs by more than the error that is printed; the agreement is that of the predictions."""
    task = Task(facts)
    with Place() as place:
        task.write(place)
        task.fit(place, "--scale", "none", "-q")
        flags = ["--data", "train.csv"] if facts["refit"] else []
        run = place.ask(
            "compress", "m.mercer", "--to", facts["to"], "--method", facts["method"], *flags, "-o", "c.mercer", "--json"
        ).json()
        judge.covers(f"model {task.model}")
        before, after = loaded(place), loaded(place, "c.mercer")
        rows = named(np.vstack([task.x, task.queries]))
        ask = "decide" if before.decision_names else "predict"
        first, second = (engine.called(getattr(model, ask), rows) for model in (before, after))
        terms = float(
            np.abs(engine.called(before.arrays).get("coefficients", np.zeros(1))).sum()
        )  # rounding is of these
        judge.at_most("compress_size", run["centres"], max(facts["to"], 1), "how many centres are left")
        for k, output in enumerate(run["outputs"][: first.shape[1]]):
            # Machines evaluate kernels in single precision.
            moved = np.abs(second[:, k] - first[:, k] - _shift(output, first[:, k], second[:, k]))
            slack = 2e-5 * output["norm"] + 1e-7 * terms
            judge.at_most("compress_bound", float(moved.max()), output["error"] * (1 + 1e-6) + slack, "a difference")
        relative = run["error"] / run["norm"] if run["norm"] else 0.0
        if run["norm"]:
            judge.close("compress_relative", run["relative_error"], relative, 1e-9, size=1e-12, what="relative error")
        if "agreement" in run and "rmse" in run["agreement"] and not task.labels:
            n = len(task.x)
            rmse = float(np.sqrt(((first[:n, 0] - second[:n, 0]) ** 2).mean()))
            size = float(np.abs(first[:n]).max()) * 1e-6
            judge.close("compress_agreement", run["agreement"]["rmse"], rmse, 1e-6, size=size, what="rmse of values")


def _shift(output: dict[str, Any], first: np.ndarray, second: np.ndarray) -> float:
    """The constant that was refitted; where it is not told, the middle of the differences."""
    if output.get("offset_shift") is not None:
        shift = float(output["offset_shift"])
        difference = second - first
        return min((shift, -shift), key=lambda s: float(np.abs(difference - s).max()))
    return 0.0
