//! What differs between archives of FMI 2.0 and of FMI 3.0 (FMI 3.0.2, section 2.5).

use crate::Platform;

/// A version of FMI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fmi {
    /// 2.0.
    #[default]
    Two,
    /// 3.0.
    Three,
}

impl Fmi {
    /// Path of a library in the archive. FMI 3.0 tells the processors of macOS apart, which stand in the library; one for both is named by the first.
    pub(crate) fn path(self, platform: Platform, model_identifier: &str, library: &[u8]) -> String {
        const ARM64: [u8; 4] = 0x0100_000C_u32.to_le_bytes();
        let folder = match (self, platform) {
            (Fmi::Two, _) => return platform.path(model_identifier),
            (Fmi::Three, Platform::Darwin64) if library.get(4..8) == Some(&ARM64) => "aarch64-darwin",
            (Fmi::Three, Platform::Darwin64) => "x86_64-darwin",
            (Fmi::Three, Platform::Linux32) => "x86-linux",
            (Fmi::Three, Platform::Linux64) => "x86_64-linux",
            (Fmi::Three, Platform::Win32) => "x86-windows",
            (Fmi::Three, Platform::Win64) => "x86_64-windows",
            (Fmi::Three, Platform::Aarch64Linux) => "aarch64-linux",
        };
        format!("binaries/{folder}/{model_identifier}{}", platform.suffix())
    }

    /// Path of the picture: in FMI 3.0 an icon at the root needs a file of terminals beside it, so it is a part of the documentation.
    pub(crate) fn picture(self) -> &'static str {
        match self {
            Fmi::Two => "model.png",
            Fmi::Three => "documentation/model.png",
        }
    }
}
