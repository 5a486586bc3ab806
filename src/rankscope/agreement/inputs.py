"""What agreement with people is computed of: judgments, and beside them a column for each metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike as PathLikeType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.conventions import Convention
from rankscope.agreement.judged_lists import GOLD, rankings_of
from rankscope.agreement.sources import merged, read_judgments, read_scores
from rankscope.agreement.unranked import ranked_only
from rankscope.data.frames import one_of
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.segment_scores import SegmentScores, attach
from rankscope.data.wording import counted, listed
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.ranking_tables import PEOPLE
from rankscope.typing import PathLike

__all__ = ["Judged", "Judgments", "Scores", "chosen_pairs", "gold_of", "judged", "people_in", "refuse_unordered"]

Judgments = Rankings | SegmentScores | PathLike
Scores = SegmentScores | PathLike | Sequence[SegmentScores | PathLike]


class Judged(NamedTuple):
    """Judgments with a column of people and one for each metric."""

    rankings: Rankings
    gold: str
    metrics: tuple[str, ...]
    notes: tuple[str, ...]

    def by_pair(self) -> Iterable[tuple[str, Rankings]]:
        return self.rankings.by_pair()


def judged(
    judgments: Judgments, scores: Scores = (), *, gold: str | None = None, pairs: Sequence[str] | None
) -> Judged:
    """Judgments and metrics in one. gold: the column of people; else "rank", "gold" or "human".

    Without scores every other column of the judgments is a metric. pairs: the language pairs wanted, in their order.
    People's rank -1 says that an item was not ranked: it has no value, and is counted in a note.
    Raises InputError where there is no metric, no judgment, a rank below 0 otherwise, or a column of people without any
    value; ParameterError and UnknownName for what was asked for and is not there.
    """
    given = [scores] if isinstance(scores, (SegmentScores, str, PathLikeType)) else list(scores)
    metrics = all_scores(given)
    if isinstance(judgments, (str, PathLikeType)):
        judgments = read_judgments(judgments, gold=gold)
    if isinstance(judgments, SegmentScores):
        if gold not in (None, GOLD):
            raise ParameterError(f"gold is {gold!r}, and scores of people have no columns to choose from; leave it out")
        found = rankings_of(judgments)
    elif isinstance(judgments, Rankings):
        found = judgments
    else:
        raise ParameterError(
            f"judgments are {type(judgments).__name__}, expected Rankings or SegmentScores (or a file that holds them)"
        )
    found, gold = people_in(found, gold, pairs)
    own = [] if metrics else [name for name in found.columns if name != gold]
    for one in metrics:
        before = set(found.columns)
        found = attach(found, one)
        own += [name for name in found.columns if name not in before]
    if not own:
        raise InputError("there is no metric beside what people say; give scores, or judgments with another column")
    return Judged(found, gold, tuple(own), found.notes)


def all_scores(
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
    found = merged(found)
    unknown = set(lower) - {one.metric for one in found}
    if unknown:
        raise UnknownName("metric", min(unknown), [one.metric for one in found])
    return [replace(one, score=False) if one.metric in lower else one for one in found]


def people_in(
    rankings: Rankings, gold: str | None, pairs: Sequence[str] | None, *, alone: bool = False
) -> tuple[Rankings, str]:
    """The judgments of the pairs asked for, with NaN for what people did not rank; and the column of people.

    alone: a column that stands alone is that of people, whatever it is called. Raises as `judged`.
    """
    gold = gold_of(rankings, gold, alone=alone)
    found = ranked_only(chosen_pairs(rankings, pairs), gold)
    if np.isnan(found.column(gold)).all():
        raise InputError(f"{gold}, the column of people, has no value; expected what they say of at least one item")
    return found, gold


def gold_of(rankings: Rankings, gold: str | None, *, alone: bool = False) -> str:
    """The column of people. alone: the only one is, too. Raises UnknownName, ParameterError where it must be named."""
    if gold is not None:
        if gold not in rankings.columns:
            raise UnknownName("column of the judgments", gold, rankings.columns)
        return gold
    found = one_of(list(rankings.columns), PEOPLE)
    if found is not None:
        return found
    if alone and len(rankings.columns) == 1:
        return next(iter(rankings.columns))
    raise ParameterError(f"which column is that of people? Name one as gold (--gold): {listed(rankings.columns)}")


def refuse_unordered(given: Judged, convention: Convention | None, grouping: str) -> None:
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


def chosen_pairs(rankings: Rankings, pairs: Sequence[str] | None) -> Rankings:
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
        raise InputError(f"there is no judgment of {listed(names)}, of {counted(len(rankings), 'judgment')}")
    # The codes in the order asked for, so that by_pair keeps it.
    place = {code: i for i, code in enumerate(wanted)}
    new = np.array([place[code] for code in found.pair.codes.tolist()], np.int64)
    return replace(found, pair=Labels(tuple(dict.fromkeys(names)), new))
