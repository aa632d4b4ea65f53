//! The bytes that each item accesses, and whether those of two items can overlap.

use smallvec::SmallVec;

/// The bytes of an object that an item accesses: `count` from the first on, and the same at each multiple of a stride
/// that is less than a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The lowest byte, as a sum.
    pub first: Vec<Term>,
    /// As many bytes from there on; at least 1.
    pub count: u32,
    /// What is added besides: numbers that the item runs through.
    pub widths: Vec<Width>,
    /// Ids that have one value in all items that access anything.
    pub fixed: Vec<ItemId>,
    /// By what the number of an item is divided, if `first` has quotients and remainders.
    pub divisor: Option<Vec<Term>>,
}

/// All numbers below a limit, times a stride. Both are sums, the same for all items.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Width {
    /// By how many bytes places differ whose numbers differ by one.
    pub stride: Vec<Term>,
    /// One more than the largest number.
    pub limit: Vec<Term>,
}

/// A product.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// Which id of the item is in it, if one is.
    pub id: Option<ItemId>,
    /// A constant in it.
    pub constant: u32,
    /// What else is in it.
    pub factors: Vec<Factor>,
}

/// What tells an item from the others of its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemId {
    /// Its number, x fastest.
    Linear,
    /// Its coordinate in a dimension.
    At(u8),
    /// Its number in its group.
    LocalLinear,
    /// Its coordinate there.
    Local(u8),
    /// Its group's number.
    GroupLinear,
    /// Its group's coordinate.
    Group(u8),
    /// Its number, divided by [`Places::divisor`].
    Quotient,
    /// What is left of it then.
    Remainder,
}

/// A word that is the same for all items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// At this offset of the argument struct.
    Argument(u32),
    /// The word there divided by a number that is not 0, rounded down.
    PartOf(u32, u32),
    /// The extent of the launch in a dimension.
    Size(u8),
    /// The extent of a group.
    LocalSize(u8),
}

/// What is known about a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The argument struct.
    pub args: &'a [u8],
    /// Items in each dimension.
    pub size: [u32; 3],
    /// Those of a group; one where there are no groups.
    pub block: [u32; 3],
}

/// Which items must not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Those of the launch.
    Launch,
    /// Those of a group.
    Group,
}

/// A dimension in which places lie.
struct Dimension {
    stride: u64,
    size: u64,
    /// It tells items apart; in others an item has several places.
    of_items: bool,
}

impl Places {
    /// Whether no two items access the same byte, and no number wraps around.
    pub(super) fn are_disjoint(&self, launch: &Launch<'_>, scope: Scope) -> bool {
        self.end_if_disjoint(launch, scope)
            .is_some_and(|end| end <= 1 << 32)
    }

    /// Beyond the last byte, if no two items access the same.
    fn end_if_disjoint(&self, launch: &Launch<'_>, scope: Scope) -> Option<u64> {
        let mut strides = Strides::default();
        let mut lowest = 0u64;
        for term in &self.first {
            let product = launch.product(term)?;
            match term.id {
                None => lowest = lowest.checked_add(product)?,
                Some(id) => strides.add(id, product, launch)?,
            }
        }
        let fixed = self.fixed();
        let mut dimensions: SmallVec<[Dimension; 12]> = SmallVec::new();
        for (d, groups) in launch.groups().into_iter().enumerate() {
            let local = (strides.local[d], launch.block[d], fixed.local[d]);
            // The same for all items that could meet.
            let is_alike = fixed.group[d] || scope == Scope::Group;
            for (stride, size, is_alike) in [local, (strides.group[d], groups, is_alike)] {
                let size = u64::from(size);
                if is_alike {
                    let most = stride.checked_mul(size.saturating_sub(1))?;
                    lowest = lowest.checked_add(most)?;
                } else {
                    dimensions.push(Dimension {
                        stride,
                        size,
                        of_items: true,
                    });
                }
            }
        }
        for width in &self.widths {
            dimensions.push(Dimension {
                stride: launch.sum(&width.stride)?,
                size: launch.sum(&width.limit)?.max(1),
                of_items: false,
            });
        }
        if let Some(divisor) = &self.divisor {
            // A quotient and a remainder tell an item as well as its ids, which must not count besides.
            if scope != Scope::Launch
                || dimensions
                    .iter()
                    .any(|dimension| dimension.of_items && dimension.stride != 0)
            {
                return None;
            }
            dimensions.retain(|dimension| !dimension.of_items);
            let divisor = launch.sum(divisor).filter(|divisor| *divisor != 0)?;
            let [x, y, z] = launch.size.map(u64::from);
            let items = x.checked_mul(y)?.checked_mul(z)?;
            let parts = [
                (strides.quotient, items.div_ceil(divisor)),
                (strides.remainder, divisor.min(items)),
            ];
            dimensions.extend(parts.map(|(stride, size)| Dimension {
                stride,
                size,
                of_items: true,
            }));
        }
        dimensions.sort_unstable_by_key(|dimension| (dimension.stride, dimension.of_items));
        // What the dimensions with smaller strides fill, and whether they tell items apart.
        let (mut filled, mut apart) = (u64::from(self.count), false);
        for dimension in dimensions {
            if dimension.size > 1 {
                apart |= dimension.of_items;
                if apart && dimension.stride < filled {
                    return None;
                }
                filled = filled.checked_add(dimension.stride.checked_mul(dimension.size - 1)?)?;
            }
        }
        lowest.checked_add(filled)
    }
}

impl Places {
    /// The dimensions whose ids are fixed.
    fn fixed(&self) -> Fixed {
        let mut fixed = Fixed::default();
        let set = |ids: &mut [bool; 3], d: u8| {
            if let Some(id) = ids.get_mut(usize::from(d)) {
                *id = true;
            }
        };
        for id in &self.fixed {
            match *id {
                ItemId::Linear => {
                    fixed = Fixed {
                        local: [true; 3],
                        group: [true; 3],
                    }
                }
                ItemId::LocalLinear => fixed.local = [true; 3],
                ItemId::Quotient | ItemId::Remainder => {}
                ItemId::GroupLinear => fixed.group = [true; 3],
                ItemId::Local(d) => set(&mut fixed.local, d),
                ItemId::Group(d) => set(&mut fixed.group, d),
                ItemId::At(d) => {
                    set(&mut fixed.local, d);
                    set(&mut fixed.group, d);
                }
            }
        }
        fixed
    }
}

/// Dimensions in which there is one place only.
#[derive(Default)]
struct Fixed {
    local: [bool; 3],
    group: [bool; 3],
}

/// What a place moves by from an item to the next, within a group and from group to group.
#[derive(Default)]
struct Strides {
    local: [u64; 3],
    group: [u64; 3],
    quotient: u64,
    remainder: u64,
}

impl Strides {
    fn add(&mut self, id: ItemId, by: u64, launch: &Launch<'_>) -> Option<()> {
        let rows = |[x, y, _]: [u32; 3]| {
            let row = u64::from(x);
            Some([1, row, row.checked_mul(y.into())?])
        };
        match id {
            ItemId::Quotient => grow(&mut self.quotient, by, 1),
            ItemId::Remainder => grow(&mut self.remainder, by, 1),
            ItemId::Local(d) => grow(self.local.get_mut(usize::from(d))?, by, 1),
            ItemId::Group(d) => grow(self.group.get_mut(usize::from(d))?, by, 1),
            ItemId::At(d) => {
                let block = *launch.block.get(usize::from(d))?;
                self.add(ItemId::Local(d), by, launch)?;
                self.add(ItemId::Group(d), by.checked_mul(block.into())?, launch)
            }
            ItemId::LocalLinear => {
                let rows = rows(launch.block)?;
                (0..3).try_for_each(|d| grow(&mut self.local[d], by, rows[d]))
            }
            ItemId::GroupLinear => {
                let rows = rows(launch.groups())?;
                (0..3).try_for_each(|d| grow(&mut self.group[d], by, rows[d]))
            }
            ItemId::Linear => {
                let rows = rows(launch.size)?;
                (0..3u8).try_for_each(|d| {
                    let by = by.checked_mul(rows[usize::from(d)])?;
                    self.add(ItemId::At(d), by, launch)
                })
            }
        }
    }
}

fn grow(stride: &mut u64, by: u64, times: u64) -> Option<()> {
    *stride = stride.checked_add(by.checked_mul(times)?)?;
    Some(())
}

impl Launch<'_> {
    /// Groups in each dimension.
    fn groups(&self) -> [u32; 3] {
        [0, 1, 2].map(|d| self.size[d].div_ceil(self.block[d].max(1)))
    }

    /// A sum without ids.
    fn sum(&self, terms: &[Term]) -> Option<u64> {
        let mut sum = 0u64;
        for term in terms {
            sum = sum.checked_add(self.product(term)?)?;
        }
        Some(sum)
    }

    /// What is in a product besides an id.
    fn product(&self, term: &Term) -> Option<u64> {
        let mut product = u64::from(term.constant);
        for factor in &term.factors {
            let factor = match *factor {
                Factor::Argument(offset) => word(self.args, offset)?,
                Factor::PartOf(offset, divisor) => word(self.args, offset)?.checked_div(divisor)?,
                Factor::Size(d) => *self.size.get(usize::from(d))?,
                Factor::LocalSize(d) => *self.block.get(usize::from(d))?,
            };
            product = product.checked_mul(factor.into())?;
        }
        Some(product)
    }
}

pub(super) fn word(args: &[u8], offset: u32) -> Option<u32> {
    let bytes = args.get(offset as usize..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
