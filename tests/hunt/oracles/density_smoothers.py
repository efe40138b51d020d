"""Judges of nw, nwc, loess and lowess."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles import density_kde as kde
from hunt.oracles import density_local as local
from hunt.verdict import Judge, NotApplicable
from mercer import _core

EPS = float(np.finfo(float).eps)
WIDTHS = ("1", "each", "0.3", "3", "cv", "normal", "heuristic")
LOESS_SHAPES = ("tricube", *(shape for shape in kde.SHAPES if shape not in ("tricube", "cube")))


# ---- Windows: nw and nwc -------------------------------------------------------------------------------------------


def draw_window(pick: Any, subject: str) -> dict[str, Any]:
    """A window, rows and targets."""
    facts = data.draw_inputs(pick, most=20, columns=3)
    facts.update(data.draw_classes(pick, most=3) if subject == "nwc" else data.draw_numbers(pick))
    facts["window"] = pick(st.sampled_from(kde.SHAPES))
    facts["width"] = pick(st.sampled_from(WIDTHS))
    return {**facts, **data.draw_weights(pick)}


def _log_window(shape: str, x: np.ndarray, rows: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of windows, and distances in widths."""
    u = (rows[:, None] - x[None]) / h
    r = np.abs(u).max(axis=2) if shape == "cube" else np.sqrt((u**2).sum(axis=2))
    return kde.log_profile(shape, r), r


def shares(logs: np.ndarray, r: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows l(x), and which queries are clear: where no row is in reach the nearest answer."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = logs + np.log(w)
        top = terms.max(axis=1, keepdims=True)
        found = np.exp(terms - top)
    empty = ~np.isfinite(top[:, 0])
    distances = np.where(w > 0, r, np.inf)
    nearest = distances.min(axis=1, keepdims=True)
    chosen = np.where(distances == nearest, w, 0.0)
    found = np.where(empty[:, None], chosen, found)
    second = np.where(distances > nearest, distances, np.inf).min(axis=1)
    alone = (distances == nearest).sum(axis=1) == 1  # which of tied rows are nearest hangs on rounding
    clear = ~empty | (alone & (second > nearest[:, 0] * (1 + 1e-6)))
    return found / found.sum(axis=1, keepdims=True), clear


def left_out(shape: str, x: np.ndarray, w: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, bool]:
    """The rows l(x_i) of every row with one copy of it left out, and whether they are clear."""
    logs, r = _log_window(shape, x, x, h)
    rows, clear = [], True
    for i in range(len(x)):
        others = w.copy()
        others[i] = max(w[i] - 1, 0.0)
        if not others.any():
            raise NotApplicable("one row alone")
        row, sure = shares(logs[i : i + 1], r[i : i + 1], others)
        rows.append(row[0])
        clear = clear and bool(sure[0])
    if shape not in kde.ENDLESS and (np.abs(r - 1) < 1e-4).any():
        clear = False
    return np.array(rows), clear


def far_apart(shape: str, x: np.ndarray, w: np.ndarray, h: np.ndarray) -> bool:
    """Whether a row has no other in reach of its window, or none whose window is not 0 in doubles."""
    logs, _ = _log_window(shape, x, x, h)
    others = np.where((np.eye(len(x)) > 0) & (w <= 1), -np.inf, logs)
    return bool((others.max(axis=1) < -600).any())


def whole(x: np.ndarray, w: np.ndarray) -> bool:
    """Whether weights are numbers of copies, or no rows are copies: what is left of half a copy is not documented."""
    return bool(np.array_equal(w, np.round(w)) or len(np.unique(x, axis=0)) == len(x))


def judge_window(model: str, facts: dict[str, Any], judge: Judge) -> None:
    """Weighted means in a window, their errors, and the choice of the width."""
    x, rows = data.build_inputs(facts), data.build_queries(facts)
    classes = model == "nwc"
    y = data.build_classes(facts, x) if classes else data.build_numbers(facts, x)
    weights = data.build_weights(facts, len(x))
    unit, d, shape = float(facts["unit"]), x.shape[1], facts["window"]
    widths = np.array([1.0, 0.5, 2.0])[:d] * unit
    number = facts["width"] not in ("cv", "normal", "heuristic", "each")
    given = {"each": ",".join(repr(float(v)) for v in widths)}.get(facts["width"], facts["width"])
    settings = {"shape": shape, "bandwidth": repr(float(given) * unit) if number else given}
    fitted = engine.fit(model, "", settings, x, y, weights=weights)
    w = np.ones(len(x)) if weights is None else weights
    if not (w > 0).any():
        raise NotApplicable("no row has weight")
    targets = np.eye(int(y.max()) + 1)[y] if classes else y[:, None]
    x, targets, w = x[w > 0], targets[w > 0], w[w > 0]
    h = np.asarray(fitted.arrays()["bandwidths"])[:, 0]
    judge.covers(*names_of(model, settings))
    _judge_width(judge, facts, model, settings, x, targets, w, h, fitted)
    rows = np.vstack([rows, x.max(axis=0) + 40 * (x.std(axis=0) + unit)])
    logs, r = _log_window(shape, x, rows, h)
    share, clear = shares(logs, r, w)
    if shape not in kde.ENDLESS:
        clear &= ~(np.abs(r - 1) < 1e-7).any(axis=1)
    if shape == "cube" and d > 1:
        clear &= np.isfinite(logs).any(axis=1)  # nearest in which distance?
    if not (h < np.inf).all() or 1e3 * EPS * float((np.abs(x).max(axis=0) / h).max()) > 1e-3:
        raise NotApplicable("windows that are as narrow as the rounding of places")
    rounding = 1e3 * EPS * float(1 + (np.abs(x).max(axis=0) / h).max())
    tolerance = 1e-9 + rounding * float(1 + np.sqrt(np.where(np.isfinite(logs), np.abs(logs), 0).max()))
    found = fitted.probabilities if classes else fitted.predict
    answers = engine.called(found, engine.samples(rows), threads=1)
    size = float(np.abs(targets).max(initial=0))  # shares of targets of both signs leave less than their rounding
    judge.close("window", answers[clear], (share @ targets)[clear], tolerance, size=size, what="means")
    if classes:
        return
    try:
        others, sure = left_out(shape, x, w, h)
    except NotApplicable:
        return
    if not sure or not whole(x, w):
        return
    squared = ((targets - others @ targets) ** 2)[:, 0]
    noise = share @ squared
    variance = noise * (share**2 / w).sum(axis=1)
    floor = (1e-7 * float(np.abs(targets).max())) ** 2
    oracle = "far_left_out" if far_apart(shape, x, w, h) else "window_variance"
    for of, expected in (("function", variance), ("observation", variance + noise)):
        moments = engine.called(fitted.moments, engine.samples(rows), of=of, threads=1)[1][:, 0]
        judge.close(
            oracle, moments[clear], expected[clear], 1e-7 + 100 * tolerance, size=floor * 1e7, what=f"variances of {of}"
        )


def _judge_width(
    judge: Judge,
    facts: dict[str, Any],
    model: str,
    settings: dict[str, str],
    x: np.ndarray,
    targets: np.ndarray,
    w: np.ndarray,
    h: np.ndarray,
    fitted: Any,
) -> None:
    """Widths are those asked for; the rule's; or no worse in cross-validation than those beside them."""
    d, shape, word = x.shape[1], settings["shape"], settings["bandwidth"]
    if word not in ("cv", "normal", "heuristic"):
        values = [float(v) for v in word.split(",")]
        judge.close("window_width", h, np.array(values * d if len(values) == 1 else values), 1e-12, what="widths")
        return
    n = float(w.sum())
    if word != "cv":
        if model == "nwc" and word == "heuristic":
            return
        if n <= 1 or w.max() > 10:
            return
        try:
            deviations = kde.robust_deviations(x, w)
            other = kde.robust_deviations(targets, w)[0]
        except NotApplicable:
            return
        if (deviations <= 0).any():
            return
        expected = deviations * kde.rule_factor("normal", n, d) * kde.canonical(shape, d)
        if word == "heuristic":
            if other <= 1e-12 * np.abs(targets).max():
                return
            expected = np.sqrt(expected * other * kde.rule_factor("normal", n, 1) * kde.canonical(shape, d))
        judge.close("window_width", h / expected, np.ones(d), 1e-7, what=f"widths of {word} over the rule's")
        return

    def error(widths: np.ndarray) -> tuple[float, bool]:
        others, sure = left_out(shape, x, w, widths)
        return float(w @ ((targets - others @ targets) ** 2).sum(axis=1) / n), sure

    try:
        best, sure = error(h)
    except NotApplicable:
        return
    size = float(w @ ((targets - w @ targets / n) ** 2).sum(axis=1) / n)
    rounding = 1e3 * EPS * float((np.abs(x).max(axis=0) / h).max())
    if not sure or not whole(x, w) or rounding > 1e-7 or size <= 1e-20 * float(np.abs(targets).max()) ** 2:
        return
    oracle = "far_left_out" if far_apart(shape, x, w, h) else "cv_value"
    judge.close(oracle, fitted.report["objective"], best, 1e-6, size=size * 1e-3, what="the leave-one-out error")
    if shape != "gaussian":
        return
    for j in range(d):
        for step in (0.97, 1.03):
            beside = h.copy()
            beside[j] *= step
            value, sure = error(beside)
            if sure:
                judge.at_most(
                    "cv_neighbours", best, value + 1e-3 * size, f"the error at its widths, {step} of column {j}:"
                )


# ---- loess ---------------------------------------------------------------------------------------------------------


def draw_loess(pick: Any, subject: str) -> dict[str, Any]:
    """A local regression."""
    facts = {**data.draw_inputs(pick, fewest=3, most=25, columns=2), **data.draw_numbers(pick)}
    facts["settings"] = {
        "span": pick(st.sampled_from(("0.75", "0.5", "0.9", "1", "1.5", "0.2"))),
        "degree": pick(st.sampled_from(("auto", "0", "1", "2"))),
        "shape": pick(st.sampled_from(LOESS_SHAPES)),
        "robust": pick(st.sampled_from(("0", "0", "1", "3"))),
        "normalize": pick(st.sampled_from(("yes", "no"))),
        "statistics": pick(st.sampled_from(("auto", "exact"))),
    }
    facts["width"] = pick(st.sampled_from((0, 0, 0, 1.5, 4)))
    return {**facts, **data.draw_weights(pick)}


def judge_loess(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Dense least squares for every row."""
    x, rows = data.build_inputs(facts), data.build_queries(facts)
    y = data.build_numbers(facts, x)
    weights = data.build_weights(facts, len(x))
    settings, d = dict(facts["settings"]), x.shape[1]
    scaled = settings["normalize"] == "yes" and d > 1
    width = facts["width"] * (1.0 if scaled else float(facts["unit"]))
    if width:
        settings.pop("span")
        settings["bandwidth"] = repr(width)
    model = engine.fit("loess", "", settings, x, y, weights=weights)
    w = np.ones(len(x)) if weights is None else weights
    x, y, w = x[w > 0], y[w > 0], w[w > 0]
    divisors = local.middle_deviations(x) if scaled else np.ones(d)
    if (divisors <= 1e-6 * x.std(axis=0)).any():
        raise NotApplicable("a middle without spread")
    degree = 2 if settings["degree"] == "auto" else int(settings["degree"])
    exact = local.Loess(x, y, w, divisors, settings["shape"], degree, float(facts["settings"]["span"]), width or None)
    robustness = exact.robustness(int(settings["robust"]))
    judge.covers(*names_of("loess", settings))
    found, variances = (part[:, 0] for part in engine.called(model.moments, engine.samples(rows), threads=1))
    size = float(np.abs(y).max()) or 1.0
    if (x == x[0]).all(axis=0).any():
        raise NotApplicable("a column of one value")
    places = float((np.abs(x).max(axis=0) / x.std(axis=0)).max())
    tolerance = 1e-6 + 1e4 * EPS * places
    operators = {}
    for i, row in enumerate(rows):
        try:
            operators[i] = exact.operator(row, robustness)
        except NotApplicable:
            continue
    for i, operator in operators.items():
        judge.close(
            "local_fit",
            found[i],
            operator @ y,
            tolerance,
            size=size * float(np.abs(operator).sum()),
            what=f"f of row {i}",
        )
    if int(settings["robust"]):
        return
    _, first, second = exact.traces()
    if first < 1e-3:
        raise NotApplicable("no degrees of freedom are left")
    residuals = y - exact.smoother(robustness) @ y
    scale = float(w @ residuals**2 / first)
    rounding = (tolerance * size) ** 2 * float(w.max())
    judge.close("residual_scale", model.report["objective"] ** 2, scale, 1e-5, size=rounding * 1e5, what="s²")
    freedom = first**2 / second
    judge.close("degrees_of_freedom", model.report["measures"]["degrees of freedom"], freedom, 1e-5, what="degrees")
    quantiles = engine.called(model.quantiles, engine.samples(rows), [0.1, 0.975], of="function", threads=1)
    for i, operator in operators.items():
        expected = scale * float((operator**2 / w).sum())
        judge.close(
            "standard_error", variances[i], expected, 1e-5, size=rounding * 1e5, what=f"variance of f of row {i}"
        )
        at = operator @ y + np.sqrt(expected) * scipy.stats.t.ppf([0.1, 0.975], freedom)
        judge.close(
            "quantiles", quantiles[i].ravel(), at, 1e-5, size=size * 1e5 * tolerance, what=f"quantiles of f of row {i}"
        )


# ---- lowess --------------------------------------------------------------------------------------------------------


def draw_lowess(pick: Any, subject: str) -> dict[str, Any]:
    """A scatter of points."""
    facts = {**data.draw_inputs(pick, fewest=2, columns=1), **data.draw_numbers(pick)}
    facts["span"] = pick(st.sampled_from((0.667, 0.3, 0.1, 1.0)))
    facts["rounds"] = pick(st.sampled_from((0, 1, 3)))
    return facts


def judge_lowess(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Cleveland's local lines, and statsmodels' where no places are tied."""
    x = data.build_inputs(facts)[:, 0]
    y = data.build_numbers(facts, x[:, None])
    order = np.argsort(x, kind="stable")
    places = np.sort(data.build_queries(facts)[3:, 0])
    span, rounds = float(facts["span"]), int(facts["rounds"])
    found, there = engine.called(_core.lowess, x, y, span, rounds, places, threads=1)
    expected, at = local.lowess(x[order], y[order], span, rounds, places)
    size = float(np.abs(y).max())
    rounding = 1e4 * EPS * float(np.abs(x).max() / (np.ptp(x) or 1e-300))
    if rounding > 1e-2:
        raise NotApplicable("places that differ by rounding")
    judge.close("lowess", found[order], expected, 1e-7 + rounding, size=size, what="values at the points")
    judge.close("lowess", there, at, 1e-6 + rounding, size=size * 10, what="values at other places")
    if (
        len(np.unique(np.round(x / facts["unit"] - facts["offset"], 6))) < len(x)
        or span * len(x) < 6
        or facts["unit"] != 1
    ):
        return  # statsmodels takes small windows and small units otherwise
    from statsmodels.nonparametric.smoothers_lowess import lowess

    with np.errstate(all="ignore"):
        peer = lowess(y[order], x[order], frac=span, it=rounds, delta=0.0, return_sorted=False)
    if np.isfinite(peer).all() and rounds == 0:
        judge.close(
            "lowess_peer", found[order], peer, 1e-5 + rounding, size=size, what="values at the points, by statsmodels"
        )
