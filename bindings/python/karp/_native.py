# SPDX-License-Identifier: Apache-2.0
"""Finds the two shared libraries, checks that they fit this package, declares their functions and calls them.

ctypes gives the interpreter's lock up for the length of each call, so that other threads run meanwhile.
"""
from __future__ import annotations

import ctypes as C
import os
import pathlib
import secrets
import threading
import weakref
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Type, TypeVar

from . import _structs as S
from ._errors import (CanceledError, ClosedError, Error, FileError, InputError, LibraryError, LimitError, NotFoundError,
                      OutOfMemoryError)
from ._version import VERSION

FORMAT_JSON, FORMAT_TEXT, FORMAT_YAML, FORMAT_JSON_LOG, FORMAT_HTML, FORMAT_CSV = range(6)
NO_TIME = -2**63
NO_OFFSET = 2**64 - 1
NAMES = ('{}.so.1', '{}.1.dylib', '{}.so', '{}.dylib', '{}.dll')
KINDS = {
    -2: OutOfMemoryError, -3: InputError, -4: InputError, -5: LimitError, -6: InputError, -7: CanceledError,
    -8: NotFoundError, -9: InputError, -14: FileError,
}  # type: dict[int, Type[Error]]

Self = TypeVar('Self', bound='Closable')

P, SIZE, U32, I32, I64, STATUS = C.c_void_p, C.c_size_t, C.c_uint32, C.c_int32, C.c_int64, C.c_int32
OUT, ERROR = C.POINTER(C.c_void_p), C.POINTER(S.Error)
ROW = [P, SIZE, P]  # a getter: object, index, struct to fill
WRITE = [P, P, C.POINTER(S.WriteOptions), C.POINTER(S.Text), ERROR]  # context, object, options, text, error

CORE = {
    'karp_version': (C.c_char_p, []),
    'karp_version_number': (U32, []),
    'karp_status_name': (C.c_char_p, [STATUS]),
    'karp_context_options_init': (None, [C.POINTER(S.ContextOptions), SIZE]),
    'karp_context_new': (STATUS, [C.POINTER(S.ContextOptions), OUT, ERROR]),
    'karp_context_unref': (None, [P]),
    'karp_objective_init': (None, [C.POINTER(S.Objective), SIZE]),
    'karp_options_init': (None, [C.POINTER(S.Options), SIZE]),
    'karp_disrupt_options_init': (None, [C.POINTER(S.DisruptOptions), SIZE]),
    'karp_snapshot_unref': (None, [P]),
    'karp_snapshot_get_counts': (None, [P, C.POINTER(S.SnapshotCounts)]),
    'karp_snapshot_now': (I64, [P]),
    'karp_snapshot_pod_name': (S.Str, [P, SIZE]),
    'karp_snapshot_node_name': (S.Str, [P, SIZE]),
    'karp_provision': (STATUS, [P, C.POINTER(S.Options), OUT, ERROR]),
    'karp_disrupt': (STATUS, [P, C.POINTER(S.DisruptOptions), OUT, ERROR]),
    'karp_repack': (STATUS, [P, C.POINTER(S.RepackOptions), OUT, ERROR]),
    'karp_repack_options_init': (None, [P, SIZE]),
    'karp_decision_repack': (STATUS, [P, P]),
    'karp_decision_repack_step': (STATUS, [P, SIZE, P]),
    'karp_decision_repack_point_count': (SIZE, [P]),
    'karp_decision_repack_point': (STATUS, [P, SIZE, P]),
    'karp_settle': (STATUS, [P, C.POINTER(S.SettleOptions), OUT, ERROR]),
    'karp_settle_options_init': (None, [C.POINTER(S.SettleOptions), SIZE]),
    'karp_settlement_free': (None, [P]),
    'karp_more_rounds': (U32, [P, P]),
    'karp_admit': (STATUS, [P, C.POINTER(S.AdmitOptions), OUT, ERROR]),
    'karp_admit_options_init': (None, [C.POINTER(S.AdmitOptions), SIZE]),
    'karp_admit_name': (C.c_char_p, [U32]),
    'karp_admission_free': (None, [P]),
    'karp_admission_decision': (P, [P]),
    'karp_admission_count': (SIZE, [P]),
    'karp_admission_at': (STATUS, [P, SIZE, P]),
    'karp_admission_flavour': (STATUS, [P, SIZE, SIZE, P]),
    'karp_admission_change': (STATUS, [P, SIZE, SIZE, P]),
    'karp_admission_condition': (STATUS, [P, SIZE, SIZE, P]),
    'karp_what_if': (STATUS, [P, P, SIZE, C.POINTER(S.Options), OUT, ERROR]),
    'karp_decision_unref': (None, [P]),
    'karp_decision_complete': (U32, [P]),
    'karp_decision_profile': (U32, [P]),
    'karp_decision_peer_version': (U32, [P]),
    'karp_peer_version_name': (C.c_char_p, [U32]),
    'karp_profile_at': (C.c_char_p, [C.c_size_t]),
    'karp_profile_parse': (STATUS, [S.Str, C.POINTER(U32), C.POINTER(U32)]),
    'karp_decision_now': (I64, [P]),
    'karp_decision_pod_name': (S.Str, [P, U32]),
    'karp_decision_cost': (STATUS, [P, P]),
    'karp_decision_cost_before': (C.c_double, [P]),
    'karp_decision_cost_after': (C.c_double, [P]),
    'karp_decision_warning_count': (SIZE, [P]),
    'karp_decision_warning': (S.Str, [P, SIZE]),
    'karp_decision_disruption': (STATUS, [P, P]),
    'karp_memory_init': (None, [C.POINTER(S.Memory), SIZE]),
    'karp_decision_memory': (STATUS, [P, C.POINTER(S.Memory)]),
    'karp_command_begin': (STATUS, [P, SIZE, OUT, ERROR]),
    'karp_command_step': (STATUS, [P, C.POINTER(S.CommandState), C.POINTER(S.DisruptOptions), P, SIZE, OUT, ERROR]),
    'karp_step_state': (STATUS, [P, P]),
    'karp_step_advice': (P, [P]),
    'karp_step_free': (None, [P]),
    'karp_phase_name': (C.c_char_p, [U32]),
    'karp_advice_action_count': (SIZE, [P]),
    'karp_advice_action': (STATUS, ROW),
    'karp_advice_look_again': (I64, [P]),
    'karp_advice_finished': (U32, [P]),
    'karp_catalogue_reprice': (STATUS, [P, P, P, SIZE, OUT, ERROR]),
    'karp_reason_name': (C.c_char_p, [U32]),
    'karp_domain_name': (C.c_char_p, [U32]),
    'karp_topology_name': (C.c_char_p, [U32]),
    'karp_reason_text': (C.c_char_p, [U32]),
    'karp_method_name': (C.c_char_p, [U32]),
    'karp_method_flags': (U32, [U32]),
    'karp_method_reason': (C.c_char_p, [U32]),
    'karp_finding_name': (C.c_char_p, [U32]),
    'karp_remedy_name': (C.c_char_p, [U32]),
    'karp_explain_pod': (STATUS, [P, C.POINTER(S.Options), S.Str, OUT, ERROR]),
    'karp_pod_explanation_free': (None, [P]),
    'karp_pod_explanation_remedy_count': (SIZE, [P]),
    'karp_pod_explanation_remedy': (STATUS, ROW),
    'karp_pod_explanation_decision': (P, [P]),
    'karp_pod_explanation_tried': (U32, [P]),
    'karp_pod_explanation_bounded': (U32, [P]),
    'karp_explain_node': (STATUS, [P, C.POINTER(S.DisruptOptions), S.Str, OUT, ERROR]),
    'karp_node_explanation_free': (None, [P]),
    'karp_node_explanation_disrupted': (U32, [P]),
    'karp_node_explanation_decision': (P, [P]),
    'karp_node_explanation_blocker_count': (SIZE, [P]),
    'karp_node_explanation_blocker': (STATUS, ROW),
    'karp_node_explanation_expired': (U32, [P]),
    'karp_node_explanation_drift': (S.Str, [P]),
    'karp_node_explanation_fact_count': (SIZE, [P]),
    'karp_node_explanation_fact': (S.Str, [P, SIZE]),
    'karp_node_explanation_remedy_count': (SIZE, [P]),
    'karp_node_explanation_remedy': (STATUS, ROW),
    'karp_node_explanation_move': (STATUS, [P, P]),
    'karp_decision_ref': (P, [P]),
    'karp_verify': (STATUS, [P, P, OUT, ERROR]),
    'karp_verify_decision': (STATUS, [P, P, OUT, ERROR]),
    'karp_verification_free': (None, [P]),
    'karp_verification_count': (SIZE, [P]),
    'karp_verification_at': (STATUS, ROW),
    'karp_catalogue_ref': (P, [P]),
    'karp_catalogue_unref': (None, [P]),
    'karp_catalogue_count': (SIZE, [P]),
    'karp_catalogue_type': (P, [P, SIZE]),
    'karp_catalogue_allocatable': (P, [P, SIZE, C.POINTER(SIZE)]),
    'karp_quantity_double': (STATUS, [S.Str, C.POINTER(C.c_double)]),
    'karp_quantity_canonical': (STATUS, [S.Str, C.c_char_p]),
    'karp_time_parse': (STATUS, [S.Str, C.POINTER(I64)]),
    'karp_time_format': (None, [I64, C.c_char_p]),
    'karp_duration_format': (None, [I64, C.c_char_p]),
    'karp_decision_hash': (None, [P, C.c_char_p]),
    'karp_decision_table': (STATUS, [P, U32, OUT, ERROR]),
    'karp_snapshot_table': (STATUS, [P, U32, OUT, ERROR]),
    'karp_catalogue_table': (STATUS, [P, U32, OUT, ERROR]),
    'karp_table_arrow': (STATUS, [P, P, P, ERROR]),
    'karp_table_arrow_stream': (STATUS, [P, P, ERROR]),
    'karp_table_free': (None, [P]),
    'karp_table_row_count': (SIZE, [P]),
    'karp_table_column_count': (SIZE, [P]),
    'karp_table_column': (STATUS, ROW),
    'karp_fit_request_init': (None, [C.POINTER(S.FitRequest), SIZE]),
    'karp_fit': (STATUS, [P, C.POINTER(S.FitRequest), OUT, ERROR]),
    'karp_fit_reason_name': (C.c_char_p, [U32]),
    'karp_fitting_free': (None, [P]),
    'karp_fitting_launches': (C.c_uint64, [P, SIZE]),
    'karp_fitting_cost': (C.c_double, [P]),
    'karp_fitting_objective': (STATUS, [P, P]),
    'karp_fitting_load_count': (SIZE, [P]),
    'karp_fitting_load': (STATUS, ROW),
    'karp_fitting_left_count': (SIZE, [P]),
    'karp_fitting_left': (STATUS, ROW),
}  # type: dict[str, tuple[Any, list[Any]]]
for _name in ('launch', 'placement', 'unschedulable', 'ignored', 'node', 'candidate', 'budget', 'command', 'kept'):
    CORE[f'karp_decision_{_name}_count'] = (SIZE, [P])
    CORE[f'karp_decision_{_name}'] = (STATUS, ROW)

IO = {
    'karp_reader_options_init': (None, [C.POINTER(S.ReaderOptions), SIZE]),
    'karp_reader_new': (STATUS, [P, C.POINTER(S.ReaderOptions), OUT, ERROR]),
    'karp_reader_free': (None, [P]),
    'karp_reader_add': (STATUS, [P, S.Str, S.Str, ERROR]),
    'karp_reader_add_path': (STATUS, [P, C.c_char_p, ERROR]),
    'karp_reader_add_prices_path': (STATUS, [P, C.c_char_p, ERROR]),
    'karp_reader_replace': (STATUS, [P, S.Str, S.Str, ERROR]),
    'karp_reader_replace_path': (STATUS, [P, C.c_char_p, ERROR]),
    'karp_reader_delete': (STATUS, [P, S.Str, ERROR]),
    'karp_reader_scale': (STATUS, [P, S.Str, C.c_uint64, ERROR]),
    'karp_reader_add_catalogue': (STATUS, [P, P, ERROR]),
    'karp_reader_set_provider': (STATUS, [P, P, ERROR]),
    'karp_provider_options_init': (None, [C.POINTER(S.ProviderOptions), SIZE]),
    'karp_provider_open': (STATUS, [P, S.Str, C.POINTER(S.ProviderOptions), OUT, ERROR]),
    'karp_provider_close': (None, [P]),
    'karp_provider_load_facts': (STATUS, [P, S.Str, S.Str, S.Str, ERROR]),
    'karp_provider_load_facts_file': (STATUS, [P, P, S.Str, C.c_char_p, ERROR]),
    'karp_provider_class_read': (STATUS, [P, P, S.Str, S.Str, OUT, ERROR]),
    'karp_provider_class_free': (None, [P]),
    'karp_provider_catalogue': (STATUS, [P, P, OUT, ERROR]),
    'karp_reader_finish': (STATUS, [P, OUT, ERROR]),
    'karp_reader_warning_count': (SIZE, [P]),
    'karp_reader_warning': (S.Str, [P, SIZE]),
    'karp_reader_method': (U32, [P]),
    'karp_reader_digest': (S.Str, [P]),
    'karp_reader_catalogue_title': (S.Str, [P]),
    'karp_reader_missing_licences': (S.Str, [P]),
    'karp_reader_dump': (STATUS, [P, C.POINTER(S.Text), ERROR]),
    'karp_text_free': (None, [C.POINTER(S.Text)]),
    'karp_catalogue_read': (STATUS, [P, S.Str, S.Str, OUT, ERROR]),
    'karp_catalogue_read_file': (STATUS, [P, C.c_char_p, OUT, ERROR]),
    'karp_catalogue_options_init': (None, [C.POINTER(S.CatalogueOptions), SIZE]),
    'karp_catalogue_aws': (STATUS, [P, C.POINTER(S.CatalogueOptions), OUT, ERROR]),
    'karp_write_options_init': (None, [C.POINTER(S.WriteOptions), SIZE]),
    'karp_write_plan': (STATUS, [P, P, P, C.POINTER(S.WriteOptions), C.POINTER(S.Text), ERROR]),
    'karp_write_disruption': (STATUS, WRITE),
    'karp_memory_read': (STATUS, [P, S.Str, S.Str, OUT, ERROR]),
    'karp_memory_document_memory': (P, [P]),
    'karp_memory_document_free': (None, [P]),
    'karp_write_memory': (STATUS, WRITE),
    'karp_command_read': (STATUS, [P, S.Str, S.Str, OUT, ERROR]),
    'karp_command_document_state': (P, [P]),
    'karp_command_document_free': (None, [P]),
    'karp_write_command': (STATUS, WRITE),
    'karp_write_repack': (STATUS, WRITE),
    'karp_write_admission': (STATUS, WRITE),
    'karp_compare_decisions': (STATUS, [P, P, P, OUT, ERROR]),
    'karp_diff_free': (None, [P]),
    'karp_write_diff': (STATUS, WRITE),
    'karp_compare_designs': (STATUS, [P, P, SIZE, OUT, ERROR]),
    'karp_comparison_free': (None, [P]),
    'karp_write_comparison': (STATUS, WRITE),
    'karp_write_settlement': (STATUS, WRITE),
    'karp_write_pod_explanation': (STATUS, WRITE),
    'karp_write_node_explanation': (STATUS, WRITE),
    'karp_write_verification': (STATUS, WRITE),
    'karp_write_catalogue': (STATUS, WRITE),
    'karp_plan_read': (STATUS, [P, S.Str, S.Str, OUT, ERROR]),
    'karp_plan_document_plan': (P, [P]),
    'karp_plan_document_free': (None, [P]),
    'karp_replay_options_init': (None, [C.POINTER(S.ReplayOptions), SIZE]),
    'karp_replay': (STATUS, WRITE),
    'karp_tune_options_init': (None, [C.POINTER(S.TuneOptions), SIZE]),
    'karp_tune_new': (STATUS, [P, P, C.POINTER(S.TuneOptions), OUT, ERROR]),
    'karp_tune_free': (None, [P]),
    'karp_tune_next_ready': (STATUS, [P, C.POINTER(SIZE)]),
    'karp_tune_pools': (STATUS, [P, SIZE, C.POINTER(S.Text), ERROR]),
    'karp_tune_set_replay': (STATUS, [P, SIZE, S.Str, ERROR]),
    'karp_tune_settle': (STATUS, [P, C.POINTER(S.SettleOptions), C.POINTER(SIZE), ERROR]),
    'karp_tune_floor': (STATUS, [P, P, C.POINTER(C.c_double), ERROR]),
    'karp_tune_design_count': (SIZE, [P]),
    'karp_write_tune': (STATUS, WRITE),
}  # type: dict[str, tuple[Any, list[Any]]]


# ---- finding and checking ------------------------------------------------------------------------------------------


def _in_folder(folder: pathlib.Path) -> Optional[Tuple[str, str]]:
    for pattern in NAMES:
        core, io = folder / pattern.format('libkarp'), folder / pattern.format('libkarp-io')
        if core.is_file() and io.is_file():
            return str(core), str(io)
    return None


def _candidates() -> Iterator[Tuple[str, str]]:
    """(libkarp, libkarp-io): $KARP_LIBRARY alone when it is set; else those of the package, those of the system."""
    named = os.environ.get('KARP_LIBRARY')
    if named:
        path = pathlib.Path(named)
        if path.is_dir():
            found = _in_folder(path)
            if found is None:
                raise LibraryError(f'KARP_LIBRARY: {named} has no libkarp with libkarp-io')
            yield found
        else:
            yield str(path), str(path.with_name(path.name.replace('libkarp', 'libkarp-io', 1)))
        return
    bundled = _in_folder(pathlib.Path(__file__).resolve().parent / '_lib')
    if bundled is not None:
        yield bundled
        return
    for pattern in (*NAMES[:2], NAMES[-1]):
        yield pattern.format('libkarp'), pattern.format('libkarp-io')


def fits(library: int, package: Tuple[int, int, int] = VERSION) -> bool:
    """Whether a library of this number (0xMMmmpp) serves: the same minor version until 1.0, later ones from there on."""
    major, minor = library >> 16, library >> 8 & 0xff
    if major == 0:
        return (major, minor) == package[:2]
    return major == package[0] and minor >= package[1]


def _declare(library: C.CDLL, path: str, functions: 'dict[str, tuple[Any, list[Any]]]') -> None:
    for name, (result, arguments) in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryError(f'{path} lacks {name}: it is not the library that this package (karp '
                               f'{".".join(map(str, VERSION))}) is for') from None
        function.restype, function.argtypes = result, arguments


def open_libraries() -> Tuple[C.CDLL, C.CDLL, str]:
    problems = []
    for core_path, io_path in _candidates():
        try:
            # libkarp first: libkarp-io then finds it by its soname.
            core = C.CDLL(core_path, mode=C.RTLD_GLOBAL)
            io = C.CDLL(io_path)
        except OSError as problem:
            problems.append(str(problem))
            continue
        if not hasattr(core, 'karp_version_number') or not hasattr(core, 'karp_version'):
            raise LibraryError(f'{core_path} is not libkarp')
        core.karp_version.restype, core.karp_version_number.restype = C.c_char_p, U32
        if not fits(core.karp_version_number()):
            raise LibraryError(f'{core_path} is libkarp {(core.karp_version() or b"?").decode("ascii", "replace")}, but this '
                               f'package is karp {".".join(map(str, VERSION))}: install the two in the same version')
        _declare(core, core_path, CORE)
        _declare(io, io_path, IO)
        return core, io, core_path
    raise LibraryError('libkarp and libkarp-io were not found (' + '; '.join(problems) +
                       '); KARP_LIBRARY can name the file or its folder')


core, io, library_path = open_libraries()


# ---- strings and errors --------------------------------------------------------------------------------------------


def text(s: S.Str) -> str:
    """What a karp_str says."""
    return C.string_at(s.ptr, s.len).decode('utf-8', 'replace') if s.len else ''


def lend(value: 'str | bytes') -> Tuple[S.Str, bytes]:
    """A karp_str, and the bytes that have to live as long as it is used."""
    data = value.encode('utf-8', 'surrogateescape') if isinstance(value, str) else value
    return S.Str(C.cast(C.c_char_p(data), C.c_void_p), len(data)), data


def path_bytes(path: str) -> bytes:
    if '\0' in path:
        raise InputError('a path has no NUL in it')
    return os.fsencode(path)


def failure(status: int, error: Optional[S.Error] = None) -> Error:
    name = (core.karp_status_name(status) or b'').decode()
    kind = KINDS.get(status, Error)
    if error is None:
        return kind(name, status=name)

    def words(value: bytes) -> Optional[str]:
        return value.decode('utf-8', 'replace') or None
    return kind(words(error.message) or name, status=name, document=words(error.document), line=error.line or None,
                column=error.column or None, object=words(error.object), field=words(error.field),
                byte_offset=None if error.byte_offset == NO_OFFSET or not error.line else error.byte_offset)


def call(function: Callable[..., int], *arguments: object) -> None:
    """Calls a function whose last parameter is the error."""
    error = S.Error(size=C.sizeof(S.Error), byte_offset=NO_OFFSET)
    status = function(*arguments, C.byref(error))
    if status:
        raise failure(status, error)


def check(status: int) -> None:
    if status:
        raise failure(status)


# ---- handles -------------------------------------------------------------------------------------------------------


class Handle:
    """What the library has allocated; freed with the last reference, so never while a call or a row still uses it."""

    __slots__ = ('address', 'what', 'closed', '__weakref__')

    def __init__(self, address: int, free: Callable[[int], None], what: str = '') -> None:
        self.address = address
        self.what = what
        self.closed = False
        weakref.finalize(self, free, address)

    def live(self) -> int:
        """The address, unless it was closed. Who calls keeps the handle for as long as the address is used."""
        if self.closed:
            raise ClosedError(f'this {self.what} is closed')
        return self.address


def make(function: Callable[..., int], free: Callable[[int], None], *arguments: object, what: str = '') -> Handle:
    """Calls a function whose last parameters are the new object and the error."""
    out = C.c_void_p()
    call(function, *arguments, C.byref(out))
    assert out.value is not None
    return Handle(out.value, free, what)


def first(free: Callable[[int], None], kept: Handle) -> Callable[[int], None]:
    """Frees what needs another as long as it lives, whatever the order in which the two are forgotten."""
    def end(address: int, kept: Handle = kept) -> None:
        free(address)
    return end


class Closable:
    """Has a handle until close(). Works as a context manager."""

    def __init__(self, handle: Handle) -> None:
        handle.what = handle.what or type(self).__name__
        self._handle = handle

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Ends the use of it and of its rows, and gives the memory back once nobody looks at it. Can be called again."""
        what = self._handle.what
        self._handle.closed = True
        for name in [name for name in vars(self) if not name.startswith('_')]:
            delattr(self, name)  # what was read
        self._handle = Handle(0, _nothing, what)
        self._handle.closed = True

    def __enter__(self: Self) -> Self:
        self._handle.live()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> object:
        raise TypeError(f'a {type(self).__name__} is not pickled: send the Snapshot, and decide where it arrives')


def _nothing(address: int) -> None:
    pass


_notes = threading.local()


def _log(level: int, message: S.Str, user: object) -> None:
    collected: Optional[List[str]] = getattr(_notes, 'collected', None)
    if collected is not None:
        collected.append(text(message))


# Contexts outlive the calls that made them, so the callback lives as long as the module.
_log_callback = S.Log(_log)


_Body = C.CFUNCTYPE(None, SIZE, P)


def _lend(count: int, body: int, data: int, user: object) -> None:
    from concurrent.futures import ThreadPoolExecutor
    run = _Body(body)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for done in [threads.submit(run, i, data) for i in range(count)]:
            done.result()


_lend_callback = S.ParallelFor(_lend)


class Context:
    """with Context() as context: an address for the calls that want a context; notes on the way go to `notes`. `threads`: calls may
    do several things at the same time."""

    def __init__(self, threads: bool = False) -> None:
        self.notes: List[str] = []
        self.threads = threads
        self._handle: Optional[Handle] = None

    def __enter__(self) -> 'Context':
        options = S.ContextOptions()
        core.karp_context_options_init(C.byref(options), C.sizeof(options))
        options.log = _log_callback
        if self.threads:
            options.parallel_for = _lend_callback
        options.hash_seed = secrets.randbits(64)
        self._handle = make(core.karp_context_new, core.karp_context_unref, C.byref(options))
        self._outer = getattr(_notes, 'collected', None)
        _notes.collected = self.notes
        return self

    def __exit__(self, *_: object) -> None:
        _notes.collected = self._outer
        self._handle = None

    @property
    def address(self) -> int:
        assert self._handle is not None
        return self._handle.address


# ---- documents out -------------------------------------------------------------------------------------------------


def take_text(out: S.Text) -> bytes:
    data = C.string_at(out.ptr, out.len) if out.len else b''
    io.karp_text_free(C.byref(out))
    return data


class Notes(Tuple[str, ...]):
    """The warnings about an input, and what else its documents say of it: the clouds whose types it has, and the operating systems
    whose licences their prices lack."""

    catalogue = ''
    licences = ''

    @classmethod
    def of(cls, warnings: Sequence[str]) -> 'Notes':
        return warnings if isinstance(warnings, Notes) else cls(warnings)


def notes(reader: 'Handle') -> Notes:
    """Of a finished reader."""
    said = Notes(text(io.karp_reader_warning(reader.address, i)) for i in range(io.karp_reader_warning_count(reader.address)))
    said.catalogue = text(io.karp_reader_catalogue_title(reader.address))
    said.licences = text(io.karp_reader_missing_licences(reader.address))
    return said


def write(function: Callable[..., int], *objects: Optional[int], format: int, compact: bool = False, color: bool = False,
          width: int = 0, digest: str = '', title: str = '', catalogue: str = '', warnings: Sequence[str] = (),
          settlement: Optional[int] = None) -> bytes:
    """A document. `objects` are what the function takes between context and options."""
    options = S.WriteOptions()
    io.karp_write_options_init(C.byref(options), C.sizeof(options))
    options.format, options.compact, options.color, options.width = format, int(compact), int(color), width
    options.digest, kept_digest = lend(digest)
    options.title, kept_title = lend(title)
    said = Notes.of(warnings)
    options.catalogue, kept_catalogue = lend(catalogue or said.catalogue)
    options.licences, kept_licences = lend(said.licences)
    lent = [lend(warning) for warning in warnings]
    list_of = (S.Str * len(lent))(*[pair[0] for pair in lent])
    options.warnings = C.addressof(list_of) if lent else None
    options.warning_count, options.settlement = len(lent), settlement
    out = S.Text()
    with Context() as context:
        call(function, context.address, *objects, C.byref(options), C.byref(out))
    return take_text(out)


# ---- values --------------------------------------------------------------------------------------------------------


def time_text(instant: int) -> str:
    room = C.create_string_buffer(64)
    core.karp_time_format(instant, room)
    return room.value.decode('ascii')


def duration_text(nanoseconds: int) -> str:
    room = C.create_string_buffer(64)
    core.karp_duration_format(nanoseconds, room)
    return room.value.decode('ascii')


def quantity(value: str) -> float:
    """The nearest float of a Kubernetes quantity: `quantity("1930m")` is 1.93."""
    out = C.c_double()
    lent, kept = lend(value)
    status = core.karp_quantity_double(lent, C.byref(out))
    if status:
        raise InputError(f'{value!r} is not a quantity', status=(core.karp_status_name(status) or b'').decode())
    return out.value
