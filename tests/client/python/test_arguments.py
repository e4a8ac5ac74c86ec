"""What an argument cannot be is said in Python's words, and names the parameter."""

import os

import numpy as np
import pytest

import topicwall as tw
from made_up import planted, write_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tw.load(write_model(tmp_path_factory.mktemp("models") / "a.model"))


@pytest.mark.parametrize("ask, message", [
    (lambda model: model.topics(2.5), "n must be a whole number of at least 1; got 2.5"),
    (lambda model: model.topics(0), "n must be a whole number of at least 1; got 0"),
    (lambda model: model.topics(2**31), "n must be at most 2147483647"),
    (lambda model: model.topics(relevance="most"), "relevance must be from 0 to 1; got 'most'"),
    (lambda model: model.coherence(["a"], n=2.5), "n must be a whole number"),
    (lambda model: model.perplexity(np.ones((2, 40)), seed=-1), "seed must be a whole number"),
    (lambda model: model.perplexity(np.ones((2, 40)), seed=2**64), "seed must be at most"),
    (lambda model: model.find("\ud800"), "word is no Unicode text"),
])
def test_a_value_out_of_range_is_named(model, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(model)


@pytest.mark.parametrize("ask, message", [
    (lambda model: model.find(3), "word must be a str; got 3"),
    (lambda model: model.match("x"), "other must be a model, as load returns it; got 'x'"),
    (lambda model: model.report(3), "path must be a path; got 3"),
    (lambda model: tw.load(3.0), "path must be a path; got 3.0"),
    (lambda model: tw.connect(3), "profile must be a path; got 3"),
    (lambda model: tw.mock("notes"), "corpus must be a Corpus"),
])
def test_a_value_of_another_type_is_named(model, ask, message):
    with pytest.raises(TypeError, match=message):
        ask(model)


def test_a_seed_of_a_split_is_a_whole_number():
    counts = planted(20)
    lda = tw.LocalLDA(2, random_state=1).fit(counts)
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0; got -1"):
        lda.completion_perplexity(counts, seed=-1)
    with pytest.raises(TypeError, match="tokenizer must be a str"):
        lda.to_model([f"w{v}" for v in range(24)], tokenizer=3)


# C takes a NUL for the end of a path: another folder would be read, or written to.
@pytest.mark.parametrize("ask, name", [
    (lambda model, path: tw.load(path), "path"),
    (lambda model, path: model.save(path), "path"),
    (lambda model, path: model.report(path), "path"),
    (lambda model, path: model.report("a.html", events=path), "events"),
    (lambda model, path: model.report("a.html", compare=path), "compare"),
    (lambda model, path: model.report("a.html", prevalences=[path]), "prevalences"),
    (lambda model, path: tw.connect(path), "profile"),
    (lambda model, path: tw.login("localhost:1", path, "b", "c"), "ca"),
    (lambda model, path: tw.login("localhost:1", "a", "b", "c", profile=path), "profile"),
])
def test_a_path_is_not_cut_at_a_nul(model, tmp_path, monkeypatch, ask, name):
    monkeypatch.chdir(tmp_path)
    for path in ("a\0b", b"a\0b"):
        with pytest.raises(ValueError, match=f"^{name} must be a path, which has no NUL"):
            ask(model, path)
    with pytest.raises(ValueError, match=f"^{name} is no Unicode text"):
        ask(model, "\ud800")
    assert not os.listdir(tmp_path)


def test_without_a_known_word_nothing_is_said_of_documents_held_out(model):
    with pytest.raises(tw.Error, match="^documents must have at least one token"):
        model.perplexity(["unknown things"])


def test_what_is_bought_is_named_by_its_parameter(wall, tmp_path):
    notes = wall["notes"]
    with pytest.raises(TypeError, match="anchors must be words by what topics are to be called"):
        notes.quote(topics=3, spend=1.0, anchors=["heart"])
    with pytest.raises(TypeError, match="quote must be one of Corpus.quote; got None"):
        notes.fit(None, tmp_path / "a.model")
    for ask in (lambda: wall[3], lambda: wall.ledger(3), lambda: wall.corpora(3)):
        with pytest.raises(TypeError, match="must be a str; got 3"):
            ask()
    with pytest.raises(ValueError, match="path must be a path, which has no NUL"):
        wall.ledger("notes").export("a\0b")
