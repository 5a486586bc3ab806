"""The options of trec_eval's command line."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.typing import PathLike

__all__ = [
    "JUDGMENT_KINDS",
    "PREFERENCES",
    "QRELS",
    "QRELS_GROUPS",
    "QRELS_PREFERENCES",
    "VERSIONS",
    "Options",
]


#: The supported versions, as names of presets.
VERSIONS = ("trec_eval", "trec_eval-9")
#: The kinds of judgments (-R), and their measures.
QRELS, QRELS_GROUPS, PREFERENCES, QRELS_PREFERENCES = "qrels", "qrels_jg", "prefs", "qrels_prefs"
JUDGMENT_KINDS = (QRELS, QRELS_GROUPS, PREFERENCES, QRELS_PREFERENCES)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of the command line.

    Attributes
    ----------
    version
        "trec_eval" (10.0) or "trec_eval-9".
    by_query, complete, summary
        -q, -c, and whether a summary is printed (not -n).
    level
        -l, the lowest grade that counts as relevant; 0 counts all that is judged.
    judged_only
        -J.
    collection_size
        -N.
    depth
        -M.
    query
        The only query that is evaluated, from -D LEVEL.QUERY. Default: all.
    judgments
        -R, the kind of judgments, of `JUDGMENT_KINDS`.
    zscores
        -Z, a file of means and standard deviations; values are printed as z-scores.
    """

    version: str = "trec_eval"
    by_query: bool = False
    complete: bool = False
    summary: bool = True
    level: int = 1
    judged_only: bool = False
    collection_size: int | None = None
    depth: int | None = None
    query: str | None = None
    judgments: str = QRELS
    zscores: PathLike | None = None
