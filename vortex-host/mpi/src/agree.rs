//! Agreement: before an operation of all ranks, each announces to all others what it is about to do.
//!
//! MPI's own collectives trust the program: with a wrong count they hang, truncate data, or end the program without an
//! explanation. So ranks compare first. Each announcement has the same size, [`WORDS`]; every rank draws the same
//! conclusion from them, so all continue, or none. If none, a second exchange brings the texts that the error is made
//! of.
//!
//! A rank whose `World` is dropped takes part until all others have arrived ([`Operation::Leave`]), so an operation
//! that counts on it fails instead of waiting for ever.

use std::fmt;

use mpi::datatype::PartitionMut;
use mpi::request;
use mpi::traits::*;
use vortex::meta::Element;
use vortex::sim::Count;

use crate::error::{Error, Result};
use crate::link::{Link, locked};
use crate::number::Reduction;

/// Operations of all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Open,
    Together,
    OnlyOn,
    Broadcast,
    Scatter,
    Gather,
    AllGather,
    Reduce,
    AllReduce,
    Leave,
}

/// What a rank is about to do.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) operation: Operation,
    /// The name of the elements' type, and the size of one in bytes.
    pub(crate) of: (&'static str, usize),
    /// How many elements this rank has: its part, where there are parts.
    pub(crate) count: usize,
    /// How many elements the buffer for all ranks has, where this rank gave one.
    pub(crate) whole: Option<usize>,
    /// The rank it begins or ends at.
    pub(crate) root: Option<usize>,
    pub(crate) reduction: Option<Reduction>,
    /// Not what is begun, but whether the device has taken what came.
    pub(crate) stores: bool,
}

/// What a rank says about its call, in [`WORDS`] numbers.
#[derive(Clone, Copy)]
struct Said {
    /// What must be the same on all ranks: the operation, its type's [`hash`], its root and its reduction.
    kind: [u64; 4],
    count: u64,
    /// All bits where there is none.
    whole: u64,
    /// Whether this rank has failed already.
    failed: bool,
    /// The length of its text.
    text: u64,
}

const WORDS: usize = 8;
const NONE: u64 = u64::MAX;

impl Said {
    fn to_words(self) -> [u64; WORDS] {
        let [operation, ty, root, reduction] = self.kind;
        let failed = u64::from(self.failed);
        [
            operation, ty, root, reduction, self.count, self.whole, failed, self.text,
        ]
    }

    fn from_words(words: &[u64; WORDS]) -> Self {
        let [operation, ty, root, reduction, count, whole, failed, text] = *words;
        Self {
            kind: [operation, ty, root, reduction],
            count,
            whole,
            failed: failed != 0,
            text,
        }
    }
}

impl Call {
    /// One without elements.
    pub(crate) fn bare(operation: Operation) -> Self {
        Self {
            operation,
            of: ("", 0),
            count: 0,
            whole: None,
            root: None,
            reduction: None,
            stores: false,
        }
    }

    /// One with elements of type `T`.
    pub(crate) fn of<T: Element>(operation: Operation, count: usize) -> Self {
        Self {
            of: (T::SPELLING.name, size_of::<T>()),
            count,
            ..Self::bare(operation)
        }
    }

    /// The end of this one.
    pub(crate) fn end(&self) -> Self {
        Self {
            stores: true,
            ..self.clone()
        }
    }

    fn said(&self, failed: bool, text: &str) -> Said {
        Said {
            kind: [
                self.operation as u64 * 2 + u64::from(self.stores),
                hash(self.of),
                self.root.map_or(NONE, |root| root as u64),
                self.reduction.map_or(NONE, |reduction| reduction as u64),
            ],
            count: self.count as u64,
            whole: self.whole.map_or(NONE, |whole| whole as u64),
            failed,
            text: text.len() as u64,
        }
    }

    /// The name that users call it by.
    pub(crate) fn name(&self) -> &'static str {
        match self.operation {
            Operation::Open => "`World::open`",
            Operation::Together => "`together`",
            Operation::OnlyOn => "`only_on`",
            Operation::Broadcast => "`broadcast`",
            Operation::Scatter => "`scatter`",
            Operation::Gather => "`gather`",
            Operation::AllGather => "`all_gather`",
            Operation::Reduce => "`reduce`",
            Operation::AllReduce => "`all_reduce`",
            Operation::Leave => "the end of its `World`",
        }
    }
}

/// FNV-1a of a type's name and size.
fn hash((name, size): (&str, usize)) -> u64 {
    let bytes = name.bytes().chain(size.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if self.of.1 > 0 {
            let elements = Count(self.count as u64, "element");
            write!(f, " of {elements} of `{}`", self.of.0)?;
        }
        if let Some(reduction) = self.reduction {
            write!(f, " to their {reduction}")?;
        }
        match (self.operation, self.root) {
            (Operation::Gather | Operation::Reduce | Operation::OnlyOn, Some(root)) => {
                write!(f, " on rank {root}")
            }
            (_, Some(root)) => write!(f, " from rank {root}"),
            (_, None) => Ok(()),
        }
    }
}

impl Link {
    /// Compares what all ranks are about to do, and whether one has failed. Returns how many elements each has.
    ///
    /// # Errors
    /// The same on all ranks, if one has failed or if what they do does not fit together.
    pub(crate) fn agree(&self, call: &Call, failure: Option<String>) -> Result<Vec<usize>> {
        let unheard = locked(&self.unheard).take();
        let failure = failure.or(unheard);
        let text = match (&failure, call.operation) {
            (Some(failure), _) => failure.clone(),
            (None, Operation::Leave) => self.last_error(),
            (None, _) => call.to_string(),
        };
        let mine = call.said(failure.is_some(), &text).to_words();
        let mut words = vec![0; WORDS * self.ranks];
        request::scope(|scope| {
            let mut request = Some(
                self.with(|mpi| mpi.immediate_all_gather_into(scope, &mine[..], &mut words[..])),
            );
            let waits_for = || format!("the other ranks to come to {call}");
            // Who leaves waits for whatever the others have yet to do.
            let waits_for: Option<&dyn Fn() -> String> = match call.operation {
                Operation::Leave => None,
                _ => Some(&waits_for),
            };
            self.until(waits_for, |_| match request.take()?.test() {
                Ok(_) => Some(()),
                Err(pending) => {
                    request = Some(pending);
                    None
                }
            });
        });
        let (words, _) = words.as_chunks();
        let said: Vec<Said> = words.iter().map(Said::from_words).collect();

        let failed: Vec<usize> = (0..self.ranks).filter(|&rank| said[rank].failed).collect();
        let together = said.iter().all(|other| other.kind == said[0].kind);
        if failed.is_empty() && together {
            return match self.misfit(call, &said) {
                Some(problem) => Err(Error::Counts {
                    operation: call.name().to_owned(),
                    problem,
                }),
                None => Ok(said.iter().map(|said| said.count as usize).collect()),
            };
        }

        let mut texts = self.texts(&said, &text);
        if let Some(&first) = failed.first() {
            return Err(Error::OnRanks {
                operation: call.name().to_owned(),
                message: texts.swap_remove(first),
                ranks: failed,
            });
        }
        let leaves = Operation::Leave as u64 * 2;
        match said.iter().position(|said| said.kind[0] == leaves) {
            Some(rank) => Err(Error::Ended {
                rank,
                operation: call.to_string(),
                cause: texts.swap_remove(rank),
            }),
            None => Err(Error::Apart { doing: texts }),
        }
    }

    /// What does not fit in the numbers of elements, from the same words on all ranks.
    fn misfit(&self, call: &Call, said: &[Said]) -> Option<String> {
        let ty = call.of.0;
        let counts: Vec<u64> = said.iter().map(|said| said.count).collect();
        let each = || {
            let each = counts.iter().enumerate();
            let each: Vec<_> = each
                .map(|(rank, count)| format!("{count} on rank {rank}"))
                .collect();
            each.join(", ")
        };
        let parts_fill = |rank: usize| {
            let (whole, sum) = (said[rank].whole, counts.iter().sum::<u64>());
            (sum != whole).then(|| {
                format!(
                    "the buffer for all ranks has {whole} elements of `{ty}` on rank {rank}, and the parts have {sum} ({})",
                    each()
                )
            })
        };
        let alike = || {
            let differ = counts.iter().any(|count| *count != counts[0]);
            differ.then(|| {
                format!(
                    "the buffers have different numbers of elements of `{ty}`: {}",
                    each()
                )
            })
        };
        let result_fits = |rank: usize| {
            let (whole, count) = (said[rank].whole, counts[rank]);
            (whole != count).then(|| {
                format!("the buffer for the result has {whole} elements of `{ty}` on rank {rank}, and what is reduced has {count}")
            })
        };
        match call.operation {
            _ if call.stores => None,
            Operation::Open | Operation::Together | Operation::OnlyOn | Operation::Leave => None,
            Operation::Broadcast => alike(),
            Operation::Scatter | Operation::Gather => parts_fill(call.root?),
            Operation::AllGather => (0..self.ranks).find_map(parts_fill),
            Operation::Reduce => alike().or_else(|| result_fits(call.root?)),
            Operation::AllReduce => alike().or_else(|| (0..self.ranks).find_map(result_fits)),
        }
    }

    /// Every rank's text. All ranks know that all are here, so this waits for no program.
    fn texts(&self, said: &[Said], mine: &str) -> Vec<String> {
        let lengths: Vec<i32> = said.iter().map(|said| said.text as i32).collect();
        let starts = starts(&lengths);
        // None of both is empty: the pointer of an empty `Vec` is what MPI means by `MPI_IN_PLACE`.
        let ours = [mine.as_bytes(), &[0]].concat();
        let sum: usize = lengths.iter().map(|length| *length as usize).sum();
        let mut bytes = vec![0u8; sum + 1];
        self.with(|mpi| {
            let mut parts = PartitionMut::new(&mut bytes[..sum], &lengths[..], &starts[..]);
            mpi.all_gather_varcount_into(&ours[..mine.len()], &mut parts);
        });
        let each = lengths.iter().zip(&starts);
        each.map(|(&length, &start)| {
            let text = &bytes[start as usize..][..length as usize];
            String::from_utf8_lossy(text).into_owned()
        })
        .collect()
    }
}

/// Where the parts begin that have these lengths.
pub(crate) fn starts(lengths: &[i32]) -> Vec<i32> {
    let each = lengths.iter().scan(0, |next, length| {
        let start = *next;
        *next += length;
        Some(start)
    });
    each.collect()
}
