# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions. A pod that fits nowhere is not among them: that is a result."""
from __future__ import annotations

from typing import Optional


class Error(Exception):
    """A failure that the library reports.

    `reason` is one line of English; `status` the name of the code ("KARP_E_INVALID"). The others say where, as far as it is
    known, and are None otherwise: `document` (the name of a file), `line` and `column` (from 1), `byte_offset`,
    `object` ("Pod default/web-0"), `field` ("spec.containers[0].resources.requests.cpu").
    """

    def __init__(self, reason: str, *, status: str = '', document: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None, byte_offset: Optional[int] = None, object: Optional[str] = None,
                 field: Optional[str] = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.document = document
        self.line = line
        self.column = column
        self.byte_offset = byte_offset
        self.object = object
        self.field = field

    def __str__(self) -> str:
        place = self.document or ''
        if self.line is not None:
            place += f':{self.line}' if place else f'line {self.line}'
            if self.column is not None:
                place += f':{self.column}'
        return ': '.join(part for part in (place, self.object, self.field, self.reason) if part)

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.reason, {key: value for key, value in vars(self).items() if key != 'reason'})


def _again(kind: type[Error], reason: str, rest: dict[str, object]) -> Error:
    error = kind(reason)
    vars(error).update(rest)
    return error


class InputError(Error, ValueError):
    """An input that is not what it should be: syntax, a field, a number, an object that is there twice."""


class LimitError(InputError):
    """An input beyond a limit: bytes, nesting, pods, nodes, instance types."""


class FileError(Error):
    """A file that cannot be read."""


class NotFoundError(Error, LookupError):
    """A name that the input does not have."""


class CanceledError(Error):
    """The decision was stopped: by `should_stop`, or because `max_steps` is used up."""


class OutOfMemoryError(Error, MemoryError):
    """Memory was refused."""


class ClosedError(Error, ValueError):
    """Use of an object after its close()."""


class LibraryError(Error, ImportError):
    """libkarp is not there, or not the one that this package is for."""
