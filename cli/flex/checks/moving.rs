//! Conservation, centrifugal stretch, choice of the frame.

use macrostep_flexible::mesh::{Block, l_beam, t_square};
use macrostep_flexible::moving::{Dopri, Rayleigh};
use macrostep_flexible::{
    Basis, BodyState, Connector, Error, Factor, FlexibleBody, Loads, Material, Mesh, Structure, Tied, Workspace,
};
use nalgebra::{DMatrix, DVector, Quaternion, UnitQuaternion, Vector3};

use super::Check;

pub(super) fn tie(mesh: &Mesh, material: &Material, surfaces: &[&str]) -> Result<(Structure, Tied), Error> {
    let structure = Structure::solid(mesh, material)?;
    let connectors: Vec<Connector> = surfaces.iter().map(|s| Connector::on(mesh, s, s)).collect::<Result<_, _>>()?;
    let tied = structure.tie(&connectors)?;
    Ok((structure, tied))
}

pub(super) fn steel() -> Result<Material, Error> {
    Material::new(2e11, 0.3, 7850.0)
}

pub(super) fn checks() -> Result<Vec<Check>, String> {
    let all = || -> Result<Vec<Check>, Error> { Ok([conservation()?, stretch()?, frames()?].concat()) };
    all().map_err(|e| e.to_string())
}

/// A term left out of the equations.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    NoCoriolis,
    FrozenInertia,
}

fn conservation() -> Result<Vec<Check>, Error> {
    // An L-shaped body, nothing holds or loads it.
    let (structure, tied) = tie(&l_beam(10, 1), &steel()?, &["CLAMP", "TIP"])?;
    let basis = Basis::craig_bampton(&tied.chain, 4)?;
    let body = FlexibleBody::new(&structure, &tied, &basis, 0, Rayleigh::default())?;
    // It turns, flies and vibrates.
    let mut before = BodyState::rest(body.modes());
    before.set_orientation(UnitQuaternion::from_euler_angles(0.3, 0.2, -0.4));
    before.set_velocity(Vector3::new(1.0, 2.0, -0.5));
    before.set_spin(Vector3::new(8.0, -5.0, 6.0));
    before.elastic_mut().iter_mut().enumerate().take(6).for_each(|(k, q)| *q = 1e-3 / (1.0 + k as f64).powi(2));
    before.elastic_rate_mut().iter_mut().enumerate().take(4).for_each(|(k, r)| *r = 0.05 / (1.0 + k as f64));
    // What the integrator of the units keeps of the invariants in 0.2 s.
    let mut after = before.clone();
    let mut integrator = Dopri::new(&body);
    (integrator.relative, integrator.absolute) = (1e-11, 1e-14);
    integrator.advance(&body, &mut after, (0.0, 0.2), |_, _| ())?;
    let names = ["momentum", "angular momentum", "energy"];
    let mut checks = Vec::new();
    for (name, drift) in names.iter().zip(drifts(&body, &before, &after)?) {
        checks.push(Check::below(format!("free spinning body, drift of {name} in 0.2 s"), drift, 1e-9));
    }
    // Terms left out: the check has to see that they are.
    for (fault, name) in [(Fault::NoCoriolis, "without Coriolis terms"), (Fault::FrozenInertia, "with frozen inertia")]
    {
        let drift = drifts(&body, &before, &faulty(&body, &before, fault)?)?;
        checks.push(Check::above(format!("{name}, drift of angular momentum in 0.02 s"), drift[1], 1e-6));
    }
    // The same scheme with every term there: what it sees is not the scheme.
    let sound = drifts(&body, &before, &faulty(&body, &before, Fault::None)?)?;
    checks.push(Check::below("nothing left out, the same integration", sound[1], 1e-9));
    // A fast spin is warned about and a slow one is not.
    let warned = body.spin_warning(0.31 * body.stiffness[0].sqrt()).is_some() && body.spin_warning(0.1).is_none();
    let found = if warned { "warns" } else { "silent" }.to_owned();
    checks.push(Check {
        name: "spin above 0.3 of the first frequency".into(),
        found,
        expected: "warns".into(),
        holds: warned,
    });
    Ok(checks)
}

/// Largest relative drifts of momentum, angular momentum and energy.
fn drifts(body: &FlexibleBody, before: &BodyState, after: &BodyState) -> Result<[f64; 3], Error> {
    let mut work = Workspace::new(body);
    let (a, b) = (body.momenta(before, &mut work)?, body.momenta(after, &mut work)?);
    let energy = (b.kinetic_j + b.elastic_j) / (a.kinetic_j + a.elastic_j) - 1.0;
    let relative = |a: Vector3<f64>, b: Vector3<f64>| (b - a).norm() / a.norm();
    Ok([relative(a.linear, b.linear), relative(a.angular, b.angular), energy.abs()])
}

/// Derivative of the state from mass matrix and forces, with a fault.
fn rate(body: &FlexibleBody, state: &BodyState, fault: Fault) -> Result<Vec<f64>, Error> {
    // Without a fault these are the equations of the moving frame.
    let loads = Loads::none(2);
    let mut mass = body.mass_matrix(state)?;
    let mut force = body.generalized_forces(state, &loads)?;
    let mut other = state.clone();
    // Forces as if the elastic coordinates stood still.
    if fault == Fault::NoCoriolis {
        other.elastic_rate_mut().fill(0.0);
        force = body.generalized_forces(&other, &loads)?;
    }
    // Inertia as if the body were undeformed: in the mass matrix, and in the gyroscopic torque.
    if fault == Fault::FrozenInertia {
        other.elastic_mut().fill(0.0);
        let frozen = body.mass_matrix(&other)?.fixed_view::<3, 3>(3, 3).into_owned();
        let spin = state.spin();
        let torque = spin.cross(&((mass.fixed_view::<3, 3>(3, 3) - frozen) * spin));
        (0..3).for_each(|i| force[3 + i] += torque[i]);
        mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&frozen);
    }
    // Accelerations, those of the frame in its own axes.
    let singular = || Error::Factorisation { what: "mass matrix", reason: "singular".into() };
    let acceleration = mass.lu().solve(&DVector::from_vec(force)).ok_or_else(singular)?;
    // To world axes, and from the spin to the rate of the quaternion.
    let turn = state.orientation();
    let world = turn * Vector3::new(acceleration[0], acceleration[1], acceleration[2]);
    let spin = Quaternion::from_imag(state.spin() * 0.5);
    // In the order of the state: position, orientation, velocity, spin, elastic coordinates and their rates.
    let mut rate = state.velocity().as_slice().to_vec();
    rate.extend((turn.quaternion() * spin).coords.iter());
    rate.extend(world.iter());
    rate.extend(acceleration.iter().skip(3).take(3));
    rate.extend(state.elastic_rate());
    rate.extend(acceleration.iter().skip(6));
    Ok(rate)
}

/// 0.02 s by the classical Runge–Kutta scheme, with a fault.
fn faulty(body: &FlexibleBody, start: &BodyState, fault: Fault) -> Result<BodyState, Error> {
    let (steps, n) = (1500, body.modes());
    let h = 0.02 / f64::from(steps);
    let shifted = |state: &BodyState, rate: &[f64], by: f64| {
        BodyState::from_values(state.values().iter().zip(rate).map(|(y, k)| y + by * k).collect(), n)
    };
    let mut state = start.clone();
    for _ in 0..steps {
        let a = rate(body, &state, fault)?;
        let b = rate(body, &shifted(&state, &a, h / 2.0)?, fault)?;
        let c = rate(body, &shifted(&state, &b, h / 2.0)?, fault)?;
        let d = rate(body, &shifted(&state, &c, h)?, fault)?;
        let sum: Vec<f64> = (0..a.len()).map(|i| (a[i] + 2.0 * (b[i] + c[i]) + d[i]) / 6.0).collect();
        state = shifted(&state, &sum, h)?;
    }
    Ok(state)
}

/// A clamped beam (ν = 0) rotating about an axis across it: L (tan κ/κ − 1), κ² = ρ ω² L²/E.
fn stretch() -> Result<Vec<Check>, Error> {
    // The beam: 1 m long, 60 elements in a row.
    let material = Material::new(2e11, 0.0, 7850.0)?;
    let x = (0..=60).map(|i| f64::from(i) / 60.0).collect();
    let mut mesh = Block { x, y: vec![-0.01, 0.01], z: vec![-0.01, 0.01] }.mesh(|_| true);
    mesh.name_plane("CLAMP", 0, 0.0, |_| true);
    mesh.name_plane("TIP", 0, 1.0, |_| true);
    let (structure, tied) = tie(&mesh, &material, &["CLAMP", "TIP"])?;
    // A spin with κ = 0.2.
    let kappa: f64 = 0.2;
    let spin = kappa * (material.young_pa / material.density_kg_m3).sqrt();
    // Axial coordinates: of the tip connector, and of every node that is free of connectors.
    let mut axial = vec![(6, 1.0)];
    for (row, dof) in structure.dofs.iter().enumerate().filter(|(_, d)| d.direction == 0) {
        let column = tied.map.rows[row][0].0;
        if column >= 12 {
            axial.push((column, structure.nodes[dof.node].x));
        }
    }
    // The steady elongation at that spin, from the full model: centrifugal forces of the place, deformed part included.
    let keep: Vec<usize> = axial.iter().map(|a| a.0).collect();
    let mass = tied.chain.inertia()?.submatrix(&keep)?;
    let position = DMatrix::from_iterator(keep.len(), 1, axial.iter().map(|a| a.1));
    let operator = tied.chain.a0.submatrix(&keep)?.combine(1.0, &mass, -spin * spin)?;
    let u = Factor::lu(&operator, "rotating beam")?.solve(mass.multiply(&position) * (spin * spin));
    // The reduced body has that one shape besides its rigid motions.
    let mut vectors = tied.chain.null.clone().resize_horizontally(7, 0.0);
    keep.iter().zip(u.iter()).for_each(|(&at, &x)| vectors[(at, 6)] = x / u.amax());
    let basis = Basis::given(&tied.chain, vectors)?;
    let body = FlexibleBody::new(&structure, &tied, &basis, 0, Rayleigh::default())?;
    // Elastic force of the shape at a spin about an axis across the beam.
    let mut state = BodyState::rest(1);
    state.set_spin(Vector3::z() * spin);
    let force = |state: &BodyState| body.generalized_forces(state, &Loads::none(2)).map(|f| f[6]);
    // The balance is linear in q: two evaluations give its root.
    let at_rest = force(&state)?;
    let guess = at_rest / body.stiffness[0];
    state.elastic_mut()[0] = guess;
    let undeformed = body.deflection(&state, 1)?.0.x;
    let at_guess = force(&state)?;
    state.elastic_mut()[0] = guess * at_rest / (at_rest - at_guess);
    // Against the closed form; without the deformed part of the place it would be off.
    let (found, exact) = (body.deflection(&state, 1)?.0.x, kappa.tan() / kappa - 1.0);
    Ok(vec![
        Check::below("rotating beam, κ = 0.2, elongation against L (tan κ/κ − 1)", (found / exact - 1.0).abs(), 1e-10),
        Check::above(
            "the same with the centrifugal force at the undeformed place",
            (undeformed / exact - 1.0).abs(),
            4e-3,
        ),
    ])
}

/// Distance of two connectors in steady spin, with the frame at one or the other.
fn frames() -> Result<Vec<Check>, Error> {
    let (structure, tied) = tie(&t_square(), &steel()?, &["MOUNT", "BAR", "STEM"])?;
    let basis = Basis::craig_bampton(&tied.chain, 8)?;
    let body = |reference| FlexibleBody::new(&structure, &tied, &basis, reference, Rayleigh::default());
    let bodies = [body(1)?, body(2)?];
    let spin = 0.2 * bodies[0].stiffness[0].sqrt();
    let difference =
        |spin: f64| -> Result<f64, Error> { Ok((distance(&bodies[0], spin)? - distance(&bodies[1], spin)?).abs()) };
    let ratio = difference(spin)? / difference(spin / 2.0)?;
    Ok(vec![Check::above("frame at connector 1 or 2: difference at ω over that at ω/2", ratio, 12.0)])
}

fn distance(body: &FlexibleBody, spin: f64) -> Result<f64, Error> {
    let mut state = BodyState::rest(body.modes());
    state.set_spin(Vector3::z() * spin);
    for _ in 0..200 {
        let force = body.generalized_forces(&state, &Loads::none(3))?;
        let a = Vector3::new(force[0], force[1], force[2]) / body.mass_kg;
        for k in 0..body.modes() {
            state.elastic_mut()[k] += (force[6 + k] - body.first_moments[k + 1].dot(&a)) / body.stiffness[k];
        }
    }
    Ok((body.motion(&state, 1)?.position - body.motion(&state, 2)?.position).norm())
}
