"""One table in many dresses: separators, quotes, line ends, compression, order of columns, JSON lines."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.program import Place, Run, number
from hunt.subjects import kernel_names
from hunt.verdict import Judge, NotApplicable

CITIES = ("Rome", "", "New York", 'the "Hague"', "a,b", "x;y")
TEXTS = (
    "the cat sat on a mat",
    "dogs, and cats; both",
    'he said "no" twice',
    "mat and cat and dog",
    "nothing at all here",
    "a line\nwith a break",
    "tab\there and there",
    'he said "no"\nand left',
    '"',
)
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
PACKERS: dict[str, Any] = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
KERNELS = {
    "numbers": "rbf(lengthscale=1.5)[a,b]",
    "categories": "rbf(lengthscale=1.5)[a,b] + 0.5*delta()[city]",
    "texts": "linear()[a] + 0.25*spectrum(k=2)[note]",
    "all": "rbf(lengthscale=1.5)[a,b] * delta()[city] + 0.25*normalize(spectrum(k=2))[note]",
    "present": "if_present(rbf(lengthscale=1.5))[b] + 0.5*delta()[city]",
}


def draw_tables(pick: Any) -> dict[str, Any]:
    """A table, a kernel upon its columns, and another dress of the same table."""
    return {
        "rows": pick(st.integers(4, 12)),
        "seed": pick(st.integers(0, 999)),
        "kernel": pick(st.sampled_from(list(KERNELS))),
        "format": pick(st.sampled_from(("csv", "jsonl"))),
        "separator": pick(st.sampled_from(list(SEPARATORS))),
        "crlf": pick(st.booleans()),
        "mark": pick(st.booleans()),
        "quotes": pick(st.sampled_from(("needed", "words", "all"))),
        "packed": pick(st.sampled_from(list(PACKERS))),
        "order": pick(st.booleans()),
        "extra": pick(st.booleans()),
        "missing": pick(st.sampled_from(("", "NA", "null"))),
        "last_line": pick(st.booleans()),
        "targets": pick(st.sampled_from(("numbers", "classes"))),
        "texts": pick(st.integers(2, len(TEXTS))),
    }


class Table:
    """Columns of numbers, categories and texts; None is missing."""

    def __init__(self, facts: dict[str, Any]) -> None:
        random = np.random.default_rng(facts["seed"])
        n = facts["rows"]
        a, b = np.round(random.standard_normal((2, n)), 3)
        self.city = [CITIES[k] for k in random.integers(0, len(CITIES), n)]
        self.note = [TEXTS[k] for k in random.integers(0, facts["texts"], n)]
        holes = random.random(n) < (0.3 if facts["kernel"] == "present" else 0.0)
        self.b = [None if hole else float(value) for hole, value in zip(holes, b, strict=True)]
        self.a = a.tolist()
        y = np.round(a + 0.3 * random.standard_normal(n), 3)
        self.y: list[Any] = y.tolist()
        if facts["targets"] == "classes":
            self.y = ["up" if value > np.median(y) else "down" for value in y]
            if len(set(self.y)) < 2:
                raise NotApplicable("one class")

    def columns(self, *, order: bool = False, extra: bool = False) -> dict[str, list[Any]]:
        """All columns by name, in one order or another."""
        found: dict[str, list[Any]] = {"a": self.a, "b": self.b, "city": self.city, "note": self.note, "y": self.y}
        if extra:
            found["more"] = [k * 0.5 for k in range(len(self.y))]
        return dict(reversed(found.items())) if order else found


def judge_tables(facts: dict[str, Any], judge: Judge) -> None:
    """A model of the plain file and one of the other dress predict the same, upon both files; --json is the text."""
    table = Table(facts)
    model = "svc" if facts["targets"] == "classes" else "ridge"
    flags = ["-t", "y", "-k", KERNELS[facts["kernel"]], "--categorical", "city", "--text", "note", "-q"]
    if "city" not in KERNELS[facts["kernel"]]:
        flags = [word for word in flags if word not in ("--categorical", "city")]
    if "note" not in KERNELS[facts["kernel"]]:
        flags = [word for word in flags if word not in ("--text", "note")]
    with Place() as place:
        place.write("plain.csv", plain(table.columns()))
        other = place.write(*dressed(table, facts))
        place.must("fit", model, "plain.csv", *flags, "-o", "m.mercer")  # no file is plainer
        first = place.must("predict", "m.mercer", "plain.csv", *_decision(model))
        run = place.run("predict", "m.mercer", other, *_decision(model))
        judge.holds("table_dress", run.code == 0, f"the plain file was read, but {run.line()}")
        judge.same("table_dress", run.out, first.out, "what is predicted for the other file")
        fit = place.run("fit", model, other, *flags, "-o", "n.mercer")
        judge.holds("table_dress", fit.code == 0, f"the plain file was fitted, but {fit.line()}")
        second = place.ask("predict", "n.mercer", "plain.csv", *_decision(model))
        judge.close("table_fit", _last(second), _last(first), 1e-9, what="predictions of the model of the other file")
        asked = place.ask("predict", "m.mercer", "plain.csv", *_decision(model), "--json").json()
        names, rows = first.table()
        judge.same("json_is_text", asked["columns"], names, "the names of --json")
        judge.same("json_is_text", [_texts(row) for row in asked["rows"]], rows, "the rows of --json")
        judge.covers(f"model {model}", *(f"kernel {name}" for name in kernel_names(KERNELS[facts["kernel"]])))


def _decision(model: str) -> list[str]:
    return ["--decision"] if model == "svc" else []


def _last(run: Run) -> np.ndarray:
    return np.array([float(row[-1]) for row in run.table()[1]])


def _texts(row: list[Any]) -> list[str]:
    """Numbers of JSON as the CSV has them."""
    return [field if isinstance(field, str) else f"{field}" for field in row]


def plain(columns: dict[str, list[Any]]) -> str:
    """The plainest CSV: commas, quotes where they are needed."""
    return _csv(columns, ",", "needed", "")


def dressed(table: Table, facts: dict[str, Any]) -> tuple[str, bytes]:
    """The name and the bytes of the other file."""
    columns = table.columns(order=facts["order"], extra=facts["extra"])
    if facts["format"] == "jsonl":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        text = "".join(json.dumps({k: v for k, v in row.items() if v not in (None, "")}) + "\n" for row in rows)
        return f"other.jsonl{facts['packed']}", PACKERS[facts["packed"]](text.encode())
    text = _csv(columns, SEPARATORS[facts["separator"]], facts["quotes"], facts["missing"])
    if facts["crlf"]:
        text = text.replace("\n", "\r\n")
        for note in TEXTS:  # breaks inside of quotes stay
            inner = note.replace('"', '""')
            text = text.replace(inner.replace("\n", "\r\n"), inner)
    if facts["last_line"]:
        text = text.rstrip("\r\n")
    content = (b"\xef\xbb\xbf" if facts["mark"] else b"") + text.encode()
    return f"other.csv{facts['packed']}", PACKERS[facts["packed"]](content)


def _csv(columns: dict[str, list[Any]], separator: str, quotes: str, missing: str) -> str:
    """CSV; what is missing stands there as that word, never in quotes."""

    def field(value: Any) -> str:
        if value is None or value == "":
            return missing
        text = value if isinstance(value, str) else number(value)
        needs = any(mark in text for mark in (separator, '"', "\n"))
        if needs or quotes == "all" or (quotes == "words" and isinstance(value, str)):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [separator.join(field(name) for name in columns)]
    lines += [separator.join(field(value) for value in row) for row in zip(*columns.values(), strict=True)]
    return "\n".join(lines) + "\n"
