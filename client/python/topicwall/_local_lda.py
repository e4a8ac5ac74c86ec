"""A topic model of documents that are at hand, as a scikit-learn estimator."""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from topicwall import _topicwall
from topicwall._arguments import (MOST_SEED, check_all_unicode, check_unmasked, text_of,
                                  whole_number)
from topicwall._counts import counted, summed
from topicwall._export import exp_expected_log

if TYPE_CHECKING:
    from topicwall._model import Model

__all__ = ["LocalLDA"]

# What scikit-learn's takes and this trainer has no use for, with the defaults there.
_WITHOUT_EFFECT = {
    "topic_word_prior": None,
    "learning_method": "batch",
    "learning_decay": 0.7,
    "learning_offset": 10.0,
    "batch_size": 128,
    "evaluate_every": -1,
    "total_samples": 1e6,
    "perp_tol": 1e-1,
    "mean_change_tol": 1e-3,
    "max_doc_update_iter": 100,
}


class LocalLDA(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Latent Dirichlet allocation without a wall, without noise and without privacy.

    The trainer of private fits (``topicwall fit --no-privacy``) on counts that the analyst owns.
    Takes the place of :class:`sklearn.decomposition.LatentDirichletAllocation`, and all of its
    parameters. What differs: those that steer scikit-learn's own algorithm have no effect, and
    :meth:`fit` warns of those that are not at their default; eta is the trainer's own, about an
    eighth of the mean of lambda; alpha is 2/K where it is not given; there is no ``partial_fit``;
    and the result does not depend on ``n_jobs``.

    Counts are whole numbers. Float matrices are taken as they are if all entries are whole;
    fractions are rounded to the nearest whole number with a ``DataConversionWarning``, because half
    an occurrence is none that the trainer could count. Negative counts are a ``ValueError``.

    Parameters
    ----------
    n_components : int, default 10
        K, topics.
    max_iter : int, default 10
        Passes over all documents.
    random_state : int, RandomState or None, default None
        Of the first topics and the order of documents. The same int gives the same bits, on any
        number of threads.
    n_jobs : int or None, default None
        Threads; None or -1: all processors.
    learn_prior : bool, default False
        Whether to learn alpha from up to 4,000 of the documents in the end, as
        ``topicwall fit --no-privacy`` does: it says how common each topic is. On few documents it
        takes longer than the passes.
    verbose : int, default 0
        Above 0: prints each pass.
    doc_topic_prior : float or None, default None
        alpha, in words, the same for all topics; None: 2/K. Not together with `learn_prior`.
    topic_word_prior, learning_method, learning_decay, learning_offset, batch_size, evaluate_every, \
total_samples, perp_tol, mean_change_tol, max_doc_update_iter
        scikit-learn's, without effect here.

    Attributes
    ----------
    components_ : float32 array (K, V), read-only
        lambda, in words: row k divided by its sum is the mean distribution of topic k.
    exp_dirichlet_component_ : float64 array (K, V)
        exp(E[log beta]).
    doc_topic_prior_ : float64 array (K,), read-only
        alpha, in words.
    topic_word_prior_ : float
        eta, in words.
    n_iter_ : int
        Passes done.
    n_features_in_ : int
        V.
    feature_names_in_ : array of str (V,)
        Columns of the DataFrame that it was fitted to, if it was one.

    Examples
    --------
    >>> import numpy as np
    >>> from topicwall import LocalLDA
    >>> counts = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 1, 5], [0, 0, 4, 2]] * 20)
    >>> lda = LocalLDA(n_components=2, random_state=1).fit(counts)
    >>> lda.transform(counts[:2]).shape
    (2, 2)
    >>> sorted(int(word) // 2 for word in lda.components_.argmax(axis=1))
    [0, 1]
    """

    components_: npt.NDArray[np.float32]
    doc_topic_prior_: npt.NDArray[np.float64]
    topic_word_prior_: float
    n_iter_: int
    n_features_in_: int

    def __init__(
        self,
        n_components: int = 10,
        *,
        max_iter: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
        learn_prior: bool = False,
        verbose: int = 0,
        doc_topic_prior: float | None = None,
        topic_word_prior: float | None = None,
        learning_method: str = "batch",
        learning_decay: float = 0.7,
        learning_offset: float = 10.0,
        batch_size: int = 128,
        evaluate_every: int = -1,
        total_samples: float = 1e6,
        perp_tol: float = 1e-1,
        mean_change_tol: float = 1e-3,
        max_doc_update_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.learn_prior = learn_prior
        self.verbose = verbose
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learning_method = learning_method
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.batch_size = batch_size
        self.evaluate_every = evaluate_every
        self.total_samples = total_samples
        self.perp_tol = perp_tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter

    def fit(self, X: Any, y: Any = None) -> LocalLDA:
        """Learns topics from counts.

        Ctrl-C ends it after the pass that is under way. That, and any error, leaves the estimator
        as it was.

        Parameters
        ----------
        X : sparse matrix or array (n, V)
            Counts of V words in n documents.
        y : ignored
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(self, X: Any) -> LocalLDA:
        self._check_parameters()
        threads = self._threads()
        X = self._checked(X, reset=True)
        documents = counted(X, "LocalLDA.fit")
        if not _has_words(X):
            raise ValueError(
                "no document has a word: all counts are 0, or fractions that round to it."
            )
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        topics = _topicwall.fit_plainly(
            documents,
            X.shape[1],
            int(self.n_components),
            int(self.max_iter),
            seed,
            bool(self.learn_prior),
            threads,
            self._show if self.verbose else None,
            None if self.doc_topic_prior is None else float(self.doc_topic_prior),
        )
        self.components_ = topics.components
        self.doc_topic_prior_ = topics.document_topic_prior
        self.topic_word_prior_ = topics.topic_word_prior
        self.n_iter_ = int(self.max_iter)
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        """Of which topics documents are.

        Parameters
        ----------
        X : sparse matrix or array (n, V)

        Returns
        -------
        float64 array (n, K), read-only
            Rows sum to 1. A document without a word has what is expected of any.
        """
        check_is_fitted(self)
        documents = counted(self._checked(X, reset=False), "LocalLDA.transform")
        return self._topics().proportions(documents, self._threads())

    def score(self, X: Any, y: Any = None) -> float:
        """The variational bound of these documents' log-likelihood, in nats; higher is better.

        As scikit-learn's, but without its term of the topics: that is of a prior which is the
        same for all words, and here it has the shape of the corpus.
        """
        return self._bound(X, "LocalLDA.score")[0]

    def perplexity(self, X: Any) -> float:
        """exp(-score / words); lower is better.

        Each document's topics are fitted to the words that are scored.
        :meth:`completion_perplexity` is the measure to compare methods with.
        """
        bound, words = self._bound(X, "LocalLDA.perplexity")
        return float(np.exp(-bound / words))

    def completion_perplexity(self, X: Any, seed: int = 1) -> float:
        """Perplexity of half of each document's words, under topics found from the other half.

        Parameters
        ----------
        X : sparse matrix or array (n, V)
        seed : int, default 1
            Of the split.
        """
        check_is_fitted(self)
        seed = whole_number(seed, "seed", 0, MOST_SEED)
        documents = counted(self._checked(X, reset=False), "LocalLDA.completion_perplexity")
        return self._topics().completion(documents, seed, self._threads())[0]

    def to_model(
        self, vocabulary: Sequence[str] | None = None, tokenizer: str = "words-1"
    ) -> Model:
        """The same topics as a :class:`topicwall.Model`.

        Parameters
        ----------
        vocabulary : V words, in the order of the columns
            None: those of the DataFrame that it was fitted to.
        tokenizer : "words-1" or "counts", default "words-1"
            "words-1": every word is one token of Topicwall's tokenizer, and the model takes texts.
            "counts": words are labels, and the model takes counts.
        """
        from topicwall._model import Model

        check_is_fitted(self)
        if vocabulary is None:
            vocabulary = getattr(self, "feature_names_in_", None)
        if vocabulary is None:
            raise ValueError("vocabulary is required: the counts had no column names.")
        words = [str(word) for word in vocabulary]
        check_all_unicode(words, "vocabulary")
        return Model(
            _topicwall.FittedModel.of_topics(
                self._topics(), words, text_of(tokenizer, "tokenizer"), self.n_iter_)
        )

    @property
    def exp_dirichlet_component_(self) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        return exp_expected_log(self.components_)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Names of transform's columns: locallda0 to locallda{K-1}."""
        check_is_fitted(self)
        return np.array([f"locallda{k}" for k in range(len(self.components_))], dtype=object)

    def _check_parameters(self) -> None:
        for name in ("n_components", "max_iter"):
            whole_number(getattr(self, name), name)
        prior = self.doc_topic_prior
        if prior is not None:
            if self.learn_prior:
                raise ValueError("doc_topic_prior must be None where learn_prior is true.")
            least, most = _topicwall.LEAST_PRIOR, _topicwall.MOST_PRIOR
            if not isinstance(prior, numbers.Real) or not least <= prior <= most:
                raise ValueError(f"doc_topic_prior must be None or a number from {least:g} to "
                                 f"{most:g}; got {prior!r}.")
        idle = [name for name, usual in _WITHOUT_EFFECT.items() if getattr(self, name) != usual]
        if idle:
            warnings.warn(
                f"{', '.join(idle)} {'has' if len(idle) == 1 else 'have'} no effect: scikit-learn's "
                "algorithm is steered by it, and this trainer is another.", stacklevel=4)

    def _checked(self, X: Any, reset: bool) -> Any:
        check_unmasked(X, "X")
        if sp.issparse(X):  # before scikit-learn adds up parts in their own type
            X = summed(X)
        return self._validate_data(X, reset=reset, accept_sparse="csr")

    def _threads(self) -> int | None:
        if self.n_jobs is None or self.n_jobs == -1:
            return None
        if not isinstance(self.n_jobs, numbers.Integral) or self.n_jobs < 1:
            raise ValueError(f"n_jobs must be None, -1 or at least 1; got {self.n_jobs!r}.")
        return whole_number(self.n_jobs, "n_jobs")

    def _topics(self) -> _topicwall.Topics:
        return _topicwall.Topics(
            np.ascontiguousarray(self.components_, dtype=np.float32),
            list(self.doc_topic_prior_),
            self.topic_word_prior_,
        )

    def _bound(self, X: Any, name: str) -> tuple[float, int]:
        check_is_fitted(self)
        documents = counted(self._checked(X, reset=False), name)
        perplexity, words = self._topics().bound(documents, self._threads())
        return float(-np.log(perplexity) * words), words

    def _show(self, done: int) -> None:
        print(f"pass {done} of {self.max_iter}")

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_positive_X": True}


def _has_words(matrix: Any) -> bool:
    values = matrix.data if hasattr(matrix, "indptr") else matrix
    return bool(np.any(np.rint(values) > 0))
