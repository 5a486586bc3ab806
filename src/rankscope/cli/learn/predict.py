"""`rankscope predict`."""

from __future__ import annotations

from typing import NoReturn

import click
import numpy as np

from rankscope.cli._output import bytes_progress, check_output, write_output
from rankscope.data.features import Features
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import compress, file_stem, split_compression_suffix, write_chunks
from rankscope.io.letor import locate_row, read_features
from rankscope.learning.features import match_file
from rankscope.learning.model_files import load_ranker
from rankscope.learning.ranker import Ranker
from rankscope.learning.scaling import logarithms

__all__ = [
    "predict",
]


#: Documents that are looked at at once.
DOCUMENTS_AT_ONCE = 1 << 14


@click.command()
@click.argument("model")
@click.argument("test_file", metavar="TEST")
@click.option("-o", "--output", metavar="FILE", help="Write there instead of printing; whole or not at all.")
@click.option("--cache", is_flag=True, help="Keep a binary copy beside TEST, and read it the next time.")
@click.option(
    "--metric",
    metavar="NAME",
    help="TEST is a table of `rankscope features mt`: write lines of seg.scr, for `agree segments`, under this name.",
)
def predict(model: str, test_file: str, output: str | None, cache: bool, metric: str | None) -> None:
    """Score the documents of TEST with MODEL: one score a line, in the order of the lines of TEST.

    Higher is better. Features are found by their numbers, or, in tables, by the names of their columns; tables need no
    column of grades. FILE is compressed where it ends in .gz or .zst.

    \b
    rankscope train demo-train.txt --hidden 0 -o my.model
    rankscope predict my.model demo-test.txt -o scores.txt
    rankscope evaluate demo-test.txt scores.txt --input letor
    """
    check_output(output, (model, test_file))
    ranker = load_ranker(model)
    if metric is not None:
        if cache:
            raise ParameterError("--cache is for documents, and --metric for translations; leave one of them out")
        from rankscope.translation import read_translation_features, score_translations, seg_score_lines

        scored = score_translations(ranker, read_translation_features(test_file), metric)
        write_score_text("".join(seg_score_lines(scored, file_stem(test_file))), output)
        return
    with bytes_progress((test_file,), "reading features") as progress:
        # A cache is kept for training, too, and holds what that needs; what it lacks is refused there.
        features = read_features(test_file, cache=cache or None, relevance="optional", progress=progress)
    features = match_file(test_file, features, ranker.feature_names_)
    try:
        scores = ranker.predict(features)
    except InputError as error:
        refuse_with_line(test_file, features, ranker, error)
    write_score_text("".join(f"{score!r}\n" for score in scores.tolist()), output)
    for note in features.notes:
        click.echo(f"note: {note}", err=True)


def write_score_text(text: str, output: str | None) -> None:
    """Print, or write: compressed where the name says so."""
    packed = split_compression_suffix(output or "")[1]
    if output is not None and packed:
        write_chunks(output, compress([text.encode()], packed))
    else:
        write_output(text, output)


def refuse_with_line(path: str, features: Features, ranker: Ranker, error: InputError) -> NoReturn:
    """Raise for a number that cannot be scaled as the model does, with its line; else the error as it is."""
    scaling = getattr(ranker, "scaling_", None)
    if scaling is None:  # trees and blends have none of their own
        raise error
    n = features.values.shape[1]  # behind them may be those of ranks, which are never far
    logged, mean, deviation = scaling.logged[:n], scaling.mean[:n], scaling.deviation[:n]
    for start in range(0, len(features), DOCUMENTS_AT_ONCE):
        part = features.values[start : start + DOCUMENTS_AT_ONCE]
        with np.errstate(all="ignore"):  # what is no number is what is looked for
            scaled = (logarithms(part, logged) - mean) / deviation
            far = ~np.isfinite(scaled.astype(np.float32)) & (deviation > 0)
        if far.any():
            row, column = map(int, np.argwhere(far)[0])
            place = start + row if features.order is None else int(features.order[start + row])
            raise InputError(
                f"{locate_row(path, place)}: feature {features.names[column]!r} is {part[row, column]:g}, too far "
                "from the numbers that the model was trained on to be scored; correct it"
            ) from None
    raise error
