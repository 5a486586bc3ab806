"""What ranx's Qrels and Run share: documents with a number each, by query, that can be added to and saved."""

from __future__ import annotations

import importlib
import io
import json
import os
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rankscope.data import qrels as our_qrels
from rankscope.data import run as our_run
from rankscope.errors import InputError, OutputError, ParameterError, UnknownName
from rankscope.io.streams import open_binary
from rankscope.io.write import compress, write_chunks, write_text
from rankscope.typing import PathLike

__all__ = [
    "ListsByQuery",
    "frame_columns",
    "file_kind",
    "load_pandas",
    "read_json",
    "check_ids",
    "check_mapping_of_mappings",
]

FILE_KINDS = ("json", "trec", "gz", "parquet")
SUFFIXES = {"txt": "trec", "parq": "parquet"}

T = TypeVar("T", int, float)
Core = TypeVar("Core", our_qrels.Qrels, our_run.Run)


class UnknownKind(UnknownName, AssertionError):
    """A kind of file that is not known: an AssertionError in the original."""


class ListsByQuery(ABC, Generic[T, Core]):
    """Documents with a number each, by query: what Qrels and Run share.

    At least one of `_core` (ours) and `_dicts` is there. Where a list is due to be sorted, that waits until its order
    can be seen: queries by id, documents by falling number.
    """

    _what: ClassVar[str]

    def __init__(self, name: str | None = None) -> None:
        self.name = name
        self._core: Core | None = None
        self._dicts: dict[str, dict[str, T]] | None = {}
        self._due = False
        self._lent = False  # whether somebody holds the dicts, and may change them

    @classmethod
    def _of(cls, core: Core, name: str | None = None) -> Any:
        self = cls()
        self.name = name
        self._core, self._dicts, self._due = core, None, True
        return self

    @staticmethod
    @abstractmethod
    def _unpack(core: Core) -> dict[str, dict[str, T]]:
        """What ours holds, as dicts."""

    @staticmethod
    @abstractmethod
    def _order(docs: Mapping[str, T]) -> dict[str, T]:
        """The documents by falling number."""

    @staticmethod
    @abstractmethod
    def _number(value: Any, query: str, doc: str) -> T:
        """The value as it is kept. Raises InputError."""

    @abstractmethod
    def _lines(self) -> Iterator[str]:
        """The lines of a file in TREC's format."""

    def _look(self) -> dict[str, dict[str, T]]:
        """The dicts, in the order in which they are to be seen."""
        if self._dicts is None:
            assert self._core is not None
            self._dicts = self._unpack(self._core)
        if self._due:
            self._dicts = {query: self._order(self._dicts[query]) for query in sorted(self._dicts)}
            self._due = False
        return self._dicts

    def _change(self) -> dict[str, dict[str, T]]:
        """The dicts, to be changed."""
        dicts = self._look()
        self._core = None
        return dicts

    def _lend(self) -> dict[str, dict[str, T]]:
        self._lent = True
        return self._change()

    def _ids(self) -> Sequence[str]:
        """The ids of the queries, in the order in which they are to be seen."""
        if self._dicts is not None:
            return sorted(self._dicts) if self._due else list(self._dicts)
        assert self._core is not None
        return sorted(self._core.query_ids)

    def keys(self) -> KeysView[str]:
        """The ids of the queries."""
        return dict.fromkeys(self._ids()).keys()

    def get_query_ids(self) -> list[str]:
        """The ids of the queries, as a list."""
        return list(self._ids())

    def get_doc_ids_and_scores(self) -> list[dict[str, T]]:
        """For each query, its documents with their numbers. They are copies."""
        return [dict(docs) for docs in self._look().values()]

    def add_score(self, q_id: str, doc_id: str, score: T) -> None:
        """Add a document to a query, new or not, or change its number. Raises InputError for what is no number."""
        number = self._number(score, q_id, doc_id)
        self._change().setdefault(q_id, {})[doc_id] = number

    def add(self, q_id: str, doc_ids: Iterable[str], scores: Iterable[T]) -> None:
        """Add a query with its documents; one that is there is replaced."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(self, q_ids: Iterable[str], doc_ids: Iterable[Iterable[str]], scores: Iterable[Iterable[T]]) -> None:
        """Add queries with their documents; those that are there are replaced.

        Raises InputError for what is no number, for more documents than numbers, and for a document that stands twice.
        """
        new = {}
        for query, docs, values in zip(q_ids, map(list, doc_ids), map(list, scores), strict=True):
            if not len(docs) == len(values) == len(set(docs)):
                raise InputError(
                    f"{self._what}: query {query!r} has {len(docs)} documents ({len(set(docs))} different ones) and "
                    f"{len(values)} numbers, expected as many of each; correct this query"
                )
            new[query] = {doc: self._number(value, query, doc) for doc, value in zip(docs, values, strict=True)}
        self._change().update(new)
        self._due = True

    def sort(self) -> None:
        """Sort queries by id and documents by falling number; equal scores by falling document id."""
        self._due = True

    def to_dict(self) -> dict[str, dict[str, T]]:
        """All as `{query_id: {document_id: number}}`: a defaultdict of dicts, as in the original; a copy."""
        return defaultdict(dict, {query: dict(docs) for query, docs in self._look().items()})

    def to_dataframe(self) -> Any:
        """All as a pandas DataFrame with the columns q_id, doc_id, score. Needs pandas."""
        rows = self._look()
        return load_pandas().DataFrame(
            {
                "q_id": [query for query, docs in rows.items() for _ in docs],
                "doc_id": [doc for docs in rows.values() for doc in docs],
                "score": [value for docs in rows.values() for value in docs.values()],
            }
        )

    def _save(self, path: PathLike, kind: str | None) -> None:
        kind = file_kind(path, kind)
        if kind == "json":
            write_text(path, json.dumps(self._look(), indent=2, ensure_ascii=False))
        elif kind == "parquet":
            buffer = io.BytesIO()
            self.to_dataframe().to_parquet(buffer, index=False)
            write_chunks(path, [buffer.getvalue()])
        elif kind == "gz":
            write_chunks(path, compress((line.encode("utf-8", "surrogateescape") for line in self._lines()), ".gz"))
        else:
            write_text(path, "".join(self._lines()))

    @property
    def size(self) -> int:
        """How many queries."""
        return len(self)

    def __len__(self) -> int:
        """How many queries."""
        if self._dicts is not None:
            return len(self._dicts)
        assert self._core is not None
        return len(self._core.query_ids)

    def __getitem__(self, q_id: str) -> dict[str, T]:
        """A copy of a query's documents with their numbers. Raises KeyError."""
        return dict(self._look()[q_id])

    def __repr__(self) -> str:
        n = len(self)
        return f"{type(self).__name__}({n} {'query' if n == 1 else 'queries'}, name={self.name!r})"


def check_mapping_of_mappings(what: str, data: object) -> None:
    """Raise InputError unless it is a mapping of mappings."""
    good = isinstance(data, Mapping) and all(isinstance(docs, Mapping) for docs in data.values())
    if not good:
        raise InputError(f"{what}: found {data!r:.80}, expected a dict {{query_id: {{document_id: number}}}}")


def check_ids(what: str, ids: list[str]) -> None:
    """Raise OutputError for an id or name that would be no field of TREC's format."""
    if " ".join(ids).split() != ids:
        bad = next(id_ for id_ in ids if id_.split() != [id_])
        raise OutputError(f"{what}: {bad!r} is empty or holds blanks, which TREC's format cannot tell; save as JSON")


def file_kind(path: PathLike, kind: str | None) -> str:
    """The kind of a file, by its suffix unless it is named."""
    if kind is None:
        kind = os.path.splitext(path)[1][1:]
        kind = SUFFIXES.get(kind, kind)
    if kind not in FILE_KINDS:
        raise UnknownKind(f"kind of the file {os.fspath(path)}:", kind, FILE_KINDS)
    return kind


def read_json(path: PathLike) -> Any:
    with open_binary(path) as file:
        try:
            return json.load(file)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{os.fspath(path)}: this is no JSON ({error}); name the kind of the file") from None


def frame_columns(df: Any, *names: str) -> list[list[Any]]:
    there = list(df.columns)
    for name in names:
        if name not in there:
            raise InputError(f"the data frame has no column {name!r} among {there}; name the columns that it has")
    return [list(df[name]) for name in names]


def load_pandas() -> Any:
    """The module, which only whoever asks for its data frames needs."""
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise ParameterError("pandas is not installed, and its data frames were asked for; install pandas") from None
