//! Launching a kernel of a module by its name.

use std::marker::PhantomData;
use std::sync::Arc;

use vortex_kernel::escape::Escaped;
use vortex_kernel::meta::{
    Access, ArgInfo, ArgKind, ArgMeta, Argument, Element, KernelInfo, Scalar, Texel,
};
use vortex_kernel::tensor::{TensorElement, TensorRecords};

use super::{LaunchArgs, Module, choose};
use crate::buffer::DeviceSlice;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::image::choice::Choice;
use crate::launch::{Binder, Call, Declared, Launchable, LocalLen, Shape, Source, Work, sizes};
use crate::name::Name;
use crate::pointer::{DevicePtr, DevicePtrMut};
use crate::registry::KernelEntry;
use crate::report::Report;
use crate::resident::Key;
use crate::stream::{Pending, Stream};
use crate::tensor::Tensor;
use crate::texture::Texture;
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
    shape: Shape,
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
    /// Begins a call of the kernel of this name.
    ///
    /// # Errors
    /// If there is no such kernel.
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
            shape: Shape::default(),
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

    /// The kernel that is called.
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
        found.ok_or_else(|| Error::NoArgument {
            kernel: Name::from(&info.name),
            argument: Name::from(name.to_owned()),
            arguments: names(info.args.iter().map(|arg| &arg.name)),
        })
    }

    fn wrong_type(&self, arg: &ArgInfo, found: &str) -> Error {
        Error::ArgumentType {
            kernel: Name::from(&self.info().name),
            argument: Name::from(&arg.name),
            expected: Name::from(&arg.rust_type),
            found: Name::from(found.to_owned()),
        }
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

    /// Gives a scalar its value.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn scalar<T: Scalar>(mut self, name: &str, value: T) -> Result<Self> {
        let arg = self.arg(name)?;
        if arg.kind != ArgKind::Scalar || arg.rust_type != T::SCALAR.name() {
            return Err(self.wrong_type(&arg, T::SCALAR.name()));
        }
        let value = self.binder.scalar(&arg.name, value);
        self.put(&arg, bytemuck::bytes_of(&value))?;
        Ok(self)
    }

    /// Gives a `&mut Local<[T]>` its length, in elements.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn local(mut self, name: &str, elements: impl Into<LocalLen>) -> Result<Self> {
        let arg = self.arg(name)?;
        if arg.kind != ArgKind::LocalSize {
            return Err(self.wrong_type(&arg, "a length of local memory"));
        }
        let LocalLen(elements) = elements.into();
        let size = arg.element_size.max(1) as usize;
        let length = self.binder.local_memory(&arg.name, elements, size);
        self.put(&arg, &length.to_le_bytes())?;
        Ok(self)
    }

    /// Gives a struct, an enum or an array its value.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn value<T: Argument>(mut self, name: &str, value: T) -> Result<Self> {
        let arg = self.arg(name)?;
        let by_value = matches!(arg.kind, ArgKind::Scalar | ArgKind::Struct | ArgKind::ByRef);
        let found = ArgMeta::value::<T>("");
        if !by_value || arg.rust_type != T::NAME || arg.element_size as usize != found.element_size
        {
            return Err(self.wrong_type(&arg, T::NAME));
        }
        let bytes = self.binder.value(&arg.name, arg.offset as usize, value);
        self.put(&arg, &bytes)?;
        Ok(self)
    }

    /// Gives a struct, an enum or an array its value as bytes, which lie on the device as C lays them out there.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else, or of another size.
    pub fn value_bytes(mut self, name: &str, bytes: &[u8]) -> Result<Self> {
        let arg = self.arg(name)?;
        let by_value = matches!(arg.kind, ArgKind::Struct | ArgKind::ByRef);
        if !by_value || bytes.len() != arg.element_size as usize {
            return Err(self.wrong_type(&arg, &Count(bytes.len(), "byte").to_string()));
        }
        self.binder.may_hold_pointers();
        if arg.kind == ArgKind::ByRef {
            self.binder.spill(arg.offset as usize, bytes);
            self.is_given(&arg);
        } else {
            self.put(&arg, bytes)?;
        }
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
            return Err(self.wrong_type(&arg, &spelled[0]));
        }
        let bound = self.binder.slice(&arg.name, slice);
        self.put_memory(&arg, bound.addr, bound.len)?;
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
            return Err(self.wrong_type(&arg, &spelled[0]));
        }
        let bound = self.binder.slice_mut(&arg.name, slice);
        self.put_memory(&arg, bound.addr, bound.len)?;
        Ok(self)
    }

    /// Gives an image that the kernel only reads, with how it is sampled.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn texture<T: Texel, const D: usize>(
        mut self,
        name: &str,
        texture: &'a Texture<T, D>,
    ) -> Result<Self> {
        let arg = self.texture_arg::<T, D>(name, false)?;
        let bound = self.binder.texture(&arg.name, texture);
        self.put(&arg, bytemuck::bytes_of(&bound))?;
        Ok(self)
    }

    /// Gives an image that the kernel may write, with how it is sampled.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn texture_mut<T: Texel, const D: usize>(
        mut self,
        name: &str,
        texture: &'a mut Texture<T, D>,
    ) -> Result<Self> {
        let arg = self.texture_arg::<T, D>(name, true)?;
        let bound = self.binder.texture_mut(&arg.name, texture);
        self.put(&arg, bytemuck::bytes_of(&bound))?;
        Ok(self)
    }

    /// Gives a tensor that the kernel only reads. What rests in the layout that [`KernelInfo::tensors`] says is taken:
    /// `device.upload_tensor(&matrix, record.layout())`.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn tensor<T: TensorElement, const M: usize, const N: usize>(
        mut self,
        name: &str,
        tensor: &'a Tensor<T, M, N>,
    ) -> Result<Self> {
        self.give_tensor(name, tensor, false)?;
        Ok(self)
    }

    /// Gives a tensor that the kernel may write; see [`ModuleLaunch::tensor`].
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn tensor_mut<T: TensorElement, const M: usize, const N: usize>(
        mut self,
        name: &str,
        tensor: &'a mut Tensor<T, M, N>,
    ) -> Result<Self> {
        self.give_tensor(name, tensor, true)?;
        Ok(self)
    }

    fn give_tensor<T: TensorElement, const M: usize, const N: usize>(
        &mut self,
        name: &str,
        tensor: &Tensor<T, M, N>,
        mutable: bool,
    ) -> Result<()> {
        let arg = self.arg(name)?;
        let given = match mutable {
            false => format!("&Tensor<{}", T::DTYPE.name()),
            true => format!("&mut Tensor<{}", T::DTYPE.name()),
        };
        let (rows, cols) = (tensor.rows(), tensor.cols());
        let is_such = (arg.rust_type.strip_prefix(&given))
            .is_some_and(|extents| extents.starts_with(['>', ',']));
        let extents = arg.tensor_extents();
        let is_as_large = extents.is_none_or(|of_type| of_type == [rows as u32, cols as u32]);
        if arg.kind != ArgKind::Tensor || !is_such || !is_as_large {
            return Err(self.wrong_type(&arg, &format!("{given}, {rows}, {cols}>")));
        }
        let record = self.info().tensors.tensor(name);
        let record = record.filter(|record| record.accessor.is_some());
        let Some(buffer) = record.and_then(|record| record.buffer) else {
            return Err(Error::NoAccessor {
                kernel: Name::from(&self.info().name),
                argument: Name::from(&arg.name),
            });
        };
        let declared = Declared {
            buffer: Ok(buffer),
            has_extents: extents.is_some(),
            at: None,
        };
        let name = Name::from(&arg.name);
        let bound = self.binder.tensor_of(name, declared, tensor, mutable);
        self.put(&arg, bytemuck::bytes_of(&bound))
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

    /// The argument of this name, if it is such a texture.
    fn texture_arg<T: Texel, const D: usize>(&self, name: &str, mutable: bool) -> Result<ArgInfo> {
        let arg = self.arg(name)?;
        let given = if mutable {
            ArgMeta::texture_mut::<T, D>("")
        } else {
            ArgMeta::texture::<T, D>("")
        };
        if arg.rust_type == given.rust_type {
            return Ok(arg);
        }
        Err(self.wrong_type(&arg, given.rust_type))
    }

    /// Gives a raw pointer its address.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn ptr<T: Element>(mut self, name: &str, pointer: DevicePtr<T>) -> Result<Self> {
        let arg = self.arg(name)?;
        let spelled = format!("*const {}", type_name::<T>());
        if spelled != arg.rust_type {
            return Err(self.wrong_type(&arg, &spelled));
        }
        let addr = self.binder.ptr(&arg.name, pointer);
        self.put_memory(&arg, addr, 0)?;
        Ok(self)
    }

    /// Gives a raw pointer that the kernel may write through its address.
    ///
    /// # Errors
    /// If there is no such argument, or it is something else.
    pub fn ptr_mut<T: Element>(mut self, name: &str, pointer: DevicePtrMut<T>) -> Result<Self> {
        let arg = self.arg(name)?;
        let spelled = format!("*mut {}", type_name::<T>());
        if spelled != arg.rust_type {
            return Err(self.wrong_type(&arg, &spelled));
        }
        let addr = self.binder.ptr_mut(&arg.name, pointer);
        self.put_memory(&arg, addr, 0)?;
        Ok(self)
    }

    /// Gives all arguments at once, in order: `(3.0, &x, &mut y)`. Those that are local memory may be left out, to be
    /// given by [`ModuleLaunch::local_mem`] or [`ModuleLaunch::local`].
    ///
    /// # Errors
    /// If there are more or fewer, or one of them is of another type.
    pub fn args(self, args: impl LaunchArgs<'a>) -> Result<Self> {
        let info = self.info();
        let others = info.args.iter().filter(|arg| !is_local(arg));
        let wanted: Vec<_> = match others.clone().count() == args.count() {
            true => others.collect(),
            false => info.args.iter().collect(),
        };
        if wanted.len() != args.count() {
            return Err(Error::ArgumentCount {
                kernel: Name::from(&info.name),
                expected: info.args.len(),
                found: args.count(),
                arguments: spelled(&info.args),
            });
        }
        let names: Vec<_> = wanted.iter().map(|arg| arg.name.clone()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        args.give(self, &names)
    }

    /// Gives the kernel's `&mut Local<[T]>` so many bytes for each group, if it has one such parameter;
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
                return Err(Error::LocalMemoryArgument {
                    kernel,
                    arguments: names(both.map(|(arg, _)| &arg.name)),
                });
            }
        };
        let size = arg.element_size.max(1) as usize;
        if !bytes.is_multiple_of(size) {
            return Err(Error::PartialElement {
                kernel,
                argument: arg.name.into(),
                bytes,
                size,
            });
        }
        Ok(Some((arg, bytes / size)))
    }

    /// Gives an argument that refers to memory bytes of whatever its elements are.
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
            return Err(Error::PartialElement {
                kernel: Name::from(&self.info().name),
                argument: Name::from(&arg.name),
                bytes: bytes.len(),
                size,
            });
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

    sizes!();

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

    /// Says on which stream to run it.
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
    pub fn launch(self, device: &Device) -> Result<Report> {
        self.into_call(device)?.run_in_order(device)
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
            return Err(Error::MissingArgument {
                kernel,
                argument: Name::from(&info.args[missing].name),
                ty: Name::from(&info.args[missing].rust_type),
            });
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
                })
            }
        }
    }
}

/// A call of a kernel by its name, on a stream.
#[must_use = "a kernel runs when `.launch()` is called"]
#[derive(Debug)]
pub struct StreamLaunch<'a, 's> {
    launch: ModuleLaunch<'a>,
    stream: &'s Stream,
}

impl<'a> StreamLaunch<'a, '_> {
    /// Enqueues it; see [`Stream::launch`].
    pub fn launch(self) -> Pending<'a, Report> {
        self.stream.launch(self.launch)
    }
}

/// Whether an argument is local memory.
fn is_local(arg: &ArgInfo) -> bool {
    arg.kind == ArgKind::LocalSize
}

/// "`alpha: f32`, `x: &[f32]`".
fn spelled(args: &[ArgInfo]) -> String {
    let each = args
        .iter()
        .map(|arg| format!("`{}: {}`", Escaped(&arg.name), Escaped(&arg.rust_type)));
    each.collect::<Vec<_>>().join(", ")
}

impl Module {
    /// A call of a kernel of this program, of its image in the module.
    pub(crate) fn call_of(
        &self,
        entry: &KernelEntry,
        args: ArgBytes,
        binder: Binder,
        shape: Shape,
        device: &Device,
    ) -> Result<Call> {
        let kernel = self.find(entry.name())?;
        let (own, other) = (entry.info(), &self.kernels()[kernel]);
        if !own.takes_like(other) {
            return Err(Error::OtherKernel {
                kernel: entry.shared_name(),
                at: own.location.to_string(),
                module: Name::from(&self.info.name),
                other_at: other.location.to_string(),
            });
        }
        self.call(kernel, args, binder, shape, device)
    }

    pub(super) fn find(&self, name: &str) -> Result<usize> {
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
        args: ArgBytes,
        binder: Binder,
        shape: Shape,
        device: &Device,
    ) -> Result<Call> {
        self.use_kernel(kernel)?;
        let info = &self.kernels()[kernel];
        let name = Name::from(&info.name);
        let (variant, choice) = self.choose(kernel, &shape, device);
        let mut attributes = info.attributes;
        attributes.block = choice.block;
        binder.check(&name, device)?;
        Ok(Call {
            kernel: name,
            attributes,
            source: Source::Image {
                key: Key::Module {
                    module: self.owner.id(),
                    kernel,
                    variant,
                },
                image: Arc::clone(&self.images[kernel][variant].image),
                sources: self.images[kernel][variant].sources,
                owner: self.owner.clone(),
                info: device.dump().map(|_| Box::new(info.clone())),
            },
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
