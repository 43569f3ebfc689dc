//! Connectors, bases, text matrices, and the chain with A₂ = 0.

use macrostep_flexible::check::Conditioning;
use macrostep_flexible::eigen::{Modes, Search};
use macrostep_flexible::element::beam::{Beam, Section};
use macrostep_flexible::import::stored;
use macrostep_flexible::mesh::l_beam;
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::structure::Assembly;
use macrostep_flexible::{Basis, Connector, Error, FlexibleBody, Material, Report, Structure, Tied};
use nalgebra::Vector3;
use std::f64::consts::PI;

use super::Check;
use super::moving::{steel, tie};

pub(super) fn checks() -> Result<Vec<Check>, String> {
    let all = || -> Result<Vec<Check>, Error> { Ok([bases()?, young()?, refusals()?, text()?].concat()) };
    let mut checks = all().map_err(|e| e.to_string())?;
    checks.push(heat_rod().map_err(|e| e.to_string())?);
    Ok(checks)
}

fn bases() -> Result<Vec<Check>, Error> {
    let (_, tied) = tie(&l_beam(36, 2), &steel()?, &["CLAMP", "TIP"])?;
    let report = |basis: Basis| Report::new(&tied.chain, &basis, 0, 10);
    let dc = |report: &Report| report.static_error.unwrap_or(f64::NAN);
    let mut checks = Vec::new();
    for (modes, bound) in [(10, 1.6e-3), (20, 2e-4)] {
        let r = report(Basis::craig_bampton(&tied.chain, modes)?)?;
        checks.push(Check::below(
            format!("L-beam, Craig–Bampton 12 + {modes}, worst of ten frequencies"),
            r.worst(10),
            bound,
        ));
        checks.push(Check::below(format!("L-beam, Craig–Bampton 12 + {modes}, static compliance"), dc(&r), 1e-5));
    }
    let krylov = report(Basis::krylov(&tied.chain, 1e4, 2)?)?;
    checks.push(Check::below("Krylov about s² = 1e4 rad²/s², static compliance", dc(&krylov), 1e-5));
    let bad = report(Basis::krylov(&tied.chain, 1e9, 2)?)?;
    checks.push(Check::above("Krylov about a badly placed s² = 1e9, static compliance", dc(&bad), 0.1));
    let modal = report(Basis::modal(&tied.chain, 22)?)?;
    checks.push(Check::above("modal truncation, static compliance", dc(&modal), 0.1));
    Ok(checks)
}

/// First frequencies (Hz) with the first connector fixed.
fn clamped(tied: &Tied, count: usize) -> Result<Vec<f64>, Error> {
    let keep: Vec<usize> = (6..tied.chain.size()).collect();
    let (k, m) = (tied.chain.a0.submatrix(&keep)?, tied.chain.inertia()?.submatrix(&keep)?);
    Ok(Modes::sparse(&k, &m, Search::lowest(count, 0.0))?.frequencies_hz())
}

fn young() -> Result<Vec<Check>, Error> {
    let material = steel()?;
    let stiffer = Material { young_pa: 1.1 * material.young_pa, ..material };
    let found = [material, stiffer].map(|m| clamped(&tie(&l_beam(36, 2), &m, &["CLAMP"])?.1, 6));
    let [base, changed] = found;
    let worst = base?.iter().zip(changed?).map(|(a, b)| (b / a / 1.1_f64.sqrt() - 1.0).abs()).fold(0.0, f64::max);
    Ok(vec![Check::below("Young's modulus 10 % larger: six frequencies against √1.1", worst, 1e-5)])
}

fn refusals() -> Result<Vec<Check>, Error> {
    // A sound body, reduced, and its basis without the six columns of rigid motions.
    let mesh = l_beam(10, 1);
    let (structure, tied) = tie(&mesh, &steel()?, &["CLAMP", "TIP"])?;
    let basis = Basis::craig_bampton(&tied.chain, 4)?;
    let without = Basis::given(&tied.chain, basis.vectors.columns(6, 10).into_owned());
    // Connectors that share nodes, have none, or too few to hold six motions.
    let one = Connector::on(&mesh, "one", "TIP")?;
    let twice = structure.tie(&[one.clone(), Connector { name: "two".into(), ..one.clone() }]);
    let empty = structure.tie(&[Connector { nodes: Vec::new(), ..one.clone() }]);
    let point = structure.tie(&[Connector { nodes: vec![one.nodes[0]], ..one }]);
    // A frame of beams, whose nodes have rotations, as if its matrices came from a file.
    let nodes: Vec<_> = (0..5).map(|i| Vector3::x() * f64::from(i)).collect();
    let section = Section::rectangle(0.1, 0.2, true);
    let beams: Vec<_> = (0..4).map(|i| Beam { nodes: [i, i + 1], section, up: Vector3::y() }).collect();
    let frame = Structure::frame(&nodes, &beams, &steel()?)?;
    let end = |n: usize| Connector { name: n.to_string(), position: nodes[n], nodes: vec![n] };
    let tied = frame.tie(&[end(0), end(4)])?;
    let given = Structure { assembly: Assembly::Matrices, ..frame };
    let body = FlexibleBody::new(&given, &tied, &Basis::craig_bampton(&tied.chain, 3)?, 0, Rayleigh::default());
    // Each of them is refused with a reason.
    Ok(vec![
        Check::refused("a basis without rigid motions", without, "rigid-body mode"),
        Check::refused("two connectors with the same nodes", twice, "belongs to connectors"),
        Check::refused("a connector without nodes", empty, "no slave nodes"),
        Check::refused("a connector of a single node", point, "of 6 motions"),
        Check::refused("stored matrices with rotations in the moving frame", body, "has rotations"),
    ])
}

/// Matrices that went through text with few digits.
fn text() -> Result<Vec<Check>, Error> {
    // The body, and its first frequency with one end clamped.
    let mesh = l_beam(36, 2);
    let structure = Structure::solid(&mesh, &steel()?)?;
    let first = |structure: &Structure| -> Result<f64, Error> {
        let nodes = mesh.selection("CLAMP")?;
        let position = nodes.iter().map(|n| structure.nodes[*n]).sum::<Vector3<f64>>() / nodes.len() as f64;
        let tied = structure.tie(&[Connector { name: "clamp".into(), position, nodes }])?;
        Ok(clamped(&tied, 1)?[0])
    };
    // Frequencies after a round trip through text: 17 digits keep them, fewer do not and give a warning.
    let sound = first(&structure)?;
    let mut checks = Vec::new();
    for digits in [17, 14, 10] {
        let (k, m, dofs) = stored::write(&structure, digits);
        let read = stored::read(&k, &m, &dofs, &mesh)?;
        let shift = first(&read).map_or(f64::INFINITY, |f| (f / sound - 1.0).abs());
        let warned = Conditioning::new(&read, 1).map_or(true, |c| !c.warnings.is_empty());
        // Few digits have to shift it, or the check would see nothing.
        let name = format!("matrices in text with {digits} digits, shift of the first frequency");
        let mut check = if digits == 17 { Check::below(name, shift, 1e-5) } else { Check::above(name, shift, 1e-5) };
        // The warning comes with few digits and only then.
        check.holds &= warned == (digits < 17);
        check.found.push_str(if warned { ", warned about" } else { ", no warning" });
        checks.push(check);
    }
    Ok(checks)
}

/// The rod of the FMU `heat_rod` against its series solution: a constant flow into the right end.
fn heat_rod() -> Result<Check, Box<dyn std::error::Error>> {
    // Constants of the rod, and the references of what is set and read.
    let (length, conductivity, capacity, area, flow) = (0.5, 50.0, 3.6e6, 1e-3, 20.0);
    let mut rod = macrostep_analysis::catalogue::find("heat_rod").ok_or("no heat rod")?.instantiate("rod");
    let d = rod.description();
    let reference = |name: &str| d.variable(name).map(|v| v.value_reference).ok_or("no such variable");
    let (right, temperature) = (reference("right.Q")?, reference("right.T")?);
    // The flow is constant from the start on.
    rod.setup_experiment(0.0, None, None)?;
    rod.enter_initialization()?;
    rod.exit_initialization()?;
    rod.set_real(&[right], &[flow])?;
    let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
    // Steps of 20 s with the temperature at the heated end.
    for k in 1..=100_u32 {
        rod.do_step(rod.time_s(), 20.0, true)?;
        let mut found = [0.0];
        rod.get_real(&[temperature], &mut found)?;
        // The series of a rod that is insulated at its other end.
        let tau = conductivity / capacity * 20.0 * f64::from(k) / (length * length);
        let sum: f64 = (1..2000).map(|n| (-f64::from(n * n) * PI * PI * tau).exp() / f64::from(n * n)).sum();
        let exact = flow / area * length / conductivity * (tau + 1.0 / 3.0 - 2.0 / (PI * PI) * sum);
        // The first steps after the jump of the flow are not compared.
        if k >= 5 {
            worst = worst.max((found[0] - exact).abs());
        }
        scale = scale.max(exact);
    }
    Ok(Check::below("heat-conducting rod (A₂ = 0) against its series, of the largest temperature", worst / scale, 3e-4))
}
