"""Judges gp with noise that is not Gaussian."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles import process_likelihoods as likelihoods
from hunt.oracles.process_kernels import gram
from hunt.oracles.process_regression import draw_rows
from hunt.subjects import kernel_names
from hunt.verdict import Judge, NotApplicable

Facts = dict[str, Any]
TRIALS = ("likelihood",)


def draw(pick: Any, trial: str) -> Facts:
    """A few rows, a likelihood and how the posterior is approximated."""
    facts = draw_rows(pick, fewest=1, most=8, stationary=True)
    facts.update(data.draw_numbers(pick))
    facts["likelihood"] = pick(st.sampled_from(("student_t", "huber", "laplacian", "poisson")))
    facts["inference"] = pick(st.sampled_from(("laplace", "ep", "map")))
    if facts["likelihood"] == "laplacian" and facts["inference"] == "laplace":
        facts["inference"] = "ep"
    if facts["likelihood"] != "laplacian" and facts["inference"] == "map":
        facts["inference"] = "laplace"
    facts["level"] = pick(st.sampled_from((0.1, 1.0)))
    facts["standardize"] = pick(st.sampled_from(("no", "yes")))
    facts["parameter"] = pick(st.sampled_from((1.0, 0.5, 4.0)))
    facts["weights"] = pick(st.sampled_from(("none", "zeros", "twos", "fractions")))
    return facts


def judge(trial: str, facts: Facts, judge: Judge) -> None:
    """Conditions of the mode or of the moments, evidence, variances, densities and quantiles."""
    x, name, inference = data.build_inputs(facts), facts["likelihood"], facts["inference"]
    y = data.build_numbers({**facts, "target_unit": 1, "target_offset": 0}, x)
    y = np.round(np.exp(np.clip(y, -3, 3))) if name == "poisson" else y
    weights = data.build_weights(facts, len(y))
    if weights is not None and (not (weights > 0).any() or (inference == "ep" and set(weights) - {0.0, 1.0})):
        raise NotApplicable("weights that this inference does not take")
    settings = {
        "optimize": "no",
        "noise": f"{facts['level']}",
        "likelihood": name,
        "inference": inference,
        "standardize": facts["standardize"],
    }
    if name == "student_t":
        settings["degrees_of_freedom"] = f"{4 * facts['parameter']}"
    if name == "huber":
        settings["threshold"] = f"{facts['parameter']}"
    model = engine.fit("gp", facts["kernel"], settings, x, y, weights=weights)
    judge.covers(*names_of("gp", settings), *(f"kernel {k}" for k in kernel_names(facts["kernel"])))
    arrays = model.arrays()
    center, spread = arrays["target_scaling"].ravel()  # of robust likelihoods: a median and a spread about it
    offset = float(arrays["latent_offset"][0, 0])
    if name == "poisson":
        counted = np.average(y, weights=weights)
        total = len(y) if weights is None else weights.sum()
        near = abs(np.exp(offset) - counted) * total
        judge.at_most("gp_counts", near, 0.5 + 1e-9, "counts that the prior is off the mean of all")
    if facts["standardize"] == "no" or name == "poisson":
        judge.holds("gp_noise", center == 0 and spread == 1, "targets are scaled though they should not be")
    scale = float(np.sqrt(facts["level"])) / spread
    likelihood = {
        "student_t": lambda: likelihoods.student_t(scale, 4 * facts["parameter"]),
        "huber": lambda: likelihoods.huber(scale, facts["parameter"]),
        "laplacian": lambda: likelihoods.laplacian(scale),
        "poisson": likelihoods.poisson,
    }[name]()
    kept = np.ones(len(y), bool) if weights is None else weights > 0
    w = np.ones(len(y)) if weights is None else weights
    x, z, w = x[kept], (y[kept] - center) / spread, w[kept]
    queries = data.build_queries(facts)
    matrix, cross, prior = gram(facts["kernel"], x), gram(facts["kernel"], x, queries), gram(facts["kernel"], queries)
    rows = engine.samples(queries)
    # Poisson: the latent function has its own mean; the likelihood is asked at that mean plus f.
    at = likelihood
    predicted = (engine.called(model.predict, rows).ravel() - center) / spread
    if inference == "map":
        judge_mode(
            judge,
            model,
            (engine.called(model.predict, engine.samples(x)).ravel() - center) / spread,
            matrix,
            z,
            w,
            scale,
        )
        return
    latent_train = (engine.called(model.moments, engine.samples(x), of="function")[0].ravel() - center) / spread
    means, variances = engine.called(model.moments, rows, of="function")
    means, variances = (means[:, 0] - center) / spread, variances[:, 0] / spread**2
    size = float(np.abs(prior).max())
    jacobian = np.log(spread) * w.sum()
    if inference == "laplace":
        f = latent_train - offset
        gradient = w * at.first(z, latent_train)
        judge.close("gp_mode", f, matrix @ gradient, 1e-6, size=1.0 + np.abs(f).max(), what="mode, by its condition")
        curvature = -w * at.second(z, latent_train)
        if name == "huber" and (np.abs(np.abs(z - latent_train) - facts["parameter"] * scale) < 1e-6 * scale).any():
            raise NotApplicable("the curvature jumps at the mode")
        likelihoods.judge_maximum(judge, model, matrix, curvature)
        evidence = likelihoods.laplace_evidence(matrix, f, gradient, w * at.log(z, latent_train), curvature)
        covariance = likelihoods.latent_covariance(matrix, cross, prior, curvature)
        alpha = gradient
    else:
        if name == "student_t" and model.report["status"] != "converged":
            raise NotApplicable("several modes")
        shifted = likelihoods.Likelihood(
            lambda t, f: at.log(t, f + offset), at.first, at.second, lambda t: at.bends(t) - offset
        )
        found = likelihoods.propagate(matrix, shifted, z)
        evidence, alpha = found.evidence, found.alpha
        covariance = likelihoods.latent_covariance(matrix, cross, prior, found.precisions)
    oracle = f"gp_{inference}"
    loss = 1e-5 if inference == "laplace" else 1e-4
    judge.close(oracle, means, offset + cross.T @ alpha, loss, size=1.0, what="latent means")
    judge.close(oracle, variances, np.maximum(np.diag(covariance), 0), loss, size=size, what="latent variances")
    judge.close(oracle, model.report["objective"] + jacobian, evidence, loss, size=1.0 + len(z), what="evidence")
    found_covariance = engine.called(model.covariance, rows) / spread**2
    if name != "poisson":
        judge.close(oracle, found_covariance, covariance, loss, size=size, what="covariance")
        judge.close(oracle, predicted, means, 1e-9, size=1.0, what="predictions")
        if np.isfinite(likelihood.variance):
            observed = engine.called(model.moments, rows, of="observation")[1][:, 0] / spread**2
            judge.close(oracle, observed, variances + likelihood.variance, 1e-6, what="variances of observations")
    else:
        judge.close("gp_counts", predicted, np.exp(means + variances / 2), 1e-6, what="mean counts")
        observed = engine.called(model.moments, rows, of="observation")[1][:, 0]
        mean = np.exp(means + variances / 2)
        judge.close("gp_counts", observed, mean + np.expm1(variances) * mean**2, 1e-6, what="variances of counts")
    judge_observations(judge, model, rows, likelihood, means, variances, center, spread, name)


def judge_mode(
    judge: Judge, model: Any, f: np.ndarray, matrix: np.ndarray, z: np.ndarray, w: np.ndarray, scale: float
) -> None:
    """The mode of Laplacian noise: f = K alpha, |alpha_i| <= w_i/scale, with equality and sign where f is off y."""
    alpha = model.arrays()["coefficients"].ravel()
    size = 1.0 + float(np.abs(z).max())
    judge.close("gp_map", f, matrix @ alpha, 1e-6, size=size, what="the function at the rows")
    judge.at_most("gp_map", float((np.abs(alpha) * scale / w).max()), 1 + 1e-6, "a coefficient, of its bound")
    slack = np.abs(alpha - np.sign(z - f) * w / scale) * scale / w * np.abs(z - f)
    judge.at_most("gp_map", float(slack.max()), 1e-4 * size, "what complementarity is off by")


def judge_observations(
    judge: Judge,
    model: Any,
    rows: Any,
    likelihood: likelihoods.Likelihood,
    means: np.ndarray,
    variances: np.ndarray,
    center: float,
    spread: float,
    name: str,
) -> None:
    """Densities and quantiles of new observations, by quadrature over the latent function."""
    truth = np.round(np.exp(means)) if name == "poisson" else means + 0.7
    found = engine.called(model.log_density, rows, (center + spread * truth)[:, None])[:, 0]
    expected = [
        likelihoods.tilted(likelihood, t, m, v)[0] if v > 0 else likelihood.log(np.array(t), np.array(m))
        for t, m, v in zip(truth, means, variances, strict=True)
    ]
    judge.close("gp_noise_density", found + np.log(spread), expected, 1e-5, size=1.0, what="log densities")
    levels = [0.05, 0.5, 0.9]
    quantiles = (engine.called(model.quantiles, rows, levels, of="observation") - center) / spread
    cdf = likelihood.cdf
    if cdf is None:
        return
    for row, (m, v) in enumerate(zip(means, variances, strict=True)):
        for column, level in enumerate(levels):
            q = quantiles[row, column]
            bends = likelihood.bends(q)
            reached = likelihoods.average(lambda f, q=q: cdf(q, f), m, v, bends)  # type: ignore[misc]
            if name == "poisson":
                before = likelihoods.average(lambda f, q=q: cdf(q - 1, f), m, v, bends)  # type: ignore[misc]
                judge.holds(
                    "gp_noise_quantiles",
                    before - 1e-5 <= level <= reached + 1e-5,
                    f"count {q} is not the quantile of {level}: P = {before:.6g} below, {reached:.6g} up to it",
                )
            else:
                judge.close("gp_noise_quantiles", reached, level, 1e-5, size=1.0, what=f"P of the quantile of {level}")
