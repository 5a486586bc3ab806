"""XML files read as a stream of elements, without document types, entities and references to something outside."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from rankscope.errors import InputError
from rankscope.io.core import empty_file_error, open_binary, source_name
from rankscope.typing import PathLike

__all__ = [
    "XmlReader",
]


#: Bytes that are parsed at once.
CHUNK = 1 << 16


class XmlReader:
    """A file of XML, whose elements are given to `start` and `end` one after the other.

    Parameters
    ----------
    path
        The file.
    expected
        What it should hold, for messages.
    """

    def __init__(self, path: PathLike, expected: str) -> None:
        self.path, self.name, self.expected = path, source_name(path), expected
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = lambda *_: self.refuse(
            "a document type (<!DOCTYPE ...>), which can hold entity bombs"
        )
        self.parser.EntityDeclHandler = lambda *_: self.refuse("an entity is declared")
        self.parser.ExternalEntityRefHandler = lambda *_: self.refuse("a reference to something outside of the file")
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        raise NotImplementedError

    def end(self, tag: str) -> None:
        """An element ends."""
        raise NotImplementedError

    @property
    def line(self) -> int:
        """The line that is read."""
        return self.parser.CurrentLineNumber

    def error_here(self, problem: str) -> InputError:
        return InputError(f"{self.name}:{self.line}: {problem}")

    def refuse(self, problem: str) -> Any:
        raise self.error_here(f"{problem}, expected {self.expected} with elements only; remove it")

    def read(self) -> None:
        """Read the file. Raises InputError for what is no such XML."""
        is_empty = True
        with open_binary(self.path) as stream:
            try:
                while chunk := stream.read(CHUNK):
                    is_empty = False
                    self.parser.Parse(chunk, False)
                if is_empty:
                    raise empty_file_error(self.name, self.expected)
                self.parser.Parse(b"", True)
            except expat.ExpatError as error:
                reason = expat.ErrorString(error.code) or "unknown"
                raise InputError(
                    f"{self.name}:{error.lineno}: broken XML ({reason}), expected {self.expected}; correct it"
                ) from None
            except (ValueError, LookupError) as error:
                if isinstance(error, InputError):
                    raise
                raise self.error_here(f"an encoding that cannot be read ({error}), expected UTF-8") from None
