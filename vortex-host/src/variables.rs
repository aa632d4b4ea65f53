//! The program's variables in device memory: what `#[vortex::global]` and `#[vortex::constant]` declare.
//!
//! Each device has at most one of each, which is created and initialised when an image that uses it is loaded, or the
//! host accesses it. It stays at its address while there are images that use it, so the address is looked up once for
//! each image: a variable of the program until the device is closed, one of a kernel in a file until the last module
//! that has it is dropped. `vortex_kernel::lang` says how kernels receive it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

use vortex_kernel::escape::Escaped;
use vortex_kernel::ir::GlobalVariable;
use vortex_kernel::lang::GlobalItem;
use vortex_kernel::meta::Element;

use crate::device::elements::{bytes_of, within};
use crate::device::{Device, State};
use crate::driver::Access;
use crate::error::{Error, MemoryError, Result, located};
use crate::globals::{Held, access, all, hold, number};
use crate::hazards::AccessRange;
use crate::name::Name;

/// The variable of this name, in front of which as much of its path may stand as is needed.
fn find(name: &str) -> Result<GlobalVariable> {
    let all = all();
    let mut found = all.iter().filter(|variable| {
        let path = variable.path();
        path.strip_suffix(name)
            .is_some_and(|before| before.is_empty() || before.ends_with("::"))
    });
    let shown =
        |variable: &GlobalVariable| format!("{} at {}", Escaped(&variable.path()), variable.loc);
    match (found.next(), found.next()) {
        (Some(variable), None) => Ok(variable.clone()),
        (Some(first), Some(second)) => Err(Error::Memory(MemoryError::AmbiguousGlobal {
            name: name.to_owned(),
            first: shown(first),
            second: shown(second),
        })),
        (None, _) => Err(Error::Memory(MemoryError::UnknownGlobal {
            name: name.to_owned(),
            globals: {
                let paths = all
                    .iter()
                    .map(|known| format!("`{}`", Escaped(&known.path())));
                paths.collect::<Vec<_>>().join(", ")
            },
        })),
    }
}

impl State {
    /// Address of a variable, which is made if it is not there yet.
    pub(crate) fn global(&mut self, variable: &GlobalVariable) -> Result<u32> {
        let number = number(variable);
        if let Some(addr) = self.globals.get(&number) {
            return Ok(*addr);
        }
        let access = match variable.is_const {
            true => Access::Read,
            false => Access::ReadWrite,
        };
        let bytes = variable.size.max(4);
        let addr = self.alloc_with(bytes, access, |state, addr| match &*variable.first {
            [] => state.write_zeros(addr, bytes),
            first => state.write(addr, first),
        })?;
        self.globals.insert(number, addr);
        Ok(addr)
    }
}

impl Device {
    /// A variable of the program on this device: a `static` with `#[vortex::global]` or `#[vortex::constant]`.
    ///
    /// It has the `static`'s value until a kernel or the host writes it.
    pub fn global<G: GlobalItem>(&self, item: &G) -> DeviceGlobal<G::Value> {
        let variable = item.describe();
        DeviceGlobal::new(DeviceVariable::new(self, variable))
    }

    /// The variable of this name on this device, preceded by as much of its path as is needed: `HITS`, or
    /// `my_crate::filters::HITS`. Those of kernels in files are found while there is a module that has them.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn global_named(&self, name: &str) -> Result<DeviceVariable> {
        Ok(DeviceVariable::new(self, find(name)?))
    }
}

/// A variable on a device, of a type that is only known at run time.
#[derive(Clone)]
pub struct DeviceVariable {
    device: Device,
    variable: GlobalVariable,
    /// It stays where it is while it can be read.
    _held: Arc<Held>,
}

/// A variable on a device.
///
/// Reading and writing waits for pending kernels that use it.
#[derive(Clone)]
pub struct DeviceGlobal<T> {
    of: DeviceVariable,
    holds: PhantomData<T>,
}

impl DeviceVariable {
    fn new(device: &Device, variable: GlobalVariable) -> Self {
        Self {
            device: device.clone(),
            _held: Arc::new(hold(&variable)),
            variable,
        }
    }

    /// What is known about it.
    #[must_use]
    pub fn info(&self) -> &GlobalVariable {
        &self.variable
    }

    /// The same as a variable of this type.
    ///
    /// # Errors
    /// If it is of another type.
    pub fn typed<T: Element>(self) -> Result<DeviceGlobal<T>> {
        let (asked, is) = (T::SPELLING.name, &self.variable);
        if asked != is.ty || size_of::<T>() != is.size as usize {
            return Err(Error::Memory(MemoryError::GlobalType {
                global: is.path().into(),
                at: is.loc.to_string(),
                is: Name::from(&is.ty),
                asked,
            }));
        }
        Ok(DeviceGlobal::new(self))
    }

    /// The bytes that it holds.
    ///
    /// # Errors
    /// If the device has no room for it, or cannot be read.
    pub fn read_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.variable.size as usize];
        self.read_at(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Sets its bytes; the length must match.
    ///
    /// # Errors
    /// If they are not, if the device has no room for it, or cannot be written.
    #[track_caller]
    pub fn write_bytes(&self, bytes: &[u8]) -> Result<()> {
        located(self.write_all(bytes))
    }

    fn write_all(&self, bytes: &[u8]) -> Result<()> {
        if bytes.len() != self.variable.size as usize {
            return Err(Error::Memory(MemoryError::LengthMismatch {
                host: bytes.len(),
                device: self.variable.size as usize,
                at: None,
            }));
        }
        self.write_at(0, bytes)
    }

    fn read_at(&self, offset: u32, bytes: &mut [u8]) -> Result<()> {
        self.quiet(false);
        let _span = tracing::info_span!("download", bytes = bytes.len()).entered();
        let mut state = self.device.state();
        let addr = state.global(&self.variable)?;
        state.read(addr + offset, bytes)
    }

    fn write_at(&self, offset: u32, bytes: &[u8]) -> Result<()> {
        self.quiet(true);
        let what = "elements";
        let _span = tracing::info_span!("upload", bytes = bytes.len(), what).entered();
        let mut state = self.device.state();
        let addr = state.global(&self.variable)?;
        state.write(addr + offset, bytes)
    }

    /// Waits for the pending operations that what is about to happen conflicts with.
    fn quiet(&self, writes: bool) {
        let access = AccessRange {
            writes,
            ..access(&self.variable)
        };
        self.device.hazards().wait_for([access].into_iter());
    }
}

impl fmt::Debug for DeviceVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, ty) = (self.variable.path(), &self.variable.ty);
        write!(f, "{}: {}", Escaped(&path), Escaped(ty))
    }
}

impl<T> fmt::Debug for DeviceGlobal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.of, f)
    }
}

impl<T> DeviceGlobal<T> {
    fn new(of: DeviceVariable) -> Self {
        Self {
            of,
            holds: PhantomData,
        }
    }

    /// What is known about it.
    #[must_use]
    pub fn info(&self) -> &GlobalVariable {
        self.of.info()
    }
}

impl<T: Element> DeviceGlobal<T> {
    /// What it holds.
    ///
    /// # Errors
    /// If the device has no room for it, cannot be read, or holds something that is not a `T` (a `bool` other than 0
    /// and 1).
    pub fn read(&self) -> Result<T> {
        let bytes = self.of.read_bytes()?;
        T::from_bytes(&bytes).ok_or(Error::Memory(MemoryError::InvalidElement {
            index: 0,
            ty: T::SPELLING.name,
        }))
    }

    /// Sets its value.
    ///
    /// # Errors
    /// If the device has no room for it, or cannot be written.
    pub fn write(&self, value: T) -> Result<()> {
        self.of.write_all(&bytes_of(&[value]))
    }
}

impl<T: Element, const N: usize> DeviceGlobal<[T; N]> {
    /// Some of its elements.
    ///
    /// # Errors
    /// As [`DeviceGlobal::read`], and if the range reaches beyond the array.
    #[track_caller]
    pub fn read_part(&self, range: impl RangeBounds<usize>) -> Result<Vec<T>> {
        let range = located(within(range, N))?;
        let offset = Self::offset(&range);
        let size = size_of::<T>();
        let mut bytes = vec![0; range.len() * size];
        self.of.read_at(offset, &mut bytes)?;
        let elements = bytes.chunks_exact(size.max(1)).enumerate();
        let elements = elements.map(|(index, bytes)| {
            T::from_bytes(bytes).ok_or(Error::Memory(MemoryError::InvalidElement {
                index,
                ty: T::SPELLING.name,
            }))
        });
        elements.collect()
    }

    /// Sets its elements from `start` on.
    ///
    /// # Errors
    /// As [`DeviceGlobal::write`], and if there are more of them than in the array.
    #[track_caller]
    pub fn write_part(&self, start: usize, elements: &[T]) -> Result<()> {
        let range = located(within(start..start.saturating_add(elements.len()), N))?;
        let offset = Self::offset(&range);
        self.of.write_at(offset, &bytes_of(elements))
    }

    /// Where some of its elements begin, in bytes.
    fn offset(elements: &Range<usize>) -> u32 {
        // A variable is smaller than 4 GiB, or the device has no room for it.
        (elements.start * size_of::<T>()) as u32
    }
}
