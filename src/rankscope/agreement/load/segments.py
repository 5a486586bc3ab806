"""Judgments of segments with a column of people and one for each metric, read from files where they are files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
)
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.row_input import find_column
from rankscope.data.segment_scores import SegmentScores, attach_scores
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
    "load_human_judgments",
    "load_judgments_and_metrics",
    "names_of",
    "rankings_from_scores",
    "read_rankings",
    "read_segment_scores",
    "select_human_judgments",
    "select_language_pairs",
]


#: What the column of people is called where their scores become judgments.
GOLD = "human"


def rankings_from_scores(people: SegmentScores) -> Rankings:
    """Scores that people gave as judgments: one a segment, over the systems that have a score, in the column GOLD.

    Raises InputError where no segment has a score.

    >>> from rankscope.data.segment_scores import PairScores
    >>> people = SegmentScores("MQM", {"en-de": PairScores.of({"A": [-1, 0], "B": [-5, None]})}, score=True)
    >>> found = rankings_from_scores(people)
    >>> len(found), found.columns[GOLD].tolist()
    (2, [-1.0, -5.0, 0.0])
    """
    pairs, segments, lengths, systems, values = [], [], [], [], []
    codes: dict[str, int] = {}
    names: dict[str, int] = {}
    for place, scores in enumerate(people.pairs.values()):
        table = scores.values.T
        there = ~np.isnan(table)
        kept = there.any(axis=1)
        own = np.array([codes.setdefault(name, len(codes)) for name in scores.systems], np.int64)
        of = np.array([names.setdefault(name, len(names)) for name in scores.segments], np.int64)
        segments.append(of[kept])
        pairs.append(np.full(int(kept.sum()), place, np.int64))
        lengths.append(there[kept].sum(axis=1))
        systems.append(np.broadcast_to(own, table.shape)[there])
        values.append(table[there])
    if not sum(part.size for part in values):
        raise InputError(f"{people.metric} has no score of any segment, expected what people say of translations")
    pair = np.concatenate(pairs)
    return Rankings(
        pair=Labels(tuple(people.pairs), pair),
        segment=Labels(tuple(names), np.concatenate(segments)),
        judge=Labels(("",), np.zeros(pair.size, np.int64)),
        offsets=bounds(np.concatenate(lengths).astype(np.int64)),
        system=Labels(tuple(codes), np.concatenate(systems)),
        columns={GOLD: np.concatenate(values)},
        scores=frozenset([GOLD] if people.score else []),
        notes=people.notes,
    )


Judgments = Rankings | SegmentScores | PathLike
Scores = SegmentScores | PathLike | Sequence[SegmentScores | PathLike]


class JudgedMetrics(NamedTuple):
    """Judgments with a column of people and one for each metric."""

    rankings: Rankings
    gold: str
    metrics: tuple[str, ...]
    notes: tuple[str, ...]

    def by_pair(self) -> Iterable[tuple[str, Rankings]]:
        return self.rankings.by_pair()


def attach_metrics(
    judgments: Judgments, scores: Scores = (), *, gold: str | None = None, pairs: Sequence[str] | None
) -> JudgedMetrics:
    """Judgments and metrics in one. gold: the column of people; else "rank", "gold" or "human".

    Without scores every other column of the judgments is a metric. pairs: the language pairs wanted, in their order.
    People's rank -1 says that an item was not ranked: it has no value, and is counted in a note.
    Raises InputError where there is no metric, no judgment, a rank below 0 otherwise, or a column of people without any
    value; ParameterError and UnknownName for what was asked for and is not there.
    """
    given = [scores] if isinstance(scores, (SegmentScores, str, PathLikeType)) else list(scores)
    metrics = load_segment_metrics(given)
    if isinstance(judgments, (str, PathLikeType)):
        judgments = read_judgments(judgments, gold=gold)
    if isinstance(judgments, SegmentScores):
        if gold not in (None, GOLD):
            raise ParameterError(f"gold is {gold!r}, and scores of people have no columns to choose from; leave it out")
        found = rankings_from_scores(judgments)
    elif isinstance(judgments, Rankings):
        found = judgments
    else:
        raise ParameterError(
            f"judgments are {type(judgments).__name__}, expected Rankings or SegmentScores (or a file that holds them)"
        )
    found, gold = select_human_judgments(found, gold, pairs)
    own = [] if metrics else [name for name in found.columns if name != gold]
    for one in metrics:
        before = set(found.columns)
        found = attach_scores(found, one)
        own += [name for name in found.columns if name not in before]
    if not own:
        raise InputError("there is no metric beside what people say; give scores, or judgments with another column")
    return JudgedMetrics(found, gold, tuple(own), found.notes)


def load_segment_metrics(
    given: Sequence[object], *, lower: Sequence[str] = (), test_set: str | None = None
) -> list[SegmentScores]:
    """One entry a metric; files are read. lower: the metrics in which lower is better, beside those that say so.

    Raises ParameterError for what is neither, UnknownName for a metric in `lower` that is not there.
    """
    found: list[SegmentScores] = []
    for one in given:
        if isinstance(one, (str, PathLikeType)):
            found += read_scores(one, test_set=test_set)
        elif isinstance(one, SegmentScores):
            found.append(one)
        else:
            raise ParameterError(f"scores hold {type(one).__name__}, expected SegmentScores, or files that hold them")
    found = merge_segment_scores(found)
    unknown = set(lower) - {one.metric for one in found}
    if unknown:
        raise UnknownName("metric", min(unknown), [one.metric for one in found])
    return [replace(one, score=False) if one.metric in lower else one for one in found]


def select_human_judgments(
    rankings: Rankings, gold: str | None, pairs: Sequence[str] | None, *, alone: bool = False
) -> tuple[Rankings, str]:
    """The judgments of the pairs asked for, with NaN for what people did not rank; and the column of people.

    alone: a column that stands alone is that of people, whatever it is called. Raises as `attach_metrics`.
    """
    gold = human_column(rankings, gold, alone=alone)
    found = ranked_only(select_language_pairs(rankings, pairs), gold)
    if np.isnan(found.column(gold)).all():
        raise InputError(f"{gold}, the column of people, has no value; expected what they say of at least one item")
    return found, gold


def human_column(rankings: Rankings, gold: str | None, *, alone: bool = False) -> str:
    """The column of people. alone: the only one is, too. Raises UnknownName, ParameterError where it must be named."""
    if gold is not None:
        if gold not in rankings.columns:
            raise UnknownName("column of the judgments", gold, rankings.columns)
        return gold
    found = find_column(list(rankings.columns), GOLD_COLUMNS)
    if found is not None:
        return found
    if alone and len(rankings.columns) == 1:
        return next(iter(rankings.columns))
    raise ParameterError(f"which column is that of people? Name one as gold (--gold): {join_names(rankings.columns)}")


def select_language_pairs(rankings: Rankings, pairs: Sequence[str] | None) -> Rankings:
    """The judgments of some language pairs, in the order in which they are named. Raises UnknownName, InputError."""
    if not len(rankings):
        raise InputError("there is no judgment, expected at least one")
    if pairs is None:
        return rankings
    names = [pairs] if isinstance(pairs, str) else list(pairs)
    if not names:
        raise ParameterError("no language pair is asked for; name some, or leave pairs out for all")
    codes = {name: code for code, name in enumerate(rankings.pair.names)}
    wanted = []
    for name in dict.fromkeys(names):
        if name not in codes:
            raise UnknownName("language pair", name, [*rankings.pair.names])
        wanted.append(codes[name])
    found = rankings.select(np.isin(rankings.pair.codes, wanted))
    if not len(found):
        raise InputError(f"there is no judgment of {join_names(names)}, of {pluralise(len(rankings), 'judgment')}")
    # The codes in the order asked for, so that by_pair keeps it.
    place = {code: i for i, code in enumerate(wanted)}
    new = np.array([place[code] for code in found.pair.codes.tolist()], np.int64)
    return replace(found, pair=Labels(tuple(dict.fromkeys(names)), new))


#: One name, or several.
Names = str | Iterable[str]


def names_of(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(dict.fromkeys(names))


def read_rankings(
    path: PathLike,
    *,
    higher: Names = (),
    lower: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
) -> Rankings:
    r"""Read what people said of translations (or answers), from a file of any format, told by what it holds.

    Formats: ranking CSVs of WMT10 to 16; tables (CSV, TSV, JSON lines, Parquet) with the columns segment and system;
    JCML; Appraise's XML; better/worse pairs; scores that people gave (.seg.score, seg.scr), which become one judgment a
    segment. higher: the columns in which higher is better; in all others lower is, as of ranks. lower: scores in which
    lower is better (HTER). duplicates: judgments that stand twice are kept ("keep", the default), dropped ("drop") or
    refused ("refuse"). reference ("keep", "drop") and lines (of WMT11) say how a ranking CSV is read, see
    `rankscope.agreement.read_wmt_rankings`. "-" is standard input.

    Raises InputError for what cannot be read, with file and line; UnknownName for a column that is not there;
    ParameterError for an option that is for another kind of file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("segment,system,rank,llm\n1,A,1,9\n1,B,2,7\n")
    >>> found = read_rankings(path, higher="llm")
    >>> found.table("rank").tolist(), found.table("llm").tolist()  # lower is better
    ([[1.0, 2.0]], [[-9.0, -7.0]])
    """
    found, rest = load_human_judgments(
        path, higher=higher, lower=lower, duplicates=duplicates, reference=reference, lines=lines
    )
    if rest:
        known = list(found.columns) if isinstance(found, Rankings) else [found.metric]
        raise UnknownName("column of the judgments", rest[0], known)
    return found if isinstance(found, Rankings) else rankings_from_scores(found)


def read_segment_scores(path: PathLike, *, lower: Names = (), test_set: str | None = None) -> list[SegmentScores]:
    r"""Read what metrics say of each translation, one entry a metric, told by what the file holds.

    Formats: seg.scr of WMT's metrics tasks, .seg.score, or a folder of mt-metrics-eval with all of its metric-scores.
    lower: the metrics in which lower is better, as TER. test_set: which is wanted of a seg.scr with several.

    Raises InputError for what cannot be read, with file and line; UnknownName for a metric in `lower` that is not
    there.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ter.seg.scr")
    >>> _ = path.write_text("TER\tde-en\tnewstest2012\tA\t1\t0.5\nTER\tde-en\tnewstest2012\tA\t2\t0.25\n")
    >>> [found] = read_segment_scores(path, lower="TER")
    >>> found.pairs["de-en"].values.tolist(), found.score
    ([[0.5, 0.25]], False)
    """
    return with_direction(read_scores(path, test_set=test_set), names_of(lower), (), ())


def load_human_judgments(
    judgments: Judgments,
    *,
    gold: str | None = None,
    needed: Sequence[str] = (),
    higher: Names = (),
    lower: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
) -> tuple[Rankings | SegmentScores, list[str]]:
    """Judgments, read where they are a file, in the directions asked for; and the names in `lower` of nothing there.

    gold, needed: columns of a table that must hold numbers.
    """
    up, down = names_of(higher), names_of(lower)
    for name in up:
        if name in down:
            raise ParameterError(f"{name} is named as higher and as lower, expected one of the two")
    asked = {name: value for name, value in {"reference": reference, "lines": lines}.items() if value is not None}
    if isinstance(judgments, (str, PathLikeType)):
        found = read_judgments(judgments, higher=up, gold=gold, needed=needed, duplicates=duplicates, **asked)
    else:
        found = judgments
        if asked:
            raise ParameterError(f"judgments are no file, and {next(iter(asked))} says how one is read; leave it out")
        if duplicates is not None:
            if not isinstance(found, Rankings):
                raise ParameterError("duplicates are for judgments, and these are scores; leave it out")
            found = handle_duplicates(found, duplicates, "judgments")
    if isinstance(found, Rankings):
        for name in (*up, *down):
            if name in found.columns:
                found = found.with_column(name, found.column(name), score=name in up)
            elif name in up:
                raise UnknownName("column of the judgments", name, found.columns)
        return found, [name for name in down if name not in found.columns]
    if isinstance(found, SegmentScores):
        known = (found.metric, GOLD)
        if unknown := [name for name in up if name not in known]:
            raise UnknownName("column of the judgments", unknown[0], known)
        if {*known} & {*up, *down}:
            found = replace(found, score=bool({*known} & {*up}))
        return found, [name for name in down if name not in known]
    return found, down


def with_direction(
    scores: list[SegmentScores], lower: Sequence[str], known: Sequence[str], columns: Sequence[str]
) -> list[SegmentScores]:
    """The metrics, in those named lower is better. Raises UnknownName for a name of none and not among `known`.

    columns: those of the judgments, which the error names.
    """
    there = {one.metric for one in scores}
    unknown = [name for name in lower if name not in there and name not in known]
    if unknown:
        raise UnknownName("metric", unknown[0], {*there, *columns})
    return [replace(one, score=False) if one.metric in lower else one for one in scores]


def load_judgments_and_metrics(
    judgments: Judgments,
    scores: Scores = (),
    *,
    gold: str | None = None,
    pairs: Sequence[str] | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    test_set: str | None = None,
) -> JudgedMetrics:
    """Judgments and metrics in one, read where they are files, in the directions asked for.

    metrics: those wanted, in this order; all by default. See `read_rankings` and `read_segment_scores` for the rest. A
    note names the columns that are read as ranks and do not look like them. Raises as those and
    `inputs.attach_metrics`.
    """
    down = names_of(lower)
    wanted = None if metrics is None else names_of(metrics)
    given = [scores] if isinstance(scores, (SegmentScores, str, PathLikeType)) else list(scores)
    if test_set is not None and not any(isinstance(one, (str, PathLikeType)) for one in given):
        raise ParameterError("test_set says which scores of a seg.scr are wanted, and there is none; leave it out")
    people, rest = load_human_judgments(
        judgments,
        gold=gold,
        needed=() if given else wanted or (),
        higher=higher,
        lower=down,
        duplicates=duplicates,
        reference=reference,
        lines=lines,
    )
    own = list(people.columns) if isinstance(people, Rankings) else []
    made = with_direction(
        load_segment_metrics(given, test_set=test_set), down, [name for name in down if name not in rest], own
    )
    if wanted is not None and {*wanted} <= {one.metric for one in made}:
        made = [one for one in made if not wanted or one.metric in wanted]
    found = attach_metrics(people, made, gold=gold, pairs=pairs)
    if wanted is not None:
        if not wanted:
            raise ParameterError("no metric is asked for; name some, or leave metrics out for all")
        if unknown := [name for name in wanted if name not in found.metrics]:
            raise UnknownName("metric", unknown[0], found.metrics)
        found = found._replace(metrics=tuple(wanted))
    return found._replace(notes=(*found.notes, *ranks_note(found, [name for name in own if name not in down])))


def ranks_note(found: JudgedMetrics, columns: Sequence[str]) -> list[str]:
    """Which of these columns are read as ranks though they are not called so: scores would be upside down."""
    names = [
        name
        for name in (found.gold, *found.metrics)
        if name in columns
        and name not in found.rankings.scores
        and "rank" not in name.casefold()
        and not is_preference_column(found.rankings, name)
    ]
    if not names:
        return []
    verb = "is" if len(names) == 1 else "are"
    return [
        f"{join_names(names)} {verb} read as ranks, of which lower is better; where higher is better, say so: "
        f"--higher {','.join(names)} (in Python higher={names!r}); --lower (lower=) does without this note"
    ]


def is_preference_column(rankings: Rankings, name: str) -> bool:
    """Whether a column says which of two is better, as tables of preferences do: ranks, whatever it is called."""
    values = rankings.column(name)
    return bool((np.diff(rankings.offsets) == 2).all() and np.isin(values[~np.isnan(values)], (1, 2)).all())


def directions(gold: str, metrics: Sequence[str], higher: Sequence[str]) -> list[str]:
    """Parts of a signature: in which columns higher is better, and in which lower is."""
    lower = [name for name in (gold, *metrics) if name not in higher]
    return [f"{word}:{','.join(names)}" for word, names in (("higher", higher), ("lower", lower)) if names]
