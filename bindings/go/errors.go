// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// A Status is the kind of a failure, as in karp/base.h. It is an error itself, so that errors.Is(err, karp.ErrInvalid) asks
// for the kind.
type Status int32

// The kinds of failures.
const (
	ErrInternal    Status = C.KARP_E_INTERNAL
	ErrMemory      Status = C.KARP_E_NOMEM
	ErrInvalid     Status = C.KARP_E_INVALID
	ErrSyntax      Status = C.KARP_E_SYNTAX
	ErrLimit       Status = C.KARP_E_LIMIT
	ErrRange       Status = C.KARP_E_RANGE
	ErrCanceled    Status = C.KARP_E_CANCELED
	ErrNotFound    Status = C.KARP_E_NOT_FOUND
	ErrDuplicate   Status = C.KARP_E_DUPLICATE
	ErrState       Status = C.KARP_E_STATE
	ErrIO          Status = C.KARP_E_IO
	ErrUnsupported Status = C.KARP_E_UNSUPPORTED
)

// Error is the status' name, "KARP_E_INVALID".
func (s Status) Error() string { return C.GoString(C.karp_status_name(C.karp_status(s))) }

// ErrClosed is the error of every call on what was closed before.
var ErrClosed = errors.New("karp: used after Close")

// An Error says what failed, and where. Unknown parts are zero.
type Error struct {
	Status   Status
	Document string // file name
	Line     uint32 // from 1
	Column   uint32 // from 1
	Offset   int64  // byte of the document, −1 = unknown
	Object   string // "Pod default/web-0"
	Field    string // "spec.containers[0].resources.requests.cpu"
	Message  string
	Cause    error // of a cancelled context
}

// Error is "karp: FILE:LINE:COLUMN: OBJECT: FIELD: MESSAGE", of what is known.
func (e *Error) Error() string {
	parts := []string{"karp"}
	if e.Document != "" {
		place := e.Document
		if e.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, e.Line)
			if e.Column > 0 {
				place = fmt.Sprintf("%s:%d", place, e.Column)
			}
		}
		parts = append(parts, place)
	}
	for _, part := range []string{e.Object, e.Field, e.Message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.Message == "" {
		parts = append(parts, e.Status.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap yields the status and the cause, for errors.Is.
func (e *Error) Unwrap() []error {
	if e.Cause != nil {
		return []error{e.Status, e.Cause}
	}
	return []error{e.Status}
}

// A fault is where the library describes a failure.
type fault struct{ c C.karp_error }

func newFault() *fault {
	f := new(fault)
	C.karp_error_init(&f.c, C.sizeof_karp_error)
	return f
}

// check is nil for KARP_OK, and what the fault says otherwise.
func (f *fault) check(status C.karp_status) error {
	if status == C.KARP_OK {
		return nil
	}
	return ErrorAt(unsafe.Pointer(&f.c), Status(status))
}

// ErrorAt makes an [Error] of a karp_error of C, for packages on top of this one.
func ErrorAt(at unsafe.Pointer, status Status) *Error {
	c := (*C.karp_error)(at)
	e := &Error{Status: status, Line: uint32(c.line), Column: uint32(c.column), Offset: -1}
	if c.byte_offset != C.KARP_NO_OFFSET && c.byte_offset <= 1<<62 {
		e.Offset = int64(c.byte_offset)
	}
	e.Document = C.GoString(&c.document[0])
	e.Object = C.GoString(&c.object[0])
	e.Field = C.GoString(&c.field[0])
	e.Message = C.GoString(&c.message[0])
	return e
}
