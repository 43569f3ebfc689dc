//! `macrostep flex surface`: a surface of an imported body as an interface of few values.

use std::path::Path;

use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::files::write_text;
use macrostep_answers::print;
use macrostep_flexible::Joint;
use macrostep_flexible::mesh::Face;
use macrostep_models_flexible::{FacetMesh, Facets, ImportedBody, Stored};
use macrostep_plot::table::{Table, short};
use macrostep_reduction::surface::Fidelity;
use macrostep_reduction::{InterfaceMap, Surface};
use serde_json::json;

use super::arguments::SurfaceArguments;
use super::import::{fault_of, micro_step_of, pack, reduce, write_fmu};
use super::source::Source;

/// Smaller maps beside the one that is asked for, as parts of its values.
const BESIDE: [f64; 3] = [0.5, 0.6, 0.75];

/// A map, and what it keeps of the motion.
type Row = (InterfaceMap, Fidelity);

/// Reads the body, reduces its surface, measures the map on a motion through 90°, prints and writes.
///
/// # Errors
/// [`Failure`] of the arguments, the files and the computation.
pub fn run(arguments: &SurfaceArguments) -> Result<(), Failure> {
    let body = arguments.body.as_path();
    // The FMU never overwrites what it is made from.
    let mut files = Files::default();
    files.reads("mesh", body);
    files.writes_option("--fmu", arguments.fmu.as_deref());
    files.writes_option("--facets", arguments.facets.as_deref());
    files.are_apart()?;
    // The body, as it is imported.
    let source = Source::of_deck(body, arguments.material.as_deref())?;
    let connectors = source.connectors(&arguments.connectors)?;
    let tied = source.structure.tie(&connectors).map_err(Failure::run)?;
    let basis = reduce(&arguments.reduce, &tied)?;
    let nodes = nodes(&source, arguments.surface.as_deref())?;
    let faces = arguments.facets.is_some().then(|| faces(&source, arguments.surface.as_deref())).transpose()?;
    let surface = Surface::new(&source.structure, &tied, &basis, 0, &nodes).map_err(Failure::run)?;
    // Maps of fewer values show what each value is worth.
    let made_from = surface.shaken().map_err(Failure::run)?;
    let states = surface.turned().map_err(Failure::run)?;
    let fewer = BESIDE.iter().map(|part| (part * arguments.values as f64) as usize).filter(|values| *values >= 12);
    let row = |values: usize| -> Result<Row, Failure> {
        let map = surface.map(values, &made_from).map_err(Failure::run)?;
        let fidelity = surface.fidelity(&map, &states).map_err(Failure::run)?;
        Ok((map, fidelity))
    };
    let rows = fewer.chain([arguments.values]).map(row).collect::<Result<Vec<_>, _>>()?;
    let labels = |map: &InterfaceMap| -> Vec<usize> {
        map.nodes().iter().map(|node| source.structure.labels[nodes[*node]]).collect()
    };
    // What was found.
    let json = object(&surface, &rows, &labels);
    if arguments.json {
        print::line(&json)?;
    } else {
        print::line(text(&source, &surface, &rows))?;
    }
    for note in &source.notes {
        macrostep_answers::print::remark!("note: {note}");
    }
    // The body that moves the nodes of the interface.
    let last = rows.last().map(|(map, _)| map);
    if let (Some(path), Some(map)) = (&arguments.fmu, last) {
        let guid = pack(&exchanging(path, (&source, &surface), map, &labels(map))?, path)?;
        macrostep_answers::print::remark!("wrote `{}`, GUID {guid}", path.display());
    }
    // Its facets under pressure.
    let under_pressure = arguments.facets.as_deref().zip(faces.as_deref()).zip(source.mesh.as_ref());
    if let Some(((path, faces), mesh)) = under_pressure {
        let guid = write_facets(path, mesh, faces)?;
        macrostep_answers::print::remark!("wrote `{}`, {} facets, GUID {guid}", path.display(), faces.len());
    }
    // Result and map, where a folder is wanted.
    if let (Some(folder), Some(map)) = (&arguments.out, last) {
        write_text(&folder.join("interface.json"), &json.to_string())?;
        let all: Vec<usize> = nodes.iter().map(|node| source.structure.labels[*node]).collect();
        write_map(folder, map, &all, &labels(map))?;
        write_text(&folder.join("maps.toml"), &maps(map, &labels(map)))?;
        if let (Some(faces), Some(mesh)) = (&faces, &source.mesh) {
            write_text(&folder.join("facets.csv"), &facets(mesh, faces))?;
        }
        macrostep_answers::print::remark!("wrote result and map to `{}`", folder.display());
    }
    Ok(())
}

/// The body with a connector `nLABEL` at each node that is exchanged.
fn exchanging(
    path: &Path,
    (source, surface): (&Source, &Surface),
    map: &InterfaceMap,
    labels: &[usize],
) -> Result<ImportedBody, Failure> {
    let named: Vec<_> = map.nodes().iter().zip(labels).map(|(node, label)| (*node, format!("n{label}"))).collect();
    let body = surface.body(&named).map_err(Failure::run)?;
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let about = format!("Flexible body {name}: {}, a surface by {} of its nodes", source.about, labels.len());
    Ok(ImportedBody { about, name, micro_step_s: micro_step_of(&body), joint: Joint::default(), body })
}

/// `maps.toml`: the maps of a scenario between the FMU `body` and a unit `field` that takes the positions `u` of all nodes of the surface, x, y
/// and z of node after node, and gives forces `F` on them. A map for each component; forces go back by its dual.
fn maps(map: &InterfaceMap, labels: &[usize]) -> String {
    let scalar = map.scalar();
    let matrix: Vec<Vec<f64>> = scalar.row_iter().map(|row| row.iter().copied().collect()).collect();
    let quoted =
        |names: &mut dyn Iterator<Item = String>| names.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    for component in 1..=3 {
        let body = |what: &str| quoted(&mut labels.iter().map(|label| format!("body.n{label}.{what}[{component}]")));
        let field =
            |what: &str| quoted(&mut (0..scalar.nrows()).map(|i| format!("field.{what}[{}]", 3 * i + component)));
        text.push_str(&format!(
            "[[maps]]\nfrom = [{}]\nto = [{}]\nmatrix = {matrix:?}\nreaction = {{ from = [{}], to = [{}] }}\n\n",
            body("r"),
            field("u"),
            field("F"),
            body("force")
        ));
    }
    text
}

/// Indices of the nodes of a set, or of the skin.
fn nodes(source: &Source, set: Option<&str>) -> Result<Vec<usize>, Failure> {
    let Some(mesh) = &source.mesh else {
        return Err(Failure::Usage("a node table has no surfaces; expected a deck with elements".into()));
    };
    match set {
        None => Ok(mesh.face_nodes(&mesh.boundary())),
        Some(set) => mesh.selection(set).map_err(|e| Failure::Usage(format!("`--surface {set}`: {e}"))),
    }
}

/// Faces of a surface, or of the skin.
fn faces(source: &Source, set: Option<&str>) -> Result<Vec<Face>, Failure> {
    let mesh = source.mesh.as_ref();
    let found = match set {
        None => mesh.map(macrostep_flexible::Mesh::boundary),
        Some(set) => mesh.and_then(|mesh| mesh.surfaces.get(&set.to_uppercase()).cloned()),
    };
    let set = set.unwrap_or("the skin");
    let what = format!(
        "`--facets`: `{set}` is no surface made of element faces (`*SURFACE`), expected one, or no `--surface` for the skin"
    );
    found.ok_or(Failure::Usage(what))
}

/// Writes the FMU of these faces under pressure; its nodes are in the order of the maps.
fn write_facets(path: &Path, mesh: &macrostep_flexible::Mesh, faces: &[Face]) -> Result<String, Failure> {
    let (nodes, facets) = mesh.surface(faces);
    let surface = FacetMesh { nodes: nodes.into_iter().map(|node| mesh.nodes[node]).collect(), facets };
    let made = surface.to_bytes().and_then(|data| {
        let (_, description) = Facets::from_data(FacetMesh::shared(&data)?)?;
        Ok((data, description))
    });
    let (data, description) = made.map_err(fault_of(path))?;
    write_fmu(path, Facets::IDENTIFIER, &description, (FacetMesh::FILE, &data))
}

/// `facets.csv`: which face of which element facet f is.
fn facets(mesh: &macrostep_flexible::Mesh, faces: &[Face]) -> String {
    let mut text = String::from("facet,element,face,nodes\n");
    for (f, face) in faces.iter().enumerate() {
        let nodes: Vec<String> = mesh.face(*face).map(|node| mesh.node_labels[node].to_string()).collect();
        text.push_str(&format!("{},{},S{},{}\n", f + 1, mesh.element_labels[face.0], face.1 + 1, nodes.join(" ")));
    }
    text
}

fn object(surface: &Surface, rows: &[Row], labels: &dyn Fn(&InterfaceMap) -> Vec<usize>) -> serde_json::Value {
    let row = |(map, found): &Row| {
        json!({
            "values": map.reduced_size(), "condition": map.condition(), "error": found.error, "optimum": found.optimum,
            "free_optimum": found.free_optimum, "virtual_work_error": found.virtual_work, "nodes": labels(map),
        })
    };
    let found = rows.last().map(|(_, found)| found);
    json!({
        "full": surface.values(),
        "turned_rad": found.map(|f| f.turned_rad),
        "elastic_rms_m": found.map(|f| f.elastic_m),
        "maps": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn text(source: &Source, surface: &Surface, rows: &[Row]) -> String {
    let mut table = Table::new(
        "> values | > condition | > error | > least by such a map | > ratio | > least by any vectors | \
         > virtual work",
    );
    for (map, found) in rows {
        table.row([
            map.reduced_size().to_string(),
            format!("{:.1}", map.condition()),
            short(found.error),
            short(found.optimum),
            if found.optimum > 0.0 { format!("{:.2}", found.error / found.optimum) } else { String::new() },
            short(found.free_optimum),
            short(found.virtual_work),
        ]);
    }
    let turned = rows.last().map_or((0.0, 0.0), |(_, f)| (f.turned_rad.to_degrees(), 1e3 * f.elastic_m));
    format!(
        "{}\ninterface: {} values\nmotion: turned by {:.1}° about z, {:.3} mm elastic displacement (rms)\n\n{}\n\nerrors are relative \
         to the elastic displacement; the least ones are those of shapes and of vectors made for this motion",
        source.about,
        surface.values(),
        turned.0,
        turned.1,
        table.terminal()
    )
}

/// `map.csv`: T, a row for each node of the surface and a column for each chosen node, the same for x, y and z.
fn write_map(folder: &Path, map: &InterfaceMap, all: &[usize], chosen: &[usize]) -> Result<(), Failure> {
    let names: Vec<String> = chosen.iter().map(|label| format!("node_{label}")).collect();
    let mut text = format!("node,{}\n", names.join(","));
    for (label, row) in all.iter().zip(map.scalar().row_iter()) {
        let values: Vec<String> = row.iter().map(f64::to_string).collect();
        text.push_str(&format!("{label},{}\n", values.join(",")));
    }
    write_text(&folder.join("map.csv"), &text)
}
