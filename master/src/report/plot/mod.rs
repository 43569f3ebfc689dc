//! Pictures: charts of lines and points, bars, heat maps, alone or as small multiples.
//!
//! A [`Figure`] is panels on a grid; a panel is a [`Chart`], [`Bars`] or a [`Heat`] map. All of them draw into one SVG text.
//! The text is written to a file as it is, and rasterised for the PNG, so there is one drawing and one look.
//!
//! * Colours are those of Okabe and Ito, which stay apart for colour-blind readers; dashes and marks tell lines apart
//!   without any colour.
//! * Legends stand above the plot area, never on the data.
//! * A line of more points than pixels is drawn through the first, lowest, highest and last point of each pixel column: the
//!   picture is that of the full line, the file small.
//! * On a logarithmic axis a value at or below 0 leaves a gap.

mod axis;
mod bars;
pub(super) mod canvas;
mod chart;
mod figure;
pub(super) mod font;
mod frame;
mod heat;
pub(super) mod palette;
mod series;

pub use axis::Axis;
pub use bars::Bars;
pub use chart::Chart;
pub use figure::{Figure, Panel, PlotError};
pub(super) use figure::rasterise;
pub use heat::Heat;
pub use series::Series;
