"""What a measure is: frozen parameters, a pure call, and a name that can be read back."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import MISSING, Field, dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError

__all__ = ["Binary", "Measure", "require"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
#: No parameter reaches this: far above any number of documents, and a whole number of 64 bits.
LARGEST = 10**18
#: A cutoff that depends on the query, see `own_cutoff`.
OWN_CUTOFF = re.compile(r"mean|size|recall=(0?\.[0-9]{1,15}|1(\.0{1,15})?)")
OWN_FORMS = ", or @mean, @size, @recall=0.5"

Summary = Literal["mean", "sum", "geometric", "none"]


@dataclass(frozen=True, kw_only=True)
class Measure(ABC):
    """A number for each query, computed from the hits. Subclasses are frozen dataclasses.

    Class attributes say what a user asks about a measure: `name` in the grammar, `range`,
    `higher_is_better`, `summary` (how a number for all queries is made), `source`.
    A field `cutoff` is written `@10` (or `@mean`, `@size`, `@recall=0.5` where `own_cutoffs`); other fields that differ
    from their default in parentheses.
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
    #: Whether the cutoff may be one that each query has of its own: @mean, @size, @recall=0.5.
    own_cutoffs: ClassVar[bool] = False
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

    def refuse_average(self) -> None:
        """Raise ParameterError where it cannot be averaged over the orders of tied documents."""
        if not self.averages():
            raise ParameterError(
                f"{self}: its average over the orders of tied documents has no closed form; choose another tie rule "
                "(doc_id_desc or file) or a measure that has one, such as P, R, F, RR, Success, AP, DCG, nDCG, ERR, RBP"
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
        self.check()

    def check(self) -> None:  # noqa: B027 - most measures have nothing more to check
        """Raise ParameterError for a parameter out of range (`cutoff` and `rel` are checked already)."""


@dataclass(frozen=True, kw_only=True)
class Binary(Measure):
    """A measure that only asks whether a document is relevant.

    rel: least relevance that counts; None: the one that the evaluation was asked for (1, or `--rel`).
    """

    rel: int | None = None

    def level(self, hits: Hits) -> int:
        return hits.rel if self.rel is None else self.rel


def is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST


def require(condition: bool, measure: Measure, parameter: str, value: object, expected: str) -> None:
    """Raise ParameterError unless the condition holds."""
    if not condition:
        raise ParameterError(f"{measure.name}: {parameter} is {value!r}, expected {expected}")


def own_cutoff(hits: Hits, cutoff: str, rel: int) -> Floats:
    """(queries) a cutoff that depends on the query.

    "size": the number of its relevant documents. "mean": the mean rank of those retrieved, rounded down. "recall=x":
    the rank at which the share x of all relevant documents is reached; infinite where it is not. Without any: 0.
    """
    n = hits.n_relevant(rel)
    if cutoff == "size":
        return n
    relevant = hits.relevant(rel)
    if cutoff == "mean":
        return np.floor(ratio(hits.sum(np.where(relevant, hits.rank, 0.0)), hits.sum(relevant)))
    share = Fraction(cutoff.partition("=")[2])  # .1 of 30 documents are 3, whatever float64 makes of it
    wanted = -(-n.astype(np.int64) * share.numerator // share.denominator)
    depth = np.where(wanted > 0, np.inf, 0.0)
    reached = relevant & (hits.relevant_above(rel) + 1 == wanted[hits.query])
    depth[hits.query[reached]] = hits.rank[reached]
    return depth


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
