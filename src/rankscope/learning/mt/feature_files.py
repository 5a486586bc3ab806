"""Tables of features of translations to files, and lists to learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.features import Features
from rankscope.data.rankings import Rankings
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.feature_text import write_features
from rankscope.io.packed import split_compression_suffix
from rankscope.io.render import to_parquet
from rankscope.io.write import check_writable, compress, write_chunks
from rankscope.kernels.segments import bounds
from rankscope.learning.mt.feature_table import TranslationFeatures
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = ["features_by_segment", "judged_lists", "write_translation_features"]


def write_translation_features(tables: Sequence[TranslationFeatures], path: PathLike) -> tuple[str, ...]:
    """Write tables with the same features under each other; what comes back are notes on what the file does not hold.

    path: `.csv`, `.tsv`, `.jsonl` and `.parquet` have the columns pair, system, segment and the features; any other
    name SVMlight's lines, `0 qid:PAIR:SEGMENT number:value ... #docid = SYSTEM`. A further suffix `.gz` or `.zst`
    compresses. Written whole or not at all. Raises InputError for tables with other features, or for names that lines
    cannot hold, ParameterError where there is no table, OutputError.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.learning.mt import translation_features
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

    >>> from rankscope.learning.mt import translation_features
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

    >>> from rankscope.learning.mt import translation_features
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
