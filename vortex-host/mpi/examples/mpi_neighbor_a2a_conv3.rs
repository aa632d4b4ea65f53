//! Vortex's `mpi_neighbor_a2a_conv3`: a picture is convolved with 3 x 3 weights, and no rank has more of it than its
//! rows: those next to them it gets from its neighbours, all of which exchange theirs at the same time.
//!
//! The exchange is in a stream, whose sends do not wait for receivers. MPI's `MPI_Neighbor_alltoall` of Vortex's
//! program is these sends and receives in one call.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_neighbor_a2a_conv3
//! ```

mod shared;

use std::process::ExitCode;

use shared::{HEIGHT, WEIGHTS, WIDTH, convolve, expected, picture};
use vortex_mpi::World;

fn program(world: &World) -> vortex_mpi::Result<()> {
    let device = world.device();
    let weights = world.together(|| device.upload(&WEIGHTS))?;

    // A rank's rows have room for one more above and below, which at the picture's border stay zeros.
    let rows = world.share(HEIGHT).len();
    let mut from = world.together(|| device.alloc((rows + 2) * WIDTH))?;
    let whole = world.only_on(0, || device.upload(&picture()))?;
    world.scatter(
        0,
        whole.as_deref(),
        &mut *from.slice_mut(WIDTH..(rows + 1) * WIDTH)?,
    )?;

    let stream = world.together(|| device.stream())?;
    let exchange = world.on(&stream);
    let (top, bottom) = (WIDTH..2 * WIDTH, rows * WIDTH..(rows + 1) * WIDTH);
    let (above, below) = (0..WIDTH, (rows + 1) * WIDTH..(rows + 2) * WIDTH);
    let neighbours = [
        world.rank().checked_sub(1).map(|rank| (rank, top, above)),
        Some(world.rank() + 1)
            .filter(|&rank| rank < world.ranks())
            .map(|rank| (rank, bottom, below)),
    ];
    for (rank, border, beyond) in neighbours.into_iter().flatten() {
        exchange.send(rank, &*from.slice(border)?)?.detach();
        exchange
            .receive(rank, &mut *from.slice_mut(beyond)?)?
            .detach();
    }

    // In the same stream, hence after the exchange.
    let mut to = world.together(|| device.alloc(rows * WIDTH))?;
    stream
        .launch(convolve(&weights, &from, &mut to).over((WIDTH, rows)))
        .detach();
    let mut result = world.only_on(0, || device.alloc(WIDTH * HEIGHT))?;
    exchange.gather(0, &to, result.as_deref_mut()).wait()?;

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
