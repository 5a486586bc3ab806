"""Files of judgments and of scores, whatever their format: told by what their first line holds."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rankscope.agreement.repeated import handle_duplicates
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import SegmentScores
from rankscope.errors import InputError, ParameterError
from rankscope.io.blocks import BOM
from rankscope.io.read import HEAD
from rankscope.io.sniff import refuse_foreign
from rankscope.io.streams import GZIP, ZSTD, empty_file_error, open_binary, source_name, zstd_module
from rankscope.typing import PathLike

__all__ = ["first_bytes", "detect_kind", "merge_segment_scores", "read_judgments", "read_scores"]

EXPECTED_JUDGMENTS = "judgments (a ranking CSV, a table, JCML, Appraise's XML, better/worse pairs) or segment scores"


def detect_kind(path: PathLike) -> str:
    """What a file holds: "wmt", "table", "jcml", "appraise", "pairs", "seg.scr" or "seg.score"; it can be read after.

    Raises InputError for an empty file, and for what is none of these (a page, a picture).
    """
    name = source_name(path)
    head = first_bytes(path).removeprefix(BOM)
    # In UTF-16, which XML may be in, every second byte is 0.
    plain = head.replace(b"\0", b"").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").lstrip()
    if plain == head.lstrip() or not plain.startswith(b"<"):
        refuse_foreign(head, name)
    if not head.strip():
        raise empty_file_error(name, EXPECTED_JUDGMENTS)
    if head.startswith(b"PAR1"):
        return "table"
    if plain.startswith(b"<"):
        return "jcml" if b"<jcml" in plain.lower() or b"<judgedsentence" in plain.lower() else "appraise"
    lines = [line for line in plain.splitlines() if line.strip() and not line.startswith(b"#")]
    return detect_kind_of_line((lines or [b"#"])[0].decode("utf-8", "replace").lower())


def first_bytes(path: PathLike) -> bytes:
    """Some of the first, unpacked; those of standard input can still be read afterwards.

    Raises InputError for another pipe: what was read of it is gone, and whoever opened it again would wait for ever.
    """
    if source_name(path) != "<stdin>":
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            raise InputError(f"{source_name(path)}: is a pipe or a device, expected a file; save it, or give - for it")
        with open_binary(path) as stream:
            return stream.read(HEAD)
    stdin: Any = None if sys.stdin is None else sys.stdin.buffer
    if stdin is None:
        return b""
    head = bytes(stdin.peek(HEAD)[:HEAD])
    try:
        if head.startswith(GZIP):
            return zlib.decompressobj(31).decompress(head)
        if head.startswith(ZSTD):
            return bytes(zstd_module().ZstdDecompressor().decompress(head))
    except Exception:  # damaged: whoever reads it all says so, with the right words
        return head
    return head


def detect_kind_of_line(line: str) -> str:
    fields = line.split("\t") if "\t" in line else line.split()
    if "srclang" in line:
        return "wmt"
    words = line.split()
    if "," not in line and not line.startswith("{"):
        if len(words) == 5 and words[1] == words[3]:
            return "pairs"
        if "\t" not in line and {"better", "worse"} <= set(words):
            return "pairs"
    # Blanks of other scripts are none to `lines`: of such a line no field is left.
    if "," in line or line.startswith("{") or not fields or not is_score(fields[-1]):
        return "table"
    if len(fields) == 2:
        return "seg.score"
    return "seg.scr" if len(fields) > 5 else "table"


def is_score(text: str) -> bool:
    if text in ("none", "na", "-"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_judgments(
    path: PathLike,
    *,
    higher: Iterable[str] = (),
    gold: str | None = None,
    needed: Iterable[str] = (),
    duplicates: str | None = None,
    **wmt: Any,
) -> Rankings | SegmentScores:
    """What people said: ranking CSVs of WMT, tables, JCML, Appraise's XML, better/worse pairs, scores of segments.

    "-" is standard input. higher: the columns of a table or JCML in which higher is better; else lower is, as of ranks.
    gold: the column of people, needed: others; of a table they must hold numbers. duplicates: whether judgments that
    stand twice are kept ("keep"), as they are by default, dropped ("drop") or refused ("refuse"). wmt: more options of
    `read_wmt_rankings`.
    Raises InputError for what cannot be read as what it looks like, for a folder, and for a file of scores of several
    metrics; ParameterError for an option that is for another kind of file.
    """
    if os.path.isdir(path):
        raise InputError(
            f"{path}: is a folder, expected a file of judgments, as one of its human-scores; name that file"
        )
    kind, name = detect_kind(path), source_name(path)
    names = tuple(higher)
    if wmt and kind != "wmt":
        raise ParameterError(f"{name}: no ranking CSV of WMT, and {', '.join(wmt)} says how to read one; leave it out")
    if names and kind not in ("table", "jcml"):
        raise ParameterError(f"{name}: no table or JCML, and higher names columns of one; leave it out")
    if kind in ("seg.scr", "seg.score"):
        if duplicates is not None:
            raise ParameterError(
                f"{name}: scores, one a translation, and no judgments that repeat; leave duplicates out"
            )
        found = read_scores(path)
        if len(found) > 1:
            raise InputError(
                f"{name}: scores of {len(found)} metrics ({found[0].metric}, {found[1].metric}, ...), expected those "
                "of people alone; put them in a file of their own"
            )
        return found[0]
    if kind == "wmt":
        from rankscope.io.wmt_rankings import read_wmt_rankings

        return read_wmt_rankings(path, **wmt, **({} if duplicates is None else {"duplicates": duplicates}))
    rankings = read_rankings_of_kind(path, kind, names, gold, tuple(needed))
    return rankings if duplicates is None else handle_duplicates(rankings, duplicates, name)


def read_rankings_of_kind(
    path: PathLike, kind: str, higher: Sequence[str], gold: str | None, needed: Sequence[str]
) -> Rankings:
    """The judgments in a file of a kind."""
    from rankscope.io.appraise import read_appraise_rankings
    from rankscope.io.better_pairs import read_better_pairs
    from rankscope.io.jcml import read_jcml
    from rankscope.io.preferences import read_judged_table  # polars reads tables

    if kind == "table":
        return read_judged_table(path, scores=higher, gold=gold, needed=needed)
    if kind == "jcml":
        return with_higher_is_better(read_jcml(path), higher)
    return read_better_pairs(path) if kind == "pairs" else read_appraise_rankings(path)


def with_higher_is_better(rankings: Rankings, higher: Iterable[str]) -> Rankings:
    for name in higher:
        rankings = rankings.with_column(name, rankings.column(name), score=True)
    return rankings


def read_scores(path: PathLike, *, test_set: str | None = None) -> list[SegmentScores]:
    """What metrics say: a seg.scr, a .seg.score, or a folder of mt-metrics-eval with all of its metric-scores.

    test_set: which is wanted of a seg.scr with several. Raises InputError for anything else, and as the readers.
    """
    from rankscope.io.mt_folders import list_mt_scores, read_mt_scores
    from rankscope.io.wmt_scores import read_seg_scores

    if os.path.isdir(path):
        files = [file for file in list_mt_scores(path) if file.kind == "metric"]
        if not files:
            raise InputError(f"{path}: no metric-scores/PAIR/METRIC.seg.score in this folder, expected at least one")
        return merge_segment_scores([read_mt_scores(file.path) for file in files])
    kind = detect_kind(path)
    if kind == "seg.score":
        return [read_mt_scores(path)]
    if kind != "seg.scr":
        raise InputError(
            f"{path}: no scores of a metric; expected lines METRIC PAIR TESTSET SYSTEM SEGMENT SCORE (seg.scr), lines "
            "SYSTEM SCORE (.seg.score), or a folder of mt-metrics-eval"
        )
    return list(read_seg_scores(path, test_set=test_set))


def merge_segment_scores(scores: Sequence[SegmentScores]) -> list[SegmentScores]:
    """One entry a metric where its language pairs came in several files; a pair that comes twice stays apart."""
    found: list[SegmentScores] = []
    for one in scores:
        for i, other in enumerate(found):
            if other.metric == one.metric and other.score == one.score and not set(other.pairs) & set(one.pairs):
                notes = tuple(dict.fromkeys((*other.notes, *one.notes)))
                found[i] = replace(other, pairs={**other.pairs, **one.pairs}, notes=notes)
                break
        else:
            found.append(one)
    return found
