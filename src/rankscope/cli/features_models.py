"""`rankscope features lm` and `lexicon`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import click

from rankscope.cli.mt_models import read_parallel
from rankscope.cli.options import check_output
from rankscope.cli.output import progress_bar
from rankscope.data.wording import join_names
from rankscope.errors import InputError, ParameterError
from rankscope.io.plain_texts import read_lines
from rankscope.io.streams import check_single_stdin, source_name
from rankscope.learning.mt.kneser_ney import ORDERS, train_language_model
from rankscope.learning.mt.lexicon_files import save_lexicon
from rankscope.learning.mt.lexicon_training import train_lexicon
from rankscope.learning.mt.model_files import save_language_model
from rankscope.learning.mt.tokenisation import sacrebleu_version, tokenised
from rankscope.learning.mt.vocabulary import refuse_reserved

__all__ = ["lexicon", "lm"]


@click.command()
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "-o", "--output", "model", metavar="MODEL", required=True, help="Where it goes: .arpa, or any other name."
)
@click.option(
    "--order",
    type=click.IntRange(min(ORDERS), max(ORDERS)),
    default=4,
    show_default=True,
    metavar="N",
    help="Words of the longest n-grams.",
)
@click.option("--tokenised", "split", is_flag=True, help="Words of TEXT stand between blanks; take them as they are.")
@click.option("--repeats", is_flag=True, help="Let a line that stands twice count twice.")
def lm(texts: tuple[str, ...], model: str, order: int, split: bool, repeats: bool) -> None:
    """Train an n-gram language model (modified Kneser-Ney) on TEXTs, a sentence a line; - is standard input.

    Words are in small letters, split as mteval-v13a does, so that they are those of `features mt`. A name that ends
    with .arpa, or .arpa.gz, is a text that other tools read; any other one is binary and read faster.

    \b
    rankscope features lm demo-mt/mt-train/newstest2010/newstest2010.en -o en.lm
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    check_model_output(model, texts)
    if not split:
        sacrebleu_version()
    read = {path: read_lines(path) for path in dict.fromkeys(texts)}
    refuse_empty(read)
    lines = [line for path in texts for line in read[path]]
    if split:
        for path, own in read.items():
            refuse_reserved(map(str.encode, own), partial(place_of_line, path))
    sentences = lines if split else tokenised(lines)
    if not repeats:
        sentences = list(dict.fromkeys(sentences))
    with progress_bar(1.0, "training") as progress:
        found = train_language_model(sentences, order=order, progress=progress)
    save_language_model(found, model)
    report_model(found, found.notes)


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("-o", "--output", "model", metavar="MODEL", required=True, help="Where it goes (binary).")
@click.option(
    "--iterations",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    metavar="N",
    help="Rounds of training (EM).",
)
@click.option("--null/--no-null", default=True, show_default=True, help="An empty word in every source sentence.")
@click.option("--tokenised", "split", is_flag=True, help="Words stand between blanks; take them as they are.")
def lexicon(source: str, target: str, model: str, iterations: int, null: bool, split: bool) -> None:
    """Train IBM model 1: with what probability each word of SOURCE is translated by each of TARGET.

    Line n of both is one segment. Words are in small letters, split as mteval-v13a does.

    \b
    rankscope features lexicon demo-mt/mt-train/newstest2010/newstest2010.de \\
        demo-mt/mt-train/newstest2010/newstest2010.en -o de-en.lexicon
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    check_model_output(model, (source, target))
    if not split:
        sacrebleu_version()
    sources, targets = read_parallel((source, target), split=split)
    with progress_bar(1.0, "training") as progress:
        found = train_lexicon(sources, targets, iterations=iterations, null=null, progress=progress)
    save_lexicon(found, model)
    report_model(found, ())


def refuse_empty(read: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError for files without a word, which it names."""
    if not any(line.strip() for lines in read.values() for line in lines):
        raise InputError(f"{join_names([source_name(path) for path in read])}: no words, expected text to learn from")


def place_of_line(path: str, i: int) -> str:
    """How an error names a line of a file, counted from 0."""
    return f"{source_name(path)}:{i + 1}"


def check_model_output(model: str, inputs: Sequence[str]) -> None:
    """Raise for a model that cannot be written, before anything is read."""
    if model == "-":
        raise ParameterError("a model is no text to be printed; say with -o which file it goes to")
    check_single_stdin(inputs)
    check_output(model, inputs)


def report_model(found: object, notes: Sequence[str]) -> None:
    """What was trained, and what a reader should know."""
    click.echo(repr(found))
    for note in notes:
        click.echo(f"note: {note}", err=True)
