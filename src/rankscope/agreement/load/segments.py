"""Loading of judgments of segments with a column of people and one for each metric, from files or objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike as PathLikeType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.load.files import (
    handle_duplicates,
    merge_segment_scores,
    ranked_only,
    read_judgments,
    read_scores,
    split_scores,
)
from rankscope.agreement.settings import (
    JudgmentSettings,
    MetricSettings,
    Names,
    judgment_settings_of,
    names_of,
)
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.scores import Scores as QueryScores
from rankscope.data.segment_scores import SegmentScores, attach_scores
from rankscope.data.tables import find_column
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.translation import GOLD_COLUMNS
from rankscope.kernels.segments import bounds
from rankscope.typing import PathLike

__all__ = [
    "GOLD",
    "JudgedMetrics",
    "Judgments",
    "Names",
    "Scores",
    "attach_metrics",
    "directions",
    "human_column",
    "load_judged_metrics",
    "load_people",
    "rankings_from_scores",
    "read_rankings",
    "read_segment_scores",
    "select_human_judgments",
    "select_language_pairs",
]


#: The name of the column of people where their scores become judgments.
GOLD = "human"


def rankings_from_scores(people: SegmentScores) -> Rankings:
    """Scores that people gave as judgments: one a segment, over the systems that have a score, in the column GOLD.

    Raises InputError where no segment has a score.

    >>> from rankscope.data.segment_scores import PairScores
    >>> people = SegmentScores("MQM", {"en-de": PairScores.of({"A": [-1, 0], "B": [-5, None]})}, higher_is_better=True)
    >>> found = rankings_from_scores(people)
    >>> len(found), found.columns[GOLD].tolist()
    (2, [-1.0, -5.0, 0.0])
    """
    pairs, segments, lengths, systems, values = [], [], [], [], []
    codes: dict[str, int] = {}
    names: dict[str, int] = {}
    for pair_index, scores in enumerate(people.pairs.values()):
        table = scores.values.T
        present = ~np.isnan(table)
        judged = present.any(axis=1)
        system_codes = np.array([codes.setdefault(name, len(codes)) for name in scores.systems], np.int64)
        segment_codes = np.array([names.setdefault(name, len(names)) for name in scores.segments], np.int64)
        segments.append(segment_codes[judged])
        pairs.append(np.full(int(judged.sum()), pair_index, np.int64))
        lengths.append(present[judged].sum(axis=1))
        systems.append(np.broadcast_to(system_codes, table.shape)[present])
        values.append(table[present])
    if not sum(array.size for array in values):
        raise InputError(f"{people.metric} has no score of any segment, expected human scores of translations")
    pair = np.concatenate(pairs)
    return Rankings(
        pair=Labels(tuple(people.pairs), pair),
        segment=Labels(tuple(names), np.concatenate(segments)),
        judge=Labels(("",), np.zeros(pair.size, np.int64)),
        offsets=bounds(np.concatenate(lengths).astype(np.int64)),
        system=Labels(tuple(codes), np.concatenate(systems)),
        columns={GOLD: np.concatenate(values)},
        score_columns=frozenset([GOLD] if people.higher_is_better else []),
        notes=people.notes,
    )


Judgments = Rankings | SegmentScores | QueryScores | PathLike
Scores = SegmentScores | QueryScores | PathLike | Sequence[SegmentScores | QueryScores | PathLike]


class JudgedMetrics(NamedTuple):
    """Judgments with a human column and a column for each metric.

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


def attach_metrics(
    judgments: Judgments,
    scores: SegmentScores | PathLike | Sequence[SegmentScores | PathLike] = (),
    *,
    gold: str | None = None,
    pairs: Sequence[str] | None,
) -> JudgedMetrics:
    """Judgments with the metrics as columns.

    Parameters
    ----------
    judgments
        The human judgments, or their file. Items with rank -1 were not ranked: they have no value, and a note counts
        them.
    scores
        Scores of metrics, or their files. Without scores, every other column of the judgments is a metric.
    gold
        The human column. Default: the column named "rank", "gold" or "human".
    pairs
        Language pairs to include, in this order.

    Returns
    -------
    JudgedMetrics
        The judgments with their metrics.

    Raises
    ------
    InputError
        There is no metric or no judgment, a rank below 0 other than -1, or a human column without any value.
    ParameterError, UnknownName
        A requested column, metric or language pair does not exist.
    """
    sources = [scores] if isinstance(scores, (SegmentScores, str, PathLikeType)) else list(scores)
    metrics = load_segment_metrics(sources)
    if isinstance(judgments, (str, PathLikeType)):
        judgments = read_judgments(judgments, gold=gold)
    if isinstance(judgments, SegmentScores):
        if gold not in (None, GOLD, judgments.metric):
            raise ParameterError(f"gold is {gold!r}, but human scores have no columns to choose from; leave it out")
        rankings, gold = rankings_from_scores(judgments), GOLD
    elif isinstance(judgments, Rankings):
        rankings = judgments
    else:
        raise ParameterError(
            f"judgments are {type(judgments).__name__}, expected Rankings or SegmentScores (or a file that holds them)"
        )
    rankings, gold = select_human_judgments(rankings, gold, pairs)
    metric_names = [] if metrics else [name for name in rankings.columns if name != gold]
    for metric in metrics:
        earlier_columns = set(rankings.columns)
        rankings = attach_scores(rankings, metric)
        metric_names += [name for name in rankings.columns if name not in earlier_columns]
    if not metric_names:
        raise InputError("there is no metric to compare with people; add scores, or judgments with another column")
    return JudgedMetrics(rankings, gold, tuple(metric_names), rankings.notes)


def load_segment_metrics(
    sources: Sequence[object], *, lower: Sequence[str] = (), test_set: str | None = None
) -> list[SegmentScores]:
    """One entry per metric; files are read. lower: the metrics in which lower is better, beside those that say so.

    Raises ParameterError for what is neither, UnknownName for a metric in `lower` that is not there.
    """
    metrics: list[SegmentScores] = []
    for source in sources:
        if isinstance(source, (str, PathLikeType)):
            metrics += read_scores(source, test_set=test_set)
        elif isinstance(source, SegmentScores):
            metrics.append(source)
        else:
            raise ParameterError(
                f"scores hold {type(source).__name__}, expected SegmentScores, or files that hold them"
            )
    metrics = merge_segment_scores(metrics)
    unknown = set(lower) - {metric.metric for metric in metrics}
    if unknown:
        raise UnknownName("metric", min(unknown), [metric.metric for metric in metrics])
    return [replace(metric, higher_is_better=False) if metric.metric in lower else metric for metric in metrics]


def select_human_judgments(
    rankings: Rankings, gold: str | None, pairs: Sequence[str] | None, *, allow_any_name: bool = False
) -> tuple[Rankings, str]:
    """The judgments of some language pairs, with NaN for items that people did not rank; and the human column.

    Parameters
    ----------
    rankings
        The judgments.
    gold
        The human column. Default: see `human_column`.
    pairs
        The language pairs. Default: all.
    allow_any_name
        Whether an only column is the human column, whatever its name.

    Raises
    ------
    InputError, ParameterError, UnknownName
        As `attach_metrics`.
    """
    gold = human_column(rankings, gold, allow_any_name=allow_any_name)
    selected = ranked_only(select_language_pairs(rankings, pairs), gold)
    if np.isnan(selected.column(gold)).all():
        raise InputError(f"{gold}, the column of human judgments, has no value; expected at least one")
    return selected, gold


def human_column(rankings: Rankings, gold: str | None, *, allow_any_name: bool = False) -> str:
    """The column of people. allow_any_name: an only column is that of people, whatever its name.

    Raises UnknownName, and ParameterError where the column must be named.
    """
    if gold is not None:
        if gold not in rankings.columns:
            raise UnknownName("column of the judgments", gold, rankings.columns)
        return gold
    column = find_column(list(rankings.columns), GOLD_COLUMNS)
    if column is not None:
        return column
    if allow_any_name and len(rankings.columns) == 1:
        return next(iter(rankings.columns))
    raise ParameterError(
        f"which column holds the human judgments? Name it with gold (--gold): {join_names(rankings.columns)}"
    )


def select_language_pairs(rankings: Rankings, pairs: Sequence[str] | None) -> Rankings:
    """The judgments of some language pairs, in the order in which they are named. Raises UnknownName, InputError."""
    if not len(rankings):
        raise InputError("there is no judgment, expected at least one")
    if pairs is None:
        return rankings
    names = [pairs] if isinstance(pairs, str) else list(pairs)
    if not names:
        raise ParameterError("pairs is empty; name at least one language pair, or leave pairs out for all")
    codes = {name: code for code, name in enumerate(rankings.pair.names)}
    selected_codes = []
    for name in dict.fromkeys(names):
        if name not in codes:
            raise UnknownName("language pair", name, [*rankings.pair.names])
        selected_codes.append(codes[name])
    selected = rankings.select(np.isin(rankings.pair.codes, selected_codes))
    if not len(selected):
        raise InputError(f"no judgment of {join_names(names)} among {pluralise(len(rankings), 'judgment')}")
    # New codes in the requested order, so that by_pair keeps it.
    positions = {code: i for i, code in enumerate(selected_codes)}
    new_codes = np.array([positions[code] for code in selected.pair.codes.tolist()], np.int64)
    return replace(selected, pair=Labels(tuple(dict.fromkeys(names)), new_codes))


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
        Human scores in which lower is better, as HTER.
    duplicates
        What to do with judgments that repeat an earlier one: "keep", "drop" or "refuse". Default: keep.
    reference
        For ranking CSVs: "keep" or "drop" the reference, see `rankscope.agreement.read_wmt_rankings`.
    lines
        For WMT11: a file with the names of the segments, see `rankscope.agreement.read_wmt_rankings`.
    columns
        What the columns of a table are called, as {"segment": "prompt_id", "system": "engine"}. Default: found by
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
    people, unknown = load_people(path, settings, lower=names_of(lower))
    if unknown:
        names = list(people.columns) if isinstance(people, Rankings) else [people.metric]
        raise UnknownName("column of the judgments", unknown[0], names)
    return people if isinstance(people, Rankings) else rankings_from_scores(people)


def read_segment_scores(path: PathLike, *, lower: Names = (), test_set: str | None = None) -> list[SegmentScores]:
    r"""Read scores that metrics give to translations; the content of the file decides the format.

    Formats: seg.scr of WMT's metrics tasks, .seg.score, or a folder of mt-metrics-eval with all of its metric-scores.

    Parameters
    ----------
    path
        The file or folder.
    lower
        Metrics in which lower is better, as TER.
    test_set
        Test set to use from a seg.scr that holds several.

    Returns
    -------
    list of SegmentScores
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
    return with_direction(read_scores(path, test_set=test_set), names_of(lower), (), ())


def load_people(
    judgments: Judgments, settings: JudgmentSettings, *, needed: Sequence[str] = (), lower: Sequence[str] = ()
) -> tuple[Rankings | SegmentScores, list[str]]:
    """Human judgments, read if they are a file, in the given directions; and the names in `lower` that match no column.

    Parameters
    ----------
    judgments
        The judgments, or their file.
    settings
        Which judgments are read, and how.
    needed
        Columns of a table that must hold numbers, besides the human column.
    lower
        Columns in which lower is better.
    """
    for name in settings.higher:
        if name in lower:
            raise ParameterError(f"{name} is named in both higher and lower; name it in one of them")
    wmt_options = {
        name: value
        for name, value in {"reference": settings.reference, "lines": settings.lines}.items()
        if value is not None
    }
    if isinstance(judgments, (str, PathLikeType)):
        people = read_judgments(
            judgments,
            higher=settings.higher,
            gold=settings.gold,
            needed=needed,
            duplicates=settings.duplicates,
            columns=settings.columns,
            **wmt_options,
        )
    elif isinstance(judgments, QueryScores):
        raise ParameterError("these are scores by measures, expected judgments that name who judged, or ranks")
    else:
        people = judgments
        for name in (*wmt_options, *(["columns"] if settings.columns else [])):
            raise ParameterError(f"judgments are not a file, so {name} has no effect; leave it out")
        if settings.duplicates is not None:
            if not isinstance(people, Rankings):
                raise ParameterError("these are scores, so duplicates has no effect; leave it out")
            people = handle_duplicates(people, settings.duplicates, "judgments")
    if isinstance(people, Rankings):
        for name in (*settings.higher, *lower):
            if name in people.columns:
                people = people.with_column(name, people.column(name), higher_is_better=name in settings.higher)
            elif name in settings.higher:
                raise UnknownName("column of the judgments", name, people.columns)
        return people, [name for name in lower if name not in people.columns]
    if isinstance(people, SegmentScores):
        score_names = (people.metric, GOLD)
        if unknown := [name for name in settings.higher if name not in score_names]:
            raise UnknownName("column of the judgments", unknown[0], score_names)
        if {*score_names} & {*settings.higher, *lower}:
            people = replace(people, higher_is_better=bool({*score_names} & {*settings.higher}))
        return people, [name for name in lower if name not in score_names]
    return people, list(lower)


def with_direction(
    scores: list[SegmentScores], lower: Sequence[str], judged_names: Sequence[str], columns: Sequence[str]
) -> list[SegmentScores]:
    """The metrics, with lower as better in the named ones. Raises UnknownName for a name of no metric and not among
    `judged_names`.

    columns: those of the judgments, which the error names.
    """
    metric_names = {metric.metric for metric in scores}
    unknown = [name for name in lower if name not in metric_names and name not in judged_names]
    if unknown:
        raise UnknownName("metric", unknown[0], {*metric_names, *columns})
    return [replace(metric, higher_is_better=False) if metric.metric in lower else metric for metric in scores]


def load_judged_metrics(
    judgments: Judgments, scores: Scores, judgment_settings: JudgmentSettings, metric_settings: MetricSettings
) -> JudgedMetrics:
    """Judgments with the metrics as columns, read where they are files, in the given directions.

    A note names the columns that are read as ranks and do not look like them. Raises as `read_rankings`,
    `read_segment_scores` and `attach_metrics`.
    """
    lower, metric_names = metric_settings.lower, metric_settings.metrics
    judgments, sources, judgment_settings = split_scores(judgments, scores, judgment_settings)
    if metric_settings.test_set is not None and not any(isinstance(source, (str, PathLikeType)) for source in sources):
        raise ParameterError("test_set selects scores from files, and there is no file; leave it out")
    people, unmatched = load_people(
        judgments, judgment_settings, needed=() if sources else metric_names or (), lower=lower
    )
    columns = list(people.columns) if isinstance(people, Rankings) else []
    metric_scores = with_direction(
        load_segment_metrics(sources, test_set=metric_settings.test_set),
        lower,
        [name for name in lower if name not in unmatched],
        columns,
    )
    if metric_names is not None and {*metric_names} <= {metric.metric for metric in metric_scores}:
        metric_scores = [metric for metric in metric_scores if not metric_names or metric.metric in metric_names]
    judged_metrics = attach_metrics(people, metric_scores, gold=judgment_settings.gold, pairs=judgment_settings.pairs)
    if metric_names is not None:
        if not metric_names:
            raise ParameterError("metrics is empty; name at least one metric, or leave metrics out for all")
        if unknown := [name for name in metric_names if name not in judged_metrics.metrics]:
            raise UnknownName("metric", unknown[0], judged_metrics.metrics)
        judged_metrics = judged_metrics._replace(metrics=metric_names)
    return judged_metrics._replace(
        notes=(*judged_metrics.notes, *ranks_note(judged_metrics, [name for name in columns if name not in lower]))
    )


def ranks_note(judged_metrics: JudgedMetrics, columns: Sequence[str]) -> list[str]:
    """A note on columns that are read as ranks without "rank" in their names: scores would be upside down."""
    names = [
        name
        for name in (judged_metrics.gold, *judged_metrics.metrics)
        if name in columns
        and name not in judged_metrics.rankings.score_columns
        and "rank" not in name.casefold()
        and not is_preference_column(judged_metrics.rankings, name)
    ]
    if not names:
        return []
    verb = "is" if len(names) == 1 else "are"
    return [
        f"{join_names(names)} {verb} read as ranks (lower is better); if higher is better, use "
        f"--higher {','.join(names)} (in Python higher={names!r}); --lower (lower=) turns this note off"
    ]


def is_preference_column(rankings: Rankings, name: str) -> bool:
    """Whether a column says which of two is better, as tables of preferences do: it holds ranks, whatever its name."""
    values = rankings.column(name)
    return bool((np.diff(rankings.offsets) == 2).all() and np.isin(values[~np.isnan(values)], (1, 2)).all())


def directions(gold: str, metrics: Sequence[str], higher: Sequence[str]) -> list[str]:
    """Entries of a signature: in which columns higher is better, and in which lower is."""
    lower = [name for name in (gold, *metrics) if name not in higher]
    return [f"{word}:{','.join(names)}" for word, names in (("higher", higher), ("lower", lower)) if names]
