"""A wall from Python: what it tells, what is bought of it, and what it refuses."""

import errno
import json
import math
import os
import pty
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from made_up import topicwall
from wall_world import BINARIES, SOURCE, WallWorld

import topicwall as tw


def small_fit(notes, path, **more):
    # Of 1,920 words with a noise of 130, ten deviations above what would end the fit.
    quote = notes.quote(topics=3, spend=1.6, iterations=3, held_out_share=0.2)
    return notes.fit(quote, path=path, buy=True, **more)


def folder_of(model):
    return os.fspath(getattr(model, "path", model))


def test_the_whole_listing_holds_from_corpora_to_the_audit(wall, tmp_path):
    notes = wall["notes"]
    assert list(wall.corpora("notes").corpus) == ["notes"]
    assert len(notes.vocabulary) == 30 and notes.vocabulary[0] == "wordaa"
    before = notes.budget
    assert before.spent == 0 and before.left == before.total == before.together

    quote = notes.quote(topics=3, spend=0.8, iterations=3)
    assert quote.fits and 0.79 < quote.taken <= 0.8
    assert quote.left_after == pytest.approx(quote.left - quote.taken)
    # What is taken is never told as less, and what is left never as more: one number everywhere.
    takes = f"{math.ceil(1e4 * quote.taken - 1e-6) / 1e4:.4f}"
    after = f"{math.floor(1e4 * quote.left_after + 1e-6) / 1e4:.4f}"
    asked = notes._taking({**vars(quote), "expected": None})
    for text in (repr(quote), quote.verdict, quote._repr_html_(), asked):
        assert takes in text and after in text, text
    assert f"noise multiplier {quote.sigma:g}" in repr(quote) and quote.effective_sigma < quote.sigma
    priced = topicwall("price", "notes", "--topics", 3, "--spend", 0.8, "--iterations", 3,
                       "--profile", wall.profile)
    assert priced["price"]["noise_standard_deviation"] == quote.sigma
    for alone in ({"hours": 1}, {"seconds_per_release": 3}):
        with pytest.raises(tw.Error, match='are for plan="auto"'):
            notes.quote(topics=3, spend=0.8, **alone)
    assert notes.budget == before  # nothing is reserved

    model = notes.fit(quote, path=tmp_path / "notes.model", held_out=0.2, buy=True)
    after = notes.budget
    assert after.spent == pytest.approx(quote.taken, rel=1e-6)

    score = notes.evaluate(model, spend=4, words_per_unit=8, buy=True)
    assert score.taken <= 4 and not score.was_trained_on and score.perplexity > 1
    shares = notes.prevalence(model, by=["ward"], spend=3, buy=True)
    assert list(shares.columns) == [
        "ward", "topic", "share", "low", "high", "simultaneous_low", "simultaneous_high",
        "documents", "documents_low", "documents_high"]
    assert sorted(shares.topic.unique()) == [1, 2, 3]
    told = shares.dropna()  # no document is of another ward: of "other" there is nothing to tell
    assert set(told.ward) >= {"north", "south"}
    assert ((told.low <= told.share) & (told.share <= told.high)).all()
    assert ((told.simultaneous_low <= told.low) & (told.high <= told.simultaneous_high)).all()
    assert ((told.documents_low <= told.documents) & (told.documents <= told.documents_high)).all()
    for undated in ("ward", []):
        with pytest.raises(tw.Error, match="by must name an attribute that is a date"):
            notes.changes(model, by=undated)
    with pytest.raises(tw.Error, match="nothing that was paid for"):
        notes.changes(model, by="date")

    audit = wall.ledger("notes").verify(model)
    assert audit.ok and audit.findings == [] and audit.receipts > 0
    plans = wall.ledger("notes").plans()
    assert plans.sigma[plans.releases == 3].item() == quote.sigma
    assert plans.taken.sum() == pytest.approx(notes.budget.spent)
    assert audit.spent == pytest.approx(notes.budget.spent)
    assert (wall.corpora().left == notes.budget.left).all()


# 300 documents of eight words. What is bought once is shown for nothing, and a quote takes it.
def test_lengths_are_measured_once_and_quotes_say_that_they_are(wall, tmp_path):
    notes, folder = wall["notes"], tmp_path / "notes.lengths"
    with pytest.raises(tw.Error, match="none was named"):
        notes.lengths(folder, buy=True)
    told = notes.lengths(folder, spend=1, buy=True)
    assert 0 < told.taken <= 1 and not told.mock
    # 95 % is 1.96 deviations on either side; 3.3 times as far is 6.4, a false alarm below 1e-9. Half
    # or twice as many units would be found.
    assert told.units.low < told.units.value < told.units.high < 600
    assert abs(told.units.value - 300) < 3.3 * (told.units.high - told.units.value)
    assert (told.median.low, told.median.high) == (8, 9) and told.words_per_unit in (8, 9)
    assert list(told.bins.columns) == ["from", "to", "units"]
    spent = notes.budget.spent
    again = notes.lengths(folder)
    assert again.median == told.median and notes.budget.spent == spent
    for words in (told, folder, str(folder)):
        quote = notes.quote(topics=3, spend=0.8, nominal_size=1000, words_per_unit=words)
        assert f"{told.words_per_unit:g} known words each (measured: {folder})" in repr(quote)
    with pytest.raises(tw.Error, match="no finished measurement"):
        notes.quote(topics=3, spend=0.8, words_per_unit=tmp_path / "nothing")
    with pytest.raises(tw.Error, match="words_per_unit must be given"):
        notes.quote(spend=0.8, plan="auto", algorithm="mixture", nominal_size=1000)
    assert wall.ledger("notes").verify(folder).ok


# Through a real wall, with noise: which topic is which follows from the words that were named.
@pytest.mark.parametrize("algorithm", ["denoised", "mixture"])
def test_an_anchored_topic_has_its_words_on_top_and_its_name(wall, tmp_path, algorithm):
    notes = wall["notes"]
    anchors = {"last": ["wordcb"], "early": ["wordae", "wordad"]}  # early is 1, last is 2
    quote = notes.quote(topics=3, spend="90%", iterations=8, algorithm=algorithm, anchors=anchors)
    model = notes.fit(quote, path=tmp_path / "m", buy=True)
    assert model.labels == {1: "early", 2: "last"}
    top = model.topics(n=5).groupby("topic")["word"].agg(list)
    assert all(word.startswith("worda") for word in top[1]), top
    assert all(word.startswith("wordc") for word in top[2]), top
    with pytest.raises(tw.PlanMismatch) as other:
        notes.fit(quote, path=tmp_path / "m", anchors={"early": ["wordcb"]}, buy=True)
    assert other.value.flag == "anchors"
    for wrong, why in [({"early": ["nothing"]}, '"nothing" of anchor "early"'),
                       ({"early": "wordae"}, "lists of words"), ({}, "lists of words")]:
        with pytest.raises(tw.Error, match=why):
            notes.fit(quote, path=tmp_path / "n", anchors=wrong, buy=True)


# Would catch a list of the program's or of the package's own making.
def test_the_program_tells_the_same_corpora_as_the_package(wall):
    def by_program(*names):
        return topicwall("corpora", *names, "--profile", wall.profile)["corpora"]

    def by_package(*names):
        rows = json.loads(wall.corpora(*names).to_json(orient="records", double_precision=15))
        return [{name: value for name, value in row.items() if value is not None} for row in rows]

    assert by_program() == by_package() == []  # nothing was asked about yet
    with pytest.raises(subprocess.CalledProcessError):
        by_program("nothing")
    assert by_program("notes") == by_package()
    assert [row["corpus"] for row in by_program()] == ["notes"]
    assert by_program()[0]["left"] == wall["notes"].budget.left


# As of a corpus that was replaced, whose new ledger counts the old budget: nothing is found, and
# nothing was verified.
@pytest.mark.parametrize("all_elsewhere", [False, True])
def test_an_audit_is_not_ok_of_receipts_of_other_budgets_alone(all_elsewhere):
    class Connection:
        is_mock = False

        def audit(self, corpus, model):
            return json.dumps({"entries": 3, "unseen_entries": 0, "head": "00" * 32, "spent": 0,
                               "receipts": 2, "is_all_elsewhere": all_elsewhere,
                               "elsewhere": ["2 receipts of budget b"], "findings": []})

    audit = tw.Ledger(Connection(), "notes").verify("a.model")
    assert audit.ok != all_elsewhere and not audit.findings and audit.elsewhere


# Receipts of the second corpus' budget lie in the model's folder from then on.
def test_a_model_that_another_corpus_was_asked_about_is_verified_by_both_ledgers(tmp_path):
    with WallWorld(tmp_path, corpora=("notes", "letters")) as world:
        profile, folder = world.profile("alice"), tmp_path / "m"
        wall = tw.connect(profile)
        small_fit(wall["notes"], folder)
        wall["letters"].evaluate(folder, held_out_share=0.5, words_per_unit=8, spend=1.0, buy=True)
        for corpus, other, fitted in (("notes", "letters", True), ("letters", "notes", False)):
            audit = wall.ledger(corpus).verify(folder)
            assert audit.ok, audit.findings
            assert len(audit.elsewhere) == 1 and f"of corpus {other}:" in audit.elsewhere[0]
            told = topicwall("ledger", corpus, "--verify", folder, "--profile", profile)
            assert told["verified"] and [one["corpus"] for one in told["elsewhere"]] == [other]
            report = subprocess.run(
                [BINARIES / "topicwall", "report", folder, "--corpus", corpus, "--profile", profile,
                 "--output", tmp_path / "m.html"], text=True, capture_output=True)
            # The topics are of the one alone.
            assert (report.returncode == 0) == fitted, report.stderr
        assert "is of corpus letters and paid from its budget" in (tmp_path / "m.html").read_text()


# A cap of one's own is less than what is left: then that, and not what is left, can be bought.
def test_under_a_cap_what_is_left_is_told_apart_from_what_is_ones_own(tmp_path):
    with WallWorld(tmp_path, caps={"alice": 3.0}) as world:
        notes = tw.connect(world.profile("alice"))["notes"]
        assert notes.budget.own_left == 3.0 < notes.budget.left
        notes.fit(notes.quote(topics=3, spend=2.0, iterations=3), path=tmp_path / "m", buy=True)
        left, own = notes.budget.left, notes.budget.own_left
        assert own == pytest.approx(1.0, abs=0.05) and left > 7
        left, own = (f"{math.floor(1e4 * number + 1e-6) / 1e4:.4f}" for number in (left, own))
        assert f"It can still buy {own} of epsilon" in notes._repr_html_()
        assert f"Of the {left} left no more is yours" in notes._repr_html_()
        quote = notes.quote(topics=3, spend="all", iterations=3)
        assert quote.own_left == pytest.approx(notes.budget.own_left, abs=1e-9) and quote.taken <= notes.budget.own_left
        for shown in (repr(quote), quote.verdict):
            assert f"of it yours: {own}" in shown, shown
        assert "(your cap is 3.0000)" in repr(quote)
        assert f"<td>of it yours</td><td>{own}</td>" in quote._repr_html_()
        assert f"of it yours by your own cap: {own}" in notes._taking(
            {**vars(quote), "expected": None})
        other = tw.connect(world.profile("bob"))["notes"]
        assert other.budget.own_left == other.budget.left
        assert "yours" not in repr(other.quote(topics=3, spend=1.0)) + other._repr_html_()


def test_what_was_bought_before_costs_nothing_again(wall, tmp_path):
    notes = wall["notes"]
    model = small_fit(notes, tmp_path / "m")
    notes.evaluate(model, spend=0.3, buy=True)
    notes.prevalence(model, by=["ward", "date"], spend=0.3, buy=True)
    spent = notes.budget.spent
    small_fit(notes, tmp_path / "m")
    notes.evaluate(model, spend=0.3)
    assert "date" not in notes.prevalence(model, by=["ward"]).columns
    changes = notes.changes(model, by=["date"])
    told = topicwall("prevalence", model.path, "--by", "date", "--profile", wall.profile)["changes"]
    assert list(changes.columns) == ["topic", "from_date", "to_date", "difference",
                                     "standard_error", "p_value", "adjusted_p_value"]
    assert list(changes.difference.dropna()) == [
        row["difference"] for row in told if row["difference"] is not None]
    assert changes.topic.tolist() == [int(row["topic"]) for row in told] == [1, 2, 3]
    assert notes.budget.spent == spent


def test_of_owners_a_prevalence_says_that_counts_are_of_what_counts(tmp_path):
    with WallWorld(tmp_path, epsilon=100.0, unit="owner") as world:
        notes = tw.connect(world.profile("alice"))["notes"]
        counts = np.eye(3, 30, dtype=int) + 1
        model = tw.LocalLDA(3, random_state=1).fit(counts).to_model(
            notes.vocabulary, tokenizer="words-1").save(tmp_path / "m")
        shares = notes.prevalence(model, typical_documents=3, spend=50.0, buy=True)
        # Of 10 owners of 30 documents each, far from the clip of 3 and from 300.
        assert (shares.documents_high < 200).all()
        assert "counts as if it had fewer" in shares.attrs["owners"]


def test_without_a_terminal_nothing_is_bought_unless_it_is_said(wall, tmp_path):
    notes = wall["notes"]
    quote = notes.quote(topics=3, spend=0.8, iterations=3)
    with pytest.raises(tw.Error, match="buy=True"):
        notes.fit(quote, path=tmp_path / "m")
    assert notes.budget.spent == 0 and not (tmp_path / "m").exists()


def test_true_is_no_epsilon(wall, tmp_path):
    notes = wall["notes"]
    with pytest.raises(ValueError, match="spend must be .*got True.*buy=True"):
        notes.quote(topics=3, spend=True)


def test_a_no_buys_nothing_and_a_yes_does(wall, tmp_path, monkeypatch):
    from topicwall import _paying

    notes = wall["notes"]
    quote = notes.quote(topics=3, spend=0.8, iterations=3)
    monkeypatch.setattr(_paying, "can_ask", lambda: True)
    asked = []
    for answer in ("", "n"):
        monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or answer)
        with pytest.raises(tw.Error, match="nothing was reserved"):
            notes.fit(quote, path=tmp_path / "m")
    assert notes.budget.spent == 0
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or "y")
    notes.fit(quote, path=tmp_path / "m")
    assert notes.budget.spent > 0 and len(asked) == 3


@pytest.mark.parametrize("wrong", [
    {"iterations": -1}, {"iterations": 0}, {"sampling_rate": 0.0}, {"sampling_rate": -1.0},
    {"max_words": -1}, {"held_out_share": 1.0}, {"nominal_size": -5}, {"words_per_unit": 0.0},
    {"init": ""},
])
def test_what_is_out_of_its_range_is_named_and_is_no_refusal(wall, wrong):
    with pytest.raises((tw.Error, ValueError), match=f"{next(iter(wrong))} must be") as refused:
        wall["notes"].quote(topics=3, spend=1.0, **wrong)
    assert not isinstance(refused.value, tw.BudgetRefused)


def test_a_model_that_is_in_no_folder_is_to_be_saved_first(wall, tmp_path):
    notes = wall["notes"]
    merged = small_fit(notes, tmp_path / "m").merge([1, 2])
    for ask in (lambda: notes.evaluate(merged, spend=1.0, buy=True),
                lambda: notes.prevalence(merged), lambda: notes.changes(merged, by=["date"]),
                lambda: wall.ledger("notes").verify(merged),
                lambda: notes.quote(topics=2, spend=1.0, init=merged),
                lambda: merged.report(tmp_path / "a.html")):
        with pytest.raises(ValueError, match="save it first"):
            ask()


def test_a_quote_is_not_bought_for_more_than_it_said(wall, tmp_path):
    notes = wall["notes"]
    quote = notes.quote(topics=3, noise_multiplier=20, iterations=3)
    quote.taken /= 2  # as if it had been cheaper then
    with pytest.raises(tw.Error, match="changed"):
        notes.fit(quote, path=tmp_path / "m", buy=True)
    assert notes.budget.spent == 0


def test_a_refusal_is_told_in_numbers_by_the_quote_and_raised_by_the_fit(wall, tmp_path):
    notes = wall["notes"]
    quote = notes.quote(topics=3, spend=11.0, iterations=3)
    assert not quote.fits and isinstance(quote.refusal, tw.BudgetRefused)
    assert "refused" in quote.verdict
    with pytest.raises(tw.BudgetRefused) as refused:
        notes.fit(quote, path=tmp_path / "m", buy=True)
    assert refused.value.left == notes.budget.left
    priced = notes.quote(topics=3, noise_multiplier=0.2, iterations=40)
    with pytest.raises(tw.BudgetRefused) as refused:
        notes.fit(priced, path=tmp_path / "m", buy=True)
    assert refused.value.asked > 10 and refused.value.taken > refused.value.left
    assert isinstance(refused.value.fits, int)
    assert notes.budget.spent == 0


def test_a_begun_fit_goes_on_though_its_price_is_no_longer_left(wall, tmp_path):
    notes = wall["notes"]

    def leave(now):
        if now.done:
            raise RuntimeError("the notebook's own")

    with pytest.raises(RuntimeError):
        notes.fit(notes.quote(topics=3, spend=9.0, iterations=30), path=tmp_path / "m", buy=True,
                  progress=leave)
    spent = notes.budget.spent
    again = notes.quote(topics=3, spend=9.0, iterations=30)
    assert spent > 0 and not again.fits
    notes.fit(again, path=tmp_path / "m")
    plans = wall.ledger("notes").plans()
    assert list(plans.charged) == list(plans.releases) and plans.releases.sum() == 31
    assert 8.9 < notes.budget.spent <= 9


def test_another_fit_in_the_folder_is_a_mismatch_with_its_values(wall, tmp_path):
    notes = wall["notes"]
    small_fit(notes, tmp_path / "m")
    other = notes.quote(topics=4, spend=0.8, iterations=3, held_out_share=0.2)
    with pytest.raises(tw.PlanMismatch) as mismatch:
        notes.fit(other, path=tmp_path / "m", buy=True)
    assert (mismatch.value.flag, mismatch.value.was, mismatch.value.now) == ("topics", 3, 4)


def test_who_is_not_on_the_list_is_not_admitted(world):
    with pytest.raises(tw.NotAdmitted, match="to be put on the list") as refused:
        tw.connect(world.profile("stranger"))
    assert refused.value.reason == "certificate"


def test_a_corpus_that_is_not_served_is_not_admitted(wall):
    with pytest.raises(tw.NotAdmitted, match="caller that the profile's certificate names"):
        wall["letters"].budget


def test_a_wall_that_is_down_is_unavailable(world):
    profile = world.profile("alice")
    world.stop()
    with pytest.raises(tw.Unavailable):
        tw.connect(profile)


def test_login_writes_a_profile_that_connects(world, tmp_path):
    path = tw.login(profile=str(tmp_path / "p.textproto"), **world.login_arguments("alice"))
    assert tw.connect(path)["notes"].budget.total == 10


def test_an_option_of_another_type_is_an_error_that_names_it(wall):
    with pytest.raises(tw.Error, match="topics"):
        wall["notes"].quote(topics="many", spend=0.1)
    with pytest.raises(tw.Error, match="spend"):
        wall["notes"].quote(topics=3, spend="much")


def test_a_hundred_threads_ask_at_once(wall):
    notes, answers = wall["notes"], []

    def ask():
        answers.append((notes.budget.left, notes.quote(topics=3, spend=0.5, iterations=3).taken))

    threads = [threading.Thread(target=ask) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 100 and len(set(answers)) == 1


def test_another_thread_runs_during_a_fit(wall, tmp_path):
    """A fit that held the lock would let the counter stand still from its first release on."""
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    seen = []
    thread.start()
    try:
        small_fit(wall["notes"], tmp_path / "m", progress=lambda now: seen.append(counted[0]))
    finally:
        over.set()
        thread.join()
    assert len(seen) >= 2 and seen[-1] > seen[0]


def test_progress_counts_up_to_the_end(wall, tmp_path):
    seen = []
    small_fit(wall["notes"], tmp_path / "m", progress=seen.append)
    assert seen[-1].done == seen[-1].total and len(seen[-1].plan_id) == 32


# With what the program prints of it.
def test_a_restored_budget_is_told_as_frozen_and_a_forfeited_one_as_spent(tmp_path):
    with WallWorld(tmp_path) as world:
        config = ["--config", world.path("wall.textproto")]
        plans = tw.connect(world.profile("alice"))["notes"]
        small_fit(plans, tmp_path / "m")
        assert plans.budget.state == "open"
        world.stop()
        world.admin("backup", *config, "--output", world.path("backup"))
        (tmp_path / "data").rename(tmp_path / "lost")
        (tmp_path / "data").mkdir(mode=0o700)
        world.admin("restore", *config, "--input", world.path("backup"))
        world.start()
        profile = world.profile("bob")
        bobs = tw.connect(profile)["notes"]
        assert bobs.budget.state == "frozen" and 0 < bobs.budget.left < 10
        assert "not counted here" in bobs._repr_html_()
        assert topicwall("budget", "notes", "--profile", profile)["state"] == "frozen"
        world.stop()
        world.admin("thaw", *config, "--corpus", "notes", "--forfeit")
        world.start()
        profile = world.profile("bob")
        bobs = tw.connect(profile)["notes"]
        assert bobs.budget[:3] == (10.0, 10.0, 0.0) and bobs.budget.state == "open"
        assert "It can buy nothing more" in bobs._repr_html_()
        assert topicwall("budget", "notes", "--profile", profile)["taken_by_others"] == 10
        with pytest.raises(tw.BudgetRefused):
            small_fit(bobs, tmp_path / "n")


def test_html_shows_guarantee_budget_and_what_it_can_buy(wall):
    notes = wall["notes"]
    page = notes._repr_html_()
    assert "10.0000" in page and "can still buy" in page
    assert notes.description["guarantee"][:20] in page
    quote = notes.quote(topics=3, spend=0.8, iterations=3)
    assert "nothing is reserved" in quote._repr_html_() and "takes" in repr(quote)
    assert list(quote.expected.columns) == ["rank", "signal", "noise", "signal_to_noise"]


def test_the_example_that_buys_runs(world):
    done = subprocess.run(
        [sys.executable, "-B", str(SOURCE / "client/python/examples/buy_a_fit.py"),
         world.profile("alice"), "notes", world.path("m")],
        stdin=subprocess.DEVNULL, text=True, capture_output=True)
    assert "the ledger holds" in done.stdout, done.stderr


ASKING = """
import sys
import topicwall as tw
notes = tw.connect(sys.argv[1])["notes"]
notes.fit(notes.quote(topics=3, spend=0.8, iterations=3), path=sys.argv[2])
print("finished")
"""


def test_on_a_terminal_it_shows_the_quote_asks_and_draws_a_bar(world):
    command = [sys.executable, "-B", "-c", ASKING, world.profile("alice"), world.path("m")]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, command)
    shown = b""
    try:
        while True:
            shown += os.read(terminal, 4096)
            if shown.endswith(b"[y/N] "):
                os.write(terminal, b"y\n")
    except OSError:  # the other end is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, shown.decode()
    text = shown.decode()
    assert re.search(r"takes +0\.", text) and "Reserve this fit?" in text and "finished" in text
    assert "topics [####################] 3/3" in text


BUYING = ASKING.replace("path=sys.argv[2]", "path=sys.argv[2], buy=True")


def test_whoever_has_no_standard_error_fits_all_the_same(world):
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-B", "-c", BUYING,
         world.profile("alice"), world.path("m")], stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (0, "finished\n")


class Gone:
    """A terminal that somebody closed."""

    def isatty(self):
        return True

    def write(self, text):
        raise OSError(errno.EIO, "Input/output error")


def test_a_terminal_that_went_away_stops_no_fit(wall, tmp_path, monkeypatch):
    notes = wall["notes"]
    quote = notes.quote(topics=3, spend=0.8, iterations=3)
    monkeypatch.setattr(sys, "stderr", Gone())
    assert notes.fit(quote, path=tmp_path / "m", buy=True).unfinished is None


def test_what_one_custodian_was_paid_for_is_not_told_as_anothers(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with WallWorld(tmp_path / "one") as one, WallWorld(tmp_path / "other") as other:
        notes = tw.connect(one.profile("alice"))["notes"]
        theirs = tw.connect(other.profile("alice"))["notes"]
        model = small_fit(notes, tmp_path / "m")

        def questions(corpus):
            return (lambda: corpus.evaluate(model, spend=2.0, words_per_unit=8, buy=True),
                    lambda: corpus.prevalence(model, by=["date"], spend=2.0, buy=True),
                    lambda: corpus.prevalence(model), lambda: corpus.changes(model, by=["date"]),
                    lambda: corpus.lengths(tmp_path / "lengths", spend=1.0, buy=True),
                    lambda: corpus.lengths(tmp_path / "lengths"))

        for question in questions(notes):
            question()
        for question in questions(theirs):
            with pytest.raises(tw.Error, match="custodian's key must be"):
                question()
        assert theirs.budget.spent == 0
        one.stop()  # what is paid is shown without a wall
        assert questions(notes)[0]().perplexity > 1
        assert len(questions(notes)[2]()) == 3
