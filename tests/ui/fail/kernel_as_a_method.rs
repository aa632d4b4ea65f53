use vortex::prelude::*;

struct Filter<Real> {
    gain: Real,
}

impl<Real: Num> Filter<Real> {
    #[vortex::kernel]
    fn apply(&self, x: &mut [Real]) {
        x[global_id()] *= self.gain;
    }

    #[vortex::kernel]
    pub fn first<const N: usize>(self, x: &[Real]) {}
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let filter = Filter { gain: 0.5f32 };
    let mut x = device.alloc(16)?;
    filter.apply(&mut x).over_each().launch(&device)?;
    filter.first::<3>(&x).over(16).launch(&device)?;
    println!("{:?}", x.download()?);
    Ok(())
}

// Mistakes: 2
