"""Measures one pass of a mixture of Gaussians over vectors, ours against scikit-learn's.

The vectors are made of Debian's package descriptions: tf-idf, its first singular vectors, norm 1.
scikit-learn's GaussianMixture (diagonal) finds the components; then both take the same ones, in
turns on one core and one thread. A pass of scikit-learn is a step of its fit: its E-step and its
M-step, which adds up what our sums are. Prints a Markdown table; a ratio is the median over the
rounds.
"""

import functools
import json
import os
import statistics
import time
import warnings

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402: after the environment is set
from sklearn.decomposition import TruncatedSVD  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: E402
from sklearn.mixture import GaussianMixture  # noqa: E402

import mixture_pass  # noqa: E402

_STEPS = 10


def _vectors(documents, dimension):
    with documents.open(encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    counts = TfidfVectorizer(min_df=5, max_df=0.2).fit_transform(texts)
    vectors = TruncatedSVD(dimension, random_state=1).fit_transform(counts)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    # Beside the rounding to float32: a vector that is longer than 1 counts for nothing.
    return ((1 - 1e-6) / np.maximum(norms, 1e-9) * vectors).astype(np.float32)


def _fitted(vectors, components, steps, begin=None):
    model = GaussianMixture(
        components, covariance_type="diag", max_iter=steps, tol=0, reg_covar=1e-4, random_state=1,
        init_params="random_from_data", **(begin or {}),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so many steps, and no more
        return model.fit(vectors)


def _seconds(vectors, components, begin):
    """Of one step. A fit of n steps infers once more at its end, which is not in the time."""
    times = {}
    for steps in (1, 1 + _STEPS):
        start = time.process_time()
        _fitted(vectors, components, steps, begin)
        times[steps] = time.process_time() - start
    return (times[1 + _STEPS] - times[1]) / _STEPS


def _parameters(model):
    """K×(2d + 1): log π, means, precisions (model/gaussian/gaussian_model.h)."""
    return np.concatenate(
        [np.log(model.weights_)[:, None], model.means_, model.precisions_], axis=1
    )


def _sums(model, vectors):
    """What the statistic is: of each component's shares r the sums of r, r·x and r·x²."""
    exact = vectors.astype(np.float64)
    shares = model.predict_proba(exact)
    return np.concatenate([shares.sum(axis=0)[None], exact.T @ shares, (exact**2).T @ shares])


def _ours(programs, folder, dimension, kernel, *options):
    command = [programs / "gaussian_vectors_per_second", "--kernel", kernel]
    command += ["--vectors", folder / "vectors.f32", "--parameters", folder / "parameters.f32"]
    command += ["--dimension", dimension, *options]
    return mixture_pass.figures_of(command)["mean_cpu_seconds"]


def measure(arguments):
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    vectors = _vectors(arguments.documents, arguments.dimension)
    model = _fitted(vectors.astype(np.float64), arguments.num_components, 20)
    vectors.astype("<f4").tofile(folder / "vectors.f32")
    _parameters(model).astype("<f4").tofile(folder / "parameters.f32")
    begin = {
        "weights_init": model.weights_, "means_init": model.means_,
        "precisions_init": model.precisions_,
    }
    listed = mixture_pass.kernels(arguments.programs)
    ours = functools.partial(_ours, arguments.programs, folder, arguments.dimension)
    mixture_pass.check_sums(listed, folder, ours, _sums(model, vectors), "scikit-learn")
    runs = mixture_pass.in_turns("Gaussians", arguments.rounds, {
        "scikit-learn": lambda: _seconds(vectors, arguments.num_components, begin),
        **{kernel: functools.partial(ours, kernel) for kernel in listed},
    })
    return {
        "vectors": len(vectors), "dimension": arguments.dimension,
        "num_components": arguments.num_components, "cpu_seconds": runs,
    }


def _markdown(measured):
    runs = measured["cpu_seconds"]
    lines = [
        f"One pass of a mixture of Gaussians, {measured['vectors']:,} vectors of "
        f"{measured['dimension']} numbers, K = {measured['num_components']}:",
        "",
        "| engine | µs a vector | to scikit-learn |",
        "|---|---|---|",
    ]
    for name, seconds in runs.items():
        peer = name == "scikit-learn"
        ratio = mixture_pass.times_as_fast(runs, name, "scikit-learn")
        micros = statistics.median(seconds) / measured["vectors"] * 1e6
        label = name if peer else f"topicwall {name}"
        lines.append(f"| {label} | {micros:.3f} | {'–' if peer else f'{ratio:.1f}×'} |")
    return "\n".join(lines)


if __name__ == "__main__":
    mixture_pass.run(__doc__, [("--dimension", {"type": int, "default": 64})], measure, _markdown)
