//! C pointers as Rust references, NULL being looked for.

use core::ffi::CStr;

use macrostep_fmi2::Str;

/// A problem with an argument, for the log.
pub(crate) type Problem = String;

/// Whether a caller's list can be one: not NULL, aligned, no longer than memory can be.
#[inline(always)]
fn is_list<T>(pointer: *const T, count: usize) -> bool {
    !pointer.is_null() & pointer.is_aligned() & (count <= isize::MAX as usize / size_of::<T>())
}

/// What keeps a caller's list from being one.
#[cold]
fn defect<T>(what: &str, pointer: *const T, count: usize) -> Problem {
    defect_of(what, pointer.cast(), count, (size_of::<T>(), align_of::<T>()))
}

/// The same for elements of this size and alignment.
#[cold]
#[inline(never)]
fn defect_of(what: &str, pointer: *const u8, count: usize, (size, alignment): (usize, usize)) -> Problem {
    if pointer.is_null() {
        format!("{what} is NULL, expected {count} elements")
    } else if !pointer.addr().is_multiple_of(alignment) {
        format!("{what} is at {pointer:p}, expected an address divisible by {alignment}")
    } else {
        format!("{what} has {count} elements of {size} bytes, expected at most {} bytes in all", isize::MAX)
    }
}

/// `count` elements; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL, misaligned, or points to `count` elements that live and stay unchanged for `'a`.
#[inline(always)]
pub(crate) unsafe fn list<'a, T>(what: &str, pointer: *const T, count: usize) -> Result<&'a [T], Problem> {
    if count == 0 {
        return Ok(&[]);
    }
    if !is_list(pointer, count) {
        return Err(defect(what, pointer, count));
    }
    // SAFETY: not NULL, aligned, at most isize::MAX bytes; the rest by this function's contract.
    Ok(unsafe { core::slice::from_raw_parts(pointer, count) })
}

/// `count` elements to write; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL, misaligned, or points to `count` elements no one else uses for `'a`.
#[inline(always)]
pub(crate) unsafe fn list_mut<'a, T>(what: &str, pointer: *mut T, count: usize) -> Result<&'a mut [T], Problem> {
    if count == 0 {
        return Ok(&mut []);
    }
    if !is_list(pointer, count) {
        return Err(defect(what, pointer, count));
    }
    // SAFETY: not NULL, aligned, at most isize::MAX bytes; the rest by this function's contract.
    Ok(unsafe { core::slice::from_raw_parts_mut(pointer, count) })
}

/// One element to write.
///
/// # Safety
/// `pointer` is NULL, misaligned, or points to an element no one else uses for `'a`.
pub(crate) unsafe fn place<'a, T>(what: &str, pointer: *mut T) -> Result<&'a mut T, Problem> {
    if pointer.is_null() {
        return Err(null(what));
    }
    if !pointer.is_aligned() {
        return Err(defect(what, pointer, 1));
    }
    // SAFETY: not NULL and aligned; the rest by this function's contract.
    Ok(unsafe { &mut *pointer })
}

/// What is said of a place that is NULL.
#[cold]
#[inline(never)]
fn null(what: &str) -> Problem {
    format!("{what} is NULL")
}

/// A C string, `None` for NULL.
///
/// # Safety
/// `pointer` is NULL or points to a zero-terminated string that lives for `'a`.
pub(crate) unsafe fn text<'a>(pointer: Str) -> Option<&'a CStr> {
    // SAFETY: not NULL, the rest by this function's contract.
    if pointer.is_null() { None } else { Some(unsafe { CStr::from_ptr(pointer) }) }
}
