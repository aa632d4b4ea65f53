//! What the compiler counts on request.
//!
//! A statistic is defined where it is counted, by `count!(pass, name, value)`; nothing is counted, and no value is
//! computed, outside of [`collect`].

use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Records of what was counted. Prints as a table.
///
/// ```
/// use vortex_kernel::meta::{Counted, Statistics};
///
/// let mut all = Statistics::default();
/// let mut one = Statistics::default();
/// one.add(Some("saxpy"), "opt", "checks removed", 2);
/// one.add(None, "link", "what", ("a tuple", 3));
/// all.merge(&one);
/// all.merge(&one);
/// assert_eq!(all.get(Some("saxpy"), "opt", "checks removed"), Some(&Counted::Count(4)));
/// println!("{all}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// The records, in the order in which they were first counted.
    pub records: Vec<Statistic>,
}

/// A record of [`Statistics`]: how often something happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistic {
    /// The kernel it is about; the module if there is none.
    pub function: Option<String>,
    /// Name of the pass or stage that counted.
    pub pass: String,
    /// What it counted, in a few words; times have their unit there.
    pub name: String,
    /// The number, or another value.
    pub value: Counted,
}

/// A value of a statistic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// A number; merged by addition.
    Count(u64),
    /// Text; merged into a list.
    Text(String),
    /// A list or a tuple; merged by concatenation.
    List(Vec<Counted>),
}

impl Counted {
    fn merge(&mut self, other: Self) {
        *self = match (std::mem::replace(self, Self::Count(0)), other) {
            (Self::Count(a), Self::Count(b)) => Self::Count(a.saturating_add(b)),
            (Self::List(mut list), Self::List(more)) => {
                list.extend(more);
                Self::List(list)
            }
            (Self::List(mut list), one) => {
                list.push(one);
                Self::List(list)
            }
            (Self::Text(a), Self::Text(b)) if a == b => Self::Text(a),
            (one, other) => Self::List(vec![one, other]),
        };
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Text(text) => f.write_str(text),
            Self::List(values) => {
                let values: Vec<_> = values.iter().map(Self::to_string).collect();
                write!(f, "({})", values.join(", "))
            }
        }
    }
}

impl From<u64> for Counted {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Counted {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<usize> for Counted {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<i32> for Counted {
    /// A literal.
    fn from(count: i32) -> Self {
        Self::Count(u64::from(count.unsigned_abs()))
    }
}

impl From<&str> for Counted {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Counted {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Counted>> From<Vec<T>> for Counted {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

// As long as Rust's own traits have them; a tuple can be part of another.
macro_rules! tuples {
    () => {};
    ($first:ident $($part:ident)*) => {
        impl<$first: Into<Counted>, $($part: Into<Counted>),*> From<($first, $($part,)*)> for Counted {
            #[allow(non_snake_case)]
            fn from(($first, $($part,)*): ($first, $($part,)*)) -> Self {
                Self::List(vec![$first.into(), $($part.into()),*])
            }
        }

        tuples! { $($part)* }
    };
}

tuples! { A B C D E F G H I J K L }

impl Statistics {
    /// Adds to a record, creating it if needed.
    pub fn add(
        &mut self,
        function: Option<&str>,
        pass: &str,
        name: &str,
        value: impl Into<Counted>,
    ) {
        let value = value.into();
        match self.find(function, pass, name) {
            Some(index) => self.records[index].value.merge(value),
            None => self.records.push(Statistic {
                function: function.map(str::to_owned),
                pass: pass.to_owned(),
                name: name.to_owned(),
                value,
            }),
        }
    }

    /// Sets a record to a value.
    pub fn set(
        &mut self,
        function: Option<&str>,
        pass: &str,
        name: &str,
        value: impl Into<Counted>,
    ) {
        match self.find(function, pass, name) {
            Some(index) => self.records[index].value = value.into(),
            None => self.add(function, pass, name, value),
        }
    }

    /// The value of a record.
    #[must_use]
    pub fn get(&self, function: Option<&str>, pass: &str, name: &str) -> Option<&Counted> {
        let index = self.find(function, pass, name)?;
        Some(&self.records[index].value)
    }

    fn find(&self, function: Option<&str>, pass: &str, name: &str) -> Option<usize> {
        self.records.iter().position(|record| {
            record.function.as_deref() == function && record.pass == pass && record.name == name
        })
    }

    /// Adds all records of another module, or of another run.
    pub fn merge(&mut self, other: &Self) {
        for record in &other.records {
            let function = record.function.as_deref();
            self.add(function, &record.pass, &record.name, record.value.clone());
        }
    }

    /// The sums over all functions.
    #[must_use]
    pub fn totals(&self) -> Self {
        let mut totals = Self::default();
        for record in &self.records {
            totals.add(None, &record.pass, &record.name, record.value.clone());
        }
        totals
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["function", "pass", "statistic", "value"].map(str::to_owned);
        let rows = self.records.iter().map(|record| {
            let function = record.function.as_deref().unwrap_or("(module)");
            [
                function.to_owned(),
                record.pass.clone(),
                record.name.clone(),
                record.value.to_string(),
            ]
        });
        let rows: Vec<_> = std::iter::once(header).chain(rows).collect();
        let width = |column: usize| {
            let widths = rows
                .iter()
                .map(|row: &[String; 4]| row[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let (function, pass, name) = (width(0), width(1), width(2));
        for row in &rows {
            writeln!(
                f,
                "{:function$}  {:pass$}  {:name$}  {}",
                row[0], row[1], row[2], row[3]
            )?;
        }
        Ok(())
    }
}

thread_local! {
    static COLLECTING: Cell<bool> = const { Cell::new(false) };
    static COLLECTOR: RefCell<Collector> = const {
        let statistics = Statistics { records: Vec::new() };
        RefCell::new(Collector { function: None, statistics })
    };
}

struct Collector {
    /// What is being compiled.
    function: Option<String>,
    statistics: Statistics,
}

/// Collects what is counted on this thread while `body` runs.
pub fn collect<R>(body: impl FnOnce() -> R) -> (R, Statistics) {
    /// What was collected before continues afterwards, also when `body` panics.
    struct Restore(Option<Statistics>, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            COLLECTING.set(self.1);
            if let Some(before) = self.0.take() {
                COLLECTOR.with_borrow_mut(|collector| collector.statistics = before);
            }
        }
    }

    let before = COLLECTOR.with_borrow_mut(|collector| std::mem::take(&mut collector.statistics));
    let restore = Restore(Some(before), COLLECTING.replace(true));
    let result = body();
    let statistics =
        COLLECTOR.with_borrow_mut(|collector| std::mem::take(&mut collector.statistics));
    drop(restore);
    (result, statistics)
}

/// Whether anybody wants to know.
#[inline]
pub(crate) fn collecting() -> bool {
    COLLECTING.get()
}

/// Says what the statistics that follow are about.
pub(crate) fn about(function: &str) {
    if collecting() {
        COLLECTOR.with_borrow_mut(|collector| collector.function = Some(function.to_owned()));
    }
}

/// A stage of the compiler. If statistics are collected, the time until it is dropped is added to the stage's time for
/// the whole module: the statistic of its name, in microseconds, of `time`.
#[derive(Debug)]
#[must_use = "a stage ends when it is dropped"]
pub struct Stage {
    name: &'static str,
    /// `None` if nothing is counted.
    began: Option<Instant>,
}

impl Stage {
    /// A stage that begins now; `name` is what its statistic is called, before the unit.
    pub fn begin(name: &'static str) -> Self {
        Self {
            name,
            began: collecting().then(Instant::now),
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let Some(began) = self.began else {
            return;
        };
        let time = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        COLLECTOR.with_borrow_mut(|collector| {
            let name = format!("{} (us)", self.name);
            collector.statistics.add(None, "time", &name, time);
        });
    }
}

/// Adds to a statistic of what is being compiled.
#[cold]
pub(crate) fn add(pass: &str, name: &str, value: impl Into<Counted>) {
    COLLECTOR.with_borrow_mut(|collector| {
        let function = collector.function.clone();
        collector
            .statistics
            .add(function.as_deref(), pass, name, value);
    });
}

/// `count!(pass, name, value)`: counts, if anybody wants to know; `value` is computed only then.
macro_rules! count {
    ($pass:expr, $name:expr, $value:expr) => {
        if $crate::meta::collecting() {
            $crate::meta::add($pass, $name, $value);
        }
    };
}
pub(crate) use count;
