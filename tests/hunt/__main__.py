"""Hunts for wrong answers: random models, options, kernels and data, judged by peers, brute force and relations."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from hunt import store
from hunt.areas import NAMES
from hunt.coverage import not_judged
from hunt.trial import judge_case
from hunt.workers import Plan, Tally, hunt


def main() -> int:
    """Run the command line; 0: nothing was found."""
    options = parse()
    if options.replay:
        return replay([Path(path) for path in options.replay])
    plan = Plan(
        areas=options.area or list(NAMES),
        subjects=[name for names in options.models for name in names.split(",")],
        seed=options.seed,
        seconds=60 * options.minutes,
        rounds=options.rounds,
        jobs=options.jobs,
        folder=Path(options.folder),
    )
    tally = hunt(plan, lambda line: print(line, flush=True))
    summary(plan, tally)
    return 1 if tally.found else 0


def parse() -> argparse.Namespace:
    """Read the arguments."""
    parser = argparse.ArgumentParser(prog="scripts/hunt", description=__doc__)
    parser.add_argument("area", nargs="*", choices=[*NAMES, []], metavar="AREA", help=f"of {', '.join(NAMES)}; all")
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other cases (default 0)")
    parser.add_argument("--rounds", type=int, default=0, help="end after so many rounds over all subjects")
    parser.add_argument("--models", action="append", default=[], metavar="LIST", help="only these models or kernels")
    parser.add_argument("--replay", nargs="+", metavar="CASE", help="judge stored cases: files or folders of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: the cores)")
    parser.add_argument("--folder", default="build/hunt", help="where findings are stored (default build/hunt)")
    return parser.parse_args()


def replay(paths: list[Path]) -> int:
    """Judge stored cases: 'N passed, N failed, N skipped'; a case that is refused now is skipped."""
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    passed = failed = skipped = 0
    for file in files:
        verdict = judge_case(store.load(file))
        if verdict.finding is not None:
            failed += 1
            print(f"FOUND {file}: {verdict.finding}")
        elif not verdict.judge.comparisons:
            skipped += 1
            print(f"not judged {file}: {verdict.refused or verdict.exempt}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def summary(plan: Plan, tally: Tally) -> None:
    """What was judged, what was not, and what was found."""
    print(f"\nseed {plan.seed}: {tally.line()}")
    for oracle, count in sorted(tally.comparisons.items()):
        print(f"  {count:8d}  {oracle}")
    for reason, count in sorted(tally.exempt.items()):
        print(f"  exempt {count} times: {reason}")
    for kind, names in not_judged(tally.covered).items():
        if names:
            print(f"not judged, {kind}: {', '.join(names)}")
    for case, _, message in tally.found:
        print(f"found in {case.area} {case.subject}: {message.splitlines()[0]}")


if __name__ == "__main__":
    sys.exit(main())
