#[vortex::device]
trait Total {
    fn total(&self) -> f32;
}

#[vortex::device]
impl Total for [f32] {
    fn total(&self) -> f32 {
        self[0]
    }
}

fn main() {}
