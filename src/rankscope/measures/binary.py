"""Measures of binary relevance: precision, recall, F, success, average precision, reciprocal rank, AUC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.data.hit_pairs import HitPairs
from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.segments import sum_by_group
from rankscope.measures.average_ties import rank_of_first, tie_groups
from rankscope.measures.base import Binary, Summary, is_int, is_number, ratio, require
from rankscope.measures.cutoffs import depends_on_list, reciprocal_ranks, within
from rankscope.measures.rank_scale import ScaledRanks
from rankscope.measures.shapley_values import first_rank_shapley, precision_sum_shapley
from rankscope.measures.swap_deltas import precision_sum_changes, reciprocal_rank_changes, sum_changes
from rankscope.typing import Floats, Ints

__all__ = [
    "AP",
    "AUC",
    "GMAP",
    "RR",
    "F",
    "P",
    "R",
    "RelP",
    "Rprec",
    "Success",
]


def share_within(hits: Hits, cutoff: int | Floats | None, rel: float | None, divisor: int | Floats | None) -> Floats:
    """(hits) 1 / divisor for relevant hits within the cutoff, else 0. divisor: one for all, or (queries)."""
    relevant_within = within(hits, cutoff, hits.relevant(rel)).astype(np.float64)
    if isinstance(divisor, np.ndarray):
        return ratio(relevant_within, divisor[hits.query])
    return relevant_within / (divisor or 1)


@dataclass(frozen=True, kw_only=True)
class P(ScaledRanks, Binary):
    """Precision: the share of relevant documents in the first k; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    short
        A list that ends before the cutoff counts as "filled" up with documents that are not relevant, or as "listed":
        the share of those that it has.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".

    Notes
    -----
    With a scale, more than k documents within it count as k. 0 without documents or relevant documents.

    References
    ----------
    trec_eval P_k.
    """

    name: ClassVar[str] = "P"
    source: ClassVar[str] = "trec_eval P_k"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel",)
    allows_query_cutoffs: ClassVar[bool] = True
    short: Literal["filled", "listed"] = "filled"
    cutoff: int | str

    def check(self) -> None:
        super().check()
        require(self.short in ("filled", "listed"), self, "short", self.short, "'filled' or 'listed'")
        valid = self.short == "filled" or self.scale is None
        require(valid, self, "scale", self.scale, "none with short='listed', which needs ranks")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = super().settings(hits)
        if self.short == "filled":  # the default meaning of P
            del settings["short"]
        return settings

    def divisor(self, hits: Hits) -> int | Floats:
        """The number of documents that the relevant ones are a share of, at least 1 unless it differs by query."""
        depth = self.resolve_cutoff(hits)
        if self.short == "listed":
            return np.minimum(hits.retrieved if depth is None else depth, hits.retrieved).astype(np.float64)
        return depth if isinstance(depth, np.ndarray) else depth or 1

    def values(self, hits: Hits) -> Floats:
        depth = self.resolve_cutoff(hits)
        n_relevant_within = hits.sum(within(hits, depth, hits.relevant(self.rel)))
        divisor = self.divisor(hits)
        precision = (
            ratio(n_relevant_within, divisor) if isinstance(divisor, np.ndarray) else n_relevant_within / divisor
        )
        return np.minimum(precision, 1.0)  # scaled ranks may be below 1, and ranks of a user may be equal

    def contributions(self, hits: Hits) -> Floats | None:
        if self.scale is not None or self.short == "listed" or depends_on_list(self.cutoff):
            return None
        return share_within(hits, self.resolve_cutoff(hits), self.rel, self.resolve_cutoff(hits))

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        if self.scale is not None:  # scaled ranks may be below 1
            return super().swap_deltas(hits, first, second)
        depth = self.resolve_cutoff(hits)
        weight_within = within(hits, depth, np.ones(hits.rank.size, np.bool_)).astype(np.float64)
        changes = sum_changes(hits.relevant(self.rel).astype(np.float64), weight_within, first, second)
        divisor = self.divisor(hits)
        return ratio(changes, divisor[hits.query[first]]) if isinstance(divisor, np.ndarray) else changes / divisor

    def best_grade(self, hits: Hits) -> float | None:
        return max(self.level(hits), hits.max_grade) if is_int(self.cutoff) and self.scale is None else None


@dataclass(frozen=True, kw_only=True)
class R(ScaledRanks, Binary):
    """Recall: the share of all relevant documents that are in the first k; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".

    Notes
    -----
    0 without documents or relevant documents.

    References
    ----------
    trec_eval recall_k.
    """

    name: ClassVar[str] = "R"
    source: ClassVar[str] = "trec_eval recall_k"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel",)
    allows_query_cutoffs: ClassVar[bool] = True
    cutoff: int | str

    def values(self, hits: Hits) -> Floats:
        n_relevant_within = hits.sum(within(hits, self.resolve_cutoff(hits), hits.relevant(self.rel)))
        return ratio(n_relevant_within, hits.n_relevant(self.rel))

    def contributions(self, hits: Hits) -> Floats | None:
        if self.scale is not None or depends_on_list(self.cutoff):
            return None
        return share_within(hits, self.resolve_cutoff(hits), self.rel, hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class F(Binary):
    """F of precision and recall in the first k: (1 + b^2) P R / (b^2 P + R); in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    beta
        b, how many times as much recall counts as precision; 1 gives the harmonic mean.
    cutoff
        Number k of documents that are read.

    Notes
    -----
    0 without relevant documents, or without any within the cutoff. (trec_eval's set_F is SetF, where beta is not
    squared.)

    References
    ----------
    van Rijsbergen (1979), chapter 7; F1: ranx f1@k.
    """

    name: ClassVar[str] = "F"
    source: ClassVar[str] = "van Rijsbergen (1979), chapter 7; F1: ranx f1@k"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel", "beta")
    beta: float = 1.0
    cutoff: int

    def check(self) -> None:
        require(is_number(self.beta) and self.beta >= 0, self, "beta", self.beta, "a number of at least 0")

    def values(self, hits: Hits) -> Floats:
        # With n relevant within the cutoff P is n / k and R is n / N: so F is (1 + b^2) n / (b^2 N + k).
        n_relevant_within = np.minimum(hits.sum(within(hits, self.cutoff, hits.relevant(self.rel))), self.cutoff)
        beta_squared = self.beta * self.beta
        return ratio((1 + beta_squared) * n_relevant_within, beta_squared * hits.n_relevant(self.rel) + self.cutoff)

    def contributions(self, hits: Hits) -> Floats:
        beta_squared = self.beta * self.beta
        divisor = (beta_squared * hits.n_relevant(self.rel) + self.cutoff) / (1 + beta_squared)
        return share_within(hits, self.cutoff, self.rel, divisor)


@dataclass(frozen=True, kw_only=True)
class Success(Binary):
    """1 if the first k hold a relevant document, else 0; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    cutoff
        Number k of documents that are read.

    References
    ----------
    trec_eval success_k.
    """

    name: ClassVar[str] = "Success"
    source: ClassVar[str] = "trec_eval success_k"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel",)
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        if hits.ties == "average":
            query, _, probability = rank_of_first(hits, hits.relevant(self.rel), self.cutoff)
            return sum_by_group(probability, query, len(hits))
        return (hits.sum(within(hits, self.cutoff, hits.relevant(self.rel))) > 0).astype(np.float64)

    def shapley_values(self, pairs: HitPairs) -> Floats | None:
        if pairs.a.ties == "average":
            return None
        weights = ((rank <= self.cutoff).astype(np.float64) for rank in (pairs.rank_a, pairs.rank_b))
        return first_rank_shapley(pairs, pairs.relevance >= self.level(pairs.a), *weights)

    def best_grade(self, hits: Hits) -> float:
        return max(self.level(hits), hits.max_grade)


@dataclass(frozen=True, kw_only=True)
class RelP(Binary):
    """Relative precision: P@k divided by the best possible, min(R, k) / k; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    cutoff
        Number k of documents that are read.

    Notes
    -----
    R is the number of relevant documents. 0 without relevant documents.

    References
    ----------
    trec_eval relative_P.
    """

    name: ClassVar[str] = "RelP"
    source: ClassVar[str] = "trec_eval relative_P"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel",)
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        n_relevant_within = hits.sum(within(hits, self.cutoff, hits.relevant(self.rel)))
        return ratio(n_relevant_within, np.minimum(hits.n_relevant(self.rel), self.cutoff))

    def contributions(self, hits: Hits) -> Floats:
        return share_within(hits, self.cutoff, self.rel, np.minimum(hits.n_relevant(self.rel), self.cutoff))


@dataclass(frozen=True, kw_only=True)
class AP(ScaledRanks, Binary):
    """Average precision: the mean of the precision at the rank of each relevant document; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    norm
        What the sum is divided by: "R", the number of all relevant documents; "min", the lesser of R and the cutoff k,
        so that the best list gives 1; "found", the number of relevant documents retrieved in the first k.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    The sum over relevant documents retrieved of i / r_i, where r_i is the rank of the i-th of them, divided by what
    `norm` says. With a cutoff only ranks up to k count. No precision is above 1. 0 without relevant documents, or if
    none is retrieved.

    References
    ----------
    trec_eval map, map_cut_k; Buckley and Voorhees (2000).
    """

    name: ClassVar[str] = "AP"
    source: ClassVar[str] = "trec_eval map, map_cut_k; Buckley and Voorhees (2000)"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel", "norm")
    allows_query_cutoffs: ClassVar[bool] = True
    norm: Literal["R", "min", "found"] = "R"
    cutoff: int | str | None = None

    def check(self) -> None:
        require(self.norm in ("R", "min", "found"), self, "norm", self.norm, "'R', 'min' or 'found'")
        valid = self.norm != "min" or self.cutoff is not None
        require(valid, self, "norm", self.norm, "a cutoff with it, as in AP(norm='min')@10")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = super().settings(hits)
        if self.norm == "R":  # the default meaning of AP
            del settings["norm"]
        return settings

    def can_average_ties(self) -> bool:
        # Within a cutoff the divisor, the number of relevant documents found, depends on the order.
        return super().can_average_ties() and (self.norm != "found" or self.cutoff is None)

    def values(self, hits: Hits) -> Floats:
        precision_sum = self.expected_sum(hits) if hits.ties == "average" else hits.sum(self.precisions(hits))
        # At most 1: ranks of a user may put more than k documents at ranks up to k.
        return np.minimum(ratio(precision_sum, self.divisor(hits)), 1.0)

    def precisions(self, hits: Hits) -> Floats:
        """(hits) the precision at the rank of each relevant document within the cutoff; 0 for others."""
        precision = np.minimum((hits.relevant_above(self.rel) + 1.0) / hits.rank, 1.0)
        return np.where(within(hits, self.resolve_cutoff(hits), hits.relevant(self.rel)), precision, 0.0)

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        if self.norm == "found" or self.scale is not None:  # the divisor changes as well; scaled ranks may be below 1
            return super().swap_deltas(hits, first, second)
        rank_weights = np.where(
            within(hits, self.resolve_cutoff(hits), np.ones(hits.rank.size, np.bool_)), 1.0 / hits.rank, 0.0
        )
        changes = precision_sum_changes(hits, hits.relevant(self.rel), rank_weights, first, second)
        return ratio(changes, self.divisor(hits)[hits.query[first]])

    def shapley_values(self, pairs: HitPairs) -> Floats | None:
        if self.norm == "found" or self.scale is not None or depends_on_list(self.cutoff) or pairs.a.ties == "average":
            return None
        depth = self.resolve_cutoff(pairs.a)
        depth = depth[pairs.query] if isinstance(depth, np.ndarray) else depth
        weights = (reciprocal_ranks(rank, depth) for rank in (pairs.rank_a, pairs.rank_b))
        values = precision_sum_shapley(pairs, pairs.relevance >= self.level(pairs.a), *weights)
        return ratio(values, self.divisor(pairs.a)[pairs.query])

    def divisor(self, hits: Hits) -> Floats:
        """(queries) what the sum of precisions is divided by."""
        if self.norm == "found":
            return hits.sum(within(hits, self.resolve_cutoff(hits), hits.relevant(self.rel)))
        n_relevant, depth = hits.n_relevant(self.rel), self.resolve_cutoff(hits)
        if self.norm == "R" or depth is None:
            return n_relevant
        return np.minimum(n_relevant, self.ranks_within(hits, depth))

    def expected_sum(self, hits: Hits) -> Floats:
        """The sum of precisions, averaged over the orders of tied documents.

        Of n tied documents with m relevant, behind a others with c relevant, each place a + i holds a relevant one
        with probability m/n, which then has c + (i-1)(m-1)/(n-1) relevant ones above it on average.
        """
        relevant = hits.relevant(self.rel)
        _, query, above, n, m, c = tie_groups(hits, relevant)
        cutoff = self.cutoff if isinstance(self.cutoff, int) else np.inf
        n_read = np.clip(cutoff - above, 0, n)
        relevant_share = (m - 1) / np.maximum(n - 1, 1)
        harmonic_sums = np.append(0.0, np.cumsum(1 / np.arange(1.0, int((above + n_read).max(initial=0)) + 1)))
        inverse_rank_sums = harmonic_sums[(above + n_read).astype(np.intp)] - harmonic_sums[above.astype(np.intp)]
        untied = n == 1  # no difference of sums, which loses digits
        inverse_rank_sums[untied] = np.where(n_read > 0, 1 / (above + 1), 0.0)[untied]
        expected_sums = m / n * ((c + 1 - relevant_share * (above + 1)) * inverse_rank_sums + relevant_share * n_read)
        return sum_by_group(expected_sums, query, len(hits))


@dataclass(frozen=True, kw_only=True)
class RR(Binary):
    """Reciprocal rank: 1 / rank of the first relevant document; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    cutoff
        Number k of documents that are read. Default: all.

    Notes
    -----
    0 if no relevant document is retrieved, or none within the cutoff.

    References
    ----------
    trec_eval recip_rank; Kantor and Voorhees (2000).
    """

    name: ClassVar[str] = "RR"
    source: ClassVar[str] = "trec_eval recip_rank; Kantor and Voorhees (2000)"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel",)
    cutoff: int | None = None

    def values(self, hits: Hits) -> Floats:
        if hits.ties == "average":
            query, rank, probability = rank_of_first(hits, hits.relevant(self.rel), self.cutoff)
            return sum_by_group(probability / rank, query, len(hits))
        rows = within(hits, self.cutoff, hits.relevant(self.rel)).nonzero()[0][::-1]
        values = np.zeros(len(hits))
        values[hits.query[rows]] = 1.0 / hits.rank[rows]  # from the last to the first, which remains
        return values

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        rank_weights = np.where(within(hits, self.cutoff, np.ones(hits.rank.size, np.bool_)), 1.0 / hits.rank, 0.0)
        return reciprocal_rank_changes(hits, hits.relevant(self.rel), rank_weights, first, second)

    def shapley_values(self, pairs: HitPairs) -> Floats | None:
        if pairs.a.ties == "average":
            return None
        weights = (reciprocal_ranks(rank, self.cutoff) for rank in (pairs.rank_a, pairs.rank_b))
        return first_rank_shapley(pairs, pairs.relevance >= self.level(pairs.a), *weights)

    def best_grade(self, hits: Hits) -> float:
        return max(self.level(hits), hits.max_grade)


@dataclass(frozen=True, kw_only=True)
class GMAP(AP):
    """Average precision, combined over queries by the geometric mean; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    norm
        As for AP.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    Values below 0.00001 enter the mean as 0.00001: hard queries count more than in AP.

    References
    ----------
    trec_eval gm_map; Robertson (2006).
    """

    name: ClassVar[str] = "GMAP"
    summary: ClassVar[Summary] = "geometric"
    source: ClassVar[str] = "trec_eval gm_map; Robertson (2006)"
    first_k_parameters: ClassVar[tuple[str, ...]] = ("rel", "norm")


@dataclass(frozen=True, kw_only=True)
class Rprec(Binary):
    """R-precision: the share of relevant documents in the first R; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    mult
        How many times R documents are read, rounded as trec_eval does: floor(mult R + .9).

    Notes
    -----
    R is the number of all relevant documents. 0 without relevant documents.

    References
    ----------
    trec_eval Rprec, Rprec_mult.
    """

    name: ClassVar[str] = "Rprec"
    source: ClassVar[str] = "trec_eval Rprec, Rprec_mult"
    has_tie_average: ClassVar[bool] = True
    mult: float = 1.0

    def check(self) -> None:
        require(is_number(self.mult) and self.mult > 0, self, "mult", self.mult, "a number above 0")

    def values(self, hits: Hits) -> Floats:
        depth = self.resolve_cutoff(hits)
        return np.minimum(ratio(hits.sum(within(hits, depth, hits.relevant(self.rel))), depth), 1.0)

    def contributions(self, hits: Hits) -> Floats:
        return share_within(hits, self.resolve_cutoff(hits), self.rel, self.resolve_cutoff(hits))

    def resolve_cutoff(self, hits: Hits) -> Floats:
        depth: Floats = np.floor(self.mult * hits.n_relevant(self.rel) + 0.9)
        return depth


@dataclass(frozen=True, kw_only=True)
class AUC(Binary):
    """Area under the ROC curve: how often a relevant document ranks above another one; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    cutoff
        Number k of documents that are read. Default: all.

    Notes
    -----
    The share of pairs of a relevant and another document, both in the list (its first k with a cutoff), that are in the
    right order. Unjudged documents are not relevant. ties="average" counts a tied pair half, and so do given ranks of
    entities that are the mean of tied ranks. A table of such ranks needs the number of all ranked items (ParameterError
    without it). 0 without a relevant document in the list, 1 with relevant ones only.

    References
    ----------
    Hanley and McNeil (1982); ir_measures Accuracy.
    """

    name: ClassVar[str] = "AUC"
    source: ClassVar[str] = "Hanley and McNeil (1982); ir_measures Accuracy"
    cutoff: int | None = None

    def can_average_ties(self) -> bool:
        return self.cutoff is None  # the number of relevant documents within it depends on the order

    def values(self, hits: Hits) -> Floats:
        if hits.ties == "given" and hits.collection_size is None:
            raise ParameterError(
                f"{self}: how many items stand below the last entity is not known; pass the number of all ranked items "
                "(--total-ranks N, total_ranks=N)"
            )
        relevant = hits.relevant(self.rel)
        others_above = hits.rank - 1 - hits.relevant_above(self.rel)
        if hits.ties == "average":
            groups = tie_groups(hits, relevant)
            mean_others_above = groups.above - groups.marked_above + (groups.size - groups.marked) / 2
            others_above = np.repeat(mean_others_above, np.diff(groups.offsets))
        relevant_within = within(hits, self.cutoff, relevant)
        n_relevant_within = hits.sum(relevant_within)
        n_read = hits.retrieved if self.cutoff is None else np.minimum(hits.retrieved, self.cutoff)
        n_pairs = n_relevant_within * (n_read - n_relevant_within)
        n_wrong_pairs = hits.sum(np.where(relevant_within, others_above, 0.0))
        area = np.clip(1.0 - ratio(n_wrong_pairs, n_pairs), 0.0, 1.0)  # ranks of a user may be equal
        return np.where(n_relevant_within > 0, area, 0.0)
