"""What a fit would take and give, before anything is reserved."""

from __future__ import annotations

import html
import json
from typing import Any, Optional, Union

import pandas as pd

from topicwall import _topicwall
from topicwall._errors import BudgetRefused, CorpusPaused, Error, in_python, of_status
from topicwall._mark import marked

Spend = Union[float, str]


def number(value: Optional[float]) -> float:
    """A number of a JSON document, where null is one that cannot be told."""
    return float("nan") if value is None else float(value)


def bar(total: float, spent: float, taken: float = 0.0) -> str:
    """A budget as one line of HTML: what is spent, what would be taken, what is left."""
    if not total > 0:
        return ""

    def part(share: float, color: str) -> str:
        width = 100 * min(max(share, 0.0), 1.0)
        return f'<div style="width:{width:.2f}%;background:{color};height:10px"></div>'

    spent = min(spent, total)
    taken = min(taken, total - spent) if taken == taken else 0.0
    return (
        '<div style="display:flex;width:300px;border:1px solid #888;background:#fff" '
        f'title="spent {_topicwall.epsilon_text(spent)}, left {_topicwall.left_text(total, spent)} '
        f'of {_topicwall.epsilon_text(total)}">'
        + part(spent / total, "#888")
        + part(taken / total, "#d95f02")
        + "</div>"
    )


class Quote:
    """What a fit would take of the budget, and what can be expected of it. Nothing is reserved.

    Attributes
    ----------
    taken : float
        ε by which the budget goes down if this is bought now.
    left, left_after : float
        ε left before and after.
    own_left : float
        Of what is left before, what this profile can take: less where it has a cap of its own.
    delta : float
        δ of the budget, at which every ε here holds.
    sigma : float
        Noise multiplier of the topics' releases: noise standard deviation over clip norm, as the
        ledger has it of their plan. Where a release has a norm histogram as well, both have noise
        of their own, and this is more than ``effective_sigma``.
    effective_sigma : float
        The one multiplier that each release costs as much as: what ``noise_multiplier`` takes.
    seconds : float
        What all releases take at least; NaN if nobody says.
    releases : int
        How many there are, of all stages.
    expected : pandas.DataFrame
        By word rank: ``rank``, ``signal`` and ``noise`` in words, ``signal_to_noise``. Of a mixture
        of Gaussians by the size of a component: its ``vectors``, ``weight_error`` as a share of
        all, ``mean_error`` in each dimension in units of the norm bound, ``signal_to_noise``. Empty if nothing can be expected, because
        nobody says how large the corpus is.
    fits : bool
        Whether it could be reserved now. Numbers that only a plan that fits has are NaN otherwise.
    refusal : BudgetRefused or CorpusPaused or None
        What :meth:`Corpus.fit` raises for it, unless the folder holds the fit already.
    options : dict
        What was asked for, by command-line names.
    """

    def __init__(self, corpus: str, options: dict[str, Any], told: dict[str, Any],
                 refusal: Optional[Error], is_mock: bool = False) -> None:
        self.corpus = corpus
        self.options = options
        self.refusal = refusal
        self._of = f"MOCK of {corpus}" if is_mock else corpus
        self.fits = refusal is None
        self.taken = number(told.get("taken"))
        self.left = number(told.get("left"))
        self.left_after = number(told.get("left_after"))
        self.own_left = number(told.get("own_left", told.get("left")))
        self.total = number(told.get("total"))
        self.delta = number(told.get("delta"))
        self.epsilon_alone = number(told.get("epsilon_alone"))
        self.sigma = number(told.get("sigma"))
        self.effective_sigma = number(told.get("effective_sigma"))
        self.seconds = number(told.get("seconds")) or float("nan")
        self.releases = int(told.get("releases", 0))
        self.topics: Optional[int] = told.get("topics", options.get("topics"))
        self.iterations: Optional[int] = told.get("iterations", options.get("iterations"))
        self._warning = in_python(str(told.get("warning", "")))
        self._text = in_python(str(told.get("text", "")))
        columns, rows = ["rank", "signal", "noise", "signal_to_noise"], []
        if told.get("expected"):
            rows = told["expected"]["terms"]
        elif told.get("expected_components"):
            columns, rows = (["vectors", "weight_error", "mean_error", "signal_to_noise"],
                             told["expected_components"]["sizes"])
        self.expected = pd.DataFrame(rows, columns=columns)
        self.expected = marked(self.expected, is_mock)
        if isinstance(refusal, BudgetRefused) and self.left != self.left:
            self.left = refusal.left

    @property
    def verdict(self) -> str:
        """The refusal if there is one, else the warnings, else that it fits and what it takes."""
        if self.refusal is not None:
            return str(self.refusal)
        if self._warning:
            return self._warning
        told = self._told()
        yours = f" (of it yours: {told['of it yours']})" if "of it yours" in told else ""
        before, after = self.total - self.left, self.total - self.left_after
        return (
            f"fits: takes {_topicwall.taken_of_left_text(self.total, before, after)}{yours}, "
            f"and {told['left after']} is left then."
        )

    def _told(self) -> dict[str, str]:
        """What is known of them, as every text tells it."""
        before, after = self.total - self.left, self.total - self.left_after
        told = {}
        if after == after:
            told["takes"] = _topicwall.taken_text(before, after)
        if before == before:
            told["left before"] = _topicwall.left_text(self.total, before)
        elif self.left == self.left:  # of a refusal, which says no total
            told["left before"] = _topicwall.own_left_text(self.left)
        if self.own_left < self.left:
            told["of it yours"] = _topicwall.own_left_text(self.own_left)
        if after == after:
            told["left after"] = _topicwall.left_text(self.total, after)
        return told

    def __repr__(self) -> str:
        return f"Quote for {self._of}\n{self._text or self.verdict}"

    def _repr_html_(self) -> str:
        table = "".join(
            f"<tr><td>{name}</td><td>{text}</td></tr>" for name, text in self._told().items()
        )
        spent = self.total - self.left
        return (
            f"<b>Quote for {html.escape(self._of)}</b>, nothing is reserved<br>"
            + (bar(self.total, spent, self.taken) if spent == spent else "")
            + f"<table>{table}</table><p>{html.escape(self.verdict)}</p>"
            + (f"<details><summary>in full</summary><pre>{html.escape(self._text)}</pre></details>"
               if self._text else "")
        )


def make_quote(connection: _topicwall.Connection, corpus: str, options: dict[str, Any]) -> Quote:
    """Asks the wall. A refusal is what the quote says, not an exception: the folder of a fit that
    was begun goes on whatever is left of the budget."""
    try:
        told = json.loads(_topicwall.quote(connection, corpus, options))
    except (BudgetRefused, CorpusPaused) as refusal:
        return Quote(corpus, options, {}, refusal, connection.is_mock)
    refused = told.get("refusal")
    why: Optional[Error] = None
    if refused is not None:
        why = of_status(refused["code"], refused["message"], refused["document"])
    return Quote(corpus, options, told, why, connection.is_mock)
