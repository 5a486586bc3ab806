"""Importing PyTorch when it is needed, and its device, memory and threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankscope.errors import ParameterError
from rankscope.learning.optional_libraries import NotInstalled
from rankscope.learning.settings import DEVICES
from rankscope.stats.inputs import check_choice

__all__ = [
    "load_pytorch",
    "resolve_device",
    "single_thread",
    "within_memory",
]


#: Part of PyTorch's error message where the memory of the machine, not that of a GPU, is used up.
NO_HOST_MEMORY = "DefaultCPUAllocator"


def load_pytorch() -> Any:
    """The module torch. Raises NotInstalled, a ParameterError, where it is not installed or cannot be loaded."""
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]  # takes seconds, and is optional
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        raise NotInstalled("PyTorch is not installed; pip install 'rankscope[torch]'") from None
    except (ImportError, OSError) as error:  # of a shared library
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise NotInstalled(
            f"PyTorch cannot be loaded ({reason}); install the library that it names (for libgomp: libgomp1 on Debian "
            "and Ubuntu), or reinstall PyTorch: pip install --force-reinstall torch"
        ) from None
    return torch


def resolve_device(name: str) -> str:
    """The device of "auto", "cpu" or "cuda": "cpu" or "cuda". Raises ParameterError where there is no GPU."""
    check_choice("device", name, DEVICES)
    has_gpu = bool(load_pytorch().cuda.is_available())
    if name == "cuda" and not has_gpu:
        raise ParameterError(
            "device is 'cuda', and PyTorch finds no GPU that it can use; give 'cpu', or 'auto' for a GPU if there "
            "is one"
        )
    return "cuda" if has_gpu and name != "cpu" else "cpu"


@contextmanager
def within_memory(advice: str) -> Iterator[None]:
    """Turn an out-of-memory error of the block into a ParameterError with advice."""
    try:
        yield
    except load_pytorch().cuda.OutOfMemoryError:
        raise ParameterError(f"there is not enough memory on the GPU {advice}") from None
    except RuntimeError as error:
        if NO_HOST_MEMORY not in str(error):
            raise
        raise ParameterError(f"there is not enough memory {advice}") from None


@contextmanager
def single_thread() -> Iterator[None]:
    """PyTorch uses one CPU thread in the block, so that sums are rounded as on every other machine."""
    torch = load_pytorch()
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)
