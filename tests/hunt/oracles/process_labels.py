"""Judges gpc: conditions of the mode, evidence, expectation propagation, bounds, and probabilities by quadrature."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles import process_likelihoods as likelihoods
from hunt.oracles.process_gp import perturbed
from hunt.oracles.process_kernels import gram, resolved
from hunt.oracles.process_regression import draw_rows
from hunt.subjects import kernel_names
from hunt.verdict import Judge, NotApplicable
from mercer import _core

Facts = dict[str, Any]
TRIALS = ("binary", "softmax", "learn")


def draw(pick: Any, trial: str) -> Facts:
    """Rows with classes."""
    facts = draw_rows(pick, fewest=4, most=12, stationary=True)
    facts["errors"] = pick(st.sampled_from((0.1, 0.0, 0.4)))
    facts["balance"] = "even"
    facts["classes"] = pick(st.sampled_from((3, 4))) if trial == "softmax" else 2
    facts["scale"] = pick(st.sampled_from((1.0, 5.0, 0.2)))
    if trial != "softmax":
        facts["inference"] = pick(st.sampled_from(("laplace", "ep", "variational")))
        facts["link"] = pick(st.sampled_from(("logistic", "probit")))
    if trial == "binary":
        facts["label_noise"] = pick(st.sampled_from((0.0, 0.05, 0.2)))
    if trial != "learn":
        facts["weights"] = pick(st.sampled_from(("none", "twos", "zeros", "fractions")))
        facts["class_weight"] = pick(st.sampled_from(("", "c0:3,c1:0.5", "balanced")))
    return facts


def judge(trial: str, facts: Facts, judge: Judge) -> None:
    """Run the case."""
    x = data.build_inputs(facts)
    y = data.build_classes(facts, x)
    kernel = f"{facts['scale']}*{facts['kernel'].split('*')[-1]}"
    judge.covers(*(f"kernel {name}" for name in kernel_names(kernel)))
    weights = data.build_weights(facts, len(y))
    if weights is not None:
        weights[: facts["classes"]] = 1  # every class stays
    queries = data.build_queries(facts)
    {"binary": judge_binary, "softmax": judge_softmax, "learn": judge_learn}[trial](
        judge, facts, kernel, x, y, weights, queries
    )


def total_weights(facts: Facts, y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Weights of rows times those of their classes."""
    w = np.ones(len(y)) if weights is None else weights.copy()
    if facts.get("class_weight") == "balanced":
        counts = np.array([w[y == c].sum() for c in range(y.max() + 1)])
        return w * (w.sum() / (len(counts) * counts))[y]
    if facts.get("class_weight"):
        factors = np.array([3.0, 0.5] + [1.0] * 8)
        return w * factors[y]
    return w


def judge_binary(
    judge: Judge,
    facts: Facts,
    kernel: str,
    x: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None,
    queries: np.ndarray,
) -> None:
    """Two classes."""
    inference, link, noise = facts["inference"], facts["link"], facts["label_noise"]
    settings = {
        "optimize": "no",
        "inference": inference,
        "link": link,
        "label_noise": f"{noise}",
        "class_weight": facts["class_weight"],
    }
    if not facts["class_weight"]:
        del settings["class_weight"]
    if inference != "laplace":
        settings.pop("class_weight", None)
        weights = None
        facts = {**facts, "class_weight": ""}
    model = engine.fit("gpc", kernel, settings, x, y, weights=weights)
    judge.covers(*names_of("gpc", settings))
    w = total_weights(facts, y, weights)
    kept = w > 0
    x, w, sign = x[kept], w[kept], 2.0 * y[kept] - 1
    matrix, cross, prior = gram(kernel, x), gram(kernel, x, queries), gram(kernel, queries)
    likelihood = likelihoods.binary(link, noise)
    rows = engine.samples(queries)
    loss = 1e-6
    if inference == "laplace":
        f = engine.called(model.decide, engine.samples(x))[:, 0]
        alpha = w * likelihood.first(sign, f)
        judge.close("gpc_mode", f, matrix @ alpha, 1e-6, size=1.0, what="mode, by its condition")
        curvature = -w * likelihood.second(sign, f)
        evidence = likelihoods.laplace_evidence(matrix, f, alpha, w * likelihood.log(sign, f), curvature)
    else:
        loss = 1e-4
        if inference == "variational":
            if noise > 0 or link == "probit":
                raise NotApplicable("no formula of the bound")
            found = likelihoods.jaakkola(matrix, sign)
        else:
            found = likelihoods.propagate(matrix, likelihood, sign)
        alpha, evidence, curvature = found.alpha, found.evidence, found.precisions
    oracle = f"gpc_{inference}"
    means = engine.called(model.decide, rows)[:, 0]
    variances = np.diag(likelihoods.latent_covariance(matrix, cross, prior, curvature))
    judge.close(oracle, means, cross.T @ alpha, loss, size=1.0, what="latent means")
    judge.close(oracle, model.report["objective"], evidence, loss, size=1.0 + len(x), what="evidence")
    latent = np.asarray(engine.called(model.latent_variances, rows)).ravel()
    judge.close(oracle, latent, variances, loss, size=float(np.abs(prior).max()), what="latent variances")
    probabilities = engine.called(model.probabilities, rows)
    one = np.ones(1)
    expected = np.array(
        [
            likelihoods.average(lambda f: np.exp(likelihood.log(one, f)), m, max(v, 0.0), likelihoods.STEPS)
            for m, v in zip(cross.T @ alpha, variances, strict=True)
        ]
    )
    judge.close("gpc_probability", probabilities[:, 1], expected, loss, size=1.0, what="probability of class 1")
    judge.close("gpc_probability", probabilities.sum(axis=1), np.ones(len(queries)), 1e-12, what="sums")
    clear = np.abs(expected - 0.5) > 1e-4
    predictions = engine.called(model.predict, rows).ravel()
    judge.same("gpc_probability", predictions[clear], (expected > 0.5)[clear].astype(float), "predictions")


def judge_softmax(
    judge: Judge,
    facts: Facts,
    kernel: str,
    x: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None,
    queries: np.ndarray,
) -> None:
    """More classes (Rasmussen and Williams, section 3.5)."""
    settings = {"optimize": "no", "class_weight": facts["class_weight"]}
    if not facts["class_weight"]:
        del settings["class_weight"]
    model = engine.fit("gpc", kernel, settings, x, y, weights=weights)
    judge.covers(*names_of("gpc", {**settings, "inference": "laplace"}))
    w = total_weights(facts, y, weights)
    kept = w > 0
    x, y, w = x[kept], y[kept], w[kept]
    classes = int(facts["classes"])
    n = len(x)
    matrix, cross, prior = gram(kernel, x), gram(kernel, x, queries), gram(kernel, queries)
    f = engine.called(model.decide, engine.samples(x))
    p = scipy.special.softmax(f, axis=1)
    alpha = w[:, None] * (np.eye(classes)[y] - p)
    judge.close("gpc_mode", f, matrix @ alpha, 1e-6, size=1.0, what="mode, by its condition")
    # W of all latent values, class after class.
    big = np.zeros((classes * n, classes * n))
    for a in range(classes):
        for b in range(classes):
            block = w * ((a == b) * p[:, a] - p[:, a] * p[:, b])
            big[a * n : (a + 1) * n, b * n : (b + 1) * n] = np.diag(block)
    wide = np.kron(np.eye(classes), matrix)
    inner = np.eye(classes * n) + wide @ big
    logs = (w * np.take_along_axis(scipy.special.log_softmax(f, axis=1), y[:, None], axis=1)[:, 0]).sum()
    evidence = logs - 0.5 * (alpha * f).sum() - 0.5 * np.linalg.slogdet(inner)[1]
    judge.close("gpc_softmax", model.report["objective"], evidence, 1e-6, size=1.0 + n, what="evidence")
    rows = engine.samples(queries)
    means = cross.T @ alpha
    judge.close("gpc_softmax", engine.called(model.decide, rows), means, 1e-6, size=1.0, what="latent means")
    found = engine.called(model.probabilities, rows)
    judge.close("gpc_softmax", found.sum(axis=1), np.ones(len(queries)), 1e-12, what="sums")
    points, weight = grid(classes, 20 if classes == 3 else 10)
    for q in range(len(queries)):
        k = np.kron(np.eye(classes), cross[:, q : q + 1])
        covariance = prior[q, q] * np.eye(classes) - k.T @ (big @ np.linalg.solve(inner, k))
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        draws = means[q] + (points * np.sqrt(np.maximum(values, 0))) @ vectors.T
        expected = weight @ scipy.special.softmax(draws, axis=1)
        judge.close("gpc_softmax", found[q], expected, 3e-3, size=1.0, what="probabilities")


def grid(dimensions: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Hermite points and weights of independent standard normal numbers."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    mesh = np.meshgrid(*[nodes] * dimensions, indexing="ij")
    products = np.meshgrid(*[weights / weights.sum()] * dimensions, indexing="ij")
    return np.stack([m.ravel() for m in mesh], axis=1), np.prod([m.ravel() for m in products], axis=0)


def judge_learn(
    judge: Judge,
    facts: Facts,
    kernel: str,
    x: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None,
    queries: np.ndarray,
) -> None:
    """Learning raises the evidence, its gradient is that of the evidence, and nothing near the end is higher."""
    settings = {"inference": facts["inference"], "link": facts["link"]}
    kernel = resolved(kernel, x)
    start = engine.fit("gpc", kernel, {**settings, "optimize": "no"}, x, y)
    model = engine.fit("gpc", kernel, {**settings, "optimize": "yes"}, x, y)
    judge.covers(*names_of("gpc", {**settings, "optimize": "yes"}))
    final = float(model.report["objective"])
    scale = 1 + abs(final)
    judge.at_most("gpc_learning", float(start.report["objective"]), final + 1e-5 * scale, "evidence at the start")
    classes = ["c0", "c1"]

    def evidence(spec: str) -> tuple[float, np.ndarray]:
        return engine.called(
            _core.gpc_evidence, _core.Kernel(spec), settings, engine.samples(x), y.astype(np.int32), classes
        )

    value, gradient = evidence(kernel)
    judge.close("gpc_gradient", value, float(start.report["objective"]), 1e-6, size=10.0, what="evidence")
    step = 1e-3
    values = [entry["value"] for entry in _core.Kernel(kernel).scale_parameters()]
    for number, (up, down) in enumerate(zip(perturbed(kernel, step), perturbed(kernel, -step), strict=True)):
        slope = (evidence(up)[0] - evidence(down)[0]) / (2 * step)
        judge.close(
            "gpc_gradient", gradient[number] * values[number], slope, 1e-4, size=1.0 + len(x), what=f"slope {number}"
        )
    if model.report["status"] != "converged" or any("bound" in note for note in model.report["notes"]):
        return
    for change in (0.02, -0.02):
        for other in perturbed(model.kernel, change):
            judge.at_most(
                "gpc_stationary",
                evidence(other)[0],
                final + 2e-3 * scale,
                f"the evidence of {other}, near the end {model.kernel}",
            )
