"""Tables learnt by the program against their coding written out in NumPy, with ridge regression upon it."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles import table_design as design
from hunt.program import Place, Run
from hunt.table import Column, Recipe, Table, draw_table
from hunt.table_text import draw_dress, dress_of, new_rows, target_flag, training
from hunt.verdict import Judge, NotApplicable

MODERATE = {"floats", "few", "binary", "signs"}  # numbers that need no scaling


def draw_design(pick: Any) -> Recipe:
    """A table, how it is written, a kernel, a scaling and what missing numbers are."""
    facts = draw_table(pick)
    facts["dress"] = draw_dress(pick, facts)
    facts["kernel"] = pick(st.sampled_from((*design.KERNELS, "parts", "hamming")))
    facts["scale"] = pick(st.sampled_from(("standard", *design.SCALES)))
    facts["missing"] = pick(st.sampled_from(("", "", "indicator", "fill", "drop", "present")))
    facts["without_target"] = pick(st.booleans())
    facts["used_alone"] = pick(st.booleans())
    return facts


class Case:
    """A table with the columns that a model uses, as far as the oracle knows them."""

    def __init__(self, facts: Recipe) -> None:
        self.facts = facts
        self.table = Table(facts)
        self.dress = dress_of(facts["dress"])
        numbers = {c.recipe["kind"] for c in self.table.columns if c.kind == "number"}
        self.scale = facts["scale"] if numbers <= MODERATE else "standard"
        self.rule = facts["missing"] or "indicator"
        rows = self.table.learnt
        if self.rule == "drop" and facts["kernel"] != "hamming":  # which does not look at numbers
            rows = [i for i in rows if all(c.values[i] is not None for c in self.inputs() if c.kind == "number")]
        if len(rows) < 8:
            raise NotApplicable("few rows are left")
        self.rows = rows
        self.used = [column.chosen(rows) for column in self.inputs()]
        numbers = facts["target"] == "numbers"
        self.y = np.array([float(self.table.target[i] or "nan") if numbers else np.nan for i in rows])

    def inputs(self) -> list[Column]:
        """The columns that are used, with all their rows."""
        return [column for column in self.table.columns if column.kind != "left_out"]

    def names(self, kind: str) -> list[str]:
        """Columns of a kind."""
        return [column.name for column in self.used if column.kind == kind]

    def shown(self, name: str) -> str:
        """A column in messages."""
        if self.dress.header:
            return name
        place = [column.name for column in self.table.columns].index(name)
        return f"column {place + (place >= self.table.place)}"

    def called(self, name: str) -> str:
        """A column in a subscript."""
        if self.dress.header:
            escaped = name.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        place = [column.name for column in self.table.columns].index(name)
        return str(place + (place >= self.table.place))

    def kernel(self) -> str:
        """The text of the kernel."""
        numbers, words = self.names("number"), self.names("category")
        if self.facts["kernel"] == "parts":
            if self.rule == "present":
                parts = [f"if_present(rbf(gamma=0.3))[{self.called(name)}]" for name in numbers]
            else:
                parts = [f"rbf(gamma=0.3)[{', '.join(map(self.called, numbers))}]"]
            return " + ".join([*parts, *(f"0.5*delta()[{self.called(name)}]" for name in words)])
        if self.facts["kernel"] == "hamming":
            return f"hamming(gamma=0.4)[{', '.join(map(self.called, words))}]"
        return str(self.facts["kernel"])

    def grams(self) -> tuple[np.ndarray, np.ndarray]:
        """The kernel matrix of the rows, and that of the new rows with them."""
        rule = "kernel" if self.rule == "present" and self.facts["kernel"] == "parts" else self.rule
        coding = design.Design(self.used, missing="indicator" if rule == "present" else rule, scale=self.scale)
        old, fresh = design.learnt(self.used), design.new(self.used)
        if self.facts["kernel"] == "hamming":
            known = [old[name] for name in self.names("category")]
            listed = [fresh[name] for name in self.names("category")]
            return design.hamming(known, known, known, 0.4), design.hamming(listed, known, known, 0.4)
        if self.facts["kernel"] == "parts":
            return self._parts(coding, old, old), self._parts(coding, fresh, old)
        x, z = coding.matrix(old), coding.matrix(fresh)
        return design.on_matrix(self.facts["kernel"], x, x, x), design.on_matrix(self.facts["kernel"], z, x, x)

    def _parts(self, coding: design.Design, left: dict[str, Any], right: dict[str, Any]) -> np.ndarray:
        numbers, total = self.names("number"), 0.0
        if self.rule == "present":
            for name in numbers:
                x, y = (coding.named([name], rows) for rows in (left, right))
                values = np.exp(-0.3 * design.squared_distances(x, y))
                total = total + design.if_present(values, x[:, 0], y[:, 0])
        else:
            x, y = (coding.named(numbers, rows) for rows in (left, right))
            total = np.exp(-0.3 * design.squared_distances(x, y))
        old = design.learnt(self.used)
        for name in self.names("category"):
            total = total + 0.5 * design.delta(left[name], right[name], old[name])
        return np.asarray(total)

    def flags(self) -> list[str]:
        """Flags of the fit."""
        flags = [*target_flag(self.table, self.dress), *self.dress.reading(), "--scale", self.scale]
        if self.facts["missing"] not in ("", "present"):
            flags += ["--missing", self.rule]
        return [*flags, "-k", self.kernel()]

    def new_file(self) -> str:
        """The new rows; columns that the model does not use may be absent where columns have names."""
        alone = self.facts["used_alone"] and self.dress.header
        columns = [c for c in self.table.columns if not alone or c.kind != "left_out"]
        return new_rows(self.table, self.dress, columns, target=not self.facts["without_target"])


def judge_design(facts: Recipe, judge: Judge) -> None:
    """The answers are those of the matrix that the docs describe; what is said of columns is what they are."""
    case = Case(facts)
    with Place() as place:
        place.write("train.csv", training(case.table, case.dress))
        place.write("new.csv", case.new_file())
        fit = place.run("fit", "ridge", "train.csv", *case.flags(), "-o", "m.mercer", "--json")
        judge.holds("table_read", fit.code == 0, f"a sound table is refused: {fit.line()}")
        judge_report(case, fit, judge)
        run = place.run("predict", "m.mercer", "new.csv", *case.dress.reading())
        judge.holds("table_read", run.code == 0, f"new rows are refused: {run.line()}")
        judge_unknown(case, run, judge)
        judge_answers(case, run, judge)
    judge.covers("model ridge")


def judge_answers(case: Case, run: Run, judge: Judge) -> None:
    """Answers to the new rows; none for rows that --missing drop leaves out."""
    rows = [row[0] for row in run.table()[1]]
    judge.holds("table_rows", len(rows) == case.table.new_rows, f"{len(rows)} answers for {case.table.new_rows} rows")
    keep = kept_rows(case)
    empty = [not row for row in rows]
    judge.same("table_dropped", np.array(empty), ~keep, "the rows without an answer")
    k, k_new = case.grams()
    expected = design.ridge(k, case.y, np.nan_to_num(k_new))
    found = np.array([float(row) for row, kept in zip(rows, keep, strict=True) if kept])
    size = float(np.abs(case.y).max())
    judge.close("table_design", found, expected[keep], 1e-7, size=size, what=f"answers of {case.kernel()}")


def kept_rows(case: Case) -> np.ndarray:
    """The new rows that --missing drop answers: those that lack no number that the kernel looks at."""
    keep = np.ones(case.table.new_rows, dtype=bool)
    if case.rule == "drop" and case.facts["kernel"] != "hamming":
        for column in case.used:
            if column.kind == "number":
                keep &= [value is not None for value in column.new_values]
    return keep


def judge_report(case: Case, fit: Run, judge: Judge) -> None:
    """What is left out, what is a category, and what is missing where all columns are looked at."""
    if case.facts["kernel"] in ("parts", "hamming"):
        return
    coding = fit.json()["coding"]
    called = {c.name: case.shown(c.name) for c in case.table.columns}
    left_out = {called[c.name] for c in case.table.columns if c.kind == "left_out"}
    judge.holds("table_kinds", set(coding["left_out"]) == left_out, f"left out {coding['left_out']} for {left_out}")
    words = {called[name] for name in case.names("category")}
    judge.holds("table_kinds", set(coding["categories"]) == words, f"categories {coding['categories']} for {words}")
    judge.holds("table_kinds", coding["numbers"] == len(case.names("number")), f"{coding['numbers']} numbers")
    if len(case.table.learnt) == case.facts["rows"] and case.rule in ("indicator", "fill"):
        missing = {called[c.name]: c.values.count(None) for c in case.used if None in c.values}
        judge.holds("table_missing", coding["missing_values"] == missing, f"{coding['missing_values']} for {missing}")


def judge_unknown(case: Case, run: Run, judge: Judge) -> None:
    """Rows of new levels are counted in one warning, by column."""
    if case.facts["kernel"] == "parts" and case.rule == "present":
        return  # nothing is coded then
    kept, read = kept_rows(case), design.learnt(case.used)
    for column in case.used:
        new = [value for value, keep in zip(column.new_values, kept, strict=True) if keep]
        count = sum(value not in read[column.name] for value in new)
        if column.kind == "category" and count:
            said = f"{case.shown(column.name)} {count}"
            judge.holds("table_unknown", said in run.err, f"nothing is said of new levels ({said}): {run.line()}")
