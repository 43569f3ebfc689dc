//! How a result is shown: tables for a terminal, pictures as SVG and PNG.
//!
//! Nothing here knows a unit or a method. A picture is drawn once, as SVG; the PNG is that same drawing rasterised with a
//! font the program carries, so both look alike and neither needs a font on the machine. A table says the same without
//! colour as with it.

pub mod diagram;
pub mod plot;
pub mod table;

pub use diagram::Diagram;
pub use plot::{Axis, Bars, Chart, Figure, Heat, PlotError, Series};
pub use table::{Align, Listing, Table};
