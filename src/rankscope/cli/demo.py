"""`rankscope demo`: a small test collection and a tour of the commands."""

from __future__ import annotations

import click

from rankscope.cli._groups import Command
from rankscope.demo.collection import SEED
from rankscope.demo.tour import full_tour, take_tour

__all__ = [
    "demo",
]


@click.command(cls=Command)
@click.argument("directory", metavar="[DIR]", default="rankscope-demo")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=SEED,
    show_default=True,
    metavar="N",
    help="Random seed of the simulation.",
)
@click.option("--overwrite", is_flag=True, help="Replace the demo's files in DIR; other files stay.")
@click.option("--quick", is_flag=True, help="Leave out the page, which takes longer than all else.")
@click.option("--tour", is_flag=True, help="Write nothing; list all commands to try on the demo.")
def demo(directory: str, seed: int, overwrite: bool, quick: bool, tour: bool) -> None:
    """Write a small simulated test collection into DIR (rankscope-demo), evaluate it, and say what to try next.

    \b
    rankscope demo
    rankscope demo --quick --overwrite
    rankscope demo my-demo --seed 7
    """
    text = full_tour() if tour else take_tour(directory, seed, overwrite=overwrite, quick=quick)
    click.echo(text, nl=False)
