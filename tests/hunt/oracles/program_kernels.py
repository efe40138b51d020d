"""Gram matrices, draws of densities, and weights of linear machines."""

from __future__ import annotations

import gzip
import io
from typing import Any

import numpy as np
import scipy.stats
import sklearn.metrics.pairwise as pairwise
from hypothesis import strategies as st

from hunt import data, engine
from hunt.oracles.program_fits import Task, draw_fit, loaded, named
from hunt.program import Place, csv_text, table_text
from hunt.subjects import draw_kernel, draw_options, kernel_names
from hunt.verdict import Judge, NotApplicable
from mercer import _core

SCALES = ("none", "standard", "deviation", "maxabs", "robust", "minmax:-1,1")


# ---- Gram ----------------------------------------------------------------------------------------------------------


def draw_gram(pick: Any) -> dict[str, Any]:
    """Data, a kernel, and what is asked of its matrix."""
    return {
        **data.draw_inputs(pick, fewest=1, most=12, columns=3, plain=True),
        "kernel": pick(
            st.sampled_from(("linear()", "rbf(gamma=0.5)", "poly(degree=2, gamma=1, coef0=1)", "sigmoid()", "drawn"))
        ),
        "drawn": draw_kernel(pick, width=1.0),
        "scale": pick(st.sampled_from(SCALES)),
        "precision": pick(st.sampled_from(("double", "float"))),
        "count": pick(st.integers(1, 12)),
        "format": pick(st.sampled_from(("csv", "npy", "npy.gz"))),
    }


def judge_gram(facts: dict[str, Any], judge: Judge) -> None:
    """The matrix by hand or by the engine, its eigenvalues by NumPy."""
    x = data.build_inputs(facts)
    if facts["precision"] == "float" and facts["near"] and facts["scale"] != "none":
        raise NotApplicable("rows that are equal as float, and scaled then")
    spec = facts["drawn"] if facts["kernel"] == "drawn" else facts["kernel"]
    seen = x.astype(np.float32) if facts["precision"] == "float" else x  # numbers may be equal as float
    varies = np.ptp(seen, axis=0) > 0
    if not varies.any():
        raise NotApplicable("constant columns alone")
    if (varies != (np.ptp(x, axis=0) > 0)).any():
        raise NotApplicable("columns that are constant as float alone are left out there")
    rows = scaled(x[:, varies], facts["scale"])  # tables leave constant columns out
    expected = engine.gram(spec, rows)
    if facts["kernel"].startswith("rbf"):
        expected = pairwise.rbf_kernel(rows, gamma=0.5)
    elif facts["kernel"].startswith("linear"):
        expected = rows @ rows.T
    digits = 1e-9 if facts["precision"] == "double" else 2e-5
    with Place() as place:
        place.write("data.csv", table_text(x, {}))
        flags = ("gram", spec, "data.csv", "--scale", facts["scale"], "--precision", facts["precision"])
        name = f"K.{facts['format']}"
        place.ask(*flags, "-o", name, "-q")
        matrix = _matrix(place.read(name), facts["format"])
        judge.covers(*(f"kernel {kernel}" for kernel in kernel_names(spec)))
        judge.close("gram_matrix", matrix, expected, digits, size=1e-30, what="the matrix")
        values = np.sort(np.linalg.eigvalsh((expected + expected.T) / 2))[::-1]
        size = float(np.abs(values).max())
        spectrum = place.ask(*flags, "--spectrum", facts["count"], "--json").json()
        count = min(facts["count"], len(x))
        largest = values[:count]
        if values.min() > -1e-9 * size:  # of definite matrices the largest are clear
            judge.close("gram_spectrum", spectrum["spectrum"][:count], largest, 10 * digits, what="eigenvalues")
        judge.close("gram_trace", spectrum["trace"], np.trace(expected), digits, size=size, what="the trace")
        _definite(place, facts, spec, values, digits, judge)


def _definite(place: Place, facts: dict[str, Any], spec: str, values: np.ndarray, digits: float, judge: Judge) -> None:
    """Extreme eigenvalues, and whether the matrix is positive definite: the same in every unit of the kernel."""
    size = float(np.abs(values).max())
    rounding = 2 * len(values) * np.finfo(float).eps
    for factor in (1.0, 1e8, 1e-8):
        precision = facts["precision"] if factor == 1 else "double"
        flags = ("--scale", facts["scale"], "--precision", precision, "--check", "--json")
        check = place.ask("gram", f"{factor!r}*({spec})", "data.csv", *flags).json()["check"]
        own = digits if factor == 1 else 1e-9
        for name, value in (("smallest", values[-1]), ("largest", values[0])):
            found = check[f"{name}_eigenvalue"] / factor
            judge.close("gram_check", found, value, 10 * own, size=size, what=f"{name} eigenvalue of {factor:g} K")
        said = f"eigenvalue {values[-1]:g} of {size:g}, times {factor:g}: {check}"
        if values[-1] < -1e-3 * size:
            judge.holds("gram_check", not check["positive_definite"], said)
        if values[-1] >= -rounding * size and precision == "double":  # rounding is not negative
            judge.holds("gram_check", check["positive_definite"], said)


def _matrix(content: bytes, form: str) -> np.ndarray:
    if form == "csv":
        return np.array([[float(field) for field in line.split(",")] for line in content.decode().split()])
    if form.endswith("gz"):
        content = gzip.decompress(content)
    return np.asarray(np.load(io.BytesIO(content)), dtype=float)


def scaled(x: np.ndarray, rule: str) -> np.ndarray:
    """The columns by a rule of --scale; constant columns divide by nothing."""
    if rule == "none":
        return x
    if rule == "maxabs":
        size = np.abs(x).max(axis=0)
        return x / np.where(size > 0, size, 1)
    if rule.startswith("minmax"):
        spread = x.max(axis=0) - x.min(axis=0)
        if np.any(spread == 0):
            raise NotApplicable("where a constant column goes is not documented")
        return 2 * (x - x.min(axis=0)) / spread - 1
    deviation = x.std(axis=0)
    if rule == "robust":
        first, middle, third = np.quantile(x, (0.25, 0.5, 0.75), axis=0, method="averaged_inverted_cdf")
        spread = np.where(third > first, third - first, deviation)
        return (x - middle) / np.where(spread > 0, spread, 1)
    if np.any((deviation > 0) & (deviation < 1e-6 * np.abs(x).max(axis=0))):
        raise NotApplicable("a column whose deviation is rounding")
    divided = np.where(deviation > 0, deviation, 1)
    return (x - x.mean(axis=0)) / divided if rule == "standard" else x / divided


# ---- Draws ---------------------------------------------------------------------------------------------------------


def draw_sample(pick: Any) -> dict[str, Any]:
    """A density, and what is drawn from it."""
    model = pick(st.sampled_from(("kde", "histogram")))
    return {
        "model": model,
        **data.draw_inputs(pick, fewest=3, most=20, columns=3, plain=True),
        "settings": draw_options(pick, model, most=2),
        "draw_seed": pick(st.integers(0, 3)),
        "count": pick(st.integers(1, 5)),
        "kernel": "",
        "given": pick(st.booleans()),
        "target": "waves",
        "noise": 0.1,
    }


def judge_sample(facts: dict[str, Any], judge: Judge) -> None:
    """The same seed, the same rows; rows of the support; given columns as they are; one column by its distribution."""
    task = Task(facts)
    with Place() as place:
        task.write(place)
        task.fit(place, "-q")
        asked = ("sample", "m.mercer", "--seed", facts["draw_seed"])
        first = place.ask(*asked, "-n", facts["count"], "--threads", "1")
        again = place.ask(*asked, "-n", facts["count"], "--threads", "2")
        judge.covers(f"model {task.model}")
        judge.same("sample_seed", again.out, first.out, "the rows of the same seed")
        names, rows = first.table()
        judge.same("sample_table", names, [f"x{j}" for j in range(task.x.shape[1])], "the names")
        judge.holds("sample_table", len(rows) == facts["count"], f"{len(rows)} rows of {facts['count']}")
        model = loaded(place)
        drawn = first.numbers()
        density = engine.called(model.predict, named(drawn))
        judge.holds("sample_support", bool(np.all(density > -np.inf)), f"rows of density 0: {drawn[:3]}")
        if facts["given"] and task.x.shape[1] > 1:
            value = repr(float(task.x[0, 0]))
            held = place.run(*asked, "-n", facts["count"], "--given", f"x0={value}")
            if held.code == 0:
                judge.same("sample_given", held.numbers()[:, 0], np.full(facts["count"], float(value)), "given column")
            else:
                judge.holds("sample_given", held.code in (2, 3), held.line())
        if task.x.shape[1] == 1 and task.model == "kde":
            many = place.ask("sample", "m.mercer", "-n", "2000", "--seed", facts["draw_seed"]).numbers()
            below = engine.called(_core.cumulative_density, model, many)
            p = float(scipy.stats.kstest(below, "uniform").pvalue)
            judge.holds("sample_distribution", p > 1e-9, f"draws do not follow the density: p = {p:.2g}")


# ---- Weights -------------------------------------------------------------------------------------------------------

LETTERS = "ACGT"


def draw_weights(pick: Any) -> dict[str, Any]:
    """A linear machine on columns or on sequences."""
    facts = draw_fit(pick, names=("linearsvc", "linearsvr"), kernel=False)
    facts["kernel"] = pick(
        st.sampled_from(("", "spectrum(k=2)", "normalize(spectrum(k=3))", "weighted_degree(degree=3)"))
    )
    facts["length"] = pick(st.integers(3, 8))
    facts["scale"] = pick(st.sampled_from(("standard", "none", "maxabs")))
    return facts


def judge_weights(facts: dict[str, Any], judge: Judge) -> None:
    """Weights and intercepts are the decision values; profiles sum to them."""
    sequences = bool(facts["kernel"])
    task = Task({**facts, "kernel": ""})
    with Place() as place:
        task.write(place)
        flags = task.flags()
        if sequences:
            random = np.random.default_rng(facts["seed"])
            texts = ["".join(random.choice(list(LETTERS), facts["length"])) for _ in task.x]
            place.write("train.csv", csv_text(["s", "y"], [texts, task.targets()["y"]]))
            flags = [task.model, "train.csv", "-t", "y", "-k", f"{facts['kernel']}[s]", "--text", "s"]
            flags += [word for name, value in task.settings.items() for word in ("-s", f"{name}={value}")]
        place.ask("fit", *flags, "--scale", "none" if sequences else facts["scale"], "-o", "m.mercer", "-q")
        machines = place.ask("weights", "m.mercer", "--json").json()["machines"]
        task.covers(judge)
        flag = ["--decision"] if task.labels else []
        run = place.ask("predict", "m.mercer", "train.csv", *flag)
        values = np.array([[float(field) for field in row[1 if task.labels else 0 :]] for row in run.table()[1]])
        offsets = np.array([machine["intercept"] for machine in machines.values()])
        size = float(np.abs(values).max()) or 1.0
        if sequences:
            told = place.ask("weights", "m.mercer", "train.csv", "-o", "-").table()
            sums = np.zeros_like(values)
            for row in told[1]:
                sums[int(row[1])] += [float(field) for field in row[3:]]
            judge.close("weights_profile", sums + offsets, values, 1e-6, size=size, what="profiles and intercepts")
            return
        _columns(task, list(machines.values()), values, facts["scale"], judge)


def _columns(task: Task, machines: list[dict[str, Any]], values: np.ndarray, scale: str, judge: Judge) -> None:
    rows = scaled(task.x, scale)
    for k, machine in enumerate(machines):
        weight = {entry["feature"]: entry for entry in machine["weights"]}
        f = np.full(len(rows), machine["intercept"])
        for j in range(rows.shape[1]):
            if f"x{j}" in weight:
                f = f + weight[f"x{j}"]["weight"] * rows[:, j]
                deviation = task.x[:, j].std()
                if scale == "standard" and deviation > 1e-9:
                    per_unit = weight[f"x{j}"]["weight"] / deviation
                    judge.close("weights_unit", weight[f"x{j}"]["per_unit"], per_unit, 1e-6, what="weight per unit")
        size = float(np.abs(values).max()) + abs(machine["intercept"])
        judge.close("weights_values", f, values[:, k], 1e-6, size=size, what="weights times columns, and the intercept")
