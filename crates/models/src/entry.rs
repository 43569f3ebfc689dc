//! The part of a model that the packager and the master use.

use macrostep_description::ModelDescription;
use macrostep_slave::{Equations, Fault, Instance, Model, Ode, Slave};

/// One model: how to describe, document and instantiate it.
#[derive(Debug, Clone, Copy)]
pub struct ModelEntry {
    /// `modelIdentifier`: name of the library, the package and the FMU.
    pub identifier: &'static str,
    describe: fn() -> Result<ModelDescription, Fault>,
    instantiate: fn(&str) -> Result<Box<dyn Slave>, Fault>,
    documentation: fn() -> String,
    /// Files of the FMU's resources: name and content.
    pub resources: &'static [(&'static str, &'static [u8])],
}

impl ModelEntry {
    /// The entry of a model given by equations.
    pub fn of<E: Equations>() -> ModelEntry {
        ModelEntry::of_model::<Ode<E>>(E::IDENTIFIER, E::documentation_html)
    }

    /// The entry of any model that needs no resources.
    pub fn of_model<M: Model>(identifier: &'static str, documentation: fn() -> String) -> ModelEntry {
        ModelEntry {
            identifier,
            describe: || Instance::<M>::describe(None),
            instantiate: |name| Ok(Box::new(Instance::<M>::new(name, None)?)),
            documentation,
            resources: &[],
        }
    }

    /// The entry of a model that is declared from these resources; `describe` and `instantiate` use the same.
    pub fn of_resources(
        identifier: &'static str,
        describe: fn() -> Result<ModelDescription, Fault>,
        instantiate: fn(&str) -> Result<Box<dyn Slave>, Fault>,
        documentation: fn() -> String,
        resources: &'static [(&'static str, &'static [u8])],
    ) -> ModelEntry {
        ModelEntry { identifier, describe, instantiate, documentation, resources }
    }

    /// The declaration, as `modelDescription.xml` shall say it.
    ///
    /// # Errors
    /// [`Fault::Declaration`]; never for the models of [`crate::all`], which are tested.
    pub fn try_describe(&self) -> Result<ModelDescription, Fault> {
        (self.describe)()
    }

    /// The declaration, as `modelDescription.xml` shall say it.
    ///
    /// # Panics
    /// If the declaration is illegal; never for the models of [`crate::all`], which are tested.
    pub fn describe(&self) -> ModelDescription {
        self.try_describe().unwrap_or_else(|fault| panic!("model `{}`: {fault}", self.identifier))
    }

    /// A native instance of the same code as in the FMU.
    ///
    /// # Panics
    /// As [`ModelEntry::describe`].
    pub fn instantiate(&self, instance_name: &str) -> Box<dyn Slave> {
        (self.instantiate)(instance_name).unwrap_or_else(|fault| panic!("model `{}`: {fault}", self.identifier))
    }

    /// The equations as the body of an HTML page (headings, paragraphs, preformatted formulas; no `html` or `body`
    /// element), for `documentation/index.html`.
    pub fn documentation_html(&self) -> String {
        (self.documentation)()
    }
}
