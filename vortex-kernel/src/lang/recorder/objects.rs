//! Memory objects that values are put into: private memory, and constant data of the image.

use super::{At, ListId, Recorder, list, with};
use crate::ir::{Alias, Const, DataObject, MemoryObject, Op, PrivateId, Space, Type, Value};
use crate::types::Leaf;

/// Puts values of a list where they can be indexed: `leaves` says where each of them lies. Constants become data of
/// the image, others are stored as soon as they are all known, so that loops do not do it again.
pub(in crate::lang) fn materialize(
    values: ListId,
    first: usize,
    count: usize,
    leaves: &[Leaf],
    name: &str,
    at: At,
) -> (Value, Alias) {
    let values = list(values, first, count);
    with(|recorder| {
        // What is never reached may be made of values that no instruction defines.
        if recorder.is_dead() {
            let addr = recorder.function.new_value(Type::Ptr(Space::Private));
            return (addr, Alias::Unknown);
        }
        let known = recorder.open.iter().flat_map(|open| &open.materialized);
        if let Some((_, addr, alias)) = known.into_iter().find(|known| known.0 == values) {
            return (*addr, *alias);
        }
        let constants: Option<Vec<Const>> = values
            .iter()
            .map(|value| recorder.consts.get(value).copied())
            .collect();
        let ends = leaves.iter().map(|leaf| leaf.offset + leaf.ty.bytes());
        let size = ends.max().unwrap_or(1);
        if let Some(constants) = constants {
            let depth = recorder.open.len().saturating_sub(1);
            let name = recorder.table(&values);
            return recorder.data(depth, size, name, &constants, leaves, at);
        }
        let constant = |value: &Value| recorder.consts.contains_key(value);
        let depths = values.iter().filter(|value| !constant(value));
        let depth = depths.filter_map(|value| recorder.depths.get(*value));
        let depth = depth.copied().max().unwrap_or(0);
        let (ptr, alias) = recorder.private(depth, size, name, at);
        for (leaf, value) in leaves.iter().zip(&values) {
            let mut value = *value;
            if let Some(constant) = recorder.consts.get(&value).copied() {
                // It may be defined further inside.
                value = recorder.function.new_value(leaf.ty);
                recorder.push_at(depth, vec![value], Op::Const(constant), at);
            }
            let store = Op::Store {
                ptr,
                value,
                offset: leaf.offset.cast_signed(),
                alias,
            };
            recorder.push_at(depth, Vec::new(), store, at);
        }
        if let Some(open) = recorder.open.get_mut(depth) {
            open.materialized.push((values, ptr, alias));
        }
        (ptr, alias)
    })
}

/// Remembers that these values are a constant of this name.
pub(in crate::lang) fn note_table(values: &[Value], name: &'static str) {
    if let [first, .., last] = values {
        with(|recorder| {
            recorder
                .tables
                .push((*first, Value::from_u32(last.as_u32() + 1), name))
        });
    }
}

impl Recorder {
    /// The constant that values are of, if it has a name.
    fn table(&self, values: &[Value]) -> &'static str {
        let of = |first: Value, end: Value| {
            let mut values = values.iter();
            values.all(|value| (first..end).contains(value))
        };
        let mut tables = self.tables.iter();
        let table = tables.find(|(first, end, _)| of(*first, *end));
        table.map_or("", |(.., name)| name)
    }

    pub(super) fn private(
        &mut self,
        depth: usize,
        size: u32,
        name: &str,
        at: At,
    ) -> (Value, Alias) {
        let id = self.new_object(size, name, at);
        let addr = self.function.new_value(Type::Ptr(Space::Private));
        self.push_at(depth, vec![addr], Op::PrivateAddr(id), at);
        (addr, Alias::Private(id))
    }

    /// A new object in private memory.
    pub(super) fn new_object(&mut self, size: u32, name: &str, at: At) -> PrivateId {
        let loc = self.loc(at);
        self.function.privates.push(MemoryObject {
            size: size.max(1),
            count: None,
            align: 4,
            agreed: false,
            name: name.to_owned(),
            loc,
        })
    }

    /// The address of one, here.
    pub(super) fn address_of(&mut self, id: PrivateId, at: At) -> Value {
        let addr = self.function.new_value(Type::Ptr(Space::Private));
        self.push(vec![addr], Op::PrivateAddr(id), at);
        addr
    }

    fn data(
        &mut self,
        depth: usize,
        size: u32,
        name: &str,
        constants: &[Const],
        leaves: &[Leaf],
        at: At,
    ) -> (Value, Alias) {
        let mut bytes = vec![0; size.max(1) as usize];
        for (constant, leaf) in constants.iter().zip(leaves) {
            let word = constant.0.to_le_bytes();
            let (start, count) = (leaf.offset as usize, leaf.ty.bytes() as usize);
            bytes[start..start + count].copy_from_slice(&word[..count]);
        }
        let data = &mut self.function.data;
        let object = DataObject { bytes, align: 4 };
        let known = data.iter().find(|(_, known)| **known == object);
        let known = known.map(|(id, _)| id);
        let id = known.unwrap_or_else(|| {
            self.function.data_names.push(name.to_owned());
            data.push(object)
        });
        let addr = self.function.new_value(Type::Ptr(Space::Constant));
        self.push_at(depth, vec![addr], Op::DataAddr(id), at);
        (addr, Alias::Data(id))
    }
}
