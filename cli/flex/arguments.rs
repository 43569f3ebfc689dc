//! Options of `macrostep flex`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The commands of `macrostep flex`.
#[derive(Debug, Subcommand)]
pub enum FlexVerb {
    /// Make an FMU of a finite element model
    Import(Box<ImportArguments>),
    /// Reduce a surface of a body as an interface of few values, as FMUs and a map
    Surface(Box<SurfaceArguments>),
}

/// `macrostep flex import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// CalculiX/Abaqus input deck (.inp) of C3D20, C3D10 and C3D8I elements; with `.mtx` matrices a node table: label x y z
    #[arg(value_name = "MESH")]
    pub mesh: Option<PathBuf>,
    /// A connector: its name and the surface, node set or `nodes:1,2,3` that moves rigidly with it; once for each connector
    #[arg(long = "connector", value_name = "NAME=SET", required = true)]
    pub connectors: Vec<String>,
    /// Reduction: `cb:STATIC+MODES`, `krylov:MOMENTS@HZ` or `modal:MODES`; STATIC is six for each connector
    #[arg(long, value_name = "METHOD", default_value = "cb:10")]
    pub reduce: String,
    /// The FMU to write
    #[arg(long, value_name = "OUT.fmu")]
    pub fmu: PathBuf,
    /// Stiffness instead of an assembly: `.sti` (with `.mas` and `.dof` beside it), `.mtx`, of Nastran `.pch`, `.bdf`, `.dmig` (DMIG)
    /// or `.op4` as text (with `.dof` beside it), or of ANSYS `.matrix`, `.hb`, `.rsa`, `.rua` (HBMAT as text, with `.mapping` beside
    /// it) [default: assemble]
    #[arg(long, value_name = "FILE")]
    pub stiffness: Option<PathBuf>,
    /// Mass: `.mas`, `.mtx`, or of Nastran or ANSYS [default: the name of the stiffness with `.mas`; of Nastran the same file]
    #[arg(long, value_name = "FILE")]
    pub mass: Option<PathBuf>,
    /// Degrees of freedom of stored matrices and of `.op4`, "node.direction" a line; of ANSYS the list of equations [default: the name of
    /// the stiffness with `.dof`; of ANSYS with `.mapping`]
    #[arg(long, value_name = "FILE")]
    pub dof: Option<PathBuf>,
    /// Young's modulus in Pa, Poisson's ratio, density in kg/m³ [default: those of the deck]
    #[arg(long, value_name = "E,NU,RHO", num_args = 1..=4)]
    pub material: Option<Vec<String>>,
    /// Connector the frame is fixed to [default: the first]
    #[arg(long, value_name = "NAME")]
    pub reference: Option<String>,
    /// Rayleigh damping of mass in 1/s
    #[arg(long, value_name = "ALPHA", default_value = "0")]
    pub alpha: f64,
    /// Rayleigh damping of stiffness in s
    #[arg(long, value_name = "BETA", default_value = "0")]
    pub beta: f64,
    /// Joint at the reference connector; start value of a parameter of the FMU
    #[arg(long, value_name = "JOINT", default_value = "free")]
    #[arg(value_parser = ["free", "ball", "hinge_x", "hinge_y", "hinge_z", "clamp"])]
    pub joint: String,
    /// Leave out the geometric stiffness from the stress of spin, accelerations and forces [default: included, except
    /// for bodies from stored matrices, whose stresses are not known]
    #[arg(long)]
    pub no_geometric_stiffness: bool,
    /// Micro step in s [default: a fiftieth of the first period, rounded down to 1, 2 or 5]
    #[arg(long, value_name = "H")]
    pub micro_step: Option<f64>,
    /// Number of frequencies that are compared with the full model
    #[arg(long, value_name = "N", default_value = "10")]
    pub compare: usize,
    /// Print one JSON object instead of tables [default: off]
    #[arg(long)]
    pub json: bool,
    /// Folder for picture and report; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `macrostep flex surface`.
#[derive(Debug, Args)]
pub struct SurfaceArguments {
    /// Mesh, as of `flex import`
    #[arg(value_name = "MESH")]
    pub body: PathBuf,
    /// A connector, as of `flex import`; the frame is fixed to the first, the last is shaken
    #[arg(long = "connector", value_name = "NAME=SET", required = true)]
    pub connectors: Vec<String>,
    /// The surface, node set or element set whose nodes are the interface [default: the skin]
    #[arg(long, value_name = "SET")]
    pub surface: Option<String>,
    /// Most values of the reduced interface
    #[arg(long, value_name = "N", default_value = "60")]
    pub values: usize,
    /// Modes of the body, as of `flex import`
    #[arg(long, value_name = "METHOD", default_value = "cb:10")]
    pub reduce: String,
    /// Young's modulus in Pa, Poisson's ratio, density in kg/m³ [default: those of the deck]
    #[arg(long, value_name = "E,NU,RHO")]
    pub material: Option<String>,
    /// The FMU to write, which moves the nodes of the reduced interface, and takes forces at them [default: none]
    #[arg(long, value_name = "OUT.fmu")]
    pub fmu: Option<PathBuf>,
    /// A second FMU to write, which makes forces on the nodes of the surface from a pressure on each of its facets, along normals that
    /// turn with it [default: none]
    #[arg(long, value_name = "OUT.fmu")]
    pub facets: Option<PathBuf>,
    /// Print one JSON object instead of tables [default: off]
    #[arg(long)]
    pub json: bool,
    /// Folder for the map and the result; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
