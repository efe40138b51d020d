"""The LIBSVM commands: model files evaluated by hand, machines against scikit-learn, scaling computed again."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import sklearn.metrics.pairwise as pairwise
import sklearn.svm
from hypothesis import strategies as st

from hunt import data
from hunt.program import Place, libsvm_text
from hunt.verdict import Judge, NotApplicable

TYPES = {"c_svc": 0, "nu_svc": 1, "one_class": 2, "epsilon_svr": 3, "nu_svr": 4}
MODELS = {"c_svc": "svc", "nu_svc": "nusvc", "one_class": "oneclass", "epsilon_svr": "svr", "nu_svr": "nusvr"}
KERNELS = {"linear": 0, "polynomial": 1, "rbf": 2, "sigmoid": 3}
MOST_STEPS = 1_000_000  # of the peer: without a limit it goes round in rounding for ever
LABELS = ((1, -1), (-1, 1), (3, 1, 2), (0, 7), (1.5, -2))


def draw_svm(pick: Any) -> dict[str, Any]:
    """A machine of LIBSVM's, its data and their labels."""
    facts = data.draw_inputs(pick, fewest=6, most=16, columns=3, plain=True)
    facts.update(data.draw_classes(pick, most=3))
    facts.update(
        type=pick(st.sampled_from(list(TYPES))),
        kernel=pick(st.sampled_from(list(KERNELS))),
        labels=pick(st.integers(0, len(LABELS) - 1)),
        C=pick(st.sampled_from((1, 0.1, 10))),
        nu=pick(st.sampled_from((0.5, 0.2, 0.3))),
        probability=pick(st.booleans()),
        lower=pick(st.sampled_from((-1, 0, 2))),
    )
    return facts


class Machine:
    """A model file of LIBSVM's text format, evaluated by its definition."""

    def __init__(self, text: str, columns: int) -> None:
        head, _, body = text.partition("SV\n")
        self.head = {line.split()[0]: line.split()[1:] for line in head.splitlines()}
        self.coefficients: list[list[float]] = []
        self.vectors: list[np.ndarray] = []
        many = int(self.head["nr_class"][0]) - 1
        for line in body.splitlines():
            fields = line.split()
            self.coefficients.append([float(field) for field in fields[:many]])
            row = np.zeros(columns)
            for entry in fields[many:]:
                index, value = entry.split(":")
                row[int(index) - 1] = float(value)
            self.vectors.append(row)
        self.rho = np.array([float(field) for field in self.head["rho"]])

    def kernel(self, x: np.ndarray) -> np.ndarray:
        """Values between the rows and the support vectors."""
        vectors = np.array(self.vectors).reshape(len(self.vectors), x.shape[1])
        numbers = {name: float(self.head[name][0]) for name in ("gamma", "coef0", "degree") if name in self.head}
        name = self.head["kernel_type"][0]
        if name == "linear":
            return x @ vectors.T
        if name == "rbf":
            return pairwise.rbf_kernel(x, vectors, gamma=numbers["gamma"])
        inner = numbers["gamma"] * (x @ vectors.T) + numbers["coef0"]
        return inner ** numbers["degree"] if name == "polynomial" else np.tanh(inner)

    def values(self, x: np.ndarray) -> np.ndarray:
        """Decision values, a column for each pair of classes."""
        k = self.kernel(x) if self.vectors else np.zeros((len(x), 0))
        weights = np.array(self.coefficients).reshape(len(self.vectors), -1) if self.vectors else np.zeros((0, 1))
        if "nr_sv" not in self.head:
            return (k @ weights[:, :1]) - self.rho
        counts = [int(field) for field in self.head["nr_sv"]]
        start = np.concatenate([[0], np.cumsum(counts)])
        found = []
        for i in range(len(counts)):
            for j in range(i + 1, len(counts)):
                rows_i, rows_j = slice(start[i], start[i + 1]), slice(start[j], start[j + 1])
                found.append(k[:, rows_i] @ weights[rows_i, j - 1] + k[:, rows_j] @ weights[rows_j, i])
        return np.array(found).T - self.rho

    def size(self, x: np.ndarray) -> float:
        """How large the terms are that decision values are sums of."""
        if not self.vectors:
            return float(np.abs(self.rho).max())
        terms = np.abs(self.kernel(x)) @ np.abs(np.array(self.coefficients))
        return float(terms.max()) + float(np.abs(self.rho).max())

    def labels(self, values: np.ndarray) -> np.ndarray:
        """Votes of the pairs, the first class of several with equal votes."""
        names = np.array([float(field) for field in self.head["label"]])
        votes = np.zeros((len(values), len(names)))
        column = 0
        for i in range(len(names)):
            for j in range(i + 1, len(names)):
                votes[:, i] += values[:, column] > 0
                votes[:, j] += values[:, column] <= 0
                column += 1
        return names[votes.argmax(axis=1)]


def judge_svm(facts: dict[str, Any], judge: Judge) -> None:
    """Train, predict, and scale."""
    x = data.build_inputs(facts)
    classes = facts["type"] in ("c_svc", "nu_svc")
    names = LABELS[facts["labels"]]
    codes = data.build_classes({**facts, "classes": min(facts["classes"], len(names))}, x)
    y: Any = np.array([names[code] for code in codes]) if classes else np.round(x[:, 0] + x.sum(axis=1) ** 2, 4)
    with Place() as place:
        place.write("train", libsvm_text(y.tolist(), x))
        flags = ["-s", TYPES[facts["type"]], "-t", KERNELS[facts["kernel"]], "-g", "0.5", "-r", "0.25", "-d", "2"]
        flags += ["-c", facts["C"], "-n", facts["nu"], "-e", "1e-7", "-q"]
        flags += ["-b", "1"] if facts["probability"] and classes else []
        place.ask("svm-train", *flags, "train", "model")
        machine = Machine(place.read("model").decode(), x.shape[1])
        run = place.must("svm-predict", "train", "model", "out")
        told = np.array([float(line) for line in place.read("out").split()])
        values = machine.values(x)
        size = machine.size(x)
        _predictions(facts, machine, values, size, told, y, run.out.decode(), judge)
        _peer(facts, x, y, machine, judge)
        _scaled(place, x, facts["lower"], judge)


def _predictions(
    facts: dict[str, Any],
    machine: Machine,
    values: np.ndarray,
    size: float,
    told: np.ndarray,
    y: Any,
    line: str,
    judge: Judge,
) -> None:
    """What svm-predict writes is what the file says; the line that it prints is the share or error of that."""
    clear = (np.abs(values) > 1e-5 * size).all(axis=1)
    if facts["type"] in ("c_svc", "nu_svc"):
        judge.same("svm_labels", told[clear], machine.labels(values)[clear], "the labels")
        right = int((told == y).sum())
        expected = f"Accuracy = {100 * right / len(y):g}% ({right}/{len(y)}) (classification)"
        judge.holds("svm_accuracy", expected in line, f"{line!r} for {expected!r}")
    elif facts["type"] == "one_class":
        judge.same("svm_labels", told[clear], np.where(values[clear, 0] > 0, 1.0, -1.0), "inside or outside")
    else:
        judge.close("svm_values", told, values[:, 0], 2e-5, size=size, what="predicted values")
        found = re.search(r"Mean squared error = (\S+)", line)
        judge.holds("svm_error", found is not None, f"{line!r} tells no error")
        if found:
            mean = float(((values[:, 0] - y) ** 2).mean())
            judge.close("svm_error", float(found.group(1)), mean, 1e-4, size=1e-4 * size**2, what="mean squared error")


def _peer(facts: dict[str, Any], x: np.ndarray, y: Any, machine: Machine, judge: Judge) -> None:
    """The machine that scikit-learn finds, where the kernel is positive definite."""
    if facts["kernel"] == "sigmoid":
        return
    values = machine.values(x)
    kernel = {"polynomial": "poly"}.get(facts["kernel"], facts["kernel"])
    named: dict[str, Any] = {"kernel": kernel, "gamma": 0.5, "coef0": 0.25, "degree": 2, "tol": 1e-9}
    named["max_iter"] = MOST_STEPS
    kind = facts["type"]
    judge.covers(f"model {MODELS[kind]}")
    try:
        if kind == "c_svc":
            peer = sklearn.svm.SVC(C=facts["C"], decision_function_shape="ovo", **named).fit(x, y)
        elif kind == "nu_svc":
            peer = sklearn.svm.NuSVC(nu=facts["nu"], decision_function_shape="ovo", **named).fit(x, y)
        elif kind == "one_class":
            return  # scaled by nu n; judged in other areas
        elif kind == "epsilon_svr":
            peer = sklearn.svm.SVR(C=facts["C"], epsilon=0.1, **named).fit(x, y)
        else:
            peer = sklearn.svm.NuSVR(C=facts["C"], nu=facts["nu"], **named).fit(x, y)
    except ValueError as error:
        raise NotApplicable(str(error)) from error
    if peer.fit_status_:
        raise NotApplicable("scikit-learn did not get there")
    if kind.endswith("svr"):
        expected = peer.predict(x)
        # The width of a tube that is found, too, is known with the offset by free coefficients on both its sides.
        sides = (1.0, -1.0) if kind == "nu_svr" else (0.0,)
        if not all(_free(peer, facts["C"], side) for side in sides):
            raise NotApplicable("the offset is not unique")
        size = float(np.abs(y).max()) + float(np.abs(expected).max())
        judge.close("svm_peer", values[:, 0], expected, 2e-3, size=size, what="values of scikit-learn's machine")
        return
    if len(peer.classes_) != 2 or kind == "nu_svc" or not _free(peer, facts["C"]):
        return
    expected = peer.decision_function(x)
    first = float(machine.head["label"][0])  # positive values are this class
    expected = -expected if first == peer.classes_[0] else expected
    judge.close("svm_peer", values[:, 0], expected, 2e-3, size=1.0, what="values of scikit-learn's machine")


def _free(peer: Any, bound: float, side: float = 0.0) -> bool:
    """Whether some coefficient, of a sign where one is said, is strictly within its bounds: the offset is unique."""
    coefficients = np.asarray(peer.dual_coef_).ravel()
    sizes = np.abs(coefficients) if side == 0 else side * coefficients
    return bool(np.any((sizes > 1e-4 * bound) & (sizes < (1 - 1e-4) * bound)))


def _scaled(place: Place, x: np.ndarray, lower: float, judge: Judge) -> None:
    """Columns between two limits, zeros left out, constant columns left out."""
    upper = lower + 2
    run = place.ask("svm-scale", "-l", lower, "-u", upper, "-s", "range", "train")
    least, most = x.min(axis=0), x.max(axis=0)
    keep = most > least
    expected = np.zeros_like(x)
    spread = np.where(keep, most - least, 1)
    expected[:, keep] = (lower + (upper - lower) * (x - least) / spread)[:, keep]
    for line, row in zip(run.out.decode().splitlines(), expected, strict=True):
        found = np.zeros(x.shape[1])
        for entry in line.split()[1:]:
            index, value = entry.split(":")
            found[int(index) - 1] = float(value)
        judge.close("svm_scale", found, row, 1e-5, size=1.0, what="a scaled row")
    again = place.must("svm-scale", "-r", "range", "train")
    judge.close("svm_scale", _numbers(again.out), _numbers(run.out), 2e-5, size=1.0, what="rows by the scale file")


def _numbers(text: bytes) -> list[float]:
    """The values of a text of LIBSVM that are not rounding."""
    values = [float(entry.split(b":")[1]) for entry in text.split() if b":" in entry]
    return [value for value in values if abs(value) > 1e-4]
