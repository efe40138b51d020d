"""Frames of pandas and polars against the program on the CSV of the same table: fits, answers, model files both ways.

Texts of a frame are read as fields of a file whose separator is the comma: decimal commas are not drawn. Neither are
marks of missing values that quotes make words: a frame has no quotes.
"""

from __future__ import annotations

import datetime
import importlib.util
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.engine import INTERNAL
from hunt.oracles.table_answers import Case
from hunt.oracles.table_design import KERNELS, on_matrix, ridge
from hunt.program import Place
from hunt.table import DATES, Column, Recipe, draw_table
from hunt.table_text import new_rows, target_flag, training
from hunt.verdict import Finding, Judge, NotApplicable
from mercer.kernel_ridge import KernelRidge

EMPTY = {"text": "", "none": None, "nan": float("nan")}


def draw_frames(pick: Any) -> Recipe:
    """A table, a kernel, and the types of the frame's columns."""
    facts = draw_table(pick, files=False)
    facts["lost_targets"] = 0.0
    facts["dress"] = {"separator": "comma", "header": True, "quotes": "needed", "told": False}
    facts["kernel"] = pick(st.sampled_from((*KERNELS, "parts", "hamming")))
    facts.update(scale="standard", missing="", without_target=True, used_alone=False)
    facts["typed"] = pick(st.lists(st.booleans(), min_size=7, max_size=7))
    facts["empty"] = pick(st.sampled_from(sorted(EMPTY)))
    facts["dtype"] = pick(st.sampled_from(("object", "string", "category")))
    return facts


def judge_frames(facts: Recipe, judge: Judge) -> None:
    """All ways to give the same table give the same answers."""
    if importlib.util.find_spec("pandas") is None or importlib.util.find_spec("polars") is None:
        raise NotApplicable("no pandas or no polars")
    case = Case(facts)
    frames = Frames(case)
    with Place() as place:
        place.write("train.csv", training(case.table, case.dress))
        place.write("new.csv", new_rows(case.table, case.dress))
        words = [*target_flag(case.table, case.dress), "-k", case.kernel()]
        fit = place.run("fit", "ridge", "train.csv", *words, "-o", "m.mercer")
        judge.holds("frame_read", fit.code == 0, f"a sound table is refused: {fit.line()}")
        expected = place.must("predict", "m.mercer", "new.csv").numbers()[:, 0]
        size = float(np.abs(case.y).max())
        train, new = frames.texts(), frames.texts(new=True)
        model, found = answered(case, train, new, "texts of pandas")
        judge.close("frame_program", found, expected, 1e-10, size=size, what="answers to a pandas frame of texts")
        _, other = answered(case, frames.polars(), frames.polars(new=True), "texts of polars")
        judge.same("frame_polars", other, found, "answers to a polars frame of texts")
        _, typed = answered(case, frames.typed(), frames.typed(new=True), "typed columns of pandas")
        judge.close("frame_typed", typed, expected, 1e-10, size=size, what="answers to a pandas frame with types")
        _, typed = answered(case, frames.polars_typed(), frames.polars_typed(new=True), "typed columns of polars")
        judge.close("frame_typed", typed, expected, 1e-10, size=size, what="answers to a polars frame with types")
        turned = new[list(reversed(new.columns))].assign(**{"one more": 3.0})
        again = called(model.predict, turned, "columns in another order")
        judge.same("frame_order", again, found, "answers to columns in another order")
        loaded = called(KernelRidge.load, place.path / "m.mercer", "a model of the program")
        same = called(loaded.predict, new, "rows for a model of the program")
        judge.close("frame_load", same, expected, 1e-12, size=size, what="answers of a model of the program")
        model.save(place.path / "p.mercer")
        run = place.must("predict", "p.mercer", "new.csv")
        judge.close("frame_save", run.numbers()[:, 0], found, 1e-12, size=size, what="the program's answers")
    judge.covers("model ridge")


def called(function: Any, argument: Any, what: str) -> Any:
    """Call Python; what the program takes may not be refused."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = function(argument)
        except (ValueError, TypeError, KeyError) as error:
            raise Finding("frame_read", f"{what}: {type(error).__name__}: {error}") from error
    for one in said:
        if any(word in str(one.message) for word in INTERNAL) or issubclass(one.category, RuntimeWarning):
            raise Finding("messages", f"{what}: a warning says {one.message}")
    return found


def answered(case: Case, train: Any, new: Any, what: str) -> tuple[Any, np.ndarray]:
    """A model of the frame, and its answers."""
    model = KernelRidge(alpha=1, kernel=case.kernel().replace("rbf()", "rbf(gamma=scale)"), parametric="constant")
    called(lambda frame: model.fit(frame, case.y), train, what)
    return model, np.asarray(called(model.predict, new, what))


# ---- Frames of numbers alone ----------------------------------------------------------------------------------------


def draw_matrix(pick: Any) -> Recipe:
    """Columns of numbers of any type, with and without gaps."""
    kinds = st.sampled_from(("float64", "Float64", "object", "text", "Int64", "bool"))
    return {
        "rows": pick(st.integers(6, 40)),
        "seed": pick(st.integers(0, 999)),
        "columns": pick(st.lists(st.tuples(kinds, st.sampled_from((0.0, 0.0, 0.3))), min_size=1, max_size=5)),
        "kernel": pick(st.sampled_from(KERNELS)),
        "constant": pick(st.booleans()),
    }


def judge_matrix(facts: Recipe, judge: Judge) -> None:
    """A matrix in its units: medians where numbers are missing, columns that say so, constant columns as they are."""
    if importlib.util.find_spec("pandas") is None:
        raise NotApplicable("no pandas")
    import pandas as pd

    n, random = facts["rows"], np.random.default_rng(facts["seed"])
    frame, blocks = {}, []
    for place, (kind, share) in enumerate(facts["columns"]):
        x = (
            np.round(random.standard_normal(n + 5), 3)
            if kind not in ("Int64", "bool")
            else random.integers(0, 2, n + 5)
        )
        x = np.full(n + 5, 1.0) if facts["constant"] and place == 1 else x.astype(float)
        gaps = (random.random(n + 5) < share) & (kind != "bool")
        gaps[:2] = False  # avoided: a column without a number
        median = float(np.median(x[:n][~gaps[:n]]))
        blocks.append(np.where(gaps, median, x)[:, None])
        if gaps[:n].any():
            blocks.append(gaps[:, None].astype(float))
        values = [None if gap else value for gap, value in zip(gaps, x.tolist(), strict=True)]
        if kind == "text":
            values = [None if value is None else str(value) for value in values]
        dtype: Any = {"text": object}.get(kind, kind)
        frame[f"v{place}"] = pd.Series(values, dtype=dtype)
    made = pd.DataFrame(frame)
    y = np.round(random.standard_normal(n), 3)
    design_of = np.hstack(blocks)
    x, z = design_of[:n], design_of[n:]
    if x.var() == 0:
        raise NotApplicable("a constant matrix")
    model = KernelRidge(alpha=1, kernel=facts["kernel"].replace("rbf()", "rbf(gamma=scale)"), parametric="constant")
    called(lambda rows: model.fit(rows, y), made[:n], "a frame of numbers")
    found = called(model.predict, made[n:], "new rows of numbers")
    expected = ridge(on_matrix(facts["kernel"], x, x, x), y, on_matrix(facts["kernel"], z, x, x))
    judge.close("frame_matrix", found, expected, 1e-8, what="answers to a frame of numbers")


# ---- The table as frames --------------------------------------------------------------------------------------------


class Frames:
    """The table as frames."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.columns = case.table.columns

    def texts(self, *, new: bool = False) -> Any:
        """Pandas: every field as the file has it."""
        import pandas as pd

        found = {}
        for column in self.columns:
            fields = [self._text(field, column) for field in (column.new_fields if new else column.fields)]
            found[column.name] = pd.Series(fields, dtype=object)
        return pd.DataFrame(found)

    def polars(self, *, new: bool = False) -> Any:
        """Polars: the same."""
        import polars as pl

        frame = self.texts(new=new)
        return pl.DataFrame(
            {
                name: pl.Series(name, [f if isinstance(f, str) else None for f in frame[name]], dtype=pl.String)
                for name in frame.columns
            }
        )

    def _text(self, field: str | None, column: Column) -> Any:
        if field is not None:
            return field
        return column.mark if self.case.facts["empty"] == "text" else EMPTY[self.case.facts["empty"]]

    def typed(self, *, new: bool = False) -> Any:
        """Pandas: numbers, categories, dates and truth values as their types, where the recipe wants that."""
        import pandas as pd

        frame = self.texts(new=new)
        for column, what, values in self._types(new=new):
            if what == "moment":
                frame[column.name] = pd.to_datetime(pd.Series(values, dtype=object))
            elif what == "truth":
                frame[column.name] = pd.Series(values, dtype="boolean" if None in values else "bool")
            else:
                frame[column.name] = pd.Series(values, dtype=float if what == "number" else self.case.facts["dtype"])
        return frame

    def polars_typed(self, *, new: bool = False) -> Any:
        """Polars: the same."""
        import polars as pl

        types = {"moment": pl.Datetime, "truth": pl.Boolean, "number": pl.Float64, "category": pl.Categorical}
        frame = self.polars(new=new)
        columns = [pl.Series(column.name, values, dtype=types[what]) for column, what, values in self._types(new=new)]
        return frame.with_columns(columns)

    def _types(self, *, new: bool) -> Iterator[tuple[Column, str, list[Any]]]:
        """Columns that get a type of their own, which it is, and their values."""
        for place, column in enumerate(self.columns):
            if place == 1 or not self.case.facts["typed"][place]:
                continue  # a column of words makes it a table
            values: list[Any] = list(column.new_values if new else column.values)
            if column.recipe["kind"] in DATES and column.recipe["kind"] not in ("clock", "noon"):
                yield column, "moment", [None if value is None else _moment(value) for value in values]
            elif column.kind == "number":
                yield column, "number", values
            elif set(column.values) <= {"True", "False", None} and set(column.new_values) <= {"True", "False", None}:
                if column.kind == "category":
                    yield column, "truth", [None if value is None else value == "True" for value in values]
            elif column.kind == "category":
                yield column, "category", values


def _moment(days: float) -> datetime.datetime:
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=round(days * 86400))
