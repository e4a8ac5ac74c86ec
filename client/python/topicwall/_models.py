"""Where a finished fit becomes a model."""

from __future__ import annotations

from typing import Any


def model_of(path: str) -> Any:
    """The model of a folder: its path, until models can be read here."""
    return path
