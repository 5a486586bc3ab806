"""Judgments as preferences, as trec_eval reads them: `query group sub-group document level`, or qrels whose second
field is the group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.preference_judgments import PreferenceJudgments
from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_id
from rankscope.errors import InputError
from rankscope.io.core import LineBlock, read_fields, source_name
from rankscope.io.trec.format import SUBTOPIC_QRELS
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, decode
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "read_preference_judgments",
]


LAYOUT = replace(
    SUBTOPIC_QRELS.layout,
    min_fields=5,
    max_fields=5,
    columns=(0, 1, 2, 3, 4),
    expected="5 (query group sub-group document level)",
    alternatives={4: "this looks like qrels: read them with -R qrels_prefs", 6: "this looks like a run"},
)
QRELS_LAYOUT = replace(
    SUBTOPIC_QRELS.layout,
    expected="4 (query group document level)",
    alternatives={5: "this looks like preferences by sub-group: read them with -R prefs", 6: "this looks like a run"},
)


def read_preference_judgments(path: PathLike, *, has_subgroups: bool) -> PreferenceJudgments:
    """Read judgments as preferences.

    Parameters
    ----------
    path
        The file.
    has_subgroups
        Whether lines are `query group sub-group document level`; else they are qrels: `query group document level`.

    Returns
    -------
    PreferenceJudgments
        The preferences.

    Raises
    ------
    InputError
        A line is malformed, a level is no number, a sub-group holds a document twice, or a group holds a document both
        with level 0 and with another one.
    """
    import polars as pl

    layout = LAYOUT if has_subgroups else QRELS_LAYOUT
    block, (query, *groups, document, level_texts) = read_fields(path, layout)
    if not query.starts.size:
        raise InputError(f"{source_name(path)}: no judgments, expected lines of {layout.expected.partition(' ')[2]}")
    levels, invalid = parse_floats(level_texts)
    invalid = np.union1d(invalid, np.flatnonzero(~np.isfinite(levels)))
    if invalid.size:
        row = int(invalid[0])
        text = decode_id(decode(level_texts.take(np.array([row])))[0])
        raise InputError(f"{locate(block, query, row)}: level {text!r}, expected a number; correct this line")
    columns = {
        name: pl.Series(decode(fields), dtype=pl.Binary)
        for name, fields in zip(("query", "document", "group", "subgroup"), (query, document, *groups), strict=False)
    }
    frame = pl.DataFrame({"subgroup": pl.Series([b""], dtype=pl.Binary).new_from_index(0, len(levels)), **columns})
    frame = frame.with_columns(level=pl.Series(levels)).with_row_index("row")
    refuse_contradictions(frame, block, query)
    return judgments_of(frame)


def locate(block: LineBlock, query: Fields, row: int) -> str:
    """file:line of an entry."""
    return block.location(int(query.starts[row]))


def refuse_contradictions(frame: pl.DataFrame, block: LineBlock, query: Fields) -> None:
    """Raise InputError for a document that a sub-group holds twice, or that a group has both with level 0 and above."""
    import polars as pl

    for columns, is_wrong, sentence in (
        (["query", "group", "subgroup", "document"], pl.len() > 1, "stands twice in one sub-group"),
        (
            ["query", "group", "document"],
            (pl.col("level") == 0).any() & (pl.col("level") > 0).any(),
            "is not relevant (level 0) and relevant in one group",
        ),
    ):
        wrong = frame.filter(is_wrong.over(columns))
        if wrong.height:
            entry = wrong.sort("row").row(0, named=True)
            same = wrong.filter(*(pl.col(column) == entry[column] for column in columns)).sort("row")
            raise InputError(
                f"{locate(block, query, same['row'][-1])}: document {decode_id(entry['document'])!r} of query "
                f"{decode_id(entry['query'])!r} {sentence}, first at {locate(block, query, same['row'][0])}; "
                "correct one of the two"
            )


def judgments_of(frame: pl.DataFrame) -> PreferenceJudgments:
    """The entries in order, with numbers for names."""
    import polars as pl

    frame = frame.with_columns(
        number=(pl.col("document").rank("dense").over("query") - 1).cast(pl.Int64),
        group=pl.struct("query", "group").rank("dense").cast(pl.Int64),
        subgroup=pl.struct("query", "group", "subgroup").rank("dense").cast(pl.Int64),
    ).sort("query", "group", "subgroup")
    documents = frame.select("query", "document", "number").unique().sort("query", "number")
    by_query: dict[str, dict[str, int]] = {}
    for query, document, number in documents.iter_rows():
        by_query.setdefault(decode_id(query), {})[decode_id(document)] = number
    counts = frame.group_by("query", maintain_order=True).len()["len"].cast(pl.Int64).to_numpy()
    return PreferenceJudgments(
        documents=Qrels(by_query),
        offsets=bounds(counts),
        group=frame["group"].to_numpy(),
        subgroup=frame["subgroup"].to_numpy(),
        document=frame["number"].to_numpy(),
        level=frame["level"].to_numpy(),
    )
