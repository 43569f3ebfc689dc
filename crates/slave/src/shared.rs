//! Values that never change, one for all instances in a process that need the same.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Fault;

/// A type, and what a value of it is made of.
type Key = (TypeId, String);

/// A value of any type.
type Value = Arc<dyn Any + Send + Sync>;

/// How a value is made where no other instance holds it.
type Make<'a> = Box<dyn FnOnce() -> Result<Value, Fault> + 'a>;

/// A value and how many instances hold it.
struct Entry {
    value: Value,
    holders: usize,
}

/// What instances hold now. A value goes with the last instance that holds it, and all memory of this map with the last
/// value: nobody frees it when the library is unloaded.
static HELD: Mutex<BTreeMap<Key, Entry>> = Mutex::new(BTreeMap::new());

fn held() -> MutexGuard<'static, BTreeMap<Key, Entry>> {
    // What a panic while a value was made left behind is whole: nothing is entered before.
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value that never changes, held by every instance that needs the same.
#[derive(Debug)]
pub struct Shared<T: Any + Send + Sync> {
    value: Arc<T>,
    /// Its place in [`HELD`]; `None` where it is not entered.
    key: Option<Key>,
}

/// The value of type `T` with this key: the one another instance holds, or a new one. `key` must say everything the value
/// depends on, and `make` must not ask for another shared value.
///
/// # Errors
/// Those of `make`.
pub fn shared<T, F>(key: &str, make: F) -> Result<Shared<T>, Fault>
where
    T: Any + Send + Sync,
    F: FnOnce() -> Result<T, Fault>,
{
    let key = (TypeId::of::<T>(), key.to_owned());
    let made: Make<'_> = Box::new(|| Ok(Arc::new(make()?)));
    let value = entered(&key, made)?.downcast::<T>();
    let value = value.map_err(|_| Fault::Declaration("a shared value has another type than its key says".into()))?;
    Ok(Shared { value, key: Some(key) })
}

/// The value at a key, with a holder more. It is compiled once, and not for every type of value.
fn entered(key: &Key, make: Make<'_>) -> Result<Value, Fault> {
    let mut held = held();
    // Another instance holds it.
    if let Some(entry) = held.get_mut(key) {
        entry.holders += 1;
        return Ok(Arc::clone(&entry.value));
    }
    // A new one.
    let value = make()?;
    held.insert(key.clone(), Entry { value: Arc::clone(&value), holders: 1 });
    Ok(value)
}

impl<T: Any + Send + Sync> From<T> for Shared<T> {
    /// A value that no other instance finds.
    fn from(value: T) -> Shared<T> {
        Shared { value: Arc::new(value), key: None }
    }
}

impl<T: Any + Send + Sync> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Any + Send + Sync> Drop for Shared<T> {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            release(key);
        }
    }
}

/// One holder of a value less. It is compiled once, and not for every type of value.
fn release(key: &Key) {
    let mut held = held();
    if let Some(entry) = held.get_mut(key) {
        entry.holders -= 1;
        if entry.holders == 0 {
            held.remove(key);
        }
    }
    // An empty map keeps room for entries to come.
    if held.is_empty() {
        *held = BTreeMap::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_a_key_and_none_after_the_last_holder() {
        let first = shared("shared test", || Ok(vec![1.0_f64])).unwrap();
        let second = shared("shared test", || Ok(vec![2.0_f64])).unwrap();
        assert!(Arc::ptr_eq(&first.value, &second.value));
        assert_eq!(*shared("another", || Ok(vec![3.0_f64])).unwrap(), [3.0]);
        assert_eq!(*shared("shared test", || Ok(7_u64)).unwrap(), 7);
        drop(first);
        assert_eq!(*shared("shared test", || Ok(vec![4.0_f64])).unwrap(), [1.0]);
        drop(second);
        assert_eq!(*shared("shared test", || Ok(vec![5.0_f64])).unwrap(), [5.0]);
        assert!(shared::<u8, _>("fails", || Err(Fault::Declaration("no".into()))).is_err());
        assert!(!held().keys().any(|(_, key)| key == "shared test" || key == "fails"));
    }
}
