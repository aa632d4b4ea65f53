//! From one rank to another.
//!
//! A send is two messages: a header that describes the elements, and the elements. A separate thread, a courier, passes
//! both to MPI, so that a send never waits for its receiver. The receiver compares the header with its buffer before it
//! takes the elements. A rank's last message to each other one is a header too: that it has ended.
//!
//! All have the same tag, so MPI keeps their order.

use std::sync::{Arc, mpsc};
use std::thread;

use mpi::request::{self, Request, Scope};
use mpi::traits::*;
use vortex::meta::Element;

use crate::collective::Memory;
use crate::error::{Error, Result};
use crate::link::{Link, locked};
use crate::packet::Packet;
use crate::turns::Turn;

/// Of all messages of this crate.
const TAG: i32 = 0x5658;

/// What comes.
enum Head {
    /// So many elements of a type of this many bytes, in a message of their own.
    Elements { count: u64, size: u64, ty: String },
    /// Nothing, because the sender failed.
    Failure(String),
    /// Nothing any more: the sender has ended, with this error before.
    End(String),
}

impl Head {
    fn to_bytes(&self) -> Vec<u8> {
        let (kind, count, size, text) = match self {
            Head::Elements { count, size, ty } => (0u8, *count, *size, ty),
            Head::Failure(text) => (1, 0, 0, text),
            Head::End(text) => (2, 0, 0, text),
        };
        let mut bytes = vec![kind];
        bytes.extend(count.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    /// `None` if the message does not belong to this crate.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let (count, rest) = rest.split_first_chunk()?;
        let (size, text) = rest.split_first_chunk()?;
        let text = String::from_utf8_lossy(text).into_owned();
        Some(match kind {
            0 => Head::Elements {
                count: u64::from_le_bytes(*count),
                size: u64::from_le_bytes(*size),
                ty: text,
            },
            1 => Head::Failure(text),
            2 => Head::End(text),
            _ => return None,
        })
    }
}

impl Link {
    /// Sends what memory holds, or that it cannot be had.
    pub(crate) fn send<T: Element>(
        self: &Arc<Self>,
        turn: &Turn,
        to: i32,
        memory: vortex::Result<impl Memory<T>>,
    ) -> Result<()> {
        turn.begin();
        let packet = memory
            .and_then(|memory| memory.read())
            .map_err(Error::from)
            .and_then(|elements| Ok((elements.len(), Packet::of(&elements)?)));
        match packet {
            Ok((count, packet)) => {
                let head = Head::Elements {
                    count: count as u64,
                    size: size_of::<T>() as u64,
                    ty: T::SPELLING.name.to_owned(),
                };
                self.post(to, &head, Some(packet))
            }
            Err(error) => {
                self.post::<T>(to, &Head::Failure(error.to_string()), None)?;
                Err(error)
            }
        }
    }

    /// Hands messages to MPI, and has a courier wait until they have been taken.
    fn post<T: Element>(
        self: &Arc<Self>,
        to: i32,
        head: &Head,
        packet: Option<Packet<T>>,
    ) -> Result<()> {
        let (head, link) = (head.to_bytes(), Arc::clone(self));
        let (posted, is_posted) = mpsc::channel();
        let carry = move || {
            request::scope(|scope| {
                let (mut first, mut second) = link.with(|mpi| {
                    let to = mpi.process_at_rank(to);
                    let first = to.immediate_send_with_tag(scope, &head[..], TAG);
                    let second = packet.as_ref();
                    let second =
                        second.map(|packet| to.immediate_send_with_tag(scope, packet, TAG));
                    (Some(first), second)
                });
                // Whoever waits for that may have ended its thread, which is its own affair.
                let _ = posted.send(());
                link.until(None, |_| {
                    first = first.take().and_then(pending);
                    second = second.take().and_then(pending);
                    (first.is_none() && second.is_none()).then_some(())
                });
            });
        };
        let courier = thread::Builder::new()
            .name("vortex-mpi courier".to_owned())
            .spawn(carry);
        let courier = courier.map_err(|cause| Error::NoThread { cause })?;
        // The next message to the same rank is not to come before this one. (An error is a courier that panicked, which
        // has been reported.)
        let _ = is_posted.recv();
        let mut couriers = locked(&self.couriers);
        couriers.retain(|courier| !courier.is_finished());
        couriers.push(courier);
        Ok(())
    }

    /// Receives into memory that has room for `count` elements.
    pub(crate) fn receive<T: Element>(
        &self,
        turn: &Turn,
        from: i32,
        count: usize,
        memory: vortex::Result<impl Memory<T>>,
    ) -> Result<()> {
        turn.begin();
        let result = self.received(from, count, memory);
        if let Err(error) = &result {
            // The other ranks hear of it at their next operation of all ranks.
            locked(&self.unheard).get_or_insert(format!("before this, {error}"));
        }
        result
    }

    fn received<T: Element>(
        &self,
        from: i32,
        count: usize,
        memory: vortex::Result<impl Memory<T>>,
    ) -> Result<()> {
        let problem = |problem| Error::Receive {
            rank: self.rank,
            problem,
        };
        let (sent, bytes, ty) = match self.head(from) {
            Head::Elements { count, size, ty } => (count, size, ty),
            Head::Failure(text) => {
                return Err(problem(format!("rank {from} could not send: {text}")));
            }
            Head::End(cause) => {
                return Err(Error::Ended {
                    rank: from as usize,
                    operation: format!("`receive` on rank {}", self.rank),
                    cause,
                });
            }
        };
        let ours = T::SPELLING.name;
        let waits_for = || format!("{sent} elements of `{ty}` that rank {from} has begun to send");
        if (sent, bytes, &*ty) != (count as u64, size_of::<T>() as u64, ours) {
            self.until(Some(&waits_for), |mpi| {
                let found = mpi
                    .process_at_rank(from)
                    .immediate_matched_probe_with_tag(TAG)?;
                Some(found.matched_receive_vec::<u8>())
            });
            return Err(problem(format!(
                "rank {from} sends {sent} elements of `{ty}`, and the buffer has {count} of `{ours}`"
            )));
        }
        let mut packet = Packet::<T>::zeroed(count)?;
        self.until(Some(&waits_for), |mpi| {
            let (message, _) = mpi
                .process_at_rank(from)
                .immediate_matched_probe_with_tag(TAG)?;
            Some(message.matched_receive_into(&mut packet))
        });
        let stored = memory.and_then(|mut memory| {
            let elements = packet.checked()?;
            memory.write(&elements)
        });
        stored.map_err(|error| problem(error.to_string()))
    }

    /// The next head from a rank, or the last one if it has ended.
    fn head(&self, from: i32) -> Head {
        if let Some(cause) = &locked(&self.ended)[from as usize] {
            return Head::End(cause.clone());
        }
        let waits_for = || format!("rank {from} to send to it");
        let bytes = self.until(Some(&waits_for), |mpi| {
            let found = mpi
                .process_at_rank(from)
                .immediate_matched_probe_with_tag(TAG)?;
            Some(found.matched_receive_vec::<u8>().0)
        });
        let Some(head) = Head::from_bytes(&bytes) else {
            self.give_up(&format!(
                "has received a message with tag {TAG} from rank {from} that no `send` has sent; use \
                 `World::mpi` for the program's own messages"
            ));
        };
        if let Head::End(cause) = &head {
            locked(&self.ended)[from as usize] = Some(cause.clone());
        }
        head
    }

    /// Tells a rank that nothing more will come.
    pub(crate) fn send_end(self: &Arc<Self>, turn: &Turn, to: i32) {
        turn.begin();
        if let Err(error) = self.post::<u8>(to, &Head::End(self.last_error()), None) {
            self.give_up(&format!("cannot end: {error}"));
        }
    }

    /// Takes what a rank has sent and this one has not received. All ranks have sent their ends.
    pub(crate) fn drain(&self, turn: &Turn, from: i32) {
        turn.begin();
        let mut left = 0usize;
        loop {
            match self.head(from) {
                Head::End(_) => break,
                Head::Failure(_) => {}
                Head::Elements { .. } => {
                    let waits_for = || format!("what rank {from} has begun to send");
                    self.until(Some(&waits_for), |mpi| {
                        let from = mpi.process_at_rank(from);
                        let found = from.immediate_matched_probe_with_tag(TAG)?;
                        Some(found.matched_receive_vec::<u8>())
                    });
                    left += 1;
                }
            }
        }
        if left > 0 {
            let plural = if left == 1 { "buffer" } else { "buffers" };
            self.say(&format!(
                "has not received {left} {plural} that rank {from} has sent to it"
            ));
        }
    }
}

/// The request, if it is not done.
fn pending<'a, D: ?Sized, S: Scope<'a>>(request: Request<'a, D, S>) -> Option<Request<'a, D, S>> {
    request.test().err()
}
