"""The t-test of two outputs, and the reading of such outputs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankscope.errors import InputError
from rankscope.io.core import open_binary, source_name
from rankscope.typing import Floats, PathLike

__all__ = [
    "PairedTTest",
    "letor_ttest",
    "letor_ttests",
    "show_ttest",
]


def letor_ttest(a: PathLike, b: PathLike) -> str:
    """Compare two outputs by t-tests: one line per measure, tab-separated, below a line of names.

    Parameters
    ----------
    a, b
        Outputs of `letor_score` or `letor_rank` with lines by query.

    Returns
    -------
    str
        The table.

    Raises
    ------
    InputError
        A file is not such an output, or queries or measures differ.
    """
    return show_ttest(letor_ttests(a, b))


#: A line of LETOR 3.0 for one query.
LETOR3_LINE = re.compile(r"(precision|Map|NDCG) of query(\d+):\t")
NAMES = {"precision": "P", "Map": "MAP", "NDCG": "NDCG"}
EXPECTED_OUTPUT = "expected what `rankscope letor score ... 1` writes (flag 1: a line a query)"


def parse_finite(text: str) -> float:
    """A number of a script's output. Raises ValueError where it is not finite."""
    value = float(text)
    if not math.isfinite(value) or "_" in text:
        raise ValueError(text)
    return value


class PairedTTest(NamedTuple):
    """A paired two-sided t-test of one measure.

    Attributes
    ----------
    measure
        Name of the measure.
    mean_a, mean_b
        Means of both systems.
    difference
        mean_a - mean_b.
    statistic, df, pvalue
        t, degrees of freedom and p.
    """

    measure: str
    mean_a: float
    mean_b: float
    difference: float
    statistic: float
    df: int
    pvalue: float


def letor_ttests(a: PathLike, b: PathLike) -> list[PairedTTest]:
    """The paired t-test of each measure, in the order of the files.

    Parameters
    ----------
    a, b
        Outputs of `letor_score` or `letor_rank` with lines by query.

    Returns
    -------
    list of PairedTTest
        Statistic and p are NaN if no query differs, or all differ by the same amount.

    Raises
    ------
    InputError
        A file is not such an output, queries or measures differ, or there is only one query.
    """
    (queries_a, values_a), (queries_b, values_b) = read_output(a), read_output(b)
    if queries_a.keys() != queries_b.keys():
        unmatched = next(
            query for query in (*queries_a, *queries_b) if query not in queries_a or query not in queries_b
        )
        raise InputError(
            f"{source_name(a)} has {len(queries_a)} queries and {source_name(b)} {len(queries_b)}, "
            f"query {unmatched!r} only in one of them; expected the same queries; score both systems on one test file"
        )
    if values_a.keys() != values_b.keys():
        unmatched = next(
            measure for measure in (*values_a, *values_b) if measure not in values_a or measure not in values_b
        )
        raise InputError(
            f"{unmatched} is only in one of {source_name(a)} and {source_name(b)}, expected the same measures; "
            "score both systems with one preset"
        )
    if len(queries_a) < 2:
        raise InputError(f"{source_name(a)}: 1 query, expected at least 2 for a t-test; score more queries")
    order = [queries_b[query] for query in queries_a]
    return [paired_ttest(measure, values, values_b[measure][order]) for measure, values in values_a.items()]


def paired_ttest(measure: str, a: Floats, b: Floats) -> PairedTTest:
    """Student's t of the differences, n - 1 degrees of freedom, both tails."""
    from scipy.special import stdtr

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
    """The index of each query, and the values (queries) of each measure. Raises InputError."""
    with open_binary(path) as stream:
        lines = stream.read().decode("utf-8", "surrogateescape").splitlines()
    rows = parse_letor3(lines, path) if any(map(LETOR3_LINE.match, lines)) else parse_letor4(lines, path)
    if not rows:
        raise InputError(f"{source_name(path)}: no lines by query, {EXPECTED_OUTPUT}; write it again with flag 1")
    queries = {query: index for index, query in enumerate(dict.fromkeys(query for query, _ in rows))}
    values_by_measure = {measure: np.zeros(len(queries)) for measure in dict.fromkeys(measure for _, measure in rows)}
    # A list that ended before a position counts there as in the averages, with 0.
    for (query, measure), value in rows.items():
        values_by_measure[measure][queries[query]] = value
    return queries, values_by_measure


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
        match = LETOR3_LINE.match(line)
        if match:
            cells = line[match.end() :].rstrip("\t").split("\t")
            name = NAMES[match[1]]
            names = [name] if name == "MAP" else [f"{name}@{n}" for n in range(1, len(cells) + 1)]
            add_values(rows, match[2], names, cells, f"{source_name(path)}:{number}")
    return rows


def add_values(
    rows: dict[tuple[str, str], float], query: str, names: list[str], cells: list[str], location: str
) -> None:
    """Add one line's values. Raises InputError for a line of another form."""
    if not names:
        raise InputError(
            f"{location}: no line of names (qid, P@1, ...) above this one, {EXPECTED_OUTPUT}; name such a file"
        )
    if len(names) != len(cells):
        raise InputError(
            f"{location}: {len(cells)} values of query {query!r}, expected {len(names)}; {EXPECTED_OUTPUT}"
        )
    try:
        values = [parse_finite(cell) for cell in cells]
    except ValueError:
        raise InputError(
            f"{location}: a value of query {query!r} is no number, {EXPECTED_OUTPUT}; correct this line"
        ) from None
    for name, value in zip(names, values, strict=True):
        if (query, name) in rows:
            raise InputError(
                f"{location}: {name} of query {query!r} stands twice, {EXPECTED_OUTPUT}; remove one of the two"
            )
        rows[query, name] = value


def show_ttest(tests: Sequence[PairedTTest]) -> str:
    """A line a measure below a line of names."""
    lines = ["measure\tmean A\tmean B\tdifference\tt\tdf\tp\n"]
    for test in tests:
        means_text = f"{test.mean_a:.4f}\t{test.mean_b:.4f}\t{test.difference:z.4f}"  # z: never -0.0000
        lines.append(f"{test.measure}\t{means_text}\t{test.statistic:z.4f}\t{test.df}\t{test.pvalue:.4g}\n")
    return "".join(lines)
