"""`trec_eval`: from the files to the output."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable

from rankscope.compat.trec_eval.judgments import read_judgments, refuse_other_measures
from rankscope.compat.trec_eval.measure_lines import parse_measure_lines
from rankscope.compat.trec_eval.options import Options
from rankscope.compat.trec_eval.output import TrecEvalReport
from rankscope.compat.trec_eval.zscores import read_zscores
from rankscope.data.join import Convention
from rankscope.errors import InputError
from rankscope.evaluation.joining import Joining
from rankscope.io.core import is_folder, source_name
from rankscope.measures.presets import PRESETS
from rankscope.typing import PathLike

__all__ = [
    "trec_eval",
]


def trec_eval(
    qrels: PathLike,
    run: PathLike,
    names: Iterable[str] = ("official",),
    *,
    options: Options,
    notify: Callable[[str], object] = warnings.warn,
) -> str:
    """The output of trec_eval for a run, ending with a newline unless it is empty.

    Parameters
    ----------
    qrels, run
        The files.
    names
        Measures and nicknames.
    options
        Options of the command line.
    notify
        Called with each note, as on grades that are no whole numbers. Default: a warning.

    Returns
    -------
    str
        The text.

    Raises
    ------
    InputError
        A file is malformed; the message has file:line. Or the judgments lack the query of the options.
    UnknownName, ParameterError
        A measure is unknown or malformed.
    MissingQuery
        Version 10.0 without `complete` stops, since the run lacks a query.
    """
    lines = parse_measure_lines(names, options.version)
    refuse_other_measures(lines, options.judgments)
    judgments, notes = read_judgments(qrels, options.judgments)
    for note in notes:
        notify(note)
    zscores = read_zscores(options.zscores) if options.zscores is not None else None
    convention = Convention(precision=PRESETS[options.version].precision, rel=max(options.level, 1), may_merge=False)
    if is_folder(run):
        raise InputError(f"{source_name(run)}: is a directory, expected a file")
    joined = Joining(qrels=judgments, convention=convention, input="trec").join_run(run)
    report = TrecEvalReport(judgments, joined.hits, joined.last_tag or joined.name, lines, options)
    report.zscores = zscores
    return report.text()
