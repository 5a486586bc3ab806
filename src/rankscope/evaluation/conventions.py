"""Conventions of an evaluation: ties, missing lists, queries without relevant documents, unjudged documents.

`ConventionSettings` holds what the user sets, `Plan` what then holds for all measures and runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np

from rankscope.data.chunks import DocumentMap, doc_of_field, duplicates_field
from rankscope.data.grades import level_above_grades
from rankscope.data.hits import Hits
from rankscope.data.join import Convention
from rankscope.data.spans import OVERLAP_OF, Overlap
from rankscope.data.text import first_names
from rankscope.data.tie_breaking import TIE_RULES
from rankscope.errors import InputError, ParameterError
from rankscope.io.chunk_tables import document_map
from rankscope.io.core import FORMATS
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures, trec_name
from rankscope.measures.presets import PRESETS, find_preset
from rankscope.settings import (
    DetailedChoice,
    Number,
    Settings,
    choice,
    count,
    declare,
    excludes,
    grade_level,
    needs,
    number,
)
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "DEFAULT_MEASURES",
    "MISSING",
    "NO_RELEVANT",
    "ON_ERROR",
    "UNJUDGED",
    "ConventionSettings",
    "InputSettings",
    "Plan",
    "RunErrorSettings",
    "level_fault",
    "make_plan",
    "plan_evaluation",
]


DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
#: A query of the qrels for which the run has no list.
MISSING = {"zero": "an empty ranking", "drop": "skipped for that system", "error": "refused"}
#: A query for which nothing relevant was judged.
NO_RELEVANT = {"zero": "what the measure says, 0 for most", "drop": "skipped", "one": "counts as 1"}
#: A document of a list that has no judgment.
UNJUDGED = {
    "nonrelevant": "not relevant",
    "skip": "removed from its list",
    "bounds": "not relevant; beside the value the highest and lowest that its judgment could make of it",
}
#: A run, or a partition of one, that cannot be read.
ON_ERROR = {"stop": "raises an error", "skip": "skipped, with a note"}
#: The conventions that a preset may set, and their values where neither the user nor the preset sets them.
DEFAULT_CONVENTIONS = {"ties": "doc_id_desc", "no_relevant": "zero"}
#: Documents in one block of bounds, so that memory does not grow with the run.
BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class ConventionSettings(Settings):
    """The conventions of an evaluation, as the user sets them. `plan_evaluation` fills the others from the preset."""

    FUNCTIONS = ("rankscope:evaluate", "rankscope:Evaluator")
    COMMANDS = (
        *("evaluate", "compare", "gate", "diff", "plan", "report", "stability", "agree measures", "agree judgments"),
    )

    preset: str | None = choice(
        None,
        PRESETS,
        kind="preset",
        metavar="NAME",
        help="Conventions of a reference tool; `rankscope measures --presets` lists them.",
    )
    rel: float = grade_level()
    missing: str = choice(
        "zero", MISSING, help="Queries missing from a run: score them as empty, skip them, or stop with an error."
    )
    no_relevant: str | None = choice(
        None,
        NO_RELEVANT,
        help="Queries without relevant documents: score them as the measure defines (mostly 0), skip them, or score "
        "them as 1.",
        unset="as the preset says, else zero",
    )
    unjudged: str = choice(
        "nonrelevant",
        UNJUDGED,
        help="Unjudged documents: treat them as not relevant, remove them from the list, or count them as not "
        "relevant and also show the lowest and highest values that their judgments could give.",
    )
    ties: str | None = choice(
        None,
        TIE_RULES,
        kind="tie rule",
        metavar="RULE",
        help="Order of documents with equal scores: by id (doc_id_desc, as trec_eval), file order (file), the average "
        "over all orders (average), or stop if a judged document is tied (error).",
        unset="as the preset says, else doc_id_desc",
    )
    duplicates: str | None = duplicates_field()
    doc_of: DocumentMap | str | None = doc_of_field(
        depends=excludes("overlap", reason="spans are mapped to gold spans")
    )
    overlap: float | None = number(
        None,
        rule=Number(0, 1, low_open=True),
        metavar="SHARE",
        help="Least share of a gold span, such as 0.5, that a retrieved span must cover to find it; QRELS then holds "
        "gold spans, and each RUN retrieved spans (columns query, file, begin, end).",
    )
    overlap_of: str = choice(
        "gold",
        OVERLAP_OF,
        help="With --overlap: take the share of the gold span, of the retrieved span, or of their union.",
        depends=needs("overlap"),
    )


@dataclass(frozen=True, kw_only=True)
class InputSettings(Settings):
    """How the inputs of an evaluation are read."""

    FUNCTIONS = ("rankscope:evaluate",)
    COMMANDS = ConventionSettings.COMMANDS

    input: str | None = declare(
        DetailedChoice(FORMATS),
        None,
        "Format of the runs. elasticsearch:FILE names the queries of responses, in order; mteb:SUBSET/SPLIT chooses "
        "predictions. With letor or letor-ranks, QRELS is a label file and each RUN a file of predictions or rank "
        "positions; with entity-ranks, QRELS is a table of ranks and there are no runs.",
        unset="detected from the content",
    )
    total_ranks: int | None = count(
        None,
        maximum=2**53 - 1,
        help="For tables of ranks: number of all items that each system ranked, including those not in the table.",
    )


@dataclass(frozen=True, kw_only=True)
class RunErrorSettings(Settings):
    """What happens if a run cannot be read."""

    FUNCTIONS = ("rankscope:evaluate",)
    COMMANDS = ("evaluate",)

    on_error: str = choice(
        "stop", ON_ERROR, help="Runs, and partitions of runs, that cannot be read: stop, or skip them with a note."
    )


class PlanKey:
    """A key that is hashed once: for short runs, hashing the names of measures takes longer than looking them up."""

    __slots__ = ("content", "hash")

    def __init__(self, content: tuple[Any, ...]) -> None:
        self.content, self.hash = content, hash(content)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, PlanKey) and self.content == other.content)


class MeasureAliases(Mapping[str, str]):
    """Other names of measures: as the user wrote them, and as in trec_eval (made when first needed)."""

    def __init__(self, written: Mapping[str, str], measures: Iterable[Measure]) -> None:
        self.user_names, self.measures = written, tuple(measures)

    @cached_property
    def full_names(self) -> dict[str, str]:
        """The name of a measure by each of its other names."""
        return {**self.user_names, **{trec_name(measure): str(measure) for measure in self.measures}}

    def __getitem__(self, name: str) -> str:
        return self.full_names[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.full_names)

    def __len__(self) -> int:
        return len(self.full_names)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The checked settings of an evaluation, before the first run is read.

    Attributes
    ----------
    measures
        The measures.
    convention
        How lists are ranked, and what counts as relevant.
    missing
        One of `MISSING`.
    no_relevant
        One of `NO_RELEVANT`.
    unjudged
        One of `UNJUDGED`.
    preset
        The tool whose conventions these are.
    highest_grade
        The highest grade that the preset knows. None for no limit.
    least_rank
        The lowest rank that a table of ranks may hold.
    overlap
        For judgments and runs of spans, what a retrieved span must share with a gold span to find it.
    aliases
        Other names of the measures, as the user wrote them.
    """

    measures: tuple[Measure, ...]
    convention: Convention
    missing: str
    no_relevant: str
    unjudged: str
    preset: str | None
    highest_grade: float | None
    least_rank: float
    overlap: Overlap | None
    aliases: Mapping[str, str]
    # Signatures that were made: of measures by the highest grade, of the plan by the number of queries.
    _settings: dict[float, tuple[dict[str, str], ...]] = field(default_factory=dict, compare=False)
    _shared_settings: dict[int, dict[str, str]] = field(init=False, default_factory=dict, compare=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(map(str, self.measures))

    @cached_property
    def key(self) -> PlanKey:
        """Stands for the measures and conventions on which depends what is computed from judgments alone."""
        return PlanKey((self.names, self.convention.rel, self.no_relevant))

    @cached_property
    def needs_subtopics(self) -> bool:
        """Whether a measure needs judgments by subtopic."""
        return any(measure.needs_subtopics for measure in self.measures)

    @cached_property
    def may_lack_values(self) -> tuple[int, ...]:
        """Indices of the measures that have no value where nothing relevant was retrieved, as a mean rank."""
        return tuple(m for m, measure in enumerate(self.measures) if measure.may_lack_value())

    def measure_settings(self, hits: Hits) -> tuple[dict[str, str], ...]:
        """The parameters of each measure for the signature."""
        if hits.max_grade not in self._settings:
            self._settings[hits.max_grade] = tuple(measure.settings(hits) for measure in self.measures)
        return self._settings[hits.max_grade]

    def measured_hits(self, hits: Hits) -> Hits:
        """The hits that the measures see."""
        return hits.judged_only() if self.unjudged == "skip" else hits

    @cached_property
    def list_depths(self) -> tuple[int, ...]:
        """(measures) how many documents of a list each measure sees; 0 for the whole list."""
        if self.unjudged == "skip":
            return (0,) * len(self.measures)
        return tuple(getattr(measure, "cutoff", 0) if measure.needs_first_k_only() else 0 for measure in self.measures)

    def with_list_hashes(self) -> Plan:
        """The same plan, which also keeps hashes of the lists as each measure sees them."""
        depths = tuple(sorted(set(self.list_depths)))
        return replace(self, convention=replace(self.convention, list_depths=depths), _settings={})

    def with_measures(self, measures: Iterable[str], *, unjudged: str | None = None) -> Plan:
        """The same conventions for other measures; where ties are averaged, measures that cannot be are skipped."""
        usable_measures = [
            measure
            for measure in parse_measures(measures)
            if self.convention.ties != "average" or measure.can_average_ties()
        ]
        return replace(
            self,
            measures=tuple(usable_measures),
            aliases=MeasureAliases({}, usable_measures),
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
        undefined = hits.cached_on_qrels(("undefined", self.key, hits.rel), lambda: self.undefined(hits))
        self.apply_missing_rules(values, undefined, hits)
        return values, undefined

    def refuse_levels_above_grades(self, hits: Hits) -> None:
        """Raise ParameterError where all grades are below the `rel` of the evaluation, and a measure depends on it."""
        fault: str = hits.cached_on_qrels(
            ("level_above_grades", self.key, hits.rel), lambda: self.level_above_grades(hits)
        )
        if fault:
            raise ParameterError(fault)

    def level_above_grades(self, hits: Hits) -> str:
        """What is wrong with the `rel` of the evaluation, if all grades are below it; "" if nothing is."""
        return next(filter(None, (level_fault(measure, hits) for measure in self.measures)), "")

    def apply_missing_rules(self, values: Floats, undefined: Bools, hits: Hits) -> None:
        """Apply the rules of `missing` and `no_relevant` to values (measures, queries), in place."""
        if self.no_relevant != "zero" and undefined.any():
            values[undefined] = 1.0 if self.no_relevant == "one" else np.nan
        if self.missing == "drop" and hits.missing.any():
            values[:, hits.missing] = np.nan

    def bounds(self, hits: Hits, values: Floats, undefined: Bools) -> Floats:
        """(2, measures, queries) the lowest and highest values that missing judgments allow; NaN where unbounded.

        The lowest value of a bounded measure is its value, where unjudged documents are not relevant.
        """
        best_grades = [measure.best_grade(hits) for measure in self.measures]
        bounded_measures = [m for m, grade in enumerate(best_grades) if grade is not None]
        low_high = np.full((2, *values.shape), np.nan)
        low_high[0, bounded_measures] = values[bounded_measures]
        cutoffs = [getattr(self.measures[m], "cutoff", None) for m in bounded_measures]
        depth = None if None in cutoffs else max(map(int, filter(None, cutoffs)), default=None)
        for begin, end in query_blocks(hits.retrieved if depth is None else np.minimum(hits.retrieved, depth)):
            block_hits = hits if (begin, end) == (0, len(hits)) else hits.select(np.arange(begin, end))
            filled_hits = {best_grades[m]: block_hits.filled(best_grades[m] or 0, depth) for m in bounded_measures}
            for m in bounded_measures:
                low_high[1, m, begin:end] = self.measures[m](filled_hits[best_grades[m]])
        self.apply_missing_rules(low_high[1], undefined, hits)
        low_high[1][np.isnan(low_high[0])] = np.nan  # the rules give unbounded measures values, too
        return low_high

    def undefined(self, hits: Hits) -> Bools:
        """(measures, queries) where nothing relevant was judged, for the measures that need it."""
        return np.array([~measure.defined(hits) for measure in self.measures])

    def settings(self, n_queries: int, hits: Hits | None = None) -> Mapping[str, str]:
        """The settings that change the numbers of all measures, for the signature."""
        if hits is None or hits.ties == "given":
            return self.make_settings(n_queries, hits)
        if n_queries not in self._shared_settings:
            self._shared_settings[n_queries] = self.make_settings(n_queries, None)
        return self._shared_settings[n_queries]

    def make_settings(self, n_queries: int, hits: Hits | None) -> dict[str, str]:
        """As `settings`, made anew."""
        is_ranked_already = hits is not None and hits.ties == "given"  # a table of ranks
        preset_settings = {"preset": self.preset} if self.preset else {}
        if self.convention.precision != "float64":
            preset_settings["precision"] = self.convention.precision
        return {
            **preset_settings,
            "ties": "given" if is_ranked_already else self.convention.ties,
            **({"overlap": str(self.overlap)} if self.overlap is not None else {}),
            **({} if is_ranked_already else self.convention.merging.settings()),
            "missing": self.missing,
            "no_relevant": self.no_relevant,
            **({"unjudged": self.unjudged} if self.unjudged != "nonrelevant" else {}),
            **(
                {"total_ranks": str(hits.collection_size)}
                if is_ranked_already and hits and hits.collection_size
                else {}
            ),
            "queries": str(n_queries),
        }


def level_fault(measure: Measure, hits: Hits) -> str:
    """What is wrong if all grades are below the `rel` of the evaluation, on which the measure depends; else ""."""
    level = hits.rel if getattr(measure, "rel", 0) is None else 0
    fault = level_above_grades(level, hits.max_grade) if measure.level(hits) == level else ""
    return fault and (
        f"{measure}: {fault}, so that none is relevant; choose the lowest grade that counts with --rel (rel=), or in "
        f"the measure, as {replace_level(measure, hits.max_grade)}"
    )


def replace_level(measure: Measure, level: float) -> Measure:
    """The measure with another lowest grade."""
    changed: Any = replace(cast(Any, measure), rel=level)
    return cast(Measure, changed)


def query_blocks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of queries (first, last + 1) of about `BLOCK` documents together."""
    block_of_query = np.cumsum(sizes) // BLOCK
    cuts = [0, *(np.flatnonzero(np.diff(block_of_query)) + 1).tolist(), sizes.size]
    yield from pairwise(cuts)


def refuse_missing_queries(hits: Hits, name: str) -> None:
    """Raise InputError for a run without a list for some queries."""
    missing_queries = np.flatnonzero(hits.missing)
    first_ids = first_names(hits.query_ids[i] for i in missing_queries)
    raise InputError(
        f"{missing_queries.size} of {len(hits)} queries have no list in run {name!r} ({first_ids}); "
        "choose missing='drop' (--missing drop) to skip them or 'zero' to count them as empty"
    )


def make_plan(
    measures: str | Measure | Iterable[str | Measure] | None,
    *,
    preset: str | None = None,
    rel: float = 1,
    ties: str | None = None,
    missing: str = "zero",
    no_relevant: str | None = None,
    unjudged: str = "nonrelevant",
    duplicates: str | None = None,
    doc_of: Any = None,
    overlap: float | None = None,
    overlap_of: str = "gold",
) -> Plan:
    """The plan of an evaluation with these measures and conventions. Raises ParameterError."""
    conventions = ConventionSettings(
        preset=preset,
        rel=rel,
        ties=ties,
        missing=missing,
        no_relevant=no_relevant,
        unjudged=unjudged,
        duplicates=duplicates,
        doc_of=document_map(doc_of),
        overlap=overlap,
        overlap_of=overlap_of,
    )
    return plan_evaluation(measures, conventions)


def plan_evaluation(measures: str | Measure | Iterable[str | Measure] | None, settings: ConventionSettings) -> Plan:
    """As `make_plan`, with the conventions as one object. What the user did not set comes from the preset."""
    tool = find_preset(settings.preset) if settings.preset is not None else None
    set_by_user = {name: value for name in DEFAULT_CONVENTIONS if (value := getattr(settings, name)) is not None}
    conventions = {**DEFAULT_CONVENTIONS, **(tool.conventions if tool else {}), **set_by_user}
    if measures is None:
        measures = tool.measures if tool else DEFAULT_MEASURES
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise ParameterError(f"measures are {measures!r}, expected a name such as nDCG@10, or a list of them")
    measure_by_name: dict[str, Measure] = {}
    aliases: dict[str, str] = {}
    for name in measures:
        parsed = parse_measures([name], tool.parameters, tool.renames, tool.aliases) if tool else parse_measures([name])
        for measure in parsed:  # {2: 5} and {2: 5.0} are one
            first_equal = next((candidate for candidate in measure_by_name.values() if candidate == measure), measure)
            measure_by_name[str(first_equal)] = first_equal
        if len(parsed) == 1:
            aliases[str(name)] = next(text for text, candidate in measure_by_name.items() if candidate == parsed[0])
    if not measure_by_name:
        raise ParameterError("no measures given, expected at least one, such as nDCG@10")
    check_measures(measure_by_name.values(), settings, conventions["ties"])
    return Plan(
        measures=tuple(measure_by_name.values()),
        aliases=MeasureAliases(aliases, measure_by_name.values()),
        convention=Convention(
            ties=conventions["ties"],
            precision=tool.precision if tool else "float64",
            rel=settings.rel,
            duplicates="max" if settings.overlap is not None and settings.duplicates is None else settings.duplicates,
            doc_of=document_map(settings.doc_of),
        ),
        missing=settings.missing,
        no_relevant=conventions["no_relevant"],
        unjudged=settings.unjudged,
        preset=settings.preset,
        highest_grade=tool.highest_grade if tool else None,
        least_rank=tool.least_rank if tool else 1.0,
        overlap=None if settings.overlap is None else Overlap(share=settings.overlap, of=settings.overlap_of),
    )


def check_measures(measures: Iterable[Measure], settings: ConventionSettings, ties: str) -> None:
    """Raise ParameterError for a measure that cannot have these conventions."""
    if ties == "average" and settings.unjudged == "bounds":
        raise ParameterError("unjudged='bounds' needs one order of each list; choose ties='doc_id_desc' or 'file'")
    for measure in measures:
        if settings.no_relevant == "one" and measure.may_lack_value():
            raise ParameterError(f"no_relevant='one' would give {measure} the best of its values; choose drop")
        if ties == "average":
            measure.check_tie_average()
