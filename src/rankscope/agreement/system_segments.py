"""The segments on which systems are compared: the same for people and for all metrics that have scores of segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankscope.agreement.system_asked import SystemSettings
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import PairScores
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.typing import Bools, Floats

__all__ = ["LanguagePairScores", "common_segments", "scored_by_all", "scored_segments", "judged_segments"]

#: What one side has of one language pair.
LanguagePairScores = Rankings | PairScores | Mapping[str, float]


def scored_segments(part: PairScores, systems: Sequence[str]) -> list[str]:
    """Those in which one of these systems has a score."""
    known = set(systems)
    rows = [i for i, name in enumerate(part.systems) if name in known]
    some = np.flatnonzero((~np.isnan(part.values[rows])).any(axis=0))
    return [part.segments[i] for i in some.tolist()]


def judged_segments(part: LanguagePairScores, gold: str) -> list[str]:
    """The segments of which people say something."""
    if isinstance(part, PairScores):
        return scored_segments(part, part.systems)
    assert isinstance(part, Rankings)
    of = part.segment.codes[part.judgment][~np.isnan(part.column(gold))]
    return [part.segment.names[code] for code in dict.fromkeys(of.tolist())]


def common_segments(
    pair: str,
    names: Sequence[str],
    own: Sequence[LanguagePairScores],
    gold: str,
    systems: Sequence[str],
    asked: SystemSettings,
) -> tuple[list[LanguagePairScores], list[str]]:
    """What each side has of the segments on which systems are compared, people first; and notes.

    Where people gave scores to segments, every mean is over the same ones: "common", those of which all sides have a
    score of all systems, "own", of each system those of which all sides have one. Rankings stay as they are.

    Raises InputError where a metric has no segment that people judged; or not all, unless those in common are asked
    for; and where no segment is left.
    """
    people, where = own[0], f"{pair}: " if pair else ""
    if not isinstance(people, (Rankings, PairScores)):
        return list(own), []
    judged = judged_segments(people, gold) if isinstance(people, Rankings) else scored_segments(people, systems)
    notes = []
    for name, part in zip(names[1:], own[1:], strict=True):
        if not isinstance(part, PairScores):
            continue
        scored = scored_segments(part, systems)
        there = set(scored)
        missing = [one for one in judged if one not in there]
        if len(missing) == len(judged):
            raise InputError(
                f"{where}{name} has no score of a segment that people judged: people judged {join_names(judged)}, {name} "
                f"has {join_names(scored) or 'none'}; do both name segments alike?"
            )
        if missing and isinstance(people, PairScores) and not asked.common:
            raise InputError(
                f"{where}{name} has no score of {'segment' if len(missing) == 1 else 'segments'} {join_names(missing)}, "
                f"which people judged; compare on the {len(judged) - len(missing):,} that both have (--common), or "
                f"leave {name} out (--metrics)"
            )
        if missing:
            notes.append(
                f"{where}{name} has scores of {len(judged) - len(missing):,} of the {len(judged):,} segments that "
                "people judged"
            )
    if not isinstance(people, PairScores):
        return list(own), notes
    sides = [i for i, part in enumerate(own) if isinstance(part, PairScores)]
    if asked.from_segments == "share":  # compares within a segment whatever there is
        sides = sides[:1]
    tables = [part for i in sides if isinstance(part := own[i], PairScores)]
    parts, said = scores_on_common_segments(tables, systems, judged, asked.over, where)
    found = list(own)
    for i, part in zip(sides, parts, strict=True):
        found[i] = part
    return found, [*notes, *said]


def scores_on_common_segments(
    parts: Sequence[PairScores], systems: Sequence[str], judged: Sequence[str], over: str, where: str
) -> tuple[list[PairScores], list[str]]:
    """The scores of the same translations, NaN for the others; people's first."""
    known = [set(part.segments) for part in parts]
    segments = [name for name in judged if all(name in other for other in known)]
    stack = np.array([score_table(part, systems, segments) for part in parts])
    there, notes = scored_by_all(stack, over, where, len(judged))
    used = np.flatnonzero(there.any(axis=0))
    kept = tuple(segments[i] for i in used.tolist())
    return [PairScores(tuple(systems), kept, np.where(there, one, np.nan)[:, used]) for one in stack], notes


def scored_by_all(stack: Floats, over: str, where: str, judged: int) -> tuple[Bools, list[str]]:
    """(systems, segments) which translations means are over, and a note where these are not all.

    stack: (sides, systems, segments), people's first; over: "common", the segments of which all sides have a score of
    all systems, or "own", the translations of which all sides have one. judged: how many segments people judged.

    >>> there, notes = scored_by_all(np.array([[[1, 2, np.nan], [3, 4, 5]], [[1, 2, 3], [4, 5, 6]]]), "common", "", 3)
    >>> there.tolist(), notes[0][:33]
    ([[True, True, False], [True, True, False]], 'means are over 2 of the 3 segment')
    """
    there: Bools = np.asarray(~np.isnan(stack).any(axis=0), np.bool_)
    if over == "common":
        there = np.asarray(there & there.all(axis=0), np.bool_)
        if not there.any():
            raise InputError(
                f"{where}there is no segment of which all systems have a score from people and all metrics, so no mean "
                "over common segments; take the mean of each over its own (--over own)"
            )
        many = int(there.any(axis=0).sum())
        if many == judged:
            return there, []
        return there, [
            f"{where}means are over {many:,} of the {judged:,} segments that people judged: those of which all systems "
            "have a score from people and all metrics (each over its own: --over own)"
        ]
    lost = int(np.count_nonzero(~np.isnan(stack[0]) & ~there))
    if not lost:
        return there, []
    return there, [
        f"{where}{pluralise(lost, 'translation')} that people judged left out of means, as a metric has no score there"
    ]


def score_table(part: PairScores, systems: Sequence[str], segments: Sequence[str]) -> Floats:
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (part.systems, part.segments))
    found: Floats = part.values[np.ix_([rows[name] for name in systems], [columns[name] for name in segments])]
    return found
