"""Makes the folder of one corpus for measure.py: UCI files of the documents in random order.

  train.docword     what topics are trained on
  sample.docword    the first of them, which every engine infers in every round
  check.docword     the first of those, whose statistics are held against the fixed point
  held_out.docword  other documents
  observed.docword, scored.docword  two halves of the tokens of each of those
  corpus.json       {"documents", "distinct_terms", "tokens", "num_terms", "batch_size", "origin"}
"""

import argparse
import json
import pathlib
import random

import bag_of_words

_CHECKED = 500
_LONG_DISTINCT_TERMS = 150
# Of online variational Bayes: at least some ten updates a pass.
_LARGEST_BATCH = 4096
_UPDATES_PER_PASS = 10


def _write_corpus(folder, train, held_out, num_terms, sample_size, origin):
    folder.mkdir(parents=True, exist_ok=True)
    random.Random(1).shuffle(train)
    observed, scored = bag_of_words.split_tokens(held_out, seed=1)
    files = {
        "train": train,
        "sample": train[:sample_size],
        "check": train[:_CHECKED],
        "held_out": held_out,
        "observed": observed,
        "scored": scored,
    }
    for name, documents in files.items():
        bag_of_words.write_docword(folder / f"{name}.docword", documents, num_terms)
    about = {
        "documents": len(train),
        "distinct_terms": sum(map(len, train)) / len(train),
        "tokens": sum(count for document in train for _, count in document) / len(train),
        "num_terms": num_terms,
        "batch_size": min(_LARGEST_BATCH, -(-len(train) // _UPDATES_PER_PASS)),
        "origin": origin,
    }
    (folder / "corpus.json").write_text(json.dumps(about) + "\n")


def prepare_catalogue(catalogue, words, folder, sample_size):
    """Debian's package descriptions (short), and an owner's in a row (long)."""
    vocabulary = bag_of_words.read_vocabulary(words)
    train = bag_of_words.read_jsonl(catalogue / "documents.jsonl", vocabulary)
    held_out = bag_of_words.read_jsonl(catalogue / "heldout.jsonl", vocabulary)
    _write_corpus(
        folder / "short",
        [document for _, document in train],
        [document for _, document in held_out],
        len(vocabulary),
        sample_size,
        "Debian's package descriptions",
    )
    _write_corpus(
        folder / "long",
        bag_of_words.join_by_owner(train, _LONG_DISTINCT_TERMS),
        bag_of_words.join_by_owner(held_out, _LONG_DISTINCT_TERMS),
        len(vocabulary),
        sample_size // 4,
        f"descriptions of one maintainer joined up to {_LONG_DISTINCT_TERMS} distinct terms",
    )


def prepare_docword(docword, folder, sample_size):
    """A UCI corpus that was given; one document in twenty is held out."""
    documents, num_terms = bag_of_words.read_docword(docword)
    documents = [document for document in documents if document]
    if len(documents) < 1000:
        raise ValueError(f"{docword} has {len(documents)} documents; give at least 1000")
    random.Random(2).shuffle(documents)
    held_out = documents[: len(documents) // 20]
    _write_corpus(
        folder / "given",
        documents[len(held_out) :],
        held_out[:5000],
        num_terms,
        sample_size,
        pathlib.Path(docword).name,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalogue", type=pathlib.Path)
    parser.add_argument("--words", type=pathlib.Path)
    parser.add_argument("--docword", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--sample-size", type=int, required=True)
    arguments = parser.parse_args()
    try:
        if arguments.docword:
            prepare_docword(arguments.docword, arguments.folder, arguments.sample_size)
        else:
            prepare_catalogue(
                arguments.catalogue, arguments.words, arguments.folder, arguments.sample_size
            )
    except (OSError, ValueError) as error:
        raise SystemExit(f"compare-engines: {error}") from error


if __name__ == "__main__":
    main()
