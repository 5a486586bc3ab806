"""Large runs: folders of files, splits of Parquet, byte ranges, grouping on disk."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.large_runs.external_group_by import ExternalGroupBy as ExternalGroupBy
    from rankscope.io.large_runs.folder_run import DUPLICATE_ADVICE as DUPLICATE_ADVICE
    from rankscope.io.large_runs.folder_run import FolderRun as FolderRun
    from rankscope.io.large_runs.folder_run import read_folder as read_folder
    from rankscope.io.large_runs.folder_run import refuse_two_systems as refuse_two_systems
    from rankscope.io.large_runs.folder_run import refuse_unstreamable as refuse_unstreamable
    from rankscope.io.large_runs.folder_run import run_name_of_tags as run_name_of_tags
    from rankscope.io.large_runs.splits import ByteRange as ByteRange
    from rankscope.io.large_runs.splits import ParquetSplit as ParquetSplit
    from rankscope.io.large_runs.splits import RangeReader as RangeReader
    from rankscope.io.large_runs.splits import cut_at_queries as cut_at_queries
    from rankscope.io.large_runs.splits import split_rows as split_rows

HOMES = {
    "ByteRange": "splits",
    "DUPLICATE_ADVICE": "folder_run",
    "ExternalGroupBy": "external_group_by",
    "FolderRun": "folder_run",
    "ParquetSplit": "splits",
    "RangeReader": "splits",
    "cut_at_queries": "splits",
    "read_folder": "folder_run",
    "refuse_two_systems": "folder_run",
    "refuse_unstreamable": "folder_run",
    "run_name_of_tags": "folder_run",
    "split_rows": "splits",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
