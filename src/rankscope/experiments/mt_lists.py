"""Judgments as lists to learn from: the features of up to five translations, the best rank the highest grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.experiments.mt_folder import RANK, JudgedPair
from rankscope.kernels.segments import bounds
from rankscope.typing import Ints, Reals

__all__ = ["PairJudgments", "lists_of_judgments"]


class PairJudgments(NamedTuple):
    """Some judgments of a language pair of a campaign. judgments: their places; None: all."""

    campaign: str
    pair: str
    judgments: Ints | None = None


def lists_of_judgments(
    parts: Sequence[PairJudgments],
    judged: Mapping[tuple[str, str], JudgedPair],
    tables: Mapping[tuple[str, str], Reals],
    names: Sequence[str],
) -> Features:
    """One list a judgment, of the translations that were ranked; a judgment of fewer than two has nothing to say.

    tables: by campaign and pair, (systems, lines, features). names: of the features. A grade is the highest rank in all
    of these judgments less the rank, so 0 is worst; tied translations share one. A list is named
    after its segment, with # and the place of the judgment behind.
    Raises InputError where no judgment is left.
    """
    values, ranks, sizes, names_of = [], [], [], []
    for part in parts:
        one = judged[part.campaign, part.pair]
        wanted = np.arange(len(one.rankings)) if part.judgments is None else part.judgments
        rank = one.rankings.column(RANK)
        many = np.bincount(one.rankings.judgment[~np.isnan(rank)], minlength=len(one.rankings))
        wanted = wanted[many[wanted] > 1]
        chosen = np.zeros(len(one.rankings), np.bool_)
        chosen[wanted] = True
        items = np.flatnonzero(chosen[one.rankings.judgment] & ~np.isnan(rank))
        of = one.rankings.judgment[items]
        values.append(tables[part.campaign, part.pair][one.place[items], one.line[of]])
        ranks.append(rank[items])
        wanted = np.flatnonzero(chosen)
        sizes.append(many[wanted])
        names_of += [f"{one.name}:{line + 1}#{place + 1}" for place, line in zip(wanted, one.line[wanted], strict=True)]
    lengths = np.concatenate(sizes).astype(np.int64)
    if not lengths.size:
        where = ", ".join(f"{part.campaign} {part.pair}" for part in parts)
        raise InputError(f"{where}: no judgment with two ranks, expected some to learn from")
    rank = np.concatenate(ranks)
    return Features(
        values=np.concatenate(values),
        relevance=np.rint(rank.max() - rank).astype(np.int64),
        offsets=bounds(lengths),
        query_ids=tuple(names_of),
        names=tuple(names),
        name="judgments",
    )
