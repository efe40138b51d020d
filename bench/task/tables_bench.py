#!/usr/bin/env python3
"""Tables as people bring them: svc and svr without an option beside scikit-learn's pipeline, with defaults and tuned.

usage: tables_bench.py PROGRAM FOLDER RESULTS.jsonl [--tuned] [--flag=FLAG ...] [--only WORD ...]
                       [--list LIST] [--minutes M]

PROGRAM is build/release/mercer; FOLDER holds the tables of LIST (bench/task/tables_list.csv; tables_list.py fills it).
The pipeline is SimpleImputer(median, add_indicator) + StandardScaler for numbers and OneHotEncoder for the rest, then
SVC() or SVR(); tuned, its grid of C = 2^-3 ... 2^9 (7) and gamma = scale times 4^-2 ... 4^2 (5) by 5 folds within the
training rows, beside `mercer tune`, both by accuracy or root mean squared error. Both see the same five folds of the
same rows: at most 8000 of a table, 3000 tuned.

Prints one JSON object per table and appends it to RESULTS.jsonl, from where a killed run goes on; at the end a
summary. `ok`: accuracy at most max(1.5 points, 3 standard errors of the paired differences of folds) below the
pipeline's, or the ratio of errors at most max(1.05, 1 + 3 standard errors). `fitted`: no fold failed.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits

FOLDS = 5
COSTS = 2.0 ** np.arange(-3, 10, 2)
FACTORS = 4.0 ** np.arange(-2, 3)
MOST_ROWS = {"defaults": 8000, "tuned": 3000}


class TableFile:
    """A table of the list: its lines as they stand in the file, and what pandas reads of them."""

    def __init__(self, folder: Path, line: dict[str, str]) -> None:
        self.name, self.task = line["file"], line["task"]
        path = folder / line["file"]
        has_header = line["header"] == "yes"
        records = self._records(path.read_text(encoding="utf-8"))
        self.header, self.records = (records[:1], records[1:]) if has_header else ([], records)
        frame = pd.read_csv(path, sep=line["separator"], header=0 if has_header else None, na_values="?",
                            skipinitialspace=True, low_memory=False)  # fmt: skip
        self.target = line["target"]
        column = self.target if has_header else frame.columns[int(self.target)]
        self.y, self.x = frame[column], frame.drop(columns=column)
        if len(self.records) != len(frame):
            sys.exit(f"{path}: {len(self.records)} records, but {len(frame)} rows")

    @staticmethod
    def _records(text: str) -> list[str]:
        """Lines; a quoted field may go on in the next."""
        records, open_record = [], ""
        for line in text.splitlines(keepends=True):
            open_record += line
            if open_record.count('"') % 2 == 0:
                if open_record.strip():
                    records.append(open_record.rstrip("\r\n") + "\n")
                open_record = ""
        return records

    def rows(self, most: int) -> np.ndarray:
        """Numbers of the rows whose target is known; a seeded draw where there are more than `most`."""
        known = np.flatnonzero(self.y.notna())
        if len(known) > most:
            known = np.sort(np.random.default_rng(0).choice(known, most, replace=False))
        return known

    def folds(self, rows: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of every fold."""
        return [(rows[train], rows[test]) for train, test in splits_of(self.task, self.y.iloc[rows])]

    def write(self, path: Path, rows: np.ndarray) -> None:
        """Rows as they stand in the file."""
        path.write_text("".join(self.header + [self.records[i] for i in rows]), encoding="utf-8")


def score(task: str, predicted: np.ndarray, truth: pd.Series) -> float:
    """Percent right, or the root of the mean squared error."""
    if task == "regression":
        return float(np.sqrt(np.mean((predicted.astype(float) - truth.to_numpy(float)) ** 2)))
    if pd.api.types.is_bool_dtype(truth):
        return 100 * float(
            np.mean(pd.Series(predicted).astype(str).str.lower() == truth.astype(str).str.lower().values)
        )
    if pd.api.types.is_numeric_dtype(truth):
        return 100 * float(np.mean(pd.to_numeric(pd.Series(predicted)).to_numpy() == truth.to_numpy()))
    return 100 * float(np.mean(predicted.astype(str) == truth.to_numpy(str)))


class FitError(Exception):
    """What the program said."""


def run(command: list[str]) -> str:
    """What a command prints; FitError with its last words where it fails."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise FitError(result.stderr.strip().splitlines()[-1] if result.stderr.strip() else str(result.returncode))
    return result.stdout


def by_program(
    program: list[str], table: TableFile, part: str, train: np.ndarray, test: np.ndarray
) -> tuple[float, dict]:
    """Fits and predicts with the program; what it says of the fit."""
    model = "svc" if table.task == "classification" else "svr"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table.write(folder / "train.csv", train)
        table.write(folder / "test.csv", test)
        command = [program[0], "fit" if part == "defaults" else "tune", model, str(folder / "train.csv")]
        if part != "defaults" and table.task == "classification":
            # As the grid of the pipeline is scored; left alone, balanced accuracy chooses where a class is rare.
            command += ["--metric", "accuracy"]
        said = run(
            [*command, *program[1:], f"--target={table.target}", "-o", str(folder / "model.mercer"), "--json", "-q"]
        )
        run(
            [
                program[0],
                "predict",
                str(folder / "model.mercer"),
                str(folder / "test.csv"),
                "-o",
                str(folder / "out.csv"),
            ]
        )
        with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
            predicted = np.array([row[0] for row in csv.reader(file)][1:], dtype=object)
    return score(table.task, predicted, table.y.iloc[test]), json.loads(said)


def columns_of(frame: pd.DataFrame) -> ColumnTransformer:
    """scikit-learn's usual way with mixed columns."""
    numbers = [name for name in frame if pd.api.types.is_numeric_dtype(frame[name]) and frame[name].dtype != bool]
    words = [name for name in frame if name not in numbers]
    filled = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    return ColumnTransformer([("numbers", filled, numbers), ("words", OneHotEncoder(handle_unknown="ignore"), words)])


def scale_width(coded: np.ndarray) -> float:
    """1 / (d Var): scikit-learn's gamma="scale"."""
    mean = coded.mean()
    square = coded.multiply(coded).mean() if hasattr(coded, "multiply") else (coded * coded).mean()
    variance = square - mean**2
    return 1 / (coded.shape[1] * variance) if variance > 0 else 1.0


def splits_of(task: str, y: pd.Series) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds; of classes with their shares kept."""
    split = StratifiedKFold if task == "classification" else KFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer rows than folds
        return list(split(FOLDS, shuffle=True, random_state=0).split(y, y))


def best_point(task: str, frame: pd.DataFrame, y: pd.Series) -> dict[str, float]:
    """The point of the grid with the best mean over folds; the columns are coded within every fold."""
    machine = SVC if task == "classification" else SVR
    width = scale_width(columns_of(frame).fit_transform(frame))
    scores = np.zeros((len(COSTS), len(FACTORS)))
    for train, test in splits_of(task, y):
        columns = columns_of(frame).fit(frame.iloc[train])
        known, fresh = columns.transform(frame.iloc[train]), columns.transform(frame.iloc[test])
        for i, cost in enumerate(COSTS):
            for j, factor in enumerate(FACTORS):
                fitted = machine(C=cost, gamma=width * factor).fit(known, y.iloc[train])
                found = score(task, fitted.predict(fresh), y.iloc[test])
                scores[i, j] += found if task == "classification" else -found
    i, j = np.unravel_index(np.argmax(scores), scores.shape)
    return {"C": float(COSTS[i]), "gamma": float(width * FACTORS[j])}


def by_peer(table: TableFile, part: str, train: np.ndarray, test: np.ndarray) -> float:
    """Fits and predicts with scikit-learn's pipeline."""
    frame = table.x.copy()
    frame.columns = [str(name) for name in frame.columns]
    for name in frame:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = frame[name].astype(object)
    known, y = frame.iloc[train], table.y.iloc[train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        point = best_point(table.task, known, y) if part == "tuned" else {}
        machine = (SVC if table.task == "classification" else SVR)(**point)
        steps = make_pipeline(columns_of(known), machine).fit(known, y)
        return score(table.task, steps.predict(frame.iloc[test]), table.y.iloc[test])


def cpu_seconds(who: int) -> float:
    """User and system time so far."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def verdict(task: str, ours: np.ndarray, peer: np.ndarray) -> dict:
    """How far we are from the pipeline, in its standard errors."""
    if task == "classification":
        errors = float(np.std(ours - peer, ddof=1) / np.sqrt(len(ours)))
        below = float(np.mean(peer - ours))
        return {"difference": round(-below, 2), "s_e": round(errors, 2), "ok": below <= max(1.5, 3 * errors)}
    ratio = float(np.mean(ours) / np.mean(peer))
    errors = float(np.std(ours / peer, ddof=1) / np.sqrt(len(ours)))
    return {"ratio": round(ratio, 4), "s_e": round(errors, 4), "ok": ratio <= max(1.05, 1 + 3 * errors)}


def measure(program: list[str], table: TableFile, part: str) -> dict:
    """One line of results."""
    rows = table.rows(MOST_ROWS[part])
    line = {"bench": "tables", "table": table.name, "part": part, "task": table.task, "rows": len(rows)}
    ours, peer = [], []
    start, ours_cpu, peer_cpu = time.perf_counter(), 0.0, 0.0
    for train, test in table.folds(rows):
        before = cpu_seconds(resource.RUSAGE_CHILDREN)
        try:
            found, said = by_program(program, table, part, train, test)
            ours.append(found)
            line.setdefault("kernel", said["kernel"])
            line.setdefault("left_out", (said.get("coding") or {}).get("left_out"))
        except FitError as error:
            line["error"] = str(error)
        ours_cpu += cpu_seconds(resource.RUSAGE_CHILDREN) - before
        before = cpu_seconds(resource.RUSAGE_SELF)
        try:
            peer.append(by_peer(table, part, train, test))
        except ValueError as error:
            line["peer_error"] = str(error).splitlines()[0]
        peer_cpu += cpu_seconds(resource.RUSAGE_SELF) - before
    line |= {"fitted": len(ours) == FOLDS, "ours": ours, "peer": peer}
    if len(ours) == len(peer) == FOLDS:
        line |= {"ours_mean": round(float(np.mean(ours)), 4), "peer_mean": round(float(np.mean(peer)), 4)}
        line |= verdict(table.task, np.array(ours), np.array(peer))
    return line | {
        "ours_cpu_s": round(ours_cpu, 2), "peer_cpu_s": round(peer_cpu, 2),
        "seconds": round(time.perf_counter() - start, 1)}  # fmt: skip


def summary(lines: list[dict], part: str) -> dict:
    """Means over tables, and which are not as they must be."""
    compared = [line for line in lines if "ok" in line]
    classes = [line for line in compared if line["task"] == "classification"]
    numbers = [line for line in compared if line["task"] == "regression"]
    result = {"bench": "tables", "part": part, "tables": len(lines), "compared": len(compared)}
    if classes:
        result["mean_accuracy"] = round(float(np.mean([line["ours_mean"] for line in classes])), 3)
        result["peer_mean_accuracy"] = round(float(np.mean([line["peer_mean"] for line in classes])), 3)
    if numbers:
        result["mean_rmse_ratio"] = round(float(np.mean([line["ratio"] for line in numbers])), 4)
    result["not_fitted"] = [line["table"] for line in lines if not line["fitted"]]
    result["below"] = [line["table"] for line in compared if not line["ok"]]
    result["cpu_ratio"] = round(
        sum(line["ours_cpu_s"] for line in lines) / sum(line["peer_cpu_s"] for line in lines), 3
    )
    return result


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--tuned", action="store_true")
    parser.add_argument("--flag", action="append", default=[], help="of the program, such as --flag=--metric=accuracy")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--list", type=Path, default=Path(__file__).with_name("tables_list.csv"))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    arguments = parser.parse_args()
    part = "tuned" if arguments.tuned else "defaults"
    earlier = arguments.results.read_text().splitlines() if arguments.results.exists() else []
    done = {line["table"]: line for line in map(json.loads, earlier) if line["part"] == part}
    end = time.monotonic() + 60 * arguments.minutes
    with arguments.list.open(newline="") as file:
        listed = [line for line in csv.DictReader(file) if any(word in line["file"] for word in arguments.only)]
    for line in listed:
        if line["file"] not in done:
            if time.monotonic() > end:
                break
            with threadpool_limits(1):
                result = measure([arguments.program, *arguments.flag], TableFile(arguments.folder, line), part)
            done[line["file"]] = result
            with arguments.results.open("a") as file:
                file.write(json.dumps(result) + "\n")
        print(json.dumps(done[line["file"]]), flush=True)
    lines = [done[line["file"]] for line in listed if line["file"] in done]
    if lines:
        print(json.dumps(summary(lines, part)))


if __name__ == "__main__":
    main()
