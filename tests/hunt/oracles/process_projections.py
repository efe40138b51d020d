"""Judges features made of kernel values: kpca, kernelmap, nystroem, kfa, pursuit, opca and kcca."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles.process_case import Case, Matrix, separate, up_to_sign
from hunt.oracles.process_directions import judge_kcca, judge_kfa, judge_opca, judge_pursuit
from hunt.oracles.process_kernels import gram
from hunt.oracles.process_regression import draw_rows
from hunt.subjects import kernel_names
from hunt.verdict import Judge, NotApplicable
from mercer import _core

Facts = dict[str, Any]
TRIALS = ("kpca", "kernelmap", "nystroem", "kfa", "pursuit", "opca", "kcca")
CHOICES: dict[str, dict[str, tuple[str, ...]]] = {
    "kpca": {
        "components": ("2", "1", "5", "0"),
        "center": ("yes", "no"),
        "whiten": ("no", "yes"),
        "method": ("exact", "auto", "leading", "pivoted", "hebbian"),
        "precision": ("double", "auto", "float"),
    },
    "kernelmap": {"size": ("0", "3", "8"), "whiten": ("yes", "no"), "landmarks": ("pivots", "random")},
    "nystroem": {"size": ("100", "3", "8"), "landmarks": ("pivots", "greedy", "leverage", "kmeans", "uniform")},
    "kfa": {"components": ("2", "1", "5"), "mode": ("projection", "removal"), "search": ("all", "automatic")},
    "pursuit": {
        "components": ("2", "1", "4"),
        "contrast": ("square", "fourth", "logcosh", "negentropy", "entropy", "fisher"),
    },
    "opca": {"components": ("2", "1", "5"), "regularization": ("0.01", "0.1", "1")},
    "kcca": {
        "components": ("2", "1", "5"),
        "regularization": ("0.01", "0.1", "1"),
        "target_regularization": ("0.01", "0.3"),
        "target_kernel": ("linear()", "rbf(lengthscale=1)"),
    },
}


def draw(pick: Any, model: str) -> Facts:
    """Rows, a kernel and options."""
    facts = draw_rows(pick, fewest=2, most=20)
    facts["settings"] = {name: pick(st.sampled_from(words)) for name, words in CHOICES[model].items()}
    if model in ("kpca", "kfa", "opca", "kcca", "pursuit"):
        facts["weights"] = pick(st.sampled_from(("none", "twos", "zeros", "fractions")))
    facts["classes"] = pick(st.integers(2, 4))
    return facts


def judge(model: str, facts: Facts, judge: Judge) -> None:
    """Run the case."""
    x, queries, kernel = data.build_inputs(facts), data.build_queries(facts), facts["kernel"]
    weights = data.build_weights(facts, len(x))
    if weights is not None and (weights > 0).sum() < 2:
        raise NotApplicable("no rows are left")
    targets = None
    if model in ("opca", "kcca"):
        targets = np.random.default_rng(facts["seed"]).integers(0, facts["classes"], len(x))
    if model == "kcca":
        targets = np.sin(2.0 * targets) + 0.1 * np.random.default_rng(facts["seed"] + 1).standard_normal(len(x))
    settings = facts["settings"]
    fitted = _fit(model, kernel, settings, x, targets, weights)
    judge.covers(*names_of(model, settings), *(f"kernel {name}" for name in kernel_names(kernel)))
    case = Case(judge, fitted, kernel, settings, x, queries, weights, targets)
    {
        "kpca": judge_kpca,
        "kernelmap": judge_landmarks,
        "nystroem": judge_landmarks,
        "kfa": judge_kfa,
        "pursuit": judge_pursuit,
        "opca": judge_opca,
        "kcca": judge_kcca,
    }[model](case)


def _fit(
    model: str, kernel: str, settings: dict[str, str], x: Matrix, y: Matrix | None, weights: Matrix | None
) -> _core.FittedModel:
    targets: Any = y
    named: dict[str, Any] = {}
    if model == "opca" and y is not None:
        named["classes"] = [f"c{k}" for k in range(int(y.max()) + 1)]
        targets = y.astype(np.int32)
    return engine.called(
        _core.fit,
        model,
        kernel,
        settings,
        engine.samples(x),
        targets,
        sample_weight=weights,
        threads=1,
        seed=0,
        **named,
    )


def judge_kpca(case: Case) -> None:
    """Eigenvectors of the (centred) matrix: variances, features, residuals, and the way back of linear kernels."""
    judge, model, settings = case.judge, case.model, case.settings
    rows, cross, squares = case.centered()
    if settings["center"] == "no":
        rows, cross, squares = case.gram, case.cross, case.diagonal
    root = np.sqrt(case.w)
    values, vectors = scipy.linalg.eigh(root[:, None] * rows * root)
    values, vectors = values[::-1], vectors[:, ::-1]
    if values[0] < 1e-9 * case.size:
        raise NotApplicable("all images are equal")
    features = case.predict(case.queries)
    count = features.shape[1]
    loss = 1e-9
    if settings["method"] == "leading" and settings["precision"] != "double":
        loss = 2e-5
    if settings["method"] == "hebbian":
        loss = 2e-2
        if model.report["status"] != "converged":
            raise NotApplicable("the passes ended")
    loss += 1e-13 * case.size / values[0]
    found = model.arrays()["values"].ravel()
    judge.close("kpca_variances", found, values[:count], loss, size=values[0], what="variances")
    limit = int(settings["components"])
    beyond = (values > 1e-9 * values[0]).sum()
    if (
        settings["method"] in ("exact", "auto")
        and not ((values > 1e-10 * values[0]) & (values < 1e-8 * values[0])).any()
    ):
        judge.same("kpca_variances", count, min(limit, beyond) if limit else beyond, "number of components")
    share = model.report["measures"].get("explained variance ratio")
    if share is not None:
        judge.close(
            "kpca_variances",
            share,
            values[:count].sum() / values[values > 0].sum(),
            10 * loss,
            size=1.0,
            what="explained variance ratio",
        )
    gap = 1e-3 if loss < 1e-4 else 0.2
    slack = loss / gap * 10
    precise = 1e-6 if settings["precision"] != "double" else 1e-9
    if settings["method"] == "hebbian":
        return
    for c in range(count):
        if not separate(values, c, gap) or values[c] < 1e-4 * values[0]:
            continue
        axis = root * vectors[:, c] / np.sqrt(values[c])
        expected = cross.T @ axis / (np.sqrt(values[c]) if settings["whiten"] == "yes" else 1)
        size = float(np.sqrt(case.size / (values[c] if settings["whiten"] == "yes" else 1)))
        digits = (slack + precise) * np.sqrt(values[0] / values[c]) * 10 + 1e-14 * case.size / values[c]
        up_to_sign(judge, "kpca_features", features[:, c], expected, digits, size, f"component {c + 1}")
    if settings["whiten"] == "no" and (count == len(values) or values[count - 1] - values[count] > gap * values[0]):
        residual = engine.called(model.decide, engine.samples(case.queries))[:, 0]
        expected = squares - (features**2).sum(axis=1)
        judge.close(
            "kpca_residual", residual, np.maximum(expected, 0), slack + 10 * precise, size=case.size, what="residual"
        )
        if model.has_reconstruction:
            judge_reconstruction(case, features, settings["center"] == "yes", 10 * precise)


def judge_reconstruction(case: Case, features: Matrix, center: bool, digits: float) -> None:
    """Linear kernels: the projection itself; others: a point no farther from it than the sample.

    Distances are of features, which the model computes to so many digits of the size of the kernel.
    """
    names = kernel_names(case.kernel)
    found = engine.called(case.model.reconstruct, engine.samples(case.queries))
    if names <= {"linear", "scale"}:
        mean = case.w @ case.x if center else 0 * case.x[0]
        _, _, axes = np.linalg.svd(np.sqrt(case.w)[:, None] * (case.x - mean), full_matrices=False)
        axes = axes[: features.shape[1]]
        expected = mean + (case.queries - mean) @ axes.T @ axes
        case.judge.close("kpca_reconstruction", found, expected, 1e-5, what="projections")
        return
    far = np.array([_distance(case, features[q], row, center) for q, row in enumerate(case.queries)])
    near = np.array([_distance(case, features[q], row, center) for q, row in enumerate(found)])
    case.judge.at_most(
        "kpca_reconstruction",
        float((near - far).max()),
        digits * case.size,
        "what the pre-image is farther from the projection than the sample",
    )


def _distance(case: Case, features: Matrix, point: Matrix, center: bool) -> float:
    """Squared distance of a point's image from the projection with these coordinates (a constant left out)."""
    own = case.predict(point[None])[0]
    k = gram(case.kernel, case.x, point[None])[:, 0] @ case.w if center else 0.0
    square = gram(case.kernel, point[None])[0, 0] - 2 * k
    # |Phi(z) - mu|^2 - 2 <Phi(z) - mu, P> + const, with P = sum of f_c v_c.
    return float(square - 2 * own @ features)


def judge_landmarks(case: Case) -> None:
    """Inner products of the features are Nyström's, or features are kernel values."""
    judge, model, settings = case.judge, case.model, case.settings
    points = np.asarray(model.sample_set("centres"), dtype=float)
    inner = gram(case.kernel, points)
    features = case.predict(case.queries)
    values = gram(case.kernel, points, case.queries)
    if settings.get("whiten") == "no":
        judge.close("landmarks", features, values.T, 1e-12, size=case.size, what="kernel values")
        return
    eigenvalues, vectors = scipy.linalg.eigh(inner)
    top = eigenvalues[-1]
    if ((eigenvalues > 1e-12 * top) & (eigenvalues < 1e-7 * top)).any():
        raise NotApplicable("an eigenvalue near the tolerance")
    kept = eigenvalues > 1e-10 * top
    judge.same("landmarks", features.shape[1], kept.sum(), "number of features")
    expected = (vectors[:, kept] / np.sqrt(eigenvalues[kept])).T @ values
    loss = 1e-9 + 1e-13 * top / eigenvalues[kept].min()
    size = float(max(case.size, np.abs(case.diagonal).max()))
    judge.close("landmarks", features @ features.T, expected.T @ expected, loss, size=size, what="inner products")
    missing = engine.called(model.decide, engine.samples(case.queries))[:, 0]
    judge.close(
        "landmarks",
        missing,
        np.maximum(case.diagonal - (expected**2).sum(axis=0), 0),
        10 * loss,
        size=size,
        what="what is missing of k(x, x)",
    )
    if settings["size"] in ("0", "100"):
        train = case.predict(case.x)
        if model.name == "kernelmap" or settings["landmarks"] in ("pivots", "greedy"):
            judge.close("landmarks_exact", train @ train.T, case.gram, 1e-4, size=case.size, what="the kernel")
    if "kernel error (rms)" in model.report["measures"]:
        train = case.predict(case.x)
        error = np.abs(train @ train.T - case.gram)
        judge.close(
            "map_error",
            model.report["measures"]["kernel error (largest)"],
            error.max(),
            1e-4,
            size=1e-2 * case.size,
            what="largest error",
        )
    rows = model.arrays().get("centre_rows")
    chosen = settings["landmarks"]
    if rows is not None and (chosen == "greedy" or (chosen == "pivots" and model.name == "kernelmap")):
        judge_pivots(case, rows.ravel().astype(int))


def judge_pivots(case: Case, rows: Matrix) -> None:
    """The landmarks are those of pivoted Cholesky, from one of the rows with the largest k(x, x)."""
    first = np.diag(case.gram)
    sets = []
    for start in rows[first[rows] > first.max() - 1e-9 * case.size]:
        rest, chosen = case.gram.copy(), [int(start)]
        while True:
            row = chosen[-1]
            rest = rest - np.outer(rest[row], rest[row]) / rest[row, row]
            left = np.sort(np.diag(rest))
            if left[-1] < 1e-6 * case.size:
                raise NotApplicable("the landmarks span the rows")
            if len(chosen) == len(rows):
                break
            if len(left) > 1 and left[-1] - left[-2] < 1e-8 * case.size:
                raise NotApplicable("ties")
            chosen.append(int(np.argmax(np.diag(rest))))
        sets.append(sorted(chosen))
    case.judge.holds("pivots", sorted(rows.tolist()) in sets, f"rows {sorted(rows.tolist())}, but pivots are {sets}")
