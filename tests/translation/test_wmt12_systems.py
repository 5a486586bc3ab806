"""WMT12 on systems, on files of its form, made small; the real ones are in test_wmt12_published.py."""

from __future__ import annotations

import json

import pytest
from helpers.messages import Messages, mentions

from rankscope.cli.main import main
from rankscope.errors import InputError, UnknownName
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.translation.sentence_scores import CorpusScorer
from rankscope.translation.wmt12 import JUDGMENTS, PUBLISHED_SPEARMAN, system_level

SENTENCES = Messages("wmt12_systems")

HEADER = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
#: A wins 3 of 3; B 1 of 3 and one tie; C 0 of 2, and one tie. "idle" was judged and never ranked.
ROWS = (
    "German,English,1,ann,A,B,C,1,2,3\n"
    "German,English,2,ann,A,B,C,1,-1,-1\n"
    "German,English,2,bob,A,B,C,1,2,2\n"
    "German,English,2,bob,A,B,idle,1,2,-1\n"
)
#: The shorter, the better.
SHORT = CorpusScorer("short", lambda _: lambda outputs: -float(sum(map(len, outputs))), "short:1")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / JUDGMENTS).write_text(HEADER + ROWS)
    texts = {"sources/set-src.de": "eins\nzwei\n", "references/set-ref.en": "one black cat here\ntwo cats\n"}
    texts |= {
        f"system-outputs/set/de-en/{system}": text
        for system, text in {
            "A": "one black cat\ntwo\n",
            "B": "xx\nxxx\n",
            "C": "one black cat here\nxx xx xx xx\n",
        }.items()
    }
    for name, text in texts.items():
        (tmp_path / "plain" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plain" / name).write_text(text)
    return tmp_path


def test_the_values_stand_beside_those_published_by_two_rules(folder):
    found = system_level(folder, pairs=["de-en"], scorer=SHORT)
    wins, other = found.agreement["wins"], found.agreement["better_or_equal"]
    assert wins.human[0].tolist() == [5 / 5, 1 / 4, 0 / 3]
    assert other.human[0].tolist() == pytest.approx([5 / 5, 2 / 5, 1 / 4])
    assert wins.scores[0].tolist() == [[-16, -5, -29]]
    assert wins.value[0, 0] == pytest.approx(0.5)  # people A B C, the metric B A C
    first, second, *_ = found.sections()
    SENTENCES.check("values that were published by two rules", first.sentence)
    assert first.table.rows == (("de-en", "3", "0.67", "0.5000", "0.5000"),)
    assert mentions(second.title, "Agreement", "systems")
    assert [row[:3] for row in found.records()] == [
        ("short (wins)", "de-en", "spearman"),
        ("short (better or equal)", "de-en", "spearman"),
    ]
    assert found.frame().height == 2
    assert found.signature().split(" | ")[:3] == ["short:1", "rules:wins,better_or_equal", "agreement on systems"]
    assert mentions(repr(found), "SystemLevel(SystemAgreement(spearman: ", "1 metric", "1 language pair")


def test_values_as_published_are_said_to_be(folder, monkeypatch):
    monkeypatch.setitem(PUBLISHED_SPEARMAN, "de-en", 0.51)
    assert mentions(str(system_level(folder, pairs=["de-en"], scorer=SHORT)), "1 of 1 by wins", 0.02)


def test_what_is_not_there_is_refused(folder):
    with pytest.raises(UnknownName, match="language pair of WMT12"):
        system_level(folder, pairs=["de-fr"], scorer=SHORT)
    (folder / "plain/system-outputs/set/de-en/C").unlink()
    with pytest.raises(InputError, match=r"\bC .*de-en, .*A and B"):
        system_level(folder, pairs=["de-en"], scorer=SHORT)


@pytest.mark.parametrize("format_", RESULT_FORMATS)
def test_it_is_shown_in_every_format(folder, format_):
    assert "short" in render_result(system_level(folder, pairs=["de-en"], scorer=SHORT), format_)


def test_the_command_computes_bleu_of_whole_systems(folder, capsys):
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'rankscope[mt]'")
    main(["agree", "wmt12", str(folder), "--pairs", "de-en", "--level", "systems", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)
    assert [(row["metric"], row["pair"], row["n"]) for row in rows] == [
        ("BLEU (wins)", "de-en", 3),
        ("BLEU (better or equal)", "de-en", 3),
    ]
