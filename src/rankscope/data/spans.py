"""Spans of text: which gold spans each retrieved span covers, and judgments and runs that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.data.text import pluralise
from rankscope.kernels.order import ranges
from rankscope.typing import Bools, Indices, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "OVERLAP_OF",
    "GoldSpans",
    "Overlap",
    "SpanQrels",
    "Spans",
    "overlapping_pairs",
]


#: Of what the share is taken that two spans have in common.
OVERLAP_OF = {
    "gold": "the gold span",
    "retrieved": "the retrieved span",
    "union": "all that either of the two covers",
}
#: Pairs of spans that are compared at a time.
MAX_PAIRS = 1 << 20


class Spans:
    """Spans of text that one system retrieved, or gold spans, with a name.

    Parameters
    ----------
    data
        A data frame, a list of records or a mapping of columns: query, file, begin and end (characters from 0, the end
        excluded), and for a run score or rank; without these the spans of a query are in order, best first. Gold spans
        may have a column relevance.
    name
        Name of the system. Default: "run".

    Raises
    ------
    InputError
        When `evaluate` reads the spans: a column is missing, or a span is impossible.

    Examples
    --------
    >>> import rankscope as rs
    >>> gold = rs.Spans({"query": ["q1"], "file": ["a.txt"], "begin": [100], "end": [200]})
    >>> found = {"query": ["q1", "q1"], "file": ["a.txt", "a.txt"], "begin": [0, 150], "end": [150, 300]}
    >>> rs.evaluate(gold, rs.Spans(found, name="dense"), ["R@2"], overlap=0.5).overall("R@2")
    1.0
    """

    def __init__(self, data: Any, *, name: str = "run") -> None:
        self.data, self.name = data, name

    def __repr__(self) -> str:
        return f"Spans({self.name!r})"


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """From when on a retrieved span covers a gold span.

    Attributes
    ----------
    share
        The least share that the two have in common, above 0, at most 1.
    of
        Of what, one of `OVERLAP_OF`.
    """

    share: float
    of: str = "gold"

    def __str__(self) -> str:
        return f"{self.share:g} of {self.of}"


@dataclass(frozen=True, eq=False, kw_only=True)
class GoldSpans:
    """Gold spans, sorted by query, file and begin.

    Attributes
    ----------
    groups
        Query, file, and the number of this pair, in order.
    group, begin, end
        Of each span.
    is_relevant
        Whether its grade is above 0.
    ids
        Its document id in the judgments.
    overlap
        From when on a retrieved span covers it.
    """

    groups: pl.DataFrame
    group: Ints
    begin: Ints
    end: Ints
    is_relevant: Bools
    ids: pl.Series
    overlap: Overlap

    def match(self, frame: pl.DataFrame, name: str) -> Run:
        """The run of retrieved spans as a run of documents, of which gold spans are the judged ones.

        A span that covers gold spans has a row for each of them that is relevant, or for the first of others; any other
        span is a document of its own. frame: query, file, begin, end, score.
        """
        import polars as pl

        groups = frame.join(self.groups, on=["query", "file"], how="left", maintain_order="left")["group"]
        group = groups.fill_null(-1).to_numpy().astype(np.int64)
        begin, end = (frame[column].to_numpy().astype(np.int64) for column in ("begin", "end"))
        rows, gold = self.covered(group, begin, end)
        counts = np.bincount(rows, minlength=frame.height)
        all_rows = np.repeat(np.arange(frame.height), np.maximum(counts, 1))
        source = all_rows.copy()  # of the id: the retrieved span, or a gold span behind all of these
        source[counts[all_rows] > 0] = frame.height + gold
        ids = pl.concat([span_ids(frame), self.ids]).gather(source)
        matched_rows = pl.DataFrame(
            {"query_id": frame["query"].gather(all_rows), "doc_id": ids, "score": frame["score"].gather(all_rows)}
        )
        run = Run(matched_rows, name=name)
        n_covering = int((counts > 0).sum())
        verb = "covers" if n_covering == 1 else "cover"
        run.notes = (
            f"run {name!r}: {n_covering:,} of {pluralise(frame.height, 'retrieved span')} {verb} a gold span "
            f"(overlap:{self.overlap}), which counts once, by the best of them",
        )
        return run

    def covered(self, group: Ints, begin: Ints, end: Ints) -> tuple[Indices, Indices]:
        """Pairs of a retrieved span and a gold span that it covers, in order; of the gold spans that count."""
        blocks = overlapping_pairs(self.group, self.begin, self.end, group, begin, end)
        pairs = np.concatenate([self.covering(rows, gold, begin, end) for rows, gold in blocks], axis=1)
        rows, gold = pairs
        is_relevant = self.is_relevant[gold]
        has_relevant = np.zeros(group.size, np.bool_)
        has_relevant[rows[is_relevant]] = True
        is_first = np.ones(rows.size, np.bool_)
        is_first[1:] = rows[1:] != rows[:-1]
        is_kept = np.where(has_relevant[rows], is_relevant, is_first)
        return rows[is_kept], gold[is_kept]

    def covering(self, rows: Indices, gold: Indices, begin: Ints, end: Ints) -> Indices:
        """(2, pairs) those of these overlapping pairs that share enough."""
        shared = np.minimum(end[rows], self.end[gold]) - np.maximum(begin[rows], self.begin[gold])
        sizes = {"gold": self.end[gold] - self.begin[gold], "retrieved": end[rows] - begin[rows]}
        size = sizes[self.overlap.of] if self.overlap.of in sizes else sum(sizes.values()) - shared
        enough = shared / size >= self.overlap.share
        return np.stack((rows[enough], gold[enough]))


def span_ids(frame: pl.DataFrame) -> pl.Series:
    """The document id of each span: file:begin-end."""
    import polars as pl

    return frame.select(id=pl.format("{}:{}-{}", pl.col("file"), pl.col("begin"), pl.col("end")))["id"]


class SpanQrels(Qrels):
    """Judgments whose documents are gold spans, which match retrieved spans.

    Parameters
    ----------
    frame
        query, file, begin, end, relevance; no span twice.
    overlap
        From when on a retrieved span covers a gold span.
    """

    def __init__(self, frame: pl.DataFrame, overlap: Overlap) -> None:
        frame = frame.sort("query", "file", "begin", "end", maintain_order=True)
        groups = frame.select("query", "file").unique(maintain_order=True).with_row_index("group")
        group = frame.join(groups, on=["query", "file"], how="left", maintain_order="left")["group"]
        ids = span_ids(frame)
        super().__init__({"query_id": frame["query"], "doc_id": ids, "relevance": frame["relevance"]})
        self.gold = GoldSpans(
            groups=groups,
            group=group.to_numpy().astype(np.int64),
            begin=frame["begin"].to_numpy().astype(np.int64),
            end=frame["end"].to_numpy().astype(np.int64),
            is_relevant=frame["relevance"].to_numpy() > 0,
            ids=ids,
            overlap=overlap,
        )


def overlapping_pairs(
    gold_group: Ints, gold_begin: Ints, gold_end: Ints, group: Ints, begin: Ints, end: Ints
) -> Iterator[tuple[Indices, Indices]]:
    """Pairs (span, gold span) of one group that have a character in common, in order of the spans, then the gold spans.

    Parameters
    ----------
    gold_group, gold_begin, gold_end
        The gold spans, sorted by group, then begin.
    group, begin, end
        The spans, in any order; the group is -1 where there is no gold span.

    Yields
    ------
    rows, gold
        Indices of the span and of the gold span of each pair.

    Notes
    -----
    Gold spans that begin before a span ends are a first part of their group; of these, the ones before which no gold
    span reaches into the span are skipped. The others are compared one by one, `MAX_PAIRS` at a time.
    """
    # Positions as ranks, so that a number holds the group and the position.
    positions = np.unique(np.concatenate((gold_begin, gold_end, begin, end)))
    n = positions.size + 1
    gold_begins = gold_group * n + np.searchsorted(positions, gold_begin)
    gold_ends = np.maximum.accumulate(gold_group * n + np.searchsorted(positions, gold_end))
    stop = np.searchsorted(gold_begins, group * n + np.searchsorted(positions, end))
    start = np.searchsorted(gold_ends, group * n + np.searchsorted(positions, begin), side="right")
    counts = np.where(group >= 0, np.maximum(stop - start, 0), 0)
    first = 0
    totals = np.cumsum(counts)
    while first < counts.size:
        before = int(totals[first - 1]) if first else 0
        last = max(int(np.searchsorted(totals, before + MAX_PAIRS, side="right")), first + 1)
        rows = np.repeat(np.arange(first, last), counts[first:last])
        gold = ranges(start[first:last], counts[first:last])
        overlaps = gold_end[gold] > begin[rows]
        yield rows[overlaps], gold[overlaps]
        first = last
