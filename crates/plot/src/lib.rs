#![doc = include_str!("../README.md")]
//!
//! Output of results: tables for a terminal, pictures as SVG and PNG, pages as HTML.
//!
//! Nothing here knows a unit or a method. A picture is drawn once; SVG and PNG (feature `png`) are written
//! from that same drawing, the PNG with a font the program carries, so both look alike and neither needs a font on the machine. A table says the
//! same without colour as with it.
//!
//! A [`Figure`] is panels on a grid; a panel is a [`Chart`], [`Bars`], a [`Heat`] map or [`Parallel`] coordinates. All of them draw into one list of elements.
//! A [`Diagram`] is blocks joined by arrows.
//!
//! * Colours are those of Okabe and Ito, which stay apart for colour-blind readers; dashes and marks tell lines apart
//!   without any colour.
//! * Legends stand above the plot area, never on the data.
//! * A line of more points than pixels is drawn through the first, lowest, highest and last point of each pixel column: the
//!   picture is that of the full line, the file small.
//! * On a logarithmic axis a value at or below 0 leaves a gap.

mod axis;
mod bars;
mod canvas;
mod chart;
mod figure;
mod font;
mod frame;
mod heat;
mod palette;
mod parallel;
mod raster;
mod series;

pub mod diagram;
pub mod page;
pub mod table;

pub use axis::Axis;
pub use bars::Bars;
pub use chart::Chart;
pub use diagram::Diagram;
pub use figure::{Figure, Panel, PlotError};
pub use heat::Heat;
pub use page::Page;
pub use parallel::Parallel;
pub use series::Series;
pub use table::{Listing, Table};
