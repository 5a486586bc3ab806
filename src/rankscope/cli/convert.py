"""`rankscope convert`: judgments and runs from one format to another."""

from __future__ import annotations

import click

from rankscope.io.convert import convert as convert_file
from rankscope.io.core import FORMATS, KINDS, writable_formats

__all__ = [
    "convert",
]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--to", type=click.Choice(writable_formats()), help="Format of OUT; told by its suffix otherwise.")
@click.option("--input", "input_", type=click.Choice(list(FORMATS)), help="Format of IN; told by content otherwise.")
@click.option("--kind", type=click.Choice(list(KINDS)), help="What IN holds, where its content does not tell.")
@click.option("--labels", metavar="FILE", help="With --input letor: the label file that the predictions of IN are for.")
def convert(source: str, target: str, to: str | None, input_: str | None, kind: str | None, labels: str | None) -> None:
    """Write the judgments or the run in IN to OUT, in another format.

    Suffixes of OUT: .qrels .run .txt .trec .csv .tsv .jsonl .json .parquet .lz4, with .gz or .zst behind them to
    compress. IN is told by content. - is standard input or output.

    \b
    rankscope convert bm25.run bm25.parquet
    rankscope convert demo-letor.txt letor.qrels --input letor
    rankscope convert demo-letor-rerank.txt letor.run --input letor --labels demo-letor.txt
    """
    for note in convert_file(source, target, to=to, input=input_, kind=kind, labels=labels):
        click.echo(f"note: {note}", err=True)
