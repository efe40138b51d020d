"""Labels of every kind in every format: never merged, split or renamed."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.program import Place, Run, column_names, csv_text, libsvm_text, npy_bytes, number
from hunt.verdict import Judge, NotApplicable

# What stands in the file at the fit (as fields of CSV), what each means, and other forms of the same in a later file.
KINDS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "words": (["b", "a"], ["b", "a"], ["b", "a"]),
    "integers": (["2", "10", "-1"], ["2", "10", "-1"], ["+2", "10.0", "-1"]),
    "signs": (["+1", "-1"], ["1", "-1"], ["1", "-1.0"]),
    "beyond doubles": (
        ["9007199254740992", "9007199254740993"],
        ["9007199254740992", "9007199254740993"],
        ["+9007199254740992", "9007199254740993"],
    ),
    "beyond 64 bits": (
        ["123456789012345678901234567890", "123456789012345678901234567891"],
        ["123456789012345678901234567890", "123456789012345678901234567891"],
        ["123456789012345678901234567890", "+123456789012345678901234567891"],
    ),
    "leading zeros": (["01", "1", "001"], ["01", "1", "001"], ["01", "1", "001"]),
    "reals": (["0.5", "1.5", "-2"], ["0.5", "1.5", "-2"], [".50", "15e-1", "-2.0"]),
    "numbers and words": (["1", "b", "c", "1.d"], ["1", "b", "c", "1.d"], ["1", "b", "c", "1.d"]),
    "quotes": (['"say ""x"""', '"a,b"', '"a;b"'], ['say "x"', "a,b", "a;b"], ['"say ""x"""', '"a,b"', '"a;b"']),
    "quoted missing": (['"NA"', '"null"', '"?"'], ["NA", "null", "?"], ['"NA"', '"null"', '"?"']),
    "blanks": (['" a"', "a", '"a "'], [" a", "a", "a "], ['" a"', " a ", '"a "']),
    "case and accents": (["é", "É", "e"], ["é", "É", "e"], ["é", "É", "e"]),
    "logical": (["true", "false", "True"], ["true", "false", "True"], ["true", "false", "True"]),
    "lines": (['"a\nb"', '"a"', '"b"'], ["a\nb", "a", "b"], ['"a\nb"', '"a"', '"b"']),
    "undecided": (["undecided", "a"], ["undecided", "a"], ["undecided", "a"]),
}
ARRAYS: dict[str, np.ndarray] = {
    "int64": np.array([2, 10, -1]),
    "beyond doubles": np.array([2**53, 2**53 + 1]),
    "uint64": np.array([2**64 - 1, 2**64 - 2, 0], dtype=np.uint64),
    "float64": np.array([0.5, 1.5, -2.0]),
    "whole float64": np.array([1.0, 2.0]),
    "float32": np.array([0.1, 0.2], dtype=np.float32),
    "bool": np.array([True, False]),
    "int8": np.array([-128, 127], dtype=np.int8),
}
VALUES: dict[str, list[Any]] = {
    "strings": ["b", "a"],
    "strings of digits": ["1", "01"],
    "strings that are missing in CSV": ["NA", "null", "x"],
    "integers": [2, 10, -1],
    "beyond doubles": [2**53, 2**53 + 1],
    "reals": [0.5, 1.5],
    "logical": [True, False],
    "escapes": ['a"b', "a\\b", "a\nb", "\u00e9\U0001f600"],
}
NUMBERS: dict[str, list[str]] = {
    "signs": ["+1", "-1"],
    "integers": ["2", "10", "-1"],
    "reals": ["0.5", "1.5"],
}
FORMATS: dict[str, Any] = {"csv": KINDS, "jsonl": VALUES, "npy": ARRAYS, "libsvm": NUMBERS}


def draw_labels(pick: Any) -> dict[str, Any]:
    """A format, a kind of labels, and how often each stands there."""
    form = pick(st.sampled_from(sorted(FORMATS)))
    return {
        "format": form,
        "kind": pick(st.sampled_from(list(FORMATS[form]))),
        "copies": pick(st.integers(1, 3)),
        "order": pick(st.integers(0, 5)),
        "model": pick(st.sampled_from(("knnc", "svc", "lssvm", "classmean", "gpc"))),
    }


def judge_labels(facts: dict[str, Any], judge: Judge) -> None:
    """Rows far apart, each predicted as what it is; every later form of a label is that label."""
    settings = ["-s", "neighbors=1"] if facts["model"] == "knnc" else []
    settings += ["-s", "C=1e6"] if facts["model"] in ("svc", "lssvm") else []
    kernel = [] if facts["model"] == "knnc" else ["-k", "rbf(lengthscale=0.3)"]
    with Place() as place:
        expected, flags, later = _files(place, facts)
        fit = place.run(
            "fit", facts["model"], *flags, *settings, *kernel, "--scale", "none", "-o", "m.mercer", "--json"
        )
        if fit.code != 0:
            judge.holds("labels_fit", "undecided" in fit.err, f"labels were refused: {fit.line()}")
            raise NotApplicable(fit.line())
        classes = fit.json()["classes"]
        judge.same("labels_classes", sorted(map(_form, classes)), sorted(set(map(_form, expected))), "the classes")
        data = flags[0]
        run = place.run("predict", "m.mercer", data, *_reading(flags))
        judge.holds("labels_predicted", run.code == 0, run.line())
        told = [_form(row[0]) for row in run.table()[1]]
        judge.same("labels_predicted", told, [_form(label) for label in expected], "the labels that are predicted")
        asked = place.ask("predict", "m.mercer", data, *_reading(flags), "--json").json()
        judge.same("labels_json", [_form(str(row[0])) for row in asked["rows"]], told, "labels of --json")
        for name, arguments in later.items():
            _all_right(place.run("score", "m.mercer", *arguments, "--json"), judge, name)
        place.write("out.csv", run.out)
        back = place.run("score", "m.mercer", data, *_reading(flags), "--targets-file", "out.csv", "--json")
        _all_right(back, judge, "the predictions, read back as targets")
        judge.covers(f"model {facts['model']}", "metric accuracy")


def _all_right(run: Run, judge: Judge, what: str) -> None:
    judge.holds("labels_later", run.code == 0, f"{what}: {run.line()}")
    value = run.json()["scores"][0]["metrics"]["accuracy"]["value"]
    judge.holds("labels_later", value == 1, f"accuracy {value} on {what}")


def _reading(flags: list[str]) -> list[str]:
    """The flags that say how a file is read, without those of its targets."""
    return [word for k, word in enumerate(flags) if word.startswith("--format") or (k and flags[k - 1] == "--format")]


def _form(label: str) -> str:
    """One text for equal numbers that are not integers; all others as they are."""
    if "." in label or "e" in label:
        try:
            value = float(label)
        except ValueError:
            return label
        if label[:1] in "-.123456789" or label.startswith("0."):
            return str(int(value)) if value == int(value) else f"real {Decimal(value)}"
    return label


def _files(place: Place, facts: dict[str, Any]) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Write the files: the labels row by row, the arguments of the fit, and those of scores that must be perfect."""
    kinds = FORMATS[facts["format"]][facts["kind"]]
    count = len(kinds[0] if facts["format"] == "csv" else kinds)
    codes = np.tile(np.arange(count), facts["copies"])
    codes = np.random.default_rng(facts["order"]).permutation(codes) if facts["order"] else codes
    x = np.column_stack([3.0 * np.arange(len(codes)) + 1, np.cos(np.arange(len(codes)))])
    if facts["format"] == "csv":
        fields, meanings, others = kinds
        place.write("train.csv", _raw(x, [fields[code] for code in codes]))
        place.write("later.csv", _raw(x, [others[code] for code in codes]))
        same = {"a later file": ["later.csv"], "the training file": ["train.csv"]}
        return [meanings[code] for code in codes], ["train.csv", "-t", "y"], same
    if facts["format"] == "jsonl":
        lines = [json.dumps({"x0": row[0], "x1": row[1], "y": kinds[code]}) for row, code in zip(x, codes, strict=True)]
        place.write("train.jsonl", "\n".join(lines) + "\n")
        expected = [str(kinds[code]) for code in codes]
        return expected, ["train.jsonl", "-t", "y"], {"the training file": ["train.jsonl"]}
    if facts["format"] == "npy":
        place.write("x.npy", npy_bytes(x))
        place.write("y.npy", npy_bytes(kinds[codes]))
        expected = [str(label) for label in kinds[codes].tolist()]
        flags = ["x.npy", "--targets-file", "y.npy"]
        later = {"the training file": flags}
        if facts["kind"] == "whole float64":
            expected = [str(int(float(label))) for label in expected]
            place.write("later.csv", csv_text(["y"], [expected]))
            later["whole numbers of a CSV file"] = ["x.npy", "--targets-file", "later.csv"]
        return expected, flags, later
    expected = [kinds[code].lstrip("+") for code in codes]
    place.write("train.svm", libsvm_text([kinds[code] for code in codes], x))
    return expected, ["train.svm", "--format", "libsvm"], {"the training file": ["train.svm", "--format", "libsvm"]}


def _raw(x: np.ndarray, fields: list[str]) -> str:
    """CSV whose last column is written as it is."""
    lines = [",".join([*column_names(x), "y"])]
    lines += [",".join([*map(number, row), field]) for row, field in zip(x, fields, strict=True)]
    return "\n".join(lines) + "\n"
