"""Opening, detecting and writing files: paths, URLs, compression, blocks of lines, the table of formats."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.core.array_file import Arrays as Arrays
    from rankscope.io.core.array_file import DamagedFile as DamagedFile
    from rankscope.io.core.array_file import damage as damage
    from rankscope.io.core.array_file import damaged_file_error as damaged_file_error
    from rankscope.io.core.array_file import header_struct as header_struct
    from rankscope.io.core.array_file import load_arrays as load_arrays
    from rankscope.io.core.array_file import magic_stem as magic_stem
    from rankscope.io.core.array_file import pack_arrays as pack_arrays
    from rankscope.io.core.array_file import read_arrays as read_arrays
    from rankscope.io.core.array_file import split_arrays as split_arrays
    from rankscope.io.core.array_file import split_header as split_header
    from rankscope.io.core.array_file import unpack_arrays as unpack_arrays
    from rankscope.io.core.array_file import write_arrays as write_arrays
    from rankscope.io.core.atomic_write import StagedFolder as StagedFolder
    from rankscope.io.core.atomic_write import check_writable as check_writable
    from rankscope.io.core.atomic_write import is_special as is_special
    from rankscope.io.core.atomic_write import is_temporary as is_temporary
    from rankscope.io.core.atomic_write import make_folder as make_folder
    from rankscope.io.core.atomic_write import refuse_overwriting as refuse_overwriting
    from rankscope.io.core.atomic_write import staged_folder as staged_folder
    from rankscope.io.core.atomic_write import temporary_folder_errors as temporary_folder_errors
    from rankscope.io.core.atomic_write import write_chunks as write_chunks
    from rankscope.io.core.atomic_write import write_folder as write_folder
    from rankscope.io.core.atomic_write import write_new as write_new
    from rankscope.io.core.atomic_write import write_stdout as write_stdout
    from rankscope.io.core.atomic_write import write_text as write_text
    from rankscope.io.core.blocks import BLOCK as BLOCK
    from rankscope.io.core.blocks import BOM as BOM
    from rankscope.io.core.blocks import HASH as HASH
    from rankscope.io.core.blocks import IS_SPACE as IS_SPACE
    from rankscope.io.core.blocks import MAX_LINE_BYTES as MAX_LINE_BYTES
    from rankscope.io.core.blocks import NEWLINE as NEWLINE
    from rankscope.io.core.blocks import NUMBER as NUMBER
    from rankscope.io.core.blocks import SPACE as SPACE
    from rankscope.io.core.blocks import TAB as TAB
    from rankscope.io.core.blocks import BlockReader as BlockReader
    from rankscope.io.core.blocks import LineBlock as LineBlock
    from rankscope.io.core.blocks import LineLayout as LineLayout
    from rankscope.io.core.blocks import count_lines as count_lines
    from rankscope.io.core.blocks import find_lone_returns as find_lone_returns
    from rankscope.io.core.blocks import looks_like_trec as looks_like_trec
    from rankscope.io.core.blocks import read_all as read_all
    from rankscope.io.core.blocks import read_fields as read_fields
    from rankscope.io.core.blocks import refuse_returns as refuse_returns
    from rankscope.io.core.blocks import remove_marks as remove_marks
    from rankscope.io.core.blocks import split_block as split_block
    from rankscope.io.core.blocks import split_fields as split_fields
    from rankscope.io.core.compression import ALLOWED_BYTES as ALLOWED_BYTES
    from rankscope.io.core.compression import GZIP as GZIP
    from rankscope.io.core.compression import MAX_RATIO as MAX_RATIO
    from rankscope.io.core.compression import ZSTD as ZSTD
    from rankscope.io.core.compression import compress as compress
    from rankscope.io.core.compression import refuse_bomb as refuse_bomb
    from rankscope.io.core.compression import split_compression_suffix as split_compression_suffix
    from rankscope.io.core.compression import zstd_module as zstd_module
    from rankscope.io.core.file_identity import FileStamp as FileStamp
    from rankscope.io.core.file_identity import file_digest as file_digest
    from rankscope.io.core.file_identity import file_stamp as file_stamp
    from rankscope.io.core.file_identity import file_stamps as file_stamps
    from rankscope.io.core.file_identity import refuse_changed as refuse_changed
    from rankscope.io.core.formats import FORMATS as FORMATS
    from rankscope.io.core.formats import KINDS as KINDS
    from rankscope.io.core.formats import PARQUET_MAGIC as PARQUET_MAGIC
    from rankscope.io.core.formats import VALUES as VALUES
    from rankscope.io.core.formats import FileContent as FileContent
    from rankscope.io.core.formats import FileHead as FileHead
    from rankscope.io.core.formats import Format as Format
    from rankscope.io.core.formats import Progress as Progress
    from rankscope.io.core.formats import ReadRequest as ReadRequest
    from rankscope.io.core.formats import get_format as get_format
    from rankscope.io.core.formats import parse_head as parse_head
    from rankscope.io.core.formats import refuse_foreign as refuse_foreign
    from rankscope.io.core.formats import sniff as sniff
    from rankscope.io.core.formats import split_format as split_format
    from rankscope.io.core.formats import writable_formats as writable_formats
    from rankscope.io.core.paths import NamedColumns as NamedColumns
    from rankscope.io.core.paths import Partition as Partition
    from rankscope.io.core.paths import check_single_stdin as check_single_stdin
    from rankscope.io.core.paths import columns_of as columns_of
    from rankscope.io.core.paths import is_file as is_file
    from rankscope.io.core.paths import is_folder as is_folder
    from rankscope.io.core.paths import is_path as is_path
    from rankscope.io.core.paths import list_folders_once as list_folders_once
    from rankscope.io.core.paths import list_partitions as list_partitions
    from rankscope.io.core.paths import readable_partitions as readable_partitions
    from rankscope.io.core.paths import refuse_pipes as refuse_pipes
    from rankscope.io.core.paths import source_name as source_name
    from rankscope.io.core.paths import with_columns as with_columns
    from rankscope.io.core.render import FORMAT_ADVICE as FORMAT_ADVICE
    from rankscope.io.core.render import format_numbers as format_numbers
    from rankscope.io.core.render import has_blank as has_blank
    from rankscope.io.core.render import interleave as interleave
    from rankscope.io.core.render import pick_texts as pick_texts
    from rankscope.io.core.render import refuse_blanks as refuse_blanks
    from rankscope.io.core.render import refuse_not_utf8 as refuse_not_utf8
    from rankscope.io.core.render import row_pieces as row_pieces
    from rankscope.io.core.render import to_parquet as to_parquet
    from rankscope.io.core.source import HEAD as HEAD
    from rankscope.io.core.source import Source as Source
    from rankscope.io.core.source import file_stem as file_stem
    from rankscope.io.core.source import open_source as open_source
    from rankscope.io.core.source import ungrouped_note as ungrouped_note
    from rankscope.io.core.streams import Readable as Readable
    from rankscope.io.core.streams import binary_file_error as binary_file_error
    from rankscope.io.core.streams import empty_file_error as empty_file_error
    from rankscope.io.core.streams import missing_file_error as missing_file_error
    from rankscope.io.core.streams import open_binary as open_binary
    from rankscope.io.core.streams import open_raw as open_raw
    from rankscope.io.core.streams import refuse_devices as refuse_devices
    from rankscope.io.core.urls import is_url as is_url
    from rankscope.io.core.urls import url_size as url_size

HOMES = {
    "ALLOWED_BYTES": "compression",
    "Arrays": "array_file",
    "BLOCK": "blocks",
    "BOM": "blocks",
    "BlockReader": "blocks",
    "DamagedFile": "array_file",
    "FORMATS": "formats",
    "FORMAT_ADVICE": "render",
    "FileContent": "formats",
    "FileHead": "formats",
    "FileStamp": "file_identity",
    "Format": "formats",
    "GZIP": "compression",
    "HASH": "blocks",
    "HEAD": "source",
    "IS_SPACE": "blocks",
    "KINDS": "formats",
    "LineBlock": "blocks",
    "LineLayout": "blocks",
    "MAX_LINE_BYTES": "blocks",
    "MAX_RATIO": "compression",
    "NEWLINE": "blocks",
    "NUMBER": "blocks",
    "NamedColumns": "paths",
    "PARQUET_MAGIC": "formats",
    "Partition": "paths",
    "Progress": "formats",
    "ReadRequest": "formats",
    "Readable": "streams",
    "SPACE": "blocks",
    "Source": "source",
    "StagedFolder": "atomic_write",
    "TAB": "blocks",
    "VALUES": "formats",
    "ZSTD": "compression",
    "binary_file_error": "streams",
    "check_single_stdin": "paths",
    "check_writable": "atomic_write",
    "columns_of": "paths",
    "compress": "compression",
    "count_lines": "blocks",
    "damage": "array_file",
    "damaged_file_error": "array_file",
    "empty_file_error": "streams",
    "file_digest": "file_identity",
    "file_stamp": "file_identity",
    "file_stamps": "file_identity",
    "file_stem": "source",
    "find_lone_returns": "blocks",
    "format_numbers": "render",
    "get_format": "formats",
    "has_blank": "render",
    "header_struct": "array_file",
    "interleave": "render",
    "is_file": "paths",
    "is_folder": "paths",
    "is_path": "paths",
    "is_special": "atomic_write",
    "is_temporary": "atomic_write",
    "is_url": "urls",
    "list_folders_once": "paths",
    "list_partitions": "paths",
    "load_arrays": "array_file",
    "looks_like_trec": "blocks",
    "magic_stem": "array_file",
    "make_folder": "atomic_write",
    "missing_file_error": "streams",
    "open_binary": "streams",
    "open_raw": "streams",
    "open_source": "source",
    "pack_arrays": "array_file",
    "parse_head": "formats",
    "pick_texts": "render",
    "read_all": "blocks",
    "read_arrays": "array_file",
    "read_fields": "blocks",
    "readable_partitions": "paths",
    "refuse_blanks": "render",
    "refuse_bomb": "compression",
    "refuse_changed": "file_identity",
    "refuse_devices": "streams",
    "refuse_foreign": "formats",
    "refuse_not_utf8": "render",
    "refuse_overwriting": "atomic_write",
    "refuse_pipes": "paths",
    "refuse_returns": "blocks",
    "remove_marks": "blocks",
    "row_pieces": "render",
    "sniff": "formats",
    "source_name": "paths",
    "split_arrays": "array_file",
    "split_block": "blocks",
    "split_compression_suffix": "compression",
    "split_fields": "blocks",
    "split_format": "formats",
    "split_header": "array_file",
    "staged_folder": "atomic_write",
    "temporary_folder_errors": "atomic_write",
    "to_parquet": "render",
    "ungrouped_note": "source",
    "unpack_arrays": "array_file",
    "url_size": "urls",
    "with_columns": "paths",
    "writable_formats": "formats",
    "write_arrays": "array_file",
    "write_chunks": "atomic_write",
    "write_folder": "atomic_write",
    "write_new": "atomic_write",
    "write_stdout": "atomic_write",
    "write_text": "atomic_write",
    "zstd_module": "compression",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
