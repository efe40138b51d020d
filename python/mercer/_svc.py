"""Support vector classifiers: SVC and NuSVC."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_consistent_length

from mercer import _core
from mercer._base import Array, step_count
from mercer._classifier import DecisionClassifier, ProbabilityMixin, votes_as_scores
from mercer._code_words import code_words
from mercer._options import OptionNames, check_parameters
from mercer._rules import Rules, Words
from mercer._svm_base import KernelMachine


class SupportClassifier(ProbabilityMixin, DecisionClassifier, KernelMachine):
    """What SVC and NuSVC share."""

    _rules: ClassVar[Rules] = {"decision_function_shape": Words(("ovr", "ovo"))}
    _option_names: ClassVar[OptionNames] = {"code": "code"}

    def _settings(self) -> dict[str, str]:
        code = getattr(self, "code", None)
        words = {} if code is None else {"code": code_words(code)}
        return {**super()._settings(), **words}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the widest margin between the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values; for kernels on
            strings or named columns a list of strings or a data frame.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row. A row of weight w counts as w rows; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        return self._fit_support(X, y, sample_weight, None)

    def _fit_support(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
        check_parameters(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        rows = self._fit_classes(X, y, sample_weight, groups)
        self._keep_machine(self._check_fitted(), rows)
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep_machine(model, None)

    def _keep_machine(self, model: _core.FittedModel, rows: Any) -> None:
        classes = model.array("support_classes")[:, 0].astype(np.intp)
        order = np.lexsort((model.array("support_rows")[:, 0], classes))
        self._keep_support(model, rows, order)
        classes = classes[order]
        count = len(self.classes_)
        self.n_support_ = np.bincount(classes, minlength=count).astype(np.int32)
        # Two classes: positive for the second. Pairs: positive for the first, as LIBSVM has it.
        self._pairs = self.multiclass in ("ovo", "dag") and count > 2
        self._machine_coefficients = model.array("coefficients")[order]
        self._keep_functions(model)
        self.dual_coef_ = self._machine_coefficients.T.copy()
        if self._pairs:
            self.dual_coef_ = _by_opponent(self._machine_coefficients, classes, count)
        if model.has_array("sigmoids"):
            self.probA_, self.probB_ = model.array("sigmoids").T.copy()
        self.n_iter_ = step_count(model)

    def decision_function(self, X: Any) -> Array:
        """Give the values that classes are chosen by.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray
            Two classes: shape (n_samples,), positive for ``classes_[1]``. More, with
            ``decision_function_shape="ovr"``: one column per class, votes with the sums of values between them;
            ``"ovo"``: one column per pair, positive for the first of the two.
        """
        values = super().decision_function(X)
        if self._pairs and self.decision_function_shape == "ovr":
            return votes_as_scores(values, len(self.classes_))
        return values

    def margins(self, X: Any, y: Any) -> Array:
        """Give the geometric margins of labelled rows, y f(x) / ||w||: distances in feature space.

        Positive where a row is on its own side. The least of them is the margin of the rows; divided by the least
        ``abs(decision_function(X))``, w and b are in canonical form for these rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        y : array-like of shape (n_samples,)
            Their labels; one that the fit has not seen has no margin (NaN).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_machines)
            Two classes: one number per row. More: a column per machine, NaN where a machine does not know the class.
        """
        model = self._check_fitted()
        check_consistent_length(X, y)
        numbers = {label: number for number, label in enumerate(self.classes_.tolist())}
        codes = [numbers.get(label, -1) for label in np.asarray(y).tolist()]
        values, _ = _core.margins(model, self._samples(X), codes, threads=self._threads())
        return np.asarray(values[:, 0] if values.shape[1] == 1 else values)

    def predict(self, X: Any) -> Array:
        """Predict the class of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of shape (n_samples,)
            With ``probability=True`` the most probable class. Otherwise the winner of the votes, and of several the
            first, or with ``break_ties`` the one of the largest decision value.
        """
        own_way = _core.decision_rule(self._check_fitted()) is None
        if own_way and self.break_ties and len(self.classes_) > 2 and not self.probability:
            return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])
        return super().predict(X)


def _by_opponent(coefficients: Array, classes: Array, count: int) -> Array:
    """Coefficients of pairs in LIBSVM's layout: row r of a vector of class c is its machine against the r-th other."""
    result = np.zeros((count - 1, len(classes)))
    first, second = np.triu_indices(count, 1)
    for machine, (i, j) in enumerate(zip(first, second, strict=True)):
        of_i, of_j = classes == i, classes == j
        result[j - 1, of_i] = coefficients[of_i, machine]
        result[i, of_j] = coefficients[of_j, machine]
    return result


class GroupClassifier(SupportClassifier):
    """What has a slack per row, or one per group of rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Find the widest margin between the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values; for kernels on
            strings or named columns a list of strings or a data frame.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row. A row of weight w counts as w rows; rows of weight 0 are left out. With
            ``slack="group"`` the price of a group is that of the mean weight of its rows.
        groups : array-like of shape (n_samples,), optional
            For ``slack="group"``, which needs them: rows with the same value share a slack, and a row whose value is
            missing (None, NaN) is a group of its own. Has no effect with another slack.

        Returns
        -------
        self
        """
        return self._fit_support(X, y, sample_weight, groups)


class SVC(GroupClassifier):
    """Support vector classifier: a wide margin, and C for every unit of slack.

    Parameters and attributes are those of ``sklearn.svm.SVC``. Fits use all cores, stop within a fifth of a second
    on Ctrl-C, and give the same bits for any number of threads.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin error, the bound of every coefficient.
    kernel : str, Kernel or callable, default='rbf'
        'linear', 'poly', 'rbf', 'sigmoid' or 'precomputed'; a spec such as ``"matern(nu=1.5)[age, bmi]"``; a kernel of
        ``mercer.kernels`` or ``sklearn.gaussian_process.kernels``; or a function of two arrays that gives their
        kernel matrix.
    degree : int, default=3
        Of 'poly'.
    gamma : {'scale', 'auto', 'median'} or float, default='scale'
        Of 'rbf', 'poly' and 'sigmoid'. scale: 1 / (n_features * X.var()); auto: 1 / n_features; median: one over the
        median of squared distances.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    shrinking : bool, default=True
        Leave out rows that rest at a bound while solving; the result is the same.
    probability : bool, default=False
        Fit sigmoids for ``predict_proba`` on five held-out folds. ``predict`` then agrees with them.
    tol : float, default=1e-3
        How far optimality conditions may be violated.
    cache_size : float, default=200
        Taken for compatibility; ``memory_mb`` bounds memory.
    class_weight : dict or 'balanced', optional
        Multiplies C by class.
    verbose : bool, default=False
        Show a progress bar.
    max_iter : int, default=-1
        Limit on steps of the solver; -1: none that is met in practice.
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Shape of ``decision_function`` for three classes and more.
    break_ties : bool, default=False
        Decide equal votes by decision values.
    random_state : int, RandomState instance or None, default=None
        Deals the folds of ``probability``; None is 0.
    multiclass : {'ovo', 'ovr', 'dag', 'code', 'ww', 'cs'}, default='ovo'
        Three classes and more: pairs with votes, one against the rest, pairs in a graph, random error-correcting
        codes, or all classes in one problem (Weston-Watkins, Crammer-Singer).
    code : array-like of shape (n_classes, n_machines) or str, optional
        Of multiclass='code': -1, 0 and 1, what every machine separates, in the order of ``classes_``; 0 for classes
        that it never sees. Or words of signs, ``"++-;-0+"``. None: random words.
    decoding : {'auto', 'hinge', 'linear', 'hamming'}, default='auto'
        Of multiclass='code' and 'ovr': the class whose word loses least by the hinge loss of the values, over machines
        that saw the class, or by the linear loss, or whose word has the fewest wrong signs; of equal ones the first.
        auto: hinge for codes, the largest value for 'ovr'.
    slack : {'linear', 'squared', 'none', 'group'}, default='linear'
        C times the slack, C times its square, a hard margin for classes that can be separated, or C times the largest
        slack of every group of rows: ``fit(X, y, groups=...)``.
    formulation : {'dual', 'primal'}, default='dual'
        'primal' finds the same optimum in the coefficients of the function, which C does not bound, by an interior
        point method, for up to some thousand rows.
    parametric : str, default='constant'
        Functions beside the kernel that are not penalised: 'none', 'constant', 'linear', 'quadratic',
        'periodic(period=12)', any on some columns ('linear[age, dose]'), or a sum of them. All but 'constant' are
        solved by an interior point with the whole kernel matrix.
    parametric_l1 : float, default=0
        Price of the sum of the absolute coefficients of these functions, the constant's left out; 0: they are free.
    precision : {'auto', 'float', 'double'}, default='auto'
        Of the kernel values that decide. 'float' fits and predicts up to twice as fast, with decision values right to
        about six digits. auto: 'double' for up to 5000 float64 rows, where it costs little, otherwise 'float'.
    memory_mb : float, default=0
        What kernel values may take; 0: half of the machine's memory.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors, grouped by class.
    support_vectors_ : array of shape (n_SV, n_features)
        Their rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        How many each class has.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Coefficients with their signs, in LIBSVM's layout.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        One per machine.
    parametric_coef_ : ndarray of shape (n_functions, n_machines)
        Coefficients of ``parametric_names_``.
    parametric_names_ : list of str
        The functions of ``parametric``, "1" the first.
    coef_ : ndarray of shape (n_machines, n_features)
        For a linear kernel.
    probA_, probB_ : ndarray
        The sigmoids, where ``probability`` is true.
    class_weight_ : ndarray of shape (n_classes,)
        The factors of C.
    fit_status_ : int
        0 where the solver converged.
    n_iter_ : int
        Steps, of all machines together.
    n_features_in_, feature_names_in_, shape_fit_
        As in every estimator of scikit-learn.
    fit_report_ : dict
        What the solver says: status, iterations, objective, seconds, measures, notes.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVC
    >>> X = np.array([[-1.0, -1], [-2, -1], [1, 1], [2, 1]])
    >>> model = SVC(gamma="auto").fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[-0.8, -1], [3, 2]])
    array(['no', 'yes'], dtype='<U3')
    """

    _model = "svc"
    _reads_files_of = ("MultipleKernelSVC",)
    _option_names: ClassVar[OptionNames] = {"parametric": "parametric"}
    _weights_as_peer = True

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multiclass: str = "ovo",
        code: Any = None,
        decoding: str = "auto",
        slack: str = "linear",
        formulation: str = "dual",
        parametric: str = "constant",
        parametric_l1: float = 0,
        precision: str = "auto",
        memory_mb: float = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.slack = slack
        self.formulation = formulation
        self.parametric = parametric
        self.parametric_l1 = parametric_l1
        self.precision = precision
        self.memory_mb = memory_mb
        self.n_jobs = n_jobs


class NuSVC(GroupClassifier):
    """Support vector classifier that takes a fraction of margin errors in place of a price.

    Parameters and attributes are those of ``sklearn.svm.NuSVC``; those that are not listed here are as in ``SVC``.

    Parameters
    ----------
    nu : float, default=0.5
        At most this fraction of rows are margin errors, at least this fraction are support vectors.
    hull : float, optional
        In place of ``nu``: how much one row may count in the nearest points of the reduced convex hulls of two classes,
        ``nu = 2 / (hull * n_rows)`` of every machine. From 1 on the hulls themselves: a hard margin.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose, max_iter
        As in ``SVC``.
    decision_function_shape, break_ties, random_state, precision, memory_mb, n_jobs
        As in ``SVC``.
    multiclass : {'ovo', 'ovr', 'dag', 'code', 'ww'}, default='ovo'
        How three classes and more are told apart. 'ww' is one problem of all classes (Weston-Watkins), where nu is a
        fraction of the pairs of a row and another class.
    code, decoding
        As in ``SVC``.
    slack : {'linear', 'group'}, default='linear'
        A slack per row, or one per group of rows (``fit(X, y, groups=...)``), where nu is a fraction of groups.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import NuSVC
    >>> X = np.array([[-1.0, -1], [-2, -1], [1, 1], [2, 1]])
    >>> NuSVC(gamma="auto").fit(X, [1, 1, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    _model = "nusvc"
    _weights_as_peer = True

    def _settings(self) -> dict[str, str]:
        # Weights of classes may be such that no margin satisfies nu; then the heavier class is the answer.
        limit = {} if self.class_weight is None or self.slack == "group" else {"infeasible": "limit"}
        return {**super()._settings(), **limit}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multiclass: str = "ovo",
        code: Any = None,
        decoding: str = "auto",
        slack: str = "linear",
        hull: float | None = None,
        precision: str = "auto",
        memory_mb: float = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.slack = slack
        self.hull = hull
        self.precision = precision
        self.memory_mb = memory_mb
        self.n_jobs = n_jobs
