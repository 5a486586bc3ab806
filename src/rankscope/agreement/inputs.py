"""What agreement with people is computed of: judgments, and beside them a column for each metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike as PathLikeType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.conventions import KendallConvention
from rankscope.agreement.judged_lists import GOLD, rankings_from_scores
from rankscope.agreement.sources import merge_segment_scores, read_judgments, read_scores
from rankscope.agreement.unranked import ranked_only
from rankscope.data.frames import find_column
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.segment_scores import SegmentScores, attach_scores
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.ranking_tables import GOLD_COLUMNS
from rankscope.typing import PathLike

__all__ = [
    "JudgedMetrics",
    "Judgments",
    "Scores",
    "select_language_pairs",
    "human_column",
    "attach_metrics",
    "select_human_judgments",
    "refuse_unordered",
]

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


def refuse_unordered(given: JudgedMetrics, convention: KendallConvention | None, grouping: str) -> None:
    """Raise InputError where people order nothing that the statistic could be of.

    convention: of pairs in one judgment, where ties that people gave may count; None for a correlation, which is within
    judgments only where these are grouped by segment.
    """
    values = given.rankings.column(given.gold)
    if convention is None and grouping != "segment":
        if np.nanmin(values) < np.nanmax(values):
            return
        raise InputError(f"{given.gold} is {np.nanmin(values):g} wherever it is; expected at least two values")
    table = given.rankings.table(given.gold)
    several = table[np.count_nonzero(~np.isnan(table), axis=1) > 1]
    ties = convention is not None and (convention.tied_human is not None or convention.tied_both is not None)
    if several.size and (ties or bool((np.nanmin(several, axis=1) < np.nanmax(several, axis=1)).any())):
        return
    raise InputError(
        f"in column {given.gold!r} no item is ranked above another of its list: all of a list are tied, or a list has "
        "one item; expected lists in which people prefer some items"
    )


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
