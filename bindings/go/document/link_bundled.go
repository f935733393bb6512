// SPDX-License-Identifier: Apache-2.0

//go:build !libkarp && !karp_static

package document

// #cgo CFLAGS: -std=c11 -I${SRCDIR}/..
// #cgo LDFLAGS: -lm
// #cgo linux LDFLAGS: -ldl
import "C"
