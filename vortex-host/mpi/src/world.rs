//! A rank and its device.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use mpi::Threading;
use mpi::environment::{self, Universe};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use vortex::meta::Element;
use vortex::{Device, DeviceSlice, Stream};

use crate::agree::{Call, Operation};
use crate::collective::{Collective, Now};
use crate::error::{Error, Result};
use crate::link::{Link, locked, patience};
use crate::number::{Number, Reduction};
use crate::on_stream::OnStream;

/// All ranks, seen from one of them: its number, its device, and what it does with the others.
///
/// There is one in a program, and it stays in the thread that opened it. What all ranks do (`scatter`, `reduce`, ..)
/// they do in the same order: ranks that do not get an error that says what each of them does. Dropping it is
/// something that all ranks do as well, and ends MPI. A panic in its thread ends all ranks, even one that is caught.
///
/// ```
/// # fn main() -> vortex_mpi::Result<()> {
/// use vortex_mpi::{Reduction, World};
///
/// let world = World::open()?;
/// let mine = world.device().upload(&[world.rank() as u32 + 1])?;
/// let mut sum = world.device().alloc(1)?;
/// world.all_reduce(Reduction::Sum, &mine, &mut sum)?;
/// let ranks = world.ranks() as u32;
/// assert_eq!(sum.download()?, [ranks * (ranks + 1) / 2]);
/// # Ok(())
/// # }
/// ```
pub struct World {
    // In this order, so that the device is gone when MPI ends.
    device: Device,
    member: Member,
}

/// A process among the others, from MPI's beginning to its end.
struct Member {
    link: Arc<Link>,
    threading: Threading,
    /// For the program's own calls. `None` at the end.
    program: Option<SimpleCommunicator>,
    /// It stays in its thread: the order of operations is that of the calls there.
    here: PhantomData<*const ()>,
    /// Ends MPI when it is dropped.
    _universe: Universe,
}

impl Member {
    fn join() -> Result<Self> {
        let patience = patience()?;
        let initialised = environment::initialize_with_threading(Threading::Serialized);
        let (universe, threading) = initialised.ok_or(Error::Initialised)?;
        if threading < Threading::Serialized {
            return Err(Error::Threads {
                granted: name(threading),
            });
        }
        let link = Arc::new(Link::new(patience));
        link.open();
        link.end_at_a_panic();
        Ok(Self {
            link,
            threading,
            program: Some(universe.world().duplicate()),
            here: PhantomData,
            _universe: universe,
        })
    }

    fn together<R, E: fmt::Display>(
        &self,
        call: Call,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R> {
        let result = work();
        let turn = self.link.collectives.turn();
        turn.begin();
        let failure = result.as_ref().err().map(ToString::to_string);
        let agreed = self.link.agree(&call, failure);
        self.link.noted(agreed.and_then(|_| {
            // With a failure of its own, it has just got an error.
            result.map_err(|error| Error::OnRanks {
                operation: call.name().to_owned(),
                ranks: vec![self.link.rank],
                message: error.to_string(),
            })
        }))
    }
}

impl Drop for Member {
    /// Tells the others that this rank has ended, and waits until all have.
    fn drop(&mut self) {
        let link = &self.link;
        if thread::panicking() {
            // Of a panic of another thread that has been passed on here, the hook has not heard.
            link.give_up("has panicked");
        }
        // Small enough for MPI, which said so.
        let others = || (0..link.ranks).map(|rank| rank as i32);
        for (to, line) in others().zip(&link.sends) {
            link.send_end(&line.turn(), to);
        }
        let turn = link.collectives.turn();
        turn.begin();
        loop {
            match link.agree(&Call::bare(Operation::Leave), None) {
                Ok(_) => break,
                // Others do something yet, and have got this error, too: it is for them.
                Err(Error::Ended { .. }) => {}
                Err(Error::OnRanks { ranks, message, .. }) if ranks[0] != link.rank => {
                    link.say(&format!(
                        "ends, and hears from rank {}: {message}",
                        ranks[0]
                    ));
                }
                Err(_) => {}
            }
        }
        drop(turn);
        for (from, line) in others().zip(&link.receives) {
            link.drain(&line.turn(), from);
        }
        for courier in locked(&link.couriers).drain(..) {
            // Its panic has been reported.
            let _ = courier.join();
        }
        link.with(|_| self.program = None);
        link.close();
    }
}

impl World {
    /// Initialises MPI, and opens this rank's device: the one that the environment asks for, as [`Device::open`].
    ///
    /// MPI is asked for `MPI_THREAD_SERIALIZED`, since operations of streams have threads.
    ///
    /// # Errors
    /// If MPI has been initialised before, or allows calls from one thread only; on all ranks, if one cannot open its
    /// device.
    pub fn open() -> Result<Self> {
        Self::open_with(|_, _| Device::open())
    }

    /// [`World::open`] with another device: `open` gets the rank and the number of ranks.
    ///
    /// ```no_run
    /// # fn main() -> vortex_mpi::Result<()> {
    /// use vortex::Device;
    /// use vortex_mpi::World;
    ///
    /// let world = World::open_with(|rank, _| Device::builder().cores(1 + rank as u32).open())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`World::open`].
    pub fn open_with(open: impl FnOnce(usize, usize) -> vortex::Result<Device>) -> Result<Self> {
        let member = Member::join()?;
        let (rank, ranks) = (member.link.rank, member.link.ranks);
        let device = member.together(Call::bare(Operation::Open), || open(rank, ranks))?;
        Ok(Self { device, member })
    }

    /// This process's number, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.member.link.rank
    }

    /// How many processes there are.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.member.link.ranks
    }

    /// The rank's device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What MPI grants to threads: `MPI_THREAD_SERIALIZED` or `MPI_THREAD_MULTIPLE`. This crate does with the former.
    #[must_use]
    pub fn threads(&self) -> &'static str {
        name(self.member.threading)
    }

    /// This rank's share of `len` elements: as many as the others', or one more, in the order of the ranks.
    #[must_use]
    pub fn share(&self, len: usize) -> Range<usize> {
        self.share_of(self.rank(), len)
    }

    /// The share of another rank.
    #[must_use]
    pub fn share_of(&self, rank: usize, len: usize) -> Range<usize> {
        let (each, more) = (len / self.ranks(), len % self.ranks());
        let start = |rank: usize| rank * each + rank.min(more);
        start(rank)..start(rank + 1)
    }

    /// Does something that can fail on each rank, a launch say, and waits for the others. If it fails on one, that is
    /// an error on all, which says where.
    ///
    /// Every launch between two operations of all ranks belongs into one: a rank that returns on its own leaves the
    /// others to find that it has ended.
    ///
    /// # Errors
    /// If `work` fails on any rank: with that rank's words.
    pub fn together<R, E: fmt::Display>(&self, work: impl FnOnce() -> Result<R, E>) -> Result<R> {
        self.member.together(Call::bare(Operation::Together), work)
    }

    /// Does something that can fail on one rank only, and waits there as [`World::together`] does. Others get `None`.
    ///
    /// ```
    /// # fn main() -> vortex_mpi::Result<()> {
    /// # let world = vortex_mpi::World::open()?;
    /// let whole = world.only_on(0, || world.device().upload(&[1, 2, 3]))?;
    /// assert_eq!(whole.is_some(), world.rank() == 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// On all ranks, if `work` fails there, if there is no such rank, or if ranks name different ones.
    pub fn only_on<R, E: fmt::Display>(
        &self,
        rank: usize,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<Option<R>> {
        let call = Call {
            root: Some(rank),
            ..Call::bare(Operation::OnlyOn)
        };
        self.member.together(call, || {
            let known = self.member.link.known(rank);
            known.map_err(|error| error.to_string())?;
            let done = (self.rank() == rank).then(work).transpose();
            done.map_err(|error| error.to_string())
        })
    }

    /// Calls MPI by hand. The communicator has all ranks, and is the program's own: its messages do not get between
    /// those of this crate. Operations of streams wait meanwhile; so what is called must not wait for theirs on
    /// another rank.
    pub fn mpi<R>(&self, call: impl FnOnce(&SimpleCommunicator) -> R) -> R {
        // There is one until the end.
        let world = SimpleCommunicator::world();
        let own = self.member.program.as_ref().unwrap_or(&world);
        self.member.link.with_program(|| call(own))
    }

    /// The same operations as operations of a stream: what is enqueued here happens after what is in the stream
    /// already, and the host continues.
    #[must_use]
    pub fn on<'w>(&'w self, stream: &'w Stream) -> OnStream<'w> {
        OnStream::new(&self.member.link, stream)
    }

    /// Sends elements to a rank. It returns when they have been copied from the device, whether or not they have been
    /// received.
    ///
    /// The first `send` to a rank belongs to its first `receive` from this one, and so on, in the order in which the
    /// program calls them, in streams too.
    ///
    /// # Errors
    /// If there is no such rank, or the device cannot be read. That the receiver's buffer has another length it
    /// reports itself, and the ranks' next common operation on all.
    pub fn send<T: Element>(&self, to: usize, from: &DeviceSlice<T>) -> Result<()> {
        let link = &self.member.link;
        let memory = now(Some(from), None);
        let rank = link.known(to)?;
        let turn = link.sends[to].turn();
        link.noted(link.send(&turn, rank, memory))
    }

    /// Waits for elements from a rank. `to` must be as long as what is sent, and of the same type.
    ///
    /// # Errors
    /// If the buffer does not fit, if the sender has failed or has ended, or if the device cannot be written: the next
    /// operation of all ranks reports that on all. If there is no such rank ([`Error::NoRank`]), which is this rank's
    /// alone.
    pub fn receive<T: Element>(&self, from: usize, to: &mut DeviceSlice<T>) -> Result<()> {
        let link = &self.member.link;
        let count = to.len();
        let memory = now(None, Some(to));
        let rank = link.known(from)?;
        let turn = link.receives[from].turn();
        link.noted(link.receive(&turn, rank, count, memory))
    }

    /// Copies the elements of `root`'s buffer to all others, which have the same length.
    ///
    /// # Errors
    /// On all ranks, if the lengths or types differ, or a device fails.
    pub fn broadcast<T: Element>(&self, root: usize, buffer: &mut DeviceSlice<T>) -> Result<()> {
        let link = &self.member.link;
        Collective::broadcast(link, root, buffer.len()).run(now(None, Some(buffer)))
    }

    /// Cuts `whole`, on `root`, into parts, one for each rank, in their order. The parts may differ in length, and make
    /// up the whole: see [`World::share`]. Other ranks give `None` for `whole`.
    ///
    /// # Errors
    /// On all ranks, if the lengths do not add up, the types differ, or a device fails.
    pub fn scatter<T: Element>(
        &self,
        root: usize,
        whole: Option<&DeviceSlice<T>>,
        part: &mut DeviceSlice<T>,
    ) -> Result<()> {
        let link = &self.member.link;
        let len = whole.map(DeviceSlice::len);
        Collective::scatter(link, root, len, part.len()).run(now(whole, Some(part)))
    }

    /// Puts the parts of all ranks together in `whole`, on `root`: the opposite of [`World::scatter`].
    ///
    /// # Errors
    /// On all ranks, if the lengths do not add up, the types differ, or a device fails.
    pub fn gather<T: Element>(
        &self,
        root: usize,
        part: &DeviceSlice<T>,
        whole: Option<&mut DeviceSlice<T>>,
    ) -> Result<()> {
        let link = &self.member.link;
        let len = whole.as_ref().map(|whole| whole.len());
        Collective::gather(link, root, part.len(), len).run(now(Some(part), whole))
    }

    /// Puts the parts of all ranks together in `whole`, on each rank.
    ///
    /// # Errors
    /// On all ranks, if the lengths do not add up, the types differ, or a device fails.
    pub fn all_gather<T: Element>(
        &self,
        part: &DeviceSlice<T>,
        whole: &mut DeviceSlice<T>,
    ) -> Result<()> {
        let link = &self.member.link;
        Collective::all_gather(link, part.len(), whole.len()).run(now(Some(part), Some(whole)))
    }

    /// Makes one buffer of those of all ranks, element by element, and writes it to `result`, on `root`. Other ranks
    /// give `None` for `result`.
    ///
    /// # Errors
    /// On all ranks, if the lengths or types differ, or a device fails.
    pub fn reduce<T: Number>(
        &self,
        root: usize,
        reduction: Reduction,
        from: &DeviceSlice<T>,
        result: Option<&mut DeviceSlice<T>>,
    ) -> Result<()> {
        let link = &self.member.link;
        let len = result.as_ref().map(|result| result.len());
        Collective::reduce(link, root, reduction, from.len(), len).run(now(Some(from), result))
    }

    /// [`World::reduce`] with the result on each rank.
    ///
    /// # Errors
    /// On all ranks, if the lengths or types differ, or a device fails.
    pub fn all_reduce<T: Number>(
        &self,
        reduction: Reduction,
        from: &DeviceSlice<T>,
        result: &mut DeviceSlice<T>,
    ) -> Result<()> {
        let link = &self.member.link;
        Collective::all_reduce(link, reduction, from.len(), result.len())
            .run(now(Some(from), Some(result)))
    }
}

/// Memory for an operation that the caller waits for.
fn now<'a, T>(
    reads: Option<&'a DeviceSlice<T>>,
    writes: Option<&'a mut DeviceSlice<T>>,
) -> vortex::Result<Now<'a, T>> {
    Ok(Now { reads, writes })
}

/// A program on all ranks, from MPI's beginning to its end: `fn main() -> ExitCode { vortex_mpi::run(program) }`.
///
/// If `program` fails on a rank, a line on stderr says so, and ranks that count on this one get its error. `mpirun`
/// ends the whole program as soon as one rank has exited with an error; here that cannot be before each rank has
/// written its line.
///
/// ```
/// use std::process::ExitCode;
/// use vortex_mpi::World;
///
/// fn program(world: &World) -> vortex_mpi::Result<()> {
///     let mut buffer = world.together(|| world.device().alloc::<u32>(8))?;
///     world.broadcast(0, &mut buffer)
/// }
///
/// fn main() -> ExitCode {
///     vortex_mpi::run(program)
/// }
/// ```
pub fn run<E: fmt::Display>(program: impl FnOnce(&World) -> Result<(), E>) -> ExitCode {
    let world = match World::open() {
        Ok(world) => world,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    match program(&world) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let link = &world.member.link;
            link.say(&format!("ends with this error: {error}"));
            link.fail(error.to_string());
            ExitCode::FAILURE
        }
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("rank", &self.rank())
            .field("ranks", &self.ranks())
            .finish_non_exhaustive()
    }
}

/// As MPI's standard names it.
fn name(threading: Threading) -> &'static str {
    match threading {
        Threading::Single => "MPI_THREAD_SINGLE",
        Threading::Funneled => "MPI_THREAD_FUNNELED",
        Threading::Serialized => "MPI_THREAD_SERIALIZED",
        Threading::Multiple => "MPI_THREAD_MULTIPLE",
    }
}
