"""Preference measures: which share of the preferences between judged documents a ranking fulfils.

Judgments are preferences: within a sub-group of a judgment group (a user, say), a document of a higher level is
preferred to one of a lower level. Sub-groups of one group are joined: preferred to b and b to c is a preferred to c.
They agree with trec_eval, which has them as prefs_*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits
from rankscope.data.subtopics import Subtopics
from rankscope.errors import ParameterError
from rankscope.measures.base import Measure, Summary, require
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "NumPrefs",
    "NumPrefsFul",
    "Preference",
    "Prefs",
    "PrefsJG",
    "PrefsJGR",
    "PrefsPair",
]


#: Which preferences count: all; those of two retrieved documents; those of two documents one of which was retrieved.
Among = Literal["all", "retrieved", "implied"]
AMONG: tuple[Among, ...] = ("all", "retrieved", "implied")


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
        implied = int(np.count_nonzero(matrix[:n, n:]))
        return PreferenceCounts(
            fulfilled_retrieved=int(np.count_nonzero(np.triu(both, 1))),
            retrieved=int(np.count_nonzero(both)),
            fulfilled_implied=implied,
            implied=implied + int(np.count_nonzero(matrix[n:, :n])),
            not_retrieved=int(np.count_nonzero(matrix[n:, n:])),
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

    def fulfilled(self, among: Among) -> int:
        """How many of them are fulfilled."""
        return self.fulfilled_retrieved + (0 if among == "retrieved" else self.fulfilled_implied)

    def possible(self, among: Among) -> int:
        """How many of them there are."""
        n_pairs = {"retrieved": 0, "implied": self.implied, "all": self.implied + self.not_retrieved}
        return self.retrieved + n_pairs[among]


@dataclass(eq=False)
class QueryPreferences:
    """All groups of a query, for one run."""

    groups: list[PreferenceGroup]
    counts: list[PreferenceCounts] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = [group.counts() for group in self.groups]

    @property
    def n_retrieved(self) -> int:
        """The number of judged documents that were retrieved."""
        return self.groups[0].n_retrieved

    def possible(self, among: Among) -> int:
        """How many preferences there are."""
        return sum(counts.possible(among) for counts in self.counts)

    def fulfilled(self, among: Among) -> int:
        """How many preferences are fulfilled."""
        return sum(counts.fulfilled(among) for counts in self.counts)

    def share(self, among: Among) -> float:
        """The share of all preferences that is fulfilled, 0 without preferences."""
        n_possible = self.possible(among)
        return self.fulfilled(among) / n_possible if n_possible else 0.0

    def share_by_group(self, among: Among) -> float:
        """The mean share over groups; a group without preferences counts as 0."""
        shares = (counts.fulfilled(among) / n for counts in self.counts if (n := counts.possible(among)))
        return sum(shares) / len(self.groups)

    def shares_by_pair(self) -> dict[Among, float]:
        """The mean over pairs of documents of the share of groups whose preference is fulfilled."""
        if len(self.groups) == 1 and not self.groups[0].has_subgroups:  # each pair has one preference or none
            return {among: self.share(among) for among in AMONG}
        agree: Ints = np.sum([group.preferred for group in self.groups], axis=0, dtype=np.int64)
        all_preferences = agree + agree.T
        is_pair = np.triu(all_preferences > 0, 1)
        shares = np.zeros(agree.shape)
        np.divide(agree, all_preferences, out=shares, where=is_pair)
        n = self.n_retrieved
        shares[n:] = 0  # of two documents that were not retrieved, none is fulfilled
        parts: dict[Among, tuple[slice, slice]] = {
            "all": (slice(None), slice(None)),
            "retrieved": (slice(n), slice(n)),
            "implied": (slice(n), slice(None)),
        }
        return {
            among: float(shares[part].sum() / n_pairs) if (n_pairs := is_pair[part].sum()) else 0.0
            for among, part in parts.items()
        }

    def share_with_as_many(self, *, retrieved_only: bool) -> float:
        """The mean share over groups, with as many documents that are not relevant as relevant ones in each.

        Missing ones are added as fulfilled preferences; surplus ones, from the last retrieved on, are left out. If a
        group then has no preferences at all, the value of the query is 0, as in trec_eval.
        """
        total = sum(share_with_as_many(group, retrieved_only) for group in self.groups)
        return total / len(self.groups) if total > 0 else 0.0


def share_with_as_many(group: PreferenceGroup, retrieved_only: bool) -> float:
    """The share for one group; NaN without preferences. See `QueryPreferences.share_with_as_many`."""
    n = group.n_retrieved
    limit = n if retrieved_only else len(group.level)
    is_relevant = group.level > 0
    # With sub-groups, a level below 0 is neither relevant nor not relevant.
    is_nonrelevant = (group.level == 0) if group.has_subgroups else (group.level <= 0)
    n_relevant, n_nonrelevant = int(is_relevant[:limit].sum()), int(is_nonrelevant[:limit].sum())
    if n_relevant >= n_nonrelevant:
        counts, n_added = group.counts(), n_relevant - n_nonrelevant
        among: Among = "retrieved" if retrieved_only else "all"
        return ratio(
            counts.fulfilled(among) + int(is_relevant[:n].sum()) * n_added,
            counts.possible(among) + int(is_relevant.sum()) * n_added,
        )
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
    return ratio(counts.fulfilled("all"), counts.possible("all"))


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
    """The quotient; NaN where the denominator is 0."""
    return numerator / denominator if denominator else float("nan")


class JudgmentEntries(NamedTuple):
    """All judgments, ordered by query and group.

    Attributes
    ----------
    offsets
        Where the entries of each query begin, (queries + 1).
    document
        Index among the judged documents of the query, (entries).
    group, subgroup
        Numbers of the group and of the sub-group within the query, (entries).
    level
        Level, (entries).
    """

    offsets: Ints
    document: Ints
    group: Ints
    subgroup: Ints
    level: Floats


def entries_of(judgments: Subtopics) -> JudgmentEntries:
    """The judgments by group. Groups are numbered by falling name and stand by rising name, as in trec_eval."""
    order = np.lexsort((-judgments.subtopic, judgments.query))
    group = judgments.subtopic[order]
    return JudgmentEntries(
        offsets=judgments.offsets,
        document=judgments.judged[order],
        group=group,
        subgroup=np.zeros_like(group) if judgments.subgroup is None else judgments.subgroup[order],
        level=judgments.relevance[order].astype(np.float64),
    )


def preferences_of(hits: Hits) -> Iterator[QueryPreferences]:
    """The preferences of each query, with the documents in the order in which a run retrieved them.

    Those not retrieved stand at the end, in the rising order of their ids. Raises ParameterError where judgments are
    not by group.
    """
    judgments = hits.subtopics
    if judgments is None:
        raise ParameterError(
            "the judgments hold no groups, within which documents are preferred to each other; add a column subtopic"
        )
    all_entries = hits.cached_on_qrels("preference entries", lambda: entries_of(judgments))
    for query in range(len(hits)):
        retrieved = hits.judged[hits.offsets[query] : hits.offsets[query + 1]]
        n_documents = int(hits.grade_offsets[query + 1] - hits.grade_offsets[query])
        place = np.full(n_documents, -1)
        place[retrieved] = np.arange(retrieved.size)
        others = np.flatnonzero(place < 0)[::-1]  # judged documents are numbered by falling id
        place[others] = retrieved.size + np.arange(others.size)
        entries = slice(*all_entries.offsets[query : query + 2])
        groups = all_entries.group[entries]
        starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
        yield QueryPreferences(
            [
                group_of_entries(
                    place[all_entries.document[entries][rows]],
                    all_entries.subgroup[entries][rows],
                    all_entries.level[entries][rows],
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
    has_subgroups = bool((subgroup != subgroup[0]).any())
    if not has_subgroups:
        return PreferenceGroup(levels[:, None] > levels, levels, has_subgroups, n_retrieved)
    preferred = np.zeros((n_documents, n_documents), np.bool_)
    is_preferred = (subgroup[:, None] == subgroup) & (level[:, None] > level)
    rows, columns = np.nonzero(is_preferred)
    preferred[place[rows], place[columns]] = True
    return PreferenceGroup(transitive(preferred), levels, has_subgroups, n_retrieved)


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


def statistics_of(hits: Hits) -> dict[tuple[str, Among], Floats]:
    """(queries) each statistic, by name and which preferences count.

    One query after the other: their tables of pairs are large.
    """
    rows = [statistics_of_query(query) for query in preferences_of(hits)]
    statistics = {key: np.array([row[key] for row in rows], np.float64) for key in rows[0]}
    for values in statistics.values():
        values.flags.writeable = False
    return statistics


def statistics_of_query(query: QueryPreferences) -> dict[tuple[str, Among], float]:
    """Each statistic of a query."""
    statistics: dict[tuple[str, Among], float] = {}
    by_pair = query.shares_by_pair()
    for among in AMONG:
        statistics["possible", among] = query.possible(among)
        statistics["fulfilled", among] = query.fulfilled(among)
        statistics["share", among] = query.share(among)
        statistics["share by pair", among] = by_pair[among]
        statistics["share by group", among] = query.share_by_group(among)
        if among != "implied":
            statistics["share with as many", among] = query.share_with_as_many(retrieved_only=among == "retrieved")
    return statistics


@dataclass(frozen=True, kw_only=True)
class Preference(Measure):
    """Base of preference measures.

    Parameters
    ----------
    among
        Preferences that count: "all"; "retrieved", between two retrieved documents; "implied", between two documents of
        which at least one was retrieved.
    """

    needs_subtopics: ClassVar[bool] = True
    among: Among = "all"

    #: The values of `among` that the measure has.
    choices: ClassVar[tuple[str, ...]] = AMONG

    def check(self) -> None:
        require(self.among in self.choices, self, "among", self.among, " or ".join(map(repr, self.choices)))

    def statistic(self, hits: Hits, name: str, among: Among | None = None) -> Floats:
        """(queries) a statistic of the preferences. among: as in the class. Default: that of the measure."""
        return hits.cached("preferences", lambda: statistics_of(hits))[name, among or self.among]

    def defined(self, hits: Hits) -> Bools:
        return self.statistic(hits, "possible", "all") > 0

    def used(self, hits: Hits) -> Floats:
        return np.diff(hits.offsets).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class NumPrefs(Preference):
    """Number of preferences of all groups of a query; a count, at least 0.

    Parameters
    ----------
    among
        Preferences that count: "all"; "retrieved", between two retrieved documents; "implied", between two documents of
        which at least one was retrieved.

    References
    ----------
    trec_eval prefs_num_prefs_poss.
    """

    name: ClassVar[str] = "NumPrefs"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    higher_is_better: ClassVar[bool | None] = None
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval prefs_num_prefs_poss"

    def values(self, hits: Hits) -> Floats:
        return self.statistic(hits, "possible")


@dataclass(frozen=True, kw_only=True)
class NumPrefsFul(Preference):
    """Number of preferences that the ranking fulfils; a count, higher is better.

    Parameters
    ----------
    among
        Preferences that count: "all", or "retrieved", between two retrieved documents.

    Notes
    -----
    A preference is fulfilled if the preferred document is retrieved, and the other one below it or not at all.

    References
    ----------
    trec_eval prefs_num_prefs_ful, prefs_num_prefs_ful_ret.
    """

    name: ClassVar[str] = "NumPrefsFul"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval prefs_num_prefs_ful, prefs_num_prefs_ful_ret"
    choices: ClassVar[tuple[str, ...]] = AMONG[:2]

    def values(self, hits: Hits) -> Floats:
        return self.statistic(hits, "fulfilled")


@dataclass(frozen=True, kw_only=True)
class Prefs(Preference):
    """Share of the preferences that the ranking fulfils, all groups together; in [0, 1], higher is better.

    Parameters
    ----------
    among
        Preferences that count: "all"; "retrieved", between two retrieved documents; "implied", between two documents of
        which at least one was retrieved.

    Notes
    -----
    A preference is fulfilled if the preferred document is retrieved, and the other one below it or not at all. 0
    without preferences.

    References
    ----------
    trec_eval prefs_simp, prefs_simp_ret, prefs_simp_imp.
    """

    name: ClassVar[str] = "Prefs"
    source: ClassVar[str] = "trec_eval prefs_simp, prefs_simp_ret, prefs_simp_imp"

    def values(self, hits: Hits) -> Floats:
        return self.statistic(hits, "share")


@dataclass(frozen=True, kw_only=True)
class PrefsPair(Preference):
    """Share of fulfilled preferences of each pair of documents, averaged over pairs; in [0, 1], higher is better.

    Parameters
    ----------
    among
        Preferences that count: "all"; "retrieved", between two retrieved documents; "implied", between two documents of
        which at least one was retrieved.

    Notes
    -----
    The share of a pair is that of the groups which prefer the document that ranks higher, among those which prefer
    either of the two. 0 without preferences.

    References
    ----------
    trec_eval prefs_pair, prefs_pair_ret, prefs_pair_imp.
    """

    name: ClassVar[str] = "PrefsPair"
    source: ClassVar[str] = "trec_eval prefs_pair, prefs_pair_ret, prefs_pair_imp"

    def values(self, hits: Hits) -> Floats:
        return self.statistic(hits, "share by pair")


@dataclass(frozen=True, kw_only=True)
class PrefsJG(Preference):
    """Share of fulfilled preferences of each judgment group, averaged over groups; in [0, 1], higher is better.

    Parameters
    ----------
    among
        Preferences that count: "all"; "retrieved", between two retrieved documents; "implied", between two documents of
        which at least one was retrieved.

    Notes
    -----
    A group without preferences counts as 0.

    References
    ----------
    trec_eval prefs_avgjg, prefs_avgjg_ret, prefs_avgjg_imp.
    """

    name: ClassVar[str] = "PrefsJG"
    source: ClassVar[str] = "trec_eval prefs_avgjg, prefs_avgjg_ret, prefs_avgjg_imp"

    def values(self, hits: Hits) -> Floats:
        return self.statistic(hits, "share by group")


@dataclass(frozen=True, kw_only=True)
class PrefsJGR(Preference):
    """PrefsJG with as many documents that are not relevant as relevant ones; in [0, 1], higher is better.

    Parameters
    ----------
    among
        Preferences that count: "all", or "retrieved", between two retrieved documents.

    Notes
    -----
    Levels above 0 are relevant. Where a group has fewer documents that are not relevant than relevant ones, the missing
    ones count as ranked below all others; where it has more, only those retrieved first count. If a group then has no
    preferences, the value is 0.

    References
    ----------
    trec_eval prefs_avgjg_Rnonrel, prefs_avgjg_Rnonrel_ret.
    """

    name: ClassVar[str] = "PrefsJGR"
    source: ClassVar[str] = "trec_eval prefs_avgjg_Rnonrel, prefs_avgjg_Rnonrel_ret"
    choices: ClassVar[tuple[str, ...]] = AMONG[:2]

    def values(self, hits: Hits) -> Floats:
        return self.statistic(hits, "share with as many")
