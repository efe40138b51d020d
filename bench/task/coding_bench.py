#!/usr/bin/env python3
"""Which numbers should stand for categories and for missing values? The same machine on the same folds of coded tables.

usage: coding_bench.py PROGRAM FOLDER RESULTS.jsonl [--tuned] [--only WORD ...] [--plain] [--task T] [--flag=FLAG ...]

The tables of tables_bench.py, coded here in several ways and given to `mercer fit` (`mercer tune`) as arrays with
`--scale none`. Numbers are standardised, missing ones are the median. Beside the target of the list, tables of classes
have the last number as a second one. Prints one JSON object per table and coding and goes on where it was killed; then
the means over problems; errors of regression are in standard deviations of the target. --plain: only 0 and 1, to
compare settings of the model (each with RESULTS of its own). Decisions 17 and 18 hold what was found.
"""

import argparse
import csv
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from tables_bench import FOLDS, FitError, TableFile, run, score

MOST_ROWS, MOST_LEVELS = 3000, 200

# By what the indicator of a level is multiplied, given the shares of all levels of its column among the training rows.
WEIGHTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "0/1": lambda p: np.ones(len(p)),
    "1/sqrt(2)": lambda p: np.full(len(p), 0.5**0.5),
    "sqrt(2)": lambda p: np.full(len(p), 2**0.5),
    "standard": lambda p: 1 / np.sqrt(p * (1 - p)),
    "category": lambda p: np.full(len(p), 1 / np.sqrt(np.sum(p * (1 - p)))),
    "levels": lambda p: np.full(len(p), 1 / np.sqrt(len(p))),
    "root": lambda p: 1 / np.sqrt(np.sqrt(p * (1 - p))),
}
MISSING = {"none": None, "0/1": lambda p: 1.0, "standard": lambda p: 1 / np.sqrt(p * (1 - p))}
CODINGS = [(levels, "0/1") for levels in WEIGHTS] + [("0/1", "standard"), ("0/1", "none")]


def number_columns(train: pd.Series, test: pd.Series, missing: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """A number, standardised, and whether it is missing."""
    if train.notna().sum() == 0:
        return []
    median = train.median()
    filled = train.fillna(median).to_numpy(float)
    mean, deviation = filled.mean(), filled.std()
    columns = []
    if deviation > 0:
        columns.append(((filled - mean) / deviation, (test.fillna(median).to_numpy(float) - mean) / deviation))
    share = train.isna().mean()
    if share > 0 and MISSING[missing] is not None:
        weight = MISSING[missing](share)
        columns.append((weight * train.isna().to_numpy(float), weight * test.isna().to_numpy(float)))
    return columns


def level_columns(train: pd.Series, test: pd.Series, weight_of: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """One column per level; the rarest of many share one."""
    train, test = (column.astype(object).where(column.notna(), "?").astype(str) for column in (train, test))
    counts = train.value_counts()
    if len(counts) < 2 or len(counts) == len(train):
        return []
    places = {level: min(place, MOST_LEVELS) for place, level in enumerate(counts.index)}
    codes = [column.map(places).fillna(-1).to_numpy(int) for column in (train, test)]
    shares = np.bincount(codes[0]) / len(train)
    return [
        tuple(weight * (part == level) for part in codes) for level, weight in enumerate(WEIGHTS[weight_of](shares))
    ]


def coded(table: TableFile, target: str, rows: tuple[np.ndarray, np.ndarray], coding: tuple[str, str]) -> list:
    """Training and test rows as arrays."""
    columns = []
    for name in table.x:
        if name == target:
            continue
        train, test = (table.x[name].iloc[part] for part in rows)
        if pd.api.types.is_numeric_dtype(train) and train.dtype != bool:
            columns += number_columns(train, test, coding[1])
        else:
            columns += level_columns(train, test, coding[0])
    return [np.column_stack([column[part] for column in columns]) for part in (0, 1)]


def problems(table: TableFile) -> list[tuple[str | None, pd.Series, str]]:
    """The target of the list, and the last number (named so that it is not among the inputs) of a table of classes."""
    result = [(None, table.y, table.task)]
    numbers = [name for name in table.x if pd.api.types.is_float_dtype(table.x[name]) or
               pd.api.types.is_integer_dtype(table.x[name])]  # fmt: skip
    numbers = [name for name in numbers if table.x[name].nunique() > 10 and name != "rownames"]
    if table.task == "classification" and numbers:
        result.append((numbers[-1], table.x[numbers[-1]], "regression"))
    return result


def measure(program: str, table: TableFile, problem: tuple, coding: tuple[str, str], command: list[str]) -> dict:
    """One line of results."""
    target, y, task = problem
    rows = table.rows(MOST_ROWS)
    rows = rows[y.iloc[rows].notna().to_numpy()]
    folds = table.folds(rows)
    if target is not None:
        folds = [(rows[train], rows[test]) for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(rows)]
    codes = pd.Series(pd.factorize(y)[0]) if task == "classification" else y.astype(float)
    line = {"table": table.name, "target": str(target), "task": task, "levels": coding[0], "missing": coding[1]}
    scores = []
    for train, test in folds:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            arrays = coded(table, target, (train, test), coding)
            np.save(folder / "train.npy", np.column_stack([arrays[0], codes.iloc[train]]))
            np.save(folder / "test.npy", arrays[1])
            model = "svc" if task == "classification" else "svr"
            stored = str(folder / "model.mercer")
            try:
                run([program, *command, model, str(folder / "train.npy"), "--target=-1", "--scale", "none", "-q",
                     "-o", stored])  # fmt: skip
                run([program, "predict", stored, str(folder / "test.npy"), "-o", str(folder / "out.csv")])
            except FitError as error:
                return line | {"error": str(error)}
            predicted = np.loadtxt(folder / "out.csv", skiprows=1, delimiter=",", ndmin=2)[:, 0]
        deviation = 1.0 if task == "classification" else float(y.iloc[rows].std())
        scores.append(score(task, predicted, codes.iloc[test]) / deviation)
    return line | {"scores": scores, "mean": float(np.mean(scores))}


def summary(lines: list[dict]) -> list[dict]:
    """Means over the problems that every coding could do."""
    frame = pd.DataFrame([line for line in lines if "mean" in line])
    frame["coding"] = frame.levels + ", missing " + frame.missing
    result = []
    for task, part in frame.groupby("task"):
        wide = part.pivot_table(index=["table", "target"], columns="coding", values="mean").dropna()
        first = wide["0/1, missing 0/1"]
        for coding in wide:
            difference = wide[coding] - first
            result.append(
                {"task": task, "coding": coding, "problems": len(wide), "mean": round(float(wide[coding].mean()), 4),
                 "difference": round(float(difference.mean()), 4), "worst": round(float(difference.min()), 4),
                 "best": round(float(difference.max()), 4), "higher": int((difference > 1e-9).sum()),
                 "lower": int((difference < -1e-9).sum())})  # fmt: skip
    return result


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--tuned", action="store_true")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--task", choices=["classification", "regression"])
    parser.add_argument("--flag", action="append", default=[], help="of the program, such as --flag=--set=C=3")
    parser.add_argument("--list", type=Path, default=Path(__file__).with_name("tables_list.csv"))
    arguments = parser.parse_args()
    command = ["tune" if arguments.tuned else "fit", *arguments.flag]
    codings = CODINGS[:1] if arguments.plain else CODINGS
    earlier = arguments.results.read_text().splitlines() if arguments.results.exists() else []
    done = {tuple(line[name] for name in ("table", "target", "levels", "missing")): line
            for line in map(json.loads, earlier)}  # fmt: skip
    with arguments.list.open(newline="") as file:
        listed = [line for line in csv.DictReader(file) if any(word in line["file"] for word in arguments.only)]
    for entry in listed:
        table = TableFile(arguments.folder, entry)
        for problem in problems(table):
            if arguments.task not in (None, problem[2]):
                continue
            for coding in codings:
                key = (table.name, str(problem[0]), *coding)
                if key not in done:
                    done[key] = measure(arguments.program, table, problem, coding, command)
                    with arguments.results.open("a") as file:
                        file.write(json.dumps(done[key]) + "\n")
                print(json.dumps(done[key]), flush=True)
    for line in summary(list(done.values())):
        print(json.dumps(line))


if __name__ == "__main__":
    main()
