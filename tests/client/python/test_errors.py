"""A status of the C++ side is the exception that a caller can handle."""

import copy
import inspect
import json
import math
import os
import pickle
import subprocess
import sys

import pytest

import topicwall as tw
from topicwall import _errors, _topicwall


def test_a_wall_that_does_not_answer_is_unavailable():
    with pytest.raises(tw.Unavailable, match="try again"):
        _topicwall._raise(14, b"not there, try again")


@pytest.mark.parametrize("strategy", ["bogus", "none"])
def test_grpcs_own_variables_do_not_end_the_interpreter(tmp_path, strategy):
    (tmp_path / "nobody.textproto").write_text(
        'server: "127.0.0.1:1" ca_file: "a.pem" certificate_file: "a.pem" '
        'private_key_file: "a.key"')
    (tmp_path / "a.pem").write_text("-----BEGIN CERTIFICATE-----\n")
    (tmp_path / "a.key").write_text("-----BEGIN PRIVATE KEY-----\n")
    (tmp_path / "a.key").chmod(0o600)
    done = subprocess.run(
        [sys.executable, "-c", "import topicwall as tw\n"
         "try:\n    tw.connect('nobody.textproto').corpora('notes')\n"
         "except tw.Error:\n    print('told')\n"],
        cwd=tmp_path, env={**os.environ, "GRPC_POLL_STRATEGY": strategy}, text=True,
        capture_output=True)
    assert (done.returncode, done.stdout) == (0, "told\n"), done.stderr


def test_any_other_status_is_an_error_of_this_package():
    with pytest.raises(tw.Error, match="K must be"):
        _topicwall._raise(3, b"K must be at least 1")


def test_words_that_are_no_text_are_still_an_error_of_this_package():
    with pytest.raises(tw.Error, match="K \ufffd\ufffd must"):
        _topicwall._raise(3, b"K \xff\xfe must")


def of(code, error):
    return _errors.of_status(code, "what to do", json.dumps({"error": {"code": "error", **error}}))


def test_a_refusal_has_its_numbers():
    error = of(9, {"code": "budget_refused", "taken": None, "left": 0.4, "fits": 3,
                   "epsilon_alone": 1.2})
    assert type(error) is tw.BudgetRefused and math.isnan(error.taken)
    assert (error.asked, error.left, error.fits) == (1.2, 0.4, 3)


@pytest.mark.parametrize("programs, ours", [
    ("more noise (--spend all, or less).", 'more noise (spend="all", or less).'),
    ("sampling-rate must be in (0, 1]; got 7.", "sampling_rate must be in (0, 1]; got 7."),
    ("max_tokens must be in [1, 50]; got 70.", "max_words must be in [1, 50]; got 70."),
    ("a fit with max-words 5; choose another --model.", "a fit with max_words 5; choose another path."),
    ("give --held-out-share; `topicwall fit --max-words 3` does",
     "give held_out_share; `topicwall fit --max-words 3` does"),
    ("a mini-max-words-per-unit-scheme", "a mini-max-words-per-unit-scheme"),
])
def test_what_is_to_be_done_is_told_by_the_names_of_keywords(programs, ours):
    assert str(_errors.of_status(3, programs, json.dumps({"error": {"code": "error"}}))) == ours


@pytest.mark.parametrize("detail, kind", [
    ({"kind": "plan_mismatch", "flag": "topics", "was": 3, "now": 4}, tw.PlanMismatch),
    ({"kind": "input", "path": "notes.jsonl", "line": 7}, tw.InputError),
    ({"kind": "corpus_state", "corpus": "notes", "state": "paused"}, tw.CorpusPaused),
    ({"kind": "not_admitted", "reason": "ca"}, tw.NotAdmitted),
])
def test_what_an_error_is_of_stands_in_its_attributes(detail, kind):
    error = of(9, {"detail": detail})
    assert type(error) is kind and str(error) == "what to do"
    assert vars(error) == {name: value for name, value in detail.items() if name != "kind"}


def test_what_this_machine_denies_is_not_said_of_the_wall():
    assert type(of(7, {})) is tw.Error


def test_ctrl_c_is_no_error_that_a_loop_would_swallow():
    assert issubclass(tw.Stopped, KeyboardInterrupt) and not issubclass(tw.Stopped, Exception)


EXCEPTIONS = [kind for kind in map(tw.__dict__.get, tw.__all__)
              if isinstance(kind, type) and issubclass(kind, BaseException)]
# What crosses to another process, as of a pool, or is kept for later.
CROSSINGS = [lambda thing: pickle.loads(pickle.dumps(thing)), copy.copy, copy.deepcopy]


@pytest.mark.parametrize("kind", EXCEPTIONS)
@pytest.mark.parametrize("crossed", CROSSINGS)
def test_an_exception_is_the_same_on_the_other_side(kind, crossed):
    fields = [name for name in inspect.signature(kind.__init__).parameters
              if name not in ("self", "args", "kwargs")]
    error = kind(*(f"the {name}" for name in fields or ["message"]))
    error.noted = 1
    again = crossed(error)
    assert type(again) is kind and again.args == error.args and str(again) == str(error)
    assert vars(again) == vars(error)


@pytest.mark.parametrize("crossed", CROSSINGS)
def test_a_refused_quote_is_the_same_on_the_other_side(crossed):
    refusal = tw.BudgetRefused("too much", asked=1.0, taken=2.0, left=0.5, fits=3)
    again = crossed(tw.Quote("notes", {"topics": 3}, {}, refusal))
    assert type(again.refusal) is tw.BudgetRefused and vars(again.refusal) == vars(refusal)
    assert not again.fits and again.left == 0.5
