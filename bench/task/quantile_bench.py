#!/usr/bin/env python3
"""Quantiles of three tables: shares below each level in 10 folds, crossings, time, and kernlab's kqr on 500 rows.

usage: quantile_bench.py PROGRAM [TABLE]    (build/release/mercer; abalone, elevators or protein)

Data are read from $MERCER_DATA (default ../shared/data), at most 5000 rows of each, drawn at random. The folds are
fitted with the usual price and width, and with those that `mercer tune kqr` chooses by the pinball loss on 1000 rows,
once. One JSON object per line: `shares` are the shares of the rows at or below the quantile of a fit that did not see
them, `worst` the largest distance from the level. Where Rscript with kernlab is there (Debian: r-cran-kernlab), both
fit 500 rows with the same kernel and C and predict 500 others: ratio = our pinball loss / kernlab's.
"""

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("MERCER_DATA", "../shared/data"))
LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
ROWS, TUNED_ROWS, FOLDS, PEER_ROWS = 5000, 1000, 10, 500
SCRIPT = """
suppressMessages(library(kernlab))
arguments <- commandArgs(trailingOnly = TRUE)
train <- as.matrix(read.csv(arguments[1], header = FALSE))
test <- as.matrix(read.csv(arguments[2], header = FALSE))
d <- ncol(train)
for (tau in c(0.05, 0.25, 0.5, 0.75, 0.95)) {
  model <- kqr(train[, -d], train[, d], tau = tau, C = as.numeric(arguments[4]), scaled = FALSE, kernel = "rbfdot",
               kpar = list(sigma = as.numeric(arguments[3])))
  cat(sprintf("%.17g", predict(model, test[, -d])), "\\n")
}
"""


def abalone() -> np.ndarray:
    """Rings by sex, as three columns, and seven measures."""
    lines = [line.split(",") for line in (DATA / "abalone/abalone.data").read_text().split()]
    return np.array([[float(line[0] == sex) for sex in "MFI"] + [float(v) for v in line[1:]] for line in lines])


def elevators() -> np.ndarray:
    """The target is the last column."""
    with gzip.open(DATA / "gp-uci-masks/elevators/data.csv.gz", "rt") as file:
        return np.loadtxt(file, delimiter=",")


def protein() -> np.ndarray:
    """The target goes last."""
    folder = DATA / "gp-uci/protein-tertiary-structure"
    with gzip.open(folder / "data.txt.gz", "rt") as file:
        table = np.loadtxt(file)
    target = int((folder / "index_target.txt").read_text())
    columns = np.loadtxt(folder / "index_features.txt", dtype=int)
    return np.column_stack([table[:, columns], table[:, target]])


def main() -> None:
    """Measures and prints."""
    program = sys.argv[1]
    for load in (abalone, elevators, protein):
        if len(sys.argv) > 2 and load.__name__ != sys.argv[2]:
            continue
        table = np.random.default_rng(1).permutation(load())[:ROWS]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            usual = ["--kernel", "rbf(gamma=scale)"]
            chosen = tuned(program, table[:TUNED_ROWS], folder)
            for what, flags in (("usual", usual), ("tuned", chosen)):
                judge_folds(program, load.__name__, what, table, flags, folder)
            if shutil.which("Rscript"):
                judge_peer(program, load.__name__, table, folder)


def tuned(program: str, table: np.ndarray, folder: Path) -> list[str]:
    """Give the flags of a fit with the price and the width that tune chooses."""
    np.save(folder / "tune.npy", table)
    flags = [str(folder / "tune.npy"), "--target", "-1", "--scale", "standard", "--metric", "pinball"]
    model = str(folder / "tuned.mercer")
    kernel = ["--kernel", "rbf(gamma=2^-10..2^1)", "--set", "C=2^-5..2^8", "--search", "bayes", "--points", "30"]
    best = json.loads(run([program, "tune", "kqr", *flags, *kernel, "-o", model, "--json", "--force"]))
    return ["--kernel", best["kernel"], "--set", f"C={best['options']['C']}"]


def judge_folds(program: str, name: str, what: str, table: np.ndarray, flags: list[str], folder: Path) -> None:
    """Fit all folds but one, predict that one, and count."""
    fold = np.arange(len(table)) % FOLDS
    quantiles = np.empty((len(table), len(LEVELS)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for number in range(FOLDS):
        quantiles[fold == number] = predicted(program, table[fold != number], table[fold == number], flags, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shares = (table[:, -1:] <= quantiles).mean(axis=0)
    report(
        {
            "bench": f"quantiles of {name}, {len(table)} rows, {FOLDS} folds, {what}",
            "flags": " ".join(flags),
            "shares": [round(float(share), 4) for share in shares],
            "worst": round(float(np.abs(shares - LEVELS).max()), 4),
            "crossings": int((np.diff(quantiles, axis=1) < 0).sum()),
            "pinball": pinball(table[:, -1], quantiles),
            "cpu_s_per_fold": round((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / FOLDS, 2),
        }
    )


def judge_peer(program: str, name: str, table: np.ndarray, folder: Path) -> None:
    """The same machines by kernlab, on columns and targets that are standardised beforehand."""
    table = table[:, np.ptp(table[: 2 * PEER_ROWS], axis=0) > 0]
    train, test = table[:PEER_ROWS], table[PEER_ROWS : 2 * PEER_ROWS]
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    train, test = (train - mean) / deviation, (test - mean) / deviation
    gamma, C = 1 / (train.shape[1] - 1), 1.0
    flags = ["--kernel", f"rbf(gamma={gamma!r})", "--set", f"C={C}", "--set", "standardize=no", "--scale", "none"]
    ours = predicted(program, train, test, flags, folder)
    for part, rows in (("train", train), ("test", test)):
        np.savetxt(folder / f"{part}.csv", rows, delimiter=",", fmt="%.17g")
    (folder / "kqr.R").write_text(SCRIPT)
    files = [str(folder / file) for file in ("kqr.R", "train.csv", "test.csv")]
    output = run(["Rscript", *files, repr(gamma), repr(C)])
    theirs = np.array([[float(v) for v in line.split()] for line in output.strip().splitlines()]).T
    loss, peer = pinball(test[:, -1], ours), pinball(test[:, -1], theirs)
    report(
        {
            "bench": f"pinball loss of {name}, {PEER_ROWS} rows / kernlab",
            "ours": loss,
            "peer": peer,
            "ratio": round(loss / peer, 5),
            "largest_difference": round(float(np.abs(ours - theirs).max()), 5),
        }
    )


def predicted(program: str, train: np.ndarray, test: np.ndarray, flags: list[str], folder: Path) -> np.ndarray:
    """Quantiles of the rows of one table by a fit to the other."""
    np.save(folder / "train.npy", train)
    np.save(folder / "test.npy", test)
    model = str(folder / "m.mercer")
    run([program, "fit", "kqr", str(folder / "train.npy"), "--target", "-1", *flags, "-o", model, "--force"])
    levels = ",".join(str(level) for level in LEVELS)
    text = run([program, "predict", model, str(folder / "test.npy"), "--target", "-1", "--quantiles", levels])
    return np.array([[float(v) for v in line.split(",")[1:]] for line in text.strip().splitlines()[1:]])


def pinball(y: np.ndarray, quantiles: np.ndarray) -> float:
    """The mean over rows and levels."""
    residual = y[:, None] - quantiles
    return float(np.where(residual > 0, LEVELS * residual, (LEVELS - 1) * residual).mean())


def run(command: list[str]) -> str:
    """What the command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def report(line: dict[str, object]) -> None:
    """One line of JSON."""
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
