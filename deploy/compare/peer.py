"""A peer in a process of its own: loads everything, then does one measured run for each line of
its standard input, {"topics": file, "output": file}, and answers with a line of JSON.

  peer.py gensim infer --num-topics 50 --folder short
  peer.py sklearn epoch --num-topics 50 --folder short --batch-size 4096 --tau0 10 --kappa 0.7

infer: one E-step of sample.docword with sufficient statistics; where there is an "output", also
<output>.statistics.f32 of check.docword and <output>.gamma.f32 of observed.docword.
fixed-point: no run, only <output>.statistics.f32.
epoch: one pass of online variational Bayes over train.docword from the topics given;
<output>.lambda.f32 are the topics it ends with. Writing is not in the time.
Matrices are little-endian float32, one topic (of gamma: one document) a row.
Both peers compute in float32, their faster type, on one thread. Times are processor time.
"""

import argparse
import json
import os
import pathlib
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402: after the environment is set
import scipy.sparse  # noqa: E402
import threadpoolctl  # noqa: E402

import bag_of_words  # noqa: E402

_MAX_ITERATIONS = 100
_MEAN_CHANGE = 1e-3


class GensimPeer:
    """gensim.models.LdaModel; its E-step starts at random gamma."""

    def __init__(self, arguments, num_terms):
        import gensim

        self.version = gensim.__version__
        self._model_class = gensim.models.LdaModel
        self._arguments = arguments
        self._num_terms = num_terms

    @staticmethod
    def load(documents, num_terms):
        del num_terms
        return [[(term, float(count)) for term, count in document] for document in documents]

    def start_at(self, topics):
        flat = 1 / self._arguments.num_topics
        self.model = self._model_class(
            id2word={term: str(term) for term in range(self._num_terms)},
            num_topics=self._arguments.num_topics,
            alpha=[flat] * self._arguments.num_topics,
            eta=flat,
            chunksize=self._arguments.batch_size,
            decay=self._arguments.kappa,
            # Its first step is offset^-decay, everybody else's (tau0 + 1)^-kappa.
            offset=self._arguments.tau0 + 1,
            eval_every=None,
            iterations=_MAX_ITERATIONS,
            gamma_threshold=_MEAN_CHANGE,
            random_state=1,
            dtype=np.float32,
        )
        self.model.state.sstats[...] = topics - np.float32(flat)
        self.model.sync_state()

    def infer(self, documents):
        """(gamma, statistics) by the public LdaModel.inference."""
        return self.model.inference(documents, collect_sstats=True)

    def fit_one_pass(self, documents):
        self.model.update(documents)

    def topics(self):
        return self.model.state.get_lambda()


class SklearnPeer:
    """sklearn.decomposition.LatentDirichletAllocation; its E-step starts at gamma = 1 here."""

    dtype = np.float32
    max_iterations = _MAX_ITERATIONS
    mean_change = _MEAN_CHANGE

    def __init__(self, arguments, num_terms):
        import sklearn
        import sklearn.decomposition

        self.version = sklearn.__version__
        self._model_class = sklearn.decomposition.LatentDirichletAllocation
        self._arguments = arguments
        self._num_terms = num_terms

    def load(self, documents, num_terms):
        terms = np.array([t for document in documents for t, _ in document], dtype=np.int32)
        counts = np.array([c for document in documents for _, c in document], dtype=self.dtype)
        starts = np.cumsum([0] + [len(document) for document in documents]).astype(np.int32)
        return scipy.sparse.csr_matrix((counts, terms, starts), (len(documents), num_terms))

    def start_at(self, topics):
        from sklearn.decomposition._online_lda_fast import _dirichlet_expectation_2d

        self.model = self._model_class(
            n_components=self._arguments.num_topics,
            learning_method="online",
            learning_decay=self._arguments.kappa,
            learning_offset=self._arguments.tau0,
            batch_size=self._arguments.batch_size,
            total_samples=self._arguments.total_documents,
            mean_change_tol=self.mean_change,
            max_doc_update_iter=self.max_iterations,
            random_state=1,
        )
        # What a fit leaves, of the topics given; the priors are 1/K by default.
        self.model._init_latent_vars(self._num_terms, dtype=self.dtype)
        self.model.n_features_in_ = self._num_terms
        self.model.components_ = topics.astype(self.dtype)
        self.model.exp_dirichlet_component_ = np.exp(
            _dirichlet_expectation_2d(self.model.components_)
        )

    def infer(self, documents):
        """(gamma, statistics): what fit, partial_fit and transform run on each batch.

        transform itself collects no statistics; with random_init it would draw its start.
        """
        return self.model._e_step(documents, cal_sstats=True, random_init=False)

    def fit_one_pass(self, documents):
        self.model.partial_fit(documents)

    def topics(self):
        return self.model.components_


class FixedPointPeer(SklearnPeer):
    """The same in double precision, run until gamma hardly moves: what all engines aim at."""

    dtype = np.float64
    max_iterations = 5000
    mean_change = 1e-7


_PEERS = {"gensim": GensimPeer, "sklearn": SklearnPeer, "fixed-point": FixedPointPeer}


def _peak_kilobytes():
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def _read(arguments, peer, name):
    documents, num_terms = bag_of_words.read_docword(arguments.folder / f"{name}.docword")
    return peer.load(documents, num_terms)


def _write(path, matrix):
    np.ascontiguousarray(matrix, dtype="<f4").tofile(path)


def _answer(message):
    print(json.dumps(message), flush=True)


def _answer_runs(arguments, peer, run, write):
    """start_at, run(), write(output), for each line. Peak memory is that of the process so far."""
    started_at = None
    for line in sys.stdin:
        wanted = json.loads(line)
        if arguments.work == "epoch" or wanted["topics"] != started_at:
            topics = np.fromfile(wanted["topics"], dtype="<f4")
            peer.start_at(topics.reshape(arguments.num_topics, -1))
            started_at = wanted["topics"]
        cpu = time.process_time()
        run()
        seconds = time.process_time() - cpu
        peak_kilobytes = _peak_kilobytes()
        if wanted["output"]:
            write(pathlib.Path(wanted["output"]))
        _answer({"cpu_seconds": seconds, "peak_kilobytes": peak_kilobytes})


def _infer(arguments, peer):
    sample = _read(arguments, peer, "sample")

    def write(output):
        gamma, _ = peer.infer(_read(arguments, peer, "observed"))
        _write(output.with_suffix(".gamma.f32"), gamma)
        _, statistics = peer.infer(_read(arguments, peer, "check"))
        _write(output.with_suffix(".statistics.f32"), statistics)

    _answer_runs(arguments, peer, lambda: peer.infer(sample), write)


def _fixed_point(arguments, peer):
    def write(output):
        _, statistics = peer.infer(_read(arguments, peer, "check"))
        _write(output.with_suffix(".statistics.f32"), statistics)

    _answer_runs(arguments, peer, lambda: None, write)


def _epoch(arguments, peer):
    train = _read(arguments, peer, "train")

    def write(output):
        _write(output.with_suffix(".lambda.f32"), peer.topics())

    _answer_runs(arguments, peer, lambda: peer.fit_one_pass(train), write)


def _parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=sorted(_PEERS))
    parser.add_argument("work", choices=["infer", "epoch", "fixed-point"])
    parser.add_argument("--num-topics", type=int, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--tau0", type=float, default=10)
    parser.add_argument("--kappa", type=float, default=0.7)
    return parser.parse_args()


def main():
    arguments = _parse()
    about = json.loads((arguments.folder / "corpus.json").read_text())
    arguments.total_documents = about["documents"]
    peer = _PEERS[arguments.engine](arguments, about["num_terms"])
    pools = threadpoolctl.threadpool_info()
    blas = [pool["filepath"] for pool in pools if pool["user_api"] == "blas"]
    _answer({"version": peer.version, "numpy": np.__version__, "blas": blas})
    {"infer": _infer, "epoch": _epoch, "fixed-point": _fixed_point}[arguments.work](arguments, peer)


if __name__ == "__main__":
    main()
