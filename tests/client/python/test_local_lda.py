"""The estimator is scikit-learn's, the trainer is Topicwall's."""

import _thread
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import gammaln
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.decomposition._online_lda_fast import _dirichlet_expectation_2d
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import topicwall as tw
from made_up import names, planted, topicwall


@parametrize_with_checks([tw.LocalLDA()])
def test_it_is_an_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)  # the checks give fractions
        check(estimator)


def test_it_finds_planted_topics_and_each_document_is_of_its_own():
    counts = planted()
    lda = tw.LocalLDA(n_components=4, random_state=1)
    theta = lda.fit_transform(sp.csr_matrix(counts))
    topic_of = theta[:4].argmax(axis=1)
    assert sorted(topic_of) == [0, 1, 2, 3]
    assert (theta.argmax(axis=1) == topic_of[np.arange(len(counts)) % 4]).mean() > 0.99
    np.testing.assert_allclose(theta.sum(axis=1), 1)
    for planted_topic, row in enumerate(topic_of):
        top = np.argsort(-lda.components_[row])[:6]
        assert set(top // 6) == {planted_topic}


def test_it_has_what_code_for_scikit_learns_looks_for():
    counts = planted(120)
    lda = tw.LocalLDA(3, max_iter=4, random_state=0).fit(counts)
    assert lda.components_.shape == lda.exp_dirichlet_component_.shape == (3, 24)
    assert (lda.n_iter_, lda.n_features_in_) == (4, 24)
    assert list(lda.get_feature_names_out()) == ["locallda0", "locallda1", "locallda2"]
    theirs = np.exp(_dirichlet_expectation_2d(lda.components_.astype(float)))
    np.testing.assert_allclose(lda.exp_dirichlet_component_, theirs, rtol=1e-7)


# But for its term of the topics, of a prior that is the same for all words.
def test_score_and_perplexity_are_scikit_learns():
    counts = planted(200)
    lda = tw.LocalLDA(3, random_state=0).fit(counts)
    lda.doc_topic_prior_ = np.full(3, 0.4)  # scikit-learn knows one for all
    peer = LatentDirichletAllocation(3, doc_topic_prior=0.4, max_doc_update_iter=1000, random_state=0)
    peer.fit(counts)
    peer.mean_change_tol = 1e-6
    peer.components_ = lda.components_.astype(float)
    peer.exp_dirichlet_component_ = lda.exp_dirichlet_component_
    peer.topic_word_prior_ = lda.topic_word_prior_
    eta, topics = lda.topic_word_prior_, peer.components_
    of_topics = np.sum((eta - topics) * _dirichlet_expectation_2d(topics))
    of_topics += np.sum(gammaln(topics) - gammaln(eta))
    of_topics += np.sum(gammaln(eta * 24) - gammaln(topics.sum(axis=1)))
    theirs = peer.score(counts) - of_topics
    assert lda.score(counts) == pytest.approx(theirs, rel=2e-3)
    assert lda.perplexity(counts) == pytest.approx(np.exp(-theirs / counts.sum()), rel=5e-3)


# Words of a Zipf corpus, most of which no topic has: a term for each of them, of a prior that is
# not theirs, made perplexities of 1e48.
def test_perplexity_of_many_rare_words_is_below_the_unigrams():
    rng = np.random.default_rng(1)
    shares = 1 / np.arange(1, 3001)
    counts = rng.multinomial(60, shares / shares.sum(), size=400)
    lda = tw.LocalLDA(5, max_iter=4, random_state=0).fit(counts)
    unigram = (counts.sum(axis=0) + 0.1) / (counts + 0.1 / 400).sum()
    entropy = -np.sum(counts.sum(axis=0) / counts.sum() * np.log(unigram))
    assert lda.perplexity(counts) < 1.2 * np.exp(entropy)


def test_it_is_the_trainer_of_the_program(tmp_path):
    counts, words = planted(300), names(24)
    (tmp_path / "words").write_text("\n".join(words) + "\n")
    rows, columns = np.nonzero(counts)
    lines = [f"{d + 1} {v + 1} {counts[d, v]}" for d, v in zip(rows, columns)]
    head = f"{len(counts)}\n{len(words)}\n{len(lines)}\n"
    (tmp_path / "counts").write_text(head + "\n".join(lines) + "\n")
    lda = tw.LocalLDA(3, max_iter=2, random_state=5, learn_prior=True).fit(counts)
    seed = np.random.RandomState(5).randint(2**31 - 1)
    topicwall(
        "fit", "--no-privacy", "--documents", tmp_path / "counts", "--format", "uci",
        "--vocabulary", tmp_path / "words", "--topics", 3, "--passes", 2, "--seed", seed,
        "--model", tmp_path / "model",
    )  # fmt: skip
    model = tw.load(tmp_path / "model")
    np.testing.assert_array_equal(model.components_, lda.components_)
    np.testing.assert_array_equal(
        model.quality["document_topic_prior"].sort_index(), lda.doc_topic_prior_
    )
    alike = tw.LocalLDA(3, max_iter=2, random_state=5).fit(counts)
    np.testing.assert_array_equal(alike.components_, lda.components_)
    np.testing.assert_allclose(alike.doc_topic_prior_, 2 / 3)


def test_threads_change_no_bits():
    counts = planted(2000)
    fits = [tw.LocalLDA(3, random_state=1, n_jobs=n, learn_prior=True).fit(counts) for n in (1, 2, 5, None)]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.components_, fits[0].components_)
        np.testing.assert_array_equal(fit.transform(counts), fits[0].transform(counts))
        np.testing.assert_array_equal(fit.doc_topic_prior_, fits[0].doc_topic_prior_)


def test_every_form_of_the_same_counts_is_the_same():
    counts = planted(100)
    shuffled = sp.csr_matrix(counts)
    for row in range(100):  # unsorted, with a zero stored and a count in two parts
        part = slice(*shuffled.indptr[row : row + 2])
        shuffled.indices[part] = shuffled.indices[part][::-1].copy()
        shuffled.data[part] = shuffled.data[part][::-1].copy()
    shuffled.has_sorted_indices = False
    indptr = np.concatenate([[0, shuffled.indptr[1] + 2], shuffled.indptr[2:] + 2])
    first = shuffled.indices[0]
    split = sp.csr_matrix(
        (
            np.concatenate([[1, 0], shuffled.data]),
            np.concatenate([[first, first], shuffled.indices]),
            indptr,
        ),
        shape=counts.shape,
    )
    split.data[2] -= 1
    before = (split.data.copy(), split.indices.copy(), split.indptr.copy())
    expected = tw.LocalLDA(3, random_state=1).fit(counts).components_
    for form in (split, sp.csc_matrix(counts), counts.astype(np.float32), sp.coo_matrix(counts)):
        np.testing.assert_array_equal(
            tw.LocalLDA(3, random_state=1).fit(form).components_, expected
        )
    for was, now in zip(before, (split.data, split.indices, split.indptr)):
        np.testing.assert_array_equal(was, now)


def test_fractions_are_rounded_and_told():
    counts = planted(100)
    expected = tw.LocalLDA(3, random_state=1).fit(counts).components_
    with pytest.warns(DataConversionWarning, match="no whole numbers and were rounded"):
        found = tw.LocalLDA(3, random_state=1).fit(counts + 0.25).components_
    np.testing.assert_array_equal(found, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.LocalLDA(3, random_state=1).fit(counts.astype(float))


@pytest.mark.parametrize(
    "wrong, message",
    [
        (np.array([[1, -1]]), "Negative values in data passed to LocalLDA.fit"),
        (np.array([[1.0, 2.0**40]]), "above 2\\*\\*32"),
        (np.array([[0.3, 0.2]]), "no document has a word"),
        (np.array([[1.0, np.nan]]), "NaN"),
    ],
)
def test_what_is_no_count_is_refused(wrong, message):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        with pytest.raises(ValueError, match=message):
            tw.LocalLDA(2).fit(wrong)


# scikit-learn takes what is below the mask.
def test_what_is_masked_is_no_count():
    counts = np.ma.masked_array(planted(20), mask=False)
    tw.LocalLDA(2, random_state=1).fit(counts)
    counts[0, 0] = np.ma.masked
    with pytest.raises(ValueError, match="X must have no masked entries"):
        tw.LocalLDA(2).fit(counts)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_components": 0}, "n_components must be"),
        ({"max_iter": 1.5}, "max_iter must be"),
        ({"n_jobs": -3}, "n_jobs must be"),
        ({"n_components": 2**31}, "n_components must be at most 2147483647; got 2147483648"),
        ({"max_iter": 2**31}, "max_iter must be at most"),
        ({"n_jobs": 2**40}, "n_jobs must be at most"),
        ({"doc_topic_prior": 0}, "doc_topic_prior must be"),
        ({"doc_topic_prior": 1e-10}, "^doc_topic_prior must be None or a number from 1e-06 to 1e"),
        ({"doc_topic_prior": float("nan")}, "doc_topic_prior must be"),
        ({"doc_topic_prior": 0.1, "learn_prior": True}, "doc_topic_prior must be None"),
    ],
)
def test_a_parameter_out_of_range_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        tw.LocalLDA(**parameters).fit(planted(20))


# In one dtype two halves of a count would be less than one of them.
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, bool])
def test_counts_in_several_parts_are_added_up_whatever_their_type(dtype):
    parts = 100 if dtype is not bool else 1
    data = np.full(6, parts, dtype=dtype)
    split = sp.csr_matrix((data, [0, 0, 0, 1, 1, 2], [0, 5, 6]), shape=(2, 3))
    whole = np.array([[3 * parts, 2 * parts, 0], [0, 0, parts]])
    expected = tw.LocalLDA(2, random_state=1).fit(whole)
    for form in (split, split.tocoo()):
        found = tw.LocalLDA(2, random_state=1).fit(form)
        np.testing.assert_array_equal(found.components_, expected.components_)
        np.testing.assert_array_equal(expected.transform(form), expected.transform(whole))
        model = expected.to_model(["one", "two", "three"])
        np.testing.assert_array_equal(model.transform(form), expected.transform(whole))
        assert model.coherence(form, n=2).equals(model.coherence(whole, n=2))
    assert split.data.dtype == dtype and len(split.data) == 6  # as it was


def test_a_fit_that_fails_leaves_the_estimator_as_it_was():
    words = names(24)
    lda = tw.LocalLDA(3, random_state=1).fit(pd.DataFrame(planted(100), columns=words))
    before = dict(vars(lda))
    for wrong in (np.zeros((3, 7), dtype=int), np.array([[1, -1]]), "words"):
        with pytest.raises(ValueError):
            lda.fit(wrong)
        assert vars(lda) == before
    assert lda.transform(pd.DataFrame(planted(10), columns=words)).shape == (10, 3)
    fresh = tw.LocalLDA(3)
    with pytest.raises(ValueError):
        fresh.fit(np.zeros((3, 7), dtype=int))
    assert "n_features_in_" not in vars(fresh)


def test_it_takes_whatever_scikit_learns_takes():
    defaults = LatentDirichletAllocation().get_params()
    assert set(defaults) <= set(tw.LocalLDA().get_params())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lda = tw.LocalLDA(**defaults).set_params(random_state=1).fit(planted(60))
    np.testing.assert_array_equal(
        lda.components_, tw.LocalLDA(random_state=1).fit(planted(60)).components_)
    others = {"learning_method": "online", "learning_decay": 0.9, "learning_offset": 50.0,
              "batch_size": 64, "evaluate_every": 5, "total_samples": 1e5, "perp_tol": 0.2,
              "mean_change_tol": 0.01, "max_doc_update_iter": 50, "topic_word_prior": 0.1}
    for name, value in others.items():
        with pytest.warns(UserWarning, match=f"{name} .*no effect") as warned:
            tw.LocalLDA(2, max_iter=1, **{name: value}).fit(planted(60))
        assert len(warned) == 1
    with pytest.warns(UserWarning, match="no effect") as warned:
        tw.LocalLDA(2, max_iter=1, **others).fit(planted(60))
    assert len(warned) == 1 and all(name in str(warned[0].message) for name in others)


def test_the_prior_of_documents_is_the_one_that_is_given():
    counts = planted(200)
    lda = tw.LocalLDA(4, doc_topic_prior=0.05, random_state=1).fit(counts)
    np.testing.assert_array_equal(lda.doc_topic_prior_, np.full(4, 0.05))
    other = tw.LocalLDA(4, doc_topic_prior=5.0, random_state=1).fit(counts)
    assert lda.transform(counts).max(axis=1).mean() > other.transform(counts).max(axis=1).mean()
    usual = tw.LocalLDA(4, random_state=1).fit(counts)
    again = tw.LocalLDA(4, doc_topic_prior=0.5, random_state=1).fit(counts)  # 2/K
    np.testing.assert_array_equal(again.components_, usual.components_)


def test_it_goes_into_pipelines_and_searches():
    counts = planted(200)
    pipeline = make_pipeline(FunctionTransformer(accept_sparse=True), tw.LocalLDA(random_state=1))
    search = GridSearchCV(pipeline, {"locallda__n_components": [1, 4]}, cv=2).fit(counts)
    assert search.best_params_ == {"locallda__n_components": 4}


def test_it_is_pickled_with_its_topics():
    counts = planted(100)
    lda = tw.LocalLDA(3, random_state=1).fit(counts)
    again = pickle.loads(pickle.dumps(lda))
    np.testing.assert_array_equal(again.transform(counts), lda.transform(counts))


def test_arrays_cannot_be_written_to():
    lda = tw.LocalLDA(2, random_state=1).fit(planted(50))
    for array in (lda.components_, lda.doc_topic_prior_, lda.transform(planted(50))):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_names_of_columns_are_the_words_of_the_model():
    words = names(24)
    frame = pd.DataFrame(planted(100), columns=words)
    model = tw.LocalLDA(3, random_state=1).fit(frame).to_model()
    assert model.vocabulary == tuple(words)
    assert set(model.topics(n=4)["word"]) <= set(words)
    with pytest.raises(ValueError, match="vocabulary is required"):
        tw.LocalLDA(3, random_state=1).fit(planted(100)).to_model()
    with pytest.raises(ValueError, match="vocabulary must have 24 words"):
        tw.LocalLDA(3, random_state=1).fit(planted(100)).to_model(["one"])


def test_another_thread_of_python_runs_during_a_fit_and_can_end_it():
    other = threading.Timer(0.2, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        other.start()
        tw.LocalLDA(4, max_iter=10**9, random_state=1).fit(planted())
    other.join()


INTERRUPTED = """
import numpy, topicwall as tw
lda = tw.LocalLDA(4, max_iter=1_000_000, random_state=1, verbose=1)
counts = numpy.random.default_rng(1).poisson(1, (400, 30))
try:
    lda.fit(counts)
except KeyboardInterrupt:
    print("stopped", any(name.endswith("_") for name in vars(lda)), flush=True)
    lda.set_params(max_iter=1, verbose=0).fit(counts)
    print("again", lda.components_.shape, flush=True)
"""


def test_control_c_ends_a_fit_between_passes():
    child = subprocess.Popen(
        [sys.executable, "-Bu", "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline().startswith("pass 1 of")
    child.send_signal(signal.SIGINT)
    lines = [line for line in child.stdout if not line.startswith("pass")]
    assert child.wait() == 0
    assert lines == ["stopped False\n", "again (4, 30)\n"]  # as it was, without a trace


def test_a_forked_child_computes_what_its_parent_does():
    counts = planted(3000)
    lda = tw.LocalLDA(3, random_state=1).fit(counts)
    expected = lda.transform(counts)
    child = os.fork()
    if child == 0:
        same = np.array_equal(lda.transform(counts), expected)
        again = np.array_equal(tw.LocalLDA(3, random_state=1).fit(counts).components_, lda.components_)
        os._exit(0 if same and again else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
