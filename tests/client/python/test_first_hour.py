"""The notebook runs from an empty profile to a report, against a real wall."""

import json
import os
import shutil
import subprocess
import sys

from wall_world import SOURCE

import topicwall as tw

NOTEBOOK = SOURCE / "client/python/examples/first_hour.ipynb"


def outputs(notebook):
    cells = json.loads(notebook.read_text())["cells"]
    return [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]


def test_no_outputs_are_stored_with_it():
    assert outputs(NOTEBOOK) and not any(outputs(NOTEBOOK))


def test_it_runs_from_an_empty_profile_to_a_report(world, tmp_path):
    place = tmp_path / "alice"
    place.mkdir()
    for name in ("ca.pem", "alice.pem", "alice.key"):
        shutil.copy(tmp_path / "tls" / name, place)
    shutil.copy(NOTEBOOK, place)
    environment = {**os.environ, "TOPICWALL_SERVER": world.address, "HOME": str(place),
                   "XDG_CONFIG_HOME": str(place / "config")}
    environment.pop("TOPICWALL_PROFILE", None)
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace",
         "first_hour.ipynb"],
        cwd=place, env=environment, stdin=subprocess.DEVNULL, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "notes" in (place / "notes.html").read_text()
    shown = json.dumps(outputs(place / "first_hour.ipynb"))
    for what in ("wordaa", "nothing is reserved", "can still buy", "Audit(ok=True"):
        assert what in shown, what
    wall = tw.connect(place / "config/topicwall/profiles/default.textproto")
    assert wall.ledger("notes").verify(place / "notes.model").ok
