"""Measures of graded relevance: DCG and nDCG, trec_eval's nDCG averaged over ranks and gain against effort (G, binG),
the Q-measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import (
    HIGHEST_EXACT_GRADE,
    discount_jk,
    discount_log2,
    discount_natural,
    gain_binary,
    gain_exponential,
    gain_linear,
)
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, cumulative_sum, group_of, place_in_group, sum_by_group
from rankscope.measures.average_ties import mean_weight
from rankscope.measures.base import Binary, Measure, is_number, ratio, require
from rankscope.measures.cutoffs import depends_on_list
from rankscope.measures.rank_scale import SCALES, ScaledRanks
from rankscope.measures.swap_deltas import sum_changes
from rankscope.settings import plain_number
from rankscope.typing import Floats, Grades, Ints

__all__ = [
    "DCG",
    "BinG",
    "G",
    "IdealDCG",
    "Q",
    "RnDCG",
    "nDCG",
    "nDCGRel",
]


GAINS = {"linear": gain_linear, "exp": gain_exponential, "binary": gain_binary}


class GainTable(dict[float, float]):
    """Gains by grade, hashable since they never change, so that a measure with them can be a key."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none because it may change
        return hash(tuple(self.items()))


@dataclass(frozen=True, kw_only=True)
class GainMeasure(Measure):
    """Base of measures of gain, which discount the rank r by log2(r + 1).

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").
    """

    gain: Literal["linear", "exp", "binary"] = "linear"
    gains: Mapping[float, float] | None = None
    others: Literal["error", "gain"] = "error"

    def check(self) -> None:
        require(
            isinstance(self.gain, str) and self.gain in GAINS, self, "gain", self.gain, "'linear', 'exp' or 'binary'"
        )
        if self.gains is not None:
            gains = self.gains
            if isinstance(gains, Mapping):  # NumPy numbers become Python's
                gains = {plain_number(grade): to_python_number(gain) for grade, gain in gains.items()}
            valid = isinstance(gains, Mapping) and all(map(is_number, gains)) and all(map(is_number, gains.values()))
            require(valid, self, "gains", self.gains, "a number for each grade, as {1: 1, 2: 5}")
            object.__setattr__(self, "gains", GainTable(sorted(gains.items())))
        require(self.others in ("error", "gain"), self, "others", self.others, "'error' or 'gain'")
        valid = self.others == "error" or self.gains is not None
        require(valid, self, "others", self.others, "gains with it, as in gains={1: 1, 2: 5}")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = super().settings(hits)
        if self.others == "error":  # then either all grades gain what `gain` says or all what `gains` says
            settings["gain"] = settings.pop("gains", settings["gain"])
            del settings["others"]
        return {**settings, "discount": settings.get("discount", "log2")}

    def gain_of(self, grades: Grades) -> Floats:
        """What each grade gains."""
        gains = GAINS[self.gain](grades)
        for grade, gain in (self.gains or {}).items():
            gains[grades == grade] = gain
        return gains

    def check_grades(self, hits: Hits) -> None:
        """Raise ParameterError for a grade that has no gain, or one that is no float64."""
        if self.gain == "exp" and hits.max_grade > HIGHEST_EXACT_GRADE:
            raise ParameterError(
                f"{self.name}: a document is judged {hits.max_grade}, and 2^{hits.max_grade} is beyond float64; "
                f"expected grades up to {HIGHEST_EXACT_GRADE} with gain='exp'; use gain='linear' or map the grades to "
                "lower ones"
            )
        if self.gains is not None and self.others == "error":
            positive_grades: Grades = hits.cached_on_qrels(
                "positive grades", lambda: np.unique(hits.grades[hits.grades > 0])
            )
            grades_without_gain = [grade for grade in positive_grades.tolist() if grade not in self.gains]
            if grades_without_gain:
                raise ParameterError(
                    f"{self.name}: a document is judged {grades_without_gain[0]}, and gains={self.gains!r} has no "
                    "gain for it; name every grade above 0, or say others='gain' to let the others gain their grade"
                )


def to_python_number(value: object) -> Any:
    """A number as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def discounts(discount: str, base: float) -> Callable[[Floats], Floats]:
    """The discount function: from ranks to weights."""
    if discount == "jk":
        return lambda ranks: discount_jk(ranks, base)
    return discount_natural if discount == "natural" else discount_log2


@dataclass(frozen=True, kw_only=True)
class DiscountedGainMeasure(GainMeasure):
    """Base of measures of gain with a cutoff and a choice of discounts.

    Parameters
    ----------
    discount
        A gain at rank r is divided by log2(r + 1) ("log2"), ln(r + 1) ("natural"), or log_base(r) from rank `base` on
        and nothing before ("jk").
    base
        Base of the discount "jk".
    cutoff
        Number k of documents that are read, or one that depends on the query. Default: all.
    """

    discount: Literal["log2", "natural", "jk"] = "log2"
    allows_query_cutoffs: ClassVar[bool] = True
    base: float = 2.0
    cutoff: int | str | None = None

    def check(self) -> None:
        super().check()
        valid = self.discount in ("log2", "natural", "jk")
        require(valid, self, "discount", self.discount, "'log2', 'natural' or 'jk'")
        require(is_number(self.base) and self.base > 1, self, "base", self.base, "a number above 1")
        valid = self.discount == "jk" or self.base == 2
        require(valid, self, "base", self.base, "discount='jk' with it: the other discounts have no base")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = super().settings(hits)
        if self.discount != "jk":
            del settings["base"]
        return settings

    def dcg(self, hits: Hits) -> Floats:
        self.check_grades(hits)
        return hits.sum(
            self.gain_of(hits.relevance) * mean_weight(hits, self.discount_function(), self.resolve_cutoff(hits))
        )

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        self.check_grades(hits)
        gain, rank_weights = (
            self.gain_of(hits.relevance),
            mean_weight(hits, self.discount_function(), self.resolve_cutoff(hits)),
        )
        return sum_changes(gain, rank_weights, first, second)

    def discounted_gains(self, hits: Hits) -> Floats | None:
        """(hits) the gain of each, times the weight of its rank; None for a cutoff that depends on the list."""
        if depends_on_list(self.cutoff):
            return None
        self.check_grades(hits)
        rank_weights = mean_weight(hits, self.discount_function(), self.resolve_cutoff(hits))
        return np.asarray(self.gain_of(hits.relevance) * rank_weights)

    def discount_function(self) -> Callable[[Floats], Floats]:
        """The discount function: from ranks to weights."""
        return discounts(self.discount, self.base)

    def ideal_dcg(self, hits: Hits) -> Floats:
        """DCG of all judged documents in falling order of grade."""
        self.check_grades(hits)
        if isinstance(self.cutoff, str):  # may depend on the list
            return self.best_dcg(hits, hits.grades, hits.grade_offsets)
        key = ("ideal", self.gain, self.gains, self.discount, self.base, self.cutoff)
        return hits.cached_on_qrels(key, lambda: self.best_dcg(hits, hits.grades, hits.grade_offsets))

    def best_dcg(self, hits: Hits, grades: Grades, offsets: Ints, most: Ints | None = None) -> Floats:
        """(queries) DCG of the best order of these documents, of at most so many.

        grades: by query, falling within it.
        """
        lengths = offsets[1:] - offsets[:-1]
        if self.gains is not None:  # given gains need not rise with the grade, and may be negative
            gains = self.gain_of(grades)
            gains = np.maximum(gains[np.lexsort((-gains, group_of(offsets)))], 0.0)
        depth = self.resolve_cutoff(hits)
        if depth is not None:
            lengths = np.minimum(lengths, self.ranks_within(hits, depth)).astype(np.int64)
        if most is not None:
            lengths = np.minimum(lengths, most)
        cut_offsets = bounds(lengths)
        best_rows = ranges(offsets[:-1], lengths)  # the first of each query's grades, which fall
        gains = self.gain_of(grades[best_rows]) if self.gains is None else gains[best_rows]
        rank = self.scaled_ranks(hits, (place_in_group(cut_offsets) + 1).astype(np.float64))
        return sum_by_group(gains * self.discount_function()(rank), group_of(cut_offsets), len(hits))

    def scaled_ranks(self, hits: Hits, rank: Floats) -> Floats:
        """The ranks on the scale of the measure, if it has one; see `nDCG`."""
        return rank

    def ranks_within(self, hits: Hits, depth: int | Floats) -> int | Floats:
        """How many ranks there are up to `depth`."""
        return depth


@dataclass(frozen=True, kw_only=True)
class DCG(DiscountedGainMeasure):
    """Discounted cumulated gain: the sum of gain / log2(rank + 1); at least 0, higher is better.

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").
    discount
        "log2" (log2(rank + 1)), "natural" (ln(rank + 1)), or "jk": none before rank `base`, then log_base(rank).
    base
        Base of the discount "jk".
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    0 if nothing is retrieved, or nothing with gain. Below 0 only if `gains` names gains below 0.

    References
    ----------
    Järvelin and Kekäläinen (2002); exp: Burges et al. (2005); trec_eval 10 dcg.
    """

    name: ClassVar[str] = "DCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = "Järvelin and Kekäläinen (2002); exp: Burges et al. (2005); trec_eval 10 dcg"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("gain", "discount", "base")

    def values(self, hits: Hits) -> Floats:
        return self.dcg(hits)

    def contributions(self, hits: Hits) -> Floats | None:
        return self.discounted_gains(hits)

    def best_grade(self, hits: Hits) -> float | None:
        # Given gains need not rise with the grade.
        highest = hits.max_grade if hits.max_grade > 0 else 1
        return highest if self.gains is None and not isinstance(self.cutoff, str) else None


@dataclass(frozen=True, kw_only=True)
class nDCG(ScaledRanks, DiscountedGainMeasure):
    """DCG divided by the DCG of the ideal ranking; in [0, 1], higher is better.

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").
    discount
        "log2" (log2(rank + 1)), "natural" (ln(rank + 1)), or "jk": none before rank `base`, then log_base(rank).
    base
        Base of the discount "jk".
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    ideal
        The ideal is the best order of all "judged" documents, or only of those "listed", which ignores what the list
        lacks. "whole" does not cut the ideal of the judged ones at k, so that a list of k cannot reach 1 where more
        gain something; "retrieved" cuts it also where the list ends, so that a short list can.
    short
        A list that ends before the cutoff counts as "filled" up with documents that gain nothing, or as "zero", as in
        LETOR's scripts.

    Notes
    -----
    With a cutoff, both DCGs are taken of the first k, unless the ideal is whole. With a scale, the ranks of the ideal
    are scaled, too, and nothing is worth more than at 1. 0 without a document that gains something. Below 0 only if
    `gains` names gains below 0.

    References
    ----------
    trec_eval ndcg, ndcg_cut_k; Järvelin and Kekäläinen (2002); exp: Burges et al. (2005).
    """

    name: ClassVar[str] = "nDCG"
    source: ClassVar[str] = "trec_eval ndcg, ndcg_cut_k; Järvelin and Kekäläinen (2002); exp: Burges et al. (2005)"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("gain", "discount", "base")
    ideal: Literal["judged", "listed", "whole", "retrieved"] = "judged"
    short: Literal["filled", "zero"] = "filled"

    def check(self) -> None:
        super().check()
        require(self.short in ("filled", "zero"), self, "short", self.short, "'filled' or 'zero'")
        valid = self.short == "filled" or self.cutoff is not None
        require(valid, self, "short", self.short, "a cutoff with it, as in nDCG(short='zero')@10")
        valid = self.short == "filled" or self.scale is None
        require(valid, self, "scale", self.scale, "none with short='zero', which needs ranks")
        valid = self.ideal in ("judged", "listed", "whole", "retrieved")
        require(valid, self, "ideal", self.ideal, "'judged', 'listed', 'whole' or 'retrieved'")
        valid = self.ideal in ("judged", "listed") or self.scale is None
        require(valid, self, "scale", self.scale, f"none with ideal={self.ideal!r}, which needs ranks")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = super().settings(hits)
        default_names = [name for name, value in (("ideal", "judged"), ("short", "filled")) if settings[name] == value]
        return {name: value for name, value in settings.items() if name not in default_names}

    def values(self, hits: Hits) -> Floats:
        ideal_dcg = self.best_possible(hits)
        values = np.minimum(ratio(self.dcg(hits), ideal_dcg), 1.0)  # ranks that a user gives may be equal
        if self.short == "zero":
            values[np.less(hits.retrieved, self.resolve_cutoff(hits) or 0)] = 0.0
        return values

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        ideal_dcg = self.best_possible(hits)
        changes = super().swap_deltas(hits, first, second)
        if self.short == "zero":
            changes[np.less(hits.retrieved, self.resolve_cutoff(hits) or 0)[hits.query[first]]] = 0.0
        return ratio(changes, ideal_dcg[hits.query[first]])

    def contributions(self, hits: Hits) -> Floats | None:
        gains = self.discounted_gains(hits)
        depends_on_length = self.ideal in ("listed", "retrieved") or self.short != "filled"
        if gains is None or depends_on_length or self.scale is not None:
            return None
        return ratio(gains, self.best_possible(hits)[hits.query])

    def discount_function(self) -> Callable[[Floats], Floats]:
        discount = super().discount_function()
        return discount if self.scale is None else lambda ranks: discount(np.maximum(ranks, 1.0))

    def scaled_ranks(self, hits: Hits, rank: Floats) -> Floats:
        return rank if self.scale is None else rank * SCALES[self.scale] / (hits.collection_size or 1)

    def ideal_dcg(self, hits: Hits) -> Floats:
        if self.scale is None:
            return super().ideal_dcg(hits)
        self.check_grades(hits)
        return self.best_dcg(hits, hits.grades, hits.grade_offsets)  # depends on the size of the collection

    def best_possible(self, hits: Hits) -> Floats:
        """(queries) the DCG of the ideal that `ideal` says."""
        if self.ideal == "judged":
            return self.ideal_dcg(hits)
        if self.ideal == "listed":
            return self.listed_dcg(hits)
        self.check_grades(hits)
        if self.ideal == "whole":
            return replace(self, ideal="judged", short="filled", cutoff=None).ideal_dcg(hits)
        return self.best_dcg(hits, hits.grades, hits.grade_offsets, hits.retrieved)

    def listed_dcg(self, hits: Hits) -> Floats:
        """DCG of the best order of the documents in the list."""
        falling_grades = hits.relevance[np.lexsort((-hits.relevance, hits.query))]
        return self.best_dcg(hits, falling_grades, hits.offsets)


@dataclass(frozen=True, kw_only=True)
class IdealDCG(DiscountedGainMeasure):
    """The DCG of the ideal ranking of all judged documents, the denominator of nDCG; at least 0, no direction.

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").
    discount
        "log2" (log2(rank + 1)), "natural" (ln(rank + 1)), or "jk": none before rank `base`, then log_base(rank).
    base
        Base of the discount "jk".
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    It does not depend on the system. 0 without a judged document that gains something.

    References
    ----------
    trec_eval 10 ideal_dcg.
    """

    name: ClassVar[str] = "IdealDCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    source: ClassVar[str] = "trec_eval 10 ideal_dcg"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("gain", "discount", "base")

    def values(self, hits: Hits) -> Floats:
        return self.ideal_dcg(hits)


class DCGCurves:
    """DCG of a list and of the ideal ranking, as they grow with the rank, for any (query, rank)."""

    def __init__(self, measure: GainMeasure, hits: Hits) -> None:
        measure.check_grades(hits)
        gains = measure.gain_of(hits.grades)
        has_gain = gains > 0
        #: (queries) how many judged documents gain something: the last rank of the ideal with gain.
        self.n_gaining = sum_by_group(has_gain, hits.grade_query, len(hits)).astype(np.int64)
        if (np.diff(gains)[np.diff(hits.grades) <= 0] > 0).any():  # given gains need not rise with the grade
            order = np.lexsort((-gains, hits.grade_query))
            gains, has_gain = gains[order], has_gain[order]
        #: (positive judged) their gains by query, falling, with offsets.
        self.gains = gains[has_gain]
        self.offsets = bounds(self.n_gaining)
        rank = (place_in_group(self.offsets) + 1).astype(np.float64)
        self.ideal_dcg = np.append(cumulative_sum(self.gains * discount_log2(rank), self.offsets), 0.0)
        self.hits = hits
        list_gains = measure.gain_of(hits.relevance)
        self.has_gain = list_gains > 0
        self.list_dcg = np.append(cumulative_sum(list_gains * discount_log2(hits.rank), hits.offsets), 0.0)
        self.sort_keys = hits.query * (LARGEST + 1.0) + np.minimum(hits.rank, LARGEST)

    def ideal_dcg_at(self, query: Ints, rank: Floats) -> Floats:
        """DCG of the ideal ranking's first documents."""
        n = np.minimum(rank, self.n_gaining[query]).astype(np.int64)
        return np.where(n > 0, self.ideal_dcg[self.offsets[query] + n - 1], 0.0)

    def list_dcg_at(self, query: Ints, rank: Floats) -> Floats:
        """DCG of the list's first documents; of all of them beyond its end."""
        end = np.searchsorted(self.sort_keys, query * (LARGEST + 1.0) + np.minimum(rank, LARGEST), side="right")
        return np.where(end > self.hits.offsets[query], self.list_dcg[end - 1], 0.0)


#: `DCGCurves` treats ranks beyond this as this: no list is longer.
LARGEST = float(1 << 31)


@dataclass(frozen=True, kw_only=True)
class nDCGRel(GainMeasure):
    """nDCG averaged over the ranks of the documents that gain something; in [0, 1], higher is better.

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").

    Notes
    -----
    The mean, over all judged documents with gain, of the nDCG at the rank where each was retrieved; for those not
    retrieved, the nDCG of the whole list. 0 without a judged document that gains something.

    References
    ----------
    trec_eval ndcg_rel.
    """

    name: ClassVar[str] = "nDCGRel"
    source: ClassVar[str] = "trec_eval ndcg_rel"

    def values(self, hits: Hits) -> Floats:
        curves = DCGCurves(self, hits)
        rows = np.flatnonzero(curves.has_gain)
        query, rank = hits.query[rows], hits.rank[rows]
        ndcg_at_rank = ratio(curves.list_dcg_at(query, rank), curves.ideal_dcg_at(query, rank))
        all_queries = np.arange(len(hits))
        last_ranks = np.full(len(hits), LARGEST)
        final_ndcg = ratio(curves.list_dcg_at(all_queries, last_ranks), curves.ideal_dcg_at(all_queries, last_ranks))
        n_retrieved = hits.sum(curves.has_gain)
        ndcg_sums = sum_by_group(ndcg_at_rank, query, len(hits)) + (curves.n_gaining - n_retrieved) * final_ndcg
        return ratio(ndcg_sums, curves.n_gaining.astype(np.float64))


@dataclass(frozen=True, kw_only=True)
class RnDCG(GainMeasure):
    """nDCG averaged over the ranks where the ideal gain changes; in [0, 1], higher is better.

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    The mean of the nDCG just before each such rank, up to the one after the last document with gain; a list longer than
    that adds its whole nDCG. 0 if no document reaches the lowest grade that counts.

    References
    ----------
    trec_eval Rndcg.
    """

    name: ClassVar[str] = "RnDCG"
    source: ClassVar[str] = "trec_eval Rndcg"
    rel: float | None = None

    def level(self, hits: Hits) -> float:
        return hits.rel if self.rel is None else self.rel

    def values(self, hits: Hits) -> Floats:
        curves = DCGCurves(self, hits)
        n_queries = len(hits)
        gain_query = group_of(curves.offsets)
        # The last of each run of equal gains: behind it the ideal gain changes.
        ends_run = np.ones(curves.gains.size, np.bool_)
        ends_run[:-1] = (curves.gains[1:] != curves.gains[:-1]) | (gain_query[1:] != gain_query[:-1])
        change_rows = np.flatnonzero(ends_run)
        query = gain_query[change_rows]
        rank = (change_rows - curves.offsets[query] + 1).astype(np.float64)
        ndcg = ratio(curves.list_dcg_at(query, rank), curves.ideal_dcg_at(query, rank))
        ndcg_sums = sum_by_group(ndcg, query, n_queries)
        n_values = np.bincount(query, minlength=n_queries).astype(np.float64)
        longer_queries = np.flatnonzero(hits.retrieved > curves.n_gaining + 1)
        last_ranks = np.full(longer_queries.size, LARGEST)
        ndcg_sums[longer_queries] += ratio(
            curves.list_dcg_at(longer_queries, last_ranks), curves.ideal_dcg_at(longer_queries, last_ranks)
        )
        n_values[longer_queries] += 1
        return np.where(hits.n_relevant(self.level(hits)) > 0, ratio(ndcg_sums, n_values), 0.0)


@dataclass(frozen=True, kw_only=True)
class G(GainMeasure):
    """Gain against effort, the ideal gain that a list lacks above each document; in [0, 1], higher is better.

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").

    Notes
    -----
    The sum of gain / log2(2 + C - S), divided by the total ideal gain: S is the gain retrieved up to the document, C
    the sum, over the ranks up to it, of the ideal gain or 1 if that is less. 0 without a judged document that gains
    something.

    References
    ----------
    trec_eval G.
    """

    name: ClassVar[str] = "G"
    source: ClassVar[str] = "trec_eval G"

    def values(self, hits: Hits) -> Floats:
        curves = DCGCurves(self, hits)
        list_gains = self.gain_of(hits.relevance)
        cumulated_gains = cumulative_sum(list_gains, hits.offsets)
        ideal_sums = np.append(cumulative_sum(np.maximum(curves.gains, 1.0), curves.offsets), 0.0)
        n = np.minimum(hits.rank, curves.n_gaining[hits.query]).astype(np.int64)
        ideal_effort = np.where(n > 0, ideal_sums[curves.offsets[hits.query] + n - 1], 0.0) + (hits.rank - n)
        effort = np.where(list_gains > 0, ideal_effort - cumulated_gains, 0.0)
        discounted_gains = np.where(list_gains > 0, list_gains / np.log2(2.0 + effort), 0.0)
        return ratio(hits.sum(discounted_gains), sum_by_group(curves.gains, group_of(curves.offsets), len(hits)))


@dataclass(frozen=True, kw_only=True)
class BinG(Binary):
    """Mean over relevant documents of 1 / log2(2 + not relevant documents above); in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    Documents not retrieved add 0. 0 without relevant documents.

    References
    ----------
    trec_eval binG.
    """

    name: ClassVar[str] = "BinG"
    source: ClassVar[str] = "trec_eval binG"

    def values(self, hits: Hits) -> Floats:
        others_above = hits.rank - 1.0 - hits.relevant_above(self.rel)
        discounted_gains = np.where(hits.relevant(self.rel), 1.0 / np.log2(2.0 + others_above), 0.0)
        return ratio(hits.sum(discounted_gains), hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class Q(GainMeasure):
    """Q-measure: the mean blended ratio over the ranks of all documents with gain; in [0, 1], higher is better.

    Parameters
    ----------
    gain
        What a document gains: its grade ("linear"), 2^grade - 1 ("exp"), or 1 ("binary"); grades up to 0 gain nothing.
    gains
        What certain grades gain instead, as {1: 1, 2: 5}.
    others
        A grade above 0 that `gains` does not name raises an error ("error"), or gains what `gain` says ("gain").
    beta
        Weight of gains: 0 gives average precision, and the larger it is, the more the gains count.

    Notes
    -----
    The blended ratio at rank r is (n + beta cg) / (r + beta cg*): n documents with gain in the first r, cg their gains,
    cg* the gains of the ideal ranking's first r (all judged documents by falling gain; constant after its end).
    Documents not retrieved add 0. A negative gain counts as 0. 0 if nothing is retrieved, or nothing with gain.

    References
    ----------
    Sakai (2004); with beta: Sakai (2007).

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels, run = {"q": {"a": 1, "b": 3}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> rs.evaluate(qrels, run, "Q").overall("Q")
    0.6785714285714286
    >>> ((1 + 1) / (1 + 3) + (2 + 4) / (3 + 4)) / 2
    0.6785714285714286
    """

    name: ClassVar[str] = "Q"
    source: ClassVar[str] = "Sakai (2004); with beta: Sakai (2007)"
    beta: float = 1.0

    def check(self) -> None:
        super().check()
        require(is_number(self.beta) and self.beta >= 0, self, "beta", self.beta, "a number of at least 0")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = super().settings(hits)
        del settings["discount"]  # Q has none
        return settings

    def values(self, hits: Hits) -> Floats:
        self.check_grades(hits)
        gains = np.maximum(self.gain_of(hits.relevance), 0.0)
        has_gain = gains > 0
        rows = np.flatnonzero(has_gain)
        query, rank = hits.query[rows], hits.rank[rows]
        n_with_gain = hits.count_above(has_gain)[rows] + 1
        cumulated_gains = cumulative_sum(gains, hits.offsets)[rows]
        ideal_gains, offsets = self.cumulated_ideal(hits)
        n_ideal = np.diff(offsets)
        ideal_at_rank = ideal_gains[offsets[query] + np.minimum(rank, n_ideal[query]).astype(np.int64) - 1]
        blended_ratio = (n_with_gain + self.beta * cumulated_gains) / (rank + self.beta * ideal_at_rank)
        return ratio(sum_by_group(blended_ratio, query, len(hits)), n_ideal.astype(np.float64))

    def cumulated_ideal(self, hits: Hits) -> tuple[Floats, Ints]:
        """Gains of the ideal ranking, cumulated, one entry a judged document with gain; and the queries' offsets."""
        gains, query = self.gain_of(hits.grades), hits.grade_query
        order = np.lexsort((-gains, query))  # given gains need not rise with the grade
        order = order[gains[order] > 0]
        offsets = bounds(np.bincount(query[order], minlength=len(hits)))
        return cumulative_sum(gains[order], offsets), offsets
