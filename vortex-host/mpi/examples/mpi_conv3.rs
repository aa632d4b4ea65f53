//! Vortex's `mpi_conv3`: a picture is convolved with 3 x 3 weights. The weights are broadcast; rank 0 sends each rank
//! its rows with one more above and below; the results are gathered.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_conv3
//! ```

mod shared;

use std::process::ExitCode;

use shared::{HEIGHT, WEIGHTS, WIDTH, convolve, expected, picture};
use vortex_mpi::World;

fn program(world: &World) -> vortex_mpi::Result<()> {
    let device = world.device();
    let mut weights = world.together(|| match world.rank() {
        0 => device.upload(&WEIGHTS),
        _ => device.alloc(9),
    })?;
    world.broadcast(0, &mut weights)?;

    // With a row of zeros above and below, row `y` of the picture is row `y + 1`, and a share begins a row further up.
    let whole = world.only_on(0, || {
        let border = [0.0; WIDTH];
        device.upload(&[&border[..], &picture()[..], &border[..]].concat())
    })?;
    if let Some(whole) = &whole {
        for rank in 0..world.ranks() {
            let share = world.share_of(rank, HEIGHT);
            let rows = whole.slice(share.start * WIDTH..(share.end + 2) * WIDTH)?;
            world.send(rank, &rows)?;
        }
    }
    let rows = world.share(HEIGHT).len();
    let mut from = world.together(|| device.alloc((rows + 2) * WIDTH))?;
    world.receive(0, &mut from)?;

    let to = world.together(|| -> vortex::Result<_> {
        let mut to = device.alloc(rows * WIDTH)?;
        convolve(&weights, &from, &mut to)
            .over((WIDTH, rows))
            .launch(device)?;
        Ok(to)
    })?;
    let mut result = world.only_on(0, || device.alloc(WIDTH * HEIGHT))?;
    world.gather(0, &to, result.as_deref_mut())?;

    if let Some(result) = result {
        assert_eq!(result.download()?, expected(&picture()));
        println!(
            "a picture of {WIDTH} x {HEIGHT} convolved on {} ranks, as on the host",
            world.ranks()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
