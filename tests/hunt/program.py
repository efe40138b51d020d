"""The program under test, run in a folder of its own that goes away with the case."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from hunt.engine import INTERNAL
from hunt.verdict import Finding, NotApplicable

LIMIT = 60.0  # seconds by the clock; nothing here takes four of the processor
CODES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Run:
    """What a run of the program came to; a negative code is a signal."""

    arguments: tuple[str, ...]
    code: int
    out: bytes
    err: str

    def line(self) -> str:
        """The command, its code and the end of what it said."""
        return f"mercer {' '.join(self.arguments)}: code {self.code}: {self.err.strip()[-300:]}"

    def json(self) -> Any:
        """The result of --json."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise Finding("json", f"{self.line()} printed no JSON: {self.out[:200]!r}") from error

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The CSV on standard output: names and rows."""
        return read_table(self.out)

    def numbers(self, prefix: str = "") -> np.ndarray:
        """The columns of the CSV whose names begin so, as numbers."""
        names, rows = self.table()
        chosen = [k for k, name in enumerate(names) if name.startswith(prefix)]
        return np.array([[float(row[k]) for k in chosen] for row in rows]).reshape(len(rows), len(chosen))


def read_table(content: bytes) -> tuple[list[str], list[list[str]]]:
    """Names and rows of a CSV."""
    lines = list(csv.reader(io.StringIO(content.decode("utf-8", "surrogateescape"), newline="")))
    if not lines:
        raise Finding("csv", "an empty table was written")
    return lines[0], lines[1:]


def environment(home: Path) -> dict[str, str]:
    """What the program is told: nothing of the caller's but what tells OpenBLAS which of its kernels to take.

    Other kernels round otherwise, and Python's own engine follows these variables too.
    """
    blas = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    return {"PATH": "/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8", **blas}


class Place:
    """A temporary folder in which the program runs."""

    def __init__(self) -> None:
        home = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._folder = tempfile.TemporaryDirectory(prefix="mercer-hunt-", dir=home, ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)

    def __enter__(self) -> Place:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._folder.cleanup()

    def write(self, name: str, content: str | bytes) -> str:
        """Write a file of the folder."""
        (self.path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    def read(self, name: str) -> bytes:
        """The bytes of a file; a finding where a run that succeeded has left none."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError as error:
            raise Finding("missing_output", f"there is no {name}") from error

    def run(self, *arguments: Any, stdin: bytes = b"") -> Run:
        """Run the program; signals, hangs and internal messages are findings whoever asks."""
        words = tuple(str(argument) for argument in arguments)
        try:
            done = subprocess.run(
                [os.environ["MERCER_HUNT_PROGRAM"], *words],
                cwd=self.path,
                input=stdin,
                capture_output=True,
                timeout=LIMIT,
                check=False,
                env=environment(self.path),
            )
        except subprocess.TimeoutExpired as error:
            raise Finding("hang", f"mercer {' '.join(words)} runs longer than {LIMIT:g} s") from error
        except PermissionError as error:
            raise NotApplicable("the program is being built") from error
        run = Run(words, done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        if run.code not in CODES:
            raise Finding("exit_code", run.line())
        if run.code != 0 and (not run.err.strip() or any(word in run.err for word in INTERNAL)):
            raise Finding("messages", run.line())
        return run

    def ask(self, *arguments: Any, stdin: bytes = b"") -> Run:
        """Run the program; a refusal ends the case."""
        run = self.run(*arguments, stdin=stdin)
        if run.code != 0:
            raise NotApplicable(run.line())
        return run

    def must(self, *arguments: Any, stdin: bytes = b"") -> Run:
        """Run the program on files that it has written itself; it may not refuse them."""
        run = self.run(*arguments, stdin=stdin)
        if run.code != 0:
            raise Finding("own_files", run.line())
        return run


# ---- Files to read -------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """The shortest text that reads back as the number."""
    return repr(float(value))


def quoted(field: str, separator: str = ",") -> str:
    """A field of CSV, in quotes where it needs them."""
    if field != field.strip() or any(mark in field for mark in (separator, '"', "\n", "\r", ";", "\t", " ")):
        return '"' + field.replace('"', '""') + '"'
    return field


def csv_text(names: Sequence[str], columns: Sequence[Sequence[Any]], separator: str = ",", end: str = "\n") -> str:
    """Columns of numbers or texts as CSV."""
    lines = [separator.join(quoted(name, separator) for name in names)]
    for row in zip(*columns, strict=True):
        fields = [quoted(f, separator) if isinstance(f, str) else number(f) for f in row]
        lines.append(separator.join(fields))
    return end.join(lines) + end


def table_text(x: np.ndarray, others: dict[str, Sequence[Any]]) -> str:
    """Rows of numbers, called x0, x1, …, with other columns beside them."""
    return csv_text([*column_names(x), *others], [*x.T.tolist(), *(list(column) for column in others.values())])


def column_names(x: np.ndarray) -> list[str]:
    """What the columns of numbers are called."""
    return [f"x{j}" for j in range(x.shape[1])]


def libsvm_text(labels: Sequence[Any], x: np.ndarray) -> str:
    """Rows in the format of LIBSVM; zeros are left out."""
    lines = []
    for label, row in zip(labels, x, strict=True):
        entries = " ".join(f"{j + 1}:{number(value)}" for j, value in enumerate(row) if value != 0)
        lines.append(f"{label} {entries}".rstrip())
    return "\n".join(lines) + "\n"


def npy_bytes(array: np.ndarray) -> bytes:
    """An array as a .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()
