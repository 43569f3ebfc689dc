//! Compact storage of a reduced body and its hash.
//!
//! Layout: eight bytes `FLEXBODY`, a version (u16, little endian), then the body in postcard encoding. The hash is
//! SHA-256 over all of it.

use super::FlexibleBody;
use crate::Error;
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"FLEXBODY";
const VERSION: u16 = 1;

impl FlexibleBody {
    /// The stored form.
    ///
    /// # Errors
    /// [`Error::Stored`] when the encoder fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        postcard::to_extend(self, bytes).map_err(|e| Error::Stored(e.to_string()))
    }

    /// Reads the stored form and checks that its parts fit together.
    ///
    /// # Errors
    /// [`Error::Stored`] for other data, another version or inconsistent sizes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let refuse = |what: &str| Err(Error::Stored(what.into()));
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return refuse("does not begin with `FLEXBODY`");
        };
        let Some((version, rest)) = rest.split_first_chunk::<2>() else {
            return refuse("ends before the version");
        };
        let version = u16::from_le_bytes(*version);
        if version != VERSION {
            return Err(Error::Stored(format!("version {version}, expected {VERSION}")));
        }
        let (body, left): (Self, _) = postcard::take_from_bytes(rest).map_err(|e| Error::Stored(e.to_string()))?;
        if !left.is_empty() {
            return Err(Error::Stored(format!("{} bytes after the end", left.len())));
        }
        let n = body.modes();
        let fits = body.first_moments.len() == n + 1
            && body.second_moments.len() == 9 * (n + 1) * (n + 1)
            && body.gyroscopic.len() == 3 * n * n
            && body.damping.len() == n
            && body.reference < body.connectors.len()
            && body.connectors.iter().all(|c| c.translation.len() == n && c.rotation.len() == n);
        if fits { Ok(body) } else { refuse("sizes of its parts do not fit together") }
    }

    /// SHA-256 of the stored form, 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`Error::Stored`] when the encoder fails.
    pub fn hash(&self) -> Result<String, Error> {
        let digest = Sha256::digest(self.to_bytes()?);
        Ok(digest.iter().map(|b| format!("{b:02x}")).collect())
    }
}
