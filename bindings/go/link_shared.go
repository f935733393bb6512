// SPDX-License-Identifier: Apache-2.0

//go:build !karp_static

package karp

// #cgo pkg-config: karp
import "C"
