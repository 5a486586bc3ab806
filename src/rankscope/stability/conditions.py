"""Conditions of a study: combinations of the numbers of splits, systems and entities (or queries)."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.stability.settings import StudySettings

__all__ = [
    "SINGULAR",
    "Condition",
    "make_conditions",
]


#: Groups of fewer entities get a note.
FEW_ENTITIES = 5
#: The least size of a group: means over fewer queries have no spread.
MIN_SIZES = {"entities": 1, "queries": 2, "clusters": 2}
SINGULAR = {"entities": "entity", "queries": "query", "clusters": "cluster"}


class Condition(NamedTuple):
    """One combination of the ranges.

    Parts of entities act as queries, and all of them are a set of queries; each part of queries, or of clusters of
    queries, is a set.

    Attributes
    ----------
    splits
        Into how many parts they are cut.
    entities
        How many entities of a table of ranks, or queries, or clusters, are drawn.
    """

    splits: int
    systems: int
    entities: int

    @property
    def size(self) -> int:
        """The least number of entities, queries or clusters in a part."""
        return self.entities // self.splits


def make_conditions(
    kind: str, n_items: int, n_systems: int, settings: StudySettings
) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """All combinations, and a note where groups are small.

    Parameters
    ----------
    kind
        "entities", "queries" or "clusters", of which there are `n_items`.
    n_items
        Number of all of them.
    n_systems
        Number of all systems.
    settings
        The settings of the study.

    Raises
    ------
    ParameterError
        For sets that cannot be drawn.
    InputError
        For fewer than two systems.
    """
    if n_systems < 2:
        raise InputError(f"{n_systems} system in the data, expected at least 2; add another")
    min_size = MIN_SIZES[kind]
    if n_items < 2 * min_size and settings.set_size is None:
        count_text = pluralise(n_items, SINGULAR[kind], kind)
        advice = "add some"
        if kind == "queries" and n_items == 1:
            advice += (
                ", or study the ranks of the relevant documents of this one: a table of ranks (--input entity-ranks), "
                "whose entities act as queries"
            )
        raise InputError(
            f"{count_text} in the data, expected at least {2 * min_size}: two groups of {min_size}; {advice}"
        )
    system_counts = settings.systems or (n_systems,)
    for count in system_counts:
        if count > n_systems:
            raise ParameterError(f"systems is {count}, and there are {n_systems}; ask for 2 to {n_systems}")
    if settings.set_size is not None:
        splits_and_entities = splits_for_sizes(kind, n_items, settings.set_size)
    else:
        split_counts = settings.splits or (10 if kind == "entities" else 2,)
        splits_and_entities = list(product(split_counts, settings.entities or (n_items,)))
    conditions = [Condition(a, s, e) for (a, e), s in product(splits_and_entities, system_counts)]
    for condition in conditions:
        check_condition(condition, kind, n_items, by_size=settings.set_size is not None)
    small_sizes = (
        sorted({condition.size for condition in conditions if condition.size < FEW_ENTITIES})
        if kind == "entities"
        else []
    )
    if not small_sizes:
        return tuple(conditions), ()
    return tuple(conditions), (
        f"groups of {join_names([str(n) for n in small_sizes])} entities are small (fewer than {FEW_ENTITIES}), so "
        "values say little; use fewer splits or more entities",
    )


def splits_for_sizes(kind: str, n_items: int, sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Splits and entities for sets of these sizes, with as many disjoint sets as possible."""
    if kind == "entities":
        raise ParameterError("set_size (--set-size) is for queries; entities are cut by splits")
    for size in sizes:
        if size > n_items:
            raise ParameterError(f"set_size (--set-size) is {size}, of {n_items} {kind}; ask for 2 to {n_items}")
    return [(n_items // size, n_items // size * size) for size in sizes]


def check_condition(condition: Condition, kind: str, n_items: int, *, by_size: bool) -> None:
    """Raise ParameterError for an impossible condition."""
    if condition.entities > n_items:
        raise ParameterError(
            f"entities is {condition.entities}, and there are {n_items} {kind}; ask for at most {n_items}"
        )
    if condition.splits == 1 and not by_size:
        reason = "tests need at least 2 groups" if kind == "entities" else "nothing is drawn then"
        raise ParameterError(f"splits is 1: {reason}; ask for 2 or more")
    min_size = MIN_SIZES[kind]
    if condition.entities < 2 * min_size and not by_size:
        raise ParameterError(
            f"entities is {condition.entities}, expected at least {2 * min_size} {kind}: two groups of {min_size}"
        )
    if condition.size < min_size:
        raise ParameterError(
            f"{condition.entities} {kind} cannot be cut into {condition.splits} parts of at least {min_size}; ask for "
            f"at most {condition.entities // min_size} splits"
        )
