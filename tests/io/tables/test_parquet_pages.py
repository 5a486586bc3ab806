"""Pages of Parquet that promise other values than their column has are refused before they are read."""

import io
import struct

import numpy as np
import polars as pl
import pytest

from rankscope.errors import InputError
from rankscope.io.tables import parquet_pages, refuse_false_pages
from rankscope.io.tables.formats import ParquetRows
from rankscope.io.tables.frames import read_parquet
from rankscope.io.tables.parquet_pages import Structure

N = 3000
TABLE = pl.DataFrame(
    {
        "text": [f"d{i * 7919 % N}" for i in range(N)],
        "few": [f"q{i // 1000}" for i in range(N)],
        "number": np.linspace(0, 1, N),
        "none": [None if i % 3 else i for i in range(N)],
        "truth": [i % 2 == 0 for i in range(N)],
        "list": [[i] * (i % 4) for i in range(N)],
    }
)
WAYS = [
    {},
    {"row_group_size": 100},
    {"compression": "uncompressed"},
    {"compression": "gzip", "data_page_size": 1000},
    {"statistics": False},
]


def written(**options):
    out = io.BytesIO()
    TABLE.write_parquet(out, **options)
    return out.getvalue()


@pytest.fixture
def heads(monkeypatch):
    """Where structures begin that are looked at."""
    found = []

    class Seen(Structure):
        def fields(self, depth=0):
            if not depth:
                found.append(self.position)
            return super().fields(depth)

    monkeypatch.setattr(parquet_pages, "Structure", Seen)
    return found


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_files_as_polars_writes_them_are_taken(heads, options):
    content = written(**options)
    refuse_false_pages(content, "file")
    chunks = -(-N // options.get("row_group_size", N)) * TABLE.width
    assert len(heads) > chunks
    assert len(set(heads)) == len(heads)


def test_a_file_that_is_read_in_parts_is_checked_once_and_again_when_it_has_changed(heads, tmp_path):
    path = tmp_path / "run.parquet"
    pl.DataFrame({"query_id": "q", "doc_id": ["d", "e"], "score": [1.0, 0.5]}).write_parquet(path)
    for _ in range(3):
        assert ParquetRows(str(path), "run", {}).height == 2
    assert len(set(heads)) == len(heads)
    path.write_bytes(path.read_bytes() + b"PAR1")
    with pytest.raises(InputError, match="run: cannot be read as parquet"):
        ParquetRows(str(path), "run", {})


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_files_as_arrow_writes_them_are_taken_with_all_their_pages(heads, version):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    table = pyarrow.table({name: TABLE[name].to_list() for name in TABLE.columns})
    parquet.write_table(table, out, data_page_version=version, data_page_size=500, write_page_index=True)
    refuse_false_pages(out.getvalue(), "file")
    assert len(heads) > 3 * TABLE.width


def small():
    out = io.BytesIO()
    pl.DataFrame({"text": ["a", "a", "b", "b"]}).write_parquet(out, compression="uncompressed", statistics=False)
    return out.getvalue()


#: Kind of page -> the beginning of what is said of it, with its number of values; as zigzag, so twice the number.
SAID = {"dictionary": b"\x4c\x15\x04", "data": b"\x2c\x15\x08"}


@pytest.mark.parametrize("kind", SAID)
@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (b"\x05", "-3"),
        (b"\xff\xff\xff\xff\x0f", "-2,147,483,648"),
        (b"\xfe\xff\xff\xff\x0f", "2,147,483,647"),
        (b"\xfe" + b"\xff" * 8 + b"\x01", "9,223,372,036,854,775,807"),
    ],
)
def test_a_page_of_fewer_than_no_values_or_too_many_is_refused(kind, number, shown):
    content = small()
    assert content.count(SAID[kind]) == 1
    with pytest.raises(InputError, match=rf"^x.parquet: .* {shown} values, .*\b0 to \d+\)"):
        read_parquet(content.replace(SAID[kind], SAID[kind][:2] + number), "x.parquet")


def test_a_page_of_one_value_more_than_its_column_is_refused():
    refuse_false_pages(small(), "file")
    with pytest.raises(InputError, match=r"\b5 values, .*\b0 to 4"):
        refuse_false_pages(small().replace(SAID["data"], b"\x2c\x15\x0a"), "file")


def file_of(description):
    return b"PAR1" + description + struct.pack("<I", len(description)) + b"PAR1"


def column(values, size, first):
    """What is said of a column, its numbers below 64."""
    return bytes([0x56, 2 * values, 0x26, 2 * size, 0x26, 2 * first, 0])


def test_columns_that_are_longer_than_the_file_are_refused():
    """As those are that lie over each other, of which looking at each would take very long."""
    groups = b"\x49\x1c" + b"\x19\xfc\x10" + 16 * (b"\x3c" + column(1, 40, 4) + b"\0") + b"\0"
    content = file_of(groups + b"\0")
    with pytest.raises(InputError, match="columns are longer"):
        refuse_false_pages(content, "file")


@pytest.mark.parametrize(
    "description",
    [
        b"",
        b"\x49\xf7" + b"\xff" * 8 + b"\x7f",  # a list of 2^62 numbers of eight bytes
        b"\x49\xf1" + b"\xff" * 8 + b"\x7f",
        b"\x4b" + b"\xff" * 8 + b"\x7f\x77",
        b"\x4c" * 100_000,  # structures inside one another
        b"\x48" + b"\xff" * 30,
        b"\x4d",
        b"\x46\x02\0",  # a number where groups of rows should be
        b"\x49\x1c\0\0",  # a group without columns
    ],
)
def test_what_is_no_description_of_a_file_is_refused(description):
    with pytest.raises(InputError, match="damaged"):
        refuse_false_pages(file_of(description), "file")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"no Parquet at all", b"PAR1\xff\xff\xff\xffPAR1"])
def test_what_is_no_parquet_is_left_to_its_reader(content):
    refuse_false_pages(content, "file")
