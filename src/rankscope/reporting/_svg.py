"""Figures as they stand inside a page: an SVG picture without anything that could act, load or clash."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

__all__ = [
    "inline_svg",
]


KEPT = frozenset(
    [
        "svg",
        "g",
        "defs",
        "path",
        "line",
        "polyline",
        "polygon",
        "rect",
        "circle",
        "ellipse",
        "text",
        "tspan",
        "title",
        "desc",
        "use",
        "clipPath",
        "mask",
        "pattern",
        "linearGradient",
        "radialGradient",
        "stop",
    ]
)
#: Attributes that make sense only in the file that the picture came from. `style` could load; nobody needs it here.
DROPPED = frozenset(["class", "role", "style", "tabindex", "pointer-events", "version", "base", "lang", "space"])
GEOMETRY = frozenset(
    ["d", "transform", "points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "dx", "dy"]
)
DEFAULTS = frozenset([("opacity", "1"), ("fill-opacity", "1"), ("stroke-opacity", "1"), ("display", "inline")])
#: How far a figure may shrink before it is scrolled, and grow: its labels are to be read as the text beside them.
LEAST, MOST = 0.72, 1.25
LONG_DECIMALS = re.compile(r"(\.\d\d)\d+")
LOCAL_LINK = re.compile(r"url\(\s*['\"]?#([^'\")]+)['\"]?\s*\)")


def inline_svg(svg: str, *, prefix: str, label: str) -> str:
    """The picture as part of an HTML page.

    Scripts, links, images and styles go. What drawing libraries say of a mark in `aria-label` becomes a `<title>`,
    which browsers show on hover. Names inside the picture get the prefix, since several pictures stand on one page. A
    background that fills the picture goes, so that the page's shows. Decimals beyond hundredths of a pixel are cut.

    label: what the figure shows, for those who cannot see it. Raises ValueError for what is not well-formed.

    >>> inline_svg('<svg><script>x()</script><path onclick="x()" d="M0.3333,1"/></svg>', prefix="f1-", label="A line")
    '<svg role="img" aria-label="A line"><path d="M0.33,1" /></svg>'
    """
    try:
        root = ET.fromstring(svg)
    except ET.ParseError as error:
        raise ValueError(f"the figure is no well-formed SVG ({error})") from None
    if local(root.tag) != "svg":
        raise ValueError(f"the figure is <{local(root.tag)}>, expected <svg>")
    tidy(root, prefix)
    width, height = root.get("width", ""), root.get("height", "")
    for child in list(root)[:1]:
        if child.tag == "rect" and (child.get("width"), child.get("height")) in ((width, height), ("100%", "100%")):
            root.remove(child)
    if width and height:
        if "viewBox" not in root.attrib:
            root.set("viewBox", f"0 0 {width} {height}".replace("px", ""))
        natural = float(width.removesuffix("px"))
        root.set("style", f"width:100%;max-width:{MOST * natural:g}px;min-width:{LEAST * natural:g}px")
    root.set("role", "img")
    root.set("aria-label", label)
    return ET.tostring(root, encoding="unicode")


def tidy(element: ET.Element, prefix: str) -> None:
    """Keep what draws, in this element and all below it."""
    element.tag = local(element.tag)
    for child in list(element):
        if isinstance(child.tag, str) and local(child.tag) in KEPT:
            tidy(child, prefix)
        else:
            drop(element, child)
    said = element.get("aria-label")
    of_mark = element.get("role") == "graphics-symbol" and element.get("aria-roledescription") not in ("axis", "legend")
    element.attrib = dict(attributes(element, prefix))
    if said and of_mark and element.tag != "g" and element.find("title") is None:
        title = ET.Element("title")
        title.text = said
        element.insert(0, title)


def drop(parent: ET.Element, child: ET.Element) -> None:
    """Remove a child with all that is in it, but not the text behind it."""
    if child.tail and child.tail.strip():
        parent.text = (parent.text or "") + child.tail
    parent.remove(child)


def attributes(element: ET.Element, prefix: str) -> list[tuple[str, str]]:
    kept = []
    for full, value in element.attrib.items():
        name = local(full)
        if name in DROPPED or name.startswith(("on", "aria-", "data-")) or (name, value) in DEFAULTS:
            continue
        if name == "href":
            if not value.startswith("#"):
                continue
            value = f"#{prefix}{value[1:]}"
        elif name == "id":
            value = prefix + value
        elif name in GEOMETRY:
            value = LONG_DECIMALS.sub(r"\1", value)
        elif "url(" in value:
            value = LOCAL_LINK.sub(lambda found: f"url(#{prefix}{found[1]})", value)
            if "url(" in LOCAL_LINK.sub("", value):
                continue
        kept.append((name, value))
    return kept


def local(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition("}")[2]
