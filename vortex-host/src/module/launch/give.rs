//! Arguments of launches by name, one at a time.

use vortex_kernel::meta::{ArgInfo, ArgKind, ArgMeta, Argument, Element, Scalar, Texel};
use vortex_kernel::tensor::TensorElement;

use crate::device::buffer::DeviceSlice;
use crate::error::{Error, LaunchError, Result};
use crate::launch::{Declared, LocalLen};
use crate::name::Name;
use crate::pointer::{DevicePtr, DevicePtrMut};
use crate::tensor::Tensor;
use crate::texture::Texture;
use vortex_sim::Count;

use super::ModuleLaunch;

impl<'a> ModuleLaunch<'a> {
    /// Gives the scalar argument `name` its value, a number or a `bool` of exactly its type.
    ///
    /// # Errors
    /// If the kernel has no argument of this name, or one of another type.
    pub fn scalar<T: Scalar>(mut self, name: &str, value: T) -> Result<Self> {
        let arg = self.arg(name)?;
        if arg.kind != ArgKind::Scalar || arg.rust_type != T::SCALAR.name() {
            return Err(self.wrong_type(&arg, T::SCALAR.name()));
        }
        let value = self.binder.scalar(&arg.name, value);
        self.put(&arg, bytemuck::bytes_of(&value))?;
        Ok(self)
    }

    /// Gives the argument `name`, a `&mut Local<[T]>`, its length in elements; each group has memory of its own.
    ///
    /// # Errors
    /// If the kernel has no argument of this name, or one of another type.
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

    /// Gives the argument `name`, a struct, an enum or an array, its value.
    ///
    /// # Errors
    /// If the kernel has no argument of this name, or one of another type.
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
    /// If the kernel has no argument of this name, or it is no such value, or one of another size.
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
    /// If the kernel has no argument of this name, or one of another type.
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
    /// If the kernel has no argument of this name, or one of another type.
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
    /// If the kernel has no argument of this name, or one of another type.
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
    /// If the kernel has no argument of this name, or one of another type.
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

    /// Gives a tensor that the kernel only reads. What rests in the layout that
    /// [`KernelInfo::tensors`](vortex_kernel::meta::KernelInfo::tensors) says is taken:
    /// `device.upload_tensor(&matrix, record.layout())`.
    ///
    /// # Errors
    /// If the kernel has no argument of this name, or one of another type.
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
    /// If the kernel has no argument of this name, or one of another type.
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
            return Err(Error::refused(
                &self.info().name,
                LaunchError::NoAccessor {
                    argument: Name::from(&arg.name),
                },
            ));
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

    /// The argument of this name, if it is a texture like that.
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

    /// Gives the argument `name`, a raw pointer, its address.
    ///
    /// # Errors
    /// If the kernel has no argument of this name, or one of another type.
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
    /// If the kernel has no argument of this name, or one of another type.
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
}

/// The name of an element type as signatures spell it.
fn type_name<T: Element>() -> &'static str {
    T::SPELLING.name
}
