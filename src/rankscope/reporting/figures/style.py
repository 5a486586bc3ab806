"""Style of figures: width, ground, theme and colours. The modules of the extra `report` are loaded when needed.

The hues are those of Okabe and Ito (2008) without the palest: each has a contrast of at least 3 with white and with the
dark ground, as WCAG 2.2 (1.4.11) asks of graphics. No figure shows anything by colour alone.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from rankscope.errors import ParameterError
from rankscope.stats.inputs import check_choice, check_count

__all__ = [
    "BLUE",
    "DARK",
    "DIVERGING",
    "GROUNDS",
    "SEQUENTIAL",
    "SERIES",
    "VERMILLION",
    "Style",
    "altair",
    "between",
    "contrast",
    "drawing_problem",
    "finish",
    "ink_on",
    "name_labels",
    "theme",
    "unchecked_parts",
    "vl_convert",
]


def not_installed_error(error: ModuleNotFoundError, module: str, package: str) -> Exception:
    """The error to raise where a module is missing: ours for `module`, else the original one."""
    if (error.name or "").partition(".")[0] != module:
        return error
    return ParameterError(f"{package} is not installed; pip install 'rankscope[report]'")


def altair() -> Any:
    """The module altair. Raises ParameterError where it is not installed."""
    try:
        import altair as alt
    except ModuleNotFoundError as error:
        raise not_installed_error(error, "altair", "altair") from None
    return alt


def vl_convert() -> Any:
    """The module vl_convert, which draws without a browser. Raises ParameterError where it is not installed."""
    try:
        import vl_convert as converter
    except ModuleNotFoundError as error:
        raise not_installed_error(error, "vl_convert", "vl-convert-python") from None
    return converter


def drawing_problem() -> str | None:
    """Why no figure can be drawn in this process, or None: V8, which draws, ends a process of too few addresses."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= ADDRESS_SPACE:
        return None
    return (
        f"the address space of this process is limited to {limit / (1 << 30):.3g} GiB, and drawing figures needs "
        f"{ADDRESS_SPACE >> 30} GiB of it (no such memory); raise the limit (ulimit -v unlimited)"
    )


def unchecked_parts() -> AbstractContextManager[None]:
    """While it is open, Altair does not check each part of a chart as it is made, a fifth of the time of drawing.

    The tests check the whole charts.
    """
    try:
        from altair.utils.schemapi import debug_mode
    except ModuleNotFoundError:  # said where it is needed
        return nullcontext()
    checking: AbstractContextManager[None] = debug_mode(False)
    return checking


#: Bytes of address space that vl-convert's V8 reserves, and some for all else.
ADDRESS_SPACE = 72 << 30
BLUE = "#0072B2"
VERMILLION = "#D55E00"
#: Colours of lines, in this order.
SERIES = (BLUE, VERMILLION, "#009E73", "#CC79A7", "#A67400", "#767676")
#: Colours below, at and above 0.
DIVERGING = (VERMILLION, "#FFFFFF", BLUE)
#: Colours from none to all.
SEQUENTIAL = ("#FFFFFF", BLUE)
#: The ground of a dark figure.
DARK = "#161616"


def channels(colour: str) -> list[int]:
    """Red, green and blue of a colour #rrggbb, from 0 to 255."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def luminance(colour: str) -> float:
    """Relative luminance in [0, 1]. Source: WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, background: str) -> float:
    """The contrast of two colours in [1, 21]; text needs 4.5, other marks 3. Source: WCAG 2.2, 1.4.3 and 1.4.11.

    >>> round(contrast("#000000", "#FFFFFF"), 6)
    21.0
    """
    low, high = sorted((luminance(colour), luminance(background)))
    return (high + 0.05) / (low + 0.05)


def between(colours: tuple[str, ...], place: float) -> str:
    """The colour at `place` in [0, 1] of a scale of colours, as Vega interpolates them in RGB.

    >>> between(("#000000", "#FFFFFF"), 0.5)
    '#808080'
    """
    position = min(max(place, 0.0), 1.0) * (len(colours) - 1)
    first = min(int(position), len(colours) - 2)
    share = position - first
    mixed = [
        round(a + share * (b - a)) for a, b in zip(channels(colours[first]), channels(colours[first + 1]), strict=True)
    ]
    return "#" + "".join(f"{c:02X}" for c in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever has more contrast with a colour; the contrast is never below 4.5."""
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, colour))


#: Grounds of figures: paper, a dark slide, or a page that may be either.
GROUNDS = ("light", "dark", "page")
#: Colours of text and ground. Inline SVG takes the text colour of its page.
COLOURS = {"light": ("#1A1A1A", "#FFFFFF"), "dark": ("#F2F2F2", DARK), "page": ("currentColor", "transparent")}
#: How many letters of a title fit a phone of 390 px.
PHONE_LETTERS = 44


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a figure is drawn.

    Attributes
    ----------
    width
        Width in pixels with all labels; None: as wide as its place on a page.
    ground
        Background, one of `GROUNDS`.

    Raises
    ------
    ParameterError
        The ground is not in `GROUNDS`, or the width is below 200.
    """

    width: int | None = 640
    ground: str = "light"

    def __post_init__(self) -> None:
        check_choice("ground", self.ground, GROUNDS)
        if self.width is not None:
            check_count("width", self.width, 200)

    @property
    def ink(self) -> str:
        """The colour of text, axes and all else that is not data."""
        return COLOURS[self.ground][0]

    @property
    def paper(self) -> str:
        """The colour of the ground, for outlines; white on a page, whose colour is not known."""
        return "#FFFFFF" if self.ground == "page" else COLOURS[self.ground][1]

    @property
    def narrowest(self) -> int:
        """The least width, in pixels, that the figure must be readable at."""
        return self.width or 340


def theme(ground: str = "light") -> dict[str, Any]:
    """Vega-Lite's `config` of all figures, for one of `GROUNDS`; for your own charts: `chart.configure(**theme())`.

    >>> theme("dark")["background"]
    '#161616'
    """
    check_choice("ground", ground, GROUNDS)
    ink, paper = COLOURS[ground]
    label_style = {
        "labelColor": ink,
        "titleColor": ink,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    return {
        "background": paper,
        "padding": 4 if ground == "page" else 8,
        "font": "sans-serif",
        "view": {"stroke": None},
        "axis": {
            **label_style,
            "labelLimit": 230,
            "labelFlush": False,
            "domainColor": ink,
            "domainOpacity": 0.6,
            "tickColor": ink,
            "tickOpacity": 0.6,
            "gridColor": ink,
            "gridOpacity": 0.14,
        },
        "axisQuantitative": {"tickCount": 6},
        "legend": {
            **label_style,
            "orient": "bottom",
            "labelLimit": 230,
            "symbolStrokeColor": ink,
            "gradientLength": 180,
        },
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": ink,
            "subtitleColor": ink,
            "fontSize": 14,
            "subtitleFontSize": 12,
            "subtitlePadding": 5,
            "offset": 12,
        },
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": ink},
        "point": {"color": ink},
    }


def name_labels(style: Style) -> str:
    """A Vega expression for names at an axis or in a legend: long ones are cut in the middle.

    The name itself is data; the expression reads it as `datum.label` only.
    """
    letters = "containerSize()[0] < 560 ? 18 : 34" if style.width is None else str(34 if style.width >= 560 else 18)
    return f"truncate(datum.label, {letters}, 'center')"


def wrap_lines(lines: Iterable[str], letters: int) -> list[str]:
    """The lines, cut so that none has more than so many letters."""
    return [part for line in lines if line for part in textwrap.wrap(line, letters, break_on_hyphens=False)]


def finish(chart: Any, *, title: str, subtitle: Iterable[str], description: str, style: Style, height: float) -> Any:
    """A chart with its title, a description for screen readers, its size and theme.

    Parameters
    ----------
    chart
        The chart.
    title, subtitle
        Texts above it.
    description
        Text for screen readers.
    style
        Width, that of the whole figure, and ground.
    height
        Height of the plot without labels.
    """
    letters = int(style.width / 6.1) if style.width else PHONE_LETTERS
    text = {"text": wrap_lines([title], letters * 5 // 6 if style.width else PHONE_LETTERS)}
    subtitle_lines = wrap_lines(subtitle, letters if style.width else PHONE_LETTERS + 14)
    if subtitle_lines:
        text["subtitle"] = subtitle_lines
    properties = {
        "title": altair().TitleParams(**text),
        "description": description,
        "width": style.width or "container",
        "height": height,
        "autosize": altair().AutoSizeParams(type="fit-x", contains="padding"),
    }
    return chart.properties(**properties).configure(**theme(style.ground))
