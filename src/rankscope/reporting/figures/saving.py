"""Saves charts as SVG, PDF, PNG, HTML or Vega-Lite's JSON, offline."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from rankscope.errors import ParameterError
from rankscope.io.core import check_writable, write_chunks
from rankscope.reporting.figures.style import altair, drawing_problem, unchecked_parts, vl_convert

__all__ = [
    "SUFFIXES",
    "check_figure_path",
    "html_page",
    "save_chart",
    "svg_text",
    "vega_lite",
]


#: Suffixes of the formats.
SUFFIXES = (".svg", ".pdf", ".png", ".html", ".json")
#: Pixels of a PNG for each pixel of the figure, so that it is sharp in print and on fine screens.
SCALE = 3.0
TAG = re.compile(r"<[^<>]*>")
ID = re.compile(r"""(?P<before> id="|="url\(#)(?P<kind>gradient_|clip)(?P<number>\d+)(?P<after>"|\)")""")
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #f2f2f2; --paper: #161616; }} }}
@media print {{ :root {{ --ink: #000000; --paper: #ffffff; }} }}
body {{ margin: 16px; background: var(--paper); color: var(--ink); font-family: sans-serif; }}
main {{ max-width: 1100px; margin: 0 auto; }}
#figure {{ display: block; width: 100%; }}
</style>
<main><div id="figure"></div></main>
<script>{library}</script>
<script type="application/json" id="specification">{specification}</script>
<script>
vegaEmbed("#figure", JSON.parse(document.getElementById("specification").textContent),
  {{ renderer: "svg", actions: false }});
</script>
</html>
"""


def check_figure_path(path: Any) -> str:
    """The suffix of a file that a figure is to be written to, in lower case.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ParameterError
        The suffix is not in `SUFFIXES`.
    OutputError
        The file cannot be written.
    """
    suffix = Path(os.fsdecode(path)).suffix.lower()
    if suffix not in SUFFIXES:
        problem = f"{suffix} is not a figure format" if suffix else "the suffix of a figure's file must name its format"
        raise ParameterError(f"{os.fsdecode(path)}: {problem}; expected {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    check_writable(path)
    return suffix


def vega_lite(chart: Any) -> dict[str, Any]:
    """The specification of a chart, without a second validation of its parts.

    Themes are switched off: a theme that the user has enabled in Altair would otherwise be in every file.
    """
    themes = altair().theme if hasattr(altair(), "theme") else altair().themes
    with themes.enable("none"), unchecked_parts():
        specification: dict[str, Any] = chart.to_dict(validate=False)
    return specification


def version_of(specification: dict[str, Any]) -> str:
    """The version of Vega-Lite as vl-convert writes it: 6.4 for v6.4.1.json."""
    name = str(specification.get("$schema", "")).rpartition("/v")[2]
    wanted_version = ".".join(name.split(".")[:2])
    versions: list[str] = vl_convert().get_vegalite_versions()
    return wanted_version if wanted_version in versions else versions[-1]


def with_own_ids(svg: str) -> str:
    """The SVG with its gradients and clips numbered from 0: Vega continues to count over the figures of a process.

    Only tags are changed; in texts and attributes `<`, `>` and `"` are escaped, so a name cannot look like a tag.

    >>> with_own_ids('<linearGradient id="gradient_7"/><path fill="url(#gradient_7)"/><text>url(#gradient_7)</text>')
    '<linearGradient id="gradient_0"/><path fill="url(#gradient_0)"/><text>url(#gradient_7)</text>'
    """
    new_ids: dict[str, str] = {}

    def renumber(match: re.Match[str]) -> str:
        kind, number = match["kind"], match["number"]
        n_same_kind = sum(name.startswith(kind) for name in new_ids)
        return match["before"] + new_ids.setdefault(kind + number, f"{kind}{n_same_kind}") + match["after"]

    return TAG.sub(lambda tag: ID.sub(renumber, tag.group()), svg)


def refuse_drawing() -> None:
    """Raise ParameterError where nothing can be drawn."""
    problem = drawing_problem()
    if problem is not None:
        raise ParameterError(problem)


def svg_text(specification: dict[str, Any]) -> str:
    """The SVG of a specification, made without network access. Raises ParameterError where nothing can be drawn."""
    refuse_drawing()
    text: str = vl_convert().vegalite_to_svg(specification, vl_version=version_of(specification), allowed_base_urls=[])
    return with_own_ids(text)


def embed_json(specification: dict[str, Any]) -> str:
    """JSON for a script element of a page: `<`, `>` and `&` are escaped, so no name can end the element."""
    text = json.dumps(specification, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def scripts(version: str) -> str:
    """The scripts that draw a figure in a browser. version: of Vega-Lite. Raises ParameterError as `svg_text`."""
    refuse_drawing()
    text: str = vl_convert().javascript_bundle(vl_version=version)
    return text


def html_page(specification: dict[str, Any]) -> str:
    """A page with the figure and all scripts that it needs."""
    library = scripts(version_of(specification))
    title = specification.get("description", "Figure").partition(":")[0]
    return PAGE.format(title=html.escape(title), library=library, specification=embed_json(specification))


def content(suffix: str, specification: dict[str, Any]) -> bytes:
    """The bytes of a file with this suffix."""
    if suffix == ".json":
        return (json.dumps(specification, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
    if suffix == ".html":
        return html_page(specification).encode()
    svg = svg_text(specification)
    if suffix == ".svg":
        return svg.encode()
    if suffix == ".pdf":
        return bytes(vl_convert().svg_to_pdf(svg))
    return bytes(vl_convert().svg_to_png(svg, scale=SCALE))


def save_chart(make: Callable[[bool], Any], path: Any) -> None:
    """Write the chart that `make` draws (its argument: whether for a page) to a path, whole or not at all."""
    suffix = check_figure_path(path)
    write_chunks(path, [content(suffix, vega_lite(make(suffix == ".html")))])
