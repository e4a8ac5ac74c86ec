"""How long the units of a corpus are, as a wall told it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from topicwall._quote import number

_TOLD = ("units", "lower_quartile", "median", "upper_quartile", "mean")


class Told(NamedTuple):
    """A number with its 95 % interval; all three NaN where the noise leaves nothing to tell."""

    value: float
    low: float
    high: float


class Lengths(NamedTuple):
    """How many known words units have: documents, or the documents of an owner together.

    Of an owner at most so many documents count, and of each document so many words, as the wall's
    limits say (``Corpus.description``, ``max_documents_per_unit`` and ``max_tokens``).
    ``units``: how many there are. The quartiles and the mean are in words of one of them; the mean
    may be next to unknown, as a few very long units would be much of it. ``words_per_unit``: what a
    plan takes of it, the median of documents, of owners the lower quartile; :meth:`Corpus.quote` and
    :meth:`Corpus.evaluate` take all of this as their ``words_per_unit``, or the folder ``path``.
    ``bins``: units by length, ``from`` and ``to`` words, noisy. ``taken``: ε of the budget. ``mock``:
    of made-up documents.
    """

    path: str
    units: Told
    lower_quartile: Told
    median: Told
    upper_quartile: Told
    mean: Told
    words_per_unit: float
    bins: pd.DataFrame
    taken: float
    mock: bool = False


def lengths_of(told: dict[str, Any], path: str, mock: bool) -> Lengths:
    """From what the extension tells."""
    ranges = {name: Told(*(number(told[name + end]) for end in ("", "_low", "_high")))
              for name in _TOLD}
    return Lengths(
        path=path, words_per_unit=number(told["words_per_unit"]),
        bins=pd.DataFrame(told["bins"], columns=["from", "to", "units"]),
        taken=number(told["taken"]), mock=mock, **ranges)
