//! Data in the resources of an FMU.
//!
//! Layout: eight bytes of magic that say what it is, then the value in postcard encoding.

use std::path::Path;

use macrostep_slave::{Fault, Shared, shared};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// A value that is stored in a file of the resources.
pub trait Stored: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name of the file.
    const FILE: &'static str;
    /// Its first eight bytes.
    const MAGIC: &'static [u8; 8];

    /// Refuses parts that do not fit together.
    ///
    /// # Errors
    /// What does not fit, in words.
    fn check(&self) -> Result<(), String>;

    /// The stored form.
    ///
    /// # Errors
    /// [`Fault::Declaration`] when the encoder fails.
    fn to_bytes(&self) -> Result<Vec<u8>, Fault> {
        postcard::to_extend(self, Self::MAGIC.to_vec()).map_err(|e| refused::<Self>(&e.to_string()))
    }

    /// Reads the stored form; returns it with its SHA-256, 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`Fault::Declaration`] for other data, or parts that do not fit together.
    fn from_bytes(bytes: &[u8]) -> Result<(Self, String), Fault> {
        let Some(rest) = bytes.strip_prefix(Self::MAGIC) else {
            return Err(refused::<Self>("it does not begin with the bytes of this model's data"));
        };
        let (value, left): (Self, _) = postcard::take_from_bytes(rest).map_err(|e| refused::<Self>(&e.to_string()))?;
        if !left.is_empty() {
            return Err(refused::<Self>(&format!("{} bytes after the end", left.len())));
        }
        value.check().map_err(|what| refused::<Self>(&what))?;
        Ok((value, hash(bytes)))
    }

    /// As [`Stored::from_bytes`], one value for all instances in this process that have the same bytes.
    ///
    /// # Errors
    /// As [`Stored::from_bytes`].
    fn shared(bytes: &[u8]) -> Result<(Shared<Self>, String), Fault> {
        let hash = hash(bytes);
        let value = shared(&hash, || Self::from_bytes(bytes).map(|(value, _)| value))?;
        Ok((value, hash))
    }

    /// Reads the file in the folder of the resources, shared as in [`Stored::shared`].
    ///
    /// # Errors
    /// As [`Stored::from_bytes`], and where there is no folder or no such file.
    fn load(resources: Option<&Path>) -> Result<(Shared<Self>, String), Fault> {
        let Some(folder) = resources else {
            return Err(refused::<Self>(
                "no folder of resources was given, expected the URI of `resources/` of this FMU",
            ));
        };
        let path = folder.join(Self::FILE);
        let bytes = std::fs::read(&path).map_err(|e| refused::<Self>(&format!("`{}`: {e}", path.display())))?;
        Self::shared(&bytes)
    }
}

/// SHA-256, 64 hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

pub(crate) fn refused<T: Stored>(what: &str) -> Fault {
    Fault::Declaration(format!("resource `{}`: {what}", T::FILE))
}
