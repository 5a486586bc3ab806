"""WMT12, the real judgments: pairs as published, agreement of judges, taus of sentence BLEU and chrF."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from rankscope import MetricScores, PairScores
from rankscope.agreement import raters, segments
from rankscope.io.translation import read_wmt_rankings
from rankscope.translation.wmt12 import JUDGMENTS, PUBLISHED, segment_level, system_level

#: Segment taus (wmt12) in the order of PUBLISHED, recorded from a prototype.
RECORDED = {
    "sentBLEU": (0.2042, 0.1849, 0.1911, 0.1678, 0.2008, 0.1233, 0.1952, 0.1083),
    "chrF": (0.250, 0.263, 0.240, 0.237, 0.2695, 0.2404, 0.2626, 0.2351),
}


@pytest.fixture(scope="module")
def path(data):
    found = data / "wmt12" / JUDGMENTS
    if not found.is_file():
        pytest.skip(f"no {found.name} in the folder wmt12 of the real data ({data.name})")
    return found


def test_as_many_pairs_count_as_were_published(path):
    judged = read_wmt_rankings(path)
    itself = judged.with_column("itself", judged.column("rank"), higher_is_better=False)
    found = segments(itself, pairs=list(PUBLISHED), rng=1)
    assert dict(zip(found.pairs, found.n[0].tolist(), strict=True)) == PUBLISHED
    assert (found.value == 1).all()
    assert found.n.sum() == 101_099


def test_judges_agree_as_recorded_by_either_chance_rule(path):
    kappas = {c: raters(path, chance=c, pairs=["cs-en"], n_resamples=10, rng=1).rows[0] for c in ("third", "pooled")}
    assert {chance: round(row.kappa, 3) for chance, row in kappas.items()} == {"third": 0.354, "pooled": 0.293}
    assert kappas["third"].n == 3195


@pytest.mark.slow
def test_sentence_bleu_and_chrf_have_the_recorded_taus(path):
    if importlib.util.find_spec("sacrebleu") is None:
        pytest.skip("sacrebleu is not installed: pip install 'rankscope[mt]'")
    result = segment_level(path.parent)
    assert result.pairs_found == PUBLISHED
    found = result.agreement
    assert found.metrics == tuple(RECORDED)
    for name, taus in zip(found.metrics, found.value, strict=True):
        assert taus == pytest.approx(RECORDED[name], abs=0.0005 + 1e-9), name
    assert found.lost.sum() == 0


@pytest.mark.slow
def test_scores_of_all_of_wmt12_are_joined_with_all_of_its_judgments(path, tmp_path):
    rng = np.random.default_rng(1)
    judged = read_wmt_rankings(path)
    pairs = {}
    for pair, part in judged.by_pair():
        systems = [part.systems[code] for code in np.unique(part.system.codes).tolist()]
        pairs[pair] = PairScores.of({system: rng.random(3003).tolist() for system in systems})
    scores = tmp_path / "m.seg.scr"
    with scores.open("w") as stream:
        for pair, one in MetricScores("m", pairs).pairs.items():
            for system, values in zip(one.systems, one.values.tolist(), strict=True):
                stream.writelines(f"m\t{pair}\tnewstest2012\t{system}\t{i}\t{x:.6f}\n" for i, x in enumerate(values, 1))
    found = segments(path, scores, rng=1)
    assert found.n.sum() == 101_099


@pytest.mark.slow
def test_the_spearman_correlation_of_bleu_on_systems_is_as_published(path):
    """Li, Jiang and Wang (2013), tables 4 and 5: BLEU as sacrebleu has it, human scores by wins / (wins + losses)."""
    if importlib.util.find_spec("sacrebleu") is None:
        pytest.skip("sacrebleu is not installed: pip install 'rankscope[mt]'")
    found = system_level(path.parent, n_resamples=10)
    wins, other = (found.agreement[rule] for rule in ("wins", "better_or_equal"))
    values = dict(zip(wins.pairs, wins.value[0].tolist(), strict=True))
    into = {"cs-en": 0.89, "de-en": 0.67, "es-en": 0.87, "fr-en": 0.81}
    assert {pair: round(values[pair], 2) for pair in into} == into
    for pair, published in {"en-cs": 0.80, "en-de": 0.22, "en-es": 0.40, "en-fr": 0.71}.items():
        assert values[pair] == pytest.approx(published, abs=0.02), pair
    equal = dict(zip(other.pairs, other.value[0].tolist(), strict=True))
    assert [round(equal[pair], 2) for pair in ("cs-en", "de-en")] == [0.94, 0.70]
    assert found.agreement["wins"].average[0] == pytest.approx(0.675, abs=0.005)
