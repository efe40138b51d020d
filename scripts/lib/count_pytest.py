"""Counts a pytest run: prints "passed failed skipped".

usage: count_pytest.py JUNIT    the file of pytest's --junitxml

A run without any test is a failure: something was not installed.
"""

import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def main(junit):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        counts[outcome(case)] += 1
    if sum(counts.values()) == 0:
        counts["failed"] = 1
    print(*counts.values())


if __name__ == "__main__":
    main(sys.argv[1])
