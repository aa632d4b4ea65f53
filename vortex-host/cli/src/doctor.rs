//! `vortex doctor`.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use vortex::prelude::*;
use vortex::{Module, Report};

use crate::devices::describe;

/// A kernel with a bit of everything: floats, a guard, a loop whose length differs between work items.
#[vortex::kernel]
fn examine(scale: f32, x: &[f32], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0..i % 7 {
            sum += x[(i + k) % x.len()] * scale;
        }
        out[i] = sum;
    }
}

pub(crate) fn run() -> Result<()> {
    let mut text = String::new();
    let mut wrong = 0;
    let mut check = |what: &str, result: Result<String>| match result {
        Ok(found) => _ = writeln!(text, "ok     {what}: {found}"),
        Err(error) => {
            wrong += 1;
            let error = format!("{error:#}");
            _ = writeln!(text, "WRONG  {what}: {}", crate::one_line(&error));
        }
    };
    check(
        "embedded device",
        Device::builder()
            .open()
            .map_err(Into::into)
            .and_then(|device| computes(&device)),
    );
    let released = Device::builder().released().open();
    check(
        "the released machine",
        released
            .map_err(Into::into)
            .and_then(|device| computes(&device)),
    );
    check(
        "device of the environment",
        Device::open()
            .map_err(Into::into)
            .and_then(|device| computes(&device)),
    );
    check("files", files());
    crate::print_bytes(text.as_bytes())?;
    match wrong {
        0 => Ok(()),
        1 => bail!("one check failed"),
        more => bail!("{more} checks failed"),
    }
}

fn expected(x: &[f32]) -> Vec<f32> {
    let item = |i: usize| (0..i % 7).fold(0.0, |sum, k| sum + x[(i + k) % x.len()] * 0.5);
    (0..x.len()).map(item).collect()
}

fn data() -> Vec<f32> {
    (0..1000).map(|n| n as f32 * 0.25).collect()
}

fn judge(found: &[f32], report: &Report) -> Result<String> {
    if found != expected(&data()) {
        bail!("the results are not those of the host");
    }
    Ok(match report.instructions() {
        Some(instructions) => format!("{instructions} instructions, results as on the host"),
        None => "results as on the host".to_owned(),
    })
}

/// Whether a device computes what the host does.
fn computes(device: &Device) -> Result<String> {
    let x = device.upload(&data())?;
    let mut out = device.alloc(data().len())?;
    let report = examine(0.5, &x, &mut out)
        .over(data().len())
        .launch(device)?;
    let result = judge(&out.download()?, &report)?;
    Ok(format!("{}; {result}", describe(device.caps())))
}

/// Whether a kernel that went through a file does too.
fn files() -> Result<String> {
    let device = Device::builder().open()?;
    let module = Module::builder("doctor")
        .kernel::<examine>()
        .device(&device)
        .build()?;
    let file = module.to_elf();
    let module = Module::from_elf(&file)?;
    let x = device.upload(&data())?;
    let mut out = device.alloc(data().len())?;
    let launch = module.launch("examine")?.scalar("scale", 0.5f32)?;
    let launch = launch.slice("x", &x)?.slice_mut("out", &mut out)?;
    let report = launch.over(data().len()).launch(&device)?;
    let result = judge(&out.download()?, &report)?;
    Ok(format!("a module of {} bytes; {result}", file.len()))
}
