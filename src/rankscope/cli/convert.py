"""`rankscope convert`: judgments and runs from one format to another."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command
from rankscope.cli._options import columns_option, input_option, to_option
from rankscope.cli._setting_options import setting_options
from rankscope.data.chunks import MergingSettings
from rankscope.data.entities import EntityRankSettings
from rankscope.io.convert import convert as convert_file
from rankscope.io.core import KINDS

__all__ = [
    "convert",
]


@click.command(cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@to_option("Format of OUT. Default: by its suffix.")
@input_option("Format of IN. Default: detected from its content.", name="input")
@columns_option
@click.option("--kind", type=click.Choice(list(KINDS)), help="What IN contains, if its content does not show it.")
@click.option(
    "--labels", metavar="FILE", help="With --input letor: the label file to which the predictions in IN belong."
)
@click.option(
    "--ideal", is_flag=True, help="Write the best order possible of the judgments in IN as a run, by falling grade."
)
@click.option(
    "--relevant",
    metavar="FILE",
    help="File with the ids of the relevant items, a line each: IN is then a table with a line for each item and a "
    "column for the scores of each system, and OUT a table of the ranks of the relevant items.",
)
@setting_options(EntityRankSettings, hint="Needs --relevant.")
@setting_options(MergingSettings)
def convert(source: str, target: str, **options: Any) -> None:
    """Convert the judgments or the run in IN to another format, and write them to OUT.

    Suffixes of OUT: .qrels .run .txt .trec .csv .tsv .jsonl .json .parquet .lz4, and .gz or .zst after them to
    compress. The format of IN is detected from its content. - is standard input or output.

    \b
    rankscope convert bm25.run bm25.parquet
    rankscope convert demo-letor.txt letor.qrels --input letor
    rankscope convert demo.qrels ideal.run --ideal
    rankscope convert demo-letor-rerank.txt letor.run --input letor --labels demo-letor.txt
    """
    systems = options.pop("table_systems")
    for note in convert_file(source, target, systems=systems or (), **options):
        click.echo(f"note: {note}", err=True)
