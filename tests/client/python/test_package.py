"""The package as a whole: types, doctests, help, and what installing it makes."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys

import topicwall as tw

BUILD = pathlib.Path(os.environ["TOPICWALL_BINARY_DIR"]).parent


def modules():
    return [importlib.import_module(f"topicwall.{found.name}")
            for found in pkgutil.iter_modules(tw.__path__)]


def test_a_script_that_uses_it_is_read_by_a_strict_type_checker(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir",
         str(tmp_path), str(pathlib.Path(__file__).with_name("example.py"))],
        env={**os.environ, "MYPYPATH": str(BUILD / "python")}, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_example_in_a_docstring_says_what_comes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for module in [tw, *modules()]:
        assert doctest.testmod(module).failed == 0, module.__name__


def test_everything_public_says_what_it_is():
    for name in tw.__all__:
        if name == "__version__":
            continue
        thing = getattr(tw, name)
        assert thing.__doc__, name
        for member in vars(thing) if isinstance(thing, type) else ():
            public = callable(getattr(thing, member)) or isinstance(vars(thing)[member], property)
            if not member.startswith("_") and public:
                assert getattr(thing, member).__doc__, f"{name}.{member}"


def test_an_installed_package_is_real_files_and_imports_from_there(tmp_path):
    subprocess.run(["cmake", "--install", str(BUILD), "--component", "python", "--prefix",
                    str(tmp_path)], check=True, capture_output=True)
    place = tmp_path / "lib/python3/dist-packages"
    files = list((place / "topicwall").iterdir())
    assert not any(file.is_symlink() for file in files)
    assert {"py.typed", "_topicwall.pyi", "__init__.py"} <= {file.name for file in files}
    done = subprocess.run(
        [sys.executable, "-B", "-c", "import topicwall; print(topicwall.__file__, topicwall.connect)"],
        env={**os.environ, "PYTHONPATH": str(place)}, cwd=tmp_path, text=True, capture_output=True)
    assert done.stdout.startswith(str(place)), done.stderr
