"""JCML: what is read, where what is wrong is told, and that little is kept in memory."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.translation import read_jcml

TWO = """<?xml version="1.0" encoding="utf-8"?>
<jcml>
 <judgedsentence id="1" langsrc="de" langtgt="en"><src>eins &lt; zwei</src>
  <tgt system="a" rank='1' bleu='20.5'>one</tgt><tgt system="b" rank='2'>two</tgt>
 </judgedsentence>
 <judgedsentence id="1" segment_id="s7" judge_id="j"><tgt system="b" rank='1.5' bleu='0' model='x'/><ref>r</ref>
 </judgedsentence>
</jcml>
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(text: str) -> Path:
        path = tmp_path / "made.jcml"
        path.write_text(text, "utf-8")
        return path

    return make


def body(items: str) -> str:
    return f"<jcml>\n<judgedsentence>\n{items}</judgedsentence></jcml>"


class TestWhatIsRead:
    def test_every_attribute_of_numbers_is_a_column_with_gaps_where_it_is_missing(self, write: Write) -> None:
        found = read_jcml(write(TWO))
        assert len(found) == 2
        assert {name: values.tolist()[::2] for name, values in found.columns.items()} == {
            "rank": [1.0, 1.5],
            "bleu": [20.5, 0.0],
        }
        assert np.isnan(found.columns["bleu"][1])
        assert found.systems == ("a", "b")
        assert list(found.system) == ["a", "b", "b"]
        assert found.offsets.tolist() == [0, 2, 3]
        assert not found.score_columns

    def test_pair_segment_and_judge_come_from_the_judgment(self, write: Write) -> None:
        found = read_jcml(write(TWO))
        assert [list(labels) for labels in (found.pair, found.segment, found.judge)] == [
            ["de-en", ""],
            ["1", "s7"],
            ["", "j"],
        ]

    def test_an_attribute_of_text_is_no_column_and_a_note_says_so(self, write: Write) -> None:
        (note,) = read_jcml(write(TWO)).notes
        assert mentions(note, "'model'", "no numbers")

    def test_only_the_columns_asked_for_are_read(self, write: Write) -> None:
        assert list(read_jcml(write(TWO), ["bleu"]).columns) == ["bleu"]

    @pytest.mark.parametrize("how", ["gzip", "utf-16", "latin-1"])
    def test_compressed_and_in_other_encodings_it_is_the_same(self, write: Write, how: str) -> None:
        path, plain = write(TWO), read_jcml(write(TWO))
        encoded = TWO.replace("utf-8", how if how != "gzip" else "utf-8").replace("zwei", "z\xfcwei")
        path.write_bytes(gzip.compress(encoded.encode()) if how == "gzip" else encoded.encode(how))
        assert np.array_equal(read_jcml(path).table("rank"), plain.table("rank"), equal_nan=True)

    def test_translations_without_a_system_are_named_by_their_places(self, write: Write) -> None:
        found = read_jcml(write(body('<tgt rank="1"/><tgt rank="2"/>')))
        assert found.systems == ("#1", "#2")
        assert len(found.notes) == 1
        assert mentions(found.notes, 2, "#1, #2, ...")

    def test_by_place_a_system_may_come_twice(self, write: Write) -> None:
        found = read_jcml(write(body('<tgt system="a" rank="1"/><tgt system="a" rank="2"/>')), by_place=True)
        assert found.systems == ("#1", "#2")

    def test_a_judgment_without_translations_is_kept_and_noted(self, write: Write) -> None:
        found = read_jcml(write(body("")))
        assert len(found) == len(found.notes) == 1
        assert mentions(found.notes, 1, "without a translation")


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("text", "line", "why"),
        [
            ('<jcml>\n<judgedsentence>\n<tgt system="a"', 3, "broken XML"),
            ("<jcml>\n<judgedsentence>\n</jcml>", 3, "mismatched tag"),
            ("<jcml>\n\n&lol;</jcml>", 3, "undefined entity"),
            ('<jcml>\n<!-- -->\n<tgt rank="1"/></jcml>', 3, "outside of a <judgedsentence>"),
            ("<jcml><judgedsentence>\n<judgedsentence>", 2, "inside of another one"),
            (body('<tgt system="a" rank="first"/>'), 3, "rank is 'first'"),
            (body('<tgt system="a" rank="nan"/>'), 3, "rank is 'nan'"),
            (body('<tgt system="a" rank="1e999"/>'), 3, "rank is '1e999'"),
            (body('<tgt system="a" rank="1_0"/>'), 3, "rank is '1_0'"),
            (body('<tgt system="a" rank=""/>'), 3, "rank is ''"),
            (body('<tgt system="a" rank="1"/>\n<tgt system="a" rank="2"/>'), 4, "system 'a' twice"),
        ],
    )
    def test_it_is_told_with_its_line(self, write: Write, text: str, line: int, why: str) -> None:
        with pytest.raises(InputError) as error:
            read_jcml(write(text))
        assert f"made.jcml:{line}: " in str(error.value)
        assert why in str(error.value)

    @pytest.mark.parametrize(
        "declared",
        [
            '<!DOCTYPE jcml [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>',
            '<!DOCTYPE jcml SYSTEM "file:///etc/passwd">',
            '<!DOCTYPE jcml [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
            '<!DOCTYPE jcml [<!ENTITY % x SYSTEM "http://example.com/x.dtd"> %x;]>',
        ],
    )
    def test_document_types_and_entities_are_refused_before_they_can_do_harm(self, write: Write, declared: str) -> None:
        with pytest.raises(InputError, match=r"made.jcml:2: a document type"):
            read_jcml(write(f'<?xml version="1.0"?>\n{declared}\n<jcml>&lol2;</jcml>'))

    def test_text_in_a_column_that_was_asked_for_is_refused(self, write: Write) -> None:
        with pytest.raises(InputError, match="model is 'x'"):
            read_jcml(write(TWO), ["model"])

    def test_a_column_that_no_translation_has_is_refused(self, write: Write) -> None:
        with pytest.raises(UnknownName, match="rankk"):
            read_jcml(write(TWO), ["rank", "rankk"])
        with pytest.raises(ParameterError, match="a list of names"):
            read_jcml(write(TWO), "rank")

    def test_empty_files_other_xml_and_unknown_encodings_are_refused(self, write: Write) -> None:
        with pytest.raises(InputError, match="empty"):
            read_jcml(write(""))
        with pytest.raises(InputError, match="no <judgedsentence>"):
            read_jcml(write("<html/>"))
        with pytest.raises(InputError, match="encoding"):
            read_jcml(write('<?xml version="1.0" encoding="x-unheard"?><jcml/>'))

    def test_cut_anywhere_it_is_an_error_or_less_of_the_same(self, write: Write) -> None:
        for end in range(0, len(TWO), 7):
            with pytest.raises(InputError):
                read_jcml(write(TWO[:end]))


class TestManySegments:
    def test_numbers_and_names_as_segments_are_told_apart_and_kept_in_order(self, write: Write) -> None:
        for names in (
            ["10", "9", "10", "0"],
            ["10", "9", "x", "9"],
            ["07", "7", "7"],
            ["1" * 30, "1"],
            ["\u0663", "3"],
        ):
            items = "".join(f'<judgedsentence id="{name}"><tgt rank="1"/></judgedsentence>' for name in names)
            found = read_jcml(write(f"<jcml>{items}</jcml>"))
            assert list(found.segment) == names
            assert found.segment.names == tuple(dict.fromkeys(names))

    def test_a_judgment_costs_as_many_bytes_as_its_numbers_and_name(self, write: Write) -> None:
        """Five items without texts: 5 * (4 + 8 + 8) for system, rank and score, and about 150 for the judgment."""
        peaks = []
        for judgments in (1_000, 5_000):
            items = "".join(f'<tgt system="s{i}" rank="{i}" bleu="0.{i}{i}"/>' for i in range(5))
            path = write(
                "<jcml>"
                + "".join(f'<judgedsentence id="{n}">{items}</judgedsentence>' for n in range(judgments))
                + "</jcml>"
            )
            tracemalloc.start()
            try:
                read_jcml(path)
                peaks.append(tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
        assert path.stat().st_size > 1_000_000
        assert (peaks[1] - peaks[0]) / 4_000 < 300  # of 230 bytes in the file


def test_memory_does_not_grow_with_the_text(write: Write) -> None:
    """Two megabytes of sentences and a few numbers: what is kept is the numbers."""
    sentence = "word " * 400
    items = "".join(f'<tgt system="s{i}" rank="{i}">{sentence}</tgt>' for i in range(5))
    judgments = "".join(f'<judgedsentence id="{n}">{items}</judgedsentence>' for n in range(200))
    path = write(f"<jcml>{judgments}</jcml>")
    assert path.stat().st_size > 2_000_000
    tracemalloc.start()
    try:
        found = read_jcml(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found) == 200
    assert peak < 1_000_000
