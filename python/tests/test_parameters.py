"""Parameters of every estimator against the engine's table of options: what they set, may be, default to, and say."""

import math
import re

import numpy as np
import pytest
from estimator_list import CLASSIFIERS, COUNTERPARTS, NEED_TARGETS, called

from mercer import (
    _core,
    cluster,
    decomposition,
    gaussian_process,
    kernel_approximation,
    kernel_ridge,
    linear_model,
    multiple_kernel,
    neighbors,
    smoothing,
    svm,
)
from mercer._feature_maps import FeatureMap
from mercer._linear_svm import LinearMachine
from mercer._options import parameters_of
from mercer._parameters import text_of, value_of
from mercer._rules import Words
from mercer._svm_base import KernelMachine
from mercer._windowed import Windowed

CLASSES = list(COUNTERPARTS)
TABLES = {entry["name"]: {line["name"]: line for line in entry["options"]} for entry in _core.model_registry()}

# Parameters whose default is not that of their option, and why.
DEFAULTS = {
    (KernelMachine, "max_iter"): "-1 is the engine's 0, as in scikit-learn",
    (KernelMachine, "precision"): "the rows of the fit decide",
    (svm.SVR, "C"): "scikit-learn",
    (svm.SVR, "epsilon"): "scikit-learn",
    (svm.SVR, "standardize"): "scikit-learn",
    (svm.NuSVR, "C"): "scikit-learn",
    (svm.NuSVR, "standardize"): "scikit-learn",
    (svm.OneClassSVM, "nu"): "scikit-learn",
    (svm.BayesPointClassifier, "committee"): "no probabilities unless they are asked for, as in SVC",
    (LinearMachine, "tol"): "scikit-learn",
    (LinearMachine, "intercept"): "scikit-learn",
    (svm.LinearSVC, "loss"): "scikit-learn",
    (svm.LinearSVR, "epsilon"): "scikit-learn",
    (svm.LinearSVR, "standardize"): "scikit-learn",
    (multiple_kernel.MultipleKernelRidge, "alpha"): "the engine's penalty is 1, too, where none is given",
    (kernel_ridge.KernelRidge, "parametric"): "scikit-learn",
    (gaussian_process.GaussianProcessRegressor, "n_restarts_optimizer"): "scikit-learn",
    (gaussian_process.GaussianProcessRegressor, "search_rows"): "scikit-learn looks at all rows",
    (gaussian_process.GaussianProcessClassifier, "search_rows"): "scikit-learn looks at all rows",
    (neighbors.KernelDensity, "rtol"): "scikit-learn",
    (FeatureMap, "n_components"): "scikit-learn, whose classes have a number in place of the engine's choice",
    (kernel_approximation.Nystroem, "n_components"): "scikit-learn",
    (kernel_approximation.RBFSampler, "form"): "scikit-learn",
}
# Parameters that may be something else than their option, and why.
RULES = {
    (KernelMachine, "max_iter"): "-1 is the engine's 0, as in scikit-learn",
    (KernelMachine, "precision"): "auto: the rows of the fit decide",
    (LinearMachine, "intercept"): "fit_intercept=False is the word none",
    (svm.LinearSVC, "multi_class"): "scikit-learn's word for cs",
    (Windowed, "kernel"): "scikit-learn's words beside the engine's",
    (neighbors.KernelDensity, "algorithm"): "scikit-learn's words",
    (neighbors.NeighborsDensity, "n_neighbors"): "None is the engine's 0",
    (smoothing.LocalRegression, "degree"): "numbers where the engine has words",
    (decomposition.KernelPCA, "n_components"): "scikit-learn, where None is the engine's 0",
    (decomposition.KernelPCA, "eigen_solver"): "scikit-learn's words",
    (cluster.SpectralClustering, "n_components"): "scikit-learn, where None is the engine's 0",
    (kernel_approximation.RBFSampler, "n_components"): "scikit-learn",
    (kernel_approximation.PolynomialCountSketch, "n_components"): "scikit-learn",
}
# Options that follow from parameters that are something else.
WRITTEN = {
    (multiple_kernel.MultipleKernelRidge, "parametric"): "fit_intercept",
    (svm.NuSVC, "infeasible"): "class_weight",
    (kernel_ridge.KernelRidge, "lambda"): "alpha",
    (gaussian_process.GaussianProcessRegressor, "noise"): "alpha",
    (gaussian_process.GaussianProcessRegressor, "optimize"): "optimizer",
    (gaussian_process.GaussianProcessRegressor, "standardize"): "normalize_y",
    (gaussian_process.GaussianProcessClassifier, "optimize"): "optimizer",
    (cluster.SpectralClustering, "tolerance"): "eigen_tol",
}
# Options that are no parameters, and why.
THRESHOLDS = "scikit-learn's threshold classifiers go around any classifier"
LEFT_OUT = "cross_val_predict leaves rows out"
SOLVER = "the solver is chosen by the rows, and its default accuracy serves"
NOT_PARAMETERS = {
    svm.SVC: {"threshold": THRESHOLDS, "reject": THRESHOLDS, "uncertain": THRESHOLDS},
    svm.NuSVC: {"threshold": THRESHOLDS, "reject": THRESHOLDS},
    svm.OneClassClassifier: {"max_steps": SOLVER, "verify": SOLVER},
    svm.LinearSVR: {"penalty": "scikit-learn has l2 alone"},
    svm.LeastSquaresSVC: {
        **dict.fromkeys(["method", "tolerance", "max_iterations", "memory_mb"], SOLVER),
        "select_rows": "its default serves",
    },
    multiple_kernel.MultipleKernelSVC: {"threshold": THRESHOLDS, "reject": THRESHOLDS, "shrinking": SOLVER},
    multiple_kernel.MultipleKernelSVR: {"shrinking": SOLVER},
    multiple_kernel.MultipleKernelRidge: {
        **dict.fromkeys(["form", "tolerance", "max_iterations"], SOLVER),
        "loo": LEFT_OUT,
        "mean_lambda": "alpha is the other scale of the same penalty",
    },
    kernel_ridge.KernelRidge: {
        "loo": LEFT_OUT,
        "mean_lambda": "alpha is the other scale of the same penalty",
        "indefinite": "scikit-learn solves whatever the kernel is",
        "select_rows": "its default serves",
    },
    gaussian_process.GaussianProcessRegressor: {
        **dict.fromkeys(["max_evaluations", "tolerance", "gap", "rank", "precision", "memory_mb"], SOLVER),
        "loo": LEFT_OUT,
        "degrees_of_freedom": "of one likelihood, whose default serves",
        "threshold": "of one likelihood, whose default serves",
    },
    gaussian_process.GaussianProcessClassifier: {
        **dict.fromkeys(["max_evaluations", "memory_mb"], SOLVER),
        "priors": "scikit-learn's kernels have bounds in their place",
        "class_weight": "scikit-learn's class has none",
    },
    linear_model.MappedLogisticRegression: {"tolerance": "of the landmarks, where Nystroem has it"},
    linear_model.MappedRidge: {"tolerance": "of the landmarks, where Nystroem has it"},
    linear_model.MappedSVC: {"tolerance": "of the landmarks, where Nystroem has it"},
    neighbors.KernelDensityClassifier: {"method": "chosen by the rows"},
    decomposition.KernelPCA: {"tolerance": "what rounding leaves of an eigenvalue"},
}

X = np.random.default_rng(0).uniform(0.1, 1, size=(12, 3))


def fit(cls, **parameters):
    y = np.arange(12) % 3 if cls in CLASSIFIERS else X[:, 0]
    return cls(**parameters).fit(X, y) if cls in NEED_TARGETS else cls(**parameters).fit(X)


def line_of(cls, name):
    """The line of the engine's table for the option that a parameter sets."""
    return TABLES[cls._model][parameters_of(cls).options[name].name]


def excepted(exceptions, cls):
    """The parameters of a class that a list of exceptions names."""
    return {name for base, name in exceptions if issubclass(cls, base) and name in parameters_of(cls).options}


def outside(line):
    """Values that the engine's table does not allow."""
    if line["kind"] == "word":
        return ["no such word", 0.125]
    if line["kind"] == "yes_no":
        return ["perhaps", 0.125, 2]
    limits, values = line["limits"], [math.nan, math.inf, "no number", True]
    whole = line["kind"] == "whole_number"
    for end, step in (("lowest", -1), ("highest", 1)):
        if math.isfinite(limits[end]):
            value = limits[end] + step if limits[f"{end}_is_in"] else limits[end]
            values.append(int(value) if whole else value)
    return [*values, 1.5] if whole else values


# ---- What parameters set -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_every_option_is_a_parameter_or_is_known_not_to_be(cls):
    table = parameters_of(cls)
    set_by_parameters = {option.name for option in table.options.values()}
    texts = {line["name"] for line in TABLES[cls._model].values() if line["kind"] == "text"}
    written = {option: name for (owner, option), name in WRITTEN.items() if owner is cls}
    assert set(written.values()) <= set(table.defaults)
    others = set(NOT_PARAMETERS.get(cls, ()))
    assert set_by_parameters | set(written) | others | (texts & set(table.defaults)) == set(TABLES[cls._model])
    assert not others & (set_by_parameters | set(written) | set(table.defaults))


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_no_two_parameters_set_one_option(cls):
    names = [option.name for option in parameters_of(cls).options.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_defaults_are_those_of_the_engine(cls):
    table = parameters_of(cls)
    others = {
        name
        for name, option in table.options.items()
        if table.defaults[name] is not None and value_of(text_of(table.defaults[name])) != value_of(option.default)
    }
    assert others == excepted(DEFAULTS, cls)


# ---- What parameters may be ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_rules_are_those_of_the_options(cls):
    table = parameters_of(cls)
    options = {name: option.rule for name, option in table.options.items() if option.rule is not None}
    others = {name for name, rule in options.items() if table.rules[name] not in (rule, rule.or_none())}
    assert others == excepted(RULES, cls)


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_parameters_may_be_what_the_engine_allows(cls):
    table = parameters_of(cls)
    for name in set(table.options) - excepted(RULES, cls):
        line = line_of(cls, name)
        rule = table.rules.get(name)
        if line["kind"] == "text":
            assert rule is None
        elif line["kind"] == "word":
            assert all(rule.hold(word) for word in line["words"]), name
        elif line["kind"] == "yes_no":
            assert rule.hold(True) and rule.hold(np.False_), name
        else:
            ends = [end for end in ("lowest", "highest") if math.isfinite(line["limits"][end])]
            inside = [line["limits"][end] for end in ends if line["limits"][f"{end}_is_in"]]
            whole = line["kind"] == "whole_number"
            assert all(rule.hold(int(value) if whole else value) for value in inside), name


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_other_values_are_refused_by_the_name_of_the_parameter(cls):
    table = parameters_of(cls)
    for name, rule in table.rules.items():
        is_option = name in table.options and name not in excepted(RULES, cls)
        values = outside(line_of(cls, name)) if is_option else ["no such word", object()]
        for value in values if table.defaults[name] is None else [*values, None]:
            if value is None and rule.hold(None):
                continue
            with pytest.raises(ValueError, match=f"The '{name}' parameter of {cls.__name__} must be .* Got "):
                fit(cls, **{name: value})


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_truth_values_and_numbers_of_kernels_are_checked(cls):
    table = parameters_of(cls)
    truth_values = {name for name, value in table.defaults.items() if isinstance(value, bool)}
    assert (truth_values | {"gamma", "coef0", "degree"}) & set(table.defaults) <= set(table.rules)
    for name in truth_values:
        assert not table.rules[name].hold("yes") and not table.rules[name].hold(0.5), name
        assert table.rules[name].hold(np.True_) and table.rules[name].hold(False), name


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if "gamma" in parameters_of(cls).defaults], ids=called)
def test_texts_in_numbers_of_kernels_are_not_read_as_kernels(cls):
    for name in {"gamma", "coef0", "degree"} & set(parameters_of(cls).defaults):
        for text in ("1) + linear(", "0.5", "0.5 in 0.1..10", ""):
            with pytest.raises(ValueError, match=f"The '{name}' parameter of {cls.__name__} must be .* Got '"):
                fit(cls, **{name: text})
    assert fit(cls, gamma=np.float32(0.5)) is not None


def test_every_exception_is_one_of_some_class():
    for exceptions in (DEFAULTS, RULES):
        found = {(base, name) for base, name in exceptions for cls in CLASSES if name in excepted({(base, name)}, cls)}
        assert found == set(exceptions)


# ---- What is said of parameters ------------------------------------------------------------------------------------


def documentation():
    """By class and parameter: what its docstring says."""
    texts = {}
    for cls in CLASSES:
        section = re.search(r"Parameters\n    -+\n(.*?)\n\n    [A-Z]\w+\n    ---", cls.__doc__, re.DOTALL).group(1)
        for entry in re.split(r"\n(?=    \S)", section):
            names = entry.strip().split("\n")[0].split(" : ")[0]
            for name in names.split(", "):
                texts[cls.__name__, name] = entry
    return texts


DOCUMENTATION = documentation()


def said_of(cls_name, name):
    """What the docstrings say of a parameter, there and where they point to."""
    text = DOCUMENTATION[cls_name, name]
    others = [other for other in re.findall(r"[Aa]s in ``(\w+)``", text) if (other, name) in DOCUMENTATION]
    return " ".join([text, *(said_of(other, name) for other in others)])


@pytest.mark.parametrize("cls", CLASSES, ids=called)
def test_every_parameter_and_every_word_is_documented(cls):
    table = parameters_of(cls)
    assert {name for owner, name in DOCUMENTATION if owner == cls.__name__} == set(table.defaults)
    for name, rule in table.rules.items():
        words = rule.words if isinstance(rule, Words) else ()
        said = said_of(cls.__name__, name)
        missing = [word for word in words if isinstance(word, str) and f"'{word}'" not in said]
        assert not missing, (name, missing)
