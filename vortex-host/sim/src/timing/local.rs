//! A core's local memory: a bank for each lane, which serves one lane in a cycle, the lowest first.
//!
//! Lanes reach banks, and answers reach lanes, through crossbars. One with more than a dozen inputs is made of smaller
//! ones, for eight inputs each, with a register between.

use super::queue::Queue;
use crate::registers::lanes_of;

/// Inputs of an arbiter, at most, and of each that it is made of where there are more.
const MOST_INPUTS: usize = 12;
const PART: usize = 8;

/// A lane's access to local memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalAccess {
    pub(super) request: u16,
    pub(super) lane: u8,
    pub(super) word: u32,
    pub(super) store: bool,
}

#[derive(Debug)]
struct Bank {
    requests: Queue<LocalAccess>,
    read: Option<LocalAccess>,
    /// The word written last, and when.
    written: Option<(u64, u32)>,
}

/// The registers in a crossbar with many inputs: by output, one for each part of its inputs.
#[derive(Debug)]
struct Parts(Vec<Vec<Queue<LocalAccess>>>);

impl Parts {
    fn new(ends: usize) -> Option<Parts> {
        let parts = || (0..ends.div_ceil(PART)).map(|_| Queue::new(2)).collect();
        (ends > MOST_INPUTS).then(|| Parts((0..ends).map(|_| parts()).collect()))
    }

    fn offer(&mut self, now: u64, input: usize, output: usize, access: LocalAccess) -> bool {
        self.0[output][input / PART].offer(now, access)
    }

    /// Hands what has come to an output to who takes it.
    fn hand(&mut self, now: u64, output: usize, mut takes: impl FnMut(LocalAccess) -> bool) {
        let part = self.0[output].iter_mut().find_map(|part| {
            let access = *part.front(now)?;
            Some((part, access))
        });
        if let Some((part, access)) = part
            && takes(access)
        {
            part.pop(now);
        }
    }
}

#[derive(Debug)]
pub(super) struct LocalMemory {
    lanes: Vec<Queue<LocalAccess>>,
    /// The lanes whose queues are not empty, and the banks with something inside.
    busy_lanes: u32,
    busy_banks: u32,
    /// Accesses that were not answered.
    waiting: usize,
    to_banks: Option<Parts>,
    banks: Vec<Bank>,
    to_lanes: Option<Parts>,
    answers: Vec<Queue<LocalAccess>>,
    answered: usize,
}

impl LocalMemory {
    pub(super) fn new(lanes: usize) -> LocalMemory {
        let queues = || (0..lanes).map(|_| Queue::new(2)).collect();
        let bank = || Bank {
            requests: Queue::new(2),
            read: None,
            written: None,
        };
        LocalMemory {
            lanes: queues(),
            busy_lanes: 0,
            busy_banks: 0,
            waiting: 0,
            to_banks: Parts::new(lanes),
            banks: (0..lanes).map(|_| bank()).collect(),
            to_lanes: Parts::new(lanes),
            answers: queues(),
            answered: 0,
        }
    }

    /// The bank that a word is in.
    pub(super) fn bank_of(&self, word: u32) -> u32 {
        word & (self.banks.len() as u32 - 1)
    }

    /// Whether nothing is inside.
    #[inline]
    pub(super) fn rests(&self) -> bool {
        self.waiting + self.answered == 0
    }

    /// Takes a lane's access, if there is room for it.
    pub(super) fn offer(&mut self, now: u64, access: LocalAccess) -> bool {
        let takes = self.lanes[usize::from(access.lane)].offer(now, access);
        if takes {
            self.waiting += 1;
            self.busy_lanes |= 1 << access.lane;
        }
        takes
    }

    /// The next answer: all of one request that are there.
    #[inline]
    pub(super) fn answer(&mut self, now: u64) -> Option<(u16, u32)> {
        match self.answered {
            0 => None,
            _ => self.next_answer(now),
        }
    }

    fn next_answer(&mut self, now: u64) -> Option<(u16, u32)> {
        let first = self
            .answers
            .iter()
            .find_map(|queue| queue.front(now).map(|access| access.request))?;
        let mut lanes = 0;
        for queue in &mut self.answers {
            if queue
                .front(now)
                .is_some_and(|access| access.request == first)
                && let Some(access) = queue.pop(now)
            {
                self.answered -= 1;
                lanes |= 1 << access.lane;
            }
        }
        Some((first, lanes))
    }

    /// Moves on by a cycle. Returns how many lanes were held back by another one at the same bank.
    pub(super) fn step(&mut self, now: u64) -> u64 {
        if self.waiting == 0 {
            return 0;
        }
        if let Some(parts) = &mut self.to_lanes {
            for (lane, answers) in self.answers.iter_mut().enumerate() {
                parts.hand(now, lane, |access| {
                    let takes = answers.offer(now, access);
                    self.waiting -= usize::from(takes);
                    self.answered += usize::from(takes);
                    takes
                });
            }
        }
        self.step_banks(now);
        if let Some(parts) = &mut self.to_banks {
            for (number, bank) in self.banks.iter_mut().enumerate() {
                parts.hand(now, number, |access| {
                    let takes = bank.requests.offer(now, access);
                    self.busy_banks |= u32::from(takes) << number;
                    takes
                });
            }
        }
        self.step_lanes(now)
    }

    fn step_banks(&mut self, now: u64) {
        for number in lanes_of(self.busy_banks) {
            let bank = &mut self.banks[number as usize];
            if let Some(access) = bank.read {
                let lane = usize::from(access.lane);
                let taken = match &mut self.to_lanes {
                    Some(parts) => parts.offer(now, number as usize, lane, access),
                    None => {
                        let taken = self.answers[lane].offer(now, access);
                        self.waiting -= usize::from(taken);
                        self.answered += usize::from(taken);
                        taken
                    }
                };
                if taken {
                    bank.read = None;
                }
            }
            if let Some(&access) = bank.requests.front(now) {
                if access.store {
                    bank.requests.pop(now);
                    bank.written = Some((now, access.word));
                    self.waiting -= 1;
                } else if bank.written != Some((now - 1, access.word)) && bank.read.is_none() {
                    bank.requests.pop(now);
                    bank.read = Some(access);
                }
            }
            let rests = bank.read.is_none() && bank.requests.is_empty();
            self.busy_banks &= !(u32::from(rests) << number);
        }
    }

    fn step_lanes(&mut self, now: u64) -> u64 {
        // Of each part of the lanes, the banks that one of them has come to.
        let mut granted = [0u32; 32 / PART];
        let mut conflicts = 0;
        for lane in lanes_of(self.busy_lanes) {
            let lane = lane as usize;
            let Some(&access) = self.lanes[lane].front(now) else {
                continue;
            };
            let bank = self.bank_of(access.word);
            let granted = match self.to_banks {
                Some(_) => &mut granted[lane / PART],
                None => &mut granted[0],
            };
            if *granted >> bank & 1 != 0 {
                conflicts += 1;
                continue;
            }
            let taken = match &mut self.to_banks {
                Some(parts) => parts.offer(now, lane, bank as usize, access),
                None => {
                    let taken = self.banks[bank as usize].requests.offer(now, access);
                    self.busy_banks |= u32::from(taken) << bank;
                    taken
                }
            };
            if taken {
                self.lanes[lane].pop(now);
                self.busy_lanes &= !(u32::from(self.lanes[lane].is_empty()) << lane);
                *granted |= 1 << bank;
            }
        }
        conflicts
    }
}
