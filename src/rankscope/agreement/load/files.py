"""Reading of files of judgments and of scores, of segments or of systems: their kind is detected from their contents;
also missing ranks, and judgments that repeat an earlier one.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.agreement.judge_names import name_by_file
from rankscope.agreement.settings import DUPLICATES, JudgmentSettings
from rankscope.data.rankings import Rankings
from rankscope.data.scores import Scores as QueryScores
from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores
from rankscope.data.tables import find_column
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import (
    BOM,
    GZIP,
    HEAD,
    ZSTD,
    empty_file_error,
    open_binary,
    refuse_foreign,
    source_name,
    split_compression_suffix,
    zstd_module,
)
from rankscope.io.translation import GOLD_COLUMNS
from rankscope.kernels.segments import place_in_group
from rankscope.stats.inputs import check_choice
from rankscope.typing import Bools, PathLike

__all__ = [
    "NOT_RANKED",
    "AnyScores",
    "detect_kind",
    "first_bytes",
    "handle_duplicates",
    "merge_segment_scores",
    "not_ranked",
    "ranked_only",
    "read_any_scores",
    "read_judgments",
    "read_scores",
    "refuse_item",
    "split_scores",
    "system_scores_in",
]


#: The rank of an item that a person did not rank.
NOT_RANKED = -1


def not_ranked(rankings: Rankings, gold: str) -> Bools:
    """(items) those to which people gave no rank: NaN, or -1. Raises InputError for another rank below 0."""
    values = rankings.column(gold)
    invalid = (values < 0) & (values != NOT_RANKED)
    if invalid.any():
        refuse_item(
            rankings,
            int(np.flatnonzero(invalid)[0]),
            gold,
            "expected a rank of at least 0, or -1 for not ranked; correct it, or use --higher if these are scores",
        )
    return np.asarray(np.isnan(values) | (values == NOT_RANKED), np.bool_)


def ranked_only(rankings: Rankings, gold: str) -> Rankings:
    """The judgments with NaN for the human rank -1, which means not ranked; a note counts them. Scores are not changed.

    Parameters
    ----------
    rankings
        The judgments.
    gold
        The human column.

    Raises
    ------
    InputError
        Another rank is below 0.

    Examples
    --------
    >>> found = ranked_only(Rankings.of([{"A": -1, "B": 2}]), "rank")
    >>> found.columns["rank"].tolist(), found.notes
    ([nan, 2.0], ('1 item is not ranked (rank is -1) and skipped',))
    """
    if gold in rankings.score_columns:
        return rankings
    values = rankings.column(gold)
    unranked = not_ranked(rankings, gold) & ~np.isnan(values)
    if not unranked.any():
        return rankings
    ranked = rankings.with_column(gold, np.where(unranked, np.nan, values), higher_is_better=False)
    items = pluralise(int(unranked.sum()), "item is", "items are")
    return replace(ranked, notes=(*ranked.notes, f"{items} not ranked ({gold} is -1) and skipped"))


def refuse_item(rankings: Rankings, item: int, name: str, expected: str) -> None:
    """Raise InputError for the value of an item, with its judgment, segment and system."""
    judgment = int(rankings.judgment[item])
    value = rankings.columns[name][item]
    problem = f"is {value:g}" + (" (not ranked)" if value == NOT_RANKED else "")
    if np.isnan(value):
        problem = "has no value"
    raise InputError(
        f"judgment {judgment + 1} (segment {rankings.segment.names[rankings.segment.codes[judgment]]}), system "
        f"{rankings.system.names[rankings.system.codes[item]]!r}: {name} {problem}, {expected}"
    )


def handle_duplicates(rankings: Rankings, duplicates: str, name: str) -> Rankings:
    """Keep, drop or refuse judgments that repeat an earlier one; a note counts them.

    Two judgments are the same if their pair, segment and judge are the same, and if the same systems have the same
    values in every column, in any order.

    Parameters
    ----------
    rankings
        The judgments.
    duplicates
        "keep", "drop" or "refuse".
    name
        Name of the file, for notes and errors.

    Returns
    -------
    Rankings
        The judgments, with a note if any was repeated.

    Raises
    ------
    InputError
        A judgment is repeated and `duplicates` is "refuse".
    ParameterError
        `duplicates` is unknown.

    Examples
    --------
    >>> from rankscope.data.rankings import Labels
    >>> twice = replace(Rankings.of([{"A": 1, "B": 2}, {"B": 2, "A": 1}]), segment=Labels.of(["7", "7"]))
    >>> found = handle_duplicates(twice, "drop", "it")
    >>> len(found), found.notes
    (1, ('it: 1 judgment repeats an earlier one: dropped',))
    """
    check_choice("duplicates", duplicates, DUPLICATES)
    if not len(rankings):
        return rankings
    # Codes for the values, since NaN in a row is not equal to itself.
    values = [np.unique(column, return_inverse=True)[1].ravel() for column in rankings.columns.values()]
    items = np.column_stack([rankings.system.codes, *values])
    _, item_codes = np.unique(items, axis=0, return_inverse=True)  # one code for a system and all of its values
    item_codes = item_codes.ravel()
    sorted_codes = item_codes[np.lexsort((item_codes, rankings.judgment))]
    lengths = np.diff(rankings.offsets)
    table = np.full((len(rankings), int(lengths.max(initial=0))), -1, np.int64)
    table[rankings.judgment, place_in_group(rankings.offsets)] = sorted_codes
    keys = np.column_stack([rankings.pair.codes, rankings.segment.codes, rankings.judge.codes, table])
    _, first_indices, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    earlier = first_indices[inverse.ravel()]
    repeated = np.flatnonzero(earlier != np.arange(len(rankings)))
    if not repeated.size:
        return rankings
    if duplicates == "refuse":
        i = int(repeated[0])
        raise InputError(
            f"{name}: judgment {i + 1} (segment {rankings.segment.names[rankings.segment.codes[i]]}) is the same as "
            f"judgment {int(earlier[i]) + 1}, expected each once; remove it, or keep or drop repeated judgments "
            '(duplicates="keep" or "drop")'
        )
    prefix = f"{name}: {pluralise(repeated.size, 'judgment repeats', 'judgments repeat')} an earlier one: "
    if duplicates == "keep":
        return replace(rankings, notes=(*rankings.notes, f"{prefix}kept"))
    distinct = rankings.select(np.setdiff1d(np.arange(len(rankings)), repeated))
    return replace(distinct, notes=(*distinct.notes, f"{prefix}dropped"))


EXPECTED_JUDGMENTS = "judgments (a ranking CSV, a table, JCML, Appraise's XML, better/worse pairs) or segment scores"


def detect_kind(path: PathLike) -> str:
    """What a file holds: "wmt", "table", "jcml", "appraise", "pairs", "seg.scr" or "seg.score"; it can be read after.

    Raises InputError for an empty file, and for what is none of these (a page, a picture).
    """
    name = source_name(path)
    head = first_bytes(path).removeprefix(BOM)
    # XML may be in UTF-16, in which every second byte is 0.
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
    """The first bytes, uncompressed; those of standard input can still be read afterwards.

    Raises InputError for another pipe: its first bytes would be lost, and opening it again would wait for ever.
    """
    if source_name(path) != "<stdin>":
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            raise InputError(
                f"{source_name(path)}: is a pipe or a device, expected a file; save it as one, or read it as -"
            )
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
    except Exception:  # damaged: the reader of the whole file raises the error
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
    # A line of other scripts' blanks only has no field.
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
    columns: Mapping[str, str] | None = None,
    **wmt: Any,
) -> Rankings | SegmentScores:
    """Read human judgments: ranking CSVs of WMT, tables, JCML, Appraise's XML, better/worse pairs, scores of segments.

    Parameters
    ----------
    path
        The file; "-" is standard input.
    higher
        Columns of a table or JCML in which higher is better. In all others lower is better, as for ranks.
    gold
        The human column; in a table it must hold numbers.
    needed
        Further columns of a table that must hold numbers.
    duplicates
        What to do with judgments that repeat an earlier one: "keep", "drop" or "refuse". Default: keep.
    columns
        What the columns of a table are called, as for `read_ranking_table`.
    wmt
        Further options of `read_wmt_rankings`.

    Returns
    -------
    Rankings or SegmentScores
        The judgments; scores of segments stay scores.

    Raises
    ------
    InputError
        The file cannot be read in the format that it seems to have, is a folder, or holds scores of several metrics.
    ParameterError
        An option is for another kind of file.
    """
    if os.path.isdir(path):
        raise InputError(
            f"{path}: is a folder, expected a file of judgments, such as one of its human-scores; name that file"
        )
    kind, name = detect_kind(path), source_name(path)
    higher_columns = tuple(higher)
    if wmt and kind != "wmt":
        raise ParameterError(f"{name}: is not a ranking CSV of WMT, so {', '.join(wmt)} has no effect; leave it out")
    if higher_columns and kind not in ("table", "jcml"):
        raise ParameterError(f"{name}: is not a table or JCML, so higher has no effect; leave it out")
    if columns and kind != "table":
        raise ParameterError(f"{name}: is not a table, so columns (--columns) has no effect; leave it out")
    if kind in ("seg.scr", "seg.score"):
        if duplicates is not None:
            raise ParameterError(
                f"{name}: holds one score for each translation, so duplicates has no effect; leave it out"
            )
        scores = read_scores(path)
        if len(scores) > 1:
            raise InputError(
                f"{name}: scores of {len(scores)} metrics ({scores[0].metric}, {scores[1].metric}, ...), expected "
                "human scores only; put them into a file of their own"
            )
        return scores[0]
    if kind == "wmt":
        from rankscope.io.translation import read_wmt_rankings

        return read_wmt_rankings(path, **wmt, **({} if duplicates is None else {"duplicates": duplicates}))
    if kind == "table":
        from rankscope.io.preferences import read_judged_table

        rankings = read_judged_table(path, scores=higher_columns, gold=gold, needed=tuple(needed), names=columns)
    else:
        rankings = read_rankings_of_kind(path, kind, higher_columns)
    return rankings if duplicates is None else handle_duplicates(rankings, duplicates, name)


def read_rankings_of_kind(path: PathLike, kind: str, higher: Sequence[str]) -> Rankings:
    """The judgments in JCML, Appraise's XML or better/worse pairs."""
    from rankscope.io.translation import read_appraise_rankings, read_better_pairs, read_jcml

    if kind == "jcml":
        return with_higher_is_better(read_jcml(path), higher)
    return read_better_pairs(path) if kind == "pairs" else read_appraise_rankings(path)


def with_higher_is_better(rankings: Rankings, higher: Iterable[str]) -> Rankings:
    for name in higher:
        rankings = rankings.with_column(name, rankings.column(name), higher_is_better=True)
    return rankings


def read_scores(path: PathLike, *, test_set: str | None = None) -> list[SegmentScores]:
    """Scores of segments in a seg.scr, a .seg.score, or a folder of mt-metrics-eval with all of its metric-scores.

    Parameters
    ----------
    path
        The file or folder.
    test_set
        Test set to use from a seg.scr that holds several.

    Raises
    ------
    InputError
        The file is something else, or cannot be read.
    """
    from rankscope.io.translation import list_mt_scores, read_mt_scores, read_seg_scores

    if os.path.isdir(path):
        files = [file for file in list_mt_scores(path) if file.kind == "metric"]
        if not files:
            raise InputError(
                f"{path}: no metric-scores/PAIR/METRIC.seg.score in this folder, expected at least one, or nothing but "
                "METRIC.seg.score; name the files themselves"
            )
        return merge_segment_scores([read_mt_scores(file.path) for file in files])
    kind = detect_kind(path)
    if kind == "seg.score":
        return [read_mt_scores(path)]
    if kind != "seg.scr":
        raise InputError(
            f"{path}: has no scores of a metric; expected lines METRIC PAIR TESTSET SYSTEM SEGMENT SCORE (seg.scr), "
            "lines SYSTEM SCORE (.seg.score), or a folder of mt-metrics-eval"
        )
    return list(read_seg_scores(path, test_set=test_set))


def split_scores(judgments: Any, scores: Any, settings: JudgmentSettings) -> tuple[Any, list[Any], JudgmentSettings]:
    """Judgments and scores of metrics, where `Scores` by several measures, or files of them, become one each.

    Parameters
    ----------
    judgments
        The judgments. Of `Scores`, one measure is people's, and the others are metrics.
    scores
        Scores of metrics, or several of them.
    settings
        How the judgments are read. They are returned without what was used here.

    Raises
    ------
    ParameterError, UnknownName
        No measure is people's.
    """
    is_single = isinstance(scores, (SegmentScores, SystemScores, QueryScores, str, os.PathLike))
    by_source = [(source, scores_by_measure(source, {})) for source in ([scores] if is_single else scores)]
    parts = scores_by_measure(judgments, settings.columns or {})
    if parts == [judgments]:
        return judgments, name_by_file(by_source), settings
    names = [part.metric for part in parts]
    sources = name_by_file(by_source, names)
    gold = settings.gold or (names[0] if len(names) == 1 else find_column(names, GOLD_COLUMNS))
    if gold is None:
        raise ParameterError(
            f"which measure holds the human judgments? Name it with gold (--gold): {join_names(names)}"
        )
    if gold not in names:
        raise UnknownName("measure of the judgments", gold, names)
    people = parts[names.index(gold)]
    metrics = [part for part in parts if part is not people]
    return people, [*metrics, *sources], replace(settings, columns=None)


def scores_by_measure(source: Any, columns: Mapping[str, str]) -> list[Any]:
    """Scores of segments for each measure of `Scores`, or of a file of them; anything else as it is.

    Queries stand in the place of segments.
    """
    if isinstance(source, (str, os.PathLike)):
        from rankscope.evaluation.read_scores import names_measures, read_scores

        if not names_measures(source, columns):
            return [source]
        source = read_scores(source, columns=columns or None)
    if not isinstance(source, QueryScores):
        return [source]
    return [
        SegmentScores(
            str(measure),
            {"": PairScores(source.systems, source.query_ids, source.values[:, m])},
            measure.higher_is_better is not False,
            source.notes,
        )
        for m, measure in enumerate(source.measures)
    ]


def merge_segment_scores(scores: Sequence[SegmentScores]) -> list[SegmentScores]:
    """One entry a metric where its language pairs came in several files; a pair that comes twice stays apart."""
    merged: list[SegmentScores] = []
    for metric in scores:
        for i, earlier in enumerate(merged):
            if (
                earlier.metric == metric.metric
                and earlier.higher_is_better == metric.higher_is_better
                and not set(earlier.pairs) & set(metric.pairs)
            ):
                notes = tuple(dict.fromkeys((*earlier.notes, *metric.notes)))
                merged[i] = replace(earlier, pairs={**earlier.pairs, **metric.pairs}, notes=notes)
                break
        else:
            merged.append(metric)
    return merged


AnyScores = SegmentScores | SystemScores


def system_scores_in(
    path: PathLike,
    *,
    test_set: str | None = None,
    needed: Sequence[str] = (),
    people: bool = False,
    columns: Mapping[str, str] | None = None,
    may_lack_columns: bool = False,
) -> list[SystemScores] | None:
    """The scores of whole systems in a file; None if it holds something else.

    Formats: sys.scr, .sys.score (SYSTEM<TAB>SCORE, each system once), tables with a column of systems and none of
    segments.

    Parameters
    ----------
    path
        The file.
    test_set
        Test set to use from a sys.scr that holds several.
    needed, people, columns
        As in `rankscope.agreement.read_system_table`.
    may_lack_columns
        Whether a column that `columns` names may be missing, since it may be one of another table.

    Returns
    -------
    list of SystemScores, or None
        One entry per metric.

    Raises
    ------
    InputError
        As the readers; also for an empty file or a web page.
    """
    if os.path.isdir(path):
        return None
    kind = detect_kind(path)
    if columns and not may_lack_columns and kind != "table":
        raise ParameterError(f"{path}: is not a table, so columns (--columns) has no effect; leave it out")
    head = first_bytes(path).removeprefix(BOM).decode("utf-8", "replace")
    lines = [line for line in head.splitlines() if line.strip() and not line.startswith("#")]
    first = lines[0] if lines else ""
    if kind == "seg.score" and lines_name_systems(path, lines):
        from rankscope.io.translation import read_mt_system_scores

        return [read_mt_system_scores(path)]
    if kind in ("seg.scr", "table") and is_system_line(first):
        from rankscope.io.translation import read_sys_scores

        return list(read_sys_scores(path, test_set=test_set))
    if kind == "table" and (head.startswith("PAR1") or column_names(first)):
        from rankscope.io.tables import read_table
        from rankscope.io.translation import ITEMS, read_system_table, systems_from_table

        is_stdin = source_name(path) == "<stdin>"  # it can be read once: only its first line decides
        table = None if is_stdin else read_table(path, ITEMS, {})
        header, where = (column_names(first), path) if table is None else (table.frame.columns, table.where)
        named = {name: column for name, column in (columns or {}).items() if column in header or not may_lack_columns}
        bound = ITEMS.bind(header, named, str(where))
        if holds_systems(bound):
            if table is None:
                return read_system_table(path, needed=needed, people=people, names=named)
            return systems_from_table(replace(table, columns=bound), needed=needed, people=people)
    return None


def holds_systems(columns: Container[str]) -> bool:
    """Whether a table with these columns holds scores of systems: it has systems, and no segments."""
    return "system" in columns and "segment" not in columns


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
            record = json.loads(line)
        except (ValueError, RecursionError):
            return []
        return list(record) if isinstance(record, dict) else []
    return [name.strip().strip('"') for name in line.split("\t" if "\t" in line else ",")]


def read_any_scores(
    path: PathLike,
    *,
    test_set: str | None = None,
    segments: bool = False,
    columns: Mapping[str, str] | None = None,
) -> list[AnyScores]:
    """Scores of metrics: of systems if the file has them, else of segments; from a folder of mt-metrics-eval both.

    Parameters
    ----------
    path
        The file or folder.
    test_set
        Test set to use from a file that holds several.
    segments
        Whether scores of segments are preferred in a folder with both; by default those of systems are
        (metric-scores/PAIR/METRIC.sys.score).
    columns
        What the columns of a table are called, where it has them.

    Raises
    ------
    InputError
        As `system_scores_in` and `rankscope.read_segment_scores`.
    """
    if os.path.isdir(path):
        from rankscope.io.translation import list_mt_scores, read_mt_scores, read_mt_system_scores

        system_files = [file for file in list_mt_scores(path, level="sys") if file.kind == "metric"]
        if segments:
            segment_names = {(file.pair, file.name) for file in list_mt_scores(path) if file.kind == "metric"}
            system_files = [file for file in system_files if (file.pair, file.name) not in segment_names]
        system_names = {(file.pair, file.name) for file in system_files}
        segment_files = [
            file
            for file in list_mt_scores(path)
            if file.kind == "metric" and (file.pair, file.name) not in system_names
        ]
        if not system_files:
            return [*read_scores(path)]
        merged_systems = merge_system_scores([read_mt_system_scores(file.path) for file in system_files])
        return [*merged_systems, *merge_segment_scores([read_mt_scores(file.path) for file in segment_files])]
    system_scores = system_scores_in(path, test_set=test_set, columns=columns, may_lack_columns=True)
    return [*system_scores] if system_scores is not None else [*read_scores(path, test_set=test_set)]


def merge_scores(scores: Sequence[AnyScores]) -> list[AnyScores]:
    """One entry a metric where its language pairs came in several files; a pair that comes twice stays apart."""
    system_scores = merge_system_scores([metric for metric in scores if isinstance(metric, SystemScores)])
    segment_scores = merge_segment_scores([metric for metric in scores if isinstance(metric, SegmentScores)])
    positions = {name: position for position, name in reversed(list(enumerate(metric.metric for metric in scores)))}
    return sorted([*system_scores, *segment_scores], key=lambda metric: positions[metric.metric])


def merge_system_scores(scores: Sequence[SystemScores]) -> list[SystemScores]:
    """One entry a metric where its language pairs came in several files; a pair that comes twice stays apart."""
    merged: list[SystemScores] = []
    for metric in scores:
        position = next(
            (
                i
                for i, earlier in enumerate(merged)
                if (earlier.metric, earlier.higher_is_better) == (metric.metric, metric.higher_is_better)
                and not set(earlier.pairs) & set(metric.pairs)
            ),
            None,
        )
        if position is None:
            merged.append(metric)
        else:
            earlier = merged[position]
            notes = tuple(dict.fromkeys((*earlier.notes, *metric.notes)))
            merged[position] = SystemScores(
                metric.metric, {**earlier.pairs, **metric.pairs}, metric.higher_is_better, notes
            )
    return merged
