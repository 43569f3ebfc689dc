//! The models natively: against closed forms, tight integration, finite differences and the crates they come from.

mod driven;
mod rod;

use driven::{choose, get, reference, run, set, slave, start};
use macrostep_description::{Causality, ModelDescription, rules};
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::{Basis, Connector, FlexibleBody, Joint, Material, Structure, mesh};
use macrostep_models_flexible::{AdapterMatrix, BeamModes, Body, ImportedBody, RodMatrices, Stored, all, find};
use macrostep_reduction::beam::{BeamConstants, ModalBeam};
use macrostep_reduction::{InterfaceMap, Space};
use macrostep_slave::{Instance, Slave, Snapshot, Tangent};

fn reals(d: &ModelDescription, causality: Causality) -> Vec<u32> {
    d.variables.iter().filter(|v| v.causality == causality && v.real().is_some()).map(|v| v.value_reference).collect()
}

#[test]
fn declarations_break_no_rule_and_hold_the_hash_of_their_data() {
    for entry in all() {
        let d = entry.describe();
        assert_eq!(rules::check(&d), [], "{}", entry.identifier);
        let hashed = d.vendor_annotations.iter().flat_map(|a| &a.attributes).any(|(name, _)| name == "data");
        assert_eq!(hashed, !entry.resources.is_empty(), "{}", entry.identifier);
        assert!(!entry.documentation_html().is_empty());
    }
}

#[test]
fn the_stored_data_are_what_the_crates_compute() {
    let beam = ModalBeam::new(BeamConstants::default(), 60).expect("a beam");
    let shapes = beam.interface_shapes(19).expect("shapes");
    let map = InterfaceMap::new(&shapes, Space::Planar).expect("a map");
    let bytes = |model: &str| find(model).expect("a model").resources[0].1;
    let (stored, _) = BeamModes::from_bytes(bytes("beam_reduced")).expect("stored");
    assert_eq!(stored.chosen, map.nodes());
    let close = |a: &[f64], b: &[f64]| {
        let scale = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9 * scale));
    };
    close(&stored.frequencies, beam.frequencies());
    let (matrix, _) = AdapterMatrix::from_bytes(bytes("interface_adapter")).expect("stored");
    close(&matrix.scalar, map.scalar().transpose().as_slice());
    let (body, _) = ImportedBody::from_bytes(bytes("flexible_body")).expect("stored");
    close(&body.body.stiffness, &arm().stiffness);
    let (rod, _) = RodMatrices::from_bytes(bytes("heat_rod")).expect("stored");
    let chain = rod::chain(200).expect("a rod");
    let basis = Basis::craig_bampton(&chain, 10).expect("a basis");
    close(rod.chain.a0.as_slice(), chain.reduce(&basis).a0.as_slice());
}

fn arm() -> FlexibleBody {
    let mesh = mesh::arm();
    let structure = Structure::solid(&mesh, &Material::new(2e11, 0.3, 7850.0).expect("steel")).expect("a structure");
    let connectors = ["HINGE", "TIP"].map(|name| Connector::on(&mesh, name, name).expect("a connector"));
    let tied = structure.tie(&connectors).expect("tied");
    let basis = Basis::craig_bampton(&tied.chain, 10).expect("a basis");
    FlexibleBody::new(&structure, &tied, &basis, 0, Rayleigh::default()).expect("a body")
}

#[test]
fn damaged_or_missing_data_are_refused() {
    let good = find("flexible_body").expect("a model").resources[0].1;
    assert!(ImportedBody::from_bytes(&good[1..]).is_err());
    assert!(ImportedBody::from_bytes(&good[..good.len() - 1]).is_err());
    assert!(ImportedBody::load(None).expect_err("refused").to_string().contains("body.bin"));
}

/// The rod through its slave against the series solution: heat flow into the right end from t = 0.
#[test]
fn heat_rod_follows_the_series_solution() {
    let mut s = slave("heat_rod");
    start(s.as_mut());
    set(s.as_mut(), "right.Q", 20.0);
    let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
    for k in 1..=100_u32 {
        run(s.as_mut(), 1, 20.0);
        let exact = rod::series(20.0, f64::from(k) * 20.0);
        let found = [get(s.as_mut(), "left.T"), get(s.as_mut(), "right.T")];
        if k >= 5 {
            worst = found.iter().zip(exact).fold(worst, |m, (f, e)| m.max((f - e).abs()));
        }
        scale = scale.max(exact[1]);
    }
    println!("heat rod: largest error {:.2e} of the largest temperature {scale:.2} K", worst / scale);
    assert!(worst < 3e-4 * scale);
}

/// A ramp of heat: exact for polynomial inputs, so that the macro step does not matter.
#[test]
fn heat_rod_is_exact_for_a_ramp() {
    let ends = [1_u32, 40].map(|steps| {
        let mut s = slave("heat_rod");
        start(s.as_mut());
        let flow = reference(s.description(), "left.Q");
        s.set_real(&[flow], &[1.0]).expect("set");
        s.set_real_input_derivatives(&[flow], &[1], &[0.05]).expect("set");
        run(s.as_mut(), steps, 200.0 / f64::from(steps));
        get(s.as_mut(), "right.T")
    });
    assert!((ends[0] / ends[1] - 1.0).abs() < 1e-10, "{ends:?}");
}

/// The adapter maps as the reduction crate does and keeps work.
#[test]
fn adapter_is_the_map_and_its_dual() {
    let beam = ModalBeam::new(BeamConstants::default(), 19).expect("a beam");
    let map = InterfaceMap::new(&beam.interface_shapes(19).expect("shapes"), Space::Planar).expect("a map");
    let mut s = slave("interface_adapter");
    start(s.as_mut());
    let (inputs, outputs) = (reals(s.description(), Causality::Input), reals(s.description(), Causality::Output));
    assert_eq!((inputs.len(), outputs.len()), (539, 539));
    let values: Vec<f64> = (0..539).map(|i| f64::from((i * 37) % 101) / 50.0 - 1.0).collect();
    s.set_real(&inputs, &values).expect("set");
    let mut found = vec![0.0; 539];
    s.get_real(&outputs, &mut found).expect("get");
    let planar = |x: &[f64]| x.chunks_exact(3).flat_map(|p| [p[0], p[1]]).collect::<Vec<f64>>();
    let (mut full, mut dual) = (vec![0.0; 334], vec![0.0; 38]);
    map.expand(&values[..38], &mut full).expect("sizes fit");
    map.dual(&planar(&values[38..]), &mut dual).expect("sizes fit");
    for (a, b) in planar(&found[..501]).iter().zip(&full).chain(found[501..].iter().zip(&dual)) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (full, reduced) = (dot(&values[38..], &found[..501]), dot(&found[501..], &values[..38]));
    assert!((full - reduced).abs() < 1e-12 * full.abs().max(100.0));
}

/// A swinging arm whose tip is pushed, by each integrator.
fn swing(integrator: i32, micro_step_s: f64, stop_s: f64) -> [f64; 3] {
    let mut s = slave("flexible_body");
    choose(s.as_mut(), "integrator", integrator);
    set(s.as_mut(), "micro_step", micro_step_s);
    set(s.as_mut(), "tolerance", 1e-11);
    start(s.as_mut());
    set(s.as_mut(), "gravity[2]", -9.81);
    set(s.as_mut(), "tip.force[2]", 0.5);
    run(s.as_mut(), 20, stop_s / 20.0);
    [1, 2, 3].map(|i| get(s.as_mut(), &format!("tip.r[{i}]")))
}

#[test]
fn integrators_converge_at_their_order() {
    let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
    let exact = swing(3, 1e-3, 0.04);
    let errors = [2e-4, 1e-4, 5e-5].map(|h| distance(swing(1, h, 0.04), exact));
    let order = (errors[1] / errors[2]).log2();
    println!("linearly implicit: errors {errors:?}, order {order:.2}");
    assert!(errors[2] < 1e-5 && (order - 2.0).abs() < 0.4, "{errors:?}");
    let explicit = distance(swing(2, 1e-6, 0.004), swing(3, 1e-3, 0.004));
    println!("Runge-Kutta 4: error {explicit:.2e}");
    assert!(explicit < 1e-9);
}

/// A hinged arm swings at first as a rigid one; a clamped one bends and stays.
#[test]
fn hinge_and_clamp_hold_what_they_say() {
    for (joint, moves) in [(5, true), (6, false)] {
        let mut s = slave("flexible_body");
        choose(s.as_mut(), "joint", joint);
        start(s.as_mut());
        set(s.as_mut(), "gravity[2]", -9.81);
        run(s.as_mut(), 100, 1e-3);
        let hinge = ["hinge.r[1]", "hinge.r[2]", "hinge.r[3]"].map(|name| get(s.as_mut(), name));
        assert_eq!(hinge, [0.0; 3]);
        let spin = ["hinge.w[1]", "hinge.w[2]", "hinge.w[3]"].map(|name| get(s.as_mut(), name));
        assert_eq!((spin[0], spin[1], spin[2] != 0.0), (0.0, 0.0, moves));
        let angle = get(s.as_mut(), "hinge.R[2,1]").atan2(get(s.as_mut(), "hinge.R[1,1]"));
        let tip = get(s.as_mut(), "tip.r[2]");
        if moves {
            // ½ (3g/2L) t² at first; bending makes some of it late.
            assert!((angle / (-0.5 * 1.5 * 9.81 * 0.01) - 1.0).abs() < 0.1, "{angle}");
        } else {
            assert!(angle == 0.0 && tip < -1e-3, "{tip}");
        }
    }
}

/// Output derivatives against central differences of outputs of tiny steps.
#[test]
fn output_derivatives_follow_the_motion() {
    let mut s = slave("flexible_body");
    choose(s.as_mut(), "joint", 1);
    for (i, value) in [0.4, -0.7, 1.1].into_iter().enumerate() {
        set(s.as_mut(), &format!("phi0[{}]", i + 1), value);
        set(s.as_mut(), &format!("w0[{}]", i + 1), 2.0 * value + 0.3);
        set(s.as_mut(), &format!("v0[{}]", i + 1), 1.0 - value);
    }
    start(s.as_mut());
    set(s.as_mut(), "gravity[2]", -9.81);
    set(s.as_mut(), "tip.force[3]", 2.0);
    run(s.as_mut(), 5, 1e-3);
    // What nodes show changes from step to step only.
    let d = s.description();
    let changing = d.variables.iter().filter(|v| v.causality == Causality::Output && !v.name.contains("_node"));
    let outputs: Vec<u32> = changing.filter(|v| v.real().is_some()).map(|v| v.value_reference).collect();
    assert_eq!(outputs.len(), 2 * 21);
    let (mut rates, ones) = (vec![0.0; outputs.len()], vec![1; outputs.len()]);
    s.get_real_output_derivatives(&outputs, &ones, &mut rates).expect("rates");
    let h = 1e-7;
    let values = [0, 1, 1].map(|steps| {
        run(s.as_mut(), steps, h);
        let mut values = vec![0.0; outputs.len()];
        s.get_real(&outputs, &mut values).expect("get");
        values
    });
    for (i, rate) in rates.iter().enumerate() {
        let found = (4.0 * values[1][i] - 3.0 * values[0][i] - values[2][i]) / (2.0 * h);
        assert!((found - rate).abs() < 1e-3 * (1.0 + rate.abs()), "{i}: {found} {rate}");
    }
}

#[test]
fn directional_derivatives_at_the_start_agree_with_differences() {
    let mut s = slave("flexible_body");
    choose(s.as_mut(), "joint", 1);
    s.setup_experiment(0.0, None, None).expect("set up");
    s.enter_initialization().expect("entered");
    let (known, unknown) = ((0..12).collect::<Vec<u32>>(), reals(s.description(), Causality::Output));
    let base: Vec<f64> = (0..12).map(|i| 0.1 * f64::from((i * 7) % 5) - 0.2).collect();
    let direction: Vec<f64> = (0..12).map(|i| f64::from((i * 5) % 7) - 3.0).collect();
    s.set_real(&known, &base).expect("set");
    let mut exact = vec![0.0; unknown.len()];
    s.directional_derivative(Tangent::new(&unknown, &known, &direction, &mut exact)).expect("derivative");
    let mut at = |h: f64| {
        let moved: Vec<f64> = base.iter().zip(&direction).map(|(b, d)| b + h * d).collect();
        s.set_real(&known, &moved).expect("set");
        let mut values = vec![0.0; unknown.len()];
        s.get_real(&unknown, &mut values).expect("get");
        values
    };
    let (ahead, behind) = (at(1e-5), at(-1e-5));
    for (i, d) in exact.iter().enumerate() {
        let found = (ahead[i] - behind[i]) / 2e-5;
        assert!((found - d).abs() < 1e-7 * (1.0 + d.abs()), "{i}: {found} {d}");
    }
}

/// A state saved halfway and restored in another instance continues to the bit, for every model.
#[test]
fn saved_states_continue_to_the_bit() {
    for entry in all() {
        let mut one = entry.instantiate("one");
        let mut two = entry.instantiate("two");
        let (inputs, outputs) =
            (reals(one.description(), Causality::Input), reals(one.description(), Causality::Output));
        start(one.as_mut());
        start(two.as_mut());
        let drive = |s: &mut dyn Slave, k: u32| {
            let u: Vec<f64> = (0..inputs.len() as u32).map(|i| f64::from((k * 7 + i * 3) % 16) / 64.0).collect();
            s.set_real(&inputs, &u).expect("set");
            run(s, 1, 1e-3);
        };
        (0..10).for_each(|k| drive(one.as_mut(), k));
        let mut snapshot = Snapshot::new();
        one.save(&mut snapshot).expect("saved");
        let mut bytes = vec![0; one.serialized_size(&snapshot).expect("a size")];
        one.serialize(&snapshot, &mut bytes).expect("serialised");
        let mut read = Snapshot::new();
        two.deserialize(&bytes, &mut read).expect("read");
        two.restore(&read).expect("restored");
        let ends = [one, two].map(|mut s| {
            (10..20).for_each(|k| drive(s.as_mut(), k));
            let mut y = vec![0.0; outputs.len()];
            s.get_real(&outputs, &mut y).expect("get");
            y.iter().map(|y| y.to_bits()).collect::<Vec<_>>()
        });
        assert_eq!(ends[0], ends[1], "{}", entry.identifier);
    }
}

/// The joint does work on nothing: Joint::ALL is in the order of the declaration.
#[test]
fn joints_are_declared_in_order() {
    let d = find("flexible_body").expect("a model").describe();
    let start = d.variable("joint").and_then(|v| v.start.clone());
    let hinge = Joint::ALL.iter().position(|j| *j == Joint::HingeZ).expect("a hinge") as i32 + 1;
    assert_eq!(start, Some(macrostep_description::Value::Integer(hinge)));
}

/// The arm in `data` as a slave, turned by a torque, its tip (m) and whether it warns of its spin; `stiffness` sets the
/// parameter where there is one.
fn turned(data: &ImportedBody, stiffness: Option<bool>) -> ([f64; 3], bool) {
    let bytes = data.to_bytes().expect("stored");
    let stored = ImportedBody::shared(&bytes).expect("read");
    let mut s = Instance::of("arm", Body::from_data(stored).expect("a body")).expect("an instance");
    if let Some(on) = stiffness {
        let r = reference(s.description(), "geometric_stiffness");
        s.set_boolean(&[r], &[on]).expect("set");
    }
    set(&mut s, "w0[3]", 30.0);
    set(&mut s, "hinge.torque[3]", 12.0);
    set(&mut s, "tip.force[2]", -0.4);
    set(&mut s, "gravity[2]", -9.81);
    start(&mut s);
    run(&mut s, 100, 1e-3);
    let warned = reference(s.description(), "spin_above_limit");
    let mut shown = [false];
    s.get_boolean(&[warned], &mut shown).expect("get");
    ([1, 2, 3].map(|i| get(&mut s, &format!("tip.r[{i}]"))), shown[0])
}

#[test]
fn data_without_geometric_stiffness_load_and_give_the_bits_of_the_switch_off() {
    let (new, _) = ImportedBody::from_bytes(find("flexible_body").expect("a model").resources[0].1).expect("stored");
    let mut old = new.clone();
    old.body.geometric = None;
    let bytes = [old.to_bytes().expect("stored"), new.to_bytes().expect("stored")];
    assert_eq!((&bytes[0][..8], &bytes[1][..8]), (&b"FLEXFMU1"[..], &b"FLEXFMU2"[..]));
    assert_eq!(bytes[1][8..bytes[0].len()], bytes[0][8..]);
    assert_eq!(ImportedBody::from_bytes(&bytes[0]).expect("read").0, old);
    let declared = |data: &ImportedBody| {
        let stored = ImportedBody::shared(&data.to_bytes().expect("stored")).expect("read");
        Body::from_data(stored).expect("a body").1.variable("geometric_stiffness").is_some()
    };
    assert_eq!((declared(&old), declared(&new)), (false, true));
    let (before, off, on) = (turned(&old, None), turned(&new, Some(false)), turned(&new, None));
    assert_eq!(before.0.map(f64::to_bits), off.0.map(f64::to_bits));
    assert_eq!((before.1, off.1, on.1), (true, true, false));
    assert!(before.0.iter().zip(on.0).any(|(a, b)| (a - b).abs() > 1e-3), "{before:?} {on:?}");
}

#[test]
fn derivatives_with_respect_to_an_output_are_refused() {
    let mut s = slave("spring_field");
    start(s.as_mut());
    let (inputs, outputs) = (reals(s.description(), Causality::Input), reals(s.description(), Causality::Output));
    let mut d = [f64::NAN];
    s.directional_derivative(Tangent::new(&[outputs[1]], &[inputs[1]], &[1.0], &mut d)).expect("the stiffness");
    assert_eq!(d, [-10.0]);
    assert!(s.directional_derivative(Tangent::new(&[outputs[1]], &[outputs[4]], &[1.0], &mut d)).is_err());
}
