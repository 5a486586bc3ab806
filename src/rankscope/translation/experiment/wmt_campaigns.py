"""Judgments and texts of WMT11, WMT12 and WMT13."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rankscope.agreement.judgments import ranked_only
from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names
from rankscope.errors import InputError
from rankscope.io.translation import Texts, read_plain_texts, read_wmt_rankings
from rankscope.translation.sentence_scores import judged_lines
from rankscope.translation.wmt12 import JUDGMENTS as WMT12_JUDGMENTS
from rankscope.translation.wmt12 import TEXTS
from rankscope.typing import Ints, PathLike

__all__ = [
    "JUDGMENTS",
    "PAIRS",
    "TESTED",
    "JudgedPair",
    "languages",
    "read_campaign",
]


#: The file of judgments in the folder of each campaign; its texts are in plain/.
JUDGMENTS = {
    "wmt11": "wmt11-maneval-indivsystems.RNK_results.csv",
    "wmt12": WMT12_JUDGMENTS,
    "wmt13": "sample-fr-en-train.csv",
}
#: The file that gives the line of each segment number, where the two differ.
LINES = {"wmt11": "index-to-line.txt"}
RANK = "rank"
#: The campaign of the test set.
TESTED = "wmt12"
#: The language pairs, in the order of the published tables.
PAIRS = ("fr-en", "de-en", "es-en", "cs-en", "en-fr", "en-de", "en-es", "en-cs")


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedPair:
    """One language pair of a campaign: judgments and their texts.

    Attributes
    ----------
    campaign, pair
        Campaign and language pair.
    rankings
        Judgments of the language pair.
    all_rankings
        Judgments of all language pairs.
    texts
        The texts.
    """

    campaign: str
    pair: str
    rankings: Rankings
    all_rankings: Rankings
    texts: Texts

    @property
    def name(self) -> str:
        return f"{self.campaign} {self.pair}"

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.texts.systems)

    @cached_property
    def line_index(self) -> Ints:
        """(judgments) the line of the texts, from 0, of each."""
        lines = np.array([int(name) - 1 if name.isdecimal() else -1 for name in self.rankings.segment.names], np.int64)
        return np.asarray(lines[self.rankings.segment.codes])

    @cached_property
    def system_index(self) -> Ints:
        """(items) the index of each item's system in `systems`."""
        system_index = {name: i for i, name in enumerate(self.systems)}
        codes = np.array([system_index.get(name, -1) for name in self.rankings.systems], np.int64)
        return np.asarray(codes[self.rankings.system.codes])


def languages(pair: str) -> tuple[str, str]:
    """Source and target of a language pair."""
    source, _, target = pair.partition("-")
    return source, target


def read_campaign(folder: PathLike, campaign: str, pairs: Sequence[str] | None = None) -> dict[str, JudgedPair]:
    """Read the language pairs of a campaign that have both judgments and texts, in the order of `PAIRS`.

    Parameters
    ----------
    folder
        Folder with wmt11/, wmt12/ and wmt13/, each with its judgments and plain/, as for `read_plain_texts`.
    campaign
        The campaign.
    pairs
        Language pairs to read, each of which must exist. Default: all.

    Returns
    -------
    dict
        Language pair -> JudgedPair. Judgments of references are skipped; a rank of -1 is missing.

    Raises
    ------
    InputError
        Files are missing or do not belong together.
    """
    root = Path(folder) / campaign
    index_path = root / LINES[campaign] if campaign in LINES else None
    judgments = read_wmt_rankings(root / JUDGMENTS[campaign], reference="drop", lines=index_path)
    judged_pairs = {}
    all_rankings = ranked_only(judgments, RANK)
    for pair, pair_rankings in all_rankings.by_pair():
        if pair in PAIRS and (pairs is None or pair in pairs) and has_texts(root / TEXTS, pair):
            texts = read_plain_texts(root / TEXTS, pair)
            check_belongs(pair_rankings, texts, root)
            judged_pairs[pair] = JudgedPair(
                campaign=campaign, pair=pair, rankings=pair_rankings, all_rankings=all_rankings, texts=texts
            )
    missing = [pair for pair in pairs or () if pair not in judged_pairs]
    if missing or not judged_pairs:
        pairs_with_texts = [name for name in judgments.pair.names if has_texts(root / TEXTS, name)]
        raise InputError(
            f"{root}: no judgments with texts of {join_names(missing) or join_names(PAIRS)}, expected both; there are "
            f"those of {join_names(pairs_with_texts) or 'no language pair'}"
        )
    return {pair: judged_pairs[pair] for pair in PAIRS if pair in judged_pairs}


def has_texts(folder: Path, pair: str) -> bool:
    return any(path.is_dir() for path in folder.glob(f"system-outputs/*/{pair}"))


def check_belongs(rankings: Rankings, texts: Texts, root: Path) -> None:
    """Raise InputError for a judged system without outputs, and for a segment that is no line."""
    missing_systems = [name for name in dict.fromkeys(rankings.system) if name not in texts.systems]
    if missing_systems:
        raise InputError(
            f"{root / TEXTS}: no outputs of {join_names(missing_systems)} for {texts.pair}, which people judged; "
            f"there are {join_names(texts.systems)}"
        )
    judged_lines(rankings, texts)
