"""The corpus of a study as files that topicwall-study and topicwall-admin read."""

import gzip
import lzma
import pathlib
import random
import shutil

_OPEN = {".gz": gzip.open, ".xz": lzma.open}


def _unpacked(path, folder):
    """The file itself, or a copy without its compression."""
    path = pathlib.Path(path)
    if path.suffix not in _OPEN:
        return path
    target = folder / path.stem
    if not target.exists():
        part = target.with_suffix(".part")
        with _OPEN[path.suffix](path, "rb") as packed, part.open("wb") as file:
            shutil.copyfileobj(packed, file)
        part.rename(target)
    return target


def _read_docword(path):
    """{document: [(term, count)]} and V. Numbers are from 1."""
    with path.open() as file:
        _, terms, entries = (int(file.readline()) for _ in range(3))
        documents = {}
        for line in file:
            document, term, count = line.split()
            documents.setdefault(int(document), []).append((term, count))
    if sum(map(len, documents.values())) != entries:
        raise ValueError(f"{path}: the header says {entries} entries; there are others")
    return documents, terms


def _write_docword(path, documents, terms):
    with path.open("w") as file:
        file.write(f"{len(documents)}\n{terms}\n{sum(map(len, documents))}\n")
        for number, document in enumerate(documents, start=1):
            file.writelines(f"{number} {term} {count}\n" for term, count in document)


def hold_out(docword, folder):
    """Cuts one document in twenty off, by a fixed draw. Returns (documents, held out)."""
    train, held_out = folder / "train.txt", folder / "held_out.txt"
    if not held_out.exists():
        documents, terms = _read_docword(docword)
        order = sorted(documents)
        chosen = set(random.Random(1).sample(order, len(order) // 20))
        _write_docword(train, [documents[d] for d in order if d not in chosen], terms)
        part = held_out.with_suffix(".part")
        _write_docword(part, [documents[d] for d in order if d in chosen], terms)
        part.rename(held_out)
    return train, held_out


def given(docword, vocabulary, held_out, folder):
    """A UCI bag of words, perhaps compressed, perhaps with documents of its own to score."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = _unpacked(docword, folder)
    if held_out:
        scored = _unpacked(held_out, folder)
    else:
        documents, scored = hold_out(documents, folder)
    return {"name": pathlib.Path(docword).name, "format": "uci", "documents": documents,
            "held_out": scored, "vocabulary": _unpacked(vocabulary, folder)}


def catalogue(folder, words):
    """Debian's package descriptions, as deploy/fetch-catalogue leaves them."""
    return {"name": "Debian's package catalogue", "format": "jsonl",
            "documents": folder / "documents.jsonl", "held_out": folder / "heldout.jsonl",
            "vocabulary": pathlib.Path(words)}
