"""What was spent, recounted from the events of the ledger."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, Union

import pandas as pd

from topicwall import _topicwall
from topicwall._arguments import path_of
from topicwall._fitted import folder_of
from topicwall._mark import marked


class Audit(NamedTuple):
    """What recounting a ledger found.

    ``ok``: nothing was found, and if receipts of a model were held against it, some are of this
    budget; ``head``: SHA-256 behind the last entry, 64 hexadecimal digits, to be noted; ``spent``:
    ε recomputed from the visible events by this side's own accountant, an upper bound at the
    budget's δ; ``findings``: what does not fit, a sentence each; ``entries`` of the chain, of which
    ``unseen`` came as commitments; ``receipts`` of the model that were held against it. ``mock``:
    of a mock, whose ledger is made up as well. ``elsewhere``: receipts of other budgets, which a
    model has that another corpus was asked about, or whose corpus was replaced, a sentence a
    budget: whether this ledger knows of it, and where they are verified.
    """

    ok: bool
    head: str
    spent: float
    findings: list[str]
    entries: int
    unseen: int
    receipts: int
    mock: bool = False
    elsewhere: tuple[str, ...] = ()


class Ledger:
    """The hash-chained events of a corpus's budget."""

    def __init__(self, connection: _topicwall.Connection, corpus: str) -> None:
        self._connection = connection
        self.corpus = corpus

    def verify(self, model: Any = None) -> Audit:
        """Reads the whole chain and recomputes what was spent, trusting no number that was sent.

        With a model (or its folder), every receipt of this budget kept in it must also be in the
        chain, and its plans must have cost what its files say. Entries of other analysts come as
        commitments; ``spent`` is then of what is seen. To an auditor none does, or it is a finding.
        A chain that does not verify in itself is an :class:`Error` naming the entry: nothing behind
        it means anything.
        """
        path = "" if model is None else folder_of(model)
        told = json.loads(self._connection.audit(self.corpus, path))
        return Audit(
            ok=not told["findings"] and not told.get("is_all_elsewhere", False),
            head=told["head"],
            spent=float(told["spent"]),
            findings=list(told["findings"]),
            entries=int(told["entries"]),
            unseen=int(told["unseen_entries"]),
            receipts=int(told.get("receipts", 0)),
            mock=self._connection.is_mock,
            elsewhere=tuple(told.get("elsewhere", ())),
        )

    def export(self, path: Union[str, "os.PathLike[str]"]) -> int:
        """Appends the entries to a file, as ``topicwall ledger --events`` does.

        The file must hold the beginning of the same ledger or not exist yet: whoever keeps it finds
        out a ledger that was put back. ``model.report(…, events=path)`` takes its privacy sheet
        from it. Returns how many entries it has then.
        """
        return self._connection.export_ledger(self.corpus, path_of(path))

    def plans(self) -> pd.DataFrame:
        """What took what: one row a plan, oldest first.

        Returns
        -------
        pandas.DataFrame
            ``plan_id``, ``principal``, ``model``, ``topics``, ``releases``, ``charged`` (of them),
            ``sigma``, ``taken`` (ε by which the budget went down), ``epsilon_alone``,
            ``cancelled``. What others took, of whom this profile sees nothing, is one last row
            without a plan; the sum of ``taken`` is what is spent.
        """
        audit = json.loads(self._connection.audit(self.corpus, ""))
        budget = json.loads(self._connection.budget(self.corpus))
        taken = {plan["plan_id"]: plan["taken"] for plan in budget["plans"]}
        rows: list[dict[str, Any]] = [
            {**plan, "taken": taken.get(plan["plan_id"], float("nan"))} for plan in audit["plans"]
        ]
        if budget["taken_by_others"]:
            rows.append({"principal": "others", "taken": budget["taken_by_others"]})
        columns = ["plan_id", "principal", "model", "topics", "releases", "charged", "sigma",
                   "taken", "epsilon_alone", "cancelled"]
        return marked(pd.DataFrame(rows, columns=columns), self._connection.is_mock)

    def __repr__(self) -> str:
        return f"Ledger({self.corpus!r}{', MOCK' if self._connection.is_mock else ''})"
