"""Docstrings, types and examples hold."""

import doctest
import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import topicwall as tw
from made_up import EXAMPLES, write_model

PACKAGE = pathlib.Path(tw.__file__).parent
MODULES = sorted(
    f"topicwall.{path.stem}" for path in PACKAGE.glob("*.py") if path.stem != "__init__"
)
CLASSES = [thing for thing in map(vars(tw).get, tw.__all__) if isinstance(thing, type)]


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_hold(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("kind", CLASSES)
def test_everything_public_has_a_docstring(kind):
    assert inspect.getdoc(kind)
    for name, member in inspect.getmembers(kind):
        own = name in vars(kind) and (inspect.isfunction(member) or isinstance(member, property))
        if own and not name.startswith("_") and not name.endswith("_"):
            assert inspect.getdoc(member), name


def strictly(*paths):
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
         "--cache-dir", os.devnull, *map(str, paths)],
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_examples_are_typed():
    strictly(*EXAMPLES.glob("*.py"))


def test_the_package_is_typed():
    strictly(*PACKAGE.glob("*.py"))


def run(example, *arguments, texts):
    finished = subprocess.run(
        [sys.executable, "-B", EXAMPLES / example, *map(str, arguments)],
        input="\n".join(texts),
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_examples_run(tmp_path):
    texts = ["Heart and valve surgery", "heart valve", "Virus fever", "a fever virus"] * 10
    told = run("local_topics.py", tmp_path / "own.model", texts=texts)
    assert "algorithm no-privacy" in told
    told = run("read_model.py", tmp_path / "own.model", tmp_path / "own.html", texts=texts)
    assert "perplexity" in told and (tmp_path / "own.html").stat().st_size > 1000
    write_model(tmp_path / "noisy.model")
    run("read_model.py", tmp_path / "noisy.model", tmp_path / "noisy.html", texts=["the worda"] * 9)
