//! Reading and writing `modelDescription.xml`.

mod arrays;
mod guid;
mod hostile;
mod round_trip;
mod sample;
mod structure;
mod three;
mod tolerant;
