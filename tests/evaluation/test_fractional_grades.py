"""Grades that are no whole numbers: read from every format, measured as loops and other tools measure them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

import rankscope as rs
from rankscope import fusion, judging
from rankscope.cli.main import main
from rankscope.data.grades import as_grades
from rankscope.experiments import cross_validate
from rankscope.io.letor import label_qrels, read_labels
from rankscope.learning import Ranker, losses

Lists = dict[str, dict[str, float]]


def random_lists(seed: int, queries: int = 30, step: float = 0.0) -> tuple[Lists, Lists]:
    """Judgments with grades from -0.2 to 1.8, and a run without ties. step: grades are multiples of it, where given."""
    rng = np.random.default_rng(seed)
    qrels: Lists = {}
    run: Lists = {}
    for q in range(queries):
        docs = [f"d{i}" for i in rng.permutation(40)]
        grades = rng.uniform(-0.2, 1.8, 25)
        if step:
            grades = np.round(grades / step) * step
        qrels[f"q{q}"] = dict(zip(docs[:25], grades.tolist(), strict=True))
        listed = rng.permutation(docs)[:30]
        run[f"q{q}"] = {str(doc): float(score) for doc, score in zip(listed, rng.permutation(30), strict=True)}
    return qrels, run


QRELS, RUN = random_lists(7)
HIGHEST = max(grade for docs in QRELS.values() for grade in docs.values())


def ranked_grades(query: str) -> list[float | None]:
    """The grade of each document of the list; None without a judgment."""
    return [QRELS[query].get(doc) for doc in sorted(RUN[query], key=lambda doc: -RUN[query][doc])]


def gains(query: str) -> list[float]:
    return [max(grade or 0.0, 0.0) for grade in ranked_grades(query)]


def ideal(query: str) -> list[float]:
    return sorted((grade for grade in QRELS[query].values() if grade > 0), reverse=True)


def dcg(values: list[float]) -> float:
    return sum(gain / np.log2(rank + 1) for rank, gain in enumerate(values, 1))


def ndcg(query: str) -> float:
    return float(dcg(gains(query)[:10]) / dcg(ideal(query)[:10]))


def exponential(query: str) -> float:
    return float(dcg([2**gain - 1 for gain in gains(query)]))


def err(query: str) -> float:
    value, passed = 0.0, 1.0
    for rank, gain in enumerate(gains(query), 1):
        stop = (2**gain - 1) / 2**HIGHEST
        value, passed = value + passed * stop / rank, passed * (1 - stop)
    return value


def rbp(query: str) -> float:
    return 0.2 * sum(gain / HIGHEST * 0.8 ** (rank - 1) for rank, gain in enumerate(gains(query), 1))


def average_precision(query: str) -> float:
    found, total = 0, 0.0
    for rank, gain in enumerate(gains(query), 1):
        if gain >= 0.5:
            found += 1
            total += found / rank
    return total / sum(gain >= 0.5 for gain in ideal(query))


def q_measure(query: str) -> float:
    best, value, found, cumulated = ideal(query), 0.0, 0, 0.0
    for rank, gain in enumerate(gains(query), 1):
        if gain > 0:
            found, cumulated = found + 1, cumulated + gain
            value += (found + cumulated) / (rank + sum(best[:rank]))
    return value / len(best)


def sdcg(query: str) -> float:
    weights = [1 / np.log2(rank + 1) for rank in range(1, 6)]
    return float(sum(w * g / HIGHEST for w, g in zip(weights, gains(query), strict=False)) / sum(weights))


def compatibility(query: str) -> float:
    """RBO with the ideal list: positive grades, falling; within a grade the order of the list (here none are equal)."""
    listed = sorted(RUN[query], key=lambda doc: -RUN[query][doc])
    best = [doc for doc, grade in sorted(QRELS[query].items(), key=lambda item: -item[1]) if grade > 0]
    depth = max(len(listed), len(best))
    weight = [0.95 ** (d - 1) for d in range(1, depth + 1)]
    overlap = sum(w * len({*listed[:d]} & {*best[:d]}) / d for d, w in enumerate(weight, 1))
    return overlap / sum(w * min(d, len(best)) / d for d, w in enumerate(weight, 1))


LOOPS: dict[str, Callable[[str], float]] = {
    "nDCG@10": ndcg,
    "DCG(gain='exp')": exponential,
    "ERR": err,
    "RBP(p=0.8)": rbp,
    "AP(rel=0.5)": average_precision,
    "Q": q_measure,
    "SDCG@5": sdcg,
    "Compat(p=0.95)": compatibility,
}


@pytest.mark.parametrize("name", LOOPS)
def test_measures_of_fractions_are_those_of_loops(name: str) -> None:
    scores = rs.evaluate(QRELS, RUN, name)
    expected = [LOOPS[name](query) for query in scores.query_ids]
    np.testing.assert_allclose(scores.matrix(name)[0], expected, rtol=1e-12, atol=1e-14)


def test_grades_times_100_with_gains_divided_by_100_are_those_of_pytrec_eval() -> None:
    qrels, run = random_lists(3, step=0.01)
    hundreds = {q: {d: round(100 * grade) for d, grade in docs.items()} for q, docs in qrels.items()}
    theirs = pytrec_eval.RelevanceEvaluator(hundreds, {"ndcg", "ndcg_cut_10"}).evaluate(run)
    scores = rs.evaluate(qrels, run, ["nDCG", "nDCG@10"])
    for name, key in (("nDCG", "ndcg"), ("nDCG@10", "ndcg_cut_10")):
        expected = [theirs[query][key] for query in scores.query_ids]
        np.testing.assert_allclose(scores.matrix(name)[0], expected, rtol=1e-12)
    positive = {grade for docs in hundreds.values() for grade in docs.values() if grade > 0}
    divided = rs.parse_measure(f"DCG(gains={ {grade: grade / 100 for grade in positive} })@10")
    ours = rs.evaluate(hundreds, run, divided).values
    np.testing.assert_allclose(rs.evaluate(qrels, run, "DCG@10").values, ours, rtol=1e-12)


def test_tied_scores_are_averaged_as_in_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    relevance, scores = rng.uniform(0, 1, (20, 12)), rng.integers(0, 4, (20, 12)).astype(float)
    for name, k in (("nDCG", None), ("nDCG@5", 5)):
        ours = rs.evaluate_arrays(relevance, scores, name, ties="average").matrix(name)[0]
        theirs = [ndcg_score(r[None], s[None], k=k) for r, s in zip(relevance, scores, strict=True)]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


NAMES = ["nDCG@10", "nDCG", "AP(rel=0.5)", "P(rel=0.25)@5", "ERR", "RBP(p=0.8)", "Q", "SDCG@5", "bpref(rel=0.5)"]


@pytest.mark.parametrize("ties", ["file", "average"])
def test_arrays_have_the_numbers_of_dicts(ties: str) -> None:
    rng = np.random.default_rng(2)
    relevance, scores = rng.integers(-1, 9, (15, 20)) / 4, rng.integers(0, 9, (15, 20)).astype(float)
    names = [name for name in NAMES if not (ties == "average" and name[0] in "QSb")]
    ours = rs.evaluate_arrays(relevance, scores, names, ties=ties)
    rows = [str(i) for i in range(15)]
    qrels = {q: {f"{d:02}": float(g) for d, g in enumerate(row)} for q, row in zip(rows, relevance, strict=True)}
    run = {q: {f"{d:02}": float(s) for d, s in enumerate(row)} for q, row in zip(rows, scores, strict=True)}
    dicts = rs.evaluate(qrels, run, names, ties=ties)
    order = [dicts.query_ids.index(q) for q in ours.query_ids]
    np.testing.assert_allclose(ours.values, dicts.values[:, :, order], rtol=1e-13)
    for i, name in enumerate(names):  # the number of relevant documents is known where only the best grades are kept
        alone = rs.evaluate_arrays(relevance, scores, name, ties=ties)
        np.testing.assert_array_equal(alone.values[:, 0], ours.values[:, i])
        notes, those_of_dicts = alone.notes, rs.evaluate(qrels, run, name, ties=ties).notes
        if ties == "file":  # arrays are ranked as deep as the measure looks, which changes the share that is tied
            notes, those_of_dicts = notes[1:], those_of_dicts[1:]
        assert notes == those_of_dicts


def test_whole_numbers_written_as_floats_are_whole() -> None:
    qrels = rs.Qrels({"q": {"a": 1.0, "b": 0.0}})
    assert qrels.relevance.dtype == np.int64
    assert as_grades(np.array([1.0, -0.0, 0.5])).tobytes() == np.array([1.0, 0.0, 0.5]).tobytes()
    scores = rs.evaluate({"q": {"a": 1.0, "b": 0.25}}, {"q": {"a": 2.0}}, ["ERR", "AP(rel=1.0)", "P@5"], rel=1.0)
    assert "ERR[gmax:1]" in scores.signature()
    assert scores.measure_names == ("ERR", "AP(rel=1)", "P@5")
    assert "P@5[rel:1]" in scores.signature()


TABLE = [("q1", "a", 0.5), ("q1", "b", 0), ("q2", "a", 1), ("q2", "c", 0.25)]


def trec(path: Path) -> None:
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in TABLE))


def csv(path: Path) -> None:
    path.write_text("query_id,doc_id,relevance\n" + "".join(f"{q},{d},{g}\n" for q, d, g in TABLE))


def tsv(path: Path) -> None:
    path.write_text("query_id\tdoc_id\trelevance\n" + "".join(f"{q}\t{d}\t{g}\n" for q, d, g in TABLE))


def jsonl(path: Path) -> None:
    rows = [dict(zip(("query_id", "doc_id", "relevance"), row, strict=True)) for row in TABLE]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def json_dicts(path: Path) -> None:
    path.write_text(json.dumps({q: {d: g for p, d, g in TABLE if p == q} for q in ("q1", "q2")}))


def parquet(path: Path) -> None:
    pl.DataFrame(TABLE, schema=["query_id", "doc_id", "relevance"], orient="row", strict=False).write_parquet(path)


def letor(path: Path) -> None:
    path.write_text("".join(f"{g} qid:{q} 1:0 #docid = {d}\n" for q, d, g in TABLE))


WRITERS = [trec, csv, tsv, jsonl, json_dicts, parquet]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("suffix", ["qrels.trec", "csv", "jsonl", "json", "parquet"])
def test_a_file_of_fractions_is_judgments_and_converts_without_loss(
    write: Callable[[Path], None], suffix: str, tmp_path: Path
) -> None:
    path, target = tmp_path / "made", tmp_path / f"out.{suffix}"
    write(path)
    qrels = rs.read_qrels(path)
    assert qrels.frame().rows() == TABLE
    rs.convert(path, target, kind="qrels", to=suffix.rpartition(".")[2])
    assert rs.read_qrels(target).frame().rows() == TABLE
    if write != json_dicts:  # whose fractions may be scores
        rs.convert(path, target, to=suffix.rpartition(".")[2])
        assert rs.read_qrels(target).frame().rows() == TABLE
        with pytest.raises(rs.InputError):
            rs.read_run(path)


def test_labels_of_letor_may_be_fractions(tmp_path: Path) -> None:
    letor(tmp_path / "labels")
    assert label_qrels(read_labels(tmp_path / "labels")).frame().rows() == TABLE


def test_frames_and_columns_of_fractions_are_judgments() -> None:
    frame = pl.DataFrame(TABLE, schema=["query_id", "doc_id", "relevance"], orient="row", strict=False)
    for data in (frame, frame.to_dict(as_series=False), frame.to_arrow()):
        assert rs.Qrels(data).frame().rows() == TABLE
    by_subtopic = rs.Qrels({"q": {"1": {"a": 0.5}, "2": {"a": 0.75, "b": 0.25}}})
    assert sorted(by_subtopic.relevance.tolist()) == [0.25, 0.75]


@pytest.mark.parametrize("place", ["first", "last"])
def test_one_fraction_in_a_large_file_keeps_all_grades(place: str, tmp_path: Path) -> None:
    """Files are parsed block by block: the first fraction may come after blocks of whole numbers, or before."""
    n = 200_000
    grades = ["2"] * n
    grades[0 if place == "first" else -1] = "0.125"
    path = tmp_path / "made.qrels"
    path.write_text("".join(f"q{i // 100} 0 d{i} {grade}\n" for i, grade in enumerate(grades)))
    relevance = rs.read_qrels(path).frame()["relevance"]
    assert (relevance.len(), (relevance == 2).sum(), (relevance == 0.125).sum()) == (n, n - 1, 1)


@pytest.mark.parametrize("grade", ["nan", "inf", "1e999", "0x1", "1_0", "0.5.5", "99999999999999999999", "x", ""])
def test_what_is_no_number_is_refused_with_its_line(grade: str, tmp_path: Path) -> None:
    path = tmp_path / "made.qrels"
    path.write_text(f"q 0 a 0.5\nq 0 b {grade}\n")
    with pytest.raises(rs.InputError, match=r"made\.qrels:2: "):
        rs.read_qrels(path)


def test_judgments_that_differ_in_fractions_have_other_fingerprints() -> None:
    run = {"q": {"a": 1.0}}
    prints = {rs.evaluate({"q": {"a": grade, "b": 2}}, run, "nDCG").judgments() for grade in (0.5, 0.75, 0, 1)}
    assert len(prints) == 4


def test_a_level_above_every_grade_is_refused_with_what_to_say() -> None:
    qrels, run = {"q": {"a": 0.9, "b": 0.2}}, {"q": {"a": 1.0}}
    with pytest.raises(rs.ParameterError, match=r"AP: no document is judged 1 .*\(grades go up to 0\.9\).*--rel"):
        rs.evaluate(qrels, run, ["nDCG", "AP"])
    with pytest.raises(rs.ParameterError, match=r"P@5: no document is judged 3 or higher \(grades go up to 2\)"):
        rs.evaluate({"q": {"a": 2}}, run, "P@5", rel=3)
    with pytest.raises(rs.ParameterError, match="no document is judged 1 or higher"):
        rs.evaluate_arrays([[0.9, 0.2]], [[1, 2]], "AP")
    assert rs.evaluate(qrels, run, "AP", rel=0.5).overall("AP") == 1
    assert rs.evaluate(qrels, run, "nDCG").notes == ()
    assert rs.evaluate({"q": {"a": 0}}, run, "P@5").overall("P@5") == 0  # nothing is relevant, whatever the level


def test_fractions_below_the_level_that_nobody_said_are_counted_in_a_note() -> None:
    qrels, run = {"q": {"a": 1.5, "b": 0.2, "c": 0.75, "d": 0}}, {"q": {"a": 1.0}}
    (note,) = rs.evaluate(qrels, run, ["nDCG", "AP", "P(rel=0.5)@5"]).notes
    assert note.startswith("2 of 4 grades lie between 0 and 1: not relevant for AP (rel:1); ")
    assert rs.evaluate(qrels, run, "AP", rel=0.5).notes == ()
    (note,) = rs.evaluate_arrays([[1.5, 0.2]], [[1, 2]], "AP").notes
    assert note.startswith("1 of 2 grades lies between 0 and 1")


def test_bounds_of_unjudged_documents_take_the_highest_fraction() -> None:
    scores = rs.evaluate({"q": {"a": 1.5, "b": 0.5}}, {"q": {"x": 2.0, "a": 1.0}}, "DCG@2", unjudged="bounds")
    low, high = scores.bounds[:, 0, 0, 0]
    assert (low, high) == pytest.approx((1.5 / np.log2(3), 1.5 + 1.5 / np.log2(3)))


def test_trec_evals_face_says_that_it_cuts_fractions_and_refuses_them_in_other_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "made.run").write_text("q1 Q0 a 1 1.0 x\n")
    trec(tmp_path / "made.qrels")
    main(["trec_eval", "-c", str(tmp_path / "made.qrels"), str(tmp_path / "made.run")])
    assert "made.qrels: 2 grades that are no whole numbers are read as trec_eval reads them" in capsys.readouterr().err
    csv(tmp_path / "made.csv")
    with pytest.raises(SystemExit):
        main(["trec_eval", "-c", str(tmp_path / "made.csv"), str(tmp_path / "made.run")])
    error = capsys.readouterr().err
    assert "a document is judged 0.5" in error
    assert "rankscope evaluate" in error


@pytest.mark.parametrize(
    ("text", "grade"), [("1.0", 1), ("1e1", 10), ("25e-1", 2.5), ("+2", 2), ("-1.0", -1), (".5", 0.5)]
)
def test_a_grade_is_the_same_number_in_every_format(tmp_path: Path, text: str, grade: float) -> None:
    files = {
        "made.qrels": f"q 0 a {text}\n",
        "made.csv": f"query_id,doc_id,relevance\nq,a,{text}\n",
        "made.tsv": f"query_id\tdoc_id\trelevance\nq\ta\t{text}\n",
    }
    if text[0] not in "+.":  # which JSON does not write
        files["made.json"] = f'{{"q": {{"a": {text}}}}}'
        files["made.jsonl"] = f'{{"query_id": "q", "doc_id": "a", "relevance": {text}}}\n'
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        relevance = rs.read_qrels(tmp_path / name).relevance
        assert relevance.tolist() == [grade], name
        assert relevance.dtype == (np.int64 if grade == int(grade) else np.float64), name


def test_the_faces_of_other_tools_refuse_fractions() -> None:
    from rankscope.compat.pytrec_eval import RelevanceEvaluator, parse_qrel
    from rankscope.compat.ranx import Qrels

    with pytest.raises(TypeError, match=r"judged 0\.5.*rankscope\.evaluate"):
        RelevanceEvaluator({"q": {"a": 0.5}}, {"map"})
    with pytest.raises(ValueError, match=r"0\.5"):
        parse_qrel(["q 0 a 0.5"])
    with pytest.raises(rs.InputError, match=r"judged 0\.5.*rankscope\.evaluate"):
        Qrels({"q": {"a": 0.5}})


SMOOTH = ["approxndcg", "lambdaloss", "listmle", "listnet", "neuralndcg", "ranknet", "softmax_cross_entropy", "squared"]


@pytest.mark.parametrize("name", SMOOTH)
def test_losses_learn_from_fractions(name: str) -> None:
    """The gradient is that of the values, and fractions are not cut to whole numbers."""
    loss: Any = getattr(losses, name)
    scores, offsets = np.array([0.3, -0.2, 0.9, 0.1, 0.5]), np.array([0, 3, 5])
    relevance = np.array([0.25, 0.9, 0.5, 0.75, 0.1])
    value, gradient = loss(scores, relevance, offsets)
    assert value != loss(scores, np.floor(relevance), offsets)[0]
    if name != "lambdaloss":  # whose gradient is that of a bound
        above, below = (
            np.array([loss(scores + step, relevance, offsets)[0] for step in sign * 1e-6 * np.eye(5)])
            for sign in (1, -1)
        )
        slopes = (above - below) / 2e-6
        np.testing.assert_allclose(gradient, slopes, atol=1e-6)


@pytest.mark.parametrize("name", ["ordinal", "approxmrr"])
def test_a_loss_of_whole_grades_refuses_fractions(name: str) -> None:
    loss: Any = getattr(losses, name)
    with pytest.raises(rs.InputError, match=rf"judged 0\.5, and {name} takes whole numbers only"):
        loss(np.zeros(2), np.array([0.5, 1.0]), np.array([0, 2]))
    assert loss(np.zeros(2), np.array([0.0, 1.0]), np.array([0, 2]))[0] > 0


def test_features_keep_fractions_in_files_and_arrays(tmp_path: Path) -> None:
    letor(tmp_path / "labels")
    grades = [grade for _, _, grade in TABLE]
    features = rs.read_features(tmp_path / "labels")
    assert features.relevance.tolist() == grades
    for name in ("made.txt", "made.csv", "made.jsonl", "made.parquet"):
        rs.write_features(features, tmp_path / name)
        assert rs.read_features(tmp_path / name).relevance.tolist() == grades
        cached = [rs.read_features(tmp_path / name, cache=True).relevance.tolist() for _ in range(2)]
        assert cached == [grades, grades]
    whole = rs.Features.of(np.ones((2, 1)), [1.0, 0.0], sizes=[2])
    assert whole.relevance.dtype == np.int64
    with pytest.raises(rs.InputError, match="grade nan, expected a finite number"):
        rs.Features.of(np.ones((2, 1)), [1.0, float("nan")], sizes=[2])


def training_table() -> tuple[Any, Any, Any]:
    """Documents of 12 queries whose grades in [0, 1] rise with the first feature."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(96, 3))
    return values, np.round(1 / (1 + np.exp(-2 * values[:, 0])), 2), np.repeat(np.arange(12), 8)


LEARNERS = [
    *("listnet", "listmle", "ranknet", "ranksvm", "lambdarank", "lambdaloss", "approxndcg", "neuralndcg"),
    *("softmax_cross_entropy", "squared", "lambdamart(trees=20)", "lambdamart(trees=20, objective='ranknet')"),
]


@pytest.mark.parametrize("loss", LEARNERS)
def test_rankers_learn_from_grades_that_are_fractions_only(loss: str) -> None:
    """All grades but those of 0 would be cut to 0, from which nothing can be learned."""
    values, grades, queries = training_table()
    if "lambdamart" in loss:
        pytest.importorskip("lightgbm")
        ranker = Ranker(loss, rng=0)
    else:
        ranker = Ranker(loss, rng=0, hidden=(), epochs=30)
    ranker.fit(values, grades, qid=queries)
    scores = ranker.predict(values)
    lists = scores.reshape(12, 8), grades.reshape(12, 8)
    assert rs.evaluate_arrays(lists[1], lists[0], "nDCG").overall("nDCG") > 0.97


@pytest.mark.parametrize("name", SMOOTH)
def test_the_unit_of_grades_does_not_matter_where_a_loss_normalises_gains(name: str) -> None:
    if name not in ("lambdaloss", "softmax_cross_entropy", "approxndcg", "neuralndcg"):
        return
    loss: Any = getattr(losses, name)
    scores, offsets = np.array([0.3, -0.2, 0.9, 0.1, 0.5]), np.array([0, 3, 5])
    relevance = np.array([1.0, 0.0, 2.0, 0.0, 1.0])
    small = relevance / 8
    if name != "softmax_cross_entropy":  # gains are 2^grade - 1: these grades have gains an eighth as large
        small = np.log2(1 + (2**relevance - 1) / 8)
    value, gradient = loss(scores, relevance.astype(np.int64), offsets)
    small_value, small_gradient = loss(scores, small, offsets)
    assert small_value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(small_gradient, gradient, rtol=1e-11, atol=1e-15)


def test_a_level_above_all_grades_is_refused_where_rankers_are_chosen_and_tested() -> None:
    values, grades, queries = training_table()
    data = rs.Features.of(values, grades, queries)
    with pytest.raises(rs.ParameterError, match="stop_on: AP: no document is judged 3 or higher"):
        Ranker("squared", hidden=(8,), stop_on="AP", epochs=2).fit(data, eval_set=data, rel=3)
    with pytest.raises(rs.ParameterError, match="AP: no document is judged 1 or higher"):
        cross_validate(data, Ranker("squared", epochs=2), measures="AP", folds=3, seeds=1)
    result = cross_validate(data, Ranker("squared", epochs=2), measures=["AP", "nDCG@5"], folds=3, seeds=1, rel=0.5)
    assert result.grades_are_bins
    assert len(result.grades) <= 10
    assert result.rank_counts.sum() == 96


def test_judges_are_compared_grade_by_grade_where_fractions_are_few() -> None:
    whole, halves = {"q": {"a": 0, "b": 1, "c": 2}}, {"q": {"a": 0, "b": 0.5, "c": 2}}
    assert rs.agree_judgments(whole, halves).confusion.labels == (0, 0.5, 1, 2)
    many = {"q": {f"d{i}": i / 30 for i in range(30)}}
    with pytest.raises(rs.InputError, match="gave 30 different grades"):
        rs.agree_judgments(many, many)


def low_grades(seed: int, queries: int = 12) -> tuple[Lists, list[rs.Run]]:
    """Judgments with grades up to 0.75, and two runs."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(12)]
    qrels = {f"q{q}": {doc: float(rng.integers(0, 4)) / 4 for doc in docs} for q in range(queries)}
    lists = [{q: dict(zip(rng.permutation(docs).tolist(), range(12), strict=True)) for q in qrels} for _ in range(2)]
    runs = [rs.Run({q: {d: float(s) for d, s in x.items()} for q, x in run.items()}, name=f"r{i}") for i, run in
            enumerate(lists)]  # fmt: skip
    return qrels, runs


def test_a_level_above_all_grades_is_refused_in_pools_estimates_and_fusion() -> None:
    """All of them would find nothing relevant, and so 0 everywhere."""
    qrels, runs = low_grades(1)
    human = {q: docs for q, docs in qrels.items() if q not in ("q0", "q1", "q2")}
    calls: list[Callable[[float], Any]] = [
        lambda rel: judging.play_back(runs, qrels, "mtf", rel=rel),
        lambda rel: judging.leave_out(runs, qrels, "AP", rel=rel),
        lambda rel: judging.estimate(human, runs, qrels, "AP", rel=rel),
        lambda rel: fusion.train(qrels, runs, "prob-fuse", settings={"segments": [5]}, folds=3, rel=rel),
        lambda rel: fusion.train(qrels, runs, "comb-sum", measure="AP", folds=3, rel=rel),
    ]
    for call in calls:
        with pytest.raises(rs.RankscopeError, match=r"no document is judged 1 or higher \(grades go up to 0\.75\)"):
            call(1)
        call(0.5)


def test_pools_and_fusion_of_quarters_are_those_of_whole_grades() -> None:
    qrels, runs = low_grades(2)
    whole = {q: {d: int(4 * g) for d, g in docs.items()} for q, docs in qrels.items()}
    played, expected = (
        list(judging.play_back(runs, grades, ["mtf", "bandit"], rel=rel, rng=1).records())
        for grades, rel in ((qrels, 0.5), (whole, 2))
    )
    assert played == expected
    pooled, expected_pool = (
        judging.pool(runs, method="bandit", judged=grades, depth=8, budget=11, rel=rel)
        for grades, rel in (({"q0": qrels["q0"]}, 0.5), ({"q0": whole["q0"]}, 2))
    )
    assert list(pooled.records()) == list(expected_pool.records())
    for method in ("prob-fuse", "bayes-fuse", "map-fuse"):
        fused, expected_run = (
            fusion.train(grades, runs, method, measure="AP", folds=3, rel=rel).fuse(runs).frame()
            for grades, rel in ((qrels, 0.5), (whole, 2))
        )
        assert fused.rows() == expected_run.rows()


#: Rows of the files of `GRADE_COLUMNS`: with ids of a hundred letters more than one block of text.
N_ROWS = 12_000
QUERY_OF_ROW = [f"q{i // 200}" for i in range(N_ROWS)]
DOC_OF_ROW = [f"d{i % 200:0>100}" for i in range(N_ROWS)]
WHOLE_GRADES = np.random.default_rng(8).integers(-1, 4, N_ROWS)
GRADE_COLUMNS: dict[str, Any] = {
    "whole": WHOLE_GRADES,
    "fractions": WHOLE_GRADES / 4,
    "fractions at the end": np.where(np.arange(N_ROWS) < N_ROWS - 5, WHOLE_GRADES, WHOLE_GRADES / 4 + 0.125),
}
ROW_WRITERS = {"trec": trec, "csv": csv, "tsv": tsv, "jsonl": jsonl, "json": json_dicts, "parquet": parquet}


@pytest.fixture(scope="module")
def expected_values() -> dict[str, tuple[rs.Run, Any]]:
    """By kind of grades, the run and its values by judgments in dicts."""
    rng = np.random.default_rng(9)
    lists = {
        f"q{q}": {f"d{d:0>100}": float(-rank) for rank, d in enumerate(rng.permutation(200)[:20].tolist())}
        for q in range(N_ROWS // 200)
    }
    run = rs.Run(lists, name="run")
    values = {}
    for kind, grades in GRADE_COLUMNS.items():
        dicts: Lists = {query: {} for query in lists}
        for query, doc, grade in zip(QUERY_OF_ROW, DOC_OF_ROW, grades.tolist(), strict=True):
            dicts[query][doc] = grade
        values[kind] = run, rs.evaluate(dicts, run, NAMES)
    return values


@pytest.mark.parametrize("kind", GRADE_COLUMNS)
@pytest.mark.parametrize("format_name", [*ROW_WRITERS, "frame", "columns", "arrow"])
def test_every_reader_gives_the_same_values(
    format_name: str, kind: str, tmp_path: Path, expected_values: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole grades, fractions, and fractions only in the last lines, after blocks of whole grades."""
    run, expected = expected_values[kind]
    rows = list(zip(QUERY_OF_ROW, DOC_OF_ROW, GRADE_COLUMNS[kind].tolist(), strict=True))
    if format_name in ROW_WRITERS:
        monkeypatch.setattr(f"{__name__}.TABLE", rows)
        if format_name == "json":
            by_query: Lists = {}
            for query, doc, grade in rows:
                by_query.setdefault(query, {})[doc] = grade
            (tmp_path / "made").write_text(json.dumps(by_query))
        else:
            ROW_WRITERS[format_name](tmp_path / "made")
        qrels: Any = tmp_path / "made"
    else:
        frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row", strict=False)
        qrels = {"frame": frame, "arrow": frame.to_arrow(), "columns": frame.to_dict(as_series=False)}[format_name]
    scores = rs.evaluate(qrels, run, NAMES)
    assert scores.query_ids == expected.query_ids
    assert scores.values.tobytes() == expected.values.tobytes()
    assert (scores.fingerprint, scores.signature()) == (expected.fingerprint, expected.signature())
