//! The program's variables, as generated kernels use them.

use super::generate::{Generator, Scope};
use vortex_kernel::abi::global_offset;
use vortex_kernel::ir::{
    Alias, AtomicOp, BinOp, Builder, Function, GlobalVariable, Id, Param, SourceLoc, Space, Type,
    Value,
};

/// Items that a launch has at most: of blocks of eight groups of 64.
const ITEMS: u32 = 4096;
/// Words of the table; a power of two.
const TABLE_WORDS: u32 = 64;
const COUNTERS: u32 = 2;

/// A variable, and what it is reached through.
type Variable = (Value, Alias);

/// The variables of a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Variables {
    /// Nobody writes it.
    table: Variable,
    /// All items add to these.
    counters: Variable,
    /// A word of each item.
    words: Variable,
}

impl Variables {
    /// Declares them after the arguments.
    pub(crate) fn new(f: &mut Function) -> Self {
        let table = (1..=TABLE_WORDS).flat_map(|n| (n * 0x0123_4567).to_le_bytes());
        Self {
            table: declare(f, "TABLE", TABLE_WORDS, Some(table.collect())),
            counters: declare(f, "COUNTERS", COUNTERS, None),
            words: declare(f, "WORDS", ITEMS, None),
        }
    }
}

/// A variable of so many words. Those that start with something are constants.
fn declare(f: &mut Function, name: &str, words: u32, first: Option<Vec<u8>>) -> Variable {
    let index = f.globals.len() as u32;
    let arg = f.params.len() as u32;
    let value = f.new_value(Type::Ptr(Space::Global));
    f.params.push(Param {
        value,
        name: name.to_owned(),
        arg,
        offset: global_offset(f.args_size, index),
    });
    let is_const = first.is_some();
    f.globals.push(GlobalVariable {
        name: name.to_owned(),
        module: String::new(),
        loc: SourceLoc {
            file: String::new(),
            line: 0,
            column: 0,
        },
        ty: format!("[u32; {words}]"),
        size: words * 4,
        align: 4,
        is_const,
        first: first.unwrap_or_default(),
    });
    let alias = match is_const {
        true => Alias::Shared(arg),
        false => Alias::Exclusive(arg),
    };
    (value, alias)
}

impl Generator<'_> {
    /// Reads or writes a variable of the program.
    pub(crate) fn variable(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let Some(variables) = self.variables else {
            return;
        };
        match self.pick(4) {
            0 => {
                let index = self.of_type(b, scope, Type::U32);
                let limit = b.u32(TABLE_WORDS - 1);
                let index = b.binary(BinOp::And, index, limit);
                let (table, alias) = variables.table;
                let at = b.ptr_add(table, index, 4);
                scope.values.push(b.load(Type::U32, at, 0, alias));
            }
            1 => {
                let term = self.of_type(b, scope, Type::I32);
                let (counters, alias) = variables.counters;
                let at = (counters, self.pick(COUNTERS as usize) as i32 * 4, alias);
                self.atomic(b, AtomicOp::Add, at, vec![term], Type::I32);
            }
            n => {
                let item = b.id(Id::GlobalLinear);
                let (words, alias) = variables.words;
                let own = b.ptr_add(words, item, 4);
                if n == 2 {
                    let value = self.of_type(b, scope, Type::F32);
                    b.store(own, 0, value, alias);
                } else {
                    scope.values.push(b.load(Type::F32, own, 0, alias));
                }
            }
        }
    }
}
