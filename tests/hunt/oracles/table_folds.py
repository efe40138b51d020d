"""Scores of tables by folds: finite, the same for any number of threads, and by leave-one-out those of fits by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles import table_design as design
from hunt.oracles.table_answers import Case
from hunt.program import Place
from hunt.table import Recipe, draw_table
from hunt.table_text import draw_dress, new_rows, target_flag, training
from hunt.verdict import Judge, NotApplicable

MODELS = {"numbers": ("ridge", "svr", "knnr", "gp"), "classes": ("svc", "lssvm", "klr", "knnc")}


def draw_folds(pick: Any) -> Recipe:
    """A table, a model and its folds."""
    facts = draw_table(pick, targets=("numbers", "words", "digits", "truth"))
    facts["rows"] = min(facts["rows"], 30)
    facts["dress"] = draw_dress(pick, facts)
    kind = "numbers" if facts["target"] == "numbers" else "classes"
    facts["model"] = pick(st.sampled_from(MODELS[kind]))
    facts["kernel"] = pick(st.sampled_from(("rbf(gamma=0.3)", "linear()", "laplacian(gamma=0.2)")))
    facts.update(scale="standard", missing=pick(st.sampled_from(("", "fill"))), without_target=True, used_alone=False)
    facts["folds"] = pick(st.sampled_from(("5", "2", "loo")))
    facts["seed_of_folds"] = pick(st.integers(0, 5))
    return facts


def judge_folds(facts: Recipe, judge: Judge) -> None:
    """Score twice with different numbers of threads; ridge by leave-one-out also by hand."""
    case = Case(facts)
    kernel = [] if facts["model"].startswith("knn") else ["-k", facts["kernel"]]
    rule = ["--missing", facts["missing"]] if facts["missing"] else []
    words = [*target_flag(case.table, case.dress), *case.dress.reading(), *kernel, *rule, "--folds", facts["folds"]]
    with Place() as place:
        place.write("t.csv", training(case.table, case.dress))
        runs = []
        for threads in (1, 3):
            more = ["--json", "--seed", facts["seed_of_folds"], "--threads", threads]
            run = place.run("score", facts["model"], "t.csv", *words, *more)
            judge.holds("folds_read", run.code == 0, f"a sound table is refused: {run.line()}")
            runs.append(run.json())
        for found in runs:
            found.pop("seconds"), found.pop("threads")
        judge.holds("folds_threads", runs[0] == runs[1], f"three threads say {runs[1]} for {runs[0]}")
    metrics = runs[0]["scores"][0]["metrics"] if "scores" in runs[0] else {}
    judge.holds("folds_finite", bool(metrics), f"no metrics in {list(runs[0])}")
    for name, metric in metrics.items():
        value = metric["value"]
        judge.holds("folds_finite", value is not None and bool(np.isfinite(value)), f"{name} is {value}")
    judge.holds("folds_rows", runs[0]["n"] == len(case.rows), f"{runs[0]['n']} rows for {len(case.rows)}")
    judge.covers(f"model {facts['model']}")
    if facts["model"] == "ridge" and facts["folds"] == "loo":
        error = left_out_error(case)
        judge.close("folds_by_hand", metrics["rmse"]["value"], error, 1e-7, what="the error of rows left out")


# ---- Files that are long, and scores of models ----------------------------------------------------------------------

BLOCK = 65536  # rows that are read and answered at once


def judge_blocks(case: Case, judge: Judge) -> None:
    """The same rows again have the same answers, in every block; what is said counts all of them."""
    table, times = case.table, BLOCK // case.table.new_rows + 2
    long = [replace(c, new_fields=c.new_fields * times) for c in table.columns]
    with Place() as place:
        place.write("t.csv", training(table, case.dress))
        place.write("new.csv", new_rows(table, case.dress))
        fit = place.run("fit", "ridge", "t.csv", *case.flags(), "-o", "m.mercer")
        judge.holds("table_read", fit.code == 0, f"a sound table is refused: {fit.line()}")
        short = place.must("predict", "m.mercer", "new.csv", *case.dress.reading())
        table.new_rows *= times
        place.write("long.csv", new_rows(table, case.dress, long))
        run = place.must("predict", "m.mercer", "long.csv", *case.dress.reading())
    once, all_of = ([float(row[0] or "nan") for row in one.table()[1]] for one in (short, run))
    judge.close("table_blocks", all_of, once * times, 1e-12, what="answers to rows that come again")
    counts = [
        [int(word) for word in re.findall(r"(?<= )\d+(?=,|$| row)", one.err, re.MULTILINE)] for one in (short, run)
    ]
    told = [count * times for count in counts[0]]
    judge.holds("table_blocks_told", counts[1] == told, f"{run.err!r} of {times} times what had {short.err!r}")


def draw_scored(pick: Any) -> Recipe:
    """A table for a model and its score on the rows that it has seen."""
    facts = draw_table(pick)
    facts["dress"] = draw_dress(pick, facts)
    facts["kernel"] = pick(st.sampled_from(design.KERNELS))
    facts["long"] = pick(st.integers(0, 9)) == 9
    facts["missing"] = pick(st.sampled_from(("", "drop" if facts["long"] else "fill")))
    facts.update(scale="standard", without_target=True, used_alone=False)
    return facts


def judge_scored(facts: Recipe, judge: Judge) -> None:
    """The error is that of what is predicted, over the rows that have a target; files may be long."""
    case = Case(facts)
    if facts["long"]:
        judge_blocks(case, judge)
        return
    with Place() as place:
        place.write("t.csv", training(case.table, case.dress))
        fit = place.run("fit", "ridge", "t.csv", *case.flags(), "-o", "m.mercer")
        judge.holds("table_read", fit.code == 0, f"a sound table is refused: {fit.line()}")
        answers = place.must("predict", "m.mercer", "t.csv", *case.dress.reading()).numbers()[:, 0]
        judge.holds("table_rows", len(answers) == facts["rows"], f"{len(answers)} answers for {facts['rows']} rows")
        found = place.must("score", "m.mercer", "t.csv", *case.dress.reading(), "--json").json()
    error = float(np.sqrt(np.mean((answers[case.rows] - case.y) ** 2)))
    value = found["scores"][0]["metrics"]["rmse"]["value"]
    judge.close("table_scored", value, error, 1e-9, size=float(np.abs(case.y).max()), what="the error")
    judge.holds("table_scored", found["n"] == len(case.rows), f"{found['n']} rows for {len(case.rows)}")


def left_out_error(case: Case) -> float:
    """Every row predicted by the others, whose coding and scaling it has no part in."""
    n = len(case.rows)
    errors = np.zeros(n)
    for i in range(n):
        rest = [k for k in range(n) if k != i]
        used = [column.chosen(rest) for column in case.used]
        if any(len(set(column.values)) < 2 for column in used):
            raise NotApplicable("a column that is constant without one row")
        coding = design.Design(used, missing=case.rule, scale=case.scale)
        x = coding.matrix(design.learnt(used))
        z = coding.matrix({column.name: [column.values[i]] for column in case.used})
        k = design.on_matrix(case.facts["kernel"], x, x, x)
        errors[i] = case.y[i] - design.ridge(k, case.y[rest], design.on_matrix(case.facts["kernel"], z, x, x))[0]
    return float(np.sqrt(np.mean(errors**2)))
