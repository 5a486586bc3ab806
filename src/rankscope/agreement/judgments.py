"""People's judgments: ranks or scores that they gave to translations, to answers, or to whole systems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.agreement.settings import DUPLICATES
from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.tables import find_column
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.translation import GOLD_COLUMNS
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.stats.inputs import check_choice
from rankscope.typing import Bools

__all__ = [
    "GOLD",
    "NOT_RANKED",
    "Judgments",
    "handle_duplicates",
    "human_column",
    "lists_of_scores",
    "not_ranked",
    "ranked_only",
    "refuse_item",
    "scores_of_column",
    "select_language_pairs",
    "with_weights",
]


#: The name of the column of people where their scores become lists.
GOLD = "human"
#: The rank of an item that a person did not rank.
NOT_RANKED = -1


@dataclass(frozen=True, eq=False)
class Judgments:
    """What people said: a value for each language pair, segment, system and rater.

    Attributes
    ----------
    gold
        Name of the human column, or of the human scores.
    values
        Lists of items that were judged together, of which the column `gold` holds what people said and the others what
        metrics said; or scores of translations, or of whole systems.
    """

    gold: str
    values: Rankings | MetricScores

    @property
    def level(self) -> str:
        """What people judged: "segment" (translations of segments) or "system" (systems as a whole)."""
        return "segment" if isinstance(self.values, Rankings) else self.values.level

    @property
    def are_ranks(self) -> bool:
        """Whether values are ranks, which are comparable within a list only."""
        return isinstance(self.values, Rankings) and self.values.are_ranks(self.gold)

    @property
    def higher_is_better(self) -> bool:
        """The direction of the values."""
        if isinstance(self.values, Rankings):
            return self.gold in self.values.score_columns
        return self.values.higher_is_better

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of metrics in the lists."""
        values = self.values
        return tuple(name for name in values.columns if name != self.gold) if isinstance(values, Rankings) else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return self.values.notes

    def by_pair(self) -> Iterator[tuple[str, Rankings | PairScores]]:
        """The values of each language pair."""
        yield from self.values.by_pair() if isinstance(self.values, Rankings) else self.values.pairs.items()

    def as_lists(self) -> Judgments:
        """The same as lists: of scores, one a segment, over the systems that have a score, in the column "human"."""
        return self if isinstance(self.values, Rankings) else Judgments(GOLD, lists_of_scores(self.values))

    def as_scores(self) -> Judgments:
        """The same as scores of translations: the mean of a translation that was judged several times."""
        if isinstance(self.values, Rankings):
            return Judgments(self.gold, scores_of_column(self.values, self.gold))
        return self

    @property
    def is_of_lists(self) -> bool:
        """Whether the values are lists of items that were judged together."""
        return isinstance(self.values, Rankings)

    def select(self, pairs: Sequence[str] | None) -> Judgments:
        """The judgments of some language pairs, in this order. Raises UnknownName, ParameterError."""
        if isinstance(self.values, Rankings):
            return Judgments(self.gold, select_language_pairs(self.values, pairs))
        if pairs is None:
            return self
        refuse_no_pairs(pairs)
        if unknown := [name for name in pairs if name not in self.values.pairs]:
            raise UnknownName("language pair", unknown[0], self.values.pairs)
        return Judgments(self.gold, replace(self.values, pairs={name: self.values.pairs[name] for name in pairs}))


def refuse_no_pairs(pairs: Sequence[str]) -> None:
    if not pairs:
        raise ParameterError("pairs is empty; name at least one language pair, or leave pairs out for all")


def human_column(names: Sequence[str], gold: str | None, *, noun: str = "column", allow_any_name: bool = True) -> str:
    """The name of people's column, or of another noun's, among those of judgments.

    allow_any_name: an only one is people's, whatever its name. Raises UnknownName, and ParameterError where it must be
    named.
    """
    if gold is not None:
        if gold not in names:
            raise UnknownName(f"{noun} of the judgments", gold, names)
        return gold
    if allow_any_name and len(names) == 1:
        return names[0]
    column = find_column(list(names), GOLD_COLUMNS)
    if column is None:
        if len(names) == 1:
            raise ParameterError(
                f"{names[0]} is the only {noun} of the judgments, which come first; if it is of people, name it: "
                f"--gold {names[0]} (in Python gold=)"
            )
        likely = next((name for name in names if re.search("human|people|gold|true", name.lower())), names[0])
        raise ParameterError(
            f"which {noun} holds the human judgments, {join_names(names, conjunction='or')}? Name it, such as --gold "
            f"{likely} (in Python gold=)"
        )
    return column


def select_language_pairs(rankings: Rankings, pairs: Sequence[str] | None) -> Rankings:
    """The judgments of some language pairs, in the order in which they are named. Raises UnknownName, InputError."""
    if not len(rankings):
        raise InputError("there is no judgment, expected at least one")
    if pairs is None:
        return rankings
    names = [pairs] if isinstance(pairs, str) else list(pairs)
    refuse_no_pairs(names)
    codes = {name: code for code, name in enumerate(rankings.pair.names)}
    selected_codes = []
    for name in dict.fromkeys(names):
        if name not in codes:
            raise UnknownName("language pair", name, [*rankings.pair.names])
        selected_codes.append(codes[name])
    selected = rankings.select(np.isin(rankings.pair.codes, selected_codes))
    if not len(selected):
        raise InputError(f"no judgment of {join_names(names)} among {pluralise(len(rankings), 'judgment')}")
    # New codes in the requested order, so that by_pair keeps it.
    positions = {code: i for i, code in enumerate(selected_codes)}
    new_codes = np.array([positions[code] for code in selected.pair.codes.tolist()], np.int64)
    return replace(selected, pair=Labels(tuple(dict.fromkeys(names)), new_codes))


def not_ranked(rankings: Rankings, gold: str) -> Bools:
    """(items) those to which people gave no rank: NaN, or -1. Raises InputError for another rank below 0."""
    values = rankings.column(gold)
    invalid = (values < 0) & (values != NOT_RANKED)
    if invalid.any():
        refuse_item(
            rankings,
            int(np.flatnonzero(invalid)[0]),
            gold,
            f"expected a rank of at least 0, or -1 for not ranked; correct it, or use --higher {gold} (or --lower) if "
            "these are scores",
        )
    return np.asarray(np.isnan(values) | (values == NOT_RANKED), np.bool_)


def ranked_only(rankings: Rankings, gold: str) -> Rankings:
    """The judgments with NaN for the human rank -1, which means not ranked; a note counts them. Scores are not changed.

    Parameters
    ----------
    rankings
        The judgments.
    gold
        The human column.

    Raises
    ------
    InputError
        Another rank is below 0.

    Examples
    --------
    >>> found = ranked_only(Rankings.of([{"A": -1, "B": 2}]), "rank")
    >>> found.columns["rank"].tolist(), found.notes
    ([nan, 2.0], ('1 item is not ranked (rank is -1) and skipped',))
    """
    if not rankings.are_ranks(gold):
        return rankings
    values = rankings.column(gold)
    unranked = not_ranked(rankings, gold) & ~np.isnan(values)
    if not unranked.any():
        return rankings
    ranked = rankings.with_column(gold, np.where(unranked, np.nan, values), higher_is_better=False)
    items = pluralise(int(unranked.sum()), "item is", "items are")
    return replace(ranked, notes=(*ranked.notes, f"{items} not ranked ({gold} is -1) and skipped"))


def refuse_item(rankings: Rankings, item: int, name: str, expected: str, *, is_rank: bool = True) -> None:
    """Raise InputError for the value of an item, with its judgment, segment and system.

    is_rank: whether -1 means that the item was not ranked.
    """
    judgment = int(rankings.judgment[item])
    value = rankings.columns[name][item]
    problem = f"is {value:g}" + (" (not ranked)" if is_rank and value == NOT_RANKED else "")
    if np.isnan(value):
        problem = "has no value"
    raise InputError(
        f"judgment {judgment + 1} (segment {rankings.segment.names[rankings.segment.codes[judgment]]}), system "
        f"{rankings.system.names[rankings.system.codes[item]]!r}: {name} {problem}, {expected}"
    )


def handle_duplicates(rankings: Rankings, duplicates: str, name: str) -> Rankings:
    """Keep, drop or refuse judgments that repeat an earlier one; a note counts them.

    Two judgments are the same if their pair, segment and judge are the same, and if the same systems have the same
    values in every column, in any order.

    Parameters
    ----------
    rankings
        The judgments.
    duplicates
        "keep", "drop" or "refuse".
    name
        Name of the file, for notes and errors.

    Returns
    -------
    Rankings
        The judgments, with a note if any was repeated.

    Raises
    ------
    InputError
        A judgment is repeated and `duplicates` is "refuse".
    ParameterError
        `duplicates` is unknown.

    Examples
    --------
    >>> twice = replace(Rankings.of([{"A": 1, "B": 2}, {"B": 2, "A": 1}]), segment=Labels.of(["7", "7"]))
    >>> found = handle_duplicates(twice, "drop", "it")
    >>> len(found), found.notes
    (1, ('it: 1 judgment repeats an earlier one: dropped',))
    """
    check_choice("duplicates", duplicates, DUPLICATES)
    if not len(rankings):
        return rankings
    # Codes for the values, since NaN in a row is not equal to itself.
    values = [np.unique(column, return_inverse=True)[1].ravel() for column in rankings.columns.values()]
    items = np.column_stack([rankings.system.codes, *values])
    _, item_codes = np.unique(items, axis=0, return_inverse=True)  # one code for a system and all of its values
    item_codes = item_codes.ravel()
    sorted_codes = item_codes[np.lexsort((item_codes, rankings.judgment))]
    lengths = np.diff(rankings.offsets)
    table = np.full((len(rankings), int(lengths.max(initial=0))), -1, np.int64)
    table[rankings.judgment, place_in_group(rankings.offsets)] = sorted_codes
    keys = np.column_stack([rankings.pair.codes, rankings.segment.codes, rankings.judge.codes, table])
    _, first_indices, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    earlier = first_indices[inverse.ravel()]
    repeated = np.flatnonzero(earlier != np.arange(len(rankings)))
    if not repeated.size:
        return rankings
    if duplicates == "refuse":
        i = int(repeated[0])
        raise InputError(
            f"{name}: judgment {i + 1} (segment {rankings.segment.names[rankings.segment.codes[i]]}) is the same as "
            f"judgment {int(earlier[i]) + 1}, expected each once; remove it, or keep or drop repeated judgments "
            '(duplicates="keep" or "drop")'
        )
    prefix = f"{name}: {pluralise(repeated.size, 'judgment repeats', 'judgments repeat')} an earlier one: "
    if duplicates == "keep":
        return replace(rankings, notes=(*rankings.notes, f"{prefix}kept"))
    distinct = rankings.select(np.setdiff1d(np.arange(len(rankings)), repeated))
    return replace(distinct, notes=(*distinct.notes, f"{prefix}dropped"))


def lists_of_scores(people: MetricScores) -> Rankings:
    """Scores that people gave as judgments: one a segment, over the systems that have a score, in the column GOLD.

    Raises InputError where no segment has a score.

    >>> people = MetricScores.of("MQM", {"en-de": {"A": [-1, 0], "B": [-5, None]}})
    >>> lists = lists_of_scores(people)
    >>> len(lists), lists.columns[GOLD].tolist()
    (2, [-1.0, -5.0, 0.0])
    """
    pairs, segments, lengths, systems, values, weights = [], [], [], [], [], []
    codes: dict[str, int] = {}
    names: dict[str, int] = {}
    for pair_index, scores in enumerate(people.pairs.values()):
        table = scores.values.T
        present = ~np.isnan(table)
        judged = present.any(axis=1)
        system_codes = np.array([codes.setdefault(name, len(codes)) for name in scores.systems], np.int64)
        segment_codes = np.array([names.setdefault(name, len(names)) for name in scores.segments], np.int64)
        segments.append(segment_codes[judged])
        pairs.append(np.full(int(judged.sum()), pair_index, np.int64))
        lengths.append(present[judged].sum(axis=1))
        systems.append(np.broadcast_to(system_codes, table.shape)[present])
        values.append(table[present])
        weights.append((np.ones(len(table)) if scores.weights is None else scores.weights)[judged])
    weighted = any(scores.weights is not None for scores in people.pairs.values())
    if not sum(array.size for array in values):
        raise InputError(f"{people.metric} has no score of any segment, expected human scores of translations")
    pair = np.concatenate(pairs)
    return Rankings(
        pair=Labels(tuple(people.pairs), pair),
        segment=Labels(tuple(names), np.concatenate(segments)),
        judge=Labels(("",), np.zeros(pair.size, np.int64)),
        offsets=bounds(np.concatenate(lengths).astype(np.int64)),
        system=Labels(tuple(codes), np.concatenate(systems)),
        columns={GOLD: np.concatenate(values)},
        score_columns=frozenset([GOLD] if people.higher_is_better else []),
        lower_columns=frozenset([] if people.higher_is_better else [GOLD]),
        notes=people.notes,
        weight=np.concatenate(weights) if weighted else None,
    )


def with_weights(rankings: Rankings, name: str) -> Rankings:
    """The judgments with a column as their weights, 1 / (the chance of a judgment to be drawn), no longer as a column.

    Raises UnknownName, and InputError for a judgment whose items differ in their weight, or a weight not above 0.

    >>> judged = Rankings.of([{"A": 1, "B": 2}, {"A": 2, "B": 1}])
    >>> judged = judged.with_column("w", np.array([2.0, 2.0, 0.5, 0.5]), higher_is_better=False)
    >>> with_weights(judged, "w").weight.tolist(), list(with_weights(judged, "w").columns)
    ([2.0, 0.5], ['rank'])
    """
    values = rankings.column(name)
    weight = values[rankings.offsets[:-1]]
    differs = np.flatnonzero((values != weight[rankings.judgment]) & ~np.isnan(weight[rankings.judgment]))
    if differs.size:
        refuse_item(rankings, int(differs[0]), name, "expected one weight for all items of a judgment", is_rank=False)
    unweighted = np.flatnonzero(~(weight > 0))
    if unweighted.size:
        item = int(rankings.offsets[unweighted[0]])
        refuse_item(rankings, item, name, "expected a weight above 0", is_rank=False)
    columns = {column: numbers for column, numbers in rankings.columns.items() if column != name}
    return replace(
        rankings,
        columns=columns,
        score_columns=rankings.score_columns - {name},
        lower_columns=rankings.lower_columns - {name},
        weight=weight,
    )


def scores_of_column(rankings: Rankings, name: str) -> MetricScores:
    """A column of judgments as scores of segments: the mean for a translation that was judged several times.

    With weights of judgments the mean is weighted, and a segment has the mean weight of its judgments.

    >>> found = scores_of_column(Rankings.of([{"A": 4, "B": 2}], name="points", higher_is_better=True), "points")
    >>> found.pairs[""].systems, found.pairs[""].values.tolist(), found.higher_is_better
    (('A', 'B'), [[4.0], [2.0]], True)
    """
    pairs = {}
    for pair, judgments in rankings.by_pair():
        values = judgments.column(name)
        present = ~np.isnan(values)
        systems, system = np.unique(judgments.system.codes, return_inverse=True)
        segments, segment = np.unique(judgments.segment.codes, return_inverse=True)
        shape = systems.size, segments.size
        cell = (system * shape[1] + segment[judgments.judgment])[present]
        weight = np.ones(len(judgments)) if judgments.weight is None else judgments.weight
        item_weight = weight[judgments.judgment][present]
        counts = np.bincount(cell, item_weight, shape[0] * shape[1])
        totals = np.bincount(cell, values[present] * item_weight, shape[0] * shape[1])
        means = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)
        weights = np.bincount(segment, weight) / np.bincount(segment)
        pairs[pair] = PairScores(
            tuple(judgments.systems[code] for code in systems.tolist()),
            tuple(judgments.segment.names[code] for code in segments.tolist()),
            means.reshape(shape),
            None if judgments.weight is None else weights,
        )
    return MetricScores(name, pairs, name in rankings.score_columns)
