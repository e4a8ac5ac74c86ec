"""A mixture of multinomials without privacy, by another method than ours: GSDMM's.

Collapsed Gibbs sampling of one cluster for each text (Yin and Wang, "A Dirichlet Multinomial Mixture
Model-based Approach for Short Text Clustering", KDD 2014), their alpha = beta = 0.1: texts move to
clusters by those that are there, and clusters that nobody chooses die. Prints, after every few
passes, how many clusters are left and the perplexity of document completion on held-out texts, every
twentieth, as deploy/study/EXPERIMENTS.md has it ("Short texts"): the cluster from one half of a
text's words, the others scored under what all clusters say. Beside it the same of EM.

Example: python3 deploy/compare/gsdmm.py titles.jsonl vocab.txt --clusters 50
"""

import argparse
import json
import math

import numpy as np

import bag_of_words
import mixture

_ALPHA = _BETA = 0.1
_HELD_OUT = 20  # one in so many
_FLOOR = 1e-12  # of a probability, as model/lda/topics/held_out_perplexity.h


class Sampler:
    """Counts of a clustering: texts, words and words by term of each of K clusters."""

    def __init__(self, documents, num_terms, num_clusters, rng):
        self._documents = [np.repeat(*np.array(d, dtype=np.int64).T) for d in documents]
        # Of each word how often it was there before in its text.
        self._repeats = [
            np.concatenate([np.arange(count) for _, count in document])[:, None] + _BETA
            for document in documents
        ]
        self._rng = rng
        self.texts = np.zeros(num_clusters)
        self.words = np.zeros(num_clusters)
        self.terms = np.zeros((num_terms, num_clusters))
        self._cluster = rng.integers(num_clusters, size=len(documents))
        for terms, cluster in zip(self._documents, self._cluster):
            self._move(terms, cluster, 1)

    def _move(self, terms, cluster, by):
        self.texts[cluster] += by
        self.words[cluster] += by * len(terms)
        np.add.at(self.terms[:, cluster], terms, by)

    def sample(self):
        mass = len(self.terms) * _BETA
        for number, terms in enumerate(self._documents):
            self._move(terms, self._cluster[number], -1)
            odds = (self.terms[terms] + self._repeats[number]).prod(axis=0) * (self.texts + _ALPHA)
            for place in range(len(terms)):
                odds /= self.words + (mass + place)
            odds = odds.cumsum()
            chosen = min(odds.searchsorted(self._rng.random() * odds[-1]), len(odds) - 1)
            self._cluster[number] = chosen
            self._move(terms, chosen, 1)

    def components(self):
        """Terms by cluster, and the clusters' shares."""
        topics = (self.terms + _BETA) / (self.words + len(self.terms) * _BETA)
        return topics, (self.texts + _ALPHA) / (self.texts + _ALPHA).sum()


def completion(components, observed, scored):
    topics, shares = components
    sum_of_logs, words = 0.0, 0
    for seen, hidden in zip(observed, scored):
        posterior = shares.copy()
        for term, count in seen:
            posterior *= topics[term] ** count
            posterior /= posterior.sum()
        for term, count in hidden:
            sum_of_logs -= count * math.log(max(posterior @ topics[term], _FLOOR))
            words += count
    return math.exp(sum_of_logs / words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("documents", help='JSON lines with a "text"')
    parser.add_argument("vocabulary", help="one term a line")
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--passes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    vocabulary = bag_of_words.read_vocabulary(arguments.vocabulary)
    with open(arguments.documents, encoding="utf-8") as file:
        counted = [bag_of_words.count_terms(json.loads(line)["text"], vocabulary) for line in file]
    held_out = bag_of_words.split_tokens(counted[::_HELD_OUT], arguments.seed)
    documents = [text for i, text in enumerate(counted) if text and i % _HELD_OUT]
    rng = np.random.default_rng(arguments.seed)
    # One cluster alone is the unigram.
    unigram = Sampler(documents, len(vocabulary), 1, rng).components()
    print(f"{len(documents)} texts, unigram {completion(unigram, *held_out):.1f}", flush=True)
    counts = mixture.matrix(documents, len(vocabulary), np.float64)
    weights = np.exp(mixture.train(counts, arguments.clusters))
    em = (weights[:, :-1].T.copy(), weights[:, -1])
    print(f"EM of mixture.py, completion {completion(em, *held_out):.1f}", flush=True)
    sampler = Sampler(documents, len(vocabulary), arguments.clusters, rng)
    for number in range(1, arguments.passes + 1):
        sampler.sample()
        if number % 5 == 0 or number == arguments.passes:
            left = np.count_nonzero(sampler.texts)
            perplexity = completion(sampler.components(), *held_out)
            print(f"pass {number}: {left} clusters, completion {perplexity:.1f}", flush=True)


if __name__ == "__main__":
    main()
