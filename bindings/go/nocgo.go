// SPDX-License-Identifier: Apache-2.0

package karp

//go:generate sh -c "go run ./internal/stub . ../../include/karp > stub.tmp && mv stub.tmp stub_nocgo.go"
//go:generate sh -c "go run ./internal/stub document ../../include/karp > stub.tmp && mv stub.tmp document/stub_nocgo.go"

// ErrNoCgo is the error of every call of a program that was built without cgo, which the library cannot be in.
var ErrNoCgo error = &Error{Status: ErrUnsupported, Offset: -1, Message: "the program was built without cgo: build it with CGO_ENABLED=1 and a C compiler"}
