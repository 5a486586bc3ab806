"""Tables: CSV, TSV, JSON lines and Parquet, read with polars, and the contents of their columns."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.tables.entity_ranks import read_entity_ranks as read_entity_ranks
    from rankscope.io.tables.formats import PARQUET as PARQUET
    from rankscope.io.tables.formats import ParquetRows as ParquetRows
    from rankscope.io.tables.frames import SEPARATORS as SEPARATORS
    from rankscope.io.tables.frames import first_record as first_record
    from rankscope.io.tables.frames import name_codes as name_codes
    from rankscope.io.tables.frames import polars_errors as polars_errors
    from rankscope.io.tables.frames import read_parquet as read_parquet
    from rankscope.io.tables.frames import separator_of as separator_of
    from rankscope.io.tables.labels import LABELS as LABELS
    from rankscope.io.tables.labels import LabelTable as LabelTable
    from rankscope.io.tables.labels import find_label as find_label
    from rankscope.io.tables.labels import labels_of_frame as labels_of_frame
    from rankscope.io.tables.labels import parse_label_number as parse_label_number
    from rankscope.io.tables.labels import read_label_table as read_label_table
    from rankscope.io.tables.parquet_pages import refuse_false_pages as refuse_false_pages
    from rankscope.io.tables.schema import column_names as column_names
    from rankscope.io.tables.schema import first_rows as first_rows
    from rankscope.io.tables.schema import header_location as header_location
    from rankscope.io.tables.schema import lines_of_objects as lines_of_objects
    from rankscope.io.tables.schema import parse_table as parse_table
    from rankscope.io.tables.schema import read_content as read_content
    from rankscope.io.tables.schema import read_table as read_table
    from rankscope.io.tables.schema import table_of_source as table_of_source
    from rankscope.io.tables.scores_to_ranks import entity_ranks_text as entity_ranks_text
    from rankscope.io.tables.scores_to_ranks import rank_entities as rank_entities

HOMES = {
    "LABELS": "labels",
    "LabelTable": "labels",
    "PARQUET": "formats",
    "ParquetRows": "formats",
    "SEPARATORS": "frames",
    "column_names": "schema",
    "entity_ranks_text": "scores_to_ranks",
    "find_label": "labels",
    "first_record": "frames",
    "first_rows": "schema",
    "header_location": "schema",
    "labels_of_frame": "labels",
    "lines_of_objects": "schema",
    "name_codes": "frames",
    "parse_label_number": "labels",
    "parse_table": "schema",
    "polars_errors": "frames",
    "rank_entities": "scores_to_ranks",
    "read_entity_ranks": "entity_ranks",
    "read_content": "schema",
    "read_parquet": "frames",
    "read_label_table": "labels",
    "read_table": "schema",
    "refuse_false_pages": "parquet_pages",
    "separator_of": "frames",
    "table_of_source": "schema",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
