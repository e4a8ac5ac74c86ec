"""What `cmake --install --component python` makes."""

import os
import pathlib
import subprocess
import sys

BUILD = pathlib.Path(os.environ["TOPICWALL_BINARY_DIR"]).parent


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
