"""Matching of people's and metrics' scores: the same language pairs, systems and segments for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeGuard

import numpy as np

from rankscope.agreement.load import JudgmentSource, PeopleAndMetrics, ScoreSource, load
from rankscope.agreement.settings import JudgmentSettings, MetricSettings, SystemSettings
from rankscope.agreement.statistics import SystemSums, fixed_sums, mean_sums, share_sums, win_sums
from rankscope.data.metric_scores import MetricScores, PairScores, attach_scores
from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.stats.inputs import is_constant
from rankscope.typing import Bools, Floats

__all__ = [
    "JudgedMetrics",
    "LanguagePairScores",
    "MatchedSystems",
    "Matrices",
    "attach_metric_columns",
    "common_segments",
    "have_segment_scores",
    "judged_segments",
    "language_pairs",
    "load_judged_metrics",
    "match_lists",
    "match_matrices",
    "match_systems",
    "scored_by_all",
    "scored_segments",
]


#: The scores (or judgments) of one side, people or a metric, on one language pair.
LanguagePairScores = Rankings | PairScores


class JudgedMetrics(NamedTuple):
    """Lists that people judged, with the human column and a column for each metric.

    Attributes
    ----------
    rankings
        The judgments.
    gold
        Name of the human column.
    metrics
        Names of the metrics.
    notes
        What a reader should know.
    """

    rankings: Rankings
    gold: str
    metrics: tuple[str, ...]
    notes: tuple[str, ...]

    def by_pair(self) -> Iterable[tuple[str, Rankings]]:
        return self.rankings.by_pair()


def load_judged_metrics(
    judgments: JudgmentSource,
    scores: ScoreSource,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
) -> JudgedMetrics:
    """Lists that people judged with the metrics as columns, read where they are files; raises as `load`."""
    return match_lists(load(judgments, scores, judgment_settings, metric_settings, level="segment"))


def match_lists(inputs: PeopleAndMetrics) -> JudgedMetrics:
    """Lists with a column for each metric. Translations without a score are counted in notes.

    Raises InputError where a metric has no score of anything that people judged.
    """
    lists = inputs.people.as_lists()
    assert isinstance(lists.values, Rankings)
    rankings, names = lists.values, [*inputs.columns]
    for metric in inputs.metrics:
        earlier_columns = set(rankings.columns)
        rankings = attach_scores(rankings, metric)
        names += [name for name in rankings.columns if name not in earlier_columns]
    return JudgedMetrics(rankings, lists.gold, tuple(names), (*rankings.notes, *inputs.notes))


def has_segments(scores: LanguagePairScores) -> TypeGuard[PairScores]:
    """Whether these are scores of translations, and neither rankings nor scores of whole systems."""
    return isinstance(scores, PairScores) and not scores.of_systems


def scored_segments(scores: PairScores, systems: Sequence[str]) -> list[str]:
    """The segments in which at least one of these systems has a score."""
    system_set = set(systems)
    rows = [i for i, name in enumerate(scores.systems) if name in system_set]
    scored = np.flatnonzero((~np.isnan(scores.values[rows])).any(axis=0))
    return [scores.segments[i] for i in scored.tolist()]


def judged_segments(scores: LanguagePairScores, gold: str) -> list[str]:
    """The segments that people judged."""
    if has_segments(scores):
        return scored_segments(scores, scores.systems)
    assert isinstance(scores, Rankings)
    judged_codes = scores.segment.codes[scores.judgment][~np.isnan(scores.column(gold))]
    return [scores.segment.names[code] for code in dict.fromkeys(judged_codes.tolist())]


def common_segments(
    pair: str,
    names: Sequence[str],
    sides: Sequence[LanguagePairScores],
    gold: str,
    systems: Sequence[str],
    settings: SystemSettings,
) -> tuple[list[LanguagePairScores], list[str]]:
    """The scores of each side on the segments on which systems are compared, human scores first; and notes.

    If people scored segments, every mean is over the same segments: with "common" those in which all sides have a score
    for all systems, with "own", for each system, those in which all sides have one. Rankings are not changed.

    Parameters
    ----------
    pair
        The language pair, for messages.
    names
        Names of the sides.
    sides
        The scores of each side.
    gold
        Name of the human column.
    systems
        The systems that are compared.
    settings
        How agreement on systems is computed.

    Raises
    ------
    InputError
        A metric has no segment that people judged, or not all of them and `common` is not set; or no segment remains.
    """
    human_scores, prefix = sides[0], f"{pair}: " if pair else ""
    if not isinstance(human_scores, Rankings) and not has_segments(human_scores):
        return list(sides), []
    judged = (
        judged_segments(human_scores, gold)
        if isinstance(human_scores, Rankings)
        else scored_segments(human_scores, systems)
    )
    notes = []
    for name, scores in zip(names[1:], sides[1:], strict=True):
        if not has_segments(scores):
            continue
        scored = scored_segments(scores, systems)
        scored_set = set(scored)
        missing = [segment for segment in judged if segment not in scored_set]
        if len(missing) == len(judged):
            raise InputError(
                f"{prefix}{name} has no score of a segment that people judged: people judged {join_names(judged)}, "
                f"{name} has {join_names(scored) or 'none'}; check that both use the same segment names"
            )
        if missing and has_segments(human_scores) and not settings.common:
            raise InputError(
                f"{prefix}{name} has no score of {'segment' if len(missing) == 1 else 'segments'} "
                f"{join_names(missing)}, "
                f"which people judged; use --common to compare on the {len(judged) - len(missing):,} that both have, "
                f"or leave {name} out of --metrics"
            )
        if missing:
            notes.append(
                f"{prefix}{name} has scores of {len(judged) - len(missing):,} of the {len(judged):,} segments that "
                "people judged"
            )
    if not has_segments(human_scores):
        return list(sides), notes
    table_indices = [i for i, scores in enumerate(sides) if has_segments(scores)]
    if settings.from_segments == "share":  # compares within each segment, common or not
        table_indices = table_indices[:1]
    tables = [scores for i in table_indices if has_segments(scores := sides[i])]
    common_tables, mean_notes = scores_on_common_segments(tables, systems, judged, settings.over, prefix)
    common_sides = list(sides)
    for i, scores in zip(table_indices, common_tables, strict=True):
        common_sides[i] = scores
    return common_sides, [*notes, *mean_notes]


def scores_on_common_segments(
    tables: Sequence[PairScores], systems: Sequence[str], judged: Sequence[str], over: str, prefix: str
) -> tuple[list[PairScores], list[str]]:
    """The scores of the same translations for all sides, NaN elsewhere; people's first; and notes."""
    segment_sets = [set(table.segments) for table in tables]
    segments = [name for name in judged if all(name in segment_set for segment_set in segment_sets)]
    stack = np.array([score_table(table, systems, segments) for table in tables])
    present, notes = scored_by_all(stack, over, prefix, len(judged))
    used = np.flatnonzero(present.any(axis=0))
    segment_names = tuple(segments[i] for i in used.tolist())
    return [
        PairScores(tuple(systems), segment_names, np.where(present, table, np.nan)[:, used]) for table in stack
    ], notes


def scored_by_all(stack: Floats, over: str, prefix: str, n_judged: int) -> tuple[Bools, list[str]]:
    """The mask of the translations that means include, (systems, segments), and a note if some are missing.

    Parameters
    ----------
    stack
        Scores of all sides, (sides, systems, segments), human scores first.
    over
        "common": the segments in which all sides have a score for all systems. "own": the translations for which all
        sides have a score.
    prefix
        Start of the messages.
    n_judged
        How many segments people judged.

    Examples
    --------
    >>> there, notes = scored_by_all(np.array([[[1, 2, np.nan], [3, 4, 5]], [[1, 2, 3], [4, 5, 6]]]), "common", "", 3)
    >>> there.tolist(), notes[0][:33]
    ([[True, True, False], [True, True, False]], 'means are over 2 of the 3 segment')
    """
    present: Bools = np.asarray(~np.isnan(stack).any(axis=0), np.bool_)
    if over == "common":
        present = np.asarray(present & present.all(axis=0), np.bool_)
        if not present.any():
            raise InputError(
                f"{prefix}no segment has scores of all systems from people and all metrics; use --over own for means "
                "over each system's own segments"
            )
        n_common = int(present.any(axis=0).sum())
        if n_common == n_judged:
            return present, []
        return present, [
            f"{prefix}means are over {n_common:,} of the {n_judged:,} segments that people judged: those with "
            "scores of all systems from people and all metrics (--over own takes each system's own segments)"
        ]
    n_unscored = int(np.count_nonzero(~np.isnan(stack[0]) & ~present))
    if not n_unscored:
        return present, []
    return present, [
        f"{prefix}{pluralise(n_unscored, 'judged translation is', 'judged translations are')} skipped in means because "
        "a metric has no score there"
    ]


def score_table(scores: PairScores, systems: Sequence[str], segments: Sequence[str]) -> Floats:
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (scores.systems, scores.segments))
    table: Floats = scores.values[np.ix_([rows[name] for name in systems], [columns[name] for name in segments])]
    return table


class MatchedSystems(NamedTuple):
    """The scores of the same systems, from people and from each metric, for one language pair.

    Attributes
    ----------
    pair
        The language pair.
    systems
        The systems, in the order of all scores.
    people
        The human scores.
    metrics
        The scores of each metric.
    people_higher
        Whether higher human scores are better.
    higher
        For each metric, whether higher is better.
    """

    pair: str
    systems: tuple[str, ...]
    people: SystemSums
    metrics: list[SystemSums]
    people_higher: bool
    higher: tuple[bool, ...]

    def oriented(self) -> Floats:
        """(1 + metrics, systems) the scores, higher is better in all; people's first."""
        rows = [self.people.values, *(sums.values for sums in self.metrics)]
        signs = [1.0 if higher else -1.0 for higher in (self.people_higher, *self.higher)]
        scores: Floats = np.array(rows) * np.array(signs)[:, None]
        return scores

    def tables(self, m: int) -> tuple[Floats, Floats]:
        """(systems, segments) the scores of people and of metric `m`, higher is better, NaN where either is missing.

        Both must be means over segments.
        """
        human_and_metric = (self.people, self.metrics[m])
        metric_segments = set(human_and_metric[1].segments)
        segments = [name for name in human_and_metric[0].segments if name in metric_segments]
        matrices = []
        for sums, higher in zip(human_and_metric, (self.people_higher, self.higher[m]), strict=True):
            assert sums.numerators is not None
            assert sums.denominators is not None
            positions = {name: i for i, name in enumerate(sums.segments)}
            rows = [positions[name] for name in segments]
            numerators, denominators = sums.numerators[rows, :, 0].T, sums.denominators[rows, :, 0].T
            matrices.append(np.where(denominators > 0, numerators if higher else -numerators, np.nan))
        present = ~(np.isnan(matrices[0]) | np.isnan(matrices[1]))
        if not present.any():
            raise InputError(
                f"{self.pair + ': ' if self.pair else ''}no translation has scores of both people and a metric; "
                "check that both use the same segment names"
            )
        return np.where(present, matrices[0], np.nan), np.where(present, matrices[1], np.nan)


def match_systems(
    inputs: PeopleAndMetrics, settings: SystemSettings, n_resamples: int
) -> tuple[list[MatchedSystems], list[str]]:
    """The matched scores of each language pair that people and all metrics have, and notes on what is skipped.

    Parameters
    ----------
    inputs
        Human judgments and metrics.
    settings
        How agreement on systems is computed.
    n_resamples
        Number of resamples for a model that draws its own.

    Raises
    ------
    InputError
        Language pairs or systems differ and `common` is not set; there are fewer than two systems; a score is missing,
        or all scores are equal.
    """
    human_by_pair = dict(inputs.people.by_pair())
    metrics_by_pair = [metric.pairs for metric in inputs.metrics]
    pairs, notes = common_language_pairs(human_by_pair, inputs, settings.common)
    matches = []
    for pair in pairs:
        sides = [
            human_by_pair[pair],
            *(
                metric_by_pair[language_pair_name(pair, human_by_pair, metric_by_pair) or ""]
                for metric_by_pair in metrics_by_pair
            ),
        ]
        names = [inputs.gold, *(metric.metric for metric in inputs.metrics)]
        systems, system_notes = common_systems(pair, names, sides, inputs, settings.common)
        sides, segment_notes = common_segments(pair, names, sides, inputs.gold, systems, settings)
        notes += [*system_notes, *segment_notes]
        try:
            people_sums = human_sums(sides[0], systems, inputs, settings, n_resamples)
            metrics = []
            for metric, scores in zip(inputs.metrics, sides[1:], strict=True):
                metrics.append(metric_sums(metric, scores, systems, settings))
        except InputError as error:
            raise InputError(f"{pair}: {error}" if pair else str(error)) from None
        matched = MatchedSystems(
            pair,
            systems,
            people_sums,
            metrics,
            human_higher(inputs),
            tuple(
                metric.higher_is_better or (settings.from_segments == "share" and has_segments(scores))
                for metric, scores in zip(inputs.metrics, sides[1:], strict=True)
            ),
        )
        check_scores(matched, names)
        matches.append(matched)
    return matches, notes


def human_higher(inputs: PeopleAndMetrics) -> bool:
    """Whether higher is better in people's scores of systems; in those that a rule makes of rankings, it is."""
    return inputs.rule not in ("mean", "given") or inputs.people.higher_is_better


def language_pair_name(
    pair: str, human_by_pair: Mapping[str, LanguagePairScores], metric_by_pair: Mapping[str, PairScores]
) -> str | None:
    """A metric's name of the language pair: the same; where both sides have one pair, also one without a name."""
    if pair in metric_by_pair:
        return pair
    single_pairs = len(human_by_pair) == len(metric_by_pair) == 1 and "" in (pair, *metric_by_pair)
    return next(iter(metric_by_pair)) if single_pairs else None


def common_language_pairs(
    human_by_pair: Mapping[str, LanguagePairScores], inputs: PeopleAndMetrics, common: bool
) -> tuple[list[str], list[str]]:
    """The language pairs that are compared, and notes. Raises InputError where a metric lacks one."""
    missing_by_metric: dict[str, list[str]] = {}
    for scores in inputs.metrics:
        missing = [pair for pair in human_by_pair if language_pair_name(pair, human_by_pair, scores.pairs) is None]
        if missing:
            missing_by_metric[scores.metric] = missing
    if not missing_by_metric:
        return list(human_by_pair), []
    metric, missing = next(iter(missing_by_metric.items()))
    common_pairs = [pair for pair in human_by_pair if not any(pair in pairs for pairs in missing_by_metric.values())]
    if not common_pairs or not common:
        available = join_names(
            repr(name) for name in next(scores for scores in inputs.metrics if scores.metric == metric).pairs
        )
        names = join_names(map(repr, missing))
        advice = (
            "use --common to compare those that all have, or --pairs to name some"
            if common_pairs
            else "use the same names on both sides"
        )
        raise InputError(f"{metric} has no scores of language pair {names}, only of {available}; {advice}")
    skipped = [pair for pair in human_by_pair if pair not in common_pairs]
    verb = "has" if len(missing_by_metric) == 1 else "have"
    pronoun = "it" if len(skipped) == 1 else "them"
    return common_pairs, [
        f"{join_names(skipped)} skipped because {join_names(missing_by_metric)} {verb} no scores of {pronoun}"
    ]


def systems_in(scores: LanguagePairScores, gold: str | None) -> list[str]:
    """The systems that a side has judged or scored."""
    if isinstance(scores, Rankings):
        judged = ~np.isnan(scores.column(str(gold)))
        return [scores.systems[code] for code in dict.fromkeys(scores.system.codes[judged].tolist())]
    scored = np.flatnonzero((~np.isnan(scores.values)).any(axis=1))
    return [scores.systems[i] for i in scored.tolist()]


def common_systems(
    pair: str,
    names: Sequence[str],
    sides: Sequence[LanguagePairScores],
    inputs: PeopleAndMetrics,
    common: bool,
) -> tuple[tuple[str, ...], list[str]]:
    """The systems that are compared, in the order of people's; and notes. Raises as `common_names`."""
    name_lists = [systems_in(scores, inputs.gold) for scores in sides]
    systems, notes = common_names(pair, names, name_lists, "system", "systems", common, name_unjudged=True)
    return tuple(systems), notes


def unjudged_note(prefix: str, names: Sequence[str]) -> str:
    verb, pronoun = ("is", "it") if len(names) == 1 else ("are", "them")
    return f"{prefix}{join_names(names)} {verb} not compared because people did not judge {pronoun}"


def human_sums(
    scores: LanguagePairScores,
    systems: Sequence[str],
    inputs: PeopleAndMetrics,
    settings: SystemSettings,
    n_resamples: int,
) -> SystemSums:
    if isinstance(scores, Rankings):
        return win_sums(
            scores, inputs.gold, systems, inputs.rule, prior=settings.prior, n_resamples=n_resamples, rng=settings.seed
        )
    if has_segments(scores):
        return mean_sums(scores, systems, settings.over)
    return fixed_sums(scores, systems)


def metric_sums(
    metric: MetricScores, scores: LanguagePairScores, systems: Sequence[str], settings: SystemSettings
) -> SystemSums:
    if has_segments(scores):
        try:
            if settings.from_segments == "share":
                return share_sums(scores, systems, higher=metric.higher_is_better)
            return mean_sums(scores, systems, settings.over)
        except InputError as error:
            raise InputError(f"{metric.metric}: {error}") from None
    assert isinstance(scores, PairScores)
    return fixed_sums(scores, systems)


def check_scores(matched: MatchedSystems, names: Sequence[str]) -> None:
    """Raise InputError for a system without a score, and for scores that are all one."""
    prefix = f"{matched.pair}: " if matched.pair else ""
    for name, sums in zip(names, (matched.people, *matched.metrics), strict=True):
        unscored = [matched.systems[i] for i in np.flatnonzero(np.isnan(sums.values)).tolist()]
        if unscored:
            raise InputError(
                f"{prefix}{name} has no comparison of {join_names(unscored)} that counts (only ties, or no segment "
                "with another system); remove it from the scores and use --common"
            )
        if is_constant(sums.values[None])[0]:
            raise InputError(
                f"{prefix}{name} is {sums.values[0]:g} for all {len(matched.systems)} systems, expected scores that "
                "differ; leave it out of --metrics, or the language pair out of --pairs"
            )


class Matrices(NamedTuple):
    """The scores of one language pair as matrices; higher is better.

    Attributes
    ----------
    gold
        Human scores, (systems, segments); NaN if there is none.
    metrics
        Scores of the metrics, (metrics, systems, segments); NaN if there is none.
    of_systems
        Whether scores are of whole systems, so that the matrices have one column.
    notes
        What was skipped.
    segments
        The segments with a cell that all sides have; empty for scores of systems.
    """

    gold: Floats
    metrics: Floats
    of_systems: bool
    notes: tuple[str, ...]
    segments: tuple[str, ...] = ()


def language_pairs(inputs: PeopleAndMetrics) -> list[str]:
    """The language pairs of people, in their order."""
    return [pair for pair, _ in inputs.people.by_pair()]


def have_segment_scores(inputs: PeopleAndMetrics, pair: str) -> bool:
    """Whether people and all metrics have scores of segments, and not scores of systems or ranks."""
    human_by_pair = dict(inputs.people.by_pair())
    sides = [human_by_pair[pair], *(scores_of_pair(pair, human_by_pair, metric.pairs) for metric in inputs.metrics)]
    return all(scores is None or has_segments(scores) for scores in sides)


def scores_of_pair(
    pair: str, human_by_pair: Mapping[str, LanguagePairScores], metric_by_pair: Mapping[str, PairScores]
) -> PairScores | None:
    name = language_pair_name(pair, human_by_pair, metric_by_pair)
    return None if name is None else metric_by_pair[name]


def match_matrices(inputs: PeopleAndMetrics, pair: str, settings: SystemSettings, *, level: str) -> Matrices:
    """The scores of one language pair as matrices; systems that people did not judge are skipped.

    Parameters
    ----------
    inputs
        Human judgments and metrics.
    pair
        The language pair.
    settings
        How agreement on systems is computed.
    level
        "system" or "segment".

    Raises
    ------
    InputError
        A metric has no scores for the language pair; systems or segments that people judged are missing from a metric
        and `common` is not set; there are fewer than two systems or segments; all scores are equal; or the level is
        "segment" and there are no scores of segments.
    """
    human_by_pair = dict(inputs.people.by_pair())
    sides: list[LanguagePairScores] = [human_by_pair[pair]]
    names = [inputs.gold, *(metric.metric for metric in inputs.metrics)]
    for metric in inputs.metrics:
        scores = scores_of_pair(pair, human_by_pair, metric.pairs)
        if scores is None:
            raise InputError(
                f"{metric.metric} has no scores of language pair {pair!r}, only of "
                f"{join_names(map(repr, metric.pairs))}; leave it out of --metrics, or name other language pairs "
                "(--pairs, --task)"
            )
        sides.append(scores)
    of_systems = not have_segment_scores(inputs, pair)
    if of_systems and level == "segment":
        without_segments = next(name for name, scores in zip(names, sides, strict=True) if not has_segments(scores))
        raise InputError(
            f"{without_segments} has scores of systems only; compare at level system, or add its scores of segments"
        )
    systems, notes = common_systems(pair, names, sides, inputs, settings.common)
    higher = [human_higher(inputs), *(metric.higher_is_better for metric in inputs.metrics)]
    if of_systems:
        return system_matrices(inputs, pair, sides, systems, higher, notes, settings)
    tables = [scores for scores in sides if has_segments(scores)]
    segments, segment_notes = common_names(
        pair, names, [scored_segments(scores, systems) for scores in tables], "segment", "segments", settings.common
    )
    stack = np.array([score_table(table, systems, segments) for table in tables])
    stack *= np.where(higher, 1.0, -1.0)[:, None, None]
    prefix = f"{pair}: " if pair else ""
    present = ~np.isnan(stack).any(axis=0)
    if not present.any():
        raise InputError(f"{prefix}no translation has scores of people and all metrics")
    if level == "system" and settings.over == "common":  # as in agreement on systems
        present, mean_notes = scored_by_all(stack, settings.over, prefix, len(scored_segments(tables[0], systems)))
        stack = np.where(present, stack, np.nan)
        segment_notes += mean_notes
    for name, values in zip(names, stack, strict=True):
        if is_constant(values[present][None])[0]:
            raise InputError(
                f"{prefix}{name} is {values[present][0] + 0.0:g} for all translations, expected scores that differ; "
                "leave it out of --metrics, or the language pair out of --pairs"
            )
    used = tuple(name for name, is_used in zip(segments, present.any(axis=0).tolist(), strict=True) if is_used)
    return Matrices(stack[0], stack[1:], False, (*notes, *segment_notes), used)


def common_names(
    pair: str,
    names: Sequence[str],
    name_lists: Sequence[Sequence[str]],
    singular: str,
    plural: str,
    common: bool,
    *,
    name_unjudged: bool = False,
) -> tuple[list[str], list[str]]:
    """The systems or segments that people judged and all metrics have, and notes; name_lists: of people first.

    Raises InputError where a metric lacks some, unless those in common are asked for; and where fewer than two are
    left.
    """
    prefix = f"{pair}: " if pair else ""
    name_sets = [set(name_list) for name_list in name_lists]
    shared = [name for name in name_lists[0] if all(name in name_set for name_set in name_sets[1:])]
    if len(shared) < 2:
        listing = "; ".join(
            f"{name} {join_names(name_list) or 'none'}"
            for name, name_list in list(zip(names, name_lists, strict=True))[:3]
        )
        raise InputError(
            f"{prefix}{pluralise(len(shared), singular, plural)} in common, expected at least two: {listing}"
        )
    notes = []
    if len(shared) < len(name_lists[0]):
        skipped = [name for name in name_lists[0] if name not in set(shared)]
        metric, metric_names = next(
            (name, name_set) for name, name_set in zip(names[1:], name_sets[1:], strict=True) if name_sets[0] - name_set
        )
        if not common:
            missing = [name for name in name_lists[0] if name not in metric_names]
            raise InputError(
                f"{prefix}{metric} has no score of {singular if len(missing) == 1 else plural} {join_names(missing)}, "
                f"which people judged; use --common to compare on the {len(shared)} {plural} that all have, or leave "
                f"{metric} out of --metrics"
            )
        notes.append(
            f"{prefix}{pluralise(len(skipped), singular, plural)} skipped because not all metrics have scores: "
            f"{join_names(skipped)}"
        )
    unjudged = list(
        dict.fromkeys(name for name_list in name_lists[1:] for name in name_list if name not in name_sets[0])
    )
    if unjudged and name_unjudged:
        notes.append(unjudged_note(prefix, unjudged))
    return shared, notes


def system_matrices(
    inputs: PeopleAndMetrics,
    pair: str,
    sides: Sequence[LanguagePairScores],
    systems: Sequence[str],
    higher: Sequence[bool],
    notes: Sequence[str],
    settings: SystemSettings,
) -> Matrices:
    """Scores of systems as matrices of one column: means or wins where scores or rankings of segments were given."""
    prefix = f"{pair}: " if pair else ""
    names = [inputs.gold, *(metric.metric for metric in inputs.metrics)]
    sides, segment_notes = common_segments(pair, names, sides, inputs.gold, systems, settings)
    try:
        people_sums = human_sums(sides[0], systems, inputs, settings, 0)
        metrics = [
            metric_sums(metric, scores, systems, settings)
            for metric, scores in zip(inputs.metrics, sides[1:], strict=True)
        ]
    except InputError as error:
        raise InputError(f"{prefix}{error}") from None
    matched = MatchedSystems(pair, tuple(systems), people_sums, metrics, higher[0], tuple(higher[1:]))
    check_scores(matched, names)
    scores = matched.oriented()
    return Matrices(scores[0][:, None], scores[1:, :, None], True, (*notes, *segment_notes))


def attach_metric_columns(inputs: PeopleAndMetrics, pair: str, common: bool) -> tuple[JudgedMetrics, list[str]]:
    """The lists of one language pair with a column for each metric, and notes; for statistics of pairs.

    common: whether segments that are missing from a metric are skipped. Raises InputError for a metric with scores of
    whole systems; otherwise as `match_matrices`.
    """
    people = inputs.people.select([pair])
    for name, level in ((people.gold, people.level), *((scores.metric, scores.level) for scores in inputs.metrics)):
        if level == "system":
            raise InputError(
                f"{name} has scores of systems only; compare at level system, or add its scores of segments"
            )
    human_by_pair = dict(inputs.people.by_pair())
    systems = [systems_in(human_by_pair[pair], people.gold)]
    segments = [judged_segments(human_by_pair[pair], people.gold)]
    metrics = []
    for metric in inputs.metrics:
        scores = scores_of_pair(pair, human_by_pair, metric.pairs)
        if scores is None:
            raise InputError(f"{metric.metric} has no scores of language pair {pair!r}; leave it out of --metrics")
        systems.append(systems_in(scores, None))
        segments.append(scored_segments(scores, scores.systems))
        metrics.append(replace(metric, pairs={pair: scores}))
    names = [people.gold, *inputs.names]
    columns = inputs.columns if people.is_of_lists else ()
    joined = match_lists(PeopleAndMetrics(people, () if columns else tuple(metrics), columns))
    _, notes = common_names(pair, names, systems, "system", "systems", common, name_unjudged=True)
    _, segment_notes = common_names(pair, names, segments, "segment", "segments", common)
    return joined._replace(notes=()), [*notes, *segment_notes]
