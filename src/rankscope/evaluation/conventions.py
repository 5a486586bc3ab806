"""Conventions of an evaluation: ties, missing lists, queries without relevant documents, unjudged documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.join import Convention
from rankscope.data.text import first_names
from rankscope.errors import InputError, ParameterError
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures, trec_name
from rankscope.measures.presets import find_preset
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "DEFAULT_MEASURES",
    "MISSING",
    "NO_RELEVANT",
    "UNJUDGED",
    "Plan",
    "make_plan",
]


DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
#: A query of the qrels for which the run has no list.
MISSING = {"zero": "an empty ranking", "drop": "left out of that system's values", "error": "refused"}
#: A query for which nothing relevant was judged.
NO_RELEVANT = {"zero": "what the measure says, 0 for most", "drop": "left out", "one": "counts as 1"}
#: A document of a list that has no judgment.
UNJUDGED = {
    "nonrelevant": "not relevant",
    "skip": "taken out of its list",
    "bounds": "not relevant; beside the value the highest and lowest that its judgment could make of it",
}
#: Documents that are looked at together for bounds, so that memory does not grow with the run.
BLOCK = 1 << 20


class MeasureAliases(Mapping[str, str]):
    """What measures are also called: as the user wrote them, and by trec_eval, whose names are made when asked for."""

    def __init__(self, written: Mapping[str, str], measures: Iterable[Measure]) -> None:
        self.written, self.measures = written, tuple(measures)

    @cached_property
    def all(self) -> dict[str, str]:
        return {**self.written, **{trec_name(measure): str(measure) for measure in self.measures}}

    def __getitem__(self, name: str) -> str:
        return self.all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that is settled before the first run is read."""

    measures: tuple[Measure, ...]
    convention: Convention
    missing: str
    no_relevant: str
    unjudged: str
    preset: str | None
    highest_grade: int | None
    least_rank: float
    asked: Mapping[str, str]  # other names of the measures, as the user wrote them
    _settings: dict[int, tuple[dict[str, str], ...]] = field(default_factory=dict, compare=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, self.measures))

    @cached_property
    def needs_subtopics(self) -> bool:
        """Whether a measure asks for judgments by subtopic."""
        return any(measure.needs_subtopics for measure in self.measures)

    @cached_property
    def may_lack_values(self) -> tuple[int, ...]:
        """The measures that have no value where nothing relevant was found, as a mean rank."""
        return tuple(m for m, measure in enumerate(self.measures) if measure.may_lack_value())

    def measure_settings(self, hits: Hits) -> tuple[dict[str, str], ...]:
        """The parameters of each measure for the signature."""
        if hits.max_grade not in self._settings:
            self._settings[hits.max_grade] = tuple(m.settings(hits) for m in self.measures)
        return self._settings[hits.max_grade]

    def read(self, hits: Hits) -> Hits:
        """The hits that are measured."""
        return hits.judged_only() if self.unjudged == "skip" else hits

    def measuring(self, measures: Iterable[str], *, unjudged: str | None = None) -> Plan:
        """The same conventions for other measures; those that cannot be averaged over ties are left out then."""
        found = [m for m in parse_measures(measures) if self.convention.ties != "average" or m.averages()]
        return replace(
            self,
            measures=tuple(found),
            asked=MeasureAliases({}, found),
            unjudged=self.unjudged if unjudged is None else unjudged,
            _settings={},
        )

    def values(self, hits: Hits, name: str) -> tuple[Floats, Bools]:
        """(measures, queries) the values of one system, and where nothing relevant was judged."""
        if self.missing == "error" and hits.missing.any():
            refuse_missing_queries(hits, name)
        if self.highest_grade is not None and hits.max_grade > self.highest_grade:
            raise ParameterError(
                f"the preset {self.preset} knows grades up to {self.highest_grade}, and a document is judged "
                f"{hits.max_grade}; map the grades to lower ones, or choose another preset"
            )
        values = np.array([measure(hits) for measure in self.measures])
        undefined = hits.once_for_pool(("undefined", self.names, hits.rel), lambda: self.undefined(hits))
        self.settle(values, undefined, hits)
        return values, undefined

    def settle(self, values: Floats, undefined: Bools, hits: Hits) -> None:
        """Put in what a query counts as that is missing or has nothing relevant. values: (measures, queries)."""
        if self.no_relevant != "zero" and undefined.any():
            values[undefined] = 1.0 if self.no_relevant == "one" else np.nan
        if self.missing == "drop" and hits.missing.any():
            values[:, hits.missing] = np.nan

    def bounds(self, hits: Hits, values: Floats, undefined: Bools) -> Floats:
        """(2, measures, queries) the lowest and highest values that missing judgments allow; NaN where unbounded.

        Of a bounded measure the value, which takes unjudged documents for not relevant, is the lowest.
        """
        best = [measure.best_grade(hits) for measure in self.measures]
        bounded = [m for m, grade in enumerate(best) if grade is not None]
        found = np.full((2, *values.shape), np.nan)
        found[0, bounded] = values[bounded]
        cutoffs = [getattr(self.measures[m], "cutoff", None) for m in bounded]
        depth = None if None in cutoffs else max(map(int, filter(None, cutoffs)), default=None)
        for a, b in query_blocks(hits.retrieved if depth is None else np.minimum(hits.retrieved, depth)):
            part = hits if (a, b) == (0, len(hits)) else hits.select(np.arange(a, b))
            filled = {best[m]: part.filled(int(best[m] or 0), depth) for m in bounded}
            for m in bounded:
                found[1, m, a:b] = self.measures[m](filled[best[m]])
        self.settle(found[1], undefined, hits)
        found[1][np.isnan(found[0])] = np.nan  # settle gives unbounded measures values, too
        return found

    def undefined(self, hits: Hits) -> Bools:
        """(measures, queries) where nothing relevant was judged, for the measures that need it."""
        return np.array([~measure.defined(hits) for measure in self.measures])

    def settings(self, n_queries: int, hits: Hits | None = None) -> dict[str, str]:
        """What changes the numbers whatever the measure, for the signature; as `hits` have it where given."""
        given = hits is not None and hits.ties == "given"  # a table of ranks, which nobody ranked anew
        found = {"preset": self.preset} if self.preset else {}
        if self.convention.precision != "float64":
            found["precision"] = self.convention.precision
        return {
            **found,
            "ties": "given" if given else self.convention.ties,
            "missing": self.missing,
            "no_relevant": self.no_relevant,
            **({"unjudged": self.unjudged} if self.unjudged != "nonrelevant" else {}),
            **({"total_ranks": str(hits.collection_size)} if given and hits and hits.collection_size else {}),
            "queries": str(n_queries),
        }


def query_blocks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Stretches of queries, a to b - 1, of about `BLOCK` documents together."""
    block = np.cumsum(sizes) // BLOCK
    cuts = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), sizes.size]
    yield from pairwise(cuts)


def refuse_missing_queries(hits: Hits, name: str) -> None:
    lacking = np.flatnonzero(hits.missing)
    shown = first_names(hits.query_ids[i] for i in lacking)
    raise InputError(
        f"{lacking.size} of {len(hits)} queries have no list in run {name!r} ({shown}); "
        "choose missing='drop' (--missing drop) to leave them out or 'zero' to count them as empty"
    )


def check_convention(what: str, value: str, known: Iterable[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{what} is {value!r}, expected one of {', '.join(known)}")
    return value


def make_plan(
    measures: str | Measure | Iterable[str | Measure] | None,
    *,
    preset: str | None = None,
    rel: int = 1,
    ties: str | None = None,
    missing: str = "zero",
    no_relevant: str | None = None,
    unjudged: str = "nonrelevant",
) -> Plan:
    """Check all arguments and settle what a preset leaves open. Raises ParameterError."""
    chosen = find_preset(preset) if preset is not None else None
    convention = Convention(
        ties=ties if ties is not None else chosen.ties if chosen else "doc_id_desc",
        precision=chosen.precision if chosen else "float64",
        rel=rel,
    )
    if measures is None:
        measures = chosen.measures if chosen else DEFAULT_MEASURES
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise ParameterError(f"measures are {measures!r}, expected a name such as nDCG@10, or a list of them")
    found: dict[str, Measure] = {}
    asked: dict[str, str] = {}
    for name in measures:
        parsed = parse_measures([name], chosen.parameters, chosen.renames) if chosen else parse_measures([name])
        for measure in parsed:  # {2: 5} and {2: 5.0} are one
            same = next((known for known in found.values() if known == measure), measure)
            found[str(same)] = same
        if len(parsed) == 1:
            asked[str(name)] = next(text for text, known in found.items() if known == parsed[0])
    if not found:
        raise ParameterError("no measures given, expected at least one, such as nDCG@10")
    if no_relevant == "one":
        for measure in found.values():
            if measure.may_lack_value():
                raise ParameterError(f"no_relevant='one' would give {measure} the best of its values; choose drop")
    if convention.ties == "average":
        if unjudged == "bounds":
            raise ParameterError("unjudged='bounds' asks for one order of each list; choose ties doc_id_desc or file")
        for measure in found.values():
            measure.refuse_average()
    return Plan(
        measures=tuple(found.values()),
        asked=MeasureAliases(asked, found.values()),
        convention=convention,
        missing=check_convention("missing", missing, MISSING),
        no_relevant=check_convention(
            "no_relevant",
            no_relevant if no_relevant is not None else chosen.no_relevant if chosen else "zero",
            NO_RELEVANT,
        ),
        unjudged=check_convention("unjudged", unjudged, UNJUDGED),
        preset=preset,
        highest_grade=chosen.highest_grade if chosen else None,
        least_rank=chosen.least_rank if chosen else 1.0,
    )
