//! Tensors: matrices in device memory, in a layout.

use std::borrow::Cow;
use std::fmt;

use vortex_kernel::tensor::{
    AT_LAUNCH, BufferRecord, Geometry, RuntimeBinding, TensorElement, TensorLayout,
};

use crate::device::Device;
use crate::device::buffer::{Buffer, DeviceSlice};
use crate::error::{Error, MemoryError, Result};

/// A matrix in device memory, in a layout: `Tensor<T, M, N>`, or `Tensor<T>` whose rows and columns the host chooses.
///
/// Made by [`Device::upload_tensor`]; a kernel takes it as `&Tensor<T, M, N>` or, to write it, as `&mut Tensor<T, M,
/// N>`. It is freed on drop.
///
/// ```
/// use vortex_host::Tensor;
/// use vortex_kernel::tensor::TensorLayout;
///
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let rows = [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let tensor: Tensor<f32, 2, 3> = device.upload_tensor(&rows, TensorLayout::INTERLEAVED.tile_shape(2, 2))?;
/// assert_eq!(tensor.elements().download()?, [1.0, 2.0, 4.0, 5.0, 3.0, 0.0, 6.0, 0.0]);
/// assert_eq!(tensor.download()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// # Ok(())
/// # }
/// ```
pub struct Tensor<T: TensorElement, const M: usize = AT_LAUNCH, const N: usize = AT_LAUNCH> {
    elements: Buffer<T>,
    buffer: BufferRecord,
    geometry: Geometry<u32>,
}

/// A matrix of the host: arrays and vectors of rows, `(elements, rows, cols)`, or elements row by row for a tensor
/// whose extents are a part of its type; with the feature `ndarray`, matrices of that crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a matrix of `{T}`",
    label = "expected rows: `[[T; N]; M]`, `Vec<[T; N]>`, a slice, or `(elements, rows, cols)`"
)]
pub trait Matrix<T: Clone> {
    /// Rows and columns, if it knows them.
    fn extents(&self) -> Option<[usize; 2]>;

    /// The elements, row by row.
    fn row_major(&self) -> Cow<'_, [T]>;
}

impl<T: Clone> Matrix<T> for [T] {
    fn extents(&self) -> Option<[usize; 2]> {
        None
    }

    fn row_major(&self) -> Cow<'_, [T]> {
        Cow::Borrowed(self)
    }
}

impl<T: Clone> Matrix<T> for Vec<T> {
    fn extents(&self) -> Option<[usize; 2]> {
        None
    }

    fn row_major(&self) -> Cow<'_, [T]> {
        Cow::Borrowed(self)
    }
}

impl<T: Clone, const M: usize, const N: usize> Matrix<T> for [[T; N]; M] {
    fn extents(&self) -> Option<[usize; 2]> {
        Some([M, N])
    }

    fn row_major(&self) -> Cow<'_, [T]> {
        Cow::Borrowed(self.as_flattened())
    }
}

impl<T: Clone, const N: usize> Matrix<T> for Vec<[T; N]> {
    fn extents(&self) -> Option<[usize; 2]> {
        Some([self.len(), N])
    }

    fn row_major(&self) -> Cow<'_, [T]> {
        Cow::Borrowed(self.as_flattened())
    }
}

impl<T: Clone> Matrix<T> for (&[T], usize, usize) {
    fn extents(&self) -> Option<[usize; 2]> {
        Some([self.1, self.2])
    }

    fn row_major(&self) -> Cow<'_, [T]> {
        Cow::Borrowed(self.0)
    }
}

#[cfg(feature = "ndarray")]
impl<T: Clone, S: ndarray::Data<Elem = T>> Matrix<T> for ndarray::ArrayBase<S, ndarray::Ix2> {
    fn extents(&self) -> Option<[usize; 2]> {
        Some([self.nrows(), self.ncols()])
    }

    fn row_major(&self) -> Cow<'_, [T]> {
        match self.as_slice() {
            Some(elements) => Cow::Borrowed(elements),
            None => Cow::Owned(self.iter().cloned().collect()),
        }
    }
}

impl Device {
    /// Copies a matrix to the device, in a layout. What is between its last elements and the end of the last tiles is
    /// zero.
    ///
    /// # Errors
    /// If the matrix is not as large as the tensor, or the tensor cannot be laid out like that, or the memory is full.
    pub fn upload_tensor<T: TensorElement, const M: usize, const N: usize>(
        &self,
        matrix: &(impl Matrix<T> + ?Sized),
        layout: TensorLayout,
    ) -> Result<Tensor<T, M, N>> {
        let extents = extents::<M, N>(matrix.extents())?;
        let mut tensor = Tensor::alloc(self, extents, layout)?;
        tensor.write(&matrix.row_major())?;
        Ok(tensor)
    }

    /// The same of a matrix that may be smaller than the tensor: what is missing to the right and below is zero. A
    /// tensor whose extents are not a part of its type is made of whole tiles.
    ///
    /// # Errors
    /// If the matrix is larger than the tensor, and as [`Device::upload_tensor`].
    pub fn upload_tensor_padded<T: TensorElement, const M: usize, const N: usize>(
        &self,
        matrix: &(impl Matrix<T> + ?Sized),
        layout: TensorLayout,
    ) -> Result<Tensor<T, M, N>> {
        let Some([rows, cols]) = matrix.extents() else {
            return self.upload_tensor(matrix, layout);
        };
        let [height, width] = layout.tile_extents().map(|extent| extent.max(1));
        let [all_rows, all_cols] = match (M, N) {
            (AT_LAUNCH, _) | (_, AT_LAUNCH) => {
                [rows.next_multiple_of(height), cols.next_multiple_of(width)]
            }
            _ => [M, N],
        };
        let elements = matrix.row_major();
        if rows > all_rows || cols > all_cols || elements.len() != rows.saturating_mul(cols) {
            return Err(Error::Memory(MemoryError::TensorShape {
                expected: [all_rows, all_cols],
                found: format!("{} elements of {rows} x {cols}", elements.len()),
                help: "only what is smaller can be padded",
            }));
        }
        let mut tensor: Tensor<T, M, N> = Tensor::alloc(self, [all_rows, all_cols], layout)?;
        let padded = (0..all_rows * all_cols).map(|number| {
            let (row, col) = (number / all_cols, number % all_cols);
            let inside = row < rows && col < cols;
            inside
                .then(|| elements.get(row * cols + col).copied())
                .flatten()
        });
        let padded: Vec<T> = padded.map(|element| element.unwrap_or(T::ZERO)).collect();
        tensor.write(&padded)?;
        Ok(tensor)
    }

    /// A tensor of zeros whose rows and columns are a part of its type.
    ///
    /// # Errors
    /// If it cannot be laid out like that, or the memory is full.
    pub fn alloc_tensor<T: TensorElement, const M: usize, const N: usize>(
        &self,
        layout: TensorLayout,
    ) -> Result<Tensor<T, M, N>> {
        Tensor::alloc(self, extents::<M, N>(None)?, layout)
    }

    /// A tensor of zeros of this many rows and columns.
    ///
    /// # Errors
    /// If it cannot be laid out like that, or the memory is full.
    pub fn alloc_tensor_of<T: TensorElement>(
        &self,
        rows: usize,
        cols: usize,
        layout: TensorLayout,
    ) -> Result<Tensor<T>> {
        Tensor::alloc(self, [rows, cols], layout)
    }
}

/// Rows and columns of a tensor of this type for a matrix of these, if it knows them.
fn extents<const M: usize, const N: usize>(given: Option<[usize; 2]>) -> Result<[usize; 2]> {
    let at_launch = M == AT_LAUNCH || N == AT_LAUNCH;
    match given {
        Some(given) if at_launch || given == [M, N] => Ok(given),
        Some([rows, cols]) => Err(Error::Memory(MemoryError::TensorShape {
            expected: [M, N],
            found: format!("a matrix of {rows} x {cols}"),
            help: "pass one of the same size, or use `upload_tensor_padded` for a smaller one",
        })),
        None if at_launch => Err(Error::Memory(MemoryError::TensorShape {
            expected: [0, 0],
            found: "elements of which nothing says how many are in a row".to_owned(),
            help: "pass rows, or `(elements, rows, cols)`",
        })),
        None => Ok([M, N]),
    }
}

impl<T: TensorElement, const M: usize, const N: usize> Tensor<T, M, N> {
    fn alloc(device: &Device, extents: [usize; 2], layout: TensorLayout) -> Result<Self> {
        let [rows, cols] = extents;
        let problem = |problem| {
            Error::Memory(MemoryError::TensorLayout {
                rows,
                cols,
                problem,
            })
        };
        let buffer = BufferRecord::of(T::DTYPE, layout, extents).map_err(problem)?;
        // They have been found to fit.
        let geometry = Geometry::of(&buffer, extents.map(|extent| extent as u32));
        Ok(Self {
            elements: device.alloc(geometry.elements() as usize)?,
            buffer,
            geometry,
        })
    }

    /// Rows of the matrix.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.geometry.extents()[0] as usize
    }

    /// Columns of the matrix.
    #[must_use]
    pub const fn cols(&self) -> usize {
        self.geometry.extents()[1] as usize
    }

    /// Its layout in memory: order, tiles, type of the elements, and shards.
    #[must_use]
    pub const fn buffer(&self) -> &BufferRecord {
        &self.buffer
    }

    /// The elements in device memory, in the order of the layout, padding included.
    #[must_use]
    pub fn elements(&self) -> &DeviceSlice<T> {
        &self.elements
    }

    /// Where each element of the matrix rests, row by row.
    fn places(&self) -> impl Iterator<Item = usize> {
        let geometry = self.geometry;
        let [rows, cols] = geometry.extents();
        (0..rows).flat_map(move |row| (0..cols).map(move |col| geometry.element(row, col) as usize))
    }

    /// Copies the matrix, row by row, to the device.
    ///
    /// # Errors
    /// If there are more or fewer elements, or the device cannot be written.
    pub fn write(&mut self, elements: &[T]) -> Result<()> {
        if elements.len() != self.rows() * self.cols() {
            return Err(Error::Memory(MemoryError::TensorShape {
                expected: [self.rows(), self.cols()],
                found: format!("{} elements", elements.len()),
                help: "pass as many as there are",
            }));
        }
        let mut resting = vec![T::ZERO; self.elements.len()];
        for (place, element) in self.places().zip(elements) {
            resting[place] = *element;
        }
        self.elements.write(&resting)
    }

    /// Copies the matrix to the host, row by row.
    ///
    /// # Errors
    /// If the device cannot be read.
    pub fn download(&self) -> Result<Vec<T>> {
        let resting = self.elements.download()?;
        Ok(self.places().map(|place| resting[place]).collect())
    }

    /// Copies the matrix to the host, as a matrix of the crate `ndarray`.
    ///
    /// # Errors
    /// If the device cannot be read.
    #[cfg(feature = "ndarray")]
    pub fn to_array(&self) -> Result<ndarray::Array2<T>> {
        let elements = self.download()?;
        let cols = self.cols();
        let shape = (self.rows(), cols);
        Ok(ndarray::Array2::from_shape_fn(shape, |(row, col)| {
            elements[row * cols + col]
        }))
    }

    /// The values that a launch fills into the accessor of a kernel that takes it; see
    /// [`Launch::tensors`](crate::Launch::tensors).
    #[must_use]
    pub fn binding(&self) -> RuntimeBinding {
        self.geometry.binding(self.elements.as_arg().addr)
    }

    /// Its tiles and shards.
    pub(crate) const fn geometry(&self) -> &Geometry<u32> {
        &self.geometry
    }
}

impl<T: TensorElement, const M: usize, const N: usize> fmt::Debug for Tensor<T, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, cols) = (self.rows(), self.cols());
        write!(f, "{rows} x {cols}, {}, {:?}", self.buffer, self.elements())
    }
}
