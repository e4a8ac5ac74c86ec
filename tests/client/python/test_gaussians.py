"""A mixture of Gaussians in Python is the one of the program, in the units of the vectors."""

import json
import subprocess

import numpy as np
import pytest

import topicwall as tw
from made_up import BINARIES, write_model
from scipy import stats


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "g.model", "gaussian")


def test_components_are_in_the_units_of_the_vectors(folder):
    model = tw.load(folder)
    assert isinstance(model, tw.GaussianMixture)
    np.testing.assert_allclose(model.weights_, [0.25, 0.75])
    np.testing.assert_allclose(model.means_, [[1, 0, 0], [0, -0.5, 1]])
    np.testing.assert_allclose(model.deviations_, np.full((2, 3), 0.2))
    assert model.weight_margin == pytest.approx(0.195996, rel=1e-5)
    with pytest.raises(ValueError):
        model.means_[0, 0] = 1


def test_vectors_are_assigned_as_the_program_assigns_them(folder, tmp_path):
    vectors = np.array([[1.0, 0.1, 0], [0.1, -0.5, 0.9], [30, 0, 0]])
    np.save(tmp_path / "mine.npy", vectors)
    told = json.loads(subprocess.run(
        [BINARIES / "topicwall", "topics", folder, "--assign", tmp_path / "mine.npy", "--json"],
        check=True, capture_output=True).stdout)["vectors"]
    model = tw.load(folder)
    found = model.assign(vectors)
    assert found["component"].tolist() == [1, 2, 1] == [row["component"] for row in told]
    np.testing.assert_allclose(found["log_density"], [row["log_density"] for row in told])
    assert model.score(vectors) == pytest.approx(found["log_density"].mean())
    # By SciPy, of the first two, which the norm bound of 2 leaves as they are.
    densities = sum(
        weight * stats.multivariate_normal(mean / 2, 0.01).pdf(vectors[:2] / 2)
        for weight, mean in zip(model.weights_, model.means_))
    np.testing.assert_allclose(found["log_density"][:2], np.log(densities), rtol=1e-5)


def test_what_is_no_vector_of_the_corpus_is_refused(folder):
    model = tw.load(folder)
    with pytest.raises(ValueError, match=r"\(n, 3\)"):
        model.assign(np.zeros((2, 4)))
    with pytest.raises(tw.Error, match="finite"):
        model.assign([[0, np.nan, 0]])
