// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import "unsafe"

// A Catalogue is an immutable list of instance types.
type Catalogue struct{ handle *handle }

// CatalogueOf takes a karp_catalogue of C over, for packages on top of this one.
func CatalogueOf(ptr unsafe.Pointer) *Catalogue {
	c := new(Catalogue)
	c.handle = hold(c, ptr, func(ptr unsafe.Pointer) { C.karp_catalogue_unref((*C.karp_catalogue)(ptr)) })
	return c
}

// NewCatalogue copies instance types, in their order.
func NewCatalogue(limits *Limits, types []InstanceType) (*Catalogue, error) {
	if err := checkVersion(); err != nil {
		return nil, err
	}
	f := newFault()
	context, err := newContext(limits, f)
	if err != nil {
		return nil, err
	}
	defer C.karp_context_unref(context)
	var p page
	defer p.free()
	items, count := several(&p, types, (*page).instanceType)
	var out *C.karp_catalogue
	if err := f.check(C.karp_catalogue_new(context, items, count, &out, &f.c)); err != nil {
		return nil, err
	}
	return CatalogueOf(unsafe.Pointer(out)), nil
}

// Reprice makes a catalogue of the same types at other prices: all factors first, then all amounts. Snapshots that are built with it price existing
// nodes by it as well, and all decisions follow. Errors: ErrInvalid, ErrRange, ErrMemory, ErrClosed.
func (c *Catalogue) Reprice(limits *Limits, rules ...PriceRule) (*Catalogue, error) {
	ptr, err := c.handle.enter()
	if err != nil {
		return nil, err
	}
	defer c.handle.leave()
	f := newFault()
	context, err := newContext(limits, f)
	if err != nil {
		return nil, err
	}
	defer C.karp_context_unref(context)
	var p page
	defer p.free()
	list, count := several(&p, rules, (*page).priceRule)
	var out *C.karp_catalogue
	if err := f.check(C.karp_catalogue_reprice(context, (*C.karp_catalogue)(ptr), list, count, &out, &f.c)); err != nil {
		return nil, err
	}
	return CatalogueOf(unsafe.Pointer(out)), nil
}

// Close gives the catalogue up; builders and snapshots keep what they have of it.
func (c *Catalogue) Close() error { return c.handle.close() }

// Len is the number of types; 0 after Close.
func (c *Catalogue) Len() int {
	ptr, err := c.handle.enter()
	if err != nil {
		return 0
	}
	defer c.handle.leave()
	return int(C.karp_catalogue_count((*C.karp_catalogue)(ptr)))
}
