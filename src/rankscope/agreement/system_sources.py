"""Files that say something of whole systems, or of segments: told by what they hold."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rankscope.agreement.sources import detect_kind, first_bytes, is_score, merge_segment_scores, read_scores
from rankscope.data.segment_scores import SegmentScores, SystemScores
from rankscope.io.blocks import BOM
from rankscope.io.packed import split_compression_suffix
from rankscope.io.streams import source_name
from rankscope.typing import PathLike

__all__ = ["AnyScores", "read_any_scores", "system_scores_in"]

AnyScores = SegmentScores | SystemScores


def system_scores_in(
    path: PathLike, *, test_set: str | None = None, needed: Sequence[str] = (), people: bool = False
) -> list[SystemScores] | None:
    """The scores of whole systems in a file, one entry a metric; None where it holds something else.

    Formats: sys.scr, .sys.score (SYSTEM<TAB>SCORE, each system once), tables with a column of systems and none of
    segments. test_set: which is wanted of a sys.scr. needed, people: as in `rankscope.agreement.read_system_table`.
    Raises InputError as the readers, and for a file that is empty or a page.
    """
    if os.path.isdir(path):
        return None
    kind = detect_kind(path)
    head = first_bytes(path).removeprefix(BOM).decode("utf-8", "replace")
    lines = [line for line in head.splitlines() if line.strip() and not line.startswith("#")]
    first = lines[0] if lines else ""
    if kind == "seg.score" and lines_name_systems(path, lines):
        from rankscope.io.mt_folders import read_mt_system_scores

        return [read_mt_system_scores(path)]
    if kind in ("seg.scr", "table") and is_system_line(first):
        from rankscope.io.wmt_scores import read_sys_scores

        return list(read_sys_scores(path, test_set=test_set))
    if kind == "table" and (head.startswith("PAR1") or column_names(first)):
        from rankscope.io.named_tables import read_named_table  # polars reads tables
        from rankscope.io.ranking_tables import EXPECTED_ITEMS
        from rankscope.io.system_tables import holds_systems, read_system_table

        if source_name(path) == "<stdin>":  # it can be read once: what is no table of systems is left to the others
            found = holds_systems(column_names(first))
            return read_system_table(path, needed=needed, people=people) if found else None
        if holds_systems(read_named_table(path, EXPECTED_ITEMS).frame.columns):
            return read_system_table(path, needed=needed, people=people)
    return None


def lines_name_systems(path: PathLike, lines: Sequence[str]) -> bool:
    """Whether each line SYSTEM SCORE names another system, or the file's name says that they are of systems."""
    name, _ = split_compression_suffix(source_name(path))
    if name.endswith((".sys.score", ".seg.score")):
        return name.endswith(".sys.score")
    systems = [line.split()[0] for line in lines]
    return len(systems) > 1 and len(set(systems)) == len(systems)


def is_system_line(line: str) -> bool:
    """Whether a line is one of sys.scr: METRIC PAIR TESTSET SYSTEM SCORE, with words behind in some years.

    >>> is_system_line("BLEU de-en newstest2012 A 0.25"), is_system_line("BLEU de-en newstest2012 A 1 0.25")
    (True, False)
    """
    fields = [field.strip().lower() for field in (line.split("\t") if "\t" in line else line.split())]
    end = len(fields)
    while end > 5 and not is_score(fields[end - 1]):
        end -= 1
    return end >= 5 and "-" in fields[1] and is_score(fields[end - 1]) and (end == 5 or not is_score(fields[end - 2]))


def column_names(line: str) -> list[str]:
    """The names of columns in a first line, also of JSON lines."""
    if line.lstrip().startswith("{"):
        import json

        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return []
        return list(found) if isinstance(found, dict) else []
    return [name.strip().strip('"') for name in line.split("\t" if "\t" in line else ",")]


def read_any_scores(path: PathLike, *, test_set: str | None = None, segments: bool = False) -> list[AnyScores]:
    """What metrics say, of systems where the file does, else of segments; of a folder of mt-metrics-eval both.

    In a folder a metric's scores of systems (metric-scores/PAIR/METRIC.sys.score) go before those of segments;
    segments: those of segments do. Raises InputError as `system_scores_in` and `rankscope.read_segment_scores`.
    """
    if os.path.isdir(path):
        from rankscope.io.mt_folders import list_mt_scores, read_mt_scores, read_mt_system_scores

        of_systems = [file for file in list_mt_scores(path, level="sys") if file.kind == "metric"]
        if segments:
            named = {(file.pair, file.name) for file in list_mt_scores(path) if file.kind == "metric"}
            of_systems = [file for file in of_systems if (file.pair, file.name) not in named]
        known = {(file.pair, file.name) for file in of_systems}
        of_segments = [
            file for file in list_mt_scores(path) if file.kind == "metric" and (file.pair, file.name) not in known
        ]
        if not of_systems:
            return [*read_scores(path)]
        whole = merge_system_scores([read_mt_system_scores(file.path) for file in of_systems])
        return [*whole, *merge_segment_scores([read_mt_scores(file.path) for file in of_segments])]
    found = system_scores_in(path, test_set=test_set)
    return [*found] if found is not None else [*read_scores(path, test_set=test_set)]


def merge_scores(scores: Sequence[AnyScores]) -> list[AnyScores]:
    """One entry a metric where its language pairs came in several files; a pair that comes twice stays apart."""
    whole = merge_system_scores([one for one in scores if isinstance(one, SystemScores)])
    parts = merge_segment_scores([one for one in scores if isinstance(one, SegmentScores)])
    places = {name: place for place, name in reversed(list(enumerate(one.metric for one in scores)))}
    return sorted([*whole, *parts], key=lambda one: places[one.metric])


def merge_system_scores(scores: Sequence[SystemScores]) -> list[SystemScores]:
    """One entry a metric where its language pairs came in several files; a pair that comes twice stays apart."""
    found: list[SystemScores] = []
    for one in scores:
        at = next(
            (
                i
                for i, other in enumerate(found)
                if (other.metric, other.score) == (one.metric, one.score) and not set(other.pairs) & set(one.pairs)
            ),
            None,
        )
        if at is None:
            found.append(one)
        else:
            other = found[at]
            notes = tuple(dict.fromkeys((*other.notes, *one.notes)))
            found[at] = SystemScores(one.metric, {**other.pairs, **one.pairs}, one.score, notes)
    return found
