"""Names of judges from their files, where files hold measures of one name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from rankscope.io.core import source_name, split_compression_suffix

__all__ = [
    "name_by_file",
]


def name_by_file(sources: Sequence[tuple[Any, list[Any]]], people: Iterable[str] = ()) -> list[Any]:
    """The scores of all sources, named after their files where several files have measures of one name.

    A file of one measure then gives its own name to it, and a measure of one of several measures that another file has
    too is FILE:MEASURE.

    Parameters
    ----------
    sources
        Files or objects, each with the scores of its measures; a source that holds no measures is its only part.
    people
        Names of measures in the file of human judgments.

    Examples
    --------
    >>> from rankscope.data.segment_scores import PairScores, SegmentScores
    >>> def grades(*names):
    ...     return [SegmentScores(name, {"": PairScores.of({"A": [1]})}) for name in names]
    >>> named = name_by_file([("runs/ann.txt", grades("GRADE")), ("bob.txt", grades("GRADE", "RECALL"))])
    >>> [scores.metric for scores in named]
    ['ann', 'bob:GRADE', 'RECALL']
    """
    counts = Counter(dict.fromkeys(people, 1))
    for source, parts in sources:
        if parts != [source]:
            counts.update({part.metric for part in parts})
    if max(counts.values(), default=0) < 2:
        return [part for _, parts in sources for part in parts]
    named: list[Any] = []
    for source, parts in sources:
        if parts == [source] or not isinstance(source, (str, os.PathLike)):
            named += parts
            continue
        file = PurePath(split_compression_suffix(source_name(source))[0]).stem
        if len(parts) == 1:
            named.append(replace(parts[0], metric=file))
            continue
        for part in parts:
            named.append(replace(part, metric=f"{file}:{part.metric}") if counts[part.metric] > 1 else part)
    return named
