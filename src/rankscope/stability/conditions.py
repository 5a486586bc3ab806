"""Under which conditions measures are tried: how many splits, systems and entities (or queries)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError

__all__ = [
    "Condition",
    "integers_of_range",
    "make_conditions",
]


#: Groups of fewer entities give values that say little.
FEW = 5
#: What a group holds at least: means over fewer queries have no spread.
LEAST = {"entities": 1, "queries": 2}


class Condition(NamedTuple):
    """One combination of the ranges.

    entities: so many are drawn: entities of a table of ranks, or queries. splits: into so many parts they are cut. Of
    entities the parts act as queries, and all of them are a set of queries; of queries each part is a set.
    """

    splits: int
    systems: int
    entities: int

    @property
    def size(self) -> int:
        """How many entities or queries a part has at least."""
        return self.entities // self.splits


def integers_of_range(name: str, values: object, least: int) -> tuple[int, ...]:
    """The values of a range, each once. Raises ParameterError for what is no whole number of at least `least`."""
    found = values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else values
    found = found if isinstance(found, Sequence) and not isinstance(found, str) else [found]
    if not found:
        raise ParameterError(f"{name} holds no value, expected at least one whole number")
    for value in found:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise ParameterError(f"{name} is {value!r}, expected a whole number of at least {least}")
    return tuple(dict.fromkeys(map(int, found)))


def make_conditions(
    what: str,
    n_items: int,
    n_systems: int,
    *,
    splits: object = None,
    systems: object = None,
    entities: object = None,
    set_size: object = None,
) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """All combinations, and a note where groups are small. what: "entities" or "queries", of which there are `n_items`.

    set_size: queries of a set, in the place of splits and entities. Raises ParameterError for what cannot be drawn,
    InputError for fewer than two systems.
    """
    if n_systems < 2:
        raise InputError(f"{n_systems} system in the data; a measure is tried on at least 2, so add another")
    least = LEAST[what]
    if n_items < 2 * least and set_size is None:
        there = pluralise(n_items, "entity" if what == "entities" else "query", what)
        raise InputError(f"{there} in the data, expected at least {2 * least}: two groups of {least}; add some")
    chosen = integers_of_range("systems", n_systems if systems is None else systems, 2)
    for count in chosen:
        if count > n_systems:
            raise ParameterError(f"systems is {count}, and there are {n_systems}; ask for 2 to {n_systems}")
    if set_size is not None:
        pairs = of_sets(what, n_items, splits, entities, integers_of_range("set_size (--set-size)", set_size, 2))
    else:
        cut = integers_of_range("splits", (10 if what == "entities" else 2) if splits is None else splits, 1)
        drawn = integers_of_range("entities", n_items if entities is None else entities, 2)
        pairs = list(product(cut, drawn))
    found = [Condition(a, s, e) for (a, e), s in product(pairs, chosen)]
    for one in found:
        check(one, what, n_items, by_size=set_size is not None)
    small = sorted({one.size for one in found if one.size < FEW}) if what == "entities" else []
    if not small:
        return tuple(found), ()
    return tuple(found), (
        f"groups of {join_names([str(n) for n in small])} entities are small (fewer than {FEW}), so that values say "
        "little; take fewer splits or more entities",
    )


def of_sets(what: str, n_items: int, splits: object, entities: object, sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Splits and entities that make sets of these sizes: as many disjoint ones as there can be."""
    if what == "entities":
        raise ParameterError("set_size (--set-size) is for queries; entities are cut by splits")
    if splits is not None or entities is not None:
        raise ParameterError("set_size (--set-size) says how splits and entities are chosen; leave these out")
    for size in sizes:
        if size > n_items:
            raise ParameterError(f"set_size (--set-size) is {size}, of {n_items} queries; ask for 2 to {n_items}")
    return [(n_items // size, n_items // size * size) for size in sizes]


def check(one: Condition, what: str, n_items: int, *, by_size: bool) -> None:
    """Raise ParameterError for a condition that cannot be had."""
    if one.entities > n_items:
        raise ParameterError(f"entities is {one.entities}, and there are {n_items} {what}; ask for at most {n_items}")
    if one.splits == 1 and not by_size:
        why = "a group is one query then, and tests need at least 2" if what == "entities" else "nothing is drawn then"
        raise ParameterError(f"splits is 1: {why}; ask for 2 or more")
    least = LEAST[what]
    if one.entities < 2 * least and not by_size:
        raise ParameterError(f"entities is {one.entities}, expected at least {2 * least} {what}: two groups of {least}")
    if one.size < least:
        raise ParameterError(
            f"{one.entities} {what} cannot be cut into {one.splits} parts of at least {least}; ask for at most "
            f"{one.entities // least} splits"
        )
