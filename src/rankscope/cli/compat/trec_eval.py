"""`rankscope trec_eval`: trec_eval's command line and output."""

from __future__ import annotations

import sys
from typing import Any

import click

from rankscope.cli._groups import HELP_OPTIONS
from rankscope.cli._output import write_output
from rankscope.compat.trec_eval import JUDGMENT_KINDS, VERSIONS, MissingQuery, Options
from rankscope.compat.trec_eval import trec_eval as run_trec_eval

__all__ = [
    "trec_eval",
]


#: What --version prints for each preset.
VERSION_NAMES = {"trec_eval": "10.0", "trec_eval-9": "9.0.8"}


class TrecEvalCommand(click.Command):
    """Accepts the beginning of a long option for the option, as getopt does; its help explains -R and -m, too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = [self.whole_option(ctx, arg) for arg in args]
        ctx.obj = self.make_parser(ctx).parse_args(args=list(args))[0]  # for options that end the command early
        return super().parse_args(ctx, args)

    def whole_option(self, ctx: click.Context, argument: str) -> str:
        """The argument, with the one long option that begins with it."""
        name, equals, value = argument.partition("=")
        if not name.startswith("--") or name == "--":
            return argument
        options = [flag for parameter in self.get_params(ctx) for flag in parameter.opts if flag.startswith(name)]
        return options[0] + equals + value if len(options) == 1 else argument

    def get_help(self, ctx: click.Context) -> str:
        options = ctx.obj or {}
        kind, version = options.get("judgments") or JUDGMENT_KINDS[0], options.get("version") or VERSIONS[0]
        if kind not in JUDGMENT_KINDS or version not in VERSIONS:
            return super().get_help(ctx)
        from rankscope.cli.compat.trec_eval_help import explain_files_and_measures

        details = explain_files_and_measures(kind, options.get("measures") or (), version)
        return f"{super().get_help(ctx)}\n\n{details}"


def print_version(ctx: click.Context, parameter: click.Parameter, is_given: bool) -> None:
    """Print the version of trec_eval whose output this is on standard error, as the tool does."""
    if is_given:
        version = (ctx.obj or {}).get("version") or VERSIONS[0]
        click.echo(f"trec_eval version {VERSION_NAMES.get(version, version)}", err=True)
        ctx.exit()


def split_debug_level(ctx: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """The query of LEVEL.QUERY. Raises click.BadParameter for a level that is no number."""
    level, dot, query = (text or "0").partition(".")
    if not level.isdecimal():
        raise click.BadParameter(f"{text!r} is not a valid level; expected a number, as in 1 or 1.QUERY")
    return query if dot else None


@click.command(cls=TrecEvalCommand, context_settings={"help_option_names": list(HELP_OPTIONS)})
@click.argument("qrels")
@click.argument("run")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    default=["official"],
    show_default=True,
    metavar="MEASURE",
    help="A measure, a nickname (official, all_trec, set, all_prefs, prefs, qrels_jg), or one with parameters: "
    "ndcg_cut.10,20. May be repeated.",
)
@click.option("-q", "--query_eval_wanted", "by_query", is_flag=True, help="Also print each query.")
@click.option(
    "-c",
    "--complete_rel_info_wanted",
    "complete",
    is_flag=True,
    help="Average over all queries of QRELS; queries missing from RUN score as empty.",
)
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Print no summary.")
@click.option(
    "-l",
    "--level_for_rel",
    "level",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Lowest grade that counts as relevant.",
)
@click.option(
    "-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Remove documents without a judgment first."
)
@click.option(
    "-N",
    "--Number_docs_in_coll",
    "collection_size",
    type=click.IntRange(min=0),
    metavar="N",
    help="Size of the collection; 0 if it is not known.",
)
@click.option(
    "-M",
    "--Max_retrieved_per_topic",
    "depth",
    type=click.IntRange(min=0),
    metavar="N",
    help="Only the first N documents of each query.",
)
@click.option(
    "-R",
    "--Rel_info_format",
    "judgments",
    type=click.Choice(list(JUDGMENT_KINDS)),
    default=JUDGMENT_KINDS[0],
    show_default=True,
    help="What QRELS holds: grades, grades of several groups of people, preferences, or grades taken as preferences.",
)
@click.option(
    "-T",
    "--Results_format",
    "results",
    type=click.Choice(["trec_results"]),
    default="trec_results",
    show_default=True,
    help="What RUN holds.",
)
@click.option(
    "-Z",
    "--Zscore",
    "zscores",
    metavar="FILE",
    help="Print z-scores. FILE has lines of query, measure, mean and standard deviation.",
)
@click.option("-o", "old_output", is_flag=True, help="Accepted, and has no effect, as in the tool.")
@click.option(
    "--Output_old_results_format",
    "old_output_format",
    metavar="X",
    help="Accepted with any value, and has no effect, as in the tool.",
)
@click.option(
    "-D",
    "--Debug_level",
    "query",
    metavar="LEVEL[.QUERY]",
    callback=split_debug_level,
    help="Debugging level, which is accepted and has no effect; with QUERY, only this query is evaluated.",
)
@click.option(
    "-v",
    "--version",
    "show_version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Print the version of trec_eval that is followed, on standard error.",
)
@click.option(
    "--preset",
    "version",
    type=click.Choice(list(VERSIONS)),
    default="trec_eval",
    show_default=True,
    help="Version: 10.0 (trec_eval), or 9.0.8 (trec_eval-9).",
)
def trec_eval(qrels: str, run: str, measures: tuple[str, ...], no_summary: bool, **options: Any) -> None:
    """Evaluate as trec_eval does, with the same options and the same output.

    Exit code 4: a query of QRELS is missing from RUN, and -c was not given (version 10.0). With -m and -R, --help
    explains these measures and judgments.

    \b
    rankscope trec_eval -q -c -m map -m ndcg_cut.10 demo.qrels dense.run
    """
    for name in ("results", "old_output", "old_output_format"):
        del options[name]  # there is one format of runs, and the old output no longer exists
    try:
        text = run_trec_eval(
            qrels, run, measures, options=Options(summary=not no_summary, **options), notify=print_note
        )
        write_output(text, None)
    except MissingQuery as error:
        click.echo(str(error), err=True)
        sys.exit(4)


def print_note(note: str) -> None:
    click.echo(f"rankscope: note: {note}", err=True)
