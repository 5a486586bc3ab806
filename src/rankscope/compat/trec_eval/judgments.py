"""Judgments of the four kinds that trec_eval reads (-R), and which measures they serve."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.compat.trec_eval.measure_lines import GROUP_MEASURES, PREFERENCE_MEASURES, MeasureLine
from rankscope.compat.trec_eval.options import JUDGMENT_KINDS, PREFERENCES, QRELS, QRELS_GROUPS, QRELS_PREFERENCES
from rankscope.data.grades import refuse_fractions
from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_id
from rankscope.errors import ParameterError
from rankscope.io.core import open_binary, open_source, source_name
from rankscope.io.read import read_qrels
from rankscope.io.trec import QRELS as QRELS_LINES
from rankscope.io.trec import SUBTOPIC_QRELS, read_preference_judgments, read_rows
from rankscope.kernels.numbers import parse_floats, parse_integers
from rankscope.kernels.text import Fields, decode
from rankscope.typing import Ints, PathLike

__all__ = [
    "read_judgments",
    "refuse_other_measures",
]


POINT_OR_EXPONENT = np.frombuffer(b".eE", np.uint8)


def read_judgments(path: PathLike, kind: str) -> tuple[Qrels, tuple[str, ...]]:
    """The judgments of this kind in a file, and notes on grades that trec_eval reads otherwise. Raises InputError."""
    if kind in (PREFERENCES, QRELS_PREFERENCES):
        return read_preference_judgments(path, has_subgroups=kind == PREFERENCES), ()
    grades = WholeGrades()
    layout = SUBTOPIC_QRELS if kind == QRELS_GROUPS else QRELS_LINES
    with open_binary(path) as stream:
        source = open_source(stream, path, None)
        if source.format == "trec":
            rows, _ = read_rows(source, source.name, layout._replace(parse=grades.parse), source.size)
            return Qrels.from_rows(rows), grades.notes(source.name)
    judgments = read_qrels(path, subtopics=kind == QRELS_GROUPS)
    advice = "evaluate them with `rankscope evaluate`, which takes fractions (in Python rankscope.evaluate)"
    refuse_fractions(judgments.relevance, source_name(path), "trec_eval", advice)
    return judgments, ()


class WholeGrades:
    """Reads grades as C's atol does, up to the first character that belongs to no whole number, and counts them."""

    def __init__(self) -> None:
        self.n_changed = 0
        self.example = ("", 0)

    def parse(self, fields: Fields) -> tuple[Ints, npt.NDArray[np.intp]]:
        """The whole numbers that the texts begin with, and the rows whose text is no number at all."""
        grades, invalid_rows = parse_integers(fields)
        if not invalid_rows.size:
            return grades, invalid_rows
        numbers, no_numbers = parse_floats(fields)
        rows = np.setdiff1d(invalid_rows, no_numbers)
        texts = fields.take(rows)
        prefixes = Fields(texts.buffer, texts.starts, whole_lengths(texts))
        grades[rows], without_digits = parse_integers(prefixes)
        grades[rows[without_digits]] = 0  # as of .5
        changed = rows[grades[rows] != numbers[rows]]
        if changed.size and not self.n_changed:
            text = decode_id(decode(fields.take(changed[:1]))[0])
            self.example = (text, int(grades[changed[0]]))
        self.n_changed += changed.size
        return grades, no_numbers

    def notes(self, name: str) -> tuple[str, ...]:
        """A note where a number was read as another one."""
        if not self.n_changed:
            return ()
        text, grade = self.example
        count = (
            "1 grade that is no whole number is"
            if self.n_changed == 1
            else (f"{self.n_changed:,} grades that are no whole numbers are")
        )
        return (
            f"{name}: {count} read as trec_eval reads them, {text} as {grade}; `rankscope evaluate` takes their values",
        )


def whole_lengths(texts: Fields) -> Ints:
    """How many characters of each number stand before its point or exponent."""
    lengths = texts.lengths.copy()
    for place in range(int(lengths.max(initial=0)) - 1, -1, -1):
        characters = texts.buffer[np.minimum(texts.starts + place, texts.buffer.size - 1)]
        lengths[np.isin(characters, POINT_OR_EXPONENT) & (place < texts.lengths)] = place
    return lengths


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
