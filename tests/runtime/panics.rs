//! Code of the user's that the library calls and that panics, or uses the device: `Drop`, `Waker`, `Debug`, elements of
//! one's own. Nobody is left waiting, and the next launch is as any other.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use vortex::lang::{DeviceType, Kind, Lanes, Leaf, Word, Words};
use vortex::meta::{ByValue, Element, InMemory, Spelling};
use vortex::prelude::*;
use vortex::{Error, Result, StreamError};

use super::{add, device};

/// What takes longer never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// Does something that might never end, on a thread of its own.
fn in_time<R: Send + 'static>(what: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(what()));
    let result = result.recv_timeout(PATIENCE);
    result.unwrap_or_else(|_| panic!("it does not end"))
}

/// Panics when it is dropped, unless that is on the thread that made it.
struct Grenade<T>(T, thread::ThreadId);

impl<T> Grenade<T> {
    fn new(of: T) -> Self {
        Self(of, thread::current().id())
    }
}

impl<T> Drop for Grenade<T> {
    fn drop(&mut self) {
        assert!(thread::current().id() == self.1, "dropped elsewhere");
    }
}

/// Closed while a test holds it.
static GATE: Mutex<()> = Mutex::new(());

fn gate() -> MutexGuard<'static, ()> {
    GATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Formatting one waits at the gate.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Held {
    number: u32,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _open = gate();
        write!(f, "held {}", self.number)
    }
}

/// Keeps a stream busy as long as the gate is closed.
#[vortex::kernel]
fn held_back(x: Held) {
    println!("{:?}", x);
}

#[vortex::kernel]
fn shared_out(by: u32, x: &mut [u32]) {
    x[global_id()] /= by;
}

#[test]
fn a_drop_that_panics_stops_the_stream_and_is_reported_once() {
    in_time(|| {
        let device = device();
        let stream = device.stream().unwrap();
        let mut other = device.upload(&[7u32]).unwrap();
        let buffer = Grenade::new(device.upload(&[6u32]).unwrap());
        // Nobody asks for the buffer before its kernel runs, so the stream's thread drops it.
        let closed = gate();
        stream
            .launch(held_back(Held { number: 1 }).over(1))
            .detach();
        let event = stream
            .launch_owned(buffer, |buffer| shared_out(2, &mut buffer.0).over(1))
            .detach();
        drop(closed);
        let skipped = stream.launch(shared_out(7, &mut other).over(1)).wait();
        assert!(
            matches!(skipped, Err(Error::Stream(StreamError::Skipped { .. }))),
            "{skipped:?}"
        );
        let error = stream.wait().unwrap_err();
        let expected = "an operation of the stream panicked: dropped elsewhere";
        assert_eq!(error.to_string(), expected);
        assert!(matches!(error, Error::Stream(StreamError::Panicked { .. })) && event.is_done());
        // Once, and the stream goes on.
        stream.wait().unwrap();
        stream.launch(shared_out(7, &mut other).over(1)).detach();
        stream.wait().unwrap();
        assert_eq!(other.download().unwrap(), [1]);
    });
}

#[test]
fn a_drop_that_panics_as_the_kernel_fails_is_reported() {
    in_time(|| {
        let device = device();
        let stream = device.stream().unwrap();
        let buffer = Grenade::new(device.upload(&[6u32]).unwrap());
        let pending = stream.launch_owned(buffer, |buffer| shared_out(0, &mut buffer.0).over(1));
        pending.detach();
        let error = stream.wait().unwrap_err();
        assert!(error.to_string().ends_with("dropped elsewhere"), "{error}");
        stream.wait().unwrap();
    });
}

/// A waker that panics, and one that counts.
struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("woken");
    }
}

#[derive(Default)]
struct Counts(AtomicU32);

impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_waker_that_panics_keeps_nobody_else_waiting() {
    in_time(|| {
        let device = device();
        let stream = device.stream().unwrap();
        let (x, mut y) = (
            device.upload(&[1; 100]).unwrap(),
            device.alloc(100).unwrap(),
        );
        let counts = Arc::new(Counts::default());
        let wakers = [
            Waker::from(Arc::new(Panics)),
            Waker::from(Arc::clone(&counts)),
        ];
        let closed = gate();
        stream
            .launch(held_back(Held { number: 2 }).over(1))
            .detach();
        stream.launch(add(4, &x, &mut y).over(100)).detach();
        let mut event = stream.record();
        let polled = wakers.each_ref().map(|waker| {
            let mut context = Context::from_waker(waker);
            Pin::new(&mut event).poll(&mut context)
        });
        assert_eq!(polled, [Poll::Pending; 2]);
        drop(closed);
        event.wait();
        let error = stream.wait().unwrap_err();
        assert_eq!(
            error.to_string(),
            "an operation of the stream panicked: woken"
        );
        assert_eq!(counts.0.load(Ordering::SeqCst), 1);
        // What was enqueued was done nevertheless.
        stream.wait().unwrap();
        assert_eq!(stream.enqueue_read(&y).wait().unwrap(), [5; 100]);
    });
}

/// Which device a value uses while it is formatted, and whether it panics then.
static IN_USE: Mutex<Option<Device>> = Mutex::new(None);
static EXPLODES: AtomicBool = AtomicBool::new(false);

/// Formatting one uses the device, or panics.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Loud {
    number: u32,
}

impl fmt::Debug for Loud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert!(!EXPLODES.load(Ordering::SeqCst), "no words");
        let device = IN_USE.lock().unwrap().clone().unwrap();
        let twice = device.upload(&[self.number, self.number]).unwrap();
        write!(f, "{:?}", twice.download().unwrap())
    }
}

/// Prints the first; fails with the second, if they are that many.
#[vortex::kernel]
fn shouts(all: &[Loud], last: u32) {
    let i = global_id();
    println!("{:?}", all[i]);
    assert!(all[i].number != last, "{:?} is the last", all[i]);
}

#[test]
fn what_is_printed_is_formatted_while_the_device_is_free() {
    in_time(|| {
        let device = device();
        *IN_USE.lock().unwrap() = Some(device.clone());
        let all = device
            .upload(&[1, 2].map(|number| Loud { number }))
            .unwrap();
        let shout = |last| shouts(&all, last).over(2).launch(&device);
        let fine = "[1, 1]\n[2, 2]\n";
        assert_eq!(shout(0).unwrap().printed(), fine);
        let error = shout(2).unwrap_err().to_string();
        assert!(error.contains("[2, 2] is the last"), "{error}");
        // A panic while a message is formatted: what was printed and what failed are not those of the next launch.
        for last in [0, 2] {
            EXPLODES.store(true, Ordering::SeqCst);
            let panicked = catch_unwind(AssertUnwindSafe(|| shout(last)));
            assert_eq!(
                panicked.unwrap_err().downcast_ref::<&str>(),
                Some(&"no words")
            );
            EXPLODES.store(false, Ordering::SeqCst);
            assert_eq!(shout(0).unwrap().printed(), fine);
        }
        // In a stream nobody waits for, as the last thing it does.
        let stream = device.stream().unwrap();
        EXPLODES.store(true, Ordering::SeqCst);
        stream.launch(shouts(&all, 0).over(2)).detach();
        let error = stream.wait().unwrap_err();
        EXPLODES.store(false, Ordering::SeqCst);
        assert_eq!(
            error.to_string(),
            "an operation of the stream panicked: no words"
        );
        *IN_USE.lock().unwrap() = None;
    });
}

/// An element whose implementation is written by hand, and uses the device.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
struct Own(u32);

/// Which device elements use while they are copied, and by how many bytes they are too long.
static COPIED_ON: Mutex<Option<Device>> = Mutex::new(None);
static TOO_LONG: AtomicU32 = AtomicU32::new(0);

impl vortex::__private::ValueType for Own {
    type Itself = Self;

    fn into_value(self) -> Self {
        self
    }
}

impl DeviceType for Own {
    type Repr = Word;
    type Fields<K: Kind> = ();
    const LEAVES: u32 = 1;

    fn leaves(offset: u32, out: &mut Vec<Leaf>) {
        u32::leaves(offset, out);
    }

    fn values(repr: &Word, out: &mut Vec<vortex::__private::Value>) {
        u32::values(repr, out);
    }

    fn build(words: &mut Words) -> Word {
        u32::build(words)
    }

    fn fields(_: &Word) -> &<Self as DeviceType>::Fields<Lanes> {
        &()
    }

    fn parts<K: Kind>(_: &mut K::Whole) {}

    fn placeholder() -> Self {
        Self(0)
    }

    fn lift(self, out: &mut dyn vortex::__private::Lift) {
        self.0.lift(out);
    }
}

impl Element for Own {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        u32::from_bytes(bytes).map(Self)
    }

    fn to_bytes(&self, bytes: &mut [u8]) {
        self.0.to_bytes(bytes);
    }

    fn bytes_of(elements: &[Self]) -> std::borrow::Cow<'_, [u8]> {
        let device = COPIED_ON.lock().unwrap().clone().unwrap();
        device.upload(&[1u32]).unwrap();
        let mut bytes: Vec<u8> = elements
            .iter()
            .flat_map(|own| own.0.to_le_bytes())
            .collect();
        bytes.resize(bytes.len() + TOO_LONG.load(Ordering::SeqCst) as usize, 0);
        bytes.into()
    }
}

impl InMemory for Own {
    type This = Self;
    const SPELLING: Spelling = u32::SPELLING;
}

impl ByValue for Own {
    type This = Self;
}

#[test]
fn elements_are_converted_while_the_device_is_free() {
    in_time(|| -> Result<()> {
        let device = device();
        *COPIED_ON.lock().unwrap() = Some(device.clone());
        let mut buffer = device.upload(&[Own(1), Own(2)])?;
        assert_eq!(buffer.download()?, [Own(1), Own(2)]);
        let stream = device.stream()?;
        stream.enqueue_fill(&mut buffer, Own(4)).detach();
        assert_eq!(stream.enqueue_read(&buffer).wait()?, [Own(4), Own(4)]);
        // More bytes than the elements have would be written over what lies after them.
        TOO_LONG.store(1, Ordering::SeqCst);
        let panicked = catch_unwind(AssertUnwindSafe(|| buffer.write(&[Own(5), Own(6)])));
        TOO_LONG.store(0, Ordering::SeqCst);
        assert!(panicked.is_err());
        assert_eq!(buffer.download()?, [Own(4), Own(4)]);
        Ok(())
    })
    .unwrap();
}

/// Runs until it has counted that far.
#[vortex::kernel]
fn counts_up(to: u32, out: &mut [u32]) {
    let mut i = 0;
    while i < to {
        out[0] = i;
        i += 1;
    }
}

#[test]
fn memory_in_use_is_known_while_a_kernel_runs() {
    if super::libvortex::is_in_use() {
        return;
    }
    in_time(|| {
        let device = device();
        let mut out = device.alloc::<u32>(1).unwrap();
        // Compiled before, so that the launch below only runs.
        counts_up(1, &mut out).over(1).launch(&device).unwrap();
        let stream = device.stream().unwrap();
        let buffers = device.memory_used();
        // Longer and longer, until one is still running when the answer is there.
        let seen = (14..24).any(|turns| {
            let before = device.progress().instructions();
            let pending = stream.launch(counts_up(1 << turns, &mut out).over(1));
            while device.progress().instructions() == before && !pending.is_done() {
                thread::yield_now();
            }
            let answer = device.memory_used();
            let seen = !pending.is_done();
            pending.wait().unwrap();
            assert_eq!(answer, buffers);
            seen
        });
        assert!(seen, "it waits for the kernel");
        let used = device.memory_used();
        let buffer = device.alloc::<u8>(10_000).unwrap();
        assert_eq!(device.memory_used(), used.map(|used| used + 12_288));
        drop(buffer);
        assert_eq!(device.memory_used(), used);
    });
}
