"""Small folders as the experiment on translations reads them: the demo's, under the names of several campaigns."""

from __future__ import annotations

import shutil
from pathlib import Path

from rankscope.demo.collection import write_files
from rankscope.demo.translations import FOLDER, SEGMENTS, translation_files
from rankscope.translation.experiment.wmt_campaigns import JUDGMENTS, TESTED

PAIR = "de-en"


def small_folder(root: Path, seed: int = 2003) -> Path:
    """Judgments and texts of WMT12 de-en, and parallel text."""
    write_files(root, translation_files(seed))
    return root / FOLDER


def add_campaign(folder: Path, campaign: str) -> None:
    """The same judgments and texts once more, under another year's names."""
    shutil.copytree(folder / TESTED, folder / campaign)
    (folder / campaign / JUDGMENTS[TESTED]).rename(folder / campaign / JUDGMENTS[campaign])
    if campaign == "wmt11":
        lines = "".join(f"{i}\n" for i in range(1, SEGMENTS + 1))
        (folder / campaign / "index-to-line.txt").write_text(lines)


def add_opposite(folder: Path, campaign: str = TESTED) -> None:
    """The same judgments as of en-de, with sources, references and outputs in each other's language's name."""
    plain = folder / campaign / "plain"
    for side, kind in (("sources", "src"), ("references", "ref")):
        (here,) = (plain / side).glob(f"*-{kind}.*")
        other = here.with_suffix(".en" if here.suffix == ".de" else ".de")
        shutil.copy(here, other)
    shutil.copytree(plain / "system-outputs/newstest2012/de-en", plain / "system-outputs/newstest2012/en-de")
    path = folder / campaign / JUDGMENTS[campaign]
    head, *rows = path.read_text().splitlines(keepends=True)
    path.write_text("".join([head, *rows, *(row.replace("German,English", "English,German") for row in rows)]))
