//! `vortex doctor`.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use vortex::prelude::*;
use vortex::{Module, Report};

use crate::installed::Installed;

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

/// What was found so far.
#[derive(Default)]
struct Findings {
    text: String,
    wrong: u32,
}

impl Findings {
    fn note(&mut self, what: &str, result: Result<String>) {
        let text = &mut self.text;
        match result {
            Ok(found) => _ = writeln!(text, "ok     {what}: {found}"),
            Err(error) => {
                self.wrong += 1;
                let error = crate::chained(&error);
                _ = writeln!(text, "WRONG  {what}: {}", crate::one_line(&error));
            }
        }
    }

    fn device(&mut self, what: &str, device: vortex::Result<Device>) {
        let result = device.map_err(Into::into);
        self.note(what, result.and_then(|device| computes(&device)));
    }
}

pub(crate) fn run(chosen_only: bool) -> Result<()> {
    let mut findings = Findings::default();
    if !chosen_only {
        findings.device("embedded device", Device::builder().open());
        findings.device("the released machine", Device::builder().released().open());
    }
    findings.device("device of the environment", Device::open());
    if !chosen_only {
        findings.note("files", files());
        others(&mut findings);
    }
    crate::print_text(&findings.text)?;
    match findings.wrong {
        0 => Ok(()),
        1 => bail!("one check failed"),
        more => bail!("{more} checks failed"),
    }
}

/// The devices of Vortex's own runtime.
fn others(findings: &mut Findings) {
    const RUNTIME: &str = "Vortex's own runtime";
    let found = Installed::look();
    match &found.runtime {
        // Most have no need of it.
        None => {
            _ = writeln!(
                findings.text,
                "-      {RUNTIME}: there is no libvortex.so here"
            )
        }
        Some(path) if found.drivers.is_empty() => {
            let path = path.display();
            _ = writeln!(
                findings.text,
                "-      {RUNTIME}: {path}, but no libvortex-NAME.so for a device"
            );
        }
        Some(_) => {
            for driver in found.drivers.iter().filter(|name| chosen() != **name) {
                let what = format!("{RUNTIME}, VORTEX_DRIVER={driver}");
                findings.note(&what, elsewhere(driver));
            }
        }
    }
}

/// The device that the environment chooses.
fn chosen() -> String {
    std::env::var("VORTEX_DRIVER").unwrap_or_else(|_| "embedded".to_owned())
}

/// Whether the device of a driver computes what the host does. The runtime takes the driver's name from the
/// environment, and some do not survive what they find: hence a process of its own.
fn elsewhere(driver: &str) -> Result<String> {
    let program = std::env::current_exe().context("this program does not know where it is")?;
    let output = std::process::Command::new(program)
        .args(["doctor", "--chosen-only"])
        .env("VORTEX_DRIVER", driver)
        .output()?;
    let last = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        text.lines().last().unwrap_or_default().to_owned()
    };
    let said = last(&output.stdout);
    match said.split_once(": ") {
        Some((_, found)) if output.status.success() => Ok(found.to_owned()),
        Some((_, wrong)) if said.starts_with("WRONG") => bail!("{wrong}"),
        _ => bail!("{}, {}", output.status, last(&output.stderr)),
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
    Ok(format!("{}; {result}", device.caps()))
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
