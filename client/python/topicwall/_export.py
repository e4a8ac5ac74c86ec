"""A model as other libraries have theirs: topic i there is topic i + 1 here."""

from __future__ import annotations

import warnings
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import psi

from topicwall import _topicwall

__all__ = ["exp_expected_log", "gaussians_to_sklearn", "to_gensim", "to_sklearn"]


def to_gensim(vocabulary: Sequence[str], topics: _topicwall.Topics) -> Any:
    """LdaModel in float64; its dictionary has the words in the order of the columns."""
    from gensim.models import LdaModel

    lambdas = topics.components.astype(np.float64)
    num_topics, num_terms = lambdas.shape
    # Where eta is what gensim adds to its sums, the sums must not be negative.
    eta = min(topics.topic_word_prior, float(lambdas.min()))
    model = LdaModel(
        num_topics=num_topics,
        id2word=dict(enumerate(vocabulary)),
        alpha=topics.document_topic_prior,
        eta=np.full(num_terms, eta),
        dtype=np.float64,
        random_state=0,
    )
    model.state.sstats = lambdas - eta
    model.sync_state()
    return model


def exp_expected_log(lambdas: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """exp(E[log beta]) under Dirichlet(lambda_k) in each row: float64 (K, V)."""
    rows = np.asarray(lambdas, dtype=np.float64)
    return np.asarray(np.exp(psi(rows) - psi(rows.sum(axis=1, keepdims=True))))


def to_sklearn(topics: _topicwall.Topics) -> Any:
    """A fitted LatentDirichletAllocation."""
    from sklearn.decomposition import LatentDirichletAllocation

    alphas = topics.document_topic_prior
    if not np.allclose(alphas, alphas[0]):
        warnings.warn(
            "scikit-learn has one alpha for all topics; it gets the mean of this model's, which are "
            f"from {alphas.min():.3g} to {alphas.max():.3g}. Mixtures of documents will differ.",
            UserWarning,
            stacklevel=3,
        )
    components = topics.components.astype(np.float64)
    model = LatentDirichletAllocation(n_components=len(components))
    model.components_ = components
    # Of its own making it would be exp(E[log beta]), which is much smaller for rare words: transform
    # would then infer other mixtures than ours, which are of the mean topics.
    model.exp_dirichlet_component_ = components / components.sum(axis=1, keepdims=True)
    model.doc_topic_prior_ = float(alphas.mean())
    model.topic_word_prior_ = topics.topic_word_prior
    model.n_features_in_ = components.shape[1]
    model.n_iter_ = model.n_batch_iter_ = 0
    model.random_state_ = np.random.RandomState(0)
    return model


def gaussians_to_sklearn(
    weights: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    deviations: npt.NDArray[np.float64],
) -> Any:
    """A fitted GaussianMixture."""
    from sklearn.mixture import GaussianMixture

    model = GaussianMixture(n_components=len(weights), covariance_type="diag")
    model.weights_, model.means_ = weights.copy(), means.copy()
    model.covariances_ = deviations**2
    model.precisions_ = 1 / model.covariances_
    model.precisions_cholesky_ = 1 / deviations
    model.n_features_in_ = means.shape[1]
    model.converged_, model.n_iter_, model.lower_bound_ = True, 0, np.nan
    return model
