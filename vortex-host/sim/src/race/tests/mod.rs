mod lockstep;
mod model;

use super::{Access, CLOCK_LIMIT, Kind, More, Races, TAG};

const PLACE: u32 = 0x1_0040;

/// Two cores of two warps, in their first launch.
fn races() -> Races {
    let mut races = Races::new(2, 2);
    races.begin(None);
    races
}

fn access(
    races: &mut Races,
    kind: Kind,
    (core, warp): (u32, u32),
    address: u32,
    size: u32,
) -> bool {
    let access = Access {
        core,
        warp,
        lane: 0,
        lanes: 1,
        pc: 0x8000_0000,
        work: 0,
        counts: false,
        kind,
        address,
        size,
    };
    races.access(&access).is_some()
}

fn stores(races: &mut Races, warp: (u32, u32)) -> bool {
    access(races, Kind::Store, warp, PLACE, 4)
}

/// All warps of both cores store there, each in its launch; and two in one.
fn launch_after_launch(races: &mut Races) {
    for warp in [(0, 0), (0, 1), (1, 0), (1, 1), (0, 0)] {
        assert!(!stores(races, warp));
        races.meet([warp].into_iter());
        assert!(!stores(races, warp));
        races.begin(None);
    }
    assert!(!stores(races, (1, 0)));
    assert!(stores(races, (0, 0)));
}

#[test]
fn launches_are_ordered() {
    launch_after_launch(&mut races());
}

#[test]
fn clocks_and_tags_begin_anew() {
    for now in [CLOCK_LIMIT - 2, CLOCK_LIMIT, u32::MAX - 1, u32::MAX] {
        let mut races = races();
        races.open(8..16);
        assert!(!stores(&mut races, (0, 1)));
        races.clocks[3].now = now;
        races.begin(None);
        launch_after_launch(&mut races);
        assert!(races.base < CLOCK_LIMIT + 10);
        assert!(races.is_open(8));
    }
    // Somewhere in the middle of a launch.
    for left in 1..20 {
        let mut races = races();
        races.tags = 0u32.wrapping_sub(TAG * left);
        launch_after_launch(&mut races);
    }
    // A clock that gets to its end in a launch stays there: what happens then is past at the next fence.
    let mut races = races();
    races.clocks[0].now = u32::MAX;
    assert!(!stores(&mut races, (0, 0)));
    races.meet_core(0, 3);
    assert!(!stores(&mut races, (0, 1)));
    races.begin(None);
    launch_after_launch(&mut races);
}

#[test]
fn what_is_known_of_parts_and_several_is_forgotten_by_the_next_launch() {
    let mut races = races();
    let mut room = None;
    for turn in 0..4 {
        // Loads by several warps, a list; of bytes, four.
        for warp in [(0, 0), (0, 1), (1, 0)] {
            assert!(!access(&mut races, Kind::Load, warp, PLACE, 4));
            assert!(!access(&mut races, Kind::Load, warp, PLACE + 4, 1));
            assert!(!access(&mut races, Kind::Load, warp, PLACE + 4, 4));
        }
        assert!(stores(&mut races, (1, 1)));
        let warp = (turn % 2, 1);
        races.begin(None);
        assert!(!stores(&mut races, warp));
        assert!(!access(&mut races, Kind::Store, warp, PLACE + 4, 4));
        assert!(access(&mut races, Kind::Load, (turn % 2, 0), PLACE + 4, 1));
        races.begin(None);
        // What was made for it is there for the next.
        assert_eq!(races.more.count(), *room.get_or_insert(races.more.count()));
    }
    races.forget(0x1_0000, 0x1_ffff);
    assert!(races.chunks.of(0, PLACE).is_none());
    assert!(!access(&mut races, Kind::Load, (0, 0), PLACE, 4));
    assert!(!access(&mut races, Kind::Load, (0, 1), PLACE, 4));
    assert_eq!(Some(races.more.count()), room);
}

#[test]
fn what_leaves_nothing_new_tells_nothing() {
    let mut races = races();
    let atomic = |races: &mut Races, kind, warp| access(races, kind, warp, PLACE, 4);
    assert!(!atomic(&mut races, Kind::SameAtomic, (0, 0)));
    assert!(!atomic(&mut races, Kind::Load, (0, 1)));
    assert!(!atomic(&mut races, Kind::SameAtomic, (1, 1)));
    // It changes what was loaded.
    assert!(atomic(&mut races, Kind::Atomic, (1, 0)));
    races.begin(None);
    assert!(!atomic(&mut races, Kind::Atomic, (0, 0)));
    assert!(!atomic(&mut races, Kind::SameAtomic, (0, 0)));
    assert!(atomic(&mut races, Kind::Load, (0, 1)));
}

#[test]
fn of_the_parts_of_a_word_each_warp_keeps_few() {
    let mut races = races();
    let mut room = None;
    for _ in 0..10 {
        for warp in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            for [first, bytes] in [[0, 1], [0, 2], [0, 1], [1, 1], [0, 4], [2, 2], [3, 1]] {
                assert!(!access(&mut races, Kind::Load, warp, PLACE + first, bytes));
            }
        }
        assert_eq!(races.more.count(), *room.get_or_insert(races.more.count()));
    }
    assert!(room <= Some(4 * 4));
}

#[test]
fn without_room_for_more_something_is_forgotten_and_nothing_is_made_up() {
    for room in 0..6 {
        let mut races = races();
        races.more = More::with_room(room);
        for turn in 0..20 {
            let warps = [(0, 0), (0, 1), (1, 0), (1, 1)];
            for (warp, part) in warps
                .into_iter()
                .zip([0u32, 1, 2, 3].into_iter().cycle().skip(turn))
            {
                assert!(!access(&mut races, Kind::Load, warp, PLACE, 4));
                assert!(!access(&mut races, Kind::Load, warp, PLACE + part, 1));
                assert!(!access(&mut races, Kind::Load, warp, PLACE + 4 + part, 1));
            }
            assert!(races.more.count() <= room);
            // The last one to load is always remembered.
            assert!(stores(&mut races, (0, 0)));
            races.begin(None);
            assert!(!stores(&mut races, (0, 0)));
            races.begin(None);
        }
    }
}
