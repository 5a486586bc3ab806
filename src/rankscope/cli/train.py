"""`rankscope train`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import click

from rankscope.cli.options import check_output
from rankscope.cli.output import bytes_progress, progress_bar
from rankscope.cli.ranker_options import ranker_of, ranker_options, ranker_parameters
from rankscope.cli.results import printing_options, take_showing
from rankscope.errors import ParameterError
from rankscope.io.features import read_features
from rankscope.learning.learned import Training
from rankscope.learning.losses.named import LOSSES
from rankscope.learning.matched import match_file
from rankscope.learning.saved import check_saving, save_ranker

__all__ = ["train"]


@click.command()
@click.argument("train_file", metavar="TRAIN")
@click.option("--valid", metavar="FILE", help="Lists that say when to stop and which epoch to keep.")
@click.option(
    "--loss",
    default="listnet",
    show_default=True,
    metavar="LOSS",
    help=f"What is minimised, with parameters as in lambdaloss(kind='2'). Losses: {', '.join(LOSSES)}; "
    "lambdamart grows trees, as in lambdamart(objective='listnet', leaves=15); torch:LOSS trains by PyTorch.",
)
@click.option("-o", "--output", "model", metavar="MODEL", required=True, help="Where the model goes (safetensors).")
@click.option("--cache", is_flag=True, help="Keep a binary copy beside each file, and read it the next time.")
@ranker_options
@printing_options
def train(train_file: str, valid: str | None, loss: str, model: str, cache: bool, **options: Any) -> None:
    """Learn to rank from TRAIN: LETOR or SVMlight with qid, CSV, TSV, JSONL or Parquet.

    \b
    rankscope train train.txt --valid vali.txt --loss listmle -o listmle.model
    rankscope predict listmle.model test.txt -o scores.txt
    rankscope evaluate test.txt scores.txt --input letor
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    showing = take_showing(options)
    files = [train_file, *([valid] if valid is not None else [])]
    ranker = ranker_of(loss, ranker_parameters(options))
    ranker.check()
    showing.check(files)
    check_saving()
    if model == "-":
        raise ParameterError("a model is no text to be printed; say with -o which file it goes to")
    check_output(model, files)
    if showing.plot is not None and os.path.realpath(showing.plot) == os.path.realpath(model):
        raise ParameterError(f"{model}: is to hold the model and the figure both; name two files")
    with bytes_progress(files, "reading features") as progress:
        read = [read_features(path, cache=cache or None, progress=progress) for path in files]
    data, held = read[0], None if valid is None else match_file(valid, read[1], read[0].names)
    if held is not None and valid is not None and os.path.exists(valid) and os.path.samefile(valid, train_file):
        told = f"{valid} is TRAIN and --valid both: what it says of when to stop is of lists that were learned by heart"
        held = replace(held, notes=(told,), where=None)  # the others are told once, of TRAIN
    try:
        with progress_bar(ranker.rounds * ranker.models, "training") as progress:
            ranker.fit(data, eval_set=held, progress=progress)
    except MemoryError as error:
        smaller = "fewer leaves" if ranker.rounds != ranker.epochs else "a smaller --hidden or --batch-lists"
        raise ParameterError(
            f"there is not memory enough to train so on {len(data)} documents ({error or 'no more is to be had'}); try "
            f"{smaller}"
        ) from None
    result = Training(ranker=ranker, train=data, valid=held)
    save_ranker(ranker, model, signature=result.signature())
    showing.show(result)
