"""One optimum by several ways: machines whose formulations are equivalent, on real data.

usage: formulations_bench.py FOLDER

FOLDER holds libsvm/heart.scale.gz, libsvm/diabetes.scale.gz, libsvm/splice.gz, svmguide1/svmguide1 and
usps/zip.train.csv.gz (its first 2000 rows, 7 against the rest). Every line names the two ways, their objectives and the
gap that each proves, relative, and how far their decision values are apart, relative to the largest. 1500 rows of a
set at most, drawn with a seed: the primal formulation has no sparsity.
"""

from __future__ import annotations

import bz2
import gzip
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler

from mercer.svm import SVC, NuSVC

Array = np.ndarray[Any, Any]
TOLERANCE = 1e-6


def libsvm_rows(path: Path) -> tuple[Array, Array]:
    found = next(p for p in (path, *path.parent.glob(path.name + ".*")) if p.is_file())
    opener = {".gz": gzip.open, ".bz2": bz2.open}.get(found.suffix, open)
    with opener(found, "rb") as file:
        x, y = load_svmlight_file(file)
    return StandardScaler().fit_transform(x.toarray()), np.where(y > y.mean(), 1, -1)


def usps_rows(path: Path) -> tuple[Array, Array]:
    table = np.loadtxt(path, delimiter=",", max_rows=2000)
    return table[:, 1:], np.where(table[:, 0] == 7, 1, -1)


def measure(model: Any, name: str) -> float:
    measures = dict(model.fit_report_["measures"]) if hasattr(model, "fit_report_") else {}
    return float(measures.get(name, np.nan))


def compare(data: str, what: str, x: Array, first: Any, second: Any, scale: float = 1.0) -> None:
    values = [model.decision_function(x) for model in (first, second)]
    size = float(np.abs(values[0]).max())
    objectives = [measure(model, "primal value") for model in (first, second)]
    gaps = [(measure(m, "primal value") - measure(m, "dual value")) / abs(measure(m, "primal value"))
            for m in (first, second)]  # fmt: skip
    print(
        json.dumps(
            {
                "data": data,
                "rows": len(x),
                "ways": what,
                "objectives": [float(f"{value:.8g}") for value in objectives],
                "gaps": [float(f"{gap:.1e}") for gap in gaps],
                "values_apart": float(f"{np.abs(values[0] - scale * values[1]).max() / size:.1e}"),
            }
        ),
        flush=True,
    )


def judge(data: str, x: Array, y: Array) -> None:
    gamma = 1 / x.shape[1]
    usual: dict[str, Any] = {"gamma": gamma, "tol": TOLERANCE}
    chosen = np.random.default_rng(0).permutation(len(x))[:1500]
    some, labels = x[chosen], y[chosen]
    groups = np.arange(len(some))
    plain = SVC(C=1, **usual).fit(some, labels)
    compare(data, "svc: dual, primal", some, plain, SVC(C=1, formulation="primal", **usual).fit(some, labels))
    alone = SVC(C=1, slack="group", **usual).fit(some, labels, groups=groups)
    compare(data, "svc: a slack per row, groups of one", some, plain, alone)
    compare(data, "svc: binary, ww of two classes", some, plain, SVC(C=1, multiclass="ww", **usual).fit(some, labels))
    share = 0.5 * 2 * min((labels > 0).mean(), (labels < 0).mean())
    nu = NuSVC(nu=share, **usual).fit(some, labels)
    hulls = NuSVC(hull=2 / (share * len(some)), **usual).fit(some, labels)
    compare(data, "nusvc: nu, reduced hulls", some, nu, hulls)
    alone = NuSVC(nu=share, slack="group", **usual).fit(some, labels, groups=groups)
    compare(data, "nusvc: a slack per row, groups of one", some, nu, alone)
    ring = NuSVC(nu=plain_share(plain, len(some)), **usual).fit(some, labels)
    ratio = float(np.abs(plain.decision_function(some)).max() / np.abs(ring.decision_function(some)).max())
    compare(data, "svc and nusvc with nu = sum of alpha / C", some, plain, ring, ratio)


def plain_share(model: SVC, rows: int) -> float:
    return float(np.abs(model.dual_coef_).sum() / (model.C * rows))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore", category=FutureWarning)
    folder = Path(sys.argv[1])
    sets = {
        "heart": lambda: libsvm_rows(folder / "libsvm" / "heart.scale"),
        "diabetes": lambda: libsvm_rows(folder / "libsvm" / "diabetes.scale"),
        "splice": lambda: libsvm_rows(folder / "libsvm" / "splice"),
        "svmguide1": lambda: libsvm_rows(folder / "svmguide1" / "svmguide1"),
        "usps 7": lambda: usps_rows(folder / "usps" / "zip.train.csv.gz"),
    }
    for name, read in sets.items():
        start = time.process_time()
        judge(name, *read())
        print(json.dumps({"data": name, "cpu_s": round(time.process_time() - start, 1)}), flush=True)


if __name__ == "__main__":
    main()
