"""`rankscope leaderboard`: an order of systems by preferences between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._leaderboard_input import INPUTS, read_leaderboard_data
from rankscope.cli._options import details_option, given_flags, input_option, score_file_options
from rankscope.cli._output import progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.consensus.leaderboard import LeaderboardSettings, fit_leaderboard
from rankscope.data.rankings import Rankings
from rankscope.data.scores import Scores
from rankscope.data.votes import Votes
from rankscope.errors import ParameterError
from rankscope.evaluation.score_tables import ScoreTableSettings

__all__ = [
    "leaderboard",
]


@click.command(cls=Command)
@click.argument("file")
@option_group(
    "Input",
    input_option("Kind of data in FILE. Default: detected.", INPUTS, name="kind"),
    click.option(
        "--higher",
        is_flag=True,
        help="For rankings and votes: the numbers (of --column) are scores, where higher is better, instead of ranks.",
    ),
)
@option_group("Input", score_file_options)
@option_group("Leaderboard", setting_options(LeaderboardSettings))
@option_group("Output", details_option(), result_options)
def leaderboard(
    file: str,
    kind: str | None,
    higher: bool,
    details: bool,
    **options: Any,
) -> None:
    """Rate systems by preferences: which system leads, and which differences are significant.

    FILE holds comparisons of two systems: a table (CSV, TSV, JSON lines, Parquet) with the columns left, right and
    winner (one of the two, or tie), or better and worse. Or it holds human rankings, as for `agree segments`; scores,
    as for `compare`; or, for --model plackett-luce, votes or ballots, as for `consensus`.

    \b
    rankscope leaderboard demo-preferences.csv --covariate length --position --cluster-by prompt
    rankscope leaderboard demo-answers.csv --model davidson
    rankscope evaluate demo.qrels *.run --by-query --format csv -o scores.csv
    rankscope leaderboard scores.csv -m nDCG@10
    """
    settings, result_output = take_settings(LeaderboardSettings, options), pop_result_output(options)
    result_output.check((file,))
    table_flags = given_flags(ScoreTableSettings.declared())
    data = read_leaderboard_data(file, kind, settings, take_settings(ScoreTableSettings, options), higher=higher)
    if table_flags and not isinstance(data, Scores):
        raise ParameterError(f"{table_flags[0]} is for a file of scores, and {file} is none; leave it out")
    if higher and not isinstance(data, (Rankings, Votes)):
        raise ParameterError("--higher is for rankings and votes, and these are none; leave it out")
    if not isinstance(data, str):
        settings = replace(settings, columns=None)  # the file is read
    with progress_bar(1.0, "resampling") as progress:
        board = fit_leaderboard(data, settings, progress=progress)
    result_output.show(board, details=details)
