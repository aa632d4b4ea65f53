//! Rewrites the statements of a kernel into calls that record them.
//!
//! Names of the user keep their tokens, so that rustc resolves them; [`scope`] only has to know
//! what *kind* of name each is. Every call carries the spans of the tokens it stands for: rustc's
//! messages point there, and so does `Location::caller()` inside the call, which is where the
//! kernel's source locations come from. Tokens of another hygiene must not be at either end of
//! such a call, or rustc takes it for code of the macro.

mod any_number;
mod argument;
mod call;
mod callee;
mod comptime;
mod copied;
mod counted;
mod definite_init;
mod desugared;
mod diverge;
mod effects;
pub(crate) mod expr;
mod field;
mod flow;
pub(crate) mod foreign;
mod function;
mod gives;
mod inside;
mod item;
mod iterator;
mod jump;
mod kept;
mod lacking;
mod literal;
mod local_facts;
mod matching;
mod meaning;
mod method;
mod misfit;
mod mixed;
mod named;
mod negative;
mod numbers;
mod option;
mod optional;
mod pattern;
mod place;
mod power;
mod print;
mod range;
mod referring;
mod returned;
pub(crate) mod scope;
mod sequence;
mod shared_array;
mod slices;
mod stmt;
mod subslice;
mod sum;
pub(crate) mod typed;
mod unrolling;
mod vector;
mod wanted;

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprPath, ItemFn, Lifetime, Pat, PatIdent, Stmt};

use crate::runtime::Runtime;
use crate::signature::{Kernel, ParamKind};
use crate::valid::Complaints;
use crate::{messages, spans};
use foreign::Refusals;
use function::Enclosing;
use gives::Held;
use local_facts::LocalFacts;
pub(crate) use referring::without_references;
use scope::{Binding, Declared, Scope};
pub(crate) use typed::compares;

/// What a function in a body becomes, next to these items. It is a device function, with a body of its own; so whoever
/// has a body rewritten says it.
pub(crate) type Nested = fn(ItemFn, &HashSet<String>, &Runtime) -> TokenStream;

/// A rewritten body.
pub(crate) struct Body {
    /// The body of the function that records the kernel.
    pub(crate) tokens: TokenStream,
    /// The functions it calls, for a stub that does not leave the user's imports unused.
    pub(crate) called: Vec<ExprPath>,
    /// What it names of other languages, if it has a form of the host.
    pub(crate) refusals: Refusals,
}

/// Rewrites the body of a kernel, which may have a form of the host, too.
pub(crate) fn rewrite(
    kernel: &Kernel,
    has_host: bool,
    nested: Nested,
    v: &Runtime,
    complaints: &mut Complaints,
) -> Body {
    let mut first = Rewriter::new(kernel, nested, v, complaints, None);
    first.refusals = has_host.then(Refusals::default);
    let mut tokens = first.kernel();
    let called = first.called_outside();
    let Rewriter {
        assigned,
        declared_mut,
        mut refusals,
        ..
    } = first;
    if assigned != declared_mut {
        // Some `mut` is in vain. Rewritten as a plain `let mut`, it gets rustc's own warning.
        let mut ignored = Complaints::default();
        let mut second = Rewriter::new(kernel, nested, v, &mut ignored, Some(assigned));
        second.refusals = refusals;
        tokens = second.kernel();
        refusals = second.refusals;
    }
    Body {
        tokens,
        called,
        refusals: refusals.unwrap_or_default(),
    }
}

/// A rewritten device function.
pub(crate) struct FunctionBody {
    /// The patterns of its parameters.
    pub(crate) params: Vec<TokenStream>,
    /// What it does.
    pub(crate) tokens: TokenStream,
    /// The functions it calls.
    pub(crate) called: Vec<ExprPath>,
}

/// A parameter of a device function.
#[derive(Clone)]
pub(crate) struct Input {
    pub(crate) pat: Pat,
    pub(crate) lints: Vec<Attribute>,
    /// The type its staged form has.
    pub(crate) ty: TokenStream,
    pub(crate) declared: Declared,
    /// It is a `&mut [T]`.
    pub(crate) is_slice_mut: bool,
    /// It is of a type that the language has, by value.
    pub(crate) is_scalar: bool,
}

/// Rewrites a device function, around which there are some items.
pub(crate) fn rewrite_function(
    frame: &Kernel,
    inputs: &[Input],
    output: Option<&TokenStream>,
    items: &HashSet<String>,
    nested: Nested,
    v: &Runtime,
    complaints: &mut Complaints,
) -> FunctionBody {
    let mut first = Rewriter::new(frame, nested, v, complaints, None);
    first.items.clone_from(items);
    let (mut params, mut tokens) = first.function(inputs, output);
    let called = first.called_outside();
    let Rewriter {
        assigned,
        declared_mut,
        ..
    } = first;
    if assigned != declared_mut {
        let mut ignored = Complaints::default();
        let mut second = Rewriter::new(frame, nested, v, &mut ignored, Some(assigned));
        second.items.clone_from(items);
        (params, tokens) = second.function(inputs, output);
    }
    FunctionBody {
        params,
        tokens,
        called,
    }
}

/// What surrounds an expression.
enum Surrounding {
    /// A block or the body of a loop that can be left.
    Labelled(Target),
    /// The condition of a `while`, where jumps have nowhere to go.
    Condition,
    /// The body of a function or a closure, which `break` and `continue` do not leave.
    Function,
    /// That of a closure, inside of it.
    Closure,
}

/// What `break` and `continue` go to.
#[derive(Clone)]
struct Target {
    /// The hidden name of its label.
    label: Ident,
    /// The user's label.
    name: Option<Lifetime>,
    kind: TargetKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TargetKind {
    /// A labelled block, which has a value.
    Block,
    /// `for` or `while`, or a `loop` without a value.
    Loop,
    /// A `loop` that some `break` gives a value.
    ValueLoop,
}

/// `#[unroll]` in front of a loop.
enum Unroll {
    All,
    /// So many iterations at a time.
    By(TokenStream),
}

struct Rewriter<'a> {
    kernel: &'a Kernel,
    nested: Nested,
    v: &'a Runtime,
    complaints: &'a mut Complaints,
    scope: Scope,
    surroundings: Vec<Surrounding>,
    /// The device function and the closures around this point.
    functions: Vec<Enclosing>,
    /// Nesting of `unsafe` blocks.
    unsafety: usize,
    labels: usize,
    /// The hidden names of the labels with which some `break` has given a value.
    broken: HashSet<String>,
    /// Whether what the call that comes next gives is surely a value.
    gives_a_value: bool,
    /// What the closure that comes next gets, if it is more than values.
    item: Option<iterator::ItemShape>,
    /// Whether the closure that comes next is lent something as its first parameter.
    closure_has_state: bool,
    /// Whether what the closure that comes next gives is an iterator.
    closure_gives_items: bool,
    /// Of the call that is being rewritten, what is open of its arguments.
    opened: Vec<Ident>,
    /// How many there have been.
    opens: usize,
    /// Whether the closure that comes next is an argument of a function of the user's, which says what it gives.
    closure_is_given: bool,
    /// Whether what the next closure is given last surely is a value, an element of a slice.
    item_is_value: bool,
    /// What stands in front of the loop that comes next.
    unroll: Option<Unroll>,
    /// What the block that comes next results in, if that is declared.
    result: Option<TokenStream>,
    /// What is said of a value at its end, if that is to be nothing.
    refused_value: Option<messages::Message>,
    /// What the `Ok(..)`, `Err(..)` or `Some(..)` that comes next is to hold, as far as is written.
    held: Option<Held>,
    called: Vec<ExprPath>,
    /// Type parameters that have been complained of.
    complained_of: Vec<Ident>,
    /// The items that the body declares, and those around it.
    items: HashSet<String>,
    numbers: sum::Numbers,
    facts: LocalFacts,
    /// Where names of other languages are refused, if not in the body itself.
    refusals: Option<Refusals>,
    declared_mut: HashSet<usize>,
    assigned: HashSet<usize>,
    /// The declarations that are assigned to, once that is known.
    known_assigned: Option<HashSet<usize>>,
}

impl<'a> Rewriter<'a> {
    fn new(
        kernel: &'a Kernel,
        nested: Nested,
        v: &'a Runtime,
        complaints: &'a mut Complaints,
        known_assigned: Option<HashSet<usize>>,
    ) -> Self {
        Self {
            kernel,
            nested,
            v,
            complaints,
            scope: Scope::default(),
            surroundings: Vec::new(),
            functions: Vec::new(),
            unsafety: 0,
            labels: 0,
            broken: HashSet::new(),
            gives_a_value: false,
            item: None,
            closure_has_state: false,
            closure_gives_items: false,
            opened: Vec::new(),
            opens: 0,
            closure_is_given: false,
            item_is_value: false,
            unroll: None,
            result: None,
            refused_value: None,
            held: None,
            called: Vec::new(),
            complained_of: Vec::new(),
            items: HashSet::new(),
            numbers: sum::Numbers::default(),
            facts: LocalFacts::default(),
            refusals: None,
            declared_mut: HashSet::new(),
            assigned: HashSet::new(),
            known_assigned,
        }
    }

    fn kernel(&mut self) -> TokenStream {
        let params: Vec<_> = (0..self.kernel.params.len())
            .map(|index| self.param(index))
            .collect();
        for pat in &self.kernel.unread {
            self.declare_unsound(pat, Declared::Local);
        }
        if let Some(Stmt::Expr(Expr::Call(call), None)) = self.kernel.body.stmts.last()
            && let Some(variant) = option::made(call)
            && !self.complaints.returns
        {
            let (name, ..) = variant.described();
            self.complain(messages::VARIANT_IN_KERNEL.at(call, &[&name]));
        }
        // Of calls rustc knows what they give.
        if let Some(Stmt::Expr(tail, None)) = self.kernel.body.stmts.last()
            && !self.complaints.returns
            && !matches!(tail, Expr::Call(_))
        {
            self.refused_value = Some(messages::VALUE_OF_KERNEL);
        }
        if let Some(error) = self.array_for_a_group() {
            self.complain(error);
        }
        let body = self.statements(&self.kernel.body);
        let methods = self.methods_elsewhere();
        quote!(#methods #(#params)* #body)
    }

    /// Has rustc find methods of other types where a value has none of the name, and those of whatever has an order.
    fn methods_elsewhere(&self) -> TokenStream {
        let mixed = Span::mixed_site();
        let root = self.v.root(mixed);
        quote_spanned!(mixed=> #[allow(unused_imports)] use #root::{Elsewhere as _, Ranks as _, Unranked as _};)
    }

    fn param(&mut self, index: usize) -> TokenStream {
        let param = &self.kernel.params[index];
        if param.is_comptime() {
            return self.comptime_param(index);
        }
        let function = match &param.kind {
            ParamKind::Scalar(_) | ParamKind::Comptime(_) => "param_scalar",
            ParamKind::Value(_) => "param_value",
            ParamKind::Slice { mutable: false, .. } => "param_slice",
            ParamKind::Slice { mutable: true, .. } => "param_slice_mut",
            ParamKind::Pointer { mutable: false, .. } => "param_ptr",
            ParamKind::Pointer { mutable: true, .. } => "param_ptr_mut",
            ParamKind::Local(_) => "param_local",
            ParamKind::Texture { mutable: false, .. } => "param_texture",
            ParamKind::Texture { mutable: true, .. } => "param_texture_mut",
            ParamKind::Tensor { mutable: false, .. } => "param_tensor",
            ParamKind::Tensor { mutable: true, .. } => "param_tensor_mut",
        };
        let ty = param.made_of(self.v);
        let name = &param.name;
        let span = name.span();
        // At the type, so that a complaint about it is the same as elsewhere.
        let at = spans::first(&ty);
        let function = self.v.item(function, at);
        let before = self.kernel.params[..index].iter();
        let number = before.filter(|param| !param.is_comptime()).count();
        let number = proc_macro2::Literal::usize_unsuffixed(number);
        let v = self.v.root(at);
        let meta = match param.kind {
            ParamKind::Value(_) => {
                Some(quote_spanned!(at=> , &<Self as #v::Kernel>::META.args[#number]))
            }
            ParamKind::Tensor { .. } => Some(quote_spanned!(at=> , &<Self as #v::Kernel>::META)),
            _ => None,
        };
        let arguments = spans::parens(quote!(#number #meta), at);
        let value = quote_spanned!(span=> #function::<#ty> #arguments);
        let declared = Declared::Param(index);
        let (mutability, value) = match param.mutability {
            // A local of its own, with the value of the parameter.
            Some(_) if matches!(param.kind, ParamKind::Value(_)) => {
                let read = self.call("get", at, value.clone(), at);
                let (mutability, read) = self.declare(name, declared, param.mutability, read);
                (mutability, if mutability.is_some() { value } else { read })
            }
            _ => self.declare(name, declared, param.mutability, value),
        };
        if let ParamKind::Scalar(_) | ParamKind::Value(_) = &param.kind {
            self.scope.are_values(1);
        }
        // The host's function has a parameter of the same name, of which rustc says what it thinks.
        let mixed = proc_macro2::Span::mixed_site();
        let quiet = quote_spanned!(mixed=> #[allow(non_snake_case)]);
        let lints = &param.lints;
        quote_spanned!(span=> #quiet #(#lints)* let #mutability #name = #value;)
    }

    /// The functions that were called and are declared outside of the body.
    fn called_outside(&mut self) -> Vec<ExprPath> {
        let mut called = std::mem::take(&mut self.called);
        called.retain(|path| {
            let first = path.path.segments.first();
            first.is_none_or(|first| !self.items.contains(&first.ident.to_string()))
                && !self.may_be_missing(path)
        });
        called
    }

    /// Declares a name, and gives what stands between `let` and the name, and its first value.
    fn declare(
        &mut self,
        name: &Ident,
        declared: Declared,
        mutability: Option<syn::Token![mut]>,
        value: TokenStream,
    ) -> (Option<syn::Token![mut]>, TokenStream) {
        let id = self.scope.next_id();
        let mutable = mutability.is_some()
            && self
                .known_assigned
                .as_ref()
                .is_none_or(|known| known.contains(&id));
        self.scope.declare(name, declared, mutable);
        if mutability.is_some() {
            self.scope.may_change();
        }
        if !mutable {
            return (mutability, value);
        }
        self.declared_mut.insert(id);
        let span = name.span();
        let close = spans::last(&value);
        (None, self.call("mutable", span, value, close))
    }

    /// Declares the names of a pattern that was complained of, so that each use of them is not.
    fn declare_anyway(&mut self, pat: &Pat, declared: Declared) {
        struct Names<'a>(&'a mut Scope, Declared);

        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, ident: &'ast PatIdent) {
                self.0.declare(&ident.ident, self.1, true);
                visit::visit_pat_ident(self, ident);
            }
        }

        Names(&mut self.scope, declared).visit_pat(pat);
    }

    /// A call of the runtime whose span goes from `callee` to `close`.
    fn call(&self, name: &str, callee: Span, arguments: TokenStream, close: Span) -> TokenStream {
        let function = self.v.item(name, callee);
        let arguments = spans::parens(arguments, close);
        quote!(#function #arguments)
    }

    /// The same of a function that asks something of a value: all of the value is where rustc says that of it, and so
    /// the path of the function goes over it.
    fn asking(
        &self,
        (trait_, function): (&str, &str),
        arguments: TokenStream,
        (first, last): (Span, Span),
    ) -> TokenStream {
        let (trait_, function) = (self.v.item(trait_, first), Ident::new(function, last));
        let colons = quote_spanned!(first=> ::);
        let arguments = spans::parens(arguments, last);
        quote!(#trait_ #colons #function #arguments)
    }

    /// A name for a loop, which no name of the user's can be.
    fn label(&mut self) -> Ident {
        self.labels += 1;
        format_ident!("_loop_{}", self.labels, span = Span::mixed_site())
    }

    fn complain(&mut self, error: syn::Error) -> TokenStream {
        self.complaints.push(error);
        TokenStream::new()
    }

    /// Whether a name holds a place: a mutable local, or a parameter by value.
    fn holds_a_place(&self, local: &Binding) -> bool {
        match local.declared {
            _ if local.mutable => true,
            Declared::Param(index) => matches!(self.kernel.params[index].kind, ParamKind::Value(_)),
            _ => false,
        }
    }

    /// The local that an expression names, if it is a name.
    fn local(&self, expr: &Expr) -> Option<&Binding> {
        match expr {
            Expr::Path(path) if path.qself.is_none() => self.scope.find(path.path.get_ident()?),
            Expr::Paren(paren) => self.local(&paren.expr),
            Expr::Group(group) => self.local(&group.expr),
            _ => None,
        }
    }
}

/// A name for a value that the rewriting needs, visible only to tokens of the same hygiene.
///
/// It has the user's hygiene: it may stand at the end of an expression, and decides its location.
fn temporary(name: &str, span: Span) -> Ident {
    Ident::new(&format!("__vortex_{name}"), span)
}

/// An expression without the parentheses around it. Around an argument they would make rustc
/// say that they are not needed.
fn unparenthesized(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) if paren.attrs.is_empty() => unparenthesized(&paren.expr),
        Expr::Group(group) => unparenthesized(&group.expr),
        _ => expr,
    }
}

/// Whether an expression is a name.
fn refers_to(expr: &Expr, name: &Ident) -> bool {
    matches!(unparenthesized(expr), Expr::Path(path) if path.path.is_ident(name))
}

/// What is compared, or looked for, without the `&` that Rust asks for there.
fn unreferenced(expr: &Expr) -> &Expr {
    match unparenthesized(expr) {
        Expr::Reference(reference) => unparenthesized(&reference.expr),
        expr => expr,
    }
}
