"""Votes: the ranks that each voter gives to the same items; lists may be partial, ranks tied, voters weighted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.data.ranking import normalise_ranks
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
#: Products of smaller weights would lose too many digits.
MIN_WEIGHT = 1e-303
#: How items are treated that a voter did not rank; the first is the default.
UNRANKED = ("average", "worst", "optimistic", "ignore")


def check_unranked(unranked: object, allowed: Sequence[str] = UNRANKED) -> None:
    """Raise ParameterError for an unknown rule for unranked items."""
    if unranked not in allowed:
        raise ParameterError(f"unranked is {unranked!r}, expected one of {', '.join(map(repr, allowed))}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Votes:
    """Voters' rankings of items: ranks of which the lowest is the best.

    Attributes
    ----------
    ranks
        (voters, items) any finite numbers of which only the order counts; equal ones are ties, NaN if a voter did not
        rank an item.
    items, voters
        Names.
    weights
        Weight of each voter, above 0. Default: 1 each.
    notes
        What a reader should know.
    where
        How an error names the place of an item, from its index, as "file:line"; not kept.

    Raises
    ------
    InputError
        There are fewer than two voters or items, a name occurs twice or is empty, nobody ranked an item, a voter ranked
        nothing, a rank is infinite, a weight is not above 0, or weights are too small or too large to be summed over
        voters and pairs of items (below 1e-303, or above about 1e300).

    Examples
    --------
    >>> votes = Votes.of([["A", "B", "C"], ["A", ["C", "B"]], {"B": 1, "A": 2}])
    >>> votes.items, votes.places.tolist()
    (('A', 'B', 'C'), [[1.0, 2.0, 3.0], [1.0, 2.5, 2.5], [2.0, 1.0, nan]])
    >>> votes.fill_unranked("worst")[2].tolist()
    [2.0, 1.0, 3.0]
    """

    ranks: Floats
    items: tuple[str, ...]
    voters: tuple[str, ...] = ()
    weights: Floats = field(default_factory=lambda: np.empty(0))
    notes: tuple[str, ...] = ()
    where: InitVar[Callable[[int], str] | None] = None

    def __post_init__(self, where: Callable[[int], str] | None) -> None:
        fields = self.__dict__
        ranks = np.array(self.ranks, np.float64)
        if ranks.ndim != 2:
            raise InputError(f"ranks of shape {ranks.shape}, expected (voters, items)")
        fields["ranks"] = ranks
        fields["items"] = tuple(self.items)
        fields["voters"] = tuple(self.voters) or tuple(str(i + 1) for i in range(len(ranks)))
        weights = np.array(self.weights, np.float64)
        fields["weights"] = weights if weights.size else np.ones(len(ranks))
        self._check(where)
        for array in (self.ranks, self.weights):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return f"Votes({pluralise(len(self.voters), 'voter')}, {pluralise(len(self.items), 'item')})"

    def _check(self, where: Callable[[int], str] | None) -> None:
        """Raise InputError for what the class refuses."""
        n_voters, n_items = self.ranks.shape
        for article, noun, names, n_expected in (
            ("a", "voter", self.voters, n_voters),
            ("an", "item", self.items, n_items),
        ):
            if len(names) != n_expected:
                raise InputError(
                    f"{pluralise(len(names), 'name')} for {pluralise(n_expected, noun)}, expected one each"
                )
            if n_expected < 2:
                raise InputError(f"{pluralise(n_expected, noun)}, expected at least two; there is nothing to merge")
            seen: set[str] = set()
            for name in names:
                if not name or name in seen:
                    problem = f"two {noun}s are named {name!r}" if name else f"{article} {noun} without a name"
                    raise InputError(f"{problem}, expected a name of its own for each")
                seen.add(name)
        if np.isinf(self.ranks).any():
            voter, item = np.argwhere(np.isinf(self.ranks))[0]
            raise InputError(
                f"the rank of {self.items[item]!r} by voter {self.voters[voter]!r} is infinite, expected a finite "
                "number, or nothing where it was not ranked"
            )
        is_ranked = ~np.isnan(self.ranks)
        if not is_ranked.any(axis=0).all():
            unranked = np.flatnonzero(~is_ranked.any(axis=0)).tolist()
            location = f"{where(unranked[0])}: " if where is not None else ""
            raise InputError(
                f"{location}nobody ranked {join_names(repr(self.items[i]) for i in unranked)}; leave out what no voter "
                "knows"
            )
        if not is_ranked.any(axis=1).all():
            silent_voters = [self.voters[i] for i in np.flatnonzero(~is_ranked.any(axis=1))]
            raise InputError(f"voter {join_names(map(repr, silent_voters))} ranked nothing, expected at least one item")
        if self.weights.shape != (len(self.voters),):
            raise InputError(
                f"{pluralise(self.weights.size, 'weight')} for {len(self.voters)} voters, expected one each"
            )
        invalid_voters = np.flatnonzero(~(np.isfinite(self.weights) & (self.weights > 0)))
        if invalid_voters.size:
            raise InputError(
                f"the weight of voter {self.voters[invalid_voters[0]]!r} is {self.weights[invalid_voters[0]]:g}, "
                "expected a number above 0; leave out voters who do not count"
            )
        max_weight = np.finfo(np.float64).max / (4.0 * n_voters * n_items**2)
        extreme_voters = np.flatnonzero((self.weights < MIN_WEIGHT) | (self.weights > max_weight))
        if extreme_voters.size:
            raise InputError(
                f"the weight of voter {self.voters[extreme_voters[0]]!r} is {self.weights[extreme_voters[0]]:g}, "
                f"expected {MIN_WEIGHT:g} to {max_weight:.2g}, so that sums are numbers; only proportions count, so "
                "divide all weights by one number"
            )

    @classmethod
    def of(
        cls,
        rankings: Votes | Iterable[NameList | Mapping[str, float | None]] | Mapping[str, Any],
        *,
        items: Sequence[str] | None = None,
        weights: Sequence[float] | Mapping[str, float] | None = None,
    ) -> Votes:
        """From lists of names or mappings of names to ranks, one per voter.

        Parameters
        ----------
        rankings
            Lists of names (a list within: tied) or mappings of names to ranks, also in a mapping by voter. Votes pass
            as they are, with other weights if given.
        items
            All items that may be ranked, in their order. Default: the items in the order in which they first occur.
        weights
            One per voter, or by name.

        Returns
        -------
        Votes
            The votes.

        Raises
        ------
        InputError
            As for the class, or a list holds an item twice, or one that is not among `items`.
        """
        if isinstance(rankings, Votes):
            return rankings if weights is None else rankings.with_weights(weights)
        if isinstance(rankings, str) or not isinstance(rankings, Iterable):
            raise ParameterError("rankings are lists of names or mappings of names to ranks, one a voter")
        is_named = isinstance(rankings, Mapping)
        voters = tuple(map(str, rankings)) if isinstance(rankings, Mapping) else ()
        ballots = list(rankings.values() if isinstance(rankings, Mapping) else rankings)
        voters = voters if is_named else tuple(str(i + 1) for i in range(len(ballots)))
        item_names, ranks = ballot_ranks(voters, ballots, items)
        votes = cls(ranks=ranks, items=item_names, voters=voters)
        return votes if weights is None else votes.with_weights(weights)

    def with_weights(self, weights: Sequence[float] | Mapping[str, float]) -> Votes:
        """The same votes with other weights.

        Parameters
        ----------
        weights
            One per voter, or by name: the others keep theirs.

        Returns
        -------
        Votes
            The votes.

        Raises
        ------
        InputError
            A weight is not above 0, or weights do not fit the voters.
        """
        if isinstance(weights, Mapping):
            unknown_voters = [name for name in weights if name not in self.voters]
            if unknown_voters:
                raise InputError(
                    f"a weight for {unknown_voters[0]!r}, who is not a voter; voters: {join_names(self.voters)}"
                )
            current_weights = zip(self.voters, self.weights.tolist(), strict=True)
            return replace(
                self, weights=np.array([float(weights.get(name, weight)) for name, weight in current_weights])
            )
        return replace(self, weights=np.array(weights, np.float64))

    @cached_property
    def places(self) -> Floats:
        """(voters, items) the ranks from 1 among what each voter ranked, tied ones share their mean; NaN: unranked."""
        return normalise_ranks(self.ranks, "middle")

    @property
    def complete(self) -> bool:
        """Whether every voter ranked every item."""
        return not np.isnan(self.ranks).any()

    def fill_unranked(self, unranked: str = "average") -> Floats:
        """The places with those of unranked items, all after the ranked ones.

        Parameters
        ----------
        unranked
            Of n items, k of them ranked, the others take (k + 1 + n) / 2 by "average", n by "worst", k + 1 by
            "optimistic", and stay NaN by "ignore".

        Returns
        -------
        array of shape (voters, items)
            The places.
        """
        check_unranked(unranked)
        if unranked == "ignore" or self.complete:
            return self.places
        n_items, n_ranked = len(self.items), (~np.isnan(self.ranks)).sum(axis=1, keepdims=True)
        unranked_place = {
            "average": (n_ranked + 1 + n_items) / 2,
            "worst": np.full(n_ranked.shape, float(n_items)),
            "optimistic": n_ranked + 1.0,
        }
        return np.where(np.isnan(self.places), unranked_place[unranked], self.places)


def ballot_ranks(
    voters: Sequence[str],
    ballots: Sequence[Any],
    items: Sequence[str] | None = None,
    where: Callable[[int], str] = lambda _: "",
) -> tuple[tuple[str, ...], Floats]:
    """The items of some ballots, and the ranks that voters gave them.

    Parameters
    ----------
    voters
        Names.
    ballots
        As for `Votes.of`.
    items
        All items that may be ranked.
    where
        What an error begins with for the ballot at an index, as "votes.jsonl:3: ".

    Returns
    -------
    items, ranks
        The items, and ranks of shape (voters, items), NaN if there is none.

    Raises
    ------
    InputError
        As for `Votes.of`.
    """
    column_of_item = {} if items is None else {str(name): i for i, name in enumerate(items)}
    duplicate = None if items is None else first_duplicate([str(name) for name in items])
    if items is not None and duplicate is not None:
        raise InputError(f"{items[duplicate]!r} occurs twice among the items; keep one of the two")
    rows: list[tuple[list[int], list[float]]] = []
    for i, (voter, ballot) in enumerate(zip(voters, ballots, strict=True)):
        try:
            names, ranks = ranks_of_ballot(ballot, voter)
            if items is None:
                columns = [column_of_item.setdefault(name, len(column_of_item)) for name in names]
            else:
                unknown = next((name for name in names if name not in column_of_item), None)
                if unknown is not None:
                    raise InputError(
                        f"voter {voter!r} ranked {unknown!r}, which is not among the {len(column_of_item)} items"
                    )
                columns = [column_of_item[name] for name in names]
            duplicate = first_duplicate(names)
            if duplicate is not None:
                raise InputError(f"voter {voter!r} ranked {names[duplicate]!r} twice; keep one of the two")
        except InputError as error:
            raise InputError(f"{where(i)}{error}") from None
        rows.append((columns, ranks))
    n_given = sum(len(columns) for columns, _ in rows)
    refuse_sparse((len(rows), len(column_of_item)), n_given, "votes", "voters and items")
    rank_table = np.full((len(rows), len(column_of_item)), np.nan)
    for i, (columns, ranks) in enumerate(rows):
        rank_table[i, columns] = ranks
    return tuple(column_of_item), rank_table


def ranks_of_ballot(ballot: Any, voter: str) -> tuple[list[str], list[float]]:
    """The names and ranks of one voter. Raises InputError."""
    if isinstance(ballot, Mapping):
        rank_of_item = {str(name): rank for name, rank in ballot.items() if rank is not None}
        try:
            return list(rank_of_item), [float(rank) for rank in rank_of_item.values()]
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"voter {voter!r}: a rank is not a number, expected ranks as {{'A': 1, 'B': 2}}") from None
    if isinstance(ballot, str) or not isinstance(ballot, Iterable):
        raise InputError(f"voter {voter!r}: {ballot!r}, expected a list of names, the best first")
    entries = list(ballot)
    if all(type(entry) is str for entry in entries):  # the usual case, checked quickly
        return entries, np.arange(1.0, len(entries) + 1).tolist()
    names: list[str] = []
    ranks: list[float] = []
    for entry in entries:
        is_single = isinstance(entry, (str, int, np.integer)) and not isinstance(entry, bool)
        tied_names = [entry] if is_single else entry
        if not isinstance(tied_names, Iterable) or isinstance(tied_names, (bytes, Mapping)):
            raise InputError(f"voter {voter!r}: {entry!r} in a list, expected a name, or a list of names that are tied")
        tied_names = list(tied_names)
        invalid = [
            name for name in tied_names if isinstance(name, bool) or not isinstance(name, (str, int, np.integer))
        ]
        if invalid:
            raise InputError(f"voter {voter!r}: {invalid[0]!r} among tied names, expected a name")
        ranks += [len(names) + (len(tied_names) + 1) / 2] * len(tied_names)
        names += map(str, tied_names)
    return names, ranks
