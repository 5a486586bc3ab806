"""trec_eval's output, line by line, for its versions 10.0 and 9.0.8.

Comments mark where the two differ, and where the tool's output departs from its definition but is reproduced.
docs/differences.md lists the defects that are not reproduced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.grades import refuse_fractions
from rankscope.data.hits import Hits
from rankscope.data.join import Convention
from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_ids
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.evaluation.joining import Joining
from rankscope.io.core import LineLayout, is_folder, read_fields, source_name
from rankscope.io.read import read_qrels
from rankscope.io.trec import read_preference_judgments
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import decode
from rankscope.measures.base import Measure
from rankscope.measures.judgment_groups import JudgmentGroups, mean_over_groups
from rankscope.measures.names import (
    ALL_TREC_NAMES,
    TREC_GROUP_NAMES,
    TREC_NAMES,
    expand_trec,
    parse_measure,
    split_trec,
    trec_name,
)
from rankscope.measures.presets import OFFICIAL, PRESETS
from rankscope.typing import Bools, Floats, PathLike

__all__ = [
    "JUDGMENT_KINDS",
    "NICKNAMES",
    "QRELS_NICKNAMES",
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


#: Measures of preferences, and means over judgment groups.
PREFERENCE_MEASURES = [name for name in TREC_GROUP_NAMES if name.startswith("prefs_")]
GROUP_MEASURES = [name for name in TREC_GROUP_NAMES if name not in PREFERENCE_MEASURES]
#: The kinds of judgments (-R), and their measures.
QRELS, QRELS_GROUPS, PREFERENCES, QRELS_PREFERENCES = "qrels", "qrels_jg", "prefs", "qrels_prefs"
JUDGMENT_KINDS = (QRELS, QRELS_GROUPS, PREFERENCES, QRELS_PREFERENCES)
#: In the place of a z-score that has no mean, or no deviation.
MISSING_ZSCORE = -1000000.0


def printed_order() -> list[str]:
    """All names in the order in which trec_eval prints them, with those that are no measures of ours."""
    names = list(TREC_NAMES)
    names.insert(names.index("recall"), "relstring")
    place = names.index("num_nonrel_judged_ret") + 1
    names[place:place] = TREC_GROUP_NAMES
    return ["runid", "num_q", *names]


ORDER = printed_order()
#: Nicknames of measures of grades, and all.
QRELS_NICKNAMES = {
    "official": ("runid", "num_q", *OFFICIAL),
    "set": ("runid", "num_q", *SET_MEASURES),
    "all_trec": tuple(name for name in ORDER if name not in {*NOT_IN_ALL_TREC, *TREC_GROUP_NAMES}),
}
NICKNAMES = {
    **QRELS_NICKNAMES,
    "all_prefs": ("runid", "num_q", *PREFERENCE_MEASURES),
    "prefs": ("runid", "num_q", *PREFERENCE_MEASURES[:6]),
    "qrels_jg": ("runid", "num_q", *GROUP_MEASURES),
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
    measures
        Our measures, of which the value is the mean: one, but for 11pt_avg with parameters. None for runid, num_q and
        relstring.
    """

    stem: str
    printed_name: str
    tail: str | None
    measures: tuple[Measure, ...]


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
    judgments
        -R, the kind of judgments, of `JUDGMENT_KINDS`.
    zscores
        -Z, a file of means and standard deviations; values are printed as z-scores.
    """

    version: str = "trec_eval"
    by_query: bool = False
    complete: bool = False
    summary: bool = True
    level: int = 1
    judged_only: bool = False
    collection_size: int | None = None
    depth: int | None = None
    judgments: str = QRELS
    zscores: PathLike | None = None


def parse_measure_lines(
    names: Iterable[str], version: str = "trec_eval", *, join_parameters: bool = False
) -> list[MeasureLine]:
    """The lines that are printed for these measures and nicknames, in trec_eval's order, each once.

    Parameters
    ----------
    names
        Measures and nicknames.
    version
        "trec_eval" (10.0) or "trec_eval-9".
    join_parameters
        Whether a measure that is named several times has all parameters given. Default: the first ones, as in the tool.

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
        # As in the tool: given parameters replace the defaults, and the first ones given count.
        tails = [tail for tail in tails_by_stem[stem] if tail is not None] or (None,)
        has_several = stem in ALL_TREC_NAMES and ALL_TREC_NAMES[stem].comma_separated
        used_tails = tails if has_several and join_parameters else tails[:1]
        stem_lines = [line for tail in used_tails for line in expand_name(stem, tail, defaults)]
        if has_several:  # printed from the lowest to the highest
            stem_lines.sort(key=parameter_of)
        lines.update((line.printed_name, line) for line in stem_lines)
    return list(lines.values())


def parameter_of(line: MeasureLine) -> float:
    """The cutoff, recall or multiple in the printed name; 0 where there is none."""
    text = line.printed_name.removeprefix(f"{line.stem}_")
    return float(text) if text != line.stem and "," not in text else 0.0


def split_name(name: str, known_names: list[str], *, is_nickname: bool) -> tuple[str, str | None]:
    if name in ("runid", "num_q"):
        return name, None
    stem, dot, tail = name.partition(".")
    if stem in ("relstring", "11pt_avg"):
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
        return [MeasureLine(stem, f"relstring_{tail}" if tail else "relstring", tail, ())]
    if stem in ("runid", "num_q"):
        return [MeasureLine(stem, stem, None, ())]
    if stem == "11pt_avg" and tail is not None:
        points = expand_trec("iprec_at_recall", tail, defaults)
        return [MeasureLine(stem, f"{stem}_{tail}", tail, tuple(measure for _, measure in points))]
    return [
        MeasureLine(stem, printed_name, tail, (measure,)) for printed_name, measure in expand_trec(stem, tail, defaults)
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
    refuse_other_measures(lines, options.judgments)
    if options.judgments in (PREFERENCES, QRELS_PREFERENCES):
        judgments = read_preference_judgments(qrels, has_subgroups=options.judgments == PREFERENCES)
    else:
        judgments = read_qrels(qrels, subtopics=options.judgments == QRELS_GROUPS)
        advice = "evaluate them with `rankscope evaluate`, which takes fractions (in Python rankscope.evaluate)"
        refuse_fractions(judgments.relevance, source_name(qrels), "trec_eval", advice)
    zscores = read_zscores(options.zscores) if options.zscores is not None else None
    convention = Convention(precision=PRESETS[options.version].precision, rel=options.level, may_merge=False)
    if is_folder(run):
        raise InputError(f"{source_name(run)}: is a directory, expected a file")
    joined = Joining(qrels=judgments, convention=convention, input="trec").join_run(run)
    report = TrecEvalReport(judgments, joined.hits, joined.name, lines, options)
    report.zscores = zscores
    return report.text()


def refuse_other_measures(lines: list[MeasureLine], judgments: str) -> None:
    """Raise ParameterError for a measure that these judgments do not serve."""
    for line in lines:
        if line.stem in PREFERENCE_MEASURES:
            kinds = [PREFERENCES, QRELS_PREFERENCES]
        elif line.stem in GROUP_MEASURES:
            kinds = [QRELS_GROUPS]
        else:
            kinds = [*JUDGMENT_KINDS] if line.stem in ("runid", "num_q") else [QRELS]
        if judgments not in kinds:
            served = {PREFERENCES: "all_prefs", QRELS_PREFERENCES: "all_prefs", QRELS_GROUPS: "qrels_jg"}
            advice = f"-m {served[judgments]} has the measures of -R {judgments}" if judgments in served else ""
            raise ParameterError(
                f"{line.stem} needs judgments that are read with -R {' or '.join(kinds)}, not -R {judgments}"
                + (f"; {advice}" if advice else "")
            )


ZSCORE_LAYOUT = LineLayout(4, 4, (0, 1, 2, 3), "4 (query measure mean deviation)", lambda *_: None)


def read_zscores(path: PathLike) -> dict[tuple[str, str], tuple[float, float]]:
    """Mean and standard deviation for each query and measure, from lines of `query measure mean deviation`.

    Raises InputError for a malformed line.
    """
    block, (queries, measures, *texts) = read_fields(path, ZSCORE_LAYOUT)
    columns = []
    for name, fields in zip(("mean", "deviation"), texts, strict=True):
        numbers, invalid_rows = parse_floats(fields)
        if invalid_rows.size:
            row = invalid_rows[:1]
            raise InputError(
                f"{block.location(int(fields.starts[row[0]]))}: {name} {decode_ids(decode(fields.take(row)))[0]!r}, "
                "expected a number; correct this line"
            )
        columns.append(numbers.tolist())
    names = zip(decode_ids(decode(queries)), decode_ids(decode(measures)), strict=True)
    return dict(zip(names, zip(*columns, strict=True), strict=True))


class TrecEvalReport:
    """The values of one run, and their output."""

    #: Means and deviations for z-scores, where they were given.
    zscores: Mapping[tuple[str, str], tuple[float, float]] | None = None

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
        self.whole_hits = hits
        if options.judged_only:
            hits = hits.judged_only()
        self.hits = replace(hits, collection_size=options.collection_size)
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
        return self.hits.missing & self.is_version_10 & (not self.options.judged_only)

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
