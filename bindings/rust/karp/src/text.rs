// SPDX-License-Identifier: Apache-2.0

//! Strings on their way in and out.

use crate::error::{call, Error};
use crate::objects::{Pairs, Requirement, Taint};
use karp_sys as c;
use std::ffi::CStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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

/// # Safety
/// As of `items`; likewise below.
pub(crate) unsafe fn texts(at: *const c::karp_str, count: usize) -> Vec<String> {
    items(at, count).iter().map(|&each| copy(each)).collect()
}

pub(crate) unsafe fn pairs(at: *const c::karp_label, count: usize) -> Pairs {
    items(at, count).iter().map(|each| (copy(each.key), copy(each.value))).collect()
}

pub(crate) unsafe fn amounts(at: *const c::karp_resource, count: usize) -> Pairs {
    items(at, count).iter().map(|each| (copy(each.name), copy(each.text))).collect()
}

pub(crate) unsafe fn requirements(at: *const c::karp_requirement, count: usize) -> Vec<Requirement> {
    const OPERATORS: [&str; 9] = ["", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"];
    let made = |each: &c::karp_requirement| Requirement {
        key: copy(each.key),
        operator: OPERATORS.get(each.op as usize).copied().unwrap_or_default().into(),
        values: texts(each.values, each.value_count),
    };
    items(at, count).iter().map(made).collect()
}

pub(crate) unsafe fn taints(at: *const c::karp_taint, count: usize) -> Vec<Taint> {
    let made = |each: &c::karp_taint| Taint { key: copy(each.key), value: copy(each.value), effect: copy(each.effect) };
    items(at, count).iter().map(made).collect()
}

/// `Duration::MAX`: without end.
pub(crate) fn duration(nanoseconds: i64) -> Option<Duration> {
    match nanoseconds {
        i64::MAX => Some(Duration::MAX),
        _ => u64::try_from(nanoseconds).ok().map(Duration::from_nanos),
    }
}

pub(crate) fn time(instant: i64) -> Option<SystemTime> {
    u64::try_from(instant).ok().map(|since| UNIX_EPOCH + Duration::from_nanos(since))
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
