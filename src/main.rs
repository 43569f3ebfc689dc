//! The program `macrostep`.

fn main() -> std::process::ExitCode {
    macrostep::program()
}
