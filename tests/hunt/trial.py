"""One trial after another: a case is drawn, judged, and shrunk where something is found."""

from __future__ import annotations

import signal
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import hypothesis.internal.conjecture.engine
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from hunt.areas import area
from hunt.exemptions import exemption_for
from hunt.store import Case
from hunt.verdict import Finding, Judge, NotApplicable

# Enough to make a case readable; the rest of the time is for other cases.
hypothesis.internal.conjecture.engine.MAX_SHRINKS = 60
hypothesis.internal.conjecture.engine.MAX_SHRINKING_SECONDS = 30

CASES_OF_A_UNIT = 8
# Of tiny data: nothing may take so long. Of the processor, as a hunt at low priority may get a tenth of it; and by the
# clock, for what waits for ever.
SECONDS_OF_A_CASE = 60
SECONDS_BY_THE_CLOCK = 600


class EndlessError(Exception):
    """A case that takes too long."""


def _end(number: int, _: Any) -> None:
    by_clock = number == signal.SIGALRM
    seconds = f"{SECONDS_BY_THE_CLOCK} s" if by_clock else f"{SECONDS_OF_A_CASE} s of the processor"
    raise EndlessError(f"not done after {seconds}")


@dataclass
class Verdict:
    """What was said of one case."""

    judge: Judge
    finding: Finding | None = None
    refused: str | None = None
    exempt: str | None = None


def judge_case(case: Case) -> Verdict:
    """Run a case and let the oracles of its area judge it."""
    judge = Judge()
    verdict = Verdict(judge)
    signal.signal(signal.SIGALRM, _end)
    signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_BY_THE_CLOCK)
    signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_A_CASE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            area(case.area).judge(case.subject, case.facts, judge)
    except EndlessError as reason:
        _say(verdict, case, Finding("time", str(reason)))
    except NotApplicable as reason:
        verdict.refused = str(reason)
    except Finding as finding:
        _say(verdict, case, finding)
    except Exception as error:  # whatever escapes is what is looked for
        place = traceback.format_exc(limit=-3)
        verdict.finding = Finding("errors", f"{type(error).__name__}: {error}\n{place}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
    return verdict


def _say(verdict: Verdict, case: Case, finding: Finding) -> None:
    exemption = exemption_for(finding.oracle, case.subject, case.facts)
    if exemption is None:
        verdict.finding = finding
    else:
        verdict.exempt = exemption.reason


@dataclass
class Result:
    """What a unit of trials came to."""

    cases: int = 0
    refused: int = 0
    comparisons: Counter[str] = field(default_factory=Counter)
    exempt: Counter[str] = field(default_factory=Counter)
    covered: set[str] = field(default_factory=set)
    found: list[tuple[Case, str, str]] = field(default_factory=list)  # case, oracle, message

    def add(self, verdict: Verdict) -> None:
        """Count one case."""
        self.cases += 1
        self.comparisons.update(verdict.judge.comparisons)
        if verdict.refused is not None:
            self.refused += 1
        if verdict.judge.comparisons:
            self.covered.update(verdict.judge.covered)
        if verdict.exempt is not None:
            self.exempt[verdict.exempt] += 1


def unit_seed(start: int, area_name: str, subject: str, number: int) -> int:
    """The same for the same unit, whoever runs it."""
    return zlib.crc32(f"{start}/{area_name}/{subject}/{number}".encode())


def run_unit(
    start: int,
    area_name: str,
    subject: str,
    number: int,
    known: set[tuple[str, ...]],
    about_to: Callable[[Case], None] = lambda case: None,
) -> Result:
    """Judge a few cases; what is found first, and is not ``known``, is shrunk.

    ``about_to`` is told of every case before it is run: if the process does not survive it, that was the one.
    """
    result = Result()
    smallest: dict[str, Any] = {}

    @seed(unit_seed(start, area_name, subject, number))
    @settings(
        max_examples=CASES_OF_A_UNIT,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def trial(data: Any) -> None:
        case = Case(area_name, subject, area(area_name).draw(data.draw, subject))
        about_to(case)
        verdict = judge_case(case)
        result.add(verdict)
        finding = verdict.finding
        if finding is None or case.key(finding.oracle) in known:
            return
        if smallest.setdefault("key", case.key(finding.oracle)) == case.key(finding.oracle):
            smallest.update(case=case, oracle=finding.oracle, message=str(finding))
            raise finding

    try:
        trial()
    except BaseException as error:  # Hypothesis ends with what was raised, or with a note that it varies
        if isinstance(error, (KeyboardInterrupt, SystemExit)) or not smallest:
            raise
    if smallest:
        result.found.append((smallest["case"], smallest["oracle"], smallest["message"]))
    return result
