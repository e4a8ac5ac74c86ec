"""What may be given as documents, and the sparse counts that become of it.

One word list, n documents: a matrix n x V whose entry (d, v) is how often word v is in document d.
Counts are whole numbers, because that is what the trainer and the wall count.
"""

from __future__ import annotations

import warnings
from typing import Any, Iterable, Sequence, Union

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from topicwall import _topicwall
from topicwall._arguments import check_all_unicode, check_unmasked, real_array

#: Texts (each a str), or counts: a SciPy sparse matrix, an array, or a DataFrame.
Documents = Union["Iterable[str]", "npt.ArrayLike", Any]

_MOST = 2**32 - 1
_WIDE: dict[str, type] = {"u": np.int64, "i": np.int64, "b": np.int64, "f": np.float64}


def whole(values: npt.NDArray[Any], name: str) -> npt.NDArray[np.uint32]:
    """Counts as uint32.

    Negative, infinite and larger ones than 2**32 - 1 are a ValueError. Fractions are rounded to
    the nearest whole number (halves to the even one), and a warning says how many.
    """
    if values.dtype.kind not in "uifb":
        raise ValueError(f"{name} must be numbers; got dtype {values.dtype}.")
    if values.dtype == np.uint32:
        return values
    if values.size and not (values.min() >= 0 and values.max() <= _MOST):
        raise ValueError(
            f"Negative values in data passed to {name}, or counts above 2**32 - 1 or not finite: "
            "a count of words is a whole number from 0."
        )
    if values.dtype.kind != "f":
        return values.astype(np.uint32)
    rounded: npt.NDArray[Any] = np.rint(values)
    fractions = int(np.count_nonzero(rounded != values))
    if fractions:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            f"{name}: {fractions} of {values.size} counts are no whole numbers and were rounded. "
            "Give counts of words (CountVectorizer), not weights (TfidfVectorizer).",
            DataConversionWarning,
            stacklevel=5,
        )
    return rounded.astype(np.uint32)


def summed(matrix: Any) -> sp.csr_matrix:
    """A matrix by rows, each entry stored once.

    The matrix is left as it is. What is stored in several parts is added up in 64 bits: the sum may
    be more than the matrix's own type holds.
    """
    if sp.issparse(matrix) and not (matrix.format == "csr" and matrix.has_canonical_format):
        data = getattr(matrix, "data", np.empty(0, dtype=object))  # a format without has no parts
        if data.dtype.kind in _WIDE:
            matrix = matrix.copy()
            # Not matrix.astype, which adds up before it converts.
            matrix.data = data.astype(_WIDE[data.dtype.kind])
    rows = sp.csr_matrix(matrix)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def checked_counts(matrix: Any, name: str = "X") -> sp.csr_matrix:
    """Counts n x V as uint32, sparse, without zeros, whatever whole() takes.

    The matrix is left as it is. Costs one pass over its entries; what is out of order, stored twice
    or zero costs a copy more.
    """
    rows = summed(matrix)
    counts = whole(rows.data, name)
    rows = sp.csr_matrix((counts, rows.indices, rows.indptr), shape=rows.shape)
    if counts.size and not counts.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def counted(matrix: Any, name: str = "X") -> _topicwall.Documents:
    """Documents of a sparse matrix n x V, as checked_counts() takes it."""
    rows = checked_counts(matrix, name)
    return _topicwall.Documents(
        np.ascontiguousarray(rows.indptr, dtype=np.int64),
        np.ascontiguousarray(rows.indices, dtype=np.int32),
        np.ascontiguousarray(rows.data),
        rows.shape[1],
    )


def matrix_of(documents: Documents, model: _topicwall.FittedModel) -> sp.csr_matrix:
    """Counts n x V over a model's words.

    Texts go through the model's own tokenizer. A DataFrame has a column of texts named ``text``,
    or a column of counts for each of some words; columns of other words are an error. Arrays and
    sparse matrices have the model's V columns, in its order.
    """
    if isinstance(documents, str):
        raise TypeError("documents must be several texts; got one str. Give [text].")
    if hasattr(documents, "columns") and hasattr(documents, "iloc"):
        return _of_frame(documents, model)
    num_terms = model.components.shape[1]
    if sp.issparse(documents):
        matrix = summed(documents)
    else:
        check_unmasked(documents, "documents")
        given = documents if hasattr(documents, "__array__") else _listed(documents)
        texts = _texts_of(given)
        if texts is not None:
            return _of_texts(texts, model)
        matrix = sp.csr_matrix(np.atleast_2d(real_array(given, "counts")))
    if matrix.shape[1] != num_terms:
        raise ValueError(
            f"counts must have the model's {num_terms} columns, in the order of its vocabulary; "
            f"got {matrix.shape[1]}. Give texts, or a DataFrame with words as columns."
        )
    return matrix


def _listed(documents: Any) -> list[Any]:
    """Rows or texts, also of what can be gone through once."""
    try:
        return list(documents)
    except TypeError:
        raise TypeError(f"documents must be texts or counts, n of them; got {documents!r}.") from None


def _texts_of(documents: Any) -> Sequence[str] | None:
    if isinstance(documents, np.ndarray) and documents.dtype.kind not in "OU":
        return None
    texts = list(documents)
    if any(isinstance(text, str) for text in texts) or not texts:
        return _checked(texts)
    return None


def _checked(texts: Sequence[Any]) -> Sequence[str]:
    others = sum(not isinstance(text, str) for text in texts)
    if others:
        raise TypeError(f"all texts must be str; {others} of {len(texts)} are not.")
    return texts


def _of_texts(texts: Sequence[str], model: _topicwall.FittedModel) -> sp.csr_matrix:
    check_all_unicode(texts, "documents")
    indptr, indices, data = model.count(list(texts))
    shape = (len(texts), model.components.shape[1])
    return sp.csr_matrix((data, indices, indptr), shape=shape)


def _of_frame(frame: Any, model: _topicwall.FittedModel) -> sp.csr_matrix:
    if "text" in frame.columns and frame["text"].dtype.kind == "O":
        return _of_texts(_checked(list(frame["text"])), model)
    numbers = {word: number for number, word in enumerate(model.terms)}
    unknown = [column for column in frame.columns if column not in numbers]
    if unknown:
        raise ValueError(
            f"columns must be words of the model; {len(unknown)} are not, the first {unknown[0]!r}. "
            "Leave them out, or give texts in a column named text."
        )
    columns = np.array([numbers[column] for column in frame.columns], dtype=np.int64)
    given = sp.coo_matrix(_numbers_of(frame))
    shape = (len(frame), len(numbers))
    return summed(sp.coo_matrix((given.data, (given.row, columns[given.col])), shape=shape))


def _numbers_of(frame: Any) -> npt.NDArray[Any]:
    """The numbers of a DataFrame, also where its columns are of types that know what is missing."""
    values: npt.NDArray[Any] = frame.to_numpy()
    if values.dtype != object:
        return values
    if frame.isna().any(axis=None):
        raise ValueError("counts must not be missing: fill in 0 where there is none (fillna(0)).")
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise ValueError("columns named by words must be numbers; some are not.")
