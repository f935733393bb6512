// SPDX-License-Identifier: Apache-2.0

//go:build libkarp && !karp_static

package document

// #cgo CFLAGS: -DKARP_GO_INSTALLED
// #cgo pkg-config: karp-io
import "C"
