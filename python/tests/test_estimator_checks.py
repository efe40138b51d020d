"""scikit-learn's own checks of estimators, and the signatures of the classes that ours stand for."""

import inspect

import pytest
import sklearn.cluster
import sklearn.linear_model
import sklearn.model_selection
import sklearn.svm
from estimator_list import COUNTERPARTS, called
from sklearn.utils import estimator_checks

from mercer import (
    decomposition,
    discriminant_analysis,
    linear_model,
    sparse_bayes,
    svm,
)

PRECOMPUTED = [svm.SVC, svm.SVR, decomposition.KernelPCA]
OPTIONS = {
    # Without the search for a penalty, which refits many times.
    linear_model.L1VMClassifier: {"alpha": 1.0},
    # A check asks for the most probable class, which the default, a cut by least squares, need not give.
    discriminant_analysis.KernelFisherDiscriminant: {"threshold": "bayes"},
}
ESTIMATORS = [cls(**OPTIONS.get(cls, {})) for cls in COUNTERPARTS] + [cls(kernel="precomputed") for cls in PRECOMPUTED]

WEIGHTS = "rows change the default width gamma='scale', and a solution holds to tol, not to 1e-7"
WEIGHT_CHECKS = dict.fromkeys(
    [
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
        "check_sample_weights_invariance",
    ],
    WEIGHTS,
)
FOLDS = dict.fromkeys(WEIGHT_CHECKS, "cross-validation draws folds of rows, whatever they weigh")
# scikit-learn expects the same of its own class, for the same reasons.
EXPECTED = {
    svm.SVC: WEIGHT_CHECKS,
    svm.NuSVC: WEIGHT_CHECKS,
    svm.LinearSVC: WEIGHT_CHECKS,
    svm.SVR: WEIGHT_CHECKS,
    svm.NuSVR: WEIGHT_CHECKS,
    svm.LinearSVR: WEIGHT_CHECKS,
    svm.OneClassSVM: WEIGHT_CHECKS,
    svm.KernelQuantileRegressor: WEIGHT_CHECKS,
    linear_model.L1VMRegressor: FOLDS,
    sparse_bayes.LaplacianProcessRegressor: FOLDS,
}
# Classes that scikit-learn has not, with that whose expected failures they may share.
RELATIVES = {
    **dict.fromkeys(
        [linear_model.L1VMRegressor, sparse_bayes.LaplacianProcessRegressor],
        getattr(sklearn.model_selection, "TunedThresholdClassifierCV", None),
    ),
    svm.KernelQuantileRegressor: sklearn.svm.SVR,
}


def expected_failures(estimator):
    return dict(EXPECTED.get(type(estimator), {}))


if "expected_failed_checks" in inspect.signature(estimator_checks.parametrize_with_checks).parameters:

    @estimator_checks.parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
    def test_check(estimator, check):
        check(estimator)

else:

    @estimator_checks.parametrize_with_checks(ESTIMATORS)
    def test_check(estimator, check):
        name = getattr(check, "func", check).__name__
        try:
            check(estimator)
        except Exception:
            if name not in expected_failures(estimator):
                raise
            pytest.xfail(expected_failures(estimator)[name])


# Folds are the only reason: with a penalty that is given, weights count rows.
@pytest.mark.parametrize(
    "estimator", [linear_model.L1VMRegressor(alpha=1.0), sparse_bayes.LaplacianProcessRegressor(alpha=1.0)], ids=repr
)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_weights_count_rows_where_no_folds_choose(estimator, kind):
    check = getattr(estimator_checks, f"check_sample_weight_equivalence_on_{kind}_data", None)
    if check is None:
        pytest.skip("this version of scikit-learn has no such check")
    check(type(estimator).__name__, estimator)


def test_no_failure_is_expected_that_scikit_learn_does_not_expect_of_its_own_class():
    common = pytest.importorskip("sklearn.utils._test_common.instance_generator")
    for cls, checks in EXPECTED.items():
        theirs = common.PER_ESTIMATOR_XFAIL_CHECKS[COUNTERPARTS[cls] or RELATIVES[cls]]
        # The check of sparse rows is that of dense ones; some of their classes have no sparse rows.
        ours = {check.replace("_on_sparse_data", "_on_dense_data") for check in checks}
        assert ours - {"check_sample_weights_invariance"} <= set(theirs), cls


@pytest.mark.parametrize("cls", [c for c, theirs in COUNTERPARTS.items() if theirs and c is not svm.SVDD], ids=called)
def test_parameters_and_defaults_are_those_of_scikit_learn(cls):
    ours = inspect.signature(cls).parameters
    for name, parameter in inspect.signature(COUNTERPARTS[cls]).parameters.items():
        assert name in ours
        assert ours[name].kind == parameter.kind or parameter.kind is parameter.KEYWORD_ONLY
        if parameter.default not in ("deprecated", "warn"):
            assert ours[name].default == parameter.default, name
