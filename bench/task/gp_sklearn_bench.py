#!/usr/bin/env python3
"""Gaussian process regression beside scikit-learn's: ARD Gaussian kernel, an amplitude, noise; n = 2000, d = 8.

usage: gp_sklearn_bench.py PROGRAM GP_BENCH    (build/release/mercer, build/bench/bench/…/gp_bench)

Prints one JSON object per line: one evaluation of the log marginal likelihood with its gradient, and the whole fit to
an equal or better one, both from the same start. ratio = ours / scikit-learn's: below 1 we are faster.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

ROWS, COLUMNS = 2000, 8


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Friedman's first function of five of the eight columns, with noise, standardised."""
    random = np.random.default_rng(1)
    x = random.uniform(size=(ROWS, COLUMNS))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y += random.normal(size=ROWS)
    return (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()


def main() -> None:
    """Measures and prints."""
    program, bench = sys.argv[1:3]
    x, y = problem()
    kernel = ConstantKernel(1.0) * RBF([2.0] * COLUMNS) + WhiteKernel(0.1)

    peer = GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(x, y)
    theta = peer.kernel_.theta
    best = min(timed(lambda: peer.log_marginal_likelihood(theta, eval_gradient=True)) for _ in range(3))
    line = next(line for line in run([bench]).splitlines() if f"n={ROWS} " in line)
    ours = json.loads(line)["ours_s"]
    report("evidence and gradient / scikit-learn", ours, best)

    start = time.perf_counter()
    fitted = GaussianProcessRegressor(kernel, alpha=0).fit(x, y)
    seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "train.npy"
        np.save(data, np.column_stack([x, y]))
        spec = f"1*rbf(lengthscale={[2.0] * COLUMNS})"
        start = time.perf_counter()
        command = [program, "fit", "gp", str(data), "--target", "-1", "--kernel", spec, "--scale", "none", "--json"]
        output = json.loads(
            run([*command, "--set", "noise=0.1", "--set", "standardize=no", "-o", folder + "/m.mercer"])
        )
        ours = time.perf_counter() - start
    report(
        "whole fit / scikit-learn",
        ours,
        seconds,
        log_evidence=output["objective"],
        peer_log_evidence=fitted.log_marginal_likelihood_value_,
    )


def timed(work) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(command: list[str]) -> str:
    """What the command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def report(name: str, ours: float, peer: float, **more: float) -> None:
    print(
        json.dumps(
            {"bench": f"{name} n={ROWS} d={COLUMNS}", "ours_s": ours, "peer_s": peer, "ratio": ours / peer} | more
        )
    )


if __name__ == "__main__":
    main()
