//! Operations of all ranks on device memory.
//!
//! Each has three steps: read the device and agree ([`Link::agree`]); MPI's own collective, which all ranks have
//! reached by now, with counts that fit; write the device, and agree on that. So an error of one device is an error of
//! all ranks, at the same call.

use std::sync::Arc;

use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use vortex::meta::Element;
use vortex::{DeviceSlice, HostSide};

use crate::agree::{Call, Operation, starts};
use crate::error::{Error, Result};
use crate::link::Link;
use crate::number::{Number, Reduction};
use crate::packet::Packet;
use crate::turns::Turn;

/// Device memory that an operation reads and writes: now, or in a stream.
pub(crate) trait Memory<T> {
    fn read(&self) -> vortex::Result<Vec<T>>;
    fn write(&mut self, elements: &[T]) -> vortex::Result<()>;
}

/// Memory for an operation that the caller waits for.
pub(crate) struct Now<'a, T> {
    pub(crate) reads: Option<&'a DeviceSlice<T>>,
    pub(crate) writes: Option<&'a mut DeviceSlice<T>>,
}

impl<T: Element> Memory<T> for Now<'_, T> {
    fn read(&self) -> vortex::Result<Vec<T>> {
        match self.reads.or(self.writes.as_deref()) {
            Some(slice) => slice.download(),
            None => Ok(Vec::new()),
        }
    }

    fn write(&mut self, elements: &[T]) -> vortex::Result<()> {
        match &mut self.writes {
            Some(slice) => slice.write(elements),
            None => Ok(()),
        }
    }
}

impl<T: Element> Memory<T> for HostSide<T> {
    fn read(&self) -> vortex::Result<Vec<T>> {
        HostSide::read(self)
    }

    fn write(&mut self, elements: &[T]) -> vortex::Result<()> {
        HostSide::write(self, elements)
    }
}

/// MPI's part of an operation: from every rank's count and this one's elements to what this one gets.
type Move<T> = fn(&SimpleCommunicator, &Plan, Vec<T>) -> Result<Option<Vec<T>>>;

/// What MPI's part must know.
pub(crate) struct Plan {
    rank: usize,
    root: i32,
    /// How many elements each rank has.
    counts: Vec<i32>,
    reduction: Option<Reduction>,
}

impl Plan {
    fn is_root(&self) -> bool {
        self.rank as i32 == self.root
    }

    fn mine(&self) -> usize {
        self.counts[self.rank] as usize
    }

    fn all(&self) -> usize {
        self.counts.iter().map(|count| *count as usize).sum()
    }
}

/// An operation of all ranks that has been called, and has its place among them.
pub(crate) struct Collective<T> {
    link: Arc<Link>,
    turn: Turn,
    call: Call,
    go: Move<T>,
    /// Why it cannot be.
    refused: Option<String>,
}

impl<T: Element> Collective<T> {
    fn new(link: &Arc<Link>, call: Call, go: Move<T>) -> Self {
        let root = call.root.unwrap_or(0);
        let is_root = call.root == Some(link.rank);
        let refused = match link.known(root) {
            Err(error) => Some(error.to_string()),
            Ok(_) if is_root && call.whole.is_none() && call.operation != Operation::Broadcast => {
                Some(format!(
                    "rank {root} has to give a buffer for the elements of all ranks, `Some(..)` instead of `None`"
                ))
            }
            Ok(_) => {
                let count = call.count.max(call.whole.unwrap_or(0));
                let too_many = i32::try_from(count).is_err();
                too_many.then(|| Error::TooMany { count }.to_string())
            }
        };
        Self {
            link: Arc::clone(link),
            turn: link.collectives.turn(),
            call,
            go,
            refused,
        }
    }

    pub(crate) fn broadcast(link: &Arc<Link>, root: usize, count: usize) -> Self {
        let call = Call {
            root: Some(root),
            ..Call::of::<T>(Operation::Broadcast, count)
        };
        Self::new(link, call, broadcast)
    }

    pub(crate) fn scatter(
        link: &Arc<Link>,
        root: usize,
        whole: Option<usize>,
        part: usize,
    ) -> Self {
        let call = Call {
            root: Some(root),
            whole,
            ..Call::of::<T>(Operation::Scatter, part)
        };
        Self::new(link, call, scatter)
    }

    pub(crate) fn gather(link: &Arc<Link>, root: usize, part: usize, whole: Option<usize>) -> Self {
        let call = Call {
            root: Some(root),
            whole,
            ..Call::of::<T>(Operation::Gather, part)
        };
        Self::new(link, call, gather)
    }

    pub(crate) fn all_gather(link: &Arc<Link>, part: usize, whole: usize) -> Self {
        let call = Call {
            whole: Some(whole),
            ..Call::of::<T>(Operation::AllGather, part)
        };
        Self::new(link, call, all_gather)
    }

    /// Does it.
    pub(crate) fn run(self, memory: vortex::Result<impl Memory<T>>) -> Result<()> {
        let result = self.link.noted(self.steps(memory));
        // Only now may the next one begin.
        drop(self.turn);
        result
    }

    fn steps(&self, memory: vortex::Result<impl Memory<T>>) -> Result<()> {
        self.turn.begin();
        let (link, call) = (&*self.link, &self.call);
        let ready = self.ready(memory);
        let failure = ready.as_ref().err().cloned();
        let counts = link.agree(call, failure)?;
        let plan = Plan {
            rank: link.rank,
            // Both have been found to be small.
            root: call.root.unwrap_or(0) as i32,
            counts: counts.into_iter().map(|count| count as i32).collect(),
            reduction: call.reduction,
        };
        let stored = ready.and_then(|(mut memory, elements)| {
            if plan.all() == 0 {
                // The pointer of an empty `Vec` is what MPI means by `MPI_IN_PLACE`.
                return Ok(());
            }
            match link.with(|mpi| (self.go)(mpi, &plan, elements)) {
                Ok(Some(came)) => memory.write(&came).map_err(|error| error.to_string()),
                Ok(None) => Ok(()),
                Err(error) => Err(error.to_string()),
            }
        });
        link.agree(&call.end(), stored.err()).map(drop)
    }

    /// The memory, with what the others get of it; or why this rank cannot take part.
    fn ready<M: Memory<T>>(&self, memory: vortex::Result<M>) -> Result<(M, Vec<T>), String> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let in_words = |error: vortex::Error| error.to_string();
        let memory = memory.map_err(in_words)?;
        let takes_from_here = match self.call.operation {
            Operation::Broadcast | Operation::Scatter => self.call.root == Some(self.link.rank),
            _ => true,
        };
        let elements = match takes_from_here {
            true => memory.read().map_err(in_words)?,
            false => Vec::new(),
        };
        Ok((memory, elements))
    }
}

impl<T: Number> Collective<T> {
    pub(crate) fn reduce(
        link: &Arc<Link>,
        root: usize,
        reduction: Reduction,
        count: usize,
        result: Option<usize>,
    ) -> Self {
        let call = Call {
            root: Some(root),
            whole: result,
            reduction: Some(reduction),
            ..Call::of::<T>(Operation::Reduce, count)
        };
        Self::new(link, call, reduce)
    }

    pub(crate) fn all_reduce(
        link: &Arc<Link>,
        reduction: Reduction,
        count: usize,
        result: usize,
    ) -> Self {
        let call = Call {
            whole: Some(result),
            reduction: Some(reduction),
            ..Call::of::<T>(Operation::AllReduce, count)
        };
        Self::new(link, call, all_reduce)
    }
}

fn broadcast<T: Element>(
    mpi: &SimpleCommunicator,
    plan: &Plan,
    elements: Vec<T>,
) -> Result<Option<Vec<T>>> {
    let mut packet = match plan.is_root() {
        true => Packet::of(&elements)?,
        false => Packet::zeroed(plan.mine())?,
    };
    mpi.process_at_rank(plan.root).broadcast_into(&mut packet);
    match plan.is_root() {
        true => Ok(None),
        false => Ok(Some(packet.checked()?)),
    }
}

fn scatter<T: Element>(
    mpi: &SimpleCommunicator,
    plan: &Plan,
    elements: Vec<T>,
) -> Result<Option<Vec<T>>> {
    let root = mpi.process_at_rank(plan.root);
    let mut part = Packet::<T>::zeroed(plan.mine())?;
    if plan.is_root() {
        let whole = Packet::of(&elements)?;
        let parts = Partition::new(&whole, &plan.counts[..], starts(&plan.counts));
        root.scatter_varcount_into_root(&parts, &mut part);
    } else {
        root.scatter_varcount_into(&mut part);
    }
    Ok(Some(part.checked()?))
}

fn gather<T: Element>(
    mpi: &SimpleCommunicator,
    plan: &Plan,
    elements: Vec<T>,
) -> Result<Option<Vec<T>>> {
    let root = mpi.process_at_rank(plan.root);
    let part = Packet::of(&elements)?;
    if !plan.is_root() {
        root.gather_varcount_into(&part);
        return Ok(None);
    }
    let mut whole = Packet::<T>::zeroed(plan.all())?;
    let mut parts = PartitionMut::new(&mut whole, &plan.counts[..], starts(&plan.counts));
    root.gather_varcount_into_root(&part, &mut parts);
    Ok(Some(whole.checked()?))
}

fn all_gather<T: Element>(
    mpi: &SimpleCommunicator,
    plan: &Plan,
    elements: Vec<T>,
) -> Result<Option<Vec<T>>> {
    let part = Packet::of(&elements)?;
    let mut whole = Packet::<T>::zeroed(plan.all())?;
    let mut parts = PartitionMut::new(&mut whole, &plan.counts[..], starts(&plan.counts));
    mpi.all_gather_varcount_into(&part, &mut parts);
    Ok(Some(whole.checked()?))
}

fn reduce<T: Number>(
    mpi: &SimpleCommunicator,
    plan: &Plan,
    elements: Vec<T>,
) -> Result<Option<Vec<T>>> {
    let root = mpi.process_at_rank(plan.root);
    let by = plan.reduction.unwrap_or(Reduction::Sum).operation();
    let sent: Vec<T::Sent> = elements.into_iter().map(T::sent).collect();
    if !plan.is_root() {
        root.reduce_into(&sent[..], by);
        return Ok(None);
    }
    let mut result = vec![T::Sent::default(); sent.len()];
    root.reduce_into_root(&sent[..], &mut result[..], by);
    Ok(Some(result.into_iter().map(T::received).collect()))
}

fn all_reduce<T: Number>(
    mpi: &SimpleCommunicator,
    plan: &Plan,
    elements: Vec<T>,
) -> Result<Option<Vec<T>>> {
    let by = plan.reduction.unwrap_or(Reduction::Sum).operation();
    let sent: Vec<T::Sent> = elements.into_iter().map(T::sent).collect();
    let mut result = vec![T::Sent::default(); sent.len()];
    mpi.all_reduce_into(&sent[..], &mut result[..], by);
    Ok(Some(result.into_iter().map(T::received).collect()))
}
