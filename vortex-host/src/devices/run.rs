//! A closure for each device, each on its own thread.

use std::panic::resume_unwind;
use std::thread;

use vortex_kernel::meta::Element;

use super::Devices;
use super::buffer::{Part, PartMut, SplitBuffer};
use super::replicas::Replicas;
use super::split::{Portion, Split};
use crate::device::Device;
use crate::device::buffer::DeviceSlice;
use crate::error::{DevicesError, Error, Result};

/// What [`Devices::run`] divides among devices: `&` or `&mut` of a [`SplitBuffer`], of [`Replicas`], or of a slice with
/// a value for each device, a `&`[`Split`], and tuples of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be divided among devices",
    label = "not something that is divided among devices",
    note = "`run` takes `&x` or `&mut x` of a `SplitBuffer` or of `Replicas`, `&split`, or a tuple of these: `devices.run((&x, &mut y), |device, (x, mut y)| ..)`",
    note = "what is in the host's memory or on one device is divided first, `let x = SplitBuffer::scatter(&split, &x)?;`, or copied to each, `let x = Replicas::broadcast(&devices, &x)?;`",
    note = "what all devices are given alike, such as a number, the closure takes from around it"
)]
pub trait Divided {
    /// What the closure gets for one device.
    type Part: Send;

    /// Whether it is divided among these devices. It is the argument of this number.
    #[doc(hidden)]
    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError>;

    /// How it is split, if it is.
    #[doc(hidden)]
    fn split(&self) -> Option<&Split> {
        None
    }

    /// The parts of this many devices.
    #[doc(hidden)]
    fn divide(self, devices: usize) -> Vec<Self::Part>;
}

/// What [`Devices::run`] does.
pub(super) fn run<D: Divided, R: Send>(
    devices: &Devices,
    of: D,
    work: impl Fn(&Device, D::Part) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    of.check(devices, 0)?;
    let split = of.split().cloned();
    let parts = of.divide(devices.len());
    let work = &work;
    let ended: Vec<_> = thread::scope(|scope| {
        let start = |(number, (device, part))| {
            thread::Builder::new()
                .name(format!("vortex device {number}"))
                .spawn_scoped(scope, move || work(device, part))
        };
        // All are started before the first one is waited for.
        let threads: Vec<_> = devices.iter().zip(parts).enumerate().map(start).collect();
        let join = |thread: std::io::Result<thread::ScopedJoinHandle<'_, _>>| {
            thread.map(thread::ScopedJoinHandle::join)
        };
        threads.into_iter().map(join).collect()
    });
    let mut results = Vec::with_capacity(ended.len());
    for (device, ended) in ended.into_iter().enumerate() {
        results.push(match ended {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(cause) => Err(DevicesError::NoThread { device, cause }.into()),
        });
    }
    all_or_first(results, split.as_ref())
}

/// What all devices returned, or the error of the first one that failed.
fn all_or_first<R>(results: Vec<Result<R>>, split: Option<&Split>) -> Result<Vec<R>> {
    let failed = results.iter().enumerate();
    let mut failed = failed.filter_map(|(number, result)| result.is_err().then_some(number));
    let Some(device) = failed.next() else {
        return results.into_iter().collect();
    };
    let also = failed.collect();
    let portion = split.and_then(|split| split.portions().get(device));
    let units = portion.map(Portion::range);
    let all: Result<Vec<R>> = results.into_iter().collect();
    all.map_err(|cause| match cause {
        Error::Devices(DevicesError::NoThread { .. }) => cause,
        cause => Error::Devices(DevicesError::Failed {
            device,
            units,
            cause: Box::new(cause),
            also,
        }),
    })
}

fn same(found: &Devices, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
    match found.are(devices) {
        true => Ok(()),
        false => Err(DevicesError::OtherDevices {
            argument,
            found: found.len(),
            devices: devices.len(),
        }),
    }
}

fn one_each(found: usize, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
    let devices = devices.len();
    match found == devices {
        true => Ok(()),
        false => Err(DevicesError::ValueCount {
            argument,
            found,
            devices,
        }),
    }
}

impl<'a> Divided for &'a Split {
    type Part = &'a Portion;

    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
        same(self.devices(), devices, argument)
    }

    fn split(&self) -> Option<&Split> {
        Some(self)
    }

    fn divide(self, _: usize) -> Vec<&'a Portion> {
        self.portions().iter().collect()
    }
}

impl<'a, T: Element> Divided for &'a SplitBuffer<T> {
    type Part = Part<'a, T>;

    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
        same(SplitBuffer::split(self).devices(), devices, argument)
    }

    fn split(&self) -> Option<&Split> {
        Some(SplitBuffer::split(self))
    }

    fn divide(self, _: usize) -> Vec<Part<'a, T>> {
        self.parts().collect()
    }
}

impl<'a, T: Element> Divided for &'a mut SplitBuffer<T> {
    type Part = PartMut<'a, T>;

    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
        same(SplitBuffer::split(self).devices(), devices, argument)
    }

    fn split(&self) -> Option<&Split> {
        Some(SplitBuffer::split(self))
    }

    fn divide(self, _: usize) -> Vec<PartMut<'a, T>> {
        self.parts_mut().collect()
    }
}

impl<'a, T: Element> Divided for &'a Replicas<T> {
    type Part = &'a DeviceSlice<T>;

    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
        same(&self.devices, devices, argument)
    }

    fn divide(self, _: usize) -> Vec<&'a DeviceSlice<T>> {
        self.each.iter().map(|buffer| &**buffer).collect()
    }
}

impl<'a, T: Element> Divided for &'a mut Replicas<T> {
    type Part = &'a mut DeviceSlice<T>;

    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
        same(&self.devices, devices, argument)
    }

    fn divide(self, _: usize) -> Vec<&'a mut DeviceSlice<T>> {
        self.each.iter_mut().map(|buffer| &mut **buffer).collect()
    }
}

impl<'a, V: Sync> Divided for &'a [V] {
    type Part = &'a V;

    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
        one_each(self.len(), devices, argument)
    }

    fn divide(self, _: usize) -> Vec<&'a V> {
        self.iter().collect()
    }
}

impl<'a, V: Send> Divided for &'a mut [V] {
    type Part = &'a mut V;

    fn check(&self, devices: &Devices, argument: usize) -> Result<(), DevicesError> {
        one_each(self.len(), devices, argument)
    }

    fn divide(self, _: usize) -> Vec<&'a mut V> {
        self.iter_mut().collect()
    }
}

macro_rules! tuples {
    ($($($part:ident $number:tt)*;)*) => {$(
        impl<$($part: Divided),*> Divided for ($($part,)*) {
            type Part = ($($part::Part,)*);

            fn check(&self, _devices: &Devices, _argument: usize) -> Result<(), DevicesError> {
                $(self.$number.check(_devices, $number)?;)*
                Ok(())
            }

            fn split(&self) -> Option<&Split> {
                None$(.or_else(|| self.$number.split()))*
            }

            #[allow(non_snake_case, reason = "each part is called as its type")]
            #[allow(clippy::unused_unit, reason = "what the empty tuple is divided into")]
            fn divide(self, devices: usize) -> Vec<Self::Part> {
                $(let mut $part = self.$number.divide(devices).into_iter();)*
                let parts = std::iter::from_fn(|| Some(($($part.next()?,)*)));
                parts.take(devices).collect()
            }
        }
    )*};
}

tuples! {
    ;
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}
