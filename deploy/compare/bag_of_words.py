"""Documents as sorted lists of (term, count), terms from 0, and the UCI files they are kept in.

A UCI bag of words is text: the number of documents D, of terms V and of entries, one a line,
then lines `document term count`, both numbered from 1. A document may be empty.
"""

import gzip
import json
import random
import re

# The tokenizer `words-1` of model/data/tokenizer.h, on UTF-8 bytes in lower-case ASCII.
_TOKEN = re.compile(rb"[a-z\x80-\xff]+")


def read_vocabulary(path):
    """{term: number} of a word list, one term a line."""
    with open(path, "rb") as file:
        return {line.rstrip(b"\n"): number for number, line in enumerate(file)}


def count_terms(text, vocabulary):
    """The document of a text; tokens outside the vocabulary are dropped."""
    counts = {}
    for token in _TOKEN.findall(text.encode().lower()):
        term = vocabulary.get(token)
        if term is not None:
            counts[term] = counts.get(term, 0) + 1
    return sorted(counts.items())


def read_jsonl(path, vocabulary):
    """[(owner, document)] of JSON lines, without the empty ones."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    counted = [(line["owner"], count_terms(line["text"], vocabulary)) for line in lines]
    return [(owner, document) for owner, document in counted if document]


def merge(documents):
    """One document with the tokens of all."""
    counts = {}
    for document in documents:
        for term, count in document:
            counts[term] = counts.get(term, 0) + count
    return sorted(counts.items())


def join_by_owner(owned_documents, distinct_terms):
    """Longer documents: an owner's in a row, cut as soon as they have `distinct_terms` terms.

    What is left over of an owner at the end is dropped.
    """
    by_owner = {}
    for owner, document in owned_documents:
        by_owner.setdefault(owner, []).append(document)
    joined = []
    for documents in by_owner.values():
        current = []
        for document in documents:
            current = merge([current, document])
            if len(current) >= distinct_terms:
                joined.append(current)
                current = []
    return joined


def split_tokens(documents, seed):
    """(observed, scored): each token went to one side by a fair coin."""
    coins = random.Random(seed)
    observed, scored = [], []
    for document in documents:
        sides = ([], [])
        for term, count in document:
            heads = sum(coins.getrandbits(1) for _ in range(count))
            for side, number in zip(sides, (heads, count - heads)):
                if number:
                    side.append((term, number))
        observed.append(sides[0])
        scored.append(sides[1])
    return observed, scored


def write_docword(path, documents, num_terms):
    entries = sum(len(document) for document in documents)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{len(documents)}\n{num_terms}\n{entries}\n")
        for number, document in enumerate(documents, 1):
            file.writelines(f"{number} {term + 1} {count}\n" for term, count in document)


def read_docword(path):
    """(documents, V) of a UCI file, also a gzipped one. ValueError says what is wrong."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="ascii") as file:
        header = [file.readline().strip() for _ in range(3)]
        if not all(line.isdigit() for line in header):
            raise ValueError(f"{path} must begin with three lines: documents, terms, entries")
        num_documents, num_terms, num_entries = map(int, header)
        documents = [[] for _ in range(num_documents)]
        entries = 0
        for entries, line in enumerate(file, 1):
            numbers = line.split()
            if len(numbers) != 3 or not all(number.isdigit() for number in numbers):
                raise ValueError(f"{path}, entry {entries}: not `document term count`")
            document, term, count = map(int, numbers)
            if not (1 <= document <= num_documents and 1 <= term <= num_terms and count >= 1):
                raise ValueError(f"{path}, entry {entries}: beyond the header's numbers")
            documents[document - 1].append((term - 1, count))
    if entries != num_entries:
        raise ValueError(f"{path} has {entries} entries; its header says {num_entries}")
    for document in documents:
        document.sort()
    return documents, num_terms
