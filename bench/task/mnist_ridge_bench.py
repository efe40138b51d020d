#!/usr/bin/env python3
"""mnist by one-vs-all kernel ridge: all rows by conjugate gradients (lssvm), landmarks (falkonc), and scikit-learn.

usage: mnist_ridge_bench.py MERCER MNIST_FOLDER [--rows 60000] [--landmarks 10000] [--only lssvm,falkonc,sklearn]

Gaussian kernel with gamma 0.02 on x/255, lambda 0.1. scikit-learn: Nystroem with as many components, then Ridge on codes
+-1, which is the same function class. Every method runs in a process of its own, so that peaks of memory compare. Prints one
JSON object per method (seconds to fit, peak memory in MB, test error in %) and the ratio of times: above 1 we are faster.
"""

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

GAMMA, PENALTY = 0.02, 0.1


def images(path: Path) -> np.ndarray:
    """Rows of pixels in [0, 1], single precision."""
    with gzip.open(path, "rb") as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32) / 255


def labels(path: Path) -> np.ndarray:
    """Digits."""
    with gzip.open(path, "rb") as file:
        return np.frombuffer(file.read(), np.uint8, offset=8).astype(int)


def ours(mercer: str, model: str, folder: Path, settings: list[str]) -> dict:
    """Fits and scores with the program."""
    stored = folder / f"{model}.mercer"
    flags = [part for setting in settings for part in ("--set", setting)]
    fit = subprocess.run(
        [mercer, "fit", model, str(folder / "x.npy"), "--targets-file", str(folder / "y.npy"), "--scale", "none", "-k",
         f"rbf(gamma={GAMMA})", *flags, "--json", "-q", "-o", str(stored)],
        check=True, capture_output=True, text=True)  # fmt: skip
    report = json.loads(fit.stdout)
    predicted = folder / "predicted.csv"
    subprocess.run([mercer, "predict", str(stored), str(folder / "xt.npy"), "-o", str(predicted)], check=True)
    answers = np.loadtxt(predicted, skiprows=1, delimiter=",", ndmin=2)[:, 0].astype(int)
    seconds = report["seconds"]
    return {
        "method": model,
        "seconds": round(sum(value for name, value in seconds.items() if name not in ("total", "read", "write")), 1),
        "phases": {name: round(value, 2) for name, value in seconds.items()},
        "peak_mb": round(report["peak_memory_mb"]),
        "iterations": report["iterations"],
        "residual": report["objective"]["value"],
        "status": report["status"],
        "error_percent": round(100 * float(np.mean(answers != np.load(folder / "yt.npy"))), 3),
    }


def scikit_learn(folder: Path, landmarks: int) -> dict:
    """Nystroem features and Ridge; called in a process of its own."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge

    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy").astype(int)
    start = time.perf_counter()
    features = Nystroem(gamma=GAMMA, n_components=landmarks, random_state=0)
    z = features.fit_transform(x)
    model = Ridge(alpha=PENALTY, solver="cholesky").fit(z, 2.0 * (y[:, None] == np.arange(10)) - 1)
    seconds = time.perf_counter() - start
    answers = model.predict(features.transform(np.load(folder / "xt.npy"))).argmax(1)
    return {
        "method": "scikit-learn Nystroem + Ridge",
        "seconds": round(seconds, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "error_percent": round(100 * float(np.mean(answers != np.load(folder / "yt.npy"))), 3),
    }


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mercer")
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=int, default=60000)
    parser.add_argument("--landmarks", type=int, default=10000)
    parser.add_argument("--only", default="lssvm,falkonc,sklearn")
    parser.add_argument("--work", type=Path, help="run scikit-learn alone on the files of this folder")
    options = parser.parse_args()
    if options.work:
        print(json.dumps(scikit_learn(options.work, options.landmarks)))
        return
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "x.npy", images(options.data / "train-images-idx3-ubyte.gz")[: options.rows])
        np.save(folder / "y.npy", labels(options.data / "train-labels-idx1-ubyte.gz")[: options.rows].astype(float))
        np.save(folder / "xt.npy", images(options.data / "t10k-images-idx3-ubyte.gz"))
        np.save(folder / "yt.npy", labels(options.data / "t10k-labels-idx1-ubyte.gz"))
        for method in options.only.split(","):
            if method == "lssvm":
                settings = [f"C={1 / PENALTY}", "method=iterative"]
                results[method] = ours(options.mercer, method, folder, settings)
            elif method == "falkonc":
                settings = [f"lambda={PENALTY}", f"landmarks={options.landmarks}", "tolerance=1e-4"]
                results[method] = ours(options.mercer, method, folder, settings)
            else:
                command = [sys.executable, __file__, options.mercer, str(options.data), "--work", str(folder)]
                output = subprocess.run([*command, "--landmarks", str(options.landmarks)], check=True, capture_output=True)
                results[method] = json.loads(output.stdout)
            print(json.dumps(results[method]), flush=True)
    if "sklearn" in results:
        for method in set(results) - {"sklearn"}:
            ratio = results["sklearn"]["seconds"] / results[method]["seconds"]
            print(json.dumps({"ratio": f"scikit-learn / {method}", "value": round(ratio, 2)}))


if __name__ == "__main__":
    main()
