"""Arguments that go to the extension, checked first: an error names the parameter and the rule.

What the extension cannot convert it would refuse in words of its own, with the types of C++.
"""

from __future__ import annotations

import numbers
import os
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

#: The largest of C++'s int, and of its uint64_t.
MOST_INT = 2**31 - 1
MOST_SEED = 2**64 - 1


def whole_number(value: Any, name: str, least: int = 1, most: int = MOST_INT) -> int:
    """A whole number from `least` to `most`; anything else is a ValueError."""
    if not isinstance(value, numbers.Integral) or int(value) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    if int(value) > most:
        raise ValueError(f"{name} must be at most {most}; got {value!r}.")
    return int(value)


def text_of(value: Any, name: str) -> str:
    """A str that can be encoded: TypeError or ValueError otherwise."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str; got {value!r}.")
    check_unicode(value, name)
    return value


def path_of(path: Any, name: str = "path") -> str:
    """A path as text. A NUL in it, at which C would take its end, is a ValueError."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{name} must be a path; got {path!r}.") from None
    check_unicode(text, name)
    if "\0" in text:
        raise ValueError(f"{name} must be a path, which has no NUL; got {text!r}.")
    return text


def check_unicode(text: str, name: str) -> None:
    """A text with half a surrogate pair, which a wrong encoding leaves, is a ValueError that says
    where, and shows nothing of it: it may be a document."""
    try:
        text.encode()
        return
    except UnicodeEncodeError as error:
        place = error.start
    raise ValueError(
        f"{name} is no Unicode text: its character {place} is half a surrogate pair. "
        'Read it by its true encoding, or with errors="replace".'
    )


def check_all_unicode(texts: Sequence[str], name: str) -> None:
    """check_unicode of each, which it names by its number from 0."""
    for number, text in enumerate(texts):
        check_unicode(text, f"{name}[{number}]")


def check_unmasked(values: Any, name: str) -> None:
    """NumPy hands on what is below a mask: of a masked entry this is a ValueError."""
    if np.ma.is_masked(values):  # type: ignore[no-untyped-call]
        raise ValueError(
            f"{name} must have no masked entries. Leave their rows out, or say what they are: "
            "filled(0).")


def real_array(values: Any, name: str) -> npt.NDArray[Any]:
    """An array of real numbers; of what are none, as complex ones, a ValueError."""
    check_unmasked(values, name)
    array: npt.NDArray[Any] = np.asarray(values)
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    if array.dtype.kind not in "uifb":
        raise ValueError(f"{name} must be of real numbers; got dtype {array.dtype}.")
    return array
