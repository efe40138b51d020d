#!/usr/bin/env python3
"""What the Python package adds to the engine's own time: predictions of ten rows, and a fit of 10000.

usage: python_overhead_bench.py    (in an environment where mercer is installed)

Prints one JSON object per line. A call for ten rows should take less than a millisecond, and the package less than a
twentieth of a fit.
"""

import json
import time

from sklearn.datasets import make_classification

from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.svm import SVC, SVR, LinearSVC, OneClassSVM


def seconds(call) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Measures and prints."""
    X, y = make_classification(200, 4, random_state=0)
    for cls in (SVC, LinearSVC, SVR, OneClassSVM, KernelRidge, GaussianProcessRegressor, GaussianProcessClassifier):
        model = cls().fit(X, y)
        best = min(seconds(lambda model=model: model.predict(X[:10])) for _ in range(100))
        print(json.dumps({"bench": f"{cls.__name__}.predict of 10 rows", "seconds": best}))
    X, y = make_classification(10_000, 20, n_informative=10, random_state=0)
    model = SVC()
    shares = []
    for _ in range(3):
        whole = seconds(lambda: model.fit(X, y))
        shares.append(1 - sum(model.fit_report_["phases"].values()) / whole)
    print(json.dumps({"bench": "share of SVC.fit, n=10000, outside the engine", "share": min(shares)}))


if __name__ == "__main__":
    main()
