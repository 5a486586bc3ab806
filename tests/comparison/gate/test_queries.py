"""The gate where queries have clusters, weights and groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.gate_tables import made
from helpers.messages import Messages, mentions
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle
from statsmodels.stats.multitest import multipletests

import rankscope as rs
from rankscope import Gate
from rankscope.comparison.gate.decision import PASS, UNDECIDED, VERDICTS, WORSE, Criterion, decide
from rankscope.comparison.gate.verdict_change import VerdictChange, find_verdict_change
from rankscope.errors import InputError, ParameterError
from rankscope.stats import bootstrap_test, queries_for_t, randomisation_test

SENTENCES = Messages("gate of groups")


def gated(differences: Any, *, margin: float = 0.02, measure: str = "AP", columns: Any = None, **options: Any) -> Gate:
    """The new system has these differences to a baseline of which all values are 1/2; columns: of the queries."""
    d = np.asarray(differences, float)
    new = made(0.5 + d, measure)
    if columns is not None:
        new = new.with_queries({"query": list(new.query_ids), **{name: list(x) for name, x in columns.items()}})
    return rs.gate(new, made(np.full(d.size, 0.5), measure, "old"), margin=margin, **options)


def clustered_differences(seed: int, mean: float = 0.0, n_clusters: int = 12) -> tuple[Any, Any]:
    """Differences that clusters of 1 to 5 queries share in part."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(1, 6, n_clusters))
    return mean + 0.05 * rng.normal(size=clusters.size) + 0.05 * rng.normal(size=n_clusters)[clusters], clusters


# Clusters and weights


def by_jackknife(d: Any, clusters: Any, weights: Any) -> tuple[float, float, float]:
    """Mean, standard error and degrees of freedom in a plain loop over clusters."""
    mean = np.average(d, weights=weights)
    names = np.unique(clusters)
    gaps = [np.average(d[clusters != name], weights=weights[clusters != name]) - mean for name in names]
    sums = np.array([weights[clusters == name].sum() for name in names])
    error = np.sqrt((names.size - 1) / names.size * np.sum(np.square(gaps)))
    return float(mean), float(error), float(sums.sum() ** 2 / (sums**2).sum() - 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("margin", [0, 0.03])
@pytest.mark.parametrize("kind", ["clusters", "weights", "both"])
def test_p_values_and_bounds_are_those_of_t_with_the_jackknife(seed: int, margin: float, kind: str) -> None:
    d, clusters = clustered_differences(seed, mean=-0.01)
    weights = np.random.default_rng(seed).uniform(1, 4, d.size)
    columns = {"cluster": clusters} if kind != "weights" else {}
    columns |= {"weight": weights} if kind != "clusters" else {}
    found = gated(d, margin=margin, columns=columns)
    part, d = found["AP"], found["AP"].gains
    codes = clusters if kind != "weights" else np.arange(d.size)
    mean, error, df = by_jackknife(d, codes, weights if kind != "clusters" else np.ones(d.size))
    width = oracle.t.ppf(0.95, df) * error
    decision = part.decision
    expected = [
        *(oracle.t.sf((mean + margin) / error, df), oracle.t.cdf(mean / error, df)),
        *(mean, mean - width, mean + width),
    ]
    found_numbers = [decision.pvalue_noninferior, decision.pvalue_worse, part.difference, part.low, part.high]
    np.testing.assert_allclose(found_numbers, expected, rtol=1e-9)
    noninferior, worse = expected[:2]
    # The share of clusters that may lose, where none loses .05, or fewer than five differ by as much.
    counted = weights if kind != "clusters" else np.ones(d.size)
    unit_means = np.array([np.average(d[codes == name], weights=counted[codes == name]) for name in np.unique(codes)])
    n_losses, n_differing, share = int((unit_means <= -0.05).sum()), int((abs(unit_means) >= 0.05).sum()), np.nan
    if n_losses == 0 or n_differing < 5:
        share = oracle.beta.ppf(0.95, n_losses + 1, unit_means.size - n_losses)
    assert part.decision.share_of_losses == pytest.approx(share, nan_ok=True)
    skewed = part.decision.pvalue_skewed
    may_pass = (np.isnan(share) or part.decision.least_mean >= -margin) and (np.isnan(skewed) or skewed <= 0.05)
    assert part.verdict == (PASS if noninferior <= 0.05 and may_pass else WORSE if worse <= 0.05 else UNDECIDED)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_other_tests_flip_and_draw_whole_clusters(test: str) -> None:
    d, clusters = clustered_differences(3, mean=-0.02)
    weights = np.random.default_rng(3).uniform(1, 4, d.size)
    columns = {"cluster": clusters, "weight": weights}
    part = gated(d, margin=0.03, columns=columns, test=test, n_resamples=999, rng=5)["AP"]
    run: Any = randomisation_test if test == "permutation" else bootstrap_test
    options = {"n_resamples": 999, "rng": 5, "clusters": clusters, "weights": weights}
    expected = run(part.gains + 0.03, alternative="greater", **options).pvalue
    assert part.decision.pvalue_noninferior == pytest.approx(float(expected), rel=1e-12)
    expected = run(part.gains, alternative="less", **options).pvalue
    assert part.decision.pvalue_worse == pytest.approx(float(expected), rel=1e-12)


def test_each_query_as_its_own_cluster_of_weight_1_is_the_plain_gate() -> None:
    d = np.random.default_rng(2).normal(-0.01, 0.1, 20)
    plain = gated(d, columns={"group": ["g"] * 20})["AP"]
    for columns in ({"cluster": range(20)}, {"weight": [2.0] * 20}):
        found = gated(d, columns=columns)["AP"]
        assert_same_numbers(found.decision._replace(clusters_fresh=None), plain.decision)
        assert (found.verdict_change is None) == (plain.verdict_change is None)
        if found.verdict_change and plain.verdict_change:
            assert_same_numbers(found.verdict_change, plain.verdict_change)


def test_what_clusters_and_weights_are_worth_is_said() -> None:
    d, clusters = clustered_differences(1)
    found = gated(d, columns={"cluster": clusters, "weight": 1 + clusters % 3})
    assert mentions(found.notes, "AP", "12 clusters", "correlate")
    assert mentions(found.notes, "AP", "weights", f"{d.size} queries")
    assert {"clusters:12"} < set(found.signature().split(" | "))


def test_ids_that_look_clustered_are_noted() -> None:
    new = replace(made(np.linspace(0.4, 0.6, 12)), query_ids=tuple(f"q{i // 3}_{i % 3}" for i in range(12)))
    found = rs.gate(new, replace(new, values=np.full((1, 1, 12), 0.5), systems=("old",)), margin=0.02)
    assert mentions(found.notes, "look clustered", "cluster_by")


def test_fresh_queries_are_counted_in_clusters() -> None:
    """As many clusters as an equal system needs to pass in 80 of 100 cases, with the upper end of their spread."""
    d, clusters = clustered_differences(0, mean=0.0)
    margin = 0.01
    found = gated(d, margin=margin, columns={"cluster": clusters})
    decision = found["AP"].decision
    assert decision.verdict == UNDECIDED
    _, error, df = by_jackknife(found["AP"].gains, clusters, np.ones(d.size))
    sd = error * np.sqrt(12) * np.sqrt(df / oracle.chi2.ppf(0.2, df))
    needed = queries_for_t(margin, sd, alternative="greater", power=0.8)
    assert decision.clusters_fresh == needed
    assert decision.n_fresh == int(np.ceil(needed * d.size / 12))
    assert mentions(found.sections()[0].sentence, f"{needed:,} clusters", f"{decision.n_fresh:,} fresh queries")


def test_one_cluster_is_refused() -> None:
    values = np.linspace(0.4, 0.6, 6)
    new = made(values).with_queries({"query": [f"q{i}" for i in range(6)], "cluster": [*"aaaaab"]})
    old = made([*np.full(5, 0.5), np.nan], system="old")
    with pytest.raises(InputError) as raised:
        rs.gate(new, old, margin=0.02)
    assert mentions(raised.value, "AP", "5 queries", "one cluster")


def test_clusters_of_one_mean_decide_nothing() -> None:
    found = gated([0.1, -0.1] * 4, columns={"cluster": np.repeat(range(4), 2)})
    assert found.verdict == "undecided"
    assert np.isnan([found["AP"].low, found["AP"].decision.pvalue_worse]).all()
    assert mentions(found.notes, "AP", "same in every cluster")
    assert mentions(found.sections()[0].sentence, "same in every cluster")


def test_a_constant_difference_decides_as_without_clusters() -> None:
    """1 - .05^(1/200) = 1.5 % of clusters may lose."""
    for constant, verdict in ((0.0, "pass"), (-0.004, "pass"), (-0.01, "undecided"), (-0.05, "worse")):
        assert gated([constant] * 400, columns={"cluster": np.repeat(range(200), 2)}).verdict == verdict


def test_outcomes_0_and_1_have_no_interval_of_independent_queries() -> None:
    new, old = made([1.0, 0, 1, 1, 0, 1, 1, 1]), made([1.0, 0, 0, 1, 1, 1, 0, 1], system="old")
    assert mentions(rs.gate(new, old, margin=0.1).notes, "Tango")
    table = {"query": [f"q{i}" for i in range(8)], "cluster": [*"aabbccdd"]}
    assert not mentions(rs.gate(new.with_queries(table), old, margin=0.1).notes, "Tango")


def test_a_saved_baseline_keeps_clusters_weights_and_groups(tmp_path: Any) -> None:
    d, clusters = clustered_differences(2)
    ids = [f"q{i}" for i in range(d.size)]
    table = {"query": ids, "cluster": [*clusters], "weight": [*(1.0 + clusters)], "group": ["a", "b"] * 50}
    table["group"] = table["group"][: d.size]
    old = made(np.full(d.size, 0.5), system="old").with_queries(table)
    rs.write_scores(old, tmp_path / "old.parquet")
    found = rs.gate(made(0.5 + d), rs.read_scores(tmp_path / "old.parquet"), margin=0.02, by_group=0.1)
    expected = rs.gate(made(0.5 + d).with_queries(table), old, margin=0.02, by_group=0.1)
    assert_same_bits(found["AP"].decision, expected["AP"].decision)
    assert list(found["AP"].groups) == ["a", "b"]
    assert "clusters:12" in found.signature()


# Queries that decide


def turn_by_a_loop(d: Any, sample: Any, verdict: str, settings: Criterion, *, helped: bool) -> VerdictChange | None:
    """Clusters (or queries) removed one by one, and the gate asked again each time."""
    clusters = np.arange(d.size) if sample["clusters"] is None else sample["clusters"]
    weights = np.ones(d.size) if sample["weights"] is None else sample["weights"] / sample["weights"].max()
    sums = np.array([(d * weights)[clusters == name].sum() for name in np.unique(clusters)])
    order = np.argsort(-sums if helped else sums, kind="stable")
    for n_removed in range(1, 1 + min(order.size - 2, int((sums > 0 if helped else sums < 0).sum()))):
        stays = ~np.isin(clusters, order[:n_removed])
        left = {name: None if values is None else values[stays] for name, values in sample.items()}
        other = decide(d[stays], settings, left).verdict
        if other != verdict:
            removed = np.concatenate([np.flatnonzero(clusters == name) for name in order[:n_removed]])
            return VerdictChange(other, removed, helped)
    return None


differences = st.lists(st.integers(-40, 40).map(lambda i: i / 100), min_size=4, max_size=20)


@given(d=differences, seed=st.integers(0, 99), kind=st.sampled_from(["clusters", "weights", "both"]))
@examples(150)
def test_the_clusters_that_turn_the_verdict_are_those_that_a_loop_finds(d: Any, seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    d = np.array(d) + rng.normal(0, 0.001, len(d))  # no two sums are equal
    clusters = np.unique(rng.integers(0, 6, d.size), return_inverse=True)[1]
    if kind != "weights" and clusters.max() == 0:
        return
    sample = {
        "clusters": None if kind == "weights" else clusters,
        "weights": None if kind == "clusters" else rng.uniform(1, 3, d.size),
    }
    settings = Criterion(margin=0.05)
    verdict = decide(d, settings, sample).verdict
    ends = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    turns = [turn_by_a_loop(d, sample, verdict, settings, helped=helped) for helped in ends]
    expected = min((turn for turn in turns if turn), key=lambda turn: turn.queries.size, default=None)
    found = find_verdict_change(d, verdict, settings, sample)
    assert (found is None) == (expected is None)
    if found and expected:
        assert (found.verdict, found.helped) == (expected.verdict, expected.helped)
        assert found.queries.tolist() == expected.queries.tolist()


def test_blocks_of_stages_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    d, clusters = clustered_differences(9, mean=0.1)
    columns = {"cluster": clusters}
    found = gated(d, columns=columns)["AP"].verdict_change
    monkeypatch.setattr("rankscope.comparison.gate.verdict_change.AT_ONCE", 1)
    assert_same_bits(gated(d, columns=columns)["AP"].verdict_change, found)


def test_clusters_that_turn_the_verdict_are_named() -> None:
    d = [0.4, 0.3, 0.35, 0.32, 0.38, 0.31, -0.5, -0.5, 0.32] * 4
    names = ["a", "a", "b", "b", "c", "c", "talk 7", "talk 7", None]
    clusters = [f"{name}{i // 9 or ''}" if name and name != "talk 7" else name for i, name in enumerate(names * 4)]
    found = gated(d, margin=0.05, columns={"cluster": clusters})
    turn = found["AP"].verdict_change
    assert turn is not None
    assert (found.verdict, turn.verdict, turn.queries.tolist()) == ("undecided", "pass", [6, 7, 15, 16, 24, 25, 33, 34])
    SENTENCES.check("a verdict that hangs on a cluster", found.sections()[1].sentence)


# Groups


def grouped(*parts: tuple[str, Any], **options: Any) -> Gate:
    """Groups with these differences."""
    names = [name for name, d in parts for _ in d]
    return gated(np.concatenate([d for _, d in parts]), columns={"group": names}, **options)


NOISE = np.tile([0.1, -0.1, 0.2, -0.2], 8)


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_a_group_is_decided_as_its_queries_alone(test: str) -> None:
    rng = np.random.default_rng(4)
    parts = [("a", rng.normal(0, 0.1, 20)), ("b", rng.normal(-0.05, 0.1, 15)), ("c", rng.normal(0.05, 0.05, 9))]
    options: dict[str, Any] = {"test": test, "n_resamples": 500, "rng": 2}
    found = grouped(*parts, margin=0.01, by_group=0.06, **options)["AP"]
    alone = [gated(d, margin=0.06, **options)["AP"].decision for _, d in parts]
    for part, expected in zip(found.groups.values(), alone, strict=True):
        for name in ("mean", "low", "high", "pvalue_noninferior"):
            assert_same_numbers(getattr(part.decision, name), getattr(expected, name))
    corrected = multipletests([decision.pvalue_worse for decision in alone], method="holm")[1]
    np.testing.assert_allclose([part.decision.pvalue_worse for part in found.groups.values()], corrected)
    for part, p, expected in zip(found.groups.values(), corrected, alone, strict=True):
        passes = expected.verdict == PASS
        assert part.verdict == (PASS if passes else WORSE if p <= 0.05 else UNDECIDED)
    assert found.verdict == max(
        (found.decision.verdict, *(p.verdict for p in found.groups.values())), key=VERDICTS.index
    )


def test_a_pass_needs_every_group() -> None:
    good, bad = 0.25 + NOISE, -0.25 + NOISE
    found = grouped(("a", good), ("b", good), margin=0.02, by_group=0.02)
    assert (found.verdict, found.exit_code) == ("pass", 0)
    found = grouped(("a", np.tile(good, 5)), ("b", bad), margin=0.02, by_group=0.02)
    assert found["AP"].decision.verdict == PASS
    assert (found["AP"].groups["b"].verdict, found.verdict, found.exit_code) == (WORSE, "worse", 3)
    found = grouped(("a", good), ("b", [0.3, -0.3, 0.2]), margin=0.3, by_group=0.02)
    assert (found["AP"].groups["b"].verdict, found.verdict, found.exit_code) == (UNDECIDED, "undecided", 4)


def test_worse_is_corrected_for_the_number_of_groups_and_pass_is_not() -> None:
    """p of worse is .04 in one of three groups; p of not worse is .04 in each."""
    n = 32
    shift = oracle.t.ppf(0.04, n - 1) * NOISE.std(ddof=1) / np.sqrt(n)  # p = .04 of worse
    found = grouped(("a", shift + NOISE), ("b", NOISE), ("c", NOISE), margin=0.001, by_group=0.001)["AP"]
    part = found.groups["a"]
    assert part.decision.pvalue_worse == pytest.approx(0.12, rel=1e-6)
    assert part.verdict == UNDECIDED
    assert part.decision.n_fresh is None  # the test of the group alone says worse
    alone = gated(shift + NOISE, margin=0.001)["AP"]
    assert (alone.decision.pvalue_worse, alone.verdict) == (pytest.approx(0.04, rel=1e-6), WORSE)
    margin = -2 * shift  # at this loss p = .04 of not worse
    found = grouped(*((name, shift + NOISE) for name in "abc"), margin=margin, by_group=margin)["AP"]
    assert [part.decision.pvalue_noninferior for part in found.groups.values()] == [pytest.approx(0.04, rel=1e-6)] * 3
    assert found.verdict == PASS


def test_a_group_of_one_query_is_undecided() -> None:
    found = grouped(("a", 0.25 + NOISE), ("b", [0.3]), by_group=0.02)
    part = found["AP"].groups["b"]
    assert (part.verdict, found.verdict) == (UNDECIDED, "undecided")
    assert np.isnan([part.low, part.decision.pvalue_noninferior]).all()
    assert mentions(group_section(found).notes, "one query", "b", "undecided")


def test_a_group_of_one_cluster_is_undecided() -> None:
    columns = {"group": ["a"] * 8 + ["b"] * 3, "cluster": [*range(8), 8, 8, 8]}
    found = gated(np.linspace(0.05, 0.1, 11), columns=columns, by_group=0.02)
    assert found["AP"].groups["b"].verdict == UNDECIDED
    assert mentions(group_section(found).notes, "one cluster", "b", "undecided")


def test_a_group_that_never_differs_passes() -> None:
    found = grouped(("a", 0.25 + NOISE), ("b", [0.0] * 200), by_group=0.02)
    assert found.verdict == "pass"
    found = grouped(("a", 0.25 + NOISE), ("b", [0.0] * 5), by_group=0.02)
    assert (found.verdict, found["AP"].groups["b"].decision.reason) == ("undecided", "rare losses")


def test_a_group_without_a_value_of_both_systems_is_refused() -> None:
    new = made([0.5, 0.6, 0.7, np.nan]).with_queries({"query": ["q0", "q1", "q2", "q3"], "group": [*"aaab"]})
    with pytest.raises(InputError) as raised:
        rs.gate(new, made([0.5] * 4, system="old"), margin=0.02, by_group=0.02)
    assert mentions(raised.value, "'b'", "AP", "--by-group")


def test_where_lower_is_better_groups_turn_their_signs() -> None:
    d = np.concatenate([0.3 + NOISE, -0.3 + NOISE])
    columns = {"group": np.repeat(["a", "b"], 32)}
    found = gated(d, measure="MeanRank", columns=columns, margin=1, by_group=0.1)["MeanRank"]
    assert [part.verdict for part in found.groups.values()] == [WORSE, PASS]
    assert found.groups["a"].difference == pytest.approx(0.3)


def test_groups_without_a_margin_of_theirs_decide_nothing_and_are_noted() -> None:
    found = grouped(("a", 0.25 + NOISE), ("b", -0.5 + NOISE), margin=0.9)
    assert found.verdict == "pass"
    assert mentions(found.notes, "2 groups", "--by-group")
    assert "group" not in found.columns


def test_a_margin_of_groups_without_groups_is_refused() -> None:
    with pytest.raises(ParameterError) as raised:
        gated(NOISE, columns={"cluster": range(32)}, by_group=0.1)
    assert mentions(raised.value, "--by-group", "--group-by")


@pytest.mark.parametrize(("margin", "named"), [(-0.1, "by_group"), (float("nan"), "by_group"), (1.5, "--by-group")])
def test_a_margin_of_groups_that_is_none_is_refused(margin: float, named: str) -> None:
    with pytest.raises(ParameterError) as raised:
        grouped(("a", NOISE), ("b", NOISE), by_group=margin)
    assert mentions(raised.value, named)


# What is shown


def group_section(result: Gate) -> Any:
    (section,) = [section for section in result.sections() if section.title.startswith("By group")]
    return section


def test_the_tidy_table_has_a_row_a_group_where_groups_decide() -> None:
    found = grouped(("a", 0.25 + NOISE), ("b", NOISE), margin=0.03, by_group=0.02)
    frame = found.frame()
    assert frame.columns[3:5] == ["group", "margin"]
    assert frame["group"].to_list() == ["a", "b", "all"]
    assert frame["margin"].to_list() == [0.02, 0.02, 0.03]
    assert frame["n"].to_list() == [32, 32, 64]
    assert "by_group:0.02" in found.signature().split(" | ")


def test_sentences() -> None:
    good, poor = 0.25 + NOISE, -0.25 + NOISE
    cases = {
        "all groups pass": grouped(("head", good), ("tail", good), by_group=0.03),
        "a group is worse": grouped(("head", np.tile(good, 5)), ("body", good), ("tail", poor), by_group=0.03),
        "a group is undecided": grouped(("head", good), ("tail", [0.1, -0.1, 0.05]), ("last", [0.1]), by_group=0.03),
    }
    for case, found in cases.items():
        section = group_section(found)
        SENTENCES.check(case, "\n".join([found.sections()[0].sentence, section.sentence, *section.notes, *found.notes]))


def test_the_table_of_groups_and_that_of_measures_say_which_verdict_is_of_what() -> None:
    found = grouped(("head", np.tile(0.25 + NOISE, 5)), ("tail", -0.25 + NOISE), by_group=0.03)
    summary = found.sections()[0].table
    assert summary is not None
    assert summary.columns[:4] == ("measure", "verdict", "all queries", "groups")
    assert summary.rows[0][:4] == ("AP", "worse", "pass", "worse")
    table = group_section(found).table
    assert [row[:3] for row in table.rows] == [("head", "pass", "160"), ("tail", "worse", "32")]
    figure = group_section(found).figure
    assert (figure.name, figure.data["groups"]) == ("group_differences", ("head", "tail"))


def test_several_measures_have_groups_each() -> None:
    rng = np.random.default_rng(1)
    table = {"query": [f"q{i}" for i in range(60)], "group": ["a", "b"] * 30}
    values = 0.5 + 0.1 * rng.normal(size=(2, 60))
    new = replace(
        made(values[0]).with_queries(table),
        measures=tuple(rs.parse_measures(["AP", "RR"])),
        values=values[None],
        undefined=np.zeros((2, 60), bool),
        measure_settings=({}, {}),
    )
    old = replace(new, values=np.full((1, 2, 60), 0.5), systems=("old",))
    found = rs.gate(new, old, margin=0.2, by_group=0.3)
    assert [row[:4] for row in found.records()] == [
        (measure, "new", "old", group) for measure in ("AP", "RR") for group in ("a", "b", "all")
    ]
    assert found.verdict == "pass"
    assert mentions(found.notes, "2 measures", "20 %")


# What the level promises


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_with_clusters_the_gate_errs_as_often_as_its_level_says(test: str) -> None:
    """20 clusters of 5 queries, of which a third of the variance is shared: as good as the margin allows, or equal."""
    rng, runs, clusters = np.random.default_rng(34), 1000, np.repeat(np.arange(20), 5)
    settings = Criterion(margin=0.02, test=test, n_resamples=399)
    sample = {"clusters": clusters, "weights": None}
    error = np.sqrt(0.05 * 0.95 / runs)
    for mean, verdict in ((-0.02, PASS), (0.0, WORSE)):
        wrong = 0
        for _ in range(runs):
            d = mean + 0.1 * (np.sqrt(0.7) * rng.normal(size=100) + np.sqrt(0.3) * rng.normal(size=20)[clusters])
            decision = decide(d, replace(settings, margin=0.02 if verdict == PASS else 0.0), sample)
            wrong += decision.pvalue_noninferior <= 0.05 if verdict == PASS else decision.pvalue_worse <= 0.05
        assert abs(wrong / runs - 0.05) <= 3.5 * error, (verdict, wrong)


@pytest.mark.slow
def test_by_group_a_pass_errs_at_most_as_often_as_one_test_and_worse_as_its_correction_says() -> None:
    """Three groups of 30 queries. One loses just its margin: it passes in 5 of 100 cases at most. All are equal: any is
    called worse in 5 of 100 at most."""
    rng, runs = np.random.default_rng(35), 1000
    limit = 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / runs)
    names = np.repeat(["a", "b", "c"], 30)
    for loss, wrong_verdict in ((0.05, "pass"), (0.0, "worse")):
        wrong = 0
        for _ in range(runs):
            d = rng.normal(0, 0.1, 90) - loss * (names == "a") + (0.2 * (names != "a") if loss else 0.0)
            groups = gated(d, margin=0.5, by_group=0.05, columns={"group": names})["AP"].groups
            verdicts = [part.verdict for part in groups.values()]
            wrong += all(v == "pass" for v in verdicts) if wrong_verdict == "pass" else "worse" in verdicts
        assert wrong / runs <= limit, (wrong_verdict, wrong)
