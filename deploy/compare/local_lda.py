"""topicwall.LocalLDA against scikit-learn's LatentDirichletAllocation, from Python, on one core.

    PYTHONPATH=build/release/python /usr/bin/python3 deploy/compare/local_lda.py docword.txt.gz

Both are given the same sparse counts, topics and passes, and take turns, one thread on one core.
Times are processor time: the median of the rounds, and ratios are the median of those within one
round. Perplexity is document completion of every fifth document, held out, by one program for all
topics (model/lda/topics/held_out_perplexity.h), under the alpha that the engine ends with, and
under the same one for both, 2/K. Prints a Markdown table, and what making our documents of the
matrix costs.
"""

import argparse
import gzip
import lzma
import os
import time

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation

import topicwall as tw
from topicwall import _topicwall
from topicwall._counts import counted


def read(path):
    """Counts of a UCI bag of words: those to fit, and those held out."""
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(os.path.splitext(path)[1], open)
    with opened(path, "rt") as lines:
        num_documents, num_terms, _ = (int(next(lines)) for _ in range(3))
        rows = np.loadtxt(lines, dtype=np.int32)
    shape = (num_documents, num_terms)
    counts = sp.csr_matrix((rows[:, 2], (rows[:, 0] - 1, rows[:, 1] - 1)), shape=shape)
    is_held_out = np.arange(num_documents) % 5 == 4
    return counts[~is_held_out], counts[is_held_out]


def timed(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin


def completion(components, alpha, held_out):
    topics = _topicwall.Topics(
        np.ascontiguousarray(np.maximum(components, 1e-6), dtype=np.float32), list(alpha), 1e-3
    )
    return topics.completion(counted(held_out), 1, 1)[0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("docword", help="UCI bag of words, also .gz and .xz")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--passes", type=int, default=10, help="10 is the default of both")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    counts, held_out = read(arguments.docword)
    topics, passes = arguments.topics, arguments.passes
    common = {"n_components": topics, "max_iter": passes, "random_state": 1, "n_jobs": 1}
    engines = {
        "topicwall": tw.LocalLDA(**common),
        "scikit-learn, online": LatentDirichletAllocation(learning_method="online", **common),
        "scikit-learn, batch": LatentDirichletAllocation(learning_method="batch", **common),
    }
    distinct = counts.nnz / counts.shape[0]
    print(f"{counts.shape[0]} documents of {distinct:.0f} distinct words, ", end="")
    print(f"V = {counts.shape[1]}, K = {topics}, {passes} passes, one core\n")
    print("| engine | fit, s | transform, s | fit, times ours | transform | completion | alpha 2/K |")
    print("|---|---|---|---|---|---|---|")
    rounds = [
        {name: (timed(lambda: e.fit(counts)), timed(lambda: e.transform(counts)))
         for name, e in engines.items()}
        for _ in range(arguments.rounds)
    ]  # fmt: skip
    for name, engine in engines.items():
        fit, transform = np.median([turn[name] for turn in rounds], axis=0)
        ratios = [np.divide(turn[name], turn["topicwall"]) for turn in rounds]
        fits, transforms = np.median(ratios, axis=0)
        alpha = np.broadcast_to(engine.doc_topic_prior_, topics)
        own = completion(engine.components_, alpha, held_out)
        same = completion(engine.components_, np.full(topics, 2 / topics), held_out)
        print(
            f"| {name} | {fit:.2f} | {transform:.3f} | {fits:.1f} | {transforms:.1f} | "
            f"{own:.1f} | {same:.1f} |"
        )
    converted = np.median([timed(lambda: counted(counts)) for _ in range(9)])
    a_pass = np.median([turn["topicwall"][0] for turn in rounds]) / passes
    part = 100 * converted / a_pass
    print(f"\nDocuments from the matrix: {1e3 * converted:.2f} ms, {part:.2f} % of a pass.")


if __name__ == "__main__":
    main()
