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

    NaN for fewer than two terms, or none of which a pair can be formed.

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
        both = together[earlier, later]
        if measure == "u_mass":
            # A word that is in no document conditions nothing.
            ratio = (both + _LEAST) / shares[earlier] if shares[earlier] > 0 else 1.0
            values.append(np.log(ratio))
        elif shares[earlier] == 0 or shares[later] == 0:
            values.append(0.0)
        else:
            lift = (both + _LEAST) / (shares[earlier] * shares[later])
            values.append(np.log(lift) / -np.log(both + _LEAST))
    return float(np.mean(values)) if values else float("nan")
