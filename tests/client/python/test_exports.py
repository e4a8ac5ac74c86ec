"""Models in the hands of gensim and scikit-learn, with the same topics under the same numbers."""

import json

import numpy as np
import pytest
from scipy.io import mmread
from sklearn.decomposition import LatentDirichletAllocation

import topicwall as tw
from made_up import names, planted, topicwall, write_model


# Of pyLDAvis.prepare in its version 3.4.1.
PYLDAVIS_ARGUMENTS = ["topic_term_dists", "doc_topic_dists", "doc_lengths", "vocab",
                      "term_frequency", "R", "lambda_step", "mds", "n_jobs", "plot_opts",
                      "sort_topics", "start_index"]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    return tw.load(write_model(tmp_path_factory.mktemp("models") / "a.model"))


@pytest.fixture(scope="module")
def own():
    return tw.LocalLDA(4, random_state=1).fit(planted()).to_model(names(24))


def mean_topics(model):
    lambdas = model.components_.astype(float)
    return lambdas / lambdas.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("which", ["released", "own"])
def test_gensim_has_the_topics_and_infers(which, request):
    model = request.getfixturevalue(which)
    theirs = model.to_gensim()
    np.testing.assert_allclose(theirs.get_topics(), mean_topics(model), rtol=1e-12)
    for topic in range(len(model.components_)):
        top = int(model.components_[topic].argmax())
        assert theirs.show_topic(topic, 1)[0][0] == model.vocabulary[top]
    counts = np.random.default_rng(1).multinomial(60, mean_topics(model)[1], 20)
    bags = [[(v, int(n)) for v, n in enumerate(row) if n] for row in counts]
    gammas = theirs.inference(bags)[0]
    found = gammas / gammas.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, model.transform(counts), atol=0.05)


def test_scikit_learn_has_the_topics_and_infers(released):
    theirs = released.to_sklearn()
    assert isinstance(theirs, LatentDirichletAllocation)
    np.testing.assert_array_equal(theirs.components_, released.components_)
    counts = np.random.default_rng(1).multinomial(60, mean_topics(released)[1], 20)
    np.testing.assert_allclose(theirs.transform(counts), released.transform(counts), atol=0.03)
    assert theirs.perplexity(counts) > 1
    assert len(theirs.get_feature_names_out()) == 3


# Topics of few words, of which E[log beta] is far from the logarithm of the mean: by it mixtures
# would be 0.03 off.
def test_scikit_learn_infers_by_the_mean_topics_as_the_model_does():
    model = tw.LocalLDA(4, random_state=1).fit(planted(8)).to_model(names(24))
    rng = np.random.default_rng(3)
    counts = np.array([rng.multinomial(length, rng.dirichlet(np.full(4, 0.3)) @ mean_topics(model))
                       for length in (1, 2, 3, 5, 8) for _ in range(20)])
    np.testing.assert_allclose(model.to_sklearn().transform(counts), model.transform(counts),
                               atol=0.002)


def test_scikit_learn_is_told_that_it_has_one_alpha():
    counts = planted()
    skewed = np.vstack([counts[0::4]] * 8 + [counts])  # most documents are of one topic
    model = tw.LocalLDA(4, random_state=1, learn_prior=True).fit(skewed).to_model(names(24))
    with pytest.warns(UserWarning, match="one alpha for all topics"):
        theirs = model.to_sklearn()
    expected = model.transform(counts).argmax(axis=1)
    np.testing.assert_array_equal(theirs.transform(counts).argmax(axis=1), expected)


def test_scipy_reads_the_matrix_market_file(tmp_path):
    folder = write_model(tmp_path / "a.model")
    topicwall("export", folder, "--to", "mm", "--output", tmp_path / "a.mtx")
    topics = mmread(tmp_path / "a.mtx")
    np.testing.assert_allclose(topics, mean_topics(tw.load(folder)), rtol=1e-6)


# One writer of both: what the program leaves is what the package hands over.
def test_the_file_for_pyldavis_is_what_the_package_gives(tmp_path):
    folder = write_model(tmp_path / "a.model")
    topicwall("export", folder, "--to", "pyldavis", "--output", tmp_path / "a.json")
    written = json.loads((tmp_path / "a.json").read_text())
    given = tw.load(folder).to_pyldavis()
    assert list(written) == list(given)
    assert set(written) <= set(PYLDAVIS_ARGUMENTS)
    for name, value in given.items():
        np.testing.assert_array_equal(np.asarray(written[name]), value)
    np.testing.assert_allclose(written["topic_term_dists"], mean_topics(tw.load(folder)), rtol=1e-6)
    assert written["vocab"] == list(tw.load(folder).vocabulary)
    assert written["sort_topics"] is False  # or number k there would be another topic


@pytest.mark.parametrize("with_documents", [True, False])
def test_pyldavis_gets_distributions_of_one_shape(own, with_documents):
    counts = np.vstack([planted(), np.zeros(24, dtype=int)])
    prepared = own.to_pyldavis(counts if with_documents else None)
    num_documents = len(counts) - 1 if with_documents else 4
    assert prepared["topic_term_dists"].shape == (4, 24)
    assert prepared["doc_topic_dists"].shape == (num_documents, 4)
    assert len(prepared["doc_lengths"]) == num_documents
    assert prepared["vocab"] == list(own.vocabulary)
    assert len(prepared["term_frequency"]) == 24
    for dists in ("topic_term_dists", "doc_topic_dists"):
        np.testing.assert_allclose(prepared[dists].sum(axis=1), 1, atol=1e-9)
    assert (np.asarray(prepared["doc_lengths"]) > 0).all()
    # What pyLDAvis makes of them: how large each topic is, and how frequent a word overall.
    sizes = prepared["doc_topic_dists"].T @ prepared["doc_lengths"]
    shares = own.quality["share"].sort_index().to_numpy()
    np.testing.assert_allclose(sizes / sizes.sum(), shares, atol=0.02)
    frequency = np.asarray(prepared["term_frequency"], dtype=float)
    np.testing.assert_allclose(
        frequency / frequency.sum(), (sizes / sizes.sum()) @ prepared["topic_term_dists"], atol=0.01
    )


def test_pyldavis_wants_a_document_with_a_known_word(own):
    with pytest.raises(ValueError, match="no document has a word"):
        own.to_pyldavis(["nothing known"])
