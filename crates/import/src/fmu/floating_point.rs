//! The floating-point environment of a thread: rounding mode, flushing of denormal numbers to zero, exceptions that trap.
//!
//! A slave may change it: by `fesetround`, by a library that was compiled for fast mathematics, by traps it sets for itself.
//! What it leaves behind would change the arithmetic of the master and of all other slaves on the thread. So after each call
//! the control bits are compared with those of IEEE 754's default (round to nearest, denormal numbers kept, nothing traps),
//! and restored where they differ. The flags that only report (inexact, underflow, …) are left alone.
//!
//! A slave therefore finds the default environment in each of its calls, in this process as in one of its own.
//!
//! Reading MXCSR takes about 4 ns, the x87 control word less than 1 ns. `fesetround` changes both, so after setting and
//! getting values only the latter is read; what such a call did to MXCSR alone is found after the next step.
//!
//! The precision of the x87 unit is left alone on Windows: each library built by mingw sets it to 64 bits as it is loaded,
//! the system starts with 53.
//!
//! Registers: MXCSR and the x87 control word (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
//! sections 8.1.5 and 10.2.3), FPCR (Arm Architecture Reference Manual, D24.2). On other processors nothing is compared.

pub(super) use registers::{changed, restore, rounding_changed};

#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::asm;

    /// MXCSR without its flags: all exceptions masked, round to nearest, denormal numbers kept.
    const MXCSR: u32 = 0x1f80;
    const MXCSR_CONTROL: u32 = 0xffc0;
    /// The x87 control word's masks of exceptions, its rounding and, but on Windows, its precision.
    const X87: u16 = 0x033f & X87_CONTROL;
    const X87_CONTROL: u16 = if cfg!(windows) { 0x0c3f } else { 0x0f3f };

    fn mxcsr() -> u32 {
        let mut value = 0_u32;
        // SAFETY: stores four bytes where a number of four bytes is; every processor of this architecture has the register.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
        value
    }

    fn x87() -> u16 {
        let mut value = 0_u16;
        // SAFETY: stores two bytes where a number of two bytes is, without waiting for pending exceptions.
        unsafe { asm!("fnstcw [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
        value
    }

    /// Whether it is not the default.
    #[inline(always)]
    pub fn changed() -> bool {
        (mxcsr() & MXCSR_CONTROL != MXCSR) | (x87() & X87_CONTROL != X87)
    }

    /// Whether its rounding, or what traps, is not the default, by the register that is read fast.
    #[inline(always)]
    pub fn rounding_changed() -> bool {
        x87() & X87_CONTROL != X87
    }

    /// Makes it the default.
    pub fn restore() {
        let mxcsr = (mxcsr() & !MXCSR_CONTROL) | MXCSR;
        let x87 = (x87() & !X87_CONTROL) | X87;
        // SAFETY: loads control bits that every processor of this architecture has and that mask all exceptions, so that
        // flags already raised trap nowhere. Rust assumes just this environment; what was computed before in the other one
        // are numbers of the slave.
        unsafe {
            asm!("fnclex", "fldcw [{}]", in(reg) &raw const x87, options(nostack));
            asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod registers {
    use std::arch::asm;

    /// Whether it is not the default, which is 0.
    #[inline(always)]
    pub fn changed() -> bool {
        let value: u64;
        // SAFETY: reads a register that every processor of this architecture lets a program read.
        unsafe { asm!("mrs {}, fpcr", out(reg) value, options(nomem, nostack, preserves_flags)) };
        value != 0
    }

    /// The same: there is one register.
    #[inline(always)]
    pub fn rounding_changed() -> bool {
        changed()
    }

    /// Makes it the default.
    pub fn restore() {
        // SAFETY: 0 is the default of IEEE 754, which Rust assumes; no exception traps.
        unsafe { asm!("msr fpcr, xzr", options(nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod registers {
    /// Never.
    #[inline(always)]
    pub fn changed() -> bool {
        false
    }

    /// Never.
    #[inline(always)]
    pub fn rounding_changed() -> bool {
        false
    }

    /// Does nothing.
    pub fn restore() {}
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::arch::asm;

    fn load(mxcsr: u32) {
        // SAFETY: control bits every processor has; a rounding mode, or denormal numbers as zero.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack)) };
    }

    #[test]
    fn control_bits_are_restored_and_flags_are_not_looked_at() {
        restore();
        assert!(!changed());
        // Rounding up, towards zero; denormal numbers as zero, results to zero; a trap.
        for bits in [0x1f80 | 0x4000, 0x1f80 | 0x6000, 0x1f80 | 0x0040, 0x1f80 | 0x8000, 0x1f80 & !0x0200] {
            load(bits);
            let found = changed();
            restore();
            assert!(found && !changed(), "{bits:#x}");
        }
        load(0x1f80 | 0x003f);
        assert!(!changed(), "flags that only report");
        let precision = (!cfg!(windows)).then_some(0x007f_u16);
        for word in [0x0b7f].into_iter().chain(precision) {
            // SAFETY: another rounding, another precision of the x87 unit, which Rust does not use.
            unsafe { asm!("fldcw [{}]", in(reg) &raw const word, options(nostack)) };
            let found = changed();
            restore();
            assert!(found && !changed(), "{word:#x}");
        }
    }
}
