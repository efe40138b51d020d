"""Parameters of every estimator against the engine's table of options: defaults, limits, words, documentation."""

import numpy as np
import pytest
from estimator_list import COUNTERPARTS, NEED_TARGETS, REGRESSORS, called

from mercer import _core
from mercer._options import parameters_of
from mercer._parameters import text_of, value_of

CLASSES = list(COUNTERPARTS)
MODELS = {entry["name"]: {line["name"]: line for line in entry["options"]} for entry in _core.model_registry()}
OPTIONS = [(cls, name) for cls in CLASSES for name in parameters_of(cls).options]

X = np.random.default_rng(0).uniform(0.1, 1, size=(12, 3))
CLASSES_OF_ROWS = np.arange(12) % 3


def line_of(cls, name):
    """The line of the engine's table for the option that a parameter sets."""
    return MODELS[cls._model][parameters_of(cls).options[name].name]


def fit(cls, **parameters):
    y = X[:, 0] if cls in REGRESSORS else CLASSES_OF_ROWS
    return cls(**parameters).fit(X, y) if cls in NEED_TARGETS else cls(**parameters).fit(X)


# ---- Which parameter sets which option -----------------------------------------------------------------------------


# Options that no parameter of their own sets, and why.
OF_OTHER_PARAMETERS = {}
NOT_PARAMETERS = {}


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_show(cls):
    table = parameters_of(cls)
    taken = {option.name for option in table.options.values()} | set(table.defaults)
    print("NOTPARAM", cls.__name__, sorted(set(MODELS[cls._model]) - taken))
    for name, option in table.options.items():
        default = table.defaults[name]
        if default is not None and value_of(text_of(default)) != value_of(option.default):
            print("DEFAULT", cls.__name__, name, default, option.default)
        rule = option.rule.or_none() if default is None else option.rule
        if option.rule != table.rules.get(name) and rule != table.rules.get(name):
            print("RULE", cls.__name__, name, table.rules.get(name), "|", option.rule)
