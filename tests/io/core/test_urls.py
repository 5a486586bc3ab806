"""Files named by a URL: read as paths are, and told in one line where they cannot be."""

import gzip
import io
import sys
import zipfile
from types import SimpleNamespace

import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import ALLOWED_BYTES, is_url, open_binary, url_size
from rankscope.io.core.urls import RemoteFile, open_url, url_files

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
    folder = tmp_path / "my 100 % größte runs"
    folder.mkdir()
    (folder / "a b%20.run").write_bytes(RUN)
    assert "%20" in (folder / "a b%20.run").as_uri()
    assert rs.read_run((folder / "a b%20.run").as_uri()).name == "bm25"
    [(url, _, size)] = url_files(f"{folder.as_uri()}/")
    assert (url, size) == ((folder / "a b%20.run").as_uri(), len(RUN))
    assert rs.read_run(f"{folder.as_uri()}/").query_ids == rs.read_run(url).query_ids
    (folder / "my run.csv").write_text("query_id,doc_id,score\nq1,d1,2\n")
    assert rs.read_run((folder / "my run.csv").as_uri()).name == "my run"


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
    with pytest.raises(InputError, match=r"^nowhere://a/b: .*\(Protocol not known: nowhere\)"):
        rs.read_run("nowhere://a/b")


@pytest.mark.parametrize("error", [RuntimeError("of the store\nin two lines"), OSError("of the network")])
def test_what_a_store_raises_while_it_is_read_is_told_in_one_line(fsspec, memory, monkeypatch, error):
    def read(self, size):
        raise error

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFile.read", read)
    with pytest.raises(InputError, match=r"^memory://runs/bm25.run: .*\(of the (store in|network)"):
        rs.read_run("memory://runs/bm25.run")


def test_what_a_store_raises_when_it_is_asked_is_told_in_one_line(fsspec, monkeypatch):
    def open_(*args, **options):
        raise RuntimeError("no credentials")

    monkeypatch.setattr(fsspec, "open", open_)
    with pytest.raises(InputError, match=r"^memory://a/b: .*\(no credentials\)$"):
        rs.read_run("memory://a/b")


def test_without_what_a_store_needs_that_is_told(fsspec, monkeypatch):
    def open_(*args, **options):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec, "open", open_)
    with pytest.raises(ParameterError, match=r"^s3://a/b: .*\(Install s3fs to access S3\)$"):
        rs.read_run("s3://a/b")


def test_without_fsspec_a_url_is_refused_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with (
        pytest.raises(ParameterError, match=r"pip install 'rankscope\[scale\]'"),
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


class Stream(io.BytesIO):
    """A file as it comes by HTTP without a length: it says that it can be read from any place on, and cannot."""

    size, blocksize = None, 5

    def seek(self, place, whence=0):
        if (place, whence) in ((0, 1), (self.tell(), 0)):
            return
        raise ValueError("Cannot seek streaming HTTP file")


class Parts(io.BytesIO):
    """A file of a server that sends all of it whatever part it is asked for."""

    size, blocksize = len(RUN), 5

    def read(self, n=-1):
        if self.tell():
            raise ValueError("The HTTP server doesn't appear to support range requests.")
        return super().read(n)


@pytest.fixture
def opened_as(monkeypatch):
    """Let fsspec give such files, whether it is installed or not; the second where no pieces are asked for."""

    def use(first, second=None):
        def open_(url, mode, block_size=None):
            return SimpleNamespace(open=lambda: second(RUN) if block_size == 0 else first(RUN))

        monkeypatch.setitem(sys.modules, "fsspec", SimpleNamespace(open=open_))

    return use


@pytest.mark.parametrize("files", [(Stream,), (Parts, Stream)])
def test_what_a_server_sends_only_from_its_beginning_is_read_so(opened_as, files):
    opened_as(*files)
    assert url_size("https://a/b.run") == 0
    assert rs.read_run("https://a/b.run").name == "bm25"
    assert rs.evaluate({"q1": {"d2": 1}}, "https://a/b.run", "RR").overall("RR") == 1 / 2


def test_a_file_that_stays_where_it_is_says_where():
    file = RemoteFile(Stream(RUN))
    assert file.read(3) == RUN[:3]
    assert file.seek(3) == 3
    assert file.size == 0


class Longer(io.BytesIO):
    def read(self, n=-1):
        return bytes(n + 1)


class Silent(io.BytesIO):
    def read(self, n=-1):
        raise TimeoutError


class Ends(io.BytesIO):
    def read(self, n=-1):
        raise EOFError


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (Longer, "(more bytes came"),
        (Silent, "cannot be read (TimeoutError)"),
        (Ends, "(it ends too early)"),
    ],
)
def test_files_that_do_not_keep_what_they_say_are_refused_in_one_line(opened_as, file, said):
    opened_as(file)
    for read in (rs.read_run, lambda url: rs.evaluate({"q1": {"d2": 1}}, url, "RR")):
        with pytest.raises(InputError) as error:
            read("s3://a/b")
        assert mentions(error.value, "s3://a/b: ", said)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (None, "no such file"),
        (FileNotFoundError("a"), "no such file"),
        (type("Answer", (Exception,), {"status": 404})("Not Found"), "no such file"),
        (RuntimeError("403, Forbidden"), "cannot be read (RuntimeError: 403, Forbidden)"),
        (TimeoutError(), "cannot be read (TimeoutError)"),
    ],
)
def test_a_server_that_refuses_or_does_not_answer_is_told_from_a_file_that_is_not_there(monkeypatch, cause, said):
    def open_(url, mode):
        raise FileNotFoundError(url) from cause

    monkeypatch.setitem(sys.modules, "fsspec", SimpleNamespace(open=open_))
    with pytest.raises(InputError) as error:
        rs.read_run("https://a/b")
    assert mentions(error.value, "https://a/b: ", said)


@pytest.mark.usefixtures("fsspec")
def test_a_file_of_an_archive_is_read_and_one_that_unpacks_to_too_much_is_not(tmp_path):
    with zipfile.ZipFile(tmp_path / "runs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.run", RUN)
        with archive.open("bomb.run", "w") as member:
            for _ in range((ALLOWED_BYTES >> 20) + 1):
                member.write(bytes(1 << 20))
    assert rs.read_run(f"zip://a.run::{tmp_path}/runs.zip").name == "bm25"
    for read in (rs.read_run, lambda url: rs.evaluate({"q1": {"d2": 1}}, url, "RR")):
        with pytest.raises(InputError, match=r"105,906,176"):
            read(f"zip://bomb.run::{tmp_path}/runs.zip")
