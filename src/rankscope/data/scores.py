"""Scores: the table of all values by system, measure and query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from rankscope._version import __version__
from rankscope.data.queries import Queries
from rankscope.data.result import Result
from rankscope.data.section import Section, Table
from rankscope.data.text import format_value, join_names, pluralise, pluralise_queries, replace_invalid_utf8
from rankscope.errors import ParameterError, UnknownName
from rankscope.registry import resolve
from rankscope.typing import Bools, Floats, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "BoundedGroupRecord",
    "BoundedRecord",
    "EachQuery",
    "GroupRecord",
    "Record",
    "Scores",
]


#: What the title of a column says of bounds.
END_TITLES = {None: "", 0: " low", 1: " high"}
#: The least value that enters a geometric mean (trec_eval's MIN_GEO_MEAN).
MIN_GEOMETRIC = 0.00001


class MeasureLike(Protocol):
    """What scores need to know of a measure."""

    @property
    def summary(self) -> str: ...
    @property
    def higher_is_better(self) -> bool | None: ...
    @property
    def range(self) -> tuple[float, float]: ...


class Record(NamedTuple):
    """One row of the tidy table.

    Attributes
    ----------
    system, measure, query
        Names; the query is "all" for the summary.
    value
        NaN if undefined or skipped.
    """

    system: str
    measure: str
    query: str
    value: float


class BoundedRecord(NamedTuple):
    """A row with bounds.

    Attributes
    ----------
    system, measure, query
        Names; the query is "all" for the summary.
    value
        NaN if undefined or skipped.
    low, high
        What missing judgments allow; NaN if they do not bound it.
    """

    system: str
    measure: str
    query: str
    value: float
    low: float
    high: float


class GroupRecord(NamedTuple):
    """A row where queries have groups.

    Attributes
    ----------
    system, measure, query
        Names; the query is "all" for a summary.
    group
        The group of the query, or of the summary: "all" for that of all queries.
    value
        NaN if undefined or skipped.
    """

    system: str
    measure: str
    query: str
    group: str | None
    value: float


class BoundedGroupRecord(NamedTuple):
    """A row with bounds where queries have groups.

    Attributes
    ----------
    system, measure, query
        Names; the query is "all" for a summary.
    group
        The group of the query, or of the summary: "all" for that of all queries.
    value
        NaN if undefined or skipped.
    low, high
        What missing judgments allow; NaN if they do not bound it.
    """

    system: str
    measure: str
    query: str
    group: str | None
    value: float
    low: float
    high: float


def summarise(values: Floats, kinds: list[str], weights: Floats | None = None) -> Floats:
    """(systems, measures) one value for all queries.

    values: (systems, measures, queries). kinds: of the measures. weights: (queries), which sums do not have.
    """
    if weights is not None:
        return weighted_summaries(values, kinds, weights)
    present = ~np.isnan(values)
    if np.count_nonzero(present) == present.size and kinds.count("mean") == len(kinds):
        return np.asarray(np.add.accumulate(values, axis=2)[:, :, -1] / values.shape[2])
    values = np.where(present, values, 0.0)
    geometric = [m for m, kind in enumerate(kinds) if kind == "geometric"]
    if geometric:
        values[:, geometric] = np.where(
            present[:, geometric], np.log(np.maximum(values[:, geometric], MIN_GEOMETRIC)), 0.0
        )
    # One query after the other, as trec_eval adds: its last printed digit can depend on that.
    total: Floats = np.add.accumulate(values, axis=2)[:, :, -1]
    n_values = present.sum(axis=2)
    for m, kind in enumerate(kinds):
        if kind == "sum":
            n_values[:, m] = np.minimum(n_values[:, m], 1)
        elif kind == "none":
            n_values[:, m] = 0
    means: Floats = np.divide(total, n_values, out=np.full(n_values.shape, np.nan), where=n_values > 0)
    if geometric:
        means[:, geometric] = np.exp(means[:, geometric])
    return means


def weighted_summaries(values: Floats, kinds: list[str], weights: Floats) -> Floats:
    """As `summarise`, with weights."""
    present = ~np.isnan(values)
    is_geometric = np.array([kind == "geometric" for kind in kinds])[:, None]
    is_sum = np.array([kind == "sum" for kind in kinds])[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        terms = np.where(is_geometric, np.log(np.maximum(values, MIN_GEOMETRIC)), values)
    terms = np.where(present, terms, 0.0)
    each_weight = np.where(is_sum, 1.0, weights)  # (measures, queries)
    total = (terms * each_weight).sum(axis=2)
    total_weight = (present * each_weight).sum(axis=2)
    total_weight[:, is_sum[:, 0]] = np.minimum(total_weight[:, is_sum[:, 0]], 1.0)
    total_weight[:, [kind == "none" for kind in kinds]] = 0.0
    means = np.divide(total, total_weight, out=np.full(total.shape, np.nan), where=total_weight > 0)
    return np.asarray(np.exp(means, out=means, where=is_geometric[:, 0]))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scores(Result):
    """One value for each system, measure and query.

    Attributes
    ----------
    systems
        Names of the systems.
    measures
        The measures.
    query_ids
        The queries.
    values
        (systems, measures, queries), NaN if a query was skipped or the value is undefined.
    missing
        Whether a run has no list, (systems, queries).
    undefined
        Whether nothing relevant was judged, (measures, queries).
    bounds
        The lowest and highest value that missing judgments allow, (2, systems, measures, queries), NaN if they do not
        bound the measure; None if bounds were not requested.
    settings
        Settings that change the numbers, for the signature.
    measure_settings
        The same for each measure.
    notes
        What a reader should know.
    aliases
        Names under which measures were requested.
    version
        Version of rankscope that computed the values.
    judgments
        Gives the fingerprint of the judgments, if they are known.
    query_columns
        What a table of scores says of its queries, such as "group", "cluster" or "weight": the name of a column, and
        its values (text, numbers or None) in the order of `query_ids`.
    unjudged_systems
        Systems none of whose documents is judged, though they retrieved at least 100: their values say nothing of them.

    Examples
    --------
    >>> import rankscope as rs
    >>> scores = rs.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}, ["RR"])
    >>> scores.matrix("RR").tolist(), scores.overall("RR")
    ([[1.0, 0.5]], 0.75)
    >>> print(*scores.table().splitlines()[:2], sep=" / ")
    system      RR / run     0.7500
    """

    systems: tuple[str, ...]
    measures: tuple[MeasureLike, ...]
    query_ids: tuple[str, ...]
    values: Floats
    missing: Bools
    undefined: Bools
    bounds: Floats | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    measure_settings: tuple[Mapping[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    #: Other names under which measures were asked for, such as "map", and what they are called here.
    aliases: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__
    #: Gives the fingerprint of the judgments; None where that is not known.
    judgments: Callable[[], str] | None = None
    #: Columns of a table of scores that have one value for each query, in the order of `query_ids`.
    query_columns: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    unjudged_systems: tuple[str, ...] = ()

    @staticmethod
    def of(
        data: Any,
        *,
        systems: Sequence[str] | None = None,
        measures: Any = None,
        columns: Mapping[str, str] | None = None,
        lower: Any = (),
        repeats: str = "error",
    ) -> Scores:
        """Scores of values that another tool computed.

        Parameters
        ----------
        data
            A data frame (polars, pandas, Arrow), a mapping of columns or a list of records: rows of system, query,
            measure and value, or a column for each system or measure. Or {system: {query: value}}, or {system: {query:
            {measure: value}}}. Or an array of shape (systems, queries). None and NaN stand for no value.
        systems
            Names of the rows of an array (default: system 1, system 2, ...); of other data, the systems to include, in
            a table with a column for each system these columns. Default: all.
        measures
            Measures to include; or the name of the measure where the data do not name it. Default: all.
        columns
            What columns are called: of system, query, measure, value, group, cluster, weight and epoch. Default: found
            by their usual names.
        lower
            Measures of which lower values are better.
        repeats
            Repeated measurements, as of epochs or seeds, are refused ("error") or averaged ("mean").

        Returns
        -------
        Scores
            The scores. Of a measure that rankscope does not have, higher is better unless `lower` names it, and a note
            says so.

        Raises
        ------
        InputError
            A value is no finite number or stands twice, or columns are missing.
        UnknownName
            A measure is not in the data.

        Examples
        --------
        >>> import rankscope as rs
        >>> scores = rs.Scores.of({"bm25": {"q1": 0.5, "q2": 0.25}, "dense": {"q1": 0.75, "q2": 0.5}}, measures="F1")
        >>> scores.overall("F1", "dense")
        0.625
        """
        scores: Scores = resolve("rankscope.evaluation.score_tables:scores_of")(
            data, systems=systems, measures=measures, columns=columns, lower=lower, repeats=repeats
        )
        return scores

    @property
    def fingerprint(self) -> str:
        """Identifies the judgments: their queries and the grades of each; empty where they are not known."""
        return self.judgments() if self.judgments is not None else ""

    @cached_property
    def measure_names(self) -> tuple[str, ...]:
        """The names of `measures`."""
        return tuple(map(str, self.measures))

    @cached_property
    def queries(self) -> Queries:
        """Group, cluster and weight of the queries, as far as `query_columns` has them."""
        return Queries.of_columns(self.query_ids, self.query_columns)

    def with_queries(
        self,
        queries: Any = None,
        *,
        group: str | None = None,
        group_by: str | None = None,
        cluster_by: str | None = None,
        weight: str | None = None,
        missing_group: str = "own",
    ) -> Scores:
        """The scores with what is known of their queries: groups, clusters and weights.

        Parameters
        ----------
        queries
            Table with a row for each query, its group, cluster or weight: a file, a data frame, a mapping of columns or
            a list of records. Default: the columns of a file of scores.
        group
            Column of the group of a query, such as head or tail: results are also shown for each group. Default: a
            column group, if there is one.
        group_by
            Regular expression that finds the group in the id of a query, such as '^[a-z]+'.
        cluster_by
            Clusters, whose queries are not independent, such as the turns of a conversation: a column, or a regular
            expression that finds the cluster in the id of a query, such as '^[^_]+'. Default: a column cluster, if
            there is one.
        weight
            Column of the weight of a query, such as how often it is asked; means are weighted. Default: a column
            weight, if there is one.
        missing_group
            Queries without a group or cluster: a group for them all, and a cluster for each (own), or an error. One of
            'own', 'error'. Default: 'own'.

        Returns
        -------
        Scores
            The same values. Means are weighted where there are weights; comparisons and all other statistics on queries
            take those of a cluster as one unit.

        Raises
        ------
        InputError
            A query stands twice in the table, a column is missing, a weight is not above 0, or all queries are one
            cluster.
        ParameterError
            A pattern is no regular expression.

        Examples
        --------
        >>> import rankscope as rs
        >>> values = {"a_1": 1.0, "a_2": 0.5, "b_1": 0.0, "b_2": 0.25}
        >>> scores = rs.Scores.of({"bm25": values}, measures="F1").with_queries(cluster_by="^[^_]+")
        >>> scores.queries.cluster, scores.settings["clusters"]
        (('a', 'a', 'b', 'b'), '2')
        >>> scores.with_queries({"query": list(values), "weight": [1, 1, 2, 4]}).overall("F1")
        0.3125
        """
        scores: Scores = resolve("rankscope.evaluation.query_table:scores_with_queries")(
            self,
            queries,
            group=group,
            group_by=group_by,
            cluster_by=cluster_by,
            weight=weight,
            missing_group=missing_group,
        )
        return scores

    def place_of(self, measure: object) -> int:
        """The index of a measure among `measures`, by any of its names.

        Parameters
        ----------
        measure
            The measure or its name.

        Raises
        ------
        UnknownName
            The measure was not computed.
        """
        name = str(measure)
        if name not in self.measure_names:
            name = self.aliases.get(name, name)
        if name not in self.measure_names:
            name_of_lower = {
                alias.lower(): measure_name
                for measure_name in self.measure_names
                for alias in (measure_name, *self._aliases_of(measure_name))
            }
            name = name_of_lower.get(name.lower(), name)
        if name not in self.measure_names:
            raise UnknownName("measure of these scores", name, self.measure_names)
        return self.measure_names.index(name)

    def _aliases_of(self, measure_name: str) -> list[str]:
        return [alias for alias, name in self.aliases.items() if name == measure_name]

    def place_of_system(self, system: str | None = None) -> int:
        """The index of a system among `systems`.

        Parameters
        ----------
        system
            Name of the system. Default: the only one.

        Returns
        -------
        int
            The index.

        Raises
        ------
        UnknownName
            The system does not exist.
        ParameterError
            No system is named, and there are several.
        """
        if system is None:
            if len(self.systems) != 1:
                raise ParameterError(f"there are {len(self.systems)} systems; name one of {', '.join(self.systems)}")
            return 0
        if system not in self.systems:
            raise UnknownName("system of these scores", system, self.systems)
        return self.systems.index(system)

    def sign(self, measure: object) -> Literal[1, -1, 0]:
        """The direction of a measure: 1 if higher is better, -1 if lower is, 0 if neither is.

        Parameters
        ----------
        measure
            The measure or its name.

        Raises
        ------
        UnknownName
            The measure was not computed.
        """
        better = self.measures[self.place_of(measure)].higher_is_better
        return 0 if better is None else 1 if better else -1

    def select(self, *, systems: Sequence[int] | None = None, measures: Sequence[int] | None = None) -> Scores:
        """The scores of some systems and measures.

        Parameters
        ----------
        systems, measures
            Their indices. Default: all.

        Returns
        -------
        Scores
            The scores.
        """
        system_index = list(range(len(self.systems)) if systems is None else systems)
        measure_index = list(range(len(self.measures)) if measures is None else measures)
        names = tuple(self.systems[i] for i in system_index)
        return replace(
            self,
            systems=names,
            unjudged_systems=tuple(name for name in self.unjudged_systems if name in names),
            measures=tuple(self.measures[i] for i in measure_index),
            values=self.values[np.ix_(system_index, measure_index)],
            missing=self.missing[system_index],
            undefined=self.undefined[measure_index],
            bounds=None if self.bounds is None else self.bounds[np.ix_([0, 1], system_index, measure_index)],
            measure_settings=tuple(self.measure_settings[i] for i in measure_index) if self.measure_settings else (),
        )

    def with_direction(self) -> Scores:
        """The scores by the measures of which higher or lower is better, with a note on the others.

        Returns
        -------
        Scores
            The scores; unchanged if no measure has a direction.
        """
        has_direction = [
            self.sign(name) != 0 and measure.summary != "none"
            for name, measure in zip(self.measure_names, self.measures, strict=True)
        ]
        if all(has_direction) or not any(has_direction):
            return self
        names = join_names(name for name, has in zip(self.measure_names, has_direction, strict=True) if not has)
        note = f"neither higher nor lower is better, so no system can be: left out: {names}"
        selected = self.select(measures=[i for i, has in enumerate(has_direction) if has])
        return replace(selected, notes=(*self.notes, note))

    def matrix(self, measure: object) -> Floats:
        """The values of one measure, (systems, queries).

        Parameters
        ----------
        measure
            The measure or its name.

        Raises
        ------
        UnknownName
            The measure was not computed.
        """
        matrix: Floats = self.values[:, self.place_of(measure)]
        return matrix

    @cached_property
    def _summaries(self) -> Floats:
        """(systems, measures) the value over all queries."""
        return summarise(self.values, [measure.summary for measure in self.measures], self.queries.weight)

    @cached_property
    def _bounds(self) -> Floats:
        """(2, systems, measures) the lowest and highest value over all queries."""
        if self.bounds is None:
            return np.full((2, len(self.systems), len(self.measures)), np.nan)
        kinds = [measure.summary for measure in self.measures]
        return np.array([summarise(bound, kinds, self.queries.weight) for bound in self.bounds])

    @cached_property
    def _groups(self) -> dict[str, Scores]:
        """The scores of the queries of each group."""
        return {name: self._of_queries(places) for name, places in self.queries.places_by_group().items()}

    def _of_queries(self, places: Ints) -> Scores:
        """The scores of some queries, for summaries. places: their indices."""
        listed = places.tolist()
        return replace(
            self,
            query_ids=tuple(self.query_ids[place] for place in listed),
            values=self.values[:, :, places],
            missing=self.missing[:, places],
            undefined=self.undefined[:, places],
            bounds=None if self.bounds is None else self.bounds[..., places],
            query_columns={
                name: tuple(values[place] for place in listed) for name, values in self.query_columns.items()
            },
        )

    def _group(self, name: str | None) -> Scores:
        """The scores of a group; None for all queries. Raises UnknownName."""
        if name is None:
            return self
        if name not in self._groups:
            raise UnknownName("group of these queries", name, tuple(self._groups))
        return self._groups[name]

    def summary(self, measure: object, *, group: str | None = None) -> Floats:
        """The value of each system over all queries, or over those of a group.

        Parameters
        ----------
        measure
            The measure.
        group
            The group of queries. Default: all queries.

        Returns
        -------
        array of shape (systems)
            The mean; for counts the sum; for some measures the geometric mean, with values below 0.00001 raised to it
            as in trec_eval; NaN if the measure has no summary, or no query has a value.

        Raises
        ------
        UnknownName
            The measure was not computed, or there is no such group.
        """
        summaries: Floats = self._group(group)._summaries[:, self.place_of(measure)]
        return summaries

    def overall(self, measure: object, system: str | None = None, *, group: str | None = None) -> float:
        """The value of one system over all queries, or over those of a group.

        Parameters
        ----------
        measure
            The measure or its name.
        system
            Name of the system. Default: the only one.
        group
            The group of queries. Default: all queries.

        Raises
        ------
        UnknownName
            The measure, system or group does not exist.
        ParameterError
            No system is named, and there are several.
        """
        return float(self._group(group)._summaries[self.place_of_system(system), self.place_of(measure)])

    def overall_bounds(
        self, measure: object, system: str | None = None, *, group: str | None = None
    ) -> tuple[float, float]:
        """The lowest and highest value of one system over all queries, or a group, that missing judgments allow.

        Parameters
        ----------
        measure
            The measure.
        system
            Name of the system. Default: the only one.
        group
            The group of queries. Default: all queries.

        Returns
        -------
        low, high
            NaN if they do not bound the measure, or bounds were not requested (`unjudged="bounds"`).
        """
        low, high = self._group(group)._bounds[:, self.place_of_system(system), self.place_of(measure)].tolist()
        return low, high

    @property
    def _record(self) -> type[Record | BoundedRecord | GroupRecord | BoundedGroupRecord]:
        """What a row of the tidy table is."""
        if self.queries.group is None:
            return Record if self.bounds is None else BoundedRecord
        return GroupRecord if self.bounds is None else BoundedGroupRecord

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table: with the group if there are groups, low and high if there are bounds."""
        return self._record._fields

    def records(self, *, by_query: bool = False) -> Iterator[Record | BoundedRecord | GroupRecord | BoundedGroupRecord]:
        """The rows of the tidy table, with groups and bounds if there are any.

        Parameters
        ----------
        by_query
            First the rows of every query, then the summaries ("all"). Default: only the summaries.
        """
        record: Any = self._record
        group = self.queries.group
        names = [self.query_ids, *([group] if group is not None else [])]
        for s, system in enumerate(self.systems):
            for m, measure in enumerate(self.measure_names):
                if by_query:
                    values = [self.values[s, m], *(self.bounds[:, s, m] if self.bounds is not None else [])]
                    for row in zip(*names, *(x.tolist() for x in values), strict=True):
                        yield record(system, measure, *row)
                for name, scores in self._summarised():
                    bounds = [] if self.bounds is None else scores._bounds[:, s, m].tolist()
                    group_name = [] if group is None else [name]
                    yield record(system, measure, "all", *group_name, float(scores._summaries[s, m]), *bounds)

    def _summarised(self) -> list[tuple[str, Scores]]:
        """What has a summary: each group, then all queries."""
        return [*self._groups.items(), ("all", self)]

    def frame(self) -> pl.DataFrame:
        """The value of each query as a tidy polars frame: system, measure, query, its group if it has one, value (null
        if missing), bounds, and the other `query_columns`.

        For computing: without the summaries of `records`, which would count as one more query.
        """
        import polars as pl

        n_systems, n_measures, n_queries = self.values.shape
        copies = n_systems * n_measures
        by_query = {name: list(values) * copies for name, values in self.query_columns.items()}
        group = {"group": by_query.pop("group")} if "group" in by_query else {}
        frame = pl.DataFrame(
            {
                "system": np.repeat(
                    np.array([replace_invalid_utf8(system) for system in self.systems], object), n_measures * n_queries
                ).tolist(),
                "measure": np.tile(np.repeat(np.array(self.measure_names, object), n_queries), n_systems).tolist(),
                "query": [replace_invalid_utf8(query) for query in self.query_ids] * copies,
                **group,
                "value": self.values.ravel(),
                **({} if self.bounds is None else {"low": self.bounds[0].ravel(), "high": self.bounds[1].ravel()}),
                **by_query,
            },
            strict=False,
        )
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def signature(self, measure: object = None) -> str:
        """Every setting that changes the numbers, in one line.

        Parameters
        ----------
        measure
            The measure to describe. Default: all.
        """
        return " | ".join([*self.signature_parts(measure), f"rankscope {self.version}"])

    def signature_parts(self, measure: object = None) -> list[str]:
        """The measures, or one of them, and every setting that changes the numbers.

        Parameters
        ----------
        measure
            The measure. Default: all of them.
        """
        common = [f"{key}:{value}" for key, value in self.settings.items()]
        settings_of_measure = self.measure_settings or ({},) * len(self.measures)
        if measure is not None or len(self.measures) == 1:
            place = 0 if measure is None else self.place_of(measure)
            own_settings = [f"{key}:{value}" for key, value in settings_of_measure[place].items()]
            return [self.measure_names[place], *own_settings, *common]
        described = []
        for name, settings in zip(self.measure_names, settings_of_measure, strict=True):
            settings_text = ",".join(f"{key}:{value}" for key, value in settings.items())
            described.append(f"{name}[{settings_text}]" if settings_text else name)
        return [" ".join(described), *common]

    def cells(self, *, by_query: bool = False) -> list[list[str]]:
        """The table that people read, as text: a header, then one row per system (and query), one column per measure.

        Parameters
        ----------
        by_query
            One row for every query, too.

        Notes
        -----
        The lowest and highest value follow each measure that missing judgments bound, if bounds were requested.
        """
        group = self.queries.group
        has_counts = group is not None and not by_query
        heading = [
            "system",
            *(["query"] if by_query else []),
            *(["group"] if group is not None else []),
            *(["queries"] if has_counts else []),
        ]
        # Each column is a measure, and which of its bounds it shows.
        places: list[tuple[int, int | None]] = []
        for m in range(len(self.measures)):
            is_bounded = self.bounds is not None and not np.isnan(self.bounds[:, :, m]).all()
            places += [(m, None), *([(m, 0), (m, 1)] if is_bounded else [])]
        kinds = [self.measures[m].summary for m, _ in places]
        rows = [[*heading, *(f"{self.measure_names[m]}{END_TITLES[end]}" for m, end in places)]]
        names = [self.query_ids, *([map(str, group)] if group is not None else [])]
        ids = list(zip(*names, strict=True))
        for s, system in enumerate(self.systems):
            if by_query:
                cell_columns = [
                    [format_value(x, kind) for x in self._column(*place)[s].tolist()]
                    for place, kind in zip(places, kinds, strict=True)
                ]
                rows += [[system, *query, *row] for query, *row in zip(ids, *cell_columns, strict=True)]
            for name, scores in self._summarised():
                summary = [
                    format_value(float(scores._column_summary(*place)[s]), kind)
                    for place, kind in zip(places, kinds, strict=True)
                ]
                row_names = [*(["all"] if by_query else []), *([name] if group is not None else [])]
                count = [f"{len(scores.query_ids):,}"] if has_counts else []
                rows.append([system, *row_names, *count, *summary])
        return rows

    def _column(self, m: int, end: int | None) -> Floats:
        """(systems, queries) the values of a measure, or one of their bounds."""
        return self.values[:, m] if self.bounds is None or end is None else self.bounds[end, :, m]

    def _column_summary(self, m: int, end: int | None) -> Floats:
        """(systems) the summaries of a column."""
        return self._summaries[:, m] if end is None else self._bounds[end, :, m]

    def sections(self, *, by_query: bool = False) -> list[Section]:
        """One table, without a title.

        Parameters
        ----------
        by_query
            One row for every query, too.
        """
        heading, *rows = self.cells(by_query=by_query)
        return [
            Section(
                title="",
                table=Table(
                    columns=tuple(heading),
                    rows=tuple(map(tuple, rows)),
                    n_name_columns=1 + by_query + (self.queries.group is not None),
                ),
            )
        ]

    def table(self, *, by_query: bool = False) -> str:
        """The values as a text table, with signature and notes below it.

        Parameters
        ----------
        by_query
            One row for every query, too.
        """
        return str(EachQuery(self) if by_query else self)

    def contents(self) -> str:
        """What it holds, in a few words."""
        return (
            f"{pluralise(len(self.systems), 'system')}, {pluralise(len(self.measures), 'measure')}, "
            f"{pluralise_queries(len(self.query_ids))}"
        )


@dataclass(frozen=True, eq=False)
class EachQuery(Result):
    """Scores as a result that shows the values of each query, too, before the summaries.

    Attributes
    ----------
    scores
        The scores.
    """

    scores: Scores

    @property
    def columns(self) -> tuple[str, ...]:
        return self.scores.columns

    @property
    def notes(self) -> tuple[str, ...]:
        return self.scores.notes

    def records(self) -> Iterator[Record | BoundedRecord | GroupRecord | BoundedGroupRecord]:
        return self.scores.records(by_query=True)

    def contents(self) -> str:
        return self.scores.contents()

    def sections(self) -> list[Section]:
        return self.scores.sections(by_query=True)

    def signature(self) -> str:
        return self.scores.signature()
