use vortex::prelude::*;

fn main() {
    let limit = 4;

    #[vortex::kernel]
    fn clear(x: &mut [u32]) {
        let i = global_id();
        if i < limit {
            x[i] = 0;
        }
    }
}
