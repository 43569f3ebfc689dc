//! C pointers as Rust references, NULL being looked for.

use core::ffi::CStr;

use macrostep_fmi2::Str;

/// A problem with an argument, for the log.
pub(crate) type Problem = String;

/// `count` elements; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL or points to `count` elements that live and stay unchanged for `'a`.
pub(crate) unsafe fn list<'a, T>(what: &str, pointer: *const T, count: usize) -> Result<&'a [T], Problem> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(format!("{what} is NULL, expected {count} elements")),
        // SAFETY: not NULL, the rest by this function's contract.
        _ => Ok(unsafe { core::slice::from_raw_parts(pointer, count) }),
    }
}

/// `count` elements to write; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL or points to `count` elements no one else uses for `'a`.
pub(crate) unsafe fn list_mut<'a, T>(what: &str, pointer: *mut T, count: usize) -> Result<&'a mut [T], Problem> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&mut []),
        (_, true) => Err(format!("{what} is NULL, expected room for {count} elements")),
        // SAFETY: not NULL, the rest by this function's contract.
        _ => Ok(unsafe { core::slice::from_raw_parts_mut(pointer, count) }),
    }
}

/// One element to write.
///
/// # Safety
/// `pointer` is NULL or points to an element no one else uses for `'a`.
pub(crate) unsafe fn place<'a, T>(what: &str, pointer: *mut T) -> Result<&'a mut T, Problem> {
    // SAFETY: by this function's contract.
    unsafe { pointer.as_mut() }.ok_or_else(|| format!("{what} is NULL"))
}

/// A C string, `None` for NULL.
///
/// # Safety
/// `pointer` is NULL or points to a zero-terminated string that lives for `'a`.
pub(crate) unsafe fn text<'a>(pointer: Str) -> Option<&'a CStr> {
    // SAFETY: not NULL, the rest by this function's contract.
    if pointer.is_null() { None } else { Some(unsafe { CStr::from_ptr(pointer) }) }
}
