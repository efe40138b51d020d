"""Columns of numbers or dates in which a few values are something else: what becomes of them is said."""

import warnings

import numpy as np
import pandas as pd
import pytest

from mercer.kernel_ridge import KernelRidge


def fitted_to(values):
    n = len(values)
    frame = pd.DataFrame({"x": np.linspace(0, 1, n), "v": np.array(values, dtype=object)})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        KernelRidge(kernel="rbf(gamma=1)").fit(frame, np.arange(n))
    return [str(one.message) for one in said]


@pytest.mark.parametrize(
    ("values", "odd", "what"),
    [
        ([str(20 + i % 60) for i in range(392)] + ["unknown"] * 8, "unknown", "no number"),
        ([f"{1 + i % 60},777" for i in range(360)] + ["low"] * 40, "low", "no number with commas between thousands"),
        ([f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(300)] + ["soon"], "soon", "no date"),
        ([f"2020-01-{1 + i % 20:02d}" for i in range(199)] + ["soon"], "soon", "no date"),
    ],
)
def test_what_few_values_decide_is_said(values, odd, what):
    said = [text for text in fitted_to(values) if "taken for" in text]
    assert len(said) == 1
    assert f"column 'v': '{odd}' is {what}, though" in said[0]
    assert f"row {values.index(odd)} (counted from 0)" in said[0]


def test_one_word_among_numbers_is_a_slip():
    for values in ([f"{1 + i % 60},777" for i in range(400)], [str(1000 + i) for i in range(400)]):
        with pytest.raises(
            ValueError, match=r"row 400 .*column 'v': 'low' is no(t a)? number.* 400 of the 401 values are; correct"
        ):
            fitted_to([*values, "low"])


def test_words_and_levels_are_not_suspected():
    assert not fitted_to([["red", "green"][i % 2] for i in range(100)])
    assert not fitted_to([["2", "3", "4", "5more"][i % 4] for i in range(100)])
    assert not fitted_to([str(i % 7) for i in range(100)])
