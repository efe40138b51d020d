"""Counts a ctest run from its JUnit file: prints "passed failed skipped", and on stderr what the failed tests wrote.

A test that ctest could not run (program missing, fixture failed) counts as failed; only a test that asked to be skipped
or is disabled counts as skipped. A run without any test is a failure: something was not built.
"""

import sys
import xml.etree.ElementTree as ElementTree

SHOWN_TESTS = 10
SHOWN_LINES = 40


def outcome(case):
    skip = case.find("skipped")
    if case.get("status") == "run":
        return "passed"
    if case.get("status") == "disabled" or (skip is not None and skip.get("message", "").startswith("SKIP_")):
        return "skipped"
    return "failed"


def main(path):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        result = outcome(case)
        counts[result] += 1
        if result == "failed" and counts["failed"] <= SHOWN_TESTS:
            lines = (case.findtext("system-out") or "it could not be run").splitlines()
            print(f"-- {case.get('name')} failed", *lines[-SHOWN_LINES:], sep="\n", file=sys.stderr)
    if sum(counts.values()) == 0:
        print("-- no tests were found", file=sys.stderr)
        counts["failed"] = 1
    print(*counts.values())


if __name__ == "__main__":
    main(sys.argv[1])
