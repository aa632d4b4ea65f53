//! The switches of a network between many ports and banks.
//!
//! Where there are more than two on a side, the hardware has no crossbar but a butterfly of switches with two inputs
//! and two outputs each, the outputs of one stage shuffled to the inputs of the next, with a register after each
//! switch. The crossbar models the last stage itself; this module has those before it.

use super::queue::{Queue, RoundRobin};

/// All stages but the last, with what is in the registers behind them and where that goes.
#[derive(Debug)]
pub(super) struct Network<T> {
    /// Ends of each side, as a power of two.
    bits: u32,
    /// Registers hold one item each, or two whose both ends are registered.
    single: bool,
    stages: Vec<Vec<Queue<(T, u16)>>>,
    grants: Vec<Vec<RoundRobin>>,
}

impl<T: Copy> Network<T> {
    /// `None`: a crossbar will do.
    pub(super) fn new(inputs: usize, outputs: usize, single: bool) -> Option<Network<T>> {
        let bits = inputs.max(outputs).next_power_of_two().trailing_zeros();
        let inner = bits.checked_sub(1).filter(|&stages| stages > 0)?;
        let lanes = 1 << bits;
        Some(Network {
            bits,
            single,
            stages: (0..inner)
                .map(|_| (0..lanes).map(|_| Queue::new(2)).collect())
                .collect(),
            grants: vec![vec![RoundRobin::default(); lanes]; inner as usize],
        })
    }

    /// The end of the stage before that is wired to an input of this one.
    fn wired(&self, input: usize) -> usize {
        input >> 1 | (input & 1) << (self.bits - 1)
    }

    /// What comes to the last switch of an output, at one of its two inputs, if that goes to this output.
    fn lane(&self, output: usize, input: usize) -> usize {
        self.wired(output & !1 | input)
    }

    /// What comes to an output from one of the two inputs of its switch.
    pub(super) fn front(&self, now: u64, output: usize, input: usize) -> Option<&T> {
        let lane = &self.stages[self.stages.len() - 1][self.lane(output, input)];
        let (item, to) = lane.front(now)?;
        (usize::from(*to) & 1 == output & 1).then_some(item)
    }

    pub(super) fn pop(&mut self, now: u64, output: usize, input: usize) -> Option<T> {
        let (stage, lane) = (self.stages.len() - 1, self.lane(output, input));
        self.stages[stage][lane].pop(now).map(|(item, _)| item)
    }

    /// Moves on what is inside, and takes in what is at the sources: each gives what it has, with where that goes, and
    /// gives it away if asked to. To be called when the outputs have been served.
    pub(super) fn step(
        &mut self,
        now: u64,
        inputs: usize,
        mut source: impl FnMut(usize, bool) -> Option<(T, usize)>,
    ) {
        for stage in (0..self.stages.len()).rev() {
            for lane in 0..1 << self.bits {
                let register = &self.stages[stage][lane];
                let takes = match self.single {
                    true => register.is_empty(),
                    false => register.accepts(now),
                };
                if !takes {
                    continue;
                }
                let bit = self.bits as usize - 1 - stage;
                let comes_here = |to: usize| to >> bit & 1 == lane & 1;
                let from = |input: usize| self.wired(lane & !1 | input);
                let chosen = self.grants[stage][lane].choose(2, |input| match stage {
                    0 => {
                        let from = from(input);
                        from < inputs && source(from, false).is_some_and(|(_, to)| comes_here(to))
                    }
                    _ => {
                        let before = self.stages[stage - 1][from(input)].front(now);
                        before.is_some_and(|&(_, to)| comes_here(usize::from(to)))
                    }
                });
                let Some(input) = chosen else { continue };
                let from = from(input);
                let item = match stage {
                    0 => source(from, true).map(|(item, to)| (item, to as u16)),
                    _ => self.stages[stage - 1][from].pop(now),
                };
                if let Some(item) = item {
                    self.grants[stage][lane].served(input);
                    self.stages[stage][lane].push(now, item);
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stages.iter().flatten().all(Queue::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_to_where_it_goes() {
        for (inputs, outputs) in [(4, 4), (4, 2), (2, 4), (8, 8), (16, 2), (3, 4)] {
            for (from, to) in (0..inputs).flat_map(|from| (0..outputs).map(move |to| (from, to))) {
                let Some(mut network) = Network::new(inputs, outputs, true) else {
                    panic!("{inputs} x {outputs} take more than a crossbar");
                };
                let mut waiting = Some(from);
                let mut arrived = None;
                for now in 1..10 {
                    for output in 0..outputs {
                        for input in 0..2 {
                            if network.front(now, output, input).is_some() {
                                network.pop(now, output, input);
                                arrived = Some((now, output));
                            }
                        }
                    }
                    network.step(now, inputs, |n, take| {
                        let item = waiting.filter(|&from| from == n)?;
                        if take {
                            waiting = None;
                        }
                        Some((item, to))
                    });
                }
                let stages = u64::from(inputs.max(outputs).next_power_of_two().trailing_zeros());
                assert_eq!(
                    arrived,
                    Some((stages, to)),
                    "{inputs} x {outputs} from {from}"
                );
                assert!(network.is_empty());
            }
        }
        assert!(Network::<u8>::new(2, 2, true).is_none());
    }
}
