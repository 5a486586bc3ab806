"""`rankscope predict`: score documents or translations with a trained ranker."""

from __future__ import annotations

from collections.abc import Iterable

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command
from rankscope.cli._options import columns_option, output_option
from rankscope.cli._output import bytes_progress, check_output, write_output
from rankscope.cli.learn._ranker_options import cache_option
from rankscope.io.core import compress, file_stem, split_compression_suffix, write_chunks
from rankscope.io.letor import read_features
from rankscope.learning.features import match_features, match_file
from rankscope.learning.model_file import load_ranker
from rankscope.learning.ranker import Ranker
from rankscope.settings import excludes

__all__ = [
    "predict",
]


@click.command(cls=Command)
@click.argument("model")
@click.argument("test_file", metavar="TEST")
@output_option()
@columns_option
@depends_on(excludes("metric", reason="a cache is of documents, a metric of translations"), cache_option)
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
        score_segments(ranker, test_file, metric, output)
        return
    with bytes_progress((test_file,), "reading features") as progress:
        # Training uses the same cache, which holds what training needs; training refuses what the file lacks.
        features = read_features(test_file, cache=cache or None, relevance="optional", progress=progress)
    features = match_file(test_file, features, ranker.feature_names_)
    scores = ranker.predict(features)
    write_score_text("".join(f"{score!r}\n" for score in scores.tolist()), output)
    show_notes((*features.notes, *ranker.differences_from_training(features)))


def score_segments(ranker: Ranker, test_file: str, metric: str, output: str | None) -> None:
    """Write scores of translations as seg.scr lines."""
    from rankscope.translation import read_translation_features, score_translations, seg_score_lines
    from rankscope.translation.features import features_by_segment

    tables = read_translation_features(test_file)
    segment_scores = score_translations(ranker, tables, metric)
    write_score_text("".join(seg_score_lines(segment_scores, file_stem(test_file))), output)
    show_notes(ranker.differences_from_training(match_features(features_by_segment(tables), ranker.feature_names_)))


def show_notes(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(f"note: {note}", err=True)


def write_score_text(text: str, output: str | None) -> None:
    """Print, or write; compressed if the suffix says so."""
    compression_suffix = split_compression_suffix(output or "")[1]
    if output is not None and compression_suffix:
        write_chunks(output, compress([text.encode()], compression_suffix))
    else:
        write_output(text, output)
