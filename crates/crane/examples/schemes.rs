//! Table of the crane under the coupling schemes: stability, lift, violation, work and time.
//!
//!     cargo run --release -p macrostep-crane --example schemes

use std::{error::Error, time::Instant};

use macrostep_crane::{
    cosim::{Order, Scheme},
    crane::{self, CraneOptions, MICRO_S},
};
use macrostep_hydraulics::{Delivery, Prediction};

fn main() -> Result<(), Box<dyn Error>> {
    // The schemes that are compared.
    let system = crane::system(&CraneOptions::default())?;
    let schemes = [
        (Prediction::Hold, Order::Jacobi, Delivery::End),
        (Prediction::Linear, Order::Jacobi, Delivery::End),
        (Prediction::Hold, Order::FastFirst, Delivery::End),
        (Prediction::Linear, Order::FastFirst, Delivery::Mean),
        (Prediction::InterfaceModel, Order::Jacobi, Delivery::End),
        (Prediction::InterfaceModel, Order::FastFirst, Delivery::End),
        (Prediction::InterfaceModel, Order::FastFirst, Delivery::Mean),
    ];
    // A line for each of them with macro steps from 1 ms to 48 ms, over 8 s.
    println!("prediction     order     force  H ms  stable until s  log m   violation m  pivots  x real time");
    for (prediction, order, delivery) in schemes {
        for macro_s in [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.048] {
            let scheme = Scheme::recommended(macro_s, MICRO_S).with(prediction, order, delivery);
            let start = Instant::now();
            let run = crane::run(&system, scheme, 8.0)?;
            // The table, with how many times faster than real time it ran.
            let ratio = run.time_s / start.elapsed().as_secs_f64();
            println!(
                "{:<14} {:<9} {:<6} {:<5} {:<6} {:<8.3} {:<7.3} {:<12.1e} {:<7} {ratio:.0}",
                format!("{prediction:?}"),
                format!("{order:?}"),
                format!("{delivery:?}"),
                1e3 * macro_s,
                run.stable,
                run.time_s,
                run.log_height_m,
                run.violation_max_m,
                run.pivots,
            );
        }
    }
    Ok(())
}
