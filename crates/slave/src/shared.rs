//! Values that never change, one for all instances in a process that need the same.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::Fault;

/// What instances hold now, by type and key. A value goes with the last instance that holds it.
static HELD: Mutex<BTreeMap<(TypeId, String), Weak<dyn Any + Send + Sync>>> = Mutex::new(BTreeMap::new());

/// The value of type `T` with this key: the one another instance holds, or a new one. `key` must say everything the value
/// depends on, and `make` must not ask for another shared value.
///
/// # Errors
/// Those of `make`.
pub fn shared<T, F>(key: &str, make: F) -> Result<Arc<T>, Fault>
where
    T: Any + Send + Sync,
    F: FnOnce() -> Result<T, Fault>,
{
    let key = (TypeId::of::<T>(), key.to_owned());
    // What a panic in `make` left behind is whole: nothing is entered before it returns.
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let found = held.get(&key).and_then(Weak::upgrade).and_then(|any| any.downcast::<T>().ok());
    if let Some(found) = found {
        return Ok(found);
    }
    let made = Arc::new(make()?);
    let any: Arc<dyn Any + Send + Sync> = Arc::<T>::clone(&made);
    held.retain(|_, value| value.strong_count() > 0);
    held.insert(key, Arc::downgrade(&any));
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_a_key_and_none_after_the_last_holder() {
        let first = shared("shared test", || Ok(vec![1.0_f64])).unwrap();
        let second = shared("shared test", || Ok(vec![2.0_f64])).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(*shared("another", || Ok(vec![3.0_f64])).unwrap(), [3.0]);
        assert_eq!(*shared("shared test", || Ok(7_u64)).unwrap(), 7);
        drop((first, second));
        assert_eq!(*shared("shared test", || Ok(vec![4.0_f64])).unwrap(), [4.0]);
        assert!(shared::<u8, _>("fails", || Err(Fault::Declaration("no".into()))).is_err());
    }
}
