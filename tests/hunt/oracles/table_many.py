"""Categories of more than 200 levels, parts of dates, and weights of the rows of a table."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles import table_design as design
from hunt.oracles.table_answers import Case
from hunt.program import Place, Run, csv_text
from hunt.table import EPOCH, Column, Recipe, draw_table
from hunt.table_text import draw_dress, new_rows, target_flag, training
from hunt.verdict import Judge, NotApplicable


def column_of(name: str, kind: str, values: list[Any], new: list[Any]) -> Column:
    """A column whose fields are its values."""
    return Column(name, kind, {}, values, values, new, new, "")


def answers(place: Place, judge: Judge, *words: str) -> np.ndarray:
    """Answers of ridge regression to new.csv."""
    fit = place.run("fit", "ridge", "train.csv", *words, "-o", "m.mercer")
    if "is not a number, but" in fit.line():
        raise NotApplicable("a word that is left in one row is a slip among numbers")
    judge.holds("table_read", fit.code == 0, f"a sound table is refused: {fit.line()}")
    return place.must("predict", "m.mercer", "new.csv").numbers()[:, 0]


def expected(columns: list[Column], y: np.ndarray, kernel: str) -> np.ndarray:
    """The answers by hand."""
    coding = design.Design(columns)
    x, z = coding.matrix(design.learnt(columns)), coding.matrix(design.new(columns))
    return design.ridge(design.on_matrix(kernel, x, x, x), y, design.on_matrix(kernel, z, x, x))


# ---- Many levels ---------------------------------------------------------------------------------------------------


def draw_levels(pick: Any) -> Recipe:
    """Up to 200 levels in three rows each, and rarer ones."""
    return {
        "levels": pick(st.sampled_from((199, 200, 201, 202, 230))),
        "seed": pick(st.integers(0, 999)),
        "kernel": pick(st.sampled_from(design.KERNELS)),
        "digits": pick(st.booleans()),
    }


def judge_levels(facts: Recipe, judge: Judge) -> None:
    """At most 200 levels have columns of their own, the most frequent ones; the rest share one."""
    random = np.random.default_rng(facts["seed"])
    names = [f"{k}more" if facts["digits"] else f"place {k}" for k in range(facts["levels"])]
    if facts["digits"]:
        names = [name if k % 4 == 0 else name.removesuffix("more") for k, name in enumerate(names)]
    levels = [name for k, name in enumerate(names) for _ in range(3 if k < design.MOST_LEVELS else 2)]
    levels = random.permutation(levels).tolist()
    new = [names[0], names[-1], names[-2], names[design.MOST_LEVELS - 2], "never seen", names[1]]
    n = len(levels)
    x, fresh = np.round(random.standard_normal(n), 4).tolist(), np.round(random.standard_normal(6), 4).tolist()
    y = np.round(random.standard_normal(n) + np.array([len(level) + hash_of(level) for level in levels]), 4)
    columns = [column_of("x", "number", x, fresh), column_of("w", "category", levels, new)]
    with Place() as place:
        place.write("train.csv", csv_text(["x", "w", "y"], [x, levels, y.tolist()]))
        place.write("new.csv", csv_text(["x", "w"], [fresh, new]))
        found = answers(place, judge, "-t", "y", "-k", facts["kernel"])
    judge.close("table_levels", found, expected(columns, y, facts["kernel"]), 1e-7, what=f"answers of {n} rows")
    judge.covers("model ridge")


def hash_of(text: str) -> int:
    """A small number that depends on a text."""
    return sum(map(ord, text)) % 5


# ---- Parts of dates ------------------------------------------------------------------------------------------------


def draw_parts(pick: Any) -> Recipe:
    """Dates, with times or without."""
    return {
        "rows": pick(st.integers(24, 60)),
        "seed": pick(st.integers(0, 999)),
        "times": pick(st.booleans()),
        "kernel": pick(st.sampled_from(design.KERNELS)),
    }


def judge_parts(facts: Recipe, judge: Judge) -> None:
    """--dates parts adds the day of the year, from 1, that of the week, 1 being Monday, and the hour."""
    n, random = facts["rows"], np.random.default_rng(facts["seed"])
    seconds = random.integers(0, 6000, n + 5) * 86400 * 3 + random.integers(0, 86400, n + 5) * facts["times"]
    moments = [EPOCH + datetime.timedelta(seconds=int(s)) for s in seconds]
    form = "%Y-%m-%d %H:%M:%S" if facts["times"] else "%Y-%m-%d"
    fields = [f"{moment:{form}}" for moment in moments]
    parts = {
        "when": [s / 86400 for s in seconds],
        "when_yearday": [moment.timetuple().tm_yday for moment in moments],
        "when_weekday": [moment.isoweekday() for moment in moments],
    }
    if facts["times"]:
        parts["when_hour"] = [(s % 86400) / 3600 for s in seconds]
    columns = [column_of(name, "number", list(v[:n]), list(v[n:])) for name, v in parts.items()]
    y = np.round(random.standard_normal(n) + np.array(parts["when_weekday"][:n]), 4)
    with Place() as place:
        place.write("train.csv", csv_text(["when", "y"], [fields[:n], y.tolist()]))
        place.write("new.csv", csv_text(["y", "when"], [[0.5] * 5, fields[n:]]))
        found = answers(place, judge, "-t", "y", "-k", facts["kernel"], "--dates", "parts")
    judge.close("table_parts", found, expected(columns, y, facts["kernel"]), 1e-7, what="answers of parts of dates")


# ---- Weights -------------------------------------------------------------------------------------------------------


def draw_weights(pick: Any) -> Recipe:
    """A table with whole weights of its rows."""
    facts = draw_table(pick)
    facts["lost_targets"] = 0.0
    facts["dress"] = {**draw_dress(pick, facts), "header": True}
    facts["kernel"] = pick(st.sampled_from((*design.KERNELS, "parts", "hamming")))
    facts.update(scale=pick(st.sampled_from(("standard", "robust"))), missing="", without_target=True, used_alone=False)
    facts["most"] = pick(st.integers(1, 3))
    return facts


def judge_weights(facts: Recipe, judge: Judge) -> None:
    """A weight of 2 is the row twice, 0 leaves it out: in medians, levels and scales too."""
    case = Case(facts)
    n, random = facts["rows"], np.random.default_rng([facts["seed"], 3])
    weights = random.integers(0, facts["most"] + 1, n)
    weights[:4] = 1
    rows = [i for i in range(n) for _ in range(weights[i])]
    if any(len({column.values[i] for i in rows} - {None}) < 2 for column in case.inputs()):
        raise NotApplicable("a column that is constant where rows count")
    # Words that stand once make a text, and may be categories where their rows come again.
    table = case.table
    columns = [c for c in table.columns if c.recipe["kind"] not in ("unique", "text")]
    fields = [str(weight) for weight in weights]
    weighed = replace(columns[0], name="how often", fields=fields, new_fields=["1"] * table.new_rows)
    words = [*target_flag(table, case.dress), *case.dress.reading(), "-k", case.kernel(), "--scale", facts["scale"]]
    with Place() as place:
        place.write("weighed.csv", training(table, case.dress, [*columns, weighed]))
        place.write("new.csv", new_rows(table, case.dress))
        found = _fitted(place, judge, case, "weighed.csv", *words, "--weights", "how often")
        table.target = [table.target[i] for i in rows]
        place.write("repeated.csv", training(table, case.dress, [column.chosen(rows) for column in columns]))
        other = _fitted(place, judge, case, "repeated.csv", *words)
    size = float(np.abs(case.y).max())
    judge.close("table_weights", found.numbers(), other.numbers(), 1e-7, size=size, what="answers of weights as copies")


def _fitted(place: Place, judge: Judge, case: Case, file: str, *words: str) -> Run:
    fit = place.run("fit", "ridge", file, *words, "-o", "m.mercer")
    if file == "repeated.csv" and "entries are; correct such entries" in fit.line():
        raise NotApplicable("words that are as rare as mistakes once rows are left out or come again")
    judge.holds("table_read", fit.code == 0, f"a sound table is refused: {fit.line()}")
    return place.must("predict", "m.mercer", "new.csv", *case.dress.reading())
