"""Nothing is paid twice, and nothing hangs: kill -9, Ctrl-C, fork, a server that goes away."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from made_up import topicwall
from wall_world import WallWorld

import topicwall as tw

# So many that 20 kills meet a fit under way.
ITERATIONS = 29

FIT = textwrap.dedent("""
    import sys
    import topicwall as tw
    notes = tw.connect(sys.argv[1])["notes"]
    quote = notes.quote(topics=3, spend="90%", iterations=int(sys.argv[3]))
    notes.fit(quote, path=sys.argv[2], buy=True,
              progress=lambda now: print(now.stage, now.done, now.total, flush=True))
    print("finished", flush=True)
""")


def start(profile, folder, iterations=ITERATIONS):
    return subprocess.Popen(
        [sys.executable, "-B", "-c", FIT, profile, folder, str(iterations)], text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture
def slow_world(tmp_path):
    """Releases come every second, so that there is time to interrupt, and a busy machine is not so
    late with three of them that the corpus is paused."""
    with WallWorld(tmp_path, interval_ms=1000) as world:
        yield world


def test_a_fit_that_is_killed_twenty_times_pays_once(slow_world):
    """Where it dies is random within what is under way: before, during and after a release. On a
    machine that is late with its kills it is done before the last of them."""
    profile, folder = slow_world.profile("alice"), slow_world.path("m")
    places = random.Random(4)
    kills, line = 0, ""
    while kills < 20 and "finished" not in line:
        fit = start(profile, folder)
        lines = places.choice((0, 1, 2, 2))  # of progress
        for _ in range(lines):
            line = fit.stdout.readline()
            assert line, fit.stderr.read()
            if "finished" in line:
                break
        time.sleep(places.uniform(0, 1 if lines else 1.5))
        fit.kill()
        fit.wait()
        kills += 1
    assert kills > 5
    output, errors = start(profile, folder).communicate(timeout=240)
    assert output.endswith("finished\n"), errors
    wall = tw.connect(profile)
    plans = wall.ledger("notes").plans()
    assert len(plans) == 2  # word frequencies and topics
    assert list(plans.charged) == list(plans.releases) and plans.releases.sum() == ITERATIONS + 1
    assert plans.taken.sum() == pytest.approx(9.0, rel=0.01)
    assert wall.ledger("notes").verify(folder).ok


def test_ctrl_c_stops_between_iterations_and_the_same_call_goes_on(slow_world):
    profile, folder = slow_world.profile("alice"), slow_world.path("m")
    fit = start(profile, folder, 10)
    assert fit.stdout.readline() and fit.stdout.readline()
    fit.send_signal(signal.SIGINT)
    _, errors = fit.communicate(timeout=240)
    assert fit.returncode != 0
    assert "Stopped: stopped: plan" in errors and "goes on" in errors and folder in errors
    assert "terminate" not in errors  # the thread that paid had ended before the interpreter did
    charged = tw.connect(profile).ledger("notes").plans().charged.sum()
    assert 1 <= charged < 11
    output, errors = start(profile, folder, 10).communicate(timeout=240)
    assert output.endswith("finished\n"), errors
    plans = tw.connect(profile).ledger("notes").plans()
    assert list(plans.charged) == list(plans.releases) and plans.releases.sum() == 11


def test_ctrl_c_ends_a_wait_for_a_wall_that_is_gone_and_the_same_call_goes_on(slow_world):
    folder = slow_world.path("m")
    fit = start(slow_world.profile("alice"), folder, 10)
    assert fit.stdout.readline() and fit.stdout.readline()
    slow_world.stop()
    fit.send_signal(signal.SIGINT)
    _, errors = fit.communicate(timeout=240)  # it would wait ten minutes
    assert "Stopped: stopped: plan" in errors and "goes on" in errors and folder in errors
    slow_world.start()
    profile = slow_world.profile("alice")
    output, errors = start(profile, folder, 10).communicate(timeout=240)
    assert output.endswith("finished\n"), errors
    plans = tw.connect(profile).ledger("notes").plans()
    assert list(plans.charged) == list(plans.releases) and plans.releases.sum() == 11


def test_what_a_stopped_fit_has_come_to_is_read_as_the_program_reads_it(slow_world):
    profile, folder = slow_world.profile("alice"), slow_world.path("m")
    fit = start(profile, folder, 10)
    now = ["", "0"]  # a busy machine may skip a number
    while now[0] != "topics" or int(now[1]) < 4:
        line = fit.stdout.readline()
        assert line and "finished" not in line, fit.stderr.read()
        now = line.split()
    fit.send_signal(signal.SIGINT)
    fit.communicate(timeout=240)
    with pytest.warns(UserWarning, match="is unfinished: .* goes on with it"):
        model = tw.load(folder)
    done, releases = model.unfinished
    assert 5 <= done < releases == 11
    assert topicwall("topics", folder)["unfinished"] == {"releases_done": done, "releases": releases}
    with pytest.warns(UserWarning, match="It is a copy of a fit"):
        assert tw.load(model.save(slow_world.path("copy")).path).unfinished == (done, releases)
    plans = tw.connect(profile).ledger("notes").plans()
    topicwall("cancel", plans.plan_id[plans.charged < plans.releases].item(), "--profile", profile)
    _, errors = start(profile, folder, 10).communicate(timeout=240)
    assert "was cancelled" in errors and "another path" in errors
    with pytest.warns(UserWarning, match="unfinished"):
        tw.load(folder)


QUESTION = textwrap.dedent("""
    import sys
    import topicwall as tw
    notes = tw.connect(sys.argv[1])["notes"]
    options = {"spend": 2.0, "releases": 8, "buy": True,
               "progress": lambda now: print(now.stage, now.done, now.total, flush=True)}
    if sys.argv[3] == "evaluate":
        notes.evaluate(sys.argv[2], held_out_share=0.5, **options)
    else:
        notes.prevalence(sys.argv[2], by=["ward"], **options)
    print("finished", flush=True)
""")


@pytest.mark.parametrize("question", ["evaluate", "prevalence"])
def test_ctrl_c_stops_a_question_between_its_releases_and_the_same_call_goes_on(
        tmp_path, question):
    with WallWorld(tmp_path, interval_ms=1000) as world:
        ask_and_stop(world.profile("alice"), world.path("m"), question)


def ask_and_stop(profile, folder, question):
    notes = tw.connect(profile)["notes"]
    notes.fit(notes.quote(topics=3, spend=2.0, iterations=2), path=folder, buy=True)

    def start_question():
        return subprocess.Popen(
            [sys.executable, "-B", "-c", QUESTION, profile, folder, question], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def charged():
        return list(tw.connect(profile).ledger("notes").plans().charged)

    asking = start_question()
    done = 0
    while done < 2:  # it is looked at now and then: a machine that is busy may skip a number
        line = asking.stdout.readline()
        assert line and "finished" not in line, asking.stderr.read()
        done = int(line.split()[1])
    asking.send_signal(signal.SIGINT)
    _, errors = asking.communicate(timeout=240)
    assert "Stopped: stopped: plan" in errors and "goes on" in errors and folder in errors
    assert 2 <= charged()[-1] < 8
    taken = notes.budget.spent
    output, errors = start_question().communicate(timeout=240)
    assert output.endswith("finished\n"), errors
    assert charged() == [1, 2, 8] and notes.budget.spent == taken


FORK = textwrap.dedent("""
    import os, sys, threading
    import topicwall as tw
    wall = tw.connect(sys.argv[1])
    notes = wall["notes"]
    notes.budget
    over = threading.Event()
    def ask():
        while not over.is_set():
            notes.budget
    busy = threading.Thread(target=ask)
    busy.start()
    child = os.fork()
    if child == 0:
        refusals = 0
        for attempt in (lambda: notes.budget, lambda: notes.quote(topics=3, spend=0.5),
                        lambda: tw.connect(sys.argv[1])):
            try:
                attempt()
            except tw.Error as error:
                refusals += "forked" in str(error)
        del wall, notes
        sys.stdout.write(f"child refused {refusals}\\n")
        sys.stdout.flush()
        sys.exit(0)
    _, status = os.waitpid(child, 0)
    over.set()
    busy.join()
    print("parent", notes.budget.total, os.waitstatus_to_exitcode(status))
""")

FORK_FIRST = textwrap.dedent("""
    import os, sys
    import topicwall as tw
    child = os.fork()
    if child == 0:
        print("child", tw.connect(sys.argv[1])["notes"].budget.total, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print("parent", tw.connect(sys.argv[1])["notes"].budget.total)
""")


def run(script, *arguments):
    return subprocess.run([sys.executable, "-B", "-c", script, *arguments], text=True, timeout=240,
                          stdin=subprocess.DEVNULL, capture_output=True)


def test_a_child_forked_after_connecting_is_refused_and_never_hangs(world):
    done = run(FORK, world.profile("alice"))
    assert "child refused 3" in done.stdout, done.stdout + done.stderr
    assert "parent 10.0 0" in done.stdout, done.stdout + done.stderr


def test_a_child_forked_before_connecting_connects(world):
    done = run(FORK_FIRST, world.profile("alice"))
    assert "child 10.0" in done.stdout and "parent 10.0" in done.stdout, done.stdout + done.stderr


# They ask on while the interpreter ends, and come back to it.
DAEMONS = textwrap.dedent("""
    import sys, threading
    import numpy, topicwall as tw
    notes = tw.connect(sys.argv[1])["notes"]
    counts = numpy.random.default_rng(1).poisson(1, (400, 30))
    lda = tw.LocalLDA(4, max_iter=1).fit(counts)
    done = threading.Semaphore(0)
    def again(what):
        while True:
            what()
            done.release()
    class Passes:
        def write(self, text):
            done.release()
        def flush(self):
            pass
    def fit():
        tw.LocalLDA(4, max_iter=10**9, verbose=1).fit(counts)
    asking = [lambda: notes.budget] * 6 + [lambda: lda.transform(counts), fit]
    sys.stdout = Passes()
    for what in asking:
        threading.Thread(target=again, args=(what,), daemon=True).start()
    for _ in range(60):
        done.acquire()
""")


def test_daemon_threads_in_a_call_do_not_abort_a_program_that_ends(world):
    profile = world.profile("alice")
    for _ in range(4):
        done = run(DAEMONS, profile)
        assert (done.returncode, done.stderr) == (0, "")


DAEMON_THAT_PAYS = textwrap.dedent("""
    import sys, threading
    import topicwall as tw
    notes = tw.connect(sys.argv[1])["notes"]
    quote = notes.quote(topics=3, spend="90%", iterations=5)
    begun = threading.Event()
    threading.Thread(target=notes.fit, args=(quote, sys.argv[2]), daemon=True,
                     kwargs={"buy": True, "progress": lambda now: begun.set()}).start()
    begun.wait()
""")


def test_what_a_daemon_thread_pays_for_is_there_when_the_program_has_ended(slow_world):
    folder = slow_world.path("m")
    done = run(DAEMON_THAT_PAYS, slow_world.profile("alice"), folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert tw.load(folder).unfinished is None


def test_a_server_that_was_started_again_finishes_the_fit(slow_world):
    folder = slow_world.path("m")
    fit = start(slow_world.profile("alice"), folder, 10)
    assert fit.stdout.readline() and fit.stdout.readline()
    fit.kill()
    fit.wait()
    slow_world.stop()
    slow_world.start()
    output, errors = start(slow_world.profile("alice"), folder, 10).communicate(timeout=240)
    assert output.endswith("finished\n"), errors
    plans = tw.connect(slow_world.profile("alice")).ledger("notes").plans()
    assert list(plans.charged) == list(plans.releases) and plans.releases.sum() == 11


def test_a_corpus_that_is_paused_in_the_middle_says_so(tmp_path):
    """The shortest interval there is, and so many documents that every release takes longer."""
    with WallWorld(tmp_path, interval_ms=50, documents=60_000) as world:
        wall = tw.connect(world.profile("alice"))
        notes = wall["notes"]
        quote = notes.quote(topics=20, spend="90%", iterations=59)
        with pytest.raises(tw.CorpusPaused) as paused:
            notes.fit(quote, path=tmp_path / "m", buy=True)
        assert (paused.value.corpus, paused.value.state) == ("notes", "paused")
        assert list(wall.corpora().state) == ["paused"]
        again = notes.quote(topics=3, spend="10%", iterations=3)
        assert isinstance(again.refusal, tw.CorpusPaused)
