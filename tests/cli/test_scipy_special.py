"""`scipy.special` in a command's process: functions first, the rest when it is asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import scipy
import scipy.special

from rankscope.cli._scipy_special import load_functions_first


@pytest.fixture
def special(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`scipy.special` as a command has it, beside that of the tests, whose parts are loaded already."""
    monkeypatch.setattr(scipy, "special", scipy.special)
    monkeypatch.delitem(sys.modules, "scipy.special")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    load_functions_first()
    return importlib.import_module("scipy.special")


def test_its_functions_are_those_of_scipy(special: ModuleType) -> None:
    names = ("bdtr", "betainc", "chdtrc", "fdtri", "gammaincinv", "gammaln", "ndtri", "stdtrit", "xlogy")
    assert all(name in vars(special) for name in names)
    assert "logsumexp" not in vars(special)
    full = {name: getattr(special, name) for name in (*names, "logsumexp", "__all__")}
    assert special.logsumexp([0.0, 0.0]) == pytest.approx(0.6931471805599453)  # log 2
    assert all(vars(special)[name] is function for name, function in full.items())


def test_every_name_of_scipy_is_there_and_no_other(special: ModuleType) -> None:
    assert all(hasattr(special, name) for name in special.__all__)
    assert "__getattr__" not in vars(special)
    with pytest.raises(AttributeError, match="no_such_function"):
        special.no_such_function  # noqa: B018


def test_once_it_is_imported_nothing_changes() -> None:
    finders = [*sys.meta_path]
    load_functions_first()
    assert sys.meta_path == finders


def test_a_command_loads_functions_alone(folder: Path) -> None:
    (folder / "new").write_text("1 Q0 a 1 2.5 new\n2 Q0 a 1 8.0 new\n2 Q0 c 2 1.0 new\n")
    script = (
        "import sys; from rankscope.cli.main import main; sys.argv[1:] = ['compare', 'qrels', 'run', 'new']\n"
        "try: main()\n"
        "finally: print(*sorted(m for m in sys.modules if m.startswith(('scipy.', 'numpy.'))), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "scipy.special._ufuncs" in done.stderr.split()
    assert not {"scipy.special._basic", "numpy.f2py"} & {*done.stderr.split()}
