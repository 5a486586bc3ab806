"""The list of measures, for the terminal and as a generated page of the docs."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from dataclasses import MISSING, fields
from typing import NamedTuple

from rankscope.data.text import align_columns
from rankscope.errors import UnknownName
from rankscope.measures import MEASURES
from rankscope.measures.base import Measure
from rankscope.measures.names import ALIASES, ALL_TREC_NAMES, canonical, split_trec
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
    """All measures, a line each: name, range, direction, what it is; parameters and source in json and markdown."""
    if format_ not in LIST_FORMATS:
        raise UnknownName("format of this list", format_, LIST_FORMATS)
    rows = [describe_measure(measure) for measure in MEASURES.values()]
    if format_ == "json":
        return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"
    if format_ == "markdown":
        return as_page()
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
    first = " ".join(parse_docstring(measure).paragraphs[:1]).replace("\n", " ")
    return first.partition(";")[0].rstrip(".")


def as_page() -> str:
    """The text of docs/measures.md: a table as narrow as a phone, whose names lead to the chapters below it."""
    lines = ["| name | what | range | better |", "| :-- | :-- | :-- | :-- |"]
    for measure in MEASURES.values():
        facts = describe_measure(measure)
        name = f"[{markdown_text(measure.name)}](#{measure.name.lower()})"
        cells = (name, *map(markdown_text, (first_words(measure), facts["range"], facts["better"])))
        lines.append(f"| {' | '.join(cells)} |")
    chapters = []
    for measure in MEASURES.values():
        chapters += chapter(measure)
    return "\n".join(
        [
            "# Measures",
            "",
            "Made by `make docs` from the docstrings; change those, not this page. Names lead to details below.",
            "",
            *lines,
            "",
            *chapters,
        ]
    )


def chapter(measure: type[Measure]) -> list[str]:
    """The lines of a measure's part of the page."""
    docstring, parameters = parse_docstring(measure), describe_measure(measure)["parameters"]
    lines = [f"## {measure.name}", ""]
    for paragraph in docstring.paragraphs:
        lines += [paragraph, ""]
    entries = [
        textwrap.fill(f"- `{name}`: {text}", WIDTH, subsequent_indent="  ")
        for name, text in docstring.parameters.items()
    ]
    lines += [f"Parameters: `{parameters}`", ""] if parameters else []
    lines += [*entries, ""] if entries else []
    lines += ["```python", docstring.examples, "```", ""] if docstring.examples else []
    return [*lines, f"Source: {measure.source}.", ""]


def text_of(measure: type[Measure]) -> str:
    """What a measure is and what its parameters mean, for the terminal."""
    docstring = parse_docstring(measure)
    name_width = max(map(len, docstring.parameters), default=0)
    entries = [
        textwrap.fill(f"{name:{name_width}}  {text}", WIDTH, subsequent_indent=" " * (name_width + 2))
        for name, text in docstring.parameters.items()
    ]
    parts = [*docstring.paragraphs, "\n".join(entries), docstring.examples]
    return "\n\n".join(part for part in parts if part)


class Docstring(NamedTuple):
    """The parts of a measure's docstring that are printed; its references are the `source` of the measure.

    Attributes
    ----------
    paragraphs
        The sentences before all sections, the notes, and what it raises.
    parameters
        Name -> sentence.
    examples
        Examples as they are.
    """

    paragraphs: list[str]
    parameters: dict[str, str]
    examples: str


#: The title of a section of a docstring, which is underlined.
SECTION_TITLE = re.compile(r"^(Parameters|Raises|Notes|References|Examples)\n-{3,}\n", re.MULTILINE)


def parse_docstring(measure: type[Measure]) -> Docstring:
    """The parts of a docstring with or without sections."""
    first, *titled = SECTION_TITLE.split(inspect.cleandoc(measure.__doc__ or ""))
    sections = dict(zip(titled[::2], titled[1::2], strict=True))
    paragraphs = [*first.strip().split("\n\n"), *sections.get("Notes", "").strip().split("\n\n")]
    paragraphs += [f"{name}: {text}" for name, text in entries_of(sections.get("Raises", "")).items()]
    examples = sections.get("Examples", "").strip()
    return Docstring(
        paragraphs=[part if part.startswith(">>>") else textwrap.fill(part, WIDTH) for part in paragraphs if part],
        parameters=entries_of(sections.get("Parameters", "")),
        examples=examples,
    )


def entries_of(section: str) -> dict[str, str]:
    """Name -> text of the entries of a section; a text is in one line."""
    entries: dict[str, str] = {}
    for line in section.splitlines():
        if line.startswith(" "):
            name = list(entries)[-1]
            entries[name] = f"{entries[name]} {line.strip()}".strip()
        elif line:
            entries[line] = ""
    return entries


def explain_measure(name: str, format_: str = "table") -> str:
    """One measure: what it means, its parameters, other names. Raises UnknownName with the nearest name."""
    trec = split_trec(name)
    if trec is not None and name not in MEASURES:
        measure_name: str | None = ALL_TREC_NAMES[trec[0]].measure_name
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
        trec for trec, entry in ALL_TREC_NAMES.items() if entry.measure_name == measure_name and trec != measure_name
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
