"""Frames that tests are about, and the program beside them."""

import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mercer.svm import SVC

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "release" / "mercer"
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")


def mixed(n=150, seed=0):
    """Rows of numbers, categories and both with gaps; two classes and a number that depend on all of them."""
    generator = np.random.default_rng(seed)
    age = generator.normal(40, 12, n).round(1)
    income = generator.integers(10, 90, n) * 1000
    job = generator.choice(["clerk", "nurse", "pilot", "cook"], n).astype(object)
    town = generator.choice(["Paris", "Rome", "Oslo"], n).astype(object)
    score = 0.1 * (age - 40) + np.where(job == "nurse", 2.0, 0.0) - np.where(town == "Rome", 1.5, 0.0)
    age[generator.random(n) < 0.1] = np.nan
    job[generator.random(n) < 0.08] = None
    frame = pd.DataFrame({"age": age, "job": job, "income": income, "town": town})
    label = np.where(score + generator.normal(0, 0.3, n) > 0, "yes", "no")
    return frame, label, score


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def printed(file, table, *flags, column=-1):
    return [line.split(",")[column] for line in run("predict", file, table, *flags).splitlines()[1:]]


def fitted_by_program(estimator, table, target, file):
    """The model of the program with the settings of a fitted estimator."""
    model = estimator._fitted
    settings = [f"{name}={value}" for name, value in model.settings().items() if value]
    flags = [part for setting in settings for part in ("--set", setting)]
    run("fit", model.name, table, "--target", target, "-k", model.requested_kernel, *flags, "-q", "-o", file)
    return file


def quiet(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return estimator.fit(X, y)


def coded(frame, y=None, **parameters):
    """The columns that a linear machine sees of a frame, and their names."""
    target = np.arange(len(frame)) % 2 if y is None else y
    model = quiet(SVC(kernel="linear()", **parameters), frame, target)
    return model._prepared(frame).to_python()[0], list(model.coded_feature_names_), model


def fitted_table():
    """A machine that was fitted to a table, and the table with its labels."""
    frame, label, _ = mixed()
    return SVC().fit(frame, label), frame, label
