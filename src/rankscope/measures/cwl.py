"""Measures of the C/W/L framework, each defined by the probability that a reader continues after each rank."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.gain import gain_linear
from rankscope.measures.base import Measure, is_int, is_number, require
from rankscope.measures.cascade import max_grade_of
from rankscope.measures.cutoffs import within
from rankscope.typing import Floats

__all__ = [
    "BPM",
    "CWL",
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "SDCG",
]


#: Most cells (query, rank) of a table of gains, so that it stays in the processor's cache.
MAX_CELLS = 1 << 17
#: Default number of ranks, as in cwl_eval.
DEFAULT_DEPTH = 1000
#: Most ranks: every query takes a row of this length.
MAX_DEPTH = 10**6


@dataclass(frozen=True, kw_only=True)
class CWL(Measure):
    """What a reader gains on average from each document read: base of the measures of the C/W/L framework.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.

    Raises
    ------
    ParameterError
        A grade is above gmax.

    Notes
    -----
    A measure says how likely a reader continues from rank i, C_i. So a rank is reached with probability C_1 ...
    C_{i-1}, and its weight W_i is that divided by the sum over all ranks; the value is the sum of W_i g_i. A cutoff
    ends the list, too. 0 if nothing is retrieved, or nothing with gain.

    References
    ----------
    Moffat, Thomas and Scholer (2013); Moffat, Bailey, Scholer and Thomas (2017). All measures here agree with cwl_eval
    1.0.12 as ir_measures 0.4.3 calls it (there gmin and gmax are min_rel and max_rel).
    """

    gmin: float = 0
    gmax: float | None = None
    depth: int | None = None

    @abstractmethod
    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        """(queries, ranks), or (ranks) for all queries: how likely the reader goes on from each rank."""

    def check(self) -> None:
        require(is_number(self.gmin) and self.gmin >= 0, self, "gmin", self.gmin, "a number, 0 or above")
        if self.gmax is not None:
            valid = is_number(self.gmax) and self.gmin < self.gmax
            require(valid, self, "gmax", self.gmax, f"a number above gmin, which is {self.gmin}")
        if self.depth is not None:
            valid = is_int(self.depth) and 1 <= self.depth <= MAX_DEPTH
            require(valid, self, "depth", self.depth, f"a whole number from 1 to {MAX_DEPTH}")
        valid = self.ranks_read() <= MAX_DEPTH
        require(valid, self, "cutoff", self.ranks_read(), f"at most {MAX_DEPTH}: each rank has its own probability")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = {**super().settings(hits), "depth": str(self.ranks_read())}
        return {**settings, "gmax": str(self.highest(hits))} if hits is not None else settings

    def level(self, hits: Hits) -> float:
        if hits.least_gain == 1:  # whole grades: the next one, or the first above a fraction
            return int(self.gmin) + 1
        return max(float(np.nextafter(self.gmin, np.inf)), hits.least_gain)

    def used(self, hits: Hits) -> Floats:
        return hits.sum(within(hits, self.ranks_read(), hits.relevant(self.level(hits))))

    def ranks_read(self) -> int:
        """How many ranks can be reached."""
        cutoff: int | None = getattr(self, "cutoff", None)
        if self.depth is None:
            return cutoff or DEFAULT_DEPTH
        return min(self.depth, cutoff or self.depth)

    def highest(self, hits: Hits) -> float:
        """The grade of gain 1; above gmin also where nothing is judged higher."""
        return max(max_grade_of(self.gmax, self, hits), self.gmin + 1)

    def values(self, hits: Hits) -> Floats:
        n_queries, n_ranks = len(hits), self.ranks_read()
        gains = gain_linear(hits.relevance - self.gmin) / (self.highest(hits) - self.gmin)
        rows = np.flatnonzero(hits.rank <= n_ranks)
        query, rank_index, gains = hits.query[rows], hits.rank[rows].astype(np.int64) - 1, gains[rows]
        values = np.empty(n_queries)
        block_size = max(MAX_CELLS // n_ranks, 1)
        for first_query in range(0, n_queries, block_size):
            end_query = min(first_query + block_size, n_queries)
            block = slice(*np.searchsorted(query, [first_query, end_query]))
            gain_table = np.zeros((end_query - first_query, n_ranks))
            gain_table[query[block] - first_query, rank_index[block]] = gains[block]
            values[first_query:end_query] = self.expected_gain(gain_table)
        return values

    def fixed_contributions(self, hits: Hits) -> Floats:
        """(hits) as `contributions`, where the gains do not change how likely the reader continues."""
        n_ranks = self.ranks_read()
        ranks = np.arange(1.0, n_ranks + 1)
        reach_probability = np.cumprod(np.append(1.0, self.continuation_probability(ranks, np.zeros(n_ranks))[:-1]))
        gains = gain_linear(hits.relevance - self.gmin) / (self.highest(hits) - self.gmin)
        rank_weights = np.append(reach_probability / reach_probability.sum(), 0.0)
        return np.asarray(gains * rank_weights[np.minimum(hits.rank, n_ranks + 1).astype(np.int64) - 1])

    def expected_gain(self, gain: Floats) -> Floats:
        """(queries) the gain expected of a document read, of gains (queries, ranks)."""
        continuation = self.continuation_probability(np.arange(1.0, gain.shape[1] + 1), gain)
        reach_probability = np.ones(continuation.shape)
        np.cumprod(continuation[..., :-1], axis=-1, out=reach_probability[..., 1:])  # nobody goes on from the last rank
        return np.asarray((reach_probability * gain).sum(axis=-1) / reach_probability.sum(axis=-1))


@dataclass(frozen=True, kw_only=True)
class CutCWL(CWL):
    """Base of measures whose reader stops at rank k at the latest.

    Parameters
    ----------
    cutoff
        Number k of documents that are read.
    """

    cutoff: int


@dataclass(frozen=True, kw_only=True)
class SDCG(CutCWL):
    """Scaled DCG: DCG divided by that of k documents of the highest grade; in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    cutoff
        Number k of documents that are read.

    Notes
    -----
    C_i = log2(i + 1) / log2(i + 2), so that W_i falls as 1 / log2(i + 1) for the first k. Unlike nDCG it does not ask
    how many relevant documents there are. W_i is the probability of reaching rank i, C_1 ... C_(i-1), divided by its
    sum over all ranks, and the value is the sum of W_i g_i.

    References
    ----------
    Järvelin and Kekäläinen (2002); Moffat et al. (2013); agrees with cwl_eval 1.0.12.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    >>> scores = rs.evaluate(qrels, run, ["SDCG@3", "INST(T=2.0)", "BPM@3"])
    >>> {name: round(scores.overall(name), 4) for name in scores.measure_names}
    {'SDCG@3': 0.4134, 'INST(T=2.0)': 0.2286, 'BPM@3': 0.5}
    """

    name: ClassVar[str] = "SDCG"
    source: ClassVar[str] = "Järvelin and Kekäläinen (2002); Moffat et al. (2013); agrees with cwl_eval 1.0.12"

    def best_grade(self, hits: Hits) -> float:
        return self.highest(hits)

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return np.asarray(np.log2(rank + 1) / np.log2(rank + 2))

    def contributions(self, hits: Hits) -> Floats:
        return self.fixed_contributions(hits)


@dataclass(frozen=True, kw_only=True)
class BPM(CutCWL):
    """Bejeweled player model: the mean gain down to where T is gained, or to rank k; in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    cutoff
        Number k of documents that are read.
    T
        Gain that the reader wants.

    Notes
    -----
    C_i = 1 while the gains of the first i are below T, else 0: the static form. Gains are added up in float64, as in
    cwl_eval: ten times 1/10 is a little less than 1. W_i is the probability of reaching rank i, C_1 ... C_(i-1),
    divided by its sum over all ranks, and the value is the sum of W_i g_i.

    References
    ----------
    Zhang et al. (2017), static; agrees with cwl_eval 1.0.12.
    """

    name: ClassVar[str] = "BPM"
    source: ClassVar[str] = "Zhang et al. (2017), static; agrees with cwl_eval 1.0.12"
    T: float = 1.0

    def check(self) -> None:
        super().check()
        require_target(self, self.T)

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return (np.cumsum(gain, axis=-1) < self.T).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class INSQ(CWL):
    """What a reader gains who wants T documents' worth, whatever was found; in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    T
        Gain that the reader wants.

    Notes
    -----
    C_i = ((i + 2T - 1) / (i + 2T))^2, so that W_i falls as 1 / (i + 2T - 1)^2. W_i is the probability of reaching rank
    i, C_1 ... C_(i-1), divided by its sum over all ranks, and the value is the sum of W_i g_i.

    References
    ----------
    Moffat, Scholer and Thomas (2012); agrees with cwl_eval 1.0.12.
    """

    name: ClassVar[str] = "INSQ"
    source: ClassVar[str] = "Moffat, Scholer and Thomas (2012); agrees with cwl_eval 1.0.12"
    T: float = 1.0

    def check(self) -> None:
        super().check()
        require_target(self, self.T)

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return inverse_square_continuation(rank + 2 * self.T)

    def contributions(self, hits: Hits) -> Floats:
        return self.fixed_contributions(hits)

    def best_grade(self, hits: Hits) -> float:
        return self.highest(hits)


@dataclass(frozen=True, kw_only=True)
class INST(CWL):
    """INSQ of a reader who, having gained something, wants that much less; in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    T
        Gain that the reader wants, at least 1/4.

    Notes
    -----
    C_i = ((i + T + T_i - 1) / (i + T + T_i))^2, with T_i = T less the gains of the first i, which is negative for a
    reader who has more than wanted. As no gain is above 1, i + T + T_i is at least 2T: never 0, and with T of at least
    1/4 no C_i is above 1. cwl_eval takes any T. W_i is the probability of reaching rank i, C_1 ... C_(i-1), divided by
    its sum over all ranks, and the value is the sum of W_i g_i.

    References
    ----------
    Moffat et al. (2015); Bailey et al. (2015); agrees with cwl_eval 1.0.12.
    """

    name: ClassVar[str] = "INST"
    source: ClassVar[str] = "Moffat et al. (2015); Bailey et al. (2015); agrees with cwl_eval 1.0.12"
    T: float = 1.0

    def check(self) -> None:
        super().check()
        valid = is_number(self.T) and self.T >= 0.25
        require(valid, self, "T", self.T, "a number of at least 0.25 (below, going on could be more than certain)")

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return inverse_square_continuation(rank + self.T + (self.T - np.cumsum(gain, axis=-1)))


@dataclass(frozen=True, kw_only=True)
class NERR8(CutCWL):
    """What a reader gains whom only gain stops, down to rank k; in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    cutoff
        Number k of documents that are read.

    Notes
    -----
    C_i = 1 - g_i: ERR's reader, whose gain is counted per document read. W_i is the probability of reaching rank i, C_1
    ... C_(i-1), divided by its sum over all ranks, and the value is the sum of W_i g_i.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), eq. 8; agrees with cwl_eval 1.0.12.
    """

    name: ClassVar[str] = "NERR8"
    source: ClassVar[str] = "Azzopardi, Mackenzie and Moffat (2021), eq. 8; agrees with cwl_eval 1.0.12"

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return np.asarray(1 - gain)


@dataclass(frozen=True, kw_only=True)
class NERR9(CutCWL):
    """What a reader gains whom gain stops, and rank i with 1 / (i + 1); in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    cutoff
        Number k of documents that are read.

    Notes
    -----
    C_i = i / (i + 1) (1 - g_i), down to rank k. W_i is the probability of reaching rank i, C_1 ... C_(i-1), divided by
    its sum over all ranks, and the value is the sum of W_i g_i.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), eq. 9; agrees with cwl_eval 1.0.12.
    """

    name: ClassVar[str] = "NERR9"
    source: ClassVar[str] = "Azzopardi, Mackenzie and Moffat (2021), eq. 9; agrees with cwl_eval 1.0.12"

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return np.asarray(rank / (rank + 1) * (1 - gain))


@dataclass(frozen=True, kw_only=True)
class NERR10(CWL):
    """What a reader gains whom gain stops, and every document with 1 - p, as RBP's; in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    p
        Probability of continuing after a document without gain.

    Notes
    -----
    C_i = p (1 - g_i). W_i is the probability of reaching rank i, C_1 ... C_(i-1), divided by its sum over all ranks,
    and the value is the sum of W_i g_i.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), eq. 10; agrees with cwl_eval 1.0.12.
    """

    name: ClassVar[str] = "NERR10"
    source: ClassVar[str] = "Azzopardi, Mackenzie and Moffat (2021), eq. 10; agrees with cwl_eval 1.0.12"
    p: float = 0.9

    def check(self) -> None:
        super().check()
        require(isinstance(self.p, float) and 0 < self.p < 1, self, "p", self.p, "a persistence between 0 and 1")

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return np.asarray(self.p * (1 - gain))


@dataclass(frozen=True, kw_only=True)
class NERR11(CWL):
    """What a reader gains whom gain stops, and ranks as INSQ's; in [0, 1], higher is better.

    Parameters
    ----------
    gmin
        Grade of gain 0; lower grades gain 0, too, as unjudged documents do.
    gmax
        Grade of gain 1; gains of the grades between lie on a line. Default: the highest grade in the whole qrels.
    depth
        Number of ranks: a shorter list is filled up with gain 0, and documents further down are ignored. Default: 1000,
        or the cutoff if that is deeper.
    T
        Gain that the reader wants.

    Notes
    -----
    C_i = ((i + 2T - 1) / (i + 2T))^2 (1 - g_i). W_i is the probability of reaching rank i, C_1 ... C_(i-1), divided by
    its sum over all ranks, and the value is the sum of W_i g_i.

    References
    ----------
    Azzopardi, Mackenzie and Moffat (2021), eq. 11; agrees with cwl_eval 1.0.12.
    """

    name: ClassVar[str] = "NERR11"
    source: ClassVar[str] = "Azzopardi, Mackenzie and Moffat (2021), eq. 11; agrees with cwl_eval 1.0.12"
    T: float = 1.0

    def check(self) -> None:
        super().check()
        require_target(self, self.T)

    def continuation_probability(self, rank: Floats, gain: Floats) -> Floats:
        return np.asarray(inverse_square_continuation(rank + 2 * self.T) * (1 - gain))


def inverse_square_continuation(x: Floats) -> Floats:
    """The continuation probability ((x - 1) / x)^2 of INSQ and INST."""
    return np.asarray(((x - 1) / x) ** 2)


def require_target(measure: Measure, target: float) -> None:
    require(is_number(target) and target > 0, measure, "T", target, "a number above 0")
