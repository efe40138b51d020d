"""Counts a ctest run: prints "passed failed skipped", and on stderr what failed.

usage: count_tests.py JUNIT REPORTS    JUNIT is ctest's file, REPORTS the folder where GoogleTest programs left theirs

A ctest entry whose program wrote a report NAME.xml counts as the tests in it; a program that failed without a failing
test in its report (it crashed, or was not built) counts as one failure. Any other entry counts as itself. Only a test
that asked to be skipped or is disabled counts as skipped. A run without any test is a failure: something was not built.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree

SHOWN_TESTS = 10
SHOWN_LINES = 40


def entry_outcome(case):
    skip = case.find("skipped")
    if case.get("status") == "run":
        return "passed"
    if case.get("status") == "disabled" or (skip is not None and skip.get("message", "").startswith("SKIP_")):
        return "skipped"
    return "failed"


def report_counts(path):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None:
            counts["failed"] += 1
        elif case.get("result") == "skipped" or case.get("status") == "notrun" or case.find("skipped") is not None:
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    return counts


def main(junit, reports):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    shown = 0
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        outcome = entry_outcome(case)
        report = pathlib.Path(reports) / f"{case.get('name')}.xml"
        inner = {"passed": 0, "failed": 0, "skipped": 0}
        if report.exists():
            inner = report_counts(report)
        if outcome == "failed" and inner["failed"] == 0:
            inner["failed"] = 1
        elif not report.exists():
            inner[outcome] += 1
        for key, value in inner.items():
            counts[key] += value
        if outcome == "failed" and shown < SHOWN_TESTS:
            shown += 1
            lines = (case.findtext("system-out") or "it could not be run").splitlines()
            print(f"-- {case.get('name')} failed", *lines[-SHOWN_LINES:], sep="\n", file=sys.stderr)
    if sum(counts.values()) == 0:
        print("-- no tests were found", file=sys.stderr)
        counts["failed"] = 1
    print(*counts.values())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
