"""`rankscope predict`."""

from __future__ import annotations

import click

from rankscope.cli.options import check_output
from rankscope.cli.output import bytes_progress, show
from rankscope.io.features import read_features
from rankscope.learning.saved import load_ranker

__all__ = ["predict"]


@click.command()
@click.argument("model")
@click.argument("test_file", metavar="TEST")
@click.option("-o", "--output", metavar="FILE", help="Write there instead of printing; whole or not at all.")
@click.option("--cache", is_flag=True, help="Keep a binary copy beside TEST, and read it the next time.")
def predict(model: str, test_file: str, output: str | None, cache: bool) -> None:
    """Score the documents of TEST with MODEL: one score a line, in the order of the lines of TEST.

    \b
    rankscope predict listmle.model test.txt -o scores.txt
    rankscope evaluate test.txt scores.txt --input letor
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    check_output(output, (model, test_file))
    ranker = load_ranker(model)
    with bytes_progress((test_file,), "reading features") as progress:
        features = read_features(test_file, n_features=ranker.n_features_in_, cache=cache or None, progress=progress)
    scores = ranker.predict(features)
    show("".join(f"{score!r}\n" for score in scores.tolist()), output)
