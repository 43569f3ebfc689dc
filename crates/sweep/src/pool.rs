//! A *pool* of workers: each free worker takes the next item, and results come back in the order of the items, with any
//! number of workers.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far a worker may be ahead of the first result that is missing, in items for each worker.
const AHEAD: u64 = 256;

/// What the workers share.
struct Desk<I, R, F> {
    items: I,
    /// Number of the item that is taken next.
    next: u64,
    /// Number of the result that is wanted next.
    wanted: u64,
    /// Results that came before their turn.
    early: BTreeMap<u64, R>,
    sink: F,
    /// The sink wants no more, or a worker is gone.
    is_over: bool,
}

/// Leaves nobody waiting where the work of a thread ends by a panic.
struct Farewell<'d, I, R, F>(&'d Mutex<Desk<I, R, F>>, &'d Condvar);

impl<I, R, F> Drop for Farewell<'_, I, R, F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            locked(self.0).is_over = true;
            self.1.notify_all();
        }
    }
}

/// Works on all items, each worker with a state of its own; `sink` gets results in the order of the items and says whether more are
/// wanted.
pub fn each<S: Send, T: Send, R: Send>(
    workers: &mut [S],
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut S, &T) -> R + Sync,
    sink: impl FnMut(T, R) -> bool + Send,
) {
    let ahead = AHEAD * workers.len() as u64;
    let desk = Mutex::new(Desk { items, next: 0, wanted: 0, early: BTreeMap::new(), sink, is_over: false });
    let moved = Condvar::new();
    let one = |state: &mut S| {
        let _farewell = Farewell(&desk, &moved);
        loop {
            // The next item, unless results wait for somebody slow.
            let (number, item) = {
                let mut desk = locked(&desk);
                while desk.next >= desk.wanted + ahead && !desk.is_over {
                    desk = moved.wait(desk).unwrap_or_else(PoisonError::into_inner);
                }
                if desk.is_over {
                    return;
                }
                let Some(item) = desk.items.next() else { return };
                desk.next += 1;
                (desk.next - 1, item)
            };
            let result = work(state, &item);
            // Hands over all results whose turn it is.
            let mut desk = locked(&desk);
            desk.early.insert(number, (item, result));
            let Desk { early, wanted, sink, is_over, .. } = &mut *desk;
            while let Some((item, result)) = early.remove(wanted).filter(|_| !*is_over) {
                *is_over = !sink(item, result);
                *wanted += 1;
            }
            moved.notify_all();
        }
    };
    match workers {
        [only] => one(only),
        _ => std::thread::scope(|scope| {
            for state in workers {
                scope.spawn(|| one(state));
            }
        }),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_come_in_order_and_end_when_told() {
        for workers in [1, 2, 7] {
            let mut seen = Vec::new();
            let slow = |_: &mut (), i: &u64| {
                std::thread::sleep(std::time::Duration::from_micros(i % 7 * 50));
                i * i
            };
            each(&mut vec![(); workers], 0..2000u64, slow, |i, square| {
                seen.push((i, square));
                i < 1500
            });
            assert_eq!(seen.len(), 1501);
            assert!(seen.iter().enumerate().all(|(n, (i, square))| *i == n as u64 && *square == i * i));
        }
    }
}
