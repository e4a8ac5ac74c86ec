"""Measures one pass of a mixture of multinomials over short texts, ours against NumPy and SciPy.

The texts are the first lines of Debian's package descriptions. NumPy trains the components by EM
from a random start; then both take the same weights, in turns on one core and one thread, and
infer every text's components and add up the sufficient statistics. Prints a Markdown table; a
ratio is the median over the rounds. NumPy's pass is three calls that SciPy and NumPy run in C:
a product of the counts with the weights, a soft maximum, and a product back.
"""

import functools
import json
import os
import pathlib
import statistics
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402: after the environment is set
import scipy.sparse  # noqa: E402

import bag_of_words  # noqa: E402
import mixture_pass  # noqa: E402

_TRAINING_PASSES = 25
_PASSES_PER_RUN = 20


def _read_titles(documents, vocabulary):
    with documents.open(encoding="utf-8") as file:
        first_lines = [json.loads(line)["text"].split("\n", 1)[0] for line in file]
    counted = [bag_of_words.count_terms(text, vocabulary) for text in first_lines]
    return [document for document in counted if document]


def matrix(documents, num_terms, dtype):
    terms = np.array([t for document in documents for t, _ in document], dtype=np.int32)
    counts = np.array([c for document in documents for _, c in document], dtype=dtype)
    starts = np.cumsum([0] + [len(document) for document in documents]).astype(np.int32)
    return scipy.sparse.csr_matrix((counts, terms, starts), (len(documents), num_terms))


def one_pass(counts, weights):
    """K×(V + 1): words, and documents last. `weights`: log, as the statistics lie."""
    scores = counts @ np.ascontiguousarray(weights[:, :-1].T)
    scores += weights[:, -1]
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return np.concatenate([(counts.T @ scores).T, scores.sum(axis=0)[:, None]], axis=1)


def train(counts, num_components):
    shape = (num_components, counts.shape[1])
    topics = np.random.default_rng(1).gamma(1, 1, shape) * counts.sum(axis=0).A1 + 0.01
    shares = np.ones(num_components)
    for _ in range(_TRAINING_PASSES):
        weights = np.concatenate(
            [
                np.log(topics / topics.sum(axis=1, keepdims=True)),
                np.log(shares / shares.sum())[:, None],
            ],
            axis=1,
        )
        sums = one_pass(counts, weights)
        topics, shares = sums[:, :-1] + 0.01, sums[:, -1] + 1
    return weights


def _seconds(counts, weights):
    start = time.process_time()
    for _ in range(_PASSES_PER_RUN):
        one_pass(counts, weights)
    return (time.process_time() - start) / _PASSES_PER_RUN


def _ours(programs, folder, kernel, *options):
    command = [programs / "mixture_docs_per_second", "--kernel", kernel]
    command += ["--docword", folder / "titles.docword", "--weights", folder / "weights.f32"]
    command += ["--repeat", _PASSES_PER_RUN, *options]
    return mixture_pass.figures_of(command)["mean_cpu_seconds"]


def measure(arguments):
    vocabulary = bag_of_words.read_vocabulary(arguments.words)
    titles = _read_titles(arguments.documents, vocabulary)
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    bag_of_words.write_docword(folder / "titles.docword", titles, len(vocabulary))
    counts = {kind: matrix(titles, len(vocabulary), kind) for kind in (np.float64, np.float32)}
    weights = train(counts[np.float64], arguments.num_components)
    weights.astype("<f4").tofile(folder / "weights.f32")
    listed = mixture_pass.kernels(arguments.programs)
    ours = functools.partial(_ours, arguments.programs, folder)
    mixture_pass.check_sums(listed, folder, ours, one_pass(counts[np.float64], weights), "NumPy")
    runs = mixture_pass.in_turns("mixture", arguments.rounds, {
        "NumPy, float64": lambda: _seconds(counts[np.float64], weights.astype(np.float64)),
        "NumPy, float32": lambda: _seconds(counts[np.float32], weights.astype(np.float32)),
        **{kernel: functools.partial(ours, kernel) for kernel in listed},
    })
    tokens = counts[np.float64].sum() / len(titles)
    return {
        "documents": len(titles), "tokens": tokens, "num_components": arguments.num_components,
        "cpu_seconds": runs,
    }


def _markdown(measured):
    runs = measured["cpu_seconds"]

    lines = [
        f"One pass of a mixture of multinomials, first lines of Debian's package descriptions "
        f"({measured['tokens']:.1f} tokens each), K = {measured['num_components']}, "
        f"{measured['documents']:,} documents:",
        "",
        "| engine | µs a document | to NumPy, float64 | to NumPy, float32 |",
        "|---|---|---|---|",
    ]
    for name, seconds in runs.items():
        own = name.startswith("NumPy")
        ratios = [
            "–" if own else f"{mixture_pass.times_as_fast(runs, name, peer):.1f}×"
            for peer in ("NumPy, float64", "NumPy, float32")
        ]
        label = name if own else f"topicwall {name}"
        micros = statistics.median(seconds) / measured["documents"] * 1e6
        lines.append(f"| {label} | {micros:.3f} | {ratios[0]} | {ratios[1]} |")
    return "\n".join(lines)


if __name__ == "__main__":
    words = ("--words", {"type": pathlib.Path, "required": True})
    mixture_pass.run(__doc__, [words], measure, _markdown)
