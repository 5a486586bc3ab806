"""Features of translations as tables with a row an output; files of them; lists to score or to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.sparse import refuse_sparse
from rankscope.data.tables import Column, Schema, Table
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import check_writable, compress, split_compression_suffix, to_parquet, write_chunks
from rankscope.io.letor import write_features
from rankscope.io.tables import read_table
from rankscope.kernels.segments import bounds
from rankscope.typing import Floats, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "KEYS",
    "TranslationFeatures",
    "features_by_segment",
    "judged_lists",
    "read_translation_features",
    "write_translation_features",
]


#: The columns before those of the features.
KEYS = ("pair", "system", "segment")


@dataclass(frozen=True, eq=False, kw_only=True)
class TranslationFeatures:
    """Features of one language pair, as `translation_features` gives them.

    Attributes
    ----------
    pair
        Language pair, perhaps "".
    systems, segments
        Names.
    names
        Names of the features.
    values
        Finite numbers, (systems, segments, features).
    notes
        What a reader should know.
    settings
        What changes the numbers.

    Raises
    ------
    InputError
        Shapes do not fit, names occur twice or are those of other columns, or numbers are not finite.

    Examples
    --------
    >>> table = TranslationFeatures(
    ...     pair="de-en", systems=("A", "B"), segments=("1",), names=("length",), values=np.array([[[2.0]], [[3.0]]])
    ... )
    >>> list(table.records())
    [('de-en', 'A', '1', 2.0), ('de-en', 'B', '1', 3.0)]
    """

    pair: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    names: tuple[str, ...]
    values: Floats
    notes: tuple[str, ...] = ()
    settings: str = ""

    def __post_init__(self) -> None:
        expected = (len(self.systems), len(self.segments), len(self.names))
        if self.values.shape != expected:
            raise InputError(f"features of shape {self.values.shape}, expected {expected}: systems, segments, features")
        column_names = [*KEYS, *self.names]
        repeated_name = next((name for i, name in enumerate(column_names) if name in column_names[:i]), None)
        if repeated_name is not None:
            raise InputError(
                f"two columns are called {repeated_name!r}, expected a name of its own for each; rename one"
            )
        if not np.isfinite(self.values).all():
            system, segment, name = (int(i) for i in np.argwhere(~np.isfinite(self.values))[0])
            value = self.values[system, segment, name]
            raise InputError(
                f"feature {self.names[name]!r} of system {self.systems[system]!r}, segment {self.segments[segment]} is "
                f"{value:g}, expected a finite number"
            )

    def __len__(self) -> int:
        """How many outputs."""
        return len(self.systems) * len(self.segments)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the table."""
        return (*KEYS, *self.names)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the table, system after system."""
        for system, rows in zip(self.systems, self.values, strict=True):
            for segment, row in zip(self.segments, rows.tolist(), strict=True):
                yield (self.pair, system, segment, *row)

    def frame(self) -> pl.DataFrame:
        """The table as a polars frame."""
        import polars as pl

        systems = pl.Series(self.systems, dtype=pl.String).gather(np.arange(len(self)) // len(self.segments))
        segments = pl.Series(self.segments, dtype=pl.String).gather(np.arange(len(self)) % len(self.segments))
        flat = self.values.reshape(len(self), len(self.names))
        key_columns = {
            "pair": pl.repeat(self.pair, len(self), dtype=pl.String, eager=True),
            "system": systems,
            "segment": segments,
        }
        return pl.DataFrame(key_columns | {name: flat[:, i] for i, name in enumerate(self.names)})

    def select(self, names: Iterable[str]) -> TranslationFeatures:
        """Some of the features, in this order.

        Parameters
        ----------
        names
            Names of features.

        Returns
        -------
        TranslationFeatures
            The table with these.

        Raises
        ------
        UnknownName
            A feature does not exist.
        """
        selected_names = tuple(names)
        for name in selected_names:
            if name not in self.names:
                raise UnknownName("feature of this table", name, self.names)
        indices = [self.names.index(name) for name in selected_names]
        return replace(self, names=selected_names, values=self.values[:, :, indices])


def write_translation_features(tables: Sequence[TranslationFeatures], path: PathLike) -> tuple[str, ...]:
    """Write tables with the same features below each other.

    Parameters
    ----------
    tables
        The tables.
    path
        `.csv`, `.tsv`, `.jsonl` and `.parquet` have the columns pair, system, segment and the features; any other name
        means SVMlight's lines, `0 qid:PAIR:SEGMENT number:value ... #docid = SYSTEM`. A further suffix `.gz` or `.zst`
        compresses. The file is written atomically.

    Returns
    -------
    tuple of str
        Notes on what the file does not hold.

    Raises
    ------
    InputError
        Tables have different features, or lines cannot hold a name.
    ParameterError
        There is no table.
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.translation import translation_features
    >>> table = translation_features(["ein haus"], ["a house"], {"A": ["house"]}, features=["length"], pair="de-en")
    >>> with TemporaryDirectory() as folder:
    ...     notes = write_translation_features([table], Path(folder, "features.csv"))
    ...     print(Path(folder, "features.csv").read_text(), end="")
    pair,system,segment,length
    de-en,A,1,1.0
    """
    check_same_names(tables)
    check_writable(path)
    stem, compression = split_compression_suffix(path)
    format_name = Path(stem).suffix.lower().removeprefix(".")
    if format_name not in WRITERS:
        return write_features(features_by_segment(tables), path)
    import polars as pl

    content = WRITERS[format_name](pl.concat([table.frame() for table in tables]))
    write_chunks(path, compress([content], compression))
    return ()


def check_same_names(tables: Sequence[TranslationFeatures]) -> None:
    if not tables:
        raise ParameterError("there are no tables, expected at least one")
    for table in tables:
        if table.names != tables[0].names:
            raise InputError(
                f"features of {table.pair}: {join_names(table.names)}, expected {join_names(tables[0].names)} as of "
                f"{tables[0].pair}; select the same"
            )


WRITERS: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "csv": lambda frame: frame.write_csv().encode(),
    "tsv": lambda frame: frame.write_csv(separator="\t").encode(),
    "jsonl": lambda frame: frame.write_ndjson().encode(),
    "parquet": to_parquet,
}


def features_by_segment(tables: Sequence[TranslationFeatures]) -> Features:
    """One list per segment, of the outputs of all systems, each a document; grades are 0.

    Parameters
    ----------
    tables
        Tables with the same features.

    Returns
    -------
    Features
        A list is named PAIR:SEGMENT.

    Raises
    ------
    InputError
        Tables have different features.
    ParameterError
        There is no table.

    Examples
    --------
    >>> from rankscope.translation import translation_features
    >>> outputs = {"A": ["house", "a"], "B": ["a house", "b"]}
    >>> table = translation_features(["ein haus", "b"], ["a house", "b"], outputs, features=["length"])
    >>> found = features_by_segment([table])
    >>> found.query_ids, found.doc_ids, found.values.ravel().tolist()
    (('1', '2'), ['A', 'B', 'A', 'B'], [1.0, 2.0, 1.0, 1.0])
    """
    check_same_names(tables)
    return Features(
        values=np.concatenate([table.values.swapaxes(0, 1).reshape(len(table), -1) for table in tables]),
        relevance=np.zeros(sum(len(table) for table in tables), np.int64),
        offsets=bounds(np.concatenate([np.full(len(table.segments), len(table.systems)) for table in tables])),
        query_ids=tuple(list_name(table.pair, name) for table in tables for name in table.segments),
        names=tables[0].names,
        doc_ids=[system for table in tables for _ in table.segments for system in table.systems],
        name="translations",
    )


def list_name(pair: str, segment: str) -> str:
    return f"{pair}:{segment}" if pair else segment


def judged_lists(table: TranslationFeatures, rankings: Rankings, column: str = "rank") -> Features:
    """The lists that a ranker learns from: one per judgment, of the ranked translations with their features.

    Parameters
    ----------
    table
        Features of one language pair.
    rankings
        Judgments; those of other pairs are skipped. If either side names no pair, all count.
    column
        Human ranks, lower is better, or scores.

    Returns
    -------
    Features
        A grade is the number of worse levels that people used anywhere: of ranks 1 to 5, 4 is best and 0 worst.
        Translations without a rank are skipped, as are judgments of fewer than two ranked ones, which notes count. A
        list is named PAIR:SEGMENT:JUDGMENT.

    Raises
    ------
    InputError
        A judged system has no outputs, the table lacks a segment, or no judgment is left.
    UnknownName
        The column does not exist.

    Examples
    --------
    >>> from rankscope.translation import translation_features
    >>> table = translation_features(["ein haus"], ["a house"], {"A": ["house"], "B": ["a house"]}, features=["length"])
    >>> found = judged_lists(table, Rankings.of([{"A": 2, "B": 1}]))
    >>> found.query_ids, found.doc_ids, found.relevance.tolist(), found.values.ravel().tolist()
    (('1:1',), ['A', 'B'], [0, 1], [1.0, 2.0])
    """
    pair_rankings = rankings
    if table.pair and any(rankings.pair.names):
        rankings_by_pair = dict(rankings.by_pair())
        if table.pair not in rankings_by_pair:
            raise InputError(f"no judgment of {table.pair}; there are those of {join_names(rankings_by_pair)}")
        pair_rankings = rankings_by_pair[table.pair]
    values = pair_rankings.lower_is_better_values(column)
    system_index = {name: i for i, name in enumerate(table.systems)}
    segment_index = {name: i for i, name in enumerate(table.segments)}
    system = np.array([system_index.get(name, -1) for name in pair_rankings.systems], np.int64)[
        pair_rankings.system.codes
    ]
    segment = np.array([segment_index.get(name, -1) for name in pair_rankings.segment.names], np.int64)[
        pair_rankings.segment.codes
    ]
    is_ranked = ~np.isnan(values)
    n_ranked = np.bincount(pair_rankings.judgment[is_ranked], minlength=len(pair_rankings))
    ranked_items = np.flatnonzero(is_ranked & (n_ranked > 1)[pair_rankings.judgment])
    if not ranked_items.size:
        raise InputError(f"no judgment{f' of {table.pair}' if table.pair else ''} ranks two translations")
    refuse_unknown(table, pair_rankings, ranked_items, system, segment)
    judgments = np.flatnonzero(n_ranked > 1)
    levels, level_index = np.unique(values[ranked_items], return_inverse=True)
    names = [pair_rankings.segment.names[code] for code in pair_rankings.segment.codes[judgments].tolist()]
    return Features(
        values=table.values[system[ranked_items], segment[pair_rankings.judgment[ranked_items]]],
        relevance=levels.size - 1 - level_index,
        offsets=bounds(n_ranked[judgments]),
        query_ids=tuple(
            f"{list_name(table.pair, name)}:{i + 1}" for name, i in zip(names, judgments.tolist(), strict=True)
        ),
        names=table.names,
        doc_ids=[table.systems[i] for i in system[ranked_items].tolist()],
        name="judgments",
        notes=skipped_notes(len(pair_rankings), judgments.size),
    )


def skipped_notes(n_judgments: int, n_used: int) -> tuple[str, ...]:
    if n_used == n_judgments:
        return ()
    skipped_text = pluralise(n_judgments - n_used, "judgment ranks", "judgments rank")
    return (f"{skipped_text} fewer than two translations and {'is' if n_judgments - n_used == 1 else 'are'} skipped",)


def refuse_unknown(
    table: TranslationFeatures,
    rankings: Rankings,
    items: np.ndarray[tuple[int], np.dtype[np.intp]],
    system: np.ndarray[tuple[int], np.dtype[np.int64]],
    segment: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> None:
    """Raise for judged systems and segments that the table lacks."""
    missing_codes = np.unique(rankings.system.codes[items[system[items] < 0]]).tolist()
    if missing_codes:
        names = join_names(rankings.systems[code] for code in missing_codes)
        raise InputError(f"no outputs of {names}, which people judged; there are those of {join_names(table.systems)}")
    codes = rankings.segment.codes[rankings.judgment[items]]
    unknown_items = np.flatnonzero(segment[rankings.judgment[items]] < 0)
    if unknown_items.size:
        raise InputError(
            f"segment {rankings.segment.names[int(codes[unknown_items[0]])]!r} was judged, and there are "
            f"{pluralise(len(table.segments), 'segment')}; do judgments and texts belong together?"
        )


EXPECTED = "a line of names (pair,system,segment, and the features') and a line an output"
SCHEMA = Schema(
    columns=tuple(Column(name=name, required=True) for name in KEYS),
    expected=EXPECTED,
    more_numbers=True,
    all_numbers=True,
    has_option=False,
)


def read_translation_features(path: PathLike) -> list[TranslationFeatures]:
    r"""Read a file of `write_translation_features` (.csv, .tsv, .jsonl, .parquet).

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    list of TranslationFeatures
        One table per language pair. Systems and segments are in the order in which they first occur; rows may be in any
        order.

    Raises
    ------
    InputError
        With file and line: a column is missing, a cell is not a finite number, or an output occurs twice or is missing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "features.csv")
    ...     _ = path.write_text("pair,system,segment,length\nde-en,A,1,2\nde-en,B,1,3\n")
    ...     [table] = read_translation_features(path)
    >>> table.systems, table.values.tolist()
    (('A', 'B'), [[[2.0]], [[3.0]]])
    """
    table = read_table(path, SCHEMA, {})
    names = table.more_columns
    if not names:
        raise InputError(f"{table.name}: no feature, expected {EXPECTED}")
    pairs, systems, segments = (
        Labels.of(table.names(table.columns[name], required=name != "pair").to_list()) for name in KEYS
    )
    values = table.number_columns_matrix(names, complete=True).T
    return [
        table_of_pair(table, np.flatnonzero(pairs.codes == code), pair, systems, segments, values, names)
        for code, pair in enumerate(pairs.names)
    ]


def table_of_pair(
    table: Table,
    rows: np.ndarray[tuple[int], np.dtype[np.intp]],
    pair: str,
    systems: Labels,
    segments: Labels,
    values: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    names: Sequence[str],
) -> TranslationFeatures:
    """The table of the rows of one pair; each row is a system and a segment."""
    system, segment = (
        Labels.of([labels.names[code] for code in labels.codes[rows].tolist()]) for labels in (systems, segments)
    )
    shape = (len(system.names), len(segment.names))
    refuse_sparse(shape, rows.size, table.name, "systems and segments")
    cell_index = system.codes * shape[1] + segment.codes
    table.take(rows).refuse_repeated_cells(cell_index, shape[0] * shape[1], ("system", "segment"))
    if rows.size < shape[0] * shape[1]:
        counts = np.bincount(cell_index, minlength=shape[0] * shape[1])
        s, i = divmod(int(np.argmin(counts)), shape[1])
        pair_suffix = f" of {pair}" if pair else ""
        raise InputError(
            f"{table.name}: no row for system {system.names[s]!r}, segment {segment.names[i]}{pair_suffix}; expected "
            "all segments of each system"
        )
    pair_values = np.empty((*shape, len(names)))
    pair_values[system.codes, segment.codes] = values[rows]
    return TranslationFeatures(
        pair=pair, systems=system.names, segments=segment.names, names=tuple(names), values=pair_values
    )
