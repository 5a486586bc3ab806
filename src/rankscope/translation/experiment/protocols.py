"""Protocols: judgments as lists, which of them are trained on and which are tested on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.kernels.segments import bounds
from rankscope.translation.experiment.wmt_campaigns import PAIRS, RANK, TESTED, JudgedPair
from rankscope.typing import Ints, Reals

__all__ = [
    "FOLDS",
    "PROTOCOLS",
    "PairJudgments",
    "ProtocolFold",
    "folds_of",
    "lists_of_judgments",
]


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


Judged = Mapping[tuple[str, str], JudgedPair]
#: Parts that the segments of a language pair are cut into.
FOLDS = 5


class ProtocolFold(NamedTuple):
    """pair: of WMT12, whose `lines` (None: all) are scored by what is learned from `train`."""

    pair: str
    lines: Ints | None
    train: tuple[PairJudgments, ...]


class Protocol(NamedTuple):
    """campaigns: which are read. moves: whether seeds cut the segments anew. said: in words."""

    campaigns: tuple[str, ...]
    moves: bool
    said: str


PROTOCOLS = {
    "wmt11": Protocol(
        ("wmt11", TESTED),
        False,
        "trained on WMT11 (the same language pair; where there is none, all of the same direction), tested on WMT12",
    ),
    "wmt11-all": Protocol(("wmt11", TESTED), False, "trained on all language pairs of WMT11 at once, tested on WMT12"),
    "cv": Protocol((TESTED,), True, f"{FOLDS}-fold cross-validation by segment within each language pair of WMT12"),
    "leave-pair-out": Protocol((TESTED,), False, "trained on all other language pairs of WMT12"),
    "wmt13": Protocol(("wmt13", TESTED), False, "trained on WMT13 French-English, tested on WMT12 into English"),
}


def folds_of(protocol: str, judged: Judged, pairs: Sequence[str], seed: int) -> Iterator[ProtocolFold]:
    """What is to be trained and tested, for these language pairs. Raises InputError where there is nothing to train on.

    "cv": the lines of each pair are cut at random into five parts, and each is scored by what is learned from the
    judgments of the others. The others score all lines of a pair with one model.
    """
    if protocol == "cv":
        for pair in pairs:
            yield from cut_folds(judged[TESTED, pair], seed)
        return
    trained = {"wmt11": from_wmt11, "wmt11-all": from_all, "leave-pair-out": from_remaining_pairs, "wmt13": from_wmt13}
    for pair in pairs:
        train = tuple(PairJudgments(*key) for key in trained[protocol](judged, pair))
        if not train:
            raise InputError(f"there are no judgments to learn {pair} from ({PROTOCOLS[protocol].said})")
        yield ProtocolFold(pair, None, train)


def cut_folds(one: JudgedPair, seed: int) -> Iterator[ProtocolFold]:
    """The folds of one pair; the same whatever other pairs there are."""
    rng = np.random.default_rng([seed, PAIRS.index(one.pair)])
    part = rng.permutation(len(one.texts)) % FOLDS
    for k in range(FOLDS):
        away = np.flatnonzero(part[one.line] != k)
        yield ProtocolFold(one.pair, np.flatnonzero(part == k), (PairJudgments(one.campaign, one.pair, away),))


def into_english(pair: str) -> bool:
    return pair.endswith("-en")


def of_campaign(judged: Judged, campaign: str, wanted: Callable[[str], bool]) -> list[tuple[str, str]]:
    return [key for key in judged if key[0] == campaign and wanted(key[1])]


def from_wmt11(judged: Judged, pair: str) -> list[tuple[str, str]]:
    same = of_campaign(judged, "wmt11", lambda other: other == pair)
    return same or of_campaign(judged, "wmt11", lambda other: into_english(other) == into_english(pair))


def from_all(judged: Judged, pair: str) -> list[tuple[str, str]]:
    return of_campaign(judged, "wmt11", lambda other: True)


def from_remaining_pairs(judged: Judged, pair: str) -> list[tuple[str, str]]:
    return of_campaign(judged, TESTED, lambda other: other != pair)


def from_wmt13(judged: Judged, pair: str) -> list[tuple[str, str]]:
    return of_campaign(judged, "wmt13", lambda other: True)
