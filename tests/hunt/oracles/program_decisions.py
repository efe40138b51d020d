"""Decisions between classes: the program against brute force from what it says of the rows itself."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import strategies as st

import mercer
from hunt.oracles.program_fits import Task, draw_fit, loaded
from hunt.program import Place, table_text
from hunt.verdict import Judge, NotApplicable
from mercer import _core

EXACT = 1e-9
PRICES = (0.0, 0.5, 1.0, 3.0, 20.0)


def draw_decisions(pick: Any) -> dict[str, Any]:
    """A classifier, what mistakes cost, and how frequent the classes are."""
    facts = draw_fit(pick, tasks=("classification",), fewest=8, most=20)
    facts["prices"] = [pick(st.sampled_from(PRICES)) for _ in range(9)]
    facts["priors"] = pick(st.sampled_from((None, None, "equal", "skewed")))
    facts["probability"] = pick(st.booleans())
    facts["target"] = pick(st.sampled_from((0.0, 0.05, 0.2, 0.5)))
    return facts


def judge_decisions(facts: dict[str, Any], judge: Judge) -> None:
    """A model with probabilities decides by the least expected cost; errors by shares declined are what answers say."""
    task = Task(facts)
    if facts["probability"] and any(line == "probability" for line in _options(task.model)):
        task.settings = {**task.settings, "probability": "yes"}
        for name in ("threshold", "decoding"):
            task.settings.pop(name, None)
    with Place() as place:
        task.write(place)
        task.fit(place, "-q")
        model = loaded(place)
        classes = list(model.classes)
        costs = _costs(facts, len(classes))
        if not costs.any():
            raise NotApplicable("no mistake costs anything")
        task.covers(judge)
        place.write("costs.csv", _table(classes, costs))
        _judge_curve(place, task, facts["target"], judge)
        if not model.has_probabilities:
            _judge_refusal(place, model, costs, judge)
            return
        _judge_costs(place, model, costs, _priors(facts, classes), judge)


def _options(model: str) -> list[str]:
    return [line["name"] for entry in _core.model_registry() if entry["name"] == model for line in entry["options"]]


def _costs(facts: dict[str, Any], count: int) -> np.ndarray:
    costs = np.array(facts["prices"][: count * count]).reshape(count, count)
    np.fill_diagonal(costs, 0.0)
    return costs


def _table(classes: list[str], costs: np.ndarray) -> str:
    """Lines and columns in another order than the classes."""

    def field(text: str) -> str:
        return f'"{text}"' if "," in text else text

    order = list(range(len(classes)))[::-1]
    lines = [",".join(["true", *(field(classes[k]) for k in order)])]
    lines += [",".join([field(classes[j]), *(repr(float(costs[j, k])) for k in order)]) for j in range(len(classes))]
    return "\n".join(lines) + "\n"


def _priors(facts: dict[str, Any], classes: list[str]) -> tuple[str, np.ndarray | None]:
    if facts["priors"] is None:
        return "", None
    if facts["priors"] == "equal":
        return "equal", np.full(len(classes), 1 / len(classes))
    shares = np.arange(1.0, len(classes) + 1)
    shares /= shares.sum()
    return ",".join(f"{name}={float(share)!r}" for name, share in zip(classes, shares, strict=True)), shares


def _judge_costs(
    place: Place, model: Any, costs: np.ndarray, priors: tuple[str, np.ndarray | None], judge: Judge
) -> None:
    flags = ["--costs", "costs.csv"]
    weights = np.ones(len(costs))
    if priors[1] is not None:
        shares = np.array(_core.class_shares(model))
        if len(shares) != len(costs):
            raise NotApplicable("labels that say how sure they are")
        flags += ["--priors", priors[0]]
        weights = priors[1] / shares
    run = place.ask("predict", "m.mercer", "new.csv", "--proba", *flags)
    plain = place.ask("predict", "m.mercer", "new.csv", "--proba").numbers("P(")
    judge.same("decision_probabilities", run.numbers("P("), plain, "costs change no probability")
    posterior = plain * weights
    totals = posterior.sum(axis=1, keepdims=True)
    if not (totals > 0).all():
        raise NotApplicable("no probability is left")
    expected = posterior / totals @ costs
    answers = [row[0] for row in run.table()[1]]
    mistakes = costs[~np.eye(len(costs), dtype=bool)]
    if priors[1] is None and (mistakes == mistakes[0]).all():
        # A model's own answers, which need not be the most probable class (votes, the mean of a committee).
        own = place.ask("predict", "m.mercer", "new.csv", "--proba").table()[1]
        judge.same("plain_costs", answers, [row[0] for row in own], "answers at costs that are alike")
        return
    for i, answer in enumerate(answers):
        if answer == "undecided":
            continue
        slack = EXACT * float(expected[i].max())
        told = float(expected[i, list(model.classes).index(answer)])
        judge.holds(
            "least_cost", told <= float(expected[i].min()) + slack, f"row {i}: {answer} costs {told}, of {expected[i]}"
        )


def _judge_refusal(place: Place, model: Any, costs: np.ndarray, judge: Judge) -> None:
    """Without probabilities there is no expected cost, unless every mistake costs the same."""
    mistakes = costs[~np.eye(len(costs), dtype=bool)]
    run = place.run("predict", "m.mercer", "new.csv", "--costs", "costs.csv")
    alike = bool((mistakes == mistakes[0]).all())
    judge.holds("decision_refusal", (run.code == 0) == alike, run.line())
    if alike:
        judge.same("plain_costs", run.out, place.ask("predict", "m.mercer", "new.csv").out, "plain costs")


def _judge_curve(place: Place, task: Task, target: float, judge: Judge) -> None:
    """The curve is one of shares and errors, and the least share is that of brute force."""
    place.write("test.csv", table_text(task.x, {"y": task.labels}))
    run = place.run("score", "m.mercer", "test.csv", "--punt-error", str(target), "--json")
    if run.code == 2 and "neither probabilities nor decision values" in run.err:
        raise NotApplicable("nothing says how sure the model is")
    judge.holds("punt_runs", run.code == 0, run.line())
    found = json.loads(run.out)["scores"][0]["error_reject"]
    answers = [row[0] for row in place.ask("predict", "m.mercer", "test.csv").table()[1]]
    wrong = np.array([a != b for a, b in zip(answers, task.labels, strict=True)])
    rejected, error = np.array(found["rejected"]), np.array(found["error"])
    judge.close("punt_start", error[0], wrong.mean(), EXACT, size=1.0, what="error with nothing declined")
    judge.holds("punt_order", bool((np.diff(rejected) > 0).all() and rejected[0] == 0), f"{rejected}")
    kept = np.round((1 - rejected) * len(wrong))
    judge.close("punt_counts", error * kept, np.round(error * kept), 1e-6, size=1.0, what="errors are whole numbers")
    enough = rejected[error <= target]
    least = float(enough[0]) if len(enough) else 1.0
    judge.close("punt_share", found["punt"]["rejected"], least, EXACT, size=1.0, what="the least share")
    curve = mercer.ErrorRejectCurve(rejected, error, np.zeros(len(error)))
    judge.close("punt_python", curve.punt_error(target).rejected, least, EXACT, size=1.0, what="the same in Python")
