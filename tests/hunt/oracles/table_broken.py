"""Tables and flags that cannot be right: no crash, exit code 2 or 3, and a message that names what the user gave."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.program import Place, Run
from hunt.table import Column, Recipe, Table, draw_table
from hunt.table_text import SEPARATORS, Dress, new_rows, target_flag, training
from hunt.verdict import Judge


@dataclass
class Broken:
    """A table, and what is given to ``fit`` and to ``predict``.

    Attributes
    ----------
    refused : str
        "fit" or "predict": the command that must refuse; empty: it may, as long as it says why.
    lacks_column : bool
        Whether a column is named that is not there: exit code 3, however it is named.
    named : list of str
        One of these stands in the message of a refusal that must be.
    """

    table: Table
    dress: Dress
    random: np.random.Generator
    model: str = "ridge"
    train: bytes = b""
    new: bytes = b""
    flags: list[str] = field(default_factory=list)
    target: list[str] = field(default_factory=list)
    new_flags: list[str] = field(default_factory=list)
    refused: str = ""
    lacks_column: bool = False
    named: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The lines of the training file; no field has a break."""
        return self.train.decode().splitlines(keepends=True)

    def some_line(self) -> int:
        """The number of a line of data."""
        return int(self.random.integers(1, len(self.lines())))

    def with_line(self, number: int, text: str) -> None:
        """Another line in the training file."""
        lines = self.lines()
        lines[number] = text
        self.train = "".join(lines).encode()

    def column(self, kind: str = "floats") -> Column:
        """A column of a kind: the first of the table is of floats without gaps, the second a category."""
        return self.table.columns[0 if kind == "floats" else 1]

    def rewritten(self, columns: list[Column]) -> None:
        """Another training file."""
        self.train = training(self.table, self.dress, columns).encode()

    def rewritten_new(self, first: Column) -> None:
        """Another file of new rows, with another first column."""
        self.new = new_rows(self.table, self.dress, [first, *self.table.columns[1:]]).encode()

    def must(self, command: str, *names: str) -> None:
        """The command must refuse, and name one of these."""
        self.refused, self.named = command, list(names)


def draw_broken(pick: Any) -> Recipe:
    """A table and what is broken of it."""
    facts = draw_table(pick)
    commas = any(column["kind"] in ("comma", "european") for column in facts["columns"])
    facts["separator"] = pick(st.sampled_from([name for name in SEPARATORS if not (commas and name == "comma")]))
    facts["lost_targets"] = 0.0
    facts["attack"] = pick(st.sampled_from(list(ATTACKS)))
    facts["attack_seed"] = pick(st.integers(0, 99))
    return facts


# ---- Files ---------------------------------------------------------------------------------------------------------


def attack_short_line(broken: Broken) -> None:
    """A line with a field less."""
    number = broken.some_line()
    broken.with_line(number, broken.lines()[number].rpartition(broken.dress.separator)[0] + "\n")


def attack_long_line(broken: Broken) -> None:
    """A line with a field more."""
    number = broken.some_line()
    broken.with_line(number, broken.lines()[number].rstrip("\n") + f"{broken.dress.separator}more\n")


def attack_open_quote(broken: Broken) -> None:
    """A quote that does not end."""
    number = broken.some_line()
    broken.with_line(number, '"' + broken.lines()[number])


def attack_bytes(broken: Broken) -> None:
    """A byte that is no text, or a zero."""
    place = int(broken.random.integers(len(broken.train)))
    broken.train = broken.train[:place] + bytes([int(broken.random.choice([0, 0xFF, 0xC3, 26]))]) + broken.train[place:]


def attack_cut(broken: Broken) -> None:
    """The file ends somewhere."""
    broken.train = broken.train[: int(broken.random.integers(len(broken.train)))]


def attack_cut_archive(broken: Broken) -> None:
    """An archive that ends too early."""
    packed = gzip.compress(broken.train)
    broken.train = packed[: len(packed) // 2]
    broken.must("fit", "train.csv")


def attack_empty(broken: Broken) -> None:
    """Nothing, a line end, or names alone."""
    broken.train = [b"", b"\n\n", broken.lines()[0].encode()][int(broken.random.integers(3))]
    broken.must("fit", "train.csv")


def attack_one_row(broken: Broken) -> None:
    """A single row."""
    broken.train = "".join(broken.lines()[:2]).encode()


def attack_noise(broken: Broken) -> None:
    """Bytes of no meaning."""
    broken.train = broken.random.bytes(400)
    broken.must("fit", "train.csv", broken.table.target_name)


# ---- Columns -------------------------------------------------------------------------------------------------------


def attack_slip(broken: Broken) -> None:
    """One word among many numbers."""
    column = broken.column()
    fields = list(column.fields)
    fields[int(broken.random.integers(len(fields)))] = "oops"
    broken.rewritten([replace(column, fields=fields), *broken.table.columns[1:]])
    broken.must("fit", "oops")


def attack_infinite(broken: Broken) -> None:
    """Numbers without end, or beyond doubles."""
    column = broken.column()
    fields = list(column.fields)
    huge = ("inf", "-inf", "1e999", "1e300", "-Infinity")
    fields[int(broken.random.integers(len(fields)))] = str(broken.random.choice(huge))
    broken.rewritten([replace(column, fields=fields), *broken.table.columns[1:]])


def attack_double_name(broken: Broken) -> None:
    """The name of the target stands twice."""
    broken.rewritten([replace(broken.column(), name=broken.table.target_name), *broken.table.columns[1:]])
    broken.must("fit", broken.table.target_name)


def attack_same_names(broken: Broken) -> None:
    """Two inputs of one name."""
    broken.rewritten([replace(c, name=broken.column().name) for c in broken.table.columns])


def attack_no_name(broken: Broken) -> None:
    """A column without a name."""
    broken.rewritten([replace(broken.column(), name=""), *broken.table.columns[1:]])


def attack_no_inputs(broken: Broken) -> None:
    """The target alone."""
    broken.rewritten([])
    broken.must("fit", "train.csv", broken.table.target_name)


def attack_nothing_left(broken: Broken) -> None:
    """Columns that are all left out."""
    constant = replace(broken.column(), fields=["same"] * len(broken.column().fields))
    broken.rewritten([constant, replace(constant, name="another")])
    broken.must("fit", "train.csv", constant.name)


def attack_no_target(broken: Broken) -> None:
    """A target without a value."""
    broken.table.target = [None] * len(broken.table.target)
    broken.rewritten(broken.table.columns)
    broken.must("fit", f"target '{broken.table.target_name}'")


def attack_constant_target(broken: Broken) -> None:
    """A target of one value."""
    broken.table.target = ["1.5"] * len(broken.table.target)
    broken.rewritten(broken.table.columns)


def attack_words_as_target(broken: Broken) -> None:
    """Words for a model of numbers."""
    broken.target = ["--header", "-t", "1" if broken.table.place > 1 else "2"]
    if broken.column("words").name == broken.table.columns[1].name:
        broken.must("fit", broken.column("words").name)


def attack_quantity_as_class(broken: Broken) -> None:
    """A quantity for a classifier: the message names a model of numbers."""
    broken.model = "svc"
    broken.must("fit", "svr")


def attack_hole(broken: Broken) -> None:
    """A missing number where none is allowed: the message begins with file, line and column."""
    column = broken.column()
    fields: list[str | None] = list(column.fields)
    row = int(broken.random.integers(4, len(fields)))
    fields[row] = None
    first = [row, *(k for c in broken.table.columns if c.kind == "number" for k, f in enumerate(c.fields) if f is None)]
    broken.rewritten([replace(column, fields=fields, mark="NA"), *broken.table.columns[1:]])
    broken.flags += ["--missing", "reject"]
    broken.must("fit", *(f"train.csv:{k + 2}" for k in first))


# ---- Flags ---------------------------------------------------------------------------------------------------------


def attack_unknown_column(broken: Broken) -> None:
    """A flag with a column that is not there."""
    flag = str(broken.random.choice(["--ignore", "--columns", "--categorical", "--text", "--weights"]))
    wrong = str(broken.random.choice(["nosuch", "99", "-77", "nosuch:there", "5:99"]))
    broken.flags += [f"{flag}={wrong}"]
    broken.lacks_column = True
    broken.must("fit", wrong, *wrong.split(":"))


def attack_unknown_target(broken: Broken) -> None:
    """A target that is not there."""
    wrong = str(broken.random.choice(["nosuch", "99", "-77"]))
    broken.target = [f"--target={wrong}"]
    broken.lacks_column = True
    broken.must("fit", wrong)


def attack_unknown_subscript(broken: Broken) -> None:
    """A kernel with a column that is not there."""
    wrong = str(broken.random.choice(["nosuch", "99", "nosuch:there"]))
    broken.flags += ["-k", f"rbf()[{wrong}]"]
    broken.lacks_column = True
    broken.must("fit", *wrong.split(":"))


def attack_words_in_vectors(broken: Broken) -> None:
    """A kernel on vectors within if_present(), where categories are not coded."""
    place = 1 + (broken.table.place <= 1)
    broken.flags += ["-k", f"if_present(rbf())[{place}]"]
    broken.must("fit", broken.column("words").name)


def attack_flag(broken: Broken) -> None:
    """A flag with a word that it does not take."""
    flag, wrong = [
        ("--missing", "maybe"),
        ("--separator", "ab"),
        ("--scale", "huge"),
        ("--dates", "never"),
        ("--format", "table"),
        ("--columns", ""),
        ("--ignore", ""),
    ][int(broken.random.integers(7))]
    broken.flags += [flag, wrong]
    broken.must("fit", flag, f"'{wrong}'")


# ---- New rows ------------------------------------------------------------------------------------------------------


def attack_lost_column(broken: Broken) -> None:
    """A column that the model uses is not there."""
    broken.new = new_rows(broken.table, broken.dress, broken.table.columns[1:]).encode()
    if len(broken.table.columns) > 2:  # avoided: a file of one column whose name has blanks is split there
        broken.must("predict", broken.column().name)


def attack_new_slip(broken: Broken) -> None:
    """A word where the model has numbers."""
    column = broken.column()
    fields = [*column.new_fields[:2], "oops", *column.new_fields[3:]]
    broken.rewritten_new(replace(column, new_fields=fields))
    broken.must("predict", "oops")


def attack_new_dates(broken: Broken) -> None:
    """Dates where the model has numbers."""
    column = broken.column()
    dates = [f"2014-05-{day + 10}" for day in range(len(column.new_fields))]
    broken.rewritten_new(replace(column, new_fields=dates))
    broken.must("predict", column.name)


def attack_new_empty(broken: Broken) -> None:
    """A file of new rows that has none."""
    broken.new = [b"", broken.new.splitlines(keepends=True)[0]][int(broken.random.integers(2))]


def attack_new_cut(broken: Broken) -> None:
    """A file of new rows that ends somewhere."""
    broken.new = broken.new[: int(broken.random.integers(len(broken.new)))]


def attack_new_hole(broken: Broken) -> None:
    """A missing number where --missing reject is said at prediction alone."""
    column = replace(broken.column(), new_fields=[None, *broken.column().new_fields[1:]], mark="NA")
    broken.rewritten_new(column)
    broken.new_flags = ["--missing", "reject"]
    broken.must("predict", "new.csv:2")


ATTACKS: dict[str, Callable[[Broken], None]] = {
    name.removeprefix("attack_"): function for name, function in list(globals().items()) if name.startswith("attack_")
}


def judge_broken(facts: Recipe, judge: Judge) -> None:
    """Fit and predict; a refusal says what of the user's is wrong, and what is accepted gives finite answers."""
    table = Table(facts)
    dress = Dress(SEPARATORS[facts["separator"]])
    broken = Broken(table, dress, np.random.default_rng(facts["attack_seed"]), target=target_flag(table, dress))
    broken.train, broken.new = training(table, dress).encode(), new_rows(table, dress).encode()
    ATTACKS[facts["attack"]](broken)
    names = [c.name for c in table.columns]
    theirs = [table.target_name, *names, *(word for word in broken.flags if len(word) > 1)]
    with Place() as place:
        place.write("train.csv", broken.train)
        place.write("new.csv", broken.new)
        fit = place.run("fit", broken.model, "train.csv", *broken.target, *broken.flags, "-o", "m.mercer")
        judge_run(fit, "fit", broken, [*theirs, "train.csv"], judge)
        if fit.code != 0:
            judge.holds("broken_left", not (place.path / "m.mercer").exists(), f"a model is left by {fit.line()}")
            return
        run = place.run("predict", "m.mercer", "new.csv", *broken.new_flags)
        judge_run(run, "predict", broken, [*theirs, "new.csv"], judge)
        if run.code == 0:
            found = run.numbers()
            judge.holds("broken_finite", bool(np.isfinite(found).all()), f"answers are not finite: {run.line()}")


def judge_run(run: Run, command: str, broken: Broken, theirs: list[str], judge: Judge) -> None:
    """The exit code, and the words of the message."""
    if run.code == 0:
        judge.holds("broken_accepted", broken.refused != command, f"taken as it is: {run.line()}")
        return
    judge.holds("broken_code", run.code in (2, 3), f"another exit code: {run.line()}")
    if broken.lacks_column and command == broken.refused:
        judge.holds("broken_code", run.code == 3, f"a column that is not there has another exit code: {run.line()}")
    said = any(name in run.err for name in (*theirs, *broken.named))
    judge.holds("broken_names", said, f"nothing of the user's is named: {run.line()}")
    if broken.refused == command:
        said = any(name in run.err for name in broken.named)
        judge.holds("broken_names", said, f"none of {broken.named} is named: {run.line()}")
