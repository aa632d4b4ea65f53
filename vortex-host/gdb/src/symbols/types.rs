//! Types, as DWARF has them.

use std::collections::HashMap;

use gimli::constants::{
    DW_AT_artificial, DW_AT_byte_size, DW_AT_const_value, DW_AT_count, DW_AT_data_member_location,
    DW_AT_discr, DW_AT_discr_value, DW_AT_encoding, DW_AT_name, DW_AT_type, DW_ATE_boolean,
    DW_ATE_float, DW_ATE_signed, DW_ATE_unsigned, DW_TAG_array_type, DW_TAG_base_type,
    DW_TAG_enumeration_type, DW_TAG_enumerator, DW_TAG_member, DW_TAG_pointer_type,
    DW_TAG_structure_type, DW_TAG_subrange_type, DW_TAG_typedef, DW_TAG_variant,
    DW_TAG_variant_part,
};
use gimli::write::{AttributeValue, StringTable, Unit, UnitEntryId};
use gimli::{DwAte, DwTag};
use vortex_kernel::ir::{ScalarShape, Shape};

/// The types of a unit, each once.
pub(super) struct Types<'a> {
    pub(super) unit: &'a mut Unit,
    pub(super) strings: &'a mut StringTable,
    known: HashMap<String, UnitEntryId>,
}

impl<'a> Types<'a> {
    pub(super) fn new(unit: &'a mut Unit, strings: &'a mut StringTable) -> Types<'a> {
        Types {
            unit,
            strings,
            known: HashMap::new(),
        }
    }

    /// An entry with a name.
    pub(super) fn named(&mut self, parent: UnitEntryId, tag: DwTag, name: &str) -> UnitEntryId {
        let id = self.unit.add(parent, tag);
        let name = self.strings.add(name);
        let entry = self.unit.get_mut(id);
        entry.set(DW_AT_name, AttributeValue::StringRef(name));
        id
    }

    fn sized(&mut self, tag: DwTag, name: &str, size: u32) -> UnitEntryId {
        let root = self.unit.root();
        let id = self.named(root, tag, name);
        let size = AttributeValue::Udata(u64::from(size));
        self.unit.get_mut(id).set(DW_AT_byte_size, size);
        id
    }

    fn base(&mut self, name: &str, encoding: DwAte, size: u32) -> UnitEntryId {
        let id = self.sized(DW_TAG_base_type, name, size);
        let encoding = AttributeValue::Encoding(encoding);
        self.unit.get_mut(id).set(DW_AT_encoding, encoding);
        id
    }

    /// Says what the type of something is.
    pub(super) fn set_type(&mut self, of: UnitEntryId, ty: UnitEntryId) {
        let entry = self.unit.get_mut(of);
        entry.set(DW_AT_type, AttributeValue::UnitRef(ty));
    }

    fn member(&mut self, of: UnitEntryId, name: &str, offset: u32, ty: UnitEntryId) {
        let id = self.named(of, DW_TAG_member, name);
        self.set_type(id, ty);
        let offset = AttributeValue::Udata(u64::from(offset));
        self.unit
            .get_mut(id)
            .set(DW_AT_data_member_location, offset);
    }

    /// Rust's `usize`.
    pub(super) fn usize(&mut self) -> UnitEntryId {
        self.of(&Shape::Scalar {
            name: "usize",
            kind: ScalarShape::Unsigned,
            size: 4,
        })
    }

    fn pointer(&mut self, name: &str, to: UnitEntryId) -> UnitEntryId {
        let id = self.sized(DW_TAG_pointer_type, name, 4);
        self.set_type(id, to);
        id
    }

    /// The type of what has this shape.
    pub(super) fn of(&mut self, shape: &Shape) -> UnitEntryId {
        let name = shape.name();
        if let Some(known) = self.known.get(&name) {
            return *known;
        }
        let id = self.make(shape, &name);
        self.known.insert(name, id);
        id
    }

    fn make(&mut self, shape: &Shape, name: &str) -> UnitEntryId {
        match shape {
            Shape::Scalar { kind, size, .. } => self.scalar(name, *kind, *size),
            Shape::Struct { size, fields, .. } => {
                let id = self.sized(DW_TAG_structure_type, name, *size);
                for (field, offset, shape) in fields {
                    let ty = self.of(shape);
                    self.member(id, field, *offset, ty);
                }
                id
            }
            Shape::Enum { size, variants, .. } => {
                let id = self.sized(DW_TAG_enumeration_type, name, *size);
                for (variant, value) in variants {
                    let variant = self.named(id, DW_TAG_enumerator, variant);
                    let value = AttributeValue::Sdata(*value);
                    self.unit.get_mut(variant).set(DW_AT_const_value, value);
                }
                id
            }
            Shape::Array { element, count } => {
                let ty = self.of(element);
                self.array(ty, *count)
            }
            Shape::Slice { element, .. } => {
                let ty = self.of(element);
                let pointer = self.pointer(&format!("*const {}", element.name()), ty);
                let id = self.sized(DW_TAG_structure_type, name, shape.size());
                let count = self.usize();
                self.member(id, "data_ptr", 0, pointer);
                self.member(id, "length", 4, count);
                id
            }
            Shape::Pointer { to, .. } => {
                let ty = self.of(to);
                self.pointer(name, ty)
            }
            Shape::Option { value, offset } => self.option(name, value, *offset, shape.size()),
            Shape::Bytes { size, .. } => {
                let byte = Shape::Scalar {
                    name: "u8",
                    kind: ScalarShape::Unsigned,
                    size: 1,
                };
                let ty = self.of(&byte);
                self.array(ty, *size)
            }
        }
    }

    fn scalar(&mut self, name: &str, kind: ScalarShape, size: u32) -> UnitEntryId {
        let encoding = match (kind, size) {
            (ScalarShape::Bool, _) => DW_ATE_boolean,
            (ScalarShape::Signed, _) => DW_ATE_signed,
            (ScalarShape::Unsigned, _) => DW_ATE_unsigned,
            (ScalarShape::Float, _) => DW_ATE_float,
            (ScalarShape::Brain, _) => {
                // gdb knows the format by this name.
                let ty = self.base("__bf16", DW_ATE_float, size);
                let root = self.unit.root();
                let id = self.named(root, DW_TAG_typedef, name);
                self.set_type(id, ty);
                return id;
            }
        };
        self.base(name, encoding, size)
    }

    fn array(&mut self, of: UnitEntryId, count: u32) -> UnitEntryId {
        let root = self.unit.root();
        let id = self.unit.add(root, DW_TAG_array_type);
        self.set_type(id, of);
        let index = self.usize();
        let range = self.unit.add(id, DW_TAG_subrange_type);
        self.set_type(range, index);
        let count = AttributeValue::Udata(u64::from(count));
        self.unit.get_mut(range).set(DW_AT_count, count);
        id
    }

    /// As rustc describes an enum with data: which variant there is, says its first byte.
    fn option(&mut self, name: &str, value: &Shape, offset: u32, size: u32) -> UnitEntryId {
        let ty = self.of(value);
        let tag = self.of(&Shape::Scalar {
            name: "u8",
            kind: ScalarShape::Unsigned,
            size: 1,
        });
        let id = self.sized(DW_TAG_structure_type, name, size);
        let variants = self.unit.add(id, DW_TAG_variant_part);
        let discriminant = self.unit.add(variants, DW_TAG_member);
        self.set_type(discriminant, tag);
        let entry = self.unit.get_mut(discriminant);
        entry.set(DW_AT_data_member_location, AttributeValue::Udata(0));
        entry.set(DW_AT_artificial, AttributeValue::Flag(true));
        let entry = self.unit.get_mut(variants);
        entry.set(DW_AT_discr, AttributeValue::UnitRef(discriminant));
        for (number, variant) in ["None", "Some"].into_iter().enumerate() {
            let case = self.unit.add(variants, DW_TAG_variant);
            let number = AttributeValue::Data1(number as u8);
            self.unit.get_mut(case).set(DW_AT_discr_value, number);
            let inside = self.named(id, DW_TAG_structure_type, variant);
            let bytes = AttributeValue::Udata(u64::from(size));
            self.unit.get_mut(inside).set(DW_AT_byte_size, bytes);
            if variant == "Some" {
                self.member(inside, "__0", offset, ty);
            }
            self.member(case, variant, 0, inside);
        }
        id
    }
}
