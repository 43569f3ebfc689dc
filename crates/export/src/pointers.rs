//! C pointers as Rust references, NULL being looked for.

use core::ffi::CStr;

use macrostep_fmi2::Str;

/// A problem with an argument, for the log.
pub(crate) type Problem = String;

/// What keeps a caller's list from being one: NULL, misaligned, or longer than memory can be.
fn defect<T>(what: &str, pointer: *const T, count: usize) -> Option<Problem> {
    let (size, alignment) = (size_of::<T>(), align_of::<T>());
    if pointer.is_null() {
        Some(format!("{what} is NULL, expected {count} elements"))
    } else if !pointer.is_aligned() {
        Some(format!("{what} is at {pointer:p}, expected an address divisible by {alignment}"))
    } else if count.checked_mul(size).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        Some(format!("{what} has {count} elements of {size} bytes, expected at most {} bytes in all", isize::MAX))
    } else {
        None
    }
}

/// `count` elements; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL, misaligned, or points to `count` elements that live and stay unchanged for `'a`.
pub(crate) unsafe fn list<'a, T>(what: &str, pointer: *const T, count: usize) -> Result<&'a [T], Problem> {
    if count == 0 {
        return Ok(&[]);
    }
    match defect(what, pointer, count) {
        Some(problem) => Err(problem),
        // SAFETY: not NULL, aligned, at most isize::MAX bytes; the rest by this function's contract.
        None => Ok(unsafe { core::slice::from_raw_parts(pointer, count) }),
    }
}

/// `count` elements to write; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL, misaligned, or points to `count` elements no one else uses for `'a`.
pub(crate) unsafe fn list_mut<'a, T>(what: &str, pointer: *mut T, count: usize) -> Result<&'a mut [T], Problem> {
    if count == 0 {
        return Ok(&mut []);
    }
    match defect(what, pointer, count) {
        Some(problem) => Err(problem),
        // SAFETY: not NULL, aligned, at most isize::MAX bytes; the rest by this function's contract.
        None => Ok(unsafe { core::slice::from_raw_parts_mut(pointer, count) }),
    }
}

/// One element to write.
///
/// # Safety
/// `pointer` is NULL, misaligned, or points to an element no one else uses for `'a`.
pub(crate) unsafe fn place<'a, T>(what: &str, pointer: *mut T) -> Result<&'a mut T, Problem> {
    match defect(what, pointer, 1) {
        Some(_) if pointer.is_null() => Err(format!("{what} is NULL")),
        Some(problem) => Err(problem),
        // SAFETY: not NULL and aligned; the rest by this function's contract.
        None => Ok(unsafe { &mut *pointer }),
    }
}

/// A C string, `None` for NULL.
///
/// # Safety
/// `pointer` is NULL or points to a zero-terminated string that lives for `'a`.
pub(crate) unsafe fn text<'a>(pointer: Str) -> Option<&'a CStr> {
    // SAFETY: not NULL, the rest by this function's contract.
    if pointer.is_null() { None } else { Some(unsafe { CStr::from_ptr(pointer) }) }
}
