"""Files named by a URL: read as paths are, and told in one line where they cannot be."""

import gzip
import io
import sys

import pytest

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.io.streams import open_binary
from rankscope.io.urls import is_url, open_url, url_size

RUN = b"q1 Q0 d1 1 2.0 bm25\nq1 Q0 d2 2 1.0 bm25\n"


@pytest.fixture
def fsspec():
    return pytest.importorskip("fsspec", reason="the extra `scale` is not installed: pip install 'rankscope[scale]'")


@pytest.fixture
def memory(fsspec):
    """fsspec's files in memory."""
    files = fsspec.filesystem("memory")
    files.pipe("/runs/bm25.run", RUN)
    files.pipe("/runs/bm25.run.gz", gzip.compress(RUN))
    files.pipe("/runs/test.qrels", b"q1 0 d2 1\n")
    yield files
    files.rm("/runs", recursive=True)


@pytest.mark.parametrize("name", ["bm25.run", "bm25.run.gz"])
@pytest.mark.usefixtures("memory")
def test_a_url_is_read_as_a_path(name):
    scores = rs.evaluate("memory://runs/test.qrels", f"memory://runs/{name}", "RR")
    assert scores.systems == ("bm25",)
    assert scores.overall("RR") == 1 / 2


def test_a_file_may_be_named_by_a_url(fsspec, tmp_path):
    (tmp_path / "a.run").write_bytes(RUN)
    assert rs.read_run((tmp_path / "a.run").as_uri()).name == "bm25"


@pytest.mark.usefixtures("memory")
def test_a_url_can_be_read_from_any_place_on_and_has_a_size():
    assert url_size("memory://runs/bm25.run") == len(RUN)
    with open_url("memory://runs/bm25.run") as file:
        file.seek(-5, io.SEEK_END)
        assert file.read() == b"bm25\n"
        assert file.tell() == len(RUN)


@pytest.mark.usefixtures("memory")
def test_what_is_not_there_is_told_as_of_a_path():
    with pytest.raises(InputError, match=r"^memory://runs/none: no such file"):
        rs.read_run("memory://runs/none")
    assert url_size("memory://runs/none") == 0


@pytest.mark.usefixtures("fsspec")
def test_a_kind_of_url_that_nobody_knows_is_told():
    with pytest.raises(InputError, match=r"^nowhere://a/b: cannot be opened \(Protocol not known: nowhere\)"):
        rs.read_run("nowhere://a/b")


@pytest.mark.parametrize("error", [RuntimeError("of the store\nin two lines"), OSError("of the network")])
def test_what_a_store_raises_while_it_is_read_is_told_in_one_line(fsspec, memory, monkeypatch, error):
    def read(self, size):
        raise error

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFile.read", read)
    with pytest.raises(InputError, match=r"^memory://runs/bm25.run: cannot be read \(of the (store in|network)"):
        rs.read_run("memory://runs/bm25.run")


def test_what_a_store_raises_when_it_is_asked_is_told_in_one_line(fsspec, monkeypatch):
    def open_(*args, **options):
        raise RuntimeError("no credentials")

    monkeypatch.setattr(fsspec, "open", open_)
    with pytest.raises(InputError, match=r"^memory://a/b: cannot be read \(no credentials\)$"):
        rs.read_run("memory://a/b")


def test_without_what_a_store_needs_that_is_told(fsspec, monkeypatch):
    def open_(*args, **options):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec, "open", open_)
    with pytest.raises(
        ParameterError, match=r"^s3://a/b: a package .* is not installed \(Install s3fs to access S3\)$"
    ):
        rs.read_run("s3://a/b")


def test_without_fsspec_a_url_is_refused_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with (
        pytest.raises(ParameterError, match=r"pip install 'rankscope\[scale\]', or name a path$"),
        open_binary("s3://a/b"),
    ):
        pass


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://bucket/a.run", True),
        ("file:///a.run", True),
        ("simplecache::s3://bucket/a.run", True),
        ("a.run", False),
        ("C:\\runs\\a.run", False),
        ("C://runs/a.run", False),
        ("a:b", False),
        ("-", False),
        (None, False),
    ],
)
def test_a_url_has_a_scheme_of_two_letters_or_more(path, expected):
    assert is_url(path) is expected
