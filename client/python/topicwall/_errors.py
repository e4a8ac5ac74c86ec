"""Exceptions, one class for each kind that a caller would handle differently."""


class Error(Exception):
    """Base of all errors of this package. The message says what to do next."""


class Unavailable(Error):
    """The wall cannot be asked at present; nothing was lost, try again."""


def of_status(code, message, document):
    """The exception of a status: its code, its explanation, and the same as a JSON document."""
    del document
    if code in (4, 10, 14):  # DEADLINE_EXCEEDED, ABORTED, UNAVAILABLE
        return Unavailable(message)
    return Error(message)
