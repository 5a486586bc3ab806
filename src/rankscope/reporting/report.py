"""The report: one page on runs. `PARTS` makes its sections, `APPENDIX` those of its appendix."""

from __future__ import annotations

import datetime as dt
import os
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
    ComparisonSettings,
    all_measures_section,
    compare_systems,
    effect_size_sections,
    extreme_queries_of_leaders,
    group_sections,
    leaderboard,
    pair_by_pair,
    query_section,
)
from rankscope.comparison.diff import DiffSettings, diff_joined, query_sections
from rankscope.comparison.measure_agreement import agree_measures
from rankscope.comparison.plan import plan
from rankscope.comparison.summary import n_tests_of, verdict
from rankscope.data.columns import column, digits
from rankscope.data.entities import EntityRanks
from rankscope.data.scores import Scores
from rankscope.data.section import Figure, Section
from rankscope.data.text import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.evaluation.conventions import ConventionSettings, InputSettings, Plan, make_plan
from rankscope.evaluation.curves import curve_measures, curve_sections
from rankscope.evaluation.engine import plan_and_join
from rankscope.evaluation.joining import ENTITY, JoinedRun, Progress
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.query_table import QueryTable
from rankscope.evaluation.read_scores import select_measures
from rankscope.evaluation.scoring import score_hits
from rankscope.evaluation.unjudged import unjudged_measures, unjudged_shares
from rankscope.io.core import file_digest, file_stamps, is_path, refuse_changed, refuse_pipes, source_name
from rankscope.judging.estimation import (
    Estimates,
    EstimateSettings,
    ItemSettings,
    estimate_item_table,
    estimate_means,
)
from rankscope.kernels.rounding_ties import order_of
from rankscope.reporting.page import Page, render_page
from rankscope.settings import as_names
from rankscope.stability.studies import study
from rankscope.stability.view import overview_section, reliability_section
from rankscope.stats.inputs import seed_of
from rankscope.typing import PathLike

__all__ = [
    "APPENDIX",
    "MAX_SYSTEMS",
    "PARTS",
    "ReportContent",
    "appendix_sections",
    "main_sections",
    "report",
    "report_scores",
    "verdict_of",
]


#: Fewer queries say nothing about stability.
FEWEST_QUERIES = 10
#: The page's study of its measures: how many draws, the fewest and most bootstrap samples of each, and the bound on the
#: samples of all pairs, measures and draws together, which take the time.
DRAWS, SAMPLES, SAMPLES_IN_ALL = 20, (100, 500), 4_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportContent:
    """The data of the page.

    Attributes
    ----------
    scores
        Values of all measures; the first measure is shown in full.
    comparison
        The comparison of the systems; None for a single system.
    alpha
        Significance level.
    rng
        Seed or Generator of the small study of the measures.
    not_compared
        Measures that do not allow a comparison, with the reason.
    unjudged_scores
        Shares of unjudged documents, with bounds; None without lists in one order.
    curve_scores
        Precision by recall and nDCG by cutoff; None without lists.
    estimates
        Estimates from people's judgments and a machine's; None without a machine.
    lists
        The runs of the scores, joined with the first documents of their lists, and the conventions; None without lists.
    """

    scores: Scores
    comparison: Comparison | None
    alpha: float
    rng: Any = 0
    not_compared: Mapping[str, str] = field(default_factory=dict)
    unjudged_scores: Scores | None = None
    curve_scores: Scores | None = None
    estimates: Estimates | None = None
    lists: tuple[Plan, Sequence[JoinedRun]] | None = None


def verdict_of(content: ReportContent) -> list[str]:
    """The finding, how sure it is, and what so many queries can show; one paragraph each."""
    if content.comparison is None:
        scores = content.scores
        name = scores.measure_names[0]
        mean = float(scores.summary(name)[0])
        text = f"{scores.systems[0]} has a {name} of {mean:.4f}" if not np.isnan(mean) else f"{name} has no value"
        n_queries = int((~np.isnan(scores.matrix(name)[0])).sum())
        return [f"{text} on {pluralise_queries(n_queries)}. There is no other system to compare it with."]
    return verdict(content.comparison)


def main_sections(content: ReportContent) -> list[Section]:
    """The findings, in full by the first measure."""
    return [section for part in PARTS for section in part(content)]


def appendix_sections(content: ReportContent) -> list[Section]:
    """All that is about the other measures and the method."""
    return [section for part in APPENDIX for section in part(content)]


def overview(content: ReportContent) -> list[Section]:
    """All systems by all measures; nothing for a single system or measure."""
    result = content.comparison
    if result is None or len(content.scores.measure_names) == 1:
        return []
    compared = result.comparisons[:MAX_MEASURES]
    order = compared[0].order
    further_columns = [
        column(name, content.scores.summary(name)[order], digits())
        for name in [*content.not_compared][: MAX_MEASURES - len(compared)]
    ]
    section = all_measures_section(replace(result, comparisons=compared), further_columns)
    n_measures, n_shown = len(content.scores.measure_names), len(compared) + len(further_columns)
    notes = section.notes
    if n_shown < n_measures:
        notes += (f"{n_shown} of {n_measures} measures; each of the others has a table in the appendix",)
    return [replace(section, title="All systems by all measures", notes=notes)]


def main_measure(content: ReportContent) -> list[Section]:
    """The first measure in full."""
    if content.comparison is None:
        return summary(content.scores)
    result, part = content.comparison, content.comparison.comparisons[0]
    sections = [replace(leaderboard(result, part), sentence="")]  # the verdict says it already
    if result.baseline is None:
        sections.append(replace(pair_by_pair(result, part), folded=part.first.size > 1))
    sections += group_sections(result, part)
    section = query_section(result, part, folded=False)
    if section.table is not None and content.lists is not None:
        section = replace(section, notes=(*section.notes, "the appendix has both lists of each of these queries"))
    return [*sections, section]


def documents(content: ReportContent) -> list[Section]:
    """Both lists of each of the queries that the leading system wins and loses most clearly; nothing without lists."""
    if content.comparison is None or content.lists is None:
        return []
    sections = attempt(lambda: lists_side_by_side(content))
    return [replace(section, folded=True) for section in sections]


def lists_side_by_side(content: ReportContent) -> list[Section]:
    """As `documents`. Raises RankscopeError if documents cannot explain the measure."""
    assert content.comparison is not None
    assert content.lists is not None
    part, (plan, joined) = content.comparison.comparisons[0], content.lists
    pair, queries = extreme_queries_of_leaders(content.comparison, part)
    if not queries.size:
        return []
    # The values of a comparison count what is not judged as not relevant, also beside their bounds.
    plan = plan.with_measures([part.measure], unjudged="skip" if plan.unjudged == "skip" else "nonrelevant")
    diff = diff_joined(plan, [joined[system] for system in pair], DiffSettings(), queries)
    return [section for query in range(queries.size) for section in query_sections(diff, query)]


def summary(scores: Scores) -> list[Section]:
    """A table of means, for measures or systems that are not compared."""
    return [replace(section, title="Means") for section in scores.sections()]


def estimates_with_machine(content: ReportContent) -> list[Section]:
    """Estimates by people, by a machine, and by both combined, with their notes."""
    if content.estimates is None:
        return []
    first, *others = content.estimates.sections()
    notes = (*first.notes, *content.estimates.notes)
    if isinstance(content.estimates.settings, ItemSettings):
        notes += ("`rankscope estimate` of the same table also takes strata, chances and signals",)
    return [replace(first, notes=notes), *others]


def unjudged(content: ReportContent) -> list[Section]:
    """The shares of unjudged documents; nothing without lists."""
    if content.unjudged_scores is None:
        return []
    return unjudged_shares(content.unjudged_scores.select(systems=systems_best_first(content))).sections()


def further_measures(content: ReportContent) -> list[Section]:
    """For each further measure a leaderboard and its groups; means and the reason for those that are not compared."""
    sections = []
    if content.comparison is not None:
        for part in content.comparison.comparisons[1:]:
            section = leaderboard(content.comparison, part)
            sections.append(replace(section, notes=(*section.notes, *part.notes), folded=True))
            sections += group_sections(content.comparison, part, folded=True)
    names = content.scores.measure_names
    for name, reason in content.not_compared.items():
        means = summary(content.scores.select(measures=[names.index(name)]))[0]
        sections.append(replace(means, title=name, sentence=f"Not compared: {reason}.", folded=True))
    return sections


def spread(content: ReportContent) -> list[Section]:
    """The distribution of values over queries, by the first measure."""
    name = content.scores.measure_names[0]
    values = content.scores.matrix(name)
    order = systems_best_first(content)
    data = {
        "measure": name,
        "systems": tuple(content.scores.systems[system] for system in order),
        "values": tuple(tuple(values[system].tolist()) for system in order),
    }
    return [
        Section(
            title=f"{name}: how it is spread over the queries",
            sentence="A mean hides whether a system is good everywhere or very good here and poor there.",
            figure=Figure("distribution", data),
        )
    ]


def curves(content: ReportContent) -> list[Section]:
    """The curves over the lists; nothing without lists."""
    return (
        curve_sections(content.curve_scores.select(systems=systems_best_first(content)))
        if content.curve_scores is not None
        else []
    )


def agreement(content: ReportContent) -> list[Section]:
    """How far the measures agree."""
    if content.comparison is None or len(content.comparison.comparisons) < 2:
        return []
    by = "systems" if len(content.scores.systems) > 2 else "queries"
    sections = attempt(lambda: agree_measures(compared_scores(content), by=by, rng=0).sections())
    return [replace(section, folded=section.folded or i > 0) for i, section in enumerate(sections)]


def measure_stability(content: ReportContent) -> list[Section]:
    """How stable the measures are on these queries, from a small study."""
    if content.comparison is None or len(content.scores.query_ids) < FEWEST_QUERIES:
        return []
    return attempt(lambda: small_study(compared_scores(content), content.alpha, content.rng))


def small_study(scores: Scores, alpha: float, rng: Any) -> list[Section]:
    """A stability study of a few seconds: error rates, and how reliable the measures are."""
    n_systems, min_samples, max_samples = len(scores.systems), *SAMPLES
    n_pairs_drawn = n_systems * (n_systems - 1) // 2 * len(scores.measures) * DRAWS
    n_resamples = min(max_samples, max(min_samples, SAMPLES_IN_ALL // n_pairs_drawn))
    result = study(scores, alpha=alpha, iterations=DRAWS, n_resamples=n_resamples, rng=rng)
    settings_text = f"{DRAWS} draws, {n_resamples} bootstrap samples of each, rng:{result.settings.seed}"
    study_note = f"a small study ({settings_text}); `rankscope stability` runs a larger one and shows more"
    first = overview_section(result)
    return [replace(first, notes=(*first.notes, study_note)), replace(reliability_section(result), folded=True)]


def compared_scores(content: ReportContent) -> Scores:
    """The scores of the measures that allow a comparison."""
    parts = content.comparison.comparisons if content.comparison is not None else ()
    return content.scores.select(measures=[content.scores.measure_names.index(part.measure) for part in parts])


def queries_needed(content: ReportContent) -> list[Section]:
    """How many queries the first measure needs."""
    if content.comparison is None:
        return []
    measure, baseline = content.comparison.comparisons[0].measure, content.comparison.baseline
    tests = n_tests_of(content.comparison)
    return attempt(
        lambda: plan(content.scores, measure, baseline=baseline, alpha=content.alpha, tests=tests).sections()
    )


def details(content: ReportContent) -> list[Section]:
    """Intervals and effect sizes of every pair, by the first measure."""
    return (
        []
        if content.comparison is None
        else effect_size_sections(content.comparison, content.comparison.comparisons[0])
    )


def systems_best_first(content: ReportContent) -> list[int]:
    """The systems, best first by the first measure."""
    if content.comparison is None:
        return list(range(len(content.scores.systems)))
    order: list[int] = content.comparison.comparisons[0].order.tolist()
    return order


def attempt(make: Callable[[], Sequence[Section]]) -> list[Section]:
    """Sections that may need more data than there are; then a section with the reason."""
    try:
        return list(make())
    except RankscopeError as error:
        return [Section(title="Skipped", sentence=str(error))]


#: The parts of the page in their order.
PARTS: tuple[Callable[[ReportContent], list[Section]], ...] = (
    overview,
    main_measure,
    estimates_with_machine,
    unjudged,
)
#: The parts of its appendix.
APPENDIX: tuple[Callable[[ReportContent], list[Section]], ...] = (
    documents,
    further_measures,
    details,
    agreement,
    measure_stability,
    queries_needed,
    spread,
    curves,
)
#: The table of all measures has at most so many: more make it wider than a screen.
MAX_MEASURES = 8
#: Of more systems only the best are shown.
MAX_SYSTEMS = 50
#: Documents of both lists of a query.
DOCUMENTS_SHOWN = 10
#: The title names the systems up to this number, and up to this length.
FEW_SYSTEMS, MOST_OF_TITLE = 3, 80


def report(
    qrels: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    baseline: PathLike | None = None,
    test: str = "t",
    correction: str = "holm",
    family: str | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    interval: str | None = None,
    rope: float = 0.0,
    n_resamples: int = 10_000,
    rng: Any = 0,
    title: str = "",
    command: str = "",
    date: str | None = None,
    figures: bool = True,
    input: str | None = None,
    total_ranks: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    conventions: Mapping[str, Any] | None = None,
    queries: Mapping[str, Any] | None = None,
    machine: Any = None,
    map: Any = None,
) -> Page:
    """A page that compares runs: verdict, all systems by all measures, single queries, unjudged documents, an appendix.

    Of more than 50 systems, the page shows the 50 best by the first measure that has a direction, and the baseline. A
    single system is described without a comparison. `page.write(path)` writes the page.

    Parameters
    ----------
    qrels, runs, measures
        As for `evaluate`. The verdict is about the first measure. Scores may replace qrels and runs: the page then has
        no parts that need the lists (unjudged documents, curves).
    baseline
        Compare each of the other systems with this one. Default: compare all pairs.
    test
        Significance test: of two systems at a time; of all systems at once (max-t, max-t-bootstrap, tukey,
        randomised-tukey, nemenyi); or a Bayesian test instead (bayes-t, bayes-signed-rank). One of 't', 'permutation',
        'bootstrap', 'wilcoxon', 'sign', 'mcnemar', 'tukey', 'randomised-tukey', 'max-t', 'max-t-bootstrap', 'nemenyi',
        'bayes-t', 'bayes-signed-rank'. Default: 't'.
    correction
        Correction of p-values for multiple comparisons. One of 'holm', 'bonferroni', 'hochberg', 'hommel', 'bh', 'by',
        'none'. Default: 'holm'.
    family
        Which p-values are corrected together: those of all pairs of systems for one measure (pairs), or for all
        measures (all). One of 'pairs', 'all'. Default: all if no measure is named, else pairs.
    alternative
        Alternative hypothesis: the values of the first system of a pair differ from those of the second (two-sided),
        are greater, or are less. With a baseline, the baseline is the second. One of 'two-sided', 'greater', 'less'.
        Default: 'two-sided'.
    alpha
        Significance level A; confidence intervals have the level 1 - A. Default: 0.05.
    interval
        Confidence interval of the mean difference: Student's t, a bootstrap (bca, percentile), or, for outcomes 0 and
        1, Tango's score interval (tango). One of 't', 'bca', 'percentile', 'tango'. Default: tango for outcomes 0 and 1
        from a file of scores, else t.
    rope
        Region of practical equivalence, in units of the measure: Bayesian tests, the sign test and the counts of wins
        treat a difference of at most X as a tie. Default: 0.0.
    n_resamples
        Number of resamples of a permutation test or bootstrap. Default: 10000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    title
        Title of the page; by default the systems and the judgments.
    command
        The command that made the page, which the page shows.
    date
        Date of the page. Default: today.
    figures
        False omits the figures.
    input, total_ranks, workers, progress
        As for `evaluate`.
    conventions
        Further arguments of `evaluate`, as {"ties": "file"}.
    queries
        Groups, clusters and weights of the queries: arguments of `Scores.with_queries`, as {"queries": "queries.csv"}.
    machine
        Judgments by a machine of all queries. `qrels` are then judgments by people of some queries, drawn at random.
        The page adds estimates from both by the first measure (`rankscope.judging.estimate`); all else uses the
        judgments by people. With scores, the name of the measure with a machine's values of all queries; the first
        other measure then holds people's values of some. The machine's measure is only in the estimates.
    map
        The machine's grades on the scale of `qrels`, as "0=0,1=0,2=1".

    Returns
    -------
    Page
        The page.

    Raises
    ------
    ParameterError
        As `evaluate` and `compare` raise it; or if jinja2 or, for figures, Altair is not installed
        (`pip install 'rankscope[report]'`).
    InputError
        As `evaluate` and `compare` raise it.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(4)}
    >>> good, poor = ({f"q{i}": {"a": s, "b": 1.0} for i in range(4)} for s in (2.0, 0.5))
    >>> page = rs.report(qrels, [rs.Run(good, name="good"), rs.Run(poor, name="poor")], ["RR", "P@1"], figures=False)
    >>> "good is better than poor" in page.html  # but one value a query never varies: no test can say so
    False
    >>> "good is ahead of poor: its mean RR on 4 queries is 1.0000 against 0.5000" in page.html
    True
    """
    settings = ComparisonSettings(
        baseline=None if baseline is None else os.fspath(baseline),
        test=test,
        correction=correction,
        family=family,
        alternative=alternative,
        alpha=alpha,
        interval=interval,
        rope=rope,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    page_options: dict[str, Any] = {"title": title, "command": command, "date": date, "figures": figures}
    page_options |= {"queries": queries, "workers": workers}
    if isinstance(qrels, Scores):
        if runs is not None or conventions or (map, input, total_ranks) != (None, None, None):
            raise ParameterError("scores are evaluated already; leave runs and the arguments of evaluate out")
        scores = scores_by(qrels, measures, machine)
        return report_scores(scores, settings.with_family(measures), machine=machine, **page_options)
    return write_report(
        qrels,
        runs,
        measures,
        settings,
        input=input,
        total_ranks=total_ranks,
        progress=progress,
        conventions=conventions,
        machine=machine,
        map=map,
        **page_options,
    )


def scores_by(scores: Scores, measures: Any, machine: Any) -> Scores:
    """The scores by these measures, and by that of a machine; None for all of them."""
    if measures is None:
        return scores
    names = [*map(str, as_names(measures)), *([] if machine is None else [str(machine)])]
    return select_measures(scores, list(dict.fromkeys(names)))


def write_report(
    qrels: Any,
    runs: Any,
    measures: Any,
    settings: ComparisonSettings,
    *,
    title: str = "",
    command: str = "",
    date: str | None = None,
    figures: bool = True,
    input: str | None = None,
    total_ranks: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    conventions: Mapping[str, Any] | None = None,
    queries: Mapping[str, Any] | None = None,
    table_systems: Sequence[str] = (),
    machine: Any = None,
    map: Any = None,
) -> Page:
    """As `report`, with the settings of the comparison as one object. table_systems: as in `plan_and_join`."""
    settings = settings.with_family(measures)
    evaluate_options = {**(conventions or {})}
    if machine is None and map is not None:
        raise ParameterError("map (--map) is only for judgments by a machine (--machine); leave it out")
    query_table = (queries or {}).get("queries")
    if machine is not None:
        read_twice = "beside a machine (--machine) runs and a table of queries are read twice"
        refuse_pipes([*as_run_list(runs), query_table], read_twice)
    stamps_before = file_stamps((qrels, *as_run_list(runs), machine, query_table))
    evaluation = ConventionSettings(**evaluate_options), InputSettings(input=input, total_ranks=total_ranks)
    reading: dict[str, Any] = {"table_systems": table_systems, "workers": workers, "progress": progress}
    plan, joined = plan_and_join(qrels, runs, measures, *evaluation, depth=DOCUMENTS_SHOWN, **reading)
    scores = add_queries(score_hits(plan, joined), queries)
    settings, shown_systems, limit_notes = choose_systems(scores, settings, as_run_list(runs))
    baseline, scores = settings.baseline, scores.select(systems=shown_systems)
    has_judgments = input != ENTITY and not isinstance(qrels, EntityRanks)
    shown_runs = [joined[system] for system in shown_systems]
    comparison_result, not_compared = compare_all(scores, settings, workers)
    content = ReportContent(
        scores=scores,
        comparison=comparison_result,
        not_compared=not_compared,
        alpha=settings.alpha,
        rng=settings.seed,
        estimates=None
        if machine is None
        else estimates_of(qrels, runs, machine, map, baseline, scores, evaluate_options, input, queries),
        **(extra_scores(shown_runs, plan, scores.query_columns) if has_judgments else {}),
        lists=(plan, shown_runs) if has_judgments else None,
    )
    sources = [("judgments", qrels), *([("judgments of a machine", machine)] if machine is not None else [])]
    sources += [("run", run) for run in as_run_list(runs)]
    sources += [("queries", query_table)] if query_table is not None else []
    provenance_rows = provenance(sources, scores if comparison_result is None else comparison_result, command)
    refuse_changed(stamps_before)  # the hashes are of what was evaluated
    return page_of(content, title or title_of(scores, qrels), provenance_rows, limit_notes, date=date, figures=figures)


def report_scores(
    scores: Scores,
    settings: ComparisonSettings,
    *,
    title: str = "",
    command: str = "",
    date: str | None = None,
    figures: bool = True,
    workers: int | None = None,
    sources: Sequence[PathLike] = (),
    queries: Mapping[str, Any] | None = None,
    machine: str | None = None,
) -> Page:
    """As `report`, of scores, without the parts that look into the lists.

    sources: the files they were read from. machine: the measure of a machine's values.
    """
    query_table = (queries or {}).get("queries")
    stamps_before = file_stamps((*sources, query_table))
    scores, machine_scores = take_machine(add_queries(scores, queries), machine)
    settings, shown_systems, limit_notes = choose_systems(scores, settings, sources)
    scores = scores.select(systems=shown_systems)
    comparison_result, not_compared = compare_all(scores, settings, workers)
    content = ReportContent(
        scores=scores,
        comparison=comparison_result,
        not_compared=not_compared,
        alpha=settings.alpha,
        rng=settings.seed,
        estimates=None
        if machine_scores is None
        else estimates_of_scores(scores, machine_scores.select(systems=shown_systems), settings.baseline),
    )
    result = scores if comparison_result is None else comparison_result
    files: Sequence[Any] = sources or [scores]
    named_sources = [("scores", source) for source in files]
    named_sources += [("queries", query_table)] if query_table is not None else []
    provenance_rows = provenance(named_sources, result, command)
    refuse_changed(stamps_before)
    limit_notes = [*limit_notes, "from scores alone: without unjudged documents and curves, which need lists"]
    title = title or title_of(scores, sources[0] if sources else None)
    return page_of(content, title, provenance_rows, limit_notes, date=date, figures=figures)


def add_queries(scores: Scores, queries: Mapping[str, Any] | None) -> Scores:
    """The scores with what is known of their queries. Raises ParameterError for what is no argument of that."""
    if not queries:
        return scores
    unknown = [name for name in queries if name not in QuerySettings.declared()]
    if unknown:
        raise UnknownName("argument of queries", unknown[0], QuerySettings.declared())
    return scores.with_queries(**queries)


def choose_systems(
    scores: Scores, settings: ComparisonSettings, paths: Sequence[Any]
) -> tuple[ComparisonSettings, list[int], list[str]]:
    """The settings with the name of the baseline, the systems that the page shows, and notes on the others."""
    baseline = resolve_system(settings.baseline, paths, scores)
    if len(scores.systems) > 1 or baseline is not None:
        check_systems(scores, baseline, minimum=1)
    return replace(settings, baseline=baseline), *best_systems(scores, baseline)


def page_of(
    content: ReportContent,
    title: str,
    provenance_rows: list[tuple[str, str]],
    limit_notes: Sequence[str],
    *,
    date: str | None,
    figures: bool,
) -> Page:
    """The page of this content. The notes on further measures are with their tables."""
    notes = content.scores.notes
    if content.comparison is not None:
        result = content.comparison
        notes = (*result.scores.notes, *result.general_notes, *result.comparisons[0].notes)
    notes = (*notes, *content.scores.queries.clustering_notes())
    return render_page(
        title,
        verdict_of(content),
        main_sections(content),
        provenance_rows,
        notes=(*limit_notes, *notes),
        appendix=appendix_sections(content),
        date=today() if date is None else date,
        **({} if figures else {"figures": None}),
    )


def today() -> str:
    """The date, as "5 May 2026"."""
    now = dt.date.today()
    return f"{now.day} {now:%B %Y}"


def estimates_of(
    qrels: Any,
    runs: Any,
    machine: Any,
    map: Any,
    baseline: str | None,
    scores: Scores,
    conventions: Mapping[str, Any],
    input_: str | None,
    queries: Mapping[str, Any] | None,
) -> Estimates:
    """Estimates of the first measure from the judgments of people and a machine."""
    measure: Any = scores.measures[0]
    plan = make_plan([measure], **conventions)
    settings = EstimateSettings(baseline=baseline, map=map)
    return estimate_means(qrels, runs, machine, plan, settings, queries=QueryTable.of(queries), input=input_)


def take_machine(scores: Scores, machine: str | None) -> tuple[Scores, Scores | None]:
    """The scores without the measure of a machine, and those by it; None without one."""
    if machine is None:
        return scores, None
    machine_scores = select_measures(scores, [str(machine)])
    (name,) = machine_scores.measure_names
    others = [i for i, other_name in enumerate(scores.measure_names) if other_name != name]
    if not others:
        raise ParameterError(
            f"the scores have no measure beside {name!r} of the machine (--machine), expected one with values of "
            "people of some queries; name its column with measures (-m)"
        )
    return scores.select(measures=others), machine_scores


def estimates_of_scores(scores: Scores, machine_scores: Scores, baseline: str | None) -> Estimates:
    """Estimates of the first measure, which people gave to some queries, from a machine's values of all."""
    import polars as pl

    (machine,), human = machine_scores.measure_names, scores.measure_names[0]
    n_systems, n_queries = len(scores.systems), len(scores.query_ids)
    columns: dict[str, Any] = {
        "system": np.repeat(scores.systems, n_queries),
        "query": np.tile(scores.query_ids, n_systems),
        **{name: list(values) * n_systems for name, values in scores.query_columns.items() if name != "group"},
        human: scores.matrix(human).ravel(),
        machine: machine_scores.matrix(machine).ravel(),
    }
    table = pl.DataFrame(columns).fill_nan(None)
    table = table.filter(pl.col(human).is_not_null() | pl.col(machine).is_not_null())
    settings = ItemSettings(human=human, machine=machine, baseline=baseline, lower=scores.sign(scores.measures[0]) < 0)
    return estimate_item_table(table, settings)


def best_systems(scores: Scores, baseline: str | None) -> tuple[list[int], list[str]]:
    """The places of the systems that the page shows, and a note where some are not shown."""
    n_systems = len(scores.systems)
    if n_systems <= MAX_SYSTEMS:
        return list(range(n_systems)), []
    measure = next((candidate for candidate in scores.measures if scores.sign(candidate)), None)
    best, rule = np.arange(MAX_SYSTEMS), "first"  # no measure has a direction
    if measure is not None:
        goodness = scores.sign(measure) * scores.summary(measure)
        best, rule = order_of(-goodness)[:MAX_SYSTEMS], f"best by {measure}"
    shown_systems = set(best.tolist()) | ({scores.systems.index(baseline)} if baseline is not None else set())
    note = f"{n_systems:,} systems; only the {len(shown_systems)} {rule}"
    baseline_note = " (with the baseline)" if baseline is not None else ""
    return sorted(shown_systems), [
        f"{note}{baseline_note} are shown and compared, and p-values are corrected for these only. `rankscope "
        f"evaluate` shows all."
    ]


def compare_all(
    scores: Scores, settings: ComparisonSettings, workers: int | None
) -> tuple[Comparison | None, dict[str, str]]:
    """The comparison by every measure that allows one, and the reason for each of the others."""
    if len(scores.systems) < 2:
        return None, {}
    not_compared: dict[str, str] = {}
    compared_names = []
    for name in scores.measure_names:
        try:
            match_queries(scores, name)
        except (InputError, ParameterError) as error:
            not_compared[name] = str(error)
        else:
            compared_names.append(name)
    if not compared_names:
        raise InputError("; ".join(not_compared.values()))
    return compare_systems(scores, compared_names, settings, workers=workers), not_compared


def scores_of_extra_sections(joined: Sequence[JoinedRun], plan: Plan) -> dict[str, Scores]:
    """Scores of the same lists by the page's own measures: curves, and shares of unjudged documents with bounds."""
    scores_of_section = {"curve_scores": score_hits(plan.with_measures(curve_measures()), joined)}
    if plan.convention.ties != "average":  # with averaged ties a list has no single order
        scores_of_section["unjudged_scores"] = score_hits(
            plan.with_measures(unjudged_measures(), unjudged="bounds"), joined
        )
    return scores_of_section


def extra_scores(
    joined: Sequence[JoinedRun], plan: Plan, query_columns: Mapping[str, tuple[Any, ...]]
) -> dict[str, Scores]:
    """As `scores_of_extra_sections`, with what is known of the queries, such as their weights."""
    return {
        name: replace(scores, query_columns=query_columns)
        for name, scores in scores_of_extra_sections(joined, plan).items()
    }


def title_of(scores: Scores, qrels: Any) -> str:
    """A title such as "bm25 and dense on robust.qrels"; with counts where names are many or long."""
    judgments = Path(source_name(qrels)).name if is_path(qrels) else pluralise_queries(len(scores.query_ids))
    title = f"{join_names(scores.systems)} on {judgments}"
    if len(scores.systems) <= FEW_SYSTEMS and len(title) <= MOST_OF_TITLE:
        return title
    return f"{pluralise(len(scores.systems), 'system')} on {pluralise_queries(len(scores.query_ids))}"


def provenance(sources: Sequence[tuple[str, Any]], result: Scores | Comparison, command: str) -> list[tuple[str, str]]:
    """Where the numbers come from: files with their hashes, settings, versions, the command.

    sources: what each file or object is, and it.
    """
    rows = [("signature", result.signature())]
    rows += [(kind, describe_source(source)) for kind, source in sources]
    rows += [("command", command)] if command else []
    program_versions = [f"rankscope {__version__}", f"Python {platform.python_version()}"]
    return [
        *rows,
        ("versions", ", ".join([*program_versions, *(f"{name} {version(name)}" for name in ("numpy", "scipy"))])),
    ]


def as_run_list(runs: Any) -> Sequence[Any]:
    """The runs as a list: one run is a list of one, None is no run."""
    return runs if isinstance(runs, (list, tuple)) else [] if runs is None else [runs]


def describe_source(source: Any) -> str:
    """A file with its hash, or what an object in memory is called."""
    if not is_path(source):
        name = getattr(source, "name", "")
        return f"{name or type(source).__name__}, in memory"
    digest = file_digest(source)
    return f"{source_name(source)}{f', SHA-256 {digest}' if digest else ''}"
