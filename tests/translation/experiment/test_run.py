"""The experiment on translations end to end, on small made-up folders; on the real ones in test_mt_wmt12.py."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.mt_folders import PAIR, add_campaign, add_opposite, small_folder
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.agreement import segments
from rankscope.demo.translations import SEGMENTS, TRANSLATORS
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import read_arrays
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.translation import translation_features
from rankscope.translation.experiment import (
    FEATURE_SETS,
    ExperimentSettings,
    lines_of_tests,
    run_experiment,
    score_lines,
)
from rankscope.translation.experiment import result as mt_outcome
from rankscope.translation.experiment import run as experiment
from rankscope.translation.experiment.feature_tables import CACHE_MAGIC, COLUMNS, COMPUTED, SCALED, add_scaled_columns

pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'rankscope[mt]'")

FEW = {"losses": ["ListNet", "RankNet"], "features": ["nine", "+chrF"], "seeds": 1, "n_resamples": 40}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = small_folder(tmp_path_factory.mktemp("translations"))
    add_opposite(found)
    return found


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def found(folder, cache):
    return rs.translation.translation_experiment(folder, "cv", cache=cache, **FEW)


def test_trained_metrics_agree_with_people_better_than_those_that_are_not(found):
    metrics = ("ListNet", "RankNet", "ListNet +chrF", "RankNet +chrF", "sentBLEU", "chrF")
    assert found.results["into"].segments.metrics == metrics
    for direction in ("into", "out"):
        assert found.average(direction, "RankNet +chrF") > found.average(direction, "chrF") > 0.4
    assert np.isnan(found.average("into", "Meteor"))
    assert found.pairs == ("de-en", "en-de")
    assert found.seeds == 1


def test_scores_are_those_that_agree_segments_finds_the_same_taus_of(found, folder, tmp_path):
    path = tmp_path / "RankNet.seg.scr"
    path.write_text("".join(score_lines(found, "RankNet")))
    assert path.read_text().count("\n") == 2 * len(TRANSLATORS) * SEGMENTS
    again = segments(folder / "wmt12/wmt12.RNK_results.csv", path, n_resamples=10)
    assert dict(zip(again.pairs, again.value[0].tolist(), strict=True)) == pytest.approx(
        {row.pair: row.found for row in found.records() if row.metric == "RankNet" and row.table in "23"}
    )


def test_rows_have_no_average_of_one_pair_and_nothing_published_beside_other_judgments(found):
    rows = list(found.records())
    assert {row.table for row in rows} == {"2", "3", "4", "5", "4 (mean)", "5 (mean)"}
    assert {row.pair for row in rows} == {"de-en", "en-de"}
    assert all(np.isnan(row.published) for row in rows)
    assert not found.is_wmt12
    assert mentions(found.notes[-1], "not the judgments", "WMT12")
    assert found.frame().columns == list(found.COLUMNS)


def test_beside_the_real_numbers_of_pairs_stands_what_was_published(found, monkeypatch):
    counts = {p: n for one in found.results.values() for p, n in zip(one.segments.pairs, one.segments.n, strict=True)}
    monkeypatch.setattr(mt_outcome, "PUBLISHED", counts)
    rows = {(row.table, row.metric, row.pair): row for row in found.records()}
    assert rows["2", "ListNet", "de-en"].published == 0.25
    assert rows["2", "ListNet", "de-en"].found == found.results["into"].segments.value[0, 0]
    assert rows["5", "BLEU", "en-de"].published == 0.22
    assert np.isnan(rows["3", "Meteor", "en-de"].found)
    text = str(found)
    assert "0.25 p" not in text.split("AMBER")[0].split("ListNet")[1]  # run here, so in parentheses
    assert "(0.25)" in text
    assert "0.27 p" in text  # Meteor
    assert mentions(text, "p: as published")


def test_a_published_average_stands_only_where_all_of_its_language_pairs_were_tested(found, monkeypatch):
    counts = {p: n for one in found.results.values() for p, n in zip(one.segments.pairs, one.segments.n, strict=True)}
    monkeypatch.setattr(mt_outcome, "PUBLISHED", counts)
    cells = {("ListNet", pair): (0.1, 0.0, 0.2) for pair in ("de-en", "fr-en", "average")}
    some = {(row.metric, row.pair): row for row in found.rows("2", cells)}
    assert some["ListNet", "de-en"].published == 0.25
    assert np.isnan(some["ListNet", "average"].published)
    assert ("Meteor", "average") not in some
    cells |= {("ListNet", pair): (0.1, 0.0, 0.2) for pair in ("es-en", "cs-en")}
    every = {(row.metric, row.pair): row for row in found.rows("2", cells)}
    assert every["ListNet", "average"].published == 0.26
    assert every["Meteor", "average"].published == 0.25


def test_features_that_were_kept_are_not_computed_again(folder, cache, found, monkeypatch):
    monkeypatch.setattr("rankscope.translation.experiment.feature_tables.translation_features", None)
    again = rs.translation.translation_experiment(folder, "leave-pair-out", cache=cache, **FEW)
    assert_same_bits(again.average("into", "chrF"), found.average("into", "chrF"))
    assert mentions(again.description, "all other language pairs")


def test_features_are_those_of_the_features_module_on_the_same_texts(folder, cache, found):
    (path,) = (path for path in cache.glob("wmt12-de-en-*.arrays") if "bleu" not in path.name)
    values = read_arrays(path, CACHE_MAGIC)["values"]
    plain = folder / "wmt12/plain"
    lines = {
        name: (plain / f"system-outputs/newstest2012/{PAIR}/newstest2012.{PAIR}.{name}").read_text().splitlines()
        for name in TRANSLATORS
    }
    sources, references = (
        (plain / side).read_text().splitlines()
        for side in ("sources/newstest2012-src.de", "references/newstest2012-ref.en")
    )
    expected = translation_features(sources, references, lines, features=["log_p1", "chrF", "length"])
    places = [COLUMNS.index(name) for name in expected.names]
    assert values[:, :, places] == pytest.approx(expected.values, rel=1e-6)


def test_other_campaigns_train_for_wmt12_and_seeds_that_change_nothing_are_not_repeated(tmp_path):
    folder = small_folder(tmp_path)
    for campaign in ("wmt11", "wmt13"):
        add_campaign(folder, campaign)
        # WMT13's are French to English; here they are German's
    options = {**FEW, "features": ["nine"], "losses": ["RankNet"], "seeds": 2, "cache": tmp_path / "kept"}
    alone = rs.translation.translation_experiment(folder, "wmt11", **options)
    assert alone.seeds == 1
    assert mentions(alone.notes, "seed", "once")
    for protocol in ("wmt11-all", "wmt13"):
        other = rs.translation.translation_experiment(folder, protocol, **options)
        # The judgments are the same, and so is what is learned from them.
        assert other.average("into", "RankNet") == pytest.approx(alone.average("into", "RankNet"), abs=0.01)


def test_references_of_the_test_set_in_the_language_model_change_its_feature_and_are_told(
    folder, found, cache, tmp_path
):
    with_them = rs.translation.translation_experiment(
        folder, "cv", pairs=[PAIR], test_references=True, cache=tmp_path, **FEW
    )
    assert mentions(with_them.signature(), "language model", "references of the test")
    place = COLUMNS.index("language_model")
    values = []
    for kept in (tmp_path, cache):
        (path,) = (path for path in kept.glob("wmt12-de-en-*.arrays") if "bleu" not in path.name)
        values.append(read_arrays(path, CACHE_MAGIC)["values"])
    assert (values[0][:, :, place] > values[1][:, :, place]).mean() > 0.5
    without = [i for i, name in enumerate(COMPUTED) if name not in ("language_model", "untranslated")]
    assert_same_bits(values[0][:, :, without].tolist(), values[1][:, :, without].tolist())


def test_two_seeds_with_hidden_layers_give_two_rankers_whose_scores_are_averaged(folder, cache):
    result = rs.translation.translation_experiment(
        folder, "cv", pairs=[PAIR], hidden=(3,), cache=cache, **{**FEW, "seeds": 2, "losses": ["ListNet"]}
    )
    assert result.by_seed.shape == (2, 1, 2)
    assert len(set(result.by_seed[0, 0].tolist())) == 2
    assert result.signature().split(" | ")[:5] == ["translations, cv", "pairs:de-en", "seeds:2", "hidden:3", "folds:0"]
    assert mentions(render_result(result, "table", details=True), "each of 2 seeds")


@pytest.mark.parametrize("format_", RESULT_FORMATS)
def test_it_is_shown_in_every_format(found, format_):
    assert "RankNet +chrF" in render_result(found, format_)


def test_tests_are_written_as_a_table_too(found):
    rows = list(csv.DictReader(io.StringIO("".join(lines_of_tests(found)))))
    assert len(rows) == 2 * 2 * (1 + 2)  # directions, sets of features; listwise against pairwise, two baselines
    assert rows[0] | {"first": "ListNet", "second": "RankNet", "direction": "into English"} == rows[0]


def test_what_cannot_be_done_is_said_before_anything_is_read(tmp_path):
    for protocol, options, error in (
        ("wmt14", {}, "unknown protocol 'wmt14'"),
        ("cv", {"losses": ["listnett"]}, "unknown loss 'listnett'; did you mean ListNet"),
        ("cv", {"features": ["ten"]}, "features 'ten'"),
        ("cv", {"pairs": ["de-fr"]}, "WMT12 'de-fr'"),
    ):
        with pytest.raises(UnknownName, match=error):
            rs.translation.translation_experiment(tmp_path, protocol, **options)
    with pytest.raises(ParameterError, match="nothing to train"):
        rs.translation.translation_experiment(tmp_path, "cv", losses=[])
    with pytest.raises(ParameterError, match="nothing to test"):
        rs.translation.translation_experiment(tmp_path, "cv", pairs=[])
    with pytest.raises(ParameterError, match="seeds"):
        rs.translation.translation_experiment(tmp_path, "cv", seeds=0)


def test_folders_without_what_a_protocol_needs_are_refused(folder, cache):
    with pytest.raises(InputError, match=r"wmt11-maneval-indivsystems.*no such file"):
        rs.translation.translation_experiment(folder, "wmt11", cache=cache, **FEW)
    with pytest.raises(InputError, match=r"no judgments .*fr-en"):
        rs.translation.translation_experiment(folder, "cv", pairs=["fr-en", "de-en"], **FEW)
    with pytest.raises(InputError, match=r"sample-fr-en-train.*no such file"):
        rs.translation.translation_experiment(folder, "wmt13", **FEW)


def test_sets_of_features_are_those_that_the_features_module_names():
    assert set(FEATURE_SETS) == {"nine", "smoothed", "+chrF", "extended", "others"}
    assert len(FEATURE_SETS["nine"]) == 9
    assert set(FEATURE_SETS["extended"]) < set(FEATURE_SETS["others"]) < set(COLUMNS)


def test_what_depends_on_the_other_systems_is_in_units_of_their_spread():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 6, len(COMPUTED))).astype(np.float32)
    made = add_scaled_columns(values)
    assert made[:, :, : len(COMPUTED)].tolist() == values.tolist()
    alike, alike_mean, chrf_mean = np.moveaxis(made[:, :, len(COMPUTED) :].astype(float), -1, 0)
    raw = values[:, :, COMPUTED.index("consensus")].astype(float)
    assert alike == pytest.approx((raw - raw.mean(axis=0)) / raw.std(axis=0).mean(), abs=1e-6)
    for column, name in ((alike_mean, "consensus"), (chrf_mean, "chrF_unescaped")):
        means = values[:, :, COMPUTED.index(name)].astype(float).mean(axis=1)
        assert column == pytest.approx(np.tile(((means - means.mean()) / means.std())[:, None], 6), abs=1e-6)
    twice = add_scaled_columns(3 * values + 1)[:, :, len(COMPUTED) :]
    assert twice == pytest.approx(made[:, :, len(COMPUTED) :], abs=1e-4)  # whatever the scale
    assert not add_scaled_columns(values[:1])[:, :, -len(SCALED) :].any()  # a system alone


def test_systems_that_people_only_tied_leave_the_segment_tables_standing(tmp_path):
    folder = small_folder(tmp_path)
    path = folder / "wmt12/wmt12.RNK_results.csv"
    head, *rows = csv.reader(path.read_text().splitlines())
    chosen = head.index("system1rank")
    for i, row in enumerate(rows):
        for k in range(5):
            own = row[head.index("system1Id") + 2 * k]
            if i == 0:  # the only judgment of "brisk": no better and no worse than "apex"
                row[chosen + k] = "1" if own in ("brisk", "apex") else "-1"
            elif own == "brisk":
                row[chosen + k] = "-1"
    path.write_text("".join(",".join(row) + "\n" for row in [head, *rows]))
    found = rs.translation.translation_experiment(folder, "cv", **FEW)
    assert {row.table for row in found.records()} == {"2"}
    assert sum(mentions(note, "systems, into English", "de-en: ", "brisk") for note in found.notes) == 1
    assert "are not compared" in str(found)


def test_the_bar_moves_while_the_features_of_one_language_pair_are_found(tmp_path):
    folder, told = small_folder(tmp_path), []
    options = FEW | {"losses": ["RankNet"], "features": ["nine"], "cache": tmp_path / "kept", "reading": told.append}
    rs.translation.translation_experiment(folder, "cv", **options)
    assert len(told) > 10
    assert sum(told) == pytest.approx(1)
    assert max(told) < 0.5
    told.clear()
    rs.translation.translation_experiment(folder, "cv", **options)
    assert told == [1.0]


def test_small_data_are_trained_in_this_process_and_large_data_in_several(folder, cache, monkeypatch):
    counts = []

    def run_units(function, units, *, workers, progress):
        counts.append(workers)
        return map(function, units)

    settings = ExperimentSettings(
        protocol="cv", losses=("RankNet",), features=("nine",), seeds=1, n_resamples=10, pairs=(PAIR,)
    )
    monkeypatch.setattr(experiment, "run_units", run_units)
    monkeypatch.setattr("rankscope.parallel.run.all_cores", lambda: 3)
    for size, workers in ((experiment.WORTH_WORKERS, None), (1, None), (1, 2)):
        monkeypatch.setattr(experiment, "WORTH_WORKERS", size)
        run_experiment(folder, settings, cache=cache, workers=workers, guarded=True)
    assert counts == [1, 3, 2]
    with pytest.raises(ParameterError, match="workers is 0"):
        run_experiment("no such folder", settings, workers=0)
