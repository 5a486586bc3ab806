"""Scores of systems by people and by metrics, brought to the same language pairs and the same systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankscope.agreement.system_asked import SystemSettings
from rankscope.agreement.system_people import PeopleAndMetrics
from rankscope.agreement.system_segments import LanguagePairScores, common_segments
from rankscope.agreement.system_sources import AnyScores
from rankscope.agreement.system_sums import SystemSums, fixed_sums, mean_sums, share_sums, win_sums
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import PairScores
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.stats.inputs import constant
from rankscope.typing import Floats

__all__ = ["MatchedSystems", "match_systems"]


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
                f"{where}{name} says nothing of {join_names(without)} that counts (ties alone, or no segment with another "
                "system); leave it out of the scores and take the systems in common (--common)"
            )
        if constant(sums.values[None])[0]:
            raise InputError(
                f"{where}{name} is {sums.values[0]:g} for all {len(found.systems)} systems, expected scores that "
                "differ; leave it or the language pair out (--metrics, --pairs)"
            )
