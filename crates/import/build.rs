//! Compiles the part of the importer that only C can express: a variadic logger.

fn main() {
    println!("cargo::rerun-if-changed=src/fmu/callbacks.c");
    cc::Build::new().file("src/fmu/callbacks.c").warnings(true).compile("macrostep_callbacks");
}
