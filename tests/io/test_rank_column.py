"""A note where the scores of a run rise with its column of ranks, as where ranks were written as scores."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.io.core import open_source
from rankscope.io.rank_column import column_note, rising_score_note

Row = tuple[str, str, int, float]
QRELS = {f"q{q}": {f"d{q}.1": 1} for q in range(4)}


def rows(score: Callable[[int], float], depth: int = 8) -> list[Row]:
    return [(f"q{q}", f"d{q}.{rank}", rank, score(rank)) for q in range(4) for rank in range(1, depth + 1)]


def trec(lines: list[Row]) -> bytes:
    return "".join(f"{q} Q0 {doc} {rank} {score} tag\n" for q, doc, rank, score in lines).encode()


def table(lines: list[Row], separator: str) -> bytes:
    header = separator.join(("query_id", "Score", "doc_id", "rank"))
    body = (separator.join((q, str(score), doc, str(rank))) for q, doc, rank, score in lines)
    return "\n".join([header, *body, ""]).encode()


def jsonl(lines: list[Row]) -> bytes:
    names = ("query_id", "doc_id", "rank", "score")
    return "".join(json.dumps(dict(zip(names, line, strict=True))) + "\n" for line in lines).encode()


FILES: dict[str, Callable[[list[Row]], bytes]] = {
    "run.trec": trec,
    "run.trec.gz": lambda lines: gzip.compress(trec(lines)),
    "run.csv": lambda lines: table(lines, ","),
    "run.tsv": lambda lines: table(lines, "\t"),
    "run.jsonl": jsonl,
}


def rank_notes(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if "rise with the rank column" in note]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("score", [float, lambda rank: 0.1 * rank - 7])
def test_ranks_and_distances_as_scores_are_noted_in_every_format(
    tmp_path: Path, name: str, score: Callable[[int], float]
) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name](rows(score)))
    scores = rs.evaluate(QRELS, path, "RR")
    (note,) = rank_notes(scores.notes)
    assert note.startswith(str(path))
    assert "change their sign" in note
    assert scores.overall("RR") == 1 / 8  # the value itself is what the scores say
    assert rank_notes(rs.read_run(path).notes) == [note]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("score", [lambda rank: 9 - rank, lambda rank: 1 / rank, lambda rank: 1.0])
def test_scores_that_fall_or_tie_are_not(tmp_path: Path, name: str, score: Callable[[int], float]) -> None:
    (tmp_path / name).write_bytes(FILES[name](rows(score)))
    assert rank_notes(rs.evaluate(QRELS, tmp_path / name, "RR").notes) == []


def note_of(content: bytes) -> str:
    return rising_score_note(open_source(io.BytesIO(content), "run", None))


def test_nearly_all_lines_have_to_rise() -> None:
    right, wrong = rows(lambda rank: 99 - rank), rows(float)
    assert note_of(trec(wrong))
    assert not note_of(trec(right[:16] + wrong[16:]))
    wrong[3] = (*wrong[3][:3], -1.0)  # one of 28 neighbours falls
    assert note_of(trec(wrong))
    wrong[20] = (*wrong[20][:3], -1.0)  # two do, more than 5 %
    assert not note_of(trec(wrong))


def column_note_of(content: bytes) -> str:
    return column_note(open_source(io.BytesIO(content), "run", None))


def test_swapped_columns_of_rank_and_score_get_a_note(tmp_path: Path) -> None:
    lines = [(q, doc, 20.5 - rank, rank) for q, doc, rank, _ in rows(float)]
    assert mentions(column_note_of(trec(lines)), "rank and score seem to be swapped")
    (tmp_path / "swapped.run").write_bytes(trec(lines))
    assert mentions(rs.evaluate(QRELS, tmp_path / "swapped.run", "RR").notes, "swapped.run", "swap them")
    assert not column_note_of(trec([(q, doc, rank, 9 - rank) for q, doc, rank, _ in rows(float)]))
    # The worst first, with whole ranks and scores: as it should be.
    assert not column_note_of(trec([(q, doc, 9 - rank, rank) for q, doc, rank, _ in rows(float)]))
    assert not column_note_of(trec(lines[:8]))  # of one query, 7 steps


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"q1\tQ0\td 1\t1\t3.5\ttag\n", True),
        (b"q1\tQ0\td1\t1\t3.5\tmy tag\n", False),
        (b"q1 Q0 d 1 1 3.5 tag\n", True),
        (b"q1 Q0 d1 1 3.5 my tag\n", False),
    ],
)
def test_ids_with_blanks_get_a_note(line: bytes, expected: bool) -> None:
    assert mentions(column_note_of(b"q1 Q0 d0 1 4.5 tag\n" + line), "ids hold blanks") == expected


def test_few_lines_and_a_constant_rank_column_say_nothing() -> None:
    assert not note_of(trec(rows(float, depth=3)))
    assert not note_of(trec([(q, doc, 0, score) for q, doc, _, score in rows(float)]))


def test_the_order_of_the_lines_does_not_matter() -> None:
    lines = rows(float)
    random.Random(3).shuffle(lines)
    assert note_of(trec(lines))
    assert not note_of(trec([(q, doc, rank, -score) for q, doc, rank, score in lines]))


@pytest.mark.usefixtures("forked_workers")
def test_a_folder_and_pieces_of_workers_have_the_note_once(tmp_path: Path) -> None:
    lines = rows(float)
    for part, chosen in enumerate((lines[:16], lines[16:])):
        (tmp_path / f"part-{part}.run").write_bytes(trec(chosen))
    assert len(rank_notes(rs.evaluate(QRELS, tmp_path, "RR").notes)) == 1
    large = tmp_path.parent / f"{tmp_path.name}-large.run"
    many = [(f"q{q}", f"d{q}.{rank}", rank, float(rank)) for q in range(4000) for rank in range(1, 41)]
    large.write_bytes(trec(many))
    serial, parallel = (rs.evaluate(QRELS, large, "RR", workers=n).notes for n in (1, 2))
    assert len(rank_notes(serial)) == 1
    assert serial == parallel


@given(
    st.binary(max_size=200), st.sampled_from([b"q Q0 d 1 1 t\n", b"query_id,doc_id,rank,score\n", b'{"query_id": 1}\n'])
)
@examples(60)
def test_whatever_follows_a_first_line_raises_nothing_but_an_error_of_the_reader(junk: bytes, first: bytes) -> None:
    try:
        source = open_source(io.BytesIO(first + junk), "run", None)
    except rs.RankscopeError:
        return
    assert isinstance(column_note(source), str)
