"""Fixtures: a wall of real processes, as alice sees it."""

import os
import signal

# Before gRPC is loaded. A client that asks nothing looks at its connections every five seconds, and
# as long a server that ends waits until it has let go of them.
os.environ.setdefault("GRPC_CLIENT_CHANNEL_BACKUP_POLL_INTERVAL_MS", "100")

import pytest
from wall_world import WallWorld

import topicwall as tw

# Also where a script has the tests in the background: what they start must hear Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def world(tmp_path):
    """A running server of its own; releases come as soon as they are stored."""
    with WallWorld(tmp_path) as running:
        yield running


@pytest.fixture
def wall(world):
    return tw.connect(world.profile("alice"))
