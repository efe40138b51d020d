"""scikit-learn's Gaussian processes, kernel PCA and feature maps as peers of the estimators with the same names."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.decomposition
import sklearn.gaussian_process
import sklearn.gaussian_process.kernels as sk
from hypothesis import strategies as st

import mercer.decomposition
import mercer.gaussian_process
from hunt import data, engine
from hunt.oracles.process_regression import EPS
from hunt.verdict import Judge, NotApplicable

Facts = dict[str, Any]
TRIALS = ("regressor", "classifier", "kpca")
LEAVES = ("rbf", "ard", "matern", "rq", "dot", "constant", "periodic", "white")


def draw(pick: Any, trial: str) -> Facts:
    """Rows and an expression of scikit-learn's kernels."""
    facts = data.draw_inputs(pick, fewest=3, most=15, columns=3, plain=True)
    if trial == "kpca":
        facts["kernel"] = pick(st.sampled_from(("rbf", "linear", "poly", "cosine")))
        facts["components"] = pick(st.integers(1, 4))
        return facts
    facts["tree"] = draw_tree(pick, 2, trial)
    if trial == "regressor":
        facts.update(data.draw_numbers(pick, plain=True))
        facts["alpha"] = pick(st.sampled_from((0.1, 1e-3, 1.0)))
        facts["normalize"] = pick(st.booleans())
        facts["targets"] = pick(st.sampled_from((1, 2)))
    else:
        facts.update(data.draw_classes(pick, most=3))
        facts["scheme"] = pick(st.sampled_from(("one_vs_rest", "one_vs_one")))
    return facts


def draw_tree(pick: Any, depth: int, trial: str) -> list[Any]:
    """A leaf with its number, or two trees with an operation between them, or a power."""
    kind = pick(st.sampled_from(("leaf", "+", "*", "^"))) if depth else "leaf"
    if kind == "leaf":
        names = LEAVES if trial == "regressor" else LEAVES[:4]
        return [pick(st.sampled_from(names)), pick(st.sampled_from((1.0, 0.5, 2.0)))]
    if kind == "^":
        return ["^", draw_tree(pick, 0, trial), pick(st.integers(2, 3))]
    return [kind, draw_tree(pick, depth - 1, trial), draw_tree(pick, depth - 1, trial)]


def build_tree(tree: list[Any], columns: int) -> Any:
    """The kernel as scikit-learn's objects."""
    name = tree[0]
    if name == "+":
        return build_tree(tree[1], columns) + build_tree(tree[2], columns)
    if name == "*":
        return build_tree(tree[1], columns) * build_tree(tree[2], columns)
    if name == "^":
        return build_tree(tree[1], columns) ** tree[2]
    value = tree[1]
    made: dict[str, Any] = {
        "rbf": lambda: sk.RBF(value),
        "ard": lambda: sk.RBF([value * (j + 1) for j in range(columns)]),
        "matern": lambda: sk.Matern(value, nu=1.5),
        "rq": lambda: sk.RationalQuadratic(value, alpha=0.7),
        "dot": lambda: sk.DotProduct(value),
        "constant": lambda: sk.ConstantKernel(value),
        "periodic": lambda: sk.ExpSineSquared(value, periodicity=1.3),
        "white": lambda: sk.WhiteKernel(value),
    }
    return made[name]()


def judge(trial: str, facts: Facts, judge: Judge) -> None:
    """Run the case."""
    {"regressor": judge_regressor, "classifier": judge_classifier, "kpca": judge_kpca}[trial](facts, judge)


def judge_regressor(facts: Facts, judge: Judge) -> None:
    """The same moments, evidence and gradient with a fixed kernel."""
    x, queries = data.build_inputs(facts), data.build_queries(facts)
    y = data.build_numbers(facts, x)
    if facts["targets"] == 2:
        y = np.column_stack([y, np.cos(3 * y)])
    kernel = build_tree(facts["tree"], x.shape[1])
    options = {"alpha": facts["alpha"], "optimizer": None, "normalize_y": facts["normalize"]}
    peer = sklearn.gaussian_process.GaussianProcessRegressor(kernel, **options)
    ours = mercer.gaussian_process.GaussianProcessRegressor(kernel, **options)
    matrix = kernel(x) + facts["alpha"] * np.eye(len(x))
    if facts["normalize"] and (y.std(axis=0) < 1e-9).any():
        raise NotApplicable("constant targets")
    condition = conditioned(matrix)
    loss = 1e-8 + 100 * EPS * condition
    peer.fit(x, y)
    engine.called(ours.fit, x, y)
    judge.covers("model gp", "option gp.optimize=no")
    top = float(kernel.diag(queries).max()) * float(np.square(y.std(axis=0)).max() if facts["normalize"] else 1.0)
    size = float(np.abs(y).max()) + 1e-9
    mean, std = engine.called(ours.predict, queries, return_std=True)
    wanted, deviation = peer.predict(queries, return_std=True)
    judge.close("sklearn_gpr", mean, wanted, loss, size=size, what="means")
    judge.close("sklearn_gpr", np.square(std), np.square(deviation), 10 * loss, size=top, what="variances")
    covariance = engine.called(ours.predict, queries, return_cov=True)[1]
    judge.close(
        "sklearn_gpr", covariance, peer.predict(queries, return_cov=True)[1], 10 * loss, size=top, what="covariances"
    )
    judge.close(
        "sklearn_gpr",
        ours.log_marginal_likelihood_value_,
        peer.log_marginal_likelihood_value_,
        loss,
        size=float(len(x)),
        what="evidence",
    )
    theta = peer.kernel_.theta
    judge.close("sklearn_gpr", ours.kernel_.theta, theta, 1e-9, size=1.0, what="theta")
    moved = theta + 0.3 * np.sin(1.0 + np.arange(len(theta)))
    value, gradient = engine.called(ours.log_marginal_likelihood, moved, eval_gradient=True)
    expected, slopes = peer.log_marginal_likelihood(moved, eval_gradient=True)
    scale = float(np.abs(expected) + len(x))
    near = conditioned(peer.kernel_.clone_with_theta(moved)(x) + facts["alpha"] * np.eye(len(x)))
    judge.close("sklearn_gpr", value, expected, 1e-8 + 100 * EPS * near, size=scale, what="evidence of theta")
    judge.close(
        "sklearn_gpr",
        gradient,
        slopes,
        1e-7 + 1e3 * EPS * near,
        size=scale * (1 + facts["alpha"]),
        what="gradient of the evidence",
    )


def conditioned(matrix: np.ndarray) -> float:
    """The condition number of a matrix that Cholesky's factor exists of."""
    values = np.linalg.eigvalsh(matrix)
    if values[0] < 1e-9 * values[-1]:
        raise NotApplicable("the matrix is not positive definite")
    return float(values[-1] / values[0])


def judge_classifier(facts: Facts, judge: Judge) -> None:
    """The same evidence, gradient and (two classes: to the error of its approximation) probabilities."""
    x, queries = data.build_inputs(facts), data.build_queries(facts)
    y = data.build_classes(facts, x)
    kernel = build_tree(facts["tree"], x.shape[1])
    options = {"optimizer": None, "multi_class": facts["scheme"]}
    peer = sklearn.gaussian_process.GaussianProcessClassifier(kernel, **options).fit(x, y)
    ours = engine.called(mercer.gaussian_process.GaussianProcessClassifier(kernel, **options).fit, x, y)
    judge.covers("model gpc", "option gpc.optimize=no")
    found = engine.called(ours.predict_proba, queries) if facts["scheme"] == "one_vs_rest" else None
    if found is not None:
        # scikit-learn approximates the average over the logistic function by five error functions.
        judge.close("sklearn_gpc", found, peer.predict_proba(queries), 5e-3, size=1.0, what="probabilities")
    theta = peer.kernel_.theta if facts["classes"] == 2 else kernel.theta
    theta = theta[: len(kernel.theta)]
    value = engine.called(ours.log_marginal_likelihood, theta)
    judge.close("sklearn_gpc", value, peer.log_marginal_likelihood(theta), 1e-4, size=float(len(x)), what="evidence")
    if len(np.unique(y)) == 2:
        _, gradient = engine.called(ours.log_marginal_likelihood, theta, eval_gradient=True)
        _, slopes = peer.log_marginal_likelihood(theta, eval_gradient=True)
        judge.close("sklearn_gpc", gradient, slopes, 1e-3, size=float(len(x)), what="gradient of the evidence")


def judge_kpca(facts: Facts, judge: Judge) -> None:
    """The same components with the same signs."""
    x, queries = data.build_inputs(facts), data.build_queries(facts)
    if facts["kernel"] == "cosine" and (not x.any(axis=1).all() or not queries.any(axis=1).all()):
        raise NotApplicable("a row of zeros has no direction")
    options = {"n_components": facts["components"], "kernel": facts["kernel"], "gamma": 0.5}
    peer = sklearn.decomposition.KernelPCA(**options, eigen_solver="dense").fit(x)
    ours = engine.called(mercer.decomposition.KernelPCA(**options).fit, x)
    judge.covers("model kpca")
    values = peer.eigenvalues_
    if values[0] < 1e-9 or (values < 1e-6 * values[0]).any() or (np.diff(values) > -1e-3 * values[0]).any():
        raise NotApplicable("components that are not determined")
    full = sklearn.decomposition.KernelPCA(**{**options, "n_components": None}).fit(x).eigenvalues_
    if len(full) > len(values) and values[-1] - full[len(values)] < 1e-3 * values[0]:
        raise NotApplicable("components that are not determined")
    judge.close("sklearn_kpca", ours.eigenvalues_[: len(values)], values, 1e-8, what="eigenvalues")
    found, expected = engine.called(ours.transform, queries), peer.transform(queries)
    largest = np.sort(np.abs(peer.eigenvectors_), axis=0)
    clear = largest[-1] - largest[-2] > 1e-6
    judge.close("sklearn_kpca", np.abs(found), np.abs(expected), 1e-5, what="features, up to their signs")
    judge.close("sklearn_kpca", found[:, clear], expected[:, clear], 1e-5, what="features with their signs")
