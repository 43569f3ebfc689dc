//! Compiles the part of the importer that only C can say: a variadic logger.

fn main() {
    println!("cargo::rerun-if-changed=src/unit/fmu/callbacks.c");
    cc::Build::new().file("src/unit/fmu/callbacks.c").warnings(true).compile("macrostep_callbacks");
}
