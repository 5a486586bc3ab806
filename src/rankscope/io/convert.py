"""From any format that is read to any that is written, with a note on whatever the target cannot hold."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import names_of
from rankscope.data.run import Run
from rankscope.errors import ParameterError, UnknownName
from rankscope.io.contents import OTHERS, Content, of_memory, read_content
from rankscope.io.json_dicts import lz4_libraries
from rankscope.io.read import PathLike, file_stem
from rankscope.io.render import OUTPUTS, plain_column, refuse_unwritable, render
from rankscope.io.sniff import FORMATS
from rankscope.io.write import check_writable, compressed, refuse_overwriting, write_chunks, write_stdout

__all__ = ["INPUTS", "KINDS", "convert"]

#: Formats that are read, as `--input` names them.
INPUTS = list({**FORMATS, **OTHERS})
KINDS = {"qrels": "judgments", "run": "a run"}
#: Suffix of the target -> its format, and what it must hold, where the suffix says that.
SUFFIXES: dict[str, tuple[str, str | None]] = {
    ".qrels": ("trec", "qrels"),
    ".run": ("trec", "run"),
    ".trec": ("trec", None),
    ".txt": ("trec", None),
    **{f".{form}": (form, None) for form in ("csv", "tsv", "jsonl", "json", "parquet", "lz4")},
}
PACKED = (".gz", ".zst")


class Target(NamedTuple):
    """Where to, and how. packed: ".gz", ".zst" or "". holds: "qrels" or "run", where its name says so."""

    path: PathLike
    form: str
    packed: str
    holds: str | None


def convert(
    source: PathLike | Qrels | Run,
    target: PathLike,
    *,
    to: str | None = None,
    input: str | None = None,
    kind: str | None = None,
    labels: PathLike | None = None,
) -> tuple[str, ...]:
    """Write judgments or a run in another format; what comes back are notes on what the target does not hold.

    source: a file ("-" is standard input) in any format that `read_qrels` and `read_run` take, or a Qrels or Run.
    target: a file ("-" is standard output), written whole or not at all, in the format that its suffix names or `to`:
    "trec", "csv", "tsv", "jsonl", "json", "parquet", "lz4" (as ranx saves it; needs lz4 and cbor2), or `to="letor"`:
    label lines without features, and of a run its scores line by line, in the order of the run. A further suffix
    `.gz` or `.zst` compresses. input: the format of the source, where it should not be told by content; "letor" for a
    label file, or with `labels` (the label file) for predictions, "letor-ranks" for rank positions. kind: "qrels" or
    "run", needed only where neither content nor suffix tells.

    Kept: ids byte by byte, every bit of a score, the order of a run's lists, its name where the format has one,
    subtopics. Ranks are written anew, from 1 by falling score, equal scores in the order of the input.

    Raises InputError for what cannot be read, and for an id that the format cannot hold; ParameterError for arguments;
    OutputError. Then nothing is written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankscope as rs
    >>> with TemporaryDirectory() as folder:
    ...     notes = rs.convert(rs.Run({"q1": {"d1": 2.5, "d2": 0.1}}, name="bm25"), Path(folder, "bm25.run"))
    ...     print(Path(folder, "bm25.run").read_text(), end="")
    q1 Q0 d1 1 2.5 bm25
    q1 Q0 d2 2 0.1 bm25
    """
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    goal = target_of(target, to)
    to_stdout = os.fspath(target) == "-"
    if not to_stdout:
        check_writable(target)
        refuse_overwriting(target, [x for x in (source, labels) if isinstance(x, (str, os.PathLike))])
    if goal.form == "lz4":
        lz4_libraries(os.fspath(target))  # before long work
    content = content_of(source, input, kind, goal.holds, labels)
    if goal.holds not in (None, content.kind):
        raise ParameterError(
            f"{target}: named as {KINDS[goal.holds or '']}, but {content.shown} holds {KINDS[content.kind]}; "
            f"name it otherwise, or add --to {goal.form}"
        )
    refuse_unwritable(content.rows, goal.form, content.name, content.shown)
    chunks = compressed(render(content.rows, goal.form, name=content.name), goal.packed)
    if to_stdout:
        write_stdout(chunks)
    else:
        write_chunks(target, chunks)
    return (*content.notes, *losses(content, goal))


def content_of(
    source: PathLike | Qrels | Run, input_: str | None, kind: str | None, hint: str | None, labels: PathLike | None
) -> Content:
    if isinstance(source, (str, os.PathLike)):
        return read_content(source, input=input_, kind=kind, hint=hint, labels=labels)
    if not isinstance(source, (Qrels, Run)):
        raise ParameterError(f"a {type(source).__name__}, expected a path, a Qrels or a Run; wrap it, as in Run(data)")
    if input_ is not None or kind is not None or labels is not None:
        raise ParameterError("input, kind and labels belong to a file; leave them out")
    return of_memory(source)


def target_of(path: PathLike, to: str | None) -> Target:
    """What the target's name and `to` say. Raises UnknownName, ParameterError where neither says the format."""
    if to is not None and to not in OUTPUTS:
        raise UnknownName("output format", to, OUTPUTS)
    name = os.fspath(path)
    if name == "-":
        if to is None:
            raise ParameterError(f"standard output has no suffix; name the format with --to ({', '.join(OUTPUTS)})")
        return Target(path, to, "", None)
    stem, packed = name, ""
    if name.lower().endswith(PACKED):
        stem, packed = os.path.splitext(name)
    suffix = Path(stem).suffix.lower()
    form, holds = SUFFIXES.get(suffix, (None, None))
    if to is not None:
        if form == "lz4" and to not in ("lz4", "json"):
            raise ParameterError(f"{name}: .lz4 files hold ranx's dicts and no {to}; name the file otherwise")
        return Target(path, "lz4" if form == "lz4" else to, packed.lower(), None)
    if form is None:
        what = f"the suffix {suffix!r} names no format" if suffix else "no suffix names a format"
        raise ParameterError(f"{name}: {what}; add --to ({', '.join(OUTPUTS)}) or a suffix ({' '.join(SUFFIXES)})")
    return Target(path, form, packed.lower(), holds)


def losses(content: Content, goal: Target) -> list[str]:
    """What the target does not hold, in words."""
    rows, form = content.rows, goal.form
    notes = []
    if form not in ("json", "lz4"):
        empty = names_of([rows.query_ids[q] for q in np.flatnonzero(np.diff(rows.offsets) == 0)])
        if empty:
            many = "1 query has" if len(empty) == 1 else f"{len(empty)} queries have"
            some = ", ".join(empty[:3]) + (", ..." if len(empty) > 3 else "")
            notes.append(f"{many} no documents, which {form} cannot say: left out ({some})")
    if content.kind == "run" and form == "letor":
        notes.append("a line of predictions holds a score only: queries, documents and the run's name are not kept")
    elif content.kind == "run":
        if form != "trec" and content.tagged and file_stem(goal.path) != content.name:
            notes.append(f"the run's name {content.name!r} is not kept: {form} has no place for it")
    elif rows.subtopics is not None and form == "trec" and plain_column(rows.subtopics):
        notes.append("all subtopics are called 0 or Q0, which in TREC's format means that there are none")
    return notes
