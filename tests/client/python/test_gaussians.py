"""A mixture of Gaussians in Python is the one of the program, in the units of the vectors."""

import json
import subprocess

import numpy as np
import pytest

import topicwall as tw
from made_up import BINARIES, topicwall, write_model
from scipy import stats
from sklearn.mixture import GaussianMixture
from wall_world import WallWorld


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "g.model", "gaussian")


def test_components_are_in_the_units_of_the_vectors(folder):
    model = tw.load(folder)
    assert isinstance(model, tw.GaussianMixture)
    np.testing.assert_allclose(model.weights_, [0.25, 0.75])
    np.testing.assert_allclose(model.means_, [[1, 0, 0], [0, -0.5, 1]])
    np.testing.assert_allclose(model.deviations_, np.full((2, 3), 0.2))
    margins = 0.195996 * np.hypot(0.75, 0.25)  # a share of a quarter, and of what is left
    np.testing.assert_allclose(model.weight_margins, [margins] * 2, rtol=1e-5)
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


# The mixture's density of the vectors as they are, by NumPy from the file and by scikit-learn from
# the package, is the program's own, which is of vectors divided by the bound of 2.
def test_an_export_has_the_likelihood_that_the_program_tells(folder, tmp_path):
    topicwall("export", folder, "--to", "npz", "--output", tmp_path / "faces.npz")
    vectors = np.array([[1.0, 0.1, 0], [0.1, -0.5, 0.9], [0.3, -1.1, 0.2], [1, -1, 1]])
    np.save(tmp_path / "mine.npy", vectors)
    told = topicwall("perplexity", folder, "--documents", tmp_path / "mine.npy")["log_likelihood"]
    with np.load(tmp_path / "faces.npz") as arrays:
        weights, means, variances = (arrays[name] for name in ("weights", "means", "variances"))
        assert means.dtype == np.float64 and means.shape == variances.shape == (2, 3)
        bound = arrays["norm_bound"][0]
        assert bound == 2
        np.testing.assert_array_equal(arrays["weight_margins"], tw.load(folder).weight_margins)
        assert "MOCK" not in arrays
    apart = (vectors[:, None] - means) ** 2 / variances + np.log(2 * np.pi * variances)
    densities = np.log(np.exp(-apart.sum(axis=2) / 2) @ weights)
    # Numbers of vectors are float32 behind the wall and here.
    assert densities.mean() == pytest.approx(told - 3 * np.log(bound), rel=1e-5)
    model = tw.load(folder)
    theirs = model.to_sklearn()
    assert theirs.score(vectors) == pytest.approx(
        model.score(vectors) - 3 * np.log(model.norm_bound), rel=1e-5)
    np.testing.assert_array_equal(theirs.predict(vectors) + 1, model.assign(vectors)["component"])
    assert theirs.sample(5)[0].shape == (5, 3)


def test_a_report_is_the_programs(folder, tmp_path):
    topicwall("report", folder, "--output", tmp_path / "program.html")
    tw.load(folder).report(tmp_path / "package.html")
    written = (tmp_path / "package.html").read_bytes()
    assert written == (tmp_path / "program.html").read_bytes() and b"2 components" in written


# 3,000 vectors about two points; the yardstick of the program beside scikit-learn's EM, which has
# the same components and covariances.
def test_a_fit_without_privacy_is_as_good_as_scikit_learns(tmp_path):
    drawn = np.random.default_rng(3).normal(0, 0.1, (3000, 4))
    drawn[::3, 0] += 0.8
    drawn[1::3, 1] -= 0.5
    np.save(tmp_path / "mine.npy", drawn)
    topicwall("fit", "--no-privacy", "--algorithm", "gaussian", "--documents",
              tmp_path / "mine.npy", "--norm-bound", "1.5", "--topics", "3", "--model",
              tmp_path / "m")
    ours = tw.load(tmp_path / "m")
    assert ours.algorithm == "no-privacy" and ours.epsilon == np.inf and not ours.weight_margins.any()
    theirs = GaussianMixture(3, covariance_type="diag", n_init=5, random_state=1).fit(drawn)
    assert ours.to_sklearn().score(drawn) > theirs.score(drawn) - 0.01
    # As good where it begins with its means, and of one pass.
    np.save(tmp_path / "means.npy", theirs.means_)
    topicwall("fit", "--no-privacy", "--algorithm", "gaussian", "--documents",
              tmp_path / "mine.npy", "--norm-bound", "1.5", "--topics", "3", "--passes", "4",
              "--init", tmp_path / "means.npy", "--model", tmp_path / "begun")
    np.testing.assert_allclose(tw.load(tmp_path / "begun").means_, theirs.means_, atol=0.05)


def test_what_is_no_vector_of_the_corpus_is_refused(folder):
    model = tw.load(folder)
    with pytest.raises(ValueError, match=r"\(n, 3\)"):
        model.assign(np.zeros((2, 4)))
    with pytest.raises(tw.Error, match="finite"):
        model.assign([[0, np.nan, 0]])
    for ask in (model.assign, model.score):
        with pytest.raises(ValueError, match="vectors must be of real numbers; got dtype complex"):
            ask(np.array([[1 + 1j, 0, 0]]))
        with pytest.raises(ValueError, match="vectors must have no masked entries"):
            ask(np.ma.masked_array(np.ones((1, 3)), mask=[[True, False, False]]))
        with pytest.raises(ValueError, match=r"vectors must be an array \(n, 3\)"):
            ask(None)


def test_no_vectors_are_no_result(folder, tmp_path):
    np.save(tmp_path / "none.npy", np.zeros((0, 3)))
    done = subprocess.run([BINARIES / "topicwall", "topics", folder, "--assign",
                           tmp_path / "none.npy"], text=True, capture_output=True)
    assert done.returncode == 1 and "must have vectors as rows; it has none" in done.stderr
    with pytest.raises(ValueError, match="at least one"):
        tw.load(folder).score(np.zeros((0, 3)))


def test_topics_are_not_matched_with_components(folder, tmp_path):
    topics = tw.load(write_model(tmp_path / "topics.model"))
    with pytest.raises(tw.Error, match="mixture of Gaussians, and this is asked of models of words"):
        topics.match(tw.load(folder))


def test_a_mixture_is_evaluated_behind_the_wall_as_on_vectors_of_ones_own(tmp_path):
    # Uniform around two points: no vector is so far from what is expected that it would be clipped.
    drawn = np.random.default_rng(1).uniform(-0.2, 0.2, (2000, 4))
    drawn[::2, 0] += 1
    drawn[1::2, 1] += 1
    vectors = drawn.astype(np.float32)
    with WallWorld(tmp_path, epsilon=1e4, documents=2000, vectors=vectors) as world:
        notes = tw.connect(world.profile("alice"))["notes"]
        quote = notes.quote(topics=2, algorithm="gaussian", noise_multiplier=0.2, iterations=3,
                            held_out_share=0.2)
        # 1,600 of the vectors are fitted, half of them of each component.
        assert quote.expected["vectors"].tolist() == pytest.approx([800, 400, 80])
        assert notes.quote(algorithm="gaussian", spend=100, plan="auto").topics > 2
        model = notes.fit(quote, path=tmp_path / "m", buy=True)
        before = notes.budget.spent
        found = notes.evaluate(model, noise_multiplier=0.2, buy=True)
        assert isinstance(found, tw.VectorEvaluation) and not found.was_trained_on
        assert found.taken == pytest.approx(notes.budget.spent - before)
        # A fifth of 2,000, by the units' coins and with noise of less than 1: below 1e-9 to be off.
        assert found.vectors == pytest.approx(400, abs=6.2 * np.sqrt(2000 * 0.16) + 6.2)
        everybody = notes.evaluate(model, held_out_share=1, noise_multiplier=0.2, buy=True)
        assert everybody.was_trained_on
        # 6.2 standard deviations: below 1e-9.
        assert everybody.log_density == pytest.approx(
            model.score(vectors), abs=6.2 * everybody.standard_error)
        assert everybody.standard_error < 0.02
        spent = notes.budget.spent
        assert notes.evaluate(model, noise_multiplier=0.2) == found
        assert notes.budget.spent == spent


def test_a_plan_says_how_far_off_means_will_be_and_is_the_fit_that_it_proposes(tmp_path):
    vectors = np.random.default_rng(2).uniform(-0.5, 0.5, (2000, 4))
    with WallWorld(tmp_path, epsilon=20, documents=2000, vectors=vectors) as world:
        profile = world.profile("alice")

        def topicwall(*arguments):
            return subprocess.run([BINARIES / "topicwall", *arguments], check=True, text=True,
                                  capture_output=True, env={"TOPICWALL_PROFILE": profile}).stdout

        plan = ("plan", "notes", "--algorithm", "gaussian", "--spend", "5")
        told = topicwall(*plan)
        assert "components of notes" in told and "vectors of a component" in told
        proposed = json.loads(topicwall(*plan, "--json"))
        topics = proposed["proposed"]["topics"]
        assert f"--spend 5 --algorithm gaussian --topics {topics} --iterations 20" in told
        average = proposed["expected_components"]["sizes"][0]
        assert average["vectors"] == pytest.approx(2000 / topics)
        assert average["signal_to_noise"] >= proposed["expected_components"]["least_signal_to_noise"]
        assert proposed["expected"] is None and proposed["warning"] == ""
        notes = tw.connect(profile)["notes"]
        model = notes.fit(notes.quote(algorithm="gaussian", spend=5, plan="auto"),
                          path=tmp_path / "m", buy=True)
        assert model.means_.shape == (topics, 4)
        assert notes.budget.spent == pytest.approx(proposed["takes"]["taken"])
        drowned = notes.quote(algorithm="gaussian", spend=0.05, topics=8)
        assert "fewer components" in drowned.verdict


# Through the wall, in the units of the vectors: the bound is 2. Nothing is drawn, so that the
# components come out as the public means stand, and the same command knows the fit by the file.
def test_a_fit_begins_with_public_vectors(tmp_path):
    drawn = np.random.default_rng(4).uniform(-0.2, 0.2, (4000, 4))
    drawn[::2, 0] += 1
    drawn[1::2, 1] += 1
    means = np.array([[0.2, 0.8, 0, 0], [0.7, 0.3, 0, 0]])
    np.save(tmp_path / "means.npy", means)
    np.save(tmp_path / "others.npy", means[::-1])
    np.save(tmp_path / "public.npy", drawn[:500] + 0.05)
    with WallWorld(tmp_path, epsilon=100, documents=4000, vectors=drawn) as world:
        profile = world.profile("alice")

        def fit(init, model, algorithm="gaussian"):
            return subprocess.run(
                [BINARIES / "topicwall", "fit", "notes", "--algorithm", algorithm, "--topics", "2",
                 "--epsilon-alone", "20", "--iterations", "4", "--init", tmp_path / init, "--model",
                 tmp_path / model, "--yes"], text=True, capture_output=True,
                env={"TOPICWALL_PROFILE": profile})

        done = fit("means.npy", "m")
        assert done.returncode == 0, done.stderr
        found = tw.load(tmp_path / "m").means_
        np.testing.assert_allclose(found, [[0, 1, 0, 0], [1, 0, 0, 0]], atol=0.05)
        spent = tw.connect(profile)["notes"].budget.spent
        assert "holds this fit already" in fit("means.npy", "m").stdout
        refused = fit("others.npy", "m")
        assert refused.returncode == 1 and "init" in refused.stderr
        assert tw.connect(profile)["notes"].budget.spent == spent
        done = fit("public.npy", "p")
        assert done.returncode == 0, done.stderr
        assert sorted(tw.load(tmp_path / "p").means_[:, 0].round()) == [0, 1]
        refused = fit("means.npy", "q", "denoised")
        assert refused.returncode == 2 and "--init of vectors" in refused.stderr
