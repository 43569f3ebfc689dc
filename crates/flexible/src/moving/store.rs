//! Compact storage of a reduced body and its hash.
//!
//! Layout: eight bytes `FLEXBODY`, a version (u16, little endian), then the body in postcard encoding; in version 2 the
//! geometric stiffness follows, which version 1 does not have. The hash is SHA-256 over all of it.

use super::FlexibleBody;
use crate::Error;
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"FLEXBODY";
const VERSION: u16 = 1;
const STIFFENED: u16 = 2;

impl FlexibleBody {
    /// The stored form.
    ///
    /// # Errors
    /// [`Error::Stored`] when the encoder fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = MAGIC.to_vec();
        let failed = |e: postcard::Error| Error::Stored(e.to_string());
        let version = if self.geometric.is_some() { STIFFENED } else { VERSION };
        bytes.extend(version.to_le_bytes());
        let bytes = postcard::to_extend(self, bytes).map_err(failed)?;
        match &self.geometric {
            Some(geometric) => postcard::to_extend(geometric, bytes).map_err(failed),
            None => Ok(bytes),
        }
    }

    /// Reads the stored form and checks that its parts fit together.
    ///
    /// # Errors
    /// [`Error::Stored`] for other data, another version or inconsistent sizes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        // Magic and version.
        let refuse = |what: &str| Err(Error::Stored(what.into()));
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return refuse("does not begin with `FLEXBODY`");
        };
        let Some((version, rest)) = rest.split_first_chunk::<2>() else {
            return refuse("ends before the version");
        };
        let version = u16::from_le_bytes(*version);
        if version != VERSION && version != STIFFENED {
            return Err(Error::Stored(format!("version {version}, expected {VERSION} or {STIFFENED}")));
        }
        // The body, what version 2 has behind it, and nothing more.
        let failed = |e: postcard::Error| Error::Stored(e.to_string());
        let (mut body, mut left): (Self, _) = postcard::take_from_bytes(rest).map_err(failed)?;
        if version == STIFFENED {
            let (geometric, behind) = postcard::take_from_bytes(left).map_err(failed)?;
            (body.geometric, left) = (Some(geometric), behind);
        }
        if !left.is_empty() {
            return Err(Error::Stored(format!("{} bytes after the end", left.len())));
        }
        // Sizes are checked here, so that calculations may index without.
        let n = body.modes();
        let fits = body.first_moments.len() == n + 1
            && body.second_moments.len() == 9 * (n + 1) * (n + 1)
            && body.gyroscopic.len() == 3 * n * n
            && body.damping.len() == n
            && body.reference < body.connectors.len()
            && body.connectors.iter().all(|c| c.translation.len() == n && (c.rotation.len() == n || c.is_point()))
            && body.geometric.as_ref().is_none_or(|g| g.fits(n, body.connectors.len()));
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
