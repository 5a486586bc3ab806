"""The evaluation part of the package ranx: its measures, Qrels, Run and `evaluate`.

    from rankscope.compat import ranx  # instead of: import ranx

docs/ranx.md shows examples and lists the differences.
"""

from __future__ import annotations

import importlib
import io
import json
import os
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

from rankscope.compat.pytrec_eval import finite_scores
from rankscope.data import qrels as our_qrels
from rankscope.data import run as our_run
from rankscope.data.grades import has_fractions, refuse_fractions
from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner
from rankscope.data.row_input import to_numbers
from rankscope.data.rows import decode_ids
from rankscope.data.text import first_names
from rankscope.errors import InputError, OutputError, ParameterError, UnknownName
from rankscope.io.core import compress, open_binary, write_chunks, write_text
from rankscope.io.read import read_qrels, read_run
from rankscope.kernels.text import decode
from rankscope.measures.base import Measure
from rankscope.measures.binary import AP, RR, F, P, R, Rprec, Success
from rankscope.measures.cascade import RBP
from rankscope.measures.graded import DCG, nDCG
from rankscope.measures.incomplete_judgments import Bpref
from rankscope.measures.sets import NumRelRet, SetF, SetP, SetR
from rankscope.typing import Floats, Grades, Ints, PathLike

__all__ = [
    "ListsByQuery",
    "Qrels",
    "Run",
    "check_ids",
    "check_mapping_of_mappings",
    "evaluate",
    "file_kind",
    "frame_columns",
    "load_pandas",
    "read_json",
]


FILE_KINDS = ("json", "trec", "gz", "parquet")
SUFFIXES = {"txt": "trec", "parq": "parquet"}
T = TypeVar("T", int, float)
Core = TypeVar("Core", our_qrels.Qrels, our_run.Run)


class UnknownKind(UnknownName, AssertionError):
    """A kind of file that is not known: an AssertionError in the original."""


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
        self._due = False
        self._lent = False  # whether the caller holds the dicts, and may change them

    @classmethod
    def _of(cls, core: Core, name: str | None = None) -> Any:
        self = cls()
        self.name = name
        self._core, self._dicts, self._due = core, None, True
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
            raise InputError(f"{os.fspath(path)}: this is not JSON ({error}); name the kind of the file") from None


def frame_columns(df: Any, *names: str) -> list[list[Any]]:
    present = list(df.columns)
    for name in names:
        if name not in present:
            raise InputError(f"the data frame has no column {name!r} among {present}; name the columns that it has")
    return [list(df[name]) for name in names]


def load_pandas() -> Any:
    """The module pandas, which only functions for data frames need."""
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise ParameterError("pandas, which is needed for data frames, is not installed; install pandas") from None


def whole_qrels(data: Any) -> our_qrels.Qrels:
    """Our judgments. Raises InputError for a grade that is a fraction, which ranx does not take."""
    judgments = data if isinstance(data, our_qrels.Qrels) else our_qrels.Qrels(data)
    refuse_fractions(judgments.relevance, "qrels", "ranx", "use rankscope.evaluate, which takes fractions")
    return judgments


class Qrels(ListsByQuery[int, our_qrels.Qrels]):
    """Judgments, as ranx.Qrels.

    Parameters
    ----------
    qrels
        `{query_id: {document_id: relevance}}`; it is copied. A query without documents has no relevant ones.
    name
        Name of the judgments.

    Raises
    ------
    InputError
        A relevance is not a whole number, or an id is not a string.

    Examples
    --------
    >>> qrels = Qrels({"q2": {"d1": 1, "d2": 3}, "q1": {"d1": 2}}, name="small")
    >>> qrels.get_query_ids(), qrels["q2"], len(qrels)
    (['q1', 'q2'], {'d2': 3, 'd1': 1}, 2)
    """

    _what = "qrels"

    def __init__(self, qrels: Mapping[str, Mapping[str, int]] | None = None, name: str | None = None) -> None:
        super().__init__(name)
        if qrels is not None:
            check_mapping_of_mappings("qrels", qrels)
            self._due = True
            if any(qrels.values()):
                self._core, self._dicts = whole_qrels(qrels), None
            else:
                self._dicts = {query: {} for query in qrels}

    @staticmethod
    def _unpack(core: our_qrels.Qrels) -> dict[str, dict[str, int]]:
        values = core.relevance.tolist()
        lists = zip(core.query_ids, core.document_places, pairwise(core.offsets.tolist()), strict=True)
        return {query: dict(zip(docs, values[begin:end], strict=True)) for query, docs, (begin, end) in lists}

    @staticmethod
    def _order(docs: Mapping[str, int]) -> dict[str, int]:
        return dict(sorted(docs.items(), key=lambda item: -item[1]))

    @staticmethod
    def _number(value: Any, query: str, doc: str) -> int:
        grades = to_numbers([value], "relevance")
        if grades is None or has_fractions(grades):
            raise InputError(
                f"qrels: the relevance of document {doc!r} of query {query!r} is {value!r}, expected a whole number; "
                "use rankscope.evaluate, which takes fractions"
            )
        return int(value)

    def _prepared(self) -> our_qrels.Qrels:
        """Our Qrels for the join, cached until something changes."""
        core = self._core if self._core is not None else whole_qrels(self._look())
        self._core = None if self._lent else core
        return core

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The dicts themselves, which may be changed."""
        return self._lend()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lower all grades so that this one becomes 1, the lowest that counts.

        Parameters
        ----------
        rel_lvl
            The grade.
        """
        dicts = self._change()
        for docs in dicts.values():
            docs.update({doc: grade - (rel_lvl - 1) for doc, grade in docs.items()})

    def save(self, path: PathLike = "qrels.json", kind: str | None = None) -> None:
        """Write a file: JSON, TREC's qrels, gzipped or not, or Parquet, which needs pandas.

        Parameters
        ----------
        path
            The file.
        kind
            Format. Default: by the suffix.

        Raises
        ------
        OutputError
            The file cannot be written.
        UnknownName
            The suffix or kind is unknown.
        """
        self._save(path, kind)

    def _lines(self) -> Iterator[str]:
        for query, docs in self._look().items():
            check_ids(self._what, [query, *docs])
            yield from (f"{query} 0 {doc} {grade}\n" for doc, grade in docs.items())

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, int]]) -> Qrels:
        """The same as `Qrels(d)`."""
        return Qrels(d)

    @staticmethod
    def from_file(path: PathLike, kind: str | None = None) -> Qrels:
        """Read a file that `save` or another tool wrote.

        Parameters
        ----------
        path
            The file.
        kind
            Format. Default: by the suffix.

        Returns
        -------
        Qrels
            The judgments.

        Raises
        ------
        InputError
            The file is malformed; the message has file:line.
        """
        kind = file_kind(path, kind)
        if kind == "json":
            return Qrels(read_json(path))
        qrels: Qrels = Qrels._of(whole_qrels(read_qrels(path, input="parquet" if kind == "parquet" else "trec")))
        return qrels

    @staticmethod
    def from_df(df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score") -> Qrels:
        """From a data frame of pandas (or polars), one row per judgment.

        Parameters
        ----------
        df
            The frame.
        q_id_col, doc_id_col, score_col
            Names of its columns.

        Returns
        -------
        Qrels
            The judgments.

        Raises
        ------
        InputError
            A cell is wrong; the message names the row.
        """
        columns = frame_columns(df, q_id_col, doc_id_col, score_col)
        qrels: Qrels = Qrels._of(whole_qrels(dict(zip(("query_id", "doc_id", "relevance"), columns, strict=True))))
        return qrels

    @staticmethod
    def from_parquet(
        path: PathLike,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
    ) -> Qrels:
        """From a Parquet file, as `from_df`. pd_kwargs: of pandas.read_parquet, which is needed."""
        return Qrels.from_df(load_pandas().read_parquet(path, **(pd_kwargs or {})), q_id_col, doc_id_col, score_col)

    @staticmethod
    def from_ir_datasets(dataset_id: str) -> NoReturn:
        """Always raises ParameterError: nothing is downloaded here."""
        raise ParameterError(
            f"from_ir_datasets({dataset_id!r}): nothing is downloaded here, expected judgments; "
            "use Qrels.from_dict(ir_datasets.load(...).qrels_dict())"
        )


class Run(ListsByQuery[float, our_run.Run]):
    """The ranked lists of one system, as ranx.Run.

    Parameters
    ----------
    run
        `{query_id: {document_id: score}}`; it is copied.
    name
        Name of the system.

    Notes
    -----
    `evaluate` stores its results in `scores` (`{metric: {query_id: value}}`), `mean_scores` and `std_scores` (`{metric:
    value}`).

    Examples
    --------
    >>> run = Run({"q2": {"d1": 0.5, "d2": 0.9}, "q1": {"d1": 1}}, name="bm25")
    >>> run.get_query_ids(), run["q2"], run.name
    (['q1', 'q2'], {'d2': 0.9, 'd1': 0.5}, 'bm25')
    """

    _what = "run"

    def __init__(self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self.metadata: dict[str, Any] = {}
        self.scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, Any] = {}
        self.std_scores: dict[str, Any] = {}
        if run is not None:
            check_mapping_of_mappings("run", run)
            self._core = our_run.Run({query: dict(docs) for query, docs in run.items()})
            self._dicts, self._due = None, True

    @staticmethod
    def _unpack(core: our_run.Run) -> dict[str, dict[str, float]]:
        if core.mapping is not None:
            return {
                query: {doc: Run._number(score, query, doc) for doc, score in docs.items()}
                for query, docs in core.mapping.items()
            }
        rows = core.rows()
        docs, values = decode_ids(decode(rows.docs)), rows.values.tolist()
        lists = zip(core.query_ids, pairwise(rows.offsets.tolist()), strict=True)
        return {query: dict(zip(docs[begin:end], values[begin:end], strict=True)) for query, (begin, end) in lists}

    @staticmethod
    def _order(docs: Mapping[str, float]) -> dict[str, float]:
        return dict(sorted(docs.items(), key=lambda item: (item[1], item[0]), reverse=True))

    @staticmethod
    def _number(value: Any, query: str, doc: str) -> float:
        try:
            if not isinstance(value, str) and not np.isnan(number := float(value)):
                return number
        except (TypeError, ValueError, OverflowError):
            pass
        raise InputError(f"run: the score of document {doc!r} of query {query!r} is {value!r}, expected a number")

    def _prepared(self) -> our_run.Run:
        """Our Run for the join; as in the original, the run is sorted from then on."""
        self._due = True
        if self._core is not None:
            return self._core
        assert self._dicts is not None
        return our_run.Run(self._dicts)

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """The dicts themselves, which may be changed."""
        return self._lend()

    def make_comparable(self, qrels: Qrels) -> Run:
        """Give this run the queries of the judgments: an empty list if it has none, and no others.

        Parameters
        ----------
        qrels
            The judgments.

        Returns
        -------
        Run
            Itself.
        """
        judged_queries = qrels.keys()
        if judged_queries != self.keys():
            dicts = self._change()
            self._dicts = {query: dicts.get(query, {}) for query in judged_queries}
        self._due = True
        return self

    def save(self, path: PathLike = "run.json", kind: str | None = None) -> None:
        """Write a file: JSON, TREC's run, gzipped or not, or Parquet, which needs pandas.

        Parameters
        ----------
        path
            The file.
        kind
            Format. Default: by the suffix.

        Raises
        ------
        OutputError
            The file cannot be written.
        UnknownName
            The suffix or kind is unknown.
        """
        self.sort()
        self._save(path, kind)

    def _lines(self) -> Iterator[str]:
        name = "run" if self.name is None else self.name
        for query, docs in self._look().items():
            check_ids(self._what, [name, query, *docs])
            ranked = enumerate(docs.items(), 1)
            yield from (f"{query} Q0 {doc} {rank} {score} {name}\n" for rank, (doc, score) in ranked)

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """The same as `Run(d, name)`."""
        return Run(d, name)

    @staticmethod
    def from_file(path: PathLike, kind: str | None = None, name: str | None = None) -> Run:
        """Read a file that `save` or another tool wrote.

        Parameters
        ----------
        path
            The file.
        kind
            Format. Default: by the suffix.
        name
            Name of the system. Default: the tag of a TREC run, else None.

        Returns
        -------
        Run
            The run.

        Raises
        ------
        InputError
            The file is malformed; the message has file:line.
        """
        kind = file_kind(path, kind)
        if kind == "json":
            return Run(read_json(path), name)
        core = read_run(path, name=name, input="parquet" if kind == "parquet" else "trec")
        run: Run = Run._of(core, name if kind == "parquet" else core.name)
        return run

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score", name: str | None = None
    ) -> Run:
        """From a data frame of pandas (or polars), one row per document.

        Parameters
        ----------
        df
            The frame.
        q_id_col, doc_id_col, score_col
            Names of its columns.
        name
            Name of the system.

        Returns
        -------
        Run
            The run.

        Raises
        ------
        InputError
            A cell is wrong; the message names the row.
        """
        columns = frame_columns(df, q_id_col, doc_id_col, score_col)
        core = our_run.Run(dict(zip(("query_id", "doc_id", "score"), columns, strict=True)))
        run: Run = Run._of(core, name)
        return run

    @staticmethod
    def from_parquet(
        path: PathLike,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> Run:
        """From a Parquet file, as `from_df`. pd_kwargs: of pandas.read_parquet, which is needed."""
        return Run.from_df(load_pandas().read_parquet(path, **(pd_kwargs or {})), q_id_col, doc_id_col, score_col, name)

    @staticmethod
    def from_ranxhub(id: str) -> NoReturn:
        """Always raises ParameterError: nothing is downloaded here."""
        raise ParameterError(
            f"from_ranxhub({id!r}): nothing is downloaded here, expected a run that you have; use Run.from_file(path)"
        )


QrelsLike = Qrels | Mapping[str, Mapping[str, int]]
RunLike = Run | Mapping[str, Mapping[str, float]]


class NotComparable(InputError, AssertionError):
    """Judgments and run with different queries: an AssertionError in the original."""


class Metric(NamedTuple):
    """A parsed name.

    Attributes
    ----------
    stem
        Name without parameters.
    cutoff
        Cutoff; None for the whole list.
    level
        Lowest grade that counts as relevant.
    p
        Persistence of rbp.
    """

    stem: str
    cutoff: int | None
    level: int
    p: float = 0.0


def count_hits(hits: Hits, cutoff: int | None) -> Floats:
    return NumRelRet()(hits if cutoff is None else hits.cut(cutoff))


def hit_rate(hits: Hits, cutoff: int | None) -> Floats:
    return np.minimum(NumRelRet()(hits), 1.0) if cutoff is None else Success(cutoff=cutoff)(hits)


def with_cutoff(
    cutoff_measure: Callable[..., Measure], list_measure: Callable[..., Measure]
) -> Callable[[Hits, int | None], Floats]:
    """A measure at a cutoff, or its variant of the complete list."""
    return lambda hits, cutoff: list_measure()(hits) if cutoff is None else cutoff_measure(cutoff=cutoff)(hits)


#: Metrics that use binary relevance, and those with gains.
BINARY: dict[str, Callable[[Hits, int | None], Floats]] = {
    "hits": count_hits,
    "hit_rate": hit_rate,
    "precision": with_cutoff(P, SetP),
    "recall": with_cutoff(R, SetR),
    "f1": with_cutoff(F, SetF),
    "r-precision": lambda hits, _: Rprec()(hits),
    "mrr": lambda hits, cutoff: RR(cutoff=cutoff)(hits),
    "map": lambda hits, cutoff: AP(cutoff=cutoff)(hits),
    "bpref": lambda hits, _: Bpref()(hits),
}
GRADED: dict[str, Callable[[Hits, int | None], Floats]] = {
    "dcg": lambda hits, cutoff: DCG(cutoff=cutoff)(hits),
    "dcg_burges": lambda hits, cutoff: DCG(gain="exp", cutoff=cutoff)(hits),
    "ndcg": lambda hits, cutoff: nDCG(cutoff=cutoff)(hits),
    "ndcg_burges": lambda hits, cutoff: nDCG(gain="exp", cutoff=cutoff)(hits),
}
NO_CUTOFF = ("r-precision", "bpref")  # they accept a cutoff and ignore it


def rbp(hits: Hits, p: float) -> Floats:
    """Gains are the grades themselves, not divided by the highest one."""
    if p == 0:  # only the first document is seen
        return DCG(cutoff=1)(hits)
    return RBP(p=p)(hits) * max(hits.max_grade, 1)


def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    metrics: Iterable[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """The values of a run, as ranx.evaluate gives them.

    Parameters
    ----------
    qrels, run
        A Qrels and a Run, or dicts of dicts.
    metrics
        Name or names: `map`, `ndcg@10`, `hits@5-l2` (grades below 2 do not count), `rbp.95`.
    return_mean
        Give means over all queries. Otherwise arrays of one value per query, in the order of a Qrels (ids rising) or of
        the dict.
    return_std
        Give `{"mean", "std"}` for each metric.
    threads
        No effect.
    save_results_in_run
        Store the results in a Run's `scores`, `mean_scores`, `std_scores`.
    make_comparable
        Score queries missing from the run as empty, and drop those without judgments (from a Run itself).

    Returns
    -------
    float or dict
        For one metric its value, for several a dict by metric. 0 for an empty list, or without relevant documents.

    Raises
    ------
    ValueError
        A metric does not exist, or the data cannot be read. If the queries differ, the error is also an AssertionError.

    Examples
    --------
    >>> qrels, run = {"q1": {"d1": 1, "d2": 3}}, {"q1": {"d3": 0.9, "d2": 0.8, "d1": 0.2}}
    >>> evaluate(qrels, run, ["mrr", "hits@3-l2"])
    {'mrr': np.float64(0.5), 'hits@3-l2': np.float64(1.0)}
    >>> evaluate(qrels, run, "precision@2", return_mean=False)
    array([0.5])
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    parsed_metrics = {name: read_metric(name) for name in names}
    check_types(qrels, run)
    if make_comparable:
        run = run_of_judged_queries(qrels, run)
    queries = same_queries(qrels, run)
    hits = join_run(qrels, run)
    order = query_order(hits, queries)
    values_by_metric = {name: values[order] for name, values in metric_values(hits, parsed_metrics).items()}
    if isinstance(run, Run) and save_results_in_run:
        save_in_run(run, queries, values_by_metric, with_std=return_mean and return_std)
    results: dict[str, Any] = values_by_metric
    if return_mean and return_std:
        results = {name: {"mean": np.mean(values), "std": np.std(values)} for name, values in values_by_metric.items()}
    elif return_mean:
        results = {name: np.mean(values) for name, values in values_by_metric.items()}
    return results[names[0]] if len(names) == 1 else results


def read_metric(name: str) -> Metric:
    """Parse a name: `stem@k-lN`, or `rbp.95-lN`. Raises UnknownName and ParameterError."""
    if not isinstance(name, str):
        raise ParameterError(f"a metric is {name!r}, expected a name such as 'ndcg@10'")
    head, *levels = name.split("-l")
    if len(levels) > 1:
        raise ParameterError(f"{name}: {len(levels)} relevance levels, expected one at the end, as in ndcg@10-l2")
    level = parse_integer(name, levels[0], "-l") if levels else 1
    if "rbp" in head:
        stem, *suffix = head.split("." if "." in head else "@")
        if stem != "rbp":
            raise UnknownName("metric of ranx", stem, [*BINARY, *GRADED, "rbp.95"])
        try:
            return Metric(stem, None, level, float(f"0.{suffix[0]}"))
        except (IndexError, ValueError):
            raise ParameterError(f"{name}: found no persistence, expected its digits, as in rbp.95") from None
    stem, *suffix = head.split("@")
    if stem not in BINARY and stem not in GRADED:
        raise UnknownName("metric of ranx", stem, [*BINARY, *GRADED, "rbp.95"])
    cutoff = parse_integer(name, suffix[0], "@") if suffix else 0
    if stem in NO_CUTOFF:
        cutoff = 0
    elif cutoff < 0:
        raise ParameterError(f"{name}: the cutoff is {cutoff}, expected at least 1, or 0 for the whole list")
    return Metric(stem, cutoff or None, level)


def parse_integer(name: str, text: str, sign: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"{name}: cannot read {text!r}, expected a whole number after {sign}") from None


def check_types(qrels: object, run: object) -> None:
    for argument, data, expected_class in (("qrels", qrels, Qrels), ("run", run, Run)):
        if not isinstance(data, (Mapping, expected_class)):
            raise InputError(
                f"{argument}: found a {type(data).__name__}, expected a {expected_class.__name__} or a dict of dicts"
            )
        if isinstance(data, Mapping):
            check_mapping_of_mappings(argument, data)


def run_of_judged_queries(qrels: QrelsLike, run: RunLike) -> RunLike:
    """The run with the queries of the judgments. A Run is changed, a dict is not."""
    if isinstance(run, Run):
        return run.make_comparable(qrels if isinstance(qrels, Qrels) else Qrels(qrels))
    return {query: run.get(query, {}) for query in qrels.keys()}  # noqa: SIM118 - a Qrels has keys, no iterator


def same_queries(qrels: QrelsLike, run: RunLike) -> list[str]:
    """The ids of all queries, in the order of the judgments. Raises NotComparable."""
    judged_queries, listed_queries = qrels.keys(), run.keys()
    if judged_queries != listed_queries:
        missing, unjudged = (
            [q for q in judged_queries if q not in listed_queries],
            [q for q in listed_queries if q not in judged_queries],
        )
        raise NotComparable(
            f"the run has no list for {len(missing)} of {len(judged_queries)} queries of the qrels "
            f"({first_names(missing)}), and {len(unjudged)} lists for others ({first_names(unjudged)}), expected the "
            "same queries; pass make_comparable=True"
        )
    return list(judged_queries)


def join_run(qrels: QrelsLike, run: RunLike) -> Hits:
    judgments = qrels._prepared() if isinstance(qrels, Qrels) else whole_qrels(qrels)
    name = getattr(run, "name", None) or "run"
    lists = run._prepared() if isinstance(run, Run) else our_run.Run(run)
    joiner = Joiner(judgments, Convention(), name)
    if lists.mapping is None:
        joiner.add(lists.rows())
    else:
        try:
            joiner.add_mapping(lists.mapping)
        except (InputError, TypeError, AttributeError):
            joiner = Joiner(judgments, Convention(), name)
            joiner.add_mapping(finite_scores(lists.mapping))  # with infinite scores made finite
    return joiner.finish()


def query_order(hits: Hits, queries: list[str]) -> Ints | slice:
    """The index of each query in the hits."""
    if len(queries) == len(hits) and tuple(queries) == hits.query_ids:
        return slice(None)
    index_of_query = {query: i for i, query in enumerate(hits.query_ids)}
    return np.array([index_of_query[query] for query in queries], np.int64)


def metric_values(hits: Hits, metrics: Mapping[str, Metric]) -> dict[str, Floats]:
    """(queries) the values of each metric, in arrays of their own."""
    hits_by_key: dict[tuple[bool, int], Hits] = {}
    values_by_metric = {}
    for name, metric in metrics.items():
        key = metric.stem in BINARY, metric.level
        if key not in hits_by_key:
            hits_by_key[key] = hits_from_level(hits, metric.level, binary=key[0])
        metric_hits = hits_by_key[key]
        if metric.stem == "rbp":
            values = rbp(metric_hits, metric.p)
        else:
            values = (BINARY if key[0] else GRADED)[metric.stem](metric_hits, metric.cutoff)
        values_by_metric[name] = np.array(values)
    return values_by_metric


def hits_from_level(hits: Hits, level: int, *, binary: bool) -> Hits:
    """The hits with grades below the level set to 0, also negative ones: judged, not relevant, no gain.

    binary: all others become 1, even where the level is below 1; else they stay.
    """

    def apply_level(grades: Grades) -> Grades:
        is_counted = grades >= level
        return is_counted.astype(np.int64) if binary else np.where(is_counted, np.maximum(grades, 0), 0)

    max_grade = int(apply_level(np.array([hits.max_grade]))[0])
    return replace(
        hits,
        relevance=apply_level(hits.relevance),
        grades=apply_level(hits.grades),
        max_grade=max_grade,
        _memory={},
        _pool_memory={},
    )


def save_in_run(run: Run, queries: list[str], values_by_metric: Mapping[str, Floats], *, with_std: bool) -> None:
    for name, values in values_by_metric.items():
        run.mean_scores[name] = np.mean(values)
        if with_std:
            run.std_scores[name] = np.std(values)
        run.scores[name].update(zip(queries, values, strict=True))
