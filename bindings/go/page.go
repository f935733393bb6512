// SPDX-License-Identifier: Apache-2.0

package karp

// #include <stdlib.h>
// #include "c.h"
import "C"

import (
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// A page is memory of C that the structs of one object are written into, strings copied beside them, for the one call that
// hands the object over. The next object takes the same memory, so it stays small and near, and C never sees a pointer of
// Go's.
type page struct {
	blocks  [][]byte
	current int // the block in use
	used    int // bytes of it
	pairs   []pair
	outside bool   // an instant was beyond what the library can tell
	memos   []memo // by place; nil = nothing is remembered
}

const pageBytes = 16 << 10

func (p *page) reset() { p.current, p.used, p.outside = 0, 0, false }

func (p *page) free() {
	for _, block := range p.blocks {
		C.free(unsafe.Pointer(&block[0]))
	}
	p.blocks = nil
	p.reset()
	for i := range p.memos {
		p.memos[i].kept.free()
	}
	p.memos = nil
}

// take yields memory that is aligned for every struct, and not cleared.
func (p *page) take(bytes int) unsafe.Pointer {
	bytes = (bytes + 7) &^ 7
	for ; p.current < len(p.blocks); p.current, p.used = p.current+1, 0 {
		if block := p.blocks[p.current]; len(block)-p.used >= bytes {
			at := unsafe.Pointer(&block[p.used])
			p.used += bytes
			return at
		}
	}
	size := max(pageBytes, bytes)
	at := C.malloc(C.size_t(size)) // ends the program where there is no memory, as allocating does in Go
	p.blocks = append(p.blocks, unsafe.Slice((*byte)(at), size))
	p.used = bytes
	return at
}

// list is a cleared array of n; nil when n is 0.
func list[T any](p *page, n int) []T {
	if n == 0 {
		return nil
	}
	var element T
	items := unsafe.Slice((*T)(p.take(n*int(unsafe.Sizeof(element)))), n)
	clear(items)
	return items
}

// one is a cleared struct.
func one[T any](p *page) *T { return &list[T](p, 1)[0] }

func (p *page) str(s string) C.karp_str {
	if s == "" {
		return C.karp_str{}
	}
	at := p.take(len(s))
	copy(unsafe.Slice((*byte)(at), len(s)), s)
	return C.karp_str{ptr: (*C.char)(at), len: C.size_t(len(s))}
}

func (p *page) strs(from []string) (*C.karp_str, C.size_t) {
	items := list[C.karp_str](p, len(from))
	for i, s := range from {
		items[i] = p.str(s)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

// several writes each element of a list.
func several[T, F any](p *page, from []F, write func(*page, *T, *F)) (*T, C.size_t) {
	items := list[T](p, len(from))
	for i := range from {
		write(p, &items[i], &from[i])
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

// pointer writes what may be absent.
func pointer[T, F any](p *page, from *F, write func(*page, *T, *F)) *T {
	if from == nil {
		return nil
	}
	out := one[T](p)
	write(p, out, from)
	return out
}

func (p *page) instant(t time.Time) C.int64_t {
	if t.IsZero() {
		return C.KARP_NO_TIME
	}
	if year := t.Year(); year < 1678 || year > 2261 {
		p.outside = true
	}
	return C.int64_t(t.UnixNano())
}

// A memo has the labels that were written last in some place of an object, in memory of its own: most pods have their
// selectors and labels in common with the pod before, and looking keys up is quicker than walking a map.
type memo struct {
	pairs []pair
	kept  page
	items []C.karp_label
}

// The places of labels that are remembered.
const (
	ownLabels = iota
	nodeSelectors
	labelSelectors
	memoPlaces
)

// Longer lists are not worth it.
const memoLabels = 16

func (m *memo) matches(from map[string]string) bool {
	if len(m.pairs) != len(from) {
		return false
	}
	for i := range m.pairs {
		if value, ok := from[m.pairs[i].key]; !ok || value != m.pairs[i].value {
			return false
		}
	}
	return true
}

// again is labels, remembered.
func (p *page) again(place int, from map[string]string) (*C.karp_label, C.size_t) {
	if p.memos == nil || len(from) == 0 || len(from) > memoLabels {
		return p.labels(from)
	}
	m := &p.memos[place]
	if !m.matches(from) {
		m.kept.reset()
		at, count := m.kept.labels(from)
		m.items = unsafe.Slice(at, count)
		m.pairs = m.pairs[:0]
		for key, value := range from {
			m.pairs = append(m.pairs, pair{key, value})
		}
	}
	return unsafe.SliceData(m.items), C.size_t(len(m.items))
}

// labels are written by key: a map's order is nobody's order.
func (p *page) labels(from map[string]string) (*C.karp_label, C.size_t) {
	if len(from) == 0 {
		return nil, 0
	}
	pairs := p.pairs[:0]
	for key, value := range from {
		pairs = append(pairs, pair{key, value})
	}
	if len(pairs) > 16 {
		slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	} else { // the handful that an object has
		for i := 1; i < len(pairs); i++ {
			for k := i; k > 0 && pairs[k].key < pairs[k-1].key; k-- {
				pairs[k], pairs[k-1] = pairs[k-1], pairs[k]
			}
		}
	}
	items := list[C.karp_label](p, len(pairs))
	for i := range pairs {
		items[i] = C.karp_label{key: p.str(pairs[i].key), value: p.str(pairs[i].value)}
	}
	clear(pairs) // the page is not to keep the caller's strings alive
	p.pairs = pairs
	return unsafe.SliceData(items), C.size_t(len(items))
}

// present is labels, where an empty map is another thing than none.
func (p *page) present(from map[string]string) (*C.karp_label, C.size_t) {
	if from != nil && len(from) == 0 {
		return one[C.karp_label](p), 0
	}
	return p.labels(from)
}

type pair struct{ key, value string }

func flag(b bool) C.uint32_t {
	if b {
		return 1
	}
	return 0
}

func duration(d *time.Duration) C.int64_t {
	switch {
	case d == nil:
		return C.KARP_DURATION_UNSET
	case *d == Never:
		return C.KARP_DURATION_NEVER
	}
	return C.int64_t(*d)
}

// Never is the duration of a field that says "Never".
const Never = time.Duration(math.MaxInt64)
