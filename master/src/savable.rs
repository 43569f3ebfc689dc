//! How a part of the state of a run is declared.

/// Declares a struct of state: it can be copied, copied over another of its kind without allocation, and serialised, field
/// by field as declared.
macro_rules! savable {
    ($(#[$meta:meta])* $sees:vis struct $name:ident { $($(#[$about:meta])* $seen:vis $field:ident: $kind:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, serde::Serialize, serde::Deserialize)]
        $sees struct $name { $($(#[$about])* $seen $field: $kind,)* }

        impl Clone for $name {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone(),)* }
            }

            #[inline]
            fn clone_from(&mut self, other: &Self) {
                $(self.$field.clone_from(&other.$field);)*
            }
        }
    };
}

pub(crate) use savable;
