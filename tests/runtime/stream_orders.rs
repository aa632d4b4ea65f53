//! Two streams give what some order of their operations gives.

use std::sync::Mutex;
use std::thread;

use proptest::prelude::*;
use vortex::Pending;
use vortex::prelude::*;

use super::device;
use super::streams::{mix, mix_raw};

const BUFFERS: usize = 3;
const LEN: usize = 6;

/// An operation on some of the buffers. What two buffers are given to may be one and the same.
#[derive(Clone, Copy, Debug)]
enum Op {
    Write(usize, u32),
    Fill { to: usize, start: usize, value: u32 },
    Copy(usize, usize),
    Mix(usize, usize, u32),
    MixRaw(usize, usize, u32),
    Read(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let buffer = || 0..BUFFERS;
    prop_oneof![
        (buffer(), any::<u32>()).prop_map(|(to, value)| Op::Write(to, value)),
        (buffer(), 0..LEN, any::<u32>()).prop_map(|(to, start, value)| Op::Fill {
            to,
            start,
            value
        }),
        (buffer(), buffer()).prop_map(|(from, to)| Op::Copy(from, to)),
        (buffer(), buffer(), any::<u32>()).prop_map(|(x, y, by)| Op::Mix(x, y, by)),
        (buffer(), buffer(), any::<u32>()).prop_map(|(x, y, by)| Op::MixRaw(x, y, by)),
        buffer().prop_map(Op::Read),
    ]
}

/// What an operation does, and what it reads.
fn apply(op: Op, buffers: &mut [[u32; LEN]; BUFFERS]) -> Option<[u32; LEN]> {
    match op {
        Op::Write(to, value) => buffers[to] = std::array::from_fn(|i| value.wrapping_add(i as u32)),
        Op::Fill { to, start, value } => buffers[to][start..].fill(value),
        Op::Copy(from, to) => buffers[to] = buffers[from],
        Op::Mix(x, y, by) | Op::MixRaw(x, y, by) => {
            let y = buffers[y];
            buffers[x] = std::array::from_fn(|i| buffers[x][i].wrapping_mul(by).wrapping_add(y[i]));
        }
        Op::Read(from) => return Some(buffers[from]),
    }
    None
}

/// Two different buffers.
fn two(
    buffers: &mut [Buffer<u32>],
    x: usize,
    y: usize,
) -> Option<(&mut Buffer<u32>, &Buffer<u32>)> {
    let [x, y] = buffers.get_disjoint_mut([x, y]).ok()?;
    Some((x, y))
}

/// Enqueues an operation; returns whether it did, and what it reads.
fn enqueue(
    op: Op,
    stream: &Stream,
    buffers: &mut [Buffer<u32>],
) -> (bool, Option<Pending<'static, Vec<u32>>>) {
    match op {
        Op::Write(to, value) => {
            let data: Vec<u32> = (0..LEN).map(|i| value.wrapping_add(i as u32)).collect();
            stream.enqueue_write(&mut buffers[to], data).detach();
        }
        Op::Fill { to, start, value } => {
            let mut part = buffers[to].slice_mut(start..).unwrap();
            stream.enqueue_fill(&mut part, value).detach();
        }
        Op::Copy(from, to) => match two(buffers, to, from) {
            Some((to, from)) => _ = stream.enqueue_copy(from, to).detach(),
            None => return (false, None),
        },
        Op::Mix(x, y, by) => match two(buffers, x, y) {
            Some((x, y)) => _ = stream.launch(mix(by, x, y).over(LEN)).detach(),
            None => return (false, None),
        },
        Op::MixRaw(x, y, _) if x == y => return (false, None),
        Op::MixRaw(x, y, by) => {
            let (x, y) = (buffers[x].as_mut_ptr(), buffers[y].as_ptr());
            stream.launch(mix_raw(by, x, y).over(LEN)).detach();
        }
        Op::Read(from) => {
            let read = stream.enqueue_read(&buffers[from]).release();
            return (true, Some(read));
        }
    }
    (true, None)
}

/// Two host threads, each with a stream or two, take turns at the buffers in whatever order the system lets them.
fn results_are_those_of_some_order(programs: [Vec<(bool, Op)>; 2]) {
    struct Shared {
        buffers: Vec<Buffer<u32>>,
        /// In the order in which they were enqueued.
        log: Vec<(Op, Option<Pending<'static, Vec<u32>>>)>,
    }

    let device = device();
    let buffers = (0..BUFFERS).map(|_| device.alloc(LEN).unwrap()).collect();
    let shared = Mutex::new(Shared {
        buffers,
        log: Vec::new(),
    });
    let streams: Vec<Stream> = (0..3).map(|_| device.stream().unwrap()).collect();
    thread::scope(|scope| {
        for (number, program) in programs.into_iter().enumerate() {
            let (streams, shared) = (&streams, &shared);
            scope.spawn(move || {
                for (own, op) in program {
                    let stream = &streams[if own { number } else { 2 }];
                    let Shared { buffers, log } = &mut *shared.lock().unwrap();
                    if let (true, read) = enqueue(op, stream, buffers) {
                        log.push((op, read));
                    }
                }
            });
        }
    });
    let Shared { buffers, log } = shared.into_inner().unwrap();
    let mut expected = [[0; LEN]; BUFFERS];
    for (op, read) in log {
        let value = apply(op, &mut expected);
        let read = read.map(|read| read.wait().unwrap());
        assert_eq!(read, value.map(Vec::from), "{op:?}");
    }
    for (buffer, expected) in buffers.iter().zip(&expected) {
        assert_eq!(buffer.download().unwrap(), expected);
    }
    for stream in streams {
        stream.wait().unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn two_streams_give_what_some_order_gives(
        first in prop::collection::vec((any::<bool>(), op()), 0..40),
        second in prop::collection::vec((any::<bool>(), op()), 0..40),
    ) {
        results_are_those_of_some_order([first, second]);
    }
}
