"""Advice on wrong calls: which command, option or value the user may have meant."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from typing import Any

import click

__all__ = [
    "COMMAND_SYNONYMS",
    "OPTION_HINTS",
    "OPTION_SYNONYMS",
    "VALUE_SYNONYMS",
    "advice",
    "single_dash_advice",
]


# Words that other tools use, at most forty in these four tables. Those that `nearest_name` finds need no entry.
#: A word -> the commands that the user may mean, the likeliest first.
COMMAND_SYNONYMS = {
    "score": ("evaluate", "segments"),
    "merge": ("fuse",),
    "combine": ("fuse",),
    "significance": ("compare",),
    "test": ("compare", "ttest"),
    "power": ("plan",),
    "elo": ("leaderboard",),
    "kappa": ("agree", "judgments"),
    "fit": ("train",),
    "cv": ("crossvalidate",),
    "metrics": ("measures",),
}
#: An option of other tools -> the options that the user may mean; a command has one of them or none.
OPTION_SYNONYMS = {
    "--metric": ("--measure",),
    "--metrics": ("--measure",),
    "--significance-level": ("--alpha",),
    "--rng": ("--seed",),
    "--random-state": ("--seed",),
    "--permutations": ("--resamples",),
    "--bootstrap": ("--resamples",),
    "--n-jobs": ("--workers",),
    "--threads": ("--workers",),
    "-q": ("--by-query",),
    "-l": ("--rel",),
    "--threshold": ("--rel",),
    "-k": ("--k", "--depth"),
    "--model": ("--loss", "--method"),
    "--lr": ("--learning-rate",),
    "--early-stopping": ("--patience",),
}
#: Options, an option that the command must have (or nothing), and a hint if no option of the command is similar.
OPTION_HINTS = (
    (
        ("--k", "-k", "--cutoff", "--cutoffs", "--depth", "--top-k", "-M"),
        "--measure",
        "a cutoff is part of a measure's name: -m nDCG@10",
    ),
    (
        ("--qrels", "--run", "--runs", "--file", "--scores"),
        "",
        "name files without an option, in the order that the help shows",
    ),
    (("-c",), "--missing", "queries missing from a run already score as empty (--missing zero)"),
    (("--json", "--csv", "--tsv", "--jsonl", "--latex", "--markdown", "--html"), "--format", "write --format {}"),
    (("-J",), "--unjudged", "write --unjudged skip to skip documents without a judgment"),
    (("--confidence", "--confidence-level", "--ci"), "--correction", "--alpha 0.05 gives 95 % intervals"),
)
#: A value in lower case without punctuation -> the values that the user may mean; an option has one of them or none.
VALUE_SYNONYMS = {
    "ttest": ("t",),
    "randomization": ("permutation",),
    "fdr": ("bh",),
    "kendall": ("kendall_b",),
    "libsvm": ("letor",),
    "skip": ("drop",),
    "gpu": ("cuda",),
}
#: Options whose values are written behind each other's.
MISTAKEN_OPTIONS = {"test": "correction", "correction": "test"}
#: click's messages for an unknown command or option, and for a value that is not among the choices or not a number.
UNKNOWN = re.compile(r"No such (command|option):? (['\"]?)(.*?)\2\.?", re.DOTALL)
NOT_A_CHOICE = re.compile(r"(?P<value>(['\"]).*\2) is not .*", re.DOTALL)
#: A long option with a single dash.
SINGLE_DASH = re.compile("-[a-z][a-z-]{3,}")
PERCENT = re.compile(r"'([0-9]+(?:\.[0-9]+)?) ?%'")
#: The longest list of values that a message shows in full; how many values it shows of a longer one.
MAX_FULL_LIST, N_SHOWN_OF_LONG_LIST = 16, 8


def advice(error: click.ClickException, arguments: Sequence[str], top: click.Group) -> str:
    """The error's message with a suggestion and the command that shows help.

    arguments: those of the whole call. They tell the command if click's error does not.
    """
    context: click.Context | None = getattr(error, "ctx", None)
    message = error.format_message().rstrip(".")
    unknown = UNKNOWN.fullmatch(error.message)
    if unknown is not None and context is not None:
        kind, _, name = unknown.groups()
        message = single_dash_advice(arguments, top) or f"No such {kind} '{name}'{name_advice(kind, name, context)}"
    elif isinstance(error, click.BadParameter) and error.param is not None:
        message = message[: len(message) - len(error.message.rstrip("."))] + value_advice(
            error.message, error.param.type, option_of_value(error)
        )
    path = context.command_path if context is not None else command_path(arguments, top)
    return f"{message}{' See' if message.endswith('?') else '; see'} `{path} --help`"


def single_dash_advice(arguments: Sequence[str], top: click.Group) -> str:
    """What is wrong with a long option with one dash, `-measure AP`, which click reads as `-m easure`; else ""."""
    command = invoked_command(arguments, top)
    flags = [flag for option in command.params for flag in option.opts if flag.startswith("--")]
    for argument in arguments:
        name = argument.partition("=")[0]
        if not SINGLE_DASH.fullmatch(name):
            continue
        intended = next(
            (candidate for candidate in (f"-{name}", *OPTION_SYNONYMS.get(f"-{name}", ())) if candidate in flags), None
        )
        if intended is not None:
            return f"{name} is read as {name[:2]} {name[2:]}; write {intended}, with two dashes"
    return ""


def invoked_command(arguments: Sequence[str], top: click.Group) -> click.Command:
    """The command that was called."""
    command: click.Command = top
    for name in command_path(arguments, top).split()[1:]:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name) or command
    return command


def command_path(arguments: Sequence[str], top: click.Group) -> str:
    """The command that was called, as `rankscope agree labels`."""
    path, command, context = ["rankscope"], top, click.Context(top)
    for name in arguments:
        subcommand = command.get_command(context, name) if name in command.list_commands(context) else None
        if subcommand is None:
            break
        path.append(name)
        if not isinstance(subcommand, click.Group):
            break
        command = subcommand
    return " ".join(path)


def name_advice(kind: str, name: str, context: click.Context) -> str:
    """Suggest the nearest name. Without one, list all commands, but not all options, which are many."""
    if kind == "option":
        flags = [
            flag for option in context.command.get_params(context) for flag in option.opts if flag.startswith("--")
        ]
        hints = [
            hint
            for names, required_flag, hint in OPTION_HINTS
            if name in names and (not required_flag or required_flag in flags)
        ]
        # No similar name beside a hint: --qrels is similar to --rel.
        suggestion = nearest_name(name, flags, OPTION_SYNONYMS.get(name, ()), allow_similar=not hints)
        if suggestion is not None:
            return f"; did you mean '{suggestion}'?"
        return "".join(f"; {hint.format(name.strip('-'))}" for hint in hints)
    group = context.command
    commands = group.list_commands(context) if isinstance(group, click.Group) else []
    if os.path.exists(name):
        example = f"{context.command_path} {commands[0]} ..."
        return f", which is a file; the command comes before the files, as `{example}`; {choices_text(commands)}"
    suggestion = nearest_name(name, commands, COMMAND_SYNONYMS.get(name.lower(), ()))
    if suggestion is not None:
        return f"; did you mean '{suggestion}'?"
    if name == "help":
        return f"; write `{context.command_path} --help`, or --help after a command"
    if is_measure(name) and "evaluate" in commands:
        return f"; {name} is a measure, as in `rankscope evaluate QRELS RUN... -m {name}`"
    return f"; {choices_text(commands)}" if commands else ""


def choices_text(names: Sequence[str]) -> str:
    return f"expected {', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else f"expected {names[0]}"


def is_measure(name: str) -> bool:
    from rankscope.errors import ParameterError
    from rankscope.measures.names import parse_measures

    try:
        return bool(parse_measures(name))
    except ParameterError as error:
        return "needs a" in str(error)  # as P, which needs a cutoff


def nearest_name(
    name: str, names: Sequence[str], synonyms: Sequence[str] = (), allow_similar: bool = True
) -> str | None:
    """The nearest of the names: a synonym, one with the same letters, the same beginning or end, or a similar one.

    The dashes before an option are ignored: all share them, which would make any short name similar. allow_similar:
    whether similarity is enough.
    """
    for synonym in synonyms:
        if synonym in names:
            return synonym
    name_of_key = {normalise_name(candidate): candidate for candidate in reversed(names)}
    key = normalise_name(name)
    if key in name_of_key:
        return name_of_key[key]
    if len(key) > 2:
        with_prefix = [candidate for candidate_key, candidate in name_of_key.items() if candidate_key.startswith(key)]
        with_suffix = [candidate for candidate in names if normalise_name(candidate.rpartition(":")[2]) == key]
        if with_prefix or with_suffix:
            return (with_prefix[-1:] or with_suffix)[0]
    similar_keys = difflib.get_close_matches(key, name_of_key, n=1) if allow_similar else []
    return name_of_key[similar_keys[0]] if similar_keys else None


def normalise_name(text: str) -> str:
    """Letters and digits only, in lower case, so that `CombMNZ` equals `comb-mnz`."""
    return re.sub(r"[\W_]", "", text).lower()


def option_of_value(error: click.BadParameter) -> str:
    """The option that is often taken for another, and has the wrong value: `--correction bonferroni`; else ""."""
    match = NOT_A_CHOICE.fullmatch(error.message.rstrip("."))
    options = () if error.ctx is None else error.ctx.command.params
    name = MISTAKEN_OPTIONS.get(str(error.param.name)) if error.param is not None else None
    option = next((option for option in options if option.name == name), None)
    if match is None or option is None or not isinstance(option.type, click.Choice):
        return ""
    value = match["value"][1:-1].lower()
    return f"--{name} {value}" if value in option.type.choices else ""


def value_advice(message: str, param_type: click.ParamType[Any], other_option: str = "") -> str:
    """The message on a wrong value, with what the value has to be, or the option that it belongs to."""
    message = message.rstrip(".")
    match = NOT_A_CHOICE.fullmatch(message)
    if isinstance(param_type, click.Choice) and match is not None:
        choices = [str(choice) for choice in param_type.choices]
        value = match["value"][1:-1]
        suggestion = nearest_name(value, choices, VALUE_SYNONYMS.get(normalise_name(value), ()))
        if suggestion is not None:
            problem = message if len(choices) <= MAX_FULL_LIST else f"{match['value']} is not known"
            return f"{problem}; did you mean '{suggestion}'?"
        if other_option:
            return f"{match['value']} is a value of another option: write {other_option}"
        if len(choices) <= MAX_FULL_LIST:
            return message
        first_choices = ", ".join(map(repr, choices[:N_SHOWN_OF_LONG_LIST]))
        return f"{match['value']} is none of {first_choices} and {len(choices) - N_SHOWN_OF_LONG_LIST} others"
    if isinstance(param_type, (click.types.IntParamType, click.types.FloatParamType)):
        is_integer = isinstance(param_type, click.types.IntParamType)
        range_text = param_type._describe_range() if isinstance(param_type, (click.IntRange, click.FloatRange)) else ""
        if match is not None:
            range_suffix = f" in the range {range_text}" if range_text else ""
            percentage = PERCENT.fullmatch(match["value"])
            hint = ""
            if percentage is not None and not is_integer:
                hint = f"; {percentage[1]} % is {float(percentage[1]) / 100:g}"
            return f"{match['value']} is not a {'whole ' if is_integer else ''}number, expected one{range_suffix}{hint}"
        range_error = re.match(r"(\d+(?:\.\d+)?) is not in the range 0<=?x<=?(?:0\.5|1)(?![\d.])", message)
        if range_error is not None and 2 <= float(range_error[1]) <= 100:
            return f"{message}; {float(range_error[1]):g} % is {float(range_error[1]) / 100:g}"
    return message
