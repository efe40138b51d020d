"""The hunt over several processes, each with units of its own; a process that dies has found something."""

from __future__ import annotations

import itertools
import multiprocessing
import queue
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hunt import store
from hunt.areas import area
from hunt.store import Case
from hunt.trial import Result, run_unit


@dataclass
class Plan:
    """What is hunted.

    Attributes
    ----------
    areas, subjects : list of str
        Empty ``subjects``: all of the areas.
    seconds, rounds : float, int
        When to end, whichever comes first; 0 rounds: no limit.
    """

    areas: list[str]
    subjects: list[str]
    seed: int
    seconds: float
    rounds: int
    jobs: int
    folder: Path


@dataclass
class Tally(Result):
    """What a hunt came to so far."""

    started: float = field(default_factory=time.monotonic)
    again: int = 0  # findings of a kind that is known already

    def line(self) -> str:
        """Progress, in one line."""
        seconds = max(time.monotonic() - self.started, 1e-9)
        return (
            f"{self.cases} cases ({self.refused} refused), {sum(self.comparisons.values())} comparisons, "
            f"{self.cases / seconds:.1f} cases/s, {len(self.found)} findings"
        )


def units(plan: Plan) -> Iterator[tuple[str, str, int]]:
    """All units in the order of the seed: every subject of every area once in each round."""
    for number in itertools.count() if plan.rounds == 0 else range(plan.rounds):
        listed = [
            (name, subject)
            for name in plan.areas
            for subject in area(name).subjects()
            if not plan.subjects or subject in plan.subjects
        ]
        if not listed:
            return
        random.Random(f"{plan.seed}/{number}").shuffle(listed)
        for name, subject in listed:
            yield name, subject, number


def work(plan: Plan, job: int, skip: int, known: set[tuple[str, ...]], answers: Any) -> None:
    """Run every ``jobs``-th unit, from the ``skip``-th of them on."""
    deadline = time.monotonic() + plan.seconds
    current = plan.folder / f"running-{job}.json"

    def about_to(case: Case) -> None:
        current.write_text(case.text())

    mine = itertools.islice(units(plan), job, None, plan.jobs)
    for place, (name, subject, number) in enumerate(mine):
        if place < skip:
            continue
        if time.monotonic() > deadline:
            break
        result = run_unit(plan.seed, name, subject, number, known, about_to)
        known.update(case.key(oracle) for case, oracle, _ in result.found)
        answers.put((job, place, result))
    current.unlink(missing_ok=True)
    answers.put((job, -1, Result()))


def hunt(plan: Plan, tell: Any) -> Tally:
    """Hunt until the time is over; ``tell`` gets findings as they come and a line of progress now and then."""
    plan.folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    answers: Any = context.Queue()
    tally = Tally()
    known: set[tuple[str, ...]] = set()
    deadline = time.monotonic() + plan.seconds
    places = dict.fromkeys(range(plan.jobs), -1)

    def start(job: int) -> Any:
        left = Plan(**{**plan.__dict__, "seconds": deadline - time.monotonic()})
        process = context.Process(target=work, args=(left, job, places[job] + 1, set(known), answers), daemon=True)
        process.start()
        return process

    running = {job: start(job) for job in places}
    told = time.monotonic()
    while running:
        try:
            job, place, result = answers.get(timeout=1)
            _take(result, tally, known, plan, tell)
            if place < 0:
                running.pop(job).join()
            else:
                places[job] = place
        except queue.Empty:
            for job, process in list(running.items()):
                if not process.is_alive() and process.exitcode != 0:
                    _take(_death(plan, job, process.exitcode), tally, known, plan, tell)
                    places[job] += 1
                    running[job] = start(job)
        if time.monotonic() - told > 10:
            told = time.monotonic()
            tell(tally.line())
        if time.monotonic() > deadline + 120:  # a case that does not end
            for job, process in running.items():
                process.kill()
                _take(_death(plan, job, "no end"), tally, known, plan, tell)
            break
    return tally


def _death(plan: Plan, job: int, code: Any) -> Result:
    path = plan.folder / f"running-{job}.json"
    result = Result()
    if path.exists():
        result.found.append((store.load(path), "process", f"process: ended with {code} in this case"))
    return result


def _take(result: Result, tally: Tally, known: set[tuple[str, ...]], plan: Plan, tell: Any) -> None:
    tally.cases += result.cases
    tally.refused += result.refused
    tally.comparisons.update(result.comparisons)
    tally.exempt.update(result.exempt)
    tally.covered.update(result.covered)
    for case, oracle, message in result.found:
        key = case.key(oracle)
        if key in known:
            tally.again += 1
            continue
        known.add(key)
        tally.found.append((case, oracle, message))
        path = store.save(case, plan.folder, message)
        tell(f"\nFOUND {case.area} {case.subject}: {message}\n{case.text()}replay: scripts/hunt --replay {path}\n")
