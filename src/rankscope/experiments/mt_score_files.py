"""What the experiment on translations found as lines of files: scores of segments, and tests."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from rankscope.experiments.mt_folder import TESTED
from rankscope.experiments.mt_outcome import DIRECTIONS, TranslationExperiment

__all__ = ["lines_of_tests", "score_lines"]


def score_lines(result: TranslationExperiment, metric: str) -> Iterator[str]:
    """The scores of one metric as WMT's seg.scr has them, with tabs; a piece a language pair and system.

    METRIC, LANGPAIR, TESTSET, SYSTEM, SEGNR (from 1), SCORE, with nine digits that count. Higher is better.
    """
    for pair, metrics in result.scores.items():
        for system, values in zip(result.systems[pair], metrics[metric].tolist(), strict=True):
            head = f"{metric}\t{pair}\t{TESTED}\t{system}\t"
            yield "".join(f"{head}{i}\t{value:.9g}\n" for i, value in enumerate(values, 1))


def lines_of_tests(result: TranslationExperiment) -> Iterator[str]:
    """The tests as CSV."""
    columns = ("direction", "first", "second", "difference", "low", "high", "p", "p_corrected")
    for row in (columns, *((DIRECTIONS[test.direction].said, *test[1:]) for test in result.tests)):
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerow(row)
        yield buffer.getvalue()
