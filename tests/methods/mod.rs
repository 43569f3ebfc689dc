//! Predictors, schedules and correctors: orders, figures, identities, stability and work, natively and through FMUs.

mod advise;
mod allocation;
mod beyond;
mod compiled;
mod control;
mod correctors;
mod energy;
mod figures;
mod forced;
mod identities;
mod integrated;
mod lines;
mod multirate;
mod named;
mod nodes;
mod noisy;
mod orders;
mod rates;
mod scenarios;
mod stability;
mod stiff;
mod through_fmus;
mod waveforms;
