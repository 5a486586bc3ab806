"""Loading of people's judgments and of metrics' scores, from files or objects, each in its direction."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from rankscope.agreement.direction import (
    directed_columns,
    oriented,
    ranks_note,
    refuse_both_directions,
    refuse_fractions,
    with_directions,
)
from rankscope.agreement.judgments import (
    GOLD,
    Judgments,
    handle_duplicates,
    human_column,
    lists_of_scores,
    ranked_only,
    scores_of_column,
    select_language_pairs,
    with_weights,
)
from rankscope.agreement.settings import (
    RULES,
    JudgmentSettings,
    MetricSettings,
    Names,
    judgment_settings_of,
    names_of,
)
from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.data.rankings import Rankings
from rankscope.data.scores import Scores as QueryScores
from rankscope.data.tables import find_column
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import PARQUET_MAGIC, source_name, split_compression_suffix
from rankscope.io.translation import detect_kind, detect_system_kind, first_bytes
from rankscope.typing import Floats, PathLike

__all__ = [
    "JudgmentSource",
    "PeopleAndMetrics",
    "ScoreSource",
    "load",
    "load_people",
    "read_judgments",
    "read_metric_scores",
    "read_rankings",
    "read_segment_scores",
    "unused_name",
]


#: What judgments may come as, and what scores of metrics may: files of them, too.
JudgmentSource = Rankings | MetricScores | QueryScores | PathLike
ScoreSource = MetricScores | QueryScores | PathLike | Sequence[MetricScores | QueryScores | PathLike]
#: Which scores of metrics are wanted: of segments only; of systems if there are any; those of the level of people's.
LEVELS = ("segment", "system", "any")
DEFAULTS = JudgmentSettings()


class PeopleAndMetrics(NamedTuple):
    """People's judgments and the metrics that are compared with them.

    Attributes
    ----------
    people
        The judgments.
    metrics
        The scores of each metric; empty if metrics are columns of the judgments.
    columns
        Names of the metrics that are columns of the judgments.
    notes
        What a reader should know, beside the notes of the judgments and of the metrics.
    rule
        How judgments become scores of systems: one of RULES; "mean" for scores of translations; "given" for scores of
        systems. Empty before that is decided.
    """

    people: Judgments
    metrics: tuple[MetricScores, ...]
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rule: str = ""

    @property
    def gold(self) -> str:
        """Name of the human column or scores."""
        return self.people.gold

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return self.columns or tuple(metric.metric for metric in self.metrics)

    @property
    def higher(self) -> tuple[str, ...]:
        """Names of the human scores and the metrics in which higher is better."""
        people = [self.gold] if self.people.higher_is_better else []
        return (*people, *(metric.metric for metric in self.metrics if metric.higher_is_better))

    def for_systems(self, human: str | None) -> PeopleAndMetrics:
        """The same with the rule that makes scores of systems, people as it needs them, and scores of each metric.

        human: the rule. Default: the mean of scores, the first of RULES for ranks.
        """
        people, rule = self.people, human
        if people.level == "system":
            if human is not None:
                raise ParameterError(
                    f"human is {human!r}, but these judgments are already scores of systems; leave it out"
                )
            rule = "given"
        elif people.are_ranks:
            if human == "mean":
                raise ParameterError(
                    f"human is 'mean', but {people.gold} holds ranks, which are comparable only within a judgment; use "
                    f"one of {', '.join(RULES)}; or, if these are scores, --higher {people.gold}, or --lower "
                    f"{people.gold} if lower is better"
                )
            rule = human or RULES[0]
        elif human in (None, "mean"):
            people, rule = people.as_scores(), "mean"
        else:
            people = people.as_lists()
        metrics = self.metrics
        if isinstance(self.people.values, Rankings) and self.columns:
            metrics = tuple(scores_of_column(self.people.values, name) for name in self.columns)
        notes = [*self.people.notes, *self.notes, *(note for metric in self.metrics for note in metric.notes)]
        return self._replace(people=people, metrics=metrics, notes=tuple(dict.fromkeys(notes)), rule=str(rule))


def load(
    judgments: JudgmentSource,
    scores: ScoreSource,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    *,
    level: str,
    judgment_weight: str | None = None,
) -> PeopleAndMetrics:
    """Human judgments and metrics, read if they are files, with the selected columns, metrics and directions.

    Parameters
    ----------
    judgments
        The human judgments, or their file. Items with rank -1 were not ranked: they have no value, and a note counts
        them.
    scores
        Scores of metrics, or their files. Without any, every other column of the judgments is a metric.
    judgment_settings
        Which judgments are read, and how.
    metric_settings
        Which metrics are compared.
    level
        One of LEVELS.
    judgment_weight
        Column with the weights of the judgments.

    Raises
    ------
    InputError
        A file cannot be read, there is no metric or no judgment, a rank below 0 other than -1, a column of fractions
        whose direction is not named, or a human column without any value.
    ParameterError, UnknownName
        A column, metric or language pair does not exist, or settings exclude each other.
    """
    higher, lower, ranks = judgment_settings.higher, metric_settings.lower, metric_settings.ranks
    refuse_both_directions(higher, lower, ranks)
    is_file = isinstance(judgments, (str, os.PathLike))
    judgments, sources, judgment_settings = split_scores(judgments, scores, judgment_settings, level, judgment_weight)
    test_set = metric_settings.test_set
    if test_set is not None and not any(isinstance(source, (str, os.PathLike)) for source in sources):
        raise ParameterError("test_set selects scores from files, and there is no file; leave it out")
    needed = () if sources else metric_settings.metrics or ()
    people, own_metrics = load_people(
        judgments,
        judgment_settings,
        lower,
        needed,
        ranks=ranks,
        level=level,
        allow_any_name=bool(sources) and level != "segment",
        judgment_weight=judgment_weight,
    )
    metrics = [] if sources else own_metrics
    wanted_level = "system" if level == "any" and people.level == "system" else level
    for source in sources:
        metrics += metrics_of(source, test_set, judgment_settings.columns or {}, wanted_level)
    judged_names = [people.gold, *people.columns, *([] if people.is_of_lists else [GOLD])]
    judged_names += [scores.metric for scores in own_metrics]
    metrics = with_directions(merge_metrics(metrics), higher, (*lower, *ranks), judged_names)
    columns = () if metrics else people.columns
    if not metrics and not columns:
        file = f"{source_name(judgments)}: " if isinstance(judgments, (str, os.PathLike)) else ""
        raise InputError(
            f"{file}there is no metric to compare with people; add files of scores, or judgments with another column"
        )
    used_names = judged_names if level == "segment" else []
    metrics = with_unique_names(metrics, used_names)
    if metric_settings.metrics is not None:
        names = select_names(metric_settings.metrics, columns or [metric.metric for metric in metrics])
        by_name = {metric.metric: metric for metric in metrics}
        columns, metrics = (names, metrics) if columns else ((), [by_name[name] for name in names])
    named = [*higher, *lower, *ranks]
    if is_file:
        refuse_fractions(people, columns, named)
    notes = ranks_note(people, columns, named)
    return PeopleAndMetrics(people, tuple(metrics), tuple(columns), tuple(notes))


def load_people(
    judgments: JudgmentSource,
    settings: JudgmentSettings,
    lower: Sequence[str] = (),
    needed: Sequence[str] = (),
    *,
    ranks: Sequence[str] = (),
    level: str = "segment",
    allow_any_name: bool = True,
    judgment_weight: str | None = None,
) -> tuple[Judgments, list[MetricScores]]:
    """Human judgments in their direction, read if they are a file; and the other scores in a table of systems.

    Parameters
    ----------
    judgments
        The judgments, or their file.
    settings
        Which judgments are read, and how.
    lower
        Columns in which lower is better.
    needed
        Columns of a table that must hold numbers, besides the human column.
    ranks
        Columns of ranks.
    level
        One of LEVELS; with "segment", whole systems are no judgments.
    allow_any_name
        Whether an only column is the human one, whatever its name.
    judgment_weight
        Column with the weights of the judgments.
    """
    values = read_sources(judgments, settings, (*needed, *([judgment_weight] if judgment_weight else [])), level)
    if isinstance(values, Rankings):
        if judgment_weight is not None:
            values = with_weights(values, judgment_weight)
        return people_in_lists(values, settings, lower, ranks, allow_any_name=allow_any_name), []
    if isinstance(values, MetricScores):
        weighted = any(scores.weights is not None for scores in values.pairs.values())
        refuse_weight(judgment_weight if not weighted else None, "have no columns")
        return people_in_scores(values, settings, (*lower, *ranks)), []
    refuse_weight(judgment_weight, "are of whole systems")
    return people_in_systems(values, settings, (*lower, *ranks))


def refuse_weight(name: str | None, reason: str) -> None:
    if name is not None:
        raise ParameterError(f"judgment_weight is {name!r}, but these judgments {reason}; leave it out")


def people_in_systems(
    scores: Sequence[MetricScores], settings: JudgmentSettings, lower: Sequence[str]
) -> tuple[Judgments, list[MetricScores]]:
    """People's scores of whole systems, and the other scores beside them."""
    for name in ("duplicates", "reference", "lines"):
        if settings.is_changed(name):
            raise ParameterError(f"judgments are scores of systems, so {name} has no effect; leave it out")
    names = [column.metric for column in scores]
    people = scores[names.index(human_column(names, settings.gold))]
    own_metrics = [column for column in scores if column is not people]
    people = oriented(people, settings.higher, lower)
    return Judgments(people.metric, people).select(settings.pairs), own_metrics


def people_in_scores(scores: MetricScores, settings: JudgmentSettings, lower: Sequence[str]) -> Judgments:
    """People's scores of segments, in their direction."""
    names = (scores.metric, GOLD)
    if settings.gold is not None and settings.gold not in names:
        raise ParameterError(
            f"gold is {settings.gold!r}, but human scores have no columns to choose from; leave it out"
        )
    if unknown := [name for name in settings.higher if name not in names]:
        raise UnknownName("column of the judgments", unknown[0], names)
    return Judgments(scores.metric, oriented(scores, settings.higher, lower, GOLD)).select(settings.pairs)


def people_in_lists(
    rankings: Rankings,
    settings: JudgmentSettings,
    lower: Sequence[str],
    ranks: Sequence[str],
    *,
    allow_any_name: bool,
) -> Judgments:
    """People's column of lists, with the directions of all columns."""
    for name in settings.higher:
        if name not in rankings.columns:
            raise UnknownName("column of the judgments", name, rankings.columns)
    rankings = directed_columns(rankings, settings.higher, lower, ranks)
    gold = human_column([*rankings.columns], settings.gold, allow_any_name=allow_any_name)
    ranked = ranked_only(select_language_pairs(rankings, settings.pairs), gold)
    if np.isnan(ranked.column(gold)).all():
        raise InputError(f"{gold}, the column of human judgments, has no value; expected at least one")
    return Judgments(gold, ranked)


def read_sources(
    judgments: JudgmentSource, settings: JudgmentSettings, needed: Sequence[str], level: str
) -> Rankings | MetricScores | list[MetricScores]:
    """The judgments as they come: lists, scores of segments, or all scores of systems; read if they are a file."""
    if isinstance(judgments, (str, os.PathLike)):
        kind = None
        if level != "segment" and not os.path.isdir(judgments):
            kind = detect_system_kind(judgments, settings.columns or {})
        if kind is None:
            return read_judgments(judgments, settings, needed)
        refuse_columns_without_table(judgments, settings.columns, kind)
        return read_system_scores(
            judgments, kind, None, settings.columns, [*([settings.gold] if settings.gold else []), *needed],
            people=settings.gold is None,
        )  # fmt: skip
    if isinstance(judgments, QueryScores):
        raise ParameterError("these are scores by measures, expected judgments that name who judged, or ranks")
    if isinstance(judgments, MetricScores) and judgments.level == "system":
        if level == "segment":
            raise ParameterError("these judgments are scores of systems; `systems` compares them, not segments")
        return [judgments]
    if not isinstance(judgments, (Rankings, MetricScores)):
        raise ParameterError(
            f"judgments are {type(judgments).__name__}, expected Rankings or MetricScores (or a file that holds them)"
        )
    for name in ("reference", "lines", "columns"):
        if settings.is_changed(name):
            raise ParameterError(f"judgments are not a file, so {name} has no effect; leave it out")
    if settings.duplicates is None:
        return judgments
    if not isinstance(judgments, Rankings):
        raise ParameterError("these are scores, so duplicates has no effect; leave it out")
    return handle_duplicates(judgments, settings.duplicates, "judgments")


def refuse_columns_without_table(path: PathLike, columns: Mapping[str, str] | None, kind: str) -> None:
    if columns and "table" not in kind:
        raise ParameterError(f"{source_name(path)}: is not a table, so columns (--columns) has no effect; leave it out")


def read_judgments(
    path: PathLike, settings: JudgmentSettings = DEFAULTS, needed: Sequence[str] = ()
) -> Rankings | MetricScores:
    """Read human judgments: ranking CSVs of WMT, tables, JCML, Appraise's XML, better/worse pairs, scores of segments.

    Parameters
    ----------
    path
        The file; "-" is standard input.
    settings
        Which judgments are read, and how. In columns of a table or JCML that `higher` does not name, lower is better,
        as for ranks.
    needed
        Columns of a table that must hold numbers, besides the human column.

    Raises
    ------
    InputError
        The file cannot be read in the format that it seems to have, is a folder, or holds scores of several metrics.
    ParameterError
        An option is for another kind of file.
    """
    if os.path.isdir(path):
        raise InputError(
            f"{path}: is a folder, expected a file of judgments, such as one of its human-scores; name that file"
        )
    kind, name, duplicates = detect_kind(path), source_name(path), settings.duplicates
    wmt_options = {
        option: value
        for option, value in {"reference": settings.reference, "lines": settings.lines}.items()
        if value is not None
    }
    if wmt_options and kind != "wmt":
        options = ", ".join(wmt_options)
        raise ParameterError(f"{name}: is not a ranking CSV of WMT, so {options} has no effect; leave it out")
    if settings.higher and kind not in ("table", "jcml"):
        raise ParameterError(f"{name}: is not a table or JCML, so higher has no effect; leave it out")
    refuse_columns_without_table(path, settings.columns, kind)
    if kind in ("seg.scr", "seg.score"):
        if duplicates is not None:
            raise ParameterError(
                f"{name}: holds one score for each translation, so duplicates has no effect; leave it out"
            )
        return only_scores(read_scores_of_segments(path, None), name)
    if kind == "wmt":
        from rankscope.io.translation import read_wmt_rankings

        options_with_duplicates: dict[str, Any] = {**wmt_options, **({"duplicates": duplicates} if duplicates else {})}
        return read_wmt_rankings(path, **options_with_duplicates)
    if kind == "table":
        from rankscope.io.preferences import read_judged_table

        rankings = read_judged_table(
            path, scores=settings.higher, gold=settings.gold, needed=tuple(needed), names=settings.columns
        )
    else:
        rankings = read_rankings_of_kind(path, kind)
    return rankings if duplicates is None else handle_duplicates(rankings, duplicates, name)


def only_scores(scores: Sequence[MetricScores], name: str) -> MetricScores:
    if len(scores) > 1:
        raise InputError(
            f"{name}: scores of {len(scores)} metrics ({scores[0].metric}, {scores[1].metric}, ...), expected human "
            "scores only; put them into a file of their own"
        )
    return scores[0]


def read_rankings_of_kind(path: PathLike, kind: str) -> Rankings:
    """The judgments in JCML, Appraise's XML or better/worse pairs."""
    from rankscope.io.translation import read_appraise_rankings, read_better_pairs, read_jcml

    if kind == "jcml":
        return read_jcml(path)
    return read_better_pairs(path) if kind == "pairs" else read_appraise_rankings(path)


def split_scores(
    judgments: Any, scores: Any, settings: JudgmentSettings, level: str, weight: str | None
) -> tuple[Any, list[Any], JudgmentSettings]:
    """Judgments and scores of metrics, where `Scores` by several measures, or files of them, become one each.

    Of the measures of judgments, one is people's, and the others are metrics.

    Parameters
    ----------
    judgments, scores, level
        As for `load`.
    settings
        Which measure is people's; returned without what was used here.
    weight
        The column with the weights of queries, if any.

    Raises
    ------
    ParameterError, UnknownName
        No measure is people's.
    """
    is_single = isinstance(scores, (MetricScores, QueryScores, str, os.PathLike))
    by_source = [(source, scores_by_measure(source, {}, level)) for source in ([scores] if is_single else scores)]
    parts = scores_by_measure(judgments, settings.columns or {}, level, weight, gold=settings.gold)
    if parts == [judgments]:
        return judgments, name_by_file(by_source), settings
    names = [part.metric for part in parts]
    people = parts[names.index(human_column(names, settings.gold, noun="measure"))]
    metrics = [part for part in parts if part is not people]
    return people, [*metrics, *name_by_file(by_source, names)], replace(settings, columns=None, gold=None)


def name_by_file(sources: Sequence[tuple[Any, list[Any]]], people: Iterable[str] = ()) -> list[Any]:
    """The scores of all sources, named after their files where several files have measures of one name.

    A file of one measure then gives its own name to it, and a measure of one of several measures that another file has
    too is FILE:MEASURE.

    Parameters
    ----------
    sources
        Files or objects, each with the scores of its measures; a source that holds no measures is its only part.
    people
        Names of measures in the file of human judgments.

    Examples
    --------
    >>> def grades(*names):
    ...     return [MetricScores.of(name, {"": {"A": [1]}}) for name in names]
    >>> named = name_by_file([("runs/ann.txt", grades("GRADE")), ("bob.txt", grades("GRADE", "RECALL"))])
    >>> [scores.metric for scores in named]
    ['ann', 'bob:GRADE', 'RECALL']
    """
    counts = Counter(dict.fromkeys(people, 1))
    for source, parts in sources:
        if parts != [source]:
            counts.update({part.metric for part in parts})
    if max(counts.values(), default=0) < 2:
        return [part for _, parts in sources for part in parts]
    named_scores: list[Any] = []
    for source, parts in sources:
        if parts == [source] or not isinstance(source, (str, os.PathLike)):
            named_scores += parts
            continue
        file = PurePath(split_compression_suffix(source_name(source))[0]).stem
        if len(parts) == 1:
            named_scores.append(replace(parts[0], metric=file))
            continue
        for part in parts:
            named_scores.append(replace(part, metric=f"{file}:{part.metric}") if counts[part.metric] > 1 else part)
    return named_scores


def scores_by_measure(
    source: Any, columns: Mapping[str, str], level: str, weight: str | None = None, *, gold: str | None = None
) -> list[Any]:
    """Scores for each measure of `Scores`, or of a file of them; anything else as it is.

    Parameters
    ----------
    source
        The scores; queries stand in the place of segments. A file with summaries only has scores of whole systems.
    columns
        What the columns of a file are called.
    level
        One of LEVELS; with "segment", summaries are refused.
    weight
        The column with the weights of queries, if any.
    gold
        The name of people's measure or column, if it is named.
    """
    of_systems = False
    notes: tuple[str, ...] = ()
    if isinstance(source, (str, os.PathLike)):
        from rankscope.evaluation.read_scores import names_measures, read_scores, read_scores_or_summaries
        from rankscope.evaluation.score_tables import ALL

        if not names_measures(source, columns) or has_column_of_people(source, gold):
            return [source]
        name, read = source_name(source), read_scores if level == "segment" else read_scores_or_summaries
        source = read(source, columns=columns or None)
        of_systems = level != "segment" and source.query_ids == (ALL,)
        if of_systems:
            notes = (f"{name}: summaries only (query {ALL!r}), taken as scores of whole systems",)
    if not isinstance(source, QueryScores):
        return [source]
    weights = None if weight is None or of_systems else query_weights(source, weight)
    return [
        MetricScores(
            str(measure),
            {"": PairScores(source.systems, () if of_systems else source.query_ids, source.values[:, m], weights)},
            measure.higher_is_better is not False,
            (*source.notes, *notes),
        )
        for m, measure in enumerate(source.measures)
    ]


def has_column_of_people(path: PathLike, gold: str | None) -> bool:
    """Whether a table has a column of people: then a column "metric" beside it holds numbers, and no names."""
    if detect_kind(path) != "table":
        return False
    header = header_of(path)
    return find_column(header, (GOLD, "gold")) is not None or gold in header


def query_weights(scores: QueryScores, name: str) -> Floats:
    """(queries) a column of the queries as weights. Raises UnknownName, ParameterError for what is no number."""
    if name not in scores.query_columns:
        raise UnknownName("column of the queries", name, scores.query_columns)
    try:
        return np.array(scores.query_columns[name], np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"column {name!r} of the queries holds no numbers, expected weights") from None


def metrics_of(source: object, test_set: str | None, columns: Mapping[str, str], level: str) -> list[MetricScores]:
    """The scores of metrics in one source; files and folders are read."""
    if isinstance(source, (str, os.PathLike)):
        return read_metric_scores(source, level=level, test_set=test_set, columns=columns)
    if isinstance(source, MetricScores):
        if level == "segment" and source.level == "system":
            raise ParameterError(
                f"{source.metric} has scores of whole systems, expected scores of segments; `systems` compares those"
            )
        return [source]
    raise ParameterError(f"scores hold {type(source).__name__}, expected MetricScores, or files that hold them")


def read_metric_scores(
    path: PathLike, *, level: str, test_set: str | None = None, columns: Mapping[str, str] | None = None
) -> list[MetricScores]:
    """Scores of metrics in a file, or in a folder of mt-metrics-eval (metric-scores/PAIR/METRIC.seg.score, .sys.score).

    Parameters
    ----------
    path
        The file or folder.
    level
        "segment": scores of whole systems are left in a folder, and refused in a file. "system" and "any": both are
        read; of a metric of which a folder has both, those of systems with "system", else those of segments.
    test_set
        Test set to use from a file that holds several.
    columns
        What the columns of a table are called, where it has them.

    Raises
    ------
    InputError
        The file is something else, or cannot be read.
    """
    if os.path.isdir(path):
        return read_folder(path, level)
    if level != "segment":
        kind = detect_system_kind(path, columns or {})
        if kind is not None:
            return read_system_scores(path, kind, test_set, columns, (), people=False)
    return read_scores_of_segments(path, test_set, columns or {})


def read_folder(path: PathLike, level: str) -> list[MetricScores]:
    """The scores of metrics in a folder; as `read_metric_scores`."""
    from rankscope.io.translation import list_mt_scores, read_mt_scores, read_mt_system_scores

    segment_files = [file for file in list_mt_scores(path) if file.kind == "metric"]
    system_files = []
    if level != "segment":
        system_files = [file for file in list_mt_scores(path, level="sys") if file.kind == "metric"]
        preferred, others = (system_files, segment_files) if level == "system" else (segment_files, system_files)
        names = {(file.pair, file.name) for file in preferred}
        others[:] = [file for file in others if (file.pair, file.name) not in names]
    if not segment_files and not system_files:
        raise InputError(
            f"{path}: no metric-scores/PAIR/METRIC.seg.score in this folder, expected at least one, or nothing but "
            "METRIC.seg.score; name the files themselves"
        )
    system_scores = [read_mt_system_scores(file.path) for file in system_files]
    return merge_metrics([*system_scores, *(read_mt_scores(file.path) for file in segment_files)])


def read_scores_of_segments(
    path: PathLike, test_set: str | None, columns: Mapping[str, str] | None = None
) -> list[MetricScores]:
    """The scores in a seg.scr, a .seg.score or a table of segments. Raises InputError for another file.

    columns: what the columns of a table are called, where it has them.
    """
    from rankscope.io.translation import read_mt_scores, read_seg_scores

    kind = detect_kind(path)
    if kind == "table":
        return read_table_of_metrics(path, columns or {})
    if kind == "seg.score":
        return [read_mt_scores(path)]
    if kind != "seg.scr":
        raise InputError(
            f"{path}: has no scores of a metric; expected lines METRIC PAIR TESTSET SYSTEM SEGMENT SCORE (seg.scr), "
            "lines SYSTEM SCORE (.seg.score), a table of segments and systems, or a folder of mt-metrics-eval"
        )
    return list(read_seg_scores(path, test_set=test_set))


def read_table_of_metrics(path: PathLike, columns: Mapping[str, str]) -> list[MetricScores]:
    """Each column of numbers in a table of segments and systems as a metric, of which higher is better.

    An only column called score or value takes the name of the file.

    Raises InputError for a table with a column of people, which is one of judgments.

    columns: what its columns are called, where it has them.
    """
    from rankscope.io.translation import GOLD_COLUMNS, UNNAMED_METRICS, read_ranking_table

    header = header_of(path)
    people = find_column(header, GOLD_COLUMNS)
    if people is not None:
        raise InputError(
            f"{source_name(path)}: column {people!r} is one of judgments, expected scores of metrics; name the "
            "judgments first, or call the column otherwise if it is a metric"
        )
    names = {field: column for field, column in columns.items() if column in header}
    rankings = read_ranking_table(path, names=names or None)
    file = PurePath(split_compression_suffix(source_name(path))[0]).stem
    metrics = []
    for column, values in rankings.columns.items():
        scores = scores_of_column(rankings.with_column(column, values, higher_is_better=True), column)
        is_unnamed = len(rankings.columns) == 1 and column.strip().lower() in UNNAMED_METRICS
        metrics.append(replace(scores, metric=file if is_unnamed else column, notes=rankings.notes))
    return metrics


def header_of(path: PathLike) -> list[str]:
    """The names of the columns of a table."""
    from rankscope.io.tables import column_names, read_content

    head = first_bytes(path)
    return list(column_names(read_content(path) if head.startswith(PARQUET_MAGIC) else head))


def read_system_scores(
    path: PathLike,
    kind: str,
    test_set: str | None,
    columns: Mapping[str, str] | None,
    needed: Sequence[str],
    *,
    people: bool,
) -> list[MetricScores]:
    """The scores of whole systems in a file of this kind. people: whether a human column must hold numbers."""
    from rankscope.io.translation import read_mt_system_scores, read_sys_scores, read_system_table

    if kind == "sys.score":
        return [read_mt_system_scores(path)]
    if kind == "sys.scr":
        return list(read_sys_scores(path, test_set=test_set))
    if not people and not needed and columns:  # a table of metrics may lack columns that the judgments have
        header = header_of(path)
        columns = {name: column for name, column in columns.items() if column in header}
    return read_system_table(path, needed=needed, people=people, names=columns)


def merge_metrics(scores: Sequence[MetricScores]) -> list[MetricScores]:
    """One entry a metric where its language pairs came in several files; a pair that comes twice stays apart."""
    merged: list[MetricScores] = []
    for metric in scores:
        kind = metric.metric, metric.higher_is_better, metric.level
        for i, earlier in enumerate(merged):
            if (earlier.metric, earlier.higher_is_better, earlier.level) == kind and not set(earlier.pairs) & set(
                metric.pairs
            ):
                notes = tuple(dict.fromkeys((*earlier.notes, *metric.notes)))
                merged[i] = replace(earlier, pairs={**earlier.pairs, **metric.pairs}, notes=notes)
                break
        else:
            merged.append(metric)
    return merged


def with_unique_names(metrics: Sequence[MetricScores], used_names: Iterable[str]) -> list[MetricScores]:
    """The same metrics, with a number appended to names that are used already."""
    used, renamed = [*used_names], []
    for metric in metrics:
        name = unused_name(metric.metric, used)
        used.append(name)
        renamed.append(metric if name == metric.metric else replace(metric, metric=name))
    return renamed


def unused_name(name: str, used_names: Iterable[str]) -> str:
    """The name, with a number behind it where it is used already."""
    used = set(used_names)
    if name not in used:
        return name
    return next(f"{name} ({i})" for i in count(2) if f"{name} ({i})" not in used)


def select_names(names: Sequence[str], known_names: Sequence[str]) -> tuple[str, ...]:
    """The named metrics, in that order. Raises ParameterError, UnknownName."""
    if not names:
        raise ParameterError("metrics is empty; name at least one metric, or leave metrics out for all")
    if unknown := [name for name in names if name not in known_names]:
        raise UnknownName("metric", unknown[0], known_names)
    return tuple(names)


def read_rankings(
    path: PathLike,
    *,
    higher: Names = (),
    lower: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
) -> Rankings:
    r"""Read human judgments of translations, or of answers, from a file; its content decides the format.

    Formats: ranking CSVs of WMT10 to 16; tables (CSV, TSV, JSON lines, Parquet) with the columns segment and system;
    JCML; Appraise's XML; better/worse pairs; human scores (.seg.score, seg.scr), which become one judgment per segment.

    Parameters
    ----------
    path
        The file; "-" is standard input.
    higher
        Columns in which higher is better. In all others lower is better, as for ranks.
    lower
        Human scores in which lower is better, such as HTER.
    duplicates
        What to do with judgments that repeat an earlier one: "keep", "drop" or "refuse". Default: keep.
    reference
        For ranking CSVs: "keep" or "drop" the reference, see `rankscope.agreement.read_wmt_rankings`.
    lines
        For WMT11: a file with the names of the segments, see `rankscope.agreement.read_wmt_rankings`.
    columns
        What the columns of a table are called, such as {"segment": "prompt_id", "system": "engine"}. Default: found by
        their usual names.

    Returns
    -------
    Rankings
        The judgments, with a column for each column of numbers.

    Raises
    ------
    InputError
        The file cannot be read; the message names file and line.
    UnknownName
        A column does not exist.
    ParameterError
        An option is for another kind of file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("segment,system,rank,llm\n1,A,1,9\n1,B,2,7\n")
    >>> found = read_rankings(path, higher="llm")
    >>> found.table("rank").tolist(), found.table("llm").tolist()  # lower is better
    ([[1.0, 2.0]], [[-9.0, -7.0]])
    """
    settings = judgment_settings_of(
        higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    lower = names_of(lower)
    refuse_both_directions(settings.higher, lower)
    people = read_judgments(path, settings)
    names = (people.metric, GOLD) if isinstance(people, MetricScores) else tuple(people.columns)
    if unknown := [name for name in (*settings.higher, *lower) if name not in names]:
        raise UnknownName("column of the judgments", unknown[0], names)
    if isinstance(people, MetricScores):
        return lists_of_scores(oriented(people, settings.higher, lower, GOLD))
    return directed_columns(people, settings.higher, lower)


def read_segment_scores(path: PathLike, *, lower: Names = (), test_set: str | None = None) -> list[MetricScores]:
    r"""Read scores that metrics give to translations; the content of the file decides the format.

    Formats: seg.scr of WMT's metrics tasks; .seg.score; a table (CSV, TSV, JSON lines, Parquet) with the columns
    segment and system and one for each metric; a folder of mt-metrics-eval with all of its metric-scores.

    Parameters
    ----------
    path
        The file or folder.
    lower
        Metrics in which lower is better, such as TER.
    test_set
        Test set to use from a seg.scr that holds several.

    Returns
    -------
    list of MetricScores
        One entry per metric.

    Raises
    ------
    InputError
        The file cannot be read; the message names file and line.
    UnknownName
        A metric in `lower` does not exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ter.seg.scr")
    >>> _ = path.write_text("TER\tde-en\tnewstest2012\tA\t1\t0.5\nTER\tde-en\tnewstest2012\tA\t2\t0.25\n")
    >>> [found] = read_segment_scores(path, lower="TER")
    >>> found.pairs["de-en"].values.tolist(), found.higher_is_better
    ([[0.5, 0.25]], False)
    """
    scores = read_metric_scores(path, level="segment", test_set=test_set)
    return with_directions(scores, (), names_of(lower), ())
