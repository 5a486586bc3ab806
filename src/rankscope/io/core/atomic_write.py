"""Writing results completely or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from rankscope.errors import OutputError, ParameterError
from rankscope.io.core.paths import is_folder
from rankscope.typing import PathLike

__all__ = [
    "check_writable",
    "is_special",
    "is_temporary",
    "make_folder",
    "refuse_overwriting",
    "staged_folder",
    "temporary_folder_errors",
    "write_chunks",
    "write_folder",
    "write_new",
    "write_stdout",
    "write_text",
    "written_files",
]


#: The prefix of temporary files, until they are complete.
TEMPORARY = ".rankscope-"
#: Names of descriptors that the calling shell has opened.
DESCRIPTOR_PATH = re.compile(r"/dev/fd/(\d{1,9})|/proc/self/fd/(\d{1,9})")
STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
#: The results that this process has written, for the message of an interrupted command.
written_files: list[str] = []
#: How often a link to a file is tried that other processes replace.
N_LINKS = 1000
#: Error numbers of file systems without hard links.
NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


def check_writable(path: PathLike) -> None:
    """Raise OutputError now rather than after long work."""
    if not os.fspath(path):
        raise OutputError("the name of the file to write is empty, expected a path; check the command")
    if os.fsdecode(path).endswith("/"):
        raise OutputError(f"{path}: names a folder, expected a file name to write to")
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass  # reported below
    except (OSError, ValueError) as error:  # a name that is too long, or holds a NUL
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{path}: cannot be written ({reason}); choose another place") from None
    if os.path.isdir(path):
        raise OutputError(f"{path}: is a directory, expected a file name to write to")
    if is_special(path):
        return
    target = Path(os.path.realpath(path))
    folder = target.parent
    if not os.path.isdir(folder):
        if os.path.exists(folder):
            raise OutputError(f"{path}: {Path(path).parent} is a file, expected a folder; choose another place")
        first_part = Path(path).parts[0]
        if first_part.startswith(("~", "$")):  # creating a folder of that name would not help
            raise OutputError(f"{path}: {first_part} is not expanded inside quotes; write the full path")
        raise OutputError(f"{path}: the folder {Path(path).parent} does not exist; create it first")
    target_exists = os.path.exists(target)
    if not os.access(folder, os.W_OK) or (target_exists and (not os.access(target, os.W_OK) or is_protected(target))):
        raise OutputError(f"{path}: no permission to write there; choose another place")


def is_protected(target: Path) -> bool:
    """Whether another user's file is in a folder such as /tmp, where only its owner can replace it."""
    folder = target.parent.stat()
    owners = (0, folder.st_uid, target.stat().st_uid)
    return bool(folder.st_mode & stat.S_ISVTX) and hasattr(os, "geteuid") and os.geteuid() not in owners


def refuse_overwriting(output: PathLike, inputs: Iterable[PathLike]) -> None:
    """Raise ParameterError where the output is one of the files that are read."""
    for input_path in (path for source in inputs for path in files_at(source)):
        if os.path.exists(input_path) and os.path.exists(output) and os.path.samefile(input_path, output):
            raise ParameterError(f"{output}: is also an input and would be overwritten; write to another file")


def files_at(path: PathLike) -> Iterable[PathLike]:
    """The path itself, or the files of the run in this folder."""
    if not is_folder(path):
        return [path]
    from rankscope.io.core.paths import readable_partitions

    return [partition.path for partition in readable_partitions(path)]


def is_special(path: PathLike) -> bool:
    """Whether it is a device, a pipe or a descriptor, which no rename can replace: it is written to directly."""
    return os.path.exists(path) and (not os.path.isfile(path) or descriptor_of(path) is not None)


def descriptor_of(path: PathLike) -> int | None:
    """The number of the open file that a path names; None for any other path.

    The descriptor may belong to a file, as in `-o /dev/stdout >> all.run`. It is written to from its current position:
    replacing the file would lose its content, and what others append to it.
    """
    name = os.path.abspath(os.fsdecode(path))
    match = DESCRIPTOR_PATH.fullmatch(name)
    return STREAMS.get(name) if match is None else int(match[1] or match[2])


def write_text(path: PathLike, text: str) -> None:
    """Write a text as `write_chunks` does."""
    write_chunks(path, [text.encode("utf-8", "surrogateescape")])


def write_chunks(path: PathLike, chunks: Iterable[bytes], *, is_result: bool = True) -> None:
    """Write beside the target, then rename: readers see the old file or the new one, never half of it.

    Parameters
    ----------
    path
        The target. A link is followed; an existing file keeps its permissions.
    chunks
        Content of the file.
    is_result
        Whether an interrupted command says that the file was written, which it does not of caches.

    Raises
    ------
    OutputError
        The file cannot be written.

    Notes
    -----
    An error while the chunks are computed leaves no file behind either. A killed process may leave a file whose name
    begins with `.rankscope-`, and nothing else.
    """
    check_writable(path)
    with write_errors(path):
        if is_special(path):
            number = descriptor_of(path)
            with open(path if number is None else os.dup(number), "wb") as file:
                file.writelines(chunks)
        else:
            replace_file(path, chunks, is_result)
    if is_result:
        written_files.append(os.fsdecode(path))


def replace_file(path: PathLike, chunks: Iterable[bytes], is_result: bool) -> None:
    """Write a file beside the target, and move it into its place. is_result: as for `write_chunks`."""
    target = Path(os.path.realpath(path))
    temporary = os.path.join(target.parent, temporary_name())
    is_filled = False
    try:
        fill_file(temporary, chunks, target)
        is_filled = True
        os.replace(temporary, target)
    except BaseException:
        # Python looks for interrupts where a function of Python begins. This is one of C: none can come before it.
        try:
            os.unlink(temporary)
        except FileNotFoundError:
            if is_filled and is_result:  # the interrupt came right after the file was moved
                written_files.append(os.fsdecode(path))
        except OSError:
            pass  # it cannot be removed
        raise


def write_new(path: PathLike, text: str) -> bool:
    """Write a new file, completely; return False, and write nothing, if the file already exists.

    Parameters
    ----------
    path
        The file.
    text
        Its content.

    Returns
    -------
    bool
        Of several processes that start at the same time exactly one gets True.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    check_writable(path)
    with write_errors(path):
        target = Path(os.path.realpath(path))
        temporary = os.path.join(target.parent, temporary_name())
        try:
            fill_file(temporary, [text.encode()], target)
            try:
                os.link(temporary, target)  # unlike a rename, this replaces nothing
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno not in NO_LINKS:
                    raise
                os.replace(temporary, target)
            return True
        finally:
            try:  # noqa: SIM105 - as in `replace_file`: `suppress` is a function of Python
                os.unlink(temporary)
            except OSError:  # it was never created, or cannot be removed
                pass


def fill_file(temporary: PathLike, chunks: Iterable[bytes], target: Path) -> None:
    """Write a new file with the group and permissions of the target, or with the defaults where there is no target."""
    with open(temporary, "xb") as file:
        if target.exists():
            copy_permissions(temporary, target.stat())
        file.writelines(chunks)


def copy_permissions(path: PathLike, original: os.stat_result) -> None:
    """Give a file the permissions of the original, and its owner and group as far as this process may."""
    current = os.stat(path)
    if (current.st_uid, current.st_gid) != (original.st_uid, original.st_gid):
        for owner in (original.st_uid, -1):  # only the system's administrator may give files away
            with suppress(OSError):
                os.chown(path, owner, original.st_gid)
                break
    os.chmod(path, stat.S_IMODE(original.st_mode))


@contextmanager
def write_errors(path: PathLike) -> Iterator[None]:
    """Raise OutputError for errors of the system while the path is written."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}); choose another place") from None


def temporary_name() -> str:
    return f"{TEMPORARY}{os.urandom(6).hex()}"


def is_temporary(path: Path) -> bool:
    """Whether this is an incomplete file of a killed process, which can be ignored."""
    return path.name.startswith(TEMPORARY)


@contextmanager
def make_folder(folder: PathLike) -> Iterator[None]:
    """Create the folder and its parents; after an error in the block, remove those of them that are empty.

    Parameters
    ----------
    folder
        The folder.

    Raises
    ------
    OutputError
        The folder cannot be created; raised before the block starts.
    """
    path = Path(folder)
    missing_folders = [ancestor for ancestor in (path, *path.parents) if not os.path.lexists(ancestor)]
    try:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(f"{folder}: no folder can be made there ({reason}); choose another") from None
        yield
    except BaseException:
        for ancestor in missing_folders:
            with suppress(OSError):  # it was never created, or it is not empty and stays
                ancestor.rmdir()
        raise


def write_folder(folder: PathLike, files: Mapping[str, Iterable[bytes]]) -> None:
    """Write files into a folder, all or none; the folder is created if needed, and other files in it stay.

    Parameters
    ----------
    folder
        The folder.
    files
        Content by name, which may include folders, as "scores/a.txt".

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    with staged_folder(folder) as staged:
        for name, chunks in files.items():
            staged.write(name, chunks)


class StagedFolder(NamedTuple):
    """A folder whose files are not yet in their place.

    Attributes
    ----------
    target
        Where they will be.
    path
        Where they are until then.
    """

    target: Path
    path: Path

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file. Raises OutputError where it could not be moved into its place."""
        check_target(self.target, name)
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        fill_file(self.path / name, chunks, self.target / name)


@contextmanager
def staged_folder(folder: PathLike) -> Iterator[StagedFolder]:
    """Write files into a folder within the block: all of them are there when it ends, or none after an error.

    Parameters
    ----------
    folder
        The folder, which is created if needed; other files in it stay.

    Raises
    ------
    OutputError
        A file cannot be written.

    Notes
    -----
    The files are first in a temporary folder inside, and are moved when all are complete.
    """
    import shutil

    base = Path(folder)
    with make_folder(base), write_errors(base):
        temporary = base / temporary_name()
        try:
            staged = StagedFolder(base, temporary / "new")
            staged.path.mkdir(parents=True)
            yield staged
            move_files(staged.path, base, temporary / "old")
        finally:
            try:
                shutil.rmtree(temporary, ignore_errors=True)
            except KeyboardInterrupt:  # of a second one, or after all was moved
                shutil.rmtree(temporary, ignore_errors=True)
                raise
    written_files.append(os.fsdecode(base))


def move_files(source: Path, target: Path, backup: Path) -> None:
    """Move all files of a folder into another, or none: after an error, those that were replaced are put back.

    backup: a new folder for the files that are replaced.
    """
    names = [path.relative_to(source) for path in sorted(source.rglob("*")) if path.is_file()]
    try:
        for name in names:
            if (target / name).exists():
                (backup / name).parent.mkdir(parents=True, exist_ok=True)
                keep_copy(target / name, backup / name)
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(source / name, target / name)
    except BaseException:
        for name in names:
            if not (source / name).exists():
                with suppress(OSError):
                    if (backup / name).exists():
                        os.replace(backup / name, target / name)
                    else:
                        (target / name).unlink()
        raise


def keep_copy(path: Path, copy: Path) -> None:
    """Keep the content of a file that is going to be replaced."""
    for _ in range(N_LINKS):
        try:
            os.link(path, copy)
        except FileNotFoundError:  # another process has just replaced it, or removed it
            if path.exists():
                continue
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            import shutil

            shutil.copy2(path, copy)
        return


def check_target(base: Path, name: str) -> None:
    """Raise OutputError where no file of that name can be written."""
    target = base / name
    if target.is_dir():
        raise OutputError(f"{target}: is a directory, and a file is to be written there; choose another folder")
    if any(path.exists() and not os.access(path, os.W_OK) for path in (target, target.parent)):
        raise OutputError(f"{target}: no permission to write there; choose another folder")


def write_stdout(chunks: Iterable[bytes]) -> None:
    """Write to standard output. Raises OutputError where there is none."""
    if sys.stdout is None:
        raise OutputError("standard output is closed; name a file to write to")
    sys.stdout.flush()
    sys.stdout.buffer.writelines(chunks)
    sys.stdout.buffer.flush()


@contextmanager
def temporary_folder_errors(name: str) -> Iterator[None]:
    """Raise OutputError for errors with files in the temporary folder, which are not the fault of the input.

    Parameters
    ----------
    name
        Name of the input.
    """
    try:
        yield
    except OSError as error:
        import tempfile

        folder = tempfile.tempdir or "none found"
        raise OutputError(
            f"{name}: the temporary folder ({folder}) cannot hold its rows ({error.strerror or error}), which take "
            "about as much room as the file unpacked; make room, or set TMPDIR to another folder"
        ) from None
