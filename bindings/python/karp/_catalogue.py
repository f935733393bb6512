# SPDX-License-Identifier: Apache-2.0
"""Instance types and their offerings."""
from __future__ import annotations

import ctypes as C
import json
import os
from functools import cached_property
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as native
from . import _read as read
from . import _structs as S
from ._frames import Table, table
from ._read import Offering
from .objects import InstanceType as Described, Object

Types = Union[str, 'os.PathLike[str]', bytes, Sequence[Union[Mapping[str, Any], Described]]]


class PriceRule(NamedTuple):
    """What somebody pays otherwise than the catalogue says, for the offerings that all requirements agree with (labels of type and offering; none: every
    offering): the price times `factor`, then $/h for each node and each of its CPUs."""
    requirements: Tuple[read.Requirement, ...] = ()
    factor: float = 1
    per_node: float = 0
    per_vcpu: float = 0


class InstanceType:
    """`capacity` and `allocatable` are quantities as Kubernetes writes them."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        address = native.core.karp_catalogue_type(handle.live(), index)
        raw = S.InstanceType.from_address(address)
        count = C.c_size_t()
        allocatable = native.core.karp_catalogue_allocatable(handle.live(), index, C.byref(count))
        self.name = native.text(raw.name)
        self.requirements = read.requirements(raw.requirements, raw.requirement_count)
        self.capacity = read.resources(raw.capacity, raw.capacity_count)
        self.allocatable = read.resources(allocatable, count.value)
        self.offerings = tuple(_offering(offering) for offering in read.array(S.Offering, raw.offerings, raw.offering_count))

    @property
    def price(self) -> Optional[float]:
        """Of the cheapest offering that is available."""
        return min((offering.price for offering in self.offerings if offering.available), default=None)

    def __repr__(self) -> str:
        return f'<karp.InstanceType {self.name}, {len(self.offerings)} offerings>'


def _offering(raw: S.Offering) -> Offering:
    requirements = read.requirements(raw.requirements, raw.requirement_count)

    def single(key: str) -> str:
        return next((r.values[0] for r in requirements if r.key == key and len(r.values) == 1), '')
    return Offering(single('topology.kubernetes.io/zone'), single('karpenter.sh/capacity-type'), float(raw.price),
                    bool(raw.available), requirements)


class Catalogue(native.Closable):
    """An immutable list of instance types; may be used for any number of snapshots."""

    def __init__(self, handle: native.Handle, warnings: Sequence[str] = ()) -> None:
        super().__init__(handle)
        self._notes = tuple(warnings)

    @property
    def warnings(self) -> Tuple[str, ...]:
        """Notes on what was read."""
        return self._notes

    def __len__(self) -> int:
        handle = self._handle
        return int(native.core.karp_catalogue_count(handle.live()))

    @cached_property
    def types(self) -> Tuple[InstanceType, ...]:
        handle = self._handle
        return tuple(InstanceType(handle, i) for i in range(len(self)))

    def __iter__(self) -> Iterator[InstanceType]:
        return iter(self.types)

    def __getitem__(self, name: str) -> InstanceType:
        """The first type of that name."""
        for found in self.types:
            if found.name == name:
                return found
        raise KeyError(name)

    def reprice(self, *rules: PriceRule) -> 'Catalogue':
        """The same types at other prices: all factors first, then all amounts. Snapshots that are loaded with it decide by them."""
        handle, lent = self._handle, read.Lent()
        rows = (S.PriceRule * len(rules))()
        for row, rule in zip(rows, rules):
            row.requirements, row.requirement_count = lent.requirements(rule.requirements)
            row.factor, row.per_node, row.per_vcpu = rule.factor, rule.per_node, rule.per_vcpu
        with native.Context() as context:
            made = native.make(native.core.karp_catalogue_reprice, native.core.karp_catalogue_unref, context.address, handle.live(),
                               C.addressof(rows) if rules else None, len(rules))
        return Catalogue(made, self._notes)

    def table(self, name: str = 'offerings') -> Table:
        """Whole columns: instance_types or offerings (docs/columns.md)."""
        handle = self._handle
        return table(native.core.karp_catalogue_table, handle.live(), (('instance_types', 201), ('offerings', 202)), name)

    def to_pandas(self, name: str = 'offerings') -> Any:
        """A table as a pandas.DataFrame."""
        return self.table(name).to_pandas()

    def to_polars(self, name: str = 'offerings') -> Any:
        """A table as a polars.DataFrame."""
        return self.table(name).to_polars()

    def _write(self, format: int, **options: Any) -> bytes:
        handle = self._handle
        return native.write(native.io.karp_write_catalogue, handle.live(), format=format, **options)

    def to_json(self, compact: bool = False) -> str:
        """The document that `karp catalogue -o json` writes; karp.catalogue() reads it."""
        return self._write(native.FORMAT_JSON, compact=compact).decode('utf-8')

    def to_dict(self) -> List[Dict[str, Any]]:
        document: List[Dict[str, Any]] = json.loads(self.to_json(compact=True))
        return document

    def to_csv(self) -> str:
        """One row for each offering."""
        return self._write(native.FORMAT_CSV).decode('utf-8')

    def __repr__(self) -> str:
        return '<karp.Catalogue, closed>' if self.closed else f'<karp.Catalogue of {len(self)} instance types>'

    def __reduce__(self) -> Tuple[object, ...]:
        return catalogue, (self.to_json(compact=True).encode('utf-8'),)


def catalogue(types: Optional[Types] = None, *, region: str = '', node_class: Union[None, bytes, Mapping[str, Any]] = None,
              reserved_enis: int = 0, vm_memory_overhead: Optional[float] = None, all_types: bool = False) -> Catalogue:
    """A catalogue: of a file (path), of a document (bytes), of entries as dicts or karp.objects.InstanceType; or, without `types`, EC2's in a region under
    an EC2NodeClass (text or dict)."""
    with native.Context() as context:
        if types is not None:
            if region or node_class or reserved_enis or vm_memory_overhead is not None or all_types:
                raise TypeError('types that are given are what they are: region, node_class, reserved_enis, '
                                'vm_memory_overhead and all_types are of the built-in ones')
            return Catalogue(_read(context, types), context.notes)
        options = S.CatalogueOptions()
        native.io.karp_catalogue_options_init(C.byref(options), C.sizeof(options))
        document = json.dumps(node_class).encode() if isinstance(node_class, Mapping) else node_class or b''
        options.region, kept_region = native.lend(region)
        options.node_class, kept_document = native.lend(document)
        options.node_class_name, kept_name = native.lend('node_class')
        options.reserved_enis, options.all_types = reserved_enis, int(all_types)
        if vm_memory_overhead is not None:
            options.vm_memory_overhead_percent = vm_memory_overhead
        return Catalogue(native.make(native.io.karp_catalogue_aws, native.core.karp_catalogue_unref, context.address,
                                     C.byref(options)), context.notes)


def _read(context: native.Context, types: Types) -> native.Handle:
    free = native.core.karp_catalogue_unref
    if isinstance(types, (str, os.PathLike)):
        return native.make(native.io.karp_catalogue_read_file, free, context.address, native.path_bytes(os.fspath(types)))
    data = types if isinstance(types, bytes) else json.dumps([each.manifest() if isinstance(each, Object) else each for each in types]).encode()
    name, kept_name = native.lend('catalogue')
    document, kept_document = native.lend(data)
    return native.make(native.io.karp_catalogue_read, free, context.address, name, document)
