//! *Power bonds*: the energy that a coupling makes out of nothing, watched and corrected.
//!
//! Through a port a unit receives power from its inputs. With the inputs ũ it was fed with instead of the true ones u,
//!
//! ```text
//! δP = Σ_ports Σ_k g_k (ũ_k − u_k) y        residual power of a bond [W]
//! δE = ∫ δP dt                              residual energy [J]
//! ```
//!
//! with y the flow of the port (a velocity) and g_k the effort per unit of input k (±1 for a force, ±k_c for a displacement of
//! the coupling's other end, …). u is known at communication points only, when everybody has arrived; that is when a step's
//! account is closed. Inside a step of a classical predictor u and y are the cubics through the last four points, and the
//! integral is Simpson's; motions are predicted better than that, so that the trapezoidal rule is used. Where the units themselves are exact, δE is what the coupled system's energy has drifted by.
//!
//! Where units step at different rates a fast unit is between two samples of a slow one, which says only later what its own
//! motion has been. Accounts are closed at the window's end then, where all units meet: the truth at every fast point is made of
//! the slow signals interpolated by the cubic through four samples.
//!
//! Two corrections add Δu to the inputs of the next step:
//!
//! ```text
//! NEPCE:  Δu_k = (1/H) ∫ (u_k − ũ_k) dt  over the last step, ũ without its own correction
//! leak:   Δe_i = ∓ λ q,  q = y_1 − y_2,  λ = δE / (τ ⟨q²⟩)   a damper between the ports that takes out δE within τ
//! ```
//!
//! NEPCE makes up for the momentum an extrapolation has missed; the leak correction dissipates (or supplies) the energy found
//! too much (or little), by equal and opposite efforts. τ is [`LEAK_STEPS`] steps, ⟨q²⟩ an exponential mean over ten τ.
//!
//! | symbol | code | unit | meaning |
//! |---|---|---|---|
//! | u, ũ | `truth`, `applied` | | inputs at the communication point, as fed |
//! | g | `gain` | effort/input | effort a port gets for one unit of an input |
//! | y, q | `flow`, `q` | m/s | flow of a port, difference of the flows of a bond |
//! | λ | `damping` | N·s/m | the damper's constant |
//!
//! References: \[Sadjina 2017\] for residual power and energy of bonds; \[Benedikt 2013\] for NEPCE; \[González 2019\] for
//! monitoring and correcting leaks. The equations of the leak correction are ours, after that paper's abstract.

use crate::feed::Supply;
use crate::memento::Numbers;
use crate::method::Method;
use crate::predict::{Edge, Lagrange, Predictor};
use crate::station::Station;
use crate::system::System;
use crate::time::{Span, Tick};
use std::sync::Arc;

/// Samples of a signal that truth between its samples is made of.
pub(crate) const SETTLED_DEPTH: usize = 4;

/// Steps within which the leak correction takes out what it finds.
pub const LEAK_STEPS: f64 = 10.0;

/// What is done about residual energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnergyCorrection {
    /// It is watched.
    #[default]
    Monitor,
    /// What the last step's extrapolation missed is added to the next (nearly energy-preserving coupling element).
    Nepce,
    /// A damper between the ports takes it out.
    Leak,
}

/// Where a bond meets a unit.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub unit: usize,
    /// Value references of connected inputs and the effort for one unit of each.
    pub inputs: Vec<(u32, f64)>,
    /// Value reference of the flow, a sampled output.
    pub flow: u32,
}

/// Ports between which no power is lost: two with opposite efforts, or more.
#[derive(Debug, Clone)]
pub(crate) struct Bond {
    pub name: String,
    pub ports: Vec<Port>,
}

/// The account of a bond.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Name of the bond.
    pub name: String,
    /// Residual energy so far \[J\]; positive where the coupling has added energy.
    pub residual_energy_j: f64,
    /// Its largest absolute value at a communication point \[J\].
    pub residual_energy_max_j: f64,
    /// Largest absolute residual power \[W\].
    pub residual_power_max_w: f64,
    /// Largest power transmitted through a port by its inputs, had they been true: Σ g u y \[W\].
    pub power_max_w: f64,
}

/// Accounts of all bonds in a run.
pub(crate) struct Ledger {
    correction: EnergyCorrection,
    /// Whether truth inside a step is a cubic through four points, which is better than what the step was fed with.
    cubic: bool,
    pub units: Vec<UnitBooks>,
    pub accounts: Vec<Account>,
    ports: Vec<PortPlace>,
    /// For each bond: ⟨q²⟩, the effort Δe of the leak correction and when that was worked out.
    leaks: Vec<(f64, f64, Tick)>,
    /// Where units step at different rates.
    settlement: Option<Settlement>,
    kept: Option<Box<Ledger>>,
}

/// Steps of a window whose truth is known at the window's end only.
#[derive(Clone)]
struct Settlement {
    /// Interpolates what lies between samples.
    truth: Arc<dyn Predictor>,
    /// Of each unit: the steps taken in the window, as many as are counted, and the books as they are after the last window.
    steps: Vec<Vec<Taken>>,
    taken: Vec<usize>,
    books: Vec<UnitBooks>,
    /// Of each port, as in [`PortPlace::flow_at_start`].
    flow_at_start: Vec<[f64; 3]>,
}

/// A step taken, as it was fed.
#[derive(Debug, Clone, Default)]
struct Taken {
    from: Tick,
    to: Tick,
    length_s: f64,
    applied: [Vec<f64>; 3],
}

#[derive(Debug, Clone)]
struct PortPlace {
    bond: usize,
    unit: usize,
    /// Places among the unit's inputs, and gains.
    inputs: Vec<(usize, f64)>,
    /// Channel and component of the flow.
    flow: (usize, usize),
    /// +1 for the first port of a bond, −1 for the second.
    side: f64,
    /// At the last step's start and at the starts of the two before.
    flow_at_start: [f64; 3],
}

/// What is known of the inputs of one unit over its last step.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitBooks {
    /// Start of the step that was last prepared.
    arrived: Option<Tick>,
    /// Whether a step is open: taken, but the truth at its end is not known yet.
    open: bool,
    to: Tick,
    length_s: f64,
    length_before_s: f64,
    /// Weights of the values at the end, the start and the two starts before that make the value at mid-step.
    middle: [f64; 4],
    /// At the step's end, its start, and the starts of the two steps before.
    truth: [Vec<f64>; 4],
    /// At the step's start, middle and end.
    applied: [Vec<f64>; 3],
    /// Correction in use.
    offset: Vec<f64>,
}

impl Ledger {
    /// Accounts for the bonds of a system; `None` where it has none.
    pub fn new(system: &System, stations: &[Station], method: &Method) -> Option<Self> {
        let mut ports = Vec::new();
        for (b, bond) in system.bonds.iter().enumerate() {
            for (p, port) in bond.ports.iter().enumerate() {
                let side = if p == 0 { 1.0 } else { -1.0 };
                let station = &stations[port.unit];
                let place = |reference: u32| station.inputs.refs.iter().position(|r| *r == reference);
                let inputs = port.inputs.iter().filter_map(|&(r, gain)| place(r).map(|p| (p, gain))).collect();
                let Some(at) = station.outputs.refs.iter().position(|r| *r == port.flow) else { continue };
                let within = |&&(_, first, width): &&(usize, usize, usize)| (first..first + width).contains(&at);
                let Some(flow) = station.outputs.channels.iter().find(within).map(|c| (c.0, at - c.1)) else {
                    continue;
                };
                ports.push(PortPlace { bond: b, unit: port.unit, inputs, flow, side, flow_at_start: [0.0; 3] });
            }
        }
        let account = |bond: &Bond| Account {
            name: bond.name.clone(),
            residual_energy_j: 0.0,
            residual_energy_max_j: 0.0,
            residual_power_max_w: 0.0,
            power_max_w: 0.0,
        };
        let units = stations.iter().map(|s| UnitBooks::new(s.inputs.refs.len())).collect();
        let accounts: Vec<Account> = system.bonds.iter().map(account).collect();
        let leaks = vec![(0.0, 0.0, Tick::MIN); accounts.len()];
        let cubic = method.predictor.edge() == Edge::AfterLaw;
        let correction = method.energy;
        (!ports.is_empty()).then_some(Ledger {
            correction,
            cubic,
            units,
            accounts,
            ports,
            leaks,
            settlement: None,
            kept: None,
        })
    }

    /// From now on closes accounts at the end of windows of `window` ticks, in which unit u steps by `steps[u]`.
    pub fn settle_windows(&mut self, window: Tick, steps: &[Tick]) {
        let books: Vec<UnitBooks> = self.units.iter().map(|b| UnitBooks::new(b.offset.len())).collect();
        let taken = |(books, step): (&UnitBooks, &Tick)| {
            let one = Taken { applied: books.applied.clone(), ..Taken::default() };
            vec![one; (window / step) as usize]
        };
        self.settlement = Some(Settlement {
            truth: Arc::new(Lagrange::new(SETTLED_DEPTH - 1)),
            steps: books.iter().zip(steps).map(taken).collect(),
            taken: vec![0; books.len()],
            books,
            flow_at_start: vec![[0.0; 3]; self.ports.len()],
        });
    }

    /// At the end of a window, where all units meet.
    pub fn settle(&mut self, stations: &mut [Station], supply: &mut Supply) {
        let Ledger { settlement: Some(settlement), accounts, ports, cubic, .. } = self else { return };
        let Settlement { truth, steps, taken, books, flow_at_start } = settlement;
        std::mem::swap(&mut supply.predictor, truth);
        for (unit, books) in books.iter_mut().enumerate() {
            for step in &steps[unit][..taken[unit]] {
                if books.length_s == 0.0 {
                    stations[unit].true_inputs(supply, step.from, &mut books.truth[0]);
                }
                books.truth.rotate_right(1);
                books.aim(if *cubic { step.length_s } else { 0.0 });
                (books.length_s, books.length_before_s) = (step.length_s, books.length_s);
                books.applied.iter_mut().zip(&step.applied).for_each(|(to, from)| to.copy_from_slice(from));
                stations[unit].true_inputs(supply, step.to, &mut books.truth[0]);
                for (port, known) in ports.iter().zip(flow_at_start.iter_mut()).filter(|(p, _)| p.unit == unit) {
                    *known = [port.flow(supply, step.from), known[0], known[1]];
                    books.post(port, (port.flow(supply, step.to), *known), &mut accounts[port.bond]);
                }
            }
            taken[unit] = 0;
        }
        std::mem::swap(&mut supply.predictor, truth);
        for account in accounts {
            account.residual_energy_max_j = account.residual_energy_max_j.max(account.residual_energy_j.abs());
        }
    }

    /// Before a unit steps from `span.from`: closes its last step and says what to add to its inputs.
    pub fn arrive(&mut self, stations: &mut [Station], supply: &mut Supply, unit: usize, span: &Span) {
        // A step that is begun beside others is prepared then, not once more where it is ended.
        if self.units[unit].arrived == Some(span.from) || !self.ports.iter().any(|p| p.unit == unit) {
            return;
        }
        self.units[unit].arrived = Some(span.from);
        self.close(stations, supply, unit, span.from);
        match self.correction {
            EnergyCorrection::Monitor => {}
            EnergyCorrection::Nepce => self.units[unit].nepce(),
            EnergyCorrection::Leak => self.damp(supply, unit, span),
        }
        let books = &mut self.units[unit];
        books.truth.rotate_right(1);
        books.aim(if self.cubic { span.length_s } else { 0.0 });
        for port in self.ports.iter_mut().filter(|p| p.unit == unit) {
            port.flow_at_start = [port.flow(supply, span.from), port.flow_at_start[0], port.flow_at_start[1]];
        }
        if self.correction != EnergyCorrection::Monitor {
            stations[unit].inputs.set_offset(&books.offset);
        }
    }

    /// After a unit has stepped: keeps what it was fed with.
    pub fn depart(&mut self, station: &Station, unit: usize, span: &Span) {
        let books = &mut self.units[unit];
        if books.offset.is_empty() {
            return;
        }
        (books.open, books.to) = (true, span.to);
        (books.length_s, books.length_before_s) = (span.length_s, books.length_s);
        for (half, values) in books.applied.iter_mut().enumerate() {
            for (i, v) in values.iter_mut().enumerate() {
                *v = station.applied(i, 0.5 * half as f64);
            }
        }
        if let Some(Settlement { steps, taken, .. }) = &mut self.settlement
            && let Some(step) = steps[unit].get_mut(taken[unit])
        {
            (step.from, step.to, step.length_s) = (span.from, span.to, span.length_s);
            step.applied.iter_mut().zip(&books.applied).for_each(|(to, from)| to.copy_from_slice(from));
            taken[unit] += 1;
        }
    }

    /// Closes a unit's last step with the true inputs at `at`.
    fn close(&mut self, stations: &mut [Station], supply: &mut Supply, unit: usize, at: Tick) {
        let books = &mut self.units[unit];
        let station = &mut stations[unit];
        station.true_inputs(supply, at, &mut books.truth[0]);
        if !books.open {
            return;
        }
        books.open = false;
        if self.settlement.is_some() {
            return;
        }
        for port in self.ports.iter().filter(|p| p.unit == unit) {
            let account = &mut self.accounts[port.bond];
            books.post(port, (port.flow(supply, at), port.flow_at_start), account);
            if port.side < 0.0 {
                account.residual_energy_max_j = account.residual_energy_max_j.max(account.residual_energy_j.abs());
            }
        }
    }

    /// Closes all steps taken.
    pub fn close_all(&mut self, stations: &mut [Station], supply: &mut Supply) {
        for unit in 0..self.units.len() {
            if self.units[unit].open {
                self.close(stations, supply, unit, self.units[unit].to);
            }
        }
    }

    /// Residual energy of all bonds \[J\] and the largest power transmitted \[W\].
    pub fn totals(&self) -> (f64, f64) {
        let energy_j = self.accounts.iter().map(|a| a.residual_energy_j).sum();
        (energy_j, self.accounts.iter().map(|a| a.power_max_w).fold(0.0, f64::max))
    }

    /// The leak correction's share of a unit; both ports of a bond get what was worked out at the first.
    fn damp(&mut self, supply: &Supply, unit: usize, span: &Span) {
        let Ledger { units, accounts, ports, leaks, .. } = self;
        let books = &mut units[unit];
        books.offset.fill(0.0);
        for port in ports.iter().filter(|p| p.unit == unit) {
            let (mean, effort, at) = &mut leaks[port.bond];
            if *at != span.from {
                let flows = ports.iter().filter(|p| p.bond == port.bond);
                let q: f64 = flows.map(|p| p.side * p.flow(supply, span.from)).sum();
                let weight = if *at == Tick::MIN { 1.0 } else { 0.1 / LEAK_STEPS };
                *mean += weight * (q * q - *mean);
                let tau_s = LEAK_STEPS * span.length_s;
                let damping = if *mean > 0.0 { accounts[port.bond].residual_energy_j / (tau_s * *mean) } else { 0.0 };
                (*effort, *at) = (-damping * q, span.from);
            }
            if let Some(&(i, gain)) = port.inputs.iter().find(|(_, gain)| *gain != 0.0) {
                books.offset[i] += port.side * *effort / gain;
            }
        }
    }

    /// Begins anew.
    pub fn forget(&mut self) {
        for books in &mut self.units {
            *books = UnitBooks::new(books.offset.len());
        }
        for account in &mut self.accounts {
            (account.residual_energy_j, account.residual_energy_max_j) = (0.0, 0.0);
            (account.residual_power_max_w, account.power_max_w) = (0.0, 0.0);
        }
        self.leaks.fill((0.0, 0.0, Tick::MIN));
        if let Some(settlement) = &mut self.settlement {
            settlement.forget();
        }
    }

    /// Keeps the accounts, because the window to come may be taken back.
    pub fn save(&mut self) {
        let mut kept = self.kept.take().unwrap_or_else(|| Box::new(self.copy()));
        kept.copy_from(self);
        self.kept = Some(kept);
    }

    /// What it knows, for a memento.
    pub fn pass(&mut self, numbers: &mut Numbers<'_>) {
        if let Some(Settlement { books, flow_at_start, .. }) = &mut self.settlement {
            books.iter_mut().for_each(|books| books.pass(numbers));
            flow_at_start.iter_mut().for_each(|flow| numbers.list(flow));
        }
        for books in &mut self.units {
            books.pass(numbers);
        }
        for account in &mut self.accounts {
            numbers.real(&mut account.residual_energy_j);
            numbers.real(&mut account.residual_energy_max_j);
            numbers.real(&mut account.residual_power_max_w);
            numbers.real(&mut account.power_max_w);
        }
        self.ports.iter_mut().for_each(|port| numbers.list(&mut port.flow_at_start));
        for (mean, effort, at) in &mut self.leaks {
            numbers.real(mean);
            numbers.real(effort);
            numbers.count(at);
        }
    }

    /// Goes back to the accounts kept.
    pub fn restore(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.copy_from(&kept);
            self.kept = Some(kept);
        }
    }

    fn copy(&self) -> Ledger {
        Ledger {
            correction: self.correction,
            cubic: self.cubic,
            units: self.units.clone(),
            accounts: self.accounts.clone(),
            ports: self.ports.clone(),
            leaks: self.leaks.clone(),
            settlement: self.settlement.clone(),
            kept: None,
        }
    }

    /// Takes over what changes in a run, without allocating.
    fn copy_from(&mut self, other: &Ledger) {
        for (books, o) in self.units.iter_mut().zip(&other.units) {
            books.copy_from(o);
        }
        for (account, o) in self.accounts.iter_mut().zip(&other.accounts) {
            account.residual_energy_j = o.residual_energy_j;
            account.residual_energy_max_j = o.residual_energy_max_j;
            account.residual_power_max_w = o.residual_power_max_w;
            account.power_max_w = o.power_max_w;
        }
        for (port, o) in self.ports.iter_mut().zip(&other.ports) {
            port.flow_at_start = o.flow_at_start;
        }
        self.leaks.copy_from_slice(&other.leaks);
        if let (Some(mine), Some(theirs)) = (&mut self.settlement, &other.settlement) {
            mine.books.iter_mut().zip(&theirs.books).for_each(|(books, o)| books.copy_from(o));
            mine.flow_at_start.copy_from_slice(&theirs.flow_at_start);
            mine.taken.copy_from_slice(&theirs.taken);
        }
    }
}

impl Settlement {
    /// Begins anew.
    fn forget(&mut self) {
        for books in &mut self.books {
            *books = UnitBooks::new(books.offset.len());
        }
        self.taken.fill(0);
        self.flow_at_start.fill([0.0; 3]);
    }
}

impl PortPlace {
    /// The flow at `at`, or what was last known of it.
    fn flow(&self, supply: &Supply, at: Tick) -> f64 {
        let history = &supply.histories[self.flow.0];
        history.value(history.not_after(at), self.flow.1)
    }
}

impl UnitBooks {
    fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        let truth = [zeros(), zeros(), zeros(), zeros()];
        UnitBooks { truth, applied: [zeros(), zeros(), zeros()], offset: zeros(), ..UnitBooks::default() }
    }

    /// Weights for a step of `length_s` seconds after the last ones: Lagrange polynomials at mid-step through as many of the
    /// four points as there are; the line through two where `length_s` is 0.
    fn aim(&mut self, length_s: f64) {
        let points = match (length_s > 0.0 && self.length_s > 0.0, self.length_before_s > 0.0) {
            (false, _) => 2,
            (true, false) => 3,
            (true, true) => 4,
        };
        let before = -self.length_s / length_s;
        let at = [1.0, 0.0, before, before - self.length_before_s / length_s];
        self.middle = [0.0; 4];
        for i in 0..points {
            let others = (0..points).filter(|j| *j != i);
            self.middle[i] = others.map(|j| (0.5 - at[j]) / (at[i] - at[j])).product();
        }
    }

    fn at_middle(&self, values: [f64; 4]) -> f64 {
        self.middle.iter().zip(values).map(|(w, v)| w * v).sum()
    }

    /// Truth less what input `i` was fed with at start, middle and end of the step.
    fn missed(&self, i: usize) -> [f64; 3] {
        let known = [0, 1, 2, 3].map(|k| self.truth[k][i]);
        let truth = [known[1], self.at_middle(known), known[0]];
        [0, 1, 2].map(|k| truth[k] - self.applied[k][i])
    }

    /// Mean over the step of what is given at start, middle and end: Simpson's rule, or the trapezoidal one where the middle
    /// is not known better than by its ends.
    fn mean(&self, [start, middle, end]: [f64; 3]) -> f64 {
        if self.middle[2] == 0.0 { 0.5 * (start + end) } else { (start + 4.0 * middle + end) / 6.0 }
    }

    /// What the last step's inputs missed on average, their own correction not counted; nothing before the first step.
    fn nepce(&mut self) {
        if self.length_s == 0.0 {
            return;
        }
        for i in 0..self.offset.len() {
            self.offset[i] += self.mean(self.missed(i));
        }
    }

    /// What a port's input missed over the step whose end is known, into its account; flows at the step's end, its start and the
    /// starts of the two before.
    fn post(&self, port: &PortPlace, (flow, [start, before, earlier]): (f64, [f64; 3]), account: &mut Account) {
        let flow_there = [start, self.at_middle([flow, start, before, earlier]), flow];
        let (mut residual_w, mut power_w) = ([0.0; 3], 0.0);
        for &(i, gain) in &port.inputs {
            for ((w, missed), flow) in residual_w.iter_mut().zip(self.missed(i)).zip(flow_there) {
                *w -= gain * missed * flow;
            }
            power_w += gain * self.truth[0][i] * flow;
        }
        let [start_w, _, end_w] = residual_w;
        account.residual_energy_j += self.length_s * self.mean(residual_w);
        account.power_max_w = account.power_max_w.max(power_w.abs());
        account.residual_power_max_w = account.residual_power_max_w.max(start_w.abs()).max(end_w.abs());
    }

    /// What it knows, for a memento.
    fn pass(&mut self, numbers: &mut Numbers<'_>) {
        let mut has_arrived = self.arrived.is_some();
        let mut arrived = self.arrived.unwrap_or_default();
        numbers.flag(&mut has_arrived);
        numbers.count(&mut arrived);
        self.arrived = has_arrived.then_some(arrived);
        numbers.flag(&mut self.open);
        numbers.count(&mut self.to);
        numbers.real(&mut self.length_s);
        numbers.real(&mut self.length_before_s);
        numbers.list(&mut self.middle);
        let UnitBooks { truth, applied, offset, .. } = self;
        truth.iter_mut().chain(applied).chain([offset]).for_each(|list| numbers.list(list));
    }

    fn copy_from(&mut self, o: &UnitBooks) {
        (self.open, self.to, self.length_s) = (o.open, o.to, o.length_s);
        self.length_before_s = o.length_before_s;
        (self.middle, self.arrived) = (o.middle, o.arrived);
        let pairs = self.truth.iter_mut().zip(&o.truth).chain(self.applied.iter_mut().zip(&o.applied));
        for (mine, theirs) in pairs {
            mine.copy_from_slice(theirs);
        }
        self.offset.copy_from_slice(&o.offset);
    }
}
