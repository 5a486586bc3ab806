"""What `--help` says with -R, -T and -m: formats of files, and the measures that were named."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill

from rankscope.compat.trec_eval import (
    PREFERENCES,
    QRELS,
    QRELS_GROUPS,
    QRELS_PREFERENCES,
    MeasureLine,
    parse_measure_lines,
)
from rankscope.measures.names import ALL_TREC_NAMES
from rankscope.reporting.measure_list import explain_measure

__all__ = [
    "explain_files_and_measures",
]


#: Kind of judgments (-R) -> what its lines are.
FILES = {
    QRELS: "Lines of `query 0 document relevance`; the second field is ignored. A relevance below 0 means not judged.",
    QRELS_GROUPS: "Lines of `query group document relevance`: the judgments of each group (a user, say) are apart.",
    PREFERENCES: (
        "Lines of `query group sub-group document level`. Within a sub-group, a document of a higher level is "
        "preferred to one of a lower level; level 0 is not relevant. Sub-groups of a group are joined: if a is "
        "preferred to b, and b to c, a is preferred to c. Groups may contradict each other."
    ),
    QRELS_PREFERENCES: (
        "Lines of `query group document level`, as qrels: within a group, a document of a higher level is preferred to "
        "one of a lower level; level 0 is not relevant."
    ),
}
RUN = (
    "Lines of `query Q0 document rank score tag`; the second field and the rank are ignored. A higher score is better; "
    "of equal scores, the last id in the order of bytes comes first. Further fields are ignored."
)
#: What is no measure here.
OTHER_LINES = {
    "runid": "The first word of the tag in the last line of the run.",
    "num_q": "Number of queries that are averaged over.",
    "relstring": (
        "The grades of the first 10 documents, or of as many as the parameter says: a digit each, > above 9, - for one "
        "that is not in the qrels, . for one with a grade below 0."
    ),
}
#: The width of the text, in characters.
WIDTH = 78


def explain_files_and_measures(kind: str, names: Iterable[str], version: str) -> str:
    """The formats of both files, and what each measure is, by sections.

    Parameters
    ----------
    kind
        Kind of the judgments (-R).
    names
        Measures and nicknames (-m).
    version
        "trec_eval" (10.0) or "trec_eval-9".
    """
    sections = [f"RUN (-T trec_results):\n{fill(RUN, WIDTH)}", f"QRELS (-R {kind}):\n{fill(FILES[kind], WIDTH)}"]
    lines: dict[str, MeasureLine] = {}
    for line in parse_measure_lines(names, version):
        lines.setdefault(line.stem, line)
    sections += [explain_line(line) for line in lines.values()]
    if not lines:
        sections.append("Name measures with -m, and each is explained here.")
    return "\n\n".join(sections)


def explain_line(line: MeasureLine) -> str:
    """What a measure is, which parameters it has by default, and its name here."""
    if line.stem in OTHER_LINES:
        return f"{line.stem}:\n{fill(OTHER_LINES[line.stem], WIDTH)}"
    defaults = ALL_TREC_NAMES[line.stem].defaults
    stands_for = f", by default {line.stem}.{','.join(defaults)}" if defaults else ""
    return f"{line.stem}{stands_for}; here {line.measures[0]}:\n{explain_measure(line.stem).rstrip()}"
