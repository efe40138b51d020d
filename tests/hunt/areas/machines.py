"""Margin and least-squares machines against the conditions of optimality, closed forms, brute force and peers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from hunt.oracles import (
    machine_basis,
    machine_groups,
    machine_joint,
    machine_least,
    machine_linear,
    machine_logit,
    machine_margin,
    machine_nearest,
    machine_quantile,
    machine_relevance,
    machine_semiparametric,
    machine_space,
    machine_weights,
)
from hunt.oracles.machine_problem import Problem
from hunt.verdict import Judge

Oracle = Callable[[Problem, Judge], None]
Draw = Callable[[Any, str], dict[str, Any]]

ORACLES: dict[str, tuple[Draw, Oracle]] = {
    "svc": (machine_semiparametric.draw, machine_semiparametric.judge_case),
    "nusvc": (machine_margin.draw, machine_margin.judge_nusvc),
    "linearsvc": (machine_linear.draw, machine_linear.judge_linearsvc),
    "linearsvr": (machine_linear.draw, machine_linear.judge_linearsvr),
    "ridge": (machine_semiparametric.draw, machine_semiparametric.judge_case),
    "lssvm": (machine_least.draw, machine_least.judge_ridge),
    "falkon": (machine_least.draw, machine_least.judge_falkon),
    "mapridge": (machine_least.draw, machine_least.judge_mapridge),
    "kfd": (machine_least.draw, machine_least.judge_kfd),
    "svr": (machine_semiparametric.draw, machine_semiparametric.judge_case),
    "nusvr": (machine_semiparametric.draw, machine_semiparametric.judge_case),
    "kqr": (machine_quantile.draw, machine_quantile.judge_kqr),
    "oneclass": (machine_margin.draw, machine_margin.judge_oneclass),
    "svdd": (machine_margin.draw, machine_margin.judge_oneclass),
    "klr": (machine_logit.draw, machine_logit.judge_klr),
    "l1vmr": (machine_logit.draw, machine_logit.judge_vectors),
    "l1vmc": (machine_logit.draw, machine_logit.judge_vectors),
    "l2vmr": (machine_logit.draw, machine_logit.judge_vectors),
    "l2vmc": (machine_logit.draw, machine_logit.judge_vectors),
    "lapr": (machine_logit.draw, machine_logit.judge_lapr),
    "lapc": (machine_logit.draw, machine_logit.judge_lapc),
    "maplogit": (machine_logit.draw, machine_logit.judge_maplogit),
    "mapsvc": (machine_logit.draw, machine_logit.judge_mapsvc),
    "falkonc": (machine_least.draw, machine_logit.judge_falkonc),
    "rvr": (machine_relevance.draw, machine_relevance.judge_rvr),
    "rvc": (machine_relevance.draw, machine_relevance.judge_rvc),
    "knnc": (machine_nearest.draw, machine_nearest.judge_shares),
    "knnr": (machine_nearest.draw, machine_nearest.judge_neighbors),
    "classmean": (machine_nearest.draw, machine_nearest.judge_classmean),
    "medoidc": (machine_nearest.draw, machine_nearest.judge_medoidc),
    "riskr": (machine_semiparametric.draw, machine_semiparametric.judge_case),
    "riskc": (machine_semiparametric.draw, machine_semiparametric.judge_case),
    "leastsquares": (machine_basis.draw, machine_basis.judge_leastsquares),
    "perceptron": (machine_nearest.draw, machine_nearest.judge_perceptron),
    "bayespoint": (machine_space.draw, machine_space.judge_bayespoint),
    "oneclassc": (machine_space.draw, machine_space.judge_oneclassc),
    "cover": (machine_space.draw, machine_space.judge_cover),
}
WEIGHTED = {
    "mklsvc": machine_weights.judge_mklsvc,
    "mklsvr": machine_weights.judge_mklsvr,
    "mklridge": machine_weights.judge_mklridge,
}


def subjects() -> list[str]:
    """The machines that have an oracle."""
    return [*ORACLES, *WEIGHTED]


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine with data, kernel, weights and options."""
    if model in machine_groups.OPTIONS:
        kind = pick(st.sampled_from(("own", "own", "own", "groups", "joint")))
        if kind != "own":
            return (machine_groups if kind == "groups" else machine_joint).draw(pick, model)
    return machine_weights.draw(pick, model) if model in WEIGHTED else ORACLES[model][0](pick, model)


def judge(model: str, facts: dict[str, Any], judge: Judge) -> None:
    """Fit it and let its oracle judge."""
    if "groups" in facts:
        machine_groups.judge_groups(Problem(model, facts), judge, facts)
    elif "joint" in facts:
        machine_joint.judge_joint(Problem(model, facts), judge)
    elif model in WEIGHTED:
        WEIGHTED[model](machine_weights.Weighted(model, facts), judge)
    else:
        ORACLES[model][1](machine_semiparametric.WithFacts(model, facts), judge)
