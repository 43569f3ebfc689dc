//! What the targets that call C functions share: values made of the input, and lists with guards.

/// What is left of the input.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number that matters: exact ones, those at the edges, or any.
    pub fn real(&mut self) -> f64 {
        match self.byte() {
            0 => 0.0,
            1 => 1e-3,
            2 => -1.0,
            3 => f64::NAN,
            4 => f64::INFINITY,
            5 => 1e300,
            6 => f64::from(self.byte()) * 1e-2,
            7 => f64::from_le_bytes(std::array::from_fn(|_| self.byte())),
            n => f64::from(n) * 1e-3,
        }
    }

    /// References, most of which exist.
    pub fn refs(&mut self) -> Vec<u32> {
        let n = usize::from(self.byte() % 5);
        (0..n).map(|_| if self.byte() == 255 { u32::MAX } else { u32::from(self.byte() % 48) }).collect()
    }
}

/// Values between two that nobody may touch.
pub fn guarded<T: Copy + PartialEq + std::fmt::Debug>(n: usize, guard: T, get: impl FnOnce(*mut T) -> i32) -> i32 {
    let mut values = vec![guard; n + 2];
    let status = get(values[1..].as_mut_ptr());
    assert_eq!((values[0], values[n + 1]), (guard, guard), "written outside the list");
    status
}
