// SPDX-License-Identifier: Apache-2.0

//go:build karp_static

package karp

// #cgo CFLAGS: -DKARP_GO_INSTALLED
// #cgo pkg-config: karp-static
import "C"
