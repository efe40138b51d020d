"""Judges gp by the formulas of its page: moments, evidence, leave-one-out, methods, draws and learning."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles import process_gp as gp
from hunt.oracles.process_kernels import resolved
from hunt.subjects import draw_kernel, kernel_names
from hunt.verdict import Judge, NotApplicable
from mercer import _core

Facts = dict[str, Any]
EPS = 2.3e-16
TRIALS = ("exact", "mean", "methods", "draws", "learn")
NOISES = (0.1, 1.0, 1e-3)  # of the variance of the targets


def draw(pick: Any, trial: str) -> Facts:
    """A Gaussian process with known parameters (or, to learn, with starts of them)."""
    facts = draw_rows(pick, fewest=1 if trial == "exact" else 3)
    facts.update(data.draw_numbers(pick))
    facts["noise"], facts["level"] = facts.pop("noise"), pick(st.sampled_from(NOISES))
    if trial in ("exact", "draws", "methods"):
        facts["standardize"] = pick(st.sampled_from(("yes", "no")))
    if trial in ("exact", "methods", "learn"):
        facts.update(data.draw_weights(pick))
    if trial == "exact":
        facts["column"] = pick(st.booleans())
    if trial == "mean":
        facts["mean"] = pick(st.sampled_from(("constant", "linear", "quadratic")))
    if trial == "methods":
        facts["method"] = pick(st.sampled_from(("float", "cg", "vfe", "fitc", "sor", "greedy")))
        facts["inducing"] = pick(st.sampled_from((500, 3, 8)))
    if trial == "learn":
        facts["objective"] = pick(st.sampled_from(("evidence", "loo")))
    return facts


def draw_rows(pick: Any, *, fewest: int, most: int = 20, stationary: bool = False) -> Facts:
    """Inputs with a kernel of their width; kernels of inner products get inputs around 0."""
    kernel = draw_kernel(pick, width=1.0, stationary=stationary)
    plain = bool(kernel_names(kernel) & {"linear", "poly"})
    facts = data.draw_inputs(pick, fewest=fewest, most=most, columns=4, plain=plain)
    unit = facts.get("unit", 1)
    if unit != 1:
        kernel = f"rbf(lengthscale={unit})"
    facts["kernel"] = pick(st.sampled_from(("", "2*", "0.3*"))) + kernel
    return facts


def problem_of(facts: Facts) -> gp.Problem:
    """The arrays of a case."""
    x = data.build_inputs(facts)
    y = data.build_numbers(facts, x)
    spread = float(y.std()) if y.std() > 1e-12 * np.abs(y).max() else 1.0
    weights = data.build_weights(facts, len(y))
    if weights is not None and not (weights > 0).any():
        raise NotApplicable("no row is left")
    extra = None
    if facts.get("column"):
        extra = facts["level"] * spread**2 * np.random.default_rng(facts["seed"]).choice((0.5, 1.0, 3.0), len(y))
    noise = float(f"{facts['level'] * spread**2:.4g}")
    standardize = facts.get("standardize", "yes") == "yes"
    return gp.Problem(facts["kernel"], x, y, noise, weights, extra, standardize, facts.get("mean", "zero"))


def fitted(problem: gp.Problem, settings: dict[str, str], seed: int = 0) -> _core.FittedModel:
    """The engine's."""
    return engine.called(
        _core.fit,
        "gp",
        problem.kernel,
        settings,
        engine.samples(problem.x),
        problem.y,
        sample_weight=problem.weights,
        noise=problem.extra,
        threads=1,
        seed=seed,
    )


def settings_of(problem: gp.Problem, **more: str) -> dict[str, str]:
    """Options under which nothing is learnt."""
    standardize = "yes" if problem.standardize else "no"
    return {"optimize": "no", "noise": f"{problem.noise!r}", "standardize": standardize, "mean": problem.mean, **more}


def judge(trial: str, facts: Facts, judge: Judge) -> None:
    """Run the case."""
    problem = problem_of(facts)
    queries = data.build_queries(facts)
    judge.covers(*(f"kernel {name}" for name in kernel_names(problem.kernel)))
    TABLE[trial](problem, queries, facts, judge)


# ---- Known parameters ----------------------------------------------------------------------------------------------


def compare(
    judge: Judge,
    oracle: str,
    model: _core.FittedModel,
    queries: np.ndarray,
    expected: gp.Posterior,
    loss: float,
    *,
    variances: bool = True,
    evidence: bool = True,
) -> None:
    """Moments and evidence; ``loss``: what rounding and the method may lose, relative."""
    rows = engine.samples(queries)
    mean, variance = engine.called(model.moments, rows, of="function")
    judge.close(oracle, mean[:, 0], expected.means, loss, size=expected.largest, what="means of the function")
    predictions = engine.called(model.predict, rows).ravel()
    judge.close(oracle, predictions, expected.means, loss, size=expected.largest, what="predictions")
    if variances:
        size = _prior_size(expected)
        judge.close(oracle, variance[:, 0], expected.variances, loss, size=size, what="variances of the function")
        _, observed = engine.called(model.moments, rows, of="observation")
        judge.close(
            oracle,
            observed[:, 0],
            expected.variances + expected.noise,
            loss,
            size=size,
            what="variances of observations",
        )
    if evidence:
        judge.close(oracle, model.report["objective"], expected.evidence, loss, size=10.0, what="log evidence")


def _prior_size(expected: gp.Posterior) -> float:
    return float(max(np.abs(np.diag(expected.covariance)).max(initial=0), expected.prior))


def rounding(expected: gp.Posterior, least: float = 1e-9) -> float:
    """What doubles leave of a solution."""
    return least + 100 * EPS * expected.condition


def judge_exact(problem: gp.Problem, queries: np.ndarray, facts: Facts, judge: Judge) -> None:
    """Moments, covariance, evidence, leave-one-out, quantiles and densities in closed form."""
    settings = settings_of(problem, method="exact", loo="yes")
    expected = gp.exact(problem, queries)
    model = fitted(problem, settings)
    judge.covers(*names_of("gp", {**settings, "likelihood": "gaussian", "inference": "exact"}))
    loss = rounding(expected)
    compare(judge, "gp_exact", model, queries, expected, loss)
    rows = engine.samples(queries)
    size = _prior_size(expected)
    covariance = engine.called(model.covariance, rows)
    judge.close("gp_exact", covariance, expected.covariance, loss, size=size, what="covariance")
    arrays = model.arrays()
    center, spread = problem.standard()
    kept = np.ones(len(problem.y), bool) if problem.weights is None else problem.weights > 0
    found = center + spread * arrays["loo_means"].ravel()
    wide = np.isfinite(expected.loo_variances) & (len(found) > 1)
    judge.close("gp_loo", found[wide], expected.loo_means[wide], 10 * loss, size=spread, what="leave-one-out means")
    if problem.weights is None and wide.all():
        error = float(np.sqrt(np.mean((problem.y[kept] - expected.loo_means) ** 2)))
        measures = model.report["measures"]
        judge.close("gp_loo", measures["leave-one-out RMSE"], error, 10 * loss, size=spread, what="RMSE")
        deviations = np.sqrt(np.maximum(expected.loo_variances, 1e-300))
        density = scipy.stats.norm.logpdf(problem.y[kept], expected.loo_means, deviations).mean()
        judge.close(
            "gp_loo",
            measures["leave-one-out mean log density"],
            density,
            10 * loss,
            size=10.0,
            what="leave-one-out mean log density",
        )
    judge_normal(problem, queries, expected, model, loss, judge)


def judge_normal(
    problem: gp.Problem,
    queries: np.ndarray,
    expected: gp.Posterior,
    model: _core.FittedModel,
    loss: float,
    judge: Judge,
) -> None:
    """Quantiles and log densities of normal predictions."""
    rows = engine.samples(queries)
    deviation = np.sqrt(expected.variances + expected.noise)
    levels = [0.025, 0.5, 0.9]
    wanted = expected.means[:, None] + deviation[:, None] * scipy.stats.norm.ppf(levels)
    size = float(np.sqrt(_prior_size(expected)))
    if (expected.variances + expected.noise > 1e-6 * size**2).all():
        found = engine.called(model.quantiles, rows, levels, of="observation")
        judge.close("gp_quantiles", found, wanted, 1e3 * loss, size=size, what="quantiles of observations")
        truth = expected.means + deviation
        loss = loss * (1 + float((np.abs(expected.means) / deviation).max()))
        found = engine.called(model.log_density, rows, truth[:, None])
        judge.close(
            "gp_density",
            found[:, 0],
            scipy.stats.norm.logpdf(truth, expected.means, deviation),
            1e4 * loss,
            size=1.0,
            what="log densities",
        )


def judge_mean(problem: gp.Problem, queries: np.ndarray, facts: Facts, judge: Judge) -> None:
    """A mean function under a flat prior of orthonormal functions of the rows."""
    settings = settings_of(problem, method="exact")
    expected = gp.exact(problem, queries)
    model = fitted(problem, settings)
    judge.covers(*names_of("gp", settings))
    loss = rounding(expected, 1e-7)
    if np.abs(queries - problem.x.mean(axis=0)).max() > 10 * problem.x.std(axis=0).max():
        raise NotApplicable("the mean is extrapolated far")
    compare(judge, "gp_mean_function", model, queries, expected, loss, evidence=False)
    difference = expected.evidence - model.report["objective"]
    x, _, _, weights = problem.rows()
    basis, _ = gp.mean_basis(problem.mean, x, queries)
    length = 0.5 * np.linalg.slogdet(basis.T @ (weights[:, None] * basis))[1] if basis.shape[1] else 0.0
    judge.close(
        "gp_mean_function", -difference, length, loss, size=10 + abs(expected.evidence), what="constant of the evidence"
    )


def judge_methods(problem: gp.Problem, queries: np.ndarray, facts: Facts, judge: Judge) -> None:
    """What approximates: the exact answers with all points, the textbook's with fewer."""
    method = facts["method"]
    settings = settings_of(problem, method=method, inducing=str(facts["inducing"]))
    if method == "greedy":
        settings["gap"] = "1e-9"
    model = fitted(problem, settings)
    judge.covers(*names_of("gp", {**settings, "optimize": "no"}))
    full = gp.exact(problem, queries)
    if method in ("float", "cg"):
        if full.condition > 1e4:
            raise NotApplicable("single precision sees too little of the noise")
        loss = rounding(full, 1e-6)
        compare(judge, "gp_methods", model, queries, full, loss, variances=method == "cg", evidence=False)
        compare(judge, "gp_methods", model, queries, full, max(loss, 2e-3), evidence=True)
        return
    if method == "greedy":
        _, variance = engine.called(model.moments, engine.samples(queries), of="function")
        short = (full.variances - variance[:, 0]).max()
        judge.at_most("gp_greedy", short, 1e-5 * _prior_size(full), "what the variance lacks of an upper bound")
        if facts["inducing"] >= len(problem.x) and full.condition < 1e5:
            compare(judge, "gp_greedy", model, queries, full, 1e-2, variances=False, evidence=False)
        return
    points = np.asarray(model.sample_set("centres"), dtype=float)
    expected = gp.inducing(problem, points, method, queries)
    loss = 1e-5 + 1e-9 * (expected.condition + full.condition)
    # 1e-10 on the diagonal of the inducing points (docs/internals/gp-large.md) counts as unexplained in every row.
    loss += 1e-10 * len(problem.x) * _prior_size(full) / expected.noise
    if loss > 1e-2:
        raise NotApplicable("the inducing points depend on each other")
    plain = problem.weights is None or set(problem.weights) <= {0.0, 1.0}
    compare(judge, "gp_inducing", model, queries, expected, loss, evidence=plain)
    if plain and method == "vfe":
        judge.at_most(
            "gp_inducing",
            model.report["objective"],
            full.evidence + loss * (10 + abs(full.evidence)),
            "the lower bound of the evidence",
        )


def judge_draws(problem: gp.Problem, queries: np.ndarray, facts: Facts, judge: Judge) -> None:
    """Means and covariances of many draws."""
    settings = settings_of(problem, method="exact")
    expected = gp.exact(problem, queries)
    model = fitted(problem, settings)
    judge.covers(*names_of("gp", settings))
    count = 4000
    for of, noise in (("function", 0.0), ("observation", expected.noise)):
        draws = engine.called(model.draws, engine.samples(queries), count, of=of, seed=facts["seed"])
        if not noise and not _prior_size(expected):  # queries where the kernel is 0: nothing varies
            size = float(np.abs(problem.y).max(initial=0))
            wanted = np.broadcast_to(expected.means[:, None], draws.shape)
            judge.close("gp_draws", draws, wanted, 1e-9, size=size, what="draws of what does not vary")
            continue
        covariance = expected.covariance + noise * np.eye(len(queries))
        deviations = np.sqrt(np.maximum(np.diag(covariance), 0)) + 1e-5 * np.sqrt(_prior_size(expected))
        away = np.abs(draws.mean(axis=1) - expected.means) / deviations
        judge.at_most("gp_draws", float(away.max()), 6.5 / np.sqrt(count) + 1e-3, f"deviations of the mean ({of})")
        scale = np.outer(deviations, deviations)
        away = np.abs(np.atleast_2d(np.cov(draws)) - covariance) / scale
        judge.at_most("gp_draws", float(away.max()), 6.5 * np.sqrt(2 / count) + 1e-2, f"error of covariances ({of})")


# ---- Learning ------------------------------------------------------------------------------------------------------


def judge_learn(problem: gp.Problem, queries: np.ndarray, facts: Facts, judge: Judge) -> None:
    """The search ends higher than it started, where no parameter alone can raise the objective much."""
    if problem.weights is not None and (facts["weights"] == "huge" or facts["objective"] == "loo"):
        raise NotApplicable("weights too uneven, or of leave-one-out")
    problem.kernel = resolved("1*" + problem.kernel.split("*")[-1], problem.x)
    settings = {"noise": f"{problem.noise!r}", "objective": facts["objective"], "method": "exact"}
    start = gp.exact(problem, queries)
    model = fitted(problem, settings)
    judge.covers(*names_of("gp", {**settings, "optimize": "yes"}))
    ended = gp.Problem(model.kernel, problem.x, problem.y, model.report["measures"]["noise variance"], problem.weights)
    if any("bound" in note or "jitter" in note for note in model.report["notes"]):
        raise NotApplicable("a parameter ended at its bound")
    expected = gp.exact(ended, queries)
    compare(
        judge,
        "gp_learnt",
        model,
        queries,
        expected,
        rounding(expected, 1e-6),
        evidence=facts["objective"] == "evidence",
    )
    final = objective(ended, queries, facts["objective"])
    scale = 1 + abs(final)
    if expected.condition > 1e8 or not np.isfinite(final):
        raise NotApplicable("the objective rounds")
    judge.at_most(
        "gp_learning",
        objective(problem, queries, facts["objective"], start),
        final + 1e-5 * scale,
        "the objective at the start",
    )
    if model.report["status"] != "converged":
        return
    for change in (0.02, -0.02):
        nearby = [
            gp.Problem(kernel, ended.x, ended.y, ended.noise, ended.weights)
            for kernel in gp.perturbed(model.kernel, change)
        ]
        nearby.append(gp.Problem(model.kernel, ended.x, ended.y, ended.noise * float(np.exp(change)), ended.weights))
        for other in nearby:
            value = objective(other, queries, facts["objective"])
            judge.at_most(
                "gp_stationary",
                value,
                final + 2e-3 * scale,
                f"the objective at {other.kernel}, "
                f"noise {other.noise:.6g}, near the end {model.kernel}, noise {ended.noise:.6g}",
            )


def objective(problem: gp.Problem, queries: np.ndarray, name: str, known: gp.Posterior | None = None) -> float:
    """What is maximised."""
    found = known or gp.exact(problem, queries)
    if name == "evidence":
        return found.evidence
    return float(scipy.stats.norm.logpdf(problem.y, found.loo_means, np.sqrt(found.loo_variances)).sum())


TABLE = {
    "exact": judge_exact,
    "mean": judge_mean,
    "methods": judge_methods,
    "draws": judge_draws,
    "learn": judge_learn,
}
