"""What people and metrics say of one language pair, brought to the same systems and segments, as matrices."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike as PathLikeType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.inputs import JudgedMetrics
from rankscope.agreement.judged_lists import rankings_from_scores
from rankscope.agreement.system_asked import SystemSettings
from rankscope.agreement.system_inputs import (
    MatchedSystems,
    by_language_pair,
    check_scores,
    human_sums,
    language_pair_name,
    metric_sums,
    systems_in,
    unjudged_note,
)
from rankscope.agreement.system_people import PeopleAndMetrics, SystemMetrics
from rankscope.agreement.system_segments import (
    LanguagePairScores,
    common_segments,
    judged_segments,
    score_table,
    scored_by_all,
    scored_segments,
)
from rankscope.agreement.system_sources import AnyScores, read_any_scores, system_scores_in
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores, attach_scores
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.stats.inputs import constant
from rankscope.typing import Floats

__all__ = [
    "Matrices",
    "attach_metric_columns",
    "match_matrices",
    "have_segment_scores",
    "language_pairs",
    "read_metric_scores",
]


class Matrices(NamedTuple):
    """One language pair. gold: (systems, segments), metrics: (metrics, systems, segments), higher is better, NaN where
    there is none. whole: scores are of systems, and the matrices have one column. notes: what is left out. used: the
    segments that have a cell of all; none where scores are of systems.
    """

    gold: Floats
    metrics: Floats
    whole: bool
    notes: tuple[str, ...]
    used: tuple[str, ...] = ()


def read_metric_scores(scores: SystemMetrics, test_set: str | None, judgments: object = None) -> list[AnyScores]:
    """Scores as they are given, or read; of a folder those of segments, where a metric has both,
    or those of systems where judgments are.

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
            found += read_any_scores(one, segments=not are_system_judgments(judgments))
        else:
            found += read_any_scores(one, test_set=test_set)
    return found


def are_system_judgments(judgments: object) -> bool:
    """Whether judgments are scores of whole systems; of standard input, which can be read once, that is not asked."""
    if isinstance(judgments, (str, PathLikeType)) and str(judgments) != "-":
        return system_scores_in(judgments) is not None
    return isinstance(judgments, SystemScores)


def language_pairs(given: PeopleAndMetrics) -> list[str]:
    """The language pairs of people, in their order."""
    return list(by_language_pair(given.people))


def have_segment_scores(given: PeopleAndMetrics, pair: str) -> bool:
    """Whether people and all metrics say something of every segment, and not of systems or in ranks."""
    parts = by_language_pair(given.people)
    sides = [by_language_pair(one) for one in given.metrics]
    own = [parts[pair], *(scores_of_pair(pair, parts, side) for side in sides)]
    return all(part is None or isinstance(part, PairScores) for part in own)


def scores_of_pair(
    pair: str, people: dict[str, LanguagePairScores], side: dict[str, LanguagePairScores]
) -> LanguagePairScores | None:
    name = language_pair_name(pair, people, side)
    return None if name is None else side[name]


def match_matrices(given: PeopleAndMetrics, pair: str, asked: SystemSettings, *, level: str) -> Matrices:
    """The scores of one language pair; systems that nobody judged are left out.

    Raises InputError where a metric lacks the language pair, or systems or segments that people judged, unless those in
    common are asked for; for fewer than two systems or segments, scores that are all one, and level "segment" where
    there are none of segments.
    """
    people = by_language_pair(given.people)
    own: list[LanguagePairScores] = [people[pair]]
    names = [given.gold, *(one.metric for one in given.metrics)]
    for one in given.metrics:
        side = by_language_pair(one)
        part = scores_of_pair(pair, people, side)
        if part is None:
            raise InputError(
                f"{one.metric} has no scores of language pair {pair!r}, only of {join_names(map(repr, side))}; leave it "
                "out (--metrics) or name tasks of others (--pairs, --task)"
            )
        own.append(part)
    whole = not have_segment_scores(given, pair)
    if whole and level == "segment":
        of = next(name for name, part in zip(names, own, strict=True) if not isinstance(part, PairScores))
        raise InputError(f"{of} has scores of systems only; compare at level system, or give its scores of segments")
    kept, notes = common_names(
        pair,
        names,
        [systems_in(part, given.gold) for part in own],
        "system",
        "systems",
        asked.common,
        names_of_more=True,
    )
    ups = [bool(getattr(given.people, "score", True)) or given.rule not in ("mean", "given")]
    ups += [one.score for one in given.metrics]
    if whole:
        return system_matrices(given, pair, own, kept, ups, notes, asked)
    tables = [part for part in own if isinstance(part, PairScores)]
    segments, more = common_names(
        pair, names, [scored_segments(part, kept) for part in tables], "segment", "segments", asked.common
    )
    stack = np.array([score_table(part, kept, segments) for part in tables])
    stack *= np.where(ups, 1.0, -1.0)[:, None, None]
    where = f"{pair}: " if pair else ""
    there = ~np.isnan(stack).any(axis=0)
    if not there.any():
        raise InputError(f"{where}there is no translation of which people and all metrics have a score")
    if level == "system" and asked.over == "common":  # as agreement on systems has it
        there, said = scored_by_all(stack, asked.over, where, len(scored_segments(tables[0], kept)))
        stack = np.where(there, stack, np.nan)
        more += said
    for name, values in zip(names, stack, strict=True):
        if constant(values[there][None])[0]:
            raise InputError(
                f"{where}{name} is {values[there][0] + 0.0:g} for all translations, expected scores that differ; leave "
                "it or the language pair out (--metrics, --pairs)"
            )
    used = tuple(name for name, some in zip(segments, there.any(axis=0).tolist(), strict=True) if some)
    return Matrices(stack[0], stack[1:], False, (*notes, *more), used)


def common_names(
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
        shown = "; ".join(
            f"{name} {join_names(own) or 'none'}" for name, own in list(zip(names, sets, strict=True))[:3]
        )
        raise InputError(
            f"{where}{pluralise(len(kept), one, many)} in common, expected two or more to compare on: {shown}"
        )
    notes = []
    if len(kept) < len(sets[0]):
        left = [name for name in sets[0] if name not in set(kept)]
        metric, other = next((name, own) for name, own in zip(names[1:], known[1:], strict=True) if known[0] - own)
        if not common:
            missing = [name for name in sets[0] if name not in other]
            raise InputError(
                f"{where}{metric} has no score of {one if len(missing) == 1 else many} {join_names(missing)}, which people "
                f"judged; compare on the {len(kept)} that all have (--common), or leave {metric} out (--metrics)"
            )
        notes.append(
            f"{where}{pluralise(len(left), one, many)} left out, which not all metrics have: {join_names(left)}"
        )
    more = list(dict.fromkeys(name for own in sets[1:] for name in own if name not in known[0]))
    if more and names_of_more:
        notes.append(unjudged_note(where, more))
    return kept, notes


def system_matrices(
    given: PeopleAndMetrics,
    pair: str,
    own: Sequence[LanguagePairScores],
    kept: Sequence[str],
    ups: Sequence[bool],
    notes: Sequence[str],
    asked: SystemSettings,
) -> Matrices:
    """Scores of systems as one column: means or wins where scores or rankings of segments were given."""
    where = f"{pair}: " if pair else ""
    names = [given.gold, *(one.metric for one in given.metrics)]
    own, more = common_segments(pair, names, own, given.gold, kept, asked)
    try:
        people = human_sums(own[0], kept, given, asked, 0)
        metrics = [metric_sums(one, part, kept, asked) for one, part in zip(given.metrics, own[1:], strict=True)]
    except InputError as error:
        raise InputError(f"{where}{error}") from None
    found = MatchedSystems(pair, tuple(kept), people, metrics, ups[0], tuple(ups[1:]))
    check_scores(found, names)
    rows = found.oriented()
    return Matrices(rows[0][:, None], rows[1:, :, None], True, (*notes, *more))


def attach_metric_columns(
    given: PeopleAndMetrics, pair: str, common: bool, *, own: bool
) -> tuple[JudgedMetrics, list[str]]:
    """The judgments of one language pair with a column a metric, for statistics of pairs within a judgment; and notes.

    own: the metrics are columns of the judgments. Raises InputError for scores of whole systems, and as `match_matrices`.
    """
    for name, one in ((given.gold, given.people), *((one.metric, one) for one in given.metrics)):
        if isinstance(one, SystemScores):
            raise InputError(
                f"{name} has scores of systems only; compare at level system, or give its scores of segments"
            )
    gold = given.gold
    people = by_language_pair(given.people)
    part = people[pair]
    if isinstance(given.people, Rankings):
        rankings = dict(given.people.by_pair())[pair]
    else:
        assert isinstance(part, PairScores)
        rankings, gold = (
            rankings_from_scores(SegmentScores(given.people.metric, {pair: part}, given.people.score)),
            "human",
        )
    names: list[str] = []
    systems, segments = [systems_in(part, given.gold)], [judged_segments(part, given.gold)]
    for one in given.metrics:
        found = scores_of_pair(pair, people, by_language_pair(one))
        if not isinstance(found, PairScores):
            raise InputError(f"{one.metric} has no scores of language pair {pair!r}; leave it out (--metrics)")
        systems.append(systems_in(found, None))
        segments.append(scored_segments(found, found.systems))
        if own and isinstance(given.people, Rankings):
            rankings = rankings.with_column(one.metric, rankings.column(one.metric), score=one.score)
            names.append(one.metric)
            continue
        before = set(rankings.columns)
        rankings = attach_scores(rankings, SegmentScores(one.metric, {pair: found}, one.score))
        names += [column for column in rankings.columns if column not in before]
    said = [given.gold, *(one.metric for one in given.metrics)]
    _, notes = common_names(pair, said, systems, "system", "systems", common, names_of_more=True)
    _, more = common_names(pair, said, segments, "segment", "segments", common)
    return JudgedMetrics(rankings, gold, tuple(names), ()), [*notes, *more]
