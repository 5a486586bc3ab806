"""Whether a judge may replace people: rules on intervals, families, groups of queries, corrected prevalence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope import agree_judgments
from rankscope.comparison.judges import JudgeSettings
from rankscope.comparison.judges.bias import holm
from rankscope.comparison.judges.group_bias import difference_of_means
from rankscope.comparison.judges.verdict import BESIDE, REPLACES, UNDECIDED, verdict_of, verdicts_by_use
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.stats import max_t_test, t_interval
from rankscope.stats.distributions import special
from rankscope.stats.multiple_comparisons import adjust_pvalues

QUERIES, DOCS = 24, 8
SYSTEMS = ("kin", "near", "far", "last")
FAMILIES = {"kin": "x", "B": "x", "far": "y"}


def judged(seed: int, taste: int) -> tuple[Any, Any, list[rs.Run]]:
    """Judgments of A and B, and runs; `taste` is by how many grades B overrates the first two documents of kin."""
    rng = np.random.default_rng(seed)
    a, b = {}, {}
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in SYSTEMS}
    for q in range(QUERIES):
        docs = [f"d{i}" for i in range(DOCS)]
        grades = rng.integers(0, 3, DOCS)
        for name in SYSTEMS:
            top = rng.permutation(DOCS)[:2].tolist()
            runs[name][str(q)] = {docs[top[0]]: 2.0, docs[top[1]]: 1.0}
        noise = rng.random(DOCS) < 0.1
        kin = {"d0", "d1"}
        runs["kin"][str(q)] = {"d0": 2.0, "d1": 1.0}
        a[str(q)] = dict(zip(docs, grades.tolist(), strict=True))
        b[str(q)] = {
            doc: int(min(3, grade + wrong + (taste if doc in kin else 0)))
            for doc, grade, wrong in zip(docs, grades, noise, strict=True)
        }
    return a, b, [rs.Run(runs[name], name=name) for name in SYSTEMS]


@pytest.fixture(scope="module")
def agreed() -> Any:
    a, b, runs = judged(3, 1)
    options: dict[str, Any] = {"families": FAMILIES, "top": 2, "names": ("A", "B"), "n_resamples": 300}
    return agree_judgments(a, b, runs, ["P@2", "nDCG@2"], **options)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "index"),
    [
        ([-0.01, 0.0], [0.02, 0.01], REPLACES, 0),
        ([-0.01, -0.02], [0.0, 0.01], REPLACES, 1),
        ([-0.01, 0.03], [0.02, 0.09], BESIDE, 1),
        ([-0.09, -0.01], [-0.03, 0.02], BESIDE, 0),
        ([-0.01, -0.05], [0.01, 0.04], UNDECIDED, 1),
        ([-0.01, 0.02], [0.01, 0.04], UNDECIDED, 1),  # it begins at the margin, which does not matter
        ([-0.01, np.nan], [0.01, np.nan], UNDECIDED, 1),
        ([0.03, np.nan], [0.04, np.nan], BESIDE, 0),
    ],
)
def test_the_verdict_is_a_rule_on_intervals(low: list[float], high: list[float], verdict: str, index: int) -> None:
    assert verdict_of(np.array(low), np.array(high), 0.02) == (verdict, index)


def test_intervals_of_verdicts_are_those_of_max_t_with_a_system_that_never_changes() -> None:
    rng = np.random.default_rng(4)
    changes = rng.normal(0.02, 0.1, (3, 40))
    sample: dict[str, Any] = {"clusters": np.arange(40) // 2, "weights": rng.random(40) + 0.5}
    verdicts = verdicts_by_use(
        "AP",
        ("a", "b", "c"),
        changes,
        JudgeSettings(margin=0.01, confidence_level=0.9, n_resamples=200, seed=5),
        sample,
        top=np.array([2, 0]),
        families={"x": np.array([True, False, False]), "y": np.array([False, True, True])},
    )
    pairs = max_t_test(
        np.vstack((changes, np.zeros(40))),
        resampling="bootstrap",
        n_resamples=200,
        confidence_level=0.9,
        rng=5,
        **sample,
    )
    ends = {
        "abc."[i] + "abc."[j]: (low, high)
        for i, j, low, high in zip(pairs.first, pairs.second, pairs.low, pairs.high, strict=True)
    }
    assert [verdict.use for verdict in verdicts] == [
        "means of systems",
        "differences between systems",
        "differences between systems among the best 2",
        "family x against others",
        "family y against others",
    ]
    means, differences, top, x, y = verdicts
    assert (means.low, means.high) == ends[f"{means.subject}."]
    assert (differences.low, differences.high) == ends[differences.subject.replace(" - ", "")]
    assert (top.subject, top.low, top.high) == ("a - c", *ends["ac"])
    expected = t_interval(changes[0] - changes[1:].mean(axis=0), confidence_level=0.95, **sample)
    assert (x.change, x.low, x.high) == pytest.approx(
        [float(end) for end in (expected.mean, expected.low, expected.high)]
    )
    assert (y.low, y.high) == pytest.approx((-x.high, -x.low))


def test_few_queries_carry_no_verdict() -> None:
    changes = np.random.default_rng(6).normal(0.5, 0.01, (3, 9))
    settings = JudgeSettings(margin=0.01, n_resamples=100)
    for values, sample in ((changes, {}), (np.repeat(changes, 3, axis=1), {"clusters": np.repeat(np.arange(9), 3)})):
        full = {"clusters": None, "weights": None, **sample}
        verdicts = verdicts_by_use("AP", ("a", "b", "c"), values, settings, full)
        assert [verdict.verdict for verdict in verdicts] == [UNDECIDED, UNDECIDED]
        assert verdicts[0].change == pytest.approx(changes[0].mean())
        assert np.isnan([verdicts[0].low, verdicts[0].high]).all()


def test_a_judge_that_favours_its_own_family_is_not_believed(agreed: Any) -> None:
    own, far = agreed.families
    assert (own.family, own.systems, own.is_own, far.is_own) == ("x", ("kin",), True, False)
    assert own.favour.value > 0.5
    assert own.pvalue_corrected < 0.001
    assert "It profits: B favours its own family" in agreed.sections()[-4].sentence
    verdict = {(v.measure, v.use): v for effect in agreed.effects for v in effect.verdicts}
    assert verdict["P@2", "family x against others"].verdict == BESIDE
    assert verdict["P@2", "means of systems"].subject == "kin"


def test_the_favour_for_a_family_is_that_for_a_system_that_finds_what_the_family_finds(agreed: Any) -> None:
    kin = next(taste for taste in agreed.tastes if taste.system == "kin")
    assert agreed.families[0].favour == pytest.approx(kin.favour)


def test_p_of_systems_is_corrected_for_their_number(agreed: Any) -> None:
    pvalues = [0.01, np.nan, 0.04, 0.03]
    assert holm(pvalues)[[0, 2, 3]] == pytest.approx(adjust_pvalues([0.01, 0.04, 0.03]).pvalue)
    assert np.isnan(holm(pvalues)[1])
    rows = [r for r in agreed.records() if r[0] == "favour_pvalue_at_10" and not r[1]]
    assert [r[3] for r in rows] == list(SYSTEMS)


def test_tau_among_the_best_is_of_these_systems(agreed: Any) -> None:
    for effect in agreed.effects:
        best = sorted(SYSTEMS, key=lambda name: -effect.mean_a[SYSTEMS.index(name)])[:2]
        assert list(effect.top) == best
        gaps = [mean[SYSTEMS.index(best[0])] - mean[SYSTEMS.index(best[1])] for mean in (effect.mean_a, effect.mean_b)]
        assert effect.tau_b_top == np.sign(gaps[0] * gaps[1])


def test_a_difference_of_means_has_the_variance_of_the_jackknife_over_queries() -> None:
    rng = np.random.default_rng(8)
    values, is_in = rng.normal(size=60), np.arange(60) < 25
    for units in (np.concatenate((np.arange(25) % 5, 5 + np.arange(35) % 7)), np.arange(60) % 5):
        variance, parts, dfs, gaps = 0.0, [], [], {}
        for mask, sign in ((is_in, 1), (~is_in, -1)):
            names = sorted(set(units[mask].tolist()))
            factor = (len(names) - 1) / len(names)
            moves = {u: values[mask].mean() - values[mask & (units != u)].mean() for u in names}
            parts.append(factor * sum(move**2 for move in moves.values()))
            dfs.append(len(names) - 1)  # all units of a side are of one size
            for u in names:
                gaps[u] = gaps.get(u, 0.0) + sign * np.sqrt(factor) * moves[u]
        variance = sum(gap**2 for gap in gaps.values())
        df = sum(parts) ** 2 / sum(part**2 / n for part, n in zip(parts, dfs, strict=True))
        found, pvalue = difference_of_means(values, is_in, units, 0.95)
        assert found.value == pytest.approx(values[is_in].mean() - values[~is_in].mean())
        assert found.high - found.value == pytest.approx(special().stdtrit(df, 0.975) * np.sqrt(variance))
        assert pvalue == pytest.approx(2 * special().stdtr(df, -abs(found.value) / np.sqrt(variance)))


def test_groups_of_queries_are_compared_with_all_others() -> None:
    a, b, _ = judged(5, 0)
    for q in range(12, QUERIES):  # a second batch, which B judges a grade too high
        b[str(q)] = {doc: grade + 1 for doc, grade in b[str(q)].items()}
    table = {"query": list(a), "group": ["first" if int(q) < 12 else "second" for q in a]}
    found = agree_judgments(a, b, queries={"queries": table})
    errors = {(bias.group, bias.error): bias for bias in found.groups}
    second = errors["second", "bias"]
    assert second.difference.value == pytest.approx(-errors["first", "bias"].difference.value)
    assert 0.8 < second.difference.value < 1.2
    assert second.pvalue_corrected < 0.001
    assert errors["second", "fnr"].in_group.value == 0
    assert "does not judge all groups alike" in next(s for s in found.sections() if "by group" in s.title).sentence
    assert not agree_judgments(a, b).groups


def test_the_share_of_relevant_documents_that_b_alone_judged_is_corrected() -> None:
    a, b, _ = judged(9, 0)
    alone = {q: b.pop(q) for q in [str(q) for q in range(6)]}
    a = {q: grades for q, grades in a.items() if q not in alone}
    found = agree_judgments(a, {**b, **alone})
    assert found.n_only_b == 6 * DOCS
    rates = found.relevance_rates
    apparent = np.mean([grade >= 1 for grades in alone.values() for grade in grades.values()])
    sensitivity, specificity = float(rates.recall[1]), float(rates.specificity[1])
    assert found.prevalence.apparent == pytest.approx(apparent)
    assert found.prevalence.value == pytest.approx((apparent + specificity - 1) / (sensitivity + specificity - 1))
    assert agree_judgments(a, b).prevalence is None


def test_what_is_refused() -> None:
    a, b, runs = judged(1, 0)
    for change in ({"families": {"kin": "x"}}, {"top": 2}):
        with pytest.raises(ParameterError, match="runs"):
            agree_judgments(a, b, **change)
    with pytest.raises(UnknownName, match="kim"):
        agree_judgments(a, b, runs, "P@2", families={"kim": "x"})
    with pytest.raises(InputError, match="all systems are of the family x"):
        agree_judgments(a, b, runs, "P@2", families=dict.fromkeys(SYSTEMS, "x"))
    with pytest.raises(InputError, match="no system belongs to a family"):
        agree_judgments(a, b, runs, "P@2", families={"B": "x"})
    with pytest.raises(ParameterError, match="margin"):
        agree_judgments(a, b, runs, "P@2", margin=-1)
