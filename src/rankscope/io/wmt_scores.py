"""Scores of metrics as WMT's metrics task has them: seg.scr and sys.scr, a line a score, several metrics in a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores
from rankscope.data.sparse import refuse_sparse
from rankscope.io.mt_names import segment_order
from rankscope.io.wmt_score_lines import SEGMENTS, SYSTEMS, ScoreLines, read_score_lines
from rankscope.typing import Ints, PathLike

__all__ = ["read_seg_scores", "read_sys_scores"]


def read_seg_scores(
    path: PathLike, *, test_set: str | None = None, columns: Sequence[str] | None = None, score: bool = True
) -> list[SegmentScores]:
    r"""Read a seg.scr: lines METRIC PAIR TESTSET SYSTEM SEGMENT SCORE, by tabs or else by blanks; one entry a metric.

    "-" is standard input, gzip and Zstandard are told by content. Some years have more columns: the first three stand
    first; of the first line, what is no number at the end (ensemble, public) is not looked at, then come, from the
    end, score, segment and system, and what is left between test set and system (document, reference) is not looked
    at either. All lines are read as the first; columns: what they hold, in order, to say otherwise ("metric", "pair",
    "test set", "system", "segment", "score", anything else for what is not wanted). Languages become codes (cz-en:
    cs-en), a test set in front of systems' names is taken away. nan, None, NA and - are no score. test_set: the one
    that is wanted of several. score: whether higher is better.

    Raises InputError with file and line for a line with another number of fields, a score that is no number, a score
    that stands twice, and for several test sets where none is named.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "chrf.seg.scr")
    >>> _ = path.write_text("chrF\tde-en\tnewstest2012\tA\t1\t0.5\nchrF\tde-en\tnewstest2012\tA\t2\t0.25\n")
    >>> [found] = read_seg_scores(path)
    >>> found.metric, found.pairs["de-en"].values.tolist()
    ('chrF', [[0.5, 0.25]])
    """
    table = read_score_lines(path, SEGMENTS, columns, test_set)
    found = []
    for metric, pairs in table.by_metric():
        scores = {pair: pair_scores(table, rows) for pair, rows in pairs.items()}
        found.append(SegmentScores(metric, scores, score, table.notes(metric, pairs)))
    return found


def read_sys_scores(
    path: PathLike, *, test_set: str | None = None, columns: Sequence[str] | None = None, score: bool = True
) -> list[SystemScores]:
    r"""Read a sys.scr: lines METRIC PAIR TESTSET SYSTEM SCORE; one entry a metric. All else is as in `read_seg_scores`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "bleu.sys.scr")
    >>> _ = path.write_text("BLEU\tde-en\tnewstest2012\tA\t0.25\nBLEU\tde-en\tnewstest2012\tB\t0.21\n")
    >>> read_sys_scores(path)[0].pairs
    {'de-en': {'A': 0.25, 'B': 0.21}}
    """
    table = read_score_lines(path, SYSTEMS, columns, test_set)
    found = []
    for metric, pairs in table.by_metric():
        scores = {
            pair: dict(
                zip(
                    (table.names["system"][i] for i in table.codes["system"][rows].tolist()),
                    table.values[rows].tolist(),
                    strict=True,
                )
            )
            for pair, rows in pairs.items()
        }
        found.append(SystemScores(metric, scores, score, table.notes(metric, pairs)))
    return found


def pair_scores(table: ScoreLines, rows: Ints) -> PairScores:
    """The scores of some lines, of one metric and one pair."""
    systems, system = np.unique(table.codes["system"][rows], return_inverse=True)
    segments, segment = np.unique(table.codes["segment"][rows], return_inverse=True)
    refuse_sparse((systems.size, segments.size), rows.size, table.name, "systems and segments")
    values = np.full((systems.size, segments.size), np.nan)
    values[system, segment] = table.values[rows]
    names = [table.names["segment"][code] for code in segments.tolist()]
    order = segment_order(names)
    return PairScores(
        tuple(table.names["system"][code] for code in systems.tolist()),
        tuple(names[i] for i in order),
        np.ascontiguousarray(values[:, order]),
    )
