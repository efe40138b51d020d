"""The search of tune: every score refitted by hand on folds that are known, the choice, the log, the resumption."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import sklearn.metrics
from hypothesis import strategies as st

from hunt import engine
from hunt.coverage import names_of
from hunt.oracles.program_fits import Task, draw_fit, has_classes
from hunt.program import Place, table_text
from hunt.subjects import NOT_DRAWN, draw_kernel, draw_value, models, options_of
from hunt.verdict import Judge, NotApplicable

FOLDS = ("loo", "time", "groups")
METRICS = {
    "classification": ("accuracy", "balanced-accuracy", "f1", "auc", "log-loss", "brier"),
    "regression": ("rmse", "mae", "r2", "nlpd"),
}
# Options with default ranges, which are searched where they are not set.
SEARCHED = {"C": "1", "lambda": "0.5", "nu": "0.3", "epsilon": "0.1", "neighbors": "2", "medoids": "2", "span": "0.8"}
CLOSE = 1e-4  # points of a path start from one another's solutions


def draw_tune(pick: Any) -> dict[str, Any]:
    """A model, an option with two or three values, folds that need no random numbers, and a metric."""
    facts = draw_fit(pick, tasks=("classification", "regression"), fewest=6, most=12, kernel=False, options=1)
    if models()[facts["model"]]["default_kernel"]:
        facts["kernel"] = draw_kernel(pick, width=1.0)  # its widths are numbers, and not searched
    table = options_of(facts["model"])
    names = [name for name in table if name not in NOT_DRAWN and table[name]["type"] != "text"]
    name = pick(st.sampled_from(names)) if names else "none"
    facts["option"] = name
    facts["values"] = sorted({draw_value(pick, table[name]) for _ in range(3)}) if names else []
    facts["settings"].pop(name, None)
    for searched, value in SEARCHED.items():
        if searched in table and searched != name and not (searched == "lambda" and "mean_lambda" in facts["settings"]):
            facts["settings"].setdefault(searched, value)
    if "tolerance" in table:
        facts["settings"]["tolerance"] = "1e-8"
    facts["folds"] = pick(st.sampled_from(FOLDS))
    facts["rows"] -= facts["rows"] % 3
    facts["metric"] = pick(st.sampled_from(METRICS[models()[facts["model"]]["task"]]))
    facts["threads"] = pick(st.sampled_from((1, 2)))
    facts["cut"] = pick(st.integers(1, 5))
    return facts


class Search:
    """A search of the program and what it left."""

    def __init__(self, task: Task, facts: dict[str, Any], place: Place) -> None:
        self.task, self.facts, self.place = task, facts, place
        self.groups = np.arange(len(task.x)) * 3 // len(task.x)
        groups = {"g": [f"g{k}" for k in self.groups]} if facts["folds"] == "groups" else {}
        place.write("train.csv", table_text(task.x, {**task.targets(), **groups}))

    def flags(self) -> list[str]:
        """The search, without its outputs."""
        folds = {
            "loo": ["--folds", "loo"],
            "time": ["--time-order", "--folds", "2"],
            "groups": ["--groups", "g", "--folds", "3"],
        }[self.facts["folds"]]
        values = "|".join(self.facts["values"])
        return [
            "tune",
            *self.task.flags(),
            "-s",
            f"{self.facts['option']}={values}",
            *folds,
            "--scale",
            "none",
            "--metric",
            self.facts["metric"],
            "--search",
            "grid",
            "-q",
        ]

    def folds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and validation rows, as docs/tune.md says."""
        n = len(self.task.x)
        rows = np.arange(n)
        if self.facts["folds"] == "loo":
            return [(np.delete(rows, i), rows[i : i + 1]) for i in rows]
        if self.facts["folds"] == "time":  # K + 1 blocks, each predicted from all blocks before it
            return [(rows[self.groups < k], rows[self.groups == k]) for k in (1, 2)]
        return [(rows[self.groups != k], rows[self.groups == k]) for k in range(3)]


def judge_tune(facts: dict[str, Any], judge: Judge) -> None:
    """The choice, the log of other threads and of a resumed search, and the scores of the folds."""
    if len(facts["values"]) < 2:
        raise NotApplicable("nothing to search")
    task = Task(facts)
    with Place() as place:
        search = Search(task, facts, place)
        result = place.ask(*search.flags(), "-o", "m.mercer", "--log", "a.jsonl", "--threads", "1", "--json").json()
        if [axis["name"] for axis in result["axes"]] != [facts["option"]]:
            raise NotApplicable("more than one range is searched")
        _choice(result, judge)
        _resumed(search, judge)
        _scores(search, result, judge)


def _choice(result: dict[str, Any], judge: Judge) -> None:
    """The best point has the best mean; means and errors are those of its folds."""
    sign = 1 if result["better"] == "higher" else -1
    means = np.array([np.nan if point["mean"] is None else sign * point["mean"] for point in result["points"]])
    best = means[result["best"]]
    judge.holds("tune_best", bool(best >= np.nanmax(means) - 1e-12 * abs(best)), f"{best} is not the best of {means}")
    loo = result["folds"]["kind"] == "leave-one-out" and result["metric"] in ("rmse", "balanced-accuracy")
    for point in result["points"]:
        scores = np.array([np.nan if score is None else score for score in point["scores"]])
        if loo or point["mean"] is None or np.isnan(scores).all():
            continue
        judge.close("tune_mean", point["mean"], np.nanmean(scores), 1e-9, size=1e-9, what="the mean over folds")
        kept = scores[~np.isnan(scores)]
        if len(kept) > 1:
            error = kept.std(ddof=1) / np.sqrt(len(kept))
            judge.close(
                "tune_error", point["error"], error, 1e-6, size=1e-6 * np.abs(kept).max(), what="standard error"
            )


def _resumed(search: Search, judge: Judge) -> None:
    """A log that was cut goes on to the same log and the same model, with any number of threads."""
    place = search.place
    whole = place.read("a.jsonl")
    lines = whole.splitlines(keepends=True)
    cut = min(search.facts["cut"], len(lines) - 1)
    place.write("b.jsonl", b"".join(lines[:cut]))
    run = place.run(*search.flags(), "-o", "n.mercer", "--log", "b.jsonl", "--threads", search.facts["threads"])
    judge.holds("tune_resumed", run.code == 0, f"after {cut} lines of the log: {run.line()}")
    judge.same("tune_resumed", place.read("n.mercer"), place.read("m.mercer"), "the model of the resumed search")
    judge.same("tune_resumed", _untimed(place.read("b.jsonl")), _untimed(whole), "the log of the resumed search")


def _untimed(log: bytes) -> str:
    lines = [json.loads(line) for line in log.splitlines()]
    for line in lines:
        line.pop("seconds", None)
    return "\n".join(sorted(json.dumps(line, sort_keys=True) for line in lines))


# ---- Refits --------------------------------------------------------------------------------------------------------


def _scores(search: Search, result: dict[str, Any], judge: Judge) -> None:
    """Every point on every fold, fitted by hand."""
    metric = search.facts["metric"]
    if not np.ptp(search.task.x, axis=0).all():
        raise NotApplicable("tables leave constant columns out, arrays do not")
    for point in result["points"]:
        settings = {**search.task.settings, search.facts["option"]: _text(point["parameters"][search.facts["option"]])}
        if metric in ("log-loss", "brier") and "probability" in options_of(search.task.model):
            settings.setdefault("probability", "yes")
        folds = search.folds()
        found = [np.nan if score is None else score for score in point["scores"]]
        judge.holds("tune_folds", len(found) == len(folds), f"{len(found)} scores of {len(folds)} folds")
        expected = [_score(search.task, settings, metric, *fold) for fold in folds]
        if any(score is None for score in expected):
            continue
        if search.facts["folds"] == "groups":
            order = _matched(np.array(found), np.array(expected))
            expected = [expected[k] for k in order]
        size = float(np.nanmax(np.abs(expected))) if not np.isnan(expected).all() else 0.0
        judge.close("tune_scores", found, expected, CLOSE, size=size, what=f"scores of {point['parameters']}")
        search.task.covers(judge)
        judge.covers(*names_of(search.task.model, settings), f"metric {metric}")


def _matched(found: np.ndarray, expected: np.ndarray) -> list[int]:
    """Folds of groups come in any order."""
    return [int(k) for k in np.argsort(expected)[np.argsort(np.argsort(found))]]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.17g}"


def _score(task: Task, settings: dict[str, str], metric: str, train: np.ndarray, test: np.ndarray) -> float | None:
    """The metric of one fold: nan where it has none, None where it cannot be known here."""
    assert task.y is not None
    y = task.y
    names = None
    if has_classes(task.model):
        if len(set(y[train])) < 2:
            return float("nan")
        if len(set(y[train])) < len(task.classes):
            return None  # classes that training rows do not have: what the model calls them is its own business
        names = task.classes
    model, other = (
        engine.fit(task.model, task.kernel, settings, task.x[train], y[train], names=names, seed=seed)
        for seed in (0, 1)
    )
    if model.to_bytes() != other.to_bytes():
        return None  # the fit is random
    rows = engine.samples(task.x[test])
    told = engine.called(model.predict, rows)[:, 0]
    if names is None:
        return _regression(model, rows, metric, y[test], told)
    return _classification(model, rows, metric, y[test], told)


def _regression(model: Any, rows: Any, metric: str, y: np.ndarray, told: np.ndarray) -> float | None:
    e = y - told
    if not np.isfinite(e).all():
        return None
    if metric == "rmse":
        return float(np.sqrt((e**2).mean()))
    if metric == "mae":
        return float(np.abs(e).mean())
    if metric == "r2":
        spread = ((y - y.mean()) ** 2).sum()
        return float(1 - (e**2).sum() / spread) if spread > 1e-9 * (y**2).sum() else None
    return None  # nlpd is judged in score


def _classification(model: Any, rows: Any, metric: str, y: np.ndarray, told: np.ndarray) -> float | None:
    if model.decision_names:
        values = engine.called(model.decide, rows)
        if np.abs(values).min() < 1e-4 * max(1e-9, np.abs(values).max()):
            return None  # too near to call
    if (told >= len(model.classes)).any():
        return None
    if metric == "accuracy":
        return float(np.mean(told == y))
    if metric == "balanced-accuracy":
        return float(np.mean([np.mean(told[y == label] == label) for label in set(y)]))
    if metric == "f1":
        if len(model.classes) > 2:
            return float(sklearn.metrics.f1_score(y, told, average="macro"))
        if 1 not in set(y) | set(told):
            return None
        # Of the second class alone: rows that are left undecided are of neither.
        return float(sklearn.metrics.f1_score(y, told, labels=[1], average="macro"))
    if metric in ("log-loss", "brier"):
        if not model.has_probabilities:
            return None  # switched off by name: whether tune overrules that is not documented
        chances = engine.called(model.probabilities, rows)
        of_truth = chances[np.arange(len(y)), y]
        if metric == "log-loss":
            return float(-np.log(of_truth).mean()) if of_truth.min() > 1e-12 else None
        hot = np.eye(chances.shape[1])[y]
        return float(((chances - hot) ** 2).sum(axis=1).mean() / (2 if chances.shape[1] == 2 else 1))
    if len(model.classes) != 2:
        return None
    if len(set(y)) < 2:
        return float("nan")
    order = engine.called(model.probabilities, rows)[:, 1] if model.has_probabilities else None
    if order is None:
        order = engine.called(model.decide, rows)[:, 0]
    gaps = np.diff(np.sort(order))
    if len(gaps) and gaps.min() < 1e-6 * max(np.abs(order).max(), 1e-12):
        return None  # ties to rounding
    return float(sklearn.metrics.roc_auc_score(y, order))
