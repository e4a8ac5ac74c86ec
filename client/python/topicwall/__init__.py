"""Topics of documents that stay behind a wall.

A custodian keeps the documents and a privacy budget; this package fits topic models across that
wall, reads them and audits what was spent.
"""

from topicwall._errors import Error, Unavailable
from topicwall._local_lda import LocalLDA
from topicwall._model import Model, Perplexity, Tree, load
from topicwall._topicwall import __version__

__all__ = ["Error", "LocalLDA", "Model", "Perplexity", "Tree", "Unavailable", "__version__", "load"]
