"""What the jobs of `make` rest on: lowest versions can be read off, and settings of processors are told apart."""

import tomllib
from pathlib import Path

import pytest
from helpers.messages import mentions
from jobs import lowest, machines, release

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))


def test_every_requirement_names_its_lowest_version():
    lines = [lowest.lowest(line) for line in lowest.requirements(PROJECT)]
    assert "numpy==2.0" in lines
    assert len({line.partition("==")[0] for line in lines}) == len(lines), "a package is declared with two versions"


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>=2,<3", "rankscope[report]"])
def test_a_requirement_without_a_lowest_version_alone_is_refused(requirement):
    with pytest.raises(SystemExit, match="lowest version"):
        lowest.lowest(requirement)


def test_settings_differ_and_unknown_ones_are_refused(capsys):
    able = [str(variables) for variables in machines.settings().values() if variables]
    assert len(set(able)) == len(able) >= 2
    assert machines.main(["vax"], ["true"]) == 2
    assert "vax" in capsys.readouterr().out


def test_what_stands_against_a_release_is_named(tmp_path):
    root = Path(__file__).parents[2]
    version = release.version_of(root)
    assert release.faults(root, version, "", "v0.0.1\n") == []
    (tmp_path / "pyproject.toml").write_text('[project]\nreadme = "README.md"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## 0.1.0\n")
    found = "\n".join(release.faults(tmp_path, "0.2", " M README.md\n", "v0.1.0\nv0.2\n"))
    assert mentions(found, "no description", "no urls", "0.2, expected one as 1.2.3", "no heading of version 0.2")
    assert mentions(found, "not committed: README.md", "tag v0.2 exists")
    assert "no readme" not in found
