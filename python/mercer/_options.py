"""Parameters and the engine's options: which option a parameter sets, and what the table says that it may be."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from mercer import _core
from mercer._parameters import value_of
from mercer._rules import TRUTH_VALUES, USUAL, Limits, Rule, Words, reject

# By parameter, the name of the option that it sets; None: none, although there is one of that name.
OptionNames = Mapping[str, str | None]

# By parameter, words beside those of the option.
AddedWords = Mapping[str, tuple[str, ...]]

# What scikit-learn's classes call differently.
SKLEARN_NAMES: OptionNames = {
    "alpha": "lambda",
    "fit_intercept": "intercept",
    "max_iter": "max_iterations",
    "n_clusters": "clusters",
    "n_components": "components",
    "n_init": "restarts",
    "n_neighbors": "neighbors",
    "tol": "tolerance",
}


@dataclass(frozen=True)
class Option:
    """One line of the table of a model's options."""

    name: str
    kind: str
    default: str
    rule: Rule | None  # texts have a language of their own

    def value(self, text: str) -> Any:
        """Read a setting back."""
        return text if self.kind in ("word", "text") else value_of(text)


@cache
def _entries() -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in _core.model_registry()}


def model_entry(model: str) -> Mapping[str, Any]:
    """Give what the registry says of a model."""
    return _entries()[model]


@cache
def model_options(model: str) -> dict[str, Option]:
    """Give the options of a model by name."""
    lines = model_entry(model)["options"]
    return {line["name"]: Option(line["name"], line["kind"], line["default"], _rule_of(line)) for line in lines}


def _rule_of(line: Mapping[str, Any]) -> Rule | None:
    if line["kind"] == "yes_no":
        return TRUTH_VALUES
    if line["kind"] == "word":
        return Words(tuple(line["words"]))
    return _limits_of(line["limits"], line["kind"] == "whole_number") if "limits" in line else None


def _limits_of(limits: Mapping[str, Any], whole: bool) -> Limits:
    low, high = limits["lowest"], limits["highest"]
    low_is_in, high_is_in = (limits[f"{end}_is_in"] and math.isfinite(limits[end]) for end in ("lowest", "highest"))
    if whole and not low_is_in and math.isfinite(low):
        low, low_is_in = low + 1, True  # as scikit-learn says it
    closed = {(True, True): "both", (True, False): "left", (False, True): "right", (False, False): "neither"}
    return Limits(low, high, closed[low_is_in, high_is_in], integer=whole)


def _gathered(cls: type, attribute: str) -> dict[str, Any]:
    """Give the entries of a class and its bases; those of the class hold."""
    return {name: value for base in reversed(cls.__mro__) for name, value in vars(base).get(attribute, {}).items()}


class ParameterTable:
    """What is known of the parameters of an estimator class.

    Attributes
    ----------
    defaults : dict
        By parameter.
    options : dict of Option
        By parameter: the option that ``_option_names`` says, or that of its own name. Texts have a language of their
        own, which ``_settings`` writes, unless they are named.
    rules : dict of Rule
        By parameter, what it may be: as the engine's table has it, with ``_added_words``, or its own ``_rules``; of
        parameters that set no option, as all classes have it (``USUAL``), and a truth value where the default is one.
        Where None is the default, it is allowed, and leaves the option to the engine.
    """

    def __init__(self, cls: Any) -> None:
        self.defaults = {name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()}
        table, named = model_options(cls._model), _gathered(cls, "_option_names")
        options = {name: table.get({**SKLEARN_NAMES, **named}.get(name, name)) for name in self.defaults}
        self.options = {
            name: option for name, option in options.items() if option and (option.kind != "text" or name in named)
        }
        rules: dict[str, Rule] = dict.fromkeys(
            (name for name, value in self.defaults.items() if isinstance(value, bool)), TRUTH_VALUES
        )
        rules.update({name: rule for name, rule in USUAL.items() if name in self.defaults})
        rules.update({name: option.rule for name, option in self.options.items() if option.rule is not None})
        for name, words in _gathered(cls, "_added_words").items():
            if isinstance(rule := rules.get(name), Words):
                rules[name] = Words((*words, *rule.words))
        rules.update({name: rule for name, rule in _gathered(cls, "_rules").items() if name in self.defaults})
        self.rules = {name: rule.or_none() if self.defaults[name] is None else rule for name, rule in rules.items()}


_table_of = cache(ParameterTable)


def parameters_of(cls: Any) -> ParameterTable:
    """Give what is known of the parameters of an estimator class."""
    return _table_of(cls)


def check_parameters(estimator: Any) -> None:
    """Hold the parameters of an estimator against their rules."""
    for name, rule in parameters_of(type(estimator)).rules.items():
        value = getattr(estimator, name)
        if not rule.hold(value):
            reject(estimator, name, value, rule)
