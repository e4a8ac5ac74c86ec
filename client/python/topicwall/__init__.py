"""Topics of documents that stay behind a wall.

A custodian keeps the documents and a privacy budget; this package fits topic models across that
wall, reads them and audits what was spent.

>>> import topicwall as tw
>>> wall = tw.connect("alice")                      # doctest: +SKIP
>>> notes = wall["notes"]                           # doctest: +SKIP
>>> quote = notes.quote(topics=50, spend=0.8)       # doctest: +SKIP
>>> model = notes.fit(quote, path="notes.model")    # doctest: +SKIP
"""

from topicwall._corpus import Budget, Corpus, Evaluation, VectorEvaluation
from topicwall._errors import (
    BudgetRefused,
    CorpusPaused,
    Error,
    InputError,
    NotAdmitted,
    PlanMismatch,
    Stopped,
    Unavailable,
)
from topicwall._gaussians import GaussianMixture
from topicwall._ledger import Audit, Ledger
from topicwall._lengths import Lengths, Told
from topicwall._local_lda import LocalLDA
from topicwall._model import Model, Perplexity, Tree, load
from topicwall._paying import Progress
from topicwall._quote import Quote
from topicwall._topicwall import __version__
from topicwall._wall import Wall, connect, login, mock

__all__ = [
    "Audit",
    "Budget",
    "BudgetRefused",
    "Corpus",
    "CorpusPaused",
    "Error",
    "Evaluation",
    "GaussianMixture",
    "InputError",
    "Ledger",
    "Lengths",
    "LocalLDA",
    "Model",
    "NotAdmitted",
    "Perplexity",
    "PlanMismatch",
    "Progress",
    "Quote",
    "Stopped",
    "Told",
    "Tree",
    "Unavailable",
    "VectorEvaluation",
    "Wall",
    "__version__",
    "connect",
    "load",
    "login",
    "mock",
]
