#[derive(Clone, Copy, PartialEq, Debug, vortex::DeviceType)]
#[repr(u32)]
enum Refusal {
    Odd,
    TooBig,
}

#[vortex::device]
fn halved(x: u32) -> Result<u32, Refusal> {
    if x % 2 == 0 { Ok(x / 2) } else { Err(Refusal::Odd) }
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(u32)]
enum Bad {
    Worse,
}

#[vortex::device]
fn g(x: u32) -> Result<u32, Bad> {
    Ok(x)
}

#[vortex::device]
fn res_no_err_arm(x: u32) -> u32 {
    match halved(x) {
        Ok(half) => half,
    }
}

#[vortex::device]
fn res_some_pattern(x: u32) -> u32 {
    if let Some(half) = halved(x) { half } else { 0 }
}

#[vortex::device]
fn res_is_some(x: u32) -> bool {
    halved(x).is_some()
}

#[vortex::device]
fn opt_is_ok(x: &[u32]) -> bool {
    x.get(1).is_ok()
}

#[vortex::device]
fn res_unwrap_nodebug(x: u32) -> u32 {
    g(x).unwrap()
}

#[vortex::device]
fn res_expect_nodebug(x: u32) -> u32 {
    g(x).expect("all")
}

fn main() {}

// Mistakes: 6
