"""`rankscope leaderboard`: an order of systems by preferences between them."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._leaderboard_input import INPUTS, read_leaderboard_data
from rankscope.cli._output import progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._sampling_options import CONFIDENCE_LEVEL, resamples_option, seed_option
from rankscope.consensus.leaderboards import FEWEST, INTERVALS, MODELS, SCALES, UNRANKED_CHOICES
from rankscope.consensus.leaderboards import leaderboard as make_board
from rankscope.data.rankings import Rankings
from rankscope.errors import ParameterError

__all__ = [
    "leaderboard",
]


@click.command()
@click.argument("file")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default=MODELS[0],
    show_default=True,
    help="A tie is half a win of each (bradley-terry), or an outcome of its own (davidson); plackett-luce is for votes "
    "on many systems at once.",
)
@click.option(
    "--covariate",
    "covariates",
    multiple=True,
    metavar="NAME",
    help="A column whose effect is taken out, as of lengths; or NAME of NAME_left and NAME_right. May be repeated.",
)
@click.option("--position", is_flag=True, help="Take out what standing left does.")
@click.option("--unit", metavar="COLUMN", help="Whose comparisons hang together, as prompt: whole units are resampled.")
@click.option("--winner", metavar="COLUMN", help="The column of the winner, where it has no usual name.")
@click.option("--column", metavar="NAME", help="Of rankings: the column that says who is better (people's by default).")
@click.option("--pair", metavar="LANGPAIR", help="Of rankings: keep this language pair, as cs-en.")
@click.option("--higher", is_flag=True, help="Of rankings: that column holds scores, of which higher is better.")
@click.option("-m", "--measure", metavar="NAME", help="Of scores: by what systems are compared, query by query.")
@click.option(
    "--unranked",
    type=click.Choice(UNRANKED_CHOICES),
    default=UNRANKED_CHOICES[0],
    show_default=True,
    help="Of votes: whether who left systems out chose among the others only (ignore), or puts them last (worst).",
)
@click.option(
    "--prior",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    metavar="N",
    help="Add N wins and N losses to every system, against one of average strength.",
)
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default=SCALES[0],
    show_default=True,
    help="Ratings: Elo's points, logarithms of odds, or wins of 100 comparisons.",
)
@click.option(
    "--interval",
    type=click.Choice(INTERVALS),
    default=INTERVALS[0],
    show_default=True,
    help="By resampling, or quicker from the information matrix, as if all comparisons were independent.",
)
@CONFIDENCE_LEVEL
@resamples_option(1000, "Of the bootstrap, or draws by the information matrix.", minimum=FEWEST)
@seed_option()
@click.option("--input", "kind", type=click.Choice(INPUTS), help="What FILE holds. Default: told by its content.")
@click.option("--details", is_flag=True, help="Show what a page folds away, too.")
@result_options
def leaderboard(
    file: str,
    kind: str | None,
    column: str | None,
    higher: bool,
    details: bool,
    covariates: tuple[str, ...],
    **options: Any,
) -> None:
    """Say who leads, how sure that is, and who cannot be told apart, by who was preferred to whom.

    FILE: comparisons of two, a table (CSV, TSV, JSON lines, Parquet) with the columns left, right and winner (one of
    the two, or tie), or better and worse; or people's rankings, as `agree segments` reads them; or scores that
    `evaluate` saved or wrote with --by-query; or, for --model plackett-luce, votes as `consensus` reads them.

    \b
    rankscope leaderboard demo-preferences.csv --covariate length --position --unit prompt
    rankscope leaderboard demo-answers.csv --model davidson
    rankscope evaluate demo.qrels *.run --by-query --format csv -o scores.csv
    rankscope leaderboard scores.csv -m nDCG@10
    """
    result_output = pop_result_output(options)
    result_output.check((file,))
    multiway = options["model"] == "plackett-luce"
    data = read_leaderboard_data(file, kind, multiway=multiway, column=column, higher=higher)
    if higher and not isinstance(data, Rankings):
        raise ParameterError("--higher is for a column of rankings, and these are none; leave it out")
    with progress_bar(1.0, "resampling") as progress:
        board = make_board(data, covariates=covariates, column=column, progress=progress, **options)
    result_output.show(board, details=details)
