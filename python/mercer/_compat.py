"""What differs between releases of scikit-learn, from 1.4 on."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn.utils import check_array
from sklearn.utils.fixes import parse_version

HAS_TAGS = parse_version(sklearn.__version__) >= parse_version("1.6")


def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Check X (and y) against an estimator: the function of scikit-learn 1.6, or the method it had before.

    Parameters
    ----------
    estimator : BaseEstimator
        Gets n_features_in_ and feature_names_in_ where ``reset`` is true.
    X, y : array-like
        y left out: only X is checked.
    **options
        As ``sklearn.utils.check_array`` takes them, and ``reset``.

    Returns
    -------
    X or (X, y)
    """
    if HAS_TAGS:
        from sklearn.utils.validation import validate_data as validate

        return validate(estimator, X, y, **options)
    if "ensure_all_finite" in options:
        options["force_all_finite"] = options.pop("ensure_all_finite")
    return estimator._validate_data(X, y, **options)


def check_names(estimator: Any, X: Any, *, reset: bool) -> None:
    """Keep the number of columns and their names (where all of them are strings), or compare with those of the fit."""
    if HAS_TAGS:
        from sklearn.utils.validation import _check_feature_names, _check_n_features

        _check_feature_names(estimator, X, reset=reset)
        _check_n_features(estimator, X, reset=reset)
        return
    estimator._check_feature_names(X, reset=reset)
    estimator._check_n_features(X, reset=reset)


def check_numbers(estimator: Any, matrix: Any, *, missing: bool, fewest_rows: int) -> Any:
    """Check a matrix of numbers as ``sklearn.utils.check_array`` does; missing: whether NaN may stand in it."""
    name = "ensure_all_finite" if HAS_TAGS else "force_all_finite"
    return check_array(
        matrix,
        dtype=(np.float64, np.float32),
        ensure_min_samples=fewest_rows,
        estimator=estimator,
        input_name="X",
        **{name: "allow-nan" if missing else True},
    )


class TagsMixin:
    """One description of an estimator for both forms of tags.

    Derived classes say what they need in ``_traits``: ``sparse``, ``pairwise``, ``requires_fit``, ``multi_output``,
    ``requires_y``, ``positive_only``.
    """

    def _traits(self) -> dict[str, bool]:
        return {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        traits = self._traits()
        tags.input_tags.sparse = traits.get("sparse", tags.input_tags.sparse)
        tags.input_tags.pairwise = traits.get("pairwise", tags.input_tags.pairwise)
        tags.input_tags.positive_only = traits.get("positive_only", tags.input_tags.positive_only)
        tags.requires_fit = traits.get("requires_fit", tags.requires_fit)
        tags.target_tags.required = traits.get("requires_y", tags.target_tags.required)
        tags.target_tags.multi_output = traits.get("multi_output", tags.target_tags.multi_output)
        return tags

    def _more_tags(self) -> dict[str, Any]:
        names = {
            "pairwise": "pairwise",
            "requires_fit": "requires_fit",
            "requires_y": "requires_y",
            "multi_output": "multioutput",
            "positive_only": "requires_positive_X",
        }
        return {names[trait]: value for trait, value in self._traits().items() if trait in names}
