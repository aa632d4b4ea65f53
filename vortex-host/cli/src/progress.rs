//! What a long run is doing, on stderr.

use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use vortex::Device;

/// Runs that end sooner say nothing.
const PATIENCE: Duration = Duration::from_millis(700);

/// How often the line changes.
const INTERVAL: Duration = Duration::from_millis(200);

const SPINNER: &[char] = &['|', '/', '-', '\\'];

/// Runs `body`, and shows what the device is doing if that takes long.
pub(crate) fn shown<R>(device: &Device, body: impl FnOnce() -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return body();
    }
    let progress = device.progress();
    let before = progress.instructions();
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let start = Instant::now();
            let mut wait = PATIENCE;
            let mut turn = 0;
            while waiting.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let seconds = start.elapsed().as_secs_f64();
                let instructions = (progress.instructions() - before) as f64;
                _ = write!(
                    std::io::stderr(),
                    "\r{} {seconds:.1} s, {:.1} million instructions, {:.1} million/s ",
                    SPINNER[turn % SPINNER.len()],
                    instructions / 1e6,
                    instructions / 1e6 / seconds
                );
                wait = INTERVAL;
                turn += 1;
            }
            if turn > 0 {
                _ = writeln!(std::io::stderr());
            }
        });
        let result = body();
        drop(done);
        result
    })
}
