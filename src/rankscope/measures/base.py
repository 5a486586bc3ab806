"""What a measure is: frozen parameters, a pure call, and a name that can be read back."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import MISSING, Field, dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError

__all__ = ["Binary", "Measure", "Scaled", "require"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
#: No parameter reaches this: far above any number of documents, and a whole number of 64 bits.
LARGEST = 10**18
#: A cutoff that depends on the query, see `own_cutoff`.
OWN_CUTOFF = re.compile(r"mean|median|size|recall=(0?\.[0-9]{1,15}|1(\.0{1,15})?)")
OWN_FORMS = ", or @mean, @median, @size, @recall=0.5"

#: On what a rank may be counted instead: the parts of the whole ranking.
SCALES = {"percentile": 100, "permille": 1000}

Summary = Literal["mean", "sum", "geometric", "none"]


@dataclass(frozen=True, kw_only=True)
class Measure(ABC):
    """A number for each query, computed from the hits. Subclasses are frozen dataclasses.

    Class attributes say what a user asks about a measure: `name` in the grammar, `range`,
    `higher_is_better`, `summary` (how a number for all queries is made), `source`.
    A field `cutoff` is written `@10` (or `@mean`, `@median`, `@size`, `@recall=0.5` where `own_cutoffs`); other fields
    that differ from their default in parentheses.
    """

    name: ClassVar[str]
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    #: None where neither is better, as for the number of documents retrieved.
    higher_is_better: ClassVar[bool | None] = True
    summary: ClassVar[Summary] = "mean"
    source: ClassVar[str]
    #: Whether a query without relevant documents leaves the value undefined.
    needs_relevant: ClassVar[bool] = True
    #: Whether it asks for judgments by subtopic.
    needs_subtopics: ClassVar[bool] = False
    #: Whether the cutoff may be one that each query has of its own: @mean, @median, @size, @recall=0.5.
    own_cutoffs: ClassVar[bool] = False
    #: What the parameters of a family mean, for the page of each of its measures.
    explains: ClassVar[str]
    #: The field that the name shows behind the @.
    after_at: ClassVar[str] = "cutoff"
    #: Whether it can be averaged over the orders of tied documents (ties="average").
    averaged: ClassVar[bool] = False
    #: Fields that the name always shows, because everybody sets them differently.
    always_shown: ClassVar[tuple[str, ...]] = ()

    def __call__(self, hits: Hits) -> Floats:
        """(queries) the value of each query. Raises ParameterError where `hits` cannot be measured so."""
        if hits.ties == "average":
            self.refuse_average()
        return self.values(hits)

    @abstractmethod
    def values(self, hits: Hits) -> Floats:
        """(queries) what a call gives: the one method that a measure must have."""

    def averages(self) -> bool:
        """Whether it can be averaged over the orders of tied documents (ties="average") with these parameters."""
        return self.averaged and not isinstance(getattr(self, "cutoff", None), str)

    def may_lack_value(self) -> bool:
        """Whether it has no value where nothing relevant was found, as a mean rank."""
        return self.higher_is_better is False and self.needs_relevant

    def refuse_average(self) -> None:
        """Raise ParameterError where it cannot be averaged over the orders of tied documents."""
        if self.averages():
            return
        why, other = "its average over the orders of tied documents has no closed form", "a measure that has one, as"
        if self.averaged:
            why, other = f"{why} with these parameters", "other ones, as a whole number for the cutoff, with"
        raise ParameterError(
            f"{self}: {why}; choose another tie rule (doc_id_desc or file) or {other} P, R, F, RR, Success, AP, DCG, "
            "nDCG, ERR, RBP"
        )

    def best_grade(self, hits: Hits) -> int | None:
        """The grade that an unjudged document of a list would raise the value to its highest with.

        None, the default: missing judgments do not bound the value, mostly because what it is divided by (the number of
        relevant documents, an ideal) would change with them as well.
        """
        return None

    def level(self, hits: Hits) -> int:
        """The least relevance that counts: by default any gain at all."""
        return 1

    def defined(self, hits: Hits) -> Bools:
        """(queries) where the value means something: by default, where something relevant was judged."""
        if not self.needs_relevant:
            return np.ones(len(hits), np.bool_)
        return hits.n_relevant(self.level(hits)) > 0

    def used(self, hits: Hits) -> Floats:
        """(queries) on how many relevant documents the value rests: those retrieved within the cutoff."""
        return hits.sum(within(hits, self.reach(hits), hits.relevant(self.level(hits))))

    def reach(self, hits: Hits) -> int | Floats | None:
        """The cutoff, or where each query has its own, (queries) theirs."""
        cutoff: int | str | None = getattr(self, "cutoff", None)
        return own_cutoff(hits, cutoff, self.level(hits)) if isinstance(cutoff, str) else cutoff

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        """Every parameter with its value as text, for the signature; as `hits` resolve them where given."""
        found = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "rel" and value is None and hits is not None:
                value = hits.rel
            if f.name != self.after_at and value is not None:
                found[f.name] = str(value)
        return found

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        shown = [f for f in fields(self) if f.name != self.after_at and self._is_shown(f)]
        inner = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in shown)
        cutoff = getattr(self, self.after_at, None)
        return self.name + (f"({inner})" if inner else "") + (f"@{cutoff}" if cutoff is not None else "")

    def _is_shown(self, f: Field[Any]) -> bool:
        return f.name in self.always_shown or f.default is MISSING or getattr(self, f.name) != f.default

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.generic):  # a number out of a NumPy array
                value = value.item()
                object.__setattr__(self, f.name, value)
            if f.name == "cutoff":
                optional = f.default is not MISSING
                own = self.own_cutoffs and isinstance(value, str) and OWN_CUTOFF.fullmatch(value) is not None
                if own and value.startswith("recall="):  # .5 and 0.50 are 0.5
                    object.__setattr__(self, f.name, f"recall={float(value.removeprefix('recall='))!r}")
                require(
                    (value is None and optional) or (is_int(value) and 1 <= value < LARGEST) or own,
                    self,
                    "cutoff",
                    value,
                    "a whole number of at least 1, as in @10" + (OWN_FORMS if self.own_cutoffs else ""),
                )
            elif f.name == "rel":
                require(
                    value is None or (is_int(value) and 1 <= value < LARGEST),
                    self,
                    "rel",
                    value,
                    "a whole number of at least 1",
                )
            elif f.name == "scale":
                good = value is None or (isinstance(value, str) and value in SCALES)
                require(good, self, "scale", value, "'percentile' or 'permille'")
        self.check()

    def check(self) -> None:  # noqa: B027 - most measures have nothing more to check
        """Raise ParameterError for a parameter out of range (`cutoff`, `rel`, `scale` are checked already)."""


@dataclass(frozen=True, kw_only=True)
class Binary(Measure):
    """A measure that only asks whether a document is relevant.

    rel: least relevance that counts; None: the one that the evaluation was asked for (1, or `--rel`).
    """

    rel: int | None = None

    def level(self, hits: Hits) -> int:
        return hits.rel if self.rel is None else self.rel


@dataclass(frozen=True, kw_only=True)
class Scaled(Measure):
    """A measure whose ranks, and cutoff, may count parts of the whole ranking.

    scale: None, the rank itself; "percentile" or "permille": of N ranked items, the rank r counts as 100 r / N or
    1000 r / N. N is the size of the collection (`collection_size`, `--total-ranks`); without it, ParameterError.
    """

    scale: Literal["percentile", "permille"] | None = None

    def __call__(self, hits: Hits) -> Floats:
        return super().__call__(self.converted(hits))

    def converted(self, hits: Hits) -> Hits:
        """The hits with ranks on the scale. Raises ParameterError where the number of ranked items is not known."""
        if self.scale is None:
            return hits
        size, parts = hits.collection_size, SCALES[self.scale]
        if size is None:
            raise ParameterError(
                f"{self}: a {self.scale} needs the number of all ranked items; pass it (--total-ranks N, total_ranks=N)"
            )

        def convert() -> Hits:
            rank, first, last = (ranks * parts / size for ranks in (hits.rank, hits.first, hits.last))
            return replace(hits, rank=rank, first=first, last=last, _memory={})

        return hits.once(("on a scale", self.scale), convert)

    def used(self, hits: Hits) -> Floats:
        return super().used(self.converted(hits))

    def reach(self, hits: Hits) -> int | Floats | None:
        cutoff: int | str | None = getattr(self, "cutoff", None)
        if self.scale is not None and isinstance(cutoff, str):  # all ranks may be parts of 1
            return own_cutoff(hits, cutoff, self.level(hits), rounded=False)
        return super().reach(hits)

    def ranks_within(self, hits: Hits, depth: int | Floats) -> int | Floats:
        """How many ranks there are up to `depth`, which may be on the scale."""
        whole: int | Floats = np.floor(depth) if isinstance(depth, np.ndarray) else depth
        if self.scale is not None:
            whole = np.floor(np.multiply(depth, hits.collection_size or 1) / SCALES[self.scale])
        return whole

    def averages(self) -> bool:
        return self.scale is None and super().averages()


def is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST


def require(condition: bool, measure: Measure, parameter: str, value: object, expected: str) -> None:
    """Raise ParameterError unless the condition holds."""
    if not condition:
        raise ParameterError(f"{measure.name}: {parameter} is {value!r}, expected {expected}")


def own_cutoff(hits: Hits, cutoff: str, rel: int, *, rounded: bool = True) -> Floats:
    """(queries) a cutoff that depends on the query.

    "size": the number of its relevant documents. "mean", "median": of the ranks of those retrieved, rounded down
    unless told not to. "recall=x": the rank at which the share x of all relevant documents is reached; infinite where
    it is not. Without any: 0.
    """
    n = hits.n_relevant(rel)
    if cutoff == "size":
        return n
    relevant = hits.relevant(rel)
    if cutoff in ("mean", "median"):
        at = middle if cutoff == "median" else mean
        depth = np.nan_to_num(at(hits.rank, relevant, hits))
        return np.floor(depth) if rounded else depth
    wanted = needed_for(cutoff, n)
    depth = np.where(wanted > 0, np.inf, 0.0)
    reached = relevant & (hits.relevant_above(rel) + 1 == wanted[hits.query])
    depth[hits.query[reached]] = hits.rank[reached]
    return depth


def needed_for(cutoff: str, n: Floats) -> Ints:
    """(queries) how many of n relevant documents are the share x of them, rounded up. cutoff: "recall=x"."""
    share = Fraction(cutoff.partition("=")[2])  # .1 of 30 documents are 3, whatever float64 makes of it
    return -(-n.astype(np.int64) * share.numerator // share.denominator)


def mean(values: Floats, marked: Bools, hits: Hits) -> Floats:
    """(queries) the mean of the marked values of each query; NaN where none is marked."""
    total, n = hits.sum(np.where(marked, values, 0.0)), hits.sum(marked)
    found: Floats = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return found


def middle(values: Floats, marked: Bools, hits: Hits) -> Floats:
    """(queries) the median of the marked values of each query, which must rise; NaN where none is marked."""
    rows, n = np.flatnonzero(marked), hits.sum(marked).astype(np.int64)
    there = n > 0
    first, n = (np.cumsum(n) - n)[there], n[there]
    found = np.full(there.shape, np.nan)
    found[there] = (values[rows[first + (n - 1) // 2]] + values[rows[first + n // 2]]) / 2
    return found


def within(hits: Hits, cutoff: int | Floats | None, marked: Bools) -> Bools | Floats:
    """(hits) which of the marked are within the cutoff. ties="average": the share of the orders in which they are.

    cutoff: one for all, or (queries).
    """
    if cutoff is None:
        return marked
    if isinstance(cutoff, np.ndarray):
        cutoff = cutoff[hits.query]
    if hits.ties != "average":
        return marked & (hits.rank <= cutoff)
    size = hits.last - hits.first + 1
    return marked * (np.clip(cutoff - hits.first + 1, 0, size) / size)


def ratio(a: Floats, b: Floats) -> Floats:
    """A / b, and 0 where b is 0."""
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)
