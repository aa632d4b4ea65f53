//! What lies on a device for an argument of a launch, whatever its elements are.

use vortex::ModuleLaunch;

/// A tensor of any elements, or a texture of any texels.
pub(crate) trait Held {
    /// Hands it to a launch as the argument of this name.
    fn give<'a>(
        &'a mut self,
        launch: ModuleLaunch<'a>,
        name: &str,
        mutable: bool,
    ) -> vortex::Result<ModuleLaunch<'a>>;

    /// Its elements, row by row, or its texels, as they lie on the device.
    fn bytes(&self) -> vortex::Result<Vec<u8>>;
}
