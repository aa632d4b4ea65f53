//! Devices as the environment says, in processes of their own.

use std::process::Command;

use vortex::prelude::*;

/// Only means something when another test starts it: it prints what there is.
#[test]
fn of_environment() {
    if std::env::var_os("VORTEX_SCENARIO").is_none() {
        return;
    }
    match Devices::open() {
        Ok(devices) => {
            let cores: Vec<u32> = devices.iter().map(|device| device.caps().cores).collect();
            println!("cores of each: {cores:?}");
        }
        Err(error) => println!("error: {error}"),
    }
}

fn opened(variables: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "opening::of_environment", "--nocapture"])
        .env_remove("VORTEX_DEVICES")
        .env_remove("VORTEX_DRIVER")
        .env("VORTEX_SCENARIO", "opening")
        .env("VORTEX_CORES", "2")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let said = |line: &&str| line.starts_with("cores of each") || line.starts_with("error: ");
    out.lines().find(said).unwrap_or(&out).to_owned()
}

#[test]
fn as_many_as_the_environment_says() {
    assert_eq!(opened(&[]), "cores of each: [2]");
    assert_eq!(opened(&[("VORTEX_DEVICES", "1")]), "cores of each: [2]");
    assert_eq!(
        opened(&[("VORTEX_DEVICES", "3")]),
        "cores of each: [2, 2, 2]"
    );
    for wrong in ["0", "257", "two", "-1", ""] {
        assert_eq!(
            opened(&[("VORTEX_DEVICES", wrong)]),
            format!("error: VORTEX_DEVICES={wrong} is not a number of devices from 1 to 256")
        );
    }
}

#[test]
fn devices_that_there_are_not() {
    let none = [("VORTEX_DRIVER", "simx"), ("LD_LIBRARY_PATH", "/nowhere")];
    let error = opened(&none);
    let start = "error: VORTEX_DRIVER=simx: cannot load Vortex's runtime: ";
    assert!(error.starts_with(start), "{error}");
    let error = opened(&[none[0], none[1], ("VORTEX_DEVICES", "2")]);
    let start = "error: of 2 devices, device 0 (counted from 0) cannot be opened: VORTEX_DRIVER=simx: cannot load";
    assert!(error.starts_with(start), "{error}");
}
