"""What people and metrics say of one language pair, brought to the same systems and segments, as matrices."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike as PathLikeType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.inputs import Judged
from rankscope.agreement.judged_lists import rankings_of
from rankscope.agreement.sources import merged
from rankscope.agreement.system_asked import SystemsAsked
from rankscope.agreement.system_inputs import (
    Compared,
    Part,
    check_scores,
    matched,
    metric_sums,
    names_in,
    parts_of,
    people_sums,
)
from rankscope.agreement.system_people import Given, SystemMetrics
from rankscope.agreement.system_sources import AnyScores, merged_systems, read_any_scores
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores, attach
from rankscope.data.wording import counted, listed
from rankscope.errors import InputError, ParameterError
from rankscope.io.read import PathLike
from rankscope.stats.inputs import Floats, constant

__all__ = ["Matrices", "judged_beside", "matrices_of", "of_segments", "pairs_of", "read_metrics"]


class Matrices(NamedTuple):
    """One language pair. gold: (systems, segments), metrics: (metrics, systems, segments), higher is better, NaN where
    there is none. whole: scores are of systems, and the matrices have one column. notes: what is left out.
    """

    gold: Floats
    metrics: Floats
    whole: bool
    notes: tuple[str, ...]


def read_metrics(scores: SystemMetrics, test_set: str | None) -> list[AnyScores]:
    """Scores as they are given, or read; of a folder those of segments, where a metric has both.

    Raises as `rankscope.read_segment_scores`; ParameterError for a test set where there is no file.
    """
    single = isinstance(scores, (SegmentScores, SystemScores, str, PathLikeType))
    files = [scores] if single else list(scores)  # type: ignore[arg-type]  # neither is a list
    paths = [one for one in files if isinstance(one, (str, PathLikeType))]
    if test_set is not None and not paths:
        raise ParameterError("test_set says which scores of a file are wanted, and there is none; leave it out")
    found: list[AnyScores] = []
    for one in files:
        if not isinstance(one, (str, PathLikeType)):
            found.append(one)  # type: ignore[arg-type]  # what is neither is refused where it is used
        elif os.path.isdir(one):
            found += folder_metrics(one)
        else:
            found += read_any_scores(one, test_set=test_set)
    return found


def folder_metrics(path: PathLike) -> list[AnyScores]:
    """The metrics of a folder of mt-metrics-eval; scores of systems only where there are none of segments."""
    from rankscope.io.mt_folders import list_mt_scores, read_mt_scores, read_mt_system_scores

    parts = [file for file in list_mt_scores(path) if file.kind == "metric"]
    known = {(file.pair, file.name) for file in parts}
    whole = [file for file in list_mt_scores(path, level="sys") if file.kind == "metric"]
    rest = [read_mt_system_scores(file.path) for file in whole if (file.pair, file.name) not in known]
    if not parts and not rest:
        raise InputError(f"{path}: no metric-scores/PAIR/METRIC.seg.score in this folder, expected at least one")
    return [*merged([read_mt_scores(file.path) for file in parts]), *merged_systems(rest)]


def pairs_of(given: Given) -> list[str]:
    """The language pairs of people, in their order."""
    return list(parts_of(given.people))


def of_segments(given: Given, pair: str) -> bool:
    """Whether people and all metrics say something of every segment, and not of systems or in ranks."""
    parts = parts_of(given.people)
    sides = [parts_of(one) for one in given.metrics]
    own = [parts[pair], *(part_of(pair, parts, side) for side in sides)]
    return all(part is None or isinstance(part, PairScores) for part in own)


def part_of(pair: str, people: dict[str, Part], side: dict[str, Part]) -> Part | None:
    name = matched(pair, people, side)
    return None if name is None else side[name]


def matrices_of(given: Given, pair: str, asked: SystemsAsked, *, level: str) -> Matrices:
    """The scores of one language pair; systems that nobody judged are left out.

    Raises InputError where a metric lacks the language pair, or systems or segments that people judged, unless those in
    common are asked for; for fewer than two systems or segments, scores that are all one, and level "segment" where
    there are none of segments.
    """
    people = parts_of(given.people)
    own: list[Part] = [people[pair]]
    names = [given.gold, *(one.metric for one in given.metrics)]
    for one in given.metrics:
        side = parts_of(one)
        part = part_of(pair, people, side)
        if part is None:
            raise InputError(
                f"{one.metric} has no scores of language pair {pair!r}, only of {listed(map(repr, side))}; leave it "
                "out (--metrics) or name tasks of others (--pairs, --task)"
            )
        own.append(part)
    whole = not of_segments(given, pair)
    if whole and level == "segment":
        of = next(name for name, part in zip(names, own, strict=True) if not isinstance(part, PairScores))
        raise InputError(f"{of} has scores of systems only; compare at level system, or give its scores of segments")
    kept, notes = kept_names(
        pair, names, [names_in(part, given.gold) for part in own], "system", "systems", asked.common, names_of_more=True
    )
    ups = [bool(getattr(given.people, "score", True)) or given.rule not in ("mean", "given")]
    ups += [one.score for one in given.metrics]
    if whole:
        return whole_systems(given, pair, own, kept, ups, notes, asked)
    tables = [part for part in own if isinstance(part, PairScores)]
    segments, more = kept_names(
        pair, names, [scored_segments(part, kept) for part in tables], "segment", "segments", asked.common
    )
    stack = np.array([table(part, kept, segments) for part in tables])
    stack *= np.where(ups, 1.0, -1.0)[:, None, None]
    where = f"{pair}: " if pair else ""
    there = ~np.isnan(stack).any(axis=0)
    if not there.any():
        raise InputError(f"{where}there is no translation of which people and all metrics have a score")
    for name, values in zip(names, stack, strict=True):
        if constant(values[there][None])[0]:
            raise InputError(
                f"{where}{name} is {values[there][0] + 0.0:g} for all translations, expected scores that differ; leave "
                "it or the language pair out (--metrics, --pairs)"
            )
    return Matrices(stack[0], stack[1:], False, (*notes, *more))


def scored_segments(part: PairScores, systems: Sequence[str]) -> list[str]:
    """Those in which one of these systems has a score."""
    known = set(systems)
    rows = [i for i, name in enumerate(part.systems) if name in known]
    some = np.flatnonzero((~np.isnan(part.values[rows])).any(axis=0))
    return [part.segments[i] for i in some.tolist()]


def table(part: PairScores, systems: Sequence[str], segments: Sequence[str]) -> Floats:
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (part.systems, part.segments))
    found: Floats = part.values[np.ix_([rows[name] for name in systems], [columns[name] for name in segments])]
    return found


def kept_names(
    pair: str,
    names: Sequence[str],
    sets: Sequence[Sequence[str]],
    one: str,
    many: str,
    common: bool,
    *,
    names_of_more: bool = False,
) -> tuple[list[str], list[str]]:
    """The systems or segments that people judged and all metrics have, and notes; sets: of people first.

    Raises InputError where a metric lacks some, unless those in common are asked for; and where fewer than two are
    left.
    """
    where = f"{pair}: " if pair else ""
    known = [set(names) for names in sets]
    kept = [name for name in sets[0] if all(name in other for other in known[1:])]
    if len(kept) < 2:
        shown = "; ".join(f"{name} {listed(own) or 'none'}" for name, own in list(zip(names, sets, strict=True))[:3])
        raise InputError(
            f"{where}{counted(len(kept), one, many)} in common, expected two or more to compare on: {shown}"
        )
    notes = []
    if len(kept) < len(sets[0]):
        left = [name for name in sets[0] if name not in set(kept)]
        metric, other = next((name, own) for name, own in zip(names[1:], known[1:], strict=True) if known[0] - own)
        if not common:
            missing = [name for name in sets[0] if name not in other]
            raise InputError(
                f"{where}{metric} has no score of {one if len(missing) == 1 else many} {listed(missing)}, which people "
                f"judged; compare on the {len(kept)} that all have (--common), or leave {metric} out (--metrics)"
            )
        notes.append(f"{where}{counted(len(left), one, many)} left out, which not all metrics have: {listed(left)}")
    more = list(dict.fromkeys(name for own in sets[1:] for name in own if name not in known[0]))
    if more and names_of_more:
        notes.append(f"{where}{listed(more)} {'is' if len(more) == 1 else 'are'} not compared, as nobody judged it")
    return kept, notes


def whole_systems(
    given: Given,
    pair: str,
    own: Sequence[Part],
    kept: Sequence[str],
    ups: Sequence[bool],
    notes: Sequence[str],
    asked: SystemsAsked,
) -> Matrices:
    """Scores of systems as one column: means or wins where scores or rankings of segments were given."""
    where = f"{pair}: " if pair else ""
    try:
        people = people_sums(own[0], kept, given, asked, 0)
        metrics = [metric_sums(one, part, kept, asked) for one, part in zip(given.metrics, own[1:], strict=True)]
    except InputError as error:
        raise InputError(f"{where}{error}") from None
    found = Compared(pair, tuple(kept), people, metrics, ups[0], tuple(ups[1:]))
    check_scores(found, [given.gold, *(one.metric for one in given.metrics)])
    rows = found.oriented()
    return Matrices(rows[0][:, None], rows[1:, :, None], True, tuple(notes))


def judged_beside(given: Given, pair: str, common: bool, *, own: bool) -> tuple[Judged, list[str]]:
    """The judgments of one language pair with a column a metric, for statistics of pairs within a judgment; and notes.

    own: the metrics are columns of the judgments. Raises InputError for scores of whole systems, and as `matrices_of`.
    """
    for name, one in ((given.gold, given.people), *((one.metric, one) for one in given.metrics)):
        if isinstance(one, SystemScores):
            raise InputError(
                f"{name} has scores of systems only; compare at level system, or give its scores of segments"
            )
    gold = given.gold
    people = parts_of(given.people)
    part = people[pair]
    if isinstance(given.people, Rankings):
        rankings = dict(given.people.by_pair())[pair]
    else:
        assert isinstance(part, PairScores)
        rankings, gold = rankings_of(SegmentScores(given.people.metric, {pair: part}, given.people.score)), "human"
    names: list[str] = []
    systems, segments = [names_in(part, given.gold)], [segments_in(part, given.gold)]
    for one in given.metrics:
        found = part_of(pair, people, parts_of(one))
        if not isinstance(found, PairScores):
            raise InputError(f"{one.metric} has no scores of language pair {pair!r}; leave it out (--metrics)")
        systems.append(names_in(found, None))
        segments.append(scored_segments(found, found.systems))
        if own and isinstance(given.people, Rankings):
            rankings = rankings.with_column(one.metric, rankings.column(one.metric), score=one.score)
            names.append(one.metric)
            continue
        before = set(rankings.columns)
        rankings = attach(rankings, SegmentScores(one.metric, {pair: found}, one.score))
        names += [column for column in rankings.columns if column not in before]
    said = [given.gold, *(one.metric for one in given.metrics)]
    _, notes = kept_names(pair, said, systems, "system", "systems", common, names_of_more=True)
    _, more = kept_names(pair, said, segments, "segment", "segments", common)
    return Judged(rankings, gold, tuple(names), ()), [*notes, *more]


def segments_in(part: Part, gold: str) -> list[str]:
    """The segments of which people say something."""
    if isinstance(part, PairScores):
        return scored_segments(part, part.systems)
    assert isinstance(part, Rankings)
    of = part.segment.codes[part.judgment][~np.isnan(part.column(gold))]
    return [part.segment.names[code] for code in dict.fromkeys(of.tolist())]
