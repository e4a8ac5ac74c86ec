"""What is true of topics in groups of documents, and what was told: see prevalence-across-wall."""

import bisect
import json
import pathlib
import re
import sys

import numpy as np
from scipy.special import digamma

import plot

_E_STEP_ITERATIONS = 300
_DOCUMENTS_AT_ONCE = 500


def _read_counts(path):
    """(document, term, count) arrays and D of a UCI bag of words; documents from 0."""
    rows = np.loadtxt(path, dtype=np.int64, skiprows=3, ndmin=2)
    documents = int(path.open().readline())
    return rows[:, 0] - 1, rows[:, 1] - 1, rows[:, 2].astype(float), documents


def _shares(topics, prior, documents, terms, counts):
    """Shares of words by topic of a block of documents: variational inference, converged.

    Blei, Ng and Jordan (2003) under fixed topics; nothing of it is the program's. Documents that
    have converged are left alone.
    """
    starts = np.flatnonzero(np.diff(documents, prepend=-1))
    total = np.add.reduceat(counts, starts)
    shares = np.empty((len(starts), len(topics)))
    active = np.arange(len(starts))
    entry = np.repeat(active, np.diff(np.append(starts, len(documents))))
    words_of = topics[:, terms].T.copy()
    words = np.repeat(total[:, None] / len(topics), len(topics), axis=1)
    for iteration in range(1, _E_STEP_ITERATIONS + 1):
        weight = np.exp(digamma(prior + words))[entry] * words_of
        weight *= (counts / np.maximum(weight.sum(1), 1e-300))[:, None]
        before, words = words, np.add.reduceat(weight, starts)
        if iteration % 10 and iteration < _E_STEP_ITERATIONS:
            continue
        shares[active] = words / total[active, None]
        moving = np.abs(words - before).max(1) > 1e-4
        if not moving.any():
            break
        kept = moving[entry]
        counts, words_of = counts[kept], words_of[kept]
        words, active = words[moving], active[moving]
        entry = (np.cumsum(moving) - 1)[entry[kept]]
        starts = np.flatnonzero(np.diff(entry, prepend=-1))
    return documents[np.flatnonzero(np.diff(documents, prepend=-1))], shares


def truth(model, counts, output):
    """shares (n, K) of the documents with a known word, and which these are."""
    exported = np.load(model)
    topics = exported["components"].astype(float)
    topics /= topics.sum(1, keepdims=True)
    documents, terms, count, _ = _read_counts(counts)
    found, shares = [], []
    for first in range(0, documents[-1] + 1, _DOCUMENTS_AT_ONCE):
        here = slice(*np.searchsorted(documents, (first, first + _DOCUMENTS_AT_ONCE)))
        if here.start == here.stop:
            continue
        which, block = _shares(topics, exported["document_topic_prior"].astype(float),
                               documents[here], terms[here], count[here])
        found.append(which)
        shares.append(block)
    np.savez(output, documents=np.concatenate(found), shares=np.concatenate(shares))


def _attributes(path):
    """{name: (values, is it a date)} of a list in the text format."""
    text = re.sub(r"#.*", "", path.read_text())
    return {re.search(r'name:\s*"([^"]*)"', block)[1]:
            (re.findall(r'values:\s*"([^"]*)"', block), "is_date: true" in block)
            for block in re.findall(r"attributes\s*{([^}]*)}", text)}


def _labels(rows, name, values, is_date):
    """The value of each row, as the wall names it."""
    if not is_date:
        known = set(values)
        return [row.get(name) if row.get(name) in known else "other" for row in rows]
    ends = values + ["9999"]
    places = [bisect.bisect_right(values, row.get(name, "")) - 1 for row in rows]
    return [values[place] if 0 <= place < len(values) - 1 and row[name] < ends[place + 1]
            else "other" for place, row in zip(places, rows)]


class Exact:
    """Documents and shares of each group, without privacy."""

    def __init__(self, shares, documents, attributes, by):
        found = np.load(shares)
        with documents.open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        rows = [{name: row.get(name, "") for name in by}
                for row in (rows[number] for number in found["documents"])]
        listed = _attributes(attributes)
        keys = list(zip(*(_labels(rows, name, *listed[name]) for name in by)))
        self.is_date = [listed[name][1] for name in by]
        self.all = found["shares"].mean(0)
        self.count_of_all = len(keys)
        self._rows = {}
        for place, key in enumerate(keys):
            self._rows.setdefault(key, []).append(place)
        self._shares = found["shares"]

    def count(self, key):
        return len(self._rows.get(key, ()))

    def shares(self, key):
        return self._shares[self._rows[key]].mean(0)


def _pairs(report, exact):
    """(what was told, exact share) of every topic of every group that can be told and is there."""
    for group in report["groups"]:
        key = tuple(group["values"])
        if not group["none"] and exact.count(key):
            yield from zip(group["topics"], exact.shares(key))
    if not report["all"]["none"]:
        yield from zip(report["all"]["topics"], exact.all)


def _within(low, value, high):
    # What is true is known to five digits.
    return low - 1e-5 <= value <= high + 1e-5


def _changes(report, exact):
    """Differences that were told: how many, and how many of them the wrong way round."""
    told = [c for c in report["changes"] if c["adjusted_p_value"] <= .05]
    wrong = 0
    for change in told:
        start, end = (exact.shares(tuple(change[side])) for side in ("from", "to"))
        topic = int(change["topic"]) - 1
        wrong += (end - start)[topic] * change["difference"] <= 0
    return len(told), wrong


def compare(report, exact, expected):
    """One line. `expected`: points to which the quote said that an average topic's share is known
    in an average group; None if nothing."""
    pairs = list(_pairs(report, exact))
    covered = np.mean([_within(t["low"], share, t["high"]) for t, share in pairs])
    together = all(_within(t["simultaneous_low"], share, t["simultaneous_high"])
                   for t, share in pairs)
    groups = report["groups"]
    counted = sum(g["documents_low"] <= exact.count(tuple(g["values"])) <= g["documents_high"]
                  for g in groups)
    all_ = report["all"]
    counted += all_["documents_low"] <= exact.count_of_all <= all_["documents_high"]
    in_groups = [abs(t["share"] - share) for t, share in pairs[:-len(exact.all)]]
    of_all = [abs(t["share"] - share) / share for t, share in pairs[-len(exact.all):]]
    # The quote is of groups of even size: its width is n times as small where there are n times as
    # many documents.
    even = exact.count_of_all / sum("other" not in g["values"] for g in groups)
    widths = [196 * t["standard_error"] * exact.count(tuple(g["values"])) / even
              for g in groups if not g["none"] and exact.count(tuple(g["values"]))
              for t in g["topics"]]
    planned = (f"as wide as planned: {np.median(widths) / expected:.2f} (median)  "
               if expected else "")
    changes, wrong = _changes(report, exact)
    print(f"takes {report['taken']:.4f}  noise multiplier {report['noise_multiplier']:.3g}  "
          f"groups told {sum(not g['none'] for g in groups)} of {len(groups)}  "
          f"off by {100 * np.mean(in_groups):.2f} points in a group, "
          f"{100 * np.mean(of_all):.1f} % of themselves over the whole  "
          f"intervals cover {100 * covered:.1f} % of {len(pairs)} shares"
          f"{'' if together else ' (not all simultaneous ones)'}, {counted} of {len(groups) + 1} "
          f"counts  {planned}"
          f"changes told {changes} of {len(report['changes'])}, {wrong} in the wrong direction")


def draw(report, exact, model, title):
    """The six topics that change most from period to period, as told and as they are."""
    groups = [g for g in report["groups"] if "other" not in g["values"]
              and not g["none"] and exact.count(tuple(g["values"]))]
    true = np.array([exact.shares(tuple(g["values"])) for g in groups])
    exported = np.load(model)
    most = np.argsort(np.ptp(true, axis=0))[:-7:-1]
    panels = []
    for topic in most:
        words = exported["vocabulary"][np.argsort(exported["z"][topic])[:-4:-1]]
        told = [g["topics"][topic] for g in groups]
        panels.append((f"{topic + 1}: {', '.join(map(str, words))}",
                       [(t["low"], t["share"], t["high"]) for t in told], true[:, topic]))
    return plot.bands(title, [g["values"][0][:4] for g in groups], panels)


def main():
    work, documents, attributes = (pathlib.Path(path) for path in sys.argv[1:4])
    by, prices, title, picture = sys.argv[4].split(","), sys.argv[5].split(","), *sys.argv[6:8]
    model, shares = work / "alice" / "fit.npz", work / "shares.npz"
    if not shares.exists():
        truth(model, work / "alice" / "counts.uci", shares)
    exact = Exact(shares, documents, attributes, by)
    print(f"{exact.count_of_all} documents, by {' and '.join(by)}")
    for price in prices:
        report = json.loads((work / "alice" / f"{'-'.join(by)}-{price}.json").read_text())
        quote = (work / "logs" / f"{'-'.join(by)}-{price}.log").read_text()
        told = re.search(r"within ±(\S+) points", quote)
        compare(report, exact, float(told[1]) if told else None)
    if picture:
        pathlib.Path(picture).write_text(draw(report, exact, model, title))


if __name__ == "__main__":
    main()
