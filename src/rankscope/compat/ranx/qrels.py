"""Qrels: judgments, as ranx.Qrels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NoReturn

from rankscope.compat.ranx.files import file_kind, frame_columns, load_pandas, read_json
from rankscope.compat.ranx.lists import ListsByQuery, check_ids, check_mapping_of_mappings
from rankscope.data import qrels as our_qrels
from rankscope.data.grades import has_fractions, refuse_fractions
from rankscope.data.row_input import to_numbers
from rankscope.errors import InputError, ParameterError
from rankscope.io.read import read_qrels
from rankscope.typing import PathLike

__all__ = [
    "Qrels",
    "whole_qrels",
]


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
            self.sort()
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
