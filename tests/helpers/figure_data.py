"""Data of every figure, of plain names and of names that nobody should give, and what is read off what was drawn."""

import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
from helpers import figure_examples

from rankscope.data.section import Figure
from rankscope.reporting import figures

HOSTILE = [
    "<script>alert(1)</script>",
    "a.b[0]['c']",
    "back\\slash\\n",
    "quo\"te' `tick`",
    "colon: semi; & amp; %s {x} ${y}",
    "数据 \u202e rtl \u2028 line",
    "datum.name",
    "__proto__",
]
SYSTEMS = ["bm25", "dense", "hybrid"]
NAMES = sorted(figures.FIGURES)
PAGE = figures.Style(width=None, ground="page")


def example(name, names, queries=12):
    """The figure, of its data in `figure_examples`, with these names in them."""
    return Figure(name, getattr(figure_examples, name)(names, queries, np.random.default_rng(3)))


PLAIN = {name: example(name, SYSTEMS).data for name in NAMES}
#: Figures in which every name that they are given stands.
NAMING = [name for name in NAMES if SYSTEMS in [value for value in PLAIN[name].values() if isinstance(value, list)]]


@cache
def drawn(name, kind):
    """The SVG of a figure's example, of plain names or of hostile ones."""
    return figures.as_svg(example(name, {"plain": SYSTEMS, "hostile": HOSTILE}[kind]))


def texts(svg):
    root = ET.fromstring(svg)
    return [e.text or "" for e in root.iter() if e.tag.endswith("}text") or e.tag.endswith("}tspan")]


def subtitle_of(specification):
    return " ".join(specification["title"].get("subtitle", []))


def rows_of(specification):
    return [row for rows in specification["datasets"].values() for row in rows]
