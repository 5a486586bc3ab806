"""Preference measures of trec_eval: which share of the preferences between judged documents a ranking fulfils.

Judgments are preferences: within a sub-group of a judgment group (a user, say), a document of a higher level is
preferred to one of a lower level. Sub-groups of one group are joined: preferred to b and b to c is a preferred to c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits
from rankscope.data.preference_judgments import PreferenceJudgments
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "PREFERENCE_MEASURES",
    "preference_values",
]


class PreferenceGroup(NamedTuple):
    """The preferences of one judgment group of a query; documents stand in the order in which they were retrieved.

    Attributes
    ----------
    preferred
        Whether the document of the row is preferred to that of the column, (documents, documents).
    level
        Level of each document; NaN where the group does not hold it.
    has_subgroups
        Whether preferences come from several sub-groups.
    n_retrieved
        Number of judged documents that were retrieved: they stand first.
    """

    preferred: Bools
    level: Floats
    has_subgroups: bool
    n_retrieved: int

    def counts(self, preferred: Bools | None = None) -> PreferenceCounts:
        """How many preferences there are, and how many are fulfilled.

        Parameters
        ----------
        preferred
            Preferences to count. Default: those of the group.
        """
        matrix = self.preferred if preferred is None else preferred
        n = self.n_retrieved
        both = matrix[:n, :n]
        implied = int(matrix[:n, n:].sum())
        return PreferenceCounts(
            fulfilled_retrieved=int(np.triu(both, 1).sum()),
            retrieved=int(both.sum()),
            fulfilled_implied=implied,
            implied=implied + int(matrix[n:, :n].sum()),
            not_retrieved=int(matrix[n:, n:].sum()),
        )


class PreferenceCounts(NamedTuple):
    """Numbers of preferences of a group.

    Attributes
    ----------
    fulfilled_retrieved, retrieved
        Of two documents that were both retrieved: fulfilled, and all.
    fulfilled_implied, implied
        Of two documents of which one was retrieved.
    not_retrieved
        Of two documents that were not retrieved.
    """

    fulfilled_retrieved: int
    retrieved: int
    fulfilled_implied: int
    implied: int
    not_retrieved: int

    @property
    def fulfilled(self) -> int:
        return self.fulfilled_retrieved + self.fulfilled_implied

    @property
    def possible(self) -> int:
        return self.retrieved + self.implied + self.not_retrieved


@dataclass(eq=False)
class QueryPreferences:
    """All groups of a query, for one run."""

    groups: list[PreferenceGroup]
    counts: list[PreferenceCounts] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = [group.counts() for group in self.groups]

    def total(self, number: Callable[[PreferenceCounts], int]) -> float:
        return float(sum(map(number, self.counts)))

    def simple(
        self, fulfilled: Callable[[PreferenceCounts], int], possible: Callable[[PreferenceCounts], int]
    ) -> float:
        """The share of all preferences that is fulfilled, 0 without preferences."""
        n_possible = self.total(possible)
        return self.total(fulfilled) / n_possible if n_possible else 0.0

    def by_group(
        self, fulfilled: Callable[[PreferenceCounts], int], possible: Callable[[PreferenceCounts], int]
    ) -> float:
        """The mean share over groups; a group without preferences counts as 0."""
        shares = (fulfilled(counts) / possible(counts) for counts in self.counts if possible(counts))
        return sum(shares) / len(self.groups)

    def by_pair(self, n_rows: int, n_columns: int) -> float:
        """The mean over pairs of documents of the share of groups whose preference is fulfilled.

        Parameters
        ----------
        n_rows, n_columns
            Only pairs whose first document is among the first `n_rows`, and whose second among `n_columns`.
        """
        agree: Ints = np.array([group.preferred for group in self.groups]).sum(axis=0)
        upper = np.triu(np.ones(agree.shape, np.bool_), 1)
        upper[n_rows:], upper[:, n_columns:] = False, False
        all_preferences = (agree + agree.T)[upper]
        is_pair = all_preferences > 0
        if not is_pair.any():
            return 0.0
        # Of two documents that were not retrieved, none is fulfilled.
        is_retrieved = np.broadcast_to(np.arange(len(agree))[:, None] < self.groups[0].n_retrieved, agree.shape)
        fulfilled = np.where(is_retrieved, agree, 0)[upper]
        return float((fulfilled[is_pair] / all_preferences[is_pair]).sum() / is_pair.sum())

    def as_many_nonrelevant(self, *, retrieved_only: bool) -> float:
        """The mean share over groups, with as many documents that are not relevant as relevant ones in each.

        Missing ones are added as fulfilled preferences; surplus ones, from the last retrieved on, are left out. If a
        group then has no preferences at all, the value of the query is 0, as in trec_eval.
        """
        total = sum(share_with_as_many(group, retrieved_only) for group in self.groups)
        return total / len(self.groups) if total > 0 else 0.0


def share_with_as_many(group: PreferenceGroup, retrieved_only: bool) -> float:
    """The share for one group; NaN without preferences. See `QueryPreferences.as_many_nonrelevant`."""
    n = group.n_retrieved
    limit = n if retrieved_only else len(group.level)
    is_relevant = group.level > 0
    # With sub-groups, a level below 0 is neither relevant nor not relevant.
    is_nonrelevant = (group.level == 0) if group.has_subgroups else (group.level <= 0)
    n_relevant, n_nonrelevant = int(is_relevant[:limit].sum()), int(is_nonrelevant[:limit].sum())
    if n_relevant >= n_nonrelevant:
        counts, n_added = group.counts(), n_relevant - n_nonrelevant
        fulfilled = counts.fulfilled_retrieved if retrieved_only else counts.fulfilled
        possible = counts.retrieved if retrieved_only else counts.possible
        return ratio(fulfilled + int(is_relevant[:n].sum()) * n_added, possible + int(is_relevant.sum()) * n_added)
    preferred = group.preferred
    if group.has_subgroups:
        surplus = np.flatnonzero(is_nonrelevant[:limit])[int(is_relevant.sum()) :]
        keeps = np.ones(len(group.level), np.bool_)
        if surplus.size:
            keeps[surplus[0] :] = ~is_nonrelevant[surplus[0] :]
        preferred = preferred & keeps & keeps[:, None]
    else:
        preferred = with_first_nonrelevant(group, n_relevant)
    if retrieved_only:
        preferred = preferred[:n, :n]
    counts = group._replace(preferred=preferred).counts()
    return ratio(counts.fulfilled, counts.possible)


def with_first_nonrelevant(group: PreferenceGroup, n_kept: int) -> Bools:
    """The preferences, of the documents of the lowest level only to those that are retrieved first.

    As in trec_eval, all documents of the group are preferred to these, even those of the lowest level.
    """
    lowest = np.flatnonzero(group.level == np.nanmin(group.level))
    preferred = group.preferred.copy()
    preferred[:, lowest] = False
    preferred[np.ix_(np.flatnonzero(~np.isnan(group.level)), lowest[:n_kept])] = True
    return preferred


def ratio(numerator: int, denominator: int) -> float:
    return numerator / denominator if denominator else float("nan")


def preferences_of(judgments: PreferenceJudgments, hits: Hits) -> Iterator[QueryPreferences]:
    """The preferences of each query, with the documents in the order in which a run retrieved them.

    Documents of one score stand in the rising order of their ids, and those not retrieved likewise at the end.
    """
    rank = hits.first + hits.last - hits.rank  # the join breaks ties by falling id
    places = judgments.documents.places
    for query, query_id in enumerate(hits.query_ids):
        own = slice(hits.offsets[query], hits.offsets[query + 1])
        retrieved = hits.relevance[own][np.argsort(rank[own])].astype(np.intp)
        n_documents = int(hits.grade_offsets[query + 1] - hits.grade_offsets[query])
        place = np.full(n_documents, -1)
        place[retrieved] = np.arange(retrieved.size)
        others = np.flatnonzero(place < 0)
        place[others] = retrieved.size + np.arange(others.size)
        entries = slice(*judgments.offsets[places[query_id] :][:2])
        groups = judgments.group[entries]
        starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
        yield QueryPreferences(
            [
                group_of_entries(
                    place[judgments.document[entries][rows]],
                    judgments.subgroup[entries][rows],
                    judgments.level[entries][rows],
                    n_documents,
                    retrieved.size,
                )
                for rows in map(slice, starts, [*starts[1:], groups.size])
            ]
        )


def group_of_entries(
    place: npt.NDArray[np.intp], subgroup: Ints, level: Floats, n_documents: int, n_retrieved: int
) -> PreferenceGroup:
    """The preferences of one group, those that follow from several sub-groups included."""
    levels = np.full(n_documents, np.nan)
    levels[place] = level
    preferred = np.zeros((n_documents, n_documents), np.bool_)
    is_preferred = (subgroup[:, None] == subgroup) & (level[:, None] > level)
    rows, columns = np.nonzero(is_preferred)
    preferred[place[rows], place[columns]] = True
    has_subgroups = bool((subgroup != subgroup[0]).any())
    if has_subgroups:
        preferred = transitive(preferred)
    return PreferenceGroup(preferred, levels, has_subgroups, n_retrieved)


def transitive(preferred: Bools) -> Bools:
    """With what follows: a over b and b over c is a over c."""
    reach = preferred | np.eye(len(preferred), dtype=np.bool_)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if np.array_equal(further, reach):
            break
        reach = further
    np.fill_diagonal(reach, False)
    return reach


def fulfilled(counts: PreferenceCounts) -> int:
    return counts.fulfilled


def possible(counts: PreferenceCounts) -> int:
    return counts.possible


def fulfilled_retrieved(counts: PreferenceCounts) -> int:
    return counts.fulfilled_retrieved


def retrieved(counts: PreferenceCounts) -> int:
    return counts.retrieved


def with_implied(counts: PreferenceCounts) -> int:
    return counts.retrieved + counts.implied


def size(preferences: QueryPreferences) -> tuple[int, int]:
    """The number of judged documents, and of those retrieved."""
    return len(preferences.groups[0].level), preferences.groups[0].n_retrieved


#: The measures by trec_eval's names, in the order in which it prints them.
PREFERENCE_MEASURES: dict[str, Callable[[QueryPreferences], float]] = {
    "prefs_num_prefs_poss": lambda query: query.total(possible),
    "prefs_num_prefs_ful": lambda query: query.total(fulfilled),
    "prefs_num_prefs_ful_ret": lambda query: query.total(fulfilled_retrieved),
    "prefs_simp": lambda query: query.simple(fulfilled, possible),
    "prefs_pair": lambda query: query.by_pair(size(query)[0], size(query)[0]),
    "prefs_avgjg": lambda query: query.by_group(fulfilled, possible),
    "prefs_avgjg_Rnonrel": lambda query: query.as_many_nonrelevant(retrieved_only=False),
    "prefs_simp_ret": lambda query: query.simple(fulfilled_retrieved, retrieved),
    "prefs_pair_ret": lambda query: query.by_pair(size(query)[1], size(query)[1]),
    "prefs_avgjg_ret": lambda query: query.by_group(fulfilled_retrieved, retrieved),
    "prefs_avgjg_Rnonrel_ret": lambda query: query.as_many_nonrelevant(retrieved_only=True),
    "prefs_simp_imp": lambda query: query.simple(fulfilled, with_implied),
    "prefs_pair_imp": lambda query: query.by_pair(size(query)[1], size(query)[0]),
    "prefs_avgjg_imp": lambda query: query.by_group(fulfilled, with_implied),
}


def preference_values(judgments: PreferenceJudgments, hits: Hits, names: list[str]) -> dict[str, Floats]:
    """The values of preference measures.

    Parameters
    ----------
    judgments
        The preferences.
    hits
        The run, joined with `judgments.documents`, ties broken by falling document ids.
    names
        Measures, of `PREFERENCE_MEASURES`.

    Returns
    -------
    dict
        Measure -> its value for each query of the hits.
    """
    values = np.array(
        [[PREFERENCE_MEASURES[name](query) for name in names] for query in preferences_of(judgments, hits)]
    )
    return dict(zip(names, values.reshape(-1, len(names)).T, strict=True))
