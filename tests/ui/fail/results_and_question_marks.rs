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

#[vortex::kernel]
fn res_kernel_q(y: &mut [u32]) {
    y[0] = halved(y[0])?;
}

#[vortex::device]
fn res_other_error(x: u32) -> Result<u32, u32> {
    let half = halved(x)?;
    Ok(half)
}

#[vortex::device]
fn res_option_q(x: &[u32]) -> Result<u32, Refusal> {
    let v = x.get(3)?;
    Ok(*v)
}

#[vortex::device]
fn res_in_option_q(x: u32) -> Option<u32> {
    let v = halved(x)?;
    Some(v)
}

#[vortex::device]
fn res_value_q(x: u32) -> Result<u32, Refusal> {
    let v = x?;
    Ok(v)
}

fn main() {}

// Mistakes: 5
