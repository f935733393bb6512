// SPDX-License-Identifier: Apache-2.0

package karp

// #include <stdlib.h>
// #include <karp/karp.h>
import "C"

import (
	"math"
	"sort"
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
	keys    []string
	outside bool // an instant was beyond what the library can tell
}

const pageBytes = 16 << 10

func (p *page) reset() { p.current, p.used, p.outside = 0, 0, false }

func (p *page) free() {
	for _, block := range p.blocks {
		C.free(unsafe.Pointer(&block[0]))
	}
	p.blocks = nil
	p.reset()
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

// labels are written by key: a map's order is nobody's order.
func (p *page) labels(from map[string]string) (*C.karp_label, C.size_t) {
	if len(from) == 0 {
		return nil, 0
	}
	keys := p.keys[:0]
	for key := range from {
		keys = append(keys, key)
	}
	sortFew(keys)
	p.keys = keys
	items := list[C.karp_label](p, len(keys))
	for i, key := range keys {
		items[i] = C.karp_label{key: p.str(key), value: p.str(from[key])}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

// sortFew is quicker than sort.Strings for the handful of labels an object has.
func sortFew(keys []string) {
	if len(keys) > 16 {
		sort.Strings(keys)
		return
	}
	for i := 1; i < len(keys); i++ {
		for k := i; k > 0 && keys[k] < keys[k-1]; k-- {
			keys[k], keys[k-1] = keys[k-1], keys[k]
		}
	}
}

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
