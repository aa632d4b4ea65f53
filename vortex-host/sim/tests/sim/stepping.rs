//! Runs in single steps, forwards and backwards.

use crate::grid_programs::{global_number, grid, groups, v3, word};
use crate::harness::{Asm, CODE, Numbers, bytes, machine, words};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use vortex_isa::{Opcode, csr, x};
use vortex_sim::debug::Terms;
use vortex_sim::stepping::{Drive, LaneState, Step, Stepper, Stop, Stops, WarpId, Watched};
use vortex_sim::{Access, Config, Machine, RunStats, Trap, TrapKind};

const BUFFER: usize = 64;

/// All warps go through a loop in which odd and even lanes part, as often as their warp's number and some; they add to
/// counters atomically, keep something in local memory, meet at a barrier, and store what came of it.
fn program() -> Asm {
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::S6, csr::WARP_ID)
        .csrr(x::S7, csr::CORE_ID)
        .csrr(x::S8, csr::MHARTID)
        .i(Opcode::Addi, x::S9, x::S6, 3)
        .i(Opcode::Addi, x::S10, x::ZERO, 0)
        .label("loop")
        .i(Opcode::Andi, x::T0, x::S4, 1)
        .split(x::T1, x::T0)
        .branch(Opcode::Beq, x::T0, x::ZERO, "even")
        .i(Opcode::Addi, x::S10, x::S10, 5)
        .jump("merge")
        .label("even")
        .i(Opcode::Slli, x::S10, x::S10, 1)
        .i(Opcode::Addi, x::S10, x::S10, 1)
        .label("merge")
        .join(x::T1)
        .r(Opcode::AmoaddW, x::T2, x::A0, x::S10)
        .i(Opcode::Addi, x::S9, x::S9, -1)
        .branch(Opcode::Bne, x::S9, x::ZERO, "loop")
        // Local memory, a word for each lane of each warp.
        .csrr(x::T3, csr::LOCAL_MEM_BASE)
        .csrr(x::T4, csr::NUM_THREADS)
        .r(Opcode::Mul, x::T4, x::T4, x::S6)
        .r(Opcode::Add, x::T4, x::T4, x::S4)
        .i(Opcode::Slli, x::T4, x::T4, 2)
        .r(Opcode::Add, x::T3, x::T3, x::T4)
        .store(Opcode::Sw, x::S10, x::T3, 0)
        .csrr(x::T5, csr::NUM_WARPS)
        .simt(Opcode::Bar, x::ZERO, x::T5)
        .i(Opcode::Lw, x::S10, x::T3, 0)
        .i(Opcode::Slli, x::A1, x::S8, 2)
        .r(Opcode::Add, x::A1, x::A1, x::A0)
        .label("last")
        .store(Opcode::Sw, x::S10, x::A1, 4)
        .end();
    program
}

fn loaded(config: Config) -> (Machine, u32) {
    let mut machine = machine(config, &program());
    let address = machine.alloc(4 * BUFFER as u64, Access::ReadWrite).unwrap();
    machine.write(address, &bytes(&[0; BUFFER])).unwrap();
    (machine, address)
}

fn buffer(machine: &Machine, address: u32) -> Vec<u32> {
    let mut result = vec![0; 4 * BUFFER];
    machine.read(address, &mut result).unwrap();
    words(&result)
}

/// Drives by a function.
struct By<F>(F);

impl<F: FnMut(&mut Stepper<'_>) -> Result<(), Box<Trap>>> Drive for By<F> {
    fn drive(&mut self, stepper: &mut Stepper<'_>) -> Result<(), Box<Trap>> {
        self.0(stepper)
    }
}

fn driven(
    (machine, address): &mut (Machine, u32),
    drive: impl FnMut(&mut Stepper<'_>) -> Result<(), Box<Trap>>,
) -> Result<RunStats, Box<Trap>> {
    let mut nothing = std::iter::empty();
    let mut by = By(drive);
    let terms = Terms::of(&mut nothing, &|_| {}).driven(&mut by);
    machine.run_on(CODE, *address, terms)
}

/// All that can be seen: program counters, lanes, registers, and memory as each core sees it.
fn seen(stepper: &Stepper<'_>, address: u32) -> Vec<u32> {
    let mut all = Vec::new();
    let [cores, warps, threads] = stepper.shape();
    for id in (0..cores).flat_map(|core| (0..warps).map(move |warp| WarpId { core, warp })) {
        all.extend([stepper.pc(id), stepper.active(id)]);
        for lane in 0..threads {
            all.push(match stepper.lane(id, lane) {
                LaneState::Active => 1,
                LaneState::Parked(pc) => pc,
                LaneState::Off => 0,
            });
            let registers = (0..64).map(|number| stepper.register(id, lane, number).unwrap());
            all.extend(registers);
        }
    }
    for core in 0..cores {
        for (address, size) in [(address, 4 * BUFFER), (0xffff_0000, 256)] {
            let mut memory = vec![0; size];
            assert_eq!(stepper.read(core, address, &mut memory), size);
            all.extend(words(&memory));
        }
    }
    all
}

fn shapes() -> [Config; 3] {
    [
        Config::with_shape(1, 4, 4),
        Config::with_shape(2, 3, 8),
        Config::with_shape(3, 2, 1),
    ]
}

#[test]
fn steps_make_the_same_run() {
    for config in shapes() {
        let (mut plain, address) = loaded(config.clone());
        let expected = plain.run(CODE, address).unwrap();
        let mut device = loaded(config);
        let mut steps = 0;
        let stats = driven(&mut device, |stepper| {
            while let Step::Executed { .. } = stepper.step() {
                steps += 1;
            }
            assert!(stepper.is_over());
            assert_eq!(stepper.step(), Step::Over);
            Ok(())
        });
        assert_eq!(stats.unwrap(), expected);
        assert_eq!(steps, expected.instructions);
        assert_eq!(buffer(&device.0, address), buffer(&plain, address));
    }
}

#[test]
fn whoever_stops_driving_lets_it_go_on() {
    let config = Config::with_shape(2, 4, 4);
    let (mut plain, address) = loaded(config.clone());
    let expected = plain.run(CODE, address).unwrap();
    for steps in [0, 1, 100, 500] {
        let mut device = loaded(config.clone());
        let stats = driven(&mut device, |stepper| {
            for _ in 0..steps {
                stepper.step();
            }
            Ok(())
        });
        assert_eq!(stats.unwrap().instructions, expected.instructions);
        assert_eq!(buffer(&device.0, address), buffer(&plain, address));
    }
}

#[test]
fn the_past_comes_back() {
    for (number, config) in shapes().into_iter().enumerate() {
        let mut device = loaded(config);
        let address = device.1;
        driven(&mut device, |stepper| {
            let mut moments = vec![seen(stepper, address)];
            let mut numbers = Numbers(number as u64);
            while let Some(next) = stepper.next() {
                // Now and then a warp goes that would not.
                let id = WarpId {
                    warp: numbers.below(stepper.shape()[1] as usize) as u32,
                    ..next
                };
                match numbers.below(3) {
                    0 => stepper.step_warp(id),
                    _ => stepper.step(),
                };
                moments.push(seen(stepper, address));
            }
            let end = stepper.time();
            assert_eq!(moments.len() as u64, end + 1);
            for _ in 0..100 {
                let time = numbers.below(end as usize + 1);
                stepper.seek(time as u64);
                assert_eq!(stepper.time(), time as u64);
                assert!(seen(stepper, address) == moments[time], "{time} of {end}");
                assert_eq!(stepper.end(), end);
            }
            stepper.seek(end);
            Ok(())
        })
        .unwrap();
    }
}

/// Groups of a grid that add to a counter, the more often the higher their number, and store what it was before the
/// last time: so it shows in which order they came.
fn counting_groups() -> Asm {
    groups(|program| {
        global_number(program);
        word(program, x::A1, x::S2);
        program
            .csrr(x::A0, csr::MSCRATCH)
            .csrr(x::S4, csr::CTA_BLOCK_ID_X)
            .i(Opcode::Addi, x::S4, x::S4, 3)
            .i(Opcode::Addi, x::A2, x::ZERO, 1)
            .label("loop")
            .r(Opcode::AmoaddW, x::T2, x::A0, x::A2)
            .i(Opcode::Addi, x::S4, x::S4, -1)
            .branch(Opcode::Bne, x::S4, x::ZERO, "loop")
            .store(Opcode::Sw, x::T2, x::A1, 4);
    })
}

/// What is seen, in a number.
fn digest(stepper: &Stepper<'_>, address: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    seen(stepper, address).hash(&mut hasher);
    hasher.finish()
}

/// Which groups were handed out when, and to which warps, belongs to the past.
#[test]
fn groups_are_handed_out_again() {
    let grid = grid([60, 1, 1], [1, 1, 1], 0);
    for (number, config) in [v3(1, 4, 4), v3(2, 2, 1), v3(3, 1, 8)]
        .into_iter()
        .enumerate()
    {
        let launched = |drive: Option<&mut dyn Drive>| {
            let mut machine = machine(config.clone(), &counting_groups());
            let address = machine.alloc(4 * BUFFER as u64, Access::ReadWrite).unwrap();
            machine.write(address, &bytes(&[0; BUFFER])).unwrap();
            let mut nothing = std::iter::empty();
            let mut terms = Terms::of(&mut nothing, &|_| {});
            if let Some(drive) = drive {
                terms = terms.driven(drive);
            }
            let stats = machine.launch(CODE, address, &grid, terms).unwrap();
            (buffer(&machine, address), stats.instructions)
        };
        let expected = launched(None);
        let address = {
            let mut machine = machine(config.clone(), &counting_groups());
            machine.alloc(4 * BUFFER as u64, Access::ReadWrite).unwrap()
        };
        let mut by = By(|stepper: &mut Stepper<'_>| {
            let mut numbers = Numbers(number as u64);
            let mut moments = vec![digest(stepper, address)];
            while let Step::Executed { .. } = stepper.step() {
                moments.push(digest(stepper, address));
            }
            assert!(stepper.is_over());
            let end = stepper.time();
            // Far enough for snapshots on the way.
            assert!(end > 6000, "{end}");
            for _ in 0..30 {
                let time = numbers.below(end as usize + 1);
                stepper.seek(time as u64);
                for (&moment, time) in moments[time..].iter().zip(time..).take(20) {
                    assert_eq!(digest(stepper, address), moment, "{time} of {end}");
                    stepper.step();
                }
            }
            stepper.seek(end);
            Ok(())
        });
        assert_eq!(launched(Some(&mut by)), expected);
    }
}

/// Stops before the instructions at an address, and watches memory.
struct At(u32, Vec<Watched>);

impl Stops for At {
    fn stops(&mut self, stepper: &Stepper<'_>, next: WarpId) -> bool {
        stepper.pc(next) == self.0
    }

    fn watched(&self) -> &[Watched] {
        &self.1
    }
}

#[test]
fn stops_are_found_in_both_directions() {
    let mut device = loaded(Config::with_shape(1, 4, 4));
    let last = program().address("last");
    driven(&mut device, |stepper| {
        let mut at = At(last, Vec::new());
        let mut forwards = Vec::new();
        let over = loop {
            match stepper.run(&mut at, u64::MAX) {
                Stop::Before(warp) => forwards.push((stepper.time(), warp)),
                stop => break stop,
            }
        };
        assert_eq!(over, Stop::Over);
        assert_eq!(forwards.len(), 4);
        for expected in forwards.iter().rev() {
            assert_eq!(stepper.run_back(&mut at), Stop::Before(expected.1));
            assert_eq!(stepper.time(), expected.0);
        }
        assert_eq!(stepper.run_back(&mut at), Stop::Beginning);
        assert_eq!(stepper.time(), 0);
        assert_eq!(stepper.run(&mut at, 10), Stop::Enough);
        assert_eq!(stepper.time(), 10);
        Ok(())
    })
    .unwrap();
}

#[test]
fn accesses_are_found_in_both_directions() {
    let mut device = loaded(Config::with_shape(1, 2, 4));
    let address = device.1;
    driven(&mut device, |stepper| {
        // What lane 2 of warp 1 stores at the end.
        let word = address + 4 * (1 + 4 + 2);
        let watched = Watched {
            first: word + 1,
            last: word + 1,
            reads: false,
            writes: true,
        };
        let mut stops = At(0, vec![watched]);
        let hit = Stop::Watched {
            number: 0,
            warp: WarpId { core: 0, warp: 1 },
            lane: 2,
            address: word,
        };
        assert_eq!(stepper.run(&mut stops, u64::MAX), hit);
        let there = |stepper: &Stepper<'_>| {
            let mut memory = [0; 4];
            stepper.read(0, word, &mut memory);
            u32::from_le_bytes(memory)
        };
        let before = stepper.time();
        assert_eq!(there(stepper), 0);
        stepper.step();
        let value = there(stepper);
        assert_ne!(value, 0);
        assert_eq!(stepper.run(&mut stops, u64::MAX), Stop::Over);
        assert_eq!(stepper.run_back(&mut stops), hit);
        assert_eq!((there(stepper), stepper.time()), (0, before));
        stepper.step();
        assert_eq!(there(stepper), value);
        Ok(())
    })
    .unwrap();
}

#[test]
fn what_is_changed_stays_changed_at_its_time() {
    let mut device = loaded(Config::with_shape(1, 4, 4));
    let address = device.1;
    let (_, warp) = (0, WarpId { core: 0, warp: 2 });
    driven(&mut device, |stepper| {
        stepper.seek(0);
        stepper.run(&mut |_: &Stepper<'_>, _| false, 200);
        stepper.seek(100);
        let before = seen(stepper, address);
        stepper.set_register(warp, 1, x::S10, 1000);
        stepper.set_register(warp, 2, 40, 0x3f80_0000);
        assert!(stepper.write(0, address + 100, &[1, 2, 3]));
        assert!(!stepper.write(0, 4, &[1]));
        assert!(stepper.write(0, 0xffff_0080, &[9]));
        let changed = seen(stepper, address);
        assert_eq!(stepper.end(), 100);
        stepper.run(&mut |_: &Stepper<'_>, _| false, 77);
        let later = seen(stepper, address);
        for _ in 0..2 {
            stepper.seek(99);
            assert_eq!(
                stepper.register(warp, 1, x::S10),
                Some(before_of(&before, warp))
            );
            stepper.seek(100);
            assert!(seen(stepper, address) == changed);
            stepper.seek(177);
            assert!(seen(stepper, address) == later);
        }
        Ok(())
    })
    .unwrap();

    fn before_of(seen: &[u32], warp: WarpId) -> u32 {
        // Each warp: two words, and for each of four lanes one and 64 registers.
        seen[warp.warp as usize * (2 + 4 * 65) + 2 + 65 + 1 + usize::from(x::S10)]
    }
}

#[test]
fn a_trap_is_an_end() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .i(Opcode::Addi, x::T0, x::ZERO, 16)
        .store(Opcode::Sw, x::T0, x::A0, 0)
        .label("wrong")
        .store(Opcode::Sw, x::T0, x::T0, 0)
        .end();
    let mut machine = machine(Config::with_shape(1, 1, 4), &program);
    let address = machine.alloc(64, Access::ReadWrite).unwrap();
    let wrong = program.address("wrong");
    let trap = driven(&mut (machine, address), |stepper| {
        let mut never = |_: &Stepper<'_>, _| false;
        let Stop::Trapped(trap) = stepper.run(&mut never, u64::MAX) else {
            panic!("it does not trap")
        };
        assert_eq!(trap.pc, wrong);
        let end = stepper.time();
        stepper.seek(end - 2);
        assert_eq!(
            stepper.run(&mut never, u64::MAX),
            Stop::Trapped(trap.clone())
        );
        assert_eq!(stepper.time(), end);
        Err(trap)
    });
    assert!(matches!(
        trap.unwrap_err().kind,
        TrapKind::OutOfBounds { .. }
    ));
}

#[test]
fn lanes_wait_where_they_were_parted() {
    let mut device = loaded(Config::with_shape(1, 1, 4));
    let program = program();
    let (even, merge) = (program.address("even"), program.address("merge"));
    let warp = WarpId { core: 0, warp: 0 };
    driven(&mut device, |stepper| {
        let mut at = |pc: u32| {
            let stop = stepper.run(&mut At(pc, Vec::new()), u64::MAX);
            assert_eq!(stop, Stop::Before(warp));
            [0, 1].map(|lane| stepper.lane(warp, lane))
        };
        let first_side = merge - 12;
        let (odd_first, even_first) = (at(even), at(merge));
        let waits = |states: [LaneState; 2]| {
            let parked = |state| matches!(state, LaneState::Parked(pc) if pc < even || pc == merge);
            states.contains(&LaneState::Active) && states.into_iter().any(parked)
        };
        assert!(waits(odd_first), "{odd_first:?} {first_side:#x}");
        assert!(waits(even_first), "{even_first:?}");
        // Lanes that there are not.
        for lane in [4, 32, 36, u32::MAX] {
            assert_eq!(stepper.lane(warp, lane), LaneState::Off);
        }
        Ok(())
    })
    .unwrap();
}

/// Long enough for several snapshots, and for going back a little, again and again.
#[test]
fn long_runs_have_a_past_too() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .li(x::T0, 60_000)
        .label("loop")
        .i(Opcode::Addi, x::T0, x::T0, -1)
        .store(Opcode::Sw, x::T0, x::A1, 0)
        .branch(Opcode::Bne, x::T0, x::ZERO, "loop")
        .end();
    let mut machine = machine(Config::with_shape(1, 1, 4), &program);
    let address = machine.alloc(64, Access::ReadWrite).unwrap();
    let stored = program.address("loop") + 4;
    driven(&mut (machine, address), |stepper| {
        let value = |stepper: &Stepper<'_>| {
            let mut memory = [0; 4];
            stepper.read(0, address, &mut memory);
            u32::from_le_bytes(memory)
        };
        let mut never = |_: &Stepper<'_>, _| false;
        assert_eq!(stepper.run(&mut never, u64::MAX), Stop::Over);
        assert_eq!(value(stepper), 0);
        let mut at = At(stored, Vec::new());
        for expected in 1..200 {
            assert!(matches!(stepper.run_back(&mut at), Stop::Before(_)));
            assert_eq!(value(stepper), expected);
        }
        stepper.seek(90_000);
        let there = value(stepper);
        assert_eq!(stepper.run(&mut never, 3 * 1000), Stop::Enough);
        assert_eq!(value(stepper), there - 1000);
        Ok(())
    })
    .unwrap();
}
