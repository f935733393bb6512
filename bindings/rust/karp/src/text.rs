// SPDX-License-Identifier: Apache-2.0

//! Strings on their way in and out.

use karp_sys as c;
use std::ffi::CStr;

pub(crate) fn lend(text: &str) -> c::karp_str {
    c::karp_str { ptr: text.as_ptr().cast(), len: text.len() }
}

pub(crate) fn text(from: &CStr) -> String {
    from.to_string_lossy().into_owned()
}

/// # Safety
/// `from` points to its length of bytes, or is empty.
pub(crate) unsafe fn copy(from: c::karp_str) -> String {
    if from.len == 0 || from.ptr.is_null() {
        return String::new();
    }
    String::from_utf8_lossy(std::slice::from_raw_parts(from.ptr.cast(), from.len)).into_owned()
}

/// # Safety
/// `at` points to `count` values, or `count` is 0.
pub(crate) unsafe fn items<'a, T>(at: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    std::slice::from_raw_parts(at, count)
}
