use super::coarse::Block;
use super::*;
use crate::error::LaunchError;
use proptest::prelude::*;

const CAPS: Caps = Caps {
    generation: Generation::V2,
    cores: 4,
    clusters: 1,
    warps: 16,
    threads: 32,
    zicond: true,
    atomics: true,
    warp_ops: true,
    async_copies: false,
    tensor_units: false,
    local_memory: 0,
};

/// Attributes with groups of 8 x 2 items.
const BLOCK: Attributes = Attributes {
    block: Some([8, 2, 1]),
    ..Attributes::NONE
};

#[test]
fn a_required_block_is_the_block() {
    let groups = |shape: LaunchSize| {
        shape
            .resolve(&"k".into(), &BLOCK, &CAPS)
            .map(|extent| extent.groups)
    };
    let block = [8, 2, 1];
    for shape in [
        LaunchSize {
            grid: Some([3, 4, 1]),
            ..LaunchSize::default()
        },
        LaunchSize {
            grid: Some([3, 4, 1]),
            block: Some([8, 2, 1]),
            ..LaunchSize::default()
        },
        LaunchSize {
            over: Some([24, 8, 1]),
            ..LaunchSize::default()
        },
    ] {
        let expected = Groups {
            grid: [3, 4, 1],
            block,
        };
        assert_eq!(groups(shape).unwrap(), Some(expected));
    }
    let other = LaunchSize {
        grid: Some([1; 3]),
        block: Some([2, 8, 1]),
        ..LaunchSize::default()
    };
    assert_eq!(
        groups(other).unwrap_err().to_string(),
        "kernel k is declared with groups of 8 x 2 work items, but this launch gives groups of 2 x 8; \
         write `.block((8, 2))`, or leave it out"
    );
    let partial = LaunchSize {
        over: Some([24, 7, 1]),
        ..LaunchSize::default()
    };
    assert_eq!(
        groups(partial).unwrap_err().to_string(),
        "kernel k is declared with groups of 8 x 2 work items, which do not divide 24 x 7 work items; \
         round the number up, and let the kernel skip what is too much"
    );
}

#[test]
fn a_hint_is_taken_where_it_fits() {
    let attributes = Attributes {
        block_hint: Some([64, 1, 1]),
        ..Attributes::NONE
    };
    let block = |shape: LaunchSize, caps: &Caps| {
        let extent = shape.resolve(&"k".into(), &attributes, caps).unwrap();
        extent.groups.map(|groups| groups.block)
    };
    let over = |n| LaunchSize {
        over: Some([n, 1, 1]),
        ..LaunchSize::default()
    };
    assert_eq!(block(over(640), &CAPS), Some([64, 1, 1]));
    assert_eq!(block(over(641), &CAPS), None);
    let small = Caps {
        warps: 4,
        threads: 4,
        ..CAPS
    };
    assert_eq!(block(over(640), &small), None);
    let given = LaunchSize {
        grid: Some([2, 1, 1]),
        block: Some([3, 1, 1]),
        ..LaunchSize::default()
    };
    assert_eq!(block(given, &CAPS), Some([3, 1, 1]));
}

#[test]
fn a_required_subgroup_is_held_against_the_device() {
    let attributes = Attributes {
        subgroup: Some(4),
        ..Attributes::NONE
    };
    let shape = LaunchSize {
        over: Some([1; 3]),
        ..LaunchSize::default()
    };
    assert_eq!(
        shape
            .resolve(&"k".into(), &attributes, &CAPS)
            .unwrap_err()
            .to_string(),
        "kernel k is declared with `subgroup = 4`, but the warps of this device have 32 lanes"
    );
}

fn over(size: impl Size) -> Result<Extent> {
    LaunchSize {
        over: Some(size.extent()),
        ..LaunchSize::default()
    }
    .resolve(&"k".into(), &Attributes::NONE, &CAPS)
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
    let shape = LaunchSize {
        grid: Some([3, 2, 1]),
        block: Some([8, 4, 1]),
        over: None,
    };
    assert_eq!(
        shape
            .resolve(&"k".into(), &Attributes::NONE, &CAPS)
            .unwrap(),
        Extent {
            total: 192,
            size: [24, 8, 1],
            groups: Some(Groups {
                grid: [3, 2, 1],
                block: [8, 4, 1]
            })
        }
    );
}

#[test]
fn impossible_sizes_are_errors() {
    let message = |shape: LaunchSize| {
        shape
            .resolve(&"k".into(), &Attributes::NONE, &CAPS)
            .unwrap_err()
            .to_string()
    };
    assert!(matches!(
        LaunchSize::default().resolve(&"k".into(), &Attributes::NONE, &CAPS),
        Err(Error::Refused {
            cause: LaunchError::NoShape,
            ..
        })
    ));
    let both = LaunchSize {
        over: Some([1; 3]),
        grid: Some([1; 3]),
        block: None,
    };
    assert!(matches!(
        both.resolve(&"k".into(), &Attributes::NONE, &CAPS),
        Err(Error::Refused {
            cause: LaunchError::TwoShapes,
            ..
        })
    ));
    let block = LaunchSize {
        block: Some([32, 17, 1]),
        grid: Some([1; 3]),
        over: None,
    };
    assert_eq!(
        message(block),
        "kernel k: a group of 32 x 17 x 1 work items does not fit a core of this device, which runs 512 at a time: \
         make groups smaller, and as many more, such as \
         `.grid((width.div_ceil(16), height.div_ceil(17))).block((16, 17))`; local memory that the \
         kernel has for groups of that size changes with it"
    );
    let block = LaunchSize {
        block: Some([1024, 1, 1]),
        grid: Some([1; 3]),
        over: None,
    };
    assert!(message(block).contains("such as `.grid(n.div_ceil(64)).block(64)`;"));
    let empty = LaunchSize {
        block: Some([0, 1, 1]),
        grid: Some([1; 3]),
        over: None,
    };
    assert_eq!(
        message(empty),
        "kernel k: a group of 0 work items cannot cover any work"
    );
    assert!(matches!(
        over(usize::MAX),
        Err(Error::Refused {
            cause: LaunchError::TooManyItems { .. },
            ..
        })
    ));
    assert!(matches!(
        over((usize::MAX, usize::MAX, usize::MAX)),
        Err(Error::Refused {
            cause: LaunchError::TooManyItems { .. },
            ..
        })
    ));
    assert!(over(MOST_ITEMS as usize).is_ok());
    assert!(over(MOST_ITEMS as usize + 1).is_err());
}

proptest! {
    #[test]
    fn steps_add_up_to_the_stride(x in 1usize..5000, y in 1usize..50, z in 1usize..9) {
        let extent = over((x, y, z)).unwrap();
        let header = extent.header(&"k".into(), &CAPS, None, 0, 0, None).unwrap();
        let [sx, sy, sz] = header.step;
        prop_assert!(sx < header.size[0] && sy < header.size[1]);
        prop_assert_eq!(sx + header.size[0] * (sy + header.size[1] * sz), header.stride);
        prop_assert!((1..=16).contains(&header.warps));
        prop_assert_eq!(header.stride, header.warps * 128);
        prop_assert!(header.warps == 16 || header.stride >= header.total);
    }

    #[test]
    fn groups_fit_the_device(
        grid in [1usize..40, 1usize..6, 1usize..3], block in [1usize..20, 1usize..5, 1usize..6], local in 0u32..9000
    ) {
        let caps = Caps { local_memory: 16384, ..CAPS };
        let shape = LaunchSize { grid: Some(grid), block: Some(block), over: None };
        let extent = shape.resolve(&"k".into(), &Attributes::NONE, &caps).unwrap_or_else(|_| over(1).unwrap());
        let uses = Some(GroupUse { local_bytes: 512 });
        if let Some(groups) = extent.groups {
            let header = extent.header(&"k".into(), &caps, uses, local.next_multiple_of(16).into(), 0, None).unwrap();
            let group = header.group;
            let slots = group.stride / caps.cores;
            prop_assert!(group.warps * caps.threads >= group.items && (group.warps - 1) * caps.threads < group.items);
            prop_assert!(slots >= 1 && slots * group.warps == header.warps && header.warps <= caps.warps);
            prop_assert!(slots * group.local_bytes <= caps.local_memory);
            let [x, y, z] = group.step;
            prop_assert_eq!(x + group.groups[0] * (y + group.groups[1] * z), group.stride);
            let mut seen: Vec<u32> = (0..extent.total).map(|n| groups.item(n)).collect();
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..extent.total));
        }
    }

    #[test]
    fn blocks_of_groups_are_each_group_once(
        grid in [1usize..40, 1usize..9, 1usize..4], log2 in [0u32..3, 0u32..3], local in 0u32..700
    ) {
        let caps = Caps { local_memory: 16384, generation: Generation::V3, ..CAPS };
        let shape = LaunchSize { grid: Some(grid), block: Some([64, 1, 1]), over: None };
        let extent = shape.resolve(&"k".into(), &Attributes::NONE, &caps).unwrap();
        let block = Block { columns: 1 << log2[0], rows: 1 << log2[1] };
        let uses = Some(GroupUse { local_bytes: local.next_multiple_of(16) });
        let single = extent.header(&"k".into(), &caps, uses, 0, 0, None).unwrap();
        let mut header = single;
        extent.add_blocks(&mut header, &caps, Coarse::Groups(block));
        let of_block = block.columns * block.rows;
        let CoarseHeader { covered, stride, step: [x, y, z] } = header.coarse;
        if covered == 0 {
            prop_assert_eq!(header, single);
        } else {
            let in_place = GroupHeader { local_bytes: single.group.local_bytes, ..header.group };
            prop_assert_eq!((header.group.local_bytes, in_place), (of_block * in_place.local_bytes, single.group));
            let groups = single.group.groups;
            let [width, height] = [groups[0] / block.columns, groups[1] / block.rows];
            prop_assert_eq!((stride, x + width * (y + height * z)), (single.group.stride, stride));
            let slots = stride / caps.cores;
            prop_assert!(slots * header.group.local_bytes.next_multiple_of(64) <= caps.local_memory);
            // They are the first groups of the launch, and the others are done singly.
            let items = |number| {
                let of_row = move |row| (0..block.columns as u8).map(move |column| [column, row]);
                let all = (0..block.rows as u8).flat_map(of_row);
                all.map(move |item| block.group(groups, number, item).unwrap())
            };
            let mut seen: Vec<u32> = (0..covered).flat_map(items).collect();
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..covered * of_block));
            prop_assert!(covered * of_block <= single.group.count);
        }
    }

    #[test]
    fn blocks_of_items_are_each_item_once(
        x in 1usize..12, width in 1usize..3, y in 1usize..20, z in 1usize..3, log2 in [0u32..3, 0u32..2]
    ) {
        let caps = Caps { cores: 1, warps: 2, threads: 4, ..CAPS };
        let block = Block { columns: 1 << log2[0], rows: 1 << log2[1] };
        let extent = over((x * [1, 4 << log2[0]][width - 1], y, z)).unwrap();
        let mut header = extent.header(&"k".into(), &caps, None, 0, 0, None).unwrap();
        extent.add_blocks(&mut header, &caps, Coarse::Items(block, 0));
        let CoarseHeader { covered, stride, .. } = header.coarse;
        let width = block.columns * caps.threads;
        prop_assert!(covered.is_multiple_of(width) && (covered == 0 || stride == width * header.warps));
        let mut seen = Vec::new();
        for first in (0..covered).step_by(width as usize) {
            for (lane, column) in (0..caps.threads).flat_map(|lane| (0..block.columns).map(move |at| (lane, at))) {
                for row in 0..block.rows {
                    let item = block.item(extent.size, caps.threads, (first, lane), [column as u8, row as u8]);
                    seen.push(item.unwrap());
                }
            }
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..covered * block.rows));
        prop_assert!(covered * block.rows <= extent.total);
    }

    #[test]
    fn coordinates_are_the_items(x in 1usize..50, y in 1usize..50, z in 1usize..9, item in 0u32..1000) {
        let extent = over((x, y, z)).unwrap();
        let item = item % extent.total;
        let [cx, cy, cz] = extent.coordinates(item);
        prop_assert_eq!((cz * y as u32 + cy) * x as u32 + cx, item);
    }
}

#[test]
fn a_hint_of_no_items_is_no_hint() {
    let attributes = Attributes {
        block_hint: Some([4, 0, 1]),
        ..Attributes::NONE
    };
    for block in [None, Some([2, 1, 1])] {
        let shape = LaunchSize {
            over: Some([24, 8, 1]),
            block,
            ..LaunchSize::default()
        };
        let extent = shape.resolve(&"k".into(), &attributes, &CAPS).unwrap();
        assert_eq!((extent.total, extent.groups), (192, None));
    }
}

#[test]
fn numbers_that_no_item_has_stay_as_they_are() {
    let groups = Groups {
        grid: [3, 5, 1],
        block: [7, 2, 3],
    };
    let items = 3 * 5 * 7 * 2 * 3;
    for number in [items, items + 1, u32::MAX - 1, u32::MAX] {
        assert_eq!(groups.item(number), number);
    }
    // The others are each of them once.
    let mut numbers: Vec<u32> = (0..items).map(|number| groups.item(number)).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..items));
}
