"""The sections of the report, in their order. A later part of the project adds a function to `PARTS`."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.comparison.common_queries import check_systems, match_queries, resolve_system
from rankscope.comparison.compare import (
    Comparison,
    compare,
    effect_size_sections,
    leaderboard,
    pair_by_pair,
    query_section,
)
from rankscope.comparison.measure_agreement import agree_measures
from rankscope.comparison.plan import plan
from rankscope.comparison.verdict import tests_of, verdict
from rankscope.data.entities import EntityRanks
from rankscope.data.scores import Scores
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.curves import curve_measures, curve_sections
from rankscope.evaluation.engine import plan_and_join
from rankscope.evaluation.joining import ENTITY, JoinedRun
from rankscope.evaluation.joining.joined import Progress
from rankscope.evaluation.scoring import score_hits
from rankscope.evaluation.unjudged import unjudged_measures, unjudged_shares
from rankscope.io.core import file_digest, file_stamps, is_path, refuse_changed, refuse_pipes, source_name
from rankscope.judging.estimation import Estimates, estimate
from rankscope.kernels.ties import order_of
from rankscope.reporting.page import Page, render_page
from rankscope.stability.studies import study
from rankscope.stability.view import overview_section, reliability_section

__all__ = [
    "MOST_SYSTEMS",
    "PARTS",
    "ReportContent",
    "all_sections",
    "report",
    "verdict_of",
]


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
#: A page of more systems cannot be read; the best are shown.
MOST_SYSTEMS = 50
#: Of so few systems, and within so many letters, the title says the names.
FEW_SYSTEMS, MOST_OF_TITLE = 3, 80


def report(
    qrels: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    baseline: str | None = None,
    title: str = "",
    command: str = "",
    figures: bool = True,
    input: str | None = None,
    total_ranks: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    conventions: Mapping[str, Any] | None = None,
    machine: Any = None,
    map: Any = None,
    **comparison: Any,
) -> Page:
    """One page on runs: which is better and how sure that is, query by query, what nobody judged, what it would take.

    qrels, runs, measures, input, total_ranks, workers, progress: as `evaluate` takes them; conventions: its other
    arguments, as {"ties": "file"}. baseline and other arguments (test, correction, level, ...): as `compare` takes
    them. The first measure is the one that the verdict is about. title, command: shown on the page. figures: False
    leaves them out. Of more than 50 systems the 50 best by the first measure that has a direction are shown (and the
    baseline). One system is described, and compared with none. machine, map: a machine's judgments of all queries, and
    its grades on the scale of `qrels`, which are then people's of some queries, drawn at random: the page shows what
    both say together (`rankscope.judging.estimate`) by the first measure, and all else by people's alone.

    `page.write(path)` writes it. Raises what `evaluate` and `compare` raise; ParameterError where jinja2, or for
    figures Altair, is not installed (`pip install 'rankscope[report]'`).

    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(4)}
    >>> good, poor = ({f"q{i}": {"a": s, "b": 1.0} for i in range(4)} for s in (2.0, 0.5))
    >>> page = rs.report(qrels, [rs.Run(good, name="good"), rs.Run(poor, name="poor")], ["RR", "P@1"], figures=False)
    >>> "good is better than poor" in page.html  # but one value a query never varies: no test can say so
    False
    >>> "good is ahead of poor: its mean RR on 4 queries is 1.0000 against 0.5000" in page.html
    True
    """
    settled = {**(conventions or {})}
    if machine is None:
        if map is not None:
            raise ParameterError("map (--map) is for the judgments of a machine (--machine); leave it out")
    else:
        refuse_pipes(as_run_list(runs), "beside a machine (--machine) runs are read twice")
    before = file_stamps((qrels, *as_run_list(runs), machine))
    plan, joined = plan_and_join(qrels, runs, measures, settled, input, total_ranks, progress, workers)
    scores = score_hits(plan, joined)
    baseline = resolve_system(baseline, as_run_list(runs), scores)
    if len(scores.systems) > 1 or baseline is not None:
        check_systems(scores, baseline, minimum=1)
    kept, left_out = best_systems(scores, baseline)
    scores = scores.select(systems=kept)
    judged = input != ENTITY and not isinstance(qrels, EntityRanks)
    compared, without = compare_all(scores, baseline, {**comparison, "workers": workers})
    found = ReportContent(
        scores=scores,
        comparison=compared,
        without=without,
        level=comparison.get("level", 0.05),
        rng=comparison.get("rng", 0),
        estimates=None
        if machine is None
        else estimates_of(qrels, runs, machine, map, baseline, scores, settled, input),
        **(scores_of_extra_sections([joined[i] for i in kept], plan) if judged else {}),
    )
    origin = provenance(qrels, runs, scores if compared is None else compared, command, machine)
    refuse_changed(before)  # the hashes are of what was evaluated
    return render_page(
        title or title_of(scores, qrels),
        verdict_of(found),
        all_sections(found),
        origin,
        notes=(*left_out, *(scores.notes if compared is None else compared.notes)),
        **({} if figures else {"figures": None}),
    )


def estimates_of(
    qrels: Any,
    runs: Any,
    machine: Any,
    map: Any,
    baseline: str | None,
    scores: Scores,
    conventions: Mapping[str, Any],
    input_: str | None,
) -> Estimates:
    """By the first measure, of people and machine."""
    options = {**conventions, **({} if input_ is None else {"input": input_})}
    return estimate(qrels, runs, machine, [scores.measures[0]], baseline=baseline, map=map, **options)


def best_systems(scores: Scores, baseline: str | None) -> tuple[list[int], list[str]]:
    """Which systems the page shows, in their order, and a note where some are left out."""
    m = len(scores.systems)
    if m <= MOST_SYSTEMS:
        return list(range(m)), []
    measure = next((one for one in scores.measures if scores.sign(one)), None)
    best, which = np.arange(MOST_SYSTEMS), "first"  # by no measure is one better than another
    if measure is not None:
        good = scores.sign(measure) * scores.summary(measure)
        best, which = order_of(-good)[:MOST_SYSTEMS], f"best by {measure}"
    kept = set(best.tolist()) | ({scores.systems.index(baseline)} if baseline is not None else set())
    note = f"{m:,} systems; shown and compared are the {len(kept)} {which}"
    beside = " (with the baseline)" if baseline is not None else ""
    return sorted(kept), [f"{note}{beside}: p-values are corrected for these only. `rankscope evaluate` has all."]


def compare_all(
    scores: Scores, baseline: str | None, arguments: Mapping[str, Any]
) -> tuple[Comparison | None, dict[str, str]]:
    """The comparison by every measure that allows one, and why the others do not."""
    if len(scores.systems) < 2:
        return None, {}
    without: dict[str, str] = {}
    names = []
    for name in scores.measure_names:
        try:
            match_queries(scores, name)
        except (InputError, ParameterError) as error:
            without[name] = str(error)
        else:
            names.append(name)
    if not names:
        raise InputError("; ".join(without.values()))
    return compare(scores, names, baseline=baseline, **{"rng": 0, **arguments}), without


def scores_of_extra_sections(joined: Sequence[JoinedRun], plan: Plan) -> dict[str, Scores]:
    """What the page shows of the same lists by measures of its own: holes with their bounds, curves."""
    found = {"curves": score_hits(plan.measuring(curve_measures()), joined)}
    if plan.convention.ties != "average":  # which leaves no one order that a hole could be in
        found["holes"] = score_hits(plan.measuring(unjudged_measures(), unjudged="bounds"), joined)
    return found


def title_of(scores: Scores, qrels: Any) -> str:
    """Whose results these are: "bm25 and dense on robust.qrels"; of many or long names, how many."""
    judgments = Path(source_name(qrels)).name if is_path(qrels) else pluralise_queries(len(scores.query_ids))
    named = f"{join_names(scores.systems)} on {judgments}"
    if len(scores.systems) <= FEW_SYSTEMS and len(named) <= MOST_OF_TITLE:
        return named
    return f"{pluralise(len(scores.systems), 'system')} on {pluralise_queries(len(scores.query_ids))}"


def provenance(
    qrels: Any, runs: Any, result: Scores | Comparison, command: str, machine: Any = None
) -> list[tuple[str, str]]:
    """Where the numbers come from: files with their hashes, settings, versions, the command."""
    rows = [("signature", result.signature())]
    rows += [("judgments", describe_source(qrels))]
    rows += [("judgments of a machine", describe_source(machine))] if machine is not None else []
    rows += [("run", describe_source(run)) for run in as_run_list(runs)]
    rows += [("command", command)] if command else []
    parts = [f"rankscope {__version__}", f"Python {platform.python_version()}"]
    return [*rows, ("versions", ", ".join([*parts, *(f"{name} {version(name)}" for name in ("numpy", "scipy"))]))]


def as_run_list(runs: Any) -> Sequence[Any]:
    return runs if isinstance(runs, (list, tuple)) else [] if runs is None else [runs]


def describe_source(source: Any) -> str:
    if not is_path(source):
        name = getattr(source, "name", "")
        return f"{name or type(source).__name__}, in memory"
    digest = file_digest(source)
    return f"{source_name(source)}{f', SHA-256 {digest}' if digest else ''}"
