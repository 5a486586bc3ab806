"""Files of other programs are told by their first bytes, and texts that begin much alike are read."""

from __future__ import annotations

import bz2
import io
import tarfile
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.errors import InputError


@pytest.mark.parametrize("query", ["BZh91", "Rar!", "%PDF-files", "7z", "PK", "ARROW1"])
def test_a_query_may_be_called_like_a_program(tmp_path: Path, query: str) -> None:
    path = tmp_path / "a.run"
    path.write_text(f"{query} Q0 d1 1 2.5 a\n")
    assert rs.read_run(path).frame().rows() == [(query, "d1", 2.5)]


def test_a_word_may_stand_where_archives_have_their_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    first, begin = "q Q0 {} 1 2.5 a\n", "q Q0 m"
    doc = "x" * (257 - len(first.format("")) - len(begin))
    path.write_text(f"{first.format(doc)}{begin}ustard 2 1.5 a\n")
    assert path.read_bytes()[257:262] == b"ustar"
    assert rs.read_run(path).frame()["doc_id"][1] == "mustard"


@pytest.mark.parametrize("content", [b"q Q0 d1 1 2.5 a\n", b""], ids=["a run", "nothing"])
def test_what_programs_made_is_told(tmp_path: Path, content: bytes) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as file:
        about = tarfile.TarInfo("a.run")
        about.size = len(content)
        file.addfile(about, io.BytesIO(content))
    for made, said in ((bz2.compress(content), "compressed with bzip2"), (archive.getvalue(), r"an archive \(tar\)")):
        (tmp_path / "a.run").write_bytes(made)
        with pytest.raises(InputError, match=said):
            rs.read_run(tmp_path / "a.run")
