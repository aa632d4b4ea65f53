//! Pictures: PNG files are pictures or errors, and a picture is written so that it reads back.

use super::npy::file as npy;
use png::BitDepth;

#[allow(
    dead_code,
    unused_imports,
    reason = "part of the `vortex` command, which has all of it"
)]
#[path = "../../vortex-host/cli/src/picture.rs"]
mod file;

use file::Picture;

/// Reads the picture that the bytes are.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(picture) = Picture::read(bytes) else {
        return false;
    };
    let samples = picture.width * picture.height * picture.channels;
    assert_eq!(picture.samples.len(), samples);
    let written = picture.write(BitDepth::Sixteen);
    let again = Picture::read(&written.expect("it can be written"));
    assert_eq!(again.expect("it was just written"), picture);
    true
}
