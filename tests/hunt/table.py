"""Tables that people bring, as recipes: columns of every kind that docs/tables.md names, rows to learn and new rows.

A recipe is what JSON can hold; ``Table`` makes columns of it, the same ones every time. What a column becomes is drawn,
not guessed: fields are far from where it is a matter of taste whether words are categories or texts.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.verdict import NotApplicable

Recipe = dict[str, Any]
Value = float | str | None

PLAIN = ("floats", "integers", "few", "binary", "huge", "tiny", "far", "powers", "signs", "rising")
NUMBERS = (*PLAIN, "grouped", "swiss")
COMMAS = ("comma", "european")  # not where commas separate fields
CATEGORIES = ("words", "dozens", "rare", "truth", "odd")
QUOTED = ("marks",)  # levels that are missing values without their quotes: of files alone
DATES = ("iso", "slashes", "long", "spoken", "month", "british", "american", "german", "stamp", "clock", "noon")
LEFT_OUT = ("constant", "one_number", "empty", "unique", "text")
HOLES = (0.0, 0.0, 0.15, 0.5)
MARKS = ("", "NA", "?", "nan", "null", "N/A", "n/a", "#N/A", "<NA>", "NULL", "NaN")
NUMBER_MARKS = (*MARKS, "-", ".", "none", "None", "NaT")  # the last ones are levels among words

NAMES = ("age", "body mass", "größe", "x-1", "price (EUR)", 'the "rate"', "a;b", "x|y", "名前", "2014", "a=b", "if")
WORDS = ("red", "dark blue", "green, or so", 'the "best"', "grün", "x;y", "a|b", "A", "a", "none", "-", "7 up", "=1")
TRUTHS = (("yes", "no"), ("t", "f"), ("true", "false"), ("True", "False"), ("Yes", "No"), ("TRUE", "FALSE"))
EPOCH = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Column:
    """One column: what its fields say, and what they mean.

    Attributes
    ----------
    kind : str
        number, category, or left_out.
    fields, values : list
        Of the rows to learn: texts and their meaning; None is missing.
    new_fields, new_values : list
        Of the new rows.
    mark : str
        How missing values are written.
    """

    name: str
    kind: str
    recipe: Recipe
    fields: list[str | None]
    values: list[Value]
    new_fields: list[str | None]
    new_values: list[Value]
    mark: str

    def chosen(self, rows: Any) -> Column:
        """Some of the rows to learn."""
        return replace(self, fields=[self.fields[i] for i in rows], values=[self.values[i] for i in rows])


# ---- Drawing -------------------------------------------------------------------------------------------------------


def draw_table(pick: Any, *, files: bool = True, targets: tuple[str, ...] = ("numbers",)) -> Recipe:
    """Draw a table; it always has a number without gaps and a category, so that something can be learnt.

    ``files``: with columns that only files have, where fields have quotes and a separator.
    """
    kinds = [*NUMBERS, *CATEGORIES, *CATEGORIES, *DATES, *LEFT_OUT, *((*COMMAS, *QUOTED) if files else ())]
    columns = [{"kind": "floats", "holes": 0.0}, {"kind": pick(st.sampled_from(CATEGORIES)), "holes": 0.0}]
    for kind in pick(st.lists(st.sampled_from(kinds), max_size=5)):
        columns.append({"kind": kind, "holes": pick(st.sampled_from(HOLES)), "mark": pick(st.integers(0, 20))})
        if kind in DATES:
            columns[-1]["times"] = pick(st.booleans())
    return {
        "rows": pick(st.integers(24, 60)),
        "seed": pick(st.integers(0, 999)),
        "columns": columns,
        "target": pick(st.sampled_from(targets)),
        "target_place": pick(st.integers(0, 7)),
        "lost_targets": pick(st.sampled_from((0.0, 0.0, 0.1))),
        "new_holes": pick(st.booleans()),
        "unknown": pick(st.booleans()),
        "plain_names": pick(st.booleans()),
    }


class Table:
    """The columns of a recipe and a target that depends on them."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        n = recipe["rows"]
        self.columns = [made(recipe, place) for place in range(len(recipe["columns"]))]
        self.new_rows = len(self.columns[0].new_fields)
        random = np.random.default_rng([recipe["seed"], 7])
        y = _signal(self.columns, n) + 0.2 * random.standard_normal(n)
        self.target: list[str | None] = _targets(recipe, y)
        lost = random.random(n) < recipe["lost_targets"]
        lost[:4] = False
        self.target = [None if gone else field for gone, field in zip(lost, self.target, strict=True)]
        self.target_name = "y" if recipe["plain_names"] else "the target"
        self.place = min(recipe["target_place"], len(self.columns))
        known = {field for field in self.target if field is not None}
        if len(known) < 2:
            raise NotApplicable("one class")

    @property
    def learnt(self) -> list[int]:
        """The rows that have a target."""
        return [i for i, field in enumerate(self.target) if field is not None]

    def used(self) -> list[Column]:
        """The columns that a model uses, with the rows that have a target alone."""
        return [column.chosen(self.learnt) for column in self.columns if column.kind != "left_out"]


def made(recipe: Recipe, place: int) -> Column:
    """The column at a place of the recipe."""
    facts = recipe["columns"][place]
    kind, n = facts["kind"], recipe["rows"]
    random = np.random.default_rng([recipe["seed"], 11, place])
    fields, values = MAKERS[kind](random, n + 8, facts)
    what = "number" if kind in (*NUMBERS, *COMMAS, *DATES) else "left_out" if kind in LEFT_OUT else "category"
    holes = random.random(n + 8) < facts["holes"]
    holes[:4] = False  # a column keeps some of its fields
    holes[n:] &= recipe["new_holes"]
    if kind in ("constant", "one_number"):
        holes[:] = False  # with gaps they say something: being there or not
    if recipe["new_holes"] and what != "left_out":
        holes[n + 3] = True
    if kind == "rising":
        holes[:] = False
    fields = [None if hole else field for hole, field in zip(holes, fields, strict=True)]
    values = [None if hole else value for hole, value in zip(holes, values, strict=True)]
    if recipe["unknown"] and what == "category":
        fields[n + 1] = values[n + 1] = "never seen"
        fields[n + 5] = values[n + 5] = "12"
    marks = NUMBER_MARKS if what == "number" else MARKS
    name = f"v{place}" if recipe["plain_names"] else f"{NAMES[(place + recipe['seed']) % len(NAMES)]}"
    if kind == "rising":
        name = "id" if recipe["plain_names"] else "the index"
    if [column["kind"] for column in recipe["columns"]].index(kind) != place or name in NAMES:
        name = f"{name} {place}" if name != "2014" else f"{2014 + place}"
    mark = marks[facts.get("mark", 0) % len(marks)]
    column = Column(name, what, facts, fields[:n], values[:n], fields[n:], values[n:], mark)
    present = {column.values[i] for i in range(n) if column.values[i] is not None}
    if what != "left_out" and len(present) < 2:
        raise NotApplicable("a column that came out constant")
    return column


def _signal(columns: list[Column], n: int) -> np.ndarray:
    total = np.zeros(n)
    for column in columns:
        if column.kind == "number":
            x = np.array([np.nan if value is None else value for value in column.values], dtype=float)
            total += np.nan_to_num((x - np.nanmean(x)) / np.nanstd(x))
        elif column.kind == "category":
            total += [len(str(value)) % 3 for value in column.values]
    return total


def _targets(recipe: Recipe, y: np.ndarray) -> list[str | None]:
    rank = np.argsort(np.argsort(y))
    half, third = rank * 2 // len(y), rank * 3 // len(y)
    if recipe["target"] == "words":
        return [("low", "high end", "in, between")[k] for k in third]
    if recipe["target"] == "digits":
        return [str(k) for k in half]
    if recipe["target"] == "truth":
        return [("no", "yes")[k] for k in half]
    return [f"{value:.7g}" for value in y]


# ---- Columns of a kind: fields and their meaning -------------------------------------------------------------------

Made = tuple[list[Any], list[Any]]
Maker = Callable[[np.random.Generator, int, Recipe], Made]


def _numbers(random: np.random.Generator, n: int, facts: Recipe) -> Made:
    z = random.standard_normal(n)
    kind = facts["kind"]
    if kind == "integers":
        fields = [str(value) for value in random.integers(-500, 500, n)]
    elif kind == "few":
        fields = [str(value) for value in random.integers(1, 6, n)]
    elif kind == "binary":
        fields = [str(value) for value in random.integers(0, 2, n)]
    elif kind == "rising":
        fields = [str(value) for value in range(1, n + 1)]
    elif kind == "signs":
        fields = [f"{value:+.2f}".replace("0.", ".", 1) for value in z]
    elif kind == "powers":
        fields = [f"{value:.4e}" if k % 2 else f"{value:.4E}" for k, value in enumerate(1e3 * z)]
    else:
        unit, offset = {"huge": (1e12, 0.0), "tiny": (1e-12, 0.0), "far": (1.0, 1e5)}.get(kind, (1.0, 0.0))
        fields = [f"{unit * value + offset:.9g}" for value in z]
    return fields, [float(field) for field in fields]


def _notation(random: np.random.Generator, n: int, facts: Recipe) -> Made:
    """Numbers with separators; the first two settle which sign is which."""
    cents = np.round(np.abs(random.standard_normal(n)) * 4e5, 2)
    cents[:2] = 1234567.25, 2345678.5
    cents[2::5] = np.round(cents[2::5] / 1e4, 2)
    english = [f"{value:,.2f}" for value in cents]
    swap = str.maketrans(",.", ".,")
    if facts["kind"] == "grouped":
        fields = english
    elif facts["kind"] == "swiss":  # groups alone, without decimals
        cents = np.round(cents)
        fields = [f"{value:,.0f}" for value in cents]
    elif facts["kind"] == "european":
        fields = [field.translate(swap) for field in english]
    else:
        fields = [field.replace(",", "").replace(".", ",") for field in english]
    return fields, [float(value) for value in cents]


def _levels(random: np.random.Generator, n: int, facts: Recipe) -> Made:
    kind = facts["kind"]
    if kind == "truth":
        levels: Any = TRUTHS[random.integers(len(TRUTHS))]
    elif kind == "dozens":
        levels = ("2", "3", "4", "5more")
    elif kind == "marks":
        levels = ("NA", "?", "nan", "x")
    elif kind == "odd":
        levels = tuple(random.choice(WORDS, 4, replace=False).tolist())
    else:
        levels = ("red", "blue", "light green", "Rot")
    shares = np.array([0.5, 0.42, 0.05, 0.03]) if kind == "rare" else np.ones(len(levels))
    codes = random.choice(len(levels), n, p=shares / shares.sum())
    codes[:4] = 0, 1, 0, len(levels) - 1
    fields = [levels[code] for code in codes]
    return fields, list(fields)


def _dates(random: np.random.Generator, n: int, facts: Recipe) -> Made:
    kind = facts["kind"]
    days = random.integers(3000, 20000, n)
    moments = [EPOCH + datetime.timedelta(days=int(day)) for day in days]
    moments[:2] = datetime.datetime(2014, 5, 21), datetime.datetime(2013, 12, 31)  # tell days from months
    if kind in ("clock", "noon"):
        minutes = random.integers(0, 1440, n).tolist()
        times = [datetime.time(minute // 60, minute % 60) for minute in minutes]
        form = "%H:%M" if kind == "clock" else "%I:%M %p"
        fields = [f"{time:{form}}".removeprefix("0") if kind == "noon" else f"{time:{form}}" for time in times]
        return fields, [minute / 60 for minute in minutes]
    if kind == "month":
        moments = [moment.replace(day=1) for moment in moments]
    with_time = kind == "stamp" or (facts.get("times") and kind in ("iso", "slashes", "long", "spoken"))
    if with_time:
        seconds = random.integers(0, 86400, n).tolist()
        moments = [moment + datetime.timedelta(seconds=s) for moment, s in zip(moments, seconds, strict=True)]
    form = {
        "iso": "%Y-%m-%d",
        "slashes": "%Y/%m/%d",
        "long": "%d %b %Y",
        "spoken": "%B %d, %Y",
        "month": "%Y-%m",
        "british": "%d/%m/%Y",
        "american": "%m/%d/%Y",
        "german": "%d.%m.%Y",
        "stamp": "%Y-%m-%dT%H:%M:%S",
    }[kind]
    if with_time and kind != "stamp":
        form += " %H:%M:%S"
    return [f"{moment:{form}}" for moment in moments], [(m - EPOCH).total_seconds() / 86400 for m in moments]


def _left_out(random: np.random.Generator, n: int, facts: Recipe) -> Made:
    kind = facts["kind"]
    if kind == "empty":
        return [None] * n, [None] * n
    if kind == "constant":
        fields = ["the same"] * n
    elif kind == "one_number":
        fields = ["3.5"] * n
    elif kind == "unique":
        fields = [f"Mr. {name:04d} of {chr(65 + k % 26)}x" for k, name in enumerate(random.permutation(n).tolist())]
    else:
        words = ("a", "quiet", "house", "with", "view", "and", "garden", "near", "the", "station")
        fields = [" ".join(random.choice(words, 12)) + f" call {random.integers(10**6)}" for _ in range(n)]
    return fields, list(fields)


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(NUMBERS, _numbers),
    **dict.fromkeys(("grouped", "swiss", *COMMAS), _notation),
    **dict.fromkeys((*CATEGORIES, *QUOTED), _levels),
    **dict.fromkeys(DATES, _dates),
    **dict.fromkeys(LEFT_OUT, _left_out),
}
