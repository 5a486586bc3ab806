"""report: judgments and runs in, one page out that says what was found."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.comparison.compare import compare
from rankscope.comparison.comparison import Comparison
from rankscope.comparison.matched import check_systems, match_queries, resolve_system
from rankscope.data.entities import EntityRanks
from rankscope.data.scores import Scores
from rankscope.data.wording import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.curves import curve_measures
from rankscope.evaluation.engine import plan_and_join, score_hits
from rankscope.evaluation.holes import unjudged_measures
from rankscope.evaluation.sources import ENTITY, JoinedRun, Progress, is_path
from rankscope.io.digest import file_digest
from rankscope.io.stamps import file_stamps, refuse_changed
from rankscope.io.streams import refuse_pipes, source_name
from rankscope.judging.estimated import Estimates
from rankscope.judging.estimating import estimate
from rankscope.kernels.ties import order_of
from rankscope.reporting.page import Page, render_page
from rankscope.reporting.report_sections import ReportContent, all_sections, verdict_of

__all__ = ["MOST_SYSTEMS", "report"]

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
        check_systems(scores, baseline, least=1)
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
