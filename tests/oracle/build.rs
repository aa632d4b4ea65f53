//! Writes kernels: `SEED` decides which, `COUNT` how many.

#[path = "src/generate.rs"]
mod generate;

use std::path::Path;
use std::{env, fs};

fn main() {
    let number = |name: &str, otherwise| {
        println!("cargo::rerun-if-env-changed={name}");
        env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let text = generate::kernels(number("SEED", 1), number("COUNT", 200));
    let out = env::var_os("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&out).join("kernels.rs"), text).expect("there is room");
}
