"""People and metrics on the same language pairs, systems and segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankscope.agreement.load import AnyScores, JudgedMetrics, PeopleAndMetrics, rankings_from_scores
from rankscope.agreement.settings import SystemSettings
from rankscope.agreement.statistics import SystemSums, fixed_sums, mean_sums, share_sums, win_sums
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores, attach_scores
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.stats.inputs import constant
from rankscope.typing import Bools, Floats

__all__ = [
    "LanguagePairScores",
    "MatchedSystems",
    "Matrices",
    "attach_metric_columns",
    "common_segments",
    "have_segment_scores",
    "judged_segments",
    "language_pairs",
    "match_matrices",
    "match_systems",
    "scored_by_all",
    "scored_segments",
]


#: What one side has of one language pair.
LanguagePairScores = Rankings | PairScores | Mapping[str, float]


def scored_segments(part: PairScores, systems: Sequence[str]) -> list[str]:
    """Those in which one of these systems has a score."""
    known = set(systems)
    rows = [i for i, name in enumerate(part.systems) if name in known]
    some = np.flatnonzero((~np.isnan(part.values[rows])).any(axis=0))
    return [part.segments[i] for i in some.tolist()]


def judged_segments(part: LanguagePairScores, gold: str) -> list[str]:
    """The segments of which people say something."""
    if isinstance(part, PairScores):
        return scored_segments(part, part.systems)
    assert isinstance(part, Rankings)
    of = part.segment.codes[part.judgment][~np.isnan(part.column(gold))]
    return [part.segment.names[code] for code in dict.fromkeys(of.tolist())]


def common_segments(
    pair: str,
    names: Sequence[str],
    own: Sequence[LanguagePairScores],
    gold: str,
    systems: Sequence[str],
    asked: SystemSettings,
) -> tuple[list[LanguagePairScores], list[str]]:
    """What each side has of the segments on which systems are compared, people first; and notes.

    Where people gave scores to segments, every mean is over the same ones: "common", those of which all sides have a
    score of all systems, "own", of each system those of which all sides have one. Rankings stay as they are.

    Raises InputError where a metric has no segment that people judged; or not all, unless those in common are asked
    for; and where no segment is left.
    """
    people, where = own[0], f"{pair}: " if pair else ""
    if not isinstance(people, (Rankings, PairScores)):
        return list(own), []
    judged = judged_segments(people, gold) if isinstance(people, Rankings) else scored_segments(people, systems)
    notes = []
    for name, part in zip(names[1:], own[1:], strict=True):
        if not isinstance(part, PairScores):
            continue
        scored = scored_segments(part, systems)
        there = set(scored)
        missing = [one for one in judged if one not in there]
        if len(missing) == len(judged):
            raise InputError(
                f"{where}{name} has no score of a segment that people judged: people judged {join_names(judged)}, "
                f"{name} has {join_names(scored) or 'none'}; do both name segments alike?"
            )
        if missing and isinstance(people, PairScores) and not asked.common:
            raise InputError(
                f"{where}{name} has no score of {'segment' if len(missing) == 1 else 'segments'} "
                f"{join_names(missing)}, "
                f"which people judged; compare on the {len(judged) - len(missing):,} that both have (--common), or "
                f"leave {name} out (--metrics)"
            )
        if missing:
            notes.append(
                f"{where}{name} has scores of {len(judged) - len(missing):,} of the {len(judged):,} segments that "
                "people judged"
            )
    if not isinstance(people, PairScores):
        return list(own), notes
    sides = [i for i, part in enumerate(own) if isinstance(part, PairScores)]
    if asked.from_segments == "share":  # compares within a segment whatever there is
        sides = sides[:1]
    tables = [part for i in sides if isinstance(part := own[i], PairScores)]
    parts, said = scores_on_common_segments(tables, systems, judged, asked.over, where)
    found = list(own)
    for i, part in zip(sides, parts, strict=True):
        found[i] = part
    return found, [*notes, *said]


def scores_on_common_segments(
    parts: Sequence[PairScores], systems: Sequence[str], judged: Sequence[str], over: str, where: str
) -> tuple[list[PairScores], list[str]]:
    """The scores of the same translations, NaN for the others; people's first."""
    known = [set(part.segments) for part in parts]
    segments = [name for name in judged if all(name in other for other in known)]
    stack = np.array([score_table(part, systems, segments) for part in parts])
    there, notes = scored_by_all(stack, over, where, len(judged))
    used = np.flatnonzero(there.any(axis=0))
    kept = tuple(segments[i] for i in used.tolist())
    return [PairScores(tuple(systems), kept, np.where(there, one, np.nan)[:, used]) for one in stack], notes


def scored_by_all(stack: Floats, over: str, where: str, judged: int) -> tuple[Bools, list[str]]:
    """(systems, segments) which translations means are over, and a note where these are not all.

    stack: (sides, systems, segments), people's first; over: "common", the segments of which all sides have a score of
    all systems, or "own", the translations of which all sides have one. judged: how many segments people judged.

    >>> there, notes = scored_by_all(np.array([[[1, 2, np.nan], [3, 4, 5]], [[1, 2, 3], [4, 5, 6]]]), "common", "", 3)
    >>> there.tolist(), notes[0][:33]
    ([[True, True, False], [True, True, False]], 'means are over 2 of the 3 segment')
    """
    there: Bools = np.asarray(~np.isnan(stack).any(axis=0), np.bool_)
    if over == "common":
        there = np.asarray(there & there.all(axis=0), np.bool_)
        if not there.any():
            raise InputError(
                f"{where}there is no segment of which all systems have a score from people and all metrics, so no mean "
                "over common segments; take the mean of each over its own (--over own)"
            )
        many = int(there.any(axis=0).sum())
        if many == judged:
            return there, []
        return there, [
            f"{where}means are over {many:,} of the {judged:,} segments that people judged: those of which all systems "
            "have a score from people and all metrics (each over its own: --over own)"
        ]
    lost = int(np.count_nonzero(~np.isnan(stack[0]) & ~there))
    if not lost:
        return there, []
    return there, [
        f"{where}{pluralise(lost, 'translation')} that people judged left out of means, as a metric has no score there"
    ]


def score_table(part: PairScores, systems: Sequence[str], segments: Sequence[str]) -> Floats:
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (part.systems, part.segments))
    found: Floats = part.values[np.ix_([rows[name] for name in systems], [columns[name] for name in segments])]
    return found


class MatchedSystems(NamedTuple):
    """One language pair. people, metrics: scores of the same systems, in the same order. gold_higher, higher: whether
    higher is better.
    """

    pair: str
    systems: tuple[str, ...]
    people: SystemSums
    metrics: list[SystemSums]
    people_higher: bool
    higher: tuple[bool, ...]

    def oriented(self) -> Floats:
        """(1 + metrics, systems) the scores, higher is better in all; people's first."""
        rows = [self.people.values, *(one.values for one in self.metrics)]
        signs = [1.0 if up else -1.0 for up in (self.people_higher, *self.higher)]
        found: Floats = np.array(rows) * np.array(signs)[:, None]
        return found

    def tables(self, m: int) -> tuple[Floats, Floats]:
        """(systems, segments) what people say and a metric, higher is better, NaN where either says nothing.

        Both must be means over segments.
        """
        sides = (self.people, self.metrics[m])
        known = set(sides[1].segments)
        names = [name for name in sides[0].segments if name in known]
        found = []
        for one, up in zip(sides, (self.people_higher, self.higher[m]), strict=True):
            assert one.above is not None
            assert one.below is not None
            place = {name: i for i, name in enumerate(one.segments)}
            rows = [place[name] for name in names]
            above, below = one.above[rows, :, 0].T, one.below[rows, :, 0].T
            found.append(np.where(below > 0, above if up else -above, np.nan))
        there = ~(np.isnan(found[0]) | np.isnan(found[1]))
        if not there.any():
            raise InputError(
                f"{self.pair + ': ' if self.pair else ''}people and a metric have no translation in common that both "
                "score; do they name segments alike?"
            )
        return np.where(there, found[0], np.nan), np.where(there, found[1], np.nan)


def match_systems(
    given: PeopleAndMetrics, asked: SystemSettings, n_resamples: int
) -> tuple[list[MatchedSystems], list[str]]:
    """Each language pair that people and all metrics have, and notes on what is left out.

    n_resamples: of a model that draws its own. Raises InputError where sets of language pairs or systems differ, unless
    those in common are asked for; where there are fewer than two systems; where a score is missing or all are one.
    """
    people = by_language_pair(given.people)
    sides = [by_language_pair(one) for one in given.metrics]
    pairs, notes = common_language_pairs(people, given, sides, asked.common)
    found = []
    for pair in pairs:
        own = [people[pair], *(side[language_pair_name(pair, people, side) or ""] for side in sides)]
        names = [given.gold, *(one.metric for one in given.metrics)]
        systems, note = common_systems(pair, names, own, given, asked)
        own, more = common_segments(pair, names, own, given.gold, systems, asked)
        notes += [*note, *more]
        try:
            sums = human_sums(own[0], systems, given, asked, n_resamples)
            metrics = []
            for one, part in zip(given.metrics, own[1:], strict=True):
                metrics.append(metric_sums(one, part, systems, asked))
        except InputError as error:
            raise InputError(f"{pair}: {error}" if pair else str(error)) from None
        every = MatchedSystems(
            pair,
            systems,
            sums,
            metrics,
            given.rule not in ("mean", "given") or bool(getattr(given.people, "score", True)),
            tuple(
                one.score or (asked.from_segments == "share" and isinstance(part, PairScores))
                for one, part in zip(given.metrics, own[1:], strict=True)
            ),
        )
        check_scores(every, names)
        found.append(every)
    return found, notes


def by_language_pair(scores: Rankings | AnyScores) -> dict[str, LanguagePairScores]:
    if isinstance(scores, Rankings):
        return dict(scores.by_pair())
    return dict(scores.pairs)


def language_pair_name(
    pair: str, people: Mapping[str, LanguagePairScores], side: Mapping[str, LanguagePairScores]
) -> str | None:
    """The name by which a metric has the language pair: the same; or, of one each, one of them without a name."""
    if pair in side:
        return pair
    alone = len(people) == len(side) == 1 and "" in (pair, *side)
    return next(iter(side)) if alone else None


def common_language_pairs(
    people: Mapping[str, LanguagePairScores],
    given: PeopleAndMetrics,
    sides: Sequence[Mapping[str, LanguagePairScores]],
    common: bool,
) -> tuple[list[str], list[str]]:
    """The language pairs that are compared, and notes. Raises InputError where a metric lacks one."""
    lacking: dict[str, list[str]] = {}
    for one, side in zip(given.metrics, sides, strict=True):
        absent = [pair for pair in people if language_pair_name(pair, people, side) is None]
        if absent:
            lacking[one.metric] = absent
    if not lacking:
        return list(people), []
    metric, absent = next(iter(lacking.items()))
    kept = [pair for pair in people if not any(pair in pairs for pairs in lacking.values())]
    if not kept or not common:
        there = join_names(repr(name) for name in sides[[one.metric for one in given.metrics].index(metric)])
        names = join_names(map(repr, absent))
        advice = "compare those that all have (--common), or name some (--pairs)" if kept else "write the names alike"
        raise InputError(f"{metric} has no scores of language pair {names}, only of {there}; {advice}")
    left = [pair for pair in people if pair not in kept]
    verb = "has" if len(lacking) == 1 else "have"
    return kept, [f"{join_names(left)} left out, since {join_names(lacking)} {verb} no scores of it"]


def systems_in(part: LanguagePairScores, gold: str | None) -> list[str]:
    """The systems of which a side says something."""
    if isinstance(part, Rankings):
        there = ~np.isnan(part.column(str(gold)))
        return [part.systems[code] for code in dict.fromkeys(part.system.codes[there].tolist())]
    if isinstance(part, PairScores):
        some = np.flatnonzero((~np.isnan(part.values)).any(axis=1))
        return [part.systems[i] for i in some.tolist()]
    return [name for name, value in part.items() if not np.isnan(value)]


def common_systems(
    pair: str, names: Sequence[str], own: Sequence[LanguagePairScores], given: PeopleAndMetrics, asked: SystemSettings
) -> tuple[tuple[str, ...], list[str]]:
    """The systems that are compared, in the order of people's; and notes. Raises InputError where sets differ."""
    sets = [systems_in(part, given.gold) for part in own]
    kept = [name for name in sets[0] if all(name in other for other in sets[1:])]
    where = f"{pair}: " if pair else ""
    left = [name for name in sets[0] if name not in kept]
    if len(kept) < 2:
        shown = "; ".join(
            f"{name} {join_names(one) or 'none'}" for name, one in list(zip(names, sets, strict=True))[:3]
        )
        raise InputError(f"{where}{pluralise(len(kept), 'system')} in common, expected at least two: {shown}")
    more = list(dict.fromkeys(name for one in sets[1:] for name in one if name not in sets[0]))
    notes = [unjudged_note(where, more)] if more else []
    if not left:
        return tuple(kept), notes
    if not asked.common:
        metric, other = next((name, one) for name, one in zip(names[1:], sets[1:], strict=True) if {*sets[0]} - {*one})
        missing = [name for name in sets[0] if name not in other]
        raise InputError(
            f"{where}{metric} has no score of {join_names(missing)}; compare the {len(kept)} systems that all have "
            "(--common)"
        )
    them = "it" if len(left) == 1 else "each of them"
    return tuple(kept), [f"{where}{join_names(left)} left out, since not all have scores of {them}", *notes]


def unjudged_note(where: str, more: Sequence[str]) -> str:
    verb, them = ("is", "it") if len(more) == 1 else ("are", "them")
    return f"{where}{join_names(more)} {verb} not compared, as nobody judged {them}"


def human_sums(
    part: LanguagePairScores, systems: Sequence[str], given: PeopleAndMetrics, asked: SystemSettings, n_resamples: int
) -> SystemSums:
    if isinstance(part, Rankings):
        return win_sums(
            part, given.gold, systems, given.rule, prior=asked.prior, n_resamples=n_resamples, rng=asked.seed
        )
    if isinstance(part, PairScores):
        return mean_sums(part, systems, asked.over)
    return fixed_sums([part[name] for name in systems])


def metric_sums(
    scores: AnyScores, part: LanguagePairScores, systems: Sequence[str], asked: SystemSettings
) -> SystemSums:
    if isinstance(part, PairScores):
        try:
            if asked.from_segments == "share":
                return share_sums(part, systems, higher=scores.score)
            return mean_sums(part, systems, asked.over)
        except InputError as error:
            raise InputError(f"{scores.metric}: {error}") from None
    assert not isinstance(part, Rankings)
    return fixed_sums([part[name] for name in systems])


def check_scores(found: MatchedSystems, names: Sequence[str]) -> None:
    """Raise InputError for a system without a score, and for scores that are all one."""
    where = f"{found.pair}: " if found.pair else ""
    for name, sums in zip(names, (found.people, *found.metrics), strict=True):
        without = [found.systems[i] for i in np.flatnonzero(np.isnan(sums.values)).tolist()]
        if without:
            raise InputError(
                f"{where}{name} says nothing of {join_names(without)} that counts (ties alone, or no segment with "
                "another system); leave it out of the scores and take the systems in common (--common)"
            )
        if constant(sums.values[None])[0]:
            raise InputError(
                f"{where}{name} is {sums.values[0]:g} for all {len(found.systems)} systems, expected scores that "
                "differ; leave it or the language pair out (--metrics, --pairs)"
            )


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
                f"{one.metric} has no scores of language pair {pair!r}, only of {join_names(map(repr, side))}; leave "
                "it out (--metrics) or name tasks of others (--pairs, --task)"
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
                f"{where}{metric} has no score of {one if len(missing) == 1 else many} {join_names(missing)}, which "
                f"people judged; compare on the {len(kept)} that all have (--common), or leave {metric} out (--metrics)"
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

    own: the metrics are columns of the judgments. Raises InputError for scores of whole systems, and as
    `match_matrices`.
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
