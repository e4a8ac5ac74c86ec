"""A status of the C++ side is the exception that a caller can handle."""

import pytest

import topicwall as tw
from topicwall import _topicwall


def test_a_wall_that_does_not_answer_is_unavailable():
    with pytest.raises(tw.Unavailable, match="try again"):
        _topicwall._raise(14, "not there, try again")


def test_any_other_status_is_an_error_of_this_package():
    with pytest.raises(tw.Error, match="K must be"):
        _topicwall._raise(3, "K must be at least 1")
