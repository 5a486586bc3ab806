"""Judgments as preferences between documents, by groups of judges and sub-groups of what was judged together."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.data.qrels import Qrels
from rankscope.typing import Floats, Ints

__all__ = [
    "PreferenceJudgments",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class PreferenceJudgments:
    """Judgments by group and sub-group, one entry for each, ordered by query, group and sub-group.

    Attributes
    ----------
    documents
        The judged documents of each query; their relevance is their number, in the order of their ids.
    offsets
        Where the entries of each query begin, (queries + 1).
    group, subgroup
        Number of the group, and of the sub-group among all, (entries).
    document
        Number of the document within its query, (entries).
    level
        Level, (entries); one above 0 is relevant, 0 is not relevant.
    """

    documents: Qrels
    offsets: Ints
    group: Ints
    subgroup: Ints
    document: Ints
    level: Floats
