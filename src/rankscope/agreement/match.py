"""Matching of people's and metrics' scores: the same language pairs, systems and segments for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeGuard

import numpy as np

from rankscope.agreement.load import PeopleAndMetrics, unused_name
from rankscope.agreement.statistics import AlignedScores, from_matrices, from_rankings
from rankscope.data.metric_scores import MetricScores, PairScores, positions_among
from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.stats.inputs import is_constant
from rankscope.typing import Floats, Ints

__all__ = [
    "MatchedScores",
    "attach_scores",
    "has_segments",
    "have_segment_scores",
    "lists_with_metrics",
    "match",
    "match_pairs",
    "prefix_of",
    "refuse_constant",
    "refuse_missing_pairs",
    "score_table",
    "weights_of_segments",
]


#: The scores (or judgments) of one side, people or a metric, on one language pair.
LanguagePairScores = Rankings | PairScores


class MatchedScores(NamedTuple):
    """The scores of people and metrics for one language pair.

    Attributes
    ----------
    pair
        The language pair.
    names
        The human column or scores, then the metrics.
    people
        The human scores, of the systems below; or lists as people judged them, with a column for each metric at the
        level "list".
    metrics
        The scores of each metric, of the systems below; empty if metrics are columns of the lists.
    higher
        For people and each metric, whether higher is better.
    systems
        The systems that are compared, in the order of people's; empty if a metric may lack some.
    segments
        The segments that people judged and all metrics have; empty if a metric may lack some, and for whole systems.
    """

    pair: str
    names: tuple[str, ...]
    people: LanguagePairScores
    metrics: tuple[PairScores, ...]
    higher: tuple[bool, ...]
    systems: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        """The start of messages."""
        return prefix_of(self.pair)

    @property
    def of_lists(self) -> bool:
        """Whether these are lists as people judged them."""
        return isinstance(self.people, Rankings)

    @property
    def of_segments(self) -> bool:
        """Whether all sides are tables of systems and segments."""
        return all(has_segments(scores) for scores in (self.people, *self.metrics))

    def aligned(self) -> AlignedScores:
        """The scores in one shape, higher is better: lists, or a grid of systems and segments.

        Raises InputError for a grid without a cell that all sides have, and for scores that are all equal.
        """
        if isinstance(self.people, Rankings):
            return from_rankings(self.people, self.names[0], self.names[1:])
        stack = np.array([score_table(scores, self.segments) for scores in (self.people, *self.metrics)])
        stack *= np.where(self.higher, 1.0, -1.0)[:, None, None]
        present = ~np.isnan(stack).any(axis=0)
        if not present.any():
            raise InputError(f"{self.prefix}no translation has scores of people and all metrics")
        for i, (name, values) in enumerate(zip(self.names, stack, strict=True)):
            refuse_constant(self.prefix, name, values[present], "translations", of_people=i == 0)
        grid = from_matrices(stack[0], stack[1:], segments=self.segments, systems=self.systems)
        return replace(grid, weight=weights_of_segments(self.people, self.segments))


def prefix_of(pair: str) -> str:
    return f"{pair}: " if pair else ""


def refuse_constant(prefix: str, name: str, values: Floats, plural: str, *, of_people: bool) -> None:
    """Raise InputError for scores that are all equal. prefix: starts the message, with the language pair if any."""
    if is_constant(values[None])[0]:
        advice = "leave it out of --metrics, or the language pair out of --pairs"
        if of_people:
            advice = "no metric can agree with people who tell nothing apart"
        elif not prefix:
            advice = "leave it out of --metrics"
        raise InputError(
            f"{prefix}{name} is {values[0] + 0.0:g} for all {values.size} {plural}, expected scores that differ; "
            f"{advice}"
        )


def has_segments(scores: LanguagePairScores) -> TypeGuard[PairScores]:
    """Whether these are scores of translations, and neither lists nor scores of whole systems."""
    return isinstance(scores, PairScores) and not scores.of_systems


def score_table(scores: PairScores, segments: Sequence[str]) -> Floats:
    """(systems, segments) the scores on these segments; NaN where there is none."""
    positions = {name: i for i, name in enumerate(scores.segments)}
    columns = np.array([positions.get(name, -1) for name in segments], np.int64)
    return np.asarray(np.where(columns >= 0, scores.values[:, columns], np.nan))


def weights_of_segments(people: PairScores, segments: Sequence[str]) -> Floats | None:
    """The weights that these segments have for people, and so for all sides."""
    if people.weights is None:
        return None
    positions = {name: i for i, name in enumerate(people.segments)}
    return people.weights[[positions[name] for name in segments]]


def match(
    inputs: PeopleAndMetrics, level: str, on_missing: str, *, pairs: Sequence[str] | None = None
) -> tuple[list[MatchedScores], list[str]]:
    """People and metrics on the same language pairs, systems and segments; and notes on what is skipped.

    Parameters
    ----------
    inputs
        Human judgments and metrics.
    level
        "list": lists as people judged them, with a column for each metric. "segment": tables of systems and segments.
        "system": what there is for scores of systems: lists, scores of segments, or scores of whole systems.
    on_missing
        What is done about language pairs, systems and segments that people judged and a metric lacks: "refuse", "skip",
        or for lists "keep" them without a score.
    pairs
        Language pairs of people. Default: all, or with "skip" those that all metrics have.

    Raises
    ------
    InputError
        Something is missing and refused, or nothing remains: there are fewer than two systems, or two segments for
        grids of segments; or a side has scores of whole systems only, and the level needs segments.
    """
    people_by_pair = dict(inputs.people.by_pair())
    pair_names, notes = (list(pairs), []) if pairs is not None else match_pairs(inputs, on_missing)
    metrics = []
    for metric in inputs.metrics:
        scores_by_pair = scores_by_people_pair(metric, list(people_by_pair))
        if on_missing != "keep" and (missing := [name for name in pair_names if name not in scores_by_pair]):
            raise missing_pairs_error(
                metric, missing, "leave it out of --metrics, or name other language pairs (--pairs, --task)"
            )
        selected = {name: scores_by_pair[name] for name in pair_names if name in scores_by_pair}
        metrics.append(replace(metric, pairs=selected) if selected else metric)
    matches = []
    if on_missing != "keep":
        for pair in pair_names:
            matched_scores, pair_notes = match_names(inputs, metrics, pair, people_by_pair[pair], level, on_missing)
            matches.append(matched_scores)
            notes += pair_notes
    if level != "list":
        return matches, notes
    columns = inputs.columns if inputs.people.is_of_lists else ()
    people = inputs.people if on_missing == "keep" else inputs.people.select(pair_names)
    lists = lists_with_metrics(
        inputs._replace(people=people, metrics=() if columns else tuple(metrics), columns=columns)
    )
    assert isinstance(lists.people.values, Rankings)
    names = lists.gold, *lists.columns
    higher = tuple(name in lists.people.values.score_columns for name in names)
    matches = [MatchedScores(pair, names, rankings, (), higher) for pair, rankings in lists.people.by_pair()]
    return matches, [*notes, *lists.people.notes, *lists.notes] if on_missing == "keep" else notes


def match_names(
    inputs: PeopleAndMetrics,
    metrics: Sequence[MetricScores],
    pair: str,
    people: LanguagePairScores,
    level: str,
    on_missing: str,
) -> tuple[MatchedScores, list[str]]:
    """The scores of one language pair on the systems, and the segments, that all sides have; as `match`."""
    names = (inputs.gold, *(metric.metric for metric in metrics))
    sides: list[LanguagePairScores] = [people, *(metric.pairs[pair] for metric in metrics)]
    if level != "system":
        for name, scores in zip(names, sides, strict=True):
            refuse_whole_systems(name, scores)
    prefix = prefix_of(pair)
    systems, notes = names_of_all(
        prefix, names, [systems_in(scores, inputs.gold) for scores in sides], "system", on_missing, least=2
    )
    sides = [scores if isinstance(scores, Rankings) else select_systems(scores, systems) for scores in sides]
    segments: list[str] = []
    if isinstance(people, Rankings) or has_segments(people):
        named_sides = [(name, scores) for name, scores in zip(names, sides, strict=True) if not is_of_systems(scores)]
        # Lists give systems their scores whatever segments a metric has.
        keeps_segments = level == "system" and isinstance(people, Rankings)
        segments, segment_notes = names_of_all(
            prefix,
            [name for name, _ in named_sides],
            [segments_in(scores, inputs.gold) for _, scores in named_sides],
            "segment",
            "keep" if keeps_segments else on_missing,
            least=1 if level == "system" else 2,
        )
        notes += segment_notes
    higher = [inputs.people.is_of_lists or inputs.people.higher_is_better, *(m.higher_is_better for m in metrics)]
    tables = tuple(scores for scores in sides[1:] if isinstance(scores, PairScores))
    return MatchedScores(pair, names, sides[0], tables, tuple(higher), tuple(systems), tuple(segments)), notes


# Language pairs


def scores_by_people_pair(metric: MetricScores, pairs: Sequence[str]) -> Mapping[str, PairScores]:
    """The metric's scores by people's names of language pairs; where both have one pair, it may be without a name."""
    if len(pairs) == len(metric.pairs) == 1 and "" in (*pairs, *metric.pairs):
        return {pairs[0]: next(iter(metric.pairs.values()))}
    return metric.pairs


def missing_pairs_of(inputs: PeopleAndMetrics) -> dict[MetricScores, list[str]]:
    """The language pairs that people judged and a metric lacks, for each metric that lacks some."""
    pairs = [pair for pair, _ in inputs.people.by_pair()]
    missing_pairs = {}
    for metric in inputs.metrics:
        scores_by_pair = scores_by_people_pair(metric, pairs)
        if missing := [pair for pair in pairs if pair not in scores_by_pair]:
            missing_pairs[metric] = missing
    return missing_pairs


def refuse_missing_pairs(inputs: PeopleAndMetrics, advice: str) -> None:
    """Raise InputError where a metric has scores of some of people's language pairs, but not of all."""
    n_pairs = sum(1 for _ in inputs.people.by_pair())
    for metric, missing in missing_pairs_of(inputs).items():
        if len(missing) < n_pairs:
            raise missing_pairs_error(metric, missing, advice)


def match_pairs(inputs: PeopleAndMetrics, on_missing: str) -> tuple[list[str], list[str]]:
    """The language pairs that are compared, and notes. Raises InputError where a metric lacks one and may not."""
    pairs = [pair for pair, _ in inputs.people.by_pair()]
    missing_pairs = missing_pairs_of(inputs)
    if not missing_pairs or on_missing == "keep":
        return pairs, []
    common_pairs = [pair for pair in pairs if not any(pair in missing for missing in missing_pairs.values())]
    if not common_pairs or on_missing == "refuse":
        advice = (
            "use --common to compare those that all have, or --pairs to name some"
            if common_pairs
            else "use the same names on both sides"
        )
        raise missing_pairs_error(*next(iter(missing_pairs.items())), advice)
    skipped = [pair for pair in pairs if pair not in common_pairs]
    verb = "has" if len(missing_pairs) == 1 else "have"
    pronoun = "it" if len(skipped) == 1 else "them"
    metric_names = join_names(metric.metric for metric in missing_pairs)
    return common_pairs, [f"{join_names(skipped)} skipped because {metric_names} {verb} no scores of {pronoun}"]


def missing_pairs_error(metric: MetricScores, missing: Sequence[str], advice: str) -> InputError:
    names, available = (join_names(map(repr, pairs)) for pairs in (missing, metric.pairs))
    return InputError(f"{metric.metric} has no scores of language pair {names}, only of {available}; {advice}")


# Systems and segments


def is_of_systems(scores: LanguagePairScores) -> bool:
    return isinstance(scores, PairScores) and scores.of_systems


def refuse_whole_systems(name: str, scores: LanguagePairScores) -> None:
    if is_of_systems(scores):
        raise InputError(f"{name} has scores of systems only; compare at level system, or add its scores of segments")


def have_segment_scores(inputs: PeopleAndMetrics, pair: str) -> bool:
    """Whether people and all metrics have scores of segments, and not scores of systems or ranks."""
    people_by_pair = dict(inputs.people.by_pair())
    scores_by_pair = [scores_by_people_pair(metric, list(people_by_pair)) for metric in inputs.metrics]
    sides = [people_by_pair[pair], *(scores[pair] for scores in scores_by_pair if pair in scores)]
    return all(has_segments(scores) for scores in sides)


def systems_in(scores: LanguagePairScores, gold: str) -> list[str]:
    """The systems that a side has judged or scored."""
    if isinstance(scores, Rankings):
        judged = ~np.isnan(scores.column(gold))
        return [scores.systems[code] for code in dict.fromkeys(scores.system.codes[judged].tolist())]
    scored = np.flatnonzero((~np.isnan(scores.values)).any(axis=1))
    return [scores.systems[i] for i in scored.tolist()]


def segments_in(scores: LanguagePairScores, gold: str) -> list[str]:
    """The segments that a side has judged or scored."""
    if isinstance(scores, Rankings):
        codes = scores.segment.codes[scores.judgment][~np.isnan(scores.column(gold))]
        return [scores.segment.names[code] for code in dict.fromkeys(codes.tolist())]
    scored = np.flatnonzero((~np.isnan(scores.values)).any(axis=0))
    return [scores.segments[i] for i in scored.tolist()]


def select_systems(scores: PairScores, systems: Sequence[str]) -> PairScores:
    positions = {name: i for i, name in enumerate(scores.systems)}
    return replace(scores, systems=tuple(systems), values=scores.values[[positions[name] for name in systems]])


def names_of_all(
    prefix: str, names: Sequence[str], name_lists: Sequence[Sequence[str]], noun: str, on_missing: str, *, least: int
) -> tuple[list[str], list[str]]:
    """The systems or segments that people judged and all metrics have, and notes on the others.

    Parameters
    ----------
    prefix
        Start of the messages.
    names
        Names of the sides.
    name_lists
        The systems or segments that each side has, people first.
    noun
        "system" or "segment".
    on_missing
        As in `match`; with "keep", a metric must have one of them.
    least
        How many must remain.
    """
    judged, name_sets = name_lists[0], [set(name_list) for name_list in name_lists]
    shared = [name for name in judged if all(name in name_set for name_set in name_sets[1:])]
    n_shared = min(len(name_sets[0] & name_set) for name_set in name_sets) if on_missing == "keep" else len(shared)
    if n_shared < least:
        listing = "; ".join(
            f"{name} {join_names(name_list) or 'none'}"
            for name, name_list in list(zip(names, name_lists, strict=True))[:3]
        )
        at_least = "two" if least == 2 else "one"
        if n_shared == len(set().union(*name_sets)) == 1:
            raise InputError(
                f"{prefix}{join_names(judged)} is the only {noun}, expected at least {at_least}; add others, which are "
                "compared with it"
            )
        raise InputError(
            f"{prefix}{pluralise(n_shared, noun)} in common, expected at least {at_least}: {listing}; check that both "
            f"use the same {noun} names"
        )
    incomplete = [i for i, name_set in enumerate(name_sets) if name_sets[0] - name_set]
    notes = []
    if incomplete and on_missing == "refuse":
        metric = names[incomplete[0]]
        missing = [name for name in judged if name not in name_sets[incomplete[0]]]
        raise InputError(
            f"{prefix}{metric} has no score of {noun if len(missing) == 1 else f'{noun}s'} {join_names(missing)}, "
            f"which people judged; use --common to compare on the {len(shared):,} {noun}s that all have, or leave "
            f"{metric} out of --metrics"
        )
    if on_missing == "keep":
        notes += [
            f"{prefix}{names[i]} has scores of {len(name_sets[0] & name_sets[i]):,} of the {len(judged):,} {noun}s "
            "that people judged"
            for i in incomplete
        ]
    elif incomplete:
        shared_set = set(shared)
        skipped = [name for name in judged if name not in shared_set]
        notes.append(
            f"{prefix}{pluralise(len(skipped), noun)} skipped because not all metrics have scores: "
            f"{join_names(skipped)}"
        )
    unjudged = dict.fromkeys(name for name_list in name_lists[1:] for name in name_list if name not in name_sets[0])
    if unjudged and noun == "system":
        verb, pronoun = ("is", "it") if len(unjudged) == 1 else ("are", "them")
        notes.append(f"{prefix}{join_names(unjudged)} {verb} not compared because people did not judge {pronoun}")
    return shared, notes


# Lists


def lists_with_metrics(inputs: PeopleAndMetrics) -> PeopleAndMetrics:
    """The lists of all language pairs, in which each metric is a column. Notes of the lists count what has no score.

    Raises InputError where a metric has no score of anything that people judged.
    """
    lists = inputs.people.as_lists()
    assert isinstance(lists.values, Rankings)
    rankings, names = lists.values, [*inputs.columns]
    for metric in inputs.metrics:
        earlier_columns = set(rankings.columns)
        rankings = attach_scores(rankings, metric)
        names += [name for name in rankings.columns if name not in earlier_columns]
    return inputs._replace(people=replace(lists, values=rankings), metrics=(), columns=tuple(names))


def attach_scores(rankings: Rankings, scores: MetricScores) -> Rankings:
    """Add a metric's score of each judged translation as a column.

    Parameters
    ----------
    rankings
        The judgments.
    scores
        The scores. Pairs are matched by name; if either side holds only one pair and one of the two has no name (""),
        they are the same.

    Returns
    -------
    Rankings
        With a column named after the metric (with a number if that column exists), NaN where there is no score. Notes
        count the items without a score and name the systems that have none at all, the systems with scores that nobody
        judged, and the pairs without scores.

    Raises
    ------
    InputError
        There are items and none gets a score; the message has an example of the names on both sides.

    Examples
    --------
    >>> judged = Rankings.of([{"A": 1, "B": 2}, {"A": 2, "C": 1}])
    >>> scores = MetricScores.of("chrF", {"": {"A": [0.5, 0.2], "B": [0.4, 0.3]}})
    >>> with_scores = attach_scores(judged, scores)
    >>> with_scores.columns["chrF"].tolist()
    [0.5, 0.4, 0.2, nan]
    >>> with_scores.notes
    ('chrF: 1 of 4 judged translations has no score and is skipped; none at all for system C',)
    """
    values = np.full(len(rankings.system), np.nan)
    codes = {rankings.pair.names[code]: code for code in np.unique(rankings.pair.codes).tolist()}
    tables = scores_by_people_pair(scores, list(codes))
    scores_of_pair = {code: tables[name] for name, code in codes.items() if name in tables}
    if values.size and not scores_of_pair:
        raise no_match_error(scores, "language pair", rankings.pair.names, scores.pairs)
    pair_of_item = rankings.pair.codes[rankings.judgment]
    segment_of_item = rankings.segment.codes[rankings.judgment]
    for code, matched_scores in scores_of_pair.items():
        items = np.flatnonzero(pair_of_item == code)
        systems = positions_among(rankings.systems, matched_scores.systems)[rankings.system.codes[items]]
        segments = positions_among(rankings.segment.names, matched_scores.segments)[segment_of_item[items]]
        has_score = (systems >= 0) & (segments >= 0)
        values[items[has_score]] = matched_scores.values[systems[has_score], segments[has_score]]
    if values.size and np.isnan(values).all():
        judged_system_names = judged_systems(rankings, scores_of_pair, pair_of_item)
        for noun, judged_names, scored_names in (
            ("system", judged_system_names, [name for pair in scores_of_pair.values() for name in pair.systems]),
            ("segment", rankings.segment.names, [name for pair in scores_of_pair.values() for name in pair.segments]),
        ):
            if not set(judged_names) & set(scored_names):
                raise no_match_error(scores, noun, judged_names, scored_names)
        raise InputError(f"scores of {scores.metric}: none for any judged translation; check that they belong together")
    column = unused_name(scores.metric, rankings.columns)
    with_scores = rankings.with_column(column, values, higher_is_better=scores.higher_is_better, are_ranks=False)
    notes = (*rankings.notes, *scores.notes, *missing_notes(rankings, scores, values, scores_of_pair, pair_of_item))
    return replace(with_scores, notes=tuple(dict.fromkeys(notes)))


def judged_systems(rankings: Rankings, pairs: Iterable[int], pair_of_item: Ints) -> list[str]:
    """The systems that are judged in these pairs."""
    codes = np.unique(rankings.system.codes[np.isin(pair_of_item, list(pairs))])
    return [rankings.systems[code] for code in codes.tolist()]


def no_match_error(
    scores: MetricScores, noun: str, judged_names: Iterable[str], scored_names: Iterable[str]
) -> InputError:
    judged_text, scored_text = (
        f"as {join_names(map(repr, examples), 2) or 'none'}"
        for examples in (list(judged_names)[:2], list(scored_names)[:2])
    )
    return InputError(
        f"scores of {scores.metric}: no {noun} of theirs was judged: judgments name it {judged_text}, scores "
        f"{scored_text}; write the names alike"
    )


def missing_notes(
    rankings: Rankings,
    scores: MetricScores,
    values: Floats,
    scores_of_pair: Mapping[int, PairScores],
    pair_of_item: Ints,
) -> list[str]:
    """Notes on judgments without a score and on scores without a judgment."""
    notes = []
    missing = np.isnan(values)
    if missing.any():
        verb = "has no score and is" if missing.sum() == 1 else "have no score and are"
        total_text = pluralise(values.size, "judged translation")
        note = f"{scores.metric}: {int(missing.sum()):,} of {total_text} {verb} skipped"
        has_score = np.bincount(rankings.system.codes[~missing], minlength=len(rankings.systems)) > 0
        unscored_codes = np.unique(rankings.system.codes[missing & ~has_score[rankings.system.codes]]).tolist()
        if unscored_codes:
            noun = "system" if len(unscored_codes) == 1 else "systems"
            note += f"; none at all for {noun} {join_names(rankings.systems[code] for code in unscored_codes)}"
        notes.append(note)
    judged_names = set(judged_systems(rankings, scores_of_pair, pair_of_item))
    unjudged_names = [
        name
        for name in dict.fromkeys(system for pair in scores_of_pair.values() for system in pair.systems)
        if name not in judged_names
    ]
    if unjudged_names:
        notes.append(f"{scores.metric}: scores of {join_names(unjudged_names)}, which nobody judged, are not used")
    if (
        "0" in {name for pair in scores_of_pair.values() for name in pair.segments}
        and "0" not in rankings.segment.names
    ):
        notes.append(
            f"{scores.metric}: scores have a segment 0 and judgments none: do both count from the same number?"
        )
    unscored_pairs = [
        rankings.pair.names[code] for code in np.unique(rankings.pair.codes).tolist() if code not in scores_of_pair
    ]
    if unscored_pairs:
        notes.append(f"{scores.metric}: no scores for {join_names(unscored_pairs)}")
    return notes
