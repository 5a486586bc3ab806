"""Protocols: which judgments are for training and which for testing, and judgments as lists."""

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
    """Some judgments of a language pair of a campaign.

    Attributes
    ----------
    campaign, pair
        Campaign and language pair.
    judgments
        Their indices; None: all.
    """

    campaign: str
    pair: str
    judgments: Ints | None = None


def lists_of_judgments(
    selections: Sequence[PairJudgments],
    judged_pairs: Mapping[tuple[str, str], JudgedPair],
    tables: Mapping[tuple[str, str], Reals],
    names: Sequence[str],
) -> Features:
    """One list per judgment, of the ranked translations; judgments of fewer than two are skipped.

    Parameters
    ----------
    selections
        The judgments to use.
    judged_pairs
        Judgments by campaign and language pair.
    tables
        Features by campaign and language pair, (systems, lines, features).
    names
        Names of the features.

    Returns
    -------
    Features
        A grade is the highest rank in all of these judgments less the rank, so 0 is worst; tied translations share a
        grade. A list is named after its segment, followed by # and the number of the judgment.

    Raises
    ------
    InputError
        No judgment is left.
    """
    values, ranks, sizes, list_names = [], [], [], []
    for selection in selections:
        judged_pair = judged_pairs[selection.campaign, selection.pair]
        rankings = judged_pair.rankings
        table = tables[selection.campaign, selection.pair]
        judgment_index = np.arange(len(rankings)) if selection.judgments is None else selection.judgments
        item_ranks = rankings.column(RANK)
        n_ranked = np.bincount(rankings.judgment[~np.isnan(item_ranks)], minlength=len(rankings))
        judgment_index = judgment_index[n_ranked[judgment_index] > 1]
        is_selected = np.zeros(len(rankings), np.bool_)
        is_selected[judgment_index] = True
        items = np.flatnonzero(is_selected[rankings.judgment] & ~np.isnan(item_ranks))
        values.append(table[judged_pair.system_index[items], judged_pair.line_index[rankings.judgment[items]]])
        ranks.append(item_ranks[items])
        judgment_index = np.flatnonzero(is_selected)
        sizes.append(n_ranked[judgment_index])
        list_names += [
            f"{judged_pair.name}:{line + 1}#{judgment + 1}"
            for judgment, line in zip(judgment_index, judged_pair.line_index[judgment_index], strict=True)
        ]
    lengths = np.concatenate(sizes).astype(np.int64)
    if not lengths.size:
        pair_names = ", ".join(f"{selection.campaign} {selection.pair}" for selection in selections)
        raise InputError(f"{pair_names}: no judgment with two ranks, expected some to learn from")
    all_ranks = np.concatenate(ranks)
    return Features(
        values=np.concatenate(values),
        relevance=np.rint(all_ranks.max() - all_ranks).astype(np.int64),
        offsets=bounds(lengths),
        query_ids=tuple(list_names),
        names=tuple(names),
        name="judgments",
    )


Judged = Mapping[tuple[str, str], JudgedPair]
#: Folds of the segments of a language pair.
FOLDS = 5


class ProtocolFold(NamedTuple):
    """A test set and its training set.

    Attributes
    ----------
    pair
        Language pair of WMT12.
    lines
        Lines that a model scores; None: all.
    train
        Judgments that it is trained on.
    """

    pair: str
    lines: Ints | None
    train: tuple[PairJudgments, ...]


class Protocol(NamedTuple):
    """Which data are for training and testing.

    Attributes
    ----------
    campaigns
        Campaigns to read.
    depends_on_seed
        Whether folds depend on the seed.
    description
        What is trained on what, in words.
    """

    campaigns: tuple[str, ...]
    depends_on_seed: bool
    description: str


PROTOCOLS = {
    "wmt11": Protocol(
        ("wmt11", TESTED),
        False,
        "trained on WMT11 (the same language pair; where there is none, all of the same direction), tested on WMT12",
    ),
    "wmt11-all": Protocol(("wmt11", TESTED), False, "trained on all language pairs of WMT11 at once, tested on WMT12"),
    "cv": Protocol((TESTED,), True, f"{FOLDS}-fold cross-validation by segment within each language pair of WMT12"),
    "leave-pair-out": Protocol(
        (TESTED,), False, "trained on all other language pairs of WMT12, which translate the same segments"
    ),
    "wmt13": Protocol(("wmt13", TESTED), False, "trained on WMT13 French-English, tested on WMT12 into English"),
}


def folds_of(protocol: str, judged_pairs: Judged, pairs: Sequence[str], seed: int) -> Iterator[ProtocolFold]:
    """The folds of these language pairs.

    Parameters
    ----------
    protocol
        Name of the protocol.
    judged_pairs
        Judgments by campaign and language pair.
    pairs
        Language pairs to test.
    seed
        Random seed of the folds.

    Raises
    ------
    InputError
        There is nothing to train on.

    Notes
    -----
    "cv": the lines of each pair are split at random into five folds, and a model trained on the judgments of the other
    folds scores each. The other protocols score all lines of a pair with one model.
    """
    if protocol == "cv":
        for pair in pairs:
            yield from cut_folds(judged_pairs[TESTED, pair], seed)
        return
    training_choices = {
        "wmt11": matching_pairs_of_wmt11,
        "wmt11-all": all_of_wmt11,
        "leave-pair-out": other_pairs_of_wmt12,
        "wmt13": all_of_wmt13,
    }
    for pair in pairs:
        train = tuple(PairJudgments(*key) for key in training_choices[protocol](judged_pairs, pair))
        if not train:
            raise InputError(f"there are no judgments to train {pair} on ({PROTOCOLS[protocol].description})")
        yield ProtocolFold(pair, None, train)


def cut_folds(judged_pair: JudgedPair, seed: int) -> Iterator[ProtocolFold]:
    """The folds of one pair; they do not depend on the other pairs."""
    rng = np.random.default_rng([seed, PAIRS.index(judged_pair.pair)])
    fold_of_line = rng.permutation(len(judged_pair.texts)) % FOLDS
    for k in range(FOLDS):
        training_judgments = np.flatnonzero(fold_of_line[judged_pair.line_index] != k)
        yield ProtocolFold(
            judged_pair.pair,
            np.flatnonzero(fold_of_line == k),
            (PairJudgments(judged_pair.campaign, judged_pair.pair, training_judgments),),
        )


def into_english(pair: str) -> bool:
    return pair.endswith("-en")


def keys_of_campaign(judged_pairs: Judged, campaign: str, includes: Callable[[str], bool]) -> list[tuple[str, str]]:
    return [key for key in judged_pairs if key[0] == campaign and includes(key[1])]


def matching_pairs_of_wmt11(judged_pairs: Judged, pair: str) -> list[tuple[str, str]]:
    same_pair = keys_of_campaign(judged_pairs, "wmt11", lambda training_pair: training_pair == pair)
    return same_pair or keys_of_campaign(
        judged_pairs, "wmt11", lambda training_pair: into_english(training_pair) == into_english(pair)
    )


def all_of_wmt11(judged_pairs: Judged, pair: str) -> list[tuple[str, str]]:
    return keys_of_campaign(judged_pairs, "wmt11", lambda training_pair: True)


def other_pairs_of_wmt12(judged_pairs: Judged, pair: str) -> list[tuple[str, str]]:
    return keys_of_campaign(judged_pairs, TESTED, lambda training_pair: training_pair != pair)


def all_of_wmt13(judged_pairs: Judged, pair: str) -> list[tuple[str, str]]:
    return keys_of_campaign(judged_pairs, "wmt13", lambda training_pair: True)
