# SPDX-License-Identifier: Apache-2.0
"""Clouds, and plugins, with settings and facts of one's own."""
from __future__ import annotations

import ctypes as C
import json
import os
from dataclasses import dataclass, field
from typing import Any, Mapping, Union

from . import _native as native
from . import _structs as S
from ._catalogue import Catalogue

Facts = Union[str, 'os.PathLike[str]', bytes]


@dataclass(frozen=True)
class Provider:
    """What load(provider=) takes where a name alone does not say enough: a cloud ("aws", "azure", "gcp", "kwok", "file") or the path of a plugin.

    `settings`: by the names that the provider's guide has (docs/providers.md). `facts`: tables, by their kind, that replace what is built in; of the
    kind "all" a whole table, as `karp facts` writes it. They are paths, or texts as bytes.
    """
    name: str
    region: str = ''
    settings: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Facts] = field(default_factory=dict)

    def _open(self, context: native.Context) -> native.Handle:
        name, _name = native.lend(self.name)
        options = S.ProviderOptions()
        native.io.karp_provider_options_init(C.byref(options), C.sizeof(options))
        options.region, _region = native.lend(self.region)
        kept = [(native.lend(key), native.lend(str(value))) for key, value in self.settings.items()]
        rows = (S.Label * len(kept))(*(S.Label(key[0], value[0]) for key, value in kept))
        if kept:
            options.settings, options.setting_count = C.addressof(rows), len(kept)
        handle = native.make(native.io.karp_provider_open, native.io.karp_provider_close, context.address, name, C.byref(options))
        for kind, facts in self.facts.items():
            word, _word = native.lend(kind)
            if isinstance(facts, bytes):
                (called, _called), (text, _text) = native.lend(f'facts {kind}'), native.lend(facts)
                native.call(native.io.karp_provider_load_facts, handle.address, word, called, text)
            else:
                native.call(native.io.karp_provider_load_facts_file, context.address, handle.address, word, native.path_bytes(os.fspath(facts)))
        return handle

    def catalogue(self, node_class: Union[None, bytes, Mapping[str, Any]] = None) -> Catalogue:
        """Its instance types under a node class (text or dict); without one, under the provider's defaults."""
        with native.Context() as context:
            handle = self._open(context)
            read = None
            if node_class is not None:
                text = node_class if isinstance(node_class, bytes) else json.dumps(node_class).encode()
                (name, _name), (lent, _text) = native.lend('node_class'), native.lend(text)
                read = native.make(native.io.karp_provider_class_read, native.first(native.io.karp_provider_class_free, handle), context.address,
                                   handle.address, name, lent)
            made = native.make(native.io.karp_provider_catalogue, native.core.karp_catalogue_unref, handle.address, None if read is None else read.address)
            return Catalogue(made, context.notes)
