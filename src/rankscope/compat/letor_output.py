"""What LETOR's scripts write: numbered lists of 15 digits (3.0), or two tables of four decimals (4.0, MSLR)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscope.typing import Floats

if TYPE_CHECKING:
    from rankscope.compat.letor import LetorValues
    from rankscope.compat.letor_ttest import PairedTTest

__all__ = ["show_tables", "show_ttest"]


def show_tables(values: LetorValues, preset: str, *, by_query: bool) -> str:
    """All lines of an output file."""
    return "".join(letor3_lines(values, by_query) if preset == "letor3" else letor4_lines(values, by_query))


def running_means(values: Floats) -> Floats:
    """Over all queries, added one after the other as the scripts add: the last digit can depend on that."""
    found: Floats = np.cumsum(values, axis=0)[-1] / len(values)
    return found


def letor4_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 4.0 and MSLR: two tables, each with a line of names and one of averages."""
    parts = (
        ("P", "MAP", values.precision, values.average_precision),
        ("NDCG", "MeanNDCG", values.ndcg, values.mean_ndcg),
    )
    for name, last, at, whole in parts:
        heads = [f"{name}@{n}" for n in range(1, at.shape[1] + 1)]
        yield "\t".join(["qid", *heads, last]) + "\n"
        numbers = np.column_stack((at, whole))
        form = "%s" + "\t%.4f" * numbers.shape[1] + "\n"
        if by_query:
            for query, row in zip(values.query_ids, numbers.tolist(), strict=True):
                yield form % (query, *row)
        yield form % ("Average", *running_means(numbers).tolist()) + "\n"


def letor3_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 3.0: queries numbered from 0, and each list only as long as its documents."""
    ends = np.minimum(values.lengths, values.precision.shape[1]).tolist()
    parts = (("precision", "precision", values.precision), ("Map", "MAP", None), ("NDCG", "NDCG", values.ndcg))
    for one, all_, at in parts:
        if at is None:
            numbers = values.average_precision[:, None]
            shown, tab = [1] * len(ends), ""
        else:
            # A list that has ended adds nothing to the averages, which divide by all queries all the same.
            numbers = np.where(np.arange(at.shape[1]) < values.lengths[:, None], at, 0.0)
            shown, tab = ends, "\t"
        if by_query:
            for query, (row, end) in enumerate(zip(numbers.tolist(), shown, strict=True)):
                yield f"{one} of query{query}:\t{perl_digits(row[:end])}{tab}\n"
        yield f"{all_}:\t{perl_digits(running_means(numbers).tolist())}{tab}\n\n"


def perl_digits(numbers: Sequence[float]) -> str:
    """As perl prints numbers."""
    return "\t".join([f"{number:.15g}" for number in numbers])


def show_ttest(tests: Sequence[PairedTTest]) -> str:
    """A line a measure below a line of names."""
    lines = ["measure\tmean A\tmean B\tdifference\tt\tdf\tp\n"]
    for test in tests:
        means_ = f"{test.mean_a:.4f}\t{test.mean_b:.4f}\t{test.difference:z.4f}"  # z: never -0.0000
        lines.append(f"{test.measure}\t{means_}\t{test.statistic:z.4f}\t{test.df}\t{test.pvalue:.4g}\n")
    return "".join(lines)
