"""Kernel perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer._classifier import DecisionClassifier
from mercer._options import OptionNames, check_parameters
from mercer._pairwise import PairwiseClassifier


class KernelPerceptron(PairwiseClassifier, DecisionClassifier):
    """Kernel perceptron: a function that is changed by its mistakes.

    Parameters
    ----------
    form : {'averaged', 'plain', 'voted'}, default='averaged'
        The average of all functions that the walk went through, the last one, or the votes of all of them.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    max_iter : int, default=50
        Limit on passes over the rows; a pass without mistakes is the last.
    margin : float, default=0
        Ask for this distance from the boundary in feature space; 0: the right side is enough.
    fit_intercept : bool, default=True
        Learn an offset.
    multiclass : {'rest', 'joint'}, default='rest'
        Three classes and more: each against the rest; or a mistake moves the right class and the one that won.
    shuffle : bool, default=True
        Every pass in another random order.
    budget : int, default=0
        How many rows the function may keep; 0: any number.
    policy : {'project', 'oldest', 'smallest'}, default='project'
        Beyond the budget: project mistakes onto the span of the rows there are, or drop the oldest or smallest term.
    memory_mb : float, default=0
        For kernel rows; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_iter_ : int
        Passes over the rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.linear_model import KernelPerceptron
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> KernelPerceptron(gamma=1).fit(X, [0, 1, 1, 0]).predict(X)
    array([0, 1, 1, 0])
    """

    _model = "perceptron"
    _option_names: ClassVar[OptionNames] = {"max_iter": "epochs", "fit_intercept": "offset", "multiclass": "classes"}

    def __init__(
        self,
        *,
        form: str = "averaged",
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        max_iter: int = 50,
        margin: float = 0,
        fit_intercept: bool = True,
        multiclass: str = "rest",
        shuffle: bool = True,
        budget: int = 0,
        policy: str = "project",
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.form = form
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.max_iter = max_iter
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.multiclass = multiclass
        self.shuffle = shuffle
        self.budget = budget
        self.policy = policy
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> KernelPerceptron:
        """Walk over the rows until none is wrong.

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
        self.n_iter_ = max(1, int(self._check_fitted().facts("epochs")[""]))
        return self

    def _adopt(self, model: Any) -> None:
        super()._adopt(model)
        self.n_iter_ = max(1, int(model.facts("epochs")[""]))
