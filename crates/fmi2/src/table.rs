//! A table of the functions that a library exports, for FMI 2.0 and 3.0.

use core::ffi::CStr;

/// Writes a table, its symbols and the loader from lists of functions: those that are required are plain pointers, those of other lists
/// are `Option`s. Each list has a constant with its symbols.
#[doc(hidden)]
#[macro_export]
macro_rules! function_table {
    (
        $( #[$doc:meta] )* struct $table:ident;
        $( #[$required_doc:meta] )*
        required $required:ident { $( $(#[$rdoc:meta])* $rfield:ident = $rsymbol:literal : fn($($rarg:ty),*) -> $rret:ty; )* }
        $(
            $( #[$optional_doc:meta] )*
            optional $optional:ident { $( $(#[$odoc:meta])* $ofield:ident = $osymbol:literal : fn($($oarg:ty),*) -> $oret:ty; )* }
        )*
    ) => {
        $( #[$doc] )*
        #[derive(Debug, Clone, Copy)]
        pub struct $table {
            $( $(#[$rdoc])* pub $rfield: unsafe extern "C" fn($($rarg),*) -> $rret, )*
            $( $( $(#[$odoc])* pub $ofield: Option<unsafe extern "C" fn($($oarg),*) -> $oret>, )* )*
        }

        $( #[$required_doc] )*
        pub const $required: &[&str] = &[$($rsymbol),*];

        $(
            $( #[$optional_doc] )*
            pub const $optional: &[&str] = &[$($osymbol),*];
        )*

        impl $table {
            /// Fills the table from a symbol look-up that answers NULL for a symbol it does not find.
            ///
            /// # Errors
            /// The names of all required symbols that are missing.
            ///
            /// # Safety
            /// Every pointer `lookup` returns is NULL or a function of the type that the headers of this version of FMI declare for that
            /// symbol, and outlives the table.
            pub unsafe fn load(
                mut lookup: impl FnMut(&'static core::ffi::CStr) -> *const core::ffi::c_void,
            ) -> Result<$table, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    let $rfield = lookup($crate::c_name(concat!($rsymbol, "\0")));
                    if $rfield.is_null() {
                        missing.push($rsymbol);
                    }
                )*
                if !missing.is_empty() {
                    return Err(missing);
                }
                Ok($table {
                    $(
                        // SAFETY: not NULL, and of this type by the contract of `load`.
                        $rfield: unsafe {
                            core::mem::transmute::<
                                *const core::ffi::c_void,
                                unsafe extern "C" fn($($rarg),*) -> $rret,
                            >($rfield)
                        },
                    )*
                    $( $(
                        // SAFETY: NULL is `None` of an optional function pointer, anything else is of this type by the
                        // contract of `load`.
                        $ofield: unsafe {
                            core::mem::transmute::<
                                *const core::ffi::c_void,
                                Option<unsafe extern "C" fn($($oarg),*) -> $oret>,
                            >(lookup($crate::c_name(concat!($osymbol, "\0"))))
                        },
                    )* )*
                })
            }
        }
    };
}

/// A literal that ends in a zero byte, as a C string.
#[doc(hidden)]
pub fn c_name(terminated: &'static str) -> &'static CStr {
    CStr::from_bytes_with_nul(terminated.as_bytes()).unwrap_or(c"")
}
