"""MS MARCO's runs, `query document rank`: what they say, and what is no such run."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.strategies import DOC_IDS
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError


def lines(run: dict[str, list[str]], separator: str = "\t") -> str:
    return "".join(f"{q}{separator}{d}{separator}{i}\n" for q, docs in run.items() for i, d in enumerate(docs, 1))


def put(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "marco.tsv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("separator", ["\t", " "])
def test_ranks_become_scores_whose_order_is_theirs(tmp_path: Path, separator: str) -> None:
    path = put(tmp_path, lines({"1": ["7", "9"], "2": ["9"]}, separator))
    run = rs.read_run(path)
    assert run.name == "marco"
    assert run.frame().rows() == [("1", "7", -1.0), ("1", "9", -2.0), ("2", "9", -1.0)]


def test_the_mean_reciprocal_rank_is_that_of_the_leaderboard(tmp_path: Path) -> None:
    """1/2 for the second place, 0 for the eleventh, 0 for a query that the run lacks: what MRR@10 is there."""
    qrels = rs.Qrels({"1": {"9": 1}, "2": {"d11": 1}, "3": {"x": 1}})
    path = put(tmp_path, lines({"1": ["7", "9"], "2": [f"d{i}" for i in range(1, 12)]}))
    assert rs.evaluate(qrels, path, "RR@10").overall("RR@10") == pytest.approx((0.5 + 0 + 0) / 3)


@given(st.lists(st.sampled_from(DOC_IDS), unique=True, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_lines_in_any_order_are_the_same_run(
    tmp_path_factory: pytest.TempPathFactory, docs: list[str], random: object
) -> None:
    docs = [doc for doc in docs if not set(doc) & set(" \t\n\r\v\f")]
    text = lines({"1": docs or ["a"], "2": ["b", "c"]}).splitlines(keepends=True)
    random.shuffle(text)  # type: ignore[attr-defined]  # of hypothesis
    path = put(tmp_path_factory.mktemp("marco"), "".join(text))
    run = rs.read_run(path, input="msmarco")
    found = sorted((row[0], -row[2], row[1]) for row in run.frame().rows())
    assert [doc for query, _, doc in found if query == "1"] == (docs or ["a"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 a 7\n1 b 3\n", "marco.tsv:2: rank 3 of query '1'"),
        ("1 a 0\n1 b 1\n", "marco.tsv:1: rank 0 of query '1'"),
        ("1 a 1\n1 b 1\n", "marco.tsv:2: rank 1 of query '1'"),
        ("1 a 1\n2 a 1\n2 b 3\n", "marco.tsv:3: rank 3 of query '2'"),
        ("1 a 1\n1 b first\n", "marco.tsv:2: rank 'first'"),
        ("1 a 1\n1 a 2\n", "marco.tsv:2: document 'a' of query '1'"),
        ("1 a 1\n1 b\n", "marco.tsv:2: 2 fields, expected 3"),
    ],
    ids=["counts", "from 0", "twice", "a gap", "a word", "a document twice", "a short line"],
)
def test_what_is_no_such_run_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    with pytest.raises(InputError, match=f"{said.replace('.', '[.]')}"):
        rs.evaluate(qrels, put(tmp_path, text))


def test_numbers_that_fall_as_scores_do_are_no_ranks_unless_somebody_says_so(tmp_path: Path) -> None:
    path = put(tmp_path, "1 a 1\n2 a 3\n2 b 2\n2 c 1\n")
    with pytest.raises(InputError, match=r"falls .*scores"):
        rs.read_run(path)
    found = rs.read_run(path, input="msmarco").frame().rows()
    assert sorted(found) == [("1", "a", -1.0), ("2", "a", -3.0), ("2", "b", -2.0), ("2", "c", -1.0)]
    path.write_text("1 a 1\n1 b 2\n2 b 2\n2 c 1\n")  # no scores: these would fall everywhere
    assert len(rs.read_run(path).frame()) == 4


def test_such_lines_are_no_judgments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\b3 fields, .*\b4 \(query 0 document relevance\)"):
        rs.read_qrels(put(tmp_path, "1 a 1\n"))


def test_a_document_a_query_may_also_have_been_judged_with_1(tmp_path: Path) -> None:
    path, out = put(tmp_path, "1 a 1\n2 b 1\n"), tmp_path / "out.csv"
    with pytest.raises(ParameterError, match=r"ranks or judgments.*--kind"):
        rs.convert(path, out)
    assert not out.exists()
    rs.convert(path, out, input="msmarco")
    assert out.read_text() == "query_id,doc_id,score\n1,a,-1.0\n2,b,-1.0\n"
    rs.convert(path, tmp_path / "out.run")
    assert rs.read_run(path).frame().rows() == [("1", "a", -1.0), ("2", "b", -1.0)]


def test_they_can_be_converted(tmp_path: Path) -> None:
    assert rs.convert(put(tmp_path, lines({"1": ["7", "9"]})), tmp_path / "out.run") == ()
    assert (tmp_path / "out.run").read_text() == "1 Q0 7 1 -1.0 marco\n1 Q0 9 2 -2.0 marco\n"
