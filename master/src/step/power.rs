//! *Power bonds*: their residual energy and its correction.
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
//! integral is Simpson's; motions are predicted better than that, so that the trapezoidal rule is used, which gives
//! 1.5 to 2.6 times the integral of an error that grows late in the step. Where the units themselves are exact and the predictor is classical, δE is what the coupled
//! system's energy has drifted by.
//!
//! Where units step at different rates a fast unit is between two samples of a slow one, which says only later what its own
//! motion has been. Accounts are closed at the window's end then, where all units meet: the truth at every fast point is made of
//! the slow signals interpolated by the cubic through four samples. So it is with half steps; of those that are merged with ones of
//! the next window, at its end.
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

use crate::method::predict::Edge;
use crate::method::{EnergyCorrection, Method};
use crate::savable::savable;
use crate::step::account::{Account, Passage, PortPlace, Ports};
use crate::step::balance::{Settlement, UnitBalance};
use crate::step::supply::{Coupled, Supply};
use crate::step::unit_port::UnitPort;
use crate::system::System;
use crate::system::bond::Bond;
use crate::time::{Span, Tick};

/// Number of steps in which the leak correction takes out the residual energy.
pub const LEAK_STEPS: f64 = 10.0;

/// How the bonds of a run are accounted for.
pub(crate) struct EnergyBalance {
    correction: EnergyCorrection,
    ports: Ports,
    /// Numbers of the ports of each unit.
    of_unit: Vec<Vec<usize>>,
    names: Vec<String>,
    /// How many inputs each unit has.
    inputs: Vec<usize>,
    /// Where units step at different rates: the steps of each in a window, at the end of which accounts are closed.
    steps: Option<Vec<usize>>,
}

savable! {
/// Accounts of all bonds in a run.
pub(crate) struct EnergyBalanceState {
    units: Vec<UnitBalance>,
    pub accounts: Vec<Account>,
    /// For each bond.
    passages: Vec<Passage>,
    /// For each port, at the last step's start and at the starts of the two before.
    flow_at_start: Vec<[f64; 3]>,
    /// For each bond: ⟨q²⟩, the effort Δe of the leak correction and when that was worked out.
    leaks: Vec<(f64, f64, Tick)>,
    /// Where units step at different rates.
    settlement: Option<Settlement>,
}
}

impl EnergyBalance {
    /// Accounts for the bonds of a system; `None` where it has none.
    pub fn new(system: &System, unit_ports: &[UnitPort], method: &Method) -> Option<Self> {
        let mut ports = Vec::new();
        for (b, bond) in system.bonds.iter().enumerate() {
            for (p, port) in bond.ports.iter().enumerate() {
                let side = if p == 0 { 1.0 } else { -1.0 };
                let unit_port = &unit_ports[port.unit];
                let place = |reference: u32| unit_port.inputs.refs.iter().position(|r| *r == reference);
                let inputs = port.inputs.iter().filter_map(|&(r, gain)| place(r).map(|p| (p, gain))).collect();
                let Some(at) = unit_port.outputs.refs.iter().position(|r| *r == port.flow) else { continue };
                let within = |&&(_, first, width): &&(usize, usize, usize)| (first..first + width).contains(&at);
                let Some(flow) = unit_port.outputs.channels.iter().find(within).map(|c| (c.0, at - c.1)) else {
                    continue;
                };
                ports.push(PortPlace { bond: b, unit: port.unit, inputs, flow, side, number: p });
            }
        }
        let names = system.bonds.iter().map(|bond: &Bond| bond.name.clone()).collect();
        let mut of_unit = vec![Vec::new(); unit_ports.len()];
        ports.iter().enumerate().for_each(|(i, port): (usize, &PortPlace)| of_unit[port.unit].push(i));
        let inputs = unit_ports.iter().map(|s| s.inputs.refs.len()).collect();
        let cubic = method.predictor.edge() == Edge::AfterLaw;
        let correction = method.energy;
        let ports = Ports { places: ports, cubic };
        (!ports.places.is_empty()).then_some(EnergyBalance { correction, ports, of_unit, names, inputs, steps: None })
    }

    /// From now on closes accounts at the end of windows of `window` ticks, in which unit u steps by `steps[u]`, each in up to
    /// so many parts.
    pub fn settle_windows(&mut self, window: Tick, steps: &[Tick], parts: Tick) {
        self.steps = Some(steps.iter().map(|s| (window / s * parts) as usize).collect());
    }

    /// The state before the first step.
    pub fn state(&self) -> EnergyBalanceState {
        let account = |name: &String| Account {
            name: name.clone(),
            residual_energy_j: 0.0,
            residual_energy_max_j: 0.0,
            residual_power_max_w: 0.0,
            power_max_w: 0.0,
            missed_j: 0.0,
            missed_inside_j: 0.0,
            passed_j: 0.0,
        };
        let settlement = self.steps.as_ref().map(|steps| {
            let units = self.inputs.iter().copied().zip(steps.iter().copied());
            Settlement::new(units, self.ports.places.len())
        });
        EnergyBalanceState {
            units: self.inputs.iter().map(|n| UnitBalance::new(*n)).collect(),
            accounts: self.names.iter().map(account).collect(),
            passages: vec![Passage::default(); self.names.len()],
            flow_at_start: vec![[0.0; 3]; self.ports.places.len()],
            leaks: vec![(0.0, 0.0, Tick::MIN); self.names.len()],
            settlement,
        }
    }

    /// At the end of a window, where all units meet, or have gone beyond.
    pub fn settle(&self, state: &mut EnergyBalanceState, coupled: &mut Coupled<'_>, end: Tick) {
        let EnergyBalanceState { settlement: Some(settlement), accounts, passages, .. } = state else { return };
        settlement.close(coupled, end, &self.ports, (accounts, passages));
    }

    /// Before a unit steps from `span.from`: closes the balance of its last step and computes the correction of its
    /// inputs.
    pub fn arrive(
        &self,
        state: &mut EnergyBalanceState,
        Coupled { unit_ports, states, supply }: &mut Coupled<'_>,
        unit: usize,
        span: &Span,
    ) {
        // A step that is begun beside others is prepared then, not once more where it is ended.
        if state.units[unit].arrived == Some(span.from) || !self.has_port(unit) {
            return;
        }
        self.close(state, unit_ports, supply, (unit, span.from));
        // What to add to the inputs.
        match self.correction {
            EnergyCorrection::Monitor => {}
            EnergyCorrection::Nepce => state.units[unit].nepce(),
            EnergyCorrection::Leak => self.damp(state, supply, unit, span),
        }
        self.prepare(state, (unit, span), |port| self.ports.places[port].flow(supply, span.from));
        if self.correction != EnergyCorrection::Monitor {
            states[unit].inputs.set_offset(&state.units[unit].offset);
        }
    }

    /// Whether accounts are closed one step after the other and nothing is corrected, so that [`EnergyBalance::meet`] may take the
    /// place of [`EnergyBalance::arrive`].
    pub fn only_watches(&self) -> bool {
        self.correction == EnergyCorrection::Monitor && self.steps.is_none()
    }

    /// Whether inputs are corrected by what the accounts say.
    pub fn corrects(&self) -> bool {
        self.correction != EnergyCorrection::Monitor
    }

    /// Channel and component of the flow of each port.
    pub fn flows(&self) -> impl Iterator<Item = (usize, usize)> {
        self.ports.places.iter().map(|port| port.flow)
    }

    /// Whether a unit has a port.
    pub fn has_port(&self, unit: usize) -> bool {
        !self.of_unit[unit].is_empty()
    }

    /// As [`EnergyBalance::arrive`] where it only watches, with known values at `span.from`: true values of the unit's inputs, and
    /// the flow of a port by its number.
    #[inline]
    pub fn meet(
        &self,
        state: &mut EnergyBalanceState,
        (unit, span): (usize, &Span),
        truth: &[f64],
        flow: impl Fn(usize) -> f64,
    ) {
        let EnergyBalanceState { units, accounts, passages, flow_at_start, .. } = state;
        let balance = &mut units[unit];
        balance.meet(truth);
        // Port by port what the last step was, and where the next one begins.
        let is_open = std::mem::take(&mut balance.open);
        for &i in &self.of_unit[unit] {
            let (flow, known) = (flow(i), &mut flow_at_start[i]);
            if is_open {
                self.ports.places[i].post(balance, (flow, *known), (accounts, passages));
                self.ports.places[i].close(accounts);
            }
            *known = [flow, known[0], known[1]];
        }
        self.follow(balance, span);
    }

    /// The step to come follows the ones before.
    #[inline]
    fn prepare(&self, state: &mut EnergyBalanceState, (unit, span): (usize, &Span), flow: impl Fn(usize) -> f64) {
        self.follow(&mut state.units[unit], span);
        for &i in &self.of_unit[unit] {
            let [start, before, _] = state.flow_at_start[i];
            state.flow_at_start[i] = [flow(i), start, before];
        }
    }

    /// The inputs of the step to come follow those of the ones before.
    #[inline(always)]
    fn follow(&self, balance: &mut UnitBalance, span: &Span) {
        balance.arrived = Some(span.from);
        balance.begin();
        balance.aim(span.length_s, self.ports.cubic);
    }

    /// After a unit has stepped: keeps the inputs that it was given.
    #[inline]
    pub fn depart(&self, state: &mut EnergyBalanceState, unit_port: &UnitPort, unit: usize, span: &Span) {
        if !self.has_port(unit) {
            return;
        }
        let balance = &mut state.units[unit];
        (balance.open, balance.to) = (true, span.to);
        (balance.length_s, balance.length_before_s) = (span.length_s, balance.length_s);
        if unit_port.holds {
            balance
                .applied
                .iter_mut()
                .zip(&unit_port.inputs.values)
                .for_each(|(applied, value)| *applied = [*value; 3]);
        } else {
            for (i, applied) in balance.applied.iter_mut().enumerate() {
                *applied = [0.0, 0.5, 1.0].map(|s| unit_port.applied(i, s));
            }
        }
        if let Some(settlement) = &mut state.settlement {
            settlement.take(unit, span, &balance.applied);
        }
    }

    /// Closes a unit's last step with the true inputs at `at`.
    fn close(
        &self,
        state: &mut EnergyBalanceState,
        unit_ports: &mut [UnitPort],
        supply: &mut Supply<'_>,
        (unit, at): (usize, Tick),
    ) {
        unit_ports[unit].feed_now(supply, at);
        state.units[unit].meet(&unit_ports[unit].inputs.values);
        self.post(state, unit, |port| self.ports.places[port].flow(supply, at));
    }

    /// Enters a unit's last step, where one is open, with the flows at its end.
    #[inline]
    fn post(&self, state: &mut EnergyBalanceState, unit: usize, flow: impl Fn(usize) -> f64) {
        let balance = &mut state.units[unit];
        if !std::mem::take(&mut balance.open) || state.settlement.is_some() {
            return;
        }
        for &i in &self.of_unit[unit] {
            let into = (state.accounts.as_mut_slice(), state.passages.as_mut_slice());
            self.ports.places[i].post(balance, (flow(i), state.flow_at_start[i]), into);
            self.ports.places[i].close(&mut state.accounts);
        }
    }

    /// Closes all steps taken.
    pub fn close_all(&self, state: &mut EnergyBalanceState, unit_ports: &mut [UnitPort], supply: &mut Supply<'_>) {
        for unit in 0..state.units.len() {
            if state.units[unit].open {
                let to = state.units[unit].to;
                self.close(state, unit_ports, supply, (unit, to));
            }
        }
    }

    /// Closes all steps taken; those to come do not go on from them.
    pub fn begin_anew(&self, state: &mut EnergyBalanceState, unit_ports: &mut [UnitPort], supply: &mut Supply<'_>) {
        self.close_all(state, unit_ports, supply);
        for (balance, n) in state.units.iter_mut().zip(&self.inputs) {
            let offset = std::mem::take(&mut balance.offset);
            *balance = UnitBalance { offset, ..UnitBalance::new(*n) };
        }
    }

    /// The leak correction's share of a unit; both ports of a bond get what was worked out at the first.
    fn damp(&self, state: &mut EnergyBalanceState, supply: &Supply<'_>, unit: usize, span: &Span) {
        let (ports, EnergyBalanceState { units, accounts, leaks, .. }) = (&self.ports.places, state);
        let balance = &mut units[unit];
        balance.offset.fill(0.0);
        for port in self.of_unit[unit].iter().map(|i| &ports[*i]) {
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
                balance.offset[i] += port.side * *effort / gain;
            }
        }
    }
}

impl EnergyBalanceState {
    /// Residual energy of all bonds \[J\] and the largest power transmitted \[W\].
    pub fn totals(&self) -> (f64, f64) {
        let energy_j = self.accounts.iter().map(|a| a.residual_energy_j).sum();
        (energy_j, self.accounts.iter().map(|a| a.power_max_w).fold(0.0, f64::max))
    }
}
