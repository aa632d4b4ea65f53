//! Files of any content are programs or errors, and programs of any content end or trap: nothing panics.

use std::cell::RefCell;
use vortex_sim::{Access, Checks, Config, Image, Machine};

/// Enough for a loop to come around, and no more.
const BUDGET: u64 = 2_000;

thread_local! {
    /// Opened once each: a device has tables of a mebibyte.
    static MACHINES: RefCell<[Option<(Machine, u32)>; CHECKS.len()]> =
        const { RefCell::new([const { None }; CHECKS.len()]) };
}

/// What is watched for. A file's last byte chooses, so that files are what they are.
const CHECKS: [Checks; 4] = [
    Checks::all(),
    Checks::none(),
    // Nothing that is about places: programs get anywhere, and change themselves.
    Checks {
        bounds: false,
        unmapped: false,
        rights: false,
        alignment: false,
        ..Checks::all()
    },
    // Nothing that is about values and the way of warps.
    Checks {
        uninitialised: false,
        divergence: false,
        reconvergence: false,
        barriers: false,
        ..Checks::all()
    },
];

fn open(checks: Checks) -> Option<(Machine, u32)> {
    let config = Config {
        instruction_budget: Some(BUDGET),
        checks,
        ..Config::with_shape(2, 2, 4)
    };
    let mut machine = Machine::new(config).ok()?;
    let argument = machine.alloc(64, Access::ReadWrite).ok()?;
    Some((machine, argument))
}

/// Loads and runs the program that the bytes are.
pub fn run(file: &[u8]) -> bool {
    let Ok(image) = Image::parse(file) else {
        return false;
    };
    // Large ones are slow to load and nothing else.
    if image.size() > 1 << 20 {
        return false;
    }
    let choice = usize::from(file.last().copied().unwrap_or_default()) % CHECKS.len();
    MACHINES.with_borrow_mut(|machines| {
        let machine = &mut machines[choice];
        if machine.is_none() {
            *machine = open(CHECKS[choice]);
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
    true
}
