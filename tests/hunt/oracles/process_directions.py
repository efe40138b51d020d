"""Judges directions of the kernel's space: kfa, pursuit, opca and kcca."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from hunt import engine
from hunt.oracles.process_case import Case, Matrix, separate, up_to_sign
from hunt.oracles.process_kernels import gram
from hunt.verdict import NotApplicable


def judge_kfa(case: Case) -> None:
    """The recursion of the page, along the rows that were chosen; each of them has the largest variance."""
    judge, model, settings = case.judge, case.model, case.settings
    rows = model.arrays()["centre_rows"].ravel().astype(int)
    found = model.arrays()["values"].ravel()
    points = np.asarray(model.sample_set("centres"), dtype=float)
    features = case.predict(case.queries)
    rest, cross = case.gram.copy(), case.cross.copy()  # <Phi_j, Phi(x)> of what is left of the rows
    left = case.diagonal.copy()
    allowed = np.ones(len(case.x), bool)
    for c in range(features.shape[1]):
        mean = rest @ case.w
        variances = (rest**2) @ case.w - mean**2
        matches = np.flatnonzero((case.x == points[c]).all(axis=1))
        if not len(matches):
            raise NotApplicable("rows of weight 0 shift the numbers")
        row = int(matches[0])
        best = variances[allowed].max()
        if best < 1e-6 * case.size**2 or rest[row, row] < 1e-6 * case.size:
            return
        judge.at_most("kfa", best - variances[row], 1e-7 * case.size**2, f"variance that feature {c + 1} misses")
        judge.close("kfa", found[c], variances[row], 1e-7, size=case.size**2, what=f"variance {c + 1}")
        judge.close("kfa", features[:, c], cross[row], 1e-7, size=case.size, what=f"feature {c + 1}")
        if settings["mode"] == "removal":
            allowed[matches] = False  # equal rows are one row of more weight
            continue
        left = left - cross[row] ** 2 / rest[row, row]
        along = rest[:, row] / rest[row, row]
        cross = cross - along[:, None] * cross[row][None]
        rest = rest - np.outer(along, rest[row])
    if settings["mode"] == "projection" and model.decision_names:
        residual = engine.called(model.decide, engine.samples(case.queries))[:, 0]
        judge.close("kfa", residual, np.maximum(left, 0), 1e-6, size=case.size, what="what the features leave out")
    judge.holds("kfa", len(rows) == features.shape[1], "as many rows as features")


CONTRASTS = {
    "square": (lambda f: f**2, lambda f: 2 * f),
    "fourth": (lambda f: f**4, lambda f: 4 * f**3),
    "logcosh": (lambda f: np.logaddexp(f, -f) - np.log(2), np.tanh),
}


def judge_pursuit(case: Case) -> None:
    """Orthogonal functions of norm 1, each at a fixed point of the step; squares are kernel PCA."""
    judge, model, settings = case.judge, case.model, case.settings
    coordinates, query_coordinates, values = case.coordinates(1e-14)
    if values[-1] < 1e-7 * values[0]:
        raise NotApplicable("small directions")
    features, fresh = case.predict(case.x), case.predict(case.queries)
    if features.shape[1] > len(values):
        raise NotApplicable("small directions")
    beta = np.linalg.lstsq(coordinates * np.sqrt(case.w)[:, None], features * np.sqrt(case.w)[:, None], rcond=None)[0]
    scale = float(np.sqrt(values[0]))
    judge.close("pursuit", coordinates @ beta, features, 1e-4, size=scale, what="features, as functions of the space")
    judge.close("pursuit", query_coordinates @ beta, fresh, 1e-4, size=scale, what="features of new rows")
    if settings["contrast"] not in CONTRASTS:
        judge_whitened(case, features)
        return
    judge.close("pursuit", beta.T @ beta, np.eye(beta.shape[1]), 1e-4, what="inner products of the functions")
    contrast, slope = CONTRASTS[settings["contrast"]]
    found = model.arrays()["values"].ravel()
    means = case.w @ contrast(features)
    judge.close("pursuit", found, means, 1e-6, size=max(float(np.abs(means).max()), 1e-9 * case.size), what="contrasts")
    for c in range(beta.shape[1]):
        gradient = coordinates.T @ (case.w * slope(features[:, c]))
        gradient = gradient - beta[:, :c] @ (beta[:, :c].T @ gradient)
        length = float(np.linalg.norm(gradient))
        if model.report["status"] == "converged" and length > 1e-6 * float(np.linalg.norm(slope(scale * np.ones(1)))):
            judge.at_most("pursuit", 1 - float(gradient @ beta[:, c]) / length, 1e-3, f"angle of step {c + 1}")
    if settings["contrast"] == "square":
        for c in range(beta.shape[1]):
            if all(separate(values, k, 1e-2) for k in range(c + 1)):
                judge.close("pursuit", found[c], values[c], 1e-4, size=float(values[0]), what=f"variance {c + 1}")


def judge_whitened(case: Case, features: Matrix) -> None:
    """Contrasts that compare shapes: values of mean 0 and variance 1 that do not correlate."""
    count = features.shape[1]
    case.judge.close("pursuit_whitened", case.w @ features, np.zeros(count), 1e-5, size=1.0, what="means")
    moments = (features * case.w[:, None]).T @ features
    case.judge.close("pursuit_whitened", moments, np.eye(count), 1e-4, what="covariance of the features")
    if case.settings["contrast"] == "negentropy":
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        normal = float(weights @ CONTRASTS["logcosh"][0](nodes) / weights.sum())
        expected = (case.w @ CONTRASTS["logcosh"][0](features) - normal) ** 2
        found = case.model.arrays()["values"].ravel()
        case.judge.close("pursuit_whitened", found, expected, 1e-5, size=0.1, what="contrasts")


def judge_opca(case: Case) -> None:
    """The generalised eigenproblem of the page, in principal coordinates."""
    judge, model, settings = case.judge, case.model, case.settings
    coordinates, query_coordinates, values = case.coordinates(1e-12)
    signal = np.diag(values)
    noise = np.zeros_like(signal)
    for group in np.unique(case.targets):
        member = case.targets == group
        w = case.w[member]
        away = coordinates[member] - np.average(coordinates[member], axis=0, weights=w)
        noise += (away * w[:, None]).T @ away
    noise += float(settings["regularization"]) * values.sum() * np.eye(len(values))
    ratios, axes = scipy.linalg.eigh(signal, noise)
    ratios, axes = ratios[::-1], axes[:, ::-1]
    axes = axes / np.linalg.norm(axes, axis=0)
    features = case.predict(case.queries)
    count = features.shape[1]
    found = model.arrays()["values"].ravel()
    judge.close("opca", found, ratios[:count], 1e-7, size=float(ratios[0]), what="ratios of signal to noise")
    for c in range(count):
        if separate(ratios, c, 1e-3) and ratios[c] > 1e-4 * ratios[0]:
            up_to_sign(
                judge,
                "opca",
                features[:, c],
                query_coordinates @ axes[:, c],
                1e-5,
                float(np.sqrt(case.size)),
                f"component {c + 1}",
            )


def judge_kcca(case: Case) -> None:
    """Singular values and vectors of the whitened covariance of the two views."""
    judge, model, settings = case.judge, case.model, case.settings
    coordinates, query_coordinates, values = case.coordinates(1e-12)
    assert case.targets is not None
    y = case.targets - case.w @ case.targets
    spread = float(np.sqrt(case.w @ y**2))
    if spread < 1e-6:
        raise NotApplicable("the targets are constant")
    second = gram(settings["target_kernel"], (y / spread)[:, None])
    mean = second @ case.w
    second = second - mean[:, None] - mean[None] + float(case.w @ mean)
    root = np.sqrt(case.w)
    target_values, vectors = scipy.linalg.eigh(root[:, None] * second * root)
    kept = target_values > 1e-12 * target_values[-1]
    target_values, vectors = target_values[kept], vectors[:, kept]
    view = vectors * np.sqrt(target_values) / root[:, None]
    left = np.sqrt(values + float(settings["regularization"]) * values.sum())
    right = np.sqrt(target_values + float(settings["target_regularization"]) * target_values.sum())
    covariance = (coordinates * case.w[:, None]).T @ view
    u, correlations, _ = np.linalg.svd(covariance / left[:, None] / right, full_matrices=False)
    features, train = case.predict(case.queries), case.predict(case.x)
    count = features.shape[1]
    found = model.arrays()["values"].ravel()
    judge.close("kcca", found, correlations[:count], 1e-6, size=1.0, what="correlations")
    judge.close("kcca", case.w @ train, np.zeros(count), 1e-4, size=1.0, what="means of the features")
    judge.close("kcca", case.w @ train**2, np.ones(count), 1e-4, what="variances of the features")
    for c in range(count):
        if separate(correlations, c, 1e-2) and correlations[c] > 1e-2:
            axis = u[:, c] / left
            deviation = float(np.sqrt(case.w @ (coordinates @ axis) ** 2))
            if deviation > 1e-4 * np.linalg.norm(axis) * np.sqrt(values[0]):
                up_to_sign(
                    judge, "kcca", features[:, c], query_coordinates @ axis / deviation, 1e-4, 1.0, f"component {c + 1}"
                )
