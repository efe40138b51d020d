"""The judge of kde, and what kdec shares with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.oracles import density_kde as kde
from hunt.verdict import Judge, NotApplicable
from mercer import _core

EPS = float(np.finfo(float).eps)
RULES = ("scott", "silverman", "normal", "likelihood", "least_squares", "isj")
BANDWIDTHS = ("1", "0.5", "3", "each", "matrix", *RULES)
CHECKS = ("values", "cumulative", "marginal", "draws", "given", "integral", "peer")
DRAWS = 1500
KS_BOUND = 3.4 / np.sqrt(DRAWS)  # exceeded once in 1e10 times
DOTS = 1e-9  # what sums of well-conditioned terms may be off by


# ---- kde -----------------------------------------------------------------------------------------------------------


def draw_kde(pick: Any, subject: str) -> dict[str, Any]:
    """A density, and what is asked of it."""
    facts = data.draw_inputs(pick, most=20, columns=3)
    facts["settings"] = {
        "shape": pick(st.sampled_from(kde.SHAPES)),
        "form": pick(st.sampled_from(("diagonal", "scalar", "full"))),
        "adaptive": pick(st.sampled_from(("0", "0.5", "0.2"))),
        "method": pick(st.sampled_from(("exact", "auto", "tree"))),
    }
    facts["bounds"] = pick(st.sampled_from(("", "relative_error=0.01", "absolute_error=0.01")))
    facts["width"] = pick(st.sampled_from(BANDWIDTHS))
    facts["ends"] = pick(st.sampled_from(("", "", "lower", "upper", "both", "period", "first")))
    facts["margin"] = pick(st.sampled_from((0.5, 0, 3)))
    facts["weights"] = pick(st.sampled_from((*data.WEIGHTS, "shares")))
    if subject == "kdec":
        facts.update(data.draw_classes(pick, most=3))
        facts["settings"]["priors"] = pick(st.sampled_from(("frequency", "equal")))
    else:
        facts["check"] = pick(st.sampled_from(CHECKS))
    return facts


def weights_of(facts: dict[str, Any], n: int) -> np.ndarray | None:
    """One weight a row; ``shares`` sum to 1."""
    if facts["weights"] == "shares":
        shares = np.random.default_rng(facts["seed"] + 3).integers(1, 4, n).astype(float)
        return np.asarray(shares / shares.sum() * (1 - 1e-12))
    weights = data.build_weights(facts, n)
    if weights is not None and not weights.any():
        raise NotApplicable("no row has weight")
    return weights


class Setup:
    """The arrays and settings of a case."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.unit = float(facts["unit"])
        self.x = data.build_inputs(facts)
        self.queries = data.build_queries(facts)
        self.weights = weights_of(facts, len(self.x))
        self.settings = dict(facts["settings"])
        self.d = self.x.shape[1]
        if facts["bounds"]:
            name, value = facts["bounds"].split("=")
            self.settings[name] = f"{float(value) * (self.unit**-self.d if name[0] == 'a' else 1):.17g}"
        self.rule = facts["width"] in RULES
        self.settings["bandwidth"] = self._width(facts["width"])
        self.ends = self._ends(facts["ends"], float(facts["margin"]))
        for name, values in self.ends.items():
            self.settings[name] = ",".join("none" if value is None else repr(float(value)) for value in values)
        if self.ends and facts["settings"]["form"] == "full" and (self.rule or facts["width"] == "matrix"):
            raise NotApplicable("a full matrix has no ends")

    def _width(self, word: str) -> str:
        if word in RULES:
            return word
        widths = np.array([1.0, 0.5, 2.0])[: self.d] * self.unit
        if word == "each":
            return ",".join(repr(float(width)) for width in widths)
        if word == "matrix" and self.d > 1:
            matrix = 0.3 * np.outer(widths, widths) + 0.7 * np.diag(widths**2)
            return ";".join(",".join(repr(float(entry)) for entry in row) for row in matrix)
        return repr(float(1 if word == "matrix" else word) * self.unit)

    def _ends(self, word: str, margin: float) -> dict[str, list[float | None]]:
        low = [float(v) for v in self.x.min(axis=0) - margin * self.unit]
        up = [float(v) for v in self.x.max(axis=0) + margin * self.unit]
        circle = [4.0 * self.unit] * self.d
        rest: list[float | None] = [None] * (self.d - 1)
        found: dict[str, dict[str, list[float | None]]] = {
            "": {},
            "lower": {"lower": [*low]},
            "upper": {"upper": [*up]},
            "both": {"lower": [*low], "upper": [*up]},
            "period": {"period": [*circle]},
            "first": {"lower": [low[0], *rest]},
        }
        return found[word]

    def tolerance(self, density: kde.Density) -> float:
        """What ln p may be off by: the errors asked for, and the rounding of places that are far from 0."""
        relative = 0.0 if self.settings["method"] == "exact" else float(self.settings.get("relative_error", 1e-6))
        widths = np.sqrt((density.factor**2).sum(axis=1)) * density.scales.min()
        places = np.abs(self.x).max(axis=0)[: len(widths)].max() / widths.min()
        rounding = 64 * EPS * places
        if rounding > 1e-3:
            raise NotApplicable("windows that are as narrow as the rounding of places")
        return float(1.01 * relative + DOTS + rounding)


def widths_by_rule(x: np.ndarray, w: np.ndarray, settings: dict[str, str], deviations: np.ndarray | None = None) -> Any:
    """The factor of the bandwidth that a rule gives; None where only its criterion is documented."""
    rule, shape, form = settings["bandwidth"], settings["shape"], settings["form"]
    n, d = float(w.sum()), x.shape[1]
    if rule in ("likelihood", "least_squares"):
        return None
    if rule == "isj":
        if d > 1 or n < 5:
            raise NotApplicable("isj is for one column")
        near, far = (kde.improved_sheather_jones(x[:, 0], w, margin) for margin in (0.5, 1.0))
        if abs(near - far) > 2e-3 * near:
            raise NotApplicable("the range of the grid matters")
        return np.array([[near * kde.canonical(shape, d)]])
    if rule == "normal":
        if deviations is None:
            deviations = kde.robust_deviations(x, w)
        if (deviations <= 0).any() or form == "full":
            raise NotApplicable("no documented spread")
    factor = kde.rule_factor(rule, n, d) * kde.canonical(shape, d)
    if form == "full":
        matrix = kde.covariance(x, w)
        scale = np.sqrt(np.diag(matrix))
        if np.linalg.cond(matrix / np.outer(scale, scale)) > 1e6:
            raise NotApplicable("columns that depend on each other")
        return factor * np.linalg.cholesky(matrix)
    if deviations is None:
        deviations = np.sqrt(np.diag(kde.covariance(x, w)))
    if form == "scalar" and d > 1:
        if np.ptp(deviations) > 1e-9 * deviations.max():
            return None
        deviations = np.full(d, deviations.mean())
    return factor * np.diag(deviations)


def given_factor(text: str, d: int) -> np.ndarray:
    """The factor of a bandwidth in numbers."""
    if ";" in text:
        return np.linalg.cholesky(np.array([[float(v) for v in row.split(",")] for row in text.split(";")]))
    values = [float(v) for v in text.split(",")]
    return np.diag(np.array(values * d if len(values) == 1 else values))


def scaled(density: kde.Density, power: float) -> kde.Density:
    """The same with windows that are wider where points are rare."""
    if power:
        logs = density.log_density(density.points)
        density.scales = np.exp(-power * (logs - density.weights @ logs / density.weights.sum()))
    return density


def judge_kde(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Compare with brute force; then ask what the case asks."""
    case = Setup(facts)
    x, w = kde.counted(case.x, case.weights)
    kept = kde.varying(x) if case.rule else np.arange(case.d)
    if case.rule and not len(kept):
        try:
            _core.fit("kde", "", case.settings, engine.samples(case.x), None, sample_weight=case.weights, threads=1)
        except ValueError:
            judge.holds("refusal", True, "")
            return
        judge.holds("refusal", False, "a rule gave a width where no column has two values")
    if case.rule and float(w.sum()) < 1.5:
        raise NotApplicable("a deviation of one row")
    model = engine.fit("kde", "", case.settings, case.x, None, weights=case.weights)
    found = np.asarray(model.arrays()["bandwidth"])
    if case.rule:
        judge_rule(judge, case, x[:, kept], w, found, model.report)
        factor = found
    else:
        factor = given_factor(case.settings["bandwidth"], case.d)
        judge.close("bandwidth", found @ found.T, factor @ factor.T, 1e-12, what="squared widths")
    ends = {name: [values[j] for j in kept] for name, values in case.ends.items()}
    density = kde.Density(case.settings["shape"], x[:, kept], w, factor, np.ones(len(x)), **ends)
    if float(case.settings["adaptive"]) and density.near_an_edge(density.points, 1e-9).any():
        raise NotApplicable("points at the ends of windows")
    scaled(density, float(case.settings["adaptive"]))
    judge.covers(*names_of("kde", case.settings))
    globals()[f"_kde_{facts['check']}"](judge, case, model, density, kept)


def judge_rule(judge: Judge, case: Setup, x: np.ndarray, w: np.ndarray, found: np.ndarray, report: Any) -> None:
    """The width is the rule's; a width of cross-validation is no worse than those beside it."""
    settings, d = case.settings, x.shape[1]
    rule, shape = settings["bandwidth"], settings["shape"]
    try:
        expected = widths_by_rule(x, w, settings)
    except NotApplicable:
        return
    if expected is not None:
        places = EPS * np.abs(x).max(axis=0) / np.sqrt((expected**2).sum(axis=1))
        tolerance = (1e-2 if rule == "isj" else 1e-8) + 64 * float(places.max()) ** 2
        judge.close("bandwidth", found @ found.T, expected @ expected.T, tolerance, what=f"squared widths of {rule}")
        return
    if rule in ("scott", "silverman", "normal"):  # one width for all columns
        each = widths_by_rule(x, w, {**settings, "form": "diagonal"})
        judge.close("bandwidth", found, found[0, 0] * np.eye(d), 1e-12, what="one width for all")
        judge.holds(
            "bandwidth", each.min() <= found[0, 0] <= each.max(initial=0), "a width beyond those of all columns"
        )
        return
    if not np.array_equal(w, np.round(w)) or w.max() > 10 or settings["form"] == "full":
        return
    if settings["form"] == "diagonal":
        start = widths_by_rule(x, w, {**settings, "bandwidth": "silverman"})
        ratio = np.diag(found) / np.diag(start)
        # A deviation far from 0 is known to the rounding of the rows.
        known = 1e-8 + 8 * EPS * float((np.abs(x).max(axis=0) / np.diag(start)).max())
        judge.close("bandwidth", ratio, np.full(d, ratio[0]), known, what="factors of silverman's widths")
    own = found / kde.canonical(shape, d)

    def value(factor: float) -> float:
        return kde.criterion(kde.Density("gaussian", x, w, own * factor, np.ones(len(x))), rule)

    best = value(1.0)
    if not np.isfinite(best):
        return
    said = report["objective"] * (-1 if rule == "likelihood" else 1)
    places = EPS * np.abs(x).max(axis=0) / np.sqrt((own**2).sum(axis=1))  # of rows divided by narrow widths
    judge.close("cv_value", said, best, 1e-6 + 64 * float(places.max()), what=f"the criterion of {rule}")
    gaps = kde.Density("gaussian", x, w, own, np.ones(len(x))).distances(x)[:, :, 0] + 9 * np.eye(len(x))
    if w.max() > 1 or gaps.min() < 1e-2:
        return  # copies make the criterion fall for ever as widths shrink
    size = abs(best) if rule == "least_squares" else 1.0
    for step in (0.3, 0.6, 0.9, 0.99, 1.01, 1.1, 1.6, 3.0):
        judge.at_most(
            "cv_neighbours", best, value(step) + 2e-3 * size, f"{rule} at its width, {step} of which is better:"
        )


def _rows(case: Setup, density: kde.Density) -> np.ndarray:
    """Queries, some of them far away."""
    centre, far = case.x.mean(axis=0), case.x.std(axis=0) + case.unit
    rows = np.vstack([case.queries, centre + 30 * far])
    for j, low in enumerate(case.ends.get("lower", [])):
        if low is not None:
            rows[-1, j] = low - 0.25 * case.unit
    return rows


def compare_logs(
    judge: Judge, oracle: str, case: Setup, density: kde.Density, rows: Any, kept: Any, found: Any
) -> None:
    """Compare ln p at rows, but for those where rounding decides."""
    exact = case.unit == 1 and not (case.x % 1).any() and not (density.factor * 2 % 1).any()
    margin = 0.0 if exact and density.shape in ("boxcar", "cube") and not density.scales.std() else 1e-6
    clear = ~density.near_an_edge(rows[:, kept], margin)
    expected, found = density.log_density(rows[:, kept])[clear], np.asarray(found)[clear]
    allowed = case.tolerance(density)
    absolute = float(case.settings.get("absolute_error", 0))
    judge.same(oracle, np.isfinite(found) | (absolute > 0), np.isfinite(expected) | (absolute > 0), "where p is 0")
    both = np.isfinite(expected) & np.isfinite(found)
    ratio = found[both] - expected[both]
    size = np.maximum(np.abs(expected[both]), 1.0)
    slack = allowed * size + (np.log1p(absolute * np.exp(-expected[both])) if absolute else 0.0)
    worst = int(np.argmax(np.abs(ratio) - slack)) if both.any() else 0
    judge.holds(
        oracle,
        bool((np.abs(ratio) <= slack).all()) if absolute == 0 else bool((ratio <= slack).all()),
        f"ln p {found[both][worst : worst + 1]} for {expected[both][worst : worst + 1]}",
    )


def _kde_values(judge: Judge, case: Setup, model: Any, density: kde.Density, kept: np.ndarray) -> None:
    rows = _rows(case, density)
    found = engine.called(model.predict, engine.samples(rows), threads=1)[:, 0]
    compare_logs(judge, "log_density", case, density, rows, kept, found)


def _kde_cumulative(judge: Judge, case: Setup, model: Any, density: kde.Density, kept: np.ndarray) -> None:
    if case.d != 1:
        raise NotApplicable("a distribution function is of one column")
    rows = _rows(case, density)
    if case.ends.get("period"):
        rows = rows % (4 * case.unit)
    found = engine.called(_core.cumulative_density, model, rows, threads=1)
    judge.close(
        "cumulative", found, density.cumulative(rows[:, 0]), 2 * case.tolerance(density), size=1, what="P(X ≤ x)"
    )


def _kde_marginal(judge: Judge, case: Setup, model: Any, density: kde.Density, kept: np.ndarray) -> None:
    if case.d == 1 or len(kept) < case.d or float(case.settings.get("absolute_error", 0)):
        raise NotApplicable("no column to integrate over")
    for columns in ([0], [1], [case.d - 1, 0]):
        rows = np.ascontiguousarray(case.queries[:, columns])
        found = np.exp(engine.called(_core.marginal_log_density, model, columns, rows, threads=1))
        expected = density.marginal(columns, rows)
        smooth = ~(np.abs(density.distances(rows, columns) - 1) < 1e-4).any(axis=(1, 2))
        judge.close(
            "marginal",
            found[smooth],
            expected[smooth],
            1e-4 + case.tolerance(density),
            what=f"densities of columns {columns}",
        )


def _distance(draws: np.ndarray, cumulative: np.ndarray) -> float:
    """Kolmogorov's distance of sorted draws, their probabilities given."""
    steps = np.arange(1, len(draws) + 1) / len(draws)
    return float(max(np.max(steps - cumulative), np.max(cumulative - steps + 1 / len(draws))))


def _kde_draws(judge: Judge, case: Setup, model: Any, density: kde.Density, kept: np.ndarray) -> None:
    case.tolerance(density)
    drawn = np.asarray(engine.called(_core.density_draws, model, DRAWS, seed=1))
    judge.holds("draws", drawn.shape == (DRAWS, case.d) and np.isfinite(drawn).all(), f"draws of shape {drawn.shape}")
    for j in sorted(set(range(case.d)) - set(kept.tolist())):
        judge.same("draws", drawn[:, j], np.full(DRAWS, case.x[0, j]), "a column of one value")
    logs = engine.called(model.predict, engine.samples(drawn), threads=1)[:, 0]
    lost = float(np.mean(~np.isfinite(logs)))
    if not float(case.settings.get("absolute_error", 0)):
        judge.at_most("draws", lost, 0.005, "the share of draws that have no density")
    if len(kept) == 1:
        values = np.sort(drawn[:, kept[0]])
        period = density.period[0]
        if period is not None:
            judge.holds("draws", bool((values >= 0).all() and (values <= period).all()), "draws beyond the circle")
        judge.at_most(
            "draws", _distance(values, density.cumulative(values)), KS_BOUND, "distance of draws from P(X ≤ x)"
        )
        return
    if case.ends:
        return
    share = density.weights / density.weights.sum()
    mean = share @ (density.points - density.points[0]) + density.points[0]
    variance = share @ (density.points - mean) ** 2
    second = kde.second_moment(density.shape, len(kept)) * (share @ density.scales**2)
    variance = variance + second * (density.factor**2).sum(axis=1)
    z = (drawn[:, kept].mean(axis=0) - mean) / np.sqrt(variance / DRAWS)
    judge.at_most(
        "draws",
        float(np.abs(z).max()),
        8 + 64 * EPS * float(np.abs(mean / np.sqrt(variance)).max()),
        "standard errors of the mean of draws",
    )


def _kde_given(judge: Judge, case: Setup, model: Any, density: kde.Density, kept: np.ndarray) -> None:
    if case.d != 2 or len(kept) < 2 or case.ends.get("period"):
        raise NotApplicable("two columns, one given")
    case.tolerance(density)
    value = float(density.points[0, 0])
    drawn = np.asarray(engine.called(_core.density_draws, model, DRAWS, columns=[0], values=[value], seed=2))
    column = drawn[:, -1]
    if drawn.shape[1] == 2:
        judge.same("draws_given", drawn[:, 0], np.full(DRAWS, value), "the column that is given")
    reach = 12.0 if density.shape in kde.ENDLESS else 1.01
    width = float(np.linalg.norm(density.factor[1]) * density.scales.max()) * reach * (2 if reach > 2 else 1)
    low, up = density.points[:, 1].min() - width, density.points[:, 1].max() + width
    if density.lower[1] is not None:
        low = max(low, density.lower[1])
    if density.upper[1] is not None:
        up = min(up, density.upper[1])
    nodes = np.linspace(low, up, 1501)
    logs = density.log_density(np.column_stack([np.full(len(nodes), value), nodes]))
    if not np.isfinite(logs.max()):
        raise NotApplicable("windows that stand between the nodes of the integral")
    heights = np.exp(logs - logs.max())
    total = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])
    values = np.sort(column)
    coarse = float(np.diff(total).max() / total[-1])
    bound = KS_BOUND + 2 * coarse
    judge.at_most(
        "draws_given", _distance(values, np.interp(values, nodes, total / total[-1])), bound, "distance of draws"
    )


def _kde_integral(judge: Judge, case: Setup, model: Any, density: kde.Density, kept: np.ndarray) -> None:
    if case.d > 2 or len(kept) < case.d or float(case.settings.get("absolute_error", 0)):
        raise NotApplicable("too many columns for a grid")
    axes = []
    for j in range(case.d):
        reach = {"gaussian": 6.0, "exponential": 25.0}.get(density.shape, 1.0)
        width = float(np.linalg.norm(density.factor[j])) * float(density.scales.max()) * reach
        low, up = density.points[:, j].min() - width, density.points[:, j].max() + width
        if density.period[j] is not None:
            low, up = 0.0, float(density.period[j] or 0)
        low = low if density.lower[j] is None else float(density.lower[j] or 0)
        up = up if density.upper[j] is None else float(density.upper[j] or 0)
        count = 4000 if case.d == 1 else 100
        narrowest = float(np.linalg.svd(density.factor)[1][-1] * density.scales.min())
        if up - low > count * narrowest / (8 if case.d == 1 else 4):
            raise NotApplicable("windows that are too narrow for a grid")
        axes.append((low + (np.arange(count) + 0.5) * (up - low) / count, (up - low) / count))
    case.tolerance(density)
    grid = np.stack(np.meshgrid(*(axis for axis, _ in axes), indexing="ij"), axis=-1).reshape(-1, case.d)
    logs = engine.called(model.predict, engine.samples(grid), threads=1)[:, 0]
    total = float(np.exp(logs).sum() * np.prod([step for _, step in axes]))
    judge.close("integral", total, 1.0, 0.02 if case.d == 1 else 0.1, what="the integral of p")


def _kde_peer(judge: Judge, case: Setup, model: Any, density: kde.Density, kept: np.ndarray) -> None:
    """Ask scipy's and scikit-learn's densities, where they are the same estimate."""
    if case.ends or density.scales.std() or float(case.settings.get("absolute_error", 0)):
        raise NotApplicable("no peer")
    rows = case.queries
    found = engine.called(model.predict, engine.samples(rows), threads=1)[:, 0]
    x, w = density.points, density.weights
    if (
        case.settings["shape"] == "gaussian"
        and case.settings["bandwidth"] == "scott"
        and case.settings["form"] == "full"
    ):
        if not np.array_equal(w, np.ones(len(w))):
            raise NotApplicable("scipy takes weights as shares")
        try:
            expected = scipy.stats.gaussian_kde((x - x[0]).T).logpdf((rows[:, kept] - x[0]).T)
        except np.linalg.LinAlgError as error:
            raise NotApplicable(str(error)) from error
    else:
        names = {"boxcar": "tophat", "triangle": "linear", "cosine": "cosine", "gaussian": "gaussian"}
        names.update(epanechnikov="epanechnikov", exponential="exponential")
        if density.shape not in names or (density.shape == "cosine" and len(kept) % 2 == 0):
            raise NotApplicable("no such shape")
        from sklearn.neighbors import KernelDensity

        z = np.linalg.solve(density.factor, (x - x[0]).T).T
        peer = KernelDensity(kernel=names[density.shape]).fit(z, sample_weight=w)
        expected = peer.score_samples(np.linalg.solve(density.factor, (rows[:, kept] - x[0]).T).T)
        expected = expected - np.log(abs(np.linalg.det(density.factor)))
    clear = ~density.near_an_edge(rows[:, kept], 1e-6) & np.isfinite(found) & (expected > -500)
    judge.close("peer", found[clear], expected[clear], case.tolerance(density) + 1e-7, size=10, what="ln p of the peer")
