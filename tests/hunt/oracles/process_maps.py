"""Judges random and explicit features: fourier, sinks, sketch and chi2map."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.kernel_approximation import AdditiveChi2Sampler

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles.process_kernels import gram
from hunt.subjects import kernel_names
from hunt.verdict import Judge
from mercer import _core

Facts = dict[str, Any]
Matrix = np.ndarray
TRIALS = ("fourier", "sinks", "sketch", "chi2map")
KERNELS = (
    "rbf(lengthscale=1)",
    "2*rbf(lengthscale=[1, 0.5])",
    "matern(nu=1.5, lengthscale=1)",
    "exponential(lengthscale=2)",
    "cauchy(lengthscale=1)",
    "rq(alpha=0.7, lengthscale=1)",
    "laplacian(gamma=0.5)",
    "periodic(period=2, lengthscale=1)",
    "rbf(lengthscale=1) + 0.5*laplacian(gamma=1)",
    "rbf(lengthscale=1)*laplacian(gamma=1)",
)
MANY = 8000


def draw(pick: Any, model: str) -> Facts:
    """Rows, a kernel, and how features are drawn."""
    facts = data.draw_inputs(pick, fewest=1, most=8, columns=4, plain=True)
    facts["columns"] = 2 if model in ("fourier", "sinks") else facts["columns"]
    facts["draw"] = pick(st.integers(0, 99))
    if model in ("fourier", "sinks"):
        facts["draws"] = pick(st.sampled_from(("independent", "best", "orthogonal", "halton")))
        facts["kernel"] = pick(st.sampled_from(KERNELS))
        facts["size"] = pick(st.sampled_from((MANY, 1, 2, 7)))
    if model == "fourier":
        facts["form"] = pick(st.sampled_from(("pairs", "phases")))
    if model == "sinks":
        facts["family"] = pick(st.sampled_from(("cos", "step", "relu", "tanh")))
        facts["bias"] = pick(st.sampled_from((0.0, 1.0, 3.0)))
    if model == "sketch":
        facts["degree"] = pick(st.integers(1, 3))
        facts["gamma"] = pick(st.sampled_from((1.0, 0.3)))
        facts["coef0"] = pick(st.sampled_from((1.0, 0.0, 2.0)))
        facts["factor"] = pick(st.sampled_from((1.0, 3.0)))
    if model == "chi2map":
        facts["kernel"] = pick(st.sampled_from(("additive_chi2()", "intersection()")))
        facts["steps"] = pick(st.integers(1, 5))
        facts["interval"] = pick(st.sampled_from((0.0, 0.3, 0.8)))
        facts["signs"] = pick(st.booleans())
    return facts


def judge(model: str, facts: Facts, judge: Judge) -> None:
    """Run the case."""
    {"fourier": judge_fourier, "sinks": judge_sinks, "sketch": judge_sketch, "chi2map": judge_chi2}[model](facts, judge)


def _fitted(
    model: str, kernel: str, settings: dict[str, str], x: Matrix, facts: Facts, judge: Judge
) -> tuple[_core.FittedModel, Matrix]:
    found = engine.fit(model, kernel, settings, x, None, seed=facts["draw"])
    judge.covers(*names_of(model, settings), *(f"kernel {name}" for name in kernel_names(kernel)))
    return found, engine.called(found.predict, engine.samples(x))


def _errors(judge: Judge, model: _core.FittedModel, features: Matrix, kernel: Matrix) -> None:
    """What the report says of the kernel's error."""
    measures = model.report["measures"]
    if "kernel error (largest)" in measures:
        error = np.abs(features @ features.T - kernel)
        size = 1e-3 * float(np.abs(kernel).max())
        judge.close("map_error", measures["kernel error (largest)"], error.max(), 1e-6, size=size, what="largest error")


def judge_fourier(facts: Facts, judge: Judge) -> None:
    """Features are the page's, of frequencies whose inner products average to the kernel."""
    x = data.build_inputs(facts)
    settings = {"size": str(facts["size"]), "form": facts["form"], "draws": facts["draws"]}
    model, features = _fitted("fourier", facts["kernel"], settings, x, facts, judge)
    kernel = gram(facts["kernel"], x)
    arrays = model.arrays()
    frequencies, phases = arrays["map.frequencies"], arrays["map.phases"].ravel()
    angles = x @ frequencies
    count = features.shape[1]
    scale = np.sqrt(2 * kernel[0, 0] / count)
    if facts["form"] == "pairs":
        expected = scale * np.hstack([np.cos(angles), np.sin(angles)])
        judge.close("fourier", (features**2).sum(axis=1), np.diag(kernel), 1e-9, what="k(x, x)")
    else:
        expected = scale * np.cos(angles + phases)
    judge.close("fourier", features, expected, 1e-9 * (1 + float(np.abs(angles).max())), size=scale, what="features")
    _errors(judge, model, features, kernel)
    _unbiased(judge, "fourier", features, kernel, kernel[0, 0])


def _unbiased(judge: Judge, oracle: str, features: Matrix, kernel: Matrix, size: float, spread: float = 1.0) -> None:
    """Inner products of many features are near the kernel: eight deviations of their mean."""
    if features.shape[1] >= MANY:
        error = float(np.abs(features @ features.T - kernel).max())
        judge.at_most(oracle, error, 8 * spread * size * np.sqrt(2 / features.shape[1]), "error of the kernel")


def judge_sinks(facts: Facts, judge: Judge) -> None:
    """Features are the page's; of cosines, and of steps and ramps without bias, the kernel is known."""
    x = data.build_inputs(facts)
    settings = {
        "size": str(facts["size"]),
        "draws": facts["draws"],
        "family": facts["family"],
        "bias": f"{facts['bias']}",
    }
    model, features = _fitted("sinks", facts["kernel"], settings, x, facts, judge)
    arrays = model.arrays()
    biases = arrays["map.biases"].ravel()
    z = x @ arrays["map.frequencies"] + biases
    count = features.shape[1]
    values = {
        "cos": lambda: np.sqrt(2 / count) * np.cos(z),
        "step": lambda: np.sqrt(1 / count) * np.sign(z),
        "relu": lambda: np.sqrt(2 / count) * np.maximum(z, 0),
        "tanh": lambda: np.sqrt(1 / count) * np.tanh(z),
    }[facts["family"]]()
    size = float(np.abs(z).max() + 1)
    if facts["family"] == "step":
        clear = np.abs(z) > 1e-9 * size
        judge.close("sinks", features[clear], values[clear], 1e-12, what="features")
    else:
        judge.close("sinks", features, values, 1e-9 * size, size=np.sqrt(2 / count), what="features")
    if facts["family"] == "cos":
        kernel = gram(facts["kernel"], x)
        _unbiased(judge, "sinks", features, kernel / kernel[0, 0], 1.0)
        judge.holds("sinks", bool((biases >= 0).all() and (biases < 2 * np.pi + 1e-12).all()), "phases beyond 2 pi")
        return
    if count >= MANY:
        bound = 8 / np.sqrt(count)
        judge.at_most("sinks", abs(float(biases.mean())), bound * facts["bias"], "mean of the biases")
        judge.at_most("sinks", abs(float(biases.std()) - facts["bias"]), bound * facts["bias"], "their deviation")
    lengths = {"rbf(lengthscale=1)": np.ones(2), "2*rbf(lengthscale=[1, 0.5])": np.array([1, 0.5])}
    if facts["bias"] == 0 and facts["kernel"] in lengths and facts["family"] in ("step", "relu"):
        u = x / lengths[facts["kernel"]]
        norms = np.sqrt((u**2).sum(axis=1))
        if (norms == 0).any():
            return
        cosine = np.clip(u @ u.T / np.outer(norms, norms), -1, 1)
        angle = np.arccos(cosine)
        if facts["family"] == "step":
            _unbiased(judge, "sinks", features, 1 - 2 * angle / np.pi, 1.0)
        else:
            known = np.outer(norms, norms) / np.pi * (np.sin(angle) + (np.pi - angle) * cosine)
            _unbiased(judge, "sinks", features, known, float(norms.max() ** 2), 2.0)


def judge_sketch(facts: Facts, judge: Judge) -> None:
    """Inner products average to the polynomial kernel; their variance is at most 3^p - 1 of 1/q."""
    x = data.build_inputs(facts)
    kernel = f"{facts['factor']}*poly(degree={facts['degree']}, gamma={facts['gamma']}, coef0={facts['coef0']})"
    model, features = _fitted("sketch", kernel, {"size": str(MANY)}, x, facts, judge)
    values = gram(kernel, x)
    _errors(judge, model, features, values)
    norms = np.sqrt(np.diag(values))
    bound = 10 * np.sqrt((3 ** facts["degree"] - 1) / features.shape[1]) * np.outer(norms, norms)
    error = np.abs(features @ features.T - values)
    judge.at_most("sketch", float((error - bound).max()), 1e-9 * float(values.max()), "error beyond ten deviations")


def judge_chi2(facts: Facts, judge: Judge) -> None:
    """The page's features; scikit-learn's for up to three steps of its own interval."""
    x = np.abs(data.build_inputs(facts))
    if facts["signs"]:
        x = x * np.random.default_rng(facts["seed"]).choice((-1.0, 1.0), x.shape)
    settings = {"steps": str(facts["steps"]), "interval": f"{facts['interval']}"}
    _, features = _fitted("chi2map", facts["kernel"], settings, x, facts, judge)
    chi2 = facts["kernel"].startswith("additive")
    judge.same("chi2map", features.shape[1], x.shape[1] * (2 * facts["steps"] - 1), "number of features")
    if facts["interval"]:
        step = facts["interval"]
        places = step * np.arange(facts["steps"])
        spectrum = 1 / np.cosh(np.pi * places) if chi2 else 2 / (np.pi * (1 + 4 * places**2))
        size = np.abs(x)
        logs = np.log(np.where(size > 0, size, 1.0))
        blocks = [np.sqrt(size * step * spectrum[0])]
        for place, kappa in zip(places[1:], spectrum[1:], strict=True):
            factor = np.sqrt(2 * size * step * kappa)
            blocks += [factor * np.cos(place * logs), factor * np.sin(place * logs)]
        signed = [np.sign(x) * block for block in blocks]
        expected = np.hstack(signed)
        judge.close("chi2map", features @ features.T, expected @ expected.T, 1e-9, what="inner products")
        judge.close("chi2map", np.sort(features, axis=1), np.sort(expected, axis=1), 1e-9, what="features, sorted")
    elif chi2 and facts["steps"] <= 3 and (x >= 0).all():
        expected = AdditiveChi2Sampler(sample_steps=facts["steps"]).fit_transform(x)
        judge.close("chi2map_sklearn", features @ features.T, expected @ expected.T, 1e-9, what="inner products")
