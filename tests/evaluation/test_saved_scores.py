"""Saved scores: what is read is what was written, other programs can read it too, and nothing else is taken for it."""

from __future__ import annotations

import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from helpers.properties import examples
from helpers.strategies import Case, cases
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rankscope as rs
from rankscope import Scores, read_scores, write_scores
from rankscope.errors import InputError, OutputError, ParameterError
from rankscope.evaluation import saved_scores as saved
from rankscope.evaluation.foreign_measure import ForeignMeasure
from rankscope.evaluation.read_scores import read_baseline
from rankscope.evaluation.saved_scores import check_save
from rankscope.evaluation.scoring import Fingerprint
from rankscope.measures import MEASURES

QRELS = {"1": {"a": 1}, "2": {"a": 1, "b": 2}, "3": {"a": 0}}
GOOD = rs.Run({"1": {"a": 2.0, "x": 1.0}, "2": {"a": 3.0, "b": 2.0}, "3": {"a": 1.0}}, name="good")
POOR = rs.Run({"1": {"x": 2.0, "a": 1.0}}, name="poor")


def both(measures: Any = ("RR", "nDCG@10", "MeanRank"), **options: Any) -> Scores:
    return rs.evaluate(QRELS, [GOOD, POOR], list(measures), **options)


def assert_same(a: Scores, b: Scores) -> None:
    """In every field, bit by bit."""
    for field in fields(Scores):
        one, other = getattr(a, field.name), getattr(b, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), field.name
            if one.dtype.kind == "f":
                assert np.array_equal(np.signbit(one[one == 0]), np.signbit(other[other == 0]))
        elif field.name != "judgments":
            assert one == other, field.name
    assert a.fingerprint == b.fingerprint
    assert a.signature() == b.signature()
    assert str(a) == str(b)


def saved_and_read(scores: Scores, folder: Path) -> Scores:
    write_scores(scores, folder / "s.parquet")
    return read_scores(folder / "s.parquet")


@pytest.mark.parametrize(
    "options", [{}, {"missing": "drop", "no_relevant": "drop"}, {"unjudged": "bounds"}, {"preset": "gdeval"}]
)
def test_what_is_read_is_what_was_written(tmp_path: Path, options: dict[str, str]) -> None:
    scores = both(("nDCG@20", "ERR@20") if "preset" in options else ("map", "RR", "MeanRank"), **options)
    again = saved_and_read(scores, tmp_path)
    assert_same(scores, again)
    assert all(isinstance(measure, rs.Measure) for measure in again.measures)
    assert again.matrix("map" if "preset" not in options else "ERR@20").shape == (2, 3)


def test_numbers_and_flags_of_any_kind_come_back_bit_by_bit(tmp_path: Path) -> None:
    """Infinities, 0 and -0, tiny numbers, missing lists, undefined queries, bounds; no queries at all."""
    measures = tuple(rs.parse_measures(["RR", "AP"]))
    numbers = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)

    @given(data=st.data(), systems=st.integers(1, 3), queries=st.integers(0, 4), bounded=st.booleans())
    @examples(40)
    def check(data: st.DataObject, systems: int, queries: int, bounded: bool) -> None:
        def draw(dtype: Any, shape: tuple[int, ...]) -> Any:
            return data.draw(hnp.arrays(dtype, shape, elements=numbers if dtype is np.float64 else None))

        names = data.draw(st.lists(st.text(min_size=1), min_size=systems, max_size=systems, unique=True))
        scores = Scores(
            systems=tuple(name.encode("utf-8", "replace").decode() for name in names),
            measures=measures,
            query_ids=tuple(f"q\udcff{i}" for i in range(queries)),
            values=draw(np.float64, (systems, 2, queries)),
            missing=draw(np.bool_, (systems, queries)),
            undefined=draw(np.bool_, (2, queries)),
            bounds=draw(np.float64, (2, systems, 2, queries)) if bounded else None,
            measure_settings=({"rel": "1"}, {}),
            notes=("a note", "ü\udc80"),
            version="0.0.1",
        )
        again = saved_and_read(scores, tmp_path)
        for name in ("values", "missing", "undefined", "bounds"):
            one, other = getattr(scores, name), getattr(again, name)
            assert (one is None) == (other is None)
            if one is not None and one.dtype == np.float64:
                assert (
                    np.where(np.isnan(one), np.nan, one).tobytes() == np.where(np.isnan(other), np.nan, other).tobytes()
                )
            elif one is not None:
                assert np.array_equal(one, other)
        kept = ("systems", "query_ids", "measure_settings", "notes", "version", "settings")
        assert all(getattr(scores, name) == getattr(again, name) for name in kept)

    check()


@given(case=cases())
@examples(25)
def test_whatever_was_evaluated_comes_back(tmp_path: Path, case: Case) -> None:
    scores = rs.evaluate(case.qrels, case.run, ["nDCG@3", "MeanRank", "GMAP"], missing="drop")
    assert_same(scores, saved_and_read(scores, tmp_path))


def test_names_that_are_no_utf8_come_back_and_are_replaced_in_the_table(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"\xff1 0 a 1\n\xc3\xbc 0 a 1\n")
    (tmp_path / "run").write_bytes(b"\xff1 Q0 a 1 2.5 \xfetag\n")
    scores = rs.evaluate(tmp_path / "qrels", tmp_path / "run", "RR")
    again = saved_and_read(scores, tmp_path)
    assert (again.systems, again.query_ids) == (("\udcfetag",), ("ü", "\udcff1"))
    table = pl.read_parquet(tmp_path / "s.parquet")
    assert table["query"].to_list() == ["ü", "\ufffd1"]
    assert table["system"].to_list() == ["\ufffdtag"] * 2


def test_other_programs_find_the_tidy_table(tmp_path: Path) -> None:
    scores = both(("RR", "P@2"), missing="drop", unjudged="bounds")
    write_scores(scores, tmp_path / "s.parquet")
    expected = scores.frame()
    table = pl.read_parquet(tmp_path / "s.parquet")
    flags = ("missing", "undefined", "judgment_hash")
    assert table.columns == ["system", "measure", "query", "value", "low", "high", *flags]
    assert table.select(expected.columns).equals(expected)
    assert table.filter(system="poor", measure="RR")["missing"].to_list() == [False, True, True]
    assert table.filter(system="poor", measure="RR")["undefined"].to_list() == [False, False, True]
    arrow = pq.read_table(tmp_path / "s.parquet").to_pandas()
    assert arrow["value"].isna().sum() == table["value"].null_count() == 2 * 2
    assert pq.read_metadata(tmp_path / "s.parquet").metadata[b"rankscope"].startswith(b'{"form": 1, "version": "')


def test_a_measure_of_somebody_elses_is_known_by_its_name(tmp_path: Path, own_measures: None) -> None:
    @rs.define_measure("Late", range=(0, 9), higher_is_better=False)
    def late(hits: rs.Hits, *, cutoff: int = 3) -> Any:
        """Is not read."""
        return np.arange(len(hits), dtype=float)

    scores = both(("Late@5", "RR"))
    assert isinstance(saved_and_read(scores, tmp_path).measures[0], MEASURES["Late"])
    del MEASURES["Late"]
    again = read_scores(tmp_path / "s.parquet")
    assert again.measures[0] == ForeignMeasure(name="Late@5", summary="mean", higher_is_better=False)
    assert again.overall("Late@5", "good") == (0 + 1 + 2) / 3
    assert again.measure_names == scores.measure_names
    write_scores(again, tmp_path / "twice.parquet")
    assert_same(again, read_scores(tmp_path / "twice.parquet"))


def test_a_measure_that_is_another_one_here_is_not_taken_for_it(tmp_path: Path, own_measures: None) -> None:
    @rs.define_measure("Mine", summary="sum")
    def mine(hits: rs.Hits) -> Any:
        """Is not read."""
        return np.ones(len(hits))

    write_scores(both(("Mine",)), tmp_path / "s.parquet")
    rs.define_measure("Mine", summary="mean")(lambda hits: np.zeros(len(hits)))
    assert read_scores(tmp_path / "s.parquet").overall("Mine", "good") == 3


def test_scores_in_memory_and_read_ones_can_be_pickled(tmp_path: Path) -> None:
    for scores in (both(), saved_and_read(both(), tmp_path)):
        assert_same(scores, pickle.loads(pickle.dumps(scores)))


# What is refused


@pytest.mark.parametrize("name", ["s", "s.csv", "s.parquet.gz", "-", ".json"])
def test_scores_are_saved_as_parquet_only(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match=r"Parquet.* \.parquet$"):
        write_scores(both(), tmp_path / name if name != "-" else name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_saved_to_is_refused_before_the_work(
    tmp_path: Path,
) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        check_save(tmp_path / "nowhere" / "s.parquet")
    run = tmp_path / "run.parquet"
    run.write_bytes(b"")
    with pytest.raises(ParameterError, match="overwritten"):
        check_save(run, ["qrels", run])
    with pytest.raises(ParameterError, match=r"saved scores .*both"):
        check_save(tmp_path / "s.PARQUET", output=tmp_path / "x" / ".." / "s.PARQUET")


def test_scores_without_systems_or_measures_are_refused(tmp_path: Path) -> None:
    values, flags = np.empty((0, 0, 0)), np.empty((0, 0), np.bool_)
    scores = Scores(systems=(), measures=(), query_ids=(), values=values, missing=flags, undefined=flags)
    with pytest.raises(ParameterError, match="without a system"):
        write_scores(scores, tmp_path / "s.parquet")


def test_writing_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scores(both(("RR",)), tmp_path / "s.parquet")
    before = (tmp_path / "s.parquet").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OutputError, match="No space left"):
        write_scores(both(("AP",)), tmp_path / "s.parquet")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def one_line(path: Path, says: str) -> None:
    with pytest.raises(InputError, match=says) as error:
        read_scores(path)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(path))


def test_a_file_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.5 tag\n")
    one_line(tmp_path / "a.run", "a.run:1: one column only .*expected commas")
    pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}).write_parquet(tmp_path / "run.parquet")
    one_line(tmp_path / "run.parquet", "a column of documents .*expected scores")
    one_line(tmp_path / "nothing.parquet", "no such file")


def test_scores_of_a_later_form_are_refused(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "s.parquet", metadata={"rankscope": '{"form": 2}'})
    one_line(tmp_path / "s.parquet", "form 2, .*form 1; ")


@pytest.mark.parametrize("about", ["{", "[]", '{"form": "x"}', '{"form": 1}', '{"form": 1, "systems": 3}'])
def test_metadata_that_nobody_wrote_is_damage(tmp_path: Path, about: str) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "s.parquet", metadata={"rankscope": about})
    one_line(tmp_path / "s.parquet", "the file is damaged")


def test_a_changed_table_or_description_is_damage(tmp_path: Path) -> None:
    write_scores(both(), tmp_path / "s.parquet")
    about = pl.read_parquet_metadata(tmp_path / "s.parquet")["rankscope"]
    table = pl.read_parquet(tmp_path / "s.parquet")
    changes = (
        (table.with_columns(value=pl.col("value") + 1e-16), about),
        (table.reverse(), about),
        (table.head(-1), about),
        (table.drop("missing"), about),
        (table, about.replace("doc_id_desc", "file")),
        (table, about.replace('"good"', '"best"')),
    )
    for changed, said in changes:
        changed.write_parquet(tmp_path / "x.parquet", metadata={"rankscope": said})
        one_line(tmp_path / "x.parquet", "the file is damaged")
    table.write_parquet(tmp_path / "x.parquet", metadata={"rankscope": about}, compression="snappy")
    assert_same(read_scores(tmp_path / "x.parquet"), both())


def test_a_damaged_file_is_never_taken_for_the_scores(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One bit turned, or the end cut off: the same scores (a bit that plays no part), or one clear line."""
    scores = both()
    write_scores(scores, tmp_path / "s.parquet")
    content = (tmp_path / "s.parquet").read_bytes()
    rng = np.random.default_rng(1)
    refused = []
    for i in range(200):
        damaged = bytearray(content)
        at = int(rng.integers(4, len(content)))
        if i % 4:
            damaged[at] ^= 1 << int(rng.integers(8))
        else:
            del damaged[at:]
        (tmp_path / "x.parquet").write_bytes(damaged)
        try:
            assert_same(read_scores(tmp_path / "x.parquet"), scores)
        except InputError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert not any("\n" in line for line in refused)
    capfd.readouterr()  # polars prints its panics


# Saved scores or a run


def test_a_baseline_is_told_from_a_run(tmp_path: Path) -> None:
    write_scores(both(), tmp_path / "s.parquet")
    found = read_baseline(tmp_path / "s.parquet")
    assert found is not None
    assert_same(found, both())
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.5 tag\n")
    (tmp_path / "empty").write_text("")
    pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}).write_parquet(tmp_path / "run.parquet")
    for name in ("a.run", "empty", "run.parquet", "nothing"):
        assert read_baseline(tmp_path / name) is None
    assert read_baseline("-") is None


def test_a_table_of_scores_that_another_program_wrote_is_no_run(tmp_path: Path) -> None:
    both().frame().write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"table of scores, .*saved"):
        read_baseline(tmp_path / "t.parquet")


# Fingerprints


def fingerprint(qrels: Any, run: Any = None) -> str:
    return rs.evaluate(qrels, run or {"1": {"a": 1.0}}, "RR").fingerprint


def test_the_same_judgments_have_one_fingerprint_however_they_came(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("2 0 b 2\n3 0 a 0\n1 0 a 1\n2 0 a 1\n")
    columns = {"query_id": list("2213"), "doc_id": list("abaa"), "relevance": [1, 2, 1, 0]}
    found = {fingerprint(qrels) for qrels in (QRELS, rs.Qrels(QRELS), tmp_path / "qrels", columns)}
    assert len(found) == 1
    assert fingerprint(QRELS, {"2": {"b": 1.0}}) in found
    assert rs.Evaluator(QRELS, "AP", unjudged="skip")(POOR).fingerprint in found
    assert len(found.pop()) == 32


@pytest.mark.parametrize(
    "other",
    [
        {**QRELS, "3": {"a": 1}},
        {**QRELS, "2": {"a": 1, "b": 2, "c": 0}},
        {"1": QRELS["1"], "2": QRELS["2"]},
        {"1": QRELS["1"], "2": QRELS["2"], "33": QRELS["3"]},
        {"1": {"a": 1, "b": 1}, "2": {"b": 2}, "3": {"a": 0}},
        {**QRELS, "3": {"a": -1}},
    ],
)
def test_other_judgments_have_another_fingerprint(other: Any) -> None:
    assert fingerprint(other) != fingerprint(QRELS)


def test_ids_that_run_into_one_another_are_told_apart() -> None:
    empty, edges = np.zeros(0, np.int64), np.zeros(3, np.int64)
    texts = {Fingerprint(ids, empty, edges).text for ids in (("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc"))}
    assert len(texts) == 4


def test_fingerprints_are_computed_when_asked_for_and_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = Fingerprint.text.func
    monkeypatch.setattr(Fingerprint.text, "func", lambda self: asked.append(1) or real(self))
    evaluator = rs.Evaluator(QRELS, "RR")
    scores = [evaluator(run) for run in (GOOD, POOR, GOOD)]
    assert asked == []
    assert len({one.fingerprint for one in scores}) == 1
    assert asked == [1]


def test_arrays_have_no_fingerprint(tmp_path: Path) -> None:
    scores = rs.evaluate_arrays([[1, 0]], [[0.5, 0.2]], "RR")
    assert scores.fingerprint == ""
    assert_same(scores, saved_and_read(scores, tmp_path))


def test_the_form_of_the_file_is_written_down() -> None:
    """A change of what is saved needs a new number, so that an older rankscope says so."""
    about = saved.describe_scores(both())
    assert set(about) == {
        *("form", "version", "systems", "measures", "measure_settings", "query_ids", "settings", "notes", "asked"),
        *("judgments", "unjudged_systems"),
    }
    assert saved.FORMAT_VERSION == 1
    text = dict.fromkeys(("system", "measure", "query"), pl.String)
    assert saved.tidy_score_frame(both()).schema == {
        **text,
        "value": pl.Float64,
        "missing": pl.Boolean,
        "undefined": pl.Boolean,
        "judgment_hash": pl.UInt64,
    }


@pytest.mark.parametrize("given", [5, None, "scores", {"RR": 0.5}])
def test_what_are_no_scores_is_not_saved(given: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=f"^a {type(given).__name__} "):
        write_scores(given, tmp_path / "s.parquet")
    assert list(tmp_path.iterdir()) == []
