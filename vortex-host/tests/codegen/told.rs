//! What a kernel tells besides what it leaves in memory: failures and prints, hart by hart.

use super::run::{Launch, PRINT_ROOM, Shape, count};
use vortex_kernel::abi::{FAULT_AREA_HEADER, FaultRecord, PrintHeader};
use vortex_kernel::codegen::Image;
use vortex_kernel::ir::interp::Events;
use vortex_kernel::ir::{FaultKind, Function, MessageId, SourceLoc};

/// What the harts of a device tell, each at its place.
#[derive(Debug)]
pub(crate) struct Told {
    /// The first failure of each.
    faults: Vec<Option<Fault>>,
    prints: Vec<Printed>,
}

#[derive(Clone, Debug, PartialEq)]
struct Fault {
    item: u32,
    kind: FaultKind,
    message: Option<MessageId>,
    operands: Vec<u32>,
    loc: SourceLoc,
}

/// What a hart has printed.
#[derive(Clone, Debug, Default, PartialEq)]
struct Printed {
    /// Its records: the number of the message, that of the item, the values.
    words: Vec<u32>,
    /// Messages that found no room.
    lost: u32,
}

/// Where an item runs.
struct RunAs {
    hart: usize,
    /// Its number as the device counts: of kernels that know of groups, group by group.
    number: u32,
}

/// What is done by blocks of one row of items, before the others. Nothing is, by default.
#[derive(Clone, Copy, Default)]
pub(crate) struct Blocks {
    /// Items of a lane in each.
    pub(crate) columns: u32,
    /// Items in all blocks together.
    pub(crate) covered: u32,
}

fn place(item: u32, grouped: bool, launch: Launch, shape: Shape, blocks: Blocks) -> RunAs {
    let lanes = shape.lanes;
    let of_core = shape.warps * lanes;
    if !grouped {
        let warp = match item.checked_sub(blocks.covered) {
            Some(item) => item / lanes,
            None => item / (blocks.columns * lanes),
        };
        let (warp, lane) = (warp % (shape.cores * shape.warps), item % lanes);
        let hart = warp % shape.cores * of_core + warp / shape.cores * lanes + lane;
        return RunAs {
            hart: hart as usize,
            number: item,
        };
    }
    let size = launch.size();
    let at = [
        item % size[0],
        item / size[0] % size[1],
        item / size[0] / size[1],
    ];
    let linear = |[x, y, z]: [u32; 3], of: [u32; 3]| (z * of[1] + y) * of[0] + x;
    let group = std::array::from_fn(|d| at[d] / launch.block[d]);
    let local = std::array::from_fn(|d| at[d] % launch.block[d]);
    let (group, local) = (linear(group, launch.groups), linear(local, launch.block));
    let warps = count(launch.block).div_ceil(lanes);
    // So many groups run on a core at a time.
    let slots = shape.warps / warps;
    let slot = group % (slots * shape.cores);
    let hart = slot % shape.cores * of_core + slot / shape.cores * warps * lanes + local;
    RunAs {
        hart: hart as usize,
        number: group * count(launch.block) + local,
    }
}

impl Told {
    /// By items that have told the interpreter this.
    pub(crate) fn wanted(
        kernel: &Function,
        events: &Events,
        launch: Launch,
        shape: Shape,
        blocks: Blocks,
    ) -> Self {
        let place = |item| place(item, !kernel.locals.is_empty(), launch, shape, blocks);
        let harts = shape.harts() as usize;
        let mut told = Self {
            faults: vec![None; harts],
            prints: vec![Printed::default(); harts],
        };
        // What runs on a hart later comes later.
        for fault in &events.faults {
            let RunAs { hart, number } = place(fault.item);
            told.faults[hart].get_or_insert_with(|| Fault {
                item: number,
                kind: fault.kind,
                message: fault.message,
                operands: fault.operands.clone(),
                loc: kernel.locs[fault.loc].clone(),
            });
        }
        for print in &events.prints {
            let RunAs { hart, number } = place(print.item);
            let printed = &mut told.prints[hart];
            let record = [&[print.message.as_u32(), number], &print.operands[..]].concat();
            if 4 * (printed.words.len() + record.len()) <= PRINT_ROOM as usize {
                printed.words.extend(record);
            } else {
                printed.lost += 1;
            }
        }
        told
    }

    /// What the first hart that tells something else tells here and there.
    pub(crate) fn difference(&self, found: &Self) -> Option<String> {
        fn first<T: std::fmt::Debug + PartialEq>(wanted: &[T], found: &[T]) -> Option<String> {
            let both = wanted.iter().zip(found).enumerate();
            let (hart, (wanted, found)) = both.into_iter().find(|(_, (w, f))| w != f)?;
            Some(format!("hart {hart}: wanted {wanted:?}, found {found:?}"))
        }
        first(&self.faults, &found.faults).or_else(|| first(&self.prints, &found.prints))
    }

    /// By the harts of a device, in the areas that are for that; an empty one for kernels that do not print.
    pub(crate) fn found(image: &Image, faults: &[u8], prints: &[u8], shape: Shape) -> Self {
        let harts = shape.harts() as usize;
        let (flag, records) = faults.split_at(FAULT_AREA_HEADER as usize);
        let records = records.chunks_exact(size_of::<FaultRecord>()).take(harts);
        let records = records.map(bytemuck::pod_read_unaligned::<FaultRecord>);
        let faults: Vec<_> = records.map(|record| fault(image, &record)).collect();
        assert_eq!(flag[..4] != [0; 4], faults.iter().any(Option::is_some));

        let mut printed = vec![Printed::default(); harts];
        if !prints.is_empty() {
            let (headers, rooms) = prints.split_at(harts * size_of::<PrintHeader>());
            let headers = headers.chunks_exact(size_of::<PrintHeader>());
            let rooms = rooms.chunks_exact(PRINT_ROOM as usize);
            for ((printed, header), room) in printed.iter_mut().zip(headers).zip(rooms) {
                let header: PrintHeader = bytemuck::pod_read_unaligned(header);
                let words = room[..header.used as usize].chunks_exact(4);
                printed.words = words.map(bytemuck::pod_read_unaligned).collect();
                printed.lost = header.lost;
            }
        }
        Self {
            faults,
            prints: printed,
        }
    }
}

fn fault(image: &Image, record: &FaultRecord) -> Option<Fault> {
    let site = image
        .fault_sites
        .get((record.site as usize).checked_sub(1)?);
    let site = site.unwrap_or_else(|| panic!("there is no site {}", record.site));
    let words = match site.message {
        Some(message) => image.messages[message].words as usize,
        None => 2,
    };
    Some(Fault {
        item: record.item,
        kind: site.kind,
        message: site.message,
        operands: record.operands[..words].to_vec(),
        loc: site.loc.clone(),
    })
}
