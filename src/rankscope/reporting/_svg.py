"""Sanitises SVG figures for a page: no scripts, no links, no names that clash with those of another figure."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

__all__ = [
    "inline_svg",
]


ALLOWED_TAGS = frozenset(
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
#: Attributes that make sense only in the original file, and `style`, which could load something.
DROPPED_ATTRIBUTES = frozenset(
    ["class", "role", "style", "tabindex", "pointer-events", "version", "base", "lang", "space"]
)
GEOMETRY = frozenset(
    ["d", "transform", "points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "dx", "dy"]
)
DEFAULT_ATTRIBUTES = frozenset(
    [("opacity", "1"), ("fill-opacity", "1"), ("stroke-opacity", "1"), ("display", "inline")]
)
#: A path that draws nothing, as the background of a group without size.
EMPTY_PATH = re.compile(r"(M[\d.,]+h0v0h0Z)?")
#: How far a figure may shrink before it is scrolled, and grow: its labels stay about as large as the text of the page.
MIN_SCALE, MAX_SCALE = 0.72, 1.25
LONG_DECIMALS = re.compile(r"(\.\d\d)\d+")
LOCAL_LINK = re.compile(r"url\(\s*['\"]?#([^'\")]+)['\"]?\s*\)")


def inline_svg(svg: str, *, prefix: str, label: str) -> str:
    """The picture as part of an HTML page.

    Parameters
    ----------
    svg
        The picture.
    prefix
        Added to names inside the picture, since a page has several pictures.
    label
        What the figure shows, for those who cannot see it.

    Returns
    -------
    str
        Scripts, links, images and styles are removed, and elements that draw nothing. The `aria-label` of a mark
        becomes a `<title>`, which browsers show on hover. A background that fills the picture is removed, so that the
        page's background is seen. Decimals beyond hundredths of a pixel are cut.

    Raises
    ------
    ValueError
        The text is not well-formed.

    Examples
    --------
    >>> inline_svg('<svg><script>x()</script><path onclick="x()" d="M0.3333,1"/></svg>', prefix="f1-", label="A line")
    '<svg role="img" aria-label="A line"><path d="M0.33,1"/></svg>'
    """
    try:
        root = ET.fromstring(svg)
    except ET.ParseError as error:
        raise ValueError(f"the figure is not well-formed SVG ({error})") from None
    if local_name(root.tag) != "svg":
        raise ValueError(f"the figure is <{local_name(root.tag)}>, expected <svg>")
    sanitise(root, prefix)
    width, height = root.get("width", ""), root.get("height", "")
    for child in list(root)[:1]:
        if child.tag == "rect" and (child.get("width"), child.get("height")) in ((width, height), ("100%", "100%")):
            root.remove(child)
    if width and height:
        if "viewBox" not in root.attrib:
            root.set("viewBox", f"0 0 {width} {height}".replace("px", ""))
        natural_width = float(width.removesuffix("px"))
        root.set(
            "style", f"width:100%;max-width:{MAX_SCALE * natural_width:g}px;min-width:{MIN_SCALE * natural_width:g}px"
        )
    root.set("role", "img")
    root.set("aria-label", label)
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")  # in texts, > is &gt;


def sanitise(element: ET.Element, prefix: str) -> None:
    """Keep only drawing elements and harmless attributes, in this element and all below it."""
    element.tag = local_name(element.tag)
    for child in list(element):
        if isinstance(child.tag, str) and local_name(child.tag) in ALLOWED_TAGS and is_drawn(child):
            sanitise(child, prefix)
        else:
            remove_child(element, child)
    aria_label = element.get("aria-label")
    is_mark = element.get("role") == "graphics-symbol" and element.get("aria-roledescription") not in ("axis", "legend")
    element.attrib = dict(attributes(element, prefix))
    if aria_label and is_mark and element.tag != "g" and element.find("title") is None:
        title = ET.Element("title")
        title.text = aria_label
        element.insert(0, title)


def is_drawn(element: ET.Element) -> bool:
    """Whether an element can be seen: it is displayed, and a path has a size."""
    if element.get("display") == "none":
        return False
    return local_name(element.tag) != "path" or not EMPTY_PATH.fullmatch(element.get("d", ""))


def remove_child(parent: ET.Element, child: ET.Element) -> None:
    """Remove a child with its content, but keep the text after it."""
    if child.tail and child.tail.strip():
        parent.text = (parent.text or "") + child.tail
    parent.remove(child)


def attributes(element: ET.Element, prefix: str) -> list[tuple[str, str]]:
    """The attributes of an element that are safe, with names that clash with no other figure's."""
    safe_attributes = []
    for qualified_name, value in element.attrib.items():
        name = local_name(qualified_name)
        if (
            name in DROPPED_ATTRIBUTES
            or name.startswith(("on", "aria-", "data-"))
            or (name, value) in DEFAULT_ATTRIBUTES
        ):
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
            value = LOCAL_LINK.sub(lambda match: f"url(#{prefix}{match[1]})", value)
            if "url(" in LOCAL_LINK.sub("", value):
                continue
        safe_attributes.append((name, value))
    return safe_attributes


def local_name(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition("}")[2]
