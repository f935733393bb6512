# SPDX-License-Identifier: Apache-2.0
"""Rows as plain data: to_dict() of each, and pickles that need no library behind them."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Dict, Tuple, Type


def plain(value: Any) -> Any:
    """The value in dicts, lists, texts, numbers, None."""
    if hasattr(value, 'to_dict'):
        return value.to_dict()
    if isinstance(value, tuple) and hasattr(value, '_fields'):
        return fields(value)
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value


def fields(row: Any) -> Dict[str, Any]:
    """Those of a NamedTuple."""
    return {name: plain(getattr(row, name)) for name in row._fields}


def _restore(kind: Type[Any], members: Dict[str, Any]) -> Any:
    made: Any = object.__new__(kind)
    made.__dict__.update(members)
    return made


class Plain:
    """A row with members that are set when it is made, or read from the decision when they are asked for."""

    def _members(self) -> Dict[str, Any]:
        names = {name for name in self.__dict__ if not name.startswith('_')}
        for kind in type(self).__mro__:
            names.update(name for name, member in vars(kind).items() if isinstance(member, cached_property) and not name.startswith('_'))
        return {name: getattr(self, name) for name in sorted(names)}

    def to_dict(self) -> Dict[str, Any]:
        """Every member, in dicts, lists, texts and numbers."""
        return {name: plain(value) for name, value in self._members().items()}

    def __reduce__(self) -> Tuple[Any, ...]:
        """A pickle has every member, and nothing of the decision: what comes out of it serves in any process."""
        return _restore, (type(self), self._members())


class Row(Plain):
    """A row of a decision: lists are read when asked for."""

    def __init__(self, handle: Any, raw: Any) -> None:
        self._handle = handle
        self._raw = raw

    def _live(self) -> Any:
        """The struct, whose pointers lead into the decision: only while that is open."""
        self._handle.live()
        return self._raw
