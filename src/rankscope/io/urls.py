"""Files that are named by a URL and opened by fsspec: s3://, gs://, https://, memory://, ...; the extra `scale`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankscope.errors import InputError, ParameterError

__all__ = ["Remote", "is_url", "is_url_of_folder", "open_url", "url_files", "url_size"]

#: A scheme and two slashes; one letter is a drive of Windows.
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::|://)")


class Remote(io.RawIOBase):
    """A file of fsspec's; whatever its library raises while it is read is an OSError."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self.file.seekable())

    def readinto(self, buffer: Any) -> int:
        try:
            found: bytes = self.file.read(len(buffer))
        except (OSError, EOFError):
            raise
        except Exception as error:  # each store has errors of its own
            raise OSError(said(error)) from error
        buffer[: len(found)] = found
        return len(found)

    @property
    def size(self) -> int:
        """Bytes, where it can be read from any place on; else 0."""
        if not self.seekable():
            return 0
        place = self.tell()
        size = self.seek(0, io.SEEK_END)
        self.seek(place)
        return size

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return int(self.file.seek(place, whence))

    def tell(self) -> int:
        return int(self.file.tell())


def is_url(path: object) -> bool:
    """Whether it is the text of a URL and no path; `file://` is one, too.

    >>> is_url("s3://runs/bm25.run"), is_url("runs/bm25.run"), is_url("C:/runs/bm25.run")
    (True, False, False)
    """
    return isinstance(path, str) and URL.match(path) is not None


def is_url_of_folder(path: object) -> bool:
    """Whether it is a URL that names a folder: one that ends with a slash, of a store that has folders.

    >>> is_url_of_folder("s3://runs/bm25.parquet/"), is_url_of_folder("s3://runs/bm25.parquet")
    (True, False)
    """
    return is_url(path) and str(path).endswith("/") and not str(path).startswith(("http://", "https://"))


def url_files(url: str) -> list[tuple[str, str, int]]:
    """What is in a folder: of each its URL, its kind as fsspec tells it ("file", "directory"), and its bytes.

    Raises as `open_url`, and NotADirectoryError where it is a file.
    """
    with told(url):
        import fsspec

        store, path = fsspec.core.url_to_fs(url)
        found = store.ls(path, detail=True)
    base, ours = url.rstrip("/"), path.rstrip("/")
    if any(one["name"] == ours and one["type"] == "file" for one in found):
        raise NotADirectoryError
    entries = [(one["name"].rstrip("/"), one["type"], int(one["size"] or 0)) for one in found]
    # Some stores list the folder itself.
    return [(f"{base}/{name.rpartition('/')[2]}", kind, size) for name, kind, size in entries if name != ours]


@contextmanager
def open_url(url: str) -> Iterator[Any]:
    """Open for reading, from any place on where the store can do that.

    Raises FileNotFoundError and OSError as `open`; ParameterError where fsspec, or what it needs for this kind of URL,
    is not installed; InputError for a kind that it does not know.
    """
    with opened(url) as file, io.BufferedReader(Remote(file), 1 << 16) as stream:
        yield stream


def url_size(url: str) -> int:
    """Bytes of the file, where the store says so, and it can be read from any place on; else 0.

    Raises as `open_url`, but nothing for a file that is not there, which has 0 until somebody opens it.
    """
    try:
        with opened(url) as file:
            return Remote(file).size
    except OSError:
        return 0


@contextmanager
def opened(url: str) -> Iterator[Any]:
    with told(url):
        import fsspec

        file = fsspec.open(url, "rb").open()
    with file:
        yield file


@contextmanager
def told(url: str) -> Iterator[None]:
    """Raise errors of ours, or OSError, for whatever goes wrong with a store."""
    try:
        import fsspec  # noqa: F401 - whether it is there
    except ImportError:
        raise ParameterError(
            f"{url}: a URL is opened by fsspec, which is not installed; pip install 'rankscope[scale]', or name a path"
        ) from None
    try:
        yield
    except ImportError as error:  # of the package for this store
        raise ParameterError(f"{url}: a package for such URLs is not installed ({said(error)})") from None
    except OSError:
        raise
    except ValueError as error:
        raise InputError(f"{url}: cannot be opened ({said(error)}); check the URL, or name a path") from None
    except Exception as error:  # each store has errors of its own
        raise OSError(said(error)) from error


def said(error: Exception) -> str:
    """In one line."""
    return " ".join(str(error).split()) or type(error).__name__
