# SPDX-License-Identifier: Apache-2.0
"""Tables as capsules of Arrow's C interfaces (the PyCapsule protocol), without any package: what takes them takes them uncopied."""
from __future__ import annotations

import ctypes as C
from typing import Any, Dict, Tuple

from . import _native as native


class _Releasable(C.Structure):
    """One of Arrow's structs, which is released through itself, unless whoever took it over has cleared `release`."""

    def end(self) -> None:
        address = self.release
        if address:
            C.CFUNCTYPE(None, C.c_void_p)(address)(C.addressof(self))


class ArrowSchema(_Releasable):
    _fields_ = [('format', C.c_char_p), ('name', C.c_char_p), ('metadata', C.c_char_p), ('flags', C.c_int64), ('n_children', C.c_int64),
                ('children', C.c_void_p), ('dictionary', C.c_void_p), ('release', C.c_void_p), ('private_data', C.c_void_p)]


class ArrowArray(_Releasable):
    _fields_ = [('length', C.c_int64), ('null_count', C.c_int64), ('offset', C.c_int64), ('n_buffers', C.c_int64), ('n_children', C.c_int64),
                ('buffers', C.c_void_p), ('children', C.c_void_p), ('dictionary', C.c_void_p), ('release', C.c_void_p), ('private_data', C.c_void_p)]


class ArrowArrayStream(_Releasable):
    _fields_ = [('get_schema', C.c_void_p), ('get_next', C.c_void_p), ('get_last_error', C.c_void_p), ('release', C.c_void_p),
                ('private_data', C.c_void_p)]


_NAMES = {ArrowSchema: b'arrow_schema', ArrowArray: b'arrow_array', ArrowArrayStream: b'arrow_array_stream'}
_alive: Dict[int, _Releasable] = {}  # what capsules point to, by its address
_DESTRUCTOR = C.PYFUNCTYPE(None, C.c_void_p)
_new = C.PYFUNCTYPE(C.py_object, C.c_void_p, C.c_char_p, _DESTRUCTOR)(('PyCapsule_New', C.pythonapi))
_name_of = C.PYFUNCTYPE(C.c_char_p, C.c_void_p)(('PyCapsule_GetName', C.pythonapi))
_pointer_of = C.PYFUNCTYPE(C.c_void_p, C.c_void_p, C.c_char_p)(('PyCapsule_GetPointer', C.pythonapi))


def _finish(capsule: int) -> None:
    """A capsule that nobody took the struct out of releases it."""
    made = _alive.pop(_pointer_of(capsule, _name_of(capsule)), None)
    if made is not None:
        made.end()


_end = _DESTRUCTOR(_finish)  # kept as long as there may be capsules


def _capsule(made: _Releasable) -> Any:
    _alive[C.addressof(made)] = made
    return _new(C.addressof(made), _NAMES[type(made)], _end)


def array(table: int) -> Tuple[Any, Any]:
    schema, made = ArrowSchema(), ArrowArray()
    native.call(native.core.karp_table_arrow, table, C.byref(schema), C.byref(made))
    return _capsule(schema), _capsule(made)


def stream(table: int) -> Any:
    made = ArrowArrayStream()
    native.call(native.core.karp_table_arrow_stream, table, C.byref(made))
    return _capsule(made)
