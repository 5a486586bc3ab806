"""`rankscope` and `python -m rankscope`: loads the command line, and ends at once where it is interrupted meanwhile."""

import os
import signal

__all__ = ["main"]


def main() -> None:
    """The entry point. What is needed to load it is kept to a few small modules, since Python's own answer to an
    interrupt that comes before it is a traceback.
    """
    # Not where interrupts are ignored, as of what runs behind a shell's `&`.
    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if handled:
        signal.signal(signal.SIGINT, end)
    from rankscope.cli.main import main as command_line

    if handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line()


def end(number: int, frame: object) -> None:
    """Nothing has been read or written yet, and an exception might be lost in what imports modules."""
    try:
        os.write(2, b"rankscope: interrupted; no result was written\n")
    finally:
        os._exit(128 + number)


if __name__ == "__main__":
    main()
