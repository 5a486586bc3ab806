"""trec_eval's output, line by line, for its versions 10.0 and 9.0.8.

Comments mark where the two differ, and where the tool's output departs from its definition but is reproduced.
docs/differences.md lists the defects that are not reproduced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.grades import refuse_fractions
from rankscope.data.hits import Hits
from rankscope.data.join import Convention
from rankscope.data.qrels import Qrels
from rankscope.errors import ParameterError, RankscopeError, UnknownName
from rankscope.evaluation.joining import join_file
from rankscope.io.core import source_name
from rankscope.io.read import read_qrels
from rankscope.measures.base import Measure
from rankscope.measures.cascade import RBPResidual
from rankscope.measures.names import TREC_NAMES, expand_trec, parse_measure, split_trec, trec_name
from rankscope.measures.presets import OFFICIAL, PRESETS
from rankscope.measures.sets import Utility
from rankscope.typing import Floats, PathLike

__all__ = [
    "NICKNAMES",
    "VERSIONS",
    "MeasureLine",
    "MissingQuery",
    "Options",
    "parse_measure_lines",
    "trec_eval",
]


#: The supported versions, as names of presets.
VERSIONS = ("trec_eval", "trec_eval-9")
#: Measures that only 10.0 has.
ONLY_10 = {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}
#: In no nickname: printed only when requested.
NOT_IN_ALL_TREC = {"dcg", "ideal_dcg", "yaap"}
SET_MEASURES = (
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "utility",
    "set_P",
    "set_relative_P",
    "set_recall",
    "set_map",
    "set_F",
)


def printed_order() -> list[str]:
    """All names in the order in which trec_eval prints them, with those that are no measures of ours."""
    names = list(TREC_NAMES)
    names.insert(names.index("recall"), "relstring")
    return ["runid", "num_q", *names]


ORDER = printed_order()
NICKNAMES = {
    "official": ("runid", "num_q", *OFFICIAL),
    "set": ("runid", "num_q", *SET_MEASURES),
    "all_trec": tuple(name for name in ORDER if name not in NOT_IN_ALL_TREC),
}


class MissingQuery(RankscopeError):
    """A query of the qrels is not in the run, and -c was not given: trec_eval 10 stops with exit code 4."""


class MeasureLine(NamedTuple):
    """A measure as it is printed.

    Attributes
    ----------
    stem
        Name without parameters.
    printed_name
        Name in the output.
    tail
        Parameters in the name.
    measure
        Our measure; None for runid, num_q, relstring.
    """

    stem: str
    printed_name: str
    tail: str | None
    measure: Measure | None


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of the command line.

    Attributes
    ----------
    version
        "trec_eval" (10.0) or "trec_eval-9".
    by_query, complete, summary
        -q, -c, and whether a summary is printed (not -n).
    level
        -l, the lowest grade that counts as relevant.
    judged_only
        -J.
    collection_size
        -N.
    depth
        -M.
    """

    version: str = "trec_eval"
    by_query: bool = False
    complete: bool = False
    summary: bool = True
    level: int = 1
    judged_only: bool = False
    collection_size: int | None = None
    depth: int | None = None


def parse_measure_lines(names: Iterable[str], version: str = "trec_eval") -> list[MeasureLine]:
    """The lines that are printed for these measures and nicknames, in trec_eval's order, each once.

    Parameters
    ----------
    names
        Measures and nicknames.
    version
        "trec_eval" (10.0) or "trec_eval-9".

    Returns
    -------
    list of MeasureLine
        The lines.

    Raises
    ------
    UnknownName
        A measure does not exist; the message lists those that do.
    ParameterError
        A parameter is out of range.
    """
    defaults = PRESETS[version].parameters
    known_names = [name for name in ORDER if version != "trec_eval-9" or name not in ONLY_10]
    tails_by_stem: dict[str, list[str | None]] = {}
    for name_or_nickname in names:
        for name in NICKNAMES.get(name_or_nickname, (name_or_nickname,)):
            stem, tail = split_name(name, known_names, is_nickname=name_or_nickname in NICKNAMES)
            if stem in known_names:
                tails_by_stem.setdefault(stem, []).append(tail)
    lines: dict[str, MeasureLine] = {}
    for stem in (stem for stem in ORDER if stem in tails_by_stem):
        # As in the tool: given parameters replace the defaults, and where they are no list, the first ones
        # count.
        tails = [tail for tail in tails_by_stem[stem] if tail is not None] or (None,)
        has_several = stem in TREC_NAMES and TREC_NAMES[stem].comma_separated
        stem_lines = [
            line for tail in (tails if has_several else tails[:1]) for line in expand_name(stem, tail, defaults)
        ]
        if has_several:  # printed from the lowest to the highest
            stem_lines.sort(key=parameter_of)
        lines.update((line.printed_name, line) for line in stem_lines)
    return list(lines.values())


def parameter_of(line: MeasureLine) -> float:
    """The cutoff, recall or multiple in the printed name; 0 where there is none."""
    return float(line.printed_name.removeprefix(f"{line.stem}_")) if line.printed_name != line.stem else 0.0


def split_name(name: str, known_names: list[str], *, is_nickname: bool) -> tuple[str, str | None]:
    if name in ("runid", "num_q"):
        return name, None
    stem, dot, tail = name.partition(".")
    if stem == "relstring":
        return stem, tail if dot else None
    stem_and_tail = split_trec(name)
    if stem_and_tail is None or (stem_and_tail[0] not in known_names and not is_nickname):
        if (suggestion := trec_eval_name(name)) is not None:
            raise ParameterError(f"unknown measure of trec_eval {name!r}; trec_eval calls it {suggestion}")
        raise UnknownName(
            "measure of trec_eval", name, [*known_names, *NICKNAMES], f"; nicknames: {', '.join(NICKNAMES)}"
        )
    return stem_and_tail


def trec_eval_name(name: str) -> str | None:
    """trec_eval's name, if any, of a measure that is named as in papers, as nDCG@10."""
    try:
        tool_name = trec_name(parse_measure(name))
    except ParameterError:
        return None
    return tool_name if split_trec(tool_name) is not None else None


def expand_name(stem: str, tail: str | None, defaults: Mapping[str, Mapping[str, Any]]) -> list[MeasureLine]:
    if stem == "relstring":
        if tail is not None and not (tail.isascii() and tail.isdigit() and int(tail[:9]) > 0):
            raise ParameterError(f"relstring.{tail}: cannot read {tail!r}, expected a whole number, as in relstring.10")
        return [MeasureLine(stem, f"relstring_{tail}" if tail else "relstring", tail, None)]
    if stem in ("runid", "num_q"):
        return [MeasureLine(stem, stem, None, None)]
    return [
        MeasureLine(stem, printed_name, tail, measure) for printed_name, measure in expand_trec(stem, tail, defaults)
    ]


def trec_eval(qrels: PathLike, run: PathLike, names: Iterable[str] = ("official",), *, options: Options) -> str:
    """The output of trec_eval for a run, ending with a newline unless it is empty.

    Parameters
    ----------
    qrels, run
        The files.
    names
        Measures and nicknames.
    options
        Options of the command line.

    Returns
    -------
    str
        The text.

    Raises
    ------
    InputError
        A file is malformed; the message has file:line.
    UnknownName, ParameterError
        A measure is unknown or malformed.
    MissingQuery
        Version 10.0 without `complete` stops, since the run lacks a query.
    """
    lines = parse_measure_lines(names, options.version)
    judgments = read_qrels(qrels)
    advice = "evaluate them with `rankscope evaluate`, which takes fractions (in Python rankscope.evaluate)"
    refuse_fractions(judgments.relevance, source_name(qrels), "trec_eval", advice)
    convention = Convention(precision=PRESETS[options.version].precision, rel=options.level)
    joined = join_file(judgments, run, convention, "trec", None)
    return TrecEvalReport(judgments, joined.hits, joined.name, lines, options).text()


class TrecEvalReport:
    """The values of one run, and their output."""

    def __init__(self, qrels: Qrels, hits: Hits, runid: str, lines: list[MeasureLine], options: Options) -> None:
        self.qrels, self.runid, self.lines, self.options = qrels, runid, lines, options
        self.is_version_10 = options.version == "trec_eval"
        missing = hits.missing
        if missing.any() and not options.complete:
            if self.is_version_10:
                first_missing = hits.query_ids[int(np.argmax(missing))]
                raise MissingQuery(f"trec_eval: result qid '{first_missing}' not found in qrels")
            hits = hits.select(~missing)
        if options.depth is not None:  # first, as in the tool
            hits = hits.cut(options.depth)
        if options.judged_only:
            hits = hits.judged_only()
        self.hits = replace(hits, collection_size=options.collection_size)
        # Version 9 prints no line for a query that the run lacks, but counts it in the means.
        self.is_printed = np.ones(len(hits), np.bool_) if self.is_version_10 else ~self.hits.missing

    def values(self, line: MeasureLine) -> Floats:
        """(queries) the values as in the tool."""
        assert line.measure is not None
        values = line.measure(self.hits)
        missing = self.hits.missing
        if isinstance(line.measure, RBPResidual):
            # 0 where nothing is unjudged, and for a query that the run lacks.
            judged = self.hits.sum(self.hits.relevance >= 0)
            values = np.where(missing | (judged == self.hits.retrieved), 0.0, values)
        elif isinstance(line.measure, Utility) and self.is_version_10 and line.tail is not None and missing.any():
            # 10.0 counts one unjudged document for a query that the run lacks, except with default parameters.
            extended_hits = replace(self.hits, retrieved=np.where(missing, 1, self.hits.retrieved), _memory={})
            values = line.measure(extended_hits)
        if not self.is_version_10:
            values = np.where(missing, 0.0, values)
        return values

    def text(self) -> str:
        if not self.options.by_query and not self.options.summary:
            return ""
        computed = [None if line.measure is None else self.values(line) for line in self.lines]
        output_lines = self.by_query(computed) if self.options.by_query else []
        if self.options.summary:
            pairs = [pair for pair in zip(self.lines, computed, strict=True) if pair[0].stem != "relstring"]
            output_lines += [f"{line.printed_name:<22}\tall\t{self.summary(line, values)}\n" for line, values in pairs]
        return "".join(output_lines)

    def by_query(self, computed: list[Floats | None]) -> list[str]:
        """The lines of each query, by one template for all lines; a NUL, which is in no id, stands for the query."""
        columns: list[list[Any]] = []
        template = ""
        for line, values in zip(self.lines, computed, strict=True):
            if line.stem in ("runid", "num_q", "gm_map", "gm_bpref"):
                continue
            if values is None:
                value_format = "'%s'"
                columns.append(relstrings(self.hits, int(line.tail or 10)))
            else:
                value_format = "%d" if line.stem.startswith("num_") else "%6.4f"
                columns.append(values.tolist())
            template += f"{line.printed_name:<22}\t\0\t{value_format}\n"
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
        if line.stem.startswith("num_"):
            return str(int(values.sum()))
        if line.stem.startswith("gm_"):
            return f"{np.exp(running_mean(np.log(np.maximum(values, 0.00001)))):6.4f}"
        return f"{running_mean(values):6.4f}"


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
