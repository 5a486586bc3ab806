"""Advice on wrong calls: which name may have been meant, what it is called elsewhere, what a value has to be."""

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


#: A word -> the commands that may be meant, the likeliest first.
COMMAND_SYNONYMS = {
    "score": ("evaluate", "segments"),
    "eval": ("evaluate", "score"),
    "fusion": ("fuse",),
    "merge": ("fuse",),
    "combine": ("fuse",),
    "rrf": ("fuse",),
    "significance": ("compare",),
    "test": ("compare", "ttest"),
    "diff": ("compare",),
    "power": ("plan",),
    "elo": ("leaderboard",),
    "arena": ("leaderboard",),
    "aggregate": ("consensus",),
    "kappa": ("agree", "judgments"),
    "qrels": ("judgments",),
    "correlate": ("agree",),
    "fit": ("train",),
    "cv": ("crossvalidate",),
    "html": ("report",),
    "metrics": ("measures",),
    "metric": ("measures",),
}
#: An option -> those that may be meant here, of which a command has one or none.
OPTION_SYNONYMS = {
    "--metric": ("--measure",),
    "--metrics": ("--measure",),
    "--out": ("--output",),
    "--alpha": ("--level", "--significance", "--sigs"),
    "--significance-level": ("--level", "--significance", "--sigs"),
    "--p-value": ("--level", "--significance"),
    "--rng": ("--seed",),
    "--random-state": ("--seed",),
    "--random-seed": ("--seed",),
    "--n-perm": ("--resamples",),
    "--permutations": ("--resamples",),
    "--n-permutations": ("--resamples",),
    "--bootstrap": ("--resamples",),
    "--n-boot": ("--resamples", "--boot"),
    "--n-jobs": ("--workers",),
    "--jobs": ("--workers",),
    "--threads": ("--workers",),
    "--num-workers": ("--workers",),
    "--processes": ("--workers",),
    "-j": ("--workers",),
    "-q": ("--by-query",),
    "--min-rel": ("--rel",),
    "--relevance-level": ("--rel",),
    "--threshold": ("--rel",),
    "--rel-threshold": ("--rel",),
    "--relevance-threshold": ("--rel",),
    "--binarize": ("--rel",),
    "-l": ("--rel",),
    "--ties-method": ("--ties",),
    "--input-format": ("--input",),
    "--output-format": ("--format",),
    "--lr": ("--learning-rate",),
    "--batch-size": ("--batch-lists",),
    "--effect-size": ("--difference",),
    "--effect": ("--difference",),
    "--delta": ("--difference",),
    "--two-sided": ("--alternative",),
    "--one-sided": ("--alternative",),
    "--human": ("--gold",),
    "--from": ("--input",),
    "--cutoff": ("--cutoffs",),
    "--top-k": ("--depth",),
    "--topk": ("--depth",),
    "--top": ("--depth",),
    "-k": ("--k", "--depth"),
    "--model": ("--loss", "--method"),
    "--ranker": ("--loss",),
    "--objective": ("--loss",),
    "--l2": ("--weight-decay",),
    "--early-stopping": ("--patience",),
    "--normalize": ("--normalise", "--standardise"),
    "--algorithm": ("--loss", "--method"),
}
#: Options, an option that the command must have (or nothing), and what to do where no other option is meant.
OPTION_HINTS = (
    (
        ("--k", "-k", "--cutoff", "--cutoffs", "--depth", "--top-k", "--topk", "--top", "--at", "-M"),
        "--measure",
        "a cutoff is part of a measure's name: -m nDCG@10",
    ),
    (
        ("--qrels", "--run", "--runs", "--judgments", "--file", "--files"),
        "",
        "files are named without an option, in the order that the help shows",
    ),
    (("-c", "--complete"), "--missing", "queries that a run lacks count as empty as it is (--missing zero)"),
    (
        ("--json", "--csv", "--tsv", "--jsonl", "--latex", "--markdown", "--html"),
        "--format",
        "write --format {}",
    ),
    (("-J",), "--unjudged", "documents without judgment are left out by --unjudged skip"),
    (
        ("--confidence", "--confidence-level", "--ci"),
        "--correction",
        "intervals follow from --level: 0.05 for those that hold in 95 % of cases",
    ),
    (("--paired",), "--correction", "systems are compared query by query as it is; leave it out"),
    (("--test",), "--valid", "`rankscope predict` scores a test file, and `rankscope evaluate` measures that"),
    (("--kappa",), "--beta", "it is among what is shown; leave it out"),
    (("--decimals", "--digits", "--precision", "--round"), "--format", "--format csv and json have all digits"),
    (("--version",), "", "write `rankscope --version`"),
    (("--list",), "", "all are listed as it is; leave it out"),
    (("--verbose", "-v", "--debug", "--quiet"), "", "all there is to say is said; leave it out"),
)
#: A value in small letters without signs -> the values that may be meant, of which an option has one or none.
VALUE_SYNONYMS = {
    "ttest": ("t",),
    "pairedt": ("t",),
    "student": ("t",),
    "anova": ("tukey",),
    "randomization": ("permutation",),
    "randomisation": ("permutation",),
    "fisher": ("permutation",),
    "fdr": ("bh",),
    "fdrbh": ("bh",),
    "benjaminihochberg": ("bh",),
    "bonf": ("bonferroni",),
    "kendall": ("kendall_b",),
    "tau": ("kendall_b",),
    "kendalltau": ("kendall_b",),
    "elo": ("bradley-terry",),
    "bt": ("bradley-terry",),
    "svmlight": ("letor",),
    "libsvm": ("letor",),
    "excel": ("csv",),
    "xlsx": ("csv",),
    "tex": ("latex",),
    "md": ("markdown",),
    "text": ("table",),
    "txt": ("table", "trec"),
    "skip": ("drop", "skip"),
    "ignore": ("drop", "skip"),
    "query": ("queries", "segment"),
    "gpu": ("cuda",),
    "standard": ("z-score",),
    "average": ("comb-anz",),
    "mean": ("comb-anz",),
    "sum": ("comb-sum",),
    "max": ("comb-max",),
    "reciprocalrankfusion": ("rrf",),
    "bayes": ("bayes-t",),
}
#: How click says that there is no such name, or that a value is none of those known, or no number.
UNKNOWN = re.compile(r"No such (command|option):? (['\"]?)(.*?)\2\.?", re.DOTALL)
NOT_A_CHOICE = re.compile(r"(?P<value>(['\"]).*\2) is not .*", re.DOTALL)
#: A long option behind a single dash.
SINGLE_DASH = re.compile("-[a-z][a-z-]{3,}")
PERCENT = re.compile(r"'([0-9]+(?:\.[0-9]+)?) ?%'")
#: So many values are listed, and so many where there are more.
LISTED_AT_MOST, LISTED_OF_MANY = 16, 8


def advice(error: click.ClickException, arguments: Sequence[str], top: click.Group) -> str:
    """What is wrong, what may have been meant, and where help is.

    arguments: of the whole call, by which the command is known where click does not say it.
    """
    context: click.Context | None = getattr(error, "ctx", None)
    message = error.format_message().rstrip(".")
    unknown = UNKNOWN.fullmatch(error.message)
    if unknown is not None and context is not None:
        kind, _, name = unknown.groups()
        message = single_dash_advice(arguments, top) or f"No such {kind} '{name}'{name_advice(kind, name, context)}"
    elif isinstance(error, click.BadParameter) and error.param is not None:
        message = message[: len(message) - len(error.message.rstrip("."))] + value_advice(
            error.message, error.param.type
        )
    where = context.command_path if context is not None else command_path(arguments, top)
    return f"{message}{' See' if message.endswith('?') else '; see'} `{where} --help`"


def single_dash_advice(arguments: Sequence[str], top: click.Group) -> str:
    """What is wrong with a long option with one dash, `-measure AP`, which is read as `-m easure`; else nothing."""
    command = invoked_command(arguments, top)
    known = [text for option in command.params for text in option.opts if text.startswith("--")]
    for argument in arguments:
        word = argument.partition("=")[0]
        if not SINGLE_DASH.fullmatch(word):
            continue
        meant = next((other for other in (f"-{word}", *OPTION_SYNONYMS.get(f"-{word}", ())) if other in known), None)
        if meant is not None:
            return f"{word} is read as {word[:2]} {word[2:]}; write {meant}, with two dashes"
    return ""


def invoked_command(arguments: Sequence[str], top: click.Group) -> click.Command:
    """The command that was called."""
    found: click.Command = top
    for name in command_path(arguments, top).split()[1:]:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), name) or found
    return found


def command_path(arguments: Sequence[str], top: click.Group) -> str:
    """The command that was called, as `rankscope agree labels`."""
    path, command, context = ["rankscope"], top, click.Context(top)
    for name in arguments:
        found = command.get_command(context, name) if name in command.list_commands(context) else None
        if found is None:
            break
        path.append(name)
        if not isinstance(found, click.Group):
            break
        command = found
    return " ".join(path)


def name_advice(kind: str, name: str, context: click.Context) -> str:
    """The nearest name that there is; all commands where none is near, but not all options, which are many."""
    if kind == "option":
        known = [text for option in context.command.params for text in option.opts if text.startswith("--")]
        hints = [hint for names, needs, hint in OPTION_HINTS if name in names and (not needs or needs in known)]
        found = nearest_name(name, known, OPTION_SYNONYMS.get(name, ()), alike=not hints)  # --qrels is like --rel
        if found is not None:
            return f"; did you mean '{found}'?"
        return "".join(f"; {hint.format(name.strip('-'))}" for hint in hints)
    group = context.command
    known = group.list_commands(context) if isinstance(group, click.Group) else []
    if os.path.exists(name):
        example = f"{context.command_path} {known[0]} ..."
        return f", which is a file; the command comes before the files, as `{example}`; {choices_text(known)}"
    found = nearest_name(name, known, COMMAND_SYNONYMS.get(name.lower(), ()))
    if found is not None:
        return f"; did you mean '{found}'?"
    if name == "help":
        return f"; write `{context.command_path} --help`, or --help behind a command"
    if is_measure(name) and "evaluate" in known:
        return f"; {name} is a measure, as in `rankscope evaluate QRELS RUN... -m {name}`"
    return f"; {choices_text(known)}" if known else ""


def choices_text(known: Sequence[str]) -> str:
    return f"expected {', '.join(known[:-1])} or {known[-1]}" if len(known) > 1 else f"expected {known[0]}"


def is_measure(name: str) -> bool:
    from rankscope.errors import ParameterError
    from rankscope.measures.names import parse_measures

    try:
        return bool(parse_measures(name))
    except ParameterError as error:
        return "needs a" in str(error)  # as P, which has no cutoff yet


def nearest_name(name: str, known: Sequence[str], others: Sequence[str] = (), alike: bool = True) -> str | None:
    """One of the known names: by what it is called elsewhere, by its letters, by how it begins or ends, or by likeness.

    The dashes before an option count for nothing, since all share them and would make any short name near. alike:
    whether likeness is enough.
    """
    for other in others:
        if other in known:
            return other
    letters = {squeezed(text): text for text in reversed(known)}
    asked = squeezed(name)
    if asked in letters:
        return letters[asked]
    if len(asked) > 2:
        begun = [text for short, text in letters.items() if short.startswith(asked)]
        ended = [text for text in known if squeezed(text.rpartition(":")[2]) == asked]
        if begun or ended:
            return (begun[-1:] or ended)[0]
    near = difflib.get_close_matches(asked, letters, n=1) if alike else []
    return letters[near[0]] if near else None


def squeezed(text: str) -> str:
    """Letters and digits alone, small: `CombMNZ` is `comb-mnz`."""
    return re.sub(r"[\W_]", "", text).lower()


def value_advice(message: str, kind: click.ParamType[Any]) -> str:
    """What click says of a value, with what it has to be."""
    message = message.rstrip(".")
    said = NOT_A_CHOICE.fullmatch(message)
    if isinstance(kind, click.Choice) and said is not None:
        known = [str(choice) for choice in kind.choices]
        value = said["value"][1:-1]
        found = nearest_name(value, known, VALUE_SYNONYMS.get(squeezed(value), ()))
        if found is not None:
            listed = message if len(known) <= LISTED_AT_MOST else f"{said['value']} is not known"
            return f"{listed}; did you mean '{found}'?"
        if len(known) <= LISTED_AT_MOST:
            return message
        first = ", ".join(map(repr, known[:LISTED_OF_MANY]))
        return f"{said['value']} is none of {first} and {len(known) - LISTED_OF_MANY} others"
    if isinstance(kind, (click.types.IntParamType, click.types.FloatParamType)):
        whole = isinstance(kind, click.types.IntParamType)
        between = kind._describe_range() if isinstance(kind, (click.IntRange, click.FloatRange)) else ""
        if said is not None:
            behind = f" in the range {between}" if between else ""
            share = PERCENT.fullmatch(said["value"])
            hint = f"; {share[1]} % is {float(share[1]) / 100:g}" if share is not None and not whole else ""
            return f"{said['value']} is no {'whole ' if whole else ''}number, expected one{behind}{hint}"
        percent = re.match(r"(\d+(?:\.\d+)?) is not in the range 0<=?x<=?1\b(?!\d)", message)
        if percent is not None and 2 <= float(percent[1]) <= 100:
            return f"{message}; {float(percent[1]):g} % is {float(percent[1]) / 100:g}"
    return message
