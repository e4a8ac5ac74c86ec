"""Vectors of public text, and how well groups of them are found: see vectors-across-wall --help."""

import gzip
import json
import lzma
import pathlib
import sys

import numpy as np
from scipy import optimize, special, stats
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.utils.extmath import randomized_svd

_OPEN = {".gz": gzip.open, ".xz": lzma.open}
_LLOYD_ITERATIONS = (3, 5, 7, 10)


def make(work, text, dimension, label):
    """train.npy, test.npy, labels.npy (of test) and size."""
    with _OPEN.get(text.suffix, open)(text, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    np.random.default_rng(1).shuffle(rows)
    public, private = rows[:len(rows) // 3], rows[len(rows) // 3:]
    words = TfidfVectorizer(max_features=8000, stop_words="english", sublinear_tf=True)
    _, _, axes = randomized_svd(words.fit_transform(row["text"] for row in public), dimension + 1,
                                random_state=1)
    vectors = words.transform(row["text"] for row in private) @ axes[1:].T
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
    test = len(private) // 20
    np.save(work / "train.npy", vectors[test:])
    np.save(work / "test.npy", vectors[:test])
    if label:
        np.save(work / "labels.npy", np.array([row[label] for row in private[:test]]))
    (work / "size").write_text(f"{len(vectors) - test}\n")


def _gaussian_mu(epsilon, delta):
    """Sensitivity over deviation that costs (epsilon, delta): Balle and Wang (2018), theorem 8."""
    def excess(mu):
        return (stats.norm.cdf(mu / 2 - epsilon / mu) -
                np.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu) - delta)
    return optimize.brentq(excess, 1e-4, 100)


def _nearest(vectors, centres):
    return np.argmax(vectors @ centres.T - (centres**2).sum(1) / 2, axis=1)


def _sums(groups, values, count):
    sums = np.zeros((count, values.shape[1]))
    np.add.at(sums, groups, values)
    return sums


def _log_density(vectors, weights, means, variances):
    logs = np.log(weights) - ((vectors[:, None, :] - means)**2 / variances +
                              np.log(2 * np.pi * variances)).sum(2) / 2
    return special.logsumexp(logs, axis=1).mean()


def _lloyd(vectors, count, iterations, mu, seed):
    """Centres, and mixtures made of them, with one variance for all groups and with one each.

    Su, Cao, Li, Bertino and Jin, "Differentially private k-means clustering" (2016), with Gaussian
    noise: first centres at random in the ball, counts and sums of every group, each release with
    the same noise. A unit moves (1, x) by at most the root of 2, (1, x, x squared) by that of 3.
    """
    random = np.random.default_rng(seed)
    rows, dimension = vectors.shape
    noise = np.sqrt(iterations + 1) / mu
    centres = random.standard_normal((count, dimension))
    centres /= 2 * np.linalg.norm(centres, axis=1, keepdims=True)

    def release(values, radius):
        groups = _nearest(vectors, centres)
        return [exact + noise * radius * random.standard_normal(exact.shape)
                for exact in (_sums(groups, value, count) for value in values)]

    ones = np.ones((rows, 1))
    for _ in range(iterations):
        counts, sums = release((ones, vectors), np.sqrt(2))
        moved = sums / np.maximum(counts, 1)
        moved /= np.maximum(1, np.linalg.norm(moved, axis=1, keepdims=True))
        centres = np.where(counts > 1, moved, centres)
    counts, sums, squares = release((ones, vectors, vectors**2), np.sqrt(3))
    counts = np.maximum(counts, rows / (50 * count))
    weights = counts[:, 0] / counts.sum()
    means = sums / counts
    pooled = (squares - sums**2 / counts).sum(0) / counts.sum()
    pooled = np.maximum(pooled, pooled.mean() / 10)
    own = np.maximum(squares / counts - means**2, pooled / 10)
    return centres, [(weights, means, variances)
                     for variances in (np.broadcast_to(pooled, own.shape), own)]


def _means(rows):
    return "  ".join(f"{np.mean(column):8.3f}" for column in zip(*rows))


def compare(work, components, delta, seeds, prices):
    train = np.load(work / "train.npy").astype(np.float64)
    test = np.load(work / "test.npy").astype(np.float64)
    labels = np.load(work / "labels.npy") if (work / "labels.npy").exists() else None
    plain = [GaussianMixture(components, covariance_type="diag", max_iter=100,
                             random_state=seed).fit(train) for seed in range(1, seeds + 1)]
    best = max(plain, key=lambda mixture: mixture.score(train)).predict(test)

    def row(density, groups):
        return (density, adjusted_rand_score(best, groups),
                adjusted_rand_score(labels, groups) if labels is not None else np.nan)

    print(f"{len(train)} vectors, {len(test)} scored; means of {seeds} seeds\n"
          f"{'':34}log density  Rand: fit  labels")
    print(f"{'scikit-learn, no privacy':34}",
          _means(row(m.score(test), m.predict(test)) for m in plain))
    means = [KMeans(components, n_init=1, random_state=seed).fit(train)
             for seed in range(1, seeds + 1)]
    print(f"{'k-means, no privacy':34}", _means(row(np.nan, m.predict(test)) for m in means))
    for price in prices:
        ours = []
        for seed in range(1, seeds + 1):
            found = json.loads((work / "logs" / f"at-{price}-{seed}.json").read_text())["vectors"]
            ours.append(row(np.mean([v["log_density"] for v in found]),
                            [v["component"] for v in found]))
        print(f"{f'epsilon {price}: topicwall':34}", _means(ours))
        mu = _gaussian_mu(float(price), delta)
        for iterations in _LLOYD_ITERATIONS:
            lloyd = []
            for seed in range(1, seeds + 1):
                centres, mixtures = _lloyd(train, components, iterations, mu, seed)
                density = max(_log_density(test, *mixture) for mixture in mixtures)
                lloyd.append(row(density, _nearest(test, centres)))
            print(f"{f'epsilon {price}: DPLloyd, {iterations} iterations':34}", _means(lloyd),
                  flush=True)


def main():
    work = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "make":
        make(work, pathlib.Path(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        compare(work, int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), sys.argv[6:])


if __name__ == "__main__":
    main()
