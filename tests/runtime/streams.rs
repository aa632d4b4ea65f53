//! Streams: order, borrows, leaks, failures, futures.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use vortex::prelude::*;
use vortex::{Error, LaunchError, Module, StreamError};

use super::{add, device};

/// Adds `by` to each element, very slowly.
#[vortex::kernel]
fn slow(by: u32, x: &mut [u32]) {
    let i = global_id();
    for _ in 0..20_000 {
        x[i] += by;
        fence();
    }
}

const TURNS: u32 = 20_000;

#[vortex::kernel]
fn divide(by: u32, x: &mut [u32]) {
    x[global_id()] /= by;
}

/// `x[i] = x[i] * by + y[i]`.
#[vortex::kernel]
pub(crate) fn mix(by: u32, x: &mut [u32], y: &[u32]) {
    let i = global_id();
    x[i] = x[i] * by + y[i];
}

/// `x[i] = x[i] * by + y[i]`, out of the sight of the borrow checker.
#[vortex::kernel]
pub(crate) fn mix_raw(by: u32, x: *mut u32, y: *const u32) {
    let i = global_id();
    // SAFETY: both have as many elements as there are items.
    unsafe { *x.add(i) = *x.add(i) * by + *y.add(i) };
}

/// Runs a future on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn the_host_takes_its_turn() {
    let device = device();
    let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = device.alloc(50).unwrap();
    let mut y = device.alloc(50).unwrap();
    stream.launch(slow(1, &mut x).over(50)).detach();
    let sum = stream.enqueue_host(Some(&x), Some(&mut *y), |memory| {
        let mut memory = memory?;
        let read = memory.read()?;
        memory.write(&read.iter().map(|value| value + 1).collect::<Vec<u32>>())?;
        Ok(read.iter().sum::<u32>())
    });
    let sum = sum.release();
    // What uses the same memory waits for it, in another stream and on the host.
    other.enqueue_fill(&mut x, 7).detach();
    assert_eq!(other.enqueue_read(&y).wait().unwrap(), [TURNS + 1; 50]);
    assert_eq!(y.download().unwrap(), [TURNS + 1; 50]);
    assert_eq!(sum.wait().unwrap(), 50 * TURNS);
    // With nothing but memory to write, that is what it reads.
    let doubled = stream.enqueue_host(None, Some(&mut *x), |memory| {
        let mut memory = memory?;
        let read: Vec<u32> = memory.read()?;
        memory.write(&read.iter().map(|value| value * 2).collect::<Vec<_>>())
    });
    doubled.wait().unwrap();
    assert_eq!(x.download().unwrap(), [14; 50]);
}

#[test]
fn the_host_is_called_in_a_stopped_stream_too() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.upload(&[1u32, 2]).unwrap();
    stream.launch(divide(0, &mut x).over(2)).detach();
    let called = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&called);
    let skipped = stream.enqueue_host(Some(&x), None, move |memory| {
        seen.fetch_add(1, Ordering::SeqCst);
        memory.map(drop)
    });
    let error = skipped.wait().unwrap_err();
    assert!(
        matches!(error, Error::Stream(StreamError::Skipped { .. })),
        "{error}"
    );
    assert_eq!(called.load(Ordering::SeqCst), 1);
    assert!(matches!(stream.wait(), Err(Error::Fault(_))));

    // An error of the host's own stops the stream, and keeps its words.
    let cause = "the other machine is off";
    let host = StreamError::Host {
        cause: cause.into(),
    };
    stream
        .enqueue_host(Some(&x), None, |_| Err::<(), _>(host.into()))
        .detach();
    let skipped = stream.enqueue_read(&x).wait().unwrap_err().to_string();
    assert!(skipped.ends_with(cause), "{skipped}");
    assert_eq!(stream.wait().unwrap_err().to_string(), cause);
    assert_eq!(stream.enqueue_read(&x).wait().unwrap(), [0, 0]);

    // Memory of another device, of another length, and none.
    let elsewhere = super::device().alloc::<u32>(2).unwrap();
    let foreign = stream
        .enqueue_host(Some(&elsewhere), None, |memory| memory.map(drop))
        .wait();
    assert!(matches!(
        foreign,
        Err(Error::Stream(StreamError::ForeignStream))
    ));
    stream.wait().unwrap();
    let long = stream
        .enqueue_host(None, Some(&mut *x), |memory| memory?.write(&[1, 2, 3]))
        .wait();
    assert_eq!(
        long.unwrap_err().to_string(),
        "cannot copy 3 elements into a device slice of 2 elements"
    );
    stream.wait().unwrap();
    let none = stream.enqueue_host::<u32, _>(None, None, |memory| {
        let mut memory = memory?;
        assert_eq!(memory.read()?, []);
        memory.write(&[])?;
        memory.write(&[1])
    });
    assert!(matches!(none.wait(), Err(Error::Memory(_))));
}

#[test]
fn operations_run_in_order() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.alloc(50).unwrap();
    let mut y = device.alloc(50).unwrap();
    stream.enqueue_fill(&mut x, 3).detach();
    stream.launch(add(4, &x, &mut y).over(50)).detach();
    stream.enqueue_copy(&y, &mut x).detach();
    stream.launch(add(5, &x, &mut y).over(50)).detach();
    assert_eq!(stream.enqueue_read(&y).wait().unwrap(), [12; 50]);
    let given = stream.enqueue_write(&mut y, vec![1; 50]).wait().unwrap();
    assert_eq!(given, [1; 50]);
    let report = stream.launch(add(1, &y, &mut x).over(50)).wait().unwrap();
    assert_eq!((report.kernel(), report.items()), ("add", 50));
    assert_eq!(x.download().unwrap(), [2; 50]);
    stream.wait().unwrap();
}

#[test]
fn buffers_move_in_and_out() {
    let device = device();
    let stream = device.stream().unwrap();
    let (mut x, mut y) = (device.upload(&[1; 9]).unwrap(), device.alloc(9).unwrap());
    let task = async || {
        for by in 0..5 {
            let pending = stream.launch_owned((x, y), |(x, y)| add(by, x, y).over(9));
            let ((from, to), report) = pending.await?;
            assert_eq!(report.items(), 9);
            (x, y) = (to, from);
        }
        x.download()
    };
    assert_eq!(block_on(task()).unwrap(), [1 + 1 + 2 + 3 + 4; 9]);
}

#[test]
fn futures_wake_their_tasks() {
    let device = device();
    let (one, other) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = device.alloc(1).unwrap();
    let mut y = device.alloc(1).unwrap();
    let sum = block_on(async {
        let first = one.launch(slow(1, &mut x).over(1));
        let second = other.launch(slow(2, &mut y).over(1));
        let ended = second.event();
        first.await.unwrap();
        second.await.unwrap();
        ended.await;
        one.enqueue_read(&x).await.unwrap()[0] + other.enqueue_read(&y).await.unwrap()[0]
    });
    assert_eq!(sum, 3 * TURNS);
}

#[test]
fn futures_move_between_tasks() {
    /// Counts how often it is woken.
    struct Count(AtomicU32);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.alloc(1).unwrap();
    // Polled by a task that then gives it to another one, as `select!` and executors with many threads do.
    let first = Arc::new(Count(AtomicU32::new(0)));
    let mut pending = stream.launch(slow(1, &mut x).over(1));
    let waker = Waker::from(Arc::clone(&first));
    let mut context = Context::from_waker(&waker);
    let early = Pin::new(&mut pending).poll(&mut context);
    let report = match early {
        Poll::Ready(report) => {
            drop(pending);
            report
        }
        Poll::Pending => thread::scope(|scope| scope.spawn(|| block_on(pending)).join().unwrap()),
    };
    assert_eq!(report.unwrap().items(), 1);
    assert!(first.0.load(Ordering::SeqCst) <= 1);

    // Dropped before it is done, it waits; leaked, nothing is lost.
    let mut leaked = Box::pin(stream.launch(slow(1, &mut x).over(1)));
    let _ = leaked.as_mut().poll(&mut context);
    std::mem::forget(leaked);
    assert_eq!(x.download().unwrap(), [2 * TURNS]);
}

#[test]
fn whoever_comes_later_waits() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.alloc(4).unwrap();
    let event = stream.launch(slow(1, &mut x).over(4)).detach();
    // However slow the kernel is, this thread may be slower.
    let pending = (x.pending_readers(), x.pending_writers());
    assert!(pending == (0, 1) || event.is_done(), "{pending:?}");
    let read = stream.enqueue_read(&x);
    let pending = (x.pending_readers(), x.pending_writers());
    assert!(pending == (1, 1) || event.is_done(), "{pending:?}");
    let timing = event.timing();
    assert!(timing.is_none() || event.is_done());
    // Neither of these goes through a stream.
    assert_eq!(x.download().unwrap(), [TURNS; 4]);
    assert!(event.is_done());
    assert_eq!(read.wait().unwrap(), [TURNS; 4]);
    assert_eq!((x.pending_readers(), x.pending_writers()), (0, 0));

    stream.launch(slow(1, &mut x).over(4)).detach();
    divide(2, &mut x).over(4).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [TURNS; 4]);

    stream.launch(slow(1, &mut x).over(4)).detach();
    x.write(&[7; 4]).unwrap();
    assert_eq!(x.download().unwrap(), [7; 4]);
    let timing = event.timing().unwrap();
    assert!(timing.queued <= timing.started && timing.started <= timing.ended);
    assert_eq!(timing.waited() + timing.ran(), timing.ended - timing.queued);
}

#[test]
fn streams_wait_for_events() {
    let device = device();
    let (one, other) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = device.alloc(1).unwrap();
    let mut y = device.alloc(1).unwrap();
    let first = one.launch(slow(1, &mut x).over(1)).detach();
    other.wait_for(&first);
    let second = other.enqueue_fill(&mut y, 1).detach();
    second.wait();
    assert!(first.is_done());
    assert!(first.timing().unwrap().ended <= second.timing().unwrap().started);
    one.launch(slow(1, &mut x).over(1)).detach();
    let recorded = one.record();
    assert!(!recorded.is_done() || x.pending_writers() == 0);
    recorded.wait();
    assert_eq!(x.download().unwrap(), [2 * TURNS]);
}

#[test]
fn dropping_waits() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.alloc(1).unwrap();
    let pending = stream.launch(slow(1, &mut x).over(1));
    let event = pending.event();
    drop(pending);
    assert!(event.is_done());
    let event = stream.launch(slow(1, &mut x).over(1)).detach();
    drop(stream);
    assert!(event.is_done());
}

#[test]
fn leaked_handles_change_nothing() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.alloc(3).unwrap();
    std::mem::forget(stream.launch(slow(1, &mut x).over(3)));
    std::mem::forget(stream.enqueue_read(&x));
    std::mem::forget(stream.enqueue_write(&mut x, [5, 6, 7]));
    assert_eq!(x.download().unwrap(), [5, 6, 7]);
    std::mem::forget(stream.launch(slow(1, &mut x).over(3)));
    drop(x);
    std::mem::forget(stream);
    let mut y = device.alloc(3).unwrap();
    divide(1, &mut y).over(3).launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [0; 3]);
}

#[test]
fn memory_outlives_what_uses_it() {
    let device = device();
    let stream = device.stream().unwrap();
    let y = device.upload(&[2; 8]).unwrap();
    let mut x = device.alloc(8).unwrap();
    let mut z = device.alloc(8).unwrap();
    stream.launch(slow(1, &mut z).over(8)).detach();
    let raw = mix_raw(3, x.as_mut_ptr(), y.as_ptr()).over(8);
    let pending = stream.launch(raw);
    // The kernel has not begun, and its memory has no owner any more.
    drop((x, y, z));
    pending.wait().unwrap();
}

#[test]
fn a_failure_stops_a_stream() {
    let device = device();
    let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = device.upload(&[8, 6]).unwrap();
    let failing = stream.launch(divide(0, &mut x).over(2));
    let event = failing.event();
    let error = failing.wait().unwrap_err();
    assert!(matches!(error, Error::Fault(_)), "{error}");
    let error = stream.enqueue_read(&x).wait().unwrap_err().to_string();
    let expected = "not run, because an earlier operation of the stream failed (`stream.wait()` lets the stream go on): \
                    kernel divide, work item 0: division by zero, at tests/runtime/streams.rs:";
    assert!(error.starts_with(expected), "{error}");
    other.wait_for(&event);
    let error = other.enqueue_read(&x).wait().unwrap_err();
    assert!(
        matches!(error, Error::Stream(StreamError::Skipped { .. })),
        "{error}"
    );
    assert!(matches!(
        other.wait(),
        Err(Error::Stream(StreamError::Skipped { .. }))
    ));
    assert!(other.enqueue_read(&x).wait().is_ok());

    // Its handle has returned the error.
    stream.wait().unwrap();
    x.write(&[8, 6]).unwrap();
    stream.launch(divide(2, &mut x).over(2)).wait().unwrap();

    // Nobody asks for these.
    drop(stream.launch(divide(0, &mut x).over(2)));
    stream.launch(divide(2, &mut x).over(2)).detach();
    assert!(matches!(stream.wait(), Err(Error::Fault(_))));
    stream.wait().unwrap();
    let short = stream.enqueue_write(&mut x, [1]).wait().unwrap_err();
    let short = short.to_string();
    assert!(short.contains("cannot copy 1 element into"), "{short}");
    assert!(
        short.contains("stream.enqueue_write(&mut x, [1])"),
        "{short}"
    );
}

#[test]
fn memory_of_another_device_is_an_error() {
    if super::libvortex::is_version_3() {
        // It has only one device.
        return;
    }
    let (here, there) = (device(), device());
    let stream = here.stream().unwrap();
    let mut x = there.alloc::<u32>(2).unwrap();
    let error = stream.enqueue_fill(&mut x, 1).wait().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the buffer or image belongs to another device than the stream"
    );
    stream.wait().unwrap();
    let error = stream.launch(divide(1, &mut x).over(2)).wait().unwrap_err();
    assert!(
        matches!(
            error,
            Error::Refused {
                cause: LaunchError::ForeignBuffer { .. },
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn scopes_borrow_host_memory() {
    let device = device();
    let stream = device.stream().unwrap();
    let input: Vec<u32> = (0..100).collect();
    let mut output = vec![0; 100];
    let mut short = [0; 3];
    let mut x = device.alloc(100).unwrap();
    let failed = stream.scope(|scope| {
        scope.enqueue_write(&mut x, &input).detach();
        stream.launch(divide(3, &mut x).over(100)).detach();
        scope.enqueue_read(&x, &mut output).detach();
        scope.enqueue_read(&x, &mut short).wait().unwrap_err()
    });
    let says = "cannot copy a device slice of 100 elements into 3 elements of the host";
    assert!(failed.to_string().contains(says), "{failed}");
    let expected: Vec<u32> = input.iter().map(|x| x / 3).collect();
    assert_eq!(output, expected);
    stream.wait().unwrap();

    // Left by a panic, with a leaked handle, while a slow kernel keeps the stream busy.
    let left = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        stream.scope(|scope| {
            stream.launch(slow(0, &mut x).over(1)).detach();
            std::mem::forget(scope.enqueue_read(&x, &mut output));
            panic!("out of here");
        })
    }));
    assert!(left.is_err());
    assert_eq!((output, x.pending_readers()), (expected, 0));
}

#[test]
fn modules_launch_on_streams() {
    let device = device();
    let stream = device.stream().unwrap();
    let module = Module::builder("kernels")
        .kernel::<add>()
        .device(&device)
        .build()
        .unwrap();
    let x = device.upload(&[1; 5]).unwrap();
    let mut y = device.alloc::<i32>(5).unwrap();
    let launch = module.launch("add").unwrap().scalar("by", 3).unwrap();
    let launch = launch
        .slice("x", &*x)
        .unwrap()
        .slice_mut("y", &mut y)
        .unwrap();
    let report = stream.launch(launch.over(5)).wait().unwrap();
    assert!(report.choice().is_some());
    assert_eq!(y.download().unwrap(), [4; 5]);
}

/// Where a kernel finds the elements: not in its arguments.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Source {
    at: RawPtr<u32>,
}

#[vortex::kernel]
fn copy_from_table(table: &[*const u32], to: &mut [u32]) {
    let i = global_id();
    // SAFETY: all buffers of these tests have as many elements as there are items.
    to[i] = unsafe { *table[0].add(i) };
}

#[vortex::kernel]
fn copy_from_struct(source: Source, to: &mut [u32]) {
    let i = global_id();
    // SAFETY: as above.
    to[i] = unsafe { *source.at.add(i) };
}

#[vortex::global]
static SOURCE: RawPtr<u32> = RawPtr::null();

#[vortex::kernel]
fn copy_from_variable(to: &mut [u32]) {
    let (i, source) = (global_id(), SOURCE);
    // SAFETY: as above.
    to[i] = unsafe { *source.add(i) };
}

#[test]
fn what_goes_through_pointers_in_memory_waits_for_everything() {
    let device = device();
    let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = device.alloc(4).unwrap();
    let source = Source {
        at: x.as_ptr().into(),
    };
    let table = device.upload(&[source.at]).unwrap();
    device.global(&SOURCE).write(source.at).unwrap();
    let module = Module::builder("m")
        .kernel::<copy_from_table>()
        .kernel::<copy_from_variable>();
    let module = module.build().unwrap();
    let mut sum = 0;
    let mut out = device.alloc(4).unwrap();
    // Each is launched while the kernel that writes what it reads is pending on a stream.
    for way in 0..7 {
        sum += TURNS;
        stream.launch(slow(1, &mut x).over(4)).detach();
        match way {
            0 => copy_from_table(&table, &mut out).over(4).launch(&device),
            1 => copy_from_struct(source, &mut out).over(4).launch(&device),
            2 => copy_from_variable(&mut out).over(4).launch(&device),
            3 => other
                .launch(copy_from_table(&table, &mut out).over(4))
                .wait(),
            4 => copy_from_table(&table, &mut out)
                .over(4)
                .launch_from(&module, &device),
            5 => copy_from_variable(&mut out)
                .over(4)
                .launch_from(&module, &device),
            _ => {
                let launch = device.kernel("streams::copy_from_struct").unwrap();
                let bytes = source.at.addr().to_le_bytes();
                let launch = launch.value_bytes("source", &bytes).unwrap();
                launch
                    .slice_mut("to", &mut out)
                    .unwrap()
                    .over(4)
                    .launch(&device)
            }
        }
        .unwrap();
        assert_eq!(out.download().unwrap(), [sum; 4], "{way}");
    }
    // A kernel whose pointers are all arguments waits for nothing but these.
    let ones = device.upload(&[1; 4]).unwrap();
    let mut overtakes = || {
        stream.launch(slow(1, &mut x).over(4)).detach();
        mix(0, &mut out, &ones).over(4).launch(&device).unwrap();
        let slow_is_pending = x.pending_writers() == 1;
        stream.wait().unwrap();
        assert_eq!(out.download().unwrap(), [1; 4]);
        slow_is_pending
    };
    // However slow that is, this thread may be slower; but not always.
    assert!((0..100).any(|_| overtakes()));
}
