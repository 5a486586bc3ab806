"""Tables of ranks: where each system ranked entities that are all relevant; judgments and runs in one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits
from rankscope.data.rows import first_duplicate
from rankscope.data.text import first_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.settings import Settings, name_list
from rankscope.typing import Floats, Ints

__all__ = [
    "EntityRankSettings",
    "EntityRanks",
    "Groups",
    "hits_of_entities",
    "look_like_ranks",
]


#: Places of entities in a table: a matrix (groups, size), or one list a group.
Groups = npt.ArrayLike | Sequence[npt.ArrayLike]
Where = Callable[[int], str]
#: Ranks from here on are not exact in float64.
MAX_RANK = 2**53
#: Numbers up to here may as well be ratings, and so few numbers anything.
MAX_RATING, FEWEST = 10, 4
#: So many shared ranks are whole by chance, if they are means, in about 3 of 100 tables.
FEWEST_SHARED = 5


@dataclass(frozen=True, kw_only=True)
class EntityRankSettings(Settings):
    """How a table of ranks, or of scores to be ranked, is read."""

    FUNCTIONS = ("rankscope:evaluate", "rankscope:read_entity_ranks", "rankscope:convert")
    COMMANDS = ("evaluate", "convert")

    table_systems: tuple[str, ...] = name_list(
        (),
        flag="--systems",
        argument="systems",
        help="Systems to read from a table with a column for each system: these columns.",
        unset="all columns but the first",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class EntityRanks:
    """The ranks that systems gave to entities, all of which are relevant.

    Attributes
    ----------
    ranks
        Ranks from 1, (systems, entities). Equal and fractional ranks are ties, which are taken as given (tools that
        rank tied items mostly give all of them their mean rank).
    systems
        Names of the systems.
    entity_ids
        Names of the entities.
    total_ranks
        Number of all items that each system ranked; percentiles, permilles and AUC need it.
    name
        Name of the only query.
    min_rank
        Lowest rank that is allowed; 0 allows any rank above 0.
    column_notes
        What a reader should know of the columns of the file.
    where
        How an error names the place of an entity, from its index, as "file:line"; not kept. Default: by the name.

    Raises
    ------
    InputError
        A rank is below `min_rank` or not finite, names or entities occur twice, there is no system or entity, shapes do
        not fit, or the total is below the largest rank.
    ParameterError
        The total is not a whole number of at least 1.

    Examples
    --------
    >>> table = EntityRanks(ranks=[[1, 2, 5], [3, 1, 9]], systems=["A", "B"], entity_ids=["x", "y", "z"])
    >>> table.hits("B").rank.tolist()
    [1.0, 3.0, 9.0]
    """

    ranks: Floats
    systems: tuple[str, ...]
    entity_ids: tuple[str, ...]
    total_ranks: int | None = None
    name: str = "entities"
    min_rank: float = 1.0
    column_notes: tuple[str, ...] = ()
    where: InitVar[Where | None] = None

    def __post_init__(self, where: Where | None) -> None:
        fields = self.__dict__
        fields["systems"], fields["entity_ids"] = tuple(self.systems), tuple(self.entity_ids)
        try:
            fields["ranks"] = np.array(self.ranks, np.float64)
        except (TypeError, ValueError):
            raise InputError("the ranks are no table of numbers, expected (systems, entities)") from None
        if self.total_ranks is not None:
            fields["total_ranks"] = check_total(self.total_ranks)
        self.ranks.flags.writeable = False
        check_entity_ranks(self, where or (lambda entity: f"entity {self.entity_ids[entity]!r}"))

    def __len__(self) -> int:
        """How many entities."""
        return len(self.entity_ids)

    def __repr__(self) -> str:
        return f"EntityRanks({pluralise(len(self.systems), 'system')}, {pluralise(len(self), 'entity', 'entities')})"

    @cached_property
    def tied(self) -> Ints:
        """(systems) how many entities have a rank that another one has as well, or a fractional one."""
        order = np.argsort(self.ranks, axis=1, kind="stable")
        sorted_ranks = np.take_along_axis(self.ranks, order, axis=1)
        equals_next = sorted_ranks[:, 1:] == sorted_ranks[:, :-1]
        is_tied = sorted_ranks % 1 != 0
        is_tied[:, 1:] |= equals_next
        is_tied[:, :-1] |= equals_next
        return np.asarray(is_tied.sum(axis=1), np.int64)

    @cached_property
    def are_competition_ranks(self) -> bool:
        """Whether ties look like ranks 1, 2, 2, 4 and not like mean ranks 1, 2.5, 2.5, 4.

        A rank too small to be the mean of its tied entities proves it. Else all ranks are whole, and so many of them
        are shared that means, of which about half are halves, would hardly be.
        """
        if (self.ranks % 1 != 0).any():
            return False
        groups = [np.unique(ranks, return_counts=True) for ranks in self.ranks]
        ranks, sizes = (np.concatenate(parts) for parts in zip(*groups, strict=True))
        is_shared = sizes > 1
        return bool(is_shared.sum() >= FEWEST_SHARED or (ranks < (sizes + 1) / 2)[is_shared].any())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: which columns are systems, and the ties."""
        tied_counts = [f"{name} {n}" for name, n in zip(self.systems, self.tied.tolist(), strict=True) if n]
        if not tied_counts:
            return self.column_notes
        tied_text = first_names(tied_counts, 5)
        tie_note = f"{self.name}: equal or fractional ranks are taken as ties, as they are given ({tied_text})"
        if not self.are_competition_ranks:
            return (*self.column_notes, tie_note)
        return (
            *self.column_notes,
            tie_note,
            f"{self.name}: these look like competition ranks (1, 2, 2, 4; all are whole), which favour many ties: mean "
            "ranks (1, 2.5, 2.5, 4) do not; n items tied from rank r on have the mean rank r + (n - 1) / 2",
        )

    def select(self, systems: Sequence[str]) -> EntityRanks:
        """The ranks of some systems.

        Parameters
        ----------
        systems
            Their names, in the order that the table is to have.

        Raises
        ------
        UnknownName
            A system does not exist.
        """
        unknown = next((name for name in systems if name not in self.systems), None)
        if unknown is not None:
            raise UnknownName(f"system of {self.name}, which systems (--systems) names", unknown, self.systems)
        ranks = self.ranks[[self.systems.index(name) for name in systems]]
        return replace(self, ranks=ranks, systems=tuple(systems), column_notes=(), where=None)

    def hits(self, system: str | None = None, groups: Groups | None = None) -> Hits:
        """The ranks of one system as hits: one query of relevant documents only, or one query per group.

        Parameters
        ----------
        system
            Name of the system. Default: the only one.
        groups
            Indices of entities, (groups, size) or a list of lists; the queries are then "0", "1", ...

        Returns
        -------
        Hits
            Sorted by rank; rank = first = last = the given rank, all grades are 1, `collection_size` is total_ranks,
            `retrieved` that or the system's largest rank rounded up, `ties` "given".

        Raises
        ------
        UnknownName
            The system does not exist.
        ParameterError
            No system is named, and there are several; or groups are malformed.
        """
        if system is None and len(self.systems) != 1:
            raise ParameterError(f"there are {len(self.systems)} systems; name one of {', '.join(self.systems)}")
        if system is not None and system not in self.systems:
            raise UnknownName("system of this table", system, self.systems)
        return self._hits(0 if system is None else self.systems.index(system), self._groups(groups), {})

    def _groups(self, groups: Groups | None) -> tuple[tuple[str, ...], Ints, Ints]:
        """The ids of queries, the entities of all groups one after the other, and where each group ends."""
        if groups is None:
            return (self.name,), np.arange(len(self)), np.array([0, len(self)])
        if isinstance(groups, np.ndarray):
            index_arrays, n_dimensions = [groups], 2
            lengths = np.full(groups.shape[:1], groups.shape[-1] if groups.ndim == 2 else 0, np.int64)
        else:
            index_arrays, n_dimensions = [np.asarray(group) for group in groups], 1  # type: ignore[union-attr]
            lengths = np.array([indices.size for indices in index_arrays], np.int64)
        for indices in index_arrays:
            if indices.ndim != n_dimensions:
                raise ParameterError(
                    f"groups of shape {indices.shape}, expected (groups, size), or one list of indices a group"
                )
            if indices.size and indices.dtype.kind not in "iu":
                raise ParameterError(f"groups of type {indices.dtype}, expected indices of entities")
        members = np.concatenate(
            [np.zeros(0, np.int64), *(indices.ravel().astype(np.int64) for indices in index_arrays)]
        )
        if members.size and not 0 <= members.min() <= members.max() < len(self):
            raise ParameterError(
                f"entities {members.min()} to {members.max()} in groups, expected indices from 0 to {len(self) - 1}"
            )
        return tuple(map(str, range(lengths.size))), members, bounds(lengths)

    def _hits(self, system: int, groups: tuple[tuple[str, ...], Ints, Ints], qrels_memory: dict[Any, Any]) -> Hits:
        query_ids, members, offsets = groups
        ranks, lengths = self.ranks[system][members], np.diff(offsets)
        if lengths.size and (lengths == lengths[0]).all():  # a table, which NumPy sorts line by line
            sorted_columns = np.argsort(ranks.reshape(lengths.size, int(lengths[0])), axis=1, kind="stable")
            order = (sorted_columns + offsets[:-1, None]).ravel()
        else:
            order = np.lexsort((ranks, group_of(offsets)))
        rank = ranks[order]
        n_retrieved = self.total_ranks or int(np.ceil(self.ranks[system].max()))
        return Hits(
            query_ids=query_ids,
            offsets=offsets,
            rank=rank,
            first=rank,
            last=rank,
            relevance=np.ones(rank.size, np.int64),
            judged=place_in_group(offsets)[order],
            retrieved=np.full(len(query_ids), n_retrieved, np.int64),
            missing=np.zeros(len(query_ids), np.bool_),
            grades=np.ones(rank.size, np.int64),
            grade_offsets=offsets,
            max_grade=1,
            collection_size=self.total_ranks,
            ties="given",
            _qrels_memory=qrels_memory,
        )


def hits_of_entities(table: EntityRanks, groups: Groups | None = None) -> list[tuple[str, Hits]]:
    """The name and the hits of each system of the table, in its order.

    Parameters
    ----------
    table
        The ranks.
    groups
        As for `EntityRanks.hits`, the same for all systems; what measures compute from the groups alone is computed
        once.

    Returns
    -------
    list of (str, Hits)
        Name and hits of each system.
    """
    grouping, qrels_memory = table._groups(groups), {}  # type: tuple[tuple[str, ...], Ints, Ints], dict[Any, Any]
    return [(name, table._hits(system, grouping, qrels_memory)) for system, name in enumerate(table.systems)]


def look_like_ranks(values: Floats) -> bool:
    """Whether all these numbers are 1 or more and whole or halves, and too many or too large to be ratings."""
    numbers = values[~np.isnan(values)]
    if numbers.size < FEWEST or numbers.min() < 1 or numbers.max() <= MAX_RATING:
        return False
    return bool((numbers * 2 % 1 == 0).all())


def check_total(total: object) -> int:
    """The number of ranked items as an int. Raises ParameterError where it is none."""
    if isinstance(total, bool) or not isinstance(total, (int, np.integer)) or not 1 <= total < MAX_RANK:
        raise ParameterError(
            f"the number of all ranked items is {total!r}, expected a whole number of at least 1 and below 2^53"
        )
    return int(total)


def check_entity_ranks(table: EntityRanks, where: Where) -> None:
    """Raise InputError for a table that is not valid."""
    systems, entities, ranks = table.systems, table.entity_ids, table.ranks
    if ranks.shape != (len(systems), len(entities)):
        raise InputError(
            f"ranks of shape {ranks.shape}, expected (systems, entities), ({len(systems)}, {len(entities)})"
        )
    if not systems or not entities:
        raise InputError(f"{len(systems)} systems and {len(entities)} entities, expected at least one of each")
    non_string = next((name for name in (*systems, *entities) if not isinstance(name, str)), None)
    if non_string is not None:
        raise InputError(
            f"the name {non_string!r} is not a string, expected strings for systems and entities; use str(...)"
        )
    duplicate = first_duplicate(systems)
    if duplicate is not None:
        raise InputError(
            f"two systems are named {systems[duplicate]!r}, expected a name of its own for each; rename one"
        )
    if "" in entities:
        raise InputError(f"{where(entities.index(''))}: an entity without a name, expected one; correct this line")
    duplicate = first_duplicate(entities)
    if duplicate is not None:
        raise InputError(f"{where(duplicate)}: entity {entities[duplicate]!r} is listed twice; keep one of its lines")
    is_invalid = ~((ranks < MAX_RANK) & (ranks >= table.min_rank) & (ranks > 0))
    if is_invalid.any():
        entity = int(np.flatnonzero(is_invalid.any(axis=0))[0])
        system = int(np.flatnonzero(is_invalid[:, entity])[0])
        expected = f"at least {table.min_rank:g}" if table.min_rank > 0 else "more than 0"
        expected += " and below 2^53"
        raise InputError(
            f"{where(entity)}: the rank of system {systems[system]!r} is {ranks[system, entity]:g}, expected a finite "
            f"number of {expected}; correct this rank"
        )
    if table.total_ranks is not None and table.total_ranks < ranks.max():
        system, entity = map(int, np.unravel_index(np.argmax(ranks), ranks.shape))
        raise InputError(
            f"{where(entity)}: the rank of system {systems[system]!r} is {ranks[system, entity]:g}, but only "
            f"{table.total_ranks} items were ranked according to --total-ranks (total_ranks); correct one of them"
        )
