//! Compiles the part of the importer that only C can express: a variadic logger.

fn main() {
    println!("cargo::rerun-if-changed=src/fmu/callbacks.c");
    // A browser has no FMUs that could log.
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        return;
    }
    cc::Build::new().file("src/fmu/callbacks.c").warnings(true).compile("macrostep_callbacks");
}
