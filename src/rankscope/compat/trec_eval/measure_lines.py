"""The lines that trec_eval prints: names of its measures with their parameters, nicknames, and the order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rankscope.errors import ParameterError, UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.names import (
    ALL_TREC_NAMES,
    TREC_GROUP_NAMES,
    TREC_NAMES,
    cutoff_parameter,
    expand_trec,
    parse_measure,
    parse_number,
    split_trec,
    trec_name,
)
from rankscope.measures.presets import OFFICIAL, PRESETS

__all__ = [
    "GROUP_MEASURES",
    "NICKNAMES",
    "ONLY_10",
    "PREFERENCE_MEASURES",
    "QRELS_NICKNAMES",
    "MeasureLine",
    "parse_measure_lines",
]


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
        Our measures, of which the value is the mean: one, but for 11pt_avg with parameters. Empty for runid, num_q and
        relstring.
    """

    stem: str
    printed_name: str
    tail: str | None
    measures: tuple[Measure, ...]


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


def whole_part(text: str) -> str:
    """A cutoff as C's atol reads it, up to its point or exponent: 23 of 23.4. A text that is no number stays."""
    try:
        parse_number(text)
    except ValueError:
        return text
    return re.split("[.eE]", text)[0] or "0"


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
    if tail is not None and ALL_TREC_NAMES[stem].parse_parameter is cutoff_parameter:
        tail = ",".join(whole_part(text) for text in tail.split(","))
    return [
        MeasureLine(stem, printed_name, tail, (measure,)) for printed_name, measure in expand_trec(stem, tail, defaults)
    ]
