"""`rankscope predict`."""

from __future__ import annotations

import click

from rankscope.cli.options import check_output
from rankscope.cli.output import bytes_progress, show
from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.io.features import read_features
from rankscope.learning.matched import match_features
from rankscope.learning.saved import load_ranker

__all__ = ["predict"]


@click.command()
@click.argument("model")
@click.argument("test_file", metavar="TEST")
@click.option("-o", "--output", metavar="FILE", help="Write there instead of printing; whole or not at all.")
@click.option("--cache", is_flag=True, help="Keep a binary copy beside TEST, and read it the next time.")
def predict(model: str, test_file: str, output: str | None, cache: bool) -> None:
    """Score the documents of TEST with MODEL: one score a line, in the order of the lines of TEST.

    Higher is better. Features are found by their numbers, or, in tables, by the names of their columns.

    \b
    rankscope predict listmle.model test.txt -o scores.txt
    rankscope evaluate test.txt scores.txt --input letor
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    check_output(output, (model, test_file))
    ranker = load_ranker(model)
    with bytes_progress((test_file,), "reading features") as progress:
        features = read_features(test_file, cache=cache or None, progress=progress)
    try:
        features = match_features(features, ranker.feature_names_)
    except InputError as error:
        refuse_line(test_file, features, ranker.feature_names_, error)
        raise
    scores = ranker.predict(features)
    show("".join(f"{score!r}\n" for score in scores.tolist()), output)
    for note in features.notes:
        click.echo(f"note: {note}", err=True)


def refuse_line(path: str, features: Features, names: tuple[str, ...], error: InputError) -> None:
    """Raise the error with the line at which a feature beyond the model's first stands, where lines have numbers.

    The file is read once more, since only a reader knows its lines; never standard input, which is gone.
    """
    if path == "-" or names != tuple(map(str, range(1, len(names) + 1))) or not features.names[-1].isdecimal():
        return
    try:
        read_features(path, n_features=len(names))
    except InputError as found:
        place, known, _ = str(found).partition(": feature ")
        if known:
            raise InputError(f"{place}: {str(error).partition(': ')[2]}") from None
