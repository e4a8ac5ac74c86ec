"""A fitted model, read from its folder: no wall is asked, nothing leaves this machine."""

from __future__ import annotations

import html
import json
import numbers
import os
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse as sp

from topicwall import _topicwall
from topicwall._arguments import MOST_SEED, path_of, text_of, whole_number
from topicwall._counts import Documents, checked_counts, counted, matrix_of
from topicwall._fitted import Fitted
from topicwall._gaussians import GaussianMixture
from topicwall._mark import marked

__all__ = ["Model", "Perplexity", "Tree", "load"]

_SHOWN_WORDS = 8


def load(path: str | os.PathLike[str]) -> Any:
    """The model in a folder, as ``topicwall fit --model FOLDER`` left it.

    A :class:`Model`, or a :class:`GaussianMixture` of a corpus of vectors. Of a fit that is not
    finished, or was cancelled, it is what the releases so far say; a warning says so, and
    :attr:`Model.unfinished`.

    Parameters
    ----------
    path : folder of a fit

    Raises
    ------
    topicwall.Error
        If there is none, no release says anything of topics yet, or its file is damaged or of
        another version.
    """
    file = _topicwall.FittedModel.load(path_of(path))
    if file.remark:
        warnings.warn(file.remark, stacklevel=2)
    return GaussianMixture(file) if _topicwall.is_gaussian(file) else Model(file)


class Perplexity(NamedTuple):
    """How well a model predicts documents: natural base, lower is better, V for a fair coin."""

    #: Half of a document's words, under topics found from the other half.
    document_completion: float
    #: The same words under one distribution: what the topics must beat.
    unigram: float
    #: The paper's bound, of all words, each also seen: to hold beside the paper's figures, and of
    #: other fits, whose topics' prior is small, too large to say anything; None for a mixture.
    variational_bound: float | None
    #: All words of a document at once, of a mixture; None for topics.
    whole_documents: float | None
    #: Words scored by document_completion and unigram.
    tokens: int
    #: Documents with a known word.
    documents: int
    #: Documents without.
    empty_documents: int


@dataclass(frozen=True)
class Tree:
    """Which topics are near each other, by likeness of what they have beyond the corpus."""

    #: float64 (K - 1, 4), as scipy.cluster.hierarchy has it: leaf i is topic i + 1, and heights are
    #: 1 - likeness, 0 for equal topics, 1 for those without a common word; average linkage.
    linkage: npt.NDArray[np.float64]
    labels: tuple[str, ...]

    def __str__(self) -> str:
        """Indented text: the height at which each pair of branches joins, then its topics."""
        count = len(self.labels)
        if count == 1:
            return self.labels[0]
        lines: list[str] = []
        rest = [(2 * count - 2, 0)]
        while rest:
            node, depth = rest.pop()
            if node < count:
                lines.append("  " * depth + self.labels[node])
                continue
            left, right, height = self.linkage[node - count, :3]
            lines.append("  " * depth + f"{height:.2f}")
            rest += [(int(right), depth + 1), (int(left), depth + 1)]
        return "\n".join(lines)


class Model(Fitted):
    """Topics, with how far to believe them.

    Made by :func:`topicwall.load`, by a fit or by :meth:`LocalLDA.to_model`; never changed. A topic
    has the number of its row, from 1 in every table, text and argument; row k - 1 of every array
    and topic k - 1 of every export is topic k.

    A mixture (``topicwall fit --algorithm mixture``) has one topic a document: :meth:`assign` says
    which, :meth:`transform` how likely each is. As models of other libraries, whose documents have
    several, it is refused.

    Examples
    --------
    >>> import numpy as np, topicwall as tw
    >>> counts = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 1, 5], [0, 0, 4, 2]] * 20)
    >>> lda = tw.LocalLDA(n_components=2, random_state=1).fit(counts)
    >>> model = lda.to_model(["heart", "valve", "virus", "fever"])
    >>> model
    Model(2 topics, 4 words, algorithm no-privacy)
    >>> theta = model.transform(["heart and valve", "fever"])
    >>> theta.shape
    (2, 2)
    >>> bool(theta[0].argmax() != theta[1].argmax())
    True
    >>> sorted(model.topics(n=2).columns)
    ['high', 'lift', 'low', 'p', 'probability', 'rank', 'topic', 'word', 'z']
    """

    def __repr__(self) -> str:
        corpus = f" of {self.corpus}" if self.corpus else ""
        return (
            f"Model({self._mark}{self.components_.shape[0]} topics, {len(self.vocabulary)} words, "
            f"algorithm {self.algorithm}{corpus})"
        )

    def _repr_html_(self) -> str:
        rows = []
        words = self.topics(n=_SHOWN_WORDS).groupby("topic")["word"].agg(" ".join)
        for topic, quality in self.quality.iterrows():
            margin = quality["share_margin"]
            share = quality["share"]
            share = "not known" if share != share else f"{100 * share:.1f}"
            if margin == margin:
                share += f" &plusmn; {100 * margin:.1f}"
            again = quality["comes_again"]
            # Rounded down, as everywhere: 49.7 % is weak, and not the half that it would take.
            grade = "" if again != again else f"{np.floor(100 * again + 1e-9):.0f} %"
            text = html.escape(words.get(topic, ""))
            rows.append(f"<tr><td>{topic}</td><td>{share}</td><td>{grade}</td><td>{text}</td></tr>")
        head = "<tr><th>topic</th><th>share, %</th><th>comes again</th><th>words</th></tr>"
        title = html.escape(repr(self))
        return f"<p>{title}</p><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"

    # What it is.

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """V words, in the order of all columns."""
        return self._file.terms

    @property
    def components_(self) -> npt.NDArray[np.float32]:
        """lambda, in words: float32 (K, V), a read-only view of the file in memory.

        Row k divided by its sum is the mean distribution of topic k.
        """
        return self._file.components

    @property
    def noise_sd_(self) -> npt.NDArray[np.float32] | None:
        """Deviation of each word's own noise in its sum, in words: float32 (V,), read-only.

        The same for all topics; :attr:`topic_noise_sd_` is of the noise that a topic's words share. None if the model says nothing of its noise.
        """
        return self._file.noise_deviations

    @property
    def topic_noise_sd_(self) -> npt.NDArray[np.float32] | None:
        """Deviation of what noise along a topic, beside that of each word, adds to its sum, in
        words: float32 (K,), read-only.

        A word has its part of it, by its share of the topic. Fits of long documents (or owners)
        have it, which tell the sizes of topics less exactly and all else more. None if there is none, or the model says nothing of its noise.
        """
        return self._file.mass_deviations

    # What it says.

    def topics(self, n: int = 10, by: str = "relevance", relevance: float | None = None) -> Any:
        """The most typical words of each topic, heaviest topic first.

        Words that a topic has less of than the corpus are never among them, so that there may be
        fewer than n.

        Parameters
        ----------
        n : int, default 10
            Words of each topic.
        by : "relevance" or "probability", default "relevance"
        relevance : float in [0, 1], default 0.6
            Sievert and Shirley's lambda: 1 by probability, 0 by lift alone.

        Returns
        -------
        DataFrame with the columns
            topic, rank : from 1
            word
            p : probability of the word in the topic
            lift : p divided by the word's share of the corpus
            z : by how many deviations of its noise the word is above its share of the corpus
            probability : that it truly is above
            low, high : 95 % interval of the word's share of the topic, had its releases no noise:
                of the average of the releases, older ones among them; a fit that went on would have
                more. p is within, near its lower end: smoothing makes it smaller

        z and what follows are NaN where the model knows no noise; z and probability are of an only
        topic, too, which is the corpus, and whose words are by probability. With noise, the first call takes
        some microseconds for each of K x V entries.
        """
        if by not in ("relevance", "probability"):
            raise ValueError(f'by must be "relevance" or "probability"; got {by!r}.')
        weight = _topicwall.RELEVANCE if relevance is None else relevance
        if not isinstance(weight, numbers.Real) or not 0 <= weight <= 1:
            raise ValueError(f"relevance must be from 0 to 1; got {weight!r}.")
        n = whole_number(n, "n")
        columns = self._with_intervals.words(n, 1.0 if by == "probability" else weight)
        return self._worded(columns)

    @property
    def quality(self) -> Any:
        """Each topic's share and grade, heaviest first.

        DataFrame indexed by topic, with the columns share (of all words; of a mixture, of all
        documents; where the model knows no noise, of what lambda has beyond its prior), share_margin
        (95 %, by the noise and a drift of 13 % of the share, one deviation, as measured on public
        documents), document_topic_prior (alpha, in words), typical_words (a number; of several
        topics), comes_again (probability that a fit with other noise has the topic) and is_weak
        (below one half; None of fewer than 20 topics, of which more come again than is said). What
        the model does not know is NaN or None: shares, too, where all its sums together are no more
        than noise.
        """
        frame = pd.DataFrame(self._reading.topics()).set_index("topic")
        frame["typical_words"] = frame["typical_words"].astype("Int64")
        return marked(frame, self.is_mock)

    def find(self, word: str) -> Any:
        """The topics that have more of a word than the corpus has, largest lift first.

        DataFrame with the columns of :meth:`topics`; topicwall.Error for a word that is not in the
        vocabulary.
        """
        return self._worded(self._with_intervals.places(text_of(word, "word")))

    def match(self, other: Model) -> Any:
        """Which topic is which of another model's, the most alike pair first.

        Returns
        -------
        DataFrame with the columns
            topic, other_topic : from 1; NA beside a topic that is like none
            likeness : of what the two have beyond their corpora, 1 for the same; NaN beside NA
        """
        if not isinstance(other, Fitted):
            raise TypeError(f"other must be a model, as load returns it; got {other!r}.")
        # What is no model of topics says so here.
        theirs = (other._reading if isinstance(other, Model)
                  else _topicwall.Reading(other._file, False))
        pairs, _ = self._reading.match(theirs)
        rows: list[tuple[Any, Any, float]] = list(pairs)
        left = set(range(1, len(self.components_) + 1)) - {pair[0] for pair in pairs}
        right = set(range(1, len(other.components_) + 1)) - {pair[1] for pair in pairs}
        rows += [(topic, None, np.nan) for topic in sorted(left)]
        rows += [(None, topic, np.nan) for topic in sorted(right)]
        frame = pd.DataFrame(rows, columns=["topic", "other_topic", "likeness"])
        frame = frame.astype({"topic": "Int64", "other_topic": "Int64"})
        return marked(frame, self.is_mock or other.is_mock)

    def tree(self) -> Tree:
        """Topics that are alike, joined two by two. ``print(model.tree())`` shows it."""
        words = self.topics(n=4).groupby("topic")["word"].agg(" ".join)
        count = len(self.components_)
        labels = tuple(f"{k} {words.get(k, '')}".rstrip() for k in range(1, count + 1))
        return Tree(self._reading.tree(), labels)

    # What it makes of documents.

    def count(self, documents: Documents) -> sp.csr_matrix:
        """Counts of the model's words: int64 (n, V), sparse.

        Parameters
        ----------
        documents : texts, or a DataFrame
            Texts go through the model's tokenizer, other words are dropped. A DataFrame has a
            column of texts named ``text``, or columns of counts named by words. Sparse matrices and
            arrays (n, V) are taken as they are, here and wherever documents are asked for.
        """
        return matrix_of(documents, self._file)

    def transform(self, documents: Documents) -> npt.NDArray[np.float64]:
        """Of which topics documents are: ``topicwall transform``.

        Parameters
        ----------
        documents : n of them, as :meth:`count` takes them

        Returns
        -------
        float64 array (n, K), read-only
            Rows sum to 1: shares of topics, of a mixture how likely the document is of each. A
            document without a known word has what is expected of any.
        """
        return self._file.shares(counted(self.count(documents), "documents"))

    def assign(self, documents: Documents) -> pd.DataFrame:
        """Which topic of a mixture documents are of: ``topicwall topics --assign``.

        Parameters
        ----------
        documents : n of them, as :meth:`count` takes them

        Returns
        -------
        DataFrame with the columns
            topic : from 1; of a document without a known word the commonest
            probability : that it is of that one, as far as the model knows

        Raises
        ------
        topicwall.Error
            If the model is no mixture: its documents have a share of every topic.
        """
        columns = self._file.assign(counted(self.count(documents), "documents"))
        return marked(pd.DataFrame(dict(zip(("topic", "probability"), columns))), self.is_mock)

    def perplexity(self, documents: Documents, seed: int = 1) -> Perplexity:
        """How well it predicts documents, with a unigram beside it: ``topicwall perplexity``.

        Parameters
        ----------
        documents : as :meth:`count` takes them
        seed : int, default 1
            Of the split of each document's words.
        """
        rows = counted(self.count(documents), "documents")
        return Perplexity(**self._file.evaluate(rows, whole_number(seed, "seed", 0, MOST_SEED)))

    def coherence(self, documents: Documents, measure: str = "c_npmi", n: int = 10) -> Any:
        """Whether the words of a topic go together in documents of one's own.

        Parameters
        ----------
        documents : as :meth:`count` takes them
            Public ones, or the analyst's: the model's own are behind the wall.
        measure : "c_npmi" or "u_mass"
            Mean over pairs of the topic's words of their normalised pointwise mutual information
            (-1 to 1), or of ln of how often the later word comes with the earlier one (below 0).
            A pair comes together if it is in one document: gensim's numbers for a window that is
            longer than any document.
        n : int, default 10
            Words of each topic, by relevance.

        Returns
        -------
        Series (K,) indexed by topic; pairs with a word that is in no document are left out, and a
        topic without any other pair is NaN
        """
        from topicwall._coherence import MEASURES, coherence_of

        if measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}; got {measure!r}.")
        columns = {word: number for number, word in enumerate(self.vocabulary)}
        words = self.topics(n=n).groupby("topic")["word"]
        lists = {topic: [columns[word] for word in group] for topic, group in words}
        matrix = checked_counts(self.count(documents), "documents")
        if not matrix.shape[0]:
            raise ValueError("documents must be at least one; got none.")
        topics = range(1, len(self.components_) + 1)
        values = [coherence_of(matrix, lists.get(topic, []), measure) for topic in topics]
        return pd.Series(values, index=pd.Index(topics, name="topic"), name=measure)

    # What can be made of it.

    def merge(self, topics: Sequence[int]) -> Model:
        """A new model in which some topics are one.

        The merged topic stands where the first of them stood, and the others keep their order:
        merging 3 and 9 of 10 leaves 1 to 9, of which 9 was 10. alpha of the merged adds up, and what
        lambda has beyond eta (of a mixture also the weight). Of labels it has the first. Shares
        add up, margins with the noise of all of them, and other topics keep theirs (:attr:`quality`).
        What else the model said of its noise is of the topics that were released, and goes.

        Parameters
        ----------
        topics : two or more numbers, from 1
        """
        given = list(topics)
        count = len(self.components_)
        whole = all(isinstance(topic, numbers.Integral) for topic in given)
        chosen = sorted(set(given)) if whole else []
        if len(chosen) < 2 or chosen[0] < 1 or chosen[-1] > count:
            raise ValueError(f"topics must be two or more of 1 to {count}; got {given}.")
        return Model(self._file.merge([topic - 1 for topic in chosen]))

    def save(self, path: str | os.PathLike[str]) -> Model:
        """Writes it and its labels to a new folder, and returns the model there.

        topicwall.Error if a model is in the folder already.
        """
        return Model(self._file.save(path_of(path)))

    def to_gensim(self) -> Any:
        """A ``gensim.models.LdaModel`` that infers; ``get_topics()`` is this model's.

        Topic i of it is topic i + 1 here, id v of its dictionary is column v. alpha is this
        model's. Its inference takes E[log beta] where ours takes the mean topics' logarithm.
        """
        from topicwall._export import to_gensim

        return to_gensim(self.vocabulary, self._topics)

    def to_sklearn(self) -> Any:
        """A fitted ``sklearn.decomposition.LatentDirichletAllocation``; row i is topic i + 1.

        It infers mixtures from the mean topics, as :meth:`transform` does; of a document whose
        inference is slow to converge it may stop elsewhere. If it is fitted on, it takes E[log beta].

        scikit-learn knows one alpha for all topics: it gets the mean, and where ours differ a
        ``UserWarning`` says so, for mixtures of documents are then others than ours.
        """
        from topicwall._export import to_sklearn

        return to_sklearn(self._topics)

    def to_pyldavis(self, documents: Documents | None = None) -> dict[str, Any]:
        """What ``pyLDAvis.prepare(**model.to_pyldavis())`` takes: ``topicwall export --to pyldavis``.

        Parameters
        ----------
        documents : as :meth:`count` takes them; those without a known word are left out
            None: K made-up documents, each all of one topic and as long as the topic is large, and
            words as frequent as in the corpus that the model knows.

        Returns
        -------
        dict of topic_term_dists (K, V), doc_topic_dists (n, K), doc_lengths (n,), vocab (V,),
        term_frequency (V,) and sort_topics, False: pyLDAvis numbers topics by their size otherwise.
        Rows of both dists sum to 1.
        """
        prepared: dict[str, Any] = json.loads(self._reading.export("pyldavis"))
        if documents is not None:
            matrix = checked_counts(self.count(documents), "documents").astype(np.int64)
            matrix = matrix[np.asarray(matrix.sum(axis=1)).ravel() > 0]
            if not matrix.shape[0]:
                raise ValueError("no document has a word that the model knows.")
            prepared["doc_topic_dists"] = self.transform(matrix)
            prepared["doc_lengths"] = matrix.sum(axis=1)
            prepared["term_frequency"] = matrix.sum(axis=0)
        for name in ("topic_term_dists", "doc_topic_dists"):
            prepared[name] = np.asarray(prepared[name])
        for name in ("doc_lengths", "term_frequency"):
            prepared[name] = np.asarray(prepared[name]).ravel()
        return prepared

    # Read once.

    @cached_property
    def _reading(self) -> _topicwall.Reading:
        return _topicwall.Reading(self._file, False)

    @cached_property
    def _with_intervals(self) -> _topicwall.Reading:
        return _topicwall.Reading(self._file, True)

    @cached_property
    def _released(self) -> _topicwall.Topics:
        return self._file.released_topics

    @property
    def _topics(self) -> _topicwall.Topics:
        self._file.check_is_of_topics()
        return self._released

    def _worded(self, columns: dict[str, npt.NDArray[Any]]) -> Any:
        words = [self.vocabulary[term] for term in columns.pop("term")]
        frame = pd.DataFrame(columns)
        frame.insert(2, "word", words)
        return marked(frame, self.is_mock)
