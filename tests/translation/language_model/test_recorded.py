"""What lmplz and query found, recorded: discounts, a model of order 3, scores of sentences under orders 2 to 4."""

import os
from pathlib import Path

import numpy as np
import pytest
from helpers.paths import ROOT

from rankscope.translation import load_language_model, train_language_model

SPEC = Path(os.environ.get("RANKSCOPE_SPEC") or ROOT.parent / "shared" / "spec") / "lm"
UNIGRAMS, BIGRAMS = (0.63913, 1.00665, 0.91911), (0.730994, 0.992897, 1.21793)
DISCOUNTS = {
    2: (UNIGRAMS, (0.705882, 1.11393, 1.20644)),
    3: (UNIGRAMS, BIGRAMS, (0.762207, 1.10669, 1.14781)),
    4: (UNIGRAMS, BIGRAMS, (0.790981, 1.03491, 1.34433), (0.801616, 1.05947, 1.2609)),
}

pytestmark = pytest.mark.skipif(
    not (SPEC / "corpus.txt").is_file(),
    reason="the recorded corpus does not ship; $RANKSCOPE_SPEC names the folder that has lm/",
)


def lines(name):
    return (SPEC / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("order", DISCOUNTS)
def test_discounts_and_scores_are_those_of_lmplz_and_query(order):
    model = train_language_model(SPEC / "corpus.txt", order=order)
    for found, recorded in zip(model.discounts, DISCOUNTS[order], strict=True):
        assert [f"{value:.6g}" for value in found] == [f"{value:.6g}" for value in recorded]
    head, *rows = (line.split("\t") for line in lines("test.scores.tsv"))
    recorded = np.array(rows, float)
    found = model.scores(lines("test.txt"))
    assert np.abs(found.log10 - recorded[:, head.index(f"log10_order{order}")]).max() < 1e-5
    assert found.unknown.tolist() == recorded[:, head.index("oov")].tolist()
    assert recorded[:, -1].sum() > 0


def test_the_model_of_order_3_is_that_of_lmplz():
    """Words are numbered otherwise, so that n-grams are compared by their words."""
    ours, theirs = train_language_model(SPEC / "corpus.txt", order=3), load_language_model(SPEC / "order3.arpa.gz")
    number = np.array([ours.numbers[word] for word in theirs.words])
    assert len(ours.words) == len(theirs.words) == 565
    rows = np.arange(0)
    for order, (one, other) in enumerate(zip(ours.levels, theirs.levels, strict=True), 1):
        if order == 1:
            rows = number
        else:
            context, word = np.divmod(other.keys, len(theirs.words))
            keys = rows[context] * len(ours.words) + number[word]
            rows = np.searchsorted(one.keys, keys)
            assert (one.keys[rows] == keys).all()
        assert one.keys.size == other.keys.size == (565, 2932, 6708)[order - 1]
        assert np.abs(one.log10[rows] - other.log10).max() < 1e-6
        assert np.abs(one.backoff[rows] - other.backoff).max() < 1e-6


def test_the_scores_of_the_model_that_lmplz_wrote_are_those_of_query():
    recorded = [float(line.split("\t")[1]) for line in lines("test.scores.tsv")[1:]]
    found = load_language_model(SPEC / "order3.arpa.gz").scores(lines("test.txt"))
    assert np.abs(found.log10 - recorded).max() < 1e-5
