//! Modules in files: text files also have a summary of the accessors of all kernels' tensors.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::facts::ModuleValues;
use super::info::{FunctionInfo, GlobalInfo, KernelInfo, ModuleInfo};
use super::statistics::Statistics;
use crate::tensor::AccessorSummary;

/// The fields of a [`ModuleInfo`], and what follows from them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleInFile<'a> {
    name: Cow<'a, str>,
    values: Cow<'a, ModuleValues>,
    kernels: Cow<'a, [KernelInfo]>,
    functions: Cow<'a, [FunctionInfo]>,
    globals: Cow<'a, [GlobalInfo]>,
    statistics: Cow<'a, Option<Statistics>>,
    #[serde(
        rename = "tt.accessor_summary",
        default,
        skip_serializing_if = "Summary::is_empty"
    )]
    summary: Summary,
}

/// How each tensor of a module is reached, by the name of its kernel and its own. It is nothing where files are not
/// text.
#[derive(Default, PartialEq)]
struct Summary(BTreeMap<String, AccessorSummary>);

impl Summary {
    fn of(module: &ModuleInfo) -> Self {
        Self(module.accessor_summary().collect())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => self.0.serialize(serializer),
            false => serializer.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for Summary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return BTreeMap::deserialize(deserializer).map(Self);
        }
        <()>::deserialize(deserializer).map(|()| Self::default())
    }
}

impl Serialize for ModuleInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = ModuleInFile {
            name: Cow::Borrowed(&self.name),
            values: Cow::Borrowed(&self.values),
            kernels: Cow::Borrowed(&self.kernels),
            functions: Cow::Borrowed(&self.functions),
            globals: Cow::Borrowed(&self.globals),
            statistics: Cow::Borrowed(&self.statistics),
            summary: Summary::of(self),
        };
        file.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ModuleInfo {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let file = ModuleInFile::deserialize(deserializer)?;
        let stated = file.summary;
        let module = Self {
            name: file.name.into_owned(),
            values: file.values.into_owned(),
            kernels: file.kernels.into_owned(),
            functions: file.functions.into_owned(),
            globals: file.globals.into_owned(),
            statistics: file.statistics.into_owned(),
        };
        match stated.is_empty() || stated == Summary::of(&module) {
            true => Ok(module),
            false => Err(D::Error::custom(
                "the module's summary of accessors is not that of its kernels",
            )),
        }
    }
}
