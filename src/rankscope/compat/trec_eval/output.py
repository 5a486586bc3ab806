"""trec_eval's values and its output, line by line, for its versions 10.0 and 9.0.8.

Comments mark where the two differ, and where the tool's output departs from its definition but is reproduced.
docs/differences.md lists the defects that are not reproduced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.compat.trec_eval.measure_lines import PREFERENCE_MEASURES, MeasureLine
from rankscope.compat.trec_eval.options import Options
from rankscope.compat.trec_eval.zscores import MISSING_ZSCORE
from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.errors import InputError, RankscopeError
from rankscope.measures.base import Measure
from rankscope.measures.judgment_groups import JudgmentGroups, mean_over_groups
from rankscope.typing import Bools, Floats

__all__ = [
    "MissingQuery",
    "TrecEvalReport",
]


class MissingQuery(RankscopeError):
    """A query of the qrels is not in the run, and -c was not given: trec_eval 10 stops with exit code 4."""


class TrecEvalReport:
    """The values of one run, and their output."""

    #: Means and deviations for z-scores, where they were given.
    zscores: Mapping[tuple[str, str], tuple[float, float]] | None = None

    def __init__(self, qrels: Qrels, hits: Hits, runid: str, lines: list[MeasureLine], options: Options) -> None:
        self.qrels, self.runid, self.lines, self.options = qrels, runid, lines, options
        self.is_version_10 = options.version == "trec_eval"
        if options.query is not None:
            if options.query not in hits.query_ids:
                raise InputError(f"the judgments hold no query {options.query!r}, expected one of theirs behind -D 0.")
            hits = hits.select([hits.query_ids.index(options.query)])
        if options.level < 1:
            hits = replace(hits, rel=options.level, _memory={}, _qrels_memory={})
        missing = hits.missing
        if missing.any() and not options.complete:
            if self.is_version_10:
                first_missing = hits.query_ids[int(np.argmax(missing))]
                raise MissingQuery(f"trec_eval: result qid '{first_missing}' not found in qrels")
            hits = hits.select(~missing)
        if options.depth is not None:  # first, as in the tool
            hits = hits.cut(options.depth) if options.depth else without_documents(hits)
        self.whole_hits = hits
        if options.judged_only:
            hits = hits.judged_only()
        self.hits = replace(hits, collection_size=options.collection_size or None)
        # Version 9 prints no line for a query that the run lacks, but counts it in the means.
        self.is_printed = np.ones(len(hits), np.bool_) if self.is_version_10 else ~self.hits.missing

    def values(self, line: MeasureLine) -> Floats:
        """(queries) the values as in the tool."""
        missing = self.hits.missing
        if isinstance(line.measures[0], JudgmentGroups):
            values = self.group_mean(line.measures[0].of_group())
        elif line.stem in PREFERENCE_MEASURES:
            values = line.measures[0](self.preference_hits)
        else:
            values = np.mean([measure(self.hits) for measure in line.measures], axis=0)
        if line.stem == "rbp_resid":
            # 0 where nothing is unjudged, and for a query that the run lacks.
            judged = self.hits.sum(self.hits.relevance >= 0)
            values = np.where(missing | (judged == self.hits.retrieved), 0.0, values)
        elif line.stem == "utility" and line.tail is not None and self.has_placeholder.any():
            extended_hits = replace(
                self.hits, retrieved=np.where(self.has_placeholder, 1, self.hits.retrieved), _memory={}
            )
            values = line.measures[0](extended_hits)
        values = self.standardized(line, values)
        return values if self.is_version_10 else np.where(missing, 0.0, values)

    @property
    def has_placeholder(self) -> Bools:
        """Whether version 10.0 puts one unjudged document into the empty list of a query that the run lacks.

        With -J it is left out again; only `utility` and `relstring` with parameters see it.
        """
        return self.hits.missing & (self.is_version_10 and not self.options.judged_only and self.options.depth != 0)

    @cached_property
    def preference_hits(self) -> Hits:
        """The hits with documents of one score in the rising order of their ids, as preference measures see them there.

        -J does not change these measures.
        """
        hits = self.whole_hits
        rank = hits.first + hits.last - hits.rank  # the join breaks ties by falling id
        order = np.lexsort((rank, hits.query))
        columns = {name: getattr(hits, name)[order] for name in ("first", "last", "relevance", "judged")}
        return replace(hits, rank=rank[order], **columns, _memory={})

    def group_mean(self, measure: Measure) -> Floats:
        """The mean of a measure over the judgment groups of each query."""
        if self.options.judged_only:
            return mean_over_groups(self.whole_hits, lambda hits: measure(hits.judged_only()))
        return mean_over_groups(self.whole_hits, measure)

    def standardized(self, line: MeasureLine, values: Floats) -> Floats:
        """The values as z-scores, where means and deviations were given."""
        if self.zscores is None:
            return values
        no_mean = (np.nan, np.nan)
        means, deviations = np.array(
            [self.zscores.get((query, line.printed_name), no_mean) for query in self.hits.query_ids]
        ).T
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where((deviations == 0) & (values == means), 0.0, (values - means) / deviations)
        return np.where(np.isfinite(scores), scores, MISSING_ZSCORE)

    def text(self) -> str:
        if not self.options.by_query and not self.options.summary:
            return ""
        computed = [self.values(line) if line.measures else None for line in self.lines]
        output_lines = self.by_query(computed) if self.options.by_query else []
        if self.options.summary:
            pairs = [pair for pair in zip(self.lines, computed, strict=True) if pair[0].stem != "relstring"]
            output_lines += [
                f"{self.prefix}{line.printed_name:<22}\tall\t{self.summary(line, values)}\n" for line, values in pairs
            ]
        return "".join(output_lines)

    @property
    def prefix(self) -> str:
        """What stands before the names of measures."""
        return "" if self.zscores is None else "Z"

    def by_query(self, computed: list[Floats | None]) -> list[str]:
        """The lines of each query, by one template for all lines; a NUL, which is in no id, stands for the query."""
        columns: list[list[Any]] = []
        template = ""
        for line, values in zip(self.lines, computed, strict=True):
            if line.stem in ("runid", "num_q", "gm_map", "gm_bpref"):
                continue
            if values is None:
                value_format = "'%s'"
                texts = relstrings(self.hits, int(line.tail or 10))
                held = self.has_placeholder & (line.tail is not None)
                columns.append(["-" if is_held else text for is_held, text in zip(held, texts, strict=True)])
            else:
                value_format = "%d" if is_count(line) else "%6.4f"
                columns.append(values.tolist())
            template += f"{self.prefix}{line.printed_name:<22}\t\0\t{value_format}\n"
        if not columns:
            return []
        rows = zip(self.is_printed.tolist(), self.hits.query_ids, zip(*columns, strict=True), strict=True)
        return [(template % row).replace("\0", query) for is_printed, query, row in rows if is_printed]

    def summary(self, line: MeasureLine, values: Floats | None) -> str:
        if values is None:
            return self.runid if line.stem == "runid" else str(len(self.hits))
        if line.stem == "num_rel" and self.options.complete:
            # With -c the tool counts all grades above 0, whatever -l says.
            return str(int((self.qrels.relevance > 0).sum()))
        if is_count(line):
            return str(int(values.sum()))
        if line.stem.startswith("gm_"):
            return f"{np.exp(running_mean(np.log(np.maximum(values, 0.00001)))):6.4f}"
        return f"{running_mean(values):6.4f}"


def without_documents(hits: Hits) -> Hits:
    """The hits as if nothing had been retrieved for any query."""
    columns = {name: getattr(hits, name)[:0] for name in ("rank", "first", "last", "relevance", "judged")}
    none = np.zeros_like(hits.retrieved)
    return replace(hits, **columns, offsets=np.zeros_like(hits.offsets), retrieved=none, _memory={})


def is_count(line: MeasureLine) -> bool:
    """Whether values are counts, which are added up."""
    return line.stem.startswith(("num_", "prefs_num_"))


def running_mean(values: Floats) -> float:
    """The mean, added one after the other as in the tool, since the last printed digit can depend on that."""
    return float(np.cumsum(values)[-1]) / values.size


#: The characters of relstring for grades.
DIGITS = np.frombuffer(b"0123456789", np.uint8)


def relstrings(hits: Hits, depth: int) -> list[str]:
    """A character for each of the first `depth` documents.

    Its grade, ">" above 9, "-" where it is not in the qrels, "." for all negative grades, which the tool treats alike.
    """
    longest = int(min(depth, hits.retrieved.max(initial=0)))
    table = np.full((len(hits), max(longest, 1)), ord("-"), np.uint8)
    top_hits = np.flatnonzero(hits.rank <= depth)
    grades = hits.relevance[top_hits]
    letters = DIGITS[np.clip(grades, 0, 9)]
    letters = np.where(grades > 9, ord(">"), letters)
    letters = np.where(grades < 0, ord("."), letters)
    table[hits.query[top_hits], hits.rank[top_hits].astype(np.intp) - 1] = letters
    lengths = np.minimum(hits.retrieved, depth).tolist()
    return [bytes(row[:n]).decode("ascii") for row, n in zip(table, lengths, strict=True)]
