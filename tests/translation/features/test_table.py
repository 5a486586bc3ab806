"""Tables of features as files, and as lists to learn from."""

import gzip

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import MetricScores, PairScores, Rankings, read_features
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError
from rankscope.translation import TranslationFeatures, judged_lists, write_translation_features
from rankscope.translation.features import column_of_scores, features_by_segment

SYSTEMS, SEGMENTS = ("A", "B", "C"), ("1", "2")
VALUES = np.arange(12, dtype=np.float64).reshape(3, 2, 2) / 7


def table(pair="de-en", **more):
    return TranslationFeatures(
        **{"pair": pair, "systems": SYSTEMS, "segments": SEGMENTS, "names": ("x", "y"), "values": VALUES} | more
    )


def judgments(pairs, lists, segments):
    """Judgments with the pair and the segment of each."""
    found = Rankings.of(lists)
    return Rankings(**{**vars(found), "pair": Labels.of(pairs), "segment": Labels.of(segments)})


READERS = {
    "csv": lambda path: pl.read_csv(path, schema_overrides={"segment": pl.String}),
    "tsv": lambda path: pl.read_csv(path, separator="\t", schema_overrides={"segment": pl.String}),
    "jsonl": pl.read_ndjson,
    "parquet": pl.read_parquet,
}


@pytest.mark.parametrize("form", READERS)
def test_tables_keep_every_bit_and_stand_under_each_other(tmp_path, form):
    path = tmp_path / f"features.{form}"
    assert write_translation_features([table(), table("en-de")], path) == ()
    found = READERS[form](path)
    assert found.columns == ["pair", "system", "segment", "x", "y"]
    assert_same_bits(found.rows(), [*table().records(), *table("en-de").records()])


def test_a_further_suffix_compresses(tmp_path):
    for name in ("f.csv", "f.csv.gz"):
        write_translation_features([table()], tmp_path / name)
    assert gzip.decompress((tmp_path / "f.csv.gz").read_bytes()) == (tmp_path / "f.csv").read_bytes()


def test_svmlight_has_a_list_a_segment(tmp_path):
    path = tmp_path / "features.txt"
    assert "are not kept" in write_translation_features([table(), table("")], path)[0]
    found = read_features(path, dtype="float64")
    assert found.query_ids == ("de-en:1", "de-en:2", "1", "2")
    assert found.doc_ids == [*SYSTEMS] * 4
    assert found.values[:3].tolist() == VALUES[:, 0].tolist()
    assert features_by_segment([table()]).values.tolist() == [VALUES[s, i].tolist() for i in range(2) for s in range(3)]


def test_tables_with_other_features_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"en-de: x, .*x and y .*de-en"):
        write_translation_features([table(), table("en-de").select(["x"])], tmp_path / "a.csv")
    with pytest.raises(ParameterError, match="there are no tables"):
        features_by_segment([])


# Lists to learn from


def test_a_judgment_is_a_list_and_the_best_rank_the_highest_grade():
    found = judged_lists(table(), Rankings.of([{"A": 1, "B": 5}, {"C": 2, "A": 2, "B": 1}]))
    assert found.query_ids == ("de-en:1:1", "de-en:2:2")
    assert found.doc_ids == ["A", "B", "C", "A", "B"]
    assert found.relevance.tolist() == [2, 0, 1, 1, 2]  # ranks 1, 2 and 5 occur
    assert found.values.tolist() == [VALUES[s, i].tolist() for s, i in ((0, 0), (1, 0), (2, 1), (0, 1), (1, 1))]
    assert found.notes == ()


def test_what_was_not_ranked_is_left_out_and_counted():
    found = judged_lists(table(), judgments([""] * 3, [{"A": 1, "B": None}, {"A": 1, "B": None, "C": 2}, {}], "122"))
    assert found.doc_ids == ["A", "C"]
    assert len(found.notes) == 1
    assert mentions(found.notes, 2, "two translations")


def test_judgments_of_other_pairs_are_left_out():
    given = judgments(["de-en", "en-de"], [{"A": 1, "B": 2}, {"X": 1, "Y": 2}], "11")
    assert judged_lists(table(), given).query_ids == ("de-en:1:1",)
    with pytest.raises(InputError, match=r"fr-en; .*de-en and en-de"):
        judged_lists(table("fr-en"), given)


def test_systems_and_segments_that_are_not_there_are_named():
    with pytest.raises(InputError, match=r"X, .*A, B and C"):
        judged_lists(table(), Rankings.of([{"A": 1, "X": 2}]))
    with pytest.raises(InputError, match=r"'9' .*\b2 segments"):
        judged_lists(table(), judgments([""], [{"A": 1, "B": 2}], "9"))
    with pytest.raises(InputError, match=r"de-en .*two translations"):
        judged_lists(table(), Rankings.of([{"A": 1}]))


# Scores of metrics as features


def test_scores_come_in_the_order_of_the_systems():
    scores = MetricScores("m", {"": PairScores.of({"C": [3, 6], "A": [1, 4], "B": [2, 5], "D": [0, 0]})})
    assert column_of_scores(scores, "de-en", SYSTEMS, 2).tolist() == [[1, 4], [2, 5], [3, 6]]


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ({"fr-en": {"A": [1, 2]}}, "none of de-en, .*fr-en"),
        ({"de-en": {"A": [1, 2]}}, "none of B and C; .*A"),
        ({"de-en": {"A": [1, 2], "B": [1, None], "C": [1, 2]}}, "1 output .*B, segment 2"),
        ({"de-en": {"A": [1], "B": [1], "C": [1]}}, "3 outputs .*A, segment 2"),
    ],
)
def test_scores_that_are_missing_are_named(pairs, said):
    scores = MetricScores("m", {pair: PairScores.of(values) for pair, values in pairs.items()})
    with pytest.raises(InputError, match=said):
        column_of_scores(scores, "de-en", SYSTEMS, 2)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"names": ("x", "x")}, "two columns .*'x'"),
        ({"names": ("x", "system")}, "two columns .*'system'"),
        ({"names": ("x",)}, r"\(3, 2, 2\), .*\(3, 2, 1\)"),
        ({"values": np.full((3, 2, 2), np.inf)}, "'x' .*'A', segment 1 .*inf"),
    ],
)
def test_tables_that_do_not_fit_are_refused(more, said):
    with pytest.raises(InputError, match=said):
        table(**more)
