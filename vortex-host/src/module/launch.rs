//! Launching a kernel of a module by its name.

use std::sync::Arc;

use vortex_kernel::meta::{Access, ArgInfo, ArgKind, Element, KernelInfo, KernelMeta, Scalar};

use super::{Choice, Module, choose, interned};
use crate::buffer::DeviceSlice;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::launch::{Binder, Call, Key, Launchable, LocalLen, Shape, Size, Source};
use crate::report::Report;

/// A call of a kernel by its name, as [`Module::launch`] begins it. It borrows its arguments.
#[must_use = "a kernel runs when `.launch(&device)` is called"]
#[derive(Debug)]
pub struct ModuleLaunch<'a> {
    module: &'a Module,
    /// Which kernel of the module's.
    kernel: usize,
    args: Vec<u8>,
    given: Vec<bool>,
    binder: Binder,
    shape: Shape,
}

impl Module {
    /// Begins a call of the kernel of this name.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn launch(&self, name: &str) -> Result<ModuleLaunch<'_>> {
        let kernel = self.find(name)?;
        let info = &self.kernels()[kernel];
        Ok(ModuleLaunch {
            module: self,
            kernel,
            args: vec![0; info.args_size as usize],
            given: vec![false; info.args.len()],
            binder: Binder::new(),
            shape: Shape::default(),
        })
    }
}

/// "`a`, `b`".
fn names<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

impl<'a> ModuleLaunch<'a> {
    fn info(&self) -> &'a KernelInfo {
        &self.module.kernels()[self.kernel]
    }

    /// The argument of this name.
    fn arg(&self, name: &str) -> Result<&'a ArgInfo> {
        let info = self.info();
        let found = info.args.iter().find(|arg| arg.name == name);
        found.ok_or_else(|| Error::NoArgument {
            kernel: interned(&info.name),
            argument: name.to_owned(),
            arguments: names(info.args.iter().map(|arg| &arg.name)),
        })
    }

    fn wrong_type(&self, arg: &ArgInfo, found: &str) -> Error {
        Error::ArgumentType {
            kernel: interned(&self.info().name),
            argument: arg.name.clone(),
            expected: arg.rust_type.clone(),
            found: found.to_owned(),
        }
    }

    fn put(&mut self, arg: &ArgInfo, bytes: &[u8]) {
        let start = arg.offset as usize;
        if let Some(place) = self.args.get_mut(start..start.saturating_add(bytes.len())) {
            place.copy_from_slice(bytes);
        }
        if let Some(given) = self.given.get_mut(arg.index as usize) {
            *given = true;
        }
    }

    /// Gives a scalar its value.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn scalar<T: Scalar>(mut self, name: &str, value: T) -> Result<Self> {
        let arg = self.arg(name)?;
        if arg.kind != ArgKind::Scalar || arg.rust_type != T::SCALAR.name() {
            return Err(self.wrong_type(arg, T::SCALAR.name()));
        }
        let value = self.binder.scalar(interned(&arg.name), value);
        self.put(arg, bytemuck::bytes_of(&value));
        Ok(self)
    }

    /// Gives a `&mut Local<[T]>` its length, in elements.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn local(mut self, name: &str, elements: impl Into<LocalLen>) -> Result<Self> {
        let arg = self.arg(name)?;
        if arg.kind != ArgKind::LocalSize {
            return Err(self.wrong_type(arg, "a length of local memory"));
        }
        let LocalLen(elements) = elements.into();
        let size = arg.element_size.max(1) as usize;
        let name = interned(&arg.name);
        let length = self.binder.local_memory(name, elements, size);
        self.put(arg, &length.to_le_bytes());
        Ok(self)
    }

    /// Gives a slice, or a raw pointer, memory that the kernel only reads.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn slice<T: Element>(mut self, name: &str, slice: &'a DeviceSlice<T>) -> Result<Self> {
        let arg = self.arg(name)?;
        let spelled = [
            format!("&[{}]", type_name::<T>()),
            format!("*const {}", type_name::<T>()),
        ];
        if !spelled.contains(&arg.rust_type) {
            return Err(self.wrong_type(arg, &spelled[0]));
        }
        let bound = self.binder.slice(interned(&arg.name), slice);
        self.put_memory(arg, bound.addr, bound.len);
        Ok(self)
    }

    /// Gives a slice, or a raw pointer, memory that the kernel may write.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn slice_mut<T: Element>(
        mut self,
        name: &str,
        slice: &'a mut DeviceSlice<T>,
    ) -> Result<Self> {
        let arg = self.arg(name)?;
        let spelled = [
            format!("&mut [{}]", type_name::<T>()),
            format!("*mut {}", type_name::<T>()),
        ];
        if !spelled.contains(&arg.rust_type) {
            return Err(self.wrong_type(arg, &spelled[0]));
        }
        let bound = self.binder.slice_mut(interned(&arg.name), slice);
        self.put_memory(arg, bound.addr, bound.len);
        Ok(self)
    }

    /// Gives an argument that refers to memory bytes of whatever its elements are.
    ///
    /// # Errors
    /// If there is no such argument, or it does not refer to memory, or a part of an element is left over.
    pub fn bytes(mut self, name: &str, bytes: &'a mut DeviceSlice<u8>) -> Result<Self> {
        let arg = self.arg(name)?;
        if !matches!(arg.kind, ArgKind::Slice | ArgKind::Pointer) {
            return Err(self.wrong_type(arg, "memory"));
        }
        let size = arg.element_size.max(1) as usize;
        if !bytes.len().is_multiple_of(size) {
            return Err(Error::PartialElement {
                kernel: interned(&self.info().name),
                argument: arg.name.clone(),
                bytes: bytes.len(),
                size,
            });
        }
        let bound = match arg.access {
            Access::ReadOnly | Access::None => self.binder.slice(interned(&arg.name), bytes),
            Access::WriteOnly | Access::ReadWrite => {
                self.binder.slice_mut(interned(&arg.name), bytes)
            }
        };
        self.put_memory(arg, bound.addr, bound.len / size as u32);
        Ok(self)
    }

    fn put_memory(&mut self, arg: &ArgInfo, addr: u32, len: u32) {
        match arg.kind {
            ArgKind::Slice => self.put(arg, bytemuck::bytes_of(&[addr, len])),
            _ => self.put(arg, &addr.to_le_bytes()),
        }
    }

    /// Runs this many work items; see [`crate::Launch::over`].
    pub fn over(mut self, items: impl Size) -> Self {
        self.shape.over = Some(items.extent());
        self
    }

    /// Runs this many groups of work items; see [`crate::Launch::grid`].
    pub fn grid(mut self, groups: impl Size) -> Self {
        self.shape.grid = Some(groups.extent());
        self
    }

    /// Gives each group this many work items; see [`crate::Launch::block`].
    pub fn block(mut self, items: impl Size) -> Self {
        self.shape.block = Some(items.extent());
        self
    }

    /// The image that a launch on this device takes, and why.
    #[must_use]
    pub fn choice(&self, device: &Device) -> Choice {
        self.module.choose(self.kernel, &self.shape, device).1
    }

    /// Runs the kernel to its end; see [`crate::Launch::launch`].
    ///
    /// # Errors
    /// If an argument is missing, and as [`crate::Launch::launch`].
    pub fn launch(self, device: &Device) -> Result<Report> {
        self.into_call(device)?.run_in_order(device)
    }
}

impl<'a> Launchable<'a> for ModuleLaunch<'a> {
    fn into_call(self, device: &Device) -> Result<Call> {
        let info = self.info();
        let kernel = interned(&info.name);
        if let Some(missing) = self.given.iter().position(|given| !given) {
            return Err(Error::MissingArgument {
                kernel,
                argument: info.args[missing].name.clone(),
                ty: info.args[missing].rust_type.clone(),
            });
        }
        self.module
            .call(self.kernel, self.args, self.binder, self.shape, device)
    }
}

impl Module {
    /// A call of a kernel of this program, of its image in the module.
    pub(crate) fn call_of(
        &self,
        meta: &KernelMeta,
        args: Vec<u8>,
        binder: Binder,
        shape: Shape,
        device: &Device,
    ) -> Result<Call> {
        let kernel = self.find(meta.name)?;
        let (own, other) = (KernelInfo::from(meta), &self.kernels()[kernel]);
        if own.args != other.args {
            return Err(Error::OtherKernel {
                kernel: meta.name,
                at: own.location.to_string(),
                module: self.info.name.clone(),
                other_at: other.location.to_string(),
            });
        }
        self.call(kernel, args, binder, shape, device)
    }

    fn find(&self, name: &str) -> Result<usize> {
        let kernel = self.kernels().iter().position(|kernel| kernel.name == name);
        kernel.ok_or_else(|| Error::NoKernel {
            kernel: name.to_owned(),
            kernels: names(self.kernels().iter().map(|kernel| &kernel.name)),
        })
    }

    /// The image that a launch of a kernel takes, and why.
    fn choose(&self, kernel: usize, shape: &Shape, device: &Device) -> (usize, Choice) {
        let block = match (shape.block, self.kernels()[kernel].attributes.block) {
            // Sizes beyond all devices are refused by the launch.
            (Some(block), _) => Some(block.map(|n| u32::try_from(n).unwrap_or(u32::MAX))),
            (None, stated) => stated,
        };
        choose::choose(&self.images[kernel], block, shape.over, device.caps())
    }

    /// A call of a kernel, whose arguments are complete.
    fn call(
        &self,
        kernel: usize,
        args: Vec<u8>,
        binder: Binder,
        shape: Shape,
        device: &Device,
    ) -> Result<Call> {
        let info = &self.kernels()[kernel];
        let name = interned(&info.name);
        let (variant, choice) = self.choose(kernel, &shape, device);
        let mut attributes = info.attributes;
        attributes.block = choice.block;
        binder.check(name, device)?;
        Ok(Call {
            kernel: name,
            attributes,
            key: Key::Module {
                module: self.id,
                kernel,
                variant,
            },
            source: Source::Image(Arc::clone(&self.images[kernel][variant].image)),
            args,
            binder,
            shape,
            choice: Some(choice),
        })
    }
}

/// The name of an element type as signatures spell it.
fn type_name<T: Element>() -> &'static str {
    T::SPELLING.name
}
