// SPDX-License-Identifier: Apache-2.0

package karp

import (
	"runtime"
	"sync"
	"unsafe"
)

// A handle is an object of C with its end: closed once, by Close or when its owner is collected, and never while a call
// uses it.
type handle struct {
	lock sync.RWMutex
	ptr  unsafe.Pointer // nil after close
	free func(unsafe.Pointer)
}

// hold makes the handle of ptr, freed at the latest when owner is collected.
func hold[T any](owner *T, ptr unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	h := &handle{ptr: ptr, free: free}
	runtime.AddCleanup(owner, func(h *handle) { _ = h.close() }, h)
	return h
}

// enter yields the object for one call, until leave.
func (h *handle) enter() (unsafe.Pointer, error) {
	if h == nil {
		return nil, ErrClosed
	}
	h.lock.RLock()
	if h.ptr == nil {
		h.lock.RUnlock()
		return nil, ErrClosed
	}
	return h.ptr, nil
}

func (h *handle) leave() { h.lock.RUnlock() }

func (h *handle) close() error {
	if h == nil {
		return nil
	}
	h.lock.Lock()
	ptr := h.ptr
	h.ptr = nil
	h.lock.Unlock()
	if ptr != nil {
		h.free(ptr)
	}
	return nil
}
