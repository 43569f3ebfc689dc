//! Headers of a shared library, checked against the length of its file.
//!
//! `dlopen` maps the segments it is told of and touches them; where the file ends before, the process is killed by
//! SIGBUS, which nothing can catch. Only what the loader itself relies on is read here.

/// Says what is wrong with a library of this machine's kind: what was found, what was expected.
pub(super) fn fault(library: &[u8]) -> Option<(String, String)> {
    if cfg!(windows) {
        return (!library.starts_with(b"MZ")).then(|| wrong(library, "a DLL (MZ)"));
    }
    if cfg!(target_vendor = "apple") {
        let known = [[0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE]];
        return (!known.iter().any(|magic| library.starts_with(magic))).then(|| wrong(library, "Mach-O of 64 bits"));
    }
    elf(library).err()
}

fn wrong(library: &[u8], expected: &str) -> (String, String) {
    let start = library.iter().take(4).map(|b| format!("{b:02X}")).collect::<Vec<_>>().join(" ");
    let found = if start.is_empty() { "an empty file".to_owned() } else { format!("{start} at its start") };
    (found, expected.to_owned())
}

/// Offsets of the fields that matter, for one word size (System V ABI, chapters 4 and 5).
struct Layout {
    class: u8,
    header: usize,
    phoff: usize,
    phentsize: usize,
    p_offset: usize,
    p_filesz: usize,
    word: usize,
}

const LAYOUT: Layout = if cfg!(target_pointer_width = "64") {
    Layout { class: 2, header: 64, phoff: 32, phentsize: 54, p_offset: 8, p_filesz: 32, word: 8 }
} else {
    Layout { class: 1, header: 52, phoff: 28, phentsize: 42, p_offset: 4, p_filesz: 16, word: 4 }
};

/// `e_machine` of this machine, where it is one we know.
const MACHINE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
} else if cfg!(target_arch = "x86") {
    Some(3)
} else {
    None
};

fn elf(library: &[u8]) -> Result<(), (String, String)> {
    const PT_LOAD: u64 = 1;
    const PT_DYNAMIC: u64 = 2;
    // The header: there as a whole, and of this machine's word and byte order.
    if !library.starts_with(b"\x7FELF") {
        return Err(wrong(library, "a shared library (ELF)"));
    }
    if library.len() < LAYOUT.header {
        return Err(cut(library.len(), "the header", LAYOUT.header as u64));
    }
    if (library[4], library[5]) != (LAYOUT.class, 1) {
        return Err((
            format!("ELF of class {} and byte order {}", library[4], library[5]),
            format!("class {}, byte order 1", LAYOUT.class),
        ));
    }
    // A shared library for this processor.
    let (kind, machine) = (number(library, 16, 2), number(library, 18, 2));
    if kind != 3 {
        return Err((format!("ELF of type {kind}"), "type 3, a shared library".to_owned()));
    }
    if let Some(expected) = MACHINE.filter(|expected| u64::from(*expected) != machine) {
        return Err((format!("code for machine {machine}"), format!("machine {expected}, this one's")));
    }
    // The table of program headers lies in the file.
    let (start, size) = (number(library, LAYOUT.phoff, LAYOUT.word), number(library, LAYOUT.phentsize, 2));
    let count = number(library, LAYOUT.phentsize + 2, 2);
    let end = start.saturating_add(size.saturating_mul(count));
    if end > library.len() as u64 {
        return Err(cut(library.len(), "the program headers", end));
    }
    // So does every segment that the loader maps or reads.
    let mut is_dynamic = false;
    for index in 0..count {
        // In range: the whole table is.
        let at = (start + index * size) as usize;
        let kind = number(library, at, 4);
        let offset = number(library, at + LAYOUT.p_offset, LAYOUT.word);
        let end = offset.saturating_add(number(library, at + LAYOUT.p_filesz, LAYOUT.word));
        if matches!(kind, PT_LOAD | PT_DYNAMIC) && end > library.len() as u64 {
            return Err(cut(library.len(), &format!("segment {index}"), end));
        }
        is_dynamic |= kind == PT_DYNAMIC;
    }
    // A library without a dynamic segment cannot be loaded.
    if !is_dynamic {
        return Err(("no dynamic segment".to_owned(), "a shared library".to_owned()));
    }
    Ok(())
}

fn cut(length: usize, what: &str, end: u64) -> (String, String) {
    (format!("{length} bytes, which end within {what}"), format!("at least {end} bytes: copy or export it again"))
}

/// A little-endian number of `width` bytes; 0 beyond the end.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let field = bytes.get(at..at.saturating_add(width)).unwrap_or_default();
    field.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::fault;

    /// A library that is on every machine these tests run on.
    fn library() -> Vec<u8> {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the maps of this process");
        let path = maps.split_whitespace().find(|word| word.contains("libc.so")).expect("a C library").to_owned();
        std::fs::read(path).expect("its bytes")
    }

    #[test]
    fn a_whole_library_passes_and_every_cut_one_does_not() {
        let library = library();
        assert_eq!(fault(&library), None);
        for length in [0, 3, 40, 64, 100, library.len() / 2] {
            assert!(fault(&library[..length]).is_some(), "{length}");
        }
    }

    #[test]
    fn another_kind_of_file_is_named() {
        let mut library = library();
        library[18] = 40;
        assert_eq!(fault(&library).map(|f| f.0).as_deref(), Some("code for machine 40"));
        assert_eq!(fault(b"#!/bin/sh").map(|f| f.0).as_deref(), Some("23 21 2F 62 at its start"));
    }
}
