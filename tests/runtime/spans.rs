//! What the runtime tells `tracing`.

use std::fmt;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Dispatch, Event, Metadata, Subscriber};
use vortex::prelude::*;

use super::device;

/// Generic, so that nothing else compiles it.
#[vortex::kernel]
fn traced<const N: u32>(x: &mut [u32]) {
    x[global_id()] += N;
}

/// Writes down the spans that are entered.
#[derive(Clone, Default)]
struct Spans {
    names: Arc<Mutex<Vec<String>>>,
    entered: Arc<Mutex<Vec<String>>>,
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        *self.0 += &format!(" {}={value:?}", field.name());
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("vortex")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut name = span.metadata().name().to_owned();
        span.record(&mut Fields(&mut name));
        let mut names = self.names.lock().unwrap();
        names.push(name);
        Id::from_u64(names.len() as u64)
    }

    fn enter(&self, span: &Id) {
        let name = self.names.lock().unwrap()[span.into_u64() as usize - 1].clone();
        self.entered.lock().unwrap().push(name);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn compilations_copies_and_launches_are_spans() {
    let device = device();
    let spans = Spans::default();
    // A program's only subscriber is asked about a span on whichever thread comes to it first, where it may not be in
    // force: the other tests have threads, too.
    let _another = Dispatch::new(Spans::default());
    with_default(spans.clone(), || {
        let mut x = device.upload(&[1u32, 2, 3]).unwrap();
        for _ in 0..2 {
            traced::<7>(&mut x).over(3).launch(&device).unwrap();
        }
        assert_eq!(x.download().unwrap(), [15, 16, 17]);
    });
    let entered = spans.entered.lock().unwrap().clone();
    let image = entered
        .iter()
        .find(|name| name.ends_with("what=\"image\""))
        .unwrap();
    assert_eq!(
        entered,
        [
            "upload bytes=12 what=\"elements\"",
            "launch kernel=\"traced<7>\" items=3",
            "compile kernel=\"traced<7>\"",
            image,
            "launch kernel=\"traced<7>\" items=3",
            "download bytes=12",
        ]
    );
}
