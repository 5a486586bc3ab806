"""Loading of judgments and metrics for agreement on systems: rankings, scores of segments or scores of systems."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike as PathLikeType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.load.files import (
    AnyScores,
    merge_scores,
    ranked_only,
    read_any_scores,
    split_scores,
    system_scores_in,
)
from rankscope.agreement.load.segments import (
    GOLD,
    JudgedMetrics,
    human_column,
    load_people,
    rankings_from_scores,
    ranks_note,
    select_language_pairs,
)
from rankscope.agreement.settings import (
    JudgmentSettings,
    MetricSettings,
)
from rankscope.agreement.statistics import RULES
from rankscope.data.rankings import Rankings
from rankscope.data.scores import Scores
from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores
from rankscope.data.tables import find_column
from rankscope.data.text import join_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.translation import GOLD_COLUMNS
from rankscope.typing import PathLike

__all__ = [
    "PeopleAndMetrics",
    "SystemJudgments",
    "SystemMetrics",
    "load_people_and_metrics",
    "read_metric_scores",
]


SystemJudgments = Rankings | SegmentScores | SystemScores | Scores | PathLike
SystemMetrics = AnyScores | Scores | PathLike | Sequence[AnyScores | Scores | PathLike]


class PeopleAndMetrics(NamedTuple):
    """Human judgments and the scores of metrics.

    Attributes
    ----------
    people
        Rankings, from which a rule computes scores, or scores.
    gold
        Name of the human column or scores.
    rule
        One of RULES; "mean" for scores of segments; "given" for scores of systems.
    metrics
        The scores of each metric.
    notes
        What a reader should know.
    """

    people: Rankings | AnyScores
    gold: str
    rule: str
    metrics: list[AnyScores]
    notes: tuple[str, ...]


def load_people_and_metrics(
    judgments: SystemJudgments,
    scores: SystemMetrics,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    *,
    human: str | None,
    segments: bool = False,
) -> PeopleAndMetrics:
    """Human judgments and metrics, read if they are files, with the selected columns, metrics and directions.

    Parameters
    ----------
    judgments, scores
        As `systems` takes them.
    judgment_settings
        Which judgments are read, and how.
    metric_settings
        Which metrics are compared.
    human
        The rule that turns judgments into scores of systems. None: the default for these data.
    segments
        Whether scores of segments are preferred in folders with scores of both segments and systems.

    Raises
    ------
    InputError, ParameterError, UnknownName
        As `systems`.
    """
    higher, lower, metric_names = judgment_settings.higher, metric_settings.lower, metric_settings.metrics
    if in_both := [name for name in higher if name in lower]:
        raise ParameterError(f"{in_both[0]} is named in both higher and lower; name it in one of them")
    judgments, sources, judgment_settings = split_scores(judgments, scores, judgment_settings)
    test_set = metric_settings.test_set
    if test_set is not None and not any(isinstance(source, (str, PathLikeType)) for source in sources):
        raise ParameterError("test_set selects scores from files, and there is no file; leave it out")
    metric_scores = load_system_metrics(sources, test_set, segments=segments, columns=judgment_settings.columns)
    gold = judgment_settings.gold
    needed = [*([] if gold is None else [gold]), *([] if metric_scores else metric_names or ())]
    system_scores = read_system_judgments(judgments, needed, judgment_settings)
    columns: Sequence[str] = ()  # their direction may be given, though they are not used
    if system_scores is not None:
        for name in ("duplicates", "reference", "lines"):
            if judgment_settings.is_changed(name):
                raise ParameterError(f"judgments are scores of systems, so {name} has no effect; leave it out")
        inputs = people_from_system_scores(system_scores, gold, human)
    else:
        judged, _ = load_people(
            judgments,  # type: ignore[arg-type]  # scores of systems are excluded above
            judgment_settings,
            needed=needed,
            lower=[name for name in lower if name not in {metric.metric for metric in metric_scores}],
        )
        columns = [*judged.columns] if isinstance(judged, Rankings) else [GOLD]
        inputs = people_from_segments(judged, gold, human, [*higher, *lower], separate=bool(metric_scores))
    judged_metrics = [] if metric_scores else inputs.metrics
    known_names = [inputs.gold, *(metric.metric for metric in (*metric_scores, *inputs.metrics))]
    for name in (*higher, *lower):
        if name not in known_names and name not in columns:
            raise UnknownName("metric", name, known_names)
    all_metrics = [with_direction(metric, higher, lower) for metric in (*metric_scores, *judged_metrics)]
    if not all_metrics:
        raise InputError("there is no metric to compare with people; add scores, or judgments with another column")
    if metric_names is not None:
        all_metrics = select_metrics(all_metrics, metric_names)
    notes = tuple(dict.fromkeys([*inputs.notes, *(note for metric in all_metrics for note in metric.notes)]))
    people = inputs.people
    if not isinstance(people, Rankings):
        people = with_direction(people, higher, lower)
    inputs = inputs._replace(people=people, metrics=with_unique_names(all_metrics), notes=notes)
    pairs = judgment_settings.pairs
    return inputs if pairs is None else inputs._replace(people=select_pairs_of_people(inputs.people, pairs))


def load_system_metrics(
    sources: Sequence[object],
    test_set: str | None,
    *,
    segments: bool = False,
    columns: Mapping[str, str] | None = None,
) -> list[AnyScores]:
    scores: list[AnyScores] = []
    for source in sources:
        if isinstance(source, (str, PathLikeType)):
            scores += read_any_scores(source, test_set=test_set, segments=segments, columns=columns)
        elif isinstance(source, (SegmentScores, SystemScores)):
            scores.append(source)
        else:
            raise ParameterError(
                f"scores hold {type(source).__name__}, expected SegmentScores, SystemScores, or files that hold them"
            )
    return merge_scores(scores)


def read_system_judgments(
    judgments: SystemJudgments, needed: Sequence[str], settings: JudgmentSettings
) -> list[SystemScores] | None:
    if isinstance(judgments, SystemScores):
        return [judgments]
    if isinstance(judgments, (str, PathLikeType)):
        return system_scores_in(judgments, needed=needed, people=settings.gold is None, columns=settings.columns)
    return None


def people_from_system_scores(columns: Sequence[SystemScores], gold: str | None, human: str | None) -> PeopleAndMetrics:
    """Scores of whole systems, of which one entry is that of people. Raises UnknownName, ParameterError."""
    names = [column.metric for column in columns]
    if human is not None:
        raise ParameterError(f"human is {human!r}, but these judgments are already scores of systems; leave it out")
    if gold is not None and gold not in names:
        raise UnknownName("column of the judgments", gold, names)
    if gold is None:
        gold = names[0] if len(names) == 1 else find_column(names, GOLD_COLUMNS)
        if gold is None:
            raise ParameterError(
                f"which column holds the human judgments? Name it with gold (--gold): {join_names(names)}"
            )
    people = columns[names.index(gold)]
    metrics: list[AnyScores] = [column for column in columns if column is not people]
    return PeopleAndMetrics(people, gold, "given", metrics, people.notes)


def people_from_segments(
    people: Rankings | SegmentScores,
    gold: str | None,
    human: str | None,
    directed: Sequence[str],
    *,
    separate: bool,
) -> PeopleAndMetrics:
    """Rankings, or scores of segments, with the rule that computes scores of systems from them.

    directed: columns whose direction was given. separate: metrics are not columns of the judgments.
    """
    if isinstance(people, SegmentScores):
        if gold not in (None, GOLD, people.metric):
            raise ParameterError(f"gold is {gold!r}, but human scores have no columns to choose from; leave it out")
        if human is None or human == "mean":
            return PeopleAndMetrics(people, people.metric, "mean", [], people.notes)
        return PeopleAndMetrics(rankings_from_scores(people), GOLD, human, [], people.notes)
    if not isinstance(people, Rankings):
        raise ParameterError(
            f"judgments are {type(people).__name__}, expected Rankings, SegmentScores or SystemScores (or a file that "
            "holds them)"
        )
    if not len(people):
        raise InputError("there is no judgment, expected at least one")
    gold = human_column(people, gold, allow_any_name=separate)
    people = ranked_only(people, gold)
    if np.isnan(people.column(gold)).all():
        raise InputError(f"{gold}, the column of human judgments, has no value; expected at least one")
    metric_names = [] if separate else [name for name in people.columns if name != gold]
    notes = [
        *people.notes,
        *ranks_note(
            JudgedMetrics(people, gold, tuple(metric_names), ()),
            [name for name in people.columns if name not in directed],
        ),
    ]
    metrics: list[AnyScores] = [scores_of_column(people, name) for name in metric_names]
    people_scored = gold in people.score_columns
    if human == "mean" and not people_scored:
        raise ParameterError(
            f"human is 'mean', but {gold} holds ranks, which are comparable only within a judgment; use one of "
            f"{', '.join(RULES)}, or --higher {gold} if these are scores"
        )
    if human == "mean" or (human is None and people_scored):
        return PeopleAndMetrics(scores_of_column(people, gold), gold, "mean", metrics, tuple(notes))
    return PeopleAndMetrics(people, gold, human or RULES[0], metrics, tuple(notes))


def scores_of_column(rankings: Rankings, name: str) -> SegmentScores:
    """A column of judgments as scores of segments: the mean for a translation that was judged several times.

    >>> found = scores_of_column(Rankings.of([{"A": 4, "B": 2}], name="points", higher_is_better=True), "points")
    >>> found.pairs[""].systems, found.pairs[""].values.tolist(), found.higher_is_better
    (('A', 'B'), [[4.0], [2.0]], True)
    """
    pairs = {}
    for pair, judgments in rankings.by_pair():
        values = judgments.column(name)
        present = ~np.isnan(values)
        systems, system = np.unique(judgments.system.codes, return_inverse=True)
        segments, segment = np.unique(judgments.segment.codes, return_inverse=True)
        shape = systems.size, segments.size
        cell = (system * shape[1] + segment[judgments.judgment])[present]
        counts = np.bincount(cell, minlength=shape[0] * shape[1])
        totals = np.bincount(cell, values[present], shape[0] * shape[1])
        means = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)
        pairs[pair] = PairScores(
            tuple(judgments.systems[code] for code in systems.tolist()),
            tuple(judgments.segment.names[code] for code in segments.tolist()),
            means.reshape(shape),
        )
    return SegmentScores(name, pairs, name in rankings.score_columns)


def with_direction(scores: AnyScores, higher: Sequence[str], lower: Sequence[str]) -> AnyScores:
    """The same scores in the given direction, if any."""
    names = {scores.metric}
    if names & {*higher, *lower}:
        return replace(scores, higher_is_better=bool(names & {*higher}))
    return scores


def select_metrics(metrics: Sequence[AnyScores], names: Sequence[str]) -> list[AnyScores]:
    """The named metrics, in that order. Raises ParameterError, UnknownName."""
    if not names:
        raise ParameterError("metrics is empty; name at least one metric, or leave metrics out for all")
    by_name = {metric.metric: metric for metric in reversed(metrics)}
    if unknown := [name for name in names if name not in by_name]:
        raise UnknownName("metric", unknown[0], by_name)
    return [by_name[name] for name in names]


def with_unique_names(metrics: Sequence[AnyScores]) -> list[AnyScores]:
    """The same metrics, with a number appended to repeated names."""
    from rankscope.data.segment_scores import unused_name

    renamed: dict[str, AnyScores] = {}
    for metric in metrics:
        name = unused_name(metric.metric, renamed)
        renamed[name] = metric if name == metric.metric else replace(metric, metric=name)
    return list(renamed.values())


def select_pairs_of_people(people: Rankings | AnyScores, pairs: Sequence[str]) -> Rankings | AnyScores:
    """People's judgments of some language pairs, in this order. Raises UnknownName, ParameterError."""
    if isinstance(people, Rankings):
        return select_language_pairs(people, pairs)
    if not pairs:
        raise ParameterError("pairs is empty; name at least one language pair, or leave pairs out for all")
    if unknown := [name for name in pairs if name not in people.pairs]:
        raise UnknownName("language pair", unknown[0], people.pairs)
    if isinstance(people, SegmentScores):
        return replace(people, pairs={name: people.pairs[name] for name in pairs})
    return replace(people, pairs={name: people.pairs[name] for name in pairs})


def read_metric_scores(
    scores: SystemMetrics,
    test_set: str | None,
    judgments: object = None,
    columns: Mapping[str, str] | None = None,
) -> list[AnyScores]:
    """Scores of metrics, as they are or read from files.

    Parameters
    ----------
    scores
        The scores, or files or folders of them. If a folder has scores of both segments and systems for a metric, those
        of segments are read, or those of systems if the judgments are of systems.
    test_set
        Test set to use from files that hold several.
    judgments
        The human judgments.
    columns
        What the columns of tables are called, where they have them.

    Raises
    ------
    InputError, UnknownName
        As `rankscope.read_segment_scores`.
    ParameterError
        There is a test set but no file.
    """
    _, sources, _ = split_scores(None, scores, JudgmentSettings())
    paths = [source for source in sources if isinstance(source, (str, PathLikeType))]
    if test_set is not None and not paths:
        raise ParameterError("test_set selects scores from files, and there is no file; leave it out")
    metric_scores: list[AnyScores] = []
    for source in sources:
        if not isinstance(source, (str, PathLikeType)):
            metric_scores.append(source)
        elif os.path.isdir(source):
            metric_scores += read_any_scores(source, segments=not are_system_judgments(judgments, columns))
        else:
            metric_scores += read_any_scores(source, test_set=test_set, columns=columns)
    return metric_scores


def are_system_judgments(judgments: object, columns: Mapping[str, str] | None) -> bool:
    """Whether judgments are scores of whole systems; False for standard input, which can be read only once."""
    if isinstance(judgments, (str, PathLikeType)) and str(judgments) != "-":
        return system_scores_in(judgments, columns=columns, may_lack_columns=True) is not None
    return isinstance(judgments, SystemScores)
