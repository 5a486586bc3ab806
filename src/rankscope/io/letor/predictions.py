"""Files of predictions: a number for each line of a label file, and the runs that both make."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_id
from rankscope.data.run import Run
from rankscope.errors import InputError
from rankscope.io.core import (
    BlockReader,
    LineBlock,
    Source,
    file_stem,
    open_binary,
    open_source,
    source_name,
    ungrouped_note,
)
from rankscope.io.letor.fields import BLOCK_SIZE, BlockLines, single_numbers
from rankscope.io.letor.labels import LetorLabels, label_qrels, read_labels
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import Fields, decode
from rankscope.typing import Bools, Floats, PathLike

__all__ = [
    "number_blocks",
    "prediction_run",
    "predictions_from_source",
    "read_letor",
    "read_predictions",
    "scored_run",
]


def read_predictions(path: PathLike) -> Floats:
    """Read a prediction file: one number per line, as float64.

    Parameters
    ----------
    path
        File; "-" is standard input. Compression is detected from the content.

    Returns
    -------
    array
        The numbers.

    Raises
    ------
    InputError
        With file and line: a line is not a finite number or is blank (except at the end), or the file is empty.
    """
    with open_binary(path) as stream:
        return predictions_from_source(open_source(stream, path, None))


def predictions_from_source(source: Source) -> Floats:
    values: list[Floats] = []
    first_blank = 0
    for _, lines, fields, has_more in number_blocks(source):
        blank_rows = np.flatnonzero(fields.lengths == 0)
        filled_rows = np.flatnonzero(fields.lengths) if blank_rows.size else np.arange(fields.starts.size)
        if filled_rows.size and (first_blank or (blank_rows.size and blank_rows[0] < filled_rows[-1])):
            number = first_blank or lines.first_line + int(blank_rows[0])
            raise InputError(
                f"{source.name}:{number}: a blank line, expected one number per line; remove it, or "
                "write the prediction of that document"
            )
        if blank_rows.size and not first_blank:
            first_blank = lines.first_line + int(blank_rows[0])
        values.append(finite_numbers(fields.take(filled_rows), has_more[filled_rows], lines, source.name))
    predictions = np.concatenate(values)
    if not predictions.size:
        raise InputError(f"{source.name}: no data, only blank lines; expected one number per line")
    return predictions


def number_blocks(source: Source) -> Iterator[tuple[LineBlock, BlockLines, Fields, Bools]]:
    """Each block of a file of one number a line, its lines, and their fields as by `single_numbers`."""
    reader = BlockReader(source, source.name, BLOCK_SIZE, skip_blank=False)
    block = reader.next()
    while block is not None:
        yield (block, *single_numbers(block))
        block = reader.next(block.end)


def finite_numbers(fields: Fields, has_more: Bools, lines: BlockLines, name: str) -> Floats:
    """The numbers of consecutive lines. Raises InputError for anything else."""
    values, invalid = parse_floats(fields)
    is_valid = np.isfinite(values) & ~has_more
    is_valid[invalid] = False
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        description = (
            "more than one field" if has_more[row] else repr(decode_id(decode(fields.take(np.array([row])))[0]))
        )
        raise InputError(
            f"{name}:{lines.first_line + row}: {description}, expected one finite number per line; correct this line"
        )
    return values


def prediction_run(labels: LetorLabels, path: PathLike, *, ranks: bool = False, name: str | None = None) -> Run:
    """The documents of the labels, scored by a prediction file.

    Parameters
    ----------
    labels
        The labels.
    path
        File of predictions.
    ranks
        Whether the file holds rank positions (1 is best); the score is their negative.
    name
        Name of the system. Default: the file's name without suffix.

    Returns
    -------
    Run
        Documents with one score keep the order of the lines. Lines of a query that are not together are merged, with a
        note.

    Raises
    ------
    InputError
        The file cannot be read, its number of predictions differs, or a rank is below 1.
    """
    return scored_run(labels, read_predictions(path), path, ranks, name)


def scored_run(labels: LetorLabels, values: Floats, path: PathLike, ranks: bool, name: str | None = None) -> Run:
    input_name = source_name(path)
    if values.size != len(labels):
        raise InputError(
            f"{input_name}: {values.size} predictions for the {len(labels)} documents of {labels.name}, expected one "
            "per document in the order of its lines; check that the two files belong together"
        )
    if ranks:
        if (values < 1).any():
            row = int(np.argmax(values < 1))
            raise InputError(
                f"{input_name}:{row + 1}: rank {values[row]:g}, expected ranks from 1, the best; correct this line"
            )
        values = -values
    rows, n_ungrouped = labels.rows(values, "run")
    notes = (ungrouped_note(labels.name, n_ungrouped),) if n_ungrouped else ()
    id_note = labels.documents[2]
    return Run.from_rows(rows, name=name or file_stem(path), notes=(*notes, id_note) if id_note else notes)


def read_letor(labels: PathLike, predictions: PathLike, *, ranks: bool = False) -> tuple[Qrels, Run]:
    r"""Read a label file and its prediction file as judgments and a run. Evaluate them with ties="file".

    Parameters
    ----------
    labels
        Label file.
    predictions
        File of predictions.
    ranks
        Whether it holds rank positions (1 is best).

    Returns
    -------
    qrels, run
        Judgments and run.

    Raises
    ------
    InputError
        With file and line: a file cannot be read, or lengths differ.

    Notes
    -----
    For several prediction files, call `read_labels` and `label_qrels` once, and `prediction_run` for each.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankscope as rs
    >>> with TemporaryDirectory() as folder:
    ...     test, predicted = Path(folder, "test.txt"), Path(folder, "svm.txt")
    ...     _ = test.write_text("2 qid:10 1:0.5\n0 qid:10 1:0.1\n1 qid:10 1:0.2\n")
    ...     _ = predicted.write_text("0.1\n0.3\n0.2\n")
    ...     qrels, run = read_letor(test, predicted)
    >>> rs.evaluate(qrels, run, "AP", ties="file").overall("AP")  # (1/2 + 2/3) / 2
    0.5833333333333333
    """
    letor_labels = read_labels(labels)
    return label_qrels(letor_labels), prediction_run(letor_labels, predictions, ranks=ranks)
