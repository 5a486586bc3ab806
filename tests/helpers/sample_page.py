"""A page as a comparison of twelve systems gives it, with names that nobody should give to a system."""

from __future__ import annotations

from rankscope.data.section import Figure, Marked, Section, Table
from rankscope.reporting.page import FigureHtml, Page, render_page

SCRIPT = "<script>alert(1)</script>"
QUOTES = '"it\'s" & <b>bold</b> {{ 7 * 7 }}'
RIGHT_TO_LEFT = "نظام البحث ٢"
TURNED = "evil\u202egnp.exe"
UNREADABLE = b"caf\xe9-run".decode("utf-8", "surrogateescape")
LONG = "bm25-k1-0.9-b-0.4-rm3-fb-docs-10-fb-terms-10-original-query-weight-0.5-" * 3
CHINESE = "稠密检索系统"
SYSTEMS = (
    "splade-pp",
    LONG,
    "bm25",
    "bm25+rm3",
    SCRIPT,
    QUOTES,
    RIGHT_TO_LEFT,
    TURNED,
    UNREADABLE,
    CHINESE,
    "dfr-in-l2",
    "tfidf",
)
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def stand_in(figure: Figure) -> FigureHtml:
    """Bars as a drawing library writes them: white background, clipped, named marks, more digits than anybody needs."""
    values = figure.data["values"]
    bars = "".join(
        f'<path aria-label="query q{i}: {v:+.3f}" role="graphics-symbol" aria-roledescription="bar" '
        f'd="M{50 + i * 600 / len(values):.9f},110v{-v * 100:.9f}h{540 / len(values):.9f}V110Z" '
        f'fill="{"#0072B2" if v > 0 else "#D55E00"}"/>'
        for i, v in enumerate(values)
    )
    return FigureHtml(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="marks" '
        'width="660" height="240" viewBox="0 0 660 240"><rect width="660" height="240" fill="white"/>'
        '<defs><clipPath id="clip1"><rect x="40" y="5" width="610" height="205"/></clipPath></defs>'
        '<line x1="45" x2="650" y1="110" y2="110" stroke="#888"/>'
        '<text x="40" y="114" text-anchor="end" font-family="sans-serif" font-size="11px" fill="#000">0</text>'
        '<text x="350" y="232" text-anchor="middle" font-family="sans-serif" font-size="12px" fill="#000">'
        f'queries, sorted by difference</text><g clip-path="url(#clip1)">{bars}</g></svg>',
        figure.data.get("label", ""),
    )


def number(i: int, j: int) -> str:
    return f"{0.62 - 0.021 * i - 0.07 * ((j * 7) % 5):.4f}"


def leaderboard() -> Table:
    rows = tuple(
        (
            name,
            *(Marked(number(i, j), bold=i == 0, raised="abcdefghijkl"[i + 1 : 12 - j]) for j in range(len(MEASURES))),
            f"[{0.58 - 0.021 * i:.3f}, {0.66 - 0.021 * i:.3f}]",
        )
        for i, name in enumerate(SYSTEMS)
    )
    return Table(columns=("system", *MEASURES, "95% interval of nDCG@10"), rows=rows)


def pairs() -> Table:
    rows = tuple(
        (a, b, f"{0.021 * (j - i):.4f}", f"{0.9 ** (j - i) / 9:.4f}", str(130 + j - i), str(12 + i), str(107 - j))
        for i, a in enumerate(SYSTEMS)
        for j, b in enumerate(SYSTEMS)
        if i < j
    )
    return Table(
        columns=("system", "against", "difference", "p", "wins", "ties", "losses"), rows=rows, n_name_columns=2
    )


def deciding() -> Table:
    rows = tuple(
        (f"{301 + 7 * i}", f"{0.91 - 0.05 * i:.4f}", f"{0.12 + 0.01 * i:.4f}", f"{0.79 - 0.06 * i:+.4f}")
        for i in range(10)
    )
    return Table(columns=("query", "splade-pp", "bm25", "difference"), rows=rows)


def sections() -> list[Section]:
    values = [((i * 37) % 101 / 100 - 0.42) for i in range(100)]
    return [
        Section(
            title="Leaderboard",
            sentence="splade-pp is ahead on all five measures; letters name the systems that it beats beyond chance.",
            table=leaderboard(),
            notes=("95% intervals by Student's t over 249 queries.", "p-values corrected by Holm's method, 66 pairs."),
        ),
        Section(
            title="Query by query",
            sentence="splade-pp helps 142 queries, hurts 71 and leaves 36 as they are.",
            figure=Figure(
                "differences",
                {"values": sorted(values), "label": "A bar a query, from the most hurt to the most helped."},
            ),
        ),
        Section(
            title="The queries that decide",
            sentence="Ten queries make up a third of the difference.",
            table=deciding(),
        ),
        Section(
            title="All pairs",
            sentence="41 of 66 pairs differ beyond chance.",
            table=pairs(),
            notes=("Two-sided.",),
            folded=True,
        ),
        Section(title="By measure", figure=Figure("differences", {"values": values[:40]}), folded=True),
        Section(
            title="Unjudged documents",
            sentence="Nobody judged 3% of the documents above rank 10.",
            notes=("Bounds count them as relevant, then as not.",),
        ),
        Section(
            title=f"What {SCRIPT} and {TURNED} did",
            sentence=f"{UNREADABLE} answered every query; {LONG} did not.",
            table=Table(columns=("system",), rows=()),
        ),
    ]


def appendix() -> list[Section]:
    values = [((i * 23) % 89 / 88 - 0.4) for i in range(60)]
    return [
        Section(title="Agreement of measures", sentence="All five agree.", table=deciding(), notes=("Of 12 systems.",)),
        Section(title=f"Spread of {SCRIPT}", figure=Figure("differences", {"values": values})),
    ]


def sample_page(title: str = "Twelve systems on Robust04") -> Page:
    return render_page(
        title,
        [
            "splade-pp beats bm25 by .041 in nDCG@10, and chance alone would rarely show that (p = .003).",
            "Were the queries drawn again, the difference would lie between .018 and .064, as far as 249 queries can "
            "tell. With 249 queries, a difference of at least .031 is detected with 80 % power.",
        ],
        sections(),
        [
            ("judgments", "robust04.qrels\nsha256 6c1b2f0a9d5e4c3b8a7f6e5d4c3b2a1908f7e6d5c4b3a291807f6e5d4c3b2a19"),
            ("runs", "\n".join(SYSTEMS)),
            (
                "signature",
                "nDCG@10 | gain:linear | discount:log2 | ties:doc_id_desc | missing:zero | queries:249 | "
                "test:permutation,10000,holm | rng:7 | rankscope 0.1.0",
            ),
            ("command", "rankscope report robust04.qrels *.run --baseline bm25 -o report.html"),
        ],
        figures=stand_in,
        appendix=appendix(),
        date="5 May 2026",
        notes=("12 queries have no list in run 'tfidf' and count as zero.",),
    )
