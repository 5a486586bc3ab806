"""Planning: how many queries people must judge beside a machine, for intervals of a given width."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.section import Section, Table
from rankscope.data.text import format_percent, pluralise_queries
from rankscope.errors import InputError
from rankscope.judging.estimation.dual_judgments import DualValues, score_under_both
from rankscope.judging.estimation.prediction_powered import pairs_of, resolve_baseline
from rankscope.stats.inputs import check_positive, check_share
from rankscope.stats.power import MAX_QUERIES
from rankscope.stats.prediction_powered import FEWEST, combined_half, spread_of
from rankscope.typing import PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "JudgmentPlan",
    "MeasureNeeds",
    "Need",
    "plan_judgments",
]


class Need(NamedTuple):
    """The queries that a system (system_b empty) or a difference needs.

    method: "human", "combined", or "combined, any number by the machine". sd: of people's values; explained: the share
    of their variance that the machine explains. n_queries: that people must judge; None where no number is enough.
    """

    system_a: str
    system_b: str
    method: str
    sd: float
    explained: float
    n_queries: int | None


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureNeeds:
    """The needs by one measure. n, n_all: queries judged so far by people and by the machine."""

    measure: str
    systems: tuple[str, ...]
    needs: tuple[Need, ...]
    n: int
    n_all: int
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgmentPlan(Result):
    """What `plan_judgments` found.

    `frame()` is the tidy table: measure, system_a, system_b (empty for a system by itself), method (human, combined,
    or combined with any number of queries judged by the machine), width, sd (of people's values), explained (the share
    of their variance that the machine explains), n_queries (null where no number will do).
    """

    COLUMNS = (
        "measure",
        "system_a",
        "system_b",
        "method",
        "width",
        "sd",
        "explained",
        "n_queries",
    )

    parts: tuple[MeasureNeeds, ...]
    width: float
    confidence_level: float
    settings_text: str
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for measure_needs in self.parts:
            for need in measure_needs.needs:
                yield (measure_needs.measure, *need[:3], self.width, *need[3:])

    def sections(self) -> list[Section]:
        """A sentence and a table for each measure."""
        return [self.section(measure_needs) for measure_needs in self.parts]

    def section(self, measure_needs: MeasureNeeds) -> Section:
        rows = []
        for human_need, combined_need, unlimited_need in triples(measure_needs.needs):
            label = f"{human_need.system_a} - {human_need.system_b}" if human_need.system_b else human_need.system_a
            cells = (format_count(need.n_queries) for need in (human_need, combined_need, unlimited_need))
            rows.append((label, f"{human_need.sd:.4f}", f"{100 * human_need.explained:.0f} %", *cells))
        machine_columns = (f"machine on {measure_needs.n_all:,}", "machine on any number")
        columns = ("of", "sd", "explained", "people alone", *machine_columns)
        return Section(
            title=f"{measure_needs.measure}: queries that people must judge",
            sentence=self.sentence(measure_needs),
            table=Table(columns=columns, rows=tuple(rows)),
        )

    def sentence(self, measure_needs: MeasureNeeds) -> str:
        """The numbers of queries for the largest need."""
        kind = "difference" if any(need.system_b for need in measure_needs.needs) else "mean"
        hardest = max(
            (triple for triple in triples(measure_needs.needs) if (triple[0].system_b != "") == (kind == "difference")),
            key=lambda triple: triple[0].n_queries or 0,
        )
        n_human, n_combined, n_unlimited = (need.n_queries for need in hardest)
        opening = f"For {format_percent(self.confidence_level)} intervals of a {kind} no wider than {self.width:g}, "
        if n_human is None:
            return (
                f"{opening}nothing can be planned: people's values do not vary, or more queries are needed than can be."
            )
        text = (
            f"{opening}people alone must judge up to {pluralise_queries(n_human)}; they have judged "
            f"{measure_needs.n:,}. "
        )
        machine_text = pluralise_queries(measure_needs.n_all)
        if n_combined is not None:
            return f"{text}With this machine's judgments of {machine_text} it takes {pluralise_queries(n_combined)}."
        unlimited_text = ""
        if n_unlimited is not None:
            unlimited_text = f"; if it judged many more, {pluralise_queries(n_unlimited)} by people would do"
        return (
            f"{text}With this machine's judgments of {machine_text} no number of them is enough, "
            f"since these queries themselves are a sample{unlimited_text}."
        )

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.settings_text

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{', '.join(measure_needs.measure for measure_needs in self.parts)}, width {self.width:g}"


def triples(needs: tuple[Need, ...]) -> Iterator[tuple[Need, ...]]:
    """The three needs of each system and pair."""
    for i in range(0, len(needs), 3):
        yield needs[i : i + 3]


def format_count(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"


def plan_judgments(
    human: Qrels | PathLike | Any,
    runs: Any,
    machine: Qrels | PathLike | Any,
    measures: Any = None,
    *,
    width: float,
    baseline: str | None = None,
    map: Any = None,
    names: tuple[str, str] | None = None,
    confidence_level: float = 0.95,
    progress: Any = None,
    **options: Any,
) -> JudgmentPlan:
    """How many queries people must judge so that an interval is no wider than `width`, given how well this machine
    agrees with them on the queries that they have judged so far.

    width: of the whole interval, from end to end. Planned are the mean of each system and the differences (to
    `baseline`, or of all pairs), each for people alone and for people with the machine, once with the queries that the
    machine has judged and once with as many as one likes: the judgments of the machine, too, are of a sample of
    queries, and so leave an interval that no person's judgment makes narrower. Other arguments: as for `estimate`.

    What is planned with are the standard deviation of people's values and the share of their variance that the machine
    explains, both estimated from the queries at hand: of fewer than some 20 they are rough.

    Raises ParameterError for a width that is not above 0, InputError where people judged fewer than 5 queries, and as
    `estimate`.

    Source: the variance of the prediction-powered estimate, see `rankscope.stats.prediction_powered.combined_half`.

    >>> import rankscope as rs
    >>> ranks = [1, 2, 1, 3, 1, 2, 4, 1, 2, 1]  # of the only relevant document; the machine errs on two queries
    >>> lists = {f"q{i}": {f"d{k}": -float(k) for k in range(1, 6)} for i in range(10)}
    >>> machine = {f"q{i}": {f"d{k if i % 7 else 2}": 1} for i, k in enumerate(ranks)}
    >>> human = {f"q{i}": {f"d{k}": 1} for i, k in enumerate(ranks[:8])}
    >>> found = rs.judging.plan_judgments(human, [rs.Run(lists, name="r")], machine, "RR", width=0.2)
    >>> [(need.method, need.n_queries) for need in found.parts[0].needs]
    [('human', 46), ('combined', None), ('combined, any number by the machine', 30)]
    """
    check_positive("width", width)
    check_share("confidence_level", confidence_level)
    dual_scores = score_under_both(human, runs, machine, measures, map=map, names=names, progress=progress, **options)
    baseline = resolve_baseline(baseline, runs, dual_scores)
    parts = tuple(
        needs_of(dual_scores.values(name), dual_scores.systems, baseline, width, confidence_level)
        for name in dual_scores.human.measure_names
    )
    signature = dual_scores.signature(
        "judgments of people", width=f"{width:g}", baseline=baseline, confidence=f"{confidence_level:g}"
    )
    return JudgmentPlan(
        parts=parts,
        width=width,
        confidence_level=confidence_level,
        settings_text=signature,
        notes=tuple(
            dict.fromkeys((*dual_scores.notes, *(note for measure_needs in parts for note in measure_needs.notes)))
        ),
    )


def needs_of(
    values: DualValues, systems: tuple[str, ...], baseline: str | None, width: float, confidence_level: float
) -> MeasureNeeds:
    """The needs of all systems and pairs by one measure."""
    if values.n < FEWEST:
        raise InputError(
            f"people judged {values.n} queries that have a value of {values.measure}, expected at least {FEWEST} to "
            "tell how their values vary; have some more judged, drawn at random"
        )
    first, second = pairs_of(systems, baseline)
    named_pairs = [(systems[i], systems[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    human_rows, machine_rows = (
        np.concatenate((matrix, matrix[first] - matrix[second])) for matrix in (values.human, values.machine)
    )
    spread = spread_of(human_rows, machine_rows)
    needs = [
        need
        for (system_a, system_b), sd, explained in zip(
            [*((system, "") for system in systems), *named_pairs],
            spread.sd.tolist(),
            spread.explained.tolist(),
            strict=True,
        )
        for need in needs_for(system_a, system_b, sd, explained, width / 2, values.n_all, confidence_level)
    ]
    return MeasureNeeds(
        measure=values.measure,
        systems=systems,
        needs=tuple(needs),
        n=values.n,
        n_all=values.n_all,
        notes=values.notes,
    )


def needs_for(
    system_a: str, system_b: str, sd: float, explained: float, half_width: float, n_all: int, confidence_level: float
) -> list[Need]:
    """By people alone, with the machine as it is, and with one that judges any number of queries."""
    n_human = fewest_queries(MAX_QUERIES, MAX_QUERIES, sd, 0.0, half_width, confidence_level)
    n_combined = fewest_queries(n_all, n_all, sd, explained, half_width, confidence_level)
    n_unlimited = fewest_queries(MAX_QUERIES, MAX_QUERIES, sd, explained, half_width, confidence_level)
    return [
        Need(system_a, system_b, "human", sd, explained, n_human),
        Need(system_a, system_b, "combined", sd, explained, n_combined),
        Need(system_a, system_b, "combined, any number by the machine", sd, explained, n_unlimited),
    ]


def fewest_queries(
    max_queries: int, n_all: int, sd: float, explained: float, half_width: float, confidence_level: float
) -> int | None:
    """The fewest queries for this half width; None where `max_queries` are not enough, or nothing varies."""

    def is_enough(n: int) -> bool:
        return combined_half(n, n_all, sd, explained, confidence_level=confidence_level) <= half_width

    if not sd > 0 or not is_enough(max_queries):
        return None
    low, high = 1, max_queries  # one query says nothing about the variance
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
