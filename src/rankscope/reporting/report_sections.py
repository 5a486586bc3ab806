"""What stands on the page, in its order. A later part of the project adds a function to `PARTS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankscope.comparison.comparison import Comparison
from rankscope.comparison.correlations import agree_measures
from rankscope.comparison.planning import plan
from rankscope.comparison.query_view import query_section
from rankscope.comparison.shown import effect_size_sections, leaderboard, pair_by_pair
from rankscope.comparison.verdict import tests_of, verdict
from rankscope.data.scores import Scores
from rankscope.data.sections import Figure, Section, Table
from rankscope.errors import RankscopeError
from rankscope.evaluation.curves import curve_sections
from rankscope.evaluation.holes import unjudged_shares
from rankscope.judging.estimated import Estimates
from rankscope.stability.shown import overview_section, reliability_section
from rankscope.stability.studies import study

__all__ = ["PARTS", "ReportContent", "all_sections", "verdict_of"]

#: Fewer queries say nothing of other ones.
FEWEST_QUERIES = 10
#: Draws of the page's study of its measures, and the bootstrap samples of each: fewest, most, and those of all pairs,
#: measures and draws together, which is what takes time.
DRAWS, SAMPLES, SAMPLES_IN_ALL = 20, (100, 500), 4_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportContent:
    """All that the page is made of. without: measures that systems cannot be compared by, and why.

    rng: seed or Generator of what is drawn at random. holes, curves: scores of the measures that those sections need;
    None where there is no such thing. estimates: from people's judgments and a machine's; None without a machine.
    """

    scores: Scores
    comparison: Comparison | None
    level: float
    rng: Any = 0
    without: Mapping[str, str] = field(default_factory=dict)
    holes: Scores | None = None
    curves: Scores | None = None
    estimates: Estimates | None = None


def verdict_of(found: ReportContent) -> list[str]:
    """What was found, and how sure that is; then what it would take to know more."""
    if found.comparison is None:
        scores = found.scores
        name = scores.measure_names[0]
        mean = float(scores.summary(name)[0])
        text = f"{scores.systems[0]} has a {name} of {mean:.4f}" if not np.isnan(mean) else f"{name} has no value"
        return [f"{text} on {len(scores.query_ids):,} queries. There is no other system to compare it with."]
    return verdict(found.comparison)


def all_sections(found: ReportContent) -> list[Section]:
    """Every part's sections."""
    return [section for part in PARTS for section in part(found)]


def main_measure(found: ReportContent) -> list[Section]:
    """The first measure in full."""
    if found.comparison is None:
        return summary(found.scores)
    result, part = found.comparison, found.comparison.parts[0]
    sections = [replace(leaderboard(result, part), sentence="")]  # the verdict has said it
    if result.baseline is None:
        sections.append(replace(pair_by_pair(result, part), folded=part.first.size > 1))
    return [*sections, query_section(result, part, folded=False)]


def summary(scores: Scores) -> list[Section]:
    """A table of means, where nothing can be compared."""
    head, *rows = scores.cells()
    return [Section(title="Means", table=Table(columns=tuple(head), rows=tuple(map(tuple, rows))))]


def estimates_with_machine(found: ReportContent) -> list[Section]:
    """People, a machine, and both combined, side by side; with what a reader has to know of that."""
    if found.estimates is None:
        return []
    first, *others = found.estimates.sections()
    return [replace(first, notes=(*first.notes, *found.estimates.notes)), *others]


def unjudged(found: ReportContent) -> list[Section]:
    if found.holes is None:
        return []
    return unjudged_shares(found.holes.select(systems=systems_best_first(found))).sections()


def further_measures(found: ReportContent) -> list[Section]:
    """A leaderboard for each, and a line for those without."""
    sections = []
    if found.comparison is not None:
        others = found.comparison.parts[1:]
        sections = [replace(leaderboard(found.comparison, part), folded=True) for part in others]
    names = found.scores.measure_names
    for name, why in found.without.items():
        means = summary(found.scores.select(measures=[names.index(name)]))[0]
        sections.append(replace(means, title=name, sentence=f"Not compared: {why}.", folded=True))
    return sections


def spread(found: ReportContent) -> list[Section]:
    """How values are distributed over queries, by the first measure."""
    name = found.scores.measure_names[0]
    values = found.scores.matrix(name)
    order = systems_best_first(found)
    data = {
        "measure": name,
        "systems": tuple(found.scores.systems[s] for s in order),
        "values": tuple(tuple(values[s].tolist()) for s in order),
    }
    return [
        Section(
            title=f"{name}: how it is spread over the queries",
            sentence="A mean hides whether a system is good everywhere or very good here and poor there.",
            figure=Figure("distribution", data),
        )
    ]


def curves(found: ReportContent) -> list[Section]:
    return curve_sections(found.curves.select(systems=systems_best_first(found))) if found.curves is not None else []


def agreement(found: ReportContent) -> list[Section]:
    """Whether it matters which measure one looks at."""
    if found.comparison is None or len(found.comparison.parts) < 2:
        return []
    by = "systems" if len(found.scores.systems) > 2 else "queries"
    made = attempt(lambda: agree_measures(compared_scores(found), by=by, rng=0).sections())
    return [replace(section, folded=section.folded or i > 0) for i, section in enumerate(made)]


def measure_stability(found: ReportContent) -> list[Section]:
    """Which of the measures can be trusted on these queries, from a small study of them."""
    if found.comparison is None or len(found.scores.query_ids) < FEWEST_QUERIES:
        return []
    return attempt(lambda: small_study(compared_scores(found), found.level, found.rng))


def small_study(scores: Scores, level: float, rng: Any) -> list[Section]:
    systems, fewest, most = len(scores.systems), *SAMPLES
    each = systems * (systems - 1) // 2 * len(scores.measures) * DRAWS
    n_resamples = min(most, max(fewest, SAMPLES_IN_ALL // each))
    result = study(scores, levels=level, iterations=DRAWS, n_resamples=n_resamples, rng=rng)
    settings = f"{DRAWS} draws, {n_resamples} bootstrap samples of each, rng:{result.asked.seed}"
    told = f"a small study ({settings}); `rankscope stability` makes a larger one and shows more of it"
    first = overview_section(result)
    return [replace(first, notes=(*first.notes, told)), replace(reliability_section(result), folded=True)]


def compared_scores(found: ReportContent) -> Scores:
    """Those of the measures that systems can be compared by."""
    parts = found.comparison.parts if found.comparison is not None else ()
    return found.scores.select(measures=[found.scores.measure_names.index(part.measure) for part in parts])


def queries_needed(found: ReportContent) -> list[Section]:
    """How many queries the first measure takes."""
    if found.comparison is None:
        return []
    main, baseline = found.comparison.parts[0].measure, found.comparison.baseline
    tests = tests_of(found.comparison)
    return attempt(lambda: plan(found.scores, main, baseline=baseline, level=found.level, tests=tests).sections())


def details(found: ReportContent) -> list[Section]:
    """Intervals and effect sizes of every pair, by the first measure."""
    return [] if found.comparison is None else effect_size_sections(found.comparison, found.comparison.parts[0])


def systems_best_first(found: ReportContent) -> list[int]:
    """The systems, best first by the first measure."""
    if found.comparison is None:
        return list(range(len(found.scores.systems)))
    order: list[int] = found.comparison.parts[0].order.tolist()
    return order


def attempt(make: Callable[[], Sequence[Section]]) -> list[Section]:
    """Sections that data may be too poor for; then nothing is shown but why."""
    try:
        return list(make())
    except RankscopeError as error:
        return [Section(title="Left out", sentence=str(error))]


#: What the page shows, in this order.
PARTS: tuple[Callable[[ReportContent], list[Section]], ...] = (
    main_measure,
    estimates_with_machine,
    unjudged,
    further_measures,
    agreement,
    measure_stability,
    queries_needed,
    spread,
    curves,
    details,
)
