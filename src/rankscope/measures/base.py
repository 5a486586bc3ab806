"""Base classes of measures: frozen parameters, a pure call, and a name that can be parsed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import MISSING, Field, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from rankscope.data.hit_pairs import HitPairs
from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.measures.cutoffs import QUERY_CUTOFF, QUERY_CUTOFF_FORMS, query_cutoff, within
from rankscope.settings import plain_number
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "Binary",
    "Measure",
    "require",
]


#: Upper limit of all parameters: far above any number of documents, and within 64 bits.
LARGEST = 10**18
#: Parameters that are grades.
GRADE_PARAMETERS = ("rel", "gmin", "gmax")
Summary = Literal["mean", "sum", "geometric", "none"]


@dataclass(frozen=True, kw_only=True)
class Measure(ABC):
    """A number for each query, computed from the hits. Subclasses are frozen dataclasses.

    Class attributes say what a user asks about a measure: `name` in the grammar, `range`, `higher_is_better`, `summary`
    (how a number for all queries is made), `source`. A field `cutoff` is written `@10` (or `@mean`, `@median`, `@size`,
    `@recall=0.5` where `allows_query_cutoffs`), other fields that differ from their default in parentheses.

    Raises
    ------
    ParameterError
        A parameter is out of range.

    Examples
    --------
    >>> import rankscope as rs
    >>> measure = rs.parse_measure("P(rel=2)@5")
    >>> measure, str(measure), measure.range, measure.higher_is_better
    (P(rel=2, scale=None, short='filled', cutoff=5), 'P(rel=2)@5', (0.0, 1.0), True)
    >>> measure(rs.hits_of({"q": {"a": 2, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}))
    array([0.2])
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
    allows_query_cutoffs: ClassVar[bool] = False
    #: The field that the name shows behind the @.
    at_parameter: ClassVar[str] = "cutoff"
    #: Whether it can be averaged over the orders of tied documents (ties="average").
    has_tie_average: ClassVar[bool] = False
    #: Whether it knows ranks below 1, which a table of ranks may hold where ranks are parts of 1.
    ranks_below_1: ClassVar[bool] = False
    #: Of a measure that, with a whole number k as its cutoff, looks at nothing but the first k documents of a list, its
    #: length, the first k of its grades and the number of relevant documents: the other parameters with which that
    #: stays so, whatever their value; those that are not named must have their defaults. None: whole lists are needed,
    #: or nobody has looked. A subclass says it anew.
    first_k_parameters: ClassVar[tuple[str, ...] | None] = None
    #: Fields that the name always shows, because everybody sets them differently.
    always_shown: ClassVar[tuple[str, ...]] = ()

    def __call__(self, hits: Hits) -> Floats:
        """(queries) the value of each query. Raises ParameterError where `hits` cannot be measured so."""
        if hits.ties == "average":
            self.check_tie_average()
        return self.values(hits)

    @abstractmethod
    def values(self, hits: Hits) -> Floats:
        """The value of each query: the one method that a measure must have.

        Parameters
        ----------
        hits
            The hits.

        Returns
        -------
        array of shape (queries)
            The values.
        """

    def can_average_ties(self) -> bool:
        """Whether it can be averaged over the orders of tied documents (ties="average") with these parameters."""
        return self.has_tie_average and not isinstance(getattr(self, "cutoff", None), str)

    def may_lack_value(self) -> bool:
        """Whether it has no value where nothing relevant was found, as a mean rank."""
        return self.higher_is_better is False and self.needs_relevant

    def needs_first_k_only(self) -> bool:
        """Whether nothing beyond its cutoff can change the value with these parameters; see `first_k_parameters`."""
        free_parameters = vars(type(self)).get("first_k_parameters")
        if free_parameters is None or not is_int(getattr(self, "cutoff", None)):
            return False
        return all(f.name in ("cutoff", *free_parameters) or getattr(self, f.name) == f.default for f in fields(self))

    def check_tie_average(self) -> None:
        """Raise ParameterError where it cannot be averaged over the orders of tied documents."""
        if self.can_average_ties():
            return
        reason, alternative = (
            "its average over the orders of tied documents has no closed form",
            "a measure that has one, as",
        )
        if self.has_tie_average:
            reason, alternative = (
                f"{reason} with these parameters",
                "other ones, as a whole number for the cutoff, with",
            )
        raise ParameterError(
            f"{self}: {reason}; choose another tie rule (doc_id_desc or file) or {alternative} P, R, F, RR, Success, "
            "AP, DCG, nDCG, ERR, RBP"
        )

    def best_grade(self, hits: Hits) -> float | None:
        """The grade with which an unjudged document of a list would raise the value to its highest.

        Parameters
        ----------
        hits
            The hits of a system.

        Returns
        -------
        float or None
            None, the default, if missing judgments do not bound the value, mostly because its denominator (the number
            of relevant documents, an ideal) would change as well.
        """
        return None

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        """By how much the value of a query would change if two of its hits changed places.

        Parameters
        ----------
        hits
            The hits.
        first, second
            Indices of the hits of each pair, (pairs).

        Returns
        -------
        array of shape (pairs)
            Changes of the values.

        Raises
        ------
        ParameterError
            The measure has no closed form of it.
        """
        raise ParameterError(
            f"{self}: there is no closed form for what two documents that change places change; choose one of "
            "DCG, nDCG, P, AP, RR, ERR, RBP"
        )

    def contributions(self, hits: Hits) -> Floats | None:
        """What each hit adds to the value of its query, if that depends on its own rank and the judgments alone.

        Parameters
        ----------
        hits
            The hits.

        Returns
        -------
        array of shape (hits), or None
            With a term for each query that depends on the judgments alone, they sum to the values. None, the default:
            what a document adds depends on the list.
        """
        return None

    def shapley_values(self, pairs: HitPairs) -> Floats | None:
        """What each document's change of rank contributes to the difference of two lists, as a Shapley value.

        Parameters
        ----------
        pairs
            The documents of both lists.

        Returns
        -------
        array of shape (documents), or None
            They sum to the differences of the values. None, the default: there is no closed form, or `contributions`
            says it already.
        """
        return None

    def level(self, hits: Hits) -> float:
        """The lowest grade that counts: by default any gain at all.

        Parameters
        ----------
        hits
            The hits.

        Returns
        -------
        float
            The grade.
        """
        return hits.least_gain

    def defined(self, hits: Hits) -> Bools:
        """Whether the value of each query means something: by default, if something relevant was judged.

        Parameters
        ----------
        hits
            The hits.

        Returns
        -------
        array of shape (queries)
            True or False.
        """
        if not self.needs_relevant:
            return np.ones(len(hits), np.bool_)
        return hits.n_relevant(self.level(hits)) > 0

    def used(self, hits: Hits) -> Floats:
        """On how many relevant documents each value rests: those retrieved within the cutoff.

        Parameters
        ----------
        hits
            The hits.

        Returns
        -------
        array of shape (queries)
            The counts.
        """
        return hits.sum(within(hits, self.resolve_cutoff(hits), hits.relevant(self.level(hits))))

    def resolve_cutoff(self, hits: Hits) -> int | Floats | None:
        """The cutoff, or (queries) the cutoff of each query if it depends on the query.

        Parameters
        ----------
        hits
            The hits.

        Returns
        -------
        int, array of shape (queries), or None
            None means no cutoff.
        """
        cutoff: int | str | None = getattr(self, "cutoff", None)
        return query_cutoff(hits, cutoff, self.level(hits)) if isinstance(cutoff, str) else cutoff

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        """Every parameter with its value as text, for the signature.

        Parameters
        ----------
        hits
            If given, parameters have the values that these hits resolve them to.

        Returns
        -------
        dict
            Parameter -> value.
        """
        settings = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "rel" and value is None and hits is not None:
                value = hits.rel
            if f.name != self.at_parameter and value is not None:
                settings[f.name] = str(value)
        return settings

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        shown_fields = [f for f in fields(self) if f.name != self.at_parameter and self._is_shown(f)]
        parameters = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in shown_fields)
        cutoff = getattr(self, self.at_parameter, None)
        return self.name + (f"({parameters})" if parameters else "") + (f"@{cutoff}" if cutoff is not None else "")

    def _is_shown(self, f: Field[Any]) -> bool:
        return f.name in self.always_shown or f.default is MISSING or getattr(self, f.name) != f.default

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.generic):  # a number from a NumPy array
                object.__setattr__(self, f.name, value.item())
            if f.name in GRADE_PARAMETERS and isinstance(value, float):  # 1.0 and 1 have one name
                object.__setattr__(self, f.name, plain_number(value))
        self.check_shared()
        self.check()

    def check_shared(self) -> None:
        """Raise ParameterError for a `cutoff` or a `rel` out of range, where the measure has them."""
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "cutoff":
                is_optional = f.default is not MISSING
                is_query_cutoff = (
                    self.allows_query_cutoffs and isinstance(value, str) and QUERY_CUTOFF.fullmatch(value) is not None
                )
                if is_query_cutoff and value.startswith("recall="):  # .5 and 0.50 are 0.5
                    object.__setattr__(self, f.name, f"recall={float(value.removeprefix('recall='))!r}")
                valid = (value is None and is_optional) or (is_int(value) and 1 <= value < LARGEST) or is_query_cutoff
                expected = "a whole number of at least 1, as in @10" + (
                    QUERY_CUTOFF_FORMS if self.allows_query_cutoffs else ""
                )
                require(valid, self, "cutoff", value, expected)
            elif f.name == "rel":
                valid = value is None or (is_number(value) and value > 0)
                require(valid, self, "rel", value, "a number above 0")

    def check(self) -> None:  # noqa: B027 - most measures have nothing more to check
        """Raise ParameterError for a parameter of its own out of range (the shared ones are checked already)."""


@dataclass(frozen=True, kw_only=True)
class Binary(Measure):
    """Base of measures that only ask whether a document is relevant.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    """

    rel: float | None = None

    def level(self, hits: Hits) -> float:
        return hits.rel if self.rel is None else self.rel


def is_int(value: object) -> bool:
    """Whether it is a whole number, and not True or False."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST


def require(condition: bool, measure: Measure, parameter: str, value: object, expected: str) -> None:
    """Raise ParameterError unless the condition holds."""
    if not condition:
        raise ParameterError(f"{measure.name}: {parameter} is {value!r}, expected {expected}")


def ratio(a: Floats, b: Floats) -> Floats:
    """The quotient `a / b`, and 0 where b is 0."""
    if np.count_nonzero(b) == b.size == a.size:  # the usual case, in a third of the time
        return a / b
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)
