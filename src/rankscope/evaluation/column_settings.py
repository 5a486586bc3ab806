"""What the user calls the columns of tables: of judgments, runs, scores, spans and chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankscope.data.chunks import DocumentMap
from rankscope.data.entities import EntityRanks
from rankscope.data.qrels import Qrels
from rankscope.data.row_tables import SCHEMAS
from rankscope.data.run import Run
from rankscope.errors import ParameterError
from rankscope.io.chunk_tables import document_map
from rankscope.io.core import is_path, with_columns
from rankscope.settings import Settings, table_columns

__all__ = [
    "ColumnSettings",
]


#: Columns of tables of scores, and of tables of judgments and runs.
SCORE_COLUMNS = ("system", "query", "measure", "value", "group", "cluster", "weight", "epoch")
COLUMN_NAMES = tuple(dict.fromkeys(column.name for schema in SCHEMAS.values() for column in schema.columns))
#: Columns of tables of spans, beside those of the others; columns of tables of chunks and their documents.
SPAN_COLUMNS = ("file", "begin", "end")
CHUNK_COLUMNS = ("chunk", "document")


@dataclass(frozen=True, kw_only=True)
class ColumnSettings(Settings):
    """What columns are called."""

    FUNCTIONS = ("rankscope:evaluate", "rankscope:read_scores")
    COMMANDS = (
        *("evaluate", "compare", "plan", "report", "stability", "agree measures", "agree judgments", "pool", "fuse"),
        *("convert", "features runs", "train", "predict", "crossvalidate"),
    )

    columns: Mapping[str, str] | None = table_columns(
        {"query_id": "topic", "score": "sim"},
        help="Column names in tables. NAME is query_id, doc_id, relevance, score, rank, subtopic, relevant_ids or "
        "retrieved_ids; in a file of scores system, query, measure, value, group, cluster, weight or epoch; for spans "
        "also query, file, begin or end; in the table of --doc-of chunk or document.",
    )

    def check(self) -> None:
        """Raise ParameterError for a column that no table has."""
        known_names = (*COLUMN_NAMES, *SCORE_COLUMNS, *SPAN_COLUMNS, *CHUNK_COLUMNS)
        unknown = next((name for name in self.columns or () if name not in known_names), None)
        if unknown is not None:
            raise ParameterError(f"columns (--columns) has {unknown!r}, expected some of {', '.join(known_names)}")

    @property
    def of_chunks(self) -> dict[str, str]:
        """The names in tables of chunks."""
        return {name: own_name for name, own_name in (self.columns or {}).items() if name in CHUNK_COLUMNS}

    @property
    def of_others(self) -> dict[str, str]:
        """The names in all other tables."""
        return {name: own_name for name, own_name in (self.columns or {}).items() if name not in CHUNK_COLUMNS}

    def path(self, path: Any) -> Any:
        """A path that knows what its columns are called."""
        return with_columns(path, self.of_others)

    def document_map(self, doc_of: Any) -> DocumentMap | None:
        """The document of each chunk, from a table whose columns have these names; otherwise as `document_map`."""
        return document_map(doc_of, self.of_chunks)

    def judgments(self, qrels: Any) -> Any:
        """Judgments whose columns have these names."""
        if not self.of_others or isinstance(qrels, (Qrels, EntityRanks)):
            return qrels
        return self.path(qrels) if is_path(qrels) else Qrels(qrels, columns=self.of_others)

    def run(self, run: Any) -> Any:
        """A run whose columns have these names."""
        if not self.of_others or isinstance(run, Run) or run is None:
            return run
        return self.path(run) if is_path(run) else Run(run, columns=self.of_others)
