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

use crate::books::{Settlement, UnitBooks};
use crate::feed::Supply;
use crate::memento::Numbers;
use crate::method::Method;
use crate::predict::Edge;
use crate::station::Station;
use crate::system::System;
use crate::time::{Span, Tick};

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

/// A port in a run.
#[derive(Debug, Clone)]
pub(crate) struct PortPlace {
    pub bond: usize,
    pub unit: usize,
    /// Places among the unit's inputs, and gains.
    pub inputs: Vec<(usize, f64)>,
    /// Channel and component of the flow.
    flow: (usize, usize),
    /// +1 for the first port of a bond, −1 for the second.
    side: f64,
    /// At the last step's start and at the starts of the two before.
    flow_at_start: [f64; 3],
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
        let inputs = self.units.iter().map(UnitBooks::inputs);
        self.settlement =
            Some(Settlement::new(inputs.zip(steps.iter().map(|s| (window / s) as usize)), self.ports.len()));
    }

    /// At the end of a window, where all units meet.
    pub fn settle(&mut self, stations: &mut [Station], supply: &mut Supply) {
        let Ledger { settlement: Some(settlement), accounts, ports, cubic, .. } = self else { return };
        settlement.close((stations, supply), *cubic, ports, accounts);
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
        if let Some(settlement) = &mut self.settlement {
            settlement.take(unit, span, &books.applied);
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
        if let Some(settlement) = &mut self.settlement {
            settlement.pass(numbers);
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
            mine.copy_from(theirs);
        }
    }
}

impl PortPlace {
    /// The flow at `at`, or what was last known of it.
    pub fn flow(&self, supply: &Supply, at: Tick) -> f64 {
        let history = &supply.histories[self.flow.0];
        history.value(history.not_after(at), self.flow.1)
    }
}
