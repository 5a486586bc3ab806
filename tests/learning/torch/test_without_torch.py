"""Where PyTorch is not installed, what asks for it says so, and nothing else does."""

import subprocess
import sys

import pytest

from rankscope.errors import ParameterError
from rankscope.learning import torch as package


@pytest.fixture
def absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.mark.usefixtures("absent")
def test_each_way_in_says_what_to_install():
    message = r"PyTorch .*pip install 'rankscope\[torch\]'"
    with pytest.raises(ParameterError, match=message):
        package.loss("listnet")
    with pytest.raises(ParameterError, match=message):
        package.TorchRanker().fit([[0.5], [0.2]], [1, 0], qid=[1, 1])
    assert repr(package.TorchRanker(attention=1)) == "TorchRanker(attention=1)"


def test_a_module_that_pytorch_itself_lacks_is_no_missing_pytorch(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("import no_such_library_of_pytorch\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(ModuleNotFoundError, match="no_such_library_of_pytorch"):
        package.loss("listnet")


@pytest.mark.parametrize("kind", ["OSError", "ImportError"])
def test_a_library_that_cannot_be_loaded_is_named(tmp_path, monkeypatch, kind):
    (tmp_path / "torch.py").write_text(
        f"raise {kind}('libgomp.so.1: cannot open shared object file\\nmore')\n", "utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(ParameterError, match=r"PyTorch .*\(libgomp\.so\.1: [^\n]*\)") as caught:
        package.loss("listnet")
    assert "\n" not in str(caught.value)


def test_nothing_loads_pytorch_before_it_is_needed():
    code = (
        "import sys, rankscope.learning.torch as t; t.TorchRanker; t.loss\n"
        "assert not any(name == 'torch' or name.startswith('torch.') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
