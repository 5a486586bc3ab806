"""Whatever the bytes are, a reader gives a result or one of our errors, never anything else."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.5, 2.5], "relevance": [1, 0]})
TEXT = b"q Q0 a 1 1.5 t\nq Q0 b 2 2.5 t\n" * 1
CSV = b"query_id,doc_id,score,relevance\nq,a,1.5,1\nq,b,2.5,0\n"
JSONL = (
    b'{"query_id":"q","doc_id":"a","score":1.5,"relevance":1}\n{"query_id":"q","doc_id":"b","score":2,"relevance":0}\n'
)


def parquet() -> bytes:
    out = io.BytesIO()
    FRAME.write_parquet(out)
    return out.getvalue()


SEEDS = {
    "text": TEXT,
    "qrels": b"q 0 a 1\nq 0 b 0\n",
    "csv": CSV,
    "tsv": CSV.replace(b",", b"\t"),
    "jsonl": JSONL,
    "parquet": parquet(),
    "gzip": gzip.compress(TEXT),
    "gzip of csv": gzip.compress(CSV),
    "zstd": zstd.compress(TEXT),
    "zstd of jsonl": zstd.compress(JSONL),
}
MAGIC = [
    b"\x1f\x8b",
    b"\x1f\x8b\x08\x00",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"{",
    b"#",
    CSV[:32],
    b"{}\n",
    b"[]",
]
LETTERS = st.text('aq1-.e0 \t\n\r",{}:#\x00\xff', max_size=60).map(lambda text: text.encode("latin-1"))
ANYTHING = st.one_of(st.binary(max_size=300), LETTERS)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good file, cut, or with some bytes changed, left out or put in."""
    content = bytearray(SEEDS[draw(st.sampled_from(sorted(SEEDS)))])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        content[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3) | LETTERS)
    return bytes(content[: draw(st.integers(0, len(content)))]) if draw(st.booleans()) else bytes(content)


BYTES = st.one_of(ANYTHING, st.builds(lambda a, b: a + b, st.sampled_from(MAGIC), ANYTHING), mutated(), mutated())


@pytest.fixture(scope="module")
def put(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], Path]:
    path = tmp_path_factory.mktemp("fuzz") / "file"

    def write(content: bytes) -> Path:
        path.write_bytes(content)
        return path

    return write


def try_all(path: Path) -> None:
    qrels = rs.Qrels({"q": {"a": 1, "b": 0}})
    for use in (
        rs.read_qrels,
        rs.read_run,
        lambda p: rs.evaluate(qrels, p, ["AP", "nDCG@10", "Bpref"]),
        lambda p: rs.evaluate(p, {"q": {"a": 1.0}}, ["AP", "ERR@10"]),
    ):
        try:
            use(path)
        except rs.RankscopeError as error:
            message = str(error)
            assert message.startswith((str(path), "qrels", "run ", "the qrels")), message


@settings(max_examples=250, deadline=None)
@given(BYTES)
def test_arbitrary_bytes_give_a_result_or_an_error_of_ours(put: Callable[[bytes], Path], content: bytes) -> None:
    try_all(put(content))


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None)
@given(BYTES)
def test_arbitrary_bytes_give_a_result_or_an_error_of_ours_at_length(
    put: Callable[[bytes], Path], content: bytes
) -> None:
    try_all(put(content))


@settings(max_examples=100, deadline=None)
@given(ANYTHING | mutated(), st.sampled_from(["trec", "csv", "tsv", "jsonl", "parquet"]))
def test_arbitrary_bytes_read_as_a_named_format_give_a_result_or_an_error(
    put: Callable[[bytes], Path], content: bytes, form: str
) -> None:
    path = put(content)
    for read in (rs.read_qrels, rs.read_run):
        try:
            read(path, input=form)
        except rs.InputError as error:
            message = str(error)
            assert message.startswith((str(path), "the qrels")), message


@pytest.mark.parametrize("seed", sorted(SEEDS))
def test_a_good_file_cut_at_any_byte_gives_a_result_or_an_error(put: Callable[[bytes], Path], seed: str) -> None:
    content = SEEDS[seed]
    step = max(len(content) // 60, 1)
    for end in range(0, len(content), step):
        try_all(put(content[:end]))
