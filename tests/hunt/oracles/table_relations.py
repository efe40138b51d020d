"""What may not change the answers to a table: its dress, the order and the names of columns, rows in pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles.table_answers import Case
from hunt.oracles.table_design import KERNELS
from hunt.program import Place
from hunt.table import COMMAS, MARKS, NAMES, PLAIN, Column, Recipe, draw_table
from hunt.table_text import SEPARATORS, Dress, draw_dress, new_rows, target_flag, training, with_mark
from hunt.verdict import Judge, NotApplicable

# Models with all that is judged of them: answers, and decision values where answers are classes.
MODELS = {"numbers": ("ridge", "svr", "knnr"), "classes": ("svc", "lssvm", "klr")}


def draw_changes(pick: Any) -> Recipe:
    """A table, a model, and what is changed."""
    facts = draw_table(pick, targets=("numbers", "numbers", "words", "digits", "truth"))
    facts["dress"] = {**draw_dress(pick, facts), "header": True}
    kind = "numbers" if facts["target"] == "numbers" else "classes"
    facts["model"] = pick(st.sampled_from(MODELS[kind]))
    facts["kernel"] = pick(st.sampled_from((*KERNELS, "parts", "hamming")))
    facts.update(scale="standard", missing=pick(st.sampled_from(("", "fill"))), without_target=True, used_alone=False)
    facts["change"] = pick(st.sampled_from(list(CHANGES)))
    facts["change_seed"] = pick(st.integers(0, 99))
    return facts


class Files:
    """What a fit and a prediction are given."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.dress = case.dress
        self.columns: list[Column] = list(case.table.columns)
        self.new_columns: list[Column] | None = None
        self.flags: list[str] = []
        self.target = target_flag(case.table, case.dress)
        self.random = np.random.default_rng(case.facts["change_seed"])
        self.tolerance = 1e-8
        self.format = "csv"

    def fit(self, place: Place, name: str, judge: Judge) -> None:
        """Fit the model."""
        file = place.write(f"{name}.{self.format}", self.text(self.columns))
        kernel = [] if self.case.facts["model"] == "knnr" else ["-k", self.case.kernel()]
        rule = ["--missing", "fill"] if self.case.facts["missing"] == "fill" else []
        exact = ["-s", "tolerance=1e-8"] if self.case.facts["model"] in ("svc", "svr") else []
        words = [*self.target, *self.dress.reading(), *kernel, *rule, *exact, *self.flags]
        run = place.run("fit", self.case.facts["model"], file, *words, "-o", f"{name}.mercer")
        judge.holds("table_read", run.code == 0, f"a sound table is refused: {run.line()}")

    def answers(self, place: Place, name: str, judge: Judge) -> tuple[list[str], np.ndarray]:
        """Labels, if there are any, and numbers."""
        file = place.write(f"new.{self.format}", self.text(self.new_columns or self.columns, new=True))
        return asked(self.case, place, name, file, self.dress, judge)

    def text(self, columns: list[Column], *, new: bool = False) -> str:
        """The training file, or that of the new rows."""
        if self.format == "csv":
            return (new_rows if new else training)(self.case.table, self.dress, columns)
        rows = {c.name: [json_value(f, c) for f in (c.new_fields if new else c.fields)] for c in columns}
        if not new:
            numbers = self.case.facts["target"] == "numbers"
            rows[self.case.table.target_name] = [
                None if field is None else float(field) if numbers else field for field in self.case.table.target
            ]
        return "".join(json.dumps(dict(zip(rows, row, strict=True))) + "\n" for row in zip(*rows.values(), strict=True))


def json_value(field: str | None, column: Column) -> Any:
    """A field as JSON has it: numbers are no texts there."""
    if field is None:
        return None
    return float(field) if column.recipe["kind"] in (*PLAIN, "one_number") else field


def asked(
    case: Case, place: Place, name: str, file: str, dress: Dress, judge: Judge, stdin: bytes = b""
) -> tuple[list[str], np.ndarray]:
    """Answers of a model to a file."""
    classes = case.facts["target"] != "numbers"
    run = place.run(
        "predict", f"{name}.mercer", file, *dress.reading(), *(["--decision"] if classes else []), stdin=stdin
    )
    judge.holds("table_read", run.code == 0, f"new rows are refused: {run.line()}")
    return [row[0] for row in run.table()[1]] if classes else [], run.numbers("f(" if classes else "")


# ---- Changes, each of one thing ------------------------------------------------------------------------------------


def change_order(files: Files) -> None:
    """Columns in another order."""
    files.columns = [files.columns[k] for k in files.random.permutation(len(files.columns))]


def change_new_order(files: Files) -> None:
    """Columns of the new rows in another order, and others among them."""
    turned = [files.columns[k] for k in files.random.permutation(len(files.columns))]
    word = replace(files.columns[1], name="something else")
    files.new_columns = [replace(files.columns[0], name="one more"), *turned, word]
    files.tolerance = 0.0


def change_names(files: Files) -> None:
    """Columns of other names."""
    if files.case.facts["kernel"] in ("parts", "hamming"):
        raise NotApplicable("the kernel has the names")
    files.columns = [replace(c, name=f"{NAMES[(5 * k + 1) % len(NAMES)]} or {k}") for k, c in enumerate(files.columns)]
    files.tolerance = 0.0


def change_counted(files: Files) -> None:
    """Columns called 0, 1, 2 …, as data frames without names write them: to be found out."""
    if files.case.facts["kernel"] in ("parts", "hamming"):
        raise NotApplicable("the kernel has the names")
    if len(files.columns) < 3:
        raise NotApplicable("a line with two numbers is a sample as soon as one of names")
    total = len(files.columns) + 1
    files.columns = [replace(c, name=str(k)) for k, c in enumerate(files.columns)]
    files.target = [f"--target={min(files.case.table.place, total - 1) - total}"]
    files.dress = replace(files.dress, flags=())
    files.tolerance = 0.0


def add_index(files: Files) -> None:
    """Numbers of the rows in front, as data frames write them."""
    if files.case.facts["kernel"] in ("parts", "hamming"):
        raise NotApplicable("the kernel has the names")
    if files.case.table.place == 0:
        raise NotApplicable("the target stands in front")
    first = files.columns[0]
    rows, new = ([str(i) for i in range(len(fields))] for fields in (first.fields, first.new_fields))
    files.columns.insert(0, replace(first, name="row", fields=rows, new_fields=new))


def change_index(files: Files) -> None:
    """Columns called 0, 1, 2 … behind an index without a name: the line is to be known again among new rows."""
    names = ["", *(str(k) for k in range(len(files.columns) - 1))]
    files.columns = [replace(c, name=name) for c, name in zip(files.columns, names, strict=True)]
    files.dress = replace(files.dress, flags=())
    files.tolerance = 0.0


def change_separator(files: Files) -> None:
    """Another separator."""
    commas = any(column.recipe["kind"] in COMMAS for column in files.columns)
    names = [sign for sign in SEPARATORS.values() if sign != files.dress.separator and not (commas and sign == ",")]
    sign = names[files.random.integers(len(names))]
    files.dress = Dress(sign, True, files.dress.quotes)  # to be found out
    files.tolerance = 0.0


def change_quotes(files: Files) -> None:
    """All fields in quotes, or only those that need them."""
    files.dress = replace(files.dress, quotes="all" if files.dress.quotes == "needed" else "needed")
    files.tolerance = 0.0


def change_mark(files: Files) -> None:
    """Another mark of missing values."""
    files.dress = with_mark(files.dress, MARKS[files.random.integers(len(MARKS))])
    files.tolerance = 0.0


def change_line_ends(files: Files) -> None:
    """Lines that end as those of Windows do."""
    files.dress = replace(files.dress, end="\r\n")
    files.tolerance = 0.0


def change_header(files: Files) -> None:
    """No line of names."""
    if files.case.facts["kernel"] in ("parts", "hamming"):
        raise NotApplicable("the kernel has the names")
    files.dress = replace(files.dress, header=False, flags=("--no-header",) if files.random.integers(2) else ())
    files.target = ["-t", str(files.case.table.place)]
    files.tolerance = 0.0


def change_ignored(files: Files) -> None:
    """One more column, which is ignored, by name or by number."""
    more = replace(files.columns[int(files.random.integers(2))], name="too much")
    place = int(files.random.integers(len(files.columns) + 1))
    files.columns.insert(place, more)
    number = place + (place >= min(files.case.table.place, len(files.columns)))
    files.flags = ["--ignore", "too much" if files.random.integers(2) else str(number)]
    files.new_columns = [column for column in files.columns if column is not more]
    files.tolerance = 0.0


def change_listed(files: Files) -> None:
    """All columns, named by --columns: names, numbers, and ranges of both."""
    target, count = files.case.table.place, len(files.columns) + 1
    if files.random.integers(2) and files.case.facts["plain_names"]:
        cut = min(target, count - 2)
        parts = [files.columns[:cut], files.columns[cut:]]
        ranges = [f"{part[0].name}:{part[-1].name}" for part in parts if part]
        files.flags = ["--columns", ",".join(ranges)]
        files.tolerance = 0.0
        return
    numbers = ",".join(str(k) for k in range(count) if k != target)
    if target in (0, count - 1):
        numbers = f"1:{count}" if target == 0 else f"0:{target}"
    files.flags = ["--columns", numbers]
    files.tolerance = 0.0


def change_left_out(files: Files) -> None:
    """Columns that are left out are not there."""
    files.columns = [column for column in files.columns if column.kind != "left_out"]
    files.tolerance = 0.0


def change_levels(files: Files) -> None:
    """Levels by other words, the same for the same."""
    words = [word for c in files.columns if c.kind == "category" for word in (*c.fields, *c.new_fields)]
    numbers = {word: k for k, word in enumerate(dict.fromkeys(words))}

    def other(word: Any) -> Any:
        return None if word is None else f"level {numbers[word]}"

    files.columns = [
        replace(c, fields=[other(f) for f in c.fields], new_fields=[other(f) for f in c.new_fields])
        if c.kind == "category"
        else c
        for c in files.columns
    ]


def change_declared(files: Files) -> None:
    """Categories that are said to be such."""
    names = [str(k + (k >= files.case.table.place)) for k, c in enumerate(files.columns) if c.kind == "category"]
    files.flags = [word for name in names for word in ("--categorical", name)]
    files.tolerance = 0.0


def change_json(files: Files) -> None:
    """JSON lines; texts are never numbers there, nor dates."""
    if any(c.kind == "number" and c.recipe["kind"] not in PLAIN for c in files.columns):
        raise NotApplicable("numbers that JSON has not")
    files.format, files.dress = "jsonl", Dress()
    files.target = ["-t", files.case.table.target_name]


def change_units(files: Files) -> None:
    """Numbers in units of a thousandth: scaling undoes it."""
    plain = ("floats", "few", "integers", "binary")

    def thousand(field: str | None) -> str | None:
        return None if field is None else f"{float(field) * 1000:.12g}"

    files.columns = [
        replace(c, fields=[thousand(f) for f in c.fields], new_fields=[thousand(f) for f in c.new_fields])
        if c.recipe["kind"] in plain
        else c
        for c in files.columns
    ]


# What both tables have beforehand.
BEFORE: dict[str, Callable[[Files], None]] = {"index": add_index}

CHANGES: dict[str, Callable[[Files], None]] = {
    "order": change_order,
    "new_order": change_new_order,
    "names": change_names,
    "counted": change_counted,
    "index": change_index,
    "separator": change_separator,
    "quotes": change_quotes,
    "mark": change_mark,
    "line_ends": change_line_ends,
    "header": change_header,
    "ignored": change_ignored,
    "listed": change_listed,
    "left_out": change_left_out,
    "levels": change_levels,
    "declared": change_declared,
    "units": change_units,
    "json": change_json,
}


def judge_changes(facts: Recipe, judge: Judge) -> None:
    """Fit and predict before the change and after it."""
    case = Case(facts)
    before, after = Files(case), Files(case)
    for files in (before, after):
        BEFORE.get(facts["change"], lambda _: None)(files)
    CHANGES[facts["change"]](after)
    with Place() as place:
        before.fit(place, "before", judge)
        labels, values = before.answers(place, "before", judge)
        judge_pieces(case, place, labels, values, judge)
        after.fit(place, "after", judge)
        other_labels, other = after.answers(place, "after", judge)
        oracle = f"table_{facts['change']}"
        if after.tolerance == 0.0:
            judge.same(oracle, other, values, f"what {facts['model']} answers")
            judge.same(oracle, np.array(other_labels), np.array(labels), f"classes of {facts['model']}")
            return
        if facts["model"] == "knnr":
            raise NotApplicable("of equal distances the lower row number counts, and rounding says what is equal")
        size = max(float(np.abs(case.y).max()) if not labels else 1.0, 1e-300)
        tolerance = 1e-5 if facts["model"] in ("svr", "svc", "klr") else after.tolerance
        judge.close(oracle, other, values, tolerance, size=size, what=f"what {facts['model']} answers")
    judge.covers(f"model {facts['model']}")


def judge_pieces(case: Case, place: Place, labels: list[str], values: np.ndarray, judge: Judge) -> None:
    """New rows one by one, and in another order."""
    lines = (place.path / "new.csv").read_text().splitlines(keepends=True)
    if any(line.count('"') % 2 for line in lines):
        raise NotApplicable("fields over several lines")
    order = np.random.default_rng(case.facts["change_seed"]).permutation(case.table.new_rows)
    place.write("turned.csv", "".join([lines[0], *(lines[1 + k] for k in order)]))
    turned_labels, turned = asked(case, place, "before", "turned.csv", case.dress, judge)
    size = float(np.abs(values).max())
    judge.close("table_rows", turned, values[order], 1e-12, size=size, what="answers to rows in another order")
    turned_back = [labels[k] for k in order] if labels else []
    judge.same("table_rows", np.array(turned_labels), np.array(turned_back), "their classes")
    _, piped = asked(case, place, "before", "-", case.dress, judge, stdin=(place.path / "new.csv").read_bytes())
    judge.same("table_pipe", piped, values, "answers to standard input")
    cut = 1 + int(order[0])
    place.write("piece.csv", "".join([lines[0], *lines[1 : 1 + cut]]))
    _, piece = asked(case, place, "before", "piece.csv", case.dress, judge)
    judge.close("table_pieces", piece, values[:cut], 1e-12, size=size, what="answers to the first rows alone")
