"""`rankscope features`: the table of its commands."""

from __future__ import annotations

import click

from rankscope.cli._groups import LazyGroup

__all__ = [
    "features",
]


#: Command -> its import path, and a line for the overview.
COMMANDS = {
    "mt": ("rankscope.cli.features.mt:mt", "Features of translations: n-grams, language model, lexicon."),
    "runs": (
        "rankscope.cli.features.runs:runs",
        "Features of documents: their scores and ranks in runs, so that rankers can fuse them.",
    ),
    "importance": (
        "rankscope.cli.features.importance:importance",
        "Importance of features: what a trained ranker loses without each.",
    ),
    "lm": ("rankscope.cli.features.models:lm", "Train a language model on text."),
    "lexicon": ("rankscope.cli.features.models:lexicon", "Train a lexicon (IBM model 1) on parallel text."),
}


class FeatureCommands(LazyGroup):
    """The commands of `rankscope features`."""

    table = COMMANDS


@click.group(cls=FeatureCommands, invoke_without_command=True)
@click.pass_context
def features(context: click.Context) -> None:
    """Make features for rankers, and the models that the features need; say what features are worth to a ranker.

    \b
    rankscope features runs demo.qrels bm25.run dense.run -o both.txt
    rankscope features mt --help                                       what a command takes
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
