"""Votes: the ranks that each voter gives to the same items; lists may be partial, ranks tied, voters weighted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.data.rank_list import normalise_ranks
from rankscope.data.rows import first_duplicate
from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats

__all__ = [
    "UNRANKED",
    "Votes",
    "ballot_ranks",
    "check_unranked",
]


#: A list of names, the best first; a list within it holds tied ones.
NameList = Sequence[str | Sequence[str]]
#: Smaller weights have too few digits left once they are multiplied.
LEAST_WEIGHT = 1e-303
#: What becomes of items that a voter left out; the first is the default.
UNRANKED = ("average", "worst", "optimistic", "ignore")


def check_unranked(unranked: object, allowed: Sequence[str] = UNRANKED) -> None:
    if unranked not in allowed:
        raise ParameterError(f"unranked is {unranked!r}, expected one of {', '.join(map(repr, allowed))}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Votes:
    """What voters make of items: ranks of which the lowest is the best.

    ranks: (voters, items) any finite numbers, equal ones are ties, NaN where a voter did not rank an item; only their
    order counts. items, voters: names. weights: (voters) how much each counts, above 0; one each where none are given.
    notes: what a reader should know.

    Raises InputError for fewer than two voters or items, an item or voter of one name twice or of none, an item that
    nobody ranked, a voter who ranked nothing, infinite ranks, a weight that is not above 0, and weights that are too
    small or too large to be summed over voters and pairs of items (below 1e-303, or above about 1e300).

    >>> votes = Votes.of([["A", "B", "C"], ["A", ["C", "B"]], {"B": 1, "A": 2}])
    >>> votes.items, votes.places.tolist()
    (('A', 'B', 'C'), [[1.0, 2.0, 3.0], [1.0, 2.5, 2.5], [2.0, 1.0, nan]])
    >>> votes.filled("worst")[2].tolist()
    [2.0, 1.0, 3.0]
    """

    ranks: Floats
    items: tuple[str, ...]
    voters: tuple[str, ...] = ()
    weights: Floats = field(default_factory=lambda: np.empty(0))
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        everything = self.__dict__
        ranks = np.array(self.ranks, np.float64)
        if ranks.ndim != 2:
            raise InputError(f"ranks of shape {ranks.shape}, expected (voters, items)")
        everything["ranks"] = ranks
        everything["items"] = tuple(self.items)
        everything["voters"] = tuple(self.voters) or tuple(str(i + 1) for i in range(len(ranks)))
        weights = np.array(self.weights, np.float64)
        everything["weights"] = weights if weights.size else np.ones(len(ranks))
        self.check()
        for array in (self.ranks, self.weights):
            array.flags.writeable = False

    def check(self) -> None:
        n_voters, n_items = self.ranks.shape
        for article, what, names, n in (("a", "voter", self.voters, n_voters), ("an", "item", self.items, n_items)):
            if len(names) != n:
                raise InputError(f"{pluralise(len(names), 'name')} for {pluralise(n, what)}, expected one each")
            if n < 2:
                raise InputError(f"{pluralise(n, what)}, expected at least two; there is nothing to merge")
            seen: set[str] = set()
            for name in names:
                if not name or name in seen:
                    found = f"two {what}s are named {name!r}" if name else f"{article} {what} without a name"
                    raise InputError(f"{found}, expected a name of its own for each")
                seen.add(name)
        if np.isinf(self.ranks).any():
            voter, item = np.argwhere(np.isinf(self.ranks))[0]
            raise InputError(
                f"the rank of {self.items[item]!r} by voter {self.voters[voter]!r} is infinite, expected a finite "
                "number, or nothing where it was not ranked"
            )
        there = ~np.isnan(self.ranks)
        if not there.any(axis=0).all():
            lost = [self.items[i] for i in np.flatnonzero(~there.any(axis=0))]
            raise InputError(f"nobody ranked {join_names(map(repr, lost))}; leave out what no voter knows")
        if not there.any(axis=1).all():
            idle = [self.voters[i] for i in np.flatnonzero(~there.any(axis=1))]
            raise InputError(f"voter {join_names(map(repr, idle))} ranked nothing, expected at least one item")
        if self.weights.shape != (len(self.voters),):
            raise InputError(
                f"{pluralise(self.weights.size, 'weight')} for {len(self.voters)} voters, expected one each"
            )
        bad = np.flatnonzero(~(np.isfinite(self.weights) & (self.weights > 0)))
        if bad.size:
            raise InputError(
                f"the weight of voter {self.voters[bad[0]]!r} is {self.weights[bad[0]]:g}, expected a number above 0; "
                "leave out voters who do not count"
            )
        most = np.finfo(np.float64).max / (4.0 * n_voters * n_items**2)
        beyond = np.flatnonzero((self.weights < LEAST_WEIGHT) | (self.weights > most))
        if beyond.size:
            raise InputError(
                f"the weight of voter {self.voters[beyond[0]]!r} is {self.weights[beyond[0]]:g}, expected "
                f"{LEAST_WEIGHT:g} to {most:.2g}, so that sums are numbers; only proportions count, so divide all "
                "weights by one number"
            )

    @classmethod
    def of(
        cls,
        rankings: Votes | Iterable[NameList | Mapping[str, float | None]] | Mapping[str, Any],
        *,
        items: Sequence[str] | None = None,
        weights: Sequence[float] | Mapping[str, float] | None = None,
    ) -> Votes:
        """From lists of names (a list within: tied) or mappings of names to ranks, one a voter, named in a mapping.

        items: all that may be ranked, in their order; without them the items in the order in which they first stand.
        weights: one a voter, or by name. Votes pass as they are, with other weights where some are given.
        Raises InputError as the class, for an item that a list holds twice, and for one that is not among `items`.
        """
        if isinstance(rankings, Votes):
            return rankings if weights is None else rankings.weighted(weights)
        if isinstance(rankings, str) or not isinstance(rankings, Iterable):
            raise ParameterError("rankings are lists of names or mappings of names to ranks, one a voter")
        named = isinstance(rankings, Mapping)
        voters = tuple(map(str, rankings)) if isinstance(rankings, Mapping) else ()
        ballots = list(rankings.values() if isinstance(rankings, Mapping) else rankings)
        voters = voters if named else tuple(str(i + 1) for i in range(len(ballots)))
        names, ranks = ballot_ranks(voters, ballots, items)
        votes = cls(ranks=ranks, items=names, voters=voters)
        return votes if weights is None else votes.weighted(weights)

    def weighted(self, weights: Sequence[float] | Mapping[str, float]) -> Votes:
        """The same with other weights, one a voter; by name: the others keep theirs. Raises InputError."""
        if isinstance(weights, Mapping):
            unknown = [name for name in weights if name not in self.voters]
            if unknown:
                raise InputError(f"a weight for {unknown[0]!r}, who is no voter; voters: {join_names(self.voters)}")
            old = zip(self.voters, self.weights.tolist(), strict=True)
            return replace(self, weights=np.array([float(weights.get(name, one)) for name, one in old]))
        return replace(self, weights=np.array(weights, np.float64))

    @cached_property
    def places(self) -> Floats:
        """(voters, items) the ranks from 1 among what each voter ranked, tied ones share their mean; NaN: unranked."""
        return normalise_ranks(self.ranks, "middle")

    @property
    def complete(self) -> bool:
        """Whether every voter ranked every item."""
        return not np.isnan(self.ranks).any()

    def filled(self, unranked: str = "average") -> Floats:
        """(voters, items) the places with those of unranked items, all behind the ranked ones.

        unranked: of n items, k of them ranked, the others take (k + 1 + n) / 2 by "average", n by "worst", k + 1 by
        "optimistic", and stay NaN by "ignore".
        """
        check_unranked(unranked)
        if unranked == "ignore" or self.complete:
            return self.places
        n, ranked = len(self.items), (~np.isnan(self.ranks)).sum(axis=1, keepdims=True)
        place = {"average": (ranked + 1 + n) / 2, "worst": np.full(ranked.shape, float(n)), "optimistic": ranked + 1.0}
        return np.where(np.isnan(self.places), place[unranked], self.places)


def ballot_ranks(
    voters: Sequence[str],
    ballots: Sequence[Any],
    items: Sequence[str] | None = None,
    where: Callable[[int], str] = lambda _: "",
) -> tuple[tuple[str, ...], Floats]:
    """The items of some ballots, as `Votes.of` takes them, and (voters, items) their ranks, NaN where there is none.

    where: what an error begins with for the ballot of a place, as "votes.jsonl:3: ". Raises InputError.
    """
    places = {} if items is None else {str(name): i for i, name in enumerate(items)}
    twice = None if items is None else first_duplicate([str(name) for name in items])
    if items is not None and twice is not None:
        raise InputError(f"{items[twice]!r} stands twice among the items; keep one of the two")
    found: list[tuple[list[int], list[float]]] = []
    for i, (voter, ballot) in enumerate(zip(voters, ballots, strict=True)):
        try:
            names, ranks = ranks_of_ballot(ballot, voter)
            if items is None:
                row = [places.setdefault(name, len(places)) for name in names]
            else:
                unknown = next((name for name in names if name not in places), None)
                if unknown is not None:
                    raise InputError(f"voter {voter!r} ranked {unknown!r}, which is not among the {len(places)} items")
                row = [places[name] for name in names]
            twice = first_duplicate(names)
            if twice is not None:
                raise InputError(f"voter {voter!r} ranked {names[twice]!r} twice; keep one of the two")
        except InputError as error:
            raise InputError(f"{where(i)}{error}") from None
        found.append((row, ranks))
    given = sum(len(row) for row, _ in found)
    refuse_sparse((len(found), len(places)), given, "votes", "voters and items")
    table = np.full((len(found), len(places)), np.nan)
    for i, (row, ranks) in enumerate(found):
        table[i, row] = ranks
    return tuple(places), table


def ranks_of_ballot(ballot: Any, voter: str) -> tuple[list[str], list[float]]:
    """The names and ranks of one voter. Raises InputError."""
    if isinstance(ballot, Mapping):
        there = {str(name): rank for name, rank in ballot.items() if rank is not None}
        try:
            return list(there), [float(rank) for rank in there.values()]
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"voter {voter!r}: a rank is no number, expected ranks as {{'A': 1, 'B': 2}}") from None
    if isinstance(ballot, str) or not isinstance(ballot, Iterable):
        raise InputError(f"voter {voter!r}: {ballot!r}, expected a list of names, the best first")
    entries = list(ballot)
    if all(type(entry) is str for entry in entries):  # quickly told
        return entries, np.arange(1.0, len(entries) + 1).tolist()
    names: list[str] = []
    ranks: list[float] = []
    for entry in entries:
        alone = isinstance(entry, (str, int, np.integer)) and not isinstance(entry, bool)
        tied = [entry] if alone else entry
        if not isinstance(tied, Iterable) or isinstance(tied, (bytes, Mapping)):
            raise InputError(f"voter {voter!r}: {entry!r} in a list, expected a name, or a list of names that are tied")
        tied = list(tied)
        odd = [name for name in tied if isinstance(name, bool) or not isinstance(name, (str, int, np.integer))]
        if odd:
            raise InputError(f"voter {voter!r}: {odd[0]!r} among tied names, expected a name")
        ranks += [len(names) + (len(tied) + 1) / 2] * len(tied)
        names += map(str, tied)
    return names, ranks
