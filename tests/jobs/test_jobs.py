"""What the jobs of `make` rest on: lowest versions can be read off, and settings of processors are told apart."""

import tomllib
from pathlib import Path

import pytest
from jobs import lowest, machines

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
