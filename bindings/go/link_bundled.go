// SPDX-License-Identifier: Apache-2.0

//go:build !libkarp && !karp_static

package karp

// #cgo CFLAGS: -std=c11
// #cgo LDFLAGS: -lm
import "C"
