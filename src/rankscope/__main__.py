"""`rankscope` and `python -m rankscope`: loads the command line, and exits at once if interrupted while loading."""

import os
import signal

__all__ = ["main"]


def main() -> None:
    """The entry point. It imports few and small modules, since Python answers an earlier interrupt with a traceback."""
    # Unless interrupts are ignored, as in a job behind a shell's `&`.
    default_interrupts = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if default_interrupts:
        signal.signal(signal.SIGINT, exit_interrupted)
    from rankscope.cli.main import main as command_line

    if default_interrupts:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line()


def exit_interrupted(number: int, frame: object) -> None:
    """Exit at once: nothing has been read or written yet, and the import of a module might swallow an exception."""
    try:
        os.write(2, b"rankscope: interrupted; no result was written\n")
    finally:
        os._exit(128 + number)


if __name__ == "__main__":
    main()
