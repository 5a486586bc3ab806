"""What people and metrics say of systems: from rankings, scores of segments or scores of systems."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike as PathLikeType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.load.files import AnyScores, merge_scores, ranked_only, read_any_scores, system_scores_in
from rankscope.agreement.load.segments import (
    GOLD,
    JudgedMetrics,
    Names,
    human_column,
    load_human_judgments,
    names_of,
    rankings_from_scores,
    ranks_note,
    select_language_pairs,
)
from rankscope.agreement.statistics import RULES
from rankscope.data.rankings import Rankings
from rankscope.data.row_input import find_column
from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores
from rankscope.data.text import join_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.translation import GOLD_COLUMNS
from rankscope.typing import PathLike

__all__ = [
    "PeopleAndMetrics",
    "SystemJudgments",
    "SystemMetrics",
    "load_system_scores",
    "read_metric_scores",
]


SystemJudgments = Rankings | SegmentScores | SystemScores | PathLike
SystemMetrics = AnyScores | PathLike | Sequence[AnyScores | PathLike]


class PeopleAndMetrics(NamedTuple):
    """people: rankings of which a rule makes scores, or scores. gold: what they are called. rule: one of RULES, "mean"
    of scores of segments, or "given". metrics: each other's scores. notes: what a reader should know.
    """

    people: Rankings | AnyScores
    gold: str
    rule: str
    metrics: list[AnyScores]
    notes: tuple[str, ...]


def load_system_scores(
    judgments: SystemJudgments,
    scores: SystemMetrics = (),
    *,
    human: str | None,
    gold: str | None,
    pairs: Names | None,
    metrics: Names | None,
    higher: Names,
    lower: Names,
    duplicates: str | None,
    reference: str | None,
    lines: PathLike | None,
    test_set: str | None,
    segments: bool = False,
) -> PeopleAndMetrics:
    """People and metrics as they are asked for, read where they are files, in the directions asked for. Raises as
    `systems`. segments: of folders with both, scores of segments are read, and not those of systems.
    """
    up, down = names_of(higher), names_of(lower)
    if both := [name for name in up if name in down]:
        raise ParameterError(f"{both[0]} is named as higher and as lower, expected one of the two")
    wanted = None if metrics is None else names_of(metrics)
    single = isinstance(scores, (SegmentScores, SystemScores, str, PathLikeType))
    files = [scores] if single else list(scores)  # type: ignore[arg-type]  # neither is a list
    if test_set is not None and not any(isinstance(one, (str, PathLikeType)) for one in files):
        raise ParameterError("test_set says which scores of a file are wanted, and there is none; leave it out")
    made = load_system_metrics(files, test_set, segments=segments)
    options = {"duplicates": duplicates, "reference": reference, "lines": lines}
    needed = [*([] if gold is None else [gold]), *([] if made else wanted or ())]
    whole = read_system_judgments(judgments, needed, people=gold is None)
    columns: Sequence[str] = ()  # whose direction somebody may say, though they are not used
    if whole is not None:
        if unfit := next((name for name, value in options.items() if value is not None), None):
            raise ParameterError(f"judgments are scores of systems, and {unfit} is for rankings; leave it out")
        found = people_from_system_scores(whole, gold, human)
    else:
        read, _ = load_human_judgments(
            judgments,  # type: ignore[arg-type]  # scores of systems were taken out
            gold=gold,
            needed=needed,
            higher=up,
            lower=[name for name in down if name not in {one.metric for one in made}],
            **options,  # type: ignore[arg-type]  # each is None or as it is said above
        )
        columns = [*read.columns] if isinstance(read, Rankings) else [GOLD]
        found = people_from_segments(read, gold, human, [*up, *down], alone=bool(made))
    own = [] if made else found.metrics
    known = [found.gold, *(one.metric for one in (*made, *found.metrics))]
    for name in (*up, *down):
        if name not in known and name not in columns:
            raise UnknownName("metric", name, known)
    every = [with_direction(one, up, down) for one in (*made, *own)]
    if not every:
        raise InputError("there is no metric beside what people say; give scores, or judgments with another column")
    if wanted is not None:
        every = select_metrics(every, wanted)
    notes = tuple(dict.fromkeys([*found.notes, *(note for one in every for note in one.notes)]))
    people = found.people
    if not isinstance(people, Rankings):
        people = with_direction(people, up, down)
    found = found._replace(people=people, metrics=with_unique_names(every), notes=notes)
    return found if pairs is None else found._replace(people=select_pairs_of_people(found.people, names_of(pairs)))


def load_system_metrics(files: Sequence[object], test_set: str | None, *, segments: bool = False) -> list[AnyScores]:
    found: list[AnyScores] = []
    for one in files:
        if isinstance(one, (str, PathLikeType)):
            found += read_any_scores(one, test_set=test_set, segments=segments)
        elif isinstance(one, (SegmentScores, SystemScores)):
            found.append(one)
        else:
            raise ParameterError(
                f"scores hold {type(one).__name__}, expected SegmentScores, SystemScores, or files that hold them"
            )
    return merge_scores(found)


def read_system_judgments(
    judgments: SystemJudgments, needed: Sequence[str], *, people: bool
) -> list[SystemScores] | None:
    if isinstance(judgments, SystemScores):
        return [judgments]
    if isinstance(judgments, (str, PathLikeType)):
        return system_scores_in(judgments, needed=needed, people=people)
    return None


def people_from_system_scores(columns: Sequence[SystemScores], gold: str | None, human: str | None) -> PeopleAndMetrics:
    """Scores of whole systems, of which one entry is that of people. Raises UnknownName, ParameterError."""
    names = [one.metric for one in columns]
    if human is not None:
        raise ParameterError(f"human is {human!r}, and these judgments are scores of systems already; leave it out")
    if gold is not None and gold not in names:
        raise UnknownName("column of the judgments", gold, names)
    if gold is None:
        gold = names[0] if len(names) == 1 else find_column(names, GOLD_COLUMNS)
        if gold is None:
            raise ParameterError(f"which column is that of people? Name one as gold (--gold): {join_names(names)}")
    people = columns[names.index(gold)]
    rest: list[AnyScores] = [one for one in columns if one is not people]
    return PeopleAndMetrics(people, gold, "given", rest, people.notes)


def people_from_segments(
    people: Rankings | SegmentScores, gold: str | None, human: str | None, called: Sequence[str], *, alone: bool
) -> PeopleAndMetrics:
    """Rankings, or scores of segments, with the rule that makes scores of systems of them.

    called: columns of which somebody said the direction. alone: metrics come from elsewhere.
    """
    if isinstance(people, SegmentScores):
        if gold not in (None, GOLD, people.metric):
            raise ParameterError(f"gold is {gold!r}, and scores of people have no columns to choose from; leave it out")
        if human is None or human == "mean":
            return PeopleAndMetrics(people, people.metric, "mean", [], people.notes)
        return PeopleAndMetrics(rankings_from_scores(people), GOLD, human, [], people.notes)
    if not isinstance(people, Rankings):
        raise ParameterError(
            f"judgments are {type(people).__name__}, expected Rankings, SegmentScores or SystemScores (or a file that "
            "holds them)"
        )
    if not len(people):
        raise InputError("there is no judgment, expected at least one")
    gold = human_column(people, gold, alone=alone)
    people = ranked_only(people, gold)
    if np.isnan(people.column(gold)).all():
        raise InputError(f"{gold}, the column of people, has no value; expected what they say of at least one item")
    rest = [] if alone else [name for name in people.columns if name != gold]
    notes = [
        *people.notes,
        *ranks_note(
            JudgedMetrics(people, gold, tuple(rest), ()), [name for name in people.columns if name not in called]
        ),
    ]
    metrics: list[AnyScores] = [scores_of_column(people, name) for name in rest]
    scored = gold in people.scores
    if human == "mean" and not scored:
        raise ParameterError(
            f"the mean of {gold} is asked for, and these are ranks, which mean something within one judgment only; ask "
            f"for one of {', '.join(RULES)}, or say that they are scores (--higher {gold})"
        )
    if human == "mean" or (human is None and scored):
        return PeopleAndMetrics(scores_of_column(people, gold), gold, "mean", metrics, tuple(notes))
    return PeopleAndMetrics(people, gold, human or RULES[0], metrics, tuple(notes))


def scores_of_column(rankings: Rankings, name: str) -> SegmentScores:
    """A column of judgments as scores of segments: of a translation that was judged several times, the mean.

    >>> found = scores_of_column(Rankings.of([{"A": 4, "B": 2}], name="points", score=True), "points")
    >>> found.pairs[""].systems, found.pairs[""].values.tolist(), found.score
    (('A', 'B'), [[4.0], [2.0]], True)
    """
    pairs = {}
    for pair, part in rankings.by_pair():
        values = part.column(name)
        there = ~np.isnan(values)
        systems, system = np.unique(part.system.codes, return_inverse=True)
        segments, segment = np.unique(part.segment.codes, return_inverse=True)
        shape = systems.size, segments.size
        cell = (system * shape[1] + segment[part.judgment])[there]
        many = np.bincount(cell, minlength=shape[0] * shape[1])
        total = np.bincount(cell, values[there], shape[0] * shape[1])
        mean = np.divide(total, many, out=np.full(total.shape, np.nan), where=many > 0)
        pairs[pair] = PairScores(
            tuple(part.systems[code] for code in systems.tolist()),
            tuple(part.segment.names[code] for code in segments.tolist()),
            mean.reshape(shape),
        )
    return SegmentScores(name, pairs, name in rankings.scores)


def with_direction(scores: AnyScores, up: Sequence[str], down: Sequence[str]) -> AnyScores:
    """The same with the direction that somebody said."""
    names = {scores.metric}
    if names & {*up, *down}:
        return replace(scores, score=bool(names & {*up}))
    return scores


def select_metrics(metrics: Sequence[AnyScores], wanted: Sequence[str]) -> list[AnyScores]:
    """Those wanted, in that order. Raises ParameterError, UnknownName."""
    if not wanted:
        raise ParameterError("no metric is asked for; name some, or leave metrics out for all")
    there = {one.metric: one for one in reversed(metrics)}
    if unknown := [name for name in wanted if name not in there]:
        raise UnknownName("metric", unknown[0], there)
    return [there[name] for name in wanted]


def with_unique_names(metrics: Sequence[AnyScores]) -> list[AnyScores]:
    """The same with a number behind a name that stands twice."""
    from rankscope.data.segment_scores import unused_name

    found: dict[str, AnyScores] = {}
    for one in metrics:
        name = unused_name(one.metric, found)
        found[name] = one if name == one.metric else replace(one, metric=name)
    return list(found.values())


def select_pairs_of_people(people: Rankings | AnyScores, pairs: Sequence[str]) -> Rankings | AnyScores:
    """What people say of some language pairs, in this order. Raises UnknownName, ParameterError."""
    if isinstance(people, Rankings):
        return select_language_pairs(people, pairs)
    if not pairs:
        raise ParameterError("no language pair is asked for; name some, or leave pairs out for all")
    if unknown := [name for name in pairs if name not in people.pairs]:
        raise UnknownName("language pair", unknown[0], people.pairs)
    if isinstance(people, SegmentScores):
        return replace(people, pairs={name: people.pairs[name] for name in pairs})
    return replace(people, pairs={name: people.pairs[name] for name in pairs})


def read_metric_scores(scores: SystemMetrics, test_set: str | None, judgments: object = None) -> list[AnyScores]:
    """Scores as they are given, or read; of a folder those of segments, where a metric has both,
    or those of systems where judgments are.

    Raises as `rankscope.read_segment_scores`; ParameterError for a test set where there is no file.
    """
    single = isinstance(scores, (SegmentScores, SystemScores, str, PathLikeType))
    files = [scores] if single else list(scores)  # type: ignore[arg-type]  # neither is a list
    paths = [one for one in files if isinstance(one, (str, PathLikeType))]
    if test_set is not None and not paths:
        raise ParameterError("test_set says which scores of a file are wanted, and there is none; leave it out")
    found: list[AnyScores] = []
    for one in files:
        if not isinstance(one, (str, PathLikeType)):
            found.append(one)  # type: ignore[arg-type]  # what is neither is refused where it is used
        elif os.path.isdir(one):
            found += read_any_scores(one, segments=not are_system_judgments(judgments))
        else:
            found += read_any_scores(one, test_set=test_set)
    return found


def are_system_judgments(judgments: object) -> bool:
    """Whether judgments are scores of whole systems; of standard input, which can be read once, that is not asked."""
    if isinstance(judgments, (str, PathLikeType)) and str(judgments) != "-":
        return system_scores_in(judgments) is not None
    return isinstance(judgments, SystemScores)
