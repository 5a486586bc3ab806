"""`rankscope predict`: score documents or translations with a trained ranker."""

from __future__ import annotations

from typing import NoReturn

import click
import numpy as np

from rankscope.cli._groups import Command
from rankscope.cli._options import output_option
from rankscope.cli._output import bytes_progress, check_output, write_output
from rankscope.cli.learn._ranker_options import cache_option
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


#: Documents that are checked in one block.
DOCUMENTS_AT_ONCE = 1 << 14


@click.command(cls=Command)
@click.argument("model")
@click.argument("test_file", metavar="TEST")
@output_option()
@cache_option
@click.option(
    "--metric",
    metavar="NAME",
    help="For a TEST that `rankscope features mt` wrote: write seg.scr lines for `agree segments` with this metric "
    "name.",
)
def predict(model: str, test_file: str, output: str | None, cache: bool, metric: str | None) -> None:
    """Score the documents of TEST with MODEL: one score per line, in the order of the lines of TEST.

    Higher scores are better. Features are matched by number or, in tables, by column name; tables need no column of
    grades. The output file (-o) is compressed if its name ends in .gz or .zst.

    \b
    rankscope train demo-train.txt --hidden 0 -o my.model
    rankscope predict my.model demo-test.txt -o scores.txt
    rankscope evaluate demo-test.txt scores.txt --input letor
    """
    check_output(output, (model, test_file))
    ranker = load_ranker(model)
    if metric is not None:
        if cache:
            raise ParameterError("--cache is for documents, but --metric is for translations; use one of them")
        from rankscope.translation import read_translation_features, score_translations, seg_score_lines

        segment_scores = score_translations(ranker, read_translation_features(test_file), metric)
        write_score_text("".join(seg_score_lines(segment_scores, file_stem(test_file))), output)
        return
    with bytes_progress((test_file,), "reading features") as progress:
        # Training uses the same cache, which holds what training needs; training refuses what the file lacks.
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
    """Print, or write; compressed if the suffix says so."""
    compression_suffix = split_compression_suffix(output or "")[1]
    if output is not None and compression_suffix:
        write_chunks(output, compress([text.encode()], compression_suffix))
    else:
        write_output(text, output)


def refuse_with_line(path: str, features: Features, ranker: Ranker, error: InputError) -> NoReturn:
    """Raise for a number that the model's scaling takes out of range, with its line; else raise the error as it is."""
    scaling = getattr(ranker, "scaling_", None)
    if scaling is None:  # trees and blends have no scaling
        raise error
    n_features = features.values.shape[1]  # features of ranks may follow, which are never too far
    is_logged, mean, deviation = scaling.logged[:n_features], scaling.mean[:n_features], scaling.deviation[:n_features]
    for first_row in range(0, len(features), DOCUMENTS_AT_ONCE):
        block = features.values[first_row : first_row + DOCUMENTS_AT_ONCE]
        with np.errstate(all="ignore"):  # overflow and NaN are what this looks for
            scaled = (logarithms(block, is_logged) - mean) / deviation
            too_far = ~np.isfinite(scaled.astype(np.float32)) & (deviation > 0)
        if too_far.any():
            row, column = map(int, np.argwhere(too_far)[0])
            row_index = first_row + row if features.order is None else int(features.order[first_row + row])
            raise InputError(
                f"{locate_row(path, row_index)}: feature {features.names[column]!r} is {block[row, column]:g}, too far "
                "from the training data to be scored; correct it"
            ) from None
    raise error
