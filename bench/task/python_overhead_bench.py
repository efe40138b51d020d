#!/usr/bin/env python3
"""What the Python package adds to the engine's own time: predictions of ten rows, and fits and predictions of 10000.

usage: python_overhead_bench.py    (in an environment where mercer is installed)

Prints one JSON object per line. A call for ten rows should take less than a millisecond, and the package less than a
twentieth of a fit. The fastest prediction of all, of a linear machine, stands beside scikit-learn's.
"""

import json
import time

import sklearn.gaussian_process
import sklearn.svm
from sklearn.datasets import load_iris, make_classification
from sklearn.gaussian_process.kernels import RBF

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
    for model in (SVC().fit(X[:2000], y[:2000]), LinearSVC().fit(X, y)):
        samples = model._samples(X)
        whole = min(seconds(lambda model=model: model.predict(X)) for _ in range(50))
        inside = min(seconds(lambda m=model, s=samples: m._fitted.predict(s, threads=0)) for _ in range(50))
        name = f"{type(model).__name__}.predict of 10000 rows"
        print(json.dumps({"bench": name, "seconds": whole, "outside the engine": whole - inside}))
    theirs = sklearn.svm.LinearSVC().fit(X, y)
    best = min(seconds(lambda: theirs.predict(X)) for _ in range(50))
    print(json.dumps({"bench": "LinearSVC.predict of 10000 rows, scikit-learn", "seconds": best}))
    X, y = load_iris(return_X_y=True)
    kernel = 1.0 * RBF(1.0)
    for name, model in (
        ("one_vs_rest", GaussianProcessClassifier(kernel)),
        ("softmax", GaussianProcessClassifier(kernel, multi_class="softmax")),
        ("scikit-learn", sklearn.gaussian_process.GaussianProcessClassifier(kernel)),
    ):
        fitted = model.fit(X, y)
        best = min(seconds(lambda fitted=fitted: fitted.predict_proba(X)) for _ in range(50))
        print(json.dumps({"bench": f"GaussianProcessClassifier.predict_proba, iris, {name}", "seconds": best}))


if __name__ == "__main__":
    main()
