"""Time series: --embed is a table that was embedded by hand, to the last bit, and a forecast is its loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.program import Place, number, quoted
from hunt.subjects import draw_options, models
from hunt.verdict import Judge, NotApplicable

STEPS = 3


def draw_series(pick: Any) -> dict[str, Any]:
    """A model of numbers, a series with gaps, its delays, and a column beside it."""
    regressions = sorted(name for name, entry in models().items() if entry["task"] == "regression")
    facts: dict[str, Any] = {"model": pick(st.sampled_from(regressions))}
    facts["settings"] = draw_options(pick, facts["model"], most=2)
    facts["lags"], facts["delay"] = pick(st.integers(1, 4)), pick(st.integers(1, 3))
    facts["rows"] = facts["lags"] * facts["delay"] + pick(st.integers(1, 24))
    facts["kind"] = pick(st.sampled_from(("wave", "noise", "constant", "trend")))
    facts["seed"] = pick(st.integers(0, 999))
    facts["gaps"] = pick(st.sampled_from((0, 0, 1, 2)))
    facts["beside"] = pick(st.booleans())
    facts["header"] = pick(st.booleans())
    facts["missing"] = pick(st.sampled_from(("", "drop", "fill")))
    return facts


class Series:
    """The series, what stands beside it, and the rows that are complete."""

    def __init__(self, facts: dict[str, Any]) -> None:
        random = np.random.default_rng(facts["seed"])
        n = facts["rows"]
        t = np.arange(n)
        shapes = {
            "wave": np.sin(0.7 * t),
            "noise": random.standard_normal(n),
            "constant": np.full(n, 2.5),
            "trend": 0.1 * t,
        }
        self.z = np.round(shapes[facts["kind"]] + (facts["kind"] == "wave") * 0.1 * random.standard_normal(n), 6)
        self.u = np.round(random.standard_normal(n + STEPS), 6)
        self.z[random.integers(0, n, facts["gaps"])] = np.nan
        self.header, self.beside = facts["header"], facts["beside"]
        self.back = [k * facts["delay"] for k in range(1, facts["lags"] + 1)]
        self.times = [t for t in range(self.back[-1], n) if np.isfinite(self.past(self.z, t)).all()]
        self.fitted = [t for t in self.times if np.isfinite(self.z[t])]

    def past(self, z: Any, t: int) -> np.ndarray:
        """The lags of a row."""
        return np.array([z[t - k] for k in self.back])

    def text(self, future: int = 0) -> str:
        """The file of the series, with rows of the future that hold what stands beside it."""
        names = ["y", "u"][: 1 + self.beside]
        lines = [",".join(names)] if self.header else []
        for t in range(len(self.z) + future):
            value = self.z[t] if t < len(self.z) else np.nan
            fields = ["" if np.isnan(value) else number(value), number(self.u[t])]
            lines.append(",".join(fields[: 1 + self.beside]) or '""')  # an empty line is no row
        return "\n".join(lines) + "\n"

    def rows(self, z: Any, times: list[int]) -> str:
        """The same by hand: the lags, what stands beside them, the value."""
        names = [f"y(t-{k})" for k in self.back] + ["u"] * self.beside + ["y"]
        lines = [",".join(quoted(name) for name in names)]
        for t in times:
            fields = [*self.past(z, t), *([self.u[t]] if self.beside else []), z[t] if t < len(z) else np.nan]
            lines.append(",".join("" if np.isnan(field) else number(field) for field in fields))
        return "\n".join(lines) + "\n"


def judge_series(facts: dict[str, Any], judge: Judge) -> None:
    """A fit, answers, scores and forecasts against those of rows that were embedded here."""
    series = Series(facts)
    if not facts["header"] and (facts["gaps"] or not facts["beside"]):
        raise NotApplicable("empty lines, or a first line that looks like names")
    flags = [flag for name, value in sorted(facts["settings"].items()) for flag in ("-s", f"{name}={value}")]
    if facts["missing"]:
        flags += ["--missing", facts["missing"]]
    target = "y" if facts["header"] else "0"
    embed = ["--embed", f"{facts['lags']},{facts['delay']}"]
    with Place() as place:
        place.write("series.csv", series.text())
        place.write("longer.csv", series.text(STEPS))
        run = place.run("fit", facts["model"], "series.csv", "-t", target, *embed, *flags, "-o", "s.mercer", "-q")
        if not series.fitted:
            judge.holds("refused", run.code == 3, f"no row has all of its past, and the code is {run.code}")
            return
        place.write("rows.csv", series.rows(series.z, series.fitted))
        hand = place.run("fit", facts["model"], "rows.csv", "-t", "y", *flags, "-o", "h.mercer", "-q")
        judge.holds("refused", run.code == hand.code, f"{run.line()}; by hand {hand.line()}")
        if run.code != 0:
            raise NotApplicable(run.line())
        # As many rows at once, for the blocks of a product are added in their own order.
        kept = series.times
        place.write("all.csv", series.rows(series.z, kept))
        answers = place.must("predict", "s.mercer", "series.csv", "-q").table()[1]
        wanted = place.must("predict", "h.mercer", "all.csv", "-q").table()[1]
        told = {t: row[0] for t, row in enumerate(answers) if row and row[0]}
        judge.holds("rows", len(answers) == len(series.z), f"{len(answers)} answers for {len(series.z)} rows")
        expected = {t: row[0] for t, row in zip(kept, wanted, strict=True)}
        judge.holds("embedded", told == expected, f"answers {told} for {expected}")
        scores = [
            place.must("score", model, file, "--json").json()["scores"]
            for model, file in (("s.mercer", "series.csv"), ("h.mercer", "rows.csv"))
        ]
        judge.holds("scores", scores[0][0]["metrics"] == scores[1][0]["metrics"], f"{scores[0]} for {scores[1]}")
        _judge_forecast(facts, series, place, judge)
    judge.covers(facts["model"])


def _judge_forecast(facts: dict[str, Any], series: Series, place: Place, judge: Judge) -> None:
    """Each answer is that for the row of the answers before it."""
    last = max(t for t, value in enumerate(series.z) if np.isfinite(value))
    known = series.z[: last + 1]
    file = "longer.csv" if series.beside else "series.csv"
    run = place.run("predict", "s.mercer", file, "--forecast", str(STEPS), "-q")
    if series.beside and facts["missing"] == "drop":
        return  # rows of the future lack their value
    z = list(known)
    reached = [t - k for t in range(len(known), len(known) + STEPS) for k in series.back]
    if any(t < len(known) and np.isnan(known[t]) for t in reached):
        judge.holds(
            "refused", run.code == 3, f"a value of the past is missing, and the code is {run.code}: {run.line()}"
        )
        return
    if run.code != 0 and "not finite" in run.err:
        raise NotApplicable(run.line())
    judge.holds("forecast", run.code == 0, run.line())
    found = [float(row[0]) for row in run.table()[1]]
    for value in found:
        place.write("next.csv", series.rows(z, [len(z)]))
        wanted = float(place.must("predict", "h.mercer", "next.csv", "-q").table()[1][0][0])
        judge.close(
            "forecast", value, wanted, 1e-12, size=float(np.abs(known[np.isfinite(known)]).max()), what="a step"
        )
        z.append(value)
