"""Judges of the two-sample test and the test of independence: statistics summed densely, permutations enumerated."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.stats
from hypothesis import strategies as st

from hunt import data, engine
from hunt.subjects import draw_kernel, kernel_names
from hunt.verdict import Judge, NotApplicable
from mercer import _core

CHANCE = 1e-9  # how rarely a correct test may look wrong
MOST_ARRANGEMENTS = 1000
SEEDS = 60


def draw_two_sample(pick: Any, subject: str) -> dict[str, Any]:
    """Two samples, or two views of one."""
    facts = data.draw_inputs(pick, fewest=4, most=9 if subject == "two_sample_test" else 14, columns=2)
    facts["others"] = pick(st.integers(2, 5))
    facts["shift"] = pick(st.sampled_from((0.0, 1.0, 3.0)))
    facts["kernel"] = pick(st.sampled_from(("rbf(gamma=median)", "drawn")))
    if facts["kernel"] == "drawn":
        facts["offset"], facts["unit"] = 0, 1
        facts["kernel"] = draw_kernel(pick, width=1.0)
    facts["statistic"] = pick(st.sampled_from(("quadratic", "block", "linear")))
    facts["block"] = pick(st.sampled_from((0, 2, 3)))
    facts["permutations"] = pick(st.sampled_from((1000, 100, 19)))
    facts["level"] = pick(st.sampled_from((0.05, 0.2)))
    facts["test_seed"] = pick(st.integers(0, 5))
    return facts


def mmd(gram: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The unbiased estimate of MMD² from the kernel matrix of both samples."""
    m, n = len(first), len(second)
    a, b, c = gram[np.ix_(first, first)], gram[np.ix_(second, second)], gram[np.ix_(first, second)]
    return float((a.sum() - np.trace(a)) / (m * (m - 1)) + (b.sum() - np.trace(b)) / (n * (n - 1)) - 2 * c.mean())


def judge_permutations(
    judge: Judge, found: dict[str, Any], values: np.ndarray, statistic: float, facts: dict[str, Any], size: float
) -> None:
    """The p-value against what all arrangements give."""
    count = int(facts["permutations"])
    judge.holds("p_value", found["null"]["count"] == count, f"{found['null']['count']} permutations for {count}")
    reached = round(found["p_value"] * (1 + count) - 1)
    judge.close("p_value", found["p_value"], (1 + reached) / (1 + count), 1e-12, what="p as a fraction")
    judge.same("p_value", found["rejected"], found["p_value"] <= facts["level"], "rejection at the level")
    gaps = (values - statistic) / size
    rate = float(np.mean((gaps > 1e-9) | (np.abs(gaps) < 1e-15)))  # those that reach it for sure
    low = scipy.stats.binom.cdf(reached, count, rate) if rate < 1 else float(reached == count)
    high = scipy.stats.binom.sf(reached - 1, count, float(np.mean(gaps >= -1e-9)))
    judge.holds(
        "p_value" if abs(statistic) > 1e-6 * size else "p_value_of_zero",
        low > CHANCE and high > CHANCE,
        f"{reached} of {count} permutations reach the statistic; of all arrangements {rate:.6g} do",
    )
    deviation = float(values.std())
    judge.at_most(
        "null",
        abs(found["null"]["mean"] - values.mean()),
        7 * deviation / count**0.5 + 1e-12 * size,
        "the mean of the null distribution off by",
    )
    if count >= 100 and deviation > 1e-6 * size:
        judge.at_most(
            "null", abs(np.log(found["null"]["deviation"] / deviation)), 1.2, "deviation of the null, in logs"
        )
    if found["statistic"] > found["threshold"] + 1e-9 * size:
        judge.holds("threshold", bool(found["rejected"]), "the statistic is above the threshold and not rejected")
    if found["statistic"] < found["threshold"] - 1e-9 * size:
        judge.holds("threshold", not found["rejected"], "the statistic is below the threshold and rejected")


def _median_rbf(judge: Judge, kernel: str, x: np.ndarray) -> None:
    """γ is one over the median squared distance of rows that are not equal."""
    pairs = np.array([float(((a - b) ** 2).sum()) for a, b in itertools.combinations(x, 2)])
    pairs = pairs[pairs > 0]
    if not len(pairs):
        return
    gamma = float(kernel.split("gamma=")[1].rstrip(")"))
    rounding = 64 * float(np.finfo(float).eps) * float(np.abs(x).max()) ** 2 / float(np.median(pairs))
    judge.close("median_width", 1 / gamma, float(np.median(pairs)), 1e-6 + rounding, what="the width of the kernel")


def judge_two_sample(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """MMD² over pairs or blocks; its p-value."""
    x = data.build_inputs(facts)
    n = min(facts["others"], len(x) - 2)
    if n < 2:
        raise NotApplicable("two rows of each")
    first, second = np.arange(len(x) - n), np.arange(len(x) - n, len(x))
    x[second] += facts["shift"] * facts["unit"]
    found = engine.called(
        _core.two_sample_test,
        _core.Kernel(facts["kernel"]),
        engine.samples(x[first]),
        engine.samples(x[second]),
        statistic=facts["statistic"],
        permutations=facts["permutations"],
        level=facts["level"],
        block_size=facts["block"],
        threads=1,
        seed=facts["test_seed"],
    )
    if "median" in facts["kernel"]:
        _median_rbf(judge, found["kernel"], x)
    gram = engine.gram(found["kernel"], x)
    size = float(np.abs(gram).max())
    judge.covers(*(f"kernel {name}" for name in kernel_names(found["kernel"])), f"statistic {facts['statistic']}")
    if facts["statistic"] == "quadratic":
        expected = mmd(gram, first, second)
        judge.close("mmd", found["statistic"], expected, 1e-9, size=size, what="MMD²")
        values = [
            mmd(gram, np.array(chosen), np.setdiff1d(np.arange(len(x)), chosen))
            for chosen in itertools.combinations(range(len(x)), len(first))
        ]
        judge_permutations(judge, found, np.array(values), expected, facts, size)
        return
    rows = min(len(first), len(second))
    block = 2 if facts["statistic"] == "linear" else facts["block"] or max(2, int(rows**0.5))
    count = rows // block
    if count < 2:
        raise NotApplicable("one block")
    judge.same("blocks", found["null"]["count"], count, "the number of blocks")
    judge.same("blocks", found["left_out"], len(x) - 2 * count * block, "rows left out")
    error = float(found["null"]["deviation"])
    if error > 1e-9 * size:
        z = found["statistic"] / error
        judge.close(
            "p_value", found["p_value"], scipy.stats.norm.sf(z), 1e-9, size=1, what="p by the normal distribution"
        )
        judge.close(
            "threshold", found["threshold"], error * scipy.stats.norm.isf(facts["level"]), 1e-6, what="threshold"
        )
    judge.same("p_value", found["rejected"], found["p_value"] <= facts["level"], "rejection at the level")
    # Which rows meet in a block is drawn; over many draws the mean is that over all pairs.
    values = np.array(
        [
            engine.called(
                _core.two_sample_test,
                _core.Kernel(found["kernel"]),
                engine.samples(x[first]),
                engine.samples(x[second]),
                statistic=facts["statistic"],
                block_size=facts["block"],
                threads=1,
                seed=seed,
            )["statistic"]
            for seed in range(SEEDS)
        ]
    )
    error = float(values.std()) / SEEDS**0.5
    judge.at_most(
        "mmd",
        abs(float(values.mean()) - mmd(gram, first, second)),
        7 * error + 1e-9 * size,
        "the mean over draws off by",
    )


def judge_independence(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """HSIC and its p-value."""
    x = data.build_inputs(facts)
    y = x[:, :1] ** 2 / max(float(np.abs(x).max()), 1e-300) + 0.3 * facts["unit"] * np.random.default_rng(
        facts["seed"] + 9
    ).standard_normal((len(x), 1))
    target_kernel = "rbf(gamma=median)" if "median" in facts["kernel"] else "rbf(lengthscale=0.7)"
    found = engine.called(
        _core.independence_test,
        _core.Kernel(facts["kernel"]),
        engine.samples(x),
        _core.Kernel(target_kernel),
        engine.samples(y),
        permutations=facts["permutations"],
        level=facts["level"],
        threads=1,
        seed=facts["test_seed"],
    )
    if "median" in facts["kernel"]:
        _median_rbf(judge, found["kernel"], x)
        _median_rbf(judge, found["target_kernel"], y)
    n = len(x)
    centre = np.eye(n) - 1 / n
    k = engine.gram(found["kernel"], x)
    inner, outer = centre @ k @ centre, engine.gram(found["target_kernel"], y)
    size = float(np.abs(k).max() * np.abs(outer).max())
    judge.covers(*(f"kernel {name}" for name in kernel_names(found["kernel"])))
    expected = float((inner * outer).sum() / n**2)
    judge.close("hsic", found["statistic"], expected, 1e-9, size=size, what="HSIC")
    if n <= 6:
        orders = itertools.permutations(range(n))
        values = np.array([(inner * outer[np.ix_(order, order)]).sum() / n**2 for order in orders])
    else:
        random = np.random.default_rng(0)
        orders = (random.permutation(n) for _ in range(MOST_ARRANGEMENTS))
        values = np.array([(inner * outer[np.ix_(order, order)]).sum() / n**2 for order in orders])
        judge.at_most(
            "null",
            abs(found["null"]["mean"] - values.mean()),
            8 * float(values.std()) * (1 / facts["permutations"] + 1 / MOST_ARRANGEMENTS) ** 0.5 + 1e-12 * size,
            "the mean of the null distribution off by",
        )
        return
    judge_permutations(judge, found, values, expected, facts, size)
