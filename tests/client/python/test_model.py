"""A model's folder, read in Python, says what the program says of it."""

import gc
import html
import json
import math
import pathlib
import pickle
import resource
import subprocess
import weakref

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel

import topicwall as tw
from topicwall import _topicwall
from topicwall._coherence import coherence_of
from made_up import BINARIES, names, planted, topicwall, write_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "a.model")


@pytest.fixture(scope="module")
def model(folder):
    return tw.load(folder)


@pytest.fixture(scope="module")
def mixture(tmp_path_factory):
    return tw.load(write_model(tmp_path_factory.mktemp("models") / "m.model", "mixture"))


@pytest.fixture(scope="module")
def texts(model):
    """Documents of the model's own words, two of them without any."""
    rng = np.random.default_rng(3)
    words = model.vocabulary
    chosen = [" ".join(rng.choice(words[1 + 5 * k : 6 + 5 * k], 9)) for k in (0, 1, 2) * 20]
    return [text + " the the" for text in chosen] + ["Unknown things!", ""]


def json_or_nan(word, key):
    """Infinite and unknown numbers are null or absent in JSON."""
    value = word.get(key)
    return math.nan if value is None else value


@pytest.mark.parametrize("by, count", [("relevance", 10), ("probability", 4)])
def test_topics_are_those_of_the_program(folder, model, by, count):
    told = topicwall("topics", folder, "--top", count, "--by", by)["topics"]
    rows = [
        [item["topic"], rank, word["term"]]
        + [word["probability"], word["lift"]]
        + [json_or_nan(word, key) for key in ("z", "probability_above", "low", "high")]
        for item in told
        for rank, word in enumerate(item["words"], 1)
    ]
    columns = ["topic", "rank", "word", "p", "lift", "z", "probability", "low", "high"]
    expected = pd.DataFrame(rows, columns=columns)
    assert len(expected) > 3 and expected["low"].notna().all()
    pd.testing.assert_frame_equal(model.topics(n=count, by=by), expected, rtol=1e-15)


def test_relevance_is_the_programs(folder, model):
    told = topicwall("topics", folder, "--relevance", 0)["topics"]
    words = model.topics(relevance=0).groupby("topic")["word"].agg(list)
    assert words.to_dict() == {t["topic"]: [w["term"] for w in t["words"]] for t in told}


def test_quality_is_that_of_the_program(folder, model):
    told = pd.DataFrame(topicwall("topics", folder)["topics"]).set_index("topic")
    assert list(model.quality.index) == list(told.index)
    # Of so few topics none is called weak, by either.
    assert "is_weak" not in told and model.quality["is_weak"].isna().all()
    for column in model.quality.columns.drop("is_weak"):
        assert model.quality[column].tolist() == told[column].tolist(), column


def test_a_model_without_noise_says_nothing_of_it(tmp_path):
    fitted = tw.LocalLDA(4, random_state=1).fit(planted()).to_model(names(24))
    fitted.save(tmp_path / "plain.model")
    told = topicwall("topics", tmp_path / "plain.model")["topics"]
    words = fitted.topics()
    assert words["p"].tolist() == [w["probability"] for t in told for w in t["words"]]
    assert words[["z", "probability", "low", "high"]].isna().all(axis=None)
    assert fitted.quality[["share_margin", "comes_again", "typical_words"]].isna().all(axis=None)
    assert fitted.noise_sd_ is None and math.isinf(fitted.epsilon)


def test_transform_is_that_of_the_program(folder, model, texts, tmp_path):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "mine.jsonl").write_text(lines)
    told = topicwall("transform", folder, "--documents", tmp_path / "mine.jsonl")["documents"]
    expected = np.array([document["topics"] for document in told])
    np.testing.assert_array_equal(model.transform(texts), expected)
    counts = model.count(texts)
    assert counts.sum(axis=1).ravel().tolist()[0] == [d["known_words"] for d in told]
    frame = pd.DataFrame(counts.toarray(), columns=model.vocabulary)
    for form in (
        counts,
        counts.toarray(),
        frame[frame.columns[::-1]],
        pd.DataFrame({"text": texts}),
        pd.Series(texts),
        (text for text in texts),
    ):
        np.testing.assert_array_equal(model.transform(form), expected)


def test_perplexity_is_that_of_the_program(folder, model, texts, tmp_path):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "mine.jsonl").write_text(lines)
    told = topicwall("perplexity", folder, "--documents", tmp_path / "mine.jsonl", "--seed", 7)
    found = model.perplexity(texts, seed=7)
    assert found.document_completion == told["document_completion"] < found.unigram
    assert found.unigram == told["unigram"]
    assert found.variational_bound == told["variational_bound"]
    assert found.whole_documents is None
    assert (found.documents, found.empty_documents) == (60, 2)


def test_find_is_that_of_the_program(folder, model):
    word = model.vocabulary[6]
    told = topicwall("find", folder, word)["topics"]
    found = model.find(word)
    assert found["topic"].tolist() == [item["topic"] for item in told] == [2]
    assert found["z"].tolist() == [item["word"]["z"] for item in told]
    with pytest.raises(tw.Error, match="not among the 40 words"):
        model.find("sepsis")


def test_match_is_that_of_the_program(folder, model, tmp_path):
    other = write_model(tmp_path / "b.model", seed=2)
    told = topicwall("match", folder, other)["pairs"]
    found = model.match(tw.load(other))
    assert found["topic"].tolist() == [pair["first"] for pair in told]
    assert found["other_topic"].tolist() == [pair["second"] for pair in told]
    assert found["likeness"].tolist() == [pair["likeness"] for pair in told]
    alone = model.match(model.merge([1, 2]))
    assert alone["other_topic"].isna().sum() == 1


@pytest.mark.parametrize("measure", ["c_npmi", "u_mass"])
def test_coherence_is_gensims_where_a_document_is_a_window(measure):
    rng = np.random.default_rng(5)
    words = names(24)
    counts = planted(200)
    model = tw.LocalLDA(4, random_state=1).fit(counts).to_model(words)
    documents = [rng.permutation(np.repeat(words, row)).tolist() for row in counts]
    documents.append(["none", "of", "these"])
    frame = model.topics(n=5)
    topics = [frame["word"][frame["topic"] == k].tolist() for k in range(1, 5)]
    dictionary = Dictionary(documents)
    theirs = CoherenceModel(
        topics=topics,
        texts=documents,
        corpus=[dictionary.doc2bow(document) for document in documents],
        dictionary=dictionary,
        coherence=measure,
        window_size=1000 if measure == "c_npmi" else None,
        topn=5,
        processes=1,
    )
    ours = model.coherence([" ".join(document) for document in documents], measure, n=5)
    np.testing.assert_allclose(ours, theirs.get_coherence_per_topic(), rtol=1e-9)
    assert ours.index.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("measure, best", [("c_npmi", 1), ("u_mass", 0)])
def test_coherence_is_of_words_that_are_in_the_documents(measure, best):
    absent, both = np.zeros((50, 3), dtype=int), np.ones((50, 3), dtype=int)
    assert np.isnan(coherence_of(absent, [0, 1], measure)), "the best number for nothing"
    both[:, 2] = 0
    for present in (both, both[:49], np.vstack([both[:49], absent[:1]])):
        assert coherence_of(present, [0, 1], measure) == pytest.approx(best, abs=1e-9)
        assert coherence_of(present, [0, 1, 2], measure) == pytest.approx(best, abs=1e-9)
        assert np.isnan(coherence_of(present, [0, 2], measure))
        assert np.isnan(coherence_of(present, [2, 0], measure))


def test_coherence_of_no_documents_is_refused(model):
    with pytest.raises(ValueError, match="at least one; got none"):
        model.coherence([])


def test_merged_topics_add_up_where_the_first_of_them_stood(tmp_path):
    counts = planted()
    model = tw.LocalLDA(4, random_state=1).fit(counts).to_model(names(24))
    merged = model.merge([4, 2])
    assert merged.components_.shape == (3, 24)
    np.testing.assert_array_equal(merged.components_[0], model.components_[0])
    np.testing.assert_array_equal(merged.components_[2], model.components_[2])
    # Words expected of a topic are lambda less eta, and each held eta.
    both = model.components_[1] + model.components_[3] - model.to_sklearn().topic_word_prior_
    np.testing.assert_allclose(merged.components_[1], both, rtol=1e-6)
    assert merged.path is None and merged.noise_sd_ is None
    before, after = model.transform(counts), merged.transform(counts)
    np.testing.assert_allclose(after[:, 1], before[:, 1] + before[:, 3], atol=0.1)
    for wrong in ([1], [1, 1], [0, 1], [4, 5], [1.0, 2.0], ["1", "2"]):
        with pytest.raises(ValueError, match="two or more of 1 to 4"):
            model.merge(wrong)


@pytest.mark.parametrize("kind", ["denoised", "long", "mixture", "local"])
def test_topics_that_nobody_merged_keep_share_and_likeness(kind, tmp_path):
    model = (tw.LocalLDA(4, random_state=1).fit(planted()).to_model(names(24)) if kind == "local"
             else tw.load(write_model(tmp_path / "a.model", kind)))
    merged = model.merge([1, 2])
    for one in (merged, merged.save(tmp_path / "b.model"), pickle.loads(pickle.dumps(merged))):
        before, after = model.quality, one.quality
        assert after.share.sum() == pytest.approx(1)
        assert after.share[1] == pytest.approx(before.share[1] + before.share[2], rel=1e-12)
        assert after.share[2] == pytest.approx(before.share[3], rel=1e-12)
        assert after.share_margin[2] == pytest.approx(
            before.share_margin[3], rel=1e-12, nan_ok=True)
        np.testing.assert_array_equal(one._reading.corpus, model._reading.corpus)
        likeness = {(p.topic, p.other_topic): p.likeness for p in model.match(one).itertuples()}
        assert likeness[(3, 2)] == pytest.approx(1, abs=1e-12)


def test_labels_go_with_a_merge_and_with_a_copy(tmp_path):
    fitted = tw.LocalLDA(4, random_state=1).fit(planted()).to_model(names(24))
    model = fitted.save(tmp_path / "four")
    assert fitted.labels == model.labels == {}
    (tmp_path / "four" / "labels.txt").write_text("2 two\n4 four\n")
    merged = model.merge([2, 4])
    for one in (merged, merged.save(tmp_path / "three"), pickle.loads(pickle.dumps(merged))):
        assert one.labels == {2: "two"}
    assert model.save(tmp_path / "copy").labels == {2: "two", 4: "four"}


def test_a_tree_joins_the_two_topics_that_were_made_alike_first():
    counts = planted(800, num_topics=4)
    counts[1::4] += counts[0::4]  # documents of topic 1 hold what those of topic 0 do, as well
    model = tw.LocalLDA(4, random_state=1).fit(counts).to_model(names(24))
    tree = model.tree()
    assert tree.linkage.shape == (3, 4)
    heights = tree.linkage[:, 2]
    assert (np.diff(heights) >= 0).all() and 0 <= heights.min() and heights.max() <= 1
    text = str(tree)
    assert text.count("\n") == 6 and all(label in text for label in tree.labels)
    likeness = {(p.topic, p.other_topic): p.likeness for p in model.match(model).itertuples()}
    assert likeness[(1, 1)] == pytest.approx(1)
    assert str(model.merge([1, 2, 3, 4]).tree()).startswith("1")


def test_a_report_is_that_of_the_program(folder, model, tmp_path):
    model.report(tmp_path / "python.html")
    program = BINARIES / "topicwall"
    subprocess.run(
        [program, "report", folder, "--output", tmp_path / "program.html"], check=True
    )
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "program.html").read_bytes()
    subprocess.run(
        [program, "report", "--verify", tmp_path / "python.html", "--model", folder], check=True
    )
    with pytest.raises(ValueError, match="save"):
        model.merge([1, 2]).report(tmp_path / "merged.html")
    merged = model.merge([1, 2]).save(tmp_path / "merged.model")
    merged.report(tmp_path / "merged.html", compare=model)
    assert (tmp_path / "merged.html").stat().st_size > 1000


# r by hand: the weight of each component times its words' probabilities.
def test_a_mixture_says_of_which_topic_documents_are(mixture, tmp_path):
    texts = ["worda wordb the the", "the", "wordz", "worda"]
    counts = mixture.count(texts).toarray()
    phi = mixture.components_.astype(np.float64)
    phi /= phi.sum(axis=1, keepdims=True)
    expected = np.array([0.5, 0.3, 0.2]) * np.exp(counts @ np.log(phi).T)
    expected /= expected.sum(axis=1, keepdims=True)
    shares = mixture.transform(texts)
    assert np.allclose(shares, expected, atol=1e-6)
    assigned = mixture.assign(texts)
    assert list(assigned.columns) == ["topic", "probability"]
    assert assigned["topic"].tolist() == (expected.argmax(axis=1) + 1).tolist()
    assert np.allclose(assigned["probability"], expected.max(axis=1), atol=1e-6)
    # As the program says.
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    told = topicwall("topics", mixture.path, "--assign", mine)["documents"]
    assert [one["topic"] for one in told] == assigned["topic"].tolist()
    told = topicwall("transform", mixture.path, "--documents", mine)["documents"]
    assert np.allclose([one["topics"] for one in told], shares, atol=1e-6)
    drawn = mixture.to_pyldavis(texts)
    assert np.allclose(drawn["doc_topic_dists"].sum(axis=1), 1)
    assert len(mixture.to_pyldavis()["doc_lengths"]) == 3


def test_topics_are_not_assigned(model):
    with pytest.raises(tw.Error, match="algorithm mixture"):
        model.assign(["the"])


def test_a_mixture_is_refused_where_it_has_no_answer(mixture):
    for export in (mixture.to_gensim, mixture.to_sklearn):
        with pytest.raises(tw.Error, match="is a mixture"):
            export()
    assert mixture.quality["share"].tolist() == [0.5, 0.3, 0.2]
    assert mixture.perplexity(["the worda wordb"] * 9).whole_documents > 1
    assert mixture.merge([2, 3]).quality["share"].tolist() == [0.5, 0.5]


def test_a_model_of_counts_takes_no_text(tmp_path):
    lda = tw.LocalLDA(2, random_state=1).fit(planted(50))
    model = lda.to_model([f"Column {v}" for v in range(24)], tokenizer="counts")
    assert model.transform(planted(50)).shape == (50, 2)
    with pytest.raises(tw.Error, match="tokenizer words-1; this model's is counts"):
        model.transform(["text"])
    with pytest.raises(tw.Error, match="word"):
        lda.to_model([f"Column {v}" for v in range(24)])


@pytest.mark.parametrize(
    "wrong, error, message",
    [
        ("one text", TypeError, r"Give \[text\]"),
        (["a", 3], TypeError, "all texts must be str"),
        (pd.DataFrame({"text": ["secret", None]}), TypeError, "^all texts must be str; 1 of 2 are not.$"),
        (pd.DataFrame({"text": ["secret", np.nan]}), TypeError, "^all texts must be str; 1 of 2"),
        (pd.DataFrame({"text": pd.array(["secret", pd.NA], dtype="string")}), TypeError, "1 of 2"),
        (np.ones((2, 7)), ValueError, "the model's 40 columns"),
        (pd.DataFrame({"nonsense": [1]}), ValueError, "'nonsense'"),
        (-np.ones((2, 40)), ValueError, "Negative values"),
        (np.ones((2, 40), dtype=complex), ValueError, "real numbers; got dtype complex128"),
        (np.array([[1, None, {}] + [0] * 37], dtype=object), ValueError, "counts must be of real"),
        (np.ma.masked_array(np.ones((2, 40)), mask=np.eye(2, 40)), ValueError, "no masked entries"),
        (3, TypeError, "documents must be texts or counts"),
    ],
)
def test_what_is_no_document_is_refused(model, wrong, error, message):
    with pytest.raises(error, match=message):
        model.transform(wrong)


def test_counts_may_be_objects_and_rows_come_one_by_one(model):
    counts = np.arange(80).reshape(2, 40)
    for given in (counts.astype(object), (row for row in counts), counts.tolist()):
        assert np.array_equal(model.count(given).toarray(), counts)


# What a wrong encoding leaves of a file; documents are nobody's to see in a log.
def test_a_text_that_is_no_unicode_is_told_by_its_number_alone(model):
    texts = ["a secret " * 50] * 1000
    texts[713] = "secret \ud800"
    for ask in (model.transform, model.coherence,
                lambda given: model.transform(pd.DataFrame({"text": given}))):
        with pytest.raises(ValueError, match=r"documents\[713\]") as refused:
            ask(texts)
        assert "secret" not in str(refused.value) and len(str(refused.value)) < 300
    lda = tw.LocalLDA(2, random_state=1).fit(planted(20))
    with pytest.raises(ValueError, match=r"vocabulary\[3\]") as refused:
        lda.to_model([*names(3), "w\udc80", *names(23)[3:]])
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, bool])
def test_a_word_that_has_two_columns_has_both_counts(model, dtype):
    word = model.vocabulary[3]
    count = 1 if dtype is bool else 127
    frame = pd.DataFrame(np.full((2, 3), count, dtype=dtype), columns=[word] * 3)
    assert model.count(frame)[0, 3] == 3 * count


def test_coherence_and_pyldavis_refuse_what_transform_refuses(model):
    for wrong in (-np.ones((2, 40)), np.full((2, 40), np.nan)):
        for ask in (model.transform, model.coherence, model.to_pyldavis):
            with pytest.raises(ValueError, match="Negative values"):
                ask(wrong)


def test_a_frame_that_knows_what_is_missing_is_taken_where_nothing_is(model):
    words = list(model.vocabulary[:3])
    plain = pd.DataFrame([[1, 0, 2], [3, 1, 0]], columns=words)
    for dtype in ("Int64", "UInt8", "Float64"):
        np.testing.assert_array_equal(model.transform(plain.astype(dtype)), model.transform(plain))
    holes = plain.astype("Int64")
    holes.iloc[1, 1] = pd.NA
    with pytest.raises(ValueError, match="missing"):
        model.transform(holes)


def test_a_folder_without_a_model_is_an_error(tmp_path):
    with pytest.raises(tw.Error, match="nothing.model"):
        tw.load(tmp_path / "nothing.model")
    (tmp_path / "model.pb").write_bytes(b"no model")
    with pytest.raises(tw.Error, match="no readable model"):
        tw.load(tmp_path)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_pickled_by_any_protocol(model, protocol):
    again = pickle.loads(pickle.dumps(model, protocol))
    assert np.array_equal(again.components_, model.components_)
    assert again.vocabulary == model.vocabulary and again.path == model.path


# Protocols 0 and 1 of what has no state of its own ended the process.
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_cannot_be_pickled_says_so_by_any_protocol(model, protocol):
    for thing in (model._released, model._reading, _topicwall.Job()):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(thing, protocol)


def test_it_is_saved_and_pickled_as_it_is(model, texts, tmp_path):
    saved = model.save(tmp_path / "copy.model")
    again = pickle.loads(pickle.dumps(saved))
    assert again.path == saved.path == str(tmp_path / "copy.model")
    for copy in (saved, again, tw.load(saved.path)):
        np.testing.assert_array_equal(copy.components_, model.components_)
        np.testing.assert_array_equal(copy.noise_sd_, model.noise_sd_)
        np.testing.assert_array_equal(copy.transform(texts), model.transform(texts))
    with pytest.raises(tw.Error, match="copy.model"):
        model.save(tmp_path / "copy.model")


def test_noise_along_topics_is_told_beside_that_of_words(model, tmp_path):
    long = tw.load(write_model(tmp_path / "long", "long"))
    assert long.topic_noise_sd_.tolist() == [20, 30, 40]
    np.testing.assert_array_equal(long.noise_sd_, model.noise_sd_)
    assert model.topic_noise_sd_ is None and long.merge([1, 2]).topic_noise_sd_ is None
    # What it makes less certain is how large topics are.
    assert (long.quality.share_margin > model.quality.share_margin).all()


def test_shares_of_sums_that_are_noise_are_not_known(tmp_path):
    noise = tw.load(write_model(tmp_path / "noise", "noise"))
    assert noise.quality[["share", "share_margin", "comes_again"]].isna().all(axis=None)
    assert noise._repr_html_().count("<td>not known</td>") == 3


def test_a_weak_topic_is_not_said_to_come_again_in_a_half_of_the_fits(model, monkeypatch):
    monkeypatch.setattr(type(model), "quality", model.quality.assign(comes_again=0.497))
    assert model._repr_html_().count("<td>49 %</td>") == len(model.components_)


def test_html_says_no_word_as_markup():
    words = ["<b>&"] + names(23)
    model = tw.LocalLDA(2, random_state=1).fit(planted(50)).to_model(words, tokenizer="counts")
    page = model.merge([1, 2])._repr_html_() + model._repr_html_()
    assert "<b>&" not in page and page.count("<tr>") == 2 + 1 + 2
    assert html.escape("<b>&") in model.tree().labels[0] + page or "<b>&" in str(model.tree())


def test_arrays_are_views_for_reading_that_keep_their_model(folder):
    model = tw.load(folder)
    components, deviations = model.components_, model.noise_sd_
    assert components.dtype == deviations.dtype == np.float32
    assert not components.flags.owndata
    assert components.ctypes.data == model.components_.ctypes.data
    for array in (components, deviations, model.transform(["the"])):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    before = components.copy()
    owner = weakref.ref(model)
    del model
    gc.collect()
    assert owner() is None
    np.testing.assert_array_equal(components, before)


def test_memory_comes_back_with_the_model(tmp_path):
    rng = np.random.default_rng(1)
    counts = sp.csr_matrix(rng.poisson(1, (40, 20_000)))
    lda = tw.LocalLDA(20, max_iter=1, random_state=1).fit(counts)
    path = lda.to_model([f"w{v}" for v in range(20_000)], "counts").save(tmp_path / "big").path
    size = pathlib.Path(path, "model.pb").stat().st_size

    def resident():
        gc.collect()
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    for _ in range(5):
        tw.load(path).transform(counts)
    before = resident()
    for _ in range(50):
        loaded = tw.load(path)
        loaded.transform(counts)
        loaded.quality
        del loaded
    assert resident() - before < 10 * size
