"""Walls, and what can be asked of them for nothing."""

from __future__ import annotations

import json
import os
from typing import Union

import pandas as pd

from topicwall import _topicwall
from topicwall._arguments import path_of, text_of
from topicwall._corpus import Corpus
from topicwall._ledger import Ledger
from topicwall._mark import marked

Path = Union[str, "os.PathLike[str]"]


def login(server: str, ca: Path, certificate: Path, key: Path, profile: str = "",
          custodian_key: str = "") -> str:
    """Writes a profile, as ``topicwall login`` does, and asks the wall whether it lets you in.

    Parameters
    ----------
    server : str
        ``HOST:PORT``.
    ca, certificate, key : path
        PEM files: the CA that signed the wall's certificate, your certificate, your private key.
    profile : str
        Name or file; otherwise ``$TOPICWALL_PROFILE``, otherwise ``"default"``.
    custodian_key : str
        The custodian's signing key, 64 hexadecimal digits, if you were given it. Without it a key
        that the profile has already stays.

    Returns
    -------
    str
        The profile's file. It is kept also where the wall does not let you in (NotAdmitted), or
        does not answer (Unavailable).
    """
    files = [os.path.abspath(path_of(file, name))
             for name, file in (("ca", ca), ("certificate", certificate), ("key", key))]
    return _topicwall.login(text_of(server, "server"), files[0], files[1], files[2],
                            path_of(profile, "profile"), text_of(custodian_key, "custodian_key"))


def connect(profile: Path = "") -> "Wall":
    """The wall of a profile that ``topicwall login`` or :func:`login` wrote.

    Parameters
    ----------
    profile : str or path
        Name or file; otherwise ``$TOPICWALL_PROFILE``, otherwise ``"default"``.

    Raises
    ------
    Unavailable
        Nobody answers there.
    NotAdmitted
        The wall does not let this profile in; ``reason`` says why.
    """
    return Wall(_topicwall.Connection(path_of(profile, "profile")))


def mock(corpus: Corpus) -> "Wall":
    """A wall with nothing behind it, to write a script against before it spends a budget.

    It has the public description of one corpus: its words, attributes, limits and the policy of its
    budget. All else is made up. Documents are drawn over those words; noise is ordinary, of the size
    that the plan says; releases are there at once; the ledger is its own, and the whole budget is
    left. Nothing is spent, nothing is guaranteed, and the wall itself is asked no more.

    Classes, prices, refusals, receipts and audits are those of a wall. Numbers say nothing of the
    corpus, and whatever holds them says MOCK: tables in the corner of their header, models,
    quotes, ledgers and reports in their first words. A model's folder is taken for a wall's own by
    nobody else: delete it, or give another one, before the script goes to the wall itself.

    A mock lasts as long as its process, and its fits go on only within it.

    Parameters
    ----------
    corpus : Corpus
        Whose description is taken.

    Returns
    -------
    Wall
        Of that one corpus.

    Examples
    --------
    >>> wall = tw.connect("alice")                   # doctest: +SKIP
    >>> wall = tw.mock(wall["notes"])                # doctest: +SKIP
    ... # Delete the line above, and what follows asks the wall.
    """
    if not isinstance(corpus, Corpus):
        raise TypeError(f'corpus must be a Corpus, as wall["notes"] is; got {corpus!r}.')
    return Wall(corpus._connection.mock(corpus.name))


class Wall:
    """A custodian's wall, as one profile sees it.

    ``wall["notes"]`` is a corpus, ``wall.ledger("notes")`` what was spent of its budget. Any number
    of threads may ask at once. A process that was forked after this was made cannot use it, and is
    told so.
    """

    def __init__(self, connection: _topicwall.Connection) -> None:
        self._connection = connection

    @property
    def profile(self) -> str:
        """The file of the profile; empty of a mock."""
        return self._connection.profile

    def __getitem__(self, corpus: str) -> Corpus:
        return Corpus(self._connection, text_of(corpus, "corpus"))

    def corpora(self, *names: str) -> pd.DataFrame:
        """The corpora that this profile knows: one row each.

        A wall tells nobody what it holds: an analyst is told the names by the custodian. Known are
        those whose ledger this profile has noted before (each that was asked about), those it has
        plans in, and `names`. One that is not served to this profile (any more) is left out.

        Returns
        -------
        pandas.DataFrame
            ``corpus``; ``unit``, ``"document"`` or ``"owner"``; ``nominal_size`` in units, as the
            custodian states it, or NA; ``epsilon``, of the sum over all budgets that may concern
            the same people; ``left``, ε of this corpus's own; ``state``, ``"open"``,
            ``"no_budget"``, ``"paused"`` or ``"frozen"``.
        """
        asked = [text_of(name, "names") for name in names]
        rows = json.loads(self._connection.corpora(asked))["corpora"]
        columns = ["corpus", "unit", "nominal_size", "epsilon", "left", "state"]
        frame = pd.DataFrame(rows, columns=columns)
        frame = frame.astype({"nominal_size": "Int64", "epsilon": float, "left": float})
        return marked(frame, self._connection.is_mock)

    def ledger(self, corpus: str) -> Ledger:
        """The ledger of a corpus, to recount what was spent."""
        return Ledger(self._connection, text_of(corpus, "corpus"))

    def __repr__(self) -> str:
        return "Wall(MOCK)" if self._connection.is_mock else f"Wall({self.profile!r})"
