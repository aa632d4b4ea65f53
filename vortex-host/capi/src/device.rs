//! An embedded device that runs kernels in the background.

use crate::failure::Failure;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use vortex_sim::environment::Environment;
use vortex_sim::timing::CounterClass;
use vortex_sim::{Config, Generation, Grid, Machine};

/// Device configuration registers: start address, argument address (low and high halves), class of performance
/// counters.
const START: u32 = 1;
const ARGUMENT: u32 = 3;
const COUNTERS: u32 = 5;
const LAST: u32 = COUNTERS;

/// An open device.
pub(crate) struct Device {
    config: Config,
    state: Mutex<State>,
    /// Told whenever a run ends.
    idle: Condvar,
}

struct State {
    /// Away while a kernel runs.
    machine: Option<Box<Machine>>,
    /// The last run's thread.
    thread: Option<JoinHandle<()>>,
    /// Why the last run failed, if it did.
    failure: Option<String>,
    registers: BTreeMap<u32, u32>,
}

impl Device {
    /// The device that the environment describes, of the generation that the runtime drives.
    pub(crate) fn open(generation: Generation) -> Result<Device, Failure> {
        let config = Config {
            generation,
            ..Environment::read()?.config
        };
        let machine = Machine::new(config.clone())?;
        Ok(Device {
            config,
            state: Mutex::new(State {
                machine: Some(Box::new(machine)),
                thread: None,
                failure: None,
                registers: BTreeMap::new(),
            }),
            idle: Condvar::new(),
        })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Nothing is left half-done where a panic could happen under the lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state once no kernel runs.
    fn idle_state(&self) -> MutexGuard<'_, State> {
        self.idle
            .wait_while(self.state(), |state| state.machine.is_none())
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the device, after the kernel if one runs.
    pub(crate) fn with_machine<T>(&self, action: impl FnOnce(&mut Machine) -> T) -> T {
        let mut state = self.idle_state();
        match &mut state.machine {
            Some(machine) => action(machine),
            None => unreachable!("an idle device has its machine"),
        }
    }

    pub(crate) fn read_register(&self, address: u32) -> Result<u32, Failure> {
        let state = self.state();
        let value = state.registers.get(&address).copied();
        value.ok_or(Failure::Register(address))
    }

    /// Writes a register, after the kernel if one runs.
    pub(crate) fn write_register(&self, address: u32, value: u32) -> Result<(), Failure> {
        if !(START..=LAST).contains(&address) {
            return Err(Failure::Register(address));
        }
        self.idle_state().registers.insert(address, value);
        Ok(())
    }

    /// Starts a kernel, after the one before it.
    pub(crate) fn start(self: &Arc<Self>, kernel: u32, argument: u32) -> Result<(), Failure> {
        let mut state = self.idle_state();
        for (register, value) in [(START, kernel), (ARGUMENT, argument)] {
            state.registers.insert(register, value);
            state.registers.insert(register + 1, 0);
        }
        self.begin(state, move |machine| {
            let result = machine.run_foreign(kernel, argument);
            print(machine.console());
            result.map(drop).map_err(|trap| trap.to_string())
        })
    }

    /// Hands out the groups of a grid, after the kernel before it. What it prints is the runtime's business.
    pub(crate) fn launch(
        self: &Arc<Self>,
        start: u32,
        argument: u32,
        grid: Grid,
    ) -> Result<(), Failure> {
        self.begin(self.idle_state(), move |machine| {
            let result = machine.launch_foreign(start, argument, &grid, &|_| {});
            result.map(drop).map_err(|error| error.to_string())
        })
    }

    /// Has a thread do something with the device, which is idle.
    fn begin(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        job: impl FnOnce(&mut Machine) -> Result<(), String> + Send + 'static,
    ) -> Result<(), Failure> {
        if let Some(thread) = state.thread.take() {
            // It has given the machine back, which is the last thing it does.
            let _ = thread.join();
        }
        let class = state.registers.get(&COUNTERS).copied().unwrap_or(0);
        let mut machine = state.machine.take();
        if let Some(machine) = &mut machine {
            machine.set_counters(CounterClass::from_register(class));
        }
        let device = Arc::clone(self);
        // A thread that cannot be started drops its closure; so the machine is handed over afterwards.
        let (hand_over, machine_of_thread) = std::sync::mpsc::sync_channel(1);
        let thread = thread::Builder::new()
            .name("vortex-kernel".to_owned())
            .spawn(move || {
                if let Ok(machine) = machine_of_thread.recv() {
                    device.run(machine, job);
                }
            });
        match (thread, machine) {
            (Ok(thread), Some(machine)) => {
                state.thread = Some(thread);
                state.failure = None;
                // The receiver waits; and if it did not, the machine would be dropped here, not lost in silence.
                hand_over
                    .send(machine)
                    .map_err(|_| Failure::Kernel("its thread is gone".to_owned()))
            }
            (Err(error), machine) => {
                state.machine = machine;
                Err(Failure::Thread(error))
            }
            (Ok(_), None) => unreachable!("an idle device has its machine"),
        }
    }

    /// Does something with the device, and gives it back.
    fn run(&self, mut machine: Box<Machine>, job: impl FnOnce(&mut Machine) -> Result<(), String>) {
        let result = catch_unwind(AssertUnwindSafe(|| job(&mut machine)));
        let failure = match result {
            Ok(result) => result.err(),
            Err(_) => Some("the device failed, which is a mistake in it".to_owned()),
        };
        let mut state = self.state();
        state.machine = Some(machine);
        state.failure = failure;
        drop(state);
        self.idle.notify_all();
    }

    /// Waits for the kernel, if one runs, for so long at most.
    pub(crate) fn rest(&self, most: Duration) {
        let is_running = |state: &mut State| state.machine.is_none();
        drop(self.idle.wait_timeout_while(self.state(), most, is_running));
    }

    /// Waits for the kernel, if one runs, and tells how the last one ended.
    pub(crate) fn wait(&self, milliseconds: u64) -> Result<(), Failure> {
        let (state, wait) = self
            .idle
            .wait_timeout_while(self.state(), Duration::from_millis(milliseconds), |state| {
                state.machine.is_none()
            })
            .unwrap_or_else(PoisonError::into_inner);
        if wait.timed_out() {
            return Err(Failure::TimedOut(milliseconds));
        }
        match &state.failure {
            Some(failure) => Err(Failure::Kernel(failure.clone())),
            None => Ok(()),
        }
    }

    /// Waits until nothing of this library runs any more: the caller may unload it.
    pub(crate) fn close(&self) {
        let thread = self.idle_state().thread.take();
        if let Some(thread) = thread {
            // Panics were caught inside.
            let _ = thread.join();
        }
    }
}

unsafe extern "C" {
    fn puts(line: *const c_char) -> c_int;
}

/// Prints lines through C's stdio, so that they come in order with what the program itself prints.
fn print(text: &str) {
    for line in text.lines() {
        if let Ok(line) = CString::new(line.replace('\0', "\u{fffd}")) {
            // SAFETY: a string with its zero at the end.
            unsafe { puts(line.as_ptr()) };
        }
    }
}
