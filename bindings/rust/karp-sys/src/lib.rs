// SPDX-License-Identifier: Apache-2.0

//! The declarations of libkarp's headers, and the library behind them. The comments of the headers are the reference.
//! Crate `karp` has safe calls.

#![no_std]
#![allow(non_camel_case_types, clippy::all)]

include!("bindings.rs");

#[cfg(test)]
#[rustfmt::skip]
mod layout;
