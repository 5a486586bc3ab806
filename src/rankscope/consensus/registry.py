"""All consensus methods by name, with their parameters and the work they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from rankscope.consensus.base import Method
from rankscope.consensus.parameters import (
    exact_field,
    points_field,
    prior_field,
    pvalue_field,
    restarts_field,
    strength_field,
    teleport_field,
    time_limit_field,
    unranked_field,
)
from rankscope.data.votes import Votes
from rankscope.errors import ParameterError, SettingError, UnknownName
from rankscope.registry import LazyRegistry
from rankscope.settings import Settings, choice

__all__ = [
    "METHODS",
    "WORK_WITHOUT_PAIRS",
    "MethodOptions",
    "check_parameters",
    "method_by_name",
    "parameters_of",
    "steps_of",
    "width_of",
]


#: The work for one draw of a number of voters and items, in steps of about a nanosecond, as measured.
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
#: Kinds of work that need only ranks, no table of pairs.
WORK_WITHOUT_PAIRS = ("ranks", "medians", "binomials", "fit")
#: Every method by its name, in the order of lists; loaded when first used.
METHODS: Mapping[str, type[Method]] = LazyRegistry(
    {
        "borda": "rankscope.consensus:Borda",
        "mean-rank": "rankscope.consensus:MeanRankAggregation",
        "median-rank": "rankscope.consensus:MedianRankAggregation",
        "copeland": "rankscope.consensus:Copeland",
        "schulze": "rankscope.consensus:Schulze",
        "ranked-pairs": "rankscope.consensus:RankedPairs",
        "kemeny": "rankscope.consensus:Kemeny",
        "footrule": "rankscope.consensus:Footrule",
        "robust-rank": "rankscope.consensus:RobustRank",
        "mc1": "rankscope.consensus:MC1",
        "mc2": "rankscope.consensus:MC2",
        "mc3": "rankscope.consensus:MC3",
        "mc4": "rankscope.consensus:MC4",
        "plackett-luce": "rankscope.consensus:PlackettLuce",
        "mallows": "rankscope.consensus:Mallows",
    }
)


def parameters_of(name: str) -> tuple[str, ...]:
    """The names of the parameters of a method. Raises UnknownName."""
    if name not in METHODS:
        raise UnknownName("method", name, METHODS)
    parameters = fields(METHODS[name])
    return tuple(parameter.name for parameter in parameters if parameter.init)


def method_by_name(name: str | Method, **parameters: Any) -> Method:
    """The method of a name with these parameters; a `Method` is returned as it is, and takes none.

    Raises UnknownName for an unknown name, ParameterError for a parameter that the method does not have, and for a
    value that is out of range.

    >>> str(method_by_name("borda", unranked="worst"))
    "borda(unranked='worst')"
    """
    if isinstance(name, Method):
        if parameters:
            raise ParameterError(
                f"{next(iter(parameters))} with a method object; pass the parameters to the method itself"
            )
        return name
    check_parameters(name, parameters)
    return METHODS[name](**parameters)


def check_parameters(name: str, names: Iterable[str], label: str | None = None) -> None:
    """Raise ParameterError for a parameter that the method does not have. label: what the message calls the method."""
    accepted = parameters_of(name)
    for key in names:
        if key not in accepted:
            accepted_text = f"it takes {', '.join(accepted)}" if accepted else "it takes none"
            raise ParameterError(f"{label or name} has no parameter {key!r}; {accepted_text}")


def steps_of(method: Method, votes: Votes) -> float:
    """The work of a method for one resample of the voters, in steps of about a nanosecond."""
    return WORK[method.work](*votes.ranks.shape)


def width_of(method: Method, votes: Votes) -> int:
    """How many numbers a method holds for one resample."""
    n_voters, n_items = votes.ranks.shape
    return int(max(n_voters, n_items if method.work in WORK_WITHOUT_PAIRS else n_items**2))


@dataclass(frozen=True, kw_only=True)
class MethodOptions(Settings):
    """A method by name, with the parameters of all methods; None stands for the default of the method."""

    COMMANDS = ("consensus",)

    method: str = choice("borda", METHODS, kind="method", help="Method that merges the rankings.")
    unranked: str | None = unranked_field(None, unset="average, for most methods")
    strength: str | None = strength_field(None, "schulze and ranked-pairs")
    pvalue: str | None = pvalue_field(None, "robust-rank")
    teleport: float | None = teleport_field(None, "mc1 to mc4")
    prior: float | None = prior_field(None, "plackett-luce")
    exact: bool | None = exact_field(None, "kemeny")
    time_limit: float | None = time_limit_field(None, "kemeny and mallows")
    restarts: int | None = restarts_field(None, "kemeny")
    points: tuple[float, ...] | None = points_field(None, "borda")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that have a value."""
        return {name: getattr(self, name) for name in self.declared() if name != "method" and self.is_changed(name)}

    def check(self) -> None:
        """Refuse parameters that the method does not have."""
        accepted = [name for name in parameters_of(self.method) if name in self.declared()]
        for name in self.parameters:
            if name not in accepted:
                setting = self.declared()[name]
                flags = [self.declared()[accepted_name].flag for accepted_name in accepted]
                raise SettingError(
                    name, setting.flag, f"is not for the method {self.method}; it takes {', '.join(flags) or 'none'}"
                )

    def build(self) -> Method:
        """The method."""
        return method_by_name(self.method, **self.parameters)
