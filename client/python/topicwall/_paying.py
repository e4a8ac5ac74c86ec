"""Everything that is paid for: asked before, shown while it runs, stopped by Ctrl-C."""

from __future__ import annotations

import html
import json
import sys
import threading
from typing import Any, Callable, NamedTuple, Optional, TypeVar, Union

from topicwall import _topicwall
from topicwall._errors import Error, Stopped, _Cancelled


class Progress(NamedTuple):
    """How far something is that is being paid for."""

    stage: str  #: e.g. ``"unigram"``, ``"topics"``
    plan_id: str  #: empty before the reservation
    done: int  #: releases of the stage
    total: int
    waiting: str  #: why the wall is waited for, or empty


ProgressOption = Union[str, None, bool, Callable[[Progress], None]]
T = TypeVar("T")


def in_notebook() -> bool:
    """Whether this runs in a kernel that shows HTML and asks by input()."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def can_ask() -> bool:
    """Whether there is somebody to ask: a terminal, or a notebook whose front end takes input."""
    if in_notebook():
        kernel = sys.modules["IPython"].get_ipython().kernel
        return bool(getattr(kernel, "_allow_stdin", False))
    return _is_terminal(sys.stdin) and _is_terminal(sys.stderr)


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _remark(text: str) -> None:
    """To standard error, if somebody is there: a terminal that went away ends nothing."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (AttributeError, ValueError, OSError):
        pass


def _line(now: Progress) -> str:
    if now.waiting:
        return f"waiting for the wall: {now.waiting}"
    filled = 20 * now.done // max(now.total, 1)
    return f"{now.stage} [{'#' * filled}{'-' * (20 - filled)}] {now.done}/{now.total}"


class _Bar:
    """One line on a terminal, drawn over itself."""

    def __call__(self, now: Progress) -> None:
        _remark(f"\r\x1b[K{_line(now)}")

    def close(self) -> None:
        _remark("\r\x1b[K")


class _Text:
    """A line of text in a notebook, replaced by the next."""

    def __init__(self) -> None:
        from IPython.display import display

        self._shown = display({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, now: Progress) -> None:
        self._shown.update({"text/plain": _line(now)}, raw=True)

    def close(self) -> None:
        pass


class _Calling:
    def __init__(self, function: Callable[[Progress], None]) -> None:
        self._function = function

    def __call__(self, now: Progress) -> None:
        self._function(now)

    def close(self) -> None:
        pass


def _shower(option: ProgressOption) -> Any:
    if callable(option):
        return _Calling(option)
    if option in (None, False):
        return _Calling(lambda now: None)
    if option not in ("auto", True):
        raise Error(f'progress must be "auto", None or a function; got {option!r}.')
    if in_notebook():
        return _Text()
    return _Bar() if _is_terminal(sys.stderr) else _Calling(lambda now: None)


def ask(question: str, text: str) -> bool:
    """Shows `text` and asks; only an answer that begins with y is a yes."""
    if in_notebook():
        from IPython.display import display

        display({"text/html": f"<pre>{html.escape(text)}</pre>", "text/plain": text}, raw=True)
    else:
        print(text, file=sys.stderr)
    try:
        return input(f"{question} [y/N] ").strip().lower().startswith("y")
    except EOFError:
        return False


class Purchase:
    """How one thing is bought: what is asked of whom, and what is said if it is not."""

    def __init__(self, what: str, buy: bool, text: Callable[[dict[str, Any]], str],
                 most: Optional[float] = None, most_text: str = "") -> None:
        self.what = what
        self.buy = buy
        self.text = text
        self.most = most  # ε agreed to beforehand, and as the quote told it
        self.most_text = most_text

    def agreed(self, quote: dict[str, Any]) -> bool:
        # The quote that is reserved, which may be of a later minute than the one that was shown.
        if self.most is not None and quote["taken"] > self.most * (1 + 1e-6):
            spent = quote["total"] - quote["left"], quote["total"] - quote["left_after"]
            raise Error(
                f"since the quote the budget has changed: it said {self.most_text} and would take "
                f"{_topicwall.taken_text(*spent)} now. Nothing was reserved; ask for a quote again."
            )
        if self.buy:
            return True
        if not can_ask():
            raise Error(
                f"{self.what} spends budget and there is no terminal or notebook to ask in: nothing "
                f"was reserved. To buy it without being asked, give buy=True."
            )
        return ask(f"Reserve this {self.what}?", self.text(quote))


def run(work: Callable[[_topicwall.Job], T], purchase: Purchase, progress: ProgressOption,
        path: str) -> T:
    """Runs `work` on a thread of its own; prompts, progress and Ctrl-C stay on this one."""
    job = _topicwall.Job()
    result: list[T] = []
    failure: list[BaseException] = []

    # Not Thread.join: interrupted, that of Python 3.11 takes the thread for ended.
    over = threading.Event()

    def body() -> None:
        try:
            result.append(work(job))
        except BaseException as error:  # raised again below, on the caller's thread
            failure.append(error)
        finally:
            over.set()

    show = _shower(progress)
    # Waited for at the exit, also where the caller is a daemon: it writes what is paid for.
    threading.Thread(target=body, name="topicwall", daemon=False).start()
    try:
        interrupted = _attend(job, over, purchase, show)
    finally:
        # Whatever happened above: nothing more is asked for, and what is under way is kept.
        job.stop()
        _wait_for(job, over)
        show.close()
    now = Progress(*job.shown())
    if interrupted:
        raise _stopped(path, now, failure) from None
    if failure:
        if isinstance(failure[0], _Cancelled):
            raise Error("nothing was reserved: the quote was not agreed to.") from None
        raise failure[0]
    return result[0]


def _attend(job: _topicwall.Job, over: threading.Event, purchase: Purchase, show: Any) -> bool:
    """Until it is over. True if Ctrl-C ended it."""
    last: Optional[Progress] = None
    try:
        while not over.is_set():
            asked = job.asked()
            if asked is not None:
                job.answer(purchase.agreed(json.loads(asked)))
            now = Progress(*job.shown())
            if now != last and (now.plan_id or now.waiting):
                show(now)
                last = now
            over.wait(0.02)
        now = Progress(*job.shown())
        if now != last and now.plan_id:
            show(now)
        return False
    except KeyboardInterrupt:
        job.stop()
        now = Progress(*job.shown())
        if now.plan_id:
            _remark(
                "\nstopping when the release that is under way is there; it is paid, and kept. "
                "Ctrl-C again stops at once: the same call goes on with it.\n"
            )
        return True


def _wait_for(job: _topicwall.Job, over: threading.Event) -> None:
    while not over.is_set():
        try:
            over.wait(0.1)
        except KeyboardInterrupt:
            job.stop_now()


def _stopped(path: str, now: Progress, failure: list[BaseException]) -> BaseException:
    if failure and not isinstance(failure[0], _Cancelled):
        return failure[0]
    if not failure:
        return Stopped("stopped, but it was done by then: the same call returns it, and pays "
                       "nothing.", path, now.plan_id, now.done, now.total)
    if not now.plan_id and "did not answer" in str(failure[0]):
        return Stopped("stopped while the wall did not answer. If a plan was reserved, the same "
                       "call goes on with it; nothing is paid twice.", path, "", 0, 0)
    if not now.plan_id:
        return Stopped("stopped; nothing was reserved, and nothing is paid.", path, "", 0, 0)
    return Stopped(
        f"stopped: plan {now.plan_id} is reserved, {now.done} of {now.total} releases of its stage "
        f"{now.stage} are paid and kept in {path}. The same call goes on, and pays nothing twice.",
        path, now.plan_id, now.done, now.total,
    )
