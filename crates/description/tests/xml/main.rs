//! Reading and writing `modelDescription.xml`.

mod guid;
mod hostile;
mod round_trip;
mod sample;
mod three;
mod tolerant;
