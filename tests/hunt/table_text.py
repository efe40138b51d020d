"""Tables as text: separators, quotes, marks of missing values, with and without names, in any order of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from hunt.table import COMMAS, Column, Recipe, Table

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
# What a field must be quoted for that it is a word and not missing.
LOOKS_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "nat", "?", "null"}


@dataclass(frozen=True)
class Dress:
    """How a table is written.

    Attributes
    ----------
    quotes : str
        needed or all: which fields that are not missing stand in quotes.
    mark : str, optional
        For all missing values; None: each column's own.
    """

    separator: str = ","
    header: bool = True
    quotes: str = "needed"
    mark: str | None = None
    end: str = "\n"
    flags: tuple[str, ...] = field(default=())

    def reading(self) -> list[str]:
        """Flags that help a command to read it."""
        return list(self.flags)


def draw_dress(pick: Any, recipe: Recipe) -> Recipe:
    """Draw how the table is written first."""
    commas = any(column["kind"] in COMMAS for column in recipe["columns"])
    return {
        "separator": pick(st.sampled_from([name for name in SEPARATORS if not (commas and name == "comma")])),
        "header": pick(st.sampled_from((True, True, False))),
        "quotes": pick(st.sampled_from(("needed", "all"))),
        "told": pick(st.booleans()),
    }


def dress_of(facts: Recipe) -> Dress:
    """The dress of a recipe."""
    separator = SEPARATORS[facts["separator"]]
    flags: tuple[str, ...] = ()
    if facts["told"]:
        flags = ("--separator", "tab" if separator == "\t" else separator)
        flags += ("--header",) if facts["header"] else ("--no-header",)
    return Dress(separator, facts["header"], facts["quotes"], flags=flags)


def text_field(value: str | None, mark: str, dress: Dress) -> str:
    """A field of the file."""
    if value is None:
        return dress.mark if dress.mark is not None else mark
    marks = (dress.separator, '"', "\n", "\r")
    needs = value != value.strip() or any(sign in value for sign in marks) or value.lower() in LOOKS_MISSING
    if needs or dress.quotes == "all":
        return '"' + value.replace('"', '""') + '"'
    return value


def written(names: Sequence[str], columns: Sequence[Sequence[str | None]], marks: Sequence[str], dress: Dress) -> str:
    """Columns of fields as a file."""
    lines = []
    if dress.header:
        lines.append(dress.separator.join(text_field(name, "", dress) for name in names))
    for row in zip(*columns, strict=True):
        fields = [text_field(f, mark, dress) for f, mark in zip(row, marks, strict=True)]
        lines.append(dress.separator.join(fields))
    return dress.end.join(lines) + dress.end


def training(table: Table, dress: Dress, columns: Sequence[Column] | None = None) -> str:
    """The file to learn from, the target at its place."""
    listed = list(table.columns if columns is None else columns)
    names, fields, marks = [c.name for c in listed], [c.fields for c in listed], [c.mark for c in listed]
    place = min(table.place, len(listed))
    names.insert(place, table.target_name)
    fields.insert(place, table.target)
    marks.insert(place, "")
    return written(names, fields, marks, dress)


def new_rows(table: Table, dress: Dress, columns: Sequence[Column] | None = None, *, target: bool = False) -> str:
    """The file to predict; ``target``: with the column of the target, which is empty."""
    listed = list(table.columns if columns is None else columns)
    names, fields, marks = [c.name for c in listed], [c.new_fields for c in listed], [c.mark for c in listed]
    if target:
        place = min(table.place, len(listed))
        names.insert(place, table.target_name)
        fields.insert(place, [None] * table.new_rows)
        marks.insert(place, "NA")
    return written(names, fields, marks, dress)


def target_flag(table: Table, dress: Dress) -> list[str]:
    """How the target is named."""
    return ["-t", table.target_name if dress.header else str(table.place)]


def with_mark(dress: Dress, mark: str) -> Dress:
    """Another mark for all missing values."""
    return replace(dress, mark=mark)
