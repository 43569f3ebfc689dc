//! Texts, and binary values as texts of hexadecimal digits.

use std::ffi::{CStr, CString};
use std::fmt::Write;

use macrostep_description::Native;
use macrostep_fmi3 as abi;

use super::FmuUnit3;
use super::access::Bad;

impl FmuUnit3 {
    /// Texts, and binary values as hexadecimal digits, of scalars and arrays of one type.
    pub(super) fn read_texts(&self, native: Native, refs: &[u32], count: usize) -> Result<Vec<String>, Bad> {
        const BYTES_MAX: usize = 1 << 30;
        if native == Native::Binary {
            const CALL: &str = "fmi3GetBinary";
            let Some(get) = self.access.functions.get_binary else { return Err(Bad::Lacks(CALL)) };
            let mut sizes = vec![0; count];
            let mut pointers: Vec<abi::Binary> = vec![std::ptr::null(); count];
            // SAFETY: alive; all lists have the lengths passed.
            let status = unsafe {
                get(self.access.instance, refs.as_ptr(), refs.len(), sizes.as_mut_ptr(), pointers.as_mut_ptr(), count)
            };
            if status != abi::OK {
                return Err(Bad::Status(CALL, status));
            }
            return pointers
                .iter()
                .zip(&sizes)
                .map(|(pointer, size)| match *size {
                    0 => Ok(String::new()),
                    _ if pointer.is_null() => Err(Bad::Refused(CALL, format!("NULL for {size} bytes, expected them"))),
                    size if size > BYTES_MAX => {
                        Err(Bad::Refused(CALL, format!("{size} bytes, expected at most {BYTES_MAX}")))
                    }
                    size => {
                        // SAFETY: not NULL, and so many bytes of the FMU that live until its next call, which comes after the copy.
                        let bytes = unsafe { std::slice::from_raw_parts(*pointer, size) };
                        Ok(bytes.iter().fold(String::with_capacity(2 * size), |mut text, b| {
                            let _ = write!(text, "{b:02x}");
                            text
                        }))
                    }
                })
                .collect();
        }
        const CALL: &str = "fmi3GetString";
        let Some(get) = self.access.functions.get_string else { return Err(Bad::Lacks(CALL)) };
        let mut pointers: Vec<abi::Str> = vec![std::ptr::null(); count];
        // SAFETY: alive; both lists have the lengths passed.
        let status =
            unsafe { get(self.access.instance, refs.as_ptr(), refs.len(), pointers.as_mut_ptr(), pointers.len()) };
        if status != abi::OK {
            return Err(Bad::Status(CALL, status));
        }
        let text = |pointer: &abi::Str| {
            if pointer.is_null() {
                return String::new();
            }
            // SAFETY: not NULL, zero-terminated and alive until the next call of this instance, which comes after the copy.
            unsafe { CStr::from_ptr(*pointer) }.to_string_lossy().into_owned()
        };
        Ok(pointers.iter().map(text).collect())
    }

    /// Sets them.
    pub(super) fn write_texts(&self, native: Native, refs: &[u32], texts: &[String]) -> Result<(), Bad> {
        if native == Native::Binary {
            const CALL: &str = "fmi3SetBinary";
            let Some(set) = self.access.functions.set_binary else { return Err(Bad::Lacks(CALL)) };
            let values = texts.iter().map(|text| bytes_of(text)).collect::<Option<Vec<Vec<u8>>>>();
            let Some(values) = values else {
                return Err(Bad::Refused(
                    CALL,
                    "a text for a binary value, expected hexadecimal digits, two for each byte".to_owned(),
                ));
            };
            let sizes: Vec<usize> = values.iter().map(Vec::len).collect();
            let pointers: Vec<abi::Binary> = values.iter().map(|value| value.as_ptr()).collect();
            // SAFETY: alive; all lists have the lengths passed and live during the call.
            let status = unsafe {
                set(self.access.instance, refs.as_ptr(), refs.len(), sizes.as_ptr(), pointers.as_ptr(), pointers.len())
            };
            return if status == abi::OK { Ok(()) } else { Err(Bad::Status(CALL, status)) };
        }
        const CALL: &str = "fmi3SetString";
        let Some(set) = self.access.functions.set_string else { return Err(Bad::Lacks(CALL)) };
        let texts: Result<Vec<CString>, _> = texts.iter().map(|text| CString::new(text.as_str())).collect();
        let Ok(texts) = texts else {
            return Err(Bad::Refused(CALL, "a zero byte in a text, expected text without".to_owned()));
        };
        let pointers: Vec<abi::Str> = texts.iter().map(|text| text.as_ptr()).collect();
        // SAFETY: alive; both lists have the lengths passed and live during the call.
        let status = unsafe { set(self.access.instance, refs.as_ptr(), refs.len(), pointers.as_ptr(), pointers.len()) };
        if status == abi::OK { Ok(()) } else { Err(Bad::Status(CALL, status)) }
    }
}

/// Bytes of hexadecimal digits; blanks between them mean nothing.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().filter(|c| !c.is_ascii_whitespace()).map(|c| Some(c.to_digit(16)? as u8)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
