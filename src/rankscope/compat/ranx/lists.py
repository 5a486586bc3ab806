"""Documents with a number each, by query: the base of Qrels and Run."""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rankscope.compat.ranx.files import file_kind, load_pandas
from rankscope.data import qrels as our_qrels
from rankscope.data import run as our_run
from rankscope.errors import InputError, OutputError
from rankscope.io.core import compress, write_chunks, write_text
from rankscope.typing import PathLike

__all__ = [
    "ListsByQuery",
    "check_ids",
    "check_mapping_of_mappings",
]


T = TypeVar("T", int, float)
Core = TypeVar("Core", our_qrels.Qrels, our_run.Run)


class ListsByQuery(ABC, Generic[T, Core]):
    """Documents with a number each, by query: the base of Qrels and Run.

    At least one of `_core` (our object) and `_dicts` is set. Sorting (queries by id, documents by falling number) waits
    until the order is visible.
    """

    _what: ClassVar[str]

    def __init__(self, name: str | None = None) -> None:
        self.name = name
        self._core: Core | None = None
        self._dicts: dict[str, dict[str, T]] | None = {}
        self._due = False  # whether the dicts are still to be sorted
        self._is_sorted = False  # since it was changed
        self._lent = False  # whether the caller holds the dicts, and may change them

    @classmethod
    def _of(cls, core: Core, name: str | None = None) -> Any:
        """From one of our objects."""
        self = cls()
        self.name = name
        self._core, self._dicts, self._due, self._is_sorted = core, None, True, True
        return self

    @staticmethod
    @abstractmethod
    def _unpack(core: Core) -> dict[str, dict[str, T]]:
        """The content of our object as dicts."""

    @staticmethod
    @abstractmethod
    def _order(docs: Mapping[str, T]) -> dict[str, T]:
        """The documents by falling number."""

    @staticmethod
    @abstractmethod
    def _number(value: Any, query: str, doc: str) -> T:
        """The value in its stored type. Raises InputError."""

    @abstractmethod
    def _lines(self) -> Iterator[str]:
        """The lines of a file in TREC's format."""

    def _look(self) -> dict[str, dict[str, T]]:
        """The dicts in their visible order."""
        if self._dicts is None:
            assert self._core is not None
            self._dicts = self._unpack(self._core)
        if self._due:
            self._dicts = {query: self._order(self._dicts[query]) for query in sorted(self._dicts)}
            self._due = False
        return self._dicts

    def _change(self) -> dict[str, dict[str, T]]:
        """The dicts, for changes, which make our object invalid."""
        dicts = self._look()
        self._core = None
        return dicts

    def _lend(self) -> dict[str, dict[str, T]]:
        """The dicts for the caller, who may change them."""
        self._lent = True
        return self._change()

    def _ids(self) -> Sequence[str]:
        """The ids of the queries in their visible order."""
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
        """Add a document to a query, new or not, or change its number.

        Parameters
        ----------
        q_id, doc_id
            Query and document.
        score
            The number.

        Raises
        ------
        InputError
            The value is not a number.
        """
        number = self._number(score, q_id, doc_id)
        self._change().setdefault(q_id, {})[doc_id] = number
        self._is_sorted = False

    def add(self, q_id: str, doc_ids: Iterable[str], scores: Iterable[T]) -> None:
        """Add a query with its documents; an existing one is replaced.

        Parameters
        ----------
        q_id
            The query.
        doc_ids
            Its documents.
        scores
            Their numbers.

        Raises
        ------
        InputError
            As for `add_multi`.
        """
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(self, q_ids: Iterable[str], doc_ids: Iterable[Iterable[str]], scores: Iterable[Iterable[T]]) -> None:
        """Add queries with their documents; existing ones are replaced.

        Parameters
        ----------
        q_ids
            The queries.
        doc_ids
            Documents of each query.
        scores
            Number of each document.

        Raises
        ------
        InputError
            A value is not a number, there are more documents than numbers, or a document occurs twice.
        """
        new_lists = {}
        for query, docs, values in zip(q_ids, map(list, doc_ids), map(list, scores), strict=True):
            if not len(docs) == len(values) == len(set(docs)):
                raise InputError(
                    f"{self._what}: query {query!r} has {len(docs)} documents ({len(set(docs))} different ones) and "
                    f"{len(values)} numbers, expected as many of each; correct this query"
                )
            new_lists[query] = {doc: self._number(value, query, doc) for doc, value in zip(docs, values, strict=True)}
        self._change().update(new_lists)
        self.sort()

    def sort(self) -> None:
        """Sort queries by id and documents by falling number; equal scores by falling document id."""
        self._due = self._is_sorted = True

    @property
    def sorted(self) -> bool:
        """Whether queries and documents are in order: False while it is empty, and after `add_score`."""
        return self._is_sorted

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
        """Write a file. kind: its format; None: by the suffix."""
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


def check_mapping_of_mappings(argument: str, data: object) -> None:
    """Raise InputError unless it is a mapping of mappings."""
    is_valid = isinstance(data, Mapping) and all(isinstance(docs, Mapping) for docs in data.values())
    if not is_valid:
        raise InputError(f"{argument}: found {data!r:.80}, expected a dict {{query_id: {{document_id: number}}}}")


def check_ids(argument: str, ids: list[str]) -> None:
    """Raise OutputError for an id or name that would be no field of TREC's format."""
    if " ".join(ids).split() != ids:
        invalid_id = next(id_ for id_ in ids if id_.split() != [id_])
        raise OutputError(
            f"{argument}: {invalid_id!r} is empty or contains blanks, which TREC's format cannot store; save as JSON"
        )
