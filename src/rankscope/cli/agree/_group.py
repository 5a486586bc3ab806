"""`rankscope agree`: the table of its commands."""

from __future__ import annotations

import click

from rankscope.cli._groups import LazyGroup

__all__ = [
    "agree",
]


#: The commands: name -> import path, and a line for the overview.
COMMANDS = {
    "judgments": (
        "rankscope.cli.agree.judgments:judgments",
        "Two sets of judgments, such as those of people and an LLM.",
    ),
    "labels": ("rankscope.cli.agree.labels:labels", "Predicted labels against true ones, from a table."),
    "measures": ("rankscope.cli.agree.measures:measures", "Measures against each other: do they rank systems alike?"),
    "ranks": ("rankscope.cli.agree.ranks:ranks", "Predicted rankings against human rankings (RankEval), or two runs."),
    "segments": (
        "rankscope.cli.agree.segments:segments",
        "Metrics against people: which translation of a segment is better?",
    ),
    "systems": ("rankscope.cli.agree.systems:systems", "Metrics against people: which system is better?"),
    "metrics": (
        "rankscope.cli.agree.metrics:metrics",
        "Metrics against each other: which agree best with people, and which differ significantly?",
    ),
    "raters": (
        "rankscope.cli.agree.raters:raters",
        "Inter-annotator agreement: people with each other and with themselves.",
    ),
    "favour": ("rankscope.cli.agree.favour:favour", "Judges against people: does a judge favour systems of a family?"),
    "wmt12": ("rankscope.cli.agree.wmt12:wmt12", "Published results of WMT12, reproduced from its files."),
}


class AgreeCommands(LazyGroup):
    """The commands of `rankscope agree`."""

    table = COMMANDS


@click.group(cls=AgreeCommands, invoke_without_command=True)
@click.pass_context
def agree(context: click.Context) -> None:
    """Measure agreement: between judges, between translation metrics and people, between predicted and true labels, and
    between evaluation measures.

    \b
    rankscope agree judgments demo.qrels demo-judge.qrels
    rankscope agree segments --help                    what this command takes
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
