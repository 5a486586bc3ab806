"""Features of translations as tables: a row an output, to files and back, and as lists to score or to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import check_writable, compress, split_compression_suffix, to_parquet, write_chunks
from rankscope.io.letor import write_features
from rankscope.io.tables import NamedTable, name_column, number_values, read_named_table
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

    values: (systems, segments, features) finite numbers. names: of the features. pair: perhaps "". notes: what a reader
    should know. settings: what changes the numbers. Raises InputError for shapes that do not fit,
    names that occur twice or are those of other columns, and numbers that are not finite.

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
        taken = [*KEYS, *self.names]
        again = next((name for i, name in enumerate(taken) if name in taken[:i]), None)
        if again is not None:
            raise InputError(f"two columns are called {again!r}, expected a name of its own for each; rename one")
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
        keys = {
            "pair": pl.repeat(self.pair, len(self), dtype=pl.String, eager=True),
            "system": systems,
            "segment": segments,
        }
        return pl.DataFrame(keys | {name: flat[:, i] for i, name in enumerate(self.names)})

    def select(self, names: Iterable[str]) -> TranslationFeatures:
        """Some of the features, in this order. Raises UnknownName."""
        wanted = tuple(names)
        for name in wanted:
            if name not in self.names:
                raise UnknownName("feature of this table", name, self.names)
        places = [self.names.index(name) for name in wanted]
        return replace(self, names=wanted, values=self.values[:, :, places])


def write_translation_features(tables: Sequence[TranslationFeatures], path: PathLike) -> tuple[str, ...]:
    """Write tables with the same features under each other; what comes back are notes on what the file does not hold.

    path: `.csv`, `.tsv`, `.jsonl` and `.parquet` have the columns pair, system, segment and the features; any other
    name SVMlight's lines, `0 qid:PAIR:SEGMENT number:value ... #docid = SYSTEM`. A further suffix `.gz` or `.zst`
    compresses. Written whole or not at all. Raises InputError for tables with other features, or for names that lines
    cannot hold, ParameterError where there is no table, OutputError.

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
    stem, packed = split_compression_suffix(path)
    form = Path(stem).suffix.lower().removeprefix(".")
    if form not in WRITERS:
        return write_features(features_by_segment(tables), path)
    import polars as pl

    content = WRITERS[form](pl.concat([table.frame() for table in tables]))
    write_chunks(path, compress([content], packed))
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
    """One list a segment, of the outputs of all systems, each a document; grades are 0. A list is named PAIR:SEGMENT.

    Raises InputError for tables with other features, ParameterError where there is no table.

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
    """What a ranker learns from: a list a judgment, of the translations that a person ranked, with their features.

    rankings: judgments of the pair of the table, those of other pairs are left out; where either names none, all count.
    column: people's ranks, lower is better, or scores. A grade is the number of worse levels that people used anywhere:
    of ranks 1 to 5, 4 is best and 0 worst. Translations without a rank are left out, and judgments of fewer than two
    ranked ones, which notes count. A list is named PAIR:SEGMENT:JUDGMENT.

    Raises InputError for judged systems without outputs, segments that the table does not have, and where no judgment
    is left; UnknownName for a column.

    >>> from rankscope.translation import translation_features
    >>> table = translation_features(["ein haus"], ["a house"], {"A": ["house"], "B": ["a house"]}, features=["length"])
    >>> found = judged_lists(table, Rankings.of([{"A": 2, "B": 1}]))
    >>> found.query_ids, found.doc_ids, found.relevance.tolist(), found.values.ravel().tolist()
    (('1:1',), ['A', 'B'], [0, 1], [1.0, 2.0])
    """
    chosen = rankings
    if table.pair and any(rankings.pair.names):
        parts = dict(rankings.by_pair())
        if table.pair not in parts:
            raise InputError(f"no judgment of {table.pair}; there are those of {join_names(parts)}")
        chosen = parts[table.pair]
    values = chosen.better_low(column)
    places = {name: i for i, name in enumerate(table.systems)}
    lines = {name: i for i, name in enumerate(table.segments)}
    system = np.array([places.get(name, -1) for name in chosen.systems], np.int64)[chosen.system.codes]
    segment = np.array([lines.get(name, -1) for name in chosen.segment.names], np.int64)[chosen.segment.codes]
    ranked = ~np.isnan(values)
    many = np.bincount(chosen.judgment[ranked], minlength=len(chosen))
    items = np.flatnonzero(ranked & (many > 1)[chosen.judgment])
    if not items.size:
        raise InputError(f"no judgment{f' of {table.pair}' if table.pair else ''} ranks two translations")
    refuse_unknown(table, chosen, items, system, segment)
    judgments = np.flatnonzero(many > 1)
    levels, level = np.unique(values[items], return_inverse=True)
    names = [chosen.segment.names[code] for code in chosen.segment.codes[judgments].tolist()]
    return Features(
        values=table.values[system[items], segment[chosen.judgment[items]]],
        relevance=levels.size - 1 - level,
        offsets=bounds(many[judgments]),
        query_ids=tuple(
            f"{list_name(table.pair, name)}:{i + 1}" for name, i in zip(names, judgments.tolist(), strict=True)
        ),
        names=table.names,
        doc_ids=[table.systems[i] for i in system[items].tolist()],
        name="judgments",
        notes=skipped_notes(len(chosen), judgments.size),
    )


def skipped_notes(given: int, used: int) -> tuple[str, ...]:
    if used == given:
        return ()
    few = pluralise(given - used, "judgment ranks", "judgments rank")
    return (f"{few} fewer than two translations and {'is' if given - used == 1 else 'are'} left out",)


def refuse_unknown(
    table: TranslationFeatures,
    rankings: Rankings,
    items: np.ndarray[tuple[int], np.dtype[np.intp]],
    system: np.ndarray[tuple[int], np.dtype[np.int64]],
    segment: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> None:
    """Raise for judged systems and segments that the table lacks."""
    absent = np.unique(rankings.system.codes[items[system[items] < 0]]).tolist()
    if absent:
        names = join_names(rankings.systems[code] for code in absent)
        raise InputError(f"no outputs of {names}, which people judged; there are those of {join_names(table.systems)}")
    codes = rankings.segment.codes[rankings.judgment[items]]
    beyond = np.flatnonzero(segment[rankings.judgment[items]] < 0)
    if beyond.size:
        raise InputError(
            f"segment {rankings.segment.names[int(codes[beyond[0]])]!r} was judged, and there are "
            f"{pluralise(len(table.segments), 'segment')}; do judgments and texts belong together?"
        )


EXPECTED = "a line of names (pair,system,segment, and the features') and a line an output"


def read_translation_features(path: PathLike) -> list[TranslationFeatures]:
    r"""The tables, one a language pair, of a file of `write_translation_features` (.csv, .tsv, .jsonl, .parquet).

    Systems and segments come in the order in which they first stand; rows in any. Raises InputError, with file and
    line, for a column that is missing, a cell that is no finite number, an output that stands twice or is missing.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "features.csv")
    ...     _ = path.write_text("pair,system,segment,length\nde-en,A,1,2\nde-en,B,1,3\n")
    ...     [table] = read_translation_features(path)
    >>> table.systems, table.values.tolist()
    (('A', 'B'), [[[2.0]], [[3.0]]])
    """
    table = read_named_table(path, EXPECTED)
    there = table.frame.columns
    missing = next((name for name in KEYS if name not in there), None)
    if missing is not None:
        raise InputError(f"{table.head}: no column {missing!r}, expected {EXPECTED}")
    names = [name for name in there if name not in KEYS]
    if not names or not table.frame.height:
        raise InputError(f"{table.name}: no {'output' if names else 'feature'}, expected {EXPECTED}")
    pairs, systems, segments = (
        Labels.of(name_column(table, name, name, needed=name != "pair").to_list()) for name in KEYS
    )
    values = np.column_stack([number_values(table, name) for name in names])
    bare = np.argwhere(np.isnan(values))
    if bare.size:
        row, column = bare[0].tolist()
        raise InputError(f"{table.where(row)}: {names[column]} is missing, expected a number; fill it in")
    return [
        table_of_pair(table, np.flatnonzero(pairs.codes == code), pair, systems, segments, values, names)
        for code, pair in enumerate(pairs.names)
    ]


def table_of_pair(
    table: NamedTable,
    rows: np.ndarray[tuple[int], np.dtype[np.intp]],
    pair: str,
    systems: Labels,
    segments: Labels,
    values: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    names: Sequence[str],
) -> TranslationFeatures:
    """The rows of one pair, a system and a segment each."""
    system, segment = (
        Labels.of([side.names[code] for code in side.codes[rows].tolist()]) for side in (systems, segments)
    )
    shape = (len(system.names), len(segment.names))
    refuse_sparse(shape, rows.size, table.name, "systems and segments")
    place = system.codes * shape[1] + segment.codes
    count = np.bincount(place, minlength=shape[0] * shape[1])
    if (count > 1).any():
        order = np.argsort(place, kind="stable")
        again = int(order[1:][np.diff(place[order]) == 0].min())
        raise InputError(
            f"{table.where(int(rows[again]))}: the output of system {system.names[system.codes[again]]!r} for segment "
            f"{segment.names[segment.codes[again]]} stands twice, expected once; remove one"
        )
    if not count.all():
        s, i = divmod(int(np.argmin(count)), shape[1])
        of = f" of {pair}" if pair else ""
        raise InputError(
            f"{table.name}: no row for system {system.names[s]!r}, segment {segment.names[i]}{of}; expected all "
            "segments of each system"
        )
    found = np.empty((*shape, len(names)))
    found[system.codes, segment.codes] = values[rows]
    return TranslationFeatures(
        pair=pair, systems=system.names, segments=segment.names, names=tuple(names), values=found
    )
