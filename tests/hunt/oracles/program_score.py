"""What score and report print, computed again from what predict writes."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import scipy.stats
import sklearn.metrics
from hypothesis import strategies as st

from hunt import engine
from hunt.oracles.program_fits import Task, draw_fit, has_classes, loaded, named
from hunt.program import Place, table_text
from hunt.subjects import models
from hunt.verdict import Judge, NotApplicable

Z = float(scipy.stats.norm.ppf(0.975))
UNKNOWN = "zz"
EXACT = 1e-9
# Losses that are no less than 0 whatever the rows; a density may be above 1, so that nlpd and msll may fall below.
NO_LESS_THAN_0 = ("mae", "log-loss", "pinball")


def draw_score(pick: Any) -> dict[str, Any]:
    """A fit, and what the rows that are scored are like."""
    facts = draw_fit(pick, tasks=("classification", "regression", "novelty"))
    facts["truth_seed"] = pick(st.integers(0, 99))
    facts["unknown"] = pick(st.sampled_from((0, 0, 0, 1, 2)))
    facts["wrong"] = pick(st.sampled_from((0.3, 0.0, 1.0)))
    return facts


class Scored:
    """Rows with truths, and what the program predicts of them."""

    def __init__(self, facts: dict[str, Any], place: Place) -> None:
        self.task = Task(facts)
        self.task.write(place)
        self.task.fit(place, "-q")
        self.model = loaded(place)
        self.rows = np.vstack([self.task.x, self.task.queries])
        self.truth = self._truths(facts)
        if self.task.y is None:
            place.write("test.csv", table_text(self.rows, {"kind": self.truth}))
            self.target = ["-t", "kind"]
        else:
            place.write("test.csv", table_text(self.rows, {"y": self.truth}))
            self.target = []
        self.place = place

    def _truths(self, facts: dict[str, Any]) -> list[Any]:
        random = np.random.default_rng(facts["truth_seed"])
        n = len(self.rows)
        told = engine.called(self.model.predict, named(self.rows), threads=1)[:, 0]
        if self.task.y is None:
            return [("good", "bad")[k] for k in (random.random(n) < 0.4).astype(int)]
        if not has_classes(self.task.model):
            spread = float(np.std(told[np.isfinite(told)])) or 1.0
            return (np.nan_to_num(told) + facts["wrong"] * spread * random.standard_normal(n)).tolist()
        classes = list(self.model.classes)
        labels = [classes[int(code)] if int(code) < len(classes) else classes[0] for code in told]
        labels = [str(random.choice(classes)) if random.random() < facts["wrong"] else label for label in labels]
        labels[: facts["unknown"]] = [UNKNOWN] * facts["unknown"]
        return labels

    def predict(self, *flags: str) -> tuple[list[str], list[list[str]]]:
        """The table of predictions."""
        return self.place.ask("predict", "m.mercer", "test.csv", *flags).table()

    def columns(self, prefix: str, *flags: str) -> np.ndarray:
        """Columns of the table of predictions by the beginning of their names."""
        names, rows = self.predict(*flags)
        chosen = [k for k, name in enumerate(names) if name.startswith(prefix)]
        return np.array([[float(row[k]) for k in chosen] for row in rows])


def judge_score(facts: dict[str, Any], judge: Judge) -> None:
    """Every metric, its interval and its baseline."""
    with Place() as place:
        scored = Scored(facts, place)
        run = place.run("score", "m.mercer", "test.csv", *scored.target, "--json")
        judge.holds("score_runs", run.code == 0, run.line())
        result = run.json()["scores"][0]
        scored.task.covers(judge)
        _judge_metrics(scored, result, judge)


def _judge_metrics(scored: Scored, result: dict[str, Any], judge: Judge) -> None:
    kind = models()[scored.task.model]["task"]
    metrics = result["metrics"]
    judge.covers(*(f"metric {name}" for name in metrics))
    if kind == "classification":
        _classes(scored, result, judge)
    elif kind == "regression":
        _numbers(scored, metrics, judge)
    else:
        _novelty(scored, result, judge)
    for name, metric in metrics.items():
        value, lower, upper = (metric[word] for word in ("value", "lower", "upper"))
        if value is None:
            judge.holds("interval", lower is None and upper is None, f"{name} has no value, but an interval: {metric}")
        elif lower is not None:
            slack = 1e-12 * max(abs(value), abs(lower), abs(upper), 1e-300)
            judge.holds("interval", lower <= value + slack and value <= upper + slack, f"{name}: {metric}")


def _value(judge: Judge, metrics: dict[str, Any], name: str, expected: float, part: str = "value") -> None:
    """One number of one metric; at least 1 in size where it is a share."""
    found = metrics[name][part]
    judge.holds(f"score_{name}", found is not None, f"{name} has no {part}; {expected:g} is expected")
    judge.close(f"score_{name}", found, expected, EXACT, size=1e-6, what=f"{part} of {name}")


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's interval of a share."""
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * np.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return middle - half, middle + half


def _share(judge: Judge, metrics: dict[str, Any], name: str, right: np.ndarray) -> None:
    """A share with Wilson's interval."""
    _value(judge, metrics, name, float(np.mean(right)))
    lower, upper = wilson(float(np.mean(right)), len(right))
    _value(judge, metrics, name, lower, "lower")
    _value(judge, metrics, name, upper, "upper")


# ---- Classes -------------------------------------------------------------------------------------------------------


def _classes(scored: Scored, result: dict[str, Any], judge: Judge) -> None:
    metrics = result["metrics"]
    classes = list(scored.model.classes)
    told = np.array([row[0] for row in scored.predict()[1]])
    truth = np.array(scored.truth)
    answered = told != "undecided"
    if "undecided" in metrics:
        _share(judge, metrics, "undecided", ~answered)
    else:
        judge.holds("score_undecided", bool(answered.all()), "undecided rows are not counted")
    if answered.any():
        right = told[answered] == truth[answered]
        _share(judge, metrics, "accuracy", right)
        shares = [np.mean(right[truth[answered] == label]) for label in sorted(set(truth[answered]))]
        _value(judge, metrics, "balanced accuracy", float(np.mean(shares)))
        if answered.all():
            counts = [int((truth == label).sum()) for label in classes]
            _value(judge, metrics, "accuracy", max(counts) / len(truth), "baseline")
            _value(judge, metrics, "balanced accuracy", 1 / len(set(truth)), "baseline")
    else:
        judge.holds("score_accuracy", metrics["accuracy"]["value"] is None, "an accuracy without answers")
    confusion = result["confusion"]
    known = [label for label in confusion["classes"] if label in classes]
    expected = [[int(((truth == row) & (told == column)).sum()) for column in known] for row in known]
    found = [line[: len(known)] for line in confusion["counts"][: len(known)]]
    judge.same("score_confusion", found, expected, "the confusion matrix")
    if UNKNOWN in truth:
        _unknown(scored, metrics, truth, judge)
        return
    _probabilities(scored, metrics, truth, judge)
    if "auc" in metrics and len(classes) == 2 and len(set(truth)) == 2:
        values = second_class(scored)
        _value(judge, metrics, "auc", float(sklearn.metrics.roc_auc_score(truth == classes[1], values)))


def second_class(scored: Scored) -> np.ndarray:
    """What orders rows of two classes: the probability of the second, or decision values."""
    if scored.model.has_probabilities:
        return scored.columns("P(", "--proba")[:, 1]
    if scored.model.decision_names:
        return scored.columns("f(", "--decision")[:, -1]
    raise NotApplicable("neither probabilities nor decision values")


def _unknown(scored: Scored, metrics: dict[str, Any], truth: np.ndarray, judge: Judge) -> None:
    """Rows of a class that the model does not know cost a constant answer as much as they cost the model."""
    if "log-loss" not in metrics:
        return
    classes = list(scored.model.classes)
    chances = scored.columns("P(", "--proba")
    known = [(row, classes.index(label)) for row, label in enumerate(truth) if label in classes]
    of_truth = np.array([chances[row, code] for row, code in known])
    if len(of_truth) and of_truth.min() > 1e-12:
        cost = metrics["log-loss"]["value"] + np.log(of_truth).sum() / len(truth)
        judge.at_most("score_unknown", 0.999 * cost, metrics["log-loss"]["baseline"], "the least that any answer costs")


def _probabilities(scored: Scored, metrics: dict[str, Any], truth: np.ndarray, judge: Judge) -> None:
    judge.holds("score_log-loss", ("log-loss" in metrics) == scored.model.has_probabilities, "log-loss is there or not")
    if not scored.model.has_probabilities:
        return
    classes = list(scored.model.classes)
    chances = scored.columns("P(", "--proba")
    codes = np.array([classes.index(label) for label in truth])
    of_truth = chances[np.arange(len(codes)), codes]
    hot = np.eye(len(classes))[codes]
    frequencies = hot.mean(axis=0)
    _value(judge, metrics, "brier", brier(chances, hot))
    _value(judge, metrics, "brier", brier(np.tile(frequencies, (len(hot), 1)), hot), "baseline")
    positive = frequencies[frequencies > 0]
    _value(judge, metrics, "log-loss", float(-(positive * np.log(positive)).sum()), "baseline")
    if of_truth.min() > 1e-12:
        _mean(judge, metrics, "log-loss", -np.log(of_truth))


def brier(chances: np.ndarray, hot: np.ndarray) -> float:
    """The squared distance of probabilities from the truth: of two classes that of the second alone."""
    squares = ((chances - hot) ** 2).sum(axis=1)
    return float(squares.mean() / (2 if hot.shape[1] == 2 else 1))


def _mean(judge: Judge, metrics: dict[str, Any], name: str, terms: np.ndarray) -> None:
    """A mean with a normal interval."""
    _value(judge, metrics, name, float(terms.mean()))
    half = Z * terms.std(ddof=1) / np.sqrt(len(terms))
    found = metrics[name]
    if found["lower"] is not None:
        size = float(np.abs(terms).max())
        judge.close(
            f"score_{name}", found["upper"] - found["value"], half, 1e-6, size=1e-6 * size, what="half interval"
        )
        lower = min(half, found["value"]) if name in NO_LESS_THAN_0 else half
        judge.close(
            f"score_{name}", found["value"] - found["lower"], lower, 1e-6, size=1e-6 * size, what="half interval"
        )


# ---- Numbers -------------------------------------------------------------------------------------------------------


def _numbers(scored: Scored, metrics: dict[str, Any], judge: Judge) -> None:
    y = np.array(scored.truth, dtype=float)
    told = np.array([[float(row[0])] for row in scored.predict()[1]])[:, 0]
    if not np.isfinite(told).all():
        raise NotApplicable("predictions that are not finite")
    e = y - told
    if np.abs(e).max() <= 1e-9 * np.abs(y).max():
        raise NotApplicable("errors are rounding")
    spread = ((y - y.mean()) ** 2).sum()
    _value(judge, metrics, "rmse", float(np.sqrt((e**2).mean())))
    _value(judge, metrics, "rmse", float(np.sqrt(spread / len(y))), "baseline")
    _mean(judge, metrics, "mae", np.abs(e))
    _value(judge, metrics, "mae", float(np.abs(y - np.median(y)).mean()), "baseline")
    if spread > 0:  # scikit-learn calls a constant that is met 1, the program has no value for it
        _value(judge, metrics, "r2", float(sklearn.metrics.r2_score(y, told)))
    relative = (e**2).std(ddof=1) / np.sqrt(len(e)) / (e**2).mean()  # of the logarithm of the mean square
    if metrics["rmse"]["lower"]:
        factor = np.log(metrics["rmse"]["upper"] / metrics["rmse"]["value"])
        judge.close("score_rmse", factor, Z * relative / 2, 1e-6, what="the logarithm of rmse's interval")
    judge.holds("score_nlpd", ("nlpd" in metrics) == scored.model.has_distribution, "nlpd is there or not")
    if not scored.model.has_distribution:
        return
    _value(judge, metrics, "smse", float((e**2).sum() / spread))
    _distribution(scored, metrics, y, judge)


def _distribution(scored: Scored, metrics: dict[str, Any], y: np.ndarray, judge: Judge) -> None:
    limits = {}
    for share in (50, 95):
        limits[share] = (
            scored.columns("lower(", "--interval", str(share / 100)),
            scored.columns("upper(", "--interval", str(share / 100)),
        )
        lower, upper = limits[share][0][:, 0], limits[share][1][:, 0]
        margin = np.minimum(np.abs(y - lower), np.abs(y - upper)) / np.maximum(upper - lower, 1e-300)
        if margin.min() > 1e-6:  # no target at a limit
            _share(judge, metrics, f"coverage {share} %", (lower <= y) & (y <= upper))
    _quantiles(scored, metrics, y, judge)
    table = scored.predict("--std")
    mean, deviation = np.array([[float(field) for field in row[:2]] for row in table[1]]).T
    normal = np.abs((limits[95][1][:, 0] - mean) - Z * deviation) <= 1e-9 * deviation
    base = scipy.stats.norm(y.mean(), y.std())
    if y.std() > 0:
        _value(judge, metrics, "nlpd", float(-base.logpdf(y).mean()), "baseline")
    if normal.all() and deviation.min() > 0:
        terms = -scipy.stats.norm.logpdf(y, mean, deviation)
        _mean(judge, metrics, "nlpd", terms)
        if y.std() > 0:
            _mean(judge, metrics, "msll", terms + base.logpdf(y))


def _quantiles(scored: Scored, metrics: dict[str, Any], y: np.ndarray, judge: Judge) -> None:
    """The pinball loss and shares of the levels that were fitted, or of usual ones."""
    text = scored.model.settings().get("quantiles", "0.05,0.25,0.5,0.75,0.95")
    levels = np.array([float(level) for level in text.split(",")])
    told = np.array([[float(field) for field in row[1:]] for row in scored.predict("--quantiles", text)[1]])
    residuals = y[:, None] - told
    _mean(judge, metrics, "pinball", np.where(residuals > 0, levels * residuals, (levels - 1) * residuals).mean(axis=1))
    best = np.quantile(y, levels, method="inverted_cdf")
    lost = y[:, None] - best
    _value(judge, metrics, "pinball", float(np.where(lost > 0, levels * lost, (levels - 1) * lost).mean()), "baseline")
    for number, level in enumerate(levels):
        name = f"below quantile {level:.12g}"
        fits = "quantiles" in scored.model.settings()
        judge.holds("score_below", (name in metrics) == fits, f"{name} is there or not")
        if name in metrics and np.abs(residuals[:, number]).min() > 1e-9 * np.abs(y).max():
            _share(judge, metrics, name, residuals[:, number] <= 0)


def _novelty(scored: Scored, result: dict[str, Any], judge: Judge) -> None:
    metrics = result["metrics"]
    inside = np.array([float(row[0]) for row in scored.predict()[1]])
    _share(judge, metrics, "fraction outside", inside < 0)
    if "auc" in metrics and len(set(scored.truth)) == 2:
        good = np.array(scored.truth) == result["target"].removeprefix("normal: ")
        values = scored.columns("decision", "--decision")[:, 0]
        _value(judge, metrics, "auc", float(sklearn.metrics.roc_auc_score(good, values)))


# ---- Report --------------------------------------------------------------------------------------------------------

PAGE = re.compile(rb'<script type="application/json" id="report-data">(.*?)</script>', re.DOTALL)
DIGITS = 2e-5  # six significant digits, and what is computed from them


def draw_report(pick: Any) -> dict[str, Any]:
    """As for score."""
    return draw_score(pick)


def judge_report(facts: dict[str, Any], judge: Judge) -> None:
    """The numbers of the page: those of score, and curves, Gram matrix and hashes computed again."""
    with Place() as place:
        scored = Scored(facts, place)
        flags = ("m.mercer", "test.csv", *scored.target)
        place.ask("report", *flags, "--train", "train.csv", "--no-learning", "-o", "page.html", "-q")
        found = PAGE.search(place.read("page.html"))
        judge.holds("report_page", found is not None, "the page has no data")
        assert found is not None
        page = json.loads(found.group(1))
        score = place.ask("score", *flags, "--json").json()["scores"][0]
        scored.task.covers(judge)
        listed = {metric["name"]: metric for metric in page["metrics"]}
        for name, metric in score["metrics"].items():
            for part in ("value", "lower", "upper", "baseline"):
                expected = np.nan if metric[part] is None else metric[part]
                told = np.nan if listed[name][part] is None else listed[name][part]
                judge.close("report_metrics", told, expected, DIGITS, size=1e-4, what=f"{part} of {name} in the page")
        judge.same("report_hash", page["data"]["hash"], fnv(place.read("test.csv")), "the hash of the data")
        _curves(scored, page, judge)
        _gram(scored, page, judge)


def fnv(content: bytes) -> str:
    """FNV-1a with 64 bits."""
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"fnv1a64:{value:016x}"


def _curves(scored: Scored, page: dict[str, Any], judge: Judge) -> None:
    """Areas under the curves of every class against the rest."""
    if "classification" not in page or UNKNOWN in scored.truth:
        return
    classes = list(scored.model.classes)
    truth = np.array(scored.truth)
    curves = {curve["class"]: curve for curve in page["classification"]["curves"]}
    for k, label in enumerate(classes):
        if label not in curves or not 0 < (truth == label).sum() < len(truth):
            continue
        if scored.model.has_probabilities:
            values = scored.columns("P(", "--proba")[:, k]
        elif len(classes) == 2 and k == 1 and scored.model.decision_names:
            values = scored.columns("f(", "--decision")[:, 0]
        else:
            continue
        area = float(sklearn.metrics.roc_auc_score(truth == label, values))
        judge.close("report_roc", curves[label]["roc"]["auc"], area, DIGITS, what=f"roc of {label}")
        average = float(sklearn.metrics.average_precision_score(truth == label, values))
        judge.close("report_pr", curves[label]["pr"]["average"], average, DIGITS, what=f"average precision of {label}")


def _gram(scored: Scored, page: dict[str, Any], judge: Judge) -> None:
    """The spectrum of the kernel matrix of the training rows as they were scaled, and its effective rank."""
    if "gram" not in page or "spectrum" not in page["gram"]:
        return
    x = scored.task.x
    deviation = x.std(axis=0)
    rows = (x - x.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    matrix = engine.gram(page["model"]["kernel"], rows)
    expected = np.sort(np.linalg.eigvalsh(matrix))[::-1]
    spectrum = np.array(page["gram"]["spectrum"], dtype=float)
    judge.close("report_spectrum", spectrum, expected[: len(spectrum)], DIGITS, what="the spectrum")
    if expected[0] <= 0:
        return
    shares = expected[expected > 0] / expected[expected > 0].sum()
    rank = float(np.exp(-(shares * np.log(shares)).sum()))
    judge.close("report_rank", page["gram"]["effective_rank"], rank, 1e-4, what="the effective rank")
