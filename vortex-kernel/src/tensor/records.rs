//! The records of a kernel's tensors, together, and their form in files: under `tt.` keys.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::accessor::{AccessorRecord, AccessorSummary, TileParams};
use super::error::LayoutError;
use super::geometry::Geometry;
use super::infer::BufferRecord;
use super::propagate::CircularBufferRecord;
use crate::group::{TreeError, tree};

/// The records of a kernel's tensors, sorted by name, as not all texts have the order of arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TensorRecords {
    tensors: Vec<TensorRecord>,
}

/// What the passes have written of one tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TensorRecord {
    /// Name of the argument.
    pub name: String,
    /// Its layout in memory: `tt.buffer.<name>`, by [`infer_layout`](super::infer_layout).
    pub buffer: Option<BufferRecord>,
    /// The circular buffer that its tiles go through: `tt.cb.<name>`, by [`propagate_layout`](super::propagate_layout).
    pub cb: Option<CircularBufferRecord>,
    /// How an index becomes an address: `tt.tensor_accessor.<name>`, by [`attach_accessor`](super::attach_accessor).
    pub accessor: Option<AccessorRecord>,
}

const BUFFER: &str = "tt.buffer.";
const CB: &str = "tt.cb.";
const ACCESSOR: &str = "tt.tensor_accessor.";
const SUMMARY: &str = "tt.accessor_summary";

impl TensorRecords {
    /// Whether tensors are laid out like those of other records, with or without a launch.
    #[must_use]
    pub fn are_laid_out_like(&self, other: &Self) -> bool {
        let said = |tensor: &TensorRecord| {
            let buffer = tensor.buffer.map(|buffer| buffer.without_extents());
            (tensor.name.clone(), buffer, tensor.cb)
        };
        let (own, others) = (self.tensors.iter(), other.tensors.iter());
        own.map(said).eq(others.map(said))
    }

    /// Completes the records of the tensor of this name with what a launch passes: a tensor of this many rows and
    /// columns at this address. Without records of that name nothing happens.
    ///
    /// # Errors
    /// If a tensor of that size cannot be laid out like this.
    pub fn bind(
        &mut self,
        name: &str,
        extents: [u32; 2],
        base_address: u32,
    ) -> Result<(), LayoutError> {
        let tensor = self.tensors.iter_mut().find(|tensor| tensor.name == name);
        let Some(TensorRecord {
            buffer: Some(buffer),
            accessor: Some(accessor),
            ..
        }) = tensor
        else {
            return Ok(());
        };
        *buffer = buffer.of_extents(extents)?;
        accessor.tile_params = TileParams::of(buffer, Some(extents));
        accessor.runtime_binding = Some(Geometry::of(buffer, extents).binding(base_address));
        Ok(())
    }

    /// The tensors, sorted by name.
    #[must_use]
    pub fn tensors(&self) -> &[TensorRecord] {
        &self.tensors
    }

    /// Whether the kernel has no tensors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// The records of the tensor of this name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&TensorRecord> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// How each tensor that has an accessor is reached: `tt.accessor_summary`.
    pub fn summary(&self) -> impl Iterator<Item = (&str, AccessorSummary)> {
        self.tensors.iter().filter_map(|tensor| {
            let summary = AccessorSummary {
                stride_mode: tensor.accessor.as_ref()?.stride_mode,
                memory: tensor.buffer?.memory,
            };
            Some((tensor.name.as_str(), summary))
        })
    }

    /// The records of this name, to be written.
    pub(super) fn entry(&mut self, name: &str) -> &mut TensorRecord {
        let known = (self.tensors).binary_search_by(|tensor| tensor.name.as_str().cmp(name));
        let index = known.unwrap_or_else(|index| {
            let tensor = TensorRecord {
                name: name.to_owned(),
                ..TensorRecord::default()
            };
            self.tensors.insert(index, tensor);
            index
        });
        &mut self.tensors[index]
    }
}

/// The lines of the summary, as a map.
struct Summary<'a>(&'a TensorRecords);

impl Serialize for Summary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.summary())
    }
}

/// The records under their keys, whatever the format.
struct Keyed<R>(R);

impl Serialize for TensorRecords {
    /// Under their keys, or, in formats that do not describe themselves, as the text of that.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => Keyed(self).serialize(serializer),
            false if self.is_empty() => serializer.serialize_str(""),
            false => serializer.collect_str(self),
        }
    }
}

impl fmt::Display for TensorRecords {
    /// In the syntax of MLIR's attributes: `{tt.buffer.a = {memory = "DRAM", ..}, ..}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tree::print(&self.to_tree().ok_or(fmt::Error)?, f)
    }
}

impl FromStr for TensorRecords {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        Self::of_tree(&tree::parse(text)?)
    }
}

impl TensorRecords {
    /// The records under their keys, as a value.
    pub(crate) fn to_tree(&self) -> Option<ciborium::Value> {
        ciborium::Value::serialized(&Keyed(self)).ok()
    }

    /// The records that a value has, which was read.
    pub(crate) fn of_tree(value: &ciborium::Value) -> Result<Self, TreeError> {
        let records: Result<Keyed<Self>, _> = value.deserialized();
        let Keyed(records) = records.map_err(|error| match error {
            ciborium::value::Error::Custom(message) => TreeError::new(message, 0),
        })?;
        Ok(records)
    }
}

impl Serialize for Keyed<&TensorRecords> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(records) = self;
        records.keyed(serializer)
    }
}

impl<'de> Deserialize<'de> for Keyed<TensorRecords> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Records).map(Self)
    }
}

impl TensorRecords {
    fn keyed<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = |tensor: &TensorRecord| {
            let TensorRecord {
                buffer,
                cb,
                accessor,
                ..
            } = tensor;
            [buffer.is_some(), cb.is_some(), accessor.is_some()].map(usize::from)
        };
        let records: usize = self.tensors.iter().flat_map(count).sum();
        let has_summary = self.summary().next().is_some();
        let mut map = serializer.serialize_map(Some(records + usize::from(has_summary)))?;
        for tensor in &self.tensors {
            if let Some(buffer) = &tensor.buffer {
                map.serialize_entry(&format!("{BUFFER}{}", tensor.name), buffer)?;
            }
        }
        for tensor in &self.tensors {
            if let Some(cb) = &tensor.cb {
                map.serialize_entry(&format!("{CB}{}", tensor.name), cb)?;
            }
        }
        for tensor in &self.tensors {
            if let Some(accessor) = &tensor.accessor {
                map.serialize_entry(&format!("{ACCESSOR}{}", tensor.name), accessor)?;
            }
        }
        if has_summary {
            map.serialize_entry(SUMMARY, &Summary(self))?;
        }
        map.end()
    }
}

/// The summary as files have it, in order.
struct SummaryInFile(Vec<(String, AccessorSummary)>);

impl<'de> Deserialize<'de> for SummaryInFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Lines;

        impl<'de> Visitor<'de> for Lines {
            type Value = SummaryInFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a summary of accessors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SummaryInFile, A::Error> {
                let mut lines = Vec::new();
                while let Some(line) = map.next_entry()? {
                    lines.push(line);
                }
                Ok(SummaryInFile(lines))
            }
        }

        deserializer.deserialize_map(Lines)
    }
}

impl<'de> Deserialize<'de> for TensorRecords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_map(Records);
        }
        match String::deserialize(deserializer)?.as_str() {
            "" => Ok(Self::default()),
            text => text.parse().map_err(D::Error::custom),
        }
    }
}

/// Reads records.
struct Records;

/// Puts a record where none is yet.
fn put<T, E: serde::de::Error>(place: &mut Option<T>, record: T, key: &str) -> Result<(), E> {
    match place.replace(record) {
        None => Ok(()),
        Some(_) => Err(E::custom(format_args!("`{key}` is there twice"))),
    }
}

impl<'de> Visitor<'de> for Records {
    type Value = TensorRecords;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("records of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TensorRecords, A::Error> {
        let mut records = TensorRecords::default();
        let mut summary = None;
        while let Some(key) = map.next_key::<String>()? {
            if let Some(name) = key.strip_prefix(BUFFER) {
                put(&mut records.entry(name).buffer, map.next_value()?, &key)?;
            } else if let Some(name) = key.strip_prefix(CB) {
                put(&mut records.entry(name).cb, map.next_value()?, &key)?;
            } else if let Some(name) = key.strip_prefix(ACCESSOR) {
                put(&mut records.entry(name).accessor, map.next_value()?, &key)?;
            } else if key == SUMMARY {
                put(&mut summary, map.next_value::<SummaryInFile>()?, &key)?;
            } else {
                return Err(A::Error::custom(format_args!(
                    "`{key}` is no record of a tensor"
                )));
            }
        }
        let mut stated = summary.map_or_else(Vec::new, |SummaryInFile(lines)| lines);
        stated.sort_by(|(a, _), (b, _)| a.cmp(b));
        let own = records.summary();
        let own = own.map(|(name, line)| (name.to_owned(), line));
        if own.ne(stated) {
            let message = "the summary of accessors is not that of the accessors";
            return Err(A::Error::custom(message));
        }
        Ok(records)
    }
}
