//! Puts mistakes into files of `vortex-kernel`, each of which the environment variable `VORTEX_MUTANT` turns on by its
//! number: so they are compiled once, all together, and tests run once for each. `run` in this directory does both, and
//! lists those that no test finds.
//!
//! ```text
//! mutants FILE ..       changes the files, and lists the mistakes: number, place, what stands there, what instead
//! ```
//!
//! What is changed: comparisons (`<` for `<=`, `==` for `!=`), `&&` and `||`, `+` and `-`, `&` and `|`, shifts, and
//! conditions (turned round). Not in tests, macros, patterns and what is computed when it is compiled.

use proc_macro2::Span;
use quote::{ToTokens as _, quote};
use std::process::ExitCode;
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, BinOp, Expr, ExprBinary, ImplItemFn, ItemConst, ItemFn, ItemMod, ItemStatic};

struct Mutants {
    file: String,
    /// The number of the next one.
    next: u32,
    listed: Vec<String>,
}

/// What is there instead of an operator.
fn instead(op: &BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt(_) => BinOp::Le(Default::default()),
        BinOp::Le(_) => BinOp::Lt(Default::default()),
        BinOp::Gt(_) => BinOp::Ge(Default::default()),
        BinOp::Ge(_) => BinOp::Gt(Default::default()),
        BinOp::Eq(_) => BinOp::Ne(Default::default()),
        BinOp::Ne(_) => BinOp::Eq(Default::default()),
        BinOp::And(_) => BinOp::Or(Default::default()),
        BinOp::Or(_) => BinOp::And(Default::default()),
        BinOp::Add(_) => BinOp::Sub(Default::default()),
        BinOp::Sub(_) => BinOp::Add(Default::default()),
        BinOp::BitAnd(_) => BinOp::BitOr(Default::default()),
        BinOp::BitOr(_) => BinOp::BitAnd(Default::default()),
        BinOp::Shl(_) => BinOp::Shr(Default::default()),
        BinOp::Shr(_) => BinOp::Shl(Default::default()),
        _ => return None,
    })
}

/// Whether it is, or has at its top, `let PATTERN = ..`, which can stand in conditions only.
fn binds(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(ExprBinary { left, right, .. }) => binds(left) || binds(right),
        _ => false,
    }
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    let mut texts = attributes.iter().map(|a| a.to_token_stream().to_string());
    texts.any(|text| text.contains("cfg (test)") || text.contains("# [test]"))
}

impl Mutants {
    fn new_one(&mut self, at: Span, what: &str) -> u32 {
        let number = self.next;
        self.next += 1;
        let (file, line) = (&self.file, at.start().line);
        let what: String = what.split_whitespace().collect::<Vec<_>>().join(" ");
        self.listed.push(format!("{number}\t{file}:{line}\t{what}"));
        number
    }
}

impl VisitMut for Mutants {
    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        if item.sig.constness.is_none() && !is_of_tests(&item.attrs) {
            visit_mut::visit_block_mut(self, &mut item.block);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        if item.sig.constness.is_none() {
            visit_mut::visit_block_mut(self, &mut item.block);
        }
    }

    fn visit_item_mod_mut(&mut self, item: &mut ItemMod) {
        if !is_of_tests(&item.attrs) {
            visit_mut::visit_item_mod_mut(self, item);
        }
    }

    fn visit_item_const_mut(&mut self, _: &mut ItemConst) {}

    fn visit_item_static_mut(&mut self, _: &mut ItemStatic) {}

    fn visit_type_mut(&mut self, _: &mut syn::Type) {}

    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}

    fn visit_expr_if_mut(&mut self, item: &mut syn::ExprIf) {
        // What is turned round in others is their operator.
        let turns = !binds(&item.cond) && !matches!(*item.cond, Expr::Binary(_));
        let (text, span) = (item.cond.to_token_stream().to_string(), item.cond.span());
        visit_mut::visit_expr_if_mut(self, item);
        if turns {
            let number = self.new_one(span, &format!("if {text} => if !({text})"));
            let condition = &item.cond;
            *item.cond = syn::parse_quote!((crate::mutant::is(#number) != (#condition)));
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let Expr::Binary(binary) = expr else {
            return;
        };
        if binds(&binary.left) || binds(&binary.right) {
            return;
        }
        let Some(other) = instead(&binary.op) else {
            return;
        };
        let (left, op, right) = (&binary.left, &binary.op, &binary.right);
        let text = quote!(#op => #other).to_string();
        let number = self.new_one(op.span(), &text);
        *expr = syn::parse_quote! {
            (if crate::mutant::is(#number) { #left #other #right } else { #left #op #right })
        };
    }
}

/// What looks at the environment, at the end of the crate's first file.
const SWITCH: &str = "
/// Which mistake is on.
pub(crate) mod mutant {
    use std::sync::LazyLock;

    static ON: LazyLock<Option<u32>> =
        LazyLock::new(|| std::env::var(\"VORTEX_MUTANT\").ok()?.parse().ok());

    pub(crate) fn is(number: u32) -> bool {
        *ON == Some(number)
    }
}
";

fn main() -> ExitCode {
    let mut mutants = Mutants {
        file: String::new(),
        next: 1,
        listed: Vec::new(),
    };
    let change = |mutants: &mut Mutants, file: String| -> Result<(), String> {
        let told = |error: &dyn std::fmt::Display| format!("{file}: {error}");
        let text = std::fs::read_to_string(&file).map_err(|e| told(&e))?;
        let mut tree = syn::parse_file(&text).map_err(|e| told(&e))?;
        mutants.file.clone_from(&file);
        mutants.visit_file_mut(&mut tree);
        std::fs::write(&file, tree.to_token_stream().to_string()).map_err(|e| told(&e))
    };
    for file in std::env::args().skip(1) {
        if let Err(error) = change(&mut mutants, file) {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    let root = "vortex-kernel/src/lib.rs";
    let added = std::fs::read_to_string(root).and_then(|text| {
        std::fs::write(
            root,
            format!(
                "#![allow(warnings, arithmetic_overflow, unconditional_panic)]\n{text}{SWITCH}"
            ),
        )
    });
    if let Err(error) = added {
        eprintln!("{root}: {error}");
        return ExitCode::FAILURE;
    }
    println!("{}", mutants.listed.join("\n"));
    ExitCode::SUCCESS
}
