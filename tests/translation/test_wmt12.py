"""The reproduction of WMT12 on files of its form, made small; the real ones are in test_wmt12_published.py."""

from __future__ import annotations

import json

import pytest
from helpers.messages import Messages, mentions

from rankscope.cli.main import main
from rankscope.errors import InputError, UnknownName
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.translation import wmt12
from rankscope.translation.sentence_scores import Scorers
from rankscope.translation.wmt12 import JUDGMENTS, PUBLISHED, segment_level

SENTENCES = Messages("wmt12_segments")

HEADER = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
#: de-en: A before B before C; then C before A and B, which are tied.
ROWS = "German,English,1,ann,A,B,C,1,2,3\nGerman,English,2,ann,A,B,C,2,2,1\nFrench,English,1,ann,A,B,C,1,1,-1\n"
#: The shorter, the better: of de-en right, right, right; then right and wrong.
SHORT = Scorers({"short": lambda output, _: -float(len(output))}, "short:1")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / JUDGMENTS).write_text(HEADER + ROWS)
    texts = {
        "sources/set-src.de": "eins\nzwei\n",
        "sources/set-src.fr": "un\ndeux\n",
        "references/set-ref.en": "one cat\ntwo cats\n",
    }
    for pair in ("de-en", "fr-en"):
        texts |= {
            f"system-outputs/set/{pair}/{system}": text
            for system, text in {"A": "x\nx\n", "B": "xx\nxxx\n", "C": "xxx\nxx\n"}.items()
        }
    for name, text in texts.items():
        (tmp_path / "plain" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plain" / name).write_text(text)
    return tmp_path


@pytest.fixture
def published(monkeypatch):
    monkeypatch.setattr(wmt12, "PUBLISHED", {"de-en": 5, "fr-en": 0})


def test_the_published_numbers_of_pairs_come_to_101_099():
    assert sum(PUBLISHED.values()) == 101_099
    assert len(PUBLISHED) == 8


def test_pairs_are_those_that_people_ordered_and_the_agreement_is_that_of_segments(folder, published):
    found = segment_level(folder, pairs=["de-en"], scorers=SHORT)
    assert (found.judgments, found.pairs_found) == ({"de-en": 2}, {"de-en": 3 + 2})
    (row,) = found.records()
    assert row[:4] == ("short", "de-en", "wmt12", (4 - 1) / (4 + 1))
    assert row[-1] == 5
    assert found.columns == ("metric", "pair", "statistic", "value", "low", "high", "n")
    assert found.frame().height == 1
    assert "-1" in " ".join(found.notes)


def test_the_text_begins_with_the_pairs_and_says_whether_they_are_as_published(folder, published):
    found = segment_level(folder, scorers=SHORT)
    first, second, *_ = found.sections()
    SENTENCES.check("as many pairs as published", first.sentence)
    assert first.table.rows == (("de-en", "2", "5", "5"), ("fr-en", "1", "0", "0"))
    assert mentions(second.title, "Agreement", "segments")
    assert found.signature().split(" | ")[:3] == ["short:1", "agreement on segments", "statistic:wmt12"]
    assert str(found).startswith(f"{first.title}\n\n{first.sentence[:7]}")
    assert mentions(repr(found), "SegmentLevel(SegmentAgreement(wmt12: ", "1 metric", "2 language pairs")


def test_other_numbers_than_the_published_are_said_to_be_others(folder):
    found = segment_level(folder, pairs=["fr-en", "de-en"], scorers=SHORT)
    assert mentions(str(found), "numbers differ", "fr-en and de-en")


def test_what_is_not_there_is_refused(folder):
    with pytest.raises(UnknownName, match="language pair of WMT12"):
        segment_level(folder, pairs=["de-fr"], scorers=SHORT)
    with pytest.raises(UnknownName, match="'es-en'"):
        segment_level(folder, pairs=["es-en"], scorers=SHORT)
    (folder / JUDGMENTS).unlink()
    with pytest.raises(InputError, match=JUDGMENTS):
        segment_level(folder, scorers=SHORT)


@pytest.mark.parametrize("format_", RESULT_FORMATS)
def test_it_is_shown_in_every_format(folder, published, format_):
    assert "short" in render_result(segment_level(folder, scorers=SHORT), format_)


def run_cli(*args):
    try:
        main(["agree", "wmt12", *args])
    except SystemExit as end:
        return end.code
    return 0


def test_the_command_computes_sentence_bleu_and_chrf(folder, capsys):
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'rankscope[mt]'")
    assert run_cli(str(folder), "--pairs", "de-en", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["metric"], row["pair"], row["n"]) for row in rows] == [("sentBLEU", "de-en", 5), ("chrF", "de-en", 5)]


def test_the_command_refuses_a_folder_without_the_files_in_one_line(folder, capsys):
    assert run_cli(str(folder / "plain")) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert JUDGMENTS in err
    assert run_cli(str(folder), "-o", str(folder / JUDGMENTS)) == 2
