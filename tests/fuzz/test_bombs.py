"""Small files that ask for much: packed ones, XML that expands, deep JSON, tables that would be nearly empty."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from helpers.fuzzing.memory_limits import allowed, watched
from helpers.fuzzing.readers import READERS, refusals
from helpers.fuzzing.seeds import ARRAYS_MAGIC, parquet, zstd
from helpers.messages import mentions

import rankscope as rs
from rankscope.data.sparse import refuse_sparse
from rankscope.errors import InputError
from rankscope.io.core import ALLOWED_BYTES, MAX_RATIO, header_struct, open_binary
from rankscope.io.tables.frames import are_all_keys, schema_of_lines
from rankscope.stability.checkpoint import OUTCOME_MAGIC

#: What one line over and over packs to depends on the packer; this is about 1 MB of lines.
PIECE = b"q Q0 a 1 2.5 t\n" * (1 << 16)


def refused(name: str, content: bytes, folder: Path) -> str:
    """What a reader says against a file, in one of its uses; within the memory that it may take."""
    reader = READERS[name]
    path = folder / reader.name
    path.write_bytes(next(iter(reader.seeds().values())))
    refusals(reader, path)  # loads what is loaded when it is needed
    path.write_bytes(content)
    with watched() as peak:
        found = [str(error) for error in refusals(reader, path) if error is not None]
    assert peak.bytes is None or peak.bytes < allowed(len(content)), f"{peak.bytes:,} bytes for {len(content):,}"
    assert found
    return found[0].replace(str(path), "FILE")


# Packed


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_packed_bomb_stops_at_a_ratio_and_says_so(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    content = pack(bytes(4 << 20)) * 30  # one packed stream behind the other
    path = tmp_path / "bomb"
    path.write_bytes(content)
    unpacked = 0
    said = rf"^{path}: [0-9,]+ bytes.* unpack\D+[0-9,]+\D+1,000 times"
    with pytest.raises(InputError, match=said), open_binary(path) as stream:  # noqa: PT012 - it stops somewhere
        while piece := stream.read(1 << 16):
            unpacked += len(piece)
    assert unpacked <= max(ALLOWED_BYTES, MAX_RATIO * len(content)) + (1 << 20)


def test_what_packs_a_hundred_times_is_read(tmp_path: Path) -> None:
    path = tmp_path / "repeated.txt.gz"
    path.write_bytes(gzip.compress(4 * PIECE))
    assert path.stat().st_size < 5 * len(PIECE) / 100
    with open_binary(path) as stream:
        assert len(stream.read()) == 4 * len(PIECE)


def test_lz4_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    import lz4.frame

    path = tmp_path / "bomb.lz4"
    path.write_bytes(lz4.frame.compress(lz4.frame.compress(bytes(ALLOWED_BYTES + 2))))
    with pytest.raises(InputError, match=r"bomb\.lz4: [0-9,]+ bytes.* unpack\D+[0-9,]+"):
        rs.read_run(path, input="lz4")


def test_cbor_that_names_one_list_again_and_again_is_refused(tmp_path: Path) -> None:
    import cbor2
    import lz4.frame

    docs = {f"d{i}": 1 for i in range(3000)}
    content = cbor2.dumps({f"q{i}": docs for i in range(3000)}, value_sharing=True)
    path = tmp_path / "shared.lz4"
    path.write_bytes(lz4.frame.compress(lz4.frame.compress(content)))
    with pytest.raises(InputError, match=r"shared\.lz4: one list"):
        rs.read_qrels(path)


def test_parquet_of_more_rows_than_it_can_hold_is_refused(tmp_path: Path) -> None:
    n = 5_000_000
    table = pl.select(pl.repeat(1, n, dtype=pl.Int64).alias("score"), pl.repeat("q", n).alias("query_id"))
    content = parquet(table.with_columns(doc_id=pl.col("query_id")))
    del table
    assert len(content) < n * 24 / MAX_RATIO
    for name in ("run", "labels", "votes"):
        assert f"unpack to {24 * n:,} or more" in refused(name, content, tmp_path)


def test_parquet_in_which_one_long_text_stands_for_many_rows_is_refused(tmp_path: Path) -> None:
    table = pl.DataFrame({"query_id": ["q"] * 2000, "doc_id": ["x" * 60_000] * 2000, "score": [1.0] * 2000})
    assert mentions(refused("run", parquet(table), tmp_path), "unpack", "120,002,000")


@pytest.mark.parametrize(
    ("dtype", "shape", "n_bytes"),
    [("<f8", [10**15], 8), ("<f8", [10**15, 10**15], 8), ("<f8", [0, 10**30], 0), ("<f8", [-1], 8), ("<f8", None, 8),
     ("<f8", [True], 8), ("<f8", [9], 8), ("<f8", [0], 8), ("|O", [1], 8), ("|O", [0], 0), ("|V0", [10**15], 0)],
)  # fmt: skip
def test_arrays_that_promise_other_than_there_is_are_refused(
    tmp_path: Path, dtype: str, shape: object, n_bytes: int
) -> None:
    body = bytes(-(-n_bytes // 64) * 64)
    description = {"dtype": dtype, "shape": shape, "crc32": zlib.crc32(body)}
    header = json.dumps({"arrays": {"values": description}}).encode()
    for name, magic in (("arrays", ARRAYS_MAGIC), ("outcome", OUTCOME_MAGIC)):
        content = header_struct(magic).pack(magic, len(header), zlib.crc32(header)) + header + body
        assert "is damaged" in refused(name, content, tmp_path)


# XML

ENTITIES = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
XML = {
    "billion laughs": f'<!DOCTYPE x [<!ENTITY a0 "ha">{ENTITIES}]><x>&a9;</x>',
    "quadratic": f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]><x>{"&a;" * 50_000}</x>',
    "external": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
    "outside": '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><x/>',
    "parameter": '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd"> %a;]><x/>',
    "in an attribute": '<!DOCTYPE x [<!ATTLIST x y CDATA "z">]><x/>',
    "not declared": "<x>&a;</x>",
    "inclusion": '<x xmlns:i="http://www.w3.org/2001/XInclude"><i:include href="/etc/passwd"/></x>',
}
ENCODED = {
    "utf-8": lambda text: text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-7": lambda text: b'<?xml version="1.0" encoding="utf-7"?>' + text.encode("utf-7"),
    "utf-32": lambda text: text.encode("utf-32"),
    "cp037": lambda text: b'<?xml version="1.0" encoding="cp037"?>' + text.encode("cp037"),
}


@pytest.mark.parametrize("encoded", ENCODED)
@pytest.mark.parametrize("what", XML)
@pytest.mark.parametrize("name", ["jcml", "appraise", "rankings"])
def test_xml_is_never_expanded_and_never_reaches_outside(name: str, what: str, encoded: str, tmp_path: Path) -> None:
    said = refused(name, ENCODED[encoded](XML[what]), tmp_path)
    assert said.startswith("FILE")
    assert "root:" not in said


def test_xml_with_elements_deep_inside_one_another_is_refused(tmp_path: Path) -> None:
    assert mentions(refused("appraise", b"<a>" * 100_000, tmp_path), "FILE:1: ", "<a>", 64)
    assert "broken XML" in refused("jcml", b"<a>" * 100_000, tmp_path)


# JSON

DEEP = {
    "lists": b"[" * 100_000,
    "objects": b'{"a":' * 100_000,
    "closed": b"[" * 100_000 + b"]" * 100_000,
    "in a row": b'{"query_id":"q","doc_id":"d","score":1,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "digits": b'{"q":{"a":' + b"9" * 100_000 + b"}}",
}


@pytest.mark.parametrize("what", DEEP)
@pytest.mark.parametrize("name", ["run", "votes", "checkpoint", "search log", "fusion"])
def test_deep_json_and_endless_digits_are_refused(name: str, what: str, tmp_path: Path) -> None:
    refused(name, DEEP[what], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("what", DEEP)
@pytest.mark.parametrize("name", READERS)
def test_deep_json_and_endless_digits_break_no_reader(name: str, what: str, tmp_path: Path) -> None:
    reader = READERS[name]
    path = tmp_path / reader.name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(DEEP[what])
    refusals(reader, path)


@pytest.mark.parametrize("name", ["qrels", "run"])
def test_a_line_of_millions_of_commas_is_told_by_its_beginning(name: str, tmp_path: Path) -> None:
    assert mentions(refused(name, b"," * (3 << 20), tmp_path), "header", "table")


@pytest.mark.parametrize("name", ["letor", "features"])
def test_many_empty_lines_take_little_memory(name: str, tmp_path: Path) -> None:
    assert mentions(refused(name, b"\n" * (2 << 20), tmp_path), "no data")


# Tables that would be nearly empty


def lines(row: str, n: int = 6000) -> bytes:
    return "".join(row.format(i, i + 1) for i in range(n)).encode()


NAMES = ",".join(f"k{i}" for i in range(6000)).encode()
EMPTY = {
    "keys of a run": ("run", lines('{{"query_id":"q","doc_id":"d{0}","score":{0},"k{0}":1}}\n', 20_000)),
    "keys of comparisons": ("preferences", lines('{{"left":"a","right":"b{0}","winner":"left","k{0}":1}}\n', 20_000)),
    "columns of a run": ("run", b"query_id,doc_id,score," + NAMES + b"\n" + lines("q,d{0},{0}\n")),
    "columns of features": ("features", b"query_id,relevance," + NAMES + b"\n" + lines("q,1\n")),
    "columns of labels": ("labels", b"true,predicted," + NAMES + b"\n" + lines("1,0\n")),
    "numbers of features": ("features", lines("1 qid:{0} {1}:1\n")),
    "large numbers of features": ("features", lines("1 qid:1 {0}:1\n".replace("{0}", "9{0:04}"), 2000)),
    "attributes": (
        "jcml",
        b"<jcml><judgedsentence>" + lines('<tgt system="s{0}" x{0}="1"/>') + b"</judgedsentence></jcml>",
    ),
    "segments": ("seg.scr", lines("B\tde-en\tn\ts{0}\t{0}\t0.5\n")),
    "rows of votes": ("votes", b"voter,item,rank\n" + lines("v{0},i{0},1\n")),
    "ballots": ("votes", json.dumps([[f"i{i}"] for i in range(6000)]).encode()),
    "outputs": ("translation features", b"pair,system,segment,x\n" + lines("p,s{0},{0},1\n")),
    "scores": ("score table", b"system,measure,query,value\n" + lines("s{0},m{0},q{0},1\n", 500)),
}


@pytest.mark.parametrize("what", EMPTY)
def test_a_table_that_would_be_nearly_empty_is_refused(what: str, tmp_path: Path) -> None:
    said = refused(*EMPTY[what], tmp_path)
    assert said.startswith(("FILE", "votes"))
    assert mentions(said, "filled", "1 in 50") or mentions(said, "fields", "expected 600")
    assert len(said) < 400


@pytest.mark.parametrize(
    ("rows", "columns", "filled"), [(12_500, 700, 162_500), (100_000, 90, 100_000), (2896, 2896, 1)]
)
def test_a_sparse_table_that_is_no_larger_than_its_cells_allow_is_taken(rows: int, columns: int, filled: int) -> None:
    """Features of which each document has 13 of 700; ballots with one name of 90; and what is small in any case."""
    refuse_sparse((rows, columns), filled, "file", "rows and columns")
    with pytest.raises(InputError, match=r"filled.*1 in 50"):
        refuse_sparse((rows, 4 * columns), filled, "file", "rows and columns")


@pytest.mark.parametrize("separator", [b",", b"\t"])
def test_a_table_of_more_columns_than_its_bytes_can_fill_is_refused(separator: bytes, tmp_path: Path) -> None:
    content = separator.join([b"query_id", b"doc_id", b"score", *[b""] * (1 << 20)]) + b"\n"
    assert mentions(refused("run", content, tmp_path), "column 5 has no name")
    assert mentions(refused("features", content, tmp_path), "column 4 has no name")


def test_a_voter_or_item_that_stands_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    voters = [*(f"v{i}" for i in range(10_000)), "v0"]
    said = refused("votes", "".join(f'{{"voter":"{v}","ranking":["a","b"]}}\n' for v in voters).encode(), tmp_path)
    assert mentions(said, "FILE:10001: ", "'v0'", "twice")
    items = [*(f"i{i}" for i in range(10_000)), "i7"]
    assert "ranked 'i7' twice" in refused("votes", json.dumps([items, ["i1"]]).encode(), tmp_path)


@pytest.mark.parametrize(
    ("lines", "surely"),
    [
        ('{"a":1,"b":"x"}\n{"b":"y"}\n', True),
        ('{"a":1,"c":"x"}\n', False),
        ('{"a":"1:2"}\n', False),  # not surely
        (r'{"a":1,"k\"a":"x"}', False),
    ],
)
def test_lines_that_surely_have_no_other_keys_are_not_looked_at_again(lines: str, surely: bool) -> None:
    assert are_all_keys(["a", "b"], lines.encode()) is surely


def test_keys_that_come_late_are_columns_and_those_of_every_line_are_refused(tmp_path: Path) -> None:
    usual = [f'{{"query_id":"q{i // 100}","doc_id":"d{i}","score":{i}}}' for i in range(5000)]
    late = [*usual, '{"query_id":"q","doc_id":"d","score":1,"note":"new"}']
    assert schema_of_lines("\n".join(late).encode(), "file").keys() == {"query_id", "doc_id", "score", "note"}
    own = [*usual, *(f'{{"k{i}":"q","doc_id":"d","score":1}}' for i in range(4000))]
    with pytest.raises(InputError, match="1 cell in"):
        schema_of_lines("\n".join(own).encode(), "file")
