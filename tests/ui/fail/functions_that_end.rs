#[vortex::device]
fn ret_none(x: f32) {
    x * 2.0
}

#[vortex::device]
fn ret_missing(x: f32) -> f32 {
    x * 2.0;
}

#[vortex::device]
fn ret_return_missing(x: u32) -> u32 {
    if x > 3 {
        return;
    }
    x
}

#[vortex::device]
fn ret_if_no_else(x: u32) -> u32 {
    if x > 3 {
        return 1;
    }
}

#[vortex::device]
fn ret_wrong(x: f32) -> u32 {
    x * 2.0
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct A {
    x: f32,
}

#[vortex::device]
impl A {
    fn size(&self) -> u32 {
        self.x
    }
}

fn main() {}

// Mistakes: 6
