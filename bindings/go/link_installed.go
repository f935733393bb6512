// SPDX-License-Identifier: Apache-2.0

//go:build libkarp && !karp_static

package karp

// #cgo CFLAGS: -DKARP_GO_INSTALLED
// #cgo pkg-config: karp
import "C"
