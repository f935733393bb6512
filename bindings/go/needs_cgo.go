// SPDX-License-Identifier: Apache-2.0

//go:build !cgo && !karp_nocgo

package karp

// The library is C. This does not compile, to say so; with -tags karp_nocgo everything does, and calls fail with ErrNoCgo.
var _ = libkarp_is_C_code__set_CGO_ENABLED_1_and_CC_to_a_C_compiler_for_the_target
