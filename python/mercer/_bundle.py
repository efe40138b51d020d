"""Files of estimators that are more than one model: a ZIP archive of model files and of what joins them.

Members are stored, not compressed: ``estimator.json`` (class, facts), ``model-1.mercer`` … (model files, each of which
the program ``mercer`` reads), and arrays in NumPy's format. Sizes, names and types are checked when they are read.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import stat
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from mercer import _core
from mercer._record import Record, strict_json

MAGIC = b"PK\x03\x04"
FORMAT = "mercer-estimator"
VERSION = 2  # 1 held the name of the class and the facts, no parameters
HEADER = "estimator.json"
SPARSE_PARTS = ("data", "indices", "indptr")


@dataclass
class Bundle:
    """The parts of an estimator.

    Attributes
    ----------
    models : list of FittedModel
        At least one.
    facts : dict
        What JSON can hold.
    arrays : dict from str to ndarray
        Numbers.
    record : Record
        Of an archive that was read.
    """

    models: list[_core.FittedModel]
    facts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    record: Record = field(default_factory=lambda: Record("", None))

    def to_bytes(self, record: Record) -> bytes:
        """Give the bytes of the archive; the same parts give the same bytes."""
        header = {"format": FORMAT, "version": VERSION, "record": record.content()}
        members = {HEADER: json.dumps(header, indent=1, sort_keys=True).encode()}
        members |= {f"model-{number}.mercer": model.to_bytes() for number, model in enumerate(self.models, 1)}
        members |= {f"{name}.npy": _array_bytes(array) for name, array in sorted(self.arrays.items())}
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content)
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Bundle:
        """Read an archive; ValueError where it is none of ours."""
        members = _members(data)
        try:
            header = strict_json(members.pop(HEADER))
            form, version = header["format"], header["version"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the archive is not an estimator of mercer: {HEADER} is missing or damaged") from error
        if form != FORMAT or type(version) is not int or not 1 <= version <= VERSION:
            raise ValueError(f"the archive is {form!r}, version {version!r}; this reads {FORMAT!r} up to {VERSION}")
        try:
            record = Record.from_content(header["record"]) if version > 1 else _first_record(header)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"the archive is not an estimator of mercer: {HEADER} is missing or damaged: {error}"
            ) from error
        models: list[_core.FittedModel] = []
        while (content := members.pop(f"model-{len(models) + 1}.mercer", None)) is not None:
            models.append(_core.FittedModel.from_bytes(content))
        arrays = {name.removesuffix(".npy"): _array(name, members[name]) for name in members if name.endswith(".npy")}
        if not models or len(arrays) != len(members):
            raise ValueError(f"the archive must hold model-1.mercer and arrays; it has {sorted(members)} beside models")
        return cls(models, record.facts, arrays, record)

    def add_rows(self, rows: Any) -> None:
        """Keep a matrix, dense or sparse."""
        if scipy.sparse.issparse(rows):
            self.facts["columns"] = int(rows.shape[1])
            self.arrays |= {f"rows-{part}": getattr(rows, part) for part in SPARSE_PARTS}
        else:
            self.arrays["rows"] = np.asarray(rows)

    def rows(self) -> Any:
        """The matrix that was kept."""
        try:
            if "rows" in self.arrays:
                rows = self.arrays["rows"]
                if rows.ndim != 2:
                    raise ValueError("rows must be a matrix")
                return rows
            parts = tuple(self.arrays[f"rows-{part}"] for part in SPARSE_PARTS)
            matrix = scipy.sparse.csr_matrix(parts, shape=(len(parts[2]) - 1, int(self.facts["columns"])))
            matrix.check_format(full_check=True)
            return matrix
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("the archive's training rows are missing or damaged") from error


def _first_record(header: dict[str, Any]) -> Record:
    estimator, facts = header["estimator"], header["facts"]
    if not isinstance(estimator, str) or not isinstance(facts, dict):
        raise TypeError("a name and facts are expected")
    return Record(estimator, None, facts)


def is_bundle(data: bytes) -> bool:
    """Whether bytes are an archive rather than one model file."""
    return data[: len(MAGIC)] == MAGIC


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole, or leave the old one as it is.

    By the rules of model files: symbolic links are followed, a file that is replaced hands on its mode and group, one
    that is protected from writing is refused, and devices and pipes are written directly.
    """
    target = os.path.realpath(path)
    replaced = os.stat(target) if os.path.exists(target) else None
    if replaced is not None and not stat.S_ISREG(replaced.st_mode):
        with open(target, "wb") as stream:
            stream.write(data)
        return
    if replaced is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    folder, name = os.path.split(target)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            _give_access(handle, replaced)
            stream.write(data)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _give_access(handle: int, replaced: os.stat_result | None) -> None:
    """The mode of a new file, or that of the one that it replaces; its owner and group as far as permitted."""
    if replaced is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    mode = replaced.st_mode & 0o777
    try:
        os.fchown(handle, -1, replaced.st_gid)
    except OSError:  # members of another group get no more than everybody
        mode &= ~0o070 | ((mode & 0o007) << 3)
    with contextlib.suppress(OSError):
        os.fchown(handle, replaced.st_uid, -1)
    with contextlib.suppress(OSError):  # a file system without modes: the file stays the user's alone
        os.fchmod(handle, mode)


def _members(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            stored = all(info.compress_type == zipfile.ZIP_STORED for info in infos)
            if not stored or sum(info.file_size for info in infos) > len(data):
                raise ValueError("the archive's members must be stored without compression, each once")
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise ValueError(f"the archive is damaged: {error}") from error


def _array_bytes(array: npt.NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def _array(name: str, content: bytes) -> npt.NDArray[Any]:
    """An array of numbers, whose header must tell the size of what follows."""
    stream = io.BytesIO(content)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("another version of the format")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        rest = content[stream.tell() :]
        if by_columns or dtype.kind not in "iuf" or any(size < 0 for size in shape):
            raise ValueError("not an array of numbers by rows")
        return np.frombuffer(rest, dtype=dtype).reshape(shape).copy()
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"the archive's array {name!r} is damaged: {error}") from error


def function_name(function: Any) -> str:
    """Where a function is found: ``module.name``, as far as it says."""
    inner = getattr(function, "function", function)
    inner = getattr(inner, "func", inner)
    module, name = getattr(inner, "__module__", None), getattr(inner, "__qualname__", type(inner).__name__)
    return f"{module}.{name}" if module else str(name)


def fact_list(facts: Mapping[str, Any], name: str, kind: type) -> list[Any]:
    """A list of one type among the facts; ValueError where there is none."""
    values = facts.get(name)
    if not isinstance(values, list) or not all(type(value) is kind for value in values):
        raise ValueError(f"the archive's {name!r} must be a list of {kind.__name__}")
    return values
