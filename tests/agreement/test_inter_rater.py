"""Agreement of raters: kappa by hand and against loops, alpha against the package krippendorff, chance rules."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Rankings
from rankscope.agreement import raters
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.stats.inputs import as_generator


def judged(lists):
    """Lists of (segment, judge, ranks by system)."""
    found = Rankings.of([ranks for *_, ranks in lists])
    segment, judge = (Labels.of([one[i] for one in lists]) for i in (0, 1))
    return replace(found, segment=segment, judge=judge)


def random_lists(seed=1, judgments=60, segments=8):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(judgments):
        systems = rng.permutation(list("ABCDE"))[:4]
        ranks = {str(s): int(rng.integers(1, 4)) + (s == "A") for s in systems}
        found.append((str(rng.integers(segments)), str(rng.integers(4)), ranks))
    return found


def decisions_of(lists):
    """By unit (segment and two systems): the judge and decision of each."""
    found = defaultdict(list)
    for segment, judge, ranks in lists:
        for a, b in combinations(sorted(ranks), 2):
            found[segment, a, b].append((judge, int(np.sign(ranks[a] - ranks[b]))))
    return found


def naive(lists, within, chance):
    units = decisions_of(lists)
    agree = n = 0
    for one in units.values():
        for (judge, x), (other, y) in combinations(one, 2):
            if (judge == other) == within:
                agree, n = agree + (x == y), n + 1
    signs = [x for one in units.values() for _, x in one]
    ties = signs.count(0) / len(signs)
    by_chance = ties**2 + 2 * ((1 - ties) / 2) ** 2 if chance == "pooled" else 1 / 3
    return agree / n, by_chance, (agree / n - by_chance) / (1 - by_chance), n


@pytest.mark.parametrize("chance", ["pooled", "third"])
def test_kappa_is_that_of_a_loop_over_pairs_of_judgments(chance):
    lists = random_lists()
    found = raters(judged(lists), chance=chance, rng=1)
    for row, within in zip(found.rows, (False, True), strict=True):
        expected = naive(lists, within, chance)
        assert (row.agreement, row.chance, row.kappa, row.n) == pytest.approx(expected)
        assert row.low < row.kappa < row.high
    assert found.judges == 4


def test_two_judges_by_hand():
    lists = [("1", "x", {"A": 1, "B": 2, "C": 2}), ("1", "y", {"A": 1, "B": 2, "C": 3})]
    found = raters(judged(lists), rng=1)
    between, within = found.rows
    # A B and A C alike, B C not; of six decisions one is a tie.
    by_chance = (1 / 6) ** 2 + 2 * (5 / 12) ** 2
    assert between.agreement == 2 / 3
    assert between.kappa == pytest.approx((2 / 3 - by_chance) / (1 - by_chance))
    assert within.n == 0
    assert np.isnan([within.kappa, within.low]).all()


def test_one_judge_twice_is_within_and_another_between():
    lists = [("1", "x", {"A": 1, "B": 2}), ("1", "x", {"A": 1, "B": 2}), ("1", "y", {"A": 2, "B": 1})]
    between, within = raters(judged(lists), rng=1).rows
    assert (between.n, between.agreement) == (2, 0)
    assert (within.n, within.agreement) == (1, 1)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_agrees_with_the_package_krippendorff(level):
    lists = random_lists(seed=3)
    units = [[x for _, x in one] for one in decisions_of(lists).values()]
    table = np.full((max(map(len, units)), len(units)), np.nan)
    for i, one in enumerate(units):
        table[: len(one), i] = one
    # Which of the two comes first means nothing: each unit stands there from either side.
    expected = krippendorff.alpha(np.concatenate((table, -table), axis=1), level_of_measurement=level)
    found = raters(judged(lists), level=level, rng=1)
    assert found.alphas[0].value == pytest.approx(expected)
    assert found.alphas[0].n == sum(len(one) for one in units if len(one) > 1)


def test_the_interval_is_that_of_segments_drawn_in_a_loop():
    lists = random_lists(seed=5)
    found = raters(judged(lists), n_resamples=50, rng=2).rows[0]
    by_segment = defaultdict(list)
    for one in lists:
        by_segment[one[0]].append(one)
    names = sorted(by_segment, key=list(dict.fromkeys(one[0] for one in lists)).index)
    kappas = []
    for drawn in np.concatenate(list(bootstrap_indices(draw(as_generator([2, 0]), 50), len(names)))):
        sample = [(f"{i}", judge, ranks) for i, at in enumerate(drawn) for _, judge, ranks in by_segment[names[at]]]
        kappas.append(naive(sample, False, "pooled")[2])
    assert [found.low, found.high] == pytest.approx(list(np.quantile(kappas, [0.025, 0.975])))


def test_ties_only_have_no_kappa_with_pooled_margins():
    lists = [("1", "x", {"A": 1, "B": 1}), ("1", "y", {"A": 1, "B": 1})]
    row = raters(judged(lists), rng=1).rows[0]
    assert (row.agreement, row.chance) == (1, 1)
    assert np.isnan(row.kappa)
    assert raters(judged(lists), chance="third", rng=1).rows[0].kappa == 1


def test_judgments_that_name_no_judge_say_that_there_is_nothing_between():
    found = raters(judged([("1", "", {"A": 1, "B": 2}), ("1", "", {"A": 1, "B": 2})]), rng=1)
    assert mentions(found.notes, "one judge")


def test_judgments_that_stand_twice_are_counted_in_a_note():
    one, other = ("1", "x", {"A": 1, "B": 2}), ("1", "x", {"A": 2, "B": 1})
    said = [note for note in raters(judged([one, other, one, one]), rng=1).notes if "repeat" in note]
    assert len(said) == 1
    assert mentions(said, 2, "the same judge")
    others = [other, ("2", *one[1:]), ("1", "y", one[2]), ("1", "x", {"A": 1, "C": 2})]
    assert not [note for note in raters(judged([one, *others]), rng=1).notes if "repeat" in note]


def test_a_file_is_read_as_asked_and_unnamed_pairs_are_called_alike(tmp_path):
    path = tmp_path / "wmt.csv"
    names = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank"
    row = "French,English,1,ann,A,B,1,2\n"
    path.write_text(f"{names}\n{row}{row}French,English,1,bob,A,B,1,2\n")
    assert [part.n for part in raters(path, rng=1).rows] == [2, 1]
    assert [part.n for part in raters(path, duplicates="drop", rng=1).rows] == [1, 0]
    found = raters(judged(random_lists()), higher=["rank"], rng=1)
    assert {record[0] for record in found.records()} == {"all"}
    assert {row[0] for row in found.sections()[0].table.rows} == {"all"}
    twice = judged([("1", "x", {"A": 1, "B": 2})] * 2)
    assert raters(twice, rng=1).rows[1].n == 1
    with pytest.raises(InputError, match="nothing to compare"):
        raters(twice, duplicates="drop")
    with pytest.raises(ParameterError, match=r"not a file, .*reference"):
        raters(judged(random_lists()), reference="drop")


def test_pairs_are_apart_and_in_the_order_asked_for():
    lists = random_lists()
    both = replace(judged(lists), pair=Labels.of(["a-b", "c-d"] * 30))
    found = raters(both, pairs=["c-d", "a-b"], rng=1)
    assert [row.pair for row in found.rows] == ["c-d", "c-d", "a-b", "a-b"]
    assert found.rows[2].kappa == pytest.approx(naive(lists[::2], False, "pooled")[2])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"chance": "half"}, ParameterError, "chance is 'half'"),
        ({"level": "ratio"}, ParameterError, "level is 'ratio'"),
        ({"pairs": ["x"]}, UnknownName, "language pair 'x'"),
        ({"n_resamples": 0}, ParameterError, "n_resamples is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        raters(judged(random_lists()), **options)


def test_judgments_that_share_nothing_are_refused():
    with pytest.raises(InputError, match="no two judgments"):
        raters(judged([("1", "x", {"A": 1, "B": 2}), ("2", "y", {"A": 1, "B": 2})]))


def test_scores_have_no_judges(tmp_path):
    path = tmp_path / "de-en.human.seg.score"
    path.write_text("A\t1\nB\t2\n")
    with pytest.raises(ParameterError, match="name no judges"):
        raters(path)
