//! Files of any content are programs or errors, and programs of any content end or trap: nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use vortex_host::sim::{Access, Checks, Config, Image, Machine};

/// Enough for a loop to come around, and no more.
const BUDGET: u64 = 2_000;

thread_local! {
    /// Opened once: a device has tables of a mebibyte.
    static MACHINE: RefCell<Option<(Machine, u32)>> = const { RefCell::new(None) };
}

fn open() -> Option<(Machine, u32)> {
    let config = Config {
        instruction_budget: Some(BUDGET),
        checks: Checks::all(),
        ..Config::with_shape(2, 2, 4)
    };
    let mut machine = Machine::new(config).ok()?;
    let argument = machine.alloc(64, Access::ReadWrite).ok()?;
    Some((machine, argument))
}

fuzz_target!(|file: &[u8]| {
    let Ok(image) = Image::parse(file) else {
        return;
    };
    // Large ones are slow to load and nothing else.
    if image.size() > 1 << 20 {
        return;
    }
    MACHINE.with_borrow_mut(|machine| {
        if machine.is_none() {
            *machine = open();
        }
        let Some((machine, argument)) = machine else {
            panic!("no device was to be had");
        };
        let base = image.base();
        if let Ok(entry) = machine.load(image) {
            if let Err(trap) = machine.run_foreign(entry, *argument) {
                let _ = trap.to_string();
            }
            machine.free(base).expect("what was loaded can be freed");
        } else {
            // Segments cannot overlap and the reservation is all or nothing, so that there is nothing to free.
            let _ = machine.free(base);
        }
    });
});
