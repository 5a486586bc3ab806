"""Each defect of Dunaiski's tool: reproduced, or mended; c1 to c13 are the points of its list."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.dunaiski_tables import QUICK, REFERENCE, SIGNS, blocks, marks, quick, rates, small, table
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs
from rankscope.compat.dunaiski import FUNCTIONS, dunaiski_table, name_measures
from rankscope.kernels.resample import count_draws
from rankscope.stability.dunaiski import dunaiski_levels


@pytest.mark.parametrize("swap", [False, True])
def test_c1_matrices_go_by_est_diff_or_with_w_by_swap_diff_min(
    cli: Callable[..., Any], tables: Path, swap: bool
) -> None:
    """Mended: the tool has the two exchanged. c2, reproduced: what is compared is the value of all entities."""
    done = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "--sigs", ".05", *(["-w"] if swap else []))
    study = quick(small(), swap=swap, iterations=4, n_resamples=50)
    outcome = study.outcomes[0]
    seen = set()
    for m, (name, measure, sign, _) in enumerate(name_measures()[:7]):
        needed = float((outcome.swap_diff[0, 0] if swap else outcome.est_diff)[m, 0])
        values = [sign * float(measure(small().hits(system))[0]) for system in small().systems]
        expected = [
            ["--" if i == j else "***" if 0 < needed < a - b else " " for j, b in enumerate(values)]
            for i, a in enumerate(values)
        ]
        assert marks(done.out, name) == expected, name
        seen |= {mark for row in expected for mark in row}
    assert seen == {"--", "***", " "}


def test_c3_significance_alone_is_the_significance_of_all(cli: Callable[..., Any], tables: Path) -> None:
    """Mended: the tool prints blank matrices."""
    done = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "-p", "sign")
    assert "***" in [mark for row in marks(done.out, "AP") for mark in row]


def test_c4_matrices_of_measures_with_a_cutoff_are_filled(cli: Callable[..., Any], tables: Path) -> None:
    """Mended. Reproduced: they are those of the first value of each range, here whatever that is."""
    call = ("dunaiski", "-f", "small_4x60.txt", "-i", 5, "-b", 100, "-s", 1, "-n", 90000, "-p", "sign")
    first = cli(*call, "--splits", 5).out
    assert any("*" in mark for row in marks(first, "P@2000_per") for mark in row)
    assert cli(*call, "--splits", 5, 10, 20, "--cutoffs", 10).out == first
    drawn = cli(*call, "--systems", 3, "--entities", 40).out
    assert any("*" in mark for row in marks(drawn, "Average") for mark in row)


def test_c5_identical_systems_do_not_differ() -> None:
    """Mended: the tool's ASL is 0. Reproduced: with two groups every other pair differs, and a note says so."""
    same = np.arange(1, 41.0)
    rng = np.random.default_rng(1)
    study = quick(table([same, same, rng.permutation(same)]))
    assert study.outcomes[0].asl[:, 0].tolist() == [1.0] * 7
    two = quick(table([same, same, rng.permutation(same) * 1.5]), splits=2, alpha=0.005)
    assert two.outcomes[0].asl_rate[list(SIGNS).index("Average"), 0] == pytest.approx(200 / 3)
    assert mentions(two.notes, "asl", "all pairs differ")
    assert not any("asl says" in note for note in study.notes)


def test_c6_a_seed_seeds_everything(cli: Callable[..., Any], tables: Path) -> None:
    """Mended: in the tool it does not reach the bootstrap. Without one, a seed is drawn and told."""
    call = ("dunaiski", "-f", "small_4x60.txt", "-i", 3, "-b", 40, "-e")
    once = cli(*call)
    seed = re.search(r"^Seed:\t(\d+)$", once.err, re.MULTILINE)
    assert seed
    assert cli(*call, "-s", seed[1]).out == once.out == cli(*call, "-s", f"-{seed[1]}").out
    assert cli(*call, "-s", int(seed[1]) + 1).out != once.out


def test_c7_a_level_of_less_than_one_resample_takes_the_smallest_t() -> None:
    """Reproduced: place int(.005 * 100) - 1 = -1 of a falling list is its last."""
    z = np.random.default_rng(2).normal(0.2, 1, 10)
    counts = count_draws(np.random.default_rng(3), 100, 10)
    shifted = z - z.mean()
    means = counts @ shifted / 10
    sds = np.sqrt(counts @ shifted**2 / 10 - means**2)
    expected = abs(means[np.argmin(abs(means / sds))])
    assert dunaiski_levels(z[None], counts, (0.005,))[1][0, 0] == pytest.approx(expected)


def test_c9_average_at_10_is_average_precision_and_lower_is_taken_for_better() -> None:
    """Reproduced, as the formulas of all measures are (tests/reference/test_recorded_dunaiski.py)."""
    assert {named.name: str(named.measure) for named in name_measures()}["Average@10"] == "DunaiskiAP@10"
    study = quick(table([[1, 2, 500, 600] * 10, [100, 200, 300, 400] * 10]), splits=4)
    place = list(SIGNS).index("Average@10")
    assert study.actual[place].tolist() == [1.0, 0.0]
    assert study.compared_values(study.outcomes[0])[place].tolist() == [-1.0, 0.0]
    assert set(FUNCTIONS) > {"AP_at_n", "Average_at_k"}


def test_c10_a_group_without_a_value_is_a_tie_and_leaves_no_estimate() -> None:
    """Reproduced. Mended: such pairs do not count as significant, where the tool's ASL is 0."""
    ranks = np.array([[1.0], [8.0], [50.0]]) + np.random.default_rng(1).random((3, 20))
    study = quick(table(ranks), splits=4, error_tie=True)
    place = list(SIGNS).index("Average@20")
    (row,) = [row for row in study.rows() if row.measure == "MeanRank@20"]
    assert row.tie_rate == 100
    assert np.isnan([row.est_diff, row.swap_diff_min, row.decisions]).all()
    assert row.asl_rate == row.t_rate == pytest.approx(100 / 3)  # the pair of the first two
    assert np.isnan(study.outcomes[0].asl[place, 1:]).all()


def test_c12_permille_measures_are_left_out_where_nobody_says_how_many_were_ranked(
    cli: Callable[..., Any], tables: Path
) -> None:
    """Mended: the tool fails. As it does, it takes no cutoffs for its nine measures; here a note says so."""
    without = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "--cutoffs", 10, 20)
    assert list(blocks(without.out)) == ["method", "Measure", *list(SIGNS)[:7]]
    assert "note: AP_inter_per and P@2000_per need the number of all ranked items (-n) and are skipped\n" in without.err
    assert mentions(without.err, "note: ", "--cutoffs")
    whole = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "-n", 90000)
    of_table = ("note: small_4x60.txt: 4 columns", "note: small_4x60: equal", "note: small_4x60: these look like")
    assert all(line.startswith(of_table) for line in whole.err.splitlines() if line.startswith("note: "))
    assert {k: v for k, v in rates(whole.out).items() if k[0] in list(SIGNS)[:7]} == rates(without.out)


def test_c13_the_correlation_is_of_all_entities_without_the_first_system() -> None:
    """Reproduced, with the first of the table. Mended: decisions are those of each row."""
    from scipy.stats import spearmanr

    rho = [spearmanr(small().ranks[i], small().ranks[j]).statistic for i, j in ((1, 2), (1, 3), (2, 3))]
    study = quick(small(), entities=30, alpha=[0.05, 0.15])
    assert study.outcomes[0].correlation[0] == pytest.approx([np.mean(rho)] * 7)
    assert study.outcomes[0].correlation[1] == pytest.approx([np.std(rho)] * 7)
    drawn = quick(small(), systems=3, iterations=60).outcomes[0].correlation[:2, 0]
    assert drawn[0] == pytest.approx(np.mean([*rho, rho[2]]), abs=0.03)
    assert drawn[1] == 0  # one pair is left
    assert np.isnan(quick(small(), systems=2).outcomes[0].correlation).all()
    rows = [row for row in study.rows() if row.fuzz == row.level and row.measure == "DunaiskiAP"]
    first, second = np.triu_indices(4, 1)
    values = study.actual[study.names.index("DunaiskiAP")]
    for row in rows:
        assert row.decisions == pytest.approx(100 * np.mean(abs(values[first] - values[second]) > row.est_diff))


def test_each_level_is_the_fuzziness_too() -> None:
    """Reproduced: one number is both."""
    study = quick(small(), alpha=[0.01, 0.15], error_tie=True)
    ties = {row.level: row.tie_rate for row in study.rows() if row.fuzz == row.level and row.measure == "DunaiskiAP"}
    alone = [quick(small(), alpha=level).outcomes[0].tie[5, 0] for level in (0.01, 0.15)]
    assert_same_numbers(list(ties.values()), alone)
    assert ties[0.01] < ties[0.15]


def test_used_entities_of_ap_inter_per_are_buckets() -> None:
    """Reproduced: 1,000 over groups of 6 entities."""
    study = quick(dunaiski_table(REFERENCE / "small_4x60.txt", 90000), error_tie=True)
    assert study.outcomes[0].used[7] == pytest.approx(100 * 1000 / 6)


def test_where_no_bin_of_swaps_is_good_enough_nothing_is_decided(tables: Path) -> None:
    """Mended: the difference needed is -inf then, and in the tool every pair exceeds it."""
    study = quick(dunaiski_table(tables / "testranks.txt"), splits=2, swap=True)
    found = [row for row in study.rows() if row.swap_diff_min == -np.inf]
    assert found
    assert {row.decisions for row in found} == {0.0}


def test_the_preset_elsewhere_gives_the_same_numbers() -> None:
    """`rs.stability.study(..., preset="dunaiski")` is the same experiment, with measures and fuzziness of one's own."""
    ours = quick(small(), error_tie=True, alpha=[0.05, 0.1])
    asked = {"alpha": [0.05, 0.1], "fuzz": [0.05, 0.1], "iterations": 6, "n_resamples": 80, "rng": 1}
    other = rs.stability.study(small(), measures=["MeanRank", "AP", "nDCG@mean"], preset="dunaiski", **asked)
    mine = [row for row in ours.rows() if row.measure in other.names]
    drawn = ("swap_diff_min", "swap_diff_max")
    for one, two in zip(mine, other.rows(), strict=True):
        assert_same_bits(one._replace(**dict.fromkeys(drawn)), two._replace(**dict.fromkeys(drawn)))
        assert (one.swap_diff_min, one.swap_diff_max) == pytest.approx((two.swap_diff_min, two.swap_diff_max))
