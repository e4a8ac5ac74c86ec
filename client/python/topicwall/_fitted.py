"""What every model's folder says, whatever it is a model of."""

from __future__ import annotations

import os
from typing import Any, Iterable

from topicwall import _topicwall
from topicwall._arguments import path_of


def folder_of(model: Any, name: str = "model") -> str:
    """Of a model, or of the path to one, whatever is asked about it in its folder."""
    if isinstance(model, Fitted):
        if model.path is None:
            raise ValueError(f"{name} is in no folder yet: save it first, {name}.save(folder).")
        return model.path
    path = path_of(model, name)
    if not path:
        raise ValueError(f"{name} must be a model or its folder; got {model!r}.")
    return path


class Fitted:
    """A model's file in memory; never changed."""

    def __init__(self, file: _topicwall.FittedModel) -> None:
        self._file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._file,)

    @property
    def path(self) -> str | None:
        """Folder; None if it is in none."""
        return self._file.path or None

    @property
    def unfinished(self) -> tuple[int, int] | None:
        """Of a fit that is not finished: how many of its releases are in, and of how many. It is
        what they say so far. None of a finished one."""
        return self._file.unfinished

    @property
    def corpus(self) -> str:
        """Of which corpus it is; empty if no wall was asked."""
        return self._file.corpus

    @property
    def labels(self) -> dict[int, str]:
        """What its topics are called, of those that have a name: by ``topicwall label``, or as the
        anchors of its fit. As the folder says now; a merged model has those of what it is of."""
        names = enumerate(self._file.labels(), start=1)
        return {topic: name for topic, name in names if name}

    @property
    def is_mock(self) -> bool:
        """Whether it is of a mock's made-up documents (:func:`topicwall.mock`)."""
        return self._file.is_mock

    @property
    def _mark(self) -> str:
        return "MOCK, " if self.is_mock else ""

    @property
    def algorithm(self) -> str:
        """Which made it."""
        return self._file.algorithm

    @property
    def epsilon(self) -> float:
        """Of the fit alone, upper bound; infinite without a wall. Budgets add up: see the ledger."""
        return self._file.epsilon

    @property
    def delta(self) -> float:
        """Of the fit alone."""
        return self._file.delta

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        compare: Fitted | None = None,
        events: str | os.PathLike[str] | None = None,
        prevalences: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        """Writes one file of HTML to show: ``topicwall report``. Replaces it if there is one.

        Parameters
        ----------
        path : file to write
        compare : a model of words in a folder, to compare the topics of this one with
        events : ledger that ``topicwall ledger --events`` wrote, for the sheet on privacy
        prevalences : prevalence files beside those in the model's folder
        """
        _topicwall.write_report(
            folder_of(self),
            path_of(path),
            "" if compare is None else folder_of(compare, "compare"),
            "" if events is None else path_of(events, "events"),
            [path_of(file, "prevalences") for file in prevalences],
        )
