//! What the packager and the master know of a model.

use macrostep_description::ModelDescription;
use macrostep_slave::Slave;

/// One model: how to describe, document and instantiate it.
#[derive(Debug, Clone, Copy)]
pub struct ModelEntry {
    /// `modelIdentifier`: name of the library, the package and the FMU.
    pub identifier: &'static str,
    describe: fn() -> ModelDescription,
    instantiate: fn(&str) -> Box<dyn Slave>,
    documentation: fn() -> String,
}

impl ModelEntry {
    /// The declaration, as `modelDescription.xml` shall say it.
    pub fn describe(&self) -> ModelDescription {
        (self.describe)()
    }

    /// A native instance of the very code that stands in the FMU.
    pub fn instantiate(&self, instance_name: &str) -> Box<dyn Slave> {
        (self.instantiate)(instance_name)
    }

    /// The equations as the body of an HTML page (headings, paragraphs, preformatted formulas; no `html` or `body`
    /// element), for `documentation/index.html`.
    pub fn documentation_html(&self) -> String {
        (self.documentation)()
    }
}
