# SPDX-License-Identifier: Apache-2.0
"""Whole tables of columns, for data frames: a few calls for what would be one per value. docs/columns.md lists the columns."""
from __future__ import annotations

import ctypes as C
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Callable, Dict, Iterator, List, Tuple

from . import _arrow as arrow
from . import _native as native
from . import _read as read
from . import _structs as S

UINT32, INT64, DOUBLE, TEXT, DICTIONARY = 1, 2, 3, 4, 5
NUMBERS: Dict[int, Any] = {UINT32: C.c_uint32, INT64: C.c_int64, DOUBLE: C.c_double, DICTIONARY: C.c_uint32}
NUMPY = {UINT32: 'uint32', INT64: 'int64', DOUBLE: 'float64', DICTIONARY: 'uint32'}


def _pieces(data: bytes, offsets: List[int]) -> List[str]:
    """Texts that stand one after the other."""
    text = data.decode('utf-8', 'replace')
    if len(text) == len(data):
        return [text[a:b] for a, b in zip(offsets, offsets[1:])]
    return [data[a:b].decode('utf-8', 'replace') for a, b in zip(offsets, offsets[1:])]


class Column:
    """One column: what it holds is copied when it is asked for."""

    def __init__(self, table: native.Handle, raw: S.Column) -> None:
        self._table, self._raw = table, raw
        self.name = native.text(raw.name)
        self.kind = int(raw.type)
        self.is_list = bool(raw.is_list)

    def __len__(self) -> int:
        return int(self._raw.row_count)

    def _offsets(self, address: int, count: int) -> List[int]:
        return (C.c_int32 * (count + 1)).from_address(address)[:]

    def words(self) -> List[str]:
        """The dictionary."""
        raw = self._raw
        offsets = self._offsets(raw.dictionary_offsets, raw.dictionary_count)
        return _pieces(C.string_at(raw.dictionary, offsets[-1]), offsets)

    def bytes(self) -> bytes:
        """The values as they lie in memory."""
        raw = self._raw
        return C.string_at(raw.values, raw.value_count * (1 if self.kind == TEXT else C.sizeof(NUMBERS[self.kind])))

    def numbers(self) -> List[Any]:
        """The values as numbers; of words, their places in the dictionary."""
        raw = self._raw
        values = (NUMBERS[self.kind] * raw.value_count).from_address(raw.values) if raw.value_count else None
        return list(values[:]) if values is not None else []

    def _values(self) -> List[Any]:
        if self.kind != DICTIONARY:
            return self.numbers()
        words = self.words()
        return [words[number] for number in self.numbers()]

    def to_list(self) -> List[Any]:
        """Numbers, texts, or lists of them."""
        raw = self._raw
        if self.kind == TEXT:
            return _pieces(self.bytes(), self._offsets(raw.offsets, raw.row_count))
        values = self._values()
        if not self.is_list:
            return values
        offsets = self._offsets(raw.offsets, raw.row_count)
        return [values[a:b] for a, b in zip(offsets, offsets[1:])]


class Table:
    """The columns of one table, by name. It owns its memory: what it was made of may be closed."""

    def __init__(self, handle: native.Handle) -> None:
        self._handle = handle
        count = native.core.karp_table_column_count(handle.address)
        rows = [read.row(S.Column, native.core.karp_table_column, handle.address, i) for i in range(count)]
        self.columns: Dict[str, Column] = {native.text(row.name): Column(handle, row) for row in rows}

    def __len__(self) -> int:
        return int(native.core.karp_table_row_count(self._handle.address))

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns.values())

    def to_dict(self) -> Dict[str, List[Any]]:
        """{name: list of values}"""
        return {column.name: column.to_list() for column in self}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: repeated words are categories."""
        numpy, pandas = import_module('numpy'), import_module('pandas')

        def values(column: Column) -> Any:
            if column.kind == TEXT or column.is_list:
                return pandas.Series(column.to_list(), dtype=object)
            numbers = numpy.frombuffer(column.bytes(), dtype=NUMPY[column.kind])
            if column.kind == DICTIONARY:
                return pandas.Categorical.from_codes(numbers.astype('int32'), categories=column.words())
            return numbers
        return pandas.DataFrame({column.name: values(column) for column in self})

    def to_polars(self) -> Any:
        """A polars.DataFrame: repeated words are of the type Categorical."""
        polars = import_module('polars')
        kinds: Dict[int, Any] = {UINT32: polars.UInt32, INT64: polars.Int64, DOUBLE: polars.Float64}

        def numbers(column: Column, name: str = '') -> Any:
            kind = kinds.get(column.kind, polars.UInt32)
            if find_spec('numpy') is None:
                return polars.Series(name, column.numbers(), dtype=kind)
            return polars.Series(name, import_module('numpy').frombuffer(column.bytes(), dtype=NUMPY[column.kind]))

        def values(column: Column) -> Any:
            if column.is_list:
                kind = polars.List(kinds.get(column.kind, polars.Utf8))
                return polars.Series(column.name, column.to_list(), dtype=kind)
            if column.kind == TEXT:
                return polars.Series(column.name, column.to_list(), dtype=polars.Utf8)
            if column.kind != DICTIONARY:
                return numbers(column, column.name)
            words = polars.Series(column.name, column.words(), dtype=polars.Utf8).cast(polars.Categorical)
            return words.gather(numbers(column))
        return polars.DataFrame([values(column) for column in self])

    def __arrow_c_array__(self, requested_schema: Any = None) -> Tuple[Any, Any]:
        """Capsules of Arrow's structs, for pyarrow.record_batch() and others; nothing is copied. Other types are not offered."""
        return arrow.array(self._handle.address)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule of a stream of one batch, for polars.DataFrame(), pyarrow.table(), DuckDB and others."""
        return arrow.stream(self._handle.address)

    def __repr__(self) -> str:
        return f'<karp.Table of {len(self)} rows: {", ".join(self.columns)}>'


def table(function: Callable[..., int], address: int, names: Tuple[Tuple[str, int], ...], name: str) -> Table:
    numbers = dict(names)
    if name not in numbers:
        raise ValueError(f'no table {name!r}: one of {", ".join(numbers)} is wanted')
    return Table(native.make(function, native.core.karp_table_free, address, numbers[name]))
