"""Bayes point classifier."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer._classifier import DecisionClassifier, ProbabilityMixin
from mercer._options import OptionNames, check_parameters
from mercer._pairwise import PairwiseClassifier


class BayesPointClassifier(ProbabilityMixin, PairwiseClassifier, DecisionClassifier):
    """Bayes point classifier: the mean of all machines that tell the classes apart, found by sampling them.

    Parameters
    ----------
    ridge : float, default=0.01
        Added to the kernel of every row with itself, in units of the mean of k(x, x): what errors cost. 0: no errors.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    multiclass : {'ovr', 'ovo', 'dag'}, default='ovr'
        Several classes: a machine per class, or per pair (votes or graph); ``decision_function`` has a column for each.
    samples : int, default=1000
        How many machines are drawn; their mean answers.
    walk : {'reflect', 'hitandrun'}, default='reflect'
        How they are drawn.
    chains : int, default=4
        How many walks they come from.
    thin, burn_in : int, default=0
        Steps from one sample to the next, and before the first; 0: as the walk needs.
    committee : int, default=0
        How many samples are kept, for ``predict_proba``; 0: none. 100 tells shares to a few hundredths.
    tol : float, default=0.1
        How far split R-hat, which compares the walks, may be above 1.
    memory_mb : float, default=0
        Limit for matrices of all pairs of rows; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``; the report has split R-hat and the effective number of samples.

    Examples
    --------
    >>> from mercer.svm import BayesPointClassifier
    >>> X = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> model = BayesPointClassifier(kernel="linear", random_state=0).fit(X, [0, 0, 1, 1])
    >>> model.predict([[-3.0], [0.5]])
    array([0, 1])
    """

    _model = "bayespoint"
    _option_names: ClassVar[OptionNames] = {}

    def __init__(
        self,
        *,
        ridge: float = 0.01,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        multiclass: str = "ovr",
        samples: int = 1000,
        walk: str = "reflect",
        chains: int = 4,
        thin: int = 0,
        burn_in: int = 0,
        committee: int = 0,
        tol: float = 0.1,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.ridge = ridge
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.multiclass = multiclass
        self.samples = samples
        self.walk = walk
        self.chains = chains
        self.thin = thin
        self.burn_in = burn_in
        self.committee = committee
        self.tol = tol
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> BayesPointClassifier:
        """Sample the machines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit_classes(X, y)
        return self

    def _require_probabilities(self) -> None:
        if not self.committee > 0:
            raise AttributeError("predict_proba needs a committee of the samples: committee=200, say, before the fit")
