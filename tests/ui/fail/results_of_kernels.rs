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
fn res_kernel(y: &mut [u32]) -> Result<(), Refusal> {
    y[0] = halved(y[0])?;
    Ok(())
}

#[vortex::kernel]
fn res_kernel_ok(y: &mut [u32]) {
    y[0] = 1;
    Ok(())
}

fn main() {}

// Mistakes: 2
