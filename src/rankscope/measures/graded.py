"""Measures of cumulated gain: DCG and its normalised form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import HIGHEST, discount_jk, discount_log2, discount_natural, gain_exponential, gain_linear
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of, place_in_group, sum_by_group
from rankscope.measures.base import Measure, is_int, is_number, ratio, require
from rankscope.measures.scaled import SCALES, ScaledRanks
from rankscope.measures.swaps import sum_changes
from rankscope.measures.ties import mean_weight
from rankscope.typing import Floats, Ints

__all__ = ["DCG", "nDCG"]

GAINS = {"linear": gain_linear, "exp": gain_exponential}


class GainTable(dict[int, float]):
    """Gains by grade, never changed once made, so that a measure with them can be a key."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none because it may change
        return hash(tuple(self.items()))


@dataclass(frozen=True, kw_only=True)
class Gained(Measure):
    """What measures of gain share.

    gain: "linear" (the grade) or "exp" (2^grade - 1); negative grades gain nothing. gains: what certain grades
    gain instead, as {1: 1, 2: 5}; others: what happens to a grade above 0 that `gains` does not name: "error", or
    "gain" to let it gain what `gain` says, as trec_eval does. The rank r is discounted by log2(r + 1).
    """

    explains: ClassVar[str] = """
        gain: a document gains its grade ("linear") or 2^grade - 1 ("exp"); negative grades gain nothing. gains: what
        certain grades gain instead, as {1: 1, 2: 5}; a grade above 0 that is not named is an error, or with
        others="gain" gains what `gain` says.
    """
    gain: Literal["linear", "exp"] = "linear"
    gains: Mapping[int, float] | None = None
    others: Literal["error", "gain"] = "error"

    def check(self) -> None:
        require(isinstance(self.gain, str) and self.gain in GAINS, self, "gain", self.gain, "'linear' or 'exp'")
        if self.gains is not None:
            gains = self.gains
            if isinstance(gains, Mapping):  # numbers out of NumPy arrays are taken as such
                gains = {to_python_number(grade): to_python_number(gain) for grade, gain in gains.items()}
            good = isinstance(gains, Mapping) and all(map(is_int, gains)) and all(map(is_number, gains.values()))
            require(good, self, "gains", self.gains, "a number for each grade, as {1: 1, 2: 5}")
            object.__setattr__(self, "gains", GainTable(sorted(gains.items())))
        require(self.others in ("error", "gain"), self, "others", self.others, "'error' or 'gain'")
        good = self.others == "error" or self.gains is not None
        require(good, self, "others", self.others, "gains with it, as in gains={1: 1, 2: 5}")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        found = super().settings(hits)
        if self.others == "error":  # then either all grades gain what `gain` says or all what `gains` says
            found["gain"] = found.pop("gains", found["gain"])
            del found["others"]
        return {**found, "discount": found.get("discount", "log2")}

    def gain_of(self, grades: Ints) -> Floats:
        """What each grade gains."""
        gained = GAINS[self.gain](grades)
        for grade, gain in (self.gains or {}).items():
            gained[grades == grade] = gain
        return gained

    def check_grades(self, hits: Hits) -> None:
        """Raise ParameterError for a grade that has no gain, or one that is no float64."""
        if self.gain == "exp" and hits.max_grade > HIGHEST:
            raise ParameterError(
                f"{self.name}: a document is judged {hits.max_grade}, and 2^{hits.max_grade} is beyond float64; "
                f"expected grades up to {HIGHEST} with gain='exp'; use gain='linear' or map the grades to lower ones"
            )
        if self.gains is not None and self.others == "error":
            known: Ints = hits.once_for_pool("positive grades", lambda: np.unique(hits.grades[hits.grades > 0]))
            unknown = [grade for grade in known.tolist() if grade not in self.gains]
            if unknown:
                raise ParameterError(
                    f"{self.name}: a document is judged {unknown[0]}, and gains={self.gains!r} has no gain for it; "
                    "name every grade above 0, or say others='gain' to let the others gain their grade"
                )


def to_python_number(value: object) -> Any:
    """A number as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def discounts(discount: str, base: float) -> Callable[[Floats], Floats]:
    """Ranks to what a gain there is worth."""
    if discount == "jk":
        return lambda ranks: discount_jk(ranks, base)
    return discount_natural if discount == "natural" else discount_log2


@dataclass(frozen=True, kw_only=True)
class CutGained(Gained):
    """Those that may be taken of the first k only, with any discount.

    discount: a gain at rank r is divided by log2(r + 1) ("log2"), ln(r + 1) ("natural"), or log_base(r) from rank
    `base` on and nothing before ("jk").
    """

    discount: Literal["log2", "natural", "jk"] = "log2"
    own_cutoffs: ClassVar[bool] = True
    base: float = 2.0
    cutoff: int | str | None = None

    def check(self) -> None:
        super().check()
        good = self.discount in ("log2", "natural", "jk")
        require(good, self, "discount", self.discount, "'log2', 'natural' or 'jk'")
        require(is_number(self.base) and self.base > 1, self, "base", self.base, "a number above 1")
        good = self.discount == "jk" or self.base == 2
        require(good, self, "base", self.base, "discount='jk' with it: the other discounts have no base")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        found = super().settings(hits)
        if self.discount != "jk":
            del found["base"]
        return found

    def dcg(self, hits: Hits) -> Floats:
        self.check_grades(hits)
        return hits.sum(self.gain_of(hits.relevance) * mean_weight(hits, self.worth(), self.reach(hits)))

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        self.check_grades(hits)
        gain, worth = self.gain_of(hits.relevance), mean_weight(hits, self.worth(), self.reach(hits))
        return sum_changes(gain, worth, first, second)

    def worth(self) -> Callable[[Floats], Floats]:
        """Ranks to what a gain there is worth."""
        return discounts(self.discount, self.base)

    def ideal_dcg(self, hits: Hits) -> Floats:
        """DCG of all judged documents in falling order of grade."""
        self.check_grades(hits)
        if isinstance(self.cutoff, str):  # may depend on the list
            return self.best_dcg(hits, hits.grades, hits.grade_offsets)
        key = ("ideal", self.gain, self.gains, self.discount, self.base, self.cutoff)
        return hits.once_for_pool(key, lambda: self.best_dcg(hits, hits.grades, hits.grade_offsets))

    def best_dcg(self, hits: Hits, grades: Ints, offsets: Ints) -> Floats:
        """(queries) DCG of the best order of these documents. grades: by query, falling within it."""
        lengths = offsets[1:] - offsets[:-1]
        if self.gains is not None:  # given gains need not rise with the grade, and may be negative
            gained = self.gain_of(grades)
            gained = np.maximum(gained[np.lexsort((-gained, group_of(offsets)))], 0.0)
        depth = self.reach(hits)
        if depth is not None:
            lengths = np.minimum(lengths, self.ranks_within(hits, depth)).astype(np.int64)
        shorter = bounds(lengths)
        best = ranges(offsets[:-1], lengths)  # the first of each query's grades, which fall
        gained = self.gain_of(grades[best]) if self.gains is None else gained[best]
        rank = self.counted_as(hits, (place_in_group(shorter) + 1).astype(np.float64))
        return sum_by_group(gained * self.worth()(rank), group_of(shorter), len(hits))

    def counted_as(self, hits: Hits, rank: Floats) -> Floats:
        """What ranks count as; see `nDCG`, which has a scale."""
        return rank

    def ranks_within(self, hits: Hits, depth: int | Floats) -> int | Floats:
        """How many ranks there are up to `depth`."""
        return depth


@dataclass(frozen=True, kw_only=True)
class DCG(CutGained):
    """Discounted cumulated gain: the sum of gain / log2(rank + 1); at least 0, higher is better.

    discount: "log2", "natural" (ln(rank + 1)), or "jk": none before rank `base`, then log_base(rank). Nothing
    retrieved, or nothing with gain: 0. Below 0 only where `gains` names gains below 0.
    """

    name: ClassVar[str] = "DCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = "Järvelin and Kekäläinen (2002); exp: Burges et al. (2005); trec_eval 10 dcg"
    averaged: ClassVar[bool] = True
    first_only: ClassVar[tuple[str, ...]] = ("gain", "discount", "base")

    def values(self, hits: Hits) -> Floats:
        return self.dcg(hits)

    def best_grade(self, hits: Hits) -> int | None:
        # Given gains need not rise with the grade.
        return max(hits.max_grade, 1) if self.gains is None and not isinstance(self.cutoff, str) else None


@dataclass(frozen=True, kw_only=True)
class nDCG(ScaledRanks, CutGained):
    """DCG over the DCG of the ideal ranking; in [0, 1], higher is better.

    ideal: the best order of all "judged" documents, or only of those "listed", which says nothing of what the list
    lacks. discount: as in DCG. short: a list that ends before the cutoff counts as "filled" up with documents that gain
    nothing, or as "zero", as in LETOR's scripts. With a cutoff, both DCGs are taken of the first k. scale: ranks, those
    of the ideal as well, and k count percentiles or permilles of all ranked documents, and nothing is worth more than
    at 1. Without a document that gains something: 0. Below 0 only where `gains` names gains below 0.
    """

    name: ClassVar[str] = "nDCG"
    source: ClassVar[str] = "trec_eval ndcg, ndcg_cut_k; Järvelin and Kekäläinen (2002); exp: Burges et al. (2005)"
    averaged: ClassVar[bool] = True
    first_only: ClassVar[tuple[str, ...]] = ("gain", "discount", "base")
    ideal: Literal["judged", "listed"] = "judged"
    short: Literal["filled", "zero"] = "filled"

    def check(self) -> None:
        super().check()
        require(self.short in ("filled", "zero"), self, "short", self.short, "'filled' or 'zero'")
        good = self.short == "filled" or self.cutoff is not None
        require(good, self, "short", self.short, "a cutoff with it, as in nDCG(short='zero')@10")
        good = self.short == "filled" or self.scale is None
        require(good, self, "scale", self.scale, "none with short='zero', which asks for ranks")
        require(self.ideal in ("judged", "listed"), self, "ideal", self.ideal, "'judged' or 'listed'")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        found = super().settings(hits)
        usual = [name for name, value in (("ideal", "judged"), ("short", "filled")) if found[name] == value]
        return {name: value for name, value in found.items() if name not in usual}

    def values(self, hits: Hits) -> Floats:
        best = self.ideal_dcg(hits) if self.ideal == "judged" else self.listed_dcg(hits)
        values = np.minimum(ratio(self.dcg(hits), best), 1.0)  # ranks that a user gives may be equal
        if self.short == "zero":
            values[np.less(hits.retrieved, self.reach(hits) or 0)] = 0.0
        return values

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        best = self.ideal_dcg(hits) if self.ideal == "judged" else self.listed_dcg(hits)
        changed = super().swap_deltas(hits, first, second)
        if self.short == "zero":
            changed[np.less(hits.retrieved, self.reach(hits) or 0)[hits.query[first]]] = 0.0
        return ratio(changed, best[hits.query[first]])

    def worth(self) -> Callable[[Floats], Floats]:
        worth = super().worth()
        return worth if self.scale is None else lambda ranks: worth(np.maximum(ranks, 1.0))

    def counted_as(self, hits: Hits, rank: Floats) -> Floats:
        return rank if self.scale is None else rank * SCALES[self.scale] / (hits.collection_size or 1)

    def ideal_dcg(self, hits: Hits) -> Floats:
        if self.scale is None:
            return super().ideal_dcg(hits)
        self.check_grades(hits)
        return self.best_dcg(hits, hits.grades, hits.grade_offsets)  # depends on the size of the collection

    def listed_dcg(self, hits: Hits) -> Floats:
        """DCG of the best order of the documents in the list."""
        falling = hits.relevance[np.lexsort((-hits.relevance, hits.query))]
        return self.best_dcg(hits, falling, hits.offsets)
