//! The library of every exported system: a scenario from `resources/` behind the C functions of FMI 2.0.
//! Everything is declared in `macrostep_container`; this crate only exports it.

use macrostep_container::Container;

macrostep_export::export_fmu!(Container);
