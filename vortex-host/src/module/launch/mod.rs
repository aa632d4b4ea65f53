//! Launching a kernel of a module by its name.

mod call;
mod give;

use std::marker::PhantomData;

use vortex_kernel::escape::Escaped;
use vortex_kernel::meta::{Access, ArgInfo, ArgKind, KernelInfo};
use vortex_kernel::tensor::TensorRecords;

use super::Module;
use crate::device::Device;
use crate::device::buffer::DeviceSlice;
use crate::error::{Error, LaunchError, Result, launched};
use crate::image::choice::Choice;
use crate::launch::{Binder, Call, LaunchSize, Launchable, Size, Source, Watch, Work, sizes};
use crate::name::Name;
use crate::profile::Profile;
use crate::registry::KernelEntry;
use crate::report::Report;
use crate::stream::{Pending, Stream};
use crate::trace::{Trace, TraceLimits};
use crate::visit::{self, ArgBytes, ClientVisitor, DeviceVisitor, Values};
use vortex_sim::Count;

/// A call of a kernel by its name, as [`Module::launch`] and [`Device::kernel`] begin it. It borrows its arguments.
#[must_use = "a kernel runs when `.launch(&device)` is called"]
#[derive(Debug)]
pub struct ModuleLaunch<'a> {
    of: Of,
    args: ArgBytes,
    given: Vec<bool>,
    binder: Binder,
    shape: LaunchSize,
    /// Bytes for the argument that is local memory.
    local: Option<usize>,
    borrowed: PhantomData<&'a mut ()>,
}

/// Where the kernel comes from.
#[derive(Debug)]
enum Of {
    /// A kernel of a module, by its number.
    Module(Module, usize),
    /// A kernel of this program.
    Program(KernelEntry, Box<KernelInfo>),
}

impl Module {
    /// Begins a call of the kernel of this name. The code of a kernel from a file is checked when it is called first.
    ///
    /// # Errors
    /// If the module has no such kernel, or its code is not what a kernel may be.
    pub fn launch<'a>(&self, name: &str) -> Result<ModuleLaunch<'a>> {
        let kernel = self.find(name)?;
        self.use_kernel(kernel)?;
        Ok(ModuleLaunch::new(Of::Module(self.clone(), kernel)))
    }
}

/// "`a`, `b`".
fn names<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{}`", Escaped(name))).collect();
    names.join(", ")
}

impl<'a> ModuleLaunch<'a> {
    fn new(of: Of) -> Self {
        let mut launch = Self {
            of,
            args: ArgBytes::new(),
            given: Vec::new(),
            binder: Binder::new(),
            shape: LaunchSize::default(),
            local: None,
            borrowed: PhantomData,
        };
        launch.args = ArgBytes::from_elem(0, launch.info().args_size as usize);
        launch.given = vec![false; launch.info().args.len()];
        launch
    }

    /// A call of a kernel of this program.
    pub(crate) fn of_program(kernel: KernelEntry) -> Self {
        let info = kernel.info();
        Self::new(Of::Program(kernel, Box::new(info)))
    }

    /// What is known about the kernel that is called, its arguments above all.
    #[must_use]
    pub fn info(&self) -> &KernelInfo {
        match &self.of {
            Of::Module(module, kernel) => &module.kernels()[*kernel],
            Of::Program(_, info) => info,
        }
    }

    /// The argument of this name.
    fn arg(&self, name: &str) -> Result<ArgInfo> {
        let info = self.info();
        let found = info.args.iter().find(|arg| arg.name == name).cloned();
        found.ok_or_else(|| {
            Error::refused(
                &info.name,
                LaunchError::NoArgument {
                    argument: Name::from(name.to_owned()),
                    arguments: names(info.args.iter().map(|arg| &arg.name)),
                },
            )
        })
    }

    fn wrong_type(&self, arg: &ArgInfo, found: &str) -> Error {
        Error::refused(
            &self.info().name,
            LaunchError::ArgumentType {
                argument: Name::from(&arg.name),
                expected: Name::from(&arg.rust_type),
                found: Name::from(found.to_owned()),
            },
        )
    }

    /// Puts an argument where the kernel reads it.
    fn put(&mut self, arg: &ArgInfo, bytes: &[u8]) -> Result<()> {
        let (start, size) = (arg.offset as usize, arg.size as usize);
        match self.args.get_mut(start..start.saturating_add(size)) {
            Some(place) if size == bytes.len() => place.copy_from_slice(bytes),
            _ => return Err(self.wrong_type(arg, &Count(bytes.len(), "byte").to_string())),
        }
        self.is_given(arg);
        Ok(())
    }

    fn is_given(&mut self, arg: &ArgInfo) {
        if let Some(given) = self.given.get_mut(arg.index as usize) {
            *given = true;
        }
    }

    /// The records of the tensors, completed with what has been given; see [`Launch::tensors`](crate::Launch::tensors).
    ///
    /// # Errors
    /// If a tensor does not rest as the kernel says.
    pub fn tensors(&self) -> Result<TensorRecords> {
        let info = self.info();
        let mut records = info.tensors.clone();
        (self.binder).complete(&Name::from(&info.name), &mut records)?;
        Ok(records)
    }

    /// Gives the kernel's `&mut Local<[T]>` this many bytes for each group, if it has one such parameter;
    /// [`ModuleLaunch::local`] gives each of several its length. What does not fit is an error of the launch.
    pub fn local_mem(mut self, bytes: usize) -> Self {
        self.local = Some(bytes);
        self
    }

    /// Gives the argument that is local memory its length, if bytes have been given for it.
    fn with_local_memory(self) -> Result<Self> {
        match self.local_memory_left()? {
            None => Ok(self),
            Some((arg, elements)) => self.local(&arg.name, elements),
        }
    }

    /// The argument that is local memory, if bytes have been given for it, and how many of its elements these are.
    fn local_memory_left(&self) -> Result<Option<(ArgInfo, usize)>> {
        let Some(bytes) = self.local else {
            return Ok(None);
        };
        let kernel = Name::from(&self.info().name);
        let args = self.info().args.iter().zip(&self.given);
        let mut open = args.filter(|(arg, given)| is_local(arg) && !**given);
        let arg = match (open.next(), open.next()) {
            (Some((arg, _)), None) => arg.clone(),
            (first, second) => {
                let both = [first, second].into_iter().flatten();
                return Err(Error::refused(
                    kernel,
                    LaunchError::LocalMemoryArgument {
                        arguments: names(both.map(|(arg, _)| &arg.name)),
                    },
                ));
            }
        };
        let size = arg.element_size.max(1) as usize;
        if !bytes.is_multiple_of(size) {
            return Err(Error::refused(
                kernel,
                LaunchError::PartialElement {
                    argument: arg.name.into(),
                    bytes,
                    size,
                },
            ));
        }
        Ok(Some((arg, bytes / size)))
    }

    /// Gives the argument `name`, a slice or a raw pointer, memory as bytes, whatever its elements are.
    ///
    /// # Errors
    /// If there is no such argument, or it does not refer to memory, or a part of an element is left over.
    pub fn bytes(mut self, name: &str, bytes: &'a mut DeviceSlice<u8>) -> Result<Self> {
        let arg = self.arg(name)?;
        if !matches!(arg.kind, ArgKind::Slice | ArgKind::Pointer) {
            return Err(self.wrong_type(&arg, "memory"));
        }
        let size = arg.element_size.max(1) as usize;
        if !bytes.len().is_multiple_of(size) {
            return Err(Error::refused(
                &self.info().name,
                LaunchError::PartialElement {
                    argument: Name::from(&arg.name),
                    bytes: bytes.len(),
                    size,
                },
            ));
        }
        self.binder.may_hold_pointers();
        let bound = match arg.access {
            Access::ReadOnly | Access::None => self.binder.slice(&arg.name, bytes),
            Access::WriteOnly | Access::ReadWrite => self.binder.slice_mut(&arg.name, bytes),
        };
        self.put_memory(&arg, bound.addr, bound.len / size as u32)?;
        Ok(self)
    }

    fn put_memory(&mut self, arg: &ArgInfo, addr: u32, len: u32) -> Result<()> {
        match arg.kind {
            ArgKind::Slice => self.put(arg, bytemuck::bytes_of(&[addr, len])),
            _ => self.put(arg, &addr.to_le_bytes()),
        }
    }

    sizes! {
        pub fn over(self, items: impl Size) -> Self; // `n`, `(w, h)` or `(w, h, d)`; groups: `.grid(4).block(64)`
        pub fn grid(self, groups: impl Size) -> Self; // `n`, `(w, h)` or `(w, h, d)`; items of each: `.block(64)`
        pub fn block(self, items: impl Size) -> Self; // `n`, `(w, h)` or `(w, h, d)`
    }

    /// The image of a module that a launch on this device takes, and why; nothing for kernels of this program.
    #[must_use]
    pub fn choice(&self, device: &Device) -> Option<Choice> {
        match &self.of {
            Of::Module(module, kernel) => Some(module.choose(*kernel, &self.shape, device).1),
            Of::Program(..) => None,
        }
    }

    /// Shows each argument as the host passes it, with its value if it has been given one; see
    /// [`Launch::visit_client`](crate::Launch::visit_client).
    pub fn visit_client(&self, visitor: &mut impl ClientVisitor) {
        self.with_values(|args, values| visit::show_client(args, Some(values), visitor));
    }

    /// Shows each argument as the device receives it, with the bytes that will be sent if it has been given a value;
    /// see [`Launch::visit_device`](crate::Launch::visit_device).
    pub fn visit_device(&self, visitor: &mut impl DeviceVisitor) {
        self.with_values(|args, values| visit::show_device(args, Some(values), visitor));
    }

    /// Has the values looked at as they would be sent now.
    fn with_values(&self, look: impl FnOnce(&[ArgInfo], Values<'_>)) {
        let (mut args, mut given) = (self.args.clone(), self.given.clone());
        // Bytes that cannot be a length are an error of the launch.
        if let Ok(Some((arg, elements))) = self.local_memory_left()
            && let Ok(length) = u32::try_from(elements)
            && let Some(place) = args.get_mut(arg.offset as usize..)
            && let Some(place) = place.first_chunk_mut()
            && let Some(given) = given.get_mut(arg.index as usize)
        {
            (*place, *given) = (length.to_le_bytes(), true);
        }
        let values = Values {
            args: &args,
            spilled: self.binder.spilled(),
            given: Some(&given),
        };
        look(&self.info().args, values);
    }

    /// Says on which stream to run it; [`StreamLaunch::launch`] enqueues it there.
    pub fn on<'s>(self, stream: &'s Stream) -> StreamLaunch<'a, 's> {
        StreamLaunch {
            launch: self,
            stream,
        }
    }

    /// Runs the kernel to its end; see [`crate::Launch::launch`].
    ///
    /// # Errors
    /// If an argument is missing, and as [`crate::Launch::launch`].
    #[track_caller]
    pub fn launch(self, device: &Device) -> Result<Report> {
        launched(|| self.into_call(device)?.run_in_order(device))
    }

    /// Runs the kernel to its end and notes where the time goes; see [`crate::Launch::profile`].
    ///
    /// # Errors
    /// As for [`ModuleLaunch::launch`], and on devices that are not embedded.
    #[track_caller]
    pub fn profile(self, device: &Device) -> Result<Profile> {
        launched(|| self.into_call(device)?.profiled(device))
    }

    /// Runs the kernel to its end and notes what becomes of its instructions; see [`crate::Launch::trace`].
    ///
    /// # Errors
    /// As for [`ModuleLaunch::launch`], and on devices that are not embedded.
    #[track_caller]
    pub fn trace(self, device: &Device, limits: TraceLimits) -> Result<Trace> {
        launched(|| self.into_call(device)?.traced(device, limits))
    }
}

impl<'a> Launchable<'a> for ModuleLaunch<'a> {
    fn into_work(self, device: &Device) -> Result<Work> {
        self.into_call(device).map(Work::of)
    }
}

impl ModuleLaunch<'_> {
    /// The call, checked as far as it can be before it is its turn.
    fn into_call(self, device: &Device) -> Result<Call> {
        let this = self.with_local_memory()?;
        let info = this.info();
        let kernel = Name::from(&info.name);
        if let Some(missing) = this.given.iter().position(|given| !given) {
            return Err(Error::refused(
                kernel,
                LaunchError::MissingArgument {
                    argument: Name::from(&info.args[missing].name),
                    ty: Name::from(&info.args[missing].rust_type),
                },
            ));
        }
        match this.of {
            Of::Module(module, index) => {
                module.call(index, this.args, this.binder, this.shape, device)
            }
            Of::Program(entry, _) => {
                this.binder.check(&kernel, device)?;
                Ok(Call {
                    kernel,
                    attributes: entry.meta().attributes,
                    source: Source::Kernel(entry),
                    args: this.args,
                    binder: this.binder,
                    shape: this.shape,
                    choice: None,
                    watch: Watch::default(),
                })
            }
        }
    }
}

/// A call of a kernel by its name, on a stream: what [`ModuleLaunch::on`] makes.
#[must_use = "a kernel runs when `.launch()` is called"]
#[derive(Debug)]
pub struct StreamLaunch<'a, 's> {
    launch: ModuleLaunch<'a>,
    stream: &'s Stream,
}

impl<'a> StreamLaunch<'a, '_> {
    /// Enqueues it, and returns at once; mistakes are errors of what this gives. See [`Stream::launch`].
    #[track_caller]
    pub fn launch(self) -> Pending<'a, Report> {
        self.stream.launch(self.launch)
    }
}

/// Whether an argument is local memory.
pub(super) fn is_local(arg: &ArgInfo) -> bool {
    arg.kind == ArgKind::LocalSize
}
