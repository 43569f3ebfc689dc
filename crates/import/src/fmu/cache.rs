//! FMUs already open in this process, by their content, or by where it stands if it stays there.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::open::Shared;

/// What tells an archive from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// A hash under a key drawn for this process, which nobody sees, and the length: nobody can prepare two archives that share both.
    Content(u64, usize),
    /// Address and length, where the bytes live as long as the process.
    Place(usize, usize),
}

struct Cache {
    key: RandomState,
    // A tree: valgrind takes what hangs on a hash table for lost, which points into the middle of its memory.
    open: BTreeMap<Key, Weak<Shared>>,
}

static CACHE: LazyLock<Mutex<Cache>> =
    LazyLock::new(|| Mutex::new(Cache { key: RandomState::new(), open: BTreeMap::new() }));

/// What is open for these bytes, or what `make` makes of them. One at a time, so that two threads that open the same
/// FMU unpack it once.
pub(super) fn shared<E>(bytes: &[u8], make: impl FnOnce() -> Result<Arc<Shared>, E>) -> Result<Arc<Shared>, E> {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = Key::Content(cache.key.hash_one(bytes), bytes.len());
    cache.shared(key, make)
}

/// As [`shared`] for bytes that are part of the process, without a look at each of them.
pub(super) fn carried<E>(
    bytes: &'static [u8],
    make: impl FnOnce() -> Result<Arc<Shared>, E>,
) -> Result<Arc<Shared>, E> {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    cache.shared(Key::Place(bytes.as_ptr().addr(), bytes.len()), make)
}

impl Cache {
    fn shared<E>(&mut self, key: Key, make: impl FnOnce() -> Result<Arc<Shared>, E>) -> Result<Arc<Shared>, E> {
        if let Some(known) = self.open.get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let made = make()?;
        self.open.retain(|_, shared| shared.strong_count() > 0);
        self.open.insert(key, Arc::downgrade(&made));
        Ok(made)
    }
}
