# SPDX-License-Identifier: Apache-2.0
"""The SHA-256 of an input: worked out when it is first asked for, since it takes longer than reading."""
from __future__ import annotations

import hashlib
import threading
from typing import Callable, Optional


class Digest:
    """Shared by an input and the decisions made from it. `dump` writes the canonical document; what it needs for that is held
    until the digest is known."""

    def __init__(self, dump: Callable[[], bytes]) -> None:
        self._dump: Optional[Callable[[], bytes]] = dump
        self._text = ''
        self._lock = threading.Lock()
        self.shown = False  # whether a decision has it

    def lend(self) -> 'Digest':
        """For a decision."""
        self.shown = True
        return self

    def know(self, text: str) -> None:
        with self._lock:
            self._text, self._dump = text, None

    def __str__(self) -> str:
        with self._lock:
            if self._dump is not None:
                self._text, self._dump = hashlib.sha256(self._dump()).hexdigest(), None
            return self._text
