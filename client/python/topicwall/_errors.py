"""Exceptions, one class for each kind that a caller would handle differently.

Numbers are attributes, so that nobody has to read them out of a message.
"""

from __future__ import annotations

import json
import re
from typing import Any, Optional


def _made_again(kind: type[BaseException], args: tuple[Any, ...],
                fields: dict[str, Any]) -> BaseException:
    error = kind.__new__(kind, *args)  # past __init__, which asks for more than the message
    error.__dict__.update(fields)
    return error


class _Portable:
    """An exception that crosses to another process, or is copied, with all its attributes."""

    args: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.args, self.__dict__)


class Error(_Portable, Exception):
    """Base of all errors of this package. The message says what to do next."""


class Unavailable(Error):
    """The wall cannot be asked at present; nothing was lost, try again."""


class NotAdmitted(Error):
    """The wall does not let this profile in.

    Attributes
    ----------
    reason : str
        ``"ca"``: the wall's certificate is not of the profile's CA; ``"key"``: TLS cannot use the
        profile's files; ``"certificate"``: the wall does not accept it, or the custodian's list
        has nobody whom it names; ``"list"``: the custodian does not admit them to what was asked.
    """

    def __init__(self, message: str, reason: str = "list") -> None:
        super().__init__(message)
        self.reason = reason


class BudgetRefused(Error):
    """The privacy budget does not hold what was asked for. Nothing was reserved.

    Attributes
    ----------
    asked : float
        ε of the plan alone, as if nothing else were ever spent; NaN if it was not counted, as where
        no noise makes a plan of what was to be spent.
    taken : float
        ε by which the budget would have gone down; NaN if it was not counted, infinity if no
        budget is that large.
    left : float
        ε that is left.
    fits : int
        How many releases of the kind still fit.
    """

    def __init__(self, message: str, asked: float, taken: float, left: float, fits: int) -> None:
        super().__init__(message)
        self.asked = asked
        self.taken = taken
        self.left = left
        self.fits = fits


class CorpusPaused(Error):
    """Nothing can be charged at present; what was released can be read. Ask the custodian.

    Attributes
    ----------
    corpus, state : str
        ``state`` is ``"paused"`` or ``"frozen"``.
    """

    def __init__(self, message: str, corpus: str, state: str) -> None:
        super().__init__(message)
        self.corpus = corpus
        self.state = state


class PlanMismatch(Error):
    """The folder holds another fit than the one asked for. Nothing was paid.

    Attributes
    ----------
    flag : str
        The first option that differs, by its name on the command line.
    was, now : str or float
        What the folder's fit was begun with, and what was asked for.
    """

    def __init__(self, message: str, flag: str, was: Any, now: Any) -> None:
        super().__init__(message)
        self.flag = flag
        self.was = was
        self.now = now


class InputError(Error):
    """A file of your own cannot be used.

    Attributes
    ----------
    path : str
    line : int
        From 1.
    """

    def __init__(self, message: str, path: str, line: int) -> None:
        super().__init__(message)
        self.path = path
        self.line = line


class Stopped(_Portable, KeyboardInterrupt):
    """Ctrl-C during what is paid for: it stopped between two releases, and the same call goes on.

    Attributes
    ----------
    path : str
        The folder, which holds all that is paid.
    plan_id : str
        Empty if nothing was reserved.
    done, total : int
        Releases of the stage that was under way; ``done`` of them are kept.
    """

    def __init__(self, message: str, path: str, plan_id: str, done: int, total: int) -> None:
        super().__init__(message)
        self.path = path
        self.plan_id = plan_id
        self.done = done
        self.total = total


# What the program calls otherwise than the package.
_NAMES = {"model": "path", "yes": "buy=True", "spend all": 'spend="all"', "plan auto": 'plan="auto"'}
_OPTIONS = ("sampling-rate", "held-out-share", "epsilon-alone", "noise-multiplier", "clip-norm",
            "max-words", "words-per-unit", "typical-documents", "nominal-size",
            "seconds-per-release")
_FLAG = re.compile("--(spend all|plan auto|[a-z][a-z-]*[a-z])|(?<![a-z-])(" + "|".join(_OPTIONS)
                   + ")(?![a-z-])|\\bmax_tokens\\b")


def in_python(text: str) -> str:
    """A text of the program, by the names that options have here. What is between backquotes is a
    command, and stays."""

    def named(found: re.Match[str]) -> str:
        name = found[1] or found[2] or "max-words"
        return _NAMES.get(name, name.replace("-", "_"))

    parts = text.split("`")
    return "`".join(part if i % 2 else _FLAG.sub(named, part) for i, part in enumerate(parts))


_CANCELLED = 1
_PASSES = (4, 10, 14)  # DEADLINE_EXCEEDED, ABORTED, UNAVAILABLE


class _Cancelled(Error):
    """A job was stopped or not agreed to; never leaves this package."""


def _number(value: Optional[float]) -> float:
    return float("nan") if value is None else float(value)


def _of_detail(message: str, detail: dict[str, Any]) -> Error:
    kind = detail.get("kind")
    if kind == "plan_mismatch":
        return PlanMismatch(message, detail["flag"], detail["was"], detail["now"])
    if kind == "input":
        return InputError(message, detail["path"], int(detail["line"]))
    if kind == "corpus_state":
        return CorpusPaused(message, detail["corpus"], detail["state"])
    if kind == "not_admitted":
        return NotAdmitted(message, detail["reason"])
    return Error(message)


def of_status(code: int, message: str, document: str) -> Error:
    """The exception of a status: its code, its explanation, and the same as a JSON document."""
    message = in_python(message)
    error = json.loads(document)["error"]
    if "detail" in error:
        return _of_detail(message, error["detail"])
    if error["code"] == "budget_refused":
        return BudgetRefused(
            message,
            asked=_number(error.get("epsilon_alone")),
            taken=_number(error.get("taken")),
            left=_number(error.get("left")),
            fits=int(error.get("fits", 0)),
        )
    if code in _PASSES:
        return Unavailable(message)
    if code == _CANCELLED:
        return _Cancelled(message)
    return Error(message)
