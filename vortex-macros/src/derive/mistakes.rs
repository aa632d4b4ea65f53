//! What is wrong with a type, as far as its tokens tell.

use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields};

use super::enumeration::discriminant;
use super::field_types::is_marker;
use super::representations;
use crate::valid::Complaints;
use crate::{messages, valid};

pub(super) fn find(input: &DeriveInput, complaints: &mut Complaints) {
    match &input.data {
        Data::Struct(data) => of_struct(input, data, complaints),
        Data::Enum(data) => of_enum(input, data, complaints),
        Data::Union(data) => complaints.push(messages::UNION.at(data.union_token, &[])),
    }
    // A field that borrows says more.
    if complaints.is_empty() {
        for lifetime in input.generics.lifetimes() {
            complaints.push(messages::BORROWING_TYPE.at(lifetime, &[&input.ident]));
        }
    }
}

fn of_struct(input: &DeriveInput, data: &DataStruct, complaints: &mut Complaints) {
    let name = &input.ident;
    let representations = representations(&input.attrs);
    let has = |wanted: &str| representations.iter().any(|name| name == wanted);
    if !has("C") && !has("transparent") {
        complaints.push(messages::NO_REPR_C.at(name, &[name]));
    }
    if has("packed") {
        complaints.push(messages::PACKED.at(name, &[name]));
    }
    if data.fields.iter().all(|field| is_marker(&field.ty)) {
        complaints.push(messages::EMPTY_STRUCT.at(name, &[name]));
    }
    for field in &data.fields {
        valid::device_field(field, complaints);
    }
}

fn of_enum(input: &DeriveInput, data: &DataEnum, complaints: &mut Complaints) {
    let name = &input.ident;
    let mut variants = data.variants.iter();
    let is_generic = input.generics.type_params().next().is_some()
        || input.generics.const_params().next().is_some();
    if is_generic {
        complaints.push(messages::GENERIC_ENUM.at(&input.generics, &[name]));
    } else if let Some(variant) = variants.find(|variant| variant.fields != Fields::Unit) {
        let kinds = data
            .variants
            .iter()
            .map(|variant| variant.ident.to_string());
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        complaints.push(messages::VARIANT_WITH_FIELDS.at(variant, &[&variant.ident, name, &kinds]));
    } else if data.variants.is_empty() {
        complaints.push(messages::EMPTY_ENUM.at(name, &[name]));
    } else if discriminant(&representations(&input.attrs)).is_none() {
        complaints.push(messages::NO_REPR_INTEGER.at(name, &[name]));
    }
}
