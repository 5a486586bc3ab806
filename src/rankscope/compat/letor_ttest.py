"""LETOR's t-test: two outputs of its scripts with lines by query, compared measure by measure."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np

from rankscope.errors import InputError
from rankscope.io.streams import open_binary, source_name
from rankscope.typing import Floats, PathLike

__all__ = ["PairedTTest", "letor_ttests"]


#: A line of LETOR 3.0 for one query.
LETOR3_LINE = re.compile(r"(precision|Map|NDCG) of query(\d+):\t")
NAMES = {"precision": "P", "Map": "MAP", "NDCG": "NDCG"}
EXPECTED_OUTPUT = "expected what `rankscope letor score ... 1` writes (flag 1: a line a query)"


def parse_finite(text: str) -> float:
    """Raise ValueError for what is no finite number, as a script writes it."""
    value = float(text)
    if not math.isfinite(value) or "_" in text:
        raise ValueError(text)
    return value


class PairedTTest(NamedTuple):
    """A paired two-sided t-test of one measure. difference: mean_a - mean_b."""

    measure: str
    mean_a: float
    mean_b: float
    difference: float
    statistic: float
    df: int
    pvalue: float


def letor_ttests(a: PathLike, b: PathLike) -> list[PairedTTest]:
    """The test of each measure, in the order of the files.

    Where no query differs, or all by the same, there is no variance to test against: the statistic and p are NaN.

    Raises InputError for files that are no output with lines by query, for unequal queries or measures, for one query.
    """
    (queries, first), (others, second) = read_output(a), read_output(b)
    if queries.keys() != others.keys():
        only = next(q for q in (*queries, *others) if q not in queries or q not in others)
        raise InputError(
            f"{source_name(a)} has {len(queries)} queries and {source_name(b)} {len(others)}, query {only!r} only in "
            "one of them; expected the same queries; score both systems on one test file"
        )
    if first.keys() != second.keys():
        only = next(m for m in (*first, *second) if m not in first or m not in second)
        raise InputError(
            f"{only} is only in one of {source_name(a)} and {source_name(b)}, expected the same measures; "
            "score both systems with one preset"
        )
    if len(queries) < 2:
        raise InputError(f"{source_name(a)}: 1 query, expected at least 2 for a t-test; score more queries")
    order = [others[query] for query in queries]
    return [paired_ttest(measure, values, second[measure][order]) for measure, values in first.items()]


def paired_ttest(measure: str, a: Floats, b: Floats) -> PairedTTest:
    """Student's t of the differences, n - 1 degrees of freedom, both tails."""
    from scipy.special import stdtr  # loaded where it is needed only

    differences = a - b
    n, mean = differences.size, float(differences.mean())
    spread = float(np.ptp(differences))
    statistic = pvalue = math.nan
    # Differences that are equal as decimals differ by rounding.
    if spread > 1e-9:
        statistic = mean / math.sqrt(float(differences.var(ddof=1)) / n)
        pvalue = 2.0 * float(stdtr(n - 1, -abs(statistic)))
    return PairedTTest(measure, float(a.mean()), float(b.mean()), mean, statistic, n - 1, pvalue)


def read_output(path: PathLike) -> tuple[dict[str, int], dict[str, Floats]]:
    """The place of each query, and one value a query of each measure. Raises InputError."""
    with open_binary(path) as stream:
        lines = stream.read().decode("utf-8", "surrogateescape").splitlines()
    rows = parse_letor3(lines, path) if any(map(LETOR3_LINE.match, lines)) else parse_letor4(lines, path)
    if not rows:
        raise InputError(f"{source_name(path)}: no lines by query, {EXPECTED_OUTPUT}; write it again with flag 1")
    queries = {query: place for place, query in enumerate(dict.fromkeys(query for query, _ in rows))}
    found = {measure: np.zeros(len(queries)) for measure in dict.fromkeys(measure for _, measure in rows)}
    # A list that ended before a position counts there as in the averages, with 0.
    for (query, measure), value in rows.items():
        found[measure][queries[query]] = value
    return queries, found


def parse_letor4(lines: list[str], path: PathLike) -> dict[tuple[str, str], float]:
    """The values of LETOR 4.0 and MSLR, by query and measure."""
    rows: dict[tuple[str, str], float] = {}
    names: list[str] = []
    for number, line in enumerate(lines, 1):
        query, *cells = line.split("\t")
        if query == "qid":
            names = cells
        elif query not in ("", "Average"):
            add_values(rows, query, names, cells, f"{source_name(path)}:{number}")
    return rows


def parse_letor3(lines: list[str], path: PathLike) -> dict[tuple[str, str], float]:
    """The values of LETOR 3.0."""
    rows: dict[tuple[str, str], float] = {}
    for number, line in enumerate(lines, 1):
        found = LETOR3_LINE.match(line)
        if found:
            cells = line[found.end() :].rstrip("\t").split("\t")
            name = NAMES[found[1]]
            names = [name] if name == "MAP" else [f"{name}@{n}" for n in range(1, len(cells) + 1)]
            add_values(rows, found[2], names, cells, f"{source_name(path)}:{number}")
    return rows


def add_values(rows: dict[tuple[str, str], float], query: str, names: list[str], cells: list[str], where: str) -> None:
    """Add one line's values. Raises InputError for what is no such line."""
    if not names:
        raise InputError(
            f"{where}: no line of names (qid, P@1, ...) above this one, {EXPECTED_OUTPUT}; name such a file"
        )
    if len(names) != len(cells):
        raise InputError(f"{where}: {len(cells)} values of query {query!r}, expected {len(names)}; {EXPECTED_OUTPUT}")
    try:
        values = [parse_finite(cell) for cell in cells]
    except ValueError:
        raise InputError(
            f"{where}: a value of query {query!r} is no number, {EXPECTED_OUTPUT}; correct this line"
        ) from None
    for name, value in zip(names, values, strict=True):
        if (query, name) in rows:
            raise InputError(
                f"{where}: {name} of query {query!r} stands twice, {EXPECTED_OUTPUT}; remove one of the two"
            )
        rows[query, name] = value
