"""Measures all engines on the corpora that prepare.py made. See deploy/compare-engines --help.

Prints Markdown to standard output and progress to standard error. Engines take turns: in every
round each does one run, on the same processor core, so that whatever disturbs the machine
disturbs all of them. A time is processor time; a ratio is the median over the rounds of the ratio
of two engines within one round.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

import engine
import report

_HERE = pathlib.Path(__file__).resolve().parent
_TRAINING_PASSES = 5
_OUR_DOCUMENTS_PER_RUN = 100_000  # ours are over in milliseconds: several passes make one run
_CORPORA = ("short", "long", "given")
# The best of some for one epoch of the catalogue: for all engines alike.
_TAU0, _KAPPA = 10, 0.7
_EPOCH_TOPICS = 50


@dataclasses.dataclass(frozen=True)
class Plan:
    rounds: int
    epoch_rounds: int
    num_topics: tuple
    many_topics: tuple  # without scikit-learn, on the first corpus only


_FULL = Plan(rounds=5, epoch_rounds=5, num_topics=(50, 100, 200), many_topics=(1000,))
_QUICK = Plan(rounds=2, epoch_rounds=1, num_topics=(50, 100), many_topics=())


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _take_turns(engines, starts, results, title):
    """{name: [run of round 1, ...]}. Round i starts at the topics starts[i]."""
    runs = {each.name: [] for each in engines}
    try:
        for number, (topics, keep) in enumerate(starts, 1):
            for each in engines:
                _say(f"   {title}: round {number} of {len(starts)}, {each.name}")
                output = results / f"{each.name}{keep}" if keep is not None else None
                runs[each.name].append(each.run(topics, output))
    finally:
        for each in engines:
            each.stop()
    return runs


def _speed(runs, name, peers, documents):
    """Of one engine, and its ratio to each peer."""
    seconds = [run["cpu_seconds"] for run in runs[name]]
    return {
        "engine": name,
        "cpu_seconds": seconds,
        "best": documents / min(seconds),
        "median": documents / statistics.median(seconds),
        "peak_megabytes": max(run["peak_kilobytes"] for run in runs[name]) / 1024,
        "times": {
            peer: statistics.median(
                theirs["cpu_seconds"] / own["cpu_seconds"]
                for theirs, own in zip(runs[peer], runs[name])
            )
            for peer in peers
        },
    }


def _documents_in(docword):
    with docword.open(encoding="ascii") as file:
        return int(file.readline())


class Measurement:
    """Runs the programs in `programs` on the corpora in `folder`."""

    def __init__(self, programs, folder, plan):
        self._programs = programs
        self._folder = folder
        self._plan = plan
        listed = subprocess.run(
            [programs / "e_step_docs_per_second", "--list-kernels"],
            check=True,
            capture_output=True,
            text=True,
        )
        self._kernels = listed.stdout.split()
        self._corpora = {
            name: json.loads((folder / name / "corpus.json").read_text())
            for name in _CORPORA
            if (folder / name).exists()
        }
        self.engines = {}

    def _steps_of(self, corpus):
        batch_size = self._corpora[corpus]["batch_size"]
        return ["--batch-size", batch_size, "--tau0", _TAU0, "--kappa", _KAPPA]

    def _online_epoch(self, corpus, num_topics, *options):
        answer, _ = engine.run_program(
            [self._programs / "online_epoch", "--num-topics", num_topics]
            + self._steps_of(corpus)
            + list(options)
        )
        return answer

    def _train(self, corpus, num_topics, results):
        """lambda.f32 and lambda.log.f32: the topics that every engine infers with."""
        topics = results / "lambda.f32"
        self._online_epoch(
            corpus, num_topics, "--docword", self._folder / corpus / "train.docword",
            "--passes", _TRAINING_PASSES, "--topics-out", topics,
        )
        log_topics = topics.with_suffix(".log.f32")
        self._score("log-topics", topics, log_topics, "--num-topics", num_topics)
        return topics

    @staticmethod
    def _score(*arguments):
        command = [sys.executable, _HERE / "score.py", *arguments]
        return subprocess.run(
            [str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    def _peer(self, name, work, corpus, num_topics):
        peer = engine.Peer(
            name,
            work,
            ["--num-topics", num_topics, "--folder", self._folder / corpus]
            + self._steps_of(corpus),
        )
        self.engines[name] = peer.about
        return peer

    def _our_e_steps(self, folder, documents):
        passes = math.ceil(_OUR_DOCUMENTS_PER_RUN / documents)
        ours = [
            engine.OurEStep(self._programs, kernel, folder, passes) for kernel in self._kernels
        ]
        fastest = self._kernels[0]
        return ours + [engine.OurEStep(self._programs, fastest, folder, passes, summed=False)]

    def e_step(self, corpus, num_topics, peers):
        """One row an engine: all infer the same documents with the same trained topics."""
        title = f"E-step, {corpus} documents, K = {num_topics}"
        folder = self._folder / corpus
        results = self._folder / f"{corpus}-{num_topics}"
        results.mkdir(exist_ok=True)
        _say(f"== {title}: training topics")
        topics = self._train(corpus, num_topics, results)
        documents = _documents_in(folder / "sample.docword")
        theirs = [self._peer(name, "infer", corpus, num_topics) for name in peers]
        # The results of one round are enough: they are the same in every round, or nearly.
        starts = [(topics, "")] + [(topics, None)] * (self._plan.rounds - 1)
        ours = self._our_e_steps(folder, documents)
        runs = _take_turns(theirs + ours, starts, results, title)
        fixed_point = self._peer("fixed-point", "fixed-point", corpus, num_topics)
        _take_turns([fixed_point], starts[:1], results, title)
        scores = json.loads(
            self._score(
                "judge", "--folder", folder, "--num-topics", num_topics,
                "--topics", topics, "--results", results,
            )
        )
        return {
            "corpus": corpus,
            "num_topics": num_topics,
            "documents": documents,
            "unigram": scores["unigram"],
            "rows": [
                _speed(runs, name, peers, documents) | scores["engines"].get(name, {})
                for name in runs
            ],
        }

    def _random_starts(self, corpus, results):
        """A start for each round, the same for all peers."""
        starts = []
        for seed in range(1, self._plan.epoch_rounds + 1):
            topics = results / f"start-{seed}.f32"
            self._online_epoch(
                corpus, _EPOCH_TOPICS, "--docword", self._folder / corpus / "check.docword",
                "--passes", 0, "--init", "random", "--seed", seed, "--topics-out", topics,
            )
            starts.append((topics, f"-{seed}"))
        return starts

    def _epoch_perplexities(self, corpus, paths):
        """Of each of these topics, all by one program."""
        folder = self._folder / corpus
        scores = [
            self._online_epoch(
                corpus, _EPOCH_TOPICS, "--docword", folder / "check.docword", "--passes", 0,
                "--init", path, "--held-out", folder / "held_out.docword",
            )
            for path in paths
        ]
        return {
            name: [score[f"{name}_perplexity"] for score in scores]
            for name in ("bound", "completion")
        }

    def epoch(self, corpus):
        """One row an engine: a pass of online variational Bayes, the peers from the same starts."""
        title = f"epoch, {corpus} documents, K = {_EPOCH_TOPICS}"
        results = self._folder / f"{corpus}-epoch"
        results.mkdir(exist_ok=True)
        _say(f"== {title}")
        train = self._folder / corpus / "train.docword"
        options = ["--num-topics", _EPOCH_TOPICS, "--docword", train, *self._steps_of(corpus)]
        peers = ["gensim", "sklearn"]
        engines = [self._peer(name, "epoch", corpus, _EPOCH_TOPICS) for name in peers]
        engines += [engine.OurEpoch(self._programs, kernel, options) for kernel in self._kernels]
        starts = self._random_starts(corpus, results)
        runs = _take_turns(engines, starts, results, title)
        documents = _documents_in(train)
        rows = []
        for name in runs:
            _say(f"   {title}: perplexity of the topics of {name}")
            paths = [results / f"{name}{keep}.lambda.f32" for _, keep in starts]
            perplexities = self._epoch_perplexities(corpus, paths)
            rows.append(_speed(runs, name, peers, documents) | perplexities)
        return {
            "corpus": corpus,
            "num_topics": _EPOCH_TOPICS,
            "documents": documents,
            "batch_size": self._corpora[corpus]["batch_size"],
            "rows": rows,
        }

    def everything(self):
        corpora = list(self._corpora)
        e_steps = [
            self.e_step(corpus, num_topics, ["gensim", "sklearn"])
            for corpus in corpora
            for num_topics in self._plan.num_topics
        ]
        e_steps += [
            self.e_step(corpora[0], num_topics, ["gensim"])
            for num_topics in self._plan.many_topics
        ]
        return {
            "corpora": self._corpora,
            "rounds": self._plan.rounds,
            "e_step": e_steps,
            "epoch": [self.epoch(corpora[0])],
        }


def _processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    measurement = Measurement(
        arguments.programs, arguments.folder, _QUICK if arguments.quick else _FULL
    )
    try:
        measured = measurement.everything()
    except (engine.EngineError, subprocess.CalledProcessError, OSError) as error:
        raise SystemExit(f"compare-engines: {error}") from error
    measured["machine"] = {
        "processor": _processor(),
        "core": core,
        "engines": measurement.engines,
    }
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n")
    print(report.markdown(measured))


if __name__ == "__main__":
    main()
