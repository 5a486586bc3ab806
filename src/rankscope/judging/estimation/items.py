"""Estimates of means over the items of a table, of which a machine judged all and people some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.tables import NUMBER, Column, Schema, Table
from rankscope.data.text import first_names, pluralise
from rankscope.errors import InputError, UnknownName
from rankscope.io.tables import table_of_source
from rankscope.judging.estimation.dual_judgments import DualValues, randomness_notes, sample_notes
from rankscope.judging.estimation.prediction_powered import ALL, COLUMNS_NOTE, INTERVALS_NOTE, Estimates, estimates_of
from rankscope.judging.estimation.settings import ChoiceSettings, ItemSettings
from rankscope.settings import as_tuple
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "SCHEMA",
    "Items",
    "chances_of",
    "cluster_codes",
    "estimate_item_table",
    "estimate_items",
    "item_table",
    "judged_order",
]


#: With fewer labels of the rarer of two values, intervals of means are too narrow; see docs/estimate.md.
FEWEST_RARE = 20
#: The columns of a table of items, beside those of values.
SCHEMA = Schema(
    columns=(
        Column(name="system", aliases=("run", "model")),
        Column(
            name="query",
            aliases=(
                *("item", "query_id", "item_id", "id", "question", "segment", "example", "question_id", "prompt_id"),
                "prompt",
            ),
            unique=False,
        ),
        Column(name="group"),
        Column(name="cluster"),
        Column(name="weight", kind=NUMBER),
        Column(name="chance", aliases=("inclusion_probability",), kind=NUMBER),
    ),
    expected="a header line, such as query,human,machine, and one line per item",
    skips_nameless=True,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Items:
    """The items of a table.

    Attributes
    ----------
    systems, ids
        Names of systems and of items.
    human, machine
        (systems, items) the values; NaN where there is none.
    first_rows
        (items) the first row of each, where what is known of an item stands.
    signals
        (signals, systems, items) further columns; None without any.
    """

    systems: tuple[str, ...]
    ids: tuple[str, ...]
    human: Floats
    machine: Floats
    first_rows: Ints
    signals: Floats | None = None


def estimate_items(
    table: Any,
    *,
    human: str,
    machine: str,
    positive: str | None = None,
    baseline: str | None = None,
    lower: bool = False,
    strata: bool = False,
    population: str = "source",
    machine_weight: float | None = None,
    calibration: str = "none",
    signals: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> Estimates:
    """Estimate the mean that people would find, from a machine's values of all items and people's of some.

    Parameters
    ----------
    table
        A file (CSV, TSV, JSON lines, Parquet) or a data frame, with an item a row, or of several systems an item of a
        system. Columns: query (the item) and system, if there are several; cluster, weight and chance, if there are
        any.
    human
        Column of people's values, empty where people did not judge an item.
    machine
        Column of the machine's values, one for each item.
    positive
        Label whose share is estimated, where values are labels, as pass. Default: values are numbers.
    baseline
        Estimate the differences of the other systems from this one. Default: all pairs.
    lower
        Lower values are better. Default: False.
    strata
        Groups (column group) are strata: people judged a random sample of each, however large. Default: False.
    population
        Mean that is estimated: of the population from which the items come (source), or of these items only (items).
        One of 'source', 'items'. Default: 'source'.
    machine_weight
        Weight of the machine's judgments: 0 ignores them, 1 is prediction-powered inference as first proposed. Default:
        the weight with the smallest variance.
    calibration
        Calibration of the machine's values for the combined estimate: values of people that rise with them (isotonic),
        each fitted without the item's own label. One of 'none', 'isotonic'. Default: 'none'.
    signals
        Columns that may help to predict people's values, as another machine's or a length: for the combined estimate
        people's values are regressed on the machine's and on these, without the item's own label. Default: the machine
        alone.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    columns
        Column names in the table. NAME is system, query, group, cluster, weight or chance: the chance with which an
        item was chosen to be judged by people. Default: found by their usual names.

    Returns
    -------
    Estimates
        The means of systems and their differences, from people alone, from the machine alone with its bias, and
        combined.

    Raises
    ------
    InputError
        With file and line: a column is missing, a value is no number or no label, an item stands twice or has no value
        of the machine, or people judged no item.
    ParameterError
        A setting is out of range.
    UnknownName
        There is no such system.

    Notes
    -----
    Items that people judged for some systems only count as not judged; a note says how many. The estimates are those of
    `rankscope.stats.prediction_powered.prediction_powered`. They hold if people's items were chosen at random: each
    with the same chance; within each group, with strata; or each with its own chance above 0, if the table has a column
    of these. Without such a column a note says so if the items do not look random.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), "PPI++"; Fisch et al. (2024), "Stratified prediction-powered inference"; Zrnic
    and Candès (2024), "Active statistical inference".

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"llm": [1, 0, 1, 1, 1, 0, 1, 1], "people": [1, 0, 0, 1, None, None, None, None]})
    >>> (found,) = estimate_items(table, human="people", machine="llm", machine_weight=1).parts
    >>> found.of_systems.machine.tolist(), found.of_systems.bias.tolist()
    ([0.75], [0.25])
    >>> found.of_systems.combined.tolist()  # 6/8 - 1/4
    [0.5]
    """
    settings = ItemSettings(
        human=human,
        machine=machine,
        positive=positive,
        baseline=baseline,
        lower=lower,
        strata=strata,
        population=population,
        machine_weight=machine_weight,
        calibration=calibration,
        signals=as_tuple(signals),
        confidence_level=confidence_level,
        columns=columns,
    )
    return estimate_item_table(table, settings)


def estimate_item_table(table: Any, settings: ItemSettings) -> Estimates:
    """As `estimate_items`, with its settings as one object."""
    bound, items = item_table(table, SCHEMA, settings)
    values, notes = values_of(bound, items, settings)
    kind = "items" if values.clusters is None else "clusters"
    estimates = replace(estimates_of(values, items.systems, settings, kind), unit="item")
    sample = f"the {kind} of each group" if settings.strata else f"these {kind}"
    if values.chances is not None:
        sample = f"{sample}, each chosen independently with its chance"
    return Estimates(
        parts=(estimates,),
        names=(settings.human, settings.machine),
        settings=settings,
        signature_text=" | ".join(signature_parts(values, settings)),
        notes=tuple(
            dict.fromkeys((*notes, *estimates.notes, COLUMNS_NOTE.format("items"), INTERVALS_NOTE.format(sample)))
        ),
    )


def item_table(table: Any, schema: Schema, settings: ItemSettings | ChoiceSettings) -> tuple[Table, Items]:
    """The table and its items. Raises as `estimate_items`."""
    bound = table_of_source(table, "the table", schema, settings.columns or {})
    items = items_of(bound, settings)
    if settings.baseline is not None and settings.baseline not in items.systems:
        raise UnknownName("system of this table", settings.baseline, items.systems, "; it was named as the baseline")
    return bound, items


def signature_parts(values: DualValues, settings: ItemSettings) -> list[str]:
    """Every setting that changes the numbers."""
    parts = ["prediction-powered", f"human:{settings.human}", f"machine:{settings.machine}"]
    if settings.positive is not None:
        parts.append(f"positive:{settings.positive}")
    if settings.baseline is not None:
        parts.append(f"baseline:{settings.baseline}")
    weight = "tuned" if settings.machine_weight is None else f"{settings.machine_weight:g}"
    parts.append(f"weight:{weight}")
    if settings.calibration != "none":
        parts.append(f"calibration:{settings.calibration}")
    if settings.signals:
        parts.append(f"signals:{','.join(settings.signals)}")
    parts += [f"confidence:{settings.confidence_level:g}", f"population:{settings.population}"]
    parts.append(f"items:{values.n_all}")
    for name, part in (("strata", values.strata), ("clusters", values.clusters)):
        if part is not None:
            parts.append(f"{name}:{len(set(part))}")
    parts += [name for name, part in (("weights", values.weights), ("chances", values.chances)) if part is not None]
    return [*parts, f"rankscope {__version__}"]


def items_of(table: Table, settings: ItemSettings | ChoiceSettings) -> Items:
    """The values of the table by system and item. Raises InputError as `estimate_items`."""
    human_rows = number_column(table, settings.human, "human", settings.positive)
    machine_rows = number_column(table, settings.machine, "machine", settings.positive)
    refuse_empty(table, settings.machine, machine_rows, "a value of the machine", "let it judge the item")
    signals = (settings.signals if isinstance(settings, ItemSettings) else None) or ()
    signal_rows = [number_column(table, name, "signals", None) for name in signals]
    for name, rows in zip(signals, signal_rows, strict=True):
        refuse_empty(table, name, rows, "a value of the signal", "fill it in")
    n = table.frame.height
    systems, system_codes = table.codes("system") if "system" in table else ([ALL], np.zeros(n, np.uint8))
    if "query" not in table and len(systems) > 1:
        raise table.schema.missing_column("query", table.frame.columns, table.where)
    if "query" in table:
        ids, item_codes = table.codes("query")
    else:
        ids, item_codes = [str(row + 1) for row in range(n)], np.arange(n, dtype=np.uint64)
    cells = system_codes.astype(np.int64) * len(ids) + item_codes.astype(np.int64)
    refuse_repeats(table, cells, len(ids), ids)
    matrices = []
    for rows in (human_rows, machine_rows, *signal_rows):
        matrix = np.full(len(systems) * len(ids), np.nan)
        matrix[cells] = rows
        matrices.append(matrix.reshape(len(systems), len(ids)))
    first_rows = np.unique(item_codes, return_index=True)[1]
    return Items(
        systems=tuple(systems),
        ids=tuple(ids),
        human=matrices[0],
        machine=matrices[1],
        first_rows=first_rows,
        signals=np.array(matrices[2:]) if signals else None,
    )


def refuse_empty(table: Table, name: str, rows: Floats, expected: str, advice: str) -> None:
    """Raise InputError where a cell is empty that every item needs."""
    if np.isnan(rows).any():
        raise InputError(
            f"{table.locate(int(np.isnan(rows).argmax()))}: {name} is empty, expected {expected} for every item; "
            f"{advice}, or drop the row"
        )


def refuse_repeats(table: Table, cells: Ints, n_ids: int, ids: Sequence[str]) -> None:
    """Raise InputError where an item of a system stands twice."""
    order = np.argsort(cells, kind="stable")
    repeats = np.flatnonzero(np.diff(cells[order]) == 0)
    if repeats.size:
        position = repeats[np.argmin(order[repeats + 1])]
        first, second = int(order[position]), int(order[position + 1])
        raise InputError(
            f"{table.locate(second)}: item {ids[int(cells[second]) % n_ids]!r} stands a second time, the first is at "
            f"{table.locate(first)}; keep one of the two, or name the column of items with --columns query=NAME (in "
            "Python columns=)"
        )


def number_column(table: Table, name: str, option: str, positive: str | None) -> Floats:
    """The values of a column, NaN where a cell is empty; with a positive label 1 for it and 0 for others."""
    if name not in table.frame.columns:
        expected = ", ".join(table.frame.columns)
        raise InputError(f"{table.where}: no column {name!r}, which {option} (--{option}) names, among {expected}")
    if name in table.columns.values():
        own = next(own for own, column in table.columns.items() if column == name)
        raise InputError(
            f"{table.where}: {name!r} is the {own} of items, and {option} (--{option}); name another column"
        )
    if positive is None:
        return table.numbers(name, expected="a number, or with positive (--positive) a label")
    texts = table.texts(name)
    if not (texts == positive).any():
        labels = first_names([repr(label) for label in texts.unique().sort().to_list() if label])
        raise InputError(
            f"{table.name}: {name} has no label {positive!r}, which positive (--positive) names, among {labels}; name "
            "one of those"
        )
    values = (texts == positive).to_numpy().astype(np.float64)
    values[(texts == "").to_numpy()] = np.nan
    return values


def judged_order(table: Table, items: Items, human: str) -> tuple[Ints, int, list[str]]:
    """The items that every system has, those that people judged for every system first; how many these are; and notes.

    Raises InputError if people judged none.
    """
    notes = []
    is_complete: Bools = np.asarray(~np.isnan(items.machine).any(axis=0), np.bool_)
    if not is_complete.all():
        n_skipped = int((~is_complete).sum())
        notes.append(
            f"{pluralise(n_skipped, 'item')} of {is_complete.size:,} skipped, since not every system has it "
            f"({first_names([items.ids[i] for i in np.flatnonzero(~is_complete).tolist()])})"
        )
    has_human = ~np.isnan(items.human)
    is_judged: Bools = np.asarray(has_human.all(axis=0) & is_complete, np.bool_)
    n_partly = int((has_human.any(axis=0) & ~has_human.all(axis=0) & is_complete).sum())
    if n_partly:
        notes.append(
            f"people judged {pluralise(n_partly, 'item')} for some of the systems only; they count as not judged"
        )
    if not is_judged.any():
        raise InputError(
            f"{table.name}: {human} has no value of an item that all systems have, expected values of people for some "
            "items"
        )
    order = np.concatenate((np.flatnonzero(is_judged), np.flatnonzero(is_complete & ~is_judged)))
    return order, int(is_judged.sum()), notes


def values_of(table: Table, items: Items, settings: ItemSettings) -> tuple[DualValues, list[str]]:
    """The values of the items with a value for every system, those of people first, and notes."""
    order, n, notes = judged_order(table, items, settings.human)
    rows = items.first_rows[order]
    clusters = cluster_codes(table, rows)
    values = DualValues(
        measure=settings.human if settings.positive is None else f"{settings.human}={settings.positive}",
        sign=-1 if settings.lower else 1,
        human=items.human[:, order[:n]],
        machine=items.machine[:, order[:n]],
        machine_only=items.machine[:, order[n:]],
        notes=(),
        clusters=clusters,
        weights=table.weights(table.columns["weight"])[rows] if "weight" in table else None,
        strata=strata_of(table, rows, n) if settings.strata else None,
        chances=chances_of(table, rows[:n]) if "chance" in table else None,
        population=settings.population,
        calibration=settings.calibration,
        signals=None if items.signals is None else items.signals[:, :, order],
    )
    if values.chances is None and values.strata is None:
        doubts = randomness_notes(
            [items.ids[i] for i in order.tolist()],
            np.arange(order.size) < n,
            items.machine[:, order].mean(axis=0),
            settings.machine,
            clusters,
            "items",
        )
        if doubts and n < order.size:
            doubts.append(
                "if items were chosen with unequal chances, such as by a pool, name the column of these: --columns "
                "chance=NAME (in Python columns=)"
            )
        notes += doubts
    notes += sample_notes(values, "item")
    notes += rarity_notes(values)
    return values, notes


def rarity_notes(values: DualValues) -> list[str]:
    """A note where people's values are 0 and 1, and so few of them are the rarer that intervals are too narrow."""
    if not np.isin(values.human, (0, 1)).all():
        return []
    weights = np.ones(values.n) if values.weights is None else values.weights[: values.n]
    if values.chances is not None:
        weights = weights / values.chances
    is_rarer = np.where((values.human @ weights > weights.sum() / 2)[:, None], values.human == 0, values.human == 1)
    of_rarer = is_rarer * weights
    squares = (of_rarer**2).sum(axis=1)
    effective = np.divide(of_rarer.sum(axis=1) ** 2, squares, out=np.zeros(squares.shape), where=squares > 0)
    fewest = int(effective.min())
    if fewest >= FEWEST_RARE:
        return []
    as_many = "" if values.weights is None and values.chances is None else "as many as "
    return [
        f"people's values are 0 and 1, and {as_many}{pluralise(fewest, 'label')} of the rarer: with fewer than "
        f"{FEWEST_RARE}, intervals of 95 % hold in about 87 to 92 of 100 cases, and where they do not, the share of "
        "the rarer is mostly above them; have more items judged"
    ]


def cluster_codes(table: Table, rows: Ints) -> Ints | None:
    """(items) codes of their clusters, an item without one being its own; None without such a column."""
    if "cluster" not in table:
        return None
    names = table.names(table.columns["cluster"], required=False).to_list()
    index: dict[Any, int] = {}
    return np.array([index.setdefault(names[row] or row, len(index)) for row in rows.tolist()], np.int64)


def strata_of(table: Table, rows: Ints, n: int) -> Sequence[str]:
    """(items) their groups. Raises InputError for an empty cell, and for a group of which people judged < 2."""
    groups = table.ids("group").to_numpy()[rows]
    names, codes = np.unique(groups.astype(str), return_inverse=True)
    n_judged = np.bincount(codes[:n], minlength=names.size)
    if (n_judged < 2).any():
        group = int(n_judged.argmin())
        raise InputError(
            f"{table.name}: people judged {pluralise(int(n_judged[group]), 'item')} of group {str(names[group])!r}, "
            "expected at least 2 of each with strata (--strata); have more judged, or leave strata out"
        )
    return tuple(map(str, groups))


def chances_of(table: Table, rows: Ints) -> Floats:
    """(judged items) the chances to be chosen. Raises InputError for one that is not above 0 and at most 1."""
    name = table.columns["chance"]
    chances = table.numbers(name)[rows]
    invalid = ~((chances > 0) & (chances <= 1))
    if invalid.any():
        row = int(rows[invalid.argmax()])
        raise InputError(
            f"{table.locate(row)}: {name} is {chances[invalid.argmax()]:g}, expected the chance with which the item "
            "was chosen for people, above 0 and at most 1; correct it"
        )
    return chances
