"""A mock answers a whole script without spending anything, and says MOCK of all it gives."""

import os
import subprocess
import sys

import numpy as np
import pytest
from made_up import topicwall

import topicwall as tw


@pytest.fixture
def mock(wall):
    return tw.mock(wall["notes"])


def script(wall, folder):
    """What an analyst writes once, for the mock and for the wall; what is returned is shown."""
    notes = wall["notes"]
    quote = notes.quote(topics=3, spend=2.0, iterations=3, held_out_share=0.2)
    model = notes.fit(quote, path=folder / "notes.model", buy=True)
    score = notes.evaluate(model, spend=2.0, words_per_unit=8, buy=True)
    shares = notes.prevalence(model, by=["ward"], spend=2.0, buy=True)
    lengths = notes.lengths(folder / "notes.lengths", spend=0.5, buy=True)
    audit = wall.ledger("notes").verify(model)
    plans = wall.ledger("notes").plans()
    assert audit.ok, audit.findings
    assert plans.taken.sum() == pytest.approx(notes.budget.spent)
    return [wall, wall.corpora(), notes, quote, quote.expected, notes.budget, model,
            model.topics(), model.quality, score, shares, lengths, audit, wall.ledger("notes"), plans]


def test_the_same_script_runs_on_the_mock_and_then_on_the_wall(world, wall, tmp_path):
    (tmp_path / "mock").mkdir()
    (tmp_path / "real").mkdir()
    made_up = script(tw.mock(wall["notes"]), tmp_path / "mock")
    assert wall["notes"].budget.spent == 0 and wall.ledger("notes").plans().empty
    real = script(wall, tmp_path / "real")
    assert [type(thing) for thing in made_up] == [type(thing) for thing in real]
    for pretended, told in zip(made_up, real):
        if hasattr(told, "columns"):
            assert list(pretended.columns) == list(told.columns)


# On the mock, whose documents are at hand to no one: it must answer, and in sane numbers.
def test_a_mixture_is_asked_what_topics_are_asked(mock, tmp_path):
    notes = mock["notes"]
    quote = notes.quote(topics=3, spend=2.0, iterations=3, held_out_share=0.2, algorithm="mixture")
    model = notes.fit(quote, path=tmp_path / "m", buy=True)
    score = notes.evaluate(model, spend=2.0, words_per_unit=8, buy=True)
    assert 1 < score.perplexity < len(model.vocabulary) and not score.was_trained_on
    shares = notes.prevalence(model, by=["ward"], spend=2.0, buy=True)
    told = shares.share.dropna()  # of "other", which may be nobody, nothing is known
    assert len(told) >= 6 and ((told >= 0) & (told <= 1)).all()
    assert mock.ledger("notes").verify(model).ok


def test_everything_that_a_mock_gives_says_mock(mock, tmp_path):
    for thing in script(mock, tmp_path):
        shown = [repr(thing)] + ([thing._repr_html_()] if hasattr(thing, "_repr_html_") else [])
        for text in shown:
            assert "MOCK" in text or "mock=True" in text, text
    report = tmp_path / "mock.html"
    events = tmp_path / "events.pb"
    mock.ledger("notes").export(events)
    tw.load(tmp_path / "notes.model").report(report, events=events)
    assert "MOCK" in report.read_text()


def test_nothing_of_a_wall_says_mock(wall, tmp_path):
    notes = wall["notes"]
    quote = notes.quote(topics=3, spend=2.0, iterations=3)
    model = notes.fit(quote, path=tmp_path / "m", buy=True)
    model.report(tmp_path / "m.html")
    shown = [wall, wall.corpora(), notes, notes._repr_html_(), quote, quote._repr_html_(), model,
             model._repr_html_(), model.topics(), (tmp_path / "m.html").read_text()]
    assert not any("MOCK" in str(thing) for thing in shown)


def test_a_mock_goes_on_when_the_wall_is_gone(world, wall, tmp_path):
    mock = tw.mock(wall["notes"])
    world.stop()
    script(mock, tmp_path)


def test_the_wall_itself_takes_no_mocks_folder_for_its_own(mock, wall, tmp_path):
    quote = mock["notes"].quote(topics=3, spend=2.0, iterations=3, held_out_share=0.2)
    model = mock["notes"].fit(quote, path=tmp_path / "m", buy=True)
    notes = wall["notes"]
    with pytest.raises(tw.Error, match="MOCK"):
        notes.fit(notes.quote(topics=3, spend=2.0, iterations=3, held_out_share=0.2),
                  path=tmp_path / "m", buy=True)
    with pytest.raises(tw.Error, match="MOCK"):
        notes.evaluate(model, spend=2.0, words_per_unit=8, buy=True)
    with pytest.raises(tw.Error, match="MOCK"):
        notes.prevalence(model, by=["ward"], spend=2.0, buy=True)
    assert notes.budget.spent == 0


def test_what_a_mock_was_paid_for_is_told_by_no_wall(mock, world, wall, tmp_path):
    quote = mock["notes"].quote(topics=3, spend=2.0, iterations=3, held_out_share=0.2)
    fitted = mock["notes"].fit(quote, path=tmp_path / "m", buy=True)
    counts = np.array([[3, 1, 0] * 10, [0, 2, 2] * 10, [1, 0, 4] * 10])
    own = tw.LocalLDA(3, random_state=1).fit(counts).to_model(
        wall["notes"].vocabulary, tokenizer="words-1").save(tmp_path / "own")
    for model, share in ((fitted, None), (own, 0.5)):

        def ask(notes):
            for question in (
                    lambda: notes.evaluate(model, spend=1.5, words_per_unit=8, buy=True,
                                           held_out_share=share),
                    lambda: notes.prevalence(model, by=["date"], spend=1.5, buy=True),
                    lambda: notes.prevalence(model, by=["date"]),
                    lambda: notes.changes(model, by=["date"])):
                yield question

        for question in ask(mock["notes"]):
            question()
            question()
        for question in ask(wall["notes"]):
            with pytest.raises(tw.Error, match="MOCK"):
                question()
    mock["notes"].lengths(tmp_path / "lengths", spend=0.5, buy=True)
    for price in ({}, {"spend": 0.5, "buy": True}):
        mock["notes"].lengths(tmp_path / "lengths", **price)
        with pytest.raises(tw.Error, match="MOCK"):
            wall["notes"].lengths(tmp_path / "lengths", **price)
    assert wall["notes"].budget.spent == 0
    paid = ["prevalence", fitted.path, "--by", "date"]
    assert topicwall(*paid)["mock"] is True
    world.stop()  # nobody says that it is a mock
    with pytest.raises(tw.Unavailable):
        wall["notes"].changes(fitted, by=["date"])
    with pytest.raises(tw.Unavailable):
        wall["notes"].evaluate(own, spend=2.0, words_per_unit=8, buy=True, held_out_share=0.5)


def test_the_wall_itself_begins_with_no_mocks_model(mock, wall, tmp_path):
    first = mock["notes"].fit(mock["notes"].quote(topics=3, spend=2.0, iterations=3),
                              path=tmp_path / "mock.model", buy=True)
    with pytest.raises(tw.Error, match="initial model is a MOCK's"):
        wall["notes"].quote(topics=3, spend=2.0, iterations=3, init=first)
    assert mock["notes"].quote(topics=3, spend=2.0, iterations=3, init=first).fits
    real = wall["notes"].fit(wall["notes"].quote(topics=3, spend=2.0, iterations=3),
                             path=tmp_path / "real.model", buy=True)
    real.report(tmp_path / "real.html", compare=first)
    page = (tmp_path / "real.html").read_text()
    assert "notes (MOCK: of documents that do not exist)" in page and "<h1>MOCK" not in page


def test_refusals_and_questions_are_those_of_a_wall(mock, tmp_path, monkeypatch):
    from topicwall import _paying

    notes = mock["notes"]
    quote = notes.quote(topics=3, spend=11.0, iterations=3)
    assert isinstance(quote.refusal, tw.BudgetRefused)
    with pytest.raises(tw.BudgetRefused):
        notes.fit(quote, path=tmp_path / "m", buy=True)
    quote = notes.quote(topics=3, spend=1.0, iterations=3)
    with pytest.raises(tw.Error, match="buy=True"):
        notes.fit(quote, path=tmp_path / "m")
    shown = []
    monkeypatch.setattr(_paying, "can_ask", lambda: True)
    monkeypatch.setattr("builtins.input", lambda question: "y")
    monkeypatch.setattr("builtins.print", lambda text, file=None: shown.append(text))
    notes.fit(quote, path=tmp_path / "m")
    assert "MOCK" in shown[0]
    with pytest.raises(tw.NotAdmitted, match="mock"):
        mock["letters"].budget


def test_a_stopped_fit_of_a_mock_goes_on(mock, tmp_path):
    notes = mock["notes"]
    quote = notes.quote(topics=3, spend=2.0, iterations=40)

    def stop(now):  # it is not told of every release: a mock is quicker than people look
        if now.stage == "topics" and now.done >= 1:
            raise KeyboardInterrupt

    with pytest.raises(tw.Stopped):
        notes.fit(quote, path=tmp_path / "m", buy=True, progress=stop)
    spent = notes.budget.spent
    notes.fit(quote, path=tmp_path / "m", buy=True)
    assert notes.budget.spent == spent


def test_a_mock_works_in_a_forked_process(mock):
    child = os.fork()
    if child == 0:
        os._exit(0 if mock["notes"].budget.spent == 0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_a_mock_says_is_a_function_of_the_public_description(wall, tmp_path):
    told = []
    for name in ("a", "b"):
        notes = tw.mock(wall["notes"])["notes"]
        quote = notes.quote(topics=3, noise_multiplier=2.0, iterations=3)
        told.append(notes.fit(quote, path=tmp_path / name, buy=True).topics())
    assert told[0].equals(told[1])
