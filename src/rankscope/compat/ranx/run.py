"""Run: the ranked lists of one system, as ranx.Run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rankscope.compat.ranx.files import file_kind, frame_columns, load_pandas, read_json
from rankscope.compat.ranx.lists import ListsByQuery, check_ids, check_mapping_of_mappings
from rankscope.compat.ranx.qrels import Qrels
from rankscope.data import run as our_run
from rankscope.data.rows import decode_ids
from rankscope.errors import InputError, ParameterError
from rankscope.io.read import read_run
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = [
    "Run",
]


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
            self._dicts = None
            self.sort()

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
        self.sort()
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
        self.sort()
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
