"""The list of measures, for the terminal and as a generated page of the docs."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from dataclasses import MISSING, fields

from rankscope.data.text import align_columns
from rankscope.errors import UnknownName
from rankscope.measures import MEASURES
from rankscope.measures.base import Measure
from rankscope.measures.names import ALIASES, TREC_NAMES, canonical, split_trec
from rankscope.measures.presets import PRESETS
from rankscope.reporting.tables import markdown_text

__all__ = [
    "LIST_FORMATS",
    "explain_measure",
    "list_measures",
    "list_presets",
]


LIST_FORMATS = ("table", "json", "markdown")
#: The width of the list on a terminal, in characters.
WIDTH = 100


def describe_measure(measure: type[Measure]) -> dict[str, str]:
    """The entries of the list for a measure."""
    low, high = (f"{bound:g}".replace("inf", "∞") for bound in measure.range)
    parameters = []
    for field in fields(measure):
        default = field.default
        if field.name == measure.at_parameter:
            parameters.append(f"@{field.name}" if default is MISSING else f"[@{field.name}]")
        else:
            parameters.append(field.name if default is MISSING else f"{field.name}={default!r}")
    return {
        "name": measure.name,
        "range": ("(" if low == "-∞" else "[") + f"{low}, {high}" + (")" if high == "∞" else "]"),
        "better": {True: "higher", False: "lower", None: "-"}[measure.higher_is_better],
        "parameters": " ".join(parameters),
        "source": measure.source,
    }


def list_measures(format_: str = "table") -> str:
    """All measures, a line each: name, range, direction, what it is; in json and markdown parameters and source."""
    if format_ not in LIST_FORMATS:
        raise UnknownName("format of this list", format_, LIST_FORMATS)
    rows = [describe_measure(measure) for measure in MEASURES.values()]
    if format_ == "json":
        return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"
    if format_ == "markdown":
        return as_page(rows)
    columns = ["name", "range", "better"]
    lines = align_columns([columns, *([row[c] for c in columns] for row in rows)], len(columns))
    text_width = WIDTH - max(map(len, lines)) - 2
    descriptions = [
        "what",
        *(textwrap.shorten(first_words(measure), text_width, placeholder=" ...") for measure in MEASURES.values()),
    ]
    lines_with_text = align_columns([[line, text] for line, text in zip(lines, descriptions, strict=True)], 2)
    return (
        "\n".join([*lines_with_text, "", "`rankscope measures NAME` explains one, with its parameters and source."])
        + "\n"
    )


def first_words(measure: type[Measure]) -> str:
    """What a measure is: the first words of its docstring, up to its range."""
    return text_of(measure).partition("\n\n")[0].partition(";")[0].rstrip(".")


def as_page(rows: list[dict[str, str]]) -> str:
    """The text of docs/measures.md."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + " :-- |" * len(columns)]
    lines += ["| " + " | ".join(markdown_text(row[column]) for column in columns) + " |" for row in rows]
    chapters = []
    for measure in MEASURES.values():
        chapters += chapter(measure)
    return "\n".join(
        [
            "# Measures",
            "",
            "Made by `make docs` from the docstrings; change those, not this page.",
            "",
            *lines,
            "",
            "`rel` is the least relevance that counts; without it, what `--rel` says (1).",
            "",
            *chapters,
        ]
    )


def chapter(measure: type[Measure]) -> list[str]:
    return [f"## {measure.name}", "", text_of(measure), "", f"Source: {measure.source}.", ""]


def text_of(measure: type[Measure]) -> str:
    doc = inspect.cleandoc(measure.__doc__ or "")
    shared_texts = [
        inspect.cleandoc(vars(base)["parameter_help"]) for base in measure.__mro__ if "parameter_help" in vars(base)
    ]
    return re.sub(r"[ \t]+\n", "\n", "\n\n".join([doc, *shared_texts]))


def explain_measure(name: str, format_: str = "table") -> str:
    """One measure: what it means, its parameters, other names. Raises UnknownName with the nearest name."""
    trec = split_trec(name)
    if trec is not None and name not in MEASURES:
        measure_name: str | None = TREC_NAMES[trec[0]].measure_name
    else:
        measure_name = canonical(name.partition("@")[0].partition("(")[0])
    if measure_name is None:
        raise UnknownName("measure", name, MEASURES, "; `rankscope measures` lists all")
    measure = MEASURES[measure_name]
    facts = describe_measure(measure)
    if format_ == "json":
        return json.dumps({**facts, "text": text_of(measure)}, indent=2, ensure_ascii=False) + "\n"
    if format_ == "markdown":
        return "\n".join(chapter(measure))
    other_names = [
        trec for trec, entry in TREC_NAMES.items() if entry.measure_name == measure_name and trec != measure_name
    ]
    other_names += [alias for alias, ours in ALIASES.items() if ours == measure_name and alias not in other_names]
    lines = [
        f"{facts['name']}   {facts['parameters']}".rstrip(),
        "",
        text_of(measure),
        "",
        f"range        {facts['range']}" + ("" if facts["better"] == "-" else f", {facts['better']} is better"),
        f"over queries {'summed' if measure.summary == 'sum' else measure.summary}",
        f"source       {facts['source']}",
    ]
    if other_names:
        lines.append(f"also called  {', '.join(other_names)}")
    return "\n".join(lines) + "\n"


def list_presets() -> str:
    """All presets: name, tool, default measures."""
    rows = [["preset", "as", "measures"]]
    rows += [[name, preset.tool, " ".join(preset.measures)] for name, preset in PRESETS.items()]
    return "\n".join(align_columns(rows, 3)) + "\n"
