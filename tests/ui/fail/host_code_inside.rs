use std::sync::Mutex;

static COUNT: Mutex<u32> = Mutex::new(0);

#[vortex::kernel]
fn host_code(x: &[f32], y: &mut [u32]) {
    let file = std::fs::File::open("a.txt").unwrap();
    std::thread::spawn(|| 1);
    y[0] = unsafe { std::mem::transmute::<f32, u32>(x[0]) };
    let many = std::env::args().count();
    let mut count = COUNT.lock().unwrap();
    *count += 1;
    static mut TILE: [u32; 64] = [0; 64];
}

fn main() {}

// Mistakes: 6
