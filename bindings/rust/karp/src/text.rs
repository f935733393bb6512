// SPDX-License-Identifier: Apache-2.0

//! Strings on their way in and out.

use crate::error::{call, Error};
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

/// What a function of the library writes.
pub(crate) fn written(write: impl FnOnce(*mut c::karp_text, *mut c::karp_error) -> c::karp_status) -> Result<String, Error> {
    // SAFETY: the text is the caller's to free after it was copied.
    unsafe {
        let mut out: c::karp_text = std::mem::zeroed();
        call(|error| write(&mut out, error))?;
        let text = copy(c::karp_str { ptr: out.ptr, len: out.len });
        c::karp_text_free(&mut out);
        Ok(text)
    }
}
