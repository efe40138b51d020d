"""scikit-learn's KernelDensity and KDEpy's FFTKDE on the tasks of kde_bench.cpp, fits included: one JSON line each.

    kde_bench && python3 bench/task/kde_peers_bench.py
"""

import json
import time

import numpy as np
from KDEpy import FFTKDE
from sklearn.neighbors import KernelDensity


def report(name, repeats, work):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    print(json.dumps({"bench": name, "peer_s": round(best, 4)}), flush=True)


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(1_000_000)
    nodes = np.linspace(-6, 6, 1024)
    width = (3 / 4 * len(x)) ** (-1 / 5)
    report("kde grid, bandwidth given, KDEpy FFTKDE", 5, lambda: FFTKDE(bw=width).fit(x).evaluate(nodes))
    report("kde grid, KDEpy FFTKDE", 5, lambda: FFTKDE(bw="silverman").fit(x).evaluate(nodes))
    report("kde grid, scikit-learn", 1,
           lambda: KernelDensity(bandwidth=width, rtol=1e-4).fit(x[:, None]).score_samples(nodes[:, None]))
    x = rng.standard_normal((100_000, 2))
    queries = rng.standard_normal((10_000, 2))
    width = len(x) ** (-1 / 6)
    report("kde tree, scikit-learn", 1, lambda: KernelDensity(bandwidth=width, rtol=1e-4).fit(x).score_samples(queries))


if __name__ == "__main__":
    main()
