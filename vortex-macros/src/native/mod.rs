//! Code that the host runs as it is written: the bodies of functions and kernels with `host`.
//!
//! The user's tokens stay, but for what only a work item has: the functions of the prelude by their names, what prints,
//! local memory, and places where other items run.

mod kernel;
mod scope;
mod side;

pub(crate) use kernel::KernelTwin;
pub(crate) use side::{Answer, Side};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, Block, Expr, ExprCall, ExprClosure, ExprForLoop, ExprIf, ExprLet,
    ExprMethodCall, ExprParen, ExprPath, ExprReference, ExprWhile, FnArg, Item, ItemFn, ItemImpl,
    ItemTrait, LitBool, Local, Macro, Pat, Signature, Stmt, Token,
};

use crate::attr;
use crate::body::foreign::Refusals;
use crate::messages;
use crate::runtime::Runtime;
use crate::valid::{self, Complaints};
use scope::Scope;

/// What of a function's parameters only the device understands is no concern of the host's.
pub(crate) fn without_attributes(signature: &mut Signature) {
    for input in &mut signature.inputs {
        if let FnArg::Typed(input) = input {
            input
                .attrs
                .retain(|attribute| attr::is_lint_level(attribute.path()));
        }
    }
}

/// Makes a device function one that the host runs.
pub(crate) fn function(function: &mut ItemFn, v: &Runtime, complaints: &mut Complaints) {
    without_attributes(&mut function.sig);
    Side::Host.choose(&mut function.block);
    Body::new(v, None, complaints).visit_block_mut(&mut function.block);
}

/// Gives such a function its arguments by what is an error if its staged form is.
pub(crate) fn with_soundness(function: &mut ItemFn, soundness: &TokenStream, v: &Runtime) {
    let span = Span::mixed_site();
    let if_sound = v.item("if_sound", span);
    let mut statements = Vec::new();
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(input) = input
            && let Pat::Ident(pat) = &mut *input.pat
            && pat.by_ref.is_none()
            && pat.subpat.is_none()
        {
            let (name, mutability, lints) = (&pat.ident, pat.mutability.take(), &input.attrs);
            let stmt = quote_spanned! {span=>
                #(#lints)*
                let #mutability #name = #if_sound::<[(); #soundness], _>(#name);
            };
            statements.push(Stmt::Expr(Expr::Verbatim(stmt), None));
        }
    }
    function.block.stmts.splice(0..0, statements);
}

/// The same of all functions in a block.
pub(crate) fn implementation(block: &mut ItemImpl, v: &Runtime, complaints: &mut Complaints) {
    Side::Host.visit_item_impl_mut(block);
    Body::new(v, None, complaints).visit_item_impl_mut(block);
}

/// The same of the functions that a trait provides.
pub(crate) fn declaration(block: &mut ItemTrait, v: &Runtime, complaints: &mut Complaints) {
    Side::Host.visit_item_trait_mut(block);
    Body::new(v, None, complaints).visit_item_trait_mut(block);
}

/// What a kernel's body knows of its work item.
struct InKernel<'a> {
    /// What it names of other languages.
    refusals: &'a Refusals,
    scope: Scope,
    /// How many places with local memory there are.
    sites: u32,
    way: Way,
    /// The function that gives what the body begins with, or an error if the staged form is one.
    soundness: Option<TokenStream>,
}

/// What the items of a launch have in common, as `native::Way` of `vortex-host` has it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    #[default]
    Items,
    Groups,
    Turns,
}

/// Rewrites a body.
struct Body<'a> {
    v: &'a Runtime,
    /// Of a device function nothing: it does not know whose turn it is.
    kernel: Option<InKernel<'a>>,
    /// Whether this is in the arguments of a macro, where what looks like a call may be a pattern.
    in_macro: bool,
    complaints: &'a mut Complaints,
}

/// The name of the parameter that says whose turn it is, where rustc is to speak of this place.
fn turn(at: Span) -> Ident {
    Ident::new("turn", Span::mixed_site().located_at(at))
}

impl<'a> Body<'a> {
    fn new(v: &'a Runtime, kernel: Option<InKernel<'a>>, complaints: &'a mut Complaints) -> Self {
        Self {
            v,
            kernel,
            in_macro: false,
            complaints,
        }
    }

    /// Declares a name that is nothing special.
    fn bind(&mut self, pat: &Pat) {
        if let Some(kernel) = &mut self.kernel {
            kernel.scope.bind(pat);
        }
    }

    /// A name of another language's, unless it is one of the user's.
    fn foreign(&self, path: &ExprPath) -> Option<TokenStream> {
        let kernel = self.kernel.as_ref()?;
        let name = path.path.get_ident();
        let is_local = name.is_some_and(|name| kernel.scope.is_declared(name));
        kernel.refusals.on_the_host(path).filter(|_| !is_local)
    }

    /// Does something in a scope of its own.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        let depth = self.kernel.as_ref().map(|kernel| kernel.scope.depth());
        inside(self);
        if let (Some(kernel), Some(depth)) = (&mut self.kernel, depth) {
            kernel.scope.leave(depth);
        }
    }

    /// `let tile = local::<T>();`
    fn local_memory(&mut self, local: &Local) -> Option<TokenStream> {
        let kernel = self.kernel.as_mut()?;
        let init = &local.init.as_ref()?.expr;
        let (Expr::Call(call), true) = (&**init, valid::is_local_memory(init)) else {
            return None;
        };
        let (Expr::Path(path), Pat::Ident(name)) = (&*call.func, untyped(&local.pat)) else {
            return None;
        };
        let function = path.path.segments.last()?;
        let (types, method) = (&function.arguments, &function.ident);
        let (site, span) = (kernel.sites, name.ident.span());
        let turn = turn(span);
        kernel.sites += 1;
        kernel.way = kernel.way.max(Way::Groups);
        let handle = format_ident!("local{}", site, span = Span::mixed_site().located_at(span));
        kernel
            .scope
            .lend(name.ident.clone(), handle.clone(), "lend");
        let name = &name.ident;
        Some(quote_spanned! {span=>
            let #handle = #turn.#method #types(#site);
            let mut #name = #handle.lend(#turn);
        })
    }

    /// `function(..)`, if it is one that only a work item has.
    fn call(&mut self, call: &ExprCall) -> Option<TokenStream> {
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let last = path.path.segments.last()?;
        let (name, types, arguments) = (&last.ident, &last.arguments, &call.args);
        let span = name.span();
        if valid::is_of_the_library(path)
            && let Some((module, _)) = valid::last_two(&path.path)
        {
            let function = self.v.item(&format!("native::{module}::{name}"), span);
            if module == "warp" || valid::is_arrival(path) {
                return Some(quote_spanned!(span=> #function #types(#arguments)));
            }
            return Some(self.others_run(
                span,
                |turn| quote_spanned!(span=> #function #types(#turn, #arguments)),
            ));
        }
        if !valid::is_of_the_prelude(&call.func) || !is_of_the_prelude(path) {
            return None;
        }
        match name.to_string().as_str() {
            "vec2" | "vec3" | "vec4" => None,
            "barrier" => Some(self.others_run(span, |turn| quote_spanned!(span=> #turn.barrier()))),
            "local" => {
                self.complaints
                    .push(messages::HOST_LOCAL.at(&call.func, &[&valid::source(&call.func)]));
                None
            }
            name => {
                let function = self.v.item(&format!("native::item::{name}"), span);
                let soundness = self
                    .kernel
                    .as_ref()
                    .and_then(|kernel| kernel.soundness.as_ref());
                Some(quote_spanned!(span=> #soundness(#function(#arguments))))
            }
        }
    }

    /// Something that lets other items run, so that nothing may refer to what they may change. Afterwards it is lent
    /// anew.
    fn others_run(&mut self, span: Span, call: impl FnOnce(&Ident) -> TokenStream) -> TokenStream {
        let turn = turn(span);
        let call = call(&turn);
        let Some(kernel) = &mut self.kernel else {
            return call;
        };
        kernel.way = Way::Turns;
        let lent = kernel.scope.lent().map(|lent| {
            let (name, handle, method) = (&lent.name, &lent.handle, &lent.method);
            quote_spanned!(span=> #name = #handle.#method(#turn);)
        });
        let lent: Vec<_> = lent.collect();
        quote_spanned! {span=>
            {
                let result = #call;
                #(#lent)*
                result
            }
        }
    }

    /// Whether this is what `barrier::arrive()` gives.
    fn is_arrival(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if valid::is_arrival(path)),
            Expr::Path(path) => {
                let name = path.path.get_ident().zip(self.kernel.as_ref());
                name.is_some_and(|(name, kernel)| kernel.scope.is_arrival(name))
            }
            Expr::Paren(paren) => self.is_arrival(&paren.expr),
            _ => false,
        }
    }

    /// Whether this is a local's name that stands for local memory.
    fn is_local_memory(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else {
            return false;
        };
        let name = path.path.get_ident();
        let kernel = self.kernel.as_ref();
        name.zip(kernel)
            .is_some_and(|(name, kernel)| kernel.scope.is_lent(name))
    }

    /// What stands between the parentheses of a macro, where it is a list of expressions, or begins with one.
    fn arguments(&mut self, mac: &mut Macro) {
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut list) = list.parse2(mac.tokens.clone()) {
            list.iter_mut().for_each(|expr| self.visit_expr_mut(expr));
            mac.tokens = list.into_token_stream();
            return;
        }
        let first =
            |input: ParseStream<'_>| Ok((input.parse::<Expr>()?, input.parse::<TokenStream>()?));
        if let Ok((mut expr, rest)) = first.parse2(mac.tokens.clone()) {
            self.visit_expr_mut(&mut expr);
            mac.tokens = quote!(#expr #rest);
        }
    }
}

/// Whether a path of a function of the prelude leads there, and not to one of the user's of that name.
fn is_of_the_prelude(path: &ExprPath) -> bool {
    let mut names = path
        .path
        .segments
        .iter()
        .rev()
        .skip(1)
        .map(|segment| &segment.ident);
    path.path.segments.len() == 1
        || names.any(|name| name == "prelude" || name == "lang" || name == "vortex")
}

/// A pattern without its type.
fn untyped(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(pat) => &pat.pat,
        pat => pat,
    }
}

impl VisitMut for Body<'_> {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("unroll"));
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let waits = match expr {
            Expr::MethodCall(call) => {
                call.method == "wait" && call.args.is_empty() && self.is_arrival(&call.receiver)
            }
            _ => false,
        };
        visit_mut::visit_expr_mut(self, expr);
        let replaced = match expr {
            Expr::MethodCall(call) if waits => {
                let (token, method) = (&call.receiver, &call.method);
                let wait = |turn: &Ident| quote_spanned!(method.span()=> #token.#method(#turn));
                Some(self.others_run(method.span(), wait))
            }
            Expr::Call(call) => {
                let replaced = self.call(call);
                if !self.in_macro {
                    in_parentheses(&mut call.func);
                }
                replaced
            }
            Expr::Path(path) => self.foreign(path),
            Expr::MethodCall(call) if valid::is_swizzle(&call.method) && call.args.is_empty() => {
                Some(swizzled(call, self.v))
            }
            Expr::Macro(mac) if mac.mac.path.is_ident("comptime") => {
                let tokens = &mac.mac.tokens;
                Some(quote_spanned!(Span::mixed_site()=> (#tokens)))
            }
            Expr::Macro(mac) if let Some(answer) = Side::Host.answer(&mac.mac) => {
                Some(match answer {
                    Answer::Known(is_so) => {
                        LitBool::new(is_so, Span::mixed_site()).into_token_stream()
                    }
                    Answer::Rustc(rest) => rest.into_token_stream(),
                })
            }
            // `&mut tile`, which is a reference already.
            Expr::Reference(ExprReference {
                mutability,
                expr,
                and_token,
                ..
            }) if self.is_local_memory(expr) => Some(quote!(#and_token #mutability *#expr)),
            _ => None,
        };
        if let Some(tokens) = replaced {
            *expr = Expr::Verbatim(tokens);
        }
    }

    /// What prints is kept until the launch has ended.
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let around = std::mem::replace(&mut self.in_macro, true);
        self.arguments(mac);
        self.in_macro = around;
        let name = mac.path.get_ident().map(Ident::to_string);
        let (is_error, end) = match name.as_deref() {
            Some("println") => (false, "\n"),
            Some("print") => (false, ""),
            Some("eprintln") => (true, "\n"),
            Some("eprint") => (true, ""),
            _ => return,
        };
        let (said, comma) = (
            &mac.tokens,
            (!mac.tokens.is_empty()).then(<Token![,]>::default),
        );
        mac.tokens = quote!(#is_error, #end #comma #said);
        let path = self
            .v
            .item("native_print", mac.path.segments[0].ident.span());
        if let Ok(path) = syn::parse2(path) {
            mac.path = path;
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scoped(|this| {
            for stmt in &mut block.stmts {
                let memory = match stmt {
                    Stmt::Local(local) => this.local_memory(local),
                    _ => None,
                };
                match memory {
                    Some(tokens) => *stmt = Stmt::Expr(Expr::Verbatim(tokens), None),
                    None => this.visit_stmt_mut(stmt),
                }
            }
        });
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        let init = local.init.as_ref();
        let arrives = init.is_some_and(|init| self.is_arrival(&init.expr));
        visit_mut::visit_local_mut(self, local);
        match (untyped(&local.pat), &mut self.kernel) {
            (Pat::Ident(name), Some(kernel)) if arrives => kernel.scope.arrive(name.ident.clone()),
            _ => self.bind(&local.pat),
        }
    }

    fn visit_expr_let_mut(&mut self, condition: &mut ExprLet) {
        visit_mut::visit_expr_let_mut(self, condition);
        self.bind(&condition.pat);
    }

    fn visit_expr_if_mut(&mut self, branch: &mut ExprIf) {
        self.scoped(|this| {
            this.visit_expr_mut(&mut branch.cond);
            this.visit_block_mut(&mut branch.then_branch);
        });
        if let Some((_, otherwise)) = &mut branch.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_while_mut(&mut self, repeated: &mut ExprWhile) {
        self.visit_attributes_mut(&mut repeated.attrs);
        self.scoped(|this| {
            this.visit_expr_mut(&mut repeated.cond);
            this.visit_block_mut(&mut repeated.body);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, repeated: &mut ExprForLoop) {
        self.visit_attributes_mut(&mut repeated.attrs);
        self.visit_expr_mut(&mut repeated.expr);
        self.scoped(|this| {
            this.bind(&repeated.pat);
            this.visit_block_mut(&mut repeated.body);
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.scoped(|this| {
            this.bind(&arm.pat);
            visit_mut::visit_arm_mut(this, arm);
        });
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.scoped(|this| {
            closure.inputs.iter().for_each(|input| this.bind(input));
            visit_mut::visit_expr_closure_mut(this, closure);
        });
    }

    /// Items in a body are on their own. Functions among them are device functions, of which nobody has said so.
    fn visit_item_mut(&mut self, item: &mut Item) {
        if let Item::Fn(inner) = item
            && valid::may_be_of_the_device(inner)
        {
            without_attributes(&mut inner.sig);
            Body::new(self.v, None, self.complaints).visit_block_mut(&mut inner.block);
        }
    }
}

/// `(f)` for a callee `f`: if there is no such function, rustc says what it says of the staged form, which is no call,
/// and says it once.
fn in_parentheses(callee: &mut Expr) {
    if matches!(callee, Expr::Path(path) if path.path.get_ident().is_some()) {
        let name = std::mem::replace(callee, Expr::PLACEHOLDER);
        *callee = Expr::Paren(ExprParen {
            attrs: Vec::new(),
            paren_token: Paren(Span::mixed_site()),
            expr: Box::new(name),
        });
    }
}

/// `vec3(v.z, v.y, v.x)`, for `v.zyx()`, which is a method of kernels alone.
fn swizzled(call: &ExprMethodCall, v: &Runtime) -> TokenStream {
    let (receiver, span) = (&call.receiver, call.method.span());
    let letters = call.method.to_string();
    let members = letters
        .chars()
        .map(|letter| Ident::new(&letter.to_string(), span));
    let function = v.item(&format!("vec{}", letters.len()), span);
    let swizzled = v.item("swizzled", span);
    quote_spanned!(span=> #swizzled(#receiver, |vector| #function(#(vector.#members),*)))
}
