"""Gaussian process classification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF, CompoundKernel, ConstantKernel
from sklearn.gaussian_process.kernels import Kernel as ForeignKernel
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _labels
from mercer._base import Array
from mercer._bundle import Bundle, fact_list
from mercer._classifier import Probabilities, ZeroIsFirst
from mercer._gp_parameters import Theta, fitted_kernel, gp_choice, gp_convergence_words
from mercer._gpc_posterior import Posterior
from mercer._kernel_choice import KernelChoice
from mercer._options import OptionNames, check_parameters
from mercer._parameters import text_of
from mercer._rules import AT_LEAST_ONE, Rules, Words
from mercer._samples import is_frame
from mercer.kernels import as_kernel

WRAPPERS = {"one_vs_rest": OneVsRestClassifier, "one_vs_one": OneVsOneClassifier}


class GaussianProcessClassifier(ZeroIsFirst, Probabilities):
    """Gaussian process classification: probabilities averaged over latent functions.

    Parameters and attributes are those of ``sklearn.gaussian_process.GaussianProcessClassifier``.

    Parameters
    ----------
    kernel : Kernel, str or kernel of sklearn.gaussian_process.kernels, optional
        The covariance of the latent functions. None: a Gaussian of unit variance and width, which is not learnt.
    optimizer : 'fmin_l_bfgs_b' or None, default='fmin_l_bfgs_b'
        Whether parameters are learnt from the evidence, by the engine's own search.
    n_restarts_optimizer : int, default=0
        Further random starts, run in parallel.
    max_iter_predict : int, default=100
        Taken for compatibility; Newton's iteration always runs to its end.
    warm_start : bool, default=False
        Taken for compatibility.
    copy_X_train : bool, default=True
        Keep a copy of the rows, which the model refers to.
    random_state : int, RandomState instance or None, default=None
        Seed of the restarts; None is 0.
    multi_class : {'one_vs_rest', 'one_vs_one', 'softmax'}, default='one_vs_rest'
        Three classes and more. 'softmax': one latent function per class in one model, with one kernel for all; its
        probabilities are better, and its model file is one that the program reads.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.
    link : {'logistic', 'probit'}, default='logistic'
        From latent values to probabilities, for two classes.
    inference : {'laplace', 'ep', 'variational'}, default='laplace'
        Expectation propagation is the most accurate, for two classes.
    label_noise : float, default=0
        Two classes: the probability that a label is flipped, where learning starts.
    search_rows : int, default=0
        Learn from so many rows, drawn from every class in proportion; 0: all.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_classes_ : int
        How many there are.
    kernel_ : Kernel or kernel of sklearn.gaussian_process.kernels
        With the parameters that were found; for pairs or one against the rest a list of them, or a ``CompoundKernel``
        where they are scikit-learn's.
    base_estimator_ : OneVsRestClassifier, OneVsOneClassifier or Posterior
        For pairs or one against the rest the binary classifiers. Otherwise the posterior of the one model, with
        ``f_``, ``pi_``, ``W_sr_`` and ``L_`` where there are two classes.
    X_train_, y_train_ : array
        Rows of the fit and the numbers of their classes, where there is one model.
    log_marginal_likelihood_value_ : float
        Of the fit; the mean over binary ones.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.gaussian_process import GaussianProcessClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> gpc = GaussianProcessClassifier("1*rbf(lengthscale=1)", multi_class="softmax").fit(X[::3], y[::3])
    >>> gpc.predict_proba(X[:2]).argmax(axis=1)
    array([0, 0])
    """

    _model = "gpc"
    _option_names: ClassVar[OptionNames] = {"n_restarts_optimizer": "restarts"}
    _rules: ClassVar[Rules] = {
        "optimizer": Words(("fmin_l_bfgs_b", None)),
        "max_iter_predict": AT_LEAST_ONE,
        "multi_class": Words(("one_vs_rest", "one_vs_one", "softmax")),
    }

    def __init__(
        self,
        kernel: Any = None,
        *,
        optimizer: str | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Any = None,
        multi_class: str = "one_vs_rest",
        n_jobs: int | None = None,
        link: str = "logistic",
        inference: str = "laplace",
        label_noise: float = 0,
        search_rows: int = 0,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.link = link
        self.inference = inference
        self.label_noise = label_noise
        self.search_rows = search_rows
        self.verbose = verbose

    def _traits(self) -> dict[str, bool]:
        return {"sparse": True}

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        return gp_choice(self._requested_kernel(), X)

    def _requested_kernel(self) -> Any:
        return ConstantKernel(1.0, "fixed") * RBF(1.0, "fixed") if self.kernel is None else self.kernel

    def _settings(self) -> dict[str, str]:
        return {**super()._settings(), "optimize": text_of(self.optimizer is not None)}

    def _check_rows(self, X: Any, choice: KernelChoice, *, reset: bool) -> Any:
        rows = super()._check_rows(X, choice, reset=reset)
        return rows.copy() if reset and self.copy_X_train and hasattr(rows, "copy") else rows

    def _convergence_words(self, model: _core.FittedModel) -> str:
        return gp_convergence_words(self, model.report)

    # ---- Fit -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> GaussianProcessClassifier:
        """Learn the parameters and approximate the posterior of the latent functions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), data frame or list of strings
            Training rows, as the kernel takes them.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.

        Returns
        -------
        self
        """
        check_parameters(self)
        for name in ("_binary", "_fitted", "X_train_", "y_train_"):
            self.__dict__.pop(name, None)
        if self.multi_class != "softmax" and y is not None:
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
            if len(np.unique(y)) > 2:
                return self._fit_binary(X, y)
        self.X_train_ = self._fit_classes(X, y)
        self.y_train_ = _labels.encode(y)[1]
        model = self._check_fitted()
        self.n_classes_ = len(self.classes_)
        self.kernel_ = fitted_kernel(self._requested_kernel(), model.kernel)
        self.log_marginal_likelihood_value_ = float(model.report["objective"])
        return self

    def _fit_binary(self, X: Any, y: Any) -> GaussianProcessClassifier:
        rows = self._check_rows(X, self._choice(X), reset=True)
        self._binary = WRAPPERS[self.multi_class](clone(self).set_params(copy_X_train=False))
        # The columns of a frame are coded by each of them.
        self._binary.fit(X if is_frame(X) else rows, y)
        self._keep_binary()
        return self

    def _rows_of_parts(self, X: Any) -> Any:
        """New rows for the binary classifiers, which check frames themselves."""
        return X if is_frame(X) else self._check_rows(X, self._choice(X), reset=False)

    def _keep_binary(self) -> None:
        """Set what follows from the binary classifiers."""
        self.classes_ = self._binary.classes_
        self.n_classes_ = len(self.classes_)
        parts = self._binary.estimators_
        kernels = [part.kernel_ for part in parts]
        self.kernel_ = CompoundKernel(kernels) if isinstance(kernels[0], ForeignKernel) else kernels
        self.log_marginal_likelihood_value_ = float(np.mean([part.log_marginal_likelihood_value_ for part in parts]))

    @property
    def base_estimator_(self) -> Any:
        """The binary classifiers, or the posterior of the one model."""
        if hasattr(self, "_binary"):
            return self._binary
        if not hasattr(self, "_fitted"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'base_estimator_' before a fit")
        return Posterior(self)

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self.multi_class = "softmax"
        self.n_classes_ = len(self.classes_)
        self.optimizer = "fmin_l_bfgs_b" if model.settings()["optimize"] == "yes" else None
        self.kernel_ = as_kernel(model.kernel)
        self.log_marginal_likelihood_value_ = float(model.report["objective"])

    # ---- Prediction ----------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """Predict the class of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "classes_")
        if hasattr(self, "_binary"):
            return np.asarray(self._binary.predict(self._rows_of_parts(X)))
        return super().predict(X)

    def predict_proba(self, X: Any) -> Array:
        """Give the probability of every class, averaged over the latent functions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self, "classes_")
        if hasattr(self, "_binary"):
            if self.multi_class == "one_vs_one":
                raise ValueError(
                    "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest "
                    "or softmax mode instead."
                )
            return np.asarray(self._binary.predict_proba(self._rows_of_parts(X)))
        return self._probabilities(X)

    def latent_mean_and_variance(self, X: Any) -> tuple[Array, Array]:
        """Give the mean and the variance of the latent function; for two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        mean, variance : ndarray of shape (n_samples,)
            Positive means are for ``classes_[1]``.
        """
        check_is_fitted(self, "classes_")
        if self.n_classes_ > 2:
            raise ValueError(
                "Returning the mean and variance of the latent function f is only supported for binary classification, "
                f"received {self.n_classes_} classes."
            )
        model, samples, threads = self._check_fitted(), self._samples(X), self._threads()
        mean = np.asarray(model.decide(samples, threads=threads))[:, 0]
        return mean, np.asarray(model.latent_variances(samples, threads=threads))

    # ---- Evidence ------------------------------------------------------------------------------------------------

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> float | tuple[float, Array]:
        """Give the log evidence of the labels; the mean over binary classifiers where there are several.

        Parameters
        ----------
        theta : array-like, optional
            Logarithms of the free parameters of ``kernel_``; None: those that were found. For pairs or one against the
            rest those of every kernel in turn, or of one kernel for all.
        eval_gradient : bool, default=False
            Whether to give the gradient by theta too.
        clone_kernel : bool, default=True
            Taken for compatibility; ``kernel_`` is never changed.

        Returns
        -------
        value : float
        gradient : ndarray
            Where ``eval_gradient`` is true.
        """
        check_is_fitted(self, "classes_")
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        values = np.asarray(theta, dtype=float)
        value, gradient = self._evidence(values) if hasattr(self, "_fitted") else self._mean_evidence(values)
        return (value, gradient) if eval_gradient else value

    def _evidence(self, theta: Array) -> tuple[float, Array]:
        if not hasattr(self, "X_train_"):
            raise AttributeError("a model from a file has no labels: fit again, or pickle the estimator")
        place = Theta(self.kernel_).at(theta)
        settings = {**self._settings(), "label_noise": self._check_fitted().settings()["label_noise"]}
        value, by_value = _core.gpc_evidence(
            place.compiled,
            settings,
            self._prepared(self.X_train_),
            self.y_train_,
            _labels.texts(self.classes_),
            threads=self._threads(),
        )
        return value, place.gradient(by_value) if np.isfinite(value) else np.zeros_like(theta)

    def _mean_evidence(self, theta: Array) -> tuple[float, Array]:
        parts = self._binary.estimators_
        size = Theta(parts[0].kernel_).start.size
        if theta.shape not in ((size,), (size * len(parts),)):
            raise ValueError(
                f"Shape of theta must be either {size} or {size * len(parts)}. Obtained theta with shape {theta.size}."
            )
        shared = theta.size == size
        places = np.broadcast_to(theta, (len(parts), size)) if shared else theta.reshape(len(parts), size)
        found = [part._evidence(place) for part, place in zip(parts, places, strict=True)]
        gradients = np.array([gradient for _, gradient in found]) / len(parts)
        value = float(np.mean([value for value, _ in found]))
        return value, gradients.sum(axis=0) if shared else gradients.ravel()

    # ---- Model files ---------------------------------------------------------------------------------------------

    def _bundle(self) -> Bundle | None:
        if not hasattr(self, "_binary"):
            return super()._bundle()
        facts = {
            "multi_class": "one_vs_one" if isinstance(self._binary, OneVsOneClassifier) else "one_vs_rest",
            "classes": _labels.texts(self.classes_),
            "label_kind": _labels.kind_of(self.classes_),
        }
        return Bundle([part._check_fitted() for part in self._binary.estimators_], facts)

    def _take_facts(self, facts: Mapping[str, Any]) -> None:
        super()._take_facts(facts)
        if not hasattr(self, "_binary"):
            return
        for part in self._binary.estimators_:
            part.set_params(**self.get_params(deep=False)).copy_X_train = False
        self._binary = joined(WRAPPERS[facts["multi_class"]](clone(self)), self.classes_, self._binary.estimators_)

    def _join(self, bundle: Bundle) -> None:
        """Put the binary classifiers together."""
        kind, texts = bundle.facts.get("multi_class"), fact_list(bundle.facts, "classes", str)
        count = len(texts)
        wanted = {"one_vs_rest": count, "one_vs_one": count * (count - 1) // 2}.get(str(kind))
        if len(bundle.models) != wanted or any(len(model.classes) != 2 for model in bundle.models):
            raise ValueError(f"the archive's {len(bundle.models)} models are not those of {count} classes, {kind!r}")
        label_kind = bundle.facts.get("label_kind")
        if label_kind not in (None, *_labels.KINDS.values()):
            raise ValueError(f"the archive's kind of labels is {label_kind!r}")
        parts = [self._from_model(model) for model in bundle.models]
        self.multi_class = str(kind)
        self._binary = joined(WRAPPERS[self.multi_class](clone(self)), _labels.from_texts(texts, label_kind), parts)
        del self._fitted
        self._keep_binary()


def joined(wrapper: Any, classes: Array, parts: list[Any]) -> Any:
    """A fitted OneVsRestClassifier or OneVsOneClassifier from its fitted parts."""
    wrapper.estimators_ = parts
    wrapper.n_features_in_ = parts[0].n_features_in_
    if isinstance(wrapper, OneVsRestClassifier):
        wrapper.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(classes)
    else:
        wrapper.pairwise_indices_ = None
    if not hasattr(wrapper, "classes_"):  # a property of OneVsRestClassifier in older releases
        wrapper.classes_ = classes
    return wrapper
