"""Files named by URLs (s3://, gs://, https://, memory://, ...) and opened by fsspec; needs the extra `scale`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, unquote

from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.io.core.compression import refuse_bomb

__all__ = [
    "RemoteFile",
    "is_url",
    "is_url_of_folder",
    "open_url",
    "unescape_local",
    "url_files",
    "url_size",
]


#: A scheme and two slashes; a single letter is a drive on Windows.
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::|://)")
HTTP = ("http://", "https://")
LOCAL = "file://"
NOT_FOUND = 404


class RemoteFile(io.RawIOBase):
    """A file opened by fsspec; all errors while it is read become OSError."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.n_bytes: int | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        with as_oserror():
            return bool(self.file.seekable())

    def readinto(self, buffer: Any) -> int:
        with as_oserror():
            chunk: bytes = self.file.read(len(buffer))
            if len(chunk) > len(buffer):
                raise OSError("more bytes came than were asked for")
        buffer[: len(chunk)] = chunk
        return len(chunk)

    @property
    def size(self) -> int:
        """The size in bytes of a file that can seek; else 0."""
        if self.n_bytes is None:
            self.n_bytes = self._size()
        return self.n_bytes

    def _size(self) -> int:
        try:
            if not self.seekable():
                return 0
            position = self.tell()
            size = self.seek(0, io.SEEK_END)
        except (OSError, EOFError):  # some claim to be seekable and are not, as HTTP responses without a length
            return 0
        self.seek(position)
        return size

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with as_oserror():
            position = self.file.seek(offset, whence)
        return self.tell() if position is None else int(position)

    def tell(self) -> int:
        with as_oserror():
            return int(self.file.tell())


@contextmanager
def as_oserror() -> Iterator[None]:
    """Turn all errors into OSError with a text: each store has errors of its own."""
    try:
        yield
    except EOFError as error:
        raise EOFError(str(error) or "it ends too early") from error
    except Exception as error:
        if isinstance(error, OSError) and str(error):
            raise
        raise OSError(error_text(error)) from error


def is_url(path: object) -> bool:
    """Whether it is a URL and not a path; `file://` is a URL, too.

    >>> is_url("s3://runs/bm25.run"), is_url("runs/bm25.run"), is_url("C:/runs/bm25.run")
    (True, False, False)
    """
    return isinstance(path, str) and URL.match(path) is not None


def is_url_of_folder(path: object) -> bool:
    """Whether it is a URL of a folder: it ends with a slash, and the store has folders.

    >>> is_url_of_folder("s3://runs/bm25.parquet/"), is_url_of_folder("s3://runs/bm25.parquet")
    (True, False)
    """
    return is_url(path) and str(path).endswith("/") and not str(path).startswith(HTTP)


def url_files(url: str) -> list[tuple[str, str, int]]:
    """The content of a folder: the URL of each entry, its kind as fsspec names it ("file", "directory"), its size.

    Parameters
    ----------
    url
        URL of the folder.

    Raises
    ------
    NotADirectoryError
        The URL is that of a file. Other errors are those of `open_url`.
    """
    with store_errors(url):
        import fsspec

        store, path = fsspec.core.url_to_fs(unescape_local(url))
        listing = store.ls(path, detail=True)
    base_url, folder_path = url.rstrip("/"), path.rstrip("/")
    if any(entry["name"] == folder_path and entry["type"] == "file" for entry in listing):
        raise NotADirectoryError
    entries = [(entry["name"].rstrip("/"), entry["type"], int(entry["size"] or 0)) for entry in listing]
    escape = quote if url.startswith(LOCAL) else str
    # Some stores list the folder itself.
    return [
        (f"{base_url}/{escape(name.rpartition('/')[2])}", kind, size)
        for name, kind, size in entries
        if name != folder_path
    ]


def unescape_local(url: str) -> str:
    """What fsspec is asked for: it takes a `file://` URL for a path, in which blanks, umlauts and `%` are themselves.

    >>> unescape_local("file:///my%20runs/bm25.run"), unescape_local("s3://my%20runs/bm25.run")
    ('file:///my runs/bm25.run', 's3://my%20runs/bm25.run')
    """
    return unquote(url) if url.startswith(LOCAL) else url


@contextmanager
def open_url(url: str) -> Iterator[Any]:
    """Open for reading; the stream can seek if the store supports it.

    Parameters
    ----------
    url
        URL of the file.

    Raises
    ------
    FileNotFoundError, OSError
        As for `open`.
    ParameterError
        fsspec, or its package for this kind of URL, is not installed.
    InputError
        The kind of URL is unknown.
    """
    with open_remote(url) as file, io.BufferedReader(RemoteFile(file), 1 << 16) as stream:
        yield stream


def url_size(url: str) -> int:
    """The size of the file in bytes if the store knows it and the file can seek; else 0.

    Parameters
    ----------
    url
        URL of the file.

    Raises
    ------
    ParameterError
        As for `open_url`, but a file that cannot be opened has size 0.
    """
    try:
        with open_remote(url) as file:
            return RemoteFile(file).size
    except (OSError, InputError):
        return 0


@contextmanager
def open_remote(url: str) -> Iterator[Any]:
    with store_errors(url):
        import fsspec

        # Must stay alive: it holds the archive that a member belongs to.
        source = fsspec.open(unescape_local(url), "rb")
        refuse_packed(source, url)
        file = source.open()
        if url.startswith(HTTP) and not serves_ranges(file):
            file.close()
            file = fsspec.open(url, "rb", block_size=0).open()  # once, from the beginning
    with file:
        yield file


def refuse_packed(source: Any, url: str) -> None:
    """Raise InputError for a member of a zip archive whose unpacked size is implausible."""
    if url.startswith("zip://"):
        info = source.fs.info(source.path)
        refuse_bomb(info["size"], info.get("compress_size", info["size"]), url)


def serves_ranges(file: Any) -> bool:
    """Whether a server sends parts of a file over HTTP; some always send the whole file.

    Requests the last byte, if the file is longer than one block.
    """
    if not file.size or file.size <= file.blocksize:
        return True
    try:
        file.seek(file.size - 1)
        file.read(1)
        file.seek(0)
    except ValueError:
        return False
    return True


@contextmanager
def store_errors(url: str) -> Iterator[None]:
    """Turn all errors of a store into errors of this package, or OSError."""
    try:
        import fsspec  # noqa: F401 - whether it is installed
    except ImportError:
        raise ParameterError(
            f"{url}: a URL is opened by fsspec, which is not installed; pip install 'rankscope[scale]', or name a path"
        ) from None
    try:
        yield
    except ImportError as error:  # the package for this store is missing
        raise ParameterError(f"{url}: a package for such URLs is not installed ({error_text(error)})") from None
    except FileNotFoundError as error:
        cause = error.__cause__
        if cause is None or isinstance(cause, FileNotFoundError) or getattr(cause, "status", 0) == NOT_FOUND:
            raise
        error_type, text = type(cause).__name__, error_text(cause)
        # A server that refuses, or does not answer.
        raise OSError(text if text == error_type else f"{error_type}: {text}") from error
    except (OSError, RankscopeError):
        raise
    except ValueError as error:
        raise InputError(f"{url}: cannot be opened ({error_text(error)}); check the URL, or name a path") from None
    except Exception as error:  # each store has errors of its own
        raise OSError(error_text(error)) from error


def error_text(error: BaseException) -> str:
    """The message of an error in one line; its type if there is no message."""
    return " ".join(str(error).split()) or type(error).__name__
