"""Files of figures: whole or not there, the same bytes, no network; and data that no figure is drawn of."""

import json
import re

import numpy as np
import pytest
from helpers.figure_data import (
    NAMES,
    PLAIN,
    drawn,
    rows_of,
    texts,
)

from rankscope.data.section import Figure
from rankscope.errors import OutputError, ParameterError
from rankscope.reporting import figures

pytest.importorskip("altair", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
pytest.importorskip("vl_convert", reason="the extra `report` is not installed: pip install 'rankscope[report]'")


# Wrong data


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("leaderboard", {"systems": []}, "systems is empty"),
        ("leaderboard", {"systems": "bm25"}, r"\bsystems\b.*'bm25'.*\blist\b"),
        ("leaderboard", {"systems": ["a", "b", "a"]}, "systems has 'a' twice"),
        ("leaderboard", {"means": [1, 2]}, r"\bmeans\b.* \(2,\).* \(3,\)"),
        ("leaderboard", {"means": ["x", "y", "z"]}, r"\bmeans\b.*\bnumbers\b"),
        ("leaderboard", {"low": [1, 2, np.inf]}, r"\blow\b.*\binfinite\b"),
        ("leaderboard", {"letters": ["a"]}, r"\bletters\b.*\b1\b.*\b3\b"),
        ("leaderboard", {"baseline": "x"}, r"\bbaseline 'x'"),
        ("query_differences", {"differences": np.full(12, np.nan)}, r"\bdifferences\b.*\bno value\b"),
        ("significance_matrix", {"alpha": 5}, "alpha is 5"),
        ("distribution", {"values": [1, 2, 3]}, r"\bvalues\b.* \(3,\).* \(systems, queries\)"),
        ("correlation_matrix", {"values": np.full((3, 3), 2.0)}, r"\bvalues\b.*\b1\b"),
        ("confusion_matrix", {"normalise": "cells"}, r"\bnormalise\b.*'cells'.*'row', 'column', 'all'"),
        ("power_curve", {"target": 2}, "target is 2"),
        ("power_curve", {"n_now": 0}, "n_now is 0"),
    ],
)
def test_data_that_do_not_fit_are_refused(name, changed, message):
    with pytest.raises(ParameterError, match=message):
        figures.draw(Figure(name, {**PLAIN[name], **changed}))


def test_a_style_is_checked():
    with pytest.raises(ParameterError, match="width is 10"):
        figures.Style(width=10)
    with pytest.raises(ParameterError, match=r"\bground\b.*'grey'.*'light', 'dark', 'page'"):
        figures.Style(ground="grey")
    chart = figures.draw(Figure("leaderboard", PLAIN["leaderboard"]))
    with pytest.raises(ParameterError, match=r"\bstyle\b.*\bdrawn\b"):
        figures.as_svg(chart, style=figures.Style())


# Files

STARTS = {".svg": b"<svg", ".pdf": b"%PDF", ".png": b"\x89PNG", ".html": b"<!doctype html>", ".json": b"{"}


@pytest.mark.parametrize("suffix", figures.SUFFIXES)
def test_a_figure_is_written_in_the_format_of_its_suffix(suffix, tmp_path):
    target = tmp_path / f"plot{suffix.upper()}"
    figures.save_figure(Figure("leaderboard", PLAIN["leaderboard"]), target)
    assert target.read_bytes().startswith(STARTS[suffix])
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    again = tmp_path / f"again{suffix}"
    figures.save_figure(figures.draw(Figure("leaderboard", PLAIN["leaderboard"])), again)
    assert again.read_bytes().startswith(STARTS[suffix])


def test_the_same_figure_is_the_same_bytes():
    """Also where others were drawn in between: names inside the SVG do not count on."""
    for name in NAMES:
        assert figures.as_svg(Figure(name, PLAIN[name])) == drawn(name, "plain"), name
    assert 'id="gradient_0"' in drawn("significance_matrix", "plain")
    one, other = (figures.specification(Figure("gain_curve", PLAIN["gain_curve"])) for _ in range(2))
    assert json.dumps(one) == json.dumps(other)


def test_names_that_look_like_parts_of_an_svg_stay_as_they_are():
    names = ['="url(#gradient_0)"', 'x id="clip3"', "<path fill='url(#clip1)'>"]
    svg = figures.as_svg(Figure("correlation_matrix", {"measures": names, "values": np.eye(3), "statistic": "tau"}))
    assert set(names) <= set(texts(svg))


def test_a_theme_that_the_user_has_enabled_does_not_get_into_files():
    import altair as alt

    with alt.theme.enable("dark"):
        assert figures.as_svg(Figure("leaderboard", PLAIN["leaderboard"])) == drawn("leaderboard", "plain")


def test_no_name_can_end_the_script_it_stands_in(tmp_path):
    hostile = ["</script><script>alert(1)</script>", "<!--<script>", "a\u2028b"]
    page = figures.as_html(Figure("leaderboard", {"systems": hostile, "means": [1, 2, 3], "measure": "</title><b>"}))
    assert "alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<!--<script>" not in page
    assert "<b>" not in page.split("<script>")[0]
    stored = re.search(r'<script type="application/json" id="specification">(.*?)</script>', page, re.DOTALL)[1]
    assert {row["system"] for row in rows_of(json.loads(stored))} == set(hostile)


def test_a_page_needs_no_network():
    page = figures.as_html(Figure("leaderboard", PLAIN["leaderboard"]))
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<[^>]+(?:src|href)=", outside)
    assert "vegaEmbed" in page


def test_data_from_the_network_is_refused():
    import altair as alt

    chart = alt.Chart("https://example.org/data.csv").mark_point().encode(x="x:Q")
    with pytest.raises(ValueError, match=r"(?i)url|allow|denied|external"):
        figures.as_svg(chart)


@pytest.mark.parametrize("name", ["plot.gif", "plot", ".svg", "plot.svg.gz"])
def test_another_suffix_is_refused_before_anything_is_drawn(name, tmp_path):
    with pytest.raises(ParameterError, match=r"\.svg, \.pdf, \.png, \.html or \.json"):
        figures.save_figure(Figure("no such figure", {}), tmp_path / name)


def test_an_unwritable_path_is_refused_before_anything_is_drawn(tmp_path):
    with pytest.raises(OutputError, match=r"nowhere.*\bnot exist\b"):
        figures.save_figure(Figure("no such figure", {}), tmp_path / "nowhere" / "plot.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        figures.save_figure(Figure("no such figure", {}), tmp_path / "folder.svg")


def test_what_goes_wrong_leaves_the_old_file(tmp_path):
    target = tmp_path / "plot.svg"
    target.write_text("old")
    with pytest.raises(ParameterError):
        figures.save_figure(Figure("leaderboard", {"systems": [], "means": [], "measure": "P"}), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["plot.svg"]
