"""Classes of a table by the program's svc against scikit-learn's SVC upon the matrix that the docs describe."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import sklearn.svm
from hypothesis import strategies as st

from hunt.oracles import table_design as design
from hunt.oracles.table_answers import Case
from hunt.program import Place
from hunt.table import Recipe, draw_table
from hunt.table_text import draw_dress, training
from hunt.verdict import Judge

TOLERANCE = 1e-8
BOUND = 1.5


def draw_classes(pick: Any) -> Recipe:
    """A table with a target of classes."""
    facts = draw_table(pick, targets=("words", "digits", "truth"))
    facts["dress"] = draw_dress(pick, facts)
    facts["kernel"] = pick(st.sampled_from(design.KERNELS))
    facts["scale"] = pick(st.sampled_from(("standard", *design.SCALES)))
    facts["missing"] = pick(st.sampled_from(("", "fill")))
    facts.update(without_target=pick(st.booleans()), used_alone=pick(st.booleans()))
    return facts


def judge_classes(facts: Recipe, judge: Judge) -> None:
    """Decision values of two classes, or of each against the rest of several."""
    case = Case(facts)
    labels = np.array([case.table.target[i] for i in case.rows])
    with Place() as place:
        place.write("train.csv", training(case.table, case.dress))
        place.write("new.csv", case.new_file())
        words = [*case.flags(), "-s", f"tolerance={TOLERANCE}", "-s", "multiclass=ovo", "-s", f"C={BOUND}"]
        fit = place.run("fit", "svc", "train.csv", *words, "-o", "m.mercer")
        judge.holds("table_read", fit.code == 0, f"a sound table is refused: {fit.line()}")
        run = place.run("predict", "m.mercer", "new.csv", *case.dress.reading(), "--decision")
        judge.holds("table_read", run.code == 0, f"new rows are refused: {run.line()}")
    k, k_new = case.grams()
    peer = sklearn.svm.SVC(kernel="precomputed", C=BOUND, tol=TOLERANCE, decision_function_shape="ovo").fit(k, labels)
    values = np.asarray(peer.decision_function(k_new)).reshape(len(k_new), -1)
    found = run.numbers("f(")
    if found.shape != values.shape:
        judge.holds("table_machine", False, f"{found.shape} decision values for {values.shape}")
    signs = 1.0 if len(peer.classes_) > 2 or f"f({peer.classes_[1]})" in run.table()[0] else -1.0
    size = max(1.0, float(np.abs(values).max()))
    values = signs * values
    for column, is_known in enumerate(_known_offsets(k, labels, peer.classes_)):
        if not is_known:  # an interval of offsets is right: the rest of the function is judged
            found[:, column] -= found[:, column].mean()
            values[:, column] -= values[:, column].mean()
    judge.close("table_machine", found, values, 1e-4, size=size, what=f"decision values of {case.kernel()}")
    judge.covers("model svc")


def _known_offsets(k: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> list[bool]:
    """Whether the machine of each pair of classes has a coefficient strictly within its bounds."""
    known = []
    for pair in itertools.combinations(classes, 2):
        rows = np.flatnonzero(np.isin(labels, pair))
        machine = sklearn.svm.SVC(kernel="precomputed", C=BOUND, tol=TOLERANCE).fit(k[np.ix_(rows, rows)], labels[rows])
        sizes = np.abs(machine.dual_coef_)
        known.append(bool(np.any((sizes > 1e-4 * BOUND) & (sizes < (1 - 1e-4) * BOUND))))
    return known
