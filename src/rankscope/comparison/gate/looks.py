"""Looks: the gate asked again with more queries, as planned, so that all looks together keep the level; and their file.

The file holds, by the name of the new system, the queries that each look added, their differences, and what was decided
and spent. A look takes the queries of all looks before it, with the same differences, and new ones.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.comparison.gate.settings import GateSettings
from rankscope.data.text import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_writable, is_file, write_text
from rankscope.stats.group_sequential import sequential_bounds, spent_level
from rankscope.typing import Floats, PathLike

__all__ = [
    "ALL",
    "Look",
    "Looks",
    "Part",
    "betting_order",
    "differences_by_query",
    "look_text",
]


#: The entry of the file that tells it from other JSON, and the version of its form.
KEY, FORM = "looks of rankscope gate", 1
#: The group of all queries.
ALL = "all"
#: Differences that agree to this are the same: they may be computed on another machine.
SAME = 1e-9
#: Queries that a message names at most.
MOST_IN_MESSAGE = 3


class Part(NamedTuple):
    """What one verdict is about.

    Attributes
    ----------
    measure, baseline
        Their names.
    group
        The group of queries, or `ALL`.
    """

    measure: str
    baseline: str
    group: str = ALL


class Look(NamedTuple):
    """One look.

    Attributes
    ----------
    queries
        The queries that it added.
    spent
        How much of the level is used up after it; NaN for bets.
    parts
        For each part a mapping: its number of queries with a value, n; their differences, as far as the look added
        them; level, pvalue_noninferior, pvalue_worse, verdict.
    """

    queries: tuple[str, ...]
    spent: float
    parts: Mapping[Part, Mapping[str, Any]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Looks:
    """The looks at one new system, with the one that is taken now.

    Attributes
    ----------
    path
        Their file.
    system
        The new system.
    settings
        The settings of the gate.
    plan
        What has to stay the same from look to look, by name.
    earlier
        The looks before this one.
    queries
        The queries of this look, all of them.
    number
        The number of this look, from 1.
    is_repeated
        Whether the file has it already.
    others
        What the file holds of other systems.
    """

    path: str
    system: str
    settings: GateSettings
    plan: Mapping[str, Any]
    earlier: tuple[Look, ...]
    queries: tuple[str, ...]
    number: int
    is_repeated: bool
    repeated: tuple[Look, ...]
    others: Mapping[str, Any]

    @classmethod
    def open(
        cls,
        path: PathLike,
        system: str,
        settings: GateSettings,
        plan: Mapping[str, Any],
        queries: Sequence[str],
    ) -> Looks:
        """The look at these queries. Raises InputError, ParameterError."""
        name = os.fspath(path)
        check_writable(path)
        systems = read_looks(name) if is_file(path) else {}
        entry = systems.pop(system, None)
        recorded = [] if entry is None else looks_of_json(entry, name)
        if entry is not None:
            refuse_another_plan(entry.get("plan", {}), plan, name, system)
        seen: set[str] = set()
        for index, look in enumerate(recorded):
            seen.update(look.queries)
            if seen == set(queries):
                earlier, repeated = tuple(recorded[:index]), tuple(recorded[index:])
                break
        else:
            earlier, repeated = tuple(recorded), ()
            refuse_gone(seen, queries, name)
        looks = cls(
            path=name,
            system=system,
            settings=settings,
            plan=plan,
            earlier=earlier,
            queries=tuple(queries),
            number=len(earlier) + 1,
            is_repeated=bool(repeated),
            repeated=repeated,
            others=systems,
        )
        looks.refuse_beyond_plan()
        return looks

    def refuse_beyond_plan(self) -> None:
        """Raise ParameterError for more queries or looks than are planned."""
        settings = self.settings
        if settings.up_to is not None and len(self.queries) > settings.up_to:
            raise ParameterError(
                f"--up-to {settings.up_to} (up_to) is the largest number of queries, and there are "
                f"{len(self.queries):,}: the level is planned for no more; take {settings.up_to:,} of them"
            )
        if settings.looks is not None and self.number > settings.looks:
            raise ParameterError(
                f"{self.path}: {settings.looks} looks were planned (--looks), and all of them were taken; to ask "
                "again, take fresh queries only, with another file (--looks-file)"
            )

    @property
    def times(self) -> list[float]:
        """The share of what is planned at each look, up to this one."""
        if self.settings.looks is not None:
            return [number / self.settings.looks for number in range(1, self.number + 1)]
        sizes = np.cumsum([len(look.queries) for look in self.earlier]).tolist()
        return [n / (self.settings.up_to or len(self.queries)) for n in (*sizes, len(self.queries))]

    @property
    def spent(self) -> float:
        """How much of the level is used up after this look; NaN for bets."""
        if not self.settings.plans_looks:
            return math.nan
        return float(spent_level(self.times[-1], alpha=self.settings.alpha, spending=self.settings.spending))

    def level(self, part: Part, n: int) -> float:
        """The p-value that a test must not exceed at this look. n: queries of the part with a value."""
        if not self.settings.plans_looks:
            return self.settings.alpha
        sizes = [int(look.parts[part]["n"]) if part in look.parts else 0 for look in self.earlier]
        # A look that added nothing to this part is the one before it.
        steps = [i for i, size in enumerate(sizes) if size > max([0, *sizes[:i]])]
        if not sizes or n > max(sizes):
            steps.append(len(sizes))
        bounds = sequential_bounds(
            [self.times[i] for i in steps],
            alpha=self.settings.alpha,
            spending=self.settings.spending,
            information=[(*sizes, n)[i] for i in steps],
        )
        return float(bounds.level[-1])

    def refuse_changes(self, part: Part, differences: Mapping[str, float]) -> None:
        """Raise InputError where differences of earlier looks are others now. differences: by query."""
        for number, look in enumerate((*self.earlier, *self.repeated[:1]), 1):
            recorded = look.parts.get(part, {}).get("differences", {})
            changed = [
                query
                for query in look.queries
                if not is_same(recorded.get(query, math.nan), differences.get(query, math.nan))
            ]
            if changed:
                raise InputError(
                    f"{self.path}: {part.measure} of {self.system} against {part.baseline} changed on {len(changed):,} "
                    f"of the {pluralise_queries(len(look.queries))} of look {number} "
                    f"({join_names(changed, MOST_IN_MESSAGE)}): it is another system, baseline or set of judgments, "
                    "and looks are at the same with more queries; give the new system another name, or another file "
                    "(--looks-file)"
                )

    def added(self) -> tuple[str, ...]:
        """The queries that this look adds."""
        seen = {query for look in self.earlier for query in look.queries}
        return tuple(query for query in self.queries if query not in seen)

    def order(self) -> list[str]:
        """All queries of this look in the order of bets: those of earlier looks first."""
        return [query for look in self.earlier for query in look.queries] + betting_order(self.added())

    def save(self, parts: Mapping[Part, Mapping[str, Any]]) -> None:
        """Write the file with this look, if it is new. parts: as in `Look`, with the differences of all queries."""
        if self.is_repeated:
            return
        added = betting_order(self.added())
        look = Look(
            queries=tuple(added),
            spent=self.spent,
            parts={
                part: {
                    **numbers,
                    "differences": {query: numbers["differences"].get(query, math.nan) for query in added},
                }
                for part, numbers in parts.items()
            },
        )
        entry = {
            "plan": dict(self.plan),
            "looks": [look_to_json(recorded) for recorded in (*self.earlier, look)],
        }
        content = {KEY: FORM, "version": __version__, "systems": {**self.others, self.system: entry}}
        write_text(self.path, json.dumps(content, indent=1) + "\n")


def is_same(a: float, b: float) -> bool:
    """Whether two differences are one, or both missing."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return abs(a - b) <= SAME * max(1.0, abs(a), abs(b))


def betting_order(queries: Sequence[str]) -> list[str]:
    """The order in which queries are bet on: by a hash of their ids, so that nobody chooses it."""
    return sorted(queries, key=lambda query: blake2b(query.encode("utf-8", "surrogateescape")).digest())


def refuse_gone(seen: set[str], queries: Sequence[str], name: str) -> None:
    """Raise InputError for queries of earlier looks that are not among those of this one."""
    gone = sorted(seen.difference(queries))
    if gone:
        raise InputError(
            f"{name}: {len(gone):,} of the {pluralise_queries(len(seen))} of earlier looks "
            f"{'is' if len(gone) == 1 else 'are'} gone ({join_names(gone, MOST_IN_MESSAGE)}), expected all of them and "
            "new ones; for other queries only, name another file (--looks-file)"
        )


def refuse_another_plan(saved: Mapping[str, Any], plan: Mapping[str, Any], name: str, system: str) -> None:
    """Raise ParameterError where the plan of the looks is another."""
    for key in dict.fromkeys((*saved, *plan)):
        if saved.get(key) != plan.get(key):
            raise ParameterError(
                f"{name}: {key} of {system} was {plan_text(saved.get(key))} at earlier looks and is "
                f"{plan_text(plan.get(key))} now; keep it, or name another file (--looks-file)"
            )


def plan_text(value: object) -> str:
    """A value of a plan in a message."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "not set" if value is None else str(value)


def read_looks(name: str) -> dict[str, Any]:
    """The systems of a file of looks. Raises InputError."""
    try:
        with open(name, encoding="utf-8") as file:
            content = json.load(file)
        if content[KEY] == FORM and isinstance(content["systems"], dict):
            return dict(content["systems"])
        form = content[KEY]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{name}: not a file of looks, or damaged, expected what the gate wrote; name another file (--looks-file)"
        ) from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); check the file, or name another") from None
    raise InputError(f"{name}: looks in form {form!r}, expected form {FORM}; use the rankscope that wrote it")


def looks_of_json(entry: Any, name: str) -> list[Look]:
    """The looks of one system. Raises InputError."""
    try:
        return [
            Look(
                queries=tuple(map(str, look["queries"])),
                spent=math.nan if look["spent"] is None else float(look["spent"]),
                parts={
                    Part(part["measure"], part["baseline"], part["group"]): {
                        "n": int(part["n"]),
                        **{key: part[key] for key in ("level", "pvalue_noninferior", "pvalue_worse", "verdict")},
                        "differences": {
                            str(query): math.nan if value is None else float(value)
                            for query, value in part["differences"].items()
                        },
                    }
                    for part in look["parts"]
                },
            )
            for look in entry["looks"]
        ]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{name}: a damaged file of looks, expected what the gate wrote; name another") from None


def look_to_json(look: Look) -> dict[str, Any]:
    """A look for JSON, which has no NaN."""
    return {
        "queries": list(look.queries),
        "spent": without_nan(look.spent),
        "parts": [
            {
                **part._asdict(),
                **{key: without_nan(value) for key, value in numbers.items() if key != "differences"},
                "differences": {query: without_nan(value) for query, value in numbers["differences"].items()},
            }
            for part, numbers in look.parts.items()
        ],
    }


def without_nan(value: Any) -> Any:
    """A number, or None for NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


def differences_by_query(query_ids: Sequence[str], places: npt.NDArray[np.int64], values: Floats) -> dict[str, float]:
    """The differences by the ids of their queries."""
    return {query_ids[place]: value for place, value in zip(places.tolist(), values.tolist(), strict=True)}


def look_text(looks: Looks, levels: Sequence[float]) -> str:
    """Which look it is, and what a pass needs at it, in words. levels: of all its tests."""
    settings = looks.settings
    if not settings.plans_looks:
        return f"Look {looks.number} by bets, which may be looked at as often as one likes."
    if settings.looks is not None:
        which = f"Look {looks.number} of at most {settings.looks}"
    else:
        n = len(looks.queries)
        which = f"Look {looks.number}, at {n:,} of at most {pluralise(settings.up_to or n, 'query', 'queries')}"
    low, high = f"{min(levels):.2g}", f"{max(levels):.2g}"
    needed = low if low == high else f"{low} to {high}"
    spent = f"{looks.spent:.2g} of {settings.alpha:g} is spent"
    if looks.is_repeated:
        spent += ", by this same look taken before"
    return f"{which}: a pass needs p <= {needed} ({settings.spending}; {spent})."
