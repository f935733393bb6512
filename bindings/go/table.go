// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import "unsafe"

// Tables of a decision, of a snapshot and of a catalogue; docs/columns.md lists their columns.
const (
	TablePods          uint32 = C.KARP_TABLE_PODS
	TableLaunches      uint32 = C.KARP_TABLE_LAUNCHES
	TablePlacements    uint32 = C.KARP_TABLE_PLACEMENTS
	TableUnschedulable uint32 = C.KARP_TABLE_UNSCHEDULABLE
	TableRefusals      uint32 = C.KARP_TABLE_REFUSALS
	TableIgnored       uint32 = C.KARP_TABLE_IGNORED
	TableNodes         uint32 = C.KARP_TABLE_NODES
	TableCandidates    uint32 = C.KARP_TABLE_CANDIDATES
	TableCommands      uint32 = C.KARP_TABLE_COMMANDS
	TableKept          uint32 = C.KARP_TABLE_KEPT
	TableSnapshotPods  uint32 = C.KARP_TABLE_SNAPSHOT_PODS
	TableSnapshotNodes uint32 = C.KARP_TABLE_SNAPSHOT_NODES
	TableInstanceTypes uint32 = C.KARP_TABLE_INSTANCE_TYPES
	TableOfferings     uint32 = C.KARP_TABLE_OFFERINGS
)

// A Column has its values in the one slice of their type. In a list column row i has the values Offsets[i] … Offsets[i+1]−1;
// Offsets is nil in others.
type Column struct {
	Name    string
	Uint32  []uint32
	Int64   []int64
	Float64 []float64
	Text    []string
	Offsets []int32
}

// A Table is columns of equal length, for callers to whom rows are too many to ask for one by one.
type Table struct {
	Rows    int
	Columns []Column
}

// Column finds a column by its name; nil when there is none.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Table reads a table of the decision: one call for all its rows. Errors: ErrNotFound (no such table).
func (d *Decision) Table(which uint32) (*Table, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.handle.leave()
	f := newFault()
	var out *C.karp_table
	if err := f.check(C.karp_decision_table(c, C.uint32_t(which), &out, &f.c)); err != nil {
		return nil, err
	}
	return tableOf(out)
}

// Table reads a table of the snapshot.
func (s *Snapshot) Table(which uint32) (*Table, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return nil, err
	}
	defer s.handle.leave()
	f := newFault()
	var out *C.karp_table
	if err := f.check(C.karp_snapshot_table((*C.karp_snapshot)(ptr), C.uint32_t(which), &out, &f.c)); err != nil {
		return nil, err
	}
	return tableOf(out)
}

// Table reads a table of the catalogue.
func (c *Catalogue) Table(which uint32) (*Table, error) {
	ptr, err := c.handle.enter()
	if err != nil {
		return nil, err
	}
	defer c.handle.leave()
	f := newFault()
	var out *C.karp_table
	if err := f.check(C.karp_catalogue_table((*C.karp_catalogue)(ptr), C.uint32_t(which), &out, &f.c)); err != nil {
		return nil, err
	}
	return tableOf(out)
}

// tableOf copies a table and frees it.
func tableOf(from *C.karp_table) (*Table, error) {
	defer C.karp_table_free(from)
	t := &Table{Rows: int(C.karp_table_row_count(from)), Columns: make([]Column, C.karp_table_column_count(from))}
	for i := range t.Columns {
		c := C.karp_column{size: C.sizeof_karp_column}
		if status := C.karp_table_column(from, C.size_t(i), &c); status != C.KARP_OK {
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a column of the table cannot be read"}
		}
		t.Columns[i] = columnOf(&c)
	}
	return t, nil
}

func copied[T, F any](at unsafe.Pointer, count C.size_t, each func(F) T) []T {
	out := make([]T, count)
	for i, value := range unsafe.Slice((*F)(at), count) {
		out[i] = each(value)
	}
	return out
}

// textsAt cuts texts that stand one after the other; they share one string.
func textsAt(bytes string, offsets []C.int32_t) []string {
	out := make([]string, len(offsets)-1)
	for i := range out {
		out[i] = bytes[offsets[i]:offsets[i+1]]
	}
	return out
}

func columnOf(c *C.karp_column) Column {
	out := Column{Name: textOf(c.name)}
	if c.is_list != 0 {
		out.Offsets = copied(unsafe.Pointer(c.offsets), c.row_count+1, func(v C.int32_t) int32 { return int32(v) })
	}
	switch c._type {
	case C.KARP_COLUMN_UINT32:
		out.Uint32 = copied(c.values, c.value_count, func(v C.uint32_t) uint32 { return uint32(v) })
	case C.KARP_COLUMN_INT64:
		out.Int64 = copied(c.values, c.value_count, func(v C.int64_t) int64 { return int64(v) })
	case C.KARP_COLUMN_DOUBLE:
		out.Float64 = copied(c.values, c.value_count, func(v C.double) float64 { return float64(v) })
	case C.KARP_COLUMN_TEXT:
		out.Text = textsAt(C.GoStringN((*C.char)(c.values), C.int(c.value_count)), unsafe.Slice(c.offsets, c.row_count+1))
	case C.KARP_COLUMN_DICTIONARY:
		offsets := unsafe.Slice(c.dictionary_offsets, c.dictionary_count+1)
		words := textsAt(C.GoStringN(c.dictionary, C.int(offsets[c.dictionary_count])), offsets)
		out.Text = copied(c.values, c.value_count, func(v C.uint32_t) string { return words[v] })
	}
	return out
}
