//! Launching a kernel of the program from a module that contains it.

use super::Module;
use crate::device::Device;
use crate::error::{Result, launched};
use crate::launch::Launch;
use crate::report::Report;

impl<K> Launch<'_, K> {
    /// Runs the kernel to its end as [`Launch::launch`] does, but from a module that has it, which chooses among its
    /// images of the kernel by the groups or the number of work items.
    ///
    /// # Errors
    /// If the module does not have the kernel, and as [`Launch::launch`].
    #[track_caller]
    pub fn launch_from(self, module: &Module, device: &Device) -> Result<Report> {
        let entry = self.entry();
        let (args, binder, shape) = self.into_parts();
        let call = module.call_of(&entry, args, binder, shape, device);
        launched(|| call?.run_in_order(device))
    }
}
