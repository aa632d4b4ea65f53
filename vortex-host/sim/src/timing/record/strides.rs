//! How far apart the lanes of an access are.

use crate::registers::lanes_of;
use crate::timing::lsu::Addresses;

/// How far apart neighbouring active lanes are in the accesses of an instruction: the distance that most of them have,
/// if more than half do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strides {
    /// The candidate, in bytes, and by how many it leads.
    bytes: i32,
    lead: u64,
    /// Pairs of neighbours, and those with the candidate's distance while it was one.
    pairs: u64,
}

impl Strides {
    /// The distance in bytes that most neighbours have; `None` if no distance is usual.
    #[must_use]
    pub fn usual(&self) -> Option<i32> {
        (self.pairs > 0 && self.lead * 2 > self.pairs).then_some(self.bytes)
    }

    /// Both together. Which distance is usual is a vote, so that parts of unlike habits may have none in common.
    #[must_use]
    pub fn plus(&self, other: &Strides) -> Strides {
        let pairs = self.pairs + other.pairs;
        let (most, least) = match self.lead >= other.lead {
            true => (self, other),
            false => (other, self),
        };
        let lead = match most.bytes == least.bytes {
            true => most.lead + least.lead,
            false => most.lead - least.lead,
        };
        Strides {
            bytes: most.bytes,
            lead,
            pairs,
        }
    }

    /// Looks at the lanes of an access that are in `lanes`.
    pub(super) fn note(&mut self, addresses: &Addresses, lanes: u32) {
        let mut before = None;
        for lane in lanes_of(lanes) {
            let address = addresses.of[lane as usize];
            if let Some((last, from)) = before.replace((lane, address))
                && last + 1 == lane
            {
                self.vote(address.wrapping_sub(from) as i32);
            }
        }
    }

    fn vote(&mut self, bytes: i32) {
        self.pairs += 1;
        if self.lead == 0 {
            self.bytes = bytes;
        }
        match bytes == self.bytes {
            true => self.lead += 1,
            false => self.lead -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_neighbours_do_is_usual() {
        let row = |stride: u32| Addresses {
            lanes: 0xf,
            of: std::array::from_fn(|lane| 0x1000 + lane as u32 * stride),
        };
        let mut strides = Strides::default();
        assert_eq!(strides.usual(), None);
        for _ in 0..9 {
            strides.note(&row(256), 0xf);
        }
        strides.note(&row(4), 0xf);
        assert_eq!(strides.usual(), Some(256));
        // Lanes 0 and 2 are not neighbours.
        let mut some = Strides::default();
        some.note(&row(4), 0b101);
        assert_eq!(some.usual(), None);
        let mut mixed = Strides::default();
        for (stride, times) in [(4, 5), (64, 5)] {
            (0..times).for_each(|_| mixed.note(&row(stride), 0xf));
        }
        assert_eq!(mixed.usual(), None);
        assert_eq!(strides.plus(&mixed).usual(), None);
        assert_eq!(strides.plus(&strides).usual(), Some(256));
    }
}
