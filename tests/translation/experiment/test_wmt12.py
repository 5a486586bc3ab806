"""The experiment on the real WMT11 and WMT12, where they are: what is read, and that baselines are as published."""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs
from rankscope.translation.experiment import PAIRS
from rankscope.translation.experiment.wmt_campaigns import read_campaign
from rankscope.translation.wmt12 import PUBLISHED

pytestmark = pytest.mark.slow


def pairs_ordered(one):
    """Pairs of translations of a judgment with different ranks."""
    ranks = one.rankings.table("rank")
    first, second = np.triu_indices(ranks.shape[1], 1)
    apart = ranks[:, first] - ranks[:, second]
    return int((~np.isnan(apart) & (apart != 0)).sum())


def test_judgments_and_texts_of_wmt11_and_wmt12_are_read_whole(data):
    eleven = read_campaign(data, "wmt11")
    assert list(eleven) == ["de-en", "en-fr", "en-es"]
    assert sum(map(pairs_ordered, eleven.values())) == 20_542  # without those of references
    assert {pair: len(one.systems) for pair, one in eleven.items()} == {"de-en": 26, "en-fr": 22, "en-es": 23}
    twelve = read_campaign(data, "wmt12")
    assert list(twelve) == list(PAIRS)
    assert {pair: pairs_ordered(one) for pair, one in twelve.items()} == PUBLISHED
    assert sum(len(one.systems) for one in twelve.values()) == 103


def test_czech_to_english_by_cross_validation(data, tmp_path):
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'rankscope[mt]'")
    found = rs.translation.translation_experiment(
        data, "cv", pairs=["cs-en"], losses=["RankNet"], features=["nine", "extended"], seeds=1, cache=tmp_path
    )
    rows = {row.metric: row for row in found.table("2")}
    assert round(rows["sentBLEU"].found, 4) == 0.1678  # as `rankscope agree wmt12` has them
    assert round(rows["chrF"].found, 4) == 0.2373
    assert rows["RankNet"].published == 0.22
    assert rows["RankNet"].found == pytest.approx(0.21, abs=0.02)
    assert rows["RankNet extended"].found > rows["chrF"].found
    systems = {row.metric: row for row in found.table("4")}
    assert round(systems["BLEU"].found, 2) == systems["BLEU"].published == 0.89
