//! `PhantomData`: a field of no words, which is there for rustc alone.

use std::marker::PhantomData;

use super::device_type::{DeviceType, Kind, Leaf, Lift, Words, value_types};
use super::scalar::{Element, InMemory};
use super::scalar_type::Spelling;
use crate::ir::Value;

value_types! { [T: ?Sized + 'static] PhantomData<T>; }

impl<T: ?Sized + 'static> DeviceType for PhantomData<T> {
    type Repr = ();
    type Fields<K: Kind> = ();

    const LEAVES: u32 = 0;

    fn leaves(_: u32, _: &mut Vec<Leaf>) {}

    fn values((): &(), _: &mut Vec<Value>) {}

    fn build(_: &mut Words) {}

    fn fields((): &()) -> &() {
        &()
    }

    fn parts<K: Kind>(_: &mut K::Whole) {}

    fn placeholder() -> Self {
        Self
    }

    fn lift(self, _: &mut dyn Lift) {}
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> InMemory for PhantomData<T> {
    type This = Self;
    const SPELLING: Spelling = Spelling {
        name: "PhantomData",
        slice: "&[PhantomData]",
        slice_mut: "&mut [PhantomData]",
        ptr: "*const PhantomData",
        ptr_mut: "*mut PhantomData",
        local: "&mut Local<[PhantomData]>",
    };
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> Element for PhantomData<T> {
    fn from_bytes(_: &[u8]) -> Option<Self> {
        Some(Self)
    }

    fn to_bytes(&self, _: &mut [u8]) {}
}
