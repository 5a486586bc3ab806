"""All methods by name: what turns votes into an order, and what each takes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from rankscope.consensus.base import Method
from rankscope.data.votes import Votes
from rankscope.errors import ParameterError, UnknownName

__all__ = [
    "METHODS",
    "SLENDER",
    "check_parameters",
    "method_named",
    "parameters_of",
    "steps_of",
    "width_of",
    "work_of",
]


class Home(NamedTuple):
    """Where a method is: the module of this package, and the class. work: what it works through, one of `WORK`."""

    module: str
    name: str
    work: str = "ranks"


#: What a method does for one draw of so many voters and items, in steps of about a nanosecond, as measured.
WORK: Mapping[str, Callable[[int, int], float]] = {
    "ranks": lambda voters, items: voters * items / 4,
    "medians": lambda voters, items: 20 * voters * items,
    "pairs": lambda voters, items: (20 + voters / 10) * items**2,
    "chains": lambda voters, items: (10 + voters / 10) * items**2 + items**3 / 20,
    "paths": lambda voters, items: (20 + voters / 10) * items**2 + items**3 / 2,
    "locking": lambda voters, items: (20 + voters / 10) * items**2 + 8 * items**3,
    "search": lambda voters, items: (300 + voters / 10) * items**2,
    "assignment": lambda voters, items: (20 + voters) * items**2 + items**3,
    "fit": lambda voters, items: 1000 * voters * items + 3 * items**3,
    "binomials": lambda voters, items: 4 * voters**3 + 20 * voters * items,
}
#: What goes through ranks only, and needs no table of pairs.
SLENDER = ("ranks", "medians", "binomials", "fit")


class Methods(Mapping[str, type[Method]]):
    """Methods by name; the file that holds one is loaded when it is first asked for."""

    def __init__(self, homes: Mapping[str, Home]) -> None:
        self.homes = dict(homes)

    def __getitem__(self, name: str) -> type[Method]:
        home = self.homes[name]
        found = getattr(importlib.import_module(f"rankscope.consensus.{home.module}"), home.name)
        assert issubclass(found, Method)
        return found  # type: ignore[no-any-return]  # getattr has no type

    def __contains__(self, name: object) -> bool:
        return name in self.homes

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __len__(self) -> int:
        return len(self.homes)


#: Every method by its name, with what it works through, in the order in which they are listed.
METHODS = Methods(
    {
        "borda": Home("positional", "Borda"),
        "mean-rank": Home("positional", "MeanRank"),
        "median-rank": Home("positional", "MedianRank", "medians"),
        "copeland": Home("majorities", "Copeland", "pairs"),
        "schulze": Home("widest_paths", "Schulze", "paths"),
        "ranked-pairs": Home("locked_pairs", "RankedPairs", "locking"),
        "kemeny": Home("optimal", "Kemeny", "search"),
        "footrule": Home("assignment", "Footrule", "assignment"),
        "robust-rank": Home("robust", "RobustRank", "binomials"),
        "mc1": Home("chains", "MC1", "chains"),
        "mc2": Home("chains", "MC2", "chains"),
        "mc3": Home("chains", "MC3", "chains"),
        "mc4": Home("chains", "MC4", "chains"),
        "plackett-luce": Home("worths", "PlackettLuce", "fit"),
        "mallows": Home("dispersion", "Mallows", "search"),
    }
)


def check_method(name: str) -> None:
    """Raise UnknownName for a method that there is not."""
    if name not in METHODS:
        raise UnknownName("method", name, METHODS)


def parameters_of(name: str) -> tuple[str, ...]:
    """What a method can be told, by name; empty where there is nothing to tell it."""
    check_method(name)
    return tuple(one.name for one in fields(METHODS[name]) if one.init)  # type: ignore[arg-type]  # all are dataclasses


def method_named(name: str | Method, **parameters: Any) -> Method:
    """The method of that name with these parameters; a method passes as it is, without any.

    Raises UnknownName for another name, ParameterError for a parameter that the method does not take, and for a value
    that it refuses.

    >>> str(method_named("borda", unranked="worst"))
    "borda(unranked='worst')"
    """
    if isinstance(name, Method):
        if parameters:
            raise ParameterError(
                f"{next(iter(parameters))} beside a method that is made already; give it its parameters"
            )
        return name
    check_parameters(name, parameters)
    return METHODS[name](**parameters)


def check_parameters(name: str, given: Iterable[str], called: str | None = None) -> None:
    """Raise ParameterError for a parameter that a method has not. called: by whoever asks, where not by its name."""
    known = parameters_of(name)
    for key in given:
        if key not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise ParameterError(f"{called or name} has no parameter {key!r}; {takes}")


def steps_of(method: Method, votes: Votes) -> float:
    """How much a method does for one draw of the voters, in steps of about a nanosecond."""
    return WORK[work_of(method)](*votes.ranks.shape)


def width_of(method: Method, votes: Votes) -> int:
    """How many numbers it holds for one draw."""
    voters, items = votes.ranks.shape
    return int(max(voters, items if work_of(method) in SLENDER else items**2))


def work_of(method: Method) -> str:
    """By its class; one that is not in the table is taken for one that compares all pairs of items."""
    homes = {home.name: home.work for home in METHODS.homes.values()}
    return homes.get(type(method).__name__, "pairs")
