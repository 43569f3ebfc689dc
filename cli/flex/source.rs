//! Where an imported body comes from: an input deck, stored matrices or those of Nastran or ANSYS with a deck, or
//! MatrixMarket with a node table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use macrostep_answers::failure::Failure;
use macrostep_flexible::element::Solid;
use macrostep_flexible::import::{dmig, hb, inp, market, op4, stored};
use macrostep_flexible::{Connector, Material, Mesh, Structure};
use macrostep_import::fmu::regular;

use super::arguments::ImportArguments;

/// A structure, and the mesh where there is one.
pub struct Source {
    /// Matrices and nodes.
    pub structure: Structure,
    /// Elements, sets and surfaces; for a node table only its nodes.
    pub mesh: Option<Mesh>,
    /// What it was made from, in words.
    pub about: String,
    /// What of the file is not in the body, one sentence each.
    pub notes: Vec<String>,
}

/// No solid is lighter (kg/m³).
const LIGHT: f64 = 0.1;
/// What is said of bodies from given matrices.
const NO_STRESSES: &str = "stored matrices contain no stresses: the body has no geometric stiffness";

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

/// Where the mesh is and what `--material` says: `E,NU,RHO`, or `E NU RHO`.
struct Given {
    mesh: PathBuf,
    material: Option<Material>,
}

impl Given {
    /// # Errors
    /// [`Failure::Usage`] without a mesh, and for other than three numbers in their ranges.
    fn new(arguments: &ImportArguments) -> Result<Given, Failure> {
        let mut mesh = arguments.mesh.clone();
        let mut values = arguments.material.clone().unwrap_or_default();
        // After three numbers, with commas or with blanks between them, the mesh may follow.
        let taken = if values.first().is_some_and(|first| first.contains(',')) { 1 } else { 3 };
        if mesh.is_none() && values.len() == taken + 1 {
            mesh = values.pop().map(PathBuf::from);
        }
        let found = values.join(" ");
        let material = (!values.is_empty()).then(|| Self::material(&found)).transpose()?;
        let missing = || Failure::Usage("no mesh given; expected `macrostep flex import MESH …`".into());
        Ok(Given { mesh: mesh.ok_or_else(missing)?, material })
    }

    fn material(found: &str) -> Result<Material, Failure> {
        let usage = |what: &str| Failure::Usage(format!("`--material {found}`: {what}"));
        let fields = found.split([',', ' ']).filter(|field| !field.is_empty());
        match fields.map(str::parse::<f64>).collect::<Result<Vec<_>, _>>().as_deref() {
            Ok([young, poisson, density]) => {
                Material::new(*young, *poisson, *density).map_err(|e| usage(&e.to_string()))
            }
            _ => Err(usage("expected `E,NU,RHO`: three numbers, in Pa, 1 and kg/m³")),
        }
    }
}

impl Source {
    /// Reads, and assembles where no matrices are given.
    ///
    /// # Errors
    /// Files that cannot be read, are damaged or do not belong together.
    pub fn read(arguments: &ImportArguments) -> Result<Source, Failure> {
        let given = Given::new(arguments)?;
        match &arguments.stiffness {
            None => Self::deck(&given),
            Some(stiffness) => match extension(stiffness).as_str() {
                "mtx" => Self::market(arguments, &given.mesh, stiffness),
                "dmig" | "pch" | "bdf" => Self::dmig(arguments, &given.mesh, stiffness),
                "op4" => Self::op4(arguments, &given.mesh, stiffness),
                "matrix" | "hb" | "rsa" | "rua" => Self::harwell_boeing(arguments, &given.mesh, stiffness),
                _ => Self::stored(arguments, &given.mesh, stiffness),
            },
        }
    }

    /// A deck, with another material than its own where one is given as `E,NU,RHO`.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn of_deck(mesh: &Path, material: Option<&str>) -> Result<Source, Failure> {
        Self::deck(&Given { mesh: mesh.to_owned(), material: material.map(Given::material).transpose()? })
    }

    fn deck(given: &Given) -> Result<Source, Failure> {
        let path = &given.mesh;
        let mut mesh = inp::read(&text(path)?).map_err(content(path))?;
        let Some(material) = given.material.or(mesh.material) else {
            let what = "names no material; give one with `--material E,NU,RHO` in Pa, 1 and kg/m³";
            return Err(Failure::Usage(format!("`{}` {what}", path.display())));
        };
        if mesh.elements.is_empty() {
            let solids = Solid::ALL.map(Solid::name).join(" or ");
            return Err(Failure::Run(format!("`{}`: no elements found, expected {solids}", path.display())));
        }
        let mut notes = std::mem::take(&mut mesh.notes);
        match mesh.leave_out_free_nodes() {
            0 => {}
            free => notes.push(format!("{free} nodes belong to no solid element and are left out")),
        }
        // Decks in mm, t and MPa have densities such as 7.85e-9.
        if material.density_kg_m3 < LIGHT {
            let density = material.density_kg_m3;
            notes.push(format!("the density is {density:e} kg/m³: is the deck in mm or t? m, kg and Pa are expected"));
        }
        let structure = Structure::solid(&mesh, &material).map_err(content(path))?;
        let about = format!("{} nodes and {}", mesh.nodes.len(), mesh.census());
        Ok(Source { structure, mesh: Some(mesh), about, notes })
    }

    fn stored(arguments: &ImportArguments, mesh: &Path, stiffness: &Path) -> Result<Source, Failure> {
        let beside = |given: &Option<PathBuf>, e: &str| given.clone().unwrap_or_else(|| stiffness.with_extension(e));
        let (mass, dof) = (beside(&arguments.mass, "mas"), beside(&arguments.dof, "dof"));
        let mesh = inp::read(&text(mesh)?).map_err(content(mesh))?;
        let structure =
            stored::read(&text(stiffness)?, &text(&mass)?, &text(&dof)?, &mesh).map_err(content(stiffness))?;
        Ok(Self::given("stored matrices", structure, mesh))
    }

    /// Matrices of Nastran's bulk data, in one file or two.
    fn dmig(arguments: &ImportArguments, mesh: &Path, stiffness: &Path) -> Result<Source, Failure> {
        let mesh = inp::read(&text(mesh)?).map_err(content(mesh))?;
        let (k, m) = Self::both(arguments, stiffness)?;
        let structure = dmig::read(&k, m.as_deref().unwrap_or(&k), &mesh).map_err(content(stiffness))?;
        Ok(Self::given("DMIG matrices", structure, mesh))
    }

    /// Matrices of Nastran's `OUTPUT4` as text, in one file or two, with the list of their rows.
    fn op4(arguments: &ImportArguments, mesh: &Path, stiffness: &Path) -> Result<Source, Failure> {
        let dof = arguments.dof.clone().unwrap_or_else(|| stiffness.with_extension("dof"));
        let mesh = inp::read(&text(mesh)?).map_err(content(mesh))?;
        let (k, m) = Self::both(arguments, stiffness)?;
        let read = op4::read(&k, m.as_deref().unwrap_or(&k), &text(&dof)?, &mesh);
        Ok(Self::given("OP4 matrices", read.map_err(content(stiffness))?, mesh))
    }

    /// Harwell–Boeing matrices of ANSYS, in two files, with the list of their equations.
    fn harwell_boeing(arguments: &ImportArguments, mesh: &Path, stiffness: &Path) -> Result<Source, Failure> {
        let mapping = arguments.dof.clone().unwrap_or_else(|| stiffness.with_extension("mapping"));
        let mesh = inp::read(&text(mesh)?).map_err(content(mesh))?;
        let (k, Some(m)) = Self::both(arguments, stiffness)? else {
            let what = "a Harwell-Boeing file has one matrix; give the mass with `--mass FILE`";
            return Err(Failure::Usage(format!("`--stiffness {}`: {what}", stiffness.display())));
        };
        let read = hb::read(&k, &m, &text(&mapping)?, &mesh);
        Ok(Self::given("Harwell-Boeing matrices", read.map_err(content(stiffness))?, mesh))
    }

    /// Texts of stiffness and mass; the second is the first where none is given.
    fn both(arguments: &ImportArguments, stiffness: &Path) -> Result<(String, Option<String>), Failure> {
        Ok((text(stiffness)?, arguments.mass.as_deref().map(text).transpose()?))
    }

    /// A structure of given matrices, with the sets of a mesh.
    fn given(what: &str, structure: Structure, mesh: Mesh) -> Source {
        let about = format!("{what} of {} degrees of freedom", structure.dofs.len());
        Source { structure, mesh: Some(mesh), about, notes: vec![NO_STRESSES.to_owned()] }
    }

    fn market(arguments: &ImportArguments, table: &Path, stiffness: &Path) -> Result<Source, Failure> {
        let Some(mass) = &arguments.mass else {
            return Err(Failure::Usage("`--stiffness` with a `.mtx` needs `--mass` with another".into()));
        };
        let (k, m, table) = (text(stiffness)?, text(mass)?, text(table)?);
        let structure = market::read(&k, &m, &table).map_err(content(stiffness))?;
        let about = format!("MatrixMarket matrices of {} nodes", structure.nodes.len());
        Ok(Source { structure, mesh: None, about, notes: vec![NO_STRESSES.to_owned()] })
    }

    /// The connectors asked for, `NAME=SET` each.
    ///
    /// # Errors
    /// A malformed argument, an unknown set or node.
    pub fn connectors(&self, arguments: &[String]) -> Result<Vec<Connector>, Failure> {
        arguments.iter().map(|argument| self.connector(argument)).collect()
    }

    fn connector(&self, argument: &str) -> Result<Connector, Failure> {
        // `NAME=SET`, the name an identifier.
        let usage = |what: &str| Failure::Usage(format!("`--connector {argument}`: {what}"));
        let (name, set) = argument.split_once('=').ok_or_else(|| usage("expected NAME=SET"))?;
        let sound =
            name.chars().enumerate().all(|(i, c)| c == '_' || c.is_ascii_alphabetic() || i > 0 && c.is_ascii_digit());
        if name.is_empty() || !sound {
            return Err(usage("the name must be made of letters, digits and `_`, and not begin with a digit"));
        }
        // Labels of nodes, from a list or from a set of the mesh.
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
        // The nodes of the structure by these labels; nodes without degrees of freedom are not in it.
        let index = |label: &usize| {
            known.get(label).copied().ok_or_else(|| usage(&format!("node {label} has no degree of freedom")))
        };
        let nodes = labels.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        // The connector sits in the middle of the box round its nodes.
        let positions = || nodes.iter().map(|n| self.structure.nodes[*n]);
        match (positions().reduce(|a, b| a.inf(&b)), positions().reduce(|a, b| a.sup(&b))) {
            (Some(low), Some(high)) => Ok(Connector { name: name.into(), position: (low + high) / 2.0, nodes }),
            _ => Err(usage("the set is empty")),
        }
    }
}
