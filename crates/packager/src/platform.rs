//! Platforms: their folders, file names and how to tell a library of one.

use std::fmt;

/// A platform an FMU can hold a library for (FMI 2.0.5, section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the folder names of the standard
pub enum Platform {
    Darwin64,
    Linux32,
    Linux64,
    Win32,
    Win64,
    /// Not of FMI 2.0; named as FMI 3.0 does.
    Aarch64Linux,
}

impl Platform {
    /// All of them.
    pub const ALL: [Platform; 6] = [
        Platform::Darwin64,
        Platform::Linux32,
        Platform::Linux64,
        Platform::Win32,
        Platform::Win64,
        Platform::Aarch64Linux,
    ];

    /// The platform of a Rust target triple such as `x86_64-unknown-linux-gnu`; `None` for one FMI does not know.
    pub fn of_target(triple: &str) -> Option<Platform> {
        let arch = triple.split('-').next().unwrap_or_default();
        let is = |part: &str| triple.split('-').any(|p| p == part);
        match arch {
            // One folder for both: libraries for macOS are often universal.
            "x86_64" | "aarch64" if is("darwin") => Some(Platform::Darwin64),
            "x86_64" if is("linux") => Some(Platform::Linux64),
            "aarch64" if is("linux") => Some(Platform::Aarch64Linux),
            "i586" | "i686" if is("linux") => Some(Platform::Linux32),
            "x86_64" if is("windows") => Some(Platform::Win64),
            "i586" | "i686" if is("windows") => Some(Platform::Win32),
            _ => None,
        }
    }

    /// The platform this program runs on.
    pub fn here() -> Option<Platform> {
        let arch = match std::env::consts::ARCH {
            "x86" => "i686",
            other => other,
        };
        let system = match std::env::consts::OS {
            "macos" => "darwin",
            other => other,
        };
        Platform::of_target(&format!("{arch}-{system}"))
    }

    /// Name of its folder in `binaries/`.
    pub fn folder(self) -> &'static str {
        match self {
            Platform::Darwin64 => "darwin64",
            Platform::Linux32 => "linux32",
            Platform::Linux64 => "linux64",
            Platform::Win32 => "win32",
            Platform::Win64 => "win64",
            Platform::Aarch64Linux => "aarch64-linux",
        }
    }

    /// File extension of a library.
    pub fn suffix(self) -> &'static str {
        match self {
            Platform::Darwin64 => ".dylib",
            Platform::Linux32 | Platform::Linux64 | Platform::Aarch64Linux => ".so",
            Platform::Win32 | Platform::Win64 => ".dll",
        }
    }

    /// Path of a library in the archive.
    pub fn path(self, model_identifier: &str) -> String {
        format!("binaries/{}/{model_identifier}{}", self.folder(), self.suffix())
    }

    /// What its libraries begin with, in words.
    pub(crate) fn magic(self) -> &'static str {
        match self {
            Platform::Darwin64 => "Mach-O",
            Platform::Linux32 => "ELF, 32 bits, machine 3",
            Platform::Linux64 => "ELF, 64 bits, machine 62",
            Platform::Aarch64Linux => "ELF, 64 bits, machine 183",
            Platform::Win32 | Platform::Win64 => "MZ",
        }
    }

    /// Whether these bytes can be a library for it.
    pub(crate) fn fits(self, library: &[u8]) -> bool {
        match self {
            Platform::Linux32 => is_elf(library, 1, 3),
            Platform::Linux64 => is_elf(library, 2, 62),
            Platform::Aarch64Linux => is_elf(library, 2, 183),
            Platform::Win32 | Platform::Win64 => library.starts_with(b"MZ"),
            Platform::Darwin64 => {
                [[0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE]].iter().any(|magic| library.starts_with(magic))
            }
        }
    }
}

/// Class 1 is 32 bits, 2 is 64; the machine stands at offset 18.
fn is_elf(library: &[u8], class: u8, machine: u16) -> bool {
    library.starts_with(&[0x7F, b'E', b'L', b'F', class]) && library.get(18..20) == Some(&machine.to_le_bytes())
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.folder())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_their_folders() {
        let path = |triple| Platform::of_target(triple).map(|p| p.path("m"));
        assert_eq!(path("x86_64-unknown-linux-gnu").as_deref(), Some("binaries/linux64/m.so"));
        assert_eq!(path("x86_64-unknown-linux-musl").as_deref(), Some("binaries/linux64/m.so"));
        assert_eq!(path("x86_64-pc-windows-msvc").as_deref(), Some("binaries/win64/m.dll"));
        assert_eq!(path("i686-pc-windows-gnu").as_deref(), Some("binaries/win32/m.dll"));
        assert_eq!(path("aarch64-apple-darwin").as_deref(), Some("binaries/darwin64/m.dylib"));
        assert_eq!(path("wasm32-unknown-unknown"), None);
    }
}
