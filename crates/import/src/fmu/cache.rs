//! FMUs already open in this process, by their content.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{LazyLock, Mutex, PoisonError, Weak};

use super::open::Shared;

/// A hash under a key drawn for this process, which nobody sees: nobody can prepare two archives that share it.
type Key = (u64, usize);

struct Cache {
    key: RandomState,
    // A tree: valgrind takes what hangs on a hash table for lost, which points into the middle of its memory.
    open: BTreeMap<Key, Weak<Shared>>,
}

static CACHE: LazyLock<Mutex<Cache>> =
    LazyLock::new(|| Mutex::new(Cache { key: RandomState::new(), open: BTreeMap::new() }));

/// What is open for these bytes, or what `make` makes of them. One at a time, so that two threads that open the same
/// FMU unpack it once.
pub(super) fn shared<E>(
    bytes: &[u8],
    make: impl FnOnce() -> Result<std::sync::Arc<Shared>, E>,
) -> Result<std::sync::Arc<Shared>, E> {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (cache.key.hash_one(bytes), bytes.len());
    if let Some(known) = cache.open.get(&key).and_then(Weak::upgrade) {
        return Ok(known);
    }
    let made = make()?;
    cache.open.retain(|_, shared| shared.strong_count() > 0);
    cache.open.insert(key, std::sync::Arc::downgrade(&made));
    Ok(made)
}
