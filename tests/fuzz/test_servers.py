"""Servers that do not keep what they say: whatever comes by HTTP is read, or refused in one line."""

from __future__ import annotations

import gzip
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

import rankscope as rs
from rankscope.errors import InputError

RUN = b"".join(b"q%d Q0 d%d 1 %d t\n" % (i // 10, i % 10, 10 - i % 10) for i in range(300))
#: More than fsspec asks for at a time.
LARGE = b"".join(b"q%d Q0 d%d 1 %d t\n" % (i // 1000, i % 1000, 1000 - i % 1000) for i in range(300_000))
#: Comments, which are passed over.
BOMB = gzip.compress((b"#" * (1 << 20) + b"\n") * 4) * 40
JUDGED = {f"q{i}": {"d0": 1} for i in range(30)}
Handler = Callable[[bytes], Iterator[bytes]]


def head(status: str, **fields: object) -> bytes:
    lines = (f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status}\r\n{''.join(lines)}Connection: close\r\n\r\n".encode()


def answer(body: bytes, asked: bytes, status: str = "200 OK", **fields: object) -> Iterator[bytes]:
    yield head(status, **fields)
    if not asked.startswith(b"HEAD"):
        yield body


def whole(body: bytes, **fields: object) -> Handler:
    """All of it, whatever part is asked for."""
    return lambda asked: answer(body, asked, **fields)


def parts(asked: bytes, body: bytes = RUN, promised: int = 0, most: int = 1 << 60) -> Iterator[bytes]:
    """A part, as it is asked for; promised: bytes that are said to come; most: bytes that come at once."""
    said = {"Content_Length": promised or len(body), "Accept_Ranges": "bytes"}
    found = re.search(rb"(?i)range: bytes=(\d+)-(\d+)", asked)
    if asked.startswith(b"HEAD") or not found:
        yield from answer(body, asked, **said)
        return
    begin, end = int(found[1]), min(int(found[2]) + 1, int(found[1]) + most)
    piece = body[begin:end]
    length = promised or len(piece)
    yield from answer(
        piece,
        asked,
        "206 Partial Content",
        Content_Length=length,
        Content_Range=f"bytes {begin}-{begin + length - 1}/*",
    )


def refuses(asked: bytes) -> Iterator[bytes]:
    return answer(b"", asked, "403 Forbidden\x1b[31m", Content_Length=0)


def sends_on(place: str) -> Handler:
    return lambda asked: answer(b"", asked, "302 Found", Location=place, Content_Length=0)


READ: dict[str, Handler] = {
    "in parts": parts,
    "whole": whole(RUN, Content_Length=len(RUN)),
    "large, and whole whatever is asked for": whole(LARGE, Content_Length=len(LARGE)),
    "large, without a length": whole(LARGE),
    "packed on the way": whole(gzip.compress(RUN), Content_Encoding="gzip", Content_Length=len(gzip.compress(RUN))),
    "packed on the way, without a length": whole(gzip.compress(RUN), Content_Encoding="gzip"),
    "chunked": whole(b"%x\r\n%b\r\n0\r\n\r\n" % (len(RUN), RUN), Transfer_Encoding="chunked"),
    "a hundred bytes at a time": lambda asked: parts(asked, most=100),
}
REFUSED: dict[str, tuple[Handler, str]] = {
    "promises more": (lambda asked: parts(asked, promised=10**18), "not completed"),
    "promises less": (lambda asked: parts(asked, promised=100), "line|fields?|read"),
    "length below 0": (whole(RUN, Content_Length=-5), "Content-Length"),
    "length is no number": (whole(RUN, Content_Length="many"), "Content-Length"),
    "noise": (lambda asked: iter([b"\x00\xff noise\r\n\r\n"]), "cannot be read"),
    "nothing": (lambda asked: iter(()), "cannot be read"),
    "long head": (lambda asked: iter([b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000]), "cannot be read"),
    "packed wrongly": (whole(RUN, Content_Encoding="gzip", Content_Length=len(RUN)), "cannot be read"),
    "packed bomb": (whole(BOMB, Content_Length=len(BOMB)), "that unpack to"),
    "chunks wrongly": (whole(b"zz\r\nq\r\n", Transfer_Encoding="chunked"), "cannot be read"),
    "chunk cut": (whole(b"20\r\nq Q0 a 1 2 t\n", Transfer_Encoding="chunked"), "cannot be read"),
    "circle": (sends_on("/x.run"), "TooManyRedirects"),
    "to a file": (sends_on("file:///etc/passwd"), "cannot be read .NonHttpUrl"),
    "to no URL": (sends_on("http://[::1"), "cannot be read"),
    "forbidden": (refuses, r"403, message='Forbidden\\x1b"),
    "not there": (lambda asked: answer(b"", asked, "404 Not Found", Content_Length=0), "no such file"),
    "page": (whole(b"<!doctype html><html>log in</html>", Content_Length=34), "this is an HTML page"),
}


@contextmanager
def served(handler: Handler) -> Iterator[str]:
    """The URL of a server that answers so until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def one(client: socket.socket) -> None:
            with client, suppress(OSError):
                asked = b""
                while b"\r\n\r\n" not in asked and (more := client.recv(4096)):
                    asked += more
                for piece in handler(asked):
                    client.sendall(piece)

        def all_() -> None:
            with suppress(OSError):  # the end
                while True:
                    threading.Thread(target=one, args=(listening.accept()[0],), daemon=True).start()

        threading.Thread(target=all_, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/x.run"
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture(autouse=True)
def impatient_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that waits for seconds: it sometimes misses that chunks end wrongly, and would wait for minutes."""
    for name in ("fsspec", "aiohttp"):
        pytest.importorskip(name, reason="no client for HTTP is installed: pip install 'rankscope[scale]' aiohttp")
    import aiohttp
    import fsspec

    monkeypatch.setitem(fsspec.config.conf, "http", {"client_kwargs": {"timeout": aiohttp.ClientTimeout(total=10)}})


@pytest.mark.parametrize("what", READ)
def test_a_file_is_read_however_a_server_sends_it(what: str) -> None:
    with served(READ[what]) as url:
        assert rs.read_run(url).name == "t"
        assert rs.evaluate(JUDGED, url, ["RR"]).overall("RR") == 1.0


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_server_does_not_keep_is_told_in_one_line(what: str) -> None:
    handler, expected = REFUSED[what]
    with served(handler) as url:
        reading = (rs.read_run, rs.read_features, lambda url: rs.evaluate(JUDGED, url, ["RR"], workers=1))
        for read in reading[: 1 if handler is REFUSED["packed bomb"][0] else None]:  # which takes its time
            with pytest.raises(InputError) as error:
                read(url)
            assert str(error.value).startswith(url)
            assert str(error.value).isprintable()
        assert re.search(expected, str(error.value))
