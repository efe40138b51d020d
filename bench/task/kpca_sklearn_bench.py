#!/usr/bin/env python3
"""The leading 10 components of kernel PCA (n = 20000, d = 50, Gaussian kernel) beside scikit-learn's KernelPCA.

usage: kpca_sklearn_bench.py KPCA_BENCH    (build/bench/bench/.../kpca_bench)

Prints one JSON object per line and solver of scikit-learn. ratio = ours / scikit-learn's time: below 1 we are faster.
`difference` is the largest relative difference of the eigenvalues.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import KernelPCA

ROWS, COLUMNS, GAMMA, COMPONENTS = 20000, 50, 0.02, 10


def problem() -> np.ndarray:
    """Ten directions of falling size, and noise."""
    random = np.random.default_rng(1)
    mixture = random.normal(size=(10, COLUMNS)) * 0.8 ** np.arange(10)[:, None]
    return random.normal(size=(ROWS, 10)) @ mixture + 0.3 * random.normal(size=(ROWS, COLUMNS))


def main() -> None:
    """Measures and prints."""
    x = problem()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        np.save(path, x)
        output = subprocess.run([sys.argv[1], str(path), str(GAMMA)], check=True, capture_output=True, text=True)
    ours = json.loads(output.stdout)
    values = np.array(ours["variances"]) * ROWS
    for solver in ("arpack", "randomized"):
        start = time.perf_counter()
        peer = KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA, eigen_solver=solver, random_state=0).fit(x)
        seconds = time.perf_counter() - start
        print(
            json.dumps(
                {
                    "bench": f"kpca 10 components n={ROWS} d={COLUMNS} / scikit-learn {solver}",
                    "ours_s": ours["ours_s"],
                    "floor_s": round(seconds, 3),
                    "ratio": round(ours["ours_s"] / seconds, 4),
                    "peak_mb": ours["peak_mb"],
                    "difference": float(np.max(np.abs(values / peer.eigenvalues_ - 1))),
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
