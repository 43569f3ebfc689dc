//! The verbs in their groups, each with examples and, where it takes longer than ten seconds, how long.

/// One verb.
#[derive(Debug)]
pub struct Verb {
    /// What is typed after `macrostep`.
    pub name: &'static str,
    /// About how long it takes as it comes, where that is more than ten seconds on two cores.
    pub time: Option<&'static str>,
    /// Commands to begin with; what follows ` # ` is a remark.
    pub examples: &'static [&'static str],
}

const fn verb(name: &'static str, examples: &'static [&'static str]) -> Verb {
    Verb { name, time: None, examples }
}

const fn long(name: &'static str, time: &'static str, examples: &'static [&'static str]) -> Verb {
    Verb { name, time: Some(time), examples }
}

/// Options that `-h` leaves out, because few runs need them; `--help` shows all.
pub const RARE: &[&str] = &[
    "solver_tolerance",
    "corrector_tolerance",
    "sampling",
    "derivative",
    "gs_variant",
    "energy",
    "control",
    "control_tolerance",
    "parameters",
    "rollback",
    "threads",
    "isolate",
    "call_limit",
    "memory_limit",
    "run_limit",
    "logging_on",
    "parquet",
    "mat",
    "no_pictures",
    "bundle",
    "real_time",
    "accept_unconverged",
    "accept_growth",
    "solution",
    "checkpoint_every",
    "shard",
    "merge",
    "seed",
    "time_offset",
    "rate",
    "fast",
    "micro",
    "integrator",
    "force",
    "units",
    "record_every",
    "re",
    "im",
    "rays",
    "ratio",
    "no_geometric_stiffness",
];

/// All verbs, in the order in which they are shown.
pub const GROUPS: &[(&str, &[Verb])] = &[
    (
        "Your FMUs",
        &[
            verb("fmus", &["macrostep fmus --out fmus-out"]),
            verb("info", &["macrostep info fmus-out/oscillator1_force.fmu"]),
            verb(
                "check",
                &[
                    "macrostep check fmus-out/oscillator1_force.fmu --rollback",
                    "macrostep check fmus-out/oscillator1_force.fmu --junit check.xml",
                ],
            ),
            verb(
                "simulate",
                &[
                    "macrostep simulate fmus-out/oscillator1_force.fmu --start k=20 --step 1e-3 --stop 10 --out out/single",
                ],
            ),
            verb(
                "flex import",
                &[
                    "macrostep flex import examples/meshes/link.inp --material 2.1e11,0.3,7850 --connector root=ROOT --connector tip=TIP --fmu link.fmu",
                ],
            ),
            verb(
                "flex surface",
                &[
                    "macrostep flex surface examples/meshes/link.inp --material 2.1e11,0.3,7850 --connector root=ROOT --connector tip=TIP --values 36",
                ],
            ),
        ],
    ),
    (
        "Coupling",
        &[
            verb("systems", &["macrostep systems"]),
            verb(
                "new",
                &["macrostep new fmus-out/oscillator1_displacement.fmu fmus-out/oscillator2_force.fmu > pair.toml"],
            ),
            verb(
                "run",
                &[
                    "macrostep run case-1 --out out/run --report",
                    "macrostep run case-1 --method waveform:8 --step 0.2 --json",
                    "macrostep run case-1 --set mass1.k=20 --stop 5",
                    "macrostep run fmus-out/oscillator1_displacement.fmu fmus-out/oscillator2_force.fmu --stop 1",
                ],
            ),
            verb("recover", &["macrostep recover out/run/trace.csv"]),
            verb("explain", &["macrostep explain case-1"]),
            verb("verify", &["macrostep verify case-1 --tolerance 0.1", "macrostep verify case-1 --junit verify.xml"]),
            verb("graph", &["macrostep graph case-1 --out case-1.svg"]),
            verb("convert", &["macrostep convert case-1 case-1.toml", "macrostep convert case-1 case-1.ssp"]),
            verb("export", &["macrostep export case-1 --out both.fmu"]),
            verb(
                "sweep",
                &["macrostep sweep case-1 --vary mass1.k=lin:5:15:5 --measure 'top=max(mass1.x)' --out out/sweep"],
            ),
            verb(
                "fit",
                &[
                    "macrostep fit examples/fit/pair.toml --data examples/fit/measured.csv --free left.k=1:100 --free right.c=0.01:5",
                ],
            ),
        ],
    ),
    (
        "Coupling methods",
        &[
            verb("advise", &["macrostep advise case-1 --tolerance 1e-3"]),
            verb("energy", &["macrostep energy case-1:f-f --predict hold --stop 20"]),
            verb("converge", &["macrostep converge test-model --predict hold,linear,ia1"]),
            long("compare", "40 s", &["macrostep compare --scenario case-1 --out out/work # about 40 s"]),
            long(
                "stability",
                "1 min",
                &[
                    "macrostep stability --grid 21 --predict hold,linear # some seconds",
                    "macrostep stability --grid 61 --out out/stability # about 1 min",
                ],
            ),
        ],
    ),
    (
        "Demonstrations",
        &[
            verb("lab", &["macrostep lab", "macrostep lab --out page"]),
            verb("oscillator", &["macrostep oscillator --coupling f-s --predict linear --out out/first"]),
            verb(
                "crane",
                &["macrostep crane --manoeuvre slewing --out out/log", "macrostep crane --step 0.064 --solution 2e-4"],
            ),
            verb("actuator", &["macrostep actuator --stop 1.6"]),
        ],
    ),
    (
        "This program",
        &[
            verb("docs", &["macrostep docs", "macrostep docs methods"]),
            verb("completions", &["macrostep completions bash > macrostep.bash"]),
            verb("manual", &["macrostep manual man/man1"]),
        ],
    ),
];
