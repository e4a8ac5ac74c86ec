"""Documents and models whose truth is known, and the program to compare with."""

import json
import os
import pathlib
import subprocess

import numpy as np

BINARIES = pathlib.Path(os.environ["TOPICWALL_BINARY_DIR"])
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "client/python/examples"


def write_model(folder, kind="denoised", seed=1):
    """Three topics over 40 words, of which topic k has five of its own (made_up_model.h)."""
    subprocess.run([BINARIES / "write-model", kind, str(seed), folder], check=True)
    return str(folder)


def topicwall(*arguments):
    """What the program prints with --json."""
    finished = subprocess.run(
        [BINARIES / "topicwall", *map(str, arguments), "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(finished.stdout)


def planted(num_documents=600, num_topics=4, words_each=6, seed=1):
    """Counts of documents, each mostly of one topic; row d is of topic d % num_topics."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((num_documents, num_topics * words_each), dtype=np.int64)
    for d in range(num_documents):
        first = words_each * (d % num_topics)
        own = rng.multinomial(30, np.full(words_each, 1 / words_each))
        counts[d, first : first + words_each] += own
        counts[d] += rng.multinomial(3, np.full(counts.shape[1], 1 / counts.shape[1]))
    return counts


def names(num_words):
    """Words that the tokenizer leaves as they are."""
    return ["w" + chr(97 + v // 26) + chr(97 + v % 26) for v in range(num_words)]
