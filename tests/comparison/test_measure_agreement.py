"""How alike measures are: against SciPy on their summaries and values, the result's tables, the command."""

from __future__ import annotations

import csv
import io
import itertools

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.messages import Messages, mentions
from helpers.same import assert_same_bits, assert_same_numbers
from scipy import stats

import rankscope as rs
from rankscope import agree_measures
from rankscope.cli.agree.measures import measures as command
from rankscope.demo.collection import write_collection
from rankscope.errors import ParameterError
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.stats.correlation import bca_ends

SENTENCES = Messages("measure_agreement")

SYSTEMS = ("bm25", "bm25-rm3", "boolean", "dense", "hybrid", "rerank")
MEASURES = ("AP", "nDCG@10", "P@10", "RR")
THEIRS = {
    "kendall_b": stats.kendalltau,
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c"),
    "spearman": stats.spearmanr,
    "pearson": stats.pearsonr,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo")
    write_collection(path)
    return path


@pytest.fixture(scope="module")
def scores(folder):
    return rs.evaluate(folder / "demo.qrels", [folder / f"{name}.run" for name in SYSTEMS], list(MEASURES))


def made(values, measures):
    """Scores of these values, (systems, measures, queries); NaN where there is none."""
    values = np.asarray(values, float)
    s, _, q = values.shape
    return rs.Scores(
        systems=tuple(f"s{i}" for i in range(s)),
        measures=tuple(map(rs.parse_measure, measures)),
        query_ids=tuple(f"q{i}" for i in range(q)),
        values=values,
        missing=np.zeros((s, q), bool),
        undefined=np.zeros((len(measures), q), bool),
        measure_settings=tuple({} for _ in measures),
    )


def random_values(systems=7, measures=3, queries=12, seed=1):
    rng = np.random.default_rng(seed)
    return np.round(rng.random((systems, 1, queries)) + rng.random((systems, measures, queries)), 1)


@pytest.mark.parametrize("statistic", THEIRS)
def test_over_systems_it_is_the_correlation_of_their_summaries(scores, statistic):
    found = agree_measures(scores, statistic=statistic)
    pairs = list(itertools.combinations(MEASURES, 2))
    for (a, b), value, pvalue in zip(pairs, found.value, found.pvalue, strict=True):
        expected = THEIRS[statistic](scores.summary(a), scores.summary(b))
        assert value == pytest.approx(float(expected.statistic), abs=1e-12)
        assert pvalue == pytest.approx(float(expected.pvalue), abs=1e-6)
    assert found.n.tolist() == [6] * 6


@pytest.mark.parametrize("statistic", THEIRS)
def test_over_queries_it_is_the_mean_over_systems(scores, statistic):
    found = agree_measures(scores, statistic=statistic, by="queries", n_resamples=50, rng=1)
    for (a, b), value in zip(itertools.combinations(MEASURES, 2), found.value, strict=True):
        pairs = zip(scores.matrix(a), scores.matrix(b), strict=True)
        assert value == pytest.approx(np.mean([float(THEIRS[statistic](x, y).statistic) for x, y in pairs]), abs=1e-12)
    assert np.isnan(found.pvalue).all()
    assert found.n.tolist() == [50] * 6


def test_the_interval_over_queries_resamples_the_queries_of_all_systems_at_once(scores):
    found = agree_measures(scores, by="queries", n_resamples=300, rng=4, confidence_level=0.9)
    values = scores.values.swapaxes(0, 1)[:2]
    samples = np.concatenate(list(bootstrap_indices(draw(np.random.default_rng(4), 300), 50)))
    means = [np.mean([stats.kendalltau(x[i], y[i]).statistic for x, y in zip(*values, strict=True)]) for i in samples]
    assert found.low[0] == pytest.approx(np.quantile(means, 0.05), abs=0.5 * np.std(means))  # BCa moves it a little
    assert found.high[0] == pytest.approx(np.quantile(means, 0.95), abs=0.5 * np.std(means))
    assert found.low[0] < found.value[0] < found.high[0]
    again = agree_measures(scores, by="queries", n_resamples=300, rng=4, confidence_level=0.9)
    assert_same_bits(found.low, again.low)


def test_of_one_system_correlations_over_queries_have_fishers_interval_and_a_pvalue(folder):
    scores = rs.evaluate(folder / "demo.qrels", folder / "bm25.run", ["AP", "P@10"])
    found = agree_measures(scores, by="queries", interval="fisher", statistic="pearson")
    expected = stats.pearsonr(scores.matrix("AP")[0], scores.matrix("P@10")[0])
    assert found.value[0] == pytest.approx(expected.statistic)
    assert found.pvalue[0] == pytest.approx(expected.pvalue)
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(expected.confidence_interval()))


def test_a_measure_where_lower_is_better_is_turned_round():
    values = random_values(measures=2)
    values[:, 1] = 10 - 3 * values[:, 0]
    for by in ("systems", "queries"):
        found = agree_measures(made(values, ["AP", "MinRank"]), by=by, n_resamples=20)
        same = agree_measures(made(values, ["AP", "RR"]), by=by, n_resamples=20)
        assert (found.value[0], same.value[0]) == (1, -1)
        assert mentions(found.sections()[0].notes[0], "MinRank", "negated")
        assert not mentions(same.sections()[0].notes, "negated")


def test_the_matrix_reads_both_ways_and_the_records_hold_each_pair_once(scores):
    found = agree_measures(scores)
    assert_same_numbers(found.matrix, found.matrix.T)
    assert np.diag(found.matrix).tolist() == [1] * 4
    rows = list(found.records())
    assert [row[:4] for row in rows] == [(a, b, "systems", "kendall_b") for a, b in itertools.combinations(MEASURES, 2)]
    frame = found.frame()
    assert tuple(frame.columns) == found.columns
    assert frame["value"].to_list() == found.value.tolist()
    assert frame["low"].null_count() == np.isnan(found.low).sum()


def test_a_system_without_a_value_is_left_out_of_its_pairs_only():
    values = random_values()
    values[2, 1] = np.nan
    found = agree_measures(made(values, ["AP", "RR", "P@5"]))
    assert found.n.tolist() == [6, 7, 6]
    means = np.round(values.mean(axis=2), 10)  # ties that summing in another order breaks
    there = np.arange(7) != 2
    assert found.value[0] == pytest.approx(stats.kendalltau(means[there, 0], means[there, 1]).statistic)
    assert found.value[1] == pytest.approx(stats.kendalltau(means[:, 0], means[:, 2]).statistic)
    assert mentions(found.sections()[0].notes, "2 of 3", "skip")


def test_means_that_differ_by_rounding_only_are_tied():
    values = np.array([[[0.1, 0.2, 0.3]] * 2, [[0.3, 0.2, 0.1]] * 2, [[0.9] * 3, [0.0] * 3]])
    scores = made(values, ["AP", "RR"])
    assert len(set(scores.summary("AP").tolist())) == 3  # summed up in another order
    assert agree_measures(scores).value[0] == -1


def test_a_query_that_any_system_lacks_is_left_out():
    values = random_values()
    values[2, 1, :3] = np.nan
    found = agree_measures(made(values, ["AP", "RR", "P@5"]), by="queries", n_resamples=20)
    assert found.n.tolist() == [9, 12, 9]
    expected = np.mean([stats.kendalltau(row[0, 3:], row[1, 3:]).statistic for row in values])
    assert found.value[0] == pytest.approx(expected)


def test_a_measure_of_one_value_has_no_correlation_and_is_named():
    values = random_values()
    values[:, 1] = 0.5
    found = agree_measures(made(values, ["AP", "RR", "P@5"]))
    assert np.isnan(found.value).tolist() == [True, False, True]
    assert np.isnan(found.matrix[1]).all()
    (note,) = (note for note in found.sections()[0].notes if "no correlation" in note)
    assert mentions(note, "2 of 3", "(RR)")
    nothing = agree_measures(made(np.full((3, 2, 4), 0.5), ["AP", "RR"]))
    SENTENCES.check("no correlation", nothing.sections()[0].sentence)


def test_a_system_of_one_value_is_left_out_of_the_mean():
    values = random_values()
    values[3, 1] = 1.0
    found = agree_measures(made(values, ["AP", "RR", "P@5"]), by="queries", n_resamples=20)
    others = [stats.kendalltau(row[0], row[1]).statistic for i, row in enumerate(values) if i != 3]
    assert found.value[0] == pytest.approx(np.mean(others))
    assert found.n_systems.tolist() == [6, 7, 6]
    assert np.isfinite(found.low).all()
    assert mentions(found.sections()[0].notes, "fewer than 7")


def test_the_sentence_names_the_pairs_that_agree_most_and_least(scores):
    most = agree_measures(scores, by="queries", n_resamples=20).sections()[0].sentence
    assert mentions(most, "AP and P@10", "most", "tau-b 0.71", 6)
    values = np.arange(1.0, 7)[:, None, None] + np.zeros((6, 3, 2))
    values[:2, 2] = values[1::-1, 2]  # one pair of 15 the other way round: 13 / 15
    sentence = agree_measures(made(values, ["AP", "RR", "P@5"])).sections()[0].sentence
    SENTENCES.check("most and least", sentence)
    sentence = agree_measures(made(values[:, 1:], ["RR", "P@5"])).sections()[0].sentence
    SENTENCES.check("two measures", sentence)
    sentence = agree_measures(made(values[:, [0, 1, 1]], ["AP", "RR", "P@5"])).sections()[0].sentence
    SENTENCES.check("equally alike", sentence)


def test_what_is_nearly_1_does_not_look_like_it():
    values = np.arange(200.0)[:, None, None] + np.zeros((200, 2, 1))
    values[:2, 1] = values[1::-1, 1]
    assert "Kendall's tau-b above 0.99." in agree_measures(made(values, ["AP", "RR"])).sections()[0].sentence


@pytest.mark.parametrize("format_", RESULT_FORMATS)
def test_every_format_shows_it(scores, format_):
    for by in ("systems", "queries"):
        text = render_result(agree_measures(scores, by=by, n_resamples=20, rng=3), format_)
        assert "nDCG@10" in text
        assert "nan" not in text.lower()


def test_the_figure_and_the_signature_hold_what_they_need(scores):
    found = agree_measures(scores, by="queries", n_resamples=20, rng=3)
    figure = found.sections()[0].figure
    assert figure.name == "correlation_matrix"
    assert figure.data["measures"] == MEASURES
    assert figure.data["values"] == tuple(tuple(row) for row in found.matrix.tolist())
    settings = found.signature().split(" | ")
    assert settings[-6:-1] == [
        *("systems:6", "statistic:kendall_b", "by:queries", "interval:bootstrap,20,0.95", "rng:3")
    ]
    assert "rng" not in agree_measures(scores, rng=3).signature()
    assert "| interval:fisher,0.95 |" in str(agree_measures(scores))


def test_what_makes_no_sense_is_refused(scores, folder):
    with pytest.raises(ParameterError, match=r"by is 'topics', .*'systems', 'queries'"):
        agree_measures(scores, by="topics")
    with pytest.raises(ParameterError, match="statistic is 'tau'"):
        agree_measures(scores, statistic="tau")
    with pytest.raises(ParameterError, match=r"choose --interval bootstrap \(interval='bootstrap'\)"):
        agree_measures(scores, by="queries", interval="fisher")
    with pytest.raises(ParameterError, match="confidence_level is 2"):
        agree_measures(scores, confidence_level=2)
    for nothing in (None, [1], "scores"):
        with pytest.raises(ParameterError, match=r"scores are .*evaluate"):
            agree_measures(nothing)
    one = rs.evaluate(folder / "demo.qrels", folder / "bm25.run", ["AP", "RR"])
    with pytest.raises(ParameterError, match=r"1 system, .* 2 .*by systems"):
        agree_measures(one)
    with pytest.raises(ParameterError, match=r"1 measure \(AP\), .* 2"):
        agree_measures(rs.evaluate(folder / "demo.qrels", folder / "bm25.run", "AP"))
    with pytest.raises(ParameterError, match=r"1 query, .* 2 .*by queries"):
        agree_measures(made(random_values(queries=1), ["AP", "RR", "P@5"]), by="queries")


def run(folder, monkeypatch, *options):
    monkeypatch.chdir(folder)
    files = ["demo.qrels", *(f"{name}.run" for name in SYSTEMS)]
    return CliRunner().invoke(command, [*files, *options])


def test_the_command_gives_the_numbers_of_the_function(scores, folder, monkeypatch):
    measures = [part for name in MEASURES for part in ("-m", name)]
    done = run(folder, monkeypatch, *measures, "--by", "queries", "--resamples", "30", "--seed", "5", "--format", "csv")
    assert done.exit_code == 0
    rows = list(csv.DictReader(io.StringIO(done.output)))
    expected = agree_measures(scores, by="queries", n_resamples=30, rng=5)
    assert_same_bits([float(row["value"]) for row in rows], expected.value.tolist())
    assert_same_bits([float(row["low"]) for row in rows], expected.low.tolist())
    assert {row["pvalue"] for row in rows} == {""}


def test_the_command_refuses_before_it_reads(folder, monkeypatch):
    done = run(folder, monkeypatch, "--confidence-level", "95")
    assert done.exit_code == 2
    assert mentions(done.output, "--confidence-level", "95.0", "0<x<1")
    assert run(folder, monkeypatch, "--statistic", "tau").exit_code == 2


# Clusters and weights


def with_clusters(values, codes):
    scores = made(values, ["AP", "RR", "P@5"])
    return scores.with_queries({"query": list(scores.query_ids), "cluster": [f"c{code}" for code in codes]})


def test_the_interval_over_queries_draws_whole_clusters():
    values = random_values(systems=3, queries=40)
    values[1, 2, 5] = np.nan
    codes = np.random.default_rng(1).permutation(np.repeat(np.arange(10), 4))
    found = agree_measures(with_clusters(values, codes), by="queries", statistic="pearson", n_resamples=200, rng=4)
    for pair, (a, b) in enumerate(itertools.combinations(range(3), 2)):
        complete = ~np.isnan(values[:, [a, b]]).any(axis=(0, 1))
        kept = [code for code in dict.fromkeys(codes.tolist()) if (complete & (codes == code)).any()]  # as they come

        def mean_correlation(queries, a=a, b=b):
            return np.mean([np.corrcoef(x[a, queries], x[b, queries])[0, 1] for x in values])

        members = [np.flatnonzero(complete & (codes == cluster)) for cluster in kept]
        rows = np.concatenate(list(bootstrap_indices(draw(np.random.default_rng(4), 200), len(kept))))
        samples = np.array([mean_correlation(np.concatenate([members[g] for g in row])) for row in rows])
        jackknife = np.array(
            [mean_correlation(np.concatenate(members[:g] + members[g + 1 :])) for g in range(len(kept))]
        )
        ends = bca_ends(float(found.value[pair]), samples, jackknife, 0.95)
        assert_same_numbers([found.low[pair], found.high[pair]], list(ends))


def test_clusters_and_what_they_change_are_noted():
    codes = np.repeat(np.arange(10), 4)
    scores = with_clusters(random_values(systems=1, queries=40), codes)
    found = agree_measures(scores, by="queries", n_resamples=50, rng=1)
    assert np.isnan(found.pvalue).all()
    assert any("10 clusters of 4 queries" in note for note in found.notes)
    notes = " ".join(found.sections()[0].notes)
    assert mentions(notes, "fewer than 25 clusters", "treat the clusters as a random sample", "p-values", "none")
    assert "| clusters:10 |" in found.signature()
    over_systems = agree_measures(with_clusters(random_values(), np.arange(12) // 2))
    assert not np.isnan(over_systems.pvalue).all()
    assert not any("clusters of" in note for note in over_systems.notes)


def test_over_systems_means_are_weighted_and_over_queries_weights_are_refused():
    scores = made(random_values(), ["AP", "RR", "P@5"])
    weights = np.arange(1.0, 13.0)
    weighted = scores.with_queries({"query": list(scores.query_ids), "weight": weights})
    found = agree_measures(weighted, statistic="pearson")
    means = np.average(scores.values, axis=2, weights=weights)
    expected = [np.corrcoef(means[:, a], means[:, b])[0, 1] for a, b in itertools.combinations(range(3), 2)]
    assert_same_numbers(found.value.tolist(), expected)
    with pytest.raises(ParameterError) as error:
        agree_measures(weighted, by="queries")
    assert mentions(error.value, "weights", "--by systems", "--weight")


def test_fishers_interval_of_queries_in_clusters_is_refused():
    scores = with_clusters(random_values(systems=1, queries=12), np.arange(12) // 3)
    with pytest.raises(ParameterError) as error:
        agree_measures(scores, by="queries", interval="fisher")
    assert mentions(error.value, "independent", "--interval bootstrap")
