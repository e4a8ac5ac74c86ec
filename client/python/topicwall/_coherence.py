"""How well the words of a topic go together, by how often documents have both."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Sequence

import numpy as np

__all__ = ["MEASURES", "coherence_of"]

MEASURES = ("c_npmi", "u_mass")

# What gensim adds to a share of documents before it takes the logarithm.
_LEAST = 1e-12


def coherence_of(matrix: Any, terms: Sequence[int], measure: str) -> float:
    """Mean over pairs of ``terms``, which are columns of the counts ``matrix`` (n, V).

    Pairs with a word that is in no document are left out: NaN if no pair is left.

    >>> import numpy as np
    >>> counts = np.array([[1, 1], [1, 2], [0, 0], [0, 0]])
    >>> round(coherence_of(counts, [0, 1], "c_npmi"), 6)
    1.0
    """
    columns = matrix[:, list(terms)]
    present = np.asarray(columns.todense() if hasattr(columns, "todense") else columns) > 0
    together = present.T.astype(np.float64) @ present.astype(np.float64) / max(len(present), 1)
    shares = np.diag(together)
    values = []
    for earlier, later in combinations(range(len(terms)), 2):
        if shares[earlier] == 0 or shares[later] == 0:
            continue
        both = together[earlier, later]
        if measure == "u_mass":
            values.append(np.log((both + _LEAST) / shares[earlier]))
        elif both == 1:
            # In every document: ln 1 over ln 1, whose limit is that of words always together.
            values.append(1.0)
        else:
            lift = (both + _LEAST) / (shares[earlier] * shares[later])
            values.append(np.log(lift) / -np.log(both + _LEAST))
    return float(np.mean(values)) if values else float("nan")
