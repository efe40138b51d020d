"""Boston housing by nu- and epsilon-SVR over random splits of 481 and 25 rows: Schölkopf & Smola (2002), tables of 9.5.

The kernel is exp(-|x - x'|²/3.9), C/m = 500. The book does not say how inputs are scaled; with columns in [-1, 1] its
widths and fractions come out, with columns of variance 1 or in [0, 1] they do not. One JSON object per line.

    python bench/task/boston_tubes_bench.py [splits]
"""

from __future__ import annotations

import csv
import json
import os
import pathlib
import sys

import numpy as np

from mercer.svm import SVR, NuSVR

BOOK = {
    "nu": {
        "values": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
        "epsilon": [2.6, 1.7, 1.2, 0.8, 0.6, 0.3, 0.0, 0.0, 0.0, 0.0],
        "mse": [9.4, 8.7, 9.3, 9.5, 10.0, 10.6, 11.3, 11.3, 11.3, 11.3],
        "errors": [0.0, 0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.5],
        "supports": [0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0],
    },
    "epsilon": {
        "values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "mse": [11.3, 9.5, 8.8, 9.7, 11.2, 13.1, 15.6, 18.2, 22.1, 27.0, 34.3],
        "errors": [0.5, 0.2, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "supports": [1.0, 0.6, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
    },
}


def boston() -> tuple[np.ndarray, np.ndarray]:
    """Give 13 columns in [-1, 1] and the price."""
    folder = pathlib.Path(os.environ.get("MERCER_DATA", "../shared/data"))
    with (folder / "r-mass" / "Boston.csv").open() as file:
        rows = np.array([[float(value) for value in row[-14:]] for row in list(csv.reader(file))[1:]])
    x = rows[:, :13]
    low, high = x.min(axis=0), x.max(axis=0)
    return 2 * (x - low) / (high - low) - 1, rows[:, 13]


def one_split(model: SVR | NuSVR, x: np.ndarray, y: np.ndarray, seed: int) -> list[float]:
    """Give the width, the squared error of 25 rows, and fractions of the others outside and of support vectors."""
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[25:], order[:25]
    model.fit(x[train], y[train])
    width = model.epsilon_ if isinstance(model, NuSVR) else model.epsilon
    bound = np.abs(model.dual_coef_).max() if len(model.support_) else 0.0
    outside = np.abs(model.dual_coef_) >= 500 * (1 - 1e-9) if bound else np.zeros(1)
    error = float(np.mean((model.predict(x[test]) - y[test]) ** 2))
    return [float(width), error, float(outside.sum()) / len(train), len(model.support_) / len(train)]


def main() -> None:
    """Print a line per value of nu and of epsilon."""
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    x, y = boston()
    for name, book in BOOK.items():
        for place, value in enumerate(book["values"]):
            shared = {"C": 500.0, "gamma": 1 / 3.9, "tol": 1e-3}
            model = NuSVR(nu=value, **shared) if name == "nu" else SVR(epsilon=value, **shared)
            found = np.array([one_split(model, x, y, seed) for seed in range(splits)])
            width, error, errors, supports = found.mean(axis=0)
            line = {
                "bench": "boston_tubes",
                name: value,
                "splits": splits,
                "width": round(float(width), 3),
                "mse": round(float(error), 2),
                "mse_std": round(float(found[:, 1].std()), 2),
                "errors": round(float(errors), 3),
                "supports": round(float(supports), 3),
                "book": {key: book[key][place] for key in book if key != "values"},
            }
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
