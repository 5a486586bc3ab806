"""Judgments as preferences, as trec_eval reads them: `query group sub-group document level`, or qrels whose second
field is the group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rankscope.data.qrels import Qrels
from rankscope.io.core import open_binary, source_name
from rankscope.io.trec.format import PREFERENCES, SUBTOPIC_QRELS, Grammar, read_rows
from rankscope.typing import PathLike

if TYPE_CHECKING:
    from rankscope.io.core import Readable

__all__ = [
    "read_preference_judgments",
]


WITH_SUBGROUPS = PREFERENCES._replace(
    layout=replace(
        PREFERENCES.layout,
        alternatives={**PREFERENCES.layout.alternatives, 4: "this looks like qrels: read them with -R qrels_prefs"},
    )
)
WITHOUT_SUBGROUPS = SUBTOPIC_QRELS._replace(
    layout=replace(
        SUBTOPIC_QRELS.layout,
        expected="4 (query group document level)",
        alternatives={
            5: "this looks like preferences: read them with -R prefs",
            6: "this looks like a run",
        },
        alternatives_need_trec=False,
    ),
    value="level",
)


def read_preference_judgments(path: PathLike, *, has_subgroups: bool) -> Qrels:
    """Read judgments as preferences between the documents of a group of judges.

    Parameters
    ----------
    path
        The file.
    has_subgroups
        Whether lines are `query group sub-group document level`; else they are qrels: `query group document level`.

    Returns
    -------
    Qrels
        Judgments by group, which are its subtopics, and by sub-group.

    Raises
    ------
    InputError
        A line is malformed, a level is no number, a sub-group holds a document twice, or a group holds a document both
        with level 0 and with a higher one.
    """
    grammar: Grammar = WITH_SUBGROUPS if has_subgroups else WITHOUT_SUBGROUPS
    with open_binary(path) as stream:
        rows, _ = read_rows(cast("Readable", stream), source_name(path), grammar)
    return Qrels.from_rows(rows)
