//! Reading and writing `modelDescription.xml`.

mod hostile;
mod round_trip;
mod sample;
mod tolerant;
