#!/usr/bin/env python3
"""A grid search beside scikit-learn's GridSearchCV: covtype, 5000 rows, RBF SVC, 10 values of C, 10 of gamma, 5 folds.

usage: tune_sklearn_bench.py TUNE_BENCH DATA [--one-fold FILE.json]

TUNE_BENCH is the program built from tune_bench.cpp, DATA the folder with covtype-subset/covtype.5000.train.csv.gz.
Prints one JSON object: wall-clock seconds of both on two cores, their ratio (below 1 we are faster), the best cells and
their errors on the same folds. The whole search by scikit-learn takes ten minutes; --one-fold fits only the first fold
of every cell, in one process, writes CPU seconds and errors of every cell to the file, and compares CPU seconds with
a fifth of ours.
"""

import argparse
import gzip
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV, PredefinedSplit, StratifiedKFold
from sklearn.svm import SVC

FOLDS = 5
COSTS = 2.0 ** np.linspace(-5, 15, 10)
GAMMAS = 2.0 ** np.linspace(-15, 3, 10)


def problem(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs (standardised), labels and the number of the fold of every row."""
    with gzip.open(folder / "covtype-subset" / "covtype.5000.train.csv.gz", "rt") as text:
        data = np.loadtxt(text, delimiter=",")
    y, x = data[:, 0], data[:, 1:]
    deviations = x.std(0)
    x = (x - x.mean(0)) / np.where(deviations > 0, deviations, 1)
    folds = np.zeros(len(y))
    for fold, (_, test) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y)):
        folds[test] = fold
    return x, y, folds


def ours(program: str, x: np.ndarray, y: np.ndarray, folds: np.ndarray) -> dict:
    """What the bench program measures."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npy"
        np.save(data, np.column_stack([folds, y, x]))
        run = subprocess.run([program, str(data), "2"], check=True, capture_output=True, text=True)
    result = json.loads(run.stdout)
    result["errors"] = np.reshape(result["errors"], (len(COSTS), len(GAMMAS)))
    return result


def one_fold(x: np.ndarray, y: np.ndarray, folds: np.ndarray, file: Path) -> float:
    """Fits the first fold of every cell; CPU seconds."""
    train, test = folds != 0, folds == 0
    cells = []
    for cost in COSTS:
        for gamma in GAMMAS:
            start = time.process_time()
            predicted = SVC(C=cost, gamma=gamma).fit(x[train], y[train]).predict(x[test])
            seconds = time.process_time() - start
            error = float(np.mean(predicted != y[test]))
            cells.append({"C": cost, "gamma": gamma, "cpu_seconds": seconds, "error": error})
            file.write_text(json.dumps(cells))
    return sum(cell["cpu_seconds"] for cell in cells)


def best_cell(errors: np.ndarray) -> dict:
    """The first cell of the least error."""
    i, j = np.unravel_index(np.argmin(errors), errors.shape)
    return {"C": float(COSTS[i]), "gamma": float(GAMMAS[j]), "error": float(errors[i, j])}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tune_bench")
    parser.add_argument("data", type=Path)
    parser.add_argument("--one-fold", type=Path, metavar="FILE.json")
    arguments = parser.parse_args()
    x, y, folds = problem(arguments.data)
    mine = ours(arguments.tune_bench, x, y, folds)
    report = {"bench": "grid search svc / GridSearchCV", "best": best_cell(mine["errors"])}
    if arguments.one_fold:
        peer = one_fold(x, y, folds, arguments.one_fold)
        report |= {"ours_cpu_s": mine["cpu_seconds"], "peer_cpu_s": FOLDS * peer, "peer": "one fold, times 5"}
        report["ratio"] = mine["cpu_seconds"] / (FOLDS * peer)
    else:
        search = GridSearchCV(SVC(), {"C": COSTS, "gamma": GAMMAS}, cv=PredefinedSplit(folds), n_jobs=2, refit=False)
        start = time.perf_counter()
        search.fit(x, y)
        seconds = time.perf_counter() - start
        scores = np.empty((len(COSTS), len(GAMMAS)))
        for point, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
            scores[np.argmin(abs(COSTS - point["C"])), np.argmin(abs(GAMMAS - point["gamma"]))] = score
        theirs = best_cell(1 - scores)
        report |= {"ours_s": mine["seconds"], "floor_s": seconds, "ratio": mine["seconds"] / seconds}
        report |= {"peer_best": theirs, "largest_difference": float(np.abs(mine["errors"] - (1 - scores)).max())}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
