//! Writes every kernel of this program to files, for other programs and tools: `.vxbin`, metadata, and ELF with
//! symbols.
//!
//! ```sh
//! cargo run --release --example emit -- --emit DIR
//! VORTEX_KERNEL_PATH=DIR cargo run --release --example emit        # launches one of them by its name
//! ```

use std::env;

use vortex::Module;
use vortex::prelude::*;

#[vortex::kernel]
fn brighten(by: f32, pixels: &mut [f32]) {
    let i = global_id();
    if i < pixels.len() {
        pixels[i] = (pixels[i] + by).min(1.0);
    }
}

#[vortex::kernel]
fn threshold(limit: f32, pixels: &mut [f32]) {
    let i = global_id();
    if i < pixels.len() {
        pixels[i] = if pixels[i] < limit { 0.0 } else { 1.0 };
    }
}

fn main() -> vortex::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [option, directory] if option == "--emit" => {
            let module = Module::builder("emit").registered().build()?;
            for file in module.write_dir(directory)? {
                println!("{}", file.display());
            }
            return Ok(());
        }
        [] => {}
        _ => {
            eprintln!("usage: emit [--emit DIR]");
            std::process::exit(2);
        }
    }
    let device = Device::open()?;
    let mut pixels = device.upload(&[0.1f32, 0.4, 0.9])?;
    for (name, value) in [("brighten", 0.2f32), ("threshold", 0.5)] {
        let launch = device.kernel(name)?.args((value, &mut pixels))?;
        launch.over(3).launch(&device)?;
    }
    println!("{:?}", pixels.download()?);
    assert_eq!(pixels.download()?, [0.0, 1.0, 1.0]);
    Ok(())
}
