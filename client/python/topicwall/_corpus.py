"""A corpus behind a wall: what is public about it, and what can be bought of it."""

from __future__ import annotations

import html
import json
import numbers
import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
import pandas as pd

from topicwall import _topicwall
from topicwall._arguments import path_of
from topicwall._errors import Error
from topicwall._fitted import folder_of
from topicwall._lengths import Lengths, lengths_of
from topicwall._mark import marked
from topicwall._model import load
from topicwall._paying import ProgressOption, Purchase, run
from topicwall._quote import Quote, Spend, bar, make_quote, number

Path = Union[str, "os.PathLike[str]"]
Anchors = Mapping[str, Iterable[str]]
Words = Union[float, Path, Lengths]

_STATES = {
    "CORPUS_STATE_OPEN": "open",
    "CORPUS_STATE_NO_BUDGET": "no_budget",
    "CORPUS_STATE_PAUSED": "paused",
    "CORPUS_STATE_FROZEN": "frozen",
}

_SHARES = ("share", "low", "high", "simultaneous_low", "simultaneous_high")
_COUNTS = ("documents", "documents_low", "documents_high")
_DIFFERENCES = ("difference", "standard_error", "p_value", "adjusted_p_value")


class Budget(NamedTuple):
    """A budget now. ε in nats at δ = ``delta``, as the wall states it.

    ``own_left``: of what is left, what this profile can still take: less where it has a cap of its
    own.
    ``together`` is ε of the sum over all budgets that may concern the same people, ``total`` if
    there is no other. ``mock``: of a mock, where nothing is ever spent. ``state``: "open", "paused",
    or "frozen", when the ledger was restored and what was charged since the backup is not counted.
    """

    total: float
    spent: float
    left: float
    delta: float
    together: float
    own_left: float
    mock: bool = False
    state: str = "open"


class Evaluation(NamedTuple):
    """A perplexity behind the wall.

    ``perplexity``: of document completion, natural base, lower is better; NaN where the noise
    leaves no number to tell. ``standard_error``: of it, by the noise alone: another split of the
    words gives another number; more ``releases`` average over splits. ``words``: scored, noisy.
    ``words_per_unit``: assumed; units of about so many and more count for less, so that only values
    of one assumption can be compared, and none with that of documents of one's own.
    ``taken``: ε of the budget. ``was_trained_on``: the model has seen some of those units.
    ``mock``: of made-up documents.
    """

    perplexity: float
    standard_error: float
    words: float
    words_per_unit: float
    taken: float
    was_trained_on: bool
    mock: bool = False


class VectorEvaluation(NamedTuple):
    """How well a mixture of Gaussians predicts vectors behind the wall.

    ``log_density``: the mean of a vector, natural base, in units of the norm bound, as
    :meth:`GaussianMixture.score` has it for vectors of one's own; higher is better, and only
    differences on the same vectors mean anything; NaN where the noise leaves no number to tell.
    Vectors that the mixture expects least count for less: a number far below
    ``expected_log_density``, that of vectors which are as the mixture has them, is still too high.
    ``standard_error``: of it, in nats, by the noise alone. ``vectors``: scored, noisy. The others as
    of an :class:`Evaluation`.
    """

    log_density: float
    expected_log_density: float
    standard_error: float
    vectors: float
    taken: float
    was_trained_on: bool
    mock: bool = False


def _spent(told: dict[str, Any]) -> float:
    """What a budget or a principal spent, where null is infinite."""
    spent = told["epsilon_spent"]
    return float("inf") if spent is None else float(spent)


def _given(**options: Any) -> dict[str, Any]:
    """Options that were given; what is None stays open."""
    given = {name: value for name, value in options.items() if value is not None}
    if "spend" in given:
        # True would be an epsilon of 1.
        if isinstance(given["spend"], bool):
            raise ValueError(
                f"spend must be an epsilon, a share as \"90%\" or \"all\"; got {given['spend']}. To "
                "agree to a price beforehand, give buy=True."
            )
        given["spend"] = given["spend"] if isinstance(given["spend"], str) else repr(
            float(given["spend"]))
    if "anchors" in given:
        if not isinstance(given["anchors"], Mapping):
            raise TypeError(
                'anchors must be words by what topics are to be called, as {"heart": ["valve"]}; '
                f"got {given['anchors']!r}.")
        given["anchors"] = json.dumps(
            {name: words if isinstance(words, str) else list(words)
             for name, words in given["anchors"].items()})
    if not isinstance(given.get("words_per_unit", 1), numbers.Real):
        words = given.pop("words_per_unit")
        given["words_folder"] = path_of(getattr(words, "path", words), "words_per_unit")
    if "init" in given:
        given["init"] = folder_of(given["init"], "init")
    return given


def _taking_text(quote: dict[str, Any]) -> str:
    total = number(quote["total"])
    before, after = total - number(quote["left"]), total - number(quote["left_after"])
    text = (
        f"takes {_topicwall.taken_of_left_text(total, before, after)} (at delta "
        f"{_topicwall.delta_text(quote['delta'])}); "
        f"{_topicwall.left_text(total, after)} is left then"
    )
    if quote.get("own_left") is not None:
        own_left = _topicwall.own_left_text(quote["own_left"])
        text += f"\n  of it yours by your own cap: {own_left}"
    if quote.get("less"):
        text += f"\n  {quote['less']}"
    if quote.get("expected_error") is not None:
        text += (f"\n  expected: a standard error of {quote['expected_error']:.2g} of "
                 f"{quote['error_of']}")
    if quote.get("expected"):
        text += f"\n  expected: {quote['expected']}"
    if quote.get("was_trained_on"):
        text += "\n  THE MODEL WAS FITTED TO SOME OF THEM: it looks better than it is"
    sum_ = quote.get("sum")
    if sum_:
        together = _topicwall.promise_text(sum_["epsilon"], sum_["delta"])
        text += f"\n  together with others its budget: {together}"
    return text


class Corpus:
    """A corpus behind a wall. In a notebook it shows its guarantee, its budget, what it can buy."""

    def __init__(self, connection: _topicwall.Connection, name: str) -> None:
        self._connection = connection
        self.name = name
        self._vocabulary: Optional["np.ndarray[Any, np.dtype[Any]]"] = None

    @property
    def description(self) -> dict[str, Any]:
        """What is public about the corpus, by the names of ``CorpusDescription``."""
        told: dict[str, Any] = json.loads(self._connection.description(self.name))
        return told

    @property
    def vocabulary(self) -> "np.ndarray[Any, np.dtype[Any]]":
        """The public words, in order: shape (V,), of ``str``, read-only. Row v of anything is v's."""
        if self._vocabulary is None:
            words = np.array(self._connection.vocabulary(self.name), dtype=object)
            words.flags.writeable = False
            self._vocabulary = words
        return self._vocabulary

    @property
    def budget(self) -> Budget:
        """What is spent and left now."""
        return self._budget_of(json.loads(self._connection.budget(self.name)))

    def _budget_of(self, told: dict[str, Any]) -> Budget:
        shared = told.get("sum")
        left = float(told["epsilon_left"])
        own = told.get("own")  # an auditor has none
        own_left = float(own["epsilon_cap"]) - _spent(own) if own else left
        return Budget(
            total=float(told["epsilon_total"]),
            spent=_spent(told),
            left=left,
            delta=float(told["delta"]),
            together=float(shared["epsilon"]) if shared else float(told["epsilon_total"]),
            own_left=min(left, max(0.0, own_left)),
            mock=self._is_mock,
            state=told["state"],
        )

    def quote(self, topics: Optional[int] = None, spend: Optional[Spend] = None, *,
              epsilon_alone: Optional[float] = None, noise_multiplier: Optional[float] = None,
              algorithm: Optional[str] = None, iterations: Optional[int] = None,
              sampling_rate: Optional[float] = None, clip_norm: Optional[float] = None,
              max_words: Optional[int] = None, held_out_share: Optional[float] = None,
              init: Optional[Any] = None, anchors: Optional[Anchors] = None,
              plan: Optional[str] = None,
              hours: Optional[float] = None, seconds_per_release: Optional[float] = None,
              nominal_size: Optional[int] = None, words_per_unit: Optional[Words] = None,
              seed: Optional[int] = None) -> Quote:
        """What a fit would take and give. Nothing is reserved, and nothing is spent.

        The options are those of ``topicwall fit``; what is None has its default there.

        Parameters
        ----------
        topics : int
            K. May be left open with ``plan="auto"`` or ``init``.
        spend : float or str
            ε that it takes of the budget, a share of what is left to you as ``"90%"``, or ``"all"``.
        epsilon_alone, noise_multiplier : float
            Instead of `spend`: ε of the fit if nothing else were ever spent, or the noise standard
            deviation over the clip norm of each release.
        algorithm : {"denoised", "mixture", "paper", "gaussian"}
        iterations : int
            J.
        sampling_rate : float
            Share of the units that take part in an iteration, in (0, 1].
        clip_norm : float
            Largest statistic of one unit, in words.
        max_words : int
            Words of a document that count.
        held_out_share : float
            Share of the units to leave out, for :meth:`evaluate`; in [0, 1).
        init : path or model
            A model to begin with.
        anchors : dict
            Words to begin topics with, by what the topics are to be called: ``{"heart":
            ["cardiac", "ecg"]}``, for the algorithms denoised and mixture. In the order of their
            names they are topics 1, 2, …; what becomes of them the documents decide. Costs nothing.
        plan : {"auto"}
            What is open of K and J is proposed.
        hours, seconds_per_release : float
            For ``plan="auto"``: how long it may take, and what a release takes; the second is
            needed with the first where the corpus has no release interval.
        nominal_size : int
            Units that you take the corpus to have; otherwise what the custodian states.
        words_per_unit : float, path or Lengths
            Known words that you take a unit to have, for what is expected; or what :meth:`lengths`
            measured. A proposal of mixtures needs one.
        seed : int
            Of the initial topics; no secret.
        """
        options = _given(
            topics=topics, spend=spend, epsilon_alone=epsilon_alone,
            noise_multiplier=noise_multiplier, algorithm=algorithm, iterations=iterations,
            sampling_rate=sampling_rate, clip_norm=clip_norm, max_words=max_words,
            held_out_share=held_out_share, init=init, anchors=anchors,
            plan=plan, hours=hours, seconds_per_release=seconds_per_release,
            nominal_size=nominal_size, words_per_unit=words_per_unit, seed=seed,
        )
        return make_quote(self._connection, self.name, options)

    def fit(self, quote: Quote, path: Path, *, held_out: Optional[float] = None,
            anchors: Optional[Anchors] = None, progress: ProgressOption = "auto",
            buy: bool = False) -> Any:
        """Buys a quoted fit and returns its model, as :func:`load` does.

        The same call again goes on where it stopped.

        Asks before anything is reserved, at a terminal or in a notebook; with ``buy=True`` it does
        not. Without either it is an error, and nothing is bought. Whatever is interrupted, a killed
        process too, is gone on with by the same call and pays nothing twice; Ctrl-C stops between
        two releases (:class:`Stopped`). So do :meth:`evaluate`, :meth:`prevalence` and :meth:`lengths`.

        Parameters
        ----------
        quote : Quote
            Of this corpus. One that does not fit is fine where `path` holds its fit already.
        path : path
            Folder of the model, made if it is not there; holds checkpoint and receipts.
        held_out : float
            ``held_out_share``, if it is not in the quote: units left out cost nothing.
        anchors : dict
            Words to begin topics with, as :meth:`quote` takes them, if they are not in the quote.
        progress : "auto", None or callable
            A bar on a terminal, text in a notebook; or called with a :class:`Progress`.

        Raises
        ------
        BudgetRefused, CorpusPaused
            Nothing was reserved.
        PlanMismatch
            The folder holds another fit.
        """
        if not isinstance(quote, Quote):
            raise TypeError(f"quote must be one of Corpus.quote; got {quote!r}.")
        if quote.corpus != self.name:
            raise Error(f"the quote is of corpus {quote.corpus}, this is {self.name}.")
        folder = path_of(path)
        options = dict(quote.options)
        if held_out is not None:
            options["held_out_share"] = float(held_out)
        options.update(_given(anchors=anchors))
        if quote.refusal is not None and not _topicwall.holds_fit(folder):
            raise quote.refusal
        most = quote.taken if quote.taken == quote.taken else None
        purchase = Purchase(
            "fit", buy,
            lambda told: self._asking(f"{told['text']}\n{told['warning']}".rstrip()),
            most, quote._told().get("takes", ""))
        run(lambda job: _topicwall.fit(self._connection, job, folder, self.name, options),
            purchase, progress, folder)
        return load(folder)

    def evaluate(self, model: Any, spend: Optional[Spend] = None, *,
                 held_out_share: Optional[float] = None, releases: Optional[int] = None,
                 words_per_unit: Optional[Words] = None, max_words: Optional[int] = None,
                 epsilon_alone: Optional[float] = None, noise_multiplier: Optional[float] = None,
                 progress: ProgressOption = "auto",
                 buy: bool = False) -> Union[Evaluation, VectorEvaluation]:
        """How well a model predicts units that were held out of its fit; this is paid for.

        Of topics, and of a mixture of words, the perplexity of documents; of a mixture of Gaussians
        the density of vectors.

        Asks as :meth:`fit` does. The same call again is answered from the model's folder, free.

        Parameters
        ----------
        model : model or path
        spend : float or str
            As for :meth:`quote`.
        held_out_share : float
            Units to score, in (0, 1]; otherwise those that the fit held out.
        releases : int
            To average, each with words split anew; 1.
        words_per_unit : float, path or Lengths
            Known words of a typical unit, from public knowledge or :meth:`lengths`; units of about
            so many and more count for less: of short texts take half as many again. Otherwise what
            the fit's quote assumed. Of owners of vectors, their vectors.
        """
        folder = folder_of(model)
        options = _given(spend=spend, held_out_share=held_out_share, releases=releases,
                         words_per_unit=words_per_unit, max_words=max_words,
                         epsilon_alone=epsilon_alone, noise_multiplier=noise_multiplier)
        text = run(lambda job: _topicwall.evaluate(self._connection, job, folder, self.name, options),
                   Purchase("evaluation", buy, self._taking), progress, folder)
        told = json.loads(text)
        rest: dict[str, Any] = {
            "standard_error": number(told["standard_error"]),
            "taken": number(told["taken"]),
            "was_trained_on": bool(told["was_trained_on"]),
            "mock": self._is_mock,
        }
        if "vectors" in told:
            return VectorEvaluation(log_density=number(told["log_likelihood"]),
                                    expected_log_density=number(told["expected_log_likelihood"]),
                                    vectors=number(told["vectors"]), **rest)
        return Evaluation(perplexity=number(told["document_completion"]),
                          words=number(told["words"]),
                          words_per_unit=number(told["words_per_unit"]), **rest)

    def prevalence(self, model: Any, by: Sequence[str] = (), spend: Optional[Spend] = None, *,
                   releases: Optional[int] = None, sampling_rate: Optional[float] = None,
                   typical_documents: Optional[float] = None, max_words: Optional[int] = None,
                   epsilon_alone: Optional[float] = None,
                   noise_multiplier: Optional[float] = None, progress: ProgressOption = "auto",
                   buy: bool = False) -> pd.DataFrame:
        """How much of each group of documents is about each topic, with 95 % intervals.

        Paid for; asks as :meth:`fit` does. Without a price, or again, what was paid for before with
        the options that are given is shown for nothing, by fewer attributes too. :meth:`changes`
        has what rises and falls.

        Parameters
        ----------
        model : model or path
        by : sequence of str
            Attributes of the corpus; none: all documents together.
        spend : float or str
            As for :meth:`quote`.
        typical_documents : float
            Where the unit is an owner: documents of one that count in full. An owner of more counts
            as if it had so many, in shares and in ``documents`` alike.

        Returns
        -------
        pandas.DataFrame
            Tidy: a column for each of `by`, ``topic`` (from 1, as in every other place), ``share``
            (of the group's documents, in [0, 1]), ``low``, ``high``; ``simultaneous_low`` and
            ``simultaneous_high``, within which all shares are at once; and of the group
            ``documents``, noisy (below 0 where there are next to none), with ``documents_low`` and
            ``documents_high``. Shares are NaN in groups too small for the noise. Of owners
            ``attrs["owners"]`` says what counts: ``documents`` is not how many there are.
        """
        told = self._ask_prevalence(
            model, by, progress, buy, spend=spend, releases=releases, sampling_rate=sampling_rate,
            typical_documents=typical_documents, max_words=max_words, epsilon_alone=epsilon_alone,
            noise_multiplier=noise_multiplier)
        rows: list[dict[str, Any]] = []
        for group in told["groups"]:
            for topic in group["topics"]:
                row = dict(zip(told["by"], group["values"]))
                row["topic"] = int(topic["topic"])
                for name in _SHARES:
                    row[name] = number(None if group["none"] else topic[name])
                for name in _COUNTS:
                    row[name] = number(group[name])
                rows.append(row)
        frame = pd.DataFrame(rows, columns=[*told["by"], "topic", *_SHARES, *_COUNTS])
        if told["of_owners"]:
            frame.attrs["owners"] = (
                "one of many documents counts as if it had fewer (clip norm "
                f"{told['clip_norm']:g}): shares and counts are of what counts")
        return marked(frame, self._is_mock)

    def lengths(self, path: Path, spend: Optional[Spend] = None, *,
                epsilon_alone: Optional[float] = None, noise_multiplier: Optional[float] = None,
                progress: ProgressOption = "auto", buy: bool = False) -> Lengths:
        """How many known words the corpus' units have; a small release, which is paid for.

        Asks as :meth:`fit` does. Without a price, or again, what was paid for before is shown for
        nothing; where nothing was, a price of 0.01 is asked about, and with ``buy=True`` refused.

        Parameters
        ----------
        path : path
            Folder to keep it in, with its receipts; made if it is not there.
        spend : float or str
            As for :meth:`quote`.
        """
        folder = path_of(path)
        options = _given(spend=spend, epsilon_alone=epsilon_alone,
                         noise_multiplier=noise_multiplier)
        text = run(
            lambda job: _topicwall.lengths(self._connection, job, folder, self.name, options, buy),
            Purchase("lengths", buy, self._taking), progress, folder)
        return lengths_of(json.loads(text), folder, self._is_mock)

    def changes(self, model: Any, by: Sequence[str]) -> pd.DataFrame:
        """Which topics rise or fall from one period to the next, of what was paid for before.

        Costs nothing: :meth:`prevalence` by these attributes, or more, has to be paid.

        Parameters
        ----------
        model : model or path
        by : sequence of str
            Attributes, one of them a date; periods are compared within each value of the others.

        Returns
        -------
        pandas.DataFrame
            Tidy: ``topic``, a column ``from_…`` and ``to_…`` for each of `by`, ``difference`` (of
            shares), ``standard_error``, ``p_value``, and ``adjusted_p_value``: of all rows where it
            is at most 0.05 none is false, with 95 %. NaN where a period has too few documents.

        Raises
        ------
        Error
            None of `by` is a date, or nothing that was paid for says this.
        """
        told = self._ask_prevalence(model, by, None, False)
        if not told["by_date"]:
            raise Error("by must name an attribute that is a date, for changes are told along it; "
                        f"got {', '.join(told['by']) or 'none'}. `topicwall describe` lists them.")
        ends = [f"{end}_{name}" for end in ("from", "to") for name in told["by"]]
        rows = [[int(change["topic"]), *change["from"], *change["to"],
                 *(number(change[name]) for name in _DIFFERENCES)] for change in told["changes"]]
        return marked(pd.DataFrame(rows, columns=["topic", *ends, *_DIFFERENCES]), self._is_mock)

    def _ask_prevalence(self, model: Any, by: Sequence[str], progress: ProgressOption, buy: bool,
                        **given: Any) -> dict[str, Any]:
        folder = folder_of(model)
        options = _given(by=[by] if isinstance(by, str) else list(by), **given)
        text = run(
            lambda job: _topicwall.prevalence(self._connection, job, folder, self.name, options),
            Purchase("prevalence", buy, self._taking), progress, folder)
        told: dict[str, Any] = json.loads(text)
        return told

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}{', MOCK' if self._is_mock else ''})"

    @property
    def _is_mock(self) -> bool:
        return self._connection.is_mock

    def _taking(self, quote: dict[str, Any]) -> str:
        return self._asking(_taking_text(quote))

    def _asking(self, text: str) -> str:
        """What is shown before something is bought."""
        return f"MOCK: nothing is spent.\n{text}" if self._is_mock else text

    def _repr_html_(self) -> str:
        told = self.description
        name = html.escape(f"MOCK of {self.name}" if self._is_mock else self.name)
        title = f"<b>{name}</b> ({_STATES.get(told['state'], 'unknown')})"
        guarantee = html.escape(told["guarantee"])
        if told["state"] == "CORPUS_STATE_NO_BUDGET":
            return f"{title}<p>{guarantee}</p><p>no budget is open yet</p>"
        told_budget = json.loads(self._connection.budget(self.name))
        budget = self._budget_of(told_budget)
        together = ""
        sum_ = told_budget.get("sum")
        if sum_:
            promise = _topicwall.promise_text(sum_["epsilon"], sum_["delta"])
            together = ("<br>Together with other budgets that may concern the same people: "
                        f"{promise}.")
        releases = int(told.get("own_releases_left", 0))
        left = _topicwall.left_text(budget.total, budget.spent)
        yours = left
        if budget.own_left < budget.left:
            yours = _topicwall.own_left_text(budget.own_left)
        buys = f"It can still buy {yours} of epsilon in at most {releases} releases."
        if not budget.own_left > 0:
            buys = "It can buy nothing more."
        if budget.own_left < budget.left:
            buys += f" Of the {left} left no more is yours, by your own cap."
        return (
            f"{title}<p>{guarantee}{together}</p>{bar(budget.total, budget.spent)}"
            f"<p>{_topicwall.epsilon_text(budget.spent)} of "
            f"{_topicwall.epsilon_text(budget.total)} spent at delta "
            f"{_topicwall.delta_text(budget.delta)}. {buys}</p>"
        )
