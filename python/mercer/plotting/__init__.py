"""Pictures of data, kernels and fitted models, as scikit-learn's Display classes.

Every class holds what it draws as attributes, is made by ``from_estimator`` or ``from_predictions`` (or from what it is
a picture of), and draws itself with ``plot(ax=...)``. Matplotlib is needed for drawing only.
"""

from mercer.plotting._coverage import CoverageDisplay
from mercer.plotting._decision_regions import DecisionRegionsDisplay
from mercer.plotting._gram import GramDisplay
from mercer.plotting._intervals import PredictionIntervalDisplay
from mercer.plotting._profile import ProfileDisplay
from mercer.plotting._relevance import RelevanceDisplay
from mercer.plotting._tuning import TuningDisplay

__all__ = [
    "CoverageDisplay",
    "DecisionRegionsDisplay",
    "GramDisplay",
    "PredictionIntervalDisplay",
    "ProfileDisplay",
    "RelevanceDisplay",
    "TuningDisplay",
]
