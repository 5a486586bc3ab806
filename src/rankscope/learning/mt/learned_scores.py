"""A learned metric: tables of features read back, scored by a ranker, and written as WMT has scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankscope.data.rankings import Labels
from rankscope.data.segment_scores import PairScores, SegmentScores
from rankscope.data.sparse import refuse_sparse
from rankscope.errors import InputError
from rankscope.io.named_tables import NamedTable, name_column, number_values, read_named_table
from rankscope.learning.matched import match_features
from rankscope.learning.mt.feature_files import features_by_segment
from rankscope.learning.mt.feature_table import KEYS, TranslationFeatures
from rankscope.learning.ranker import Ranker
from rankscope.typing import PathLike

__all__ = ["read_translation_features", "score_translations", "seg_score_lines"]

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


def score_translations(ranker: Ranker, tables: Sequence[TranslationFeatures], metric: str = "learned") -> SegmentScores:
    """What a trained ranker says of each output; higher is better, without bounds. metric: the name of it.

    Features are found by name; others than the ranker's are left out. The outputs for a segment are one list, for
    rankers that look at whole lists. Raises InputError for features that are missing, and where such a ranker is given
    the outputs of one system alone; ParameterError for a ranker that has not learned anything, or where there is no
    table.

    >>> from rankscope.data.rankings import Rankings
    >>> from rankscope.learning import Ranker
    >>> from rankscope.learning.mt import judged_lists, translation_features
    >>> table = translation_features(["ein haus"], ["a house"], {"A": ["house"], "B": ["a house"]}, features=["BLEU"])
    >>> ranker = Ranker(hidden=()).fit(judged_lists(table, Rankings.of([{"A": 2, "B": 1}])))
    >>> found = score_translations(ranker, [table]).pairs[""]
    >>> bool(found.values[1, 0] > found.values[0, 0])
    True
    """
    pairs = {}
    for table in tables:
        if getattr(ranker, "lists", False) and len(table.systems) == 1:
            of = f" of {table.pair}" if table.pair else ""
            raise InputError(
                f"the translations{of} are those of one system, {table.systems[0]!r}, and this ranker looks at all "
                "outputs for a segment; give those of two systems or more in one table, or train without ranks"
            )
        scores = ranker.predict(match_features(features_by_segment([table]), ranker.feature_names_))
        values = np.asarray(scores, np.float64).reshape(len(table.segments), len(table.systems)).T
        pairs[table.pair] = PairScores(table.systems, table.segments, values)
    return SegmentScores(metric, pairs)


def seg_score_lines(scores: SegmentScores, test_set: str) -> Iterator[str]:
    """Scores as WMT's seg.scr has them: METRIC, LANGPAIR, TESTSET, SYSTEM, SEGNR, SCORE, with tabs; a piece a system.

    What has no score has no line. Raises InputError for a language pair without a name, and for names
    with tabs or line breaks, which no such line can have.

    >>> scores = SegmentScores("m", {"de-en": PairScores.of({"A": [0.5, None]})})
    >>> "".join(seg_score_lines(scores, "news")).split()
    ['m', 'de-en', 'news', 'A', '1', '0.5']
    """
    for pair, found in scores.pairs.items():
        if not pair:
            raise InputError(
                f"scores of {scores.metric}: the language pair has no name, expected one as de-en; name it in the "
                "column pair (`rankscope features mt --pair de-en`)"
            )
        for name in (scores.metric, pair, test_set, *found.systems):
            if any(mark in name for mark in "\t\n\r"):
                raise InputError(
                    f"{name!r} cannot stand in a line of seg.scr, whose fields tabs divide; name it otherwise"
                )
        for system, values in zip(found.systems, found.values.tolist(), strict=True):
            head = f"{scores.metric}\t{pair}\t{test_set}\t{system}\t"
            rows = zip(found.segments, values, strict=True)
            yield "".join(f"{head}{segment}\t{value!r}\n" for segment, value in rows if value == value)
