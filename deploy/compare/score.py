"""Holds what the engines inferred against one standard; none of this is timed.

  score.py log-topics lambda.f32 log_topics.f32 --num-topics 50
  score.py judge --folder short --num-topics 50 --topics lambda.f32 --results DIR

judge reads DIR/<engine>.gamma.f32 and DIR/<engine>.statistics.f32 and prints JSON:
{"unigram": perplexity, "engines": {engine: {"completion": perplexity, "distance": number}}}.

completion: perplexity (natural base) of scored.docword under the mean topics, mixed as the
engine's gamma of observed.docword says; unigram: of the same tokens under the smoothed counts of
train.docword. distance: relative L1 distance of the statistics of check.docword from those of
the fixed point, which a run in double precision found (DIR/fixed-point.statistics.f32).
"""

import argparse
import json
import pathlib

import numpy as np
import scipy.special

import bag_of_words


def _read_matrix(path, num_rows):
    return np.fromfile(path, dtype="<f4").reshape(num_rows, -1).astype(np.float64)


def expected_log_beta(topics):
    """E[log beta] of the Dirichlet rows of lambda, as all engines take their topics."""
    return scipy.special.psi(topics) - scipy.special.psi(topics.sum(axis=1, keepdims=True))


def completion_perplexity(gamma, topics, scored):
    """Of tokens whose documents mix the mean topics in the proportions gamma."""
    beta = topics / topics.sum(axis=1, keepdims=True)
    theta = gamma / gamma.sum(axis=1, keepdims=True)
    log_likelihood, tokens = 0.0, 0
    for mixture, document in zip(theta, scored):
        if document:
            terms, counts = np.array(document).T
            log_likelihood += counts @ np.log(mixture @ beta[:, terms])
            tokens += counts.sum()
    return float(np.exp(-log_likelihood / tokens))


def unigram_perplexity(train, scored, num_terms):
    counts = np.ones(num_terms)
    for term, count in bag_of_words.merge(train):
        counts[term] += count
    log_probability = np.log(counts / counts.sum())
    pairs = np.array(bag_of_words.merge(scored))
    return float(np.exp(-(log_probability[pairs[:, 0]] @ pairs[:, 1]) / pairs[:, 1].sum()))


def relative_l1(values, reference):
    return float(np.abs(values - reference).sum() / np.abs(reference).sum())


def judge(folder, num_topics, topics_path, results):
    topics = _read_matrix(topics_path, num_topics)
    train, num_terms = bag_of_words.read_docword(folder / "train.docword")
    scored, _ = bag_of_words.read_docword(folder / "scored.docword")
    fixed_point = _read_matrix(results / "fixed-point.statistics.f32", num_topics)
    engines = {}
    for path in sorted(results.glob("*.gamma.f32")):
        name = path.name.removesuffix(".gamma.f32")
        statistics = _read_matrix(results / f"{name}.statistics.f32", num_topics)
        engines[name] = {
            "completion": completion_perplexity(_read_matrix(path, len(scored)), topics, scored),
            "distance": relative_l1(statistics, fixed_point),
        }
    return {"unigram": unigram_perplexity(train, scored, num_terms), "engines": engines}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    convert = commands.add_parser("log-topics")
    convert.add_argument("topics", type=pathlib.Path)
    convert.add_argument("output", type=pathlib.Path)
    convert.add_argument("--num-topics", type=int, required=True)
    score = commands.add_parser("judge")
    score.add_argument("--folder", type=pathlib.Path, required=True)
    score.add_argument("--num-topics", type=int, required=True)
    score.add_argument("--topics", type=pathlib.Path, required=True)
    score.add_argument("--results", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if arguments.command == "log-topics":
        topics = _read_matrix(arguments.topics, arguments.num_topics)
        np.minimum(expected_log_beta(topics), 0).astype("<f4").tofile(arguments.output)
    else:
        scores = judge(
            arguments.folder, arguments.num_topics, arguments.topics, arguments.results
        )
        print(json.dumps(scores))


if __name__ == "__main__":
    main()
