"""Which direction is better in a column or a metric: as the user says, and notes where that may be wrong."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from rankscope.agreement.judgments import Judgments
from rankscope.data.error_names import is_error_name
from rankscope.data.metric_scores import MetricScores
from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.typing import Floats

__all__ = [
    "directed_columns",
    "direction_notes",
    "directions",
    "oriented",
    "ranks_note",
    "refuse_both_directions",
    "refuse_fractions",
    "with_directions",
]


#: How far a statistic is on the way from its value by chance to its worst value, from 0 to 1, for a warning.
STRONG = 0.5


def direction_notes(
    metrics: Sequence[str], higher: Sequence[str], values: Floats, *, chance: float, gold: str | None = None
) -> list[str]:
    """Notes on metrics whose name or value suggests that the other direction is better.

    Parameters
    ----------
    metrics
        Names of the metrics.
    higher
        The names that were read as higher is better.
    values
        Values of a statistic with its sign, (metrics) or (metrics, pairs).
    chance
        Value of the statistic by chance: 0.5 for an accuracy, 0 for a correlation.
    gold
        Name of the human scores, if their direction may be wrong instead.

    Examples
    --------
    >>> direction_notes(["BLEU", "TER"], ["BLEU", "TER"], np.array([0.8, -0.9]), chance=0.0)
    ['TER disagrees with people (-0.9000); higher is read as better: if lower is better, use --lower TER']
    >>> direction_notes(["WER"], ["WER"], np.array([0.3]), chance=0.0)
    ['WER is named like an error rate, but higher is read as better: if lower is better, use --lower WER']
    """
    table = values.reshape(len(metrics), -1)
    worst = chance - STRONG * (0.5 if chance else 1.0)
    against = {
        name: float(row[~np.isnan(row)].mean())
        for name, row in zip(metrics, table, strict=True)
        if not np.isnan(row).all() and row[~np.isnan(row)].mean() <= worst
    }
    if gold is not None and len(against) == len(metrics) > 1:
        assumed, opposite = ("higher", "lower") if gold in higher else ("lower", "higher")
        return [
            f"all metrics disagree with people; {assumed} {gold} is read as better: if {opposite} is better, use "
            f"--{opposite} {gold}"
        ]
    notes = []
    for name, value in against.items():
        assumed, opposite = ("higher", "lower") if name in higher else ("lower", "higher")
        notes.append(
            f"{name} disagrees with people ({value:.4f}); {assumed} is read as better: if {opposite} is better, use "
            f"--{opposite} {name}"
        )
    error_rates = [name for name in metrics if name in higher and name not in against and is_error_name(name)]
    if error_rates:
        phrase = "is named like an error rate" if len(error_rates) == 1 else "are named like error rates"
        notes.append(
            f"{join_names(error_rates)} {phrase}, but higher is read as better: if lower is better, use "
            f"--lower {','.join(error_rates)}"
        )
    return notes


def refuse_both_directions(higher: Collection[str], lower: Collection[str], ranks: Collection[str] = ()) -> None:
    """Raise ParameterError for a name in two of them."""
    by_option = {"higher": higher, "lower": lower, "ranks": ranks}
    for option, other_option in combinations(by_option, 2):
        if in_both := [name for name in by_option[option] if name in by_option[other_option]]:
            raise ParameterError(f"{in_both[0]} is named in both {option} and {other_option}; name it in one of them")


def oriented(scores: MetricScores, higher: Collection[str], lower: Collection[str], *aliases: str) -> MetricScores:
    """The same scores in the direction that is given for their name, or for an alias of it; if any is."""
    names = {scores.metric, *aliases}
    if names.isdisjoint({*higher, *lower}):
        return scores
    return replace(scores, higher_is_better=not names.isdisjoint(higher))


def with_directions(
    metrics: Sequence[MetricScores], higher: Sequence[str], lower: Sequence[str], judged_names: Sequence[str]
) -> list[MetricScores]:
    """The metrics in the given directions. Raises UnknownName for a name of no metric and no judgments."""
    known_names = dict.fromkeys([*judged_names, *(metric.metric for metric in metrics)])
    if unknown := [name for name in (*higher, *lower) if name not in known_names]:
        raise UnknownName("metric", unknown[0], known_names)
    return [oriented(metric, higher, lower) for metric in metrics]


def ranks_note(people: Judgments, metrics: Sequence[str], directed: Collection[str]) -> list[str]:
    """A note on columns that are read as ranks without "rank" in their names: scores would be upside down.

    metrics: columns of metrics. directed: columns whose direction is given.
    """
    rankings = people.values
    if not isinstance(rankings, Rankings):
        return []
    names = [
        name
        for name in (people.gold, *metrics)
        if name not in directed and rankings.are_ranks(name) and not is_known_as_ranks(rankings, name)
    ]
    if not names:
        return []
    verb, phrase = ("is", "it holds scores") if len(names) == 1 else ("are", "they hold scores")
    return [
        f"{join_names(names)} {verb} read as ranks (lower is better); if {phrase}, {direction_advice(names)}; "
        f"--ranks {','.join(names)} (ranks=) turns this note off"
    ]


def direction_advice(names: Sequence[str]) -> str:
    """What to do where the direction of scores is not named; error rates are told by their names.

    >>> direction_advice(["COMET", "TER"])
    'use --higher COMET --lower TER (in Python higher=, lower=)'
    >>> direction_advice(["MQM"])
    'use --higher MQM, or --lower where lower is better (in Python higher=, lower=)'
    """
    errors = [name for name in names if is_error_name(name)]
    scores = [name for name in names if name not in errors]
    options = " ".join(
        f"--{side} {','.join(group)}" for side, group in (("higher", scores), ("lower", errors)) if group
    )
    return f"use {options}{'' if errors else ', or --lower where lower is better'} (in Python higher=, lower=)"


def refuse_fractions(people: Judgments, metrics: Sequence[str], directed: Collection[str]) -> None:
    """Raise InputError for columns of fractions whose direction is not named: they hold scores, of either direction.

    Ranks that items share may end in .5.

    metrics: columns of metrics. directed: columns whose direction is given.

    Examples
    --------
    >>> rankings = Rankings.of([{"A": 1, "B": 2.5, "C": 2.5}])
    >>> rankings = rankings.with_column("COMET", np.array([0.9, 0.7, 0.8]), higher_is_better=False)
    >>> refuse_fractions(Judgments("rank", rankings), ["COMET"], ["COMET"])
    >>> refuse_fractions(Judgments("rank", rankings), ["COMET"], [])
    Traceback (most recent call last):
    rankscope.errors.InputError: COMET (such as 0.9) is no column of ranks, expected whole numbers or halves; ...
    """
    rankings = people.values
    if not isinstance(rankings, Rankings):
        return
    examples = {}
    for name in dict.fromkeys((people.gold, *metrics)):
        doubled = 2 * rankings.column(name)
        fractions = np.flatnonzero(~np.isnan(doubled) & (doubled != np.rint(doubled)))
        if fractions.size and name not in directed and rankings.are_ranks(name):
            examples[name] = f"{doubled[fractions[0]] / 2:g}"
    if not examples:
        return
    listing = join_names(f"{name} (such as {example})" for name, example in examples.items())
    verb = "is no column" if len(examples) == 1 else "are no columns"
    raise InputError(
        f"{listing} {verb} of ranks, expected whole numbers or halves; for scores, "
        f"{direction_advice([*examples])}; for means of ranks, use --ranks (ranks=)"
    )


def is_known_as_ranks(rankings: Rankings, name: str) -> bool:
    """Whether a column holds ranks by its name, or because it says which of two is better."""
    return "rank" in name.casefold() or is_preference_column(rankings, name)


def directed_columns(
    rankings: Rankings, higher: Collection[str], lower: Collection[str], ranks: Collection[str] = ()
) -> Rankings:
    """The same judgments with the columns that are named as scores (higher, lower) or ranks; others are no matter.

    A column that is known as one of ranks stays one in `lower`.

    >>> rankings = directed_columns(Rankings.of([{"A": 0, "B": 5, "C": 1}], name="MQM"), [], ["MQM"])
    >>> rankings.are_ranks("MQM"), rankings.table("MQM").tolist()
    (False, [[0.0, 5.0, 1.0]])
    """
    for name in (*higher, *lower, *ranks):
        if name in rankings.columns:
            rankings = rankings.with_column(
                name,
                rankings.column(name),
                higher_is_better=name in higher,
                are_ranks=name in ranks or (name in lower and is_known_as_ranks(rankings, name)),
            )
    return rankings


def is_preference_column(rankings: Rankings, name: str) -> bool:
    """Whether a column says which of two is better, as tables of preferences do: it holds ranks, whatever its name."""
    values = rankings.column(name)
    return bool((np.diff(rankings.offsets) == 2).all() and np.isin(values[~np.isnan(values)], (1, 2)).all())


def directions(gold: str, metrics: Sequence[str], higher: Sequence[str]) -> list[str]:
    """Entries of a signature: in which columns higher is better, and in which lower is."""
    lower = [name for name in (gold, *metrics) if name not in higher]
    return [f"{word}:{','.join(names)}" for word, names in (("higher", higher), ("lower", lower)) if names]
