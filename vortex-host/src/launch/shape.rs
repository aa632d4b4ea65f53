//! How many work items a launch runs, and how they are spread over the device.

use vortex_kernel::abi::LaunchHeader;

use crate::driver::Caps;
use crate::error::{Error, Result};

/// A number of work items or groups in up to three dimensions, x first: `n`, `(w, h)` or `(w, h, d)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a size of a launch",
    label = "expected `n`, `(w, h)` or `(w, h, d)`, each a `usize`"
)]
pub trait Size {
    /// As three dimensions.
    #[doc(hidden)]
    fn extent(self) -> [usize; 3];
}

impl Size for usize {
    fn extent(self) -> [usize; 3] {
        [self, 1, 1]
    }
}

impl Size for (usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, 1]
    }
}

impl Size for (usize, usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

/// What a launch was told about its size.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    pub(super) over: Option<[usize; 3]>,
    pub(super) grid: Option<[usize; 3]>,
    pub(super) block: Option<[usize; 3]>,
}

impl Shape {
    /// The extent in work items, checked against what the device can do.
    pub(super) fn resolve(&self, kernel: &'static str, caps: &Caps) -> Result<Extent> {
        if let Some([x, y, z]) = self.block {
            let items = x as u128 * y as u128 * z as u128;
            if items == 0 {
                return Err(Error::EmptyGroup { kernel });
            }
            if items > u128::from(caps.max_group()) {
                return Err(Error::GroupTooLarge {
                    kernel,
                    x,
                    y,
                    z,
                    max: caps.max_group(),
                });
            }
        }
        let items = match (self.over, self.grid) {
            (Some(over), None) => over.map(|n| n as u128),
            (None, Some(grid)) => {
                let block = self.block.unwrap_or([1; 3]);
                std::array::from_fn(|axis| grid[axis] as u128 * block[axis] as u128)
            }
            (None, None) => return Err(Error::NoShape { kernel }),
            (Some(_), Some(_)) => return Err(Error::TwoShapes { kernel }),
        };
        // The device adds a stride to item numbers below the total; that must not overflow.
        let max = u32::MAX - caps.harts();
        let [x, y, z] = items;
        let too_many = || Error::TooManyItems {
            kernel,
            x,
            y,
            z,
            max,
        };
        let total = x
            .checked_mul(y)
            .and_then(|area| area.checked_mul(z))
            .ok_or_else(too_many)?;
        if total == 0 {
            return Ok(Extent {
                total: 0,
                size: [0; 3],
            });
        }
        if total > u128::from(max) {
            return Err(too_many());
        }
        Ok(Extent {
            total: total as u32,
            size: items.map(|n| n as u32),
        })
    }
}

/// Work items of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) total: u32,
    pub(super) size: [u32; 3],
}

impl Extent {
    /// What the device entry is told. No more warps are started than have work.
    pub(super) fn header(&self, caps: &Caps, faults: u32) -> LaunchHeader {
        let turn = caps.cores * caps.threads;
        let warps = self.total.div_ceil(turn).clamp(1, caps.warps);
        let stride = warps * turn;
        let rows = stride / self.size[0];
        let step = [
            stride % self.size[0],
            rows % self.size[1],
            rows / self.size[1],
        ];
        LaunchHeader {
            total: self.total,
            size: self.size,
            stride,
            step,
            warps,
            faults,
        }
    }

    /// Where in the launch an item is.
    pub(super) fn coordinates(&self, item: u32) -> [u32; 3] {
        let [x, y, _] = self.size.map(|n| n.max(1));
        [item % x, item / x % y, item / x / y]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CAPS: Caps = Caps {
        cores: 4,
        warps: 16,
        threads: 32,
        zicond: true,
        atomics: true,
        warp_ops: true,
        local_memory: 0,
    };

    fn over(size: impl Size) -> Result<Extent> {
        Shape {
            over: Some(size.extent()),
            ..Shape::default()
        }
        .resolve("k", &CAPS)
    }

    #[test]
    fn literals_are_sizes() {
        assert_eq!(over(1 << 20).unwrap().total, 1 << 20);
        assert_eq!(over((3, 4)).unwrap().size, [3, 4, 1]);
        assert_eq!(over((3, 4, 5)).unwrap().total, 60);
        assert_eq!(over((3, 0, 5)).unwrap().total, 0);
    }

    #[test]
    fn grid_times_block() {
        let shape = Shape {
            grid: Some([3, 2, 1]),
            block: Some([8, 4, 1]),
            over: None,
        };
        assert_eq!(
            shape.resolve("k", &CAPS).unwrap(),
            Extent {
                total: 192,
                size: [24, 8, 1]
            }
        );
    }

    #[test]
    fn impossible_sizes_are_errors() {
        let message = |shape: Shape| shape.resolve("k", &CAPS).unwrap_err().to_string();
        assert!(matches!(
            Shape::default().resolve("k", &CAPS),
            Err(Error::NoShape { .. })
        ));
        let both = Shape {
            over: Some([1; 3]),
            grid: Some([1; 3]),
            block: None,
        };
        assert!(matches!(
            both.resolve("k", &CAPS),
            Err(Error::TwoShapes { .. })
        ));
        let block = Shape {
            block: Some([32, 17, 1]),
            grid: Some([1; 3]),
            over: None,
        };
        assert_eq!(
            message(block),
            "kernel k: a group of 32 x 17 x 1 work items does not fit a core of this device, which runs 512 at a time"
        );
        let empty = Shape {
            block: Some([0, 1, 1]),
            grid: Some([1; 3]),
            over: None,
        };
        assert_eq!(
            message(empty),
            "kernel k: a group of 0 work items cannot cover any work"
        );
        assert!(matches!(over(usize::MAX), Err(Error::TooManyItems { .. })));
        assert!(matches!(
            over((usize::MAX, usize::MAX, usize::MAX)),
            Err(Error::TooManyItems { .. })
        ));
        assert!(over(u32::MAX as usize - 2048).is_ok());
        assert!(over(u32::MAX as usize - 2047).is_err());
    }

    proptest! {
        #[test]
        fn steps_add_up_to_the_stride(x in 1usize..5000, y in 1usize..50, z in 1usize..9) {
            let extent = over((x, y, z)).unwrap();
            let header = extent.header(&CAPS, 0);
            let [sx, sy, sz] = header.step;
            prop_assert!(sx < header.size[0] && sy < header.size[1]);
            prop_assert_eq!(sx + header.size[0] * (sy + header.size[1] * sz), header.stride);
            prop_assert!((1..=16).contains(&header.warps));
            prop_assert_eq!(header.stride, header.warps * 128);
            prop_assert!(header.warps == 16 || header.stride >= header.total);
        }

        #[test]
        fn coordinates_are_the_items(x in 1usize..50, y in 1usize..50, z in 1usize..9, item in 0u32..1000) {
            let extent = over((x, y, z)).unwrap();
            let item = item % extent.total;
            let [cx, cy, cz] = extent.coordinates(item);
            prop_assert_eq!((cz * y as u32 + cy) * x as u32 + cx, item);
        }
    }
}
