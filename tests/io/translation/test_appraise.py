"""Rankings in Appraise's XML: made-up results in its forms, broken files, and files that would expand or fetch."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError
from rankscope.io.translation import read_appraise_rankings
from rankscope.io.translation.xml_events import CHUNK

WMT15 = """<?xml version="1.0" encoding="UTF-8"?>
<WMT15-results>
<HIT hit-id="3" source-language="deu" block-id="-1" target-language="eng">
<ranking-task id="17">
  <ranking-result duration="00:00:35.3" user="ann">
    <translation system="newstest2015.online-E.0.de-en.txt" rank="3" />
    <translation system="newstest2015.KIT.4017.de-en.txt,newstest2015.UU.4059.de-en.txt" rank="1" />
  </ranking-result>
  <ranking-result duration="00:00:01" user="bob"><skipped/></ranking-result>
</ranking-task>
<ranking-task id="18">
  <ranking-result duration="00:00:20" user="bob">
    <translation system="newstest2015.KIT.4017.de-en.txt" rank="-1" />
    <translation system="newstest2015.online-E.0.de-en.txt" rank="2" />
  </ranking-result>
</ranking-task>
</HIT>
</WMT15-results>
"""
PLAIN = """<appraise-results>
<ranking-result id="5" duration="1" user="ann" source-language="ces" target-language="eng">
<translation rank="1" system="A"/><translation rank="2" system="B"/></ranking-result>
</appraise-results>"""


@pytest.fixture
def read(tmp_path):
    def of(content):
        path = tmp_path / "results.xml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_appraise_rankings(path)

    return of


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_results_stand_in_tasks_of_hits(read, pack):
    found = read(pack(WMT15))
    assert found.pair.names == ("de-en",)
    assert list(zip(found.segment, found.judge, strict=True)) == [("17", "ann"), ("18", "bob")]
    assert list(found.system) == ["online-E.0", "KIT.4017", "UU.4059", "KIT.4017", "online-E.0"]
    np.testing.assert_array_equal(found.table("rank"), [[3, 1, 1], [np.nan, 2, np.nan]])
    assert len(found.notes) == 2
    assert mentions(found.notes[0], "1 result", "skipped")
    assert mentions(found.notes[1], "1 output", "-1")


def test_results_may_say_all_themselves(read):
    found = read(PLAIN)
    assert (found.pair.names, found.segment.names, found.judge.names) == (("cs-en",), ("5",), ("ann",))
    assert found.table("rank").tolist() == [[1, 2]]


def test_a_file_of_several_pieces_is_read_as_a_stream(read):
    n = 2 * CHUNK // 150
    result = '<ranking-result id="{}" user="u"><translation rank="1" system="A"/><translation rank="2" system="B"/>'
    text = "<r>" + "".join(result.format(i) + "</ranking-result>\n" for i in range(n)) + "</r>"
    assert len(text) > CHUNK
    assert list(read(text).segment) == [str(i) for i in range(n)]


BOMB = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("prologue", [BOMB, OUTSIDE, '<!DOCTYPE r SYSTEM "http://localhost/r.dtd">', "<!DOCTYPE r>"])
def test_what_could_expand_or_be_fetched_is_refused_with_its_line(read, prologue):
    with pytest.raises(InputError, match=r"results\.xml:2: .*document type"):
        read(f"<?xml version='1.0'?>\n{prologue}\n{PLAIN}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("</HIT>", "</HAT>", ":17: broken XML .mismatched tag."),
        ('user="ann"', "user=ann", ":5: broken XML"),
        ('rank="3"', 'rank="&other;"', ":6: broken XML .undefined entity."),
        ('rank="3"', 'rank="best"', ":6: rank 'best', .*1"),
        ('rank="3"', 'rank="0"', ":6: rank '0'"),
        ('rank="3"', "", ":6: .*without a rank"),
        ('system="newstest2015.online-E.0.de-en.txt" rank="3"', 'rank="3"', ":6: .*without a system"),
        ("online-E.0.de-en.txt", "KIT.4017.de-en.txt", ":5: .*'KIT.4017' .*twice"),
        ('<ranking-task id="17">', "<ranking-task>", ":5: .*without a segment"),
        ("UTF-8", "x-none", ":1: (broken XML|an encoding)"),
        ("</WMT15-results>", "", "broken XML .no element found."),
    ],
)
def test_files_that_cannot_be_read_are_refused_with_the_line(read, old, new, said):
    with pytest.raises(InputError, match=r"results\.xml.*" + said):
        read(WMT15.replace(old, new, 1))


@pytest.mark.parametrize(
    ("content", "said"), [("<r/>", "no judgments, expected ranking-result"), ("", "the file is empty")]
)
def test_a_file_without_results_is_refused(read, content, said):
    with pytest.raises(InputError, match=said):
        read(content)
