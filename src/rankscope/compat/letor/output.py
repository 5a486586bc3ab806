"""What Eval-Score.pl and Eval-Rank.pl print."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankscope.compat.letor.perl import perl_digits
from rankscope.compat.letor.values import LetorValues, letor_values
from rankscope.typing import Floats, PathLike

__all__ = [
    "letor_rank",
    "letor_score",
    "show_tables",
]


def letor_score(test: PathLike, predictions: PathLike, *, preset: str = "letor4", by_query: bool = False) -> str:
    r"""The output of Eval-Score.pl.

    Parameters
    ----------
    test
        File of labels.
    predictions
        File with one score per line.
    preset
        The script: "letor3", "letor4" or "mslr".
    by_query
        Its flag: also print one line per query.

    Returns
    -------
    str
        The text, byte for byte as the scripts' recorded output.

    Raises
    ------
    Stopped
        The script refuses the files; with its message and exit code.
    InputError
        A file cannot be opened or has no lines.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     test, predicted = Path(folder, "test.txt"), Path(folder, "svm.txt")
    ...     _ = test.write_text("2 qid:10 #docid = A\n0 qid:10 #docid = B\n1 qid:10 #docid = C\n")
    ...     _ = predicted.write_text("0.1\n0.3\n0.2\n")
    ...     text = letor_score(test, predicted, preset="letor3")
    >>> print(text.splitlines()[2].expandtabs())  # (1/2 + 2/3) / 2
    MAP:    0.583333333333333
    """
    return show_tables(letor_values(test, predictions, preset=preset), preset, by_query=by_query)


def letor_rank(test: PathLike, predictions: PathLike, *, preset: str = "letor4", by_query: bool = False) -> str:
    """The output of Eval-Rank.pl: as `letor_score`, for rank positions.

    Parameters
    ----------
    test
        File of labels.
    predictions
        File with one rank position per line, 1 the best; equal positions are a tie, in file order.
    preset
        The script: "letor3", "letor4" or "mslr".
    by_query
        Its flag: also print one line per query.

    Returns
    -------
    str
        The text.

    Raises
    ------
    Stopped
        The script refuses the files; with its message and exit code.
    InputError
        A file cannot be opened or has no lines.

    Notes
    -----
    Follows the text that describes LETOR's Eval-Rank.pl; the script itself is not available.
    """
    return show_tables(letor_values(test, predictions, preset=preset, ranks=True), preset, by_query=by_query)


def show_tables(values: LetorValues, preset: str, *, by_query: bool) -> str:
    """All lines of an output file."""
    return "".join(letor3_lines(values, by_query) if preset == "letor3" else letor4_lines(values, by_query))


def running_means(values: Floats) -> Floats:
    """Means over queries, added one after the other as in the scripts, since the last digit can depend on that."""
    means: Floats = np.cumsum(values, axis=0)[-1] / len(values)
    return means


def letor4_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 4.0 and MSLR: two tables, each with a line of names and one of averages."""
    tables = (
        ("P", "MAP", values.precision, values.average_precision),
        ("NDCG", "MeanNDCG", values.ndcg, values.mean_ndcg),
    )
    for name, mean_name, by_position, overall in tables:
        headings = [f"{name}@{n}" for n in range(1, by_position.shape[1] + 1)]
        yield "\t".join(["qid", *headings, mean_name]) + "\n"
        numbers = np.column_stack((by_position, overall))
        row_format = "%s" + "\t%.4f" * numbers.shape[1] + "\n"
        if by_query:
            for query, row in zip(values.query_ids, numbers.tolist(), strict=True):
                yield row_format % (query, *row)
        yield row_format % ("Average", *running_means(numbers).tolist()) + "\n"


def letor3_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 3.0: queries are numbered from 0, and each list ends with its documents."""
    ends = np.minimum(values.lengths, values.precision.shape[1]).tolist()
    tables = (("precision", "precision", values.precision), ("Map", "MAP", None), ("NDCG", "NDCG", values.ndcg))
    for query_name, mean_name, by_position in tables:
        if by_position is None:
            numbers = values.average_precision[:, None]
            n_shown, tab = [1] * len(ends), ""
        else:
            # Beyond its end a list adds 0 to the averages, which divide by the number of all queries.
            numbers = np.where(np.arange(by_position.shape[1]) < values.lengths[:, None], by_position, 0.0)
            n_shown, tab = ends, "\t"
        if by_query:
            for query, (row, end) in enumerate(zip(numbers.tolist(), n_shown, strict=True)):
                yield f"{query_name} of query{query}:\t{perl_digits(row[:end])}{tab}\n"
        yield f"{mean_name}:\t{perl_digits(running_means(numbers).tolist())}{tab}\n\n"
