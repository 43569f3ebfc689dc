//! Where an imported body comes from: an input deck, stored matrices with a deck, or MatrixMarket with a node table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use macrostep_flexible::import::{inp, market, stored};
use macrostep_flexible::{Connector, Material, Mesh, Structure};
use macrostep_master::unit::fmu::regular;

use super::arguments::ImportArguments;
use crate::failure::Failure;

/// A structure, and the mesh where there is one.
pub struct Source {
    /// Matrices and nodes.
    pub structure: Structure,
    /// Elements, sets and surfaces; for a node table only its nodes.
    pub mesh: Option<Mesh>,
    /// What it was made from, in words.
    pub about: String,
}

fn text(path: &Path) -> Result<String, Failure> {
    regular::text(path).map_err(Failure::file(path))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// An error of a file's content.
fn content(path: &Path) -> impl Fn(macrostep_flexible::Error) -> Failure {
    move |e| Failure::Run(format!("`{}`: {e}", path.display()))
}

impl Source {
    /// Reads, and assembles where no matrices are given.
    ///
    /// # Errors
    /// Files that cannot be read, are damaged or do not belong together.
    pub fn read(arguments: &ImportArguments) -> Result<Source, Failure> {
        match &arguments.stiffness {
            None => Self::deck(arguments),
            Some(stiffness) if extension(stiffness) == "mtx" => Self::market(arguments, stiffness),
            Some(stiffness) => Self::stored(arguments, stiffness),
        }
    }

    fn deck(arguments: &ImportArguments) -> Result<Source, Failure> {
        let path = &arguments.mesh;
        let mesh = inp::read(&text(path)?).map_err(content(path))?;
        let material = match (&arguments.material, mesh.material) {
            (Some(values), _) => Material::new(values[0], values[1], values[2]).map_err(content(path))?,
            (None, Some(material)) => material,
            (None, None) => {
                let what = "names no material; give one with `--material E,NU,RHO` in Pa, 1 and kg/m³";
                return Err(Failure::Usage(format!("`{}` {what}", path.display())));
            }
        };
        if mesh.elements.is_empty() {
            return Err(Failure::Run(format!("`{}`: no elements found, expected C3D20", path.display())));
        }
        let structure = Structure::solid(&mesh, &material).map_err(content(path))?;
        let about = format!("{} nodes and {} C3D20 elements", mesh.nodes.len(), mesh.elements.len());
        Ok(Source { structure, mesh: Some(mesh), about })
    }

    fn stored(arguments: &ImportArguments, stiffness: &Path) -> Result<Source, Failure> {
        let beside = |given: &Option<PathBuf>, e: &str| given.clone().unwrap_or_else(|| stiffness.with_extension(e));
        let (mass, dof) = (beside(&arguments.mass, "mas"), beside(&arguments.dof, "dof"));
        let mesh = inp::read(&text(&arguments.mesh)?).map_err(content(&arguments.mesh))?;
        let structure =
            stored::read(&text(stiffness)?, &text(&mass)?, &text(&dof)?, &mesh).map_err(content(stiffness))?;
        let about = format!("stored matrices of {} degrees of freedom", structure.dofs.len());
        Ok(Source { structure, mesh: Some(mesh), about })
    }

    fn market(arguments: &ImportArguments, stiffness: &Path) -> Result<Source, Failure> {
        let Some(mass) = &arguments.mass else {
            return Err(Failure::Usage("`--stiffness` with a `.mtx` needs `--mass` with another".into()));
        };
        let (k, m, table) = (text(stiffness)?, text(mass)?, text(&arguments.mesh)?);
        let structure = market::read(&k, &m, &table).map_err(content(stiffness))?;
        let about = format!("MatrixMarket matrices of {} nodes", structure.nodes.len());
        Ok(Source { structure, mesh: None, about })
    }

    /// The connectors asked for, `NAME=SET` each.
    ///
    /// # Errors
    /// A malformed argument, an unknown set or node.
    pub fn connectors(&self, arguments: &[String]) -> Result<Vec<Connector>, Failure> {
        arguments.iter().map(|argument| self.connector(argument)).collect()
    }

    fn connector(&self, argument: &str) -> Result<Connector, Failure> {
        let usage = |what: &str| Failure::Usage(format!("`--connector {argument}`: {what}"));
        let (name, set) = argument.split_once('=').ok_or_else(|| usage("expected NAME=SET"))?;
        let sound =
            name.chars().enumerate().all(|(i, c)| c == '_' || c.is_ascii_alphabetic() || i > 0 && c.is_ascii_digit());
        if name.is_empty() || !sound {
            return Err(usage("the name must be made of letters, digits and `_`, and not begin with a digit"));
        }
        let known: BTreeMap<usize, usize> = self.structure.labels.iter().enumerate().map(|(i, l)| (*l, i)).collect();
        let labels: Vec<usize> = match (set.strip_prefix("nodes:"), &self.mesh) {
            (Some(list), _) => {
                let number =
                    |field: &str| field.trim().parse().map_err(|_| usage("expected node labels, `nodes:1,2,3`"));
                list.split(',').map(number).collect::<Result<_, _>>()?
            }
            (None, Some(mesh)) => {
                let nodes = mesh.selection(set).map_err(|e| usage(&e.to_string()))?;
                nodes.into_iter().map(|n| mesh.node_labels[n]).collect()
            }
            (None, None) => return Err(usage("a node table has no sets; expected `nodes:1,2,3`")),
        };
        let index = |label: &usize| {
            known.get(label).copied().ok_or_else(|| usage(&format!("node {label} has no degree of freedom")))
        };
        let nodes = labels.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        let positions = || nodes.iter().map(|n| self.structure.nodes[*n]);
        match (positions().reduce(|a, b| a.inf(&b)), positions().reduce(|a, b| a.sup(&b))) {
            (Some(low), Some(high)) => Ok(Connector { name: name.into(), position: (low + high) / 2.0, nodes }),
            _ => Err(usage("the set is empty")),
        }
    }
}
