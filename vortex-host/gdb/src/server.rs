//! The thread that talks to gdb.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gdbstub::common::{Signal, Tid};
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use vortex_sim::stepping::{Drive, Stepper};
use vortex_sim::{Trap, TrapKind};

use crate::explain::{Explain, Program};
use crate::lane::Lane;
use crate::link::{Halted, Launch, link};
use crate::resume::{Outcome, resume};
use crate::target::Debugged;
use crate::wire::{Conditions, PACKET, Wire};

/// Instructions of warps after which it is looked whether gdb says something.
const PART: u64 = 50_000;

/// How long nothing happens before it is looked again whether gdb says something, and whether there is a launch.
const PAUSE: Duration = Duration::from_millis(10);

/// What happens on the device.
enum Event {
    /// A launch is about to begin, and waits.
    Launch { program: Program, shape: [u32; 3] },
    /// There will be no more of them.
    End,
}

/// Waits for a debugger, and lets it drive what runs on a device, in gdb's remote protocol over TCP. A thread of its
/// own listens until this is dropped.
#[derive(Debug)]
pub struct Debugger {
    events: Sender<Event>,
    launch: Launch,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Debugger {
    /// Listens at an address: `:1234`, which others than this machine cannot reach, or one with a host. Port 0 is any
    /// that is free.
    ///
    /// # Errors
    /// That of the system, if that is no such address, if it is in use, or if there is no thread for it.
    pub fn listen(address: &str) -> io::Result<Debugger> {
        let listener = match address.strip_prefix(':') {
            Some(port) => TcpListener::bind(format!("127.0.0.1:{port}")),
            None => TcpListener::bind(address),
        }?;
        let address = listener.local_addr()?;
        let (events, receiver) = channel();
        let (link, launch) = link();
        let server = Server {
            listener,
            events: receiver,
            target: Debugged::new(link, Conditions::default()),
            is_halted: false,
            is_detached: false,
        };
        let thread = thread::Builder::new().name("vortex gdb".to_owned());
        let thread = thread.spawn(move || server.serve())?;
        Ok(Debugger {
            events,
            launch,
            address,
            thread: Some(thread),
        })
    }

    /// The address that it listens at, with the port that port 0 has become.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What drives a launch of a program, for [`Terms::driven`](vortex_sim::debug::Terms::driven). The launch begins
    /// when gdb says so.
    pub fn session<'a>(&'a mut self, program: Program, explain: &'a dyn Explain) -> Session<'a> {
        Session {
            debugger: self,
            program: Some(program),
            explain,
        }
    }
}

impl Drop for Debugger {
    /// Tells the debugger that the program has ended.
    fn drop(&mut self) {
        let _ = self.events.send(Event::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A launch that a debugger drives.
pub struct Session<'a> {
    debugger: &'a mut Debugger,
    program: Option<Program>,
    explain: &'a dyn Explain,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Drive for Session<'_> {
    fn drive(&mut self, stepper: &mut Stepper<'_>) -> Result<(), Box<Trap>> {
        let Some(program) = self.program.take() else {
            return Ok(());
        };
        let shape = stepper.shape();
        if self
            .debugger
            .events
            .send(Event::Launch { program, shape })
            .is_err()
        {
            return Ok(());
        }
        self.debugger.launch.serve(&mut Halted {
            stepper,
            explain: self.explain,
        })
    }
}

struct Server {
    listener: TcpListener,
    events: Receiver<Event>,
    target: Debugged,
    /// There is a launch, which goes no further than requested.
    is_halted: bool,
    /// A debugger was there, and has left.
    is_detached: bool,
}

type Machine = GdbStubStateMachine<'static, Debugged, Wire>;

impl Server {
    /// Serves one debugger after the other until there is nothing more to be debugged.
    fn serve(mut self) {
        while let Ok(Event::Launch { program, shape }) = self.events.recv() {
            self.begin(program, shape);
            match self.connection() {
                Ok(Some(stream)) => {
                    self.is_detached = false;
                    match self.talk(stream) {
                        Ok(DisconnectReason::TargetExited(_)) => return,
                        Ok(DisconnectReason::Kill) => self.kill(),
                        Ok(_) => self.leave_as_told(),
                        Err(error) => eprintln!("vortex: the debugger is gone: {error}"),
                    }
                    self.is_detached = true;
                    self.target.reset();
                }
                Ok(None) => {}
                Err(error) => eprintln!("vortex: no debugger can attach: {error}"),
            }
            self.leave(Ok(()));
        }
    }

    /// A launch is about to begin. Whether its program was not there before.
    fn begin(&mut self, program: Program, shape: [u32; 3]) -> bool {
        self.is_halted = true;
        self.target.begin(shape);
        self.target.add(program)
    }

    /// The launch continues by itself, if there is one.
    fn leave(&mut self, with: Result<(), Box<Trap>>) {
        if std::mem::take(&mut self.is_halted) {
            self.target.link.leave(with);
        }
    }

    /// The launch continues, or ends with the mistake that it has reached.
    fn leave_as_told(&mut self) {
        let told = match self.is_halted {
            true => self.target.told.take(),
            false => None,
        };
        self.leave(told.map_or(Ok(()), Err));
    }

    /// Ends the launch, if there is one.
    fn kill(&mut self) {
        if let Ok(trap) = self.target.link.with(|halted| halted.stepper.ended()) {
            self.leave(Err(trap));
        }
    }

    /// A debugger: waits for the first one.
    fn connection(&self) -> io::Result<Option<TcpStream>> {
        self.listener.set_nonblocking(self.is_detached)?;
        match self.listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                Ok(Some(stream))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Talks to a debugger until it leaves.
    fn talk(&mut self, stream: TcpStream) -> io::Result<DisconnectReason> {
        let conditions = Conditions::default();
        let wire = Wire::new(stream, conditions.clone())?;
        self.target.set_conditions(conditions);
        self.target.files.begin();
        let stub = GdbStub::builder(wire).packet_buffer_size(PACKET).build();
        let mut machine = stub
            .map_err(io::Error::other)?
            .run_state_machine(&mut self.target)
            .map_err(io::Error::other)?;
        loop {
            machine = match machine {
                GdbStubStateMachine::Idle(mut idle) => match idle.borrow_conn().next(None)? {
                    Some(byte) => idle
                        .incoming_data(&mut self.target, byte)
                        .map_err(io::Error::other)?,
                    None => idle.into(),
                },
                GdbStubStateMachine::Running(running) => self.run(running.into())?,
                GdbStubStateMachine::CtrlCInterrupt(interrupt) => {
                    let tid = self.current()?;
                    let reason = tid.map(|tid| MultiThreadStopReason::SignalWithThread {
                        tid,
                        signal: Signal::SIGINT,
                    });
                    interrupt
                        .interrupt_handled(&mut self.target, reason)
                        .map_err(io::Error::other)?
                }
                GdbStubStateMachine::Disconnected(mut gone) => {
                    let reason = gone.get_reason();
                    if let DisconnectReason::Kill = reason {
                        gone.borrow_conn().confirm()?;
                    }
                    return Ok(reason);
                }
            };
        }
    }

    /// The thread that goes next. Nothing while nothing runs: then it is the next launch that is interrupted.
    fn current(&mut self) -> io::Result<Option<Tid>> {
        if !self.is_halted {
            return Ok(None);
        }
        let lane = self.target.link.with(|halted| {
            let warp = halted.stepper.next().unwrap_or_default();
            (warp, halted.stepper.active(warp))
        });
        let (warp, lanes) = lane.map_err(io::Error::other)?;
        Ok(Some(
            self.target.thread(self.target.first_lane(warp, lanes)),
        ))
    }

    /// Continues until there is something to report, or gdb sends something.
    fn run(&mut self, mut machine: Machine) -> io::Result<Machine> {
        let GdbStubStateMachine::Running(running) = &mut machine else {
            return Ok(machine);
        };
        let wait = if self.is_halted {
            Duration::ZERO
        } else {
            PAUSE
        };
        let heard = running.borrow_conn().next(Some(wait))?;
        if let Some(byte) = heard {
            let GdbStubStateMachine::Running(running) = machine else {
                return Ok(machine);
            };
            return running
                .incoming_data(&mut self.target, byte)
                .map_err(io::Error::other);
        }
        let reason = match self.is_halted {
            true => self.advance(&mut machine)?,
            false => self.next_launch()?,
        };
        match (machine, reason) {
            (GdbStubStateMachine::Running(running), Some(reason)) => running
                .report_stop(&mut self.target, reason)
                .map_err(io::Error::other),
            (machine, _) => Ok(machine),
        }
    }

    /// What there is to report about a launch that has begun since, if one has.
    fn next_launch(&mut self) -> io::Result<Option<MultiThreadStopReason<u32>>> {
        match self.events.try_recv() {
            Ok(Event::Launch { program, shape }) => {
                let is_new = self.begin(program, shape);
                let tid = self.current()?.filter(|_| is_new);
                Ok(tid.map(MultiThreadStopReason::Library))
            }
            Ok(Event::End) => Ok(Some(MultiThreadStopReason::Exited(0))),
            Err(_) => Ok(None),
        }
    }

    /// Does a part of what gdb wants.
    fn advance(&mut self, machine: &mut Machine) -> io::Result<Option<MultiThreadStopReason<u32>>> {
        let target = &mut self.target;
        let is_continue = target.action.step.is_none() && !target.action.is_back;
        if let Some(trap) = target.told.take()
            && is_continue
        {
            // It was looked at, and is to continue.
            self.leave(Err(trap));
            return Ok(None);
        }
        let target = &mut self.target;
        let (plan, mut action, mut shown) =
            (target.plan(), target.action.clone(), target.shown.take());
        action.warned = target.warned;
        let done = target.link.with(move |halted| {
            let outcome = resume(halted, &plan, &mut action, &mut shown, PART);
            (outcome, action, shown)
        });
        let (outcome, action, shown) = done.map_err(io::Error::other)?;
        target.action = action;
        target.shown = shown;

        let thread = |lane: Lane| lane.thread(target.shape);
        Ok(match outcome {
            Outcome::Again => None,
            Outcome::Breakpoint(shown) => {
                let tid = thread(shown.lane());
                target.shown = Some(shown);
                Some(MultiThreadStopReason::SwBreak(tid))
            }
            Outcome::Watched(number, lane, time) => {
                let tid = thread(lane);
                target.warned = Some(time);
                let watched = target.watchpoint(number);
                watched.map(|(addr, kind)| MultiThreadStopReason::Watch { tid, kind, addr })
            }
            Outcome::Stepped(lane) => Some(MultiThreadStopReason::SignalWithThread {
                tid: thread(lane),
                signal: Signal::SIGTRAP,
            }),
            Outcome::Beginning => Some(MultiThreadStopReason::ReplayLog {
                tid: self.current()?,
                pos: ReplayLogPosition::Begin,
            }),
            Outcome::Over => {
                self.leave(Ok(()));
                None
            }
            Outcome::Trapped(trap, words) => {
                let signal = signal(&trap);
                let tid = thread(target.lane_of(&trap).map_err(io::Error::other)?);
                target.told = Some(trap);
                if let GdbStubStateMachine::Running(running) = machine {
                    running.borrow_conn().say(&format!("{words}\n"))?;
                }
                Some(MultiThreadStopReason::SignalWithThread { tid, signal })
            }
        })
    }
}

/// What a mistake would be on a computer.
fn signal(trap: &Trap) -> Signal {
    match trap.kind {
        TrapKind::IllegalInstruction => Signal::SIGILL,
        TrapKind::Misaligned { .. } | TrapKind::MisalignedJump { .. } => Signal::SIGBUS,
        TrapKind::OutOfBounds { .. }
        | TrapKind::UseAfterFree { .. }
        | TrapKind::AccessDenied { .. }
        | TrapKind::ConsoleAccess { .. }
        | TrapKind::FetchOutOfBounds => Signal::SIGSEGV,
        _ => Signal::SIGABRT,
    }
}
