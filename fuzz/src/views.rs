//! Views of kernels as text: text is one or an error, and what is read prints as text that reads the same.

use std::fmt::Display;
use std::str::FromStr;
use vortex_kernel::meta::view::{ArgumentList, CHeader, Dump, Metadata, MetadataOp, Record};
use vortex_kernel::meta::{Attributes, Facts, FunctionFacts, ModuleValues, VecHint};
use vortex_kernel::tensor::TensorRecords;

fn reads_back<V: FromStr<Err: Display> + Display>(text: &str) -> bool {
    let Ok(view) = text.parse::<V>() else {
        return false;
    };
    let printed = view.to_string();
    match printed.parse::<V>() {
        // Compared as they print: a value that is no number does not equal itself.
        Ok(again) => assert_eq!(again.to_string(), printed),
        Err(error) => panic!("{error}:\n{printed}"),
    }
    true
}

/// Reads the text as each of them.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    [
        reads_back::<ArgumentList>(text),
        reads_back::<CHeader>(text),
        reads_back::<Dump>(text),
        reads_back::<Metadata>(text),
        reads_back::<MetadataOp>(text),
        reads_back::<Record>(text),
        reads_back::<TensorRecords>(text),
        reads_back::<Attributes>(text),
        reads_back::<Facts>(text),
        reads_back::<FunctionFacts>(text),
        reads_back::<ModuleValues>(text),
        reads_back::<VecHint>(text),
    ]
    .contains(&true)
}
