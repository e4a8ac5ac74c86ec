"""What is of a mock says so."""

from __future__ import annotations

import pandas as pd


def marked(frame: pd.DataFrame, is_mock: bool) -> pd.DataFrame:
    """The frame, of a mock with MOCK in the corner of its header: printed, in HTML, and kept by what
    is made of it.

    >>> print(marked(pd.DataFrame({"topic": [1]}), True))
    MOCK  topic
    0         1
    """
    return frame.rename_axis(columns="MOCK") if is_mock else frame
