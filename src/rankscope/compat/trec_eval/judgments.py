"""Judgments of the four kinds that trec_eval reads (-R), and which measures they serve."""

from __future__ import annotations

from rankscope.compat.trec_eval.measure_lines import GROUP_MEASURES, PREFERENCE_MEASURES, MeasureLine
from rankscope.compat.trec_eval.options import JUDGMENT_KINDS, PREFERENCES, QRELS, QRELS_GROUPS, QRELS_PREFERENCES
from rankscope.data.grades import refuse_fractions
from rankscope.data.qrels import Qrels
from rankscope.errors import ParameterError
from rankscope.io.core import source_name
from rankscope.io.read import read_qrels
from rankscope.io.trec import read_preference_judgments
from rankscope.typing import PathLike

__all__ = [
    "read_judgments",
    "refuse_other_measures",
]


def read_judgments(path: PathLike, kind: str) -> Qrels:
    """The judgments of this kind in a file. Raises InputError."""
    if kind in (PREFERENCES, QRELS_PREFERENCES):
        return read_preference_judgments(path, has_subgroups=kind == PREFERENCES)
    judgments = read_qrels(path, subtopics=kind == QRELS_GROUPS)
    advice = "evaluate them with `rankscope evaluate`, which takes fractions (in Python rankscope.evaluate)"
    refuse_fractions(judgments.relevance, source_name(path), "trec_eval", advice)
    return judgments


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
