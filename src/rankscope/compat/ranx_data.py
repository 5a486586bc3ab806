"""ranx's Qrels and Run. They hold ours, and unpack them into dicts only when somebody looks inside or adds to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rankscope.compat.ranx_lists import (
    ListsByQuery,
    check_ids,
    check_mapping_of_mappings,
    file_kind,
    frame_columns,
    load_pandas,
    read_json,
)
from rankscope.data import qrels as our_qrels
from rankscope.data import run as our_run
from rankscope.data.dicts import to_numbers
from rankscope.data.rows import decode_ids
from rankscope.errors import InputError, ParameterError
from rankscope.io.read import read_qrels, read_run
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = ["Qrels", "Run"]


class Qrels(ListsByQuery[int, our_qrels.Qrels]):
    """Judgments, as ranx.Qrels.

    qrels: `{query_id: {document_id: relevance}}`; it is not kept. A query without documents has nothing relevant.
    Raises InputError for a relevance that is no whole number, and for ids that are no strings.

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
                self._core, self._dicts = our_qrels.Qrels(qrels), None
            else:
                self._dicts = {query: {} for query in qrels}

    @staticmethod
    def _unpack(core: our_qrels.Qrels) -> dict[str, dict[str, int]]:
        values = core.relevance.tolist()
        lists = zip(core.query_ids, core._lookup, pairwise(core.offsets.tolist()), strict=True)
        return {query: dict(zip(docs, values[a:b], strict=True)) for query, docs, (a, b) in lists}

    @staticmethod
    def _order(docs: Mapping[str, int]) -> dict[str, int]:
        return dict(sorted(docs.items(), key=lambda item: -item[1]))

    @staticmethod
    def _number(value: Any, query: str, doc: str) -> int:
        if to_numbers([value], "relevance") is None:
            raise InputError(
                f"qrels: the relevance of document {doc!r} of query {query!r} is {value!r}, expected a whole number"
            )
        return int(value)

    def _prepared(self) -> our_qrels.Qrels:
        """Ours, to be joined. Kept until something changes."""
        core = self._core if self._core is not None else our_qrels.Qrels(self._look())
        self._core = None if self._lent else core
        return core

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The dicts themselves, which may be changed."""
        return self._lend()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lower all grades so that this one becomes 1, the least that counts."""
        dicts = self._change()
        for docs in dicts.values():
            docs.update({doc: grade - (rel_lvl - 1) for doc, grade in docs.items()})

    def save(self, path: PathLike = "qrels.json", kind: str | None = None) -> None:
        """Write a file: JSON, TREC's qrels, gzipped or not, or Parquet, as `kind` or else the suffix says.

        Raises OutputError, UnknownName for a suffix or kind that is not known. Parquet needs pandas.
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
        """Read a file that `save` or another tool wrote; kind: as for `save`. Raises InputError with file:line."""
        kind = file_kind(path, kind)
        if kind == "json":
            return Qrels(read_json(path))
        found: Qrels = Qrels._of(read_qrels(path, input="parquet" if kind == "parquet" else "trec"))
        return found

    @staticmethod
    def from_df(df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score") -> Qrels:
        """From a data frame of pandas (or polars), one row a judgment. Raises InputError, naming the row."""
        columns = frame_columns(df, q_id_col, doc_id_col, score_col)
        found: Qrels = Qrels._of(our_qrels.Qrels(dict(zip(("query_id", "doc_id", "relevance"), columns, strict=True))))
        return found

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

    run: `{query_id: {document_id: score}}`; it is copied. `evaluate` leaves its results in `scores`
    (`{metric: {query_id: value}}`), `mean_scores` and `std_scores` (`{metric: value}`).

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
        if core._mapping is not None:
            return {
                query: {doc: Run._number(score, query, doc) for doc, score in docs.items()}
                for query, docs in core._mapping.items()
            }
        assert core._rows is not None
        docs, values = decode_ids(decode(core._rows.docs)), core._rows.values.tolist()
        lists = zip(core.query_ids, pairwise(core._rows.offsets.tolist()), strict=True)
        return {query: dict(zip(docs[a:b], values[a:b], strict=True)) for query, (a, b) in lists}

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
        """Ours, to be joined; as in the original, the run is sorted from then on."""
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
        """Give this run the queries of the judgments: an empty list where it has none, no others. Returns itself."""
        wanted = qrels.keys()
        if wanted != self.keys():
            dicts = self._change()
            self._dicts = {query: dicts.get(query, {}) for query in wanted}
        self._due = True
        return self

    def save(self, path: PathLike = "run.json", kind: str | None = None) -> None:
        """Write a file: JSON, TREC's run, gzipped or not, or Parquet, as `kind` or else the suffix says.

        Raises OutputError, UnknownName for a suffix or kind that is not known. Parquet needs pandas.
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
        """Read a file that `save` or another tool wrote; kind: as for `save`. Raises InputError with file:line.

        name: by default the tag of a TREC run, else None.
        """
        kind = file_kind(path, kind)
        if kind == "json":
            return Run(read_json(path), name)
        core = read_run(path, name=name, input="parquet" if kind == "parquet" else "trec")
        found: Run = Run._of(core, name if kind == "parquet" else core.name)
        return found

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score", name: str | None = None
    ) -> Run:
        """From a data frame of pandas (or polars), one row a document. Raises InputError, naming the row."""
        columns = frame_columns(df, q_id_col, doc_id_col, score_col)
        core = our_run.Run(dict(zip(("query_id", "doc_id", "score"), columns, strict=True)))
        found: Run = Run._of(core, name)
        return found

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
