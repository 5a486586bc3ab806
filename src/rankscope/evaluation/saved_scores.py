"""Saved scores: Parquet that restores them exactly."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.hits import freeze
from rankscope.data.scores import MeasureLike, Scores
from rankscope.data.text import replace_invalid_utf8
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import MeasureAliases
from rankscope.evaluation.foreign_measure import ForeignMeasure, measure_of_name
from rankscope.io.core import (
    PARQUET_MAGIC,
    check_writable,
    refuse_overwriting,
    to_parquet,
    write_chunks,
)
from rankscope.io.tables import polars_errors, refuse_false_pages
from rankscope.measures.base import Measure
from rankscope.typing import PathLike, Words

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "check_save",
    "saved_scores",
    "write_scores",
]


#: The entry of the file's metadata that holds what the table does not; and the version of its format.
KEY, FORMAT_VERSION = "rankscope", 1
SUFFIX = ".parquet"
DAMAGED = "the file is damaged, expected scores as --save and write_scores save them; save them again"


def check_save(path: PathLike, inputs: Iterable[PathLike] = (), *, output: PathLike | None = None) -> None:
    """Raise now rather than after long work for a file that scores cannot be saved to.

    Parameters
    ----------
    path
        The file to save to.
    inputs
        Files that are read.
    output
        File that something else is written to.

    Raises
    ------
    ParameterError
        The name does not end in .parquet, or is that of one of these files.
    OutputError
        Nothing can be written there.
    """
    name = os.fspath(path)
    if not name.lower().endswith(SUFFIX):
        raise ParameterError(f"{name}: scores are saved as Parquet; name a file that ends in {SUFFIX}")
    check_writable(path)
    refuse_overwriting(path, inputs)
    if output is not None and os.path.realpath(path) == os.path.realpath(output):
        raise ParameterError(f"{name}: is to hold the saved scores and the output both; name two files")


def write_scores(scores: Scores, path: PathLike) -> None:
    """Save scores in a Parquet file (atomically); `read_scores` reads exactly the same scores again.

    Parameters
    ----------
    scores
        The scores, as `evaluate` returns them.
    path
        The file to write. Its name ends in .parquet.

    Raises
    ------
    ParameterError
        The name does not end in .parquet, the first argument is not a Scores, or it has no system or no measure.
    OutputError
        The file cannot be written.

    Notes
    -----
    Other programs can read the file as a table: system, measure, query, value (null if there is none), low and high
    (with bounds), missing (the run has no list), undefined (no relevant document was judged), hashes of the grades of
    each query (judgment_hash) and of each list (list_hash, with `hash_lists`), and what is known of the queries
    (`query_columns`). Everything else is JSON in the file's metadata, under "rankscope". In the table, bytes of names
    that are not valid UTF-8 are replaced.

    Examples
    --------
    >>> import tempfile
    >>> import rankscope as rs
    >>> scores = rs.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["RR"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(scores, f"{folder}/scores.parquet")
    ...     rs.read_scores(f"{folder}/scores.parquet").overall("RR")
    0.5
    """
    if not isinstance(scores, Scores):
        raise ParameterError(
            f"a {type(scores).__name__} to be saved, expected scores, which evaluate gives; write "
            "write_scores(scores, path)"
        )
    check_save(path)
    if not scores.systems or not scores.measures:
        raise ParameterError("scores without a system or a measure, expected at least one of each to save")
    description = describe_scores(scores)
    description["digest"] = scores_digest(scores, description)
    write_chunks(path, [to_parquet(tidy_score_frame(scores), metadata={KEY: json.dumps(description)})])


def tidy_score_frame(scores: Scores) -> pl.DataFrame:
    """A row for each system, measure and query, with all that saved scores hold."""
    import polars as pl

    s, m, q = scores.values.shape

    def repeated_names(items: Iterable[str], repeats: int, copies: int) -> pl.Series:
        texts = pl.Series([replace_invalid_utf8(name) for name in items], dtype=pl.String)
        return texts.gather(np.tile(np.repeat(np.arange(texts.len()), repeats), copies))

    bounds = {} if scores.bounds is None else {"low": scores.bounds[0].ravel(), "high": scores.bounds[1].ravel()}
    frame = pl.DataFrame(
        {
            "system": repeated_names(scores.systems, m * q, 1),
            "measure": repeated_names(scores.measure_names, q, s),
            "query": repeated_names(scores.query_ids, 1, s * m),
            "value": scores.values.ravel(),
            **bounds,
            "missing": np.repeat(scores.missing[:, None], m, axis=1).ravel(),
            "undefined": np.tile(scores.undefined.ravel(), s),
            **({} if scores.judgment_hashes is None else {"judgment_hash": np.tile(scores.judgment_hashes, s * m)}),
            **({} if scores.lists is None else {"list_hash": scores.lists.ravel()}),
            **{name: list(values) * (s * m) for name, values in scores.query_columns.items()},
        },
        strict=False,
    )
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def describe_scores(scores: Scores) -> dict[str, Any]:
    """All that the table does not hold, for JSON, which escapes names to ASCII."""
    aliases = scores.aliases.user_names if isinstance(scores.aliases, MeasureAliases) else scores.aliases
    return {
        "form": FORMAT_VERSION,
        "version": scores.version,
        "systems": scores.systems,
        "measures": [describe_measure(measure) for measure in scores.measures],
        "measure_settings": [dict(settings) for settings in scores.measure_settings],
        "query_ids": scores.query_ids,
        "settings": dict(scores.settings),
        "notes": scores.notes,
        "asked": dict(aliases),
        "judgments": scores.fingerprint,
        **({"query_columns": dict(scores.query_columns)} if scores.query_columns else {}),
        "unjudged_systems": scores.unjudged_systems,
    }


def scores_digest(scores: Scores, description: Mapping[str, Any]) -> str:
    """A digest of all that is saved, so that a changed byte is noticed."""
    from hashlib import blake2b

    digest = blake2b(json.dumps({k: v for k, v in description.items() if k != "digest"}).encode(), digest_size=16)
    for values in (scores.values, scores.bounds):
        if values is not None:
            digest.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())  # one bit pattern for NaN
    for flags in (scores.missing, scores.undefined):
        digest.update(flags.tobytes())
    for hashes in (scores.judgment_hashes, scores.lists):
        if hashes is not None:
            digest.update(hashes.astype("<u8").tobytes())
    return digest.hexdigest()


def saved_scores(content: bytes, name: str) -> Scores | None:
    """The scores that `write_scores` or `--save` saved: the same values, names, settings and notes.

    None where the content is something else, also another Parquet file. Raises InputError where it is damaged. A
    measure that is not known here, since it was defined elsewhere, is known by its name only (`ForeignMeasure`).
    """
    if not content.startswith(PARQUET_MAGIC):
        return None
    description = read_description(content, name)
    return None if description is None else build_scores(description, content, name)


def read_description(content: bytes, name: str) -> dict[str, Any] | None:
    """Our entry of the file's metadata; None where there is none. Raises InputError."""
    import polars as pl

    try:
        text = pl.read_parquet_metadata(io.BytesIO(content)).get(KEY)
        description = None if text is None else json.loads(text)
        if description is None or (isinstance(description, dict) and description.get("form") == FORMAT_VERSION):
            return description
        version = description.get("form") if isinstance(description, dict) else None
    except polars_errors():
        raise InputError(f"{name}: {DAMAGED}") from None
    if isinstance(version, int):
        raise InputError(
            f"{name}: scores saved in form {version}, expected form {FORMAT_VERSION}; save them again, or use a newer "
            "rankscope"
        )
    raise InputError(f"{name}: {DAMAGED}")


def read_score_frame(content: bytes, name: str, rows: int | None = None) -> pl.DataFrame:
    """The table of saved scores. Raises InputError."""
    import polars as pl

    try:
        refuse_false_pages(content, name)
        return pl.read_parquet(io.BytesIO(content), n_rows=rows)
    except polars_errors():
        raise InputError(f"{name}: {DAMAGED}") from None


def build_scores(description: Mapping[str, Any], content: bytes, name: str) -> Scores:
    """The scores, after their digest was checked. Raises InputError."""
    frame = read_score_frame(content, name)
    try:
        scores = rebuild_scores(description, frame)
        if scores_digest(scores, description) == description["digest"]:
            return scores
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    raise InputError(f"{name}: {DAMAGED}")


def rebuild_scores(description: Mapping[str, Any], frame: pl.DataFrame) -> Scores:
    """Scores from description and table. Raises KeyError, TypeError or ValueError for content of another form."""
    systems, query_ids = tuple(description["systems"]), tuple(description["query_ids"])
    measures = tuple(find_measure(**entry) for entry in description["measures"])
    shape = (len(systems), len(measures), len(query_ids))
    columns = {name: frame[name].to_numpy().reshape(shape) for name in frame.columns if name in VALUES}
    bounds = np.array([columns["low"], columns["high"]]) if "low" in columns else None
    return Scores(
        systems=systems,
        measures=measures,
        query_ids=query_ids,
        values=freeze(np.array(columns["value"])),
        missing=freeze(np.array(columns["missing"][:, 0])),
        undefined=freeze(np.array(columns["undefined"][0])),
        bounds=None if bounds is None else freeze(bounds),
        lists=freeze(np.array(columns["list_hash"])) if "list_hash" in columns else None,
        settings=dict(description["settings"]),
        measure_settings=tuple(dict(settings) for settings in description["measure_settings"]),
        notes=tuple(description["notes"]),
        aliases=MeasureAliases(dict(description["asked"]), [m for m in measures if isinstance(m, Measure)]),
        version=str(description["version"]),
        judgments=SavedFingerprint(
            text=description["judgments"],
            by_query=freeze(np.array(columns["judgment_hash"][0, 0])) if "judgment_hash" in columns else None,
        )
        if description["judgments"]
        else None,
        query_columns={name: tuple(values) for name, values in description.get("query_columns", {}).items()},
        unjudged_systems=tuple(description["unjudged_systems"]),
    )


VALUES = ("value", "low", "high", "missing", "undefined", "judgment_hash", "list_hash")


@dataclass(frozen=True, eq=False, kw_only=True)
class SavedFingerprint:
    """What identifies judgments, as it was saved.

    Attributes
    ----------
    text
        The text of their fingerprint.
    by_query
        (queries) a hash of the grades of each query; None in files of early versions.
    """

    text: str
    by_query: Words | None = None

    def __call__(self) -> str:
        return str(self.text)


def find_measure(
    name: str,
    summary: str,
    higher_is_better: bool | None,
    foreign: bool = False,
    range: Sequence[float | None] = (None, None),
) -> MeasureLike:
    """The measure of this name where it is defined here with the same summary, else a `ForeignMeasure`."""
    own_measure = None if foreign else measure_of_name(name)
    if own_measure is not None and str(own_measure) == name and own_measure.summary == summary:
        return own_measure
    low, high = (infinity if bound is None else bound for bound, infinity in zip(range, (-inf, inf), strict=True))
    return ForeignMeasure(name=name, summary=summary, higher_is_better=higher_is_better, range=(low, high))


def describe_measure(measure: MeasureLike) -> dict[str, Any]:
    """A measure for JSON, which has no infinity."""
    own = {"name": str(measure), "summary": measure.summary, "higher_is_better": measure.higher_is_better}
    if not isinstance(measure, ForeignMeasure):
        return own
    return {**own, "foreign": True, "range": [bound if isfinite(bound) else None for bound in measure.range]}
