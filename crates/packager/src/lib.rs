#![doc = include_str!("../README.md")]
//!
//! Makes an FMU: a description, libraries and documentation become one archive (FMI 2.0.5, section 2.3).
//!
//! ```text
//! modelDescription.xml                  first, so that it is found without reading the rest
//! binaries/linux64/NAME.so              one folder a platform
//! documentation/index.html              equations, and tables made from the description
//! documentation/licenses/*.txt
//! documentation/reference.csv           reference results, where there are some
//! model.png                             a block with the inputs and outputs of the model
//! resources/                            there even when empty: masters pass its path on
//! ```
//!
//! The archive of FMI 3.0 has its own names of platforms (`binaries/x86_64-linux/`), and the picture in `documentation/`.
//!
//! The same input gives the same bytes: entries are sorted, every time stamp is that of 1980-01-01, and nothing of the
//! machine goes in.

mod archive;
mod canvas;
mod error;
mod fmi;
mod merge;
mod package;
mod page;
mod picture;
mod platform;

pub use error::PackError;
pub use fmi::Fmi;
pub use merge::{combine, merge};
pub use package::{Library, Package, libraries};
pub use platform::Platform;
