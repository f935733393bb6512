// SPDX-License-Identifier: Apache-2.0

use crate::text::text;
use karp_sys as c;
use std::ffi::{c_char, CStr};
use std::fmt;

/// The kind of a failure, as in karp/base.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    Internal,
    NoMemory,
    Invalid,
    Syntax,
    Limit,
    Range,
    Canceled,
    NotFound,
    Duplicate,
    State,
    Io,
    Unsupported,
    /// One that this crate does not know.
    Other(i32),
}

impl Status {
    fn of(status: c::karp_status) -> Status {
        match status {
            c::KARP_E_INTERNAL => Status::Internal,
            c::KARP_E_NOMEM => Status::NoMemory,
            c::KARP_E_INVALID => Status::Invalid,
            c::KARP_E_SYNTAX => Status::Syntax,
            c::KARP_E_LIMIT => Status::Limit,
            c::KARP_E_RANGE => Status::Range,
            c::KARP_E_CANCELED => Status::Canceled,
            c::KARP_E_NOT_FOUND => Status::NotFound,
            c::KARP_E_DUPLICATE => Status::Duplicate,
            c::KARP_E_STATE => Status::State,
            c::KARP_E_IO => Status::Io,
            c::KARP_E_UNSUPPORTED => Status::Unsupported,
            other => Status::Other(other),
        }
    }
}

/// What failed, and where. Unknown parts are empty or 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: Status,
    /// A file's name.
    pub document: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// `Pod default/web-0`
    pub object: String,
    /// `spec.containers[0].resources.requests.cpu`
    pub field: String,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("karp")?;
        if !self.document.is_empty() {
            write!(f, ": {}", self.document)?;
            if self.line > 0 {
                write!(f, ":{}", self.line)?;
            }
            if self.line > 0 && self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        for part in [&self.object, &self.field, &self.message] {
            if !part.is_empty() {
                write!(f, ": {part}")?;
            }
        }
        if self.message.is_empty() {
            write!(f, ": {:?}", self.status)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Makes a call that describes its failure.
pub(crate) fn call(make: impl FnOnce(*mut c::karp_error) -> c::karp_status) -> Result<(), Error> {
    // SAFETY: karp_error is plain data, for which zeroes are a value; the call fills it in.
    let mut e: c::karp_error = unsafe { std::mem::zeroed() };
    unsafe { c::karp_error_init(&mut e, std::mem::size_of::<c::karp_error>()) };
    let status = make(&mut e);
    if status == c::KARP_OK {
        return Ok(());
    }
    Err(Error {
        status: Status::of(status),
        document: chars(&e.document),
        line: e.line,
        column: e.column,
        object: chars(&e.object),
        field: chars(&e.field),
        message: chars(&e.message),
    })
}

/// The result of a call that only returns its status.
pub(crate) fn checked(status: c::karp_status) -> Result<(), Error> {
    call(|_| status)
}

/// An error that this crate finds itself.
pub(crate) fn invalid(message: &str) -> Error {
    Error {
        status: Status::Invalid,
        document: String::new(),
        line: 0,
        column: 0,
        object: String::new(),
        field: String::new(),
        message: message.to_string(),
    }
}

fn chars(field: &[c_char]) -> String {
    let bytes: Vec<u8> = field.iter().take_while(|&&each| each != 0).map(|&each| each as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The name of a reason, `TYPE_RESOURCES`.
pub(crate) fn reason(code: u32) -> String {
    // SAFETY: the library returns a text that is always there.
    text(unsafe { CStr::from_ptr(c::karp_reason_name(code)) })
}
