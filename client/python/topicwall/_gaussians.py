"""A fitted mixture of Gaussians, for corpora of vectors."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from topicwall import _topicwall
from topicwall._arguments import real_array
from topicwall._fitted import Fitted
from topicwall._mark import marked

__all__ = ["GaussianMixture"]


class GaussianMixture(Fitted):
    """Components of vectors (``topicwall fit --algorithm gaussian``), diagonal covariances.

    Made by :func:`topicwall.load` or a fit; never changed. A component has the number of its row,
    from 1 in every table; row k - 1 of every array is component k. Vectors are given as those of
    the corpus; longer ones than its norm bound are scaled to it, as behind the wall.
    """

    def __repr__(self) -> str:
        count, dimension = self.means_.shape
        return f"GaussianMixture({self._mark}{count} components, {dimension} dimensions, of {self.corpus})"

    @cached_property
    def _components(self) -> tuple[npt.NDArray[np.float64], ...]:
        return _topicwall.gaussian_components(self._file)

    @property
    def weights_(self) -> npt.NDArray[np.float64]:
        """Shares of all vectors: (K,), sum 1, read-only."""
        return self._components[0]

    @property
    def weight_margins(self) -> npt.NDArray[np.float64]:
        """Half the width of the 95 % interval of each weight, by the noise alone: (K,), read-only.

        Another fit may divide the vectors otherwise.
        NaN where all counts together are no more than noise, or noise made all components one,
        and no weight is known.
        """
        return self._components[3]

    @property
    def means_(self) -> npt.NDArray[np.float64]:
        """(K, d), read-only, in the units of the vectors."""
        return self._components[1]

    @property
    def deviations_(self) -> npt.NDArray[np.float64]:
        """Standard deviations: (K, d), read-only, in the units of the vectors."""
        return self._components[2]

    @property
    def norm_bound(self) -> float:
        """B, the norm at most that a vector of the corpus has."""
        return float(self._components[4])

    def assign(self, vectors: npt.ArrayLike) -> pd.DataFrame:
        """Of which component vectors of one's own most likely are: ``topicwall topics --assign``.

        Parameters
        ----------
        vectors : array (n, d)

        Returns
        -------
        DataFrame with the columns
            component : from 1
            probability : that it is of that one, as far as the model knows
            log_density : natural base, in units of the norm bound
        """
        rows = np.asarray(real_array(vectors, "vectors"), dtype=np.float64)
        columns = _topicwall.assign_vectors(self._file, rows)
        frame = pd.DataFrame(dict(zip(("component", "probability", "log_density"), columns)))
        return marked(frame, self.is_mock)

    def score(self, vectors: npt.ArrayLike) -> float:
        """Mean log density of vectors (n, d), as :meth:`assign` has it; higher is better."""
        rows = real_array(vectors, "vectors")
        if not rows.size:
            raise ValueError("vectors must be at least one; got none.")
        return float(self.assign(rows)["log_density"].mean())

    def to_sklearn(self) -> Any:
        """A fitted ``sklearn.mixture.GaussianMixture`` of diagonal covariances; row i is component
        i + 1.

        It is in the units of the vectors: its score is :meth:`score` less ``d * log(norm_bound)``,
        of vectors that are not longer than the bound. Longer ones it does not scale.
        """
        from topicwall._export import gaussians_to_sklearn

        return gaussians_to_sklearn(self.weights_, self.means_, self.deviations_)
