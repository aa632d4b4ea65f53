//! Expressions that compute a value.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, BinOp, Expr, ExprBinary, ExprCast, ExprLit, ExprPath, ExprUnary, Lit, Path, Type,
    UnOp,
};

use super::method::root;
use super::referring::closure_of_choice;
use super::scope::Declared;
use super::typed::{calculates, compares};
use super::{Rewriter, diverge, option, subslice, unparenthesized, unreferenced, vector};
use crate::types::bare;
use crate::valid::Access;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// An expression that becomes the argument of a call.
    pub(super) fn argument(&mut self, expr: &Expr) -> TokenStream {
        self.expr(unparenthesized(expr))
    }

    /// What records an expression of type `!`, from `first` to `last`, made one of type `!` itself: it returns from the
    /// innermost function that records, in which nothing that follows is reached.
    pub(super) fn ended(&self, recorded: TokenStream, first: Span, last: Span) -> TokenStream {
        let diverged = self.call("diverged", first, TokenStream::new(), last);
        let leave = quote_spanned!(first=> return #diverged);
        spans::braces(quote!(#recorded; #leave), last)
    }

    /// Any expression; that of a statement may have no value.
    pub(super) fn expr(&mut self, expr: &Expr) -> TokenStream {
        valid::expression_attributes(attributes(expr), self.complaints);
        if let Some(error) = closure_of_choice(expr) {
            return self.complain(error);
        }
        match expr {
            Expr::Lit(lit) => self.literal(lit),
            Expr::Const(_) => self.lift_all(expr),
            Expr::Path(path) => self.path(path),
            Expr::Paren(paren) => {
                let inner = self.expr(&paren.expr);
                spans::parens(inner, paren.paren_token.span.join())
            }
            Expr::Group(group) => self.expr(&group.expr),
            Expr::Tuple(tuple) => {
                let elems: Vec<_> = tuple.elems.iter().map(|elem| self.expr(elem)).collect();
                let comma = (elems.len() == 1).then(|| quote!(,));
                spans::parens(quote!(#(#elems),* #comma), tuple.paren_token.span.join())
            }
            Expr::Field(field) if let Some(error) = self.variant_with_dot(field) => {
                self.complain(error)
            }
            Expr::Field(_) if self.is_place(expr) => self.read(expr),
            Expr::Field(field) => self.field_of_value(field),
            Expr::Struct(literal) => self.struct_literal(literal),
            Expr::Array(array) => self.array(array),
            Expr::Repeat(array) => self.repeated(array),
            Expr::Binary(binary) => {
                let value = self.binary(binary);
                self.with_lint(binary, value)
            }
            Expr::Unary(unary) => self.unary(unary),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Call(call) => {
                let gives_a_value = std::mem::take(&mut self.gives_a_value);
                self.call_of(call, gives_a_value)
            }
            Expr::MethodCall(call) => self.method(call),
            Expr::Index(index) if subslice::is_subslice(expr) => {
                self.subslice_of(index, Access::Read)
            }
            Expr::Index(_) => self.read(expr),
            Expr::Reference(reference) if subslice::is_subslice(&reference.expr) => {
                self.borrowed_subslice(reference)
            }
            Expr::Assign(assign) => self.assign(assign),
            Expr::Block(inner) => match &inner.label {
                Some(label) => self.labelled_block(&inner.block, label),
                None => self.block(&inner.block),
            },
            Expr::Unsafe(inner) => {
                self.unsafety += 1;
                let block = self.block(&inner.block);
                self.unsafety -= 1;
                let keyword = inner.unsafe_token;
                quote!(#keyword #block)
            }
            Expr::Match(inner) => self.matching(inner),
            Expr::If(conditional) => self.conditional(conditional),
            Expr::While(inner) => self.while_loop(inner),
            Expr::Loop(inner) => self.endless_loop(inner),
            Expr::ForLoop(inner) => self.for_loop(inner),
            Expr::Break(jump) => self.break_(jump),
            Expr::Continue(jump) => self.continue_(jump),
            Expr::Return(jump) => self.return_(jump),
            Expr::Closure(closure) => self.closure(closure),
            Expr::Macro(expr) => self.macro_call(&expr.mac),
            Expr::Try(expr) => self.question_mark(expr),
            // Of what ends with the function that is said.
            Expr::Reference(reference)
                if self.complaints.say(
                    &messages::DANGLING,
                    &[&valid::source(root(&reference.expr))],
                ) =>
            {
                TokenStream::new()
            }
            other => self.complain(valid::expression(other)),
        }
    }

    /// Notes that what an expression gives, if it is a call, is not `()`.
    pub(super) fn wants_a_value(&mut self, expr: &Expr) {
        self.gives_a_value = matches!(super::unparenthesized(expr), Expr::Call(_));
    }

    /// A part of a larger expression. What a `macro_rules!` was given as one expression stays one.
    pub(super) fn operand(&mut self, expr: &Expr) -> TokenStream {
        self.wants_a_value(expr);
        let tokens = self.expr(expr);
        match (expr, ungrouped(expr)) {
            (Expr::Group(_), Expr::Binary(_) | Expr::Unary(_)) => {
                let span = spans::first(&tokens);
                spans::parens(tokens, span)
            }
            _ => tokens,
        }
    }

    pub(super) fn literal(&mut self, lit: &ExprLit) -> TokenStream {
        if let Lit::ByteStr(bytes) = &lit.lit {
            let array = quote_spanned!(bytes.span()=> *#bytes);
            return self.lift(array, bytes.span(), bytes.span());
        }
        if matches!(lit.lit, Lit::Str(_)) && self.complaints.say(&messages::TEXT_LITERAL, &[]) {
            return TokenStream::new();
        }
        if let Some(error) = valid::literal(&lit.lit) {
            return self.complain(error);
        }
        self.lift_all(&lit.lit)
    }

    /// A constant of the host as a value of the kernel, from the first token to the last.
    fn lift(&self, constant: TokenStream, first: Span, last: Span) -> TokenStream {
        let name = self.v.item("Constant", first);
        let value = quote_spanned!(first=> value: #constant);
        let fields = spans::braces(value, last);
        let lane = quote_spanned!(first=> .lane);
        let nothing = spans::parens(TokenStream::new(), last);
        quote!(#name #fields #lane #nothing)
    }

    pub(super) fn lift_all(&self, constant: &impl ToTokens) -> TokenStream {
        self.lift(
            constant.to_token_stream(),
            spans::first(constant),
            spans::last(constant),
        )
    }

    fn path(&mut self, path: &ExprPath) -> TokenStream {
        if let Some(name) = path.path.get_ident()
            && path.qself.is_none()
            && let Some(local) = self.scope.find(name)
        {
            if local.declared == Declared::Comptime {
                return self.lift_all(name);
            }
            return match self.holds_a_place(local) {
                true => self.call("get", name.span(), name.to_token_stream(), name.span()),
                false => name.to_token_stream(),
            };
        }
        if path.qself.is_none() && option::is_none(&path.path) {
            return self.none(path);
        }
        if let Some(error) = valid::uncalled(path) {
            return self.complain(error);
        }
        match self.names_an_item(path) {
            true => self.item_by(path, "lane"),
            false => self.constant(&path.path, path),
        }
    }

    /// A path that names a constant of the host.
    pub(super) fn constant(&mut self, path: &Path, tokens: &impl ToTokens) -> TokenStream {
        if let Some(error) = valid::constant(path) {
            return self.complain(error);
        }
        match valid::device_constant(path) {
            Some(constant) => {
                let span = spans::first(tokens);
                self.lift(quote_spanned!(span=> #constant), span, spans::last(tokens))
            }
            None => self.lift_all(tokens),
        }
    }

    /// `v < &k` and `&a == &b`, both sides of which are references for the user, of values.
    fn of_references(&self, binary: &ExprBinary) -> Option<ExprBinary> {
        let refers = |side: &Expr| match unparenthesized(side) {
            Expr::Reference(reference) => {
                reference.mutability.is_none() && !subslice::is_subslice(&reference.expr)
            }
            // A closure may be given a reference to a reference.
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.is_shared(&unary.expr),
            side => self.may_refer(side),
        };
        let is_written = |side: &Expr| matches!(unparenthesized(side), Expr::Reference(_));
        let (left, right) = (&*binary.left, &*binary.right);
        let are_references = compares(binary) && refers(left) && refers(right);
        (are_references && (is_written(left) || is_written(right))).then(|| ExprBinary {
            left: Box::new(unreferenced(left).clone()),
            right: Box::new(unreferenced(right).clone()),
            ..binary.clone()
        })
    }

    fn is_shared(&self, expr: &Expr) -> bool {
        let local = self.local(unparenthesized(expr));
        local.is_some_and(|local| local.declared == Declared::Shared)
    }

    fn binary(&mut self, binary: &ExprBinary) -> TokenStream {
        if let Some(values) = self.of_references(binary) {
            return self.binary(&values);
        }
        if let Some(param) = self.unbounded(binary)
            && !self.complained_of.contains(&param)
        {
            let error = messages::UNBOUNDED.at(binary, &[&param]);
            self.complained_of.push(param);
            return self.complain(error);
        }
        let error = (self.option_in_arithmetic(binary))
            .or_else(|| self.sum_of_pointer(binary))
            .or_else(|| self.bits_of_float(binary))
            .or_else(|| self.literal_of_any_number(binary))
            .or_else(|| self.integer_and_float(binary))
            .or_else(|| self.truth_as_number(binary))
            .or_else(|| self.slice_for_element(binary))
            .or_else(|| self.bytes_for_byte(binary))
            .or_else(|| self.assignment_for_value(binary))
            .or_else(|| self.division_by_zero(binary));
        if let Some(error) = error {
            return self.complain(error);
        }
        let op = &binary.op;
        let span = op.span();
        let close = spans::last(&binary.right);
        let compare = match op {
            BinOp::Lt(_) => "lt",
            BinOp::Le(_) => "le",
            BinOp::Gt(_) => "gt",
            BinOp::Ge(_) => "ge",
            BinOp::Eq(_) => "eq",
            BinOp::Ne(_) => "ne",
            BinOp::And(_) | BinOp::Or(_) => {
                let name = if matches!(op, BinOp::And(_)) {
                    "and"
                } else {
                    "or"
                };
                let (left, right) = (self.side(&binary.left), self.side(&binary.right));
                return self.call(
                    name,
                    span,
                    quote_spanned!(span=> || #left, || #right),
                    close,
                );
            }
            _ => {
                if let Some(symbol) = operator_of_assignment(op) {
                    let function =
                        operator_function(op).filter(|_| self.knows_operands(&binary.right));
                    return self.assign_with(&binary.left, (symbol, function), &binary.right);
                }
                if let Some(function) = operator_function(op)
                    && self.knows_operands(&binary.right)
                {
                    let (left, right) = (self.argument(&binary.left), self.argument(&binary.right));
                    let left = self.operand_of(&binary.left, left);
                    let first = spans::first(&binary.left);
                    return self.call(function, first, quote!(#left, #right), close);
                }
                let (left, right) = (self.operand(&binary.left), self.operand(&binary.right));
                let left = not_a_statement(left);
                return quote!(#left #op #right);
            }
        };
        let are_values = self.is_value(&binary.left) && self.is_value(&binary.right);
        let has_order = !matches!(op, BinOp::Eq(_) | BinOp::Ne(_));
        let is_known = !are_values && has_order && self.is_known_first(&binary.left);
        let (left, right) = (self.argument(&binary.left), self.argument(&binary.right));
        let right = match is_known {
            true => self.wanted(&binary.right, right),
            false => right,
        };
        match are_values {
            true => self.call(
                &format!("Is::are_{compare}"),
                span,
                quote!(#left, #right),
                close,
            ),
            false => {
                let arguments = quote_spanned!(span=> #left, || #right);
                self.call(compare, span, arguments, close)
            }
        }
    }

    /// One side of `&&` or `||`.
    fn side(&mut self, side: &Expr) -> TokenStream {
        match unparenthesized(side) {
            // What compares gives a `bool`, and what is of type `!` gives anything.
            Expr::Binary(binary) if !calculates(binary) => self.argument(side),
            side if diverge::expr(side) => self.argument(side),
            side => self.condition(side),
        }
    }

    fn unary(&mut self, unary: &ExprUnary) -> TokenStream {
        match unary.op {
            UnOp::Neg(_) => {
                if let Expr::Lit(lit) = ungrouped(&unary.expr)
                    && let Lit::Int(_) | Lit::Float(_) = &lit.lit
                {
                    return match valid::literal(&lit.lit) {
                        Some(error) => self.complain(error),
                        None => self.lift_all(unary),
                    };
                }
                self.unary_operator(unary)
            }
            UnOp::Deref(_) => self.read(&Expr::Unary(unary.clone())),
            _ => self.unary_operator(unary),
        }
    }

    /// `-x` and `!x`.
    fn unary_operator(&mut self, unary: &ExprUnary) -> TokenStream {
        let operand = unparenthesized(&unary.expr);
        if let Some(ty) = self.type_of_operand(operand)
            && let Some(error) = valid::unary(unary, operand, &ty)
        {
            return self.complain(error);
        }
        if let Some(error) = self.option_as_operand(operand) {
            return self.complain(error);
        }
        if self.is_value(operand) {
            let function = match unary.op {
                UnOp::Neg(_) => ("overload::operand::Negatable", "neg"),
                _ => ("overload::operand::Invertible", "not"),
            };
            let value = self.argument(&unary.expr);
            return self.asking(function, value, (unary.op.span(), spans::last(unary)));
        }
        let value = self.operand(&unary.expr);
        let op = unary.op;
        quote!(#op #value)
    }

    fn cast(&mut self, cast: &ExprCast) -> TokenStream {
        let ty = &cast.ty;
        if matches!(&**ty, Type::Path(ty) if ty.path.is_ident("char")) {
            let byte = match super::typed::is_literal(&cast.expr) {
                true => "b".to_owned(),
                false => valid::source(&cast.expr),
            };
            return self.complain(messages::CHAR_CAST.at(ty, &[&byte]));
        }
        if let Some(error) = vector::cast(cast) {
            return self.complain(error);
        }
        if !valid::local_type(ty, self.complaints) {
            return TokenStream::new();
        }
        let span = spans::first(&cast.expr);
        let close = spans::last(ty);
        // rustc gives a literal the type it is cast to, so the host does it.
        if let Type::Path(_) = bare(ty)
            && let Some(literal) = literal_of(unparenthesized(&cast.expr))
        {
            if let Some(error) = self.literal_for_parameter(ty, &cast.expr) {
                return self.complain(error);
            }
            let error = match literal {
                // The host makes a number of it.
                Lit::Char(_) => None,
                literal => valid::literal(literal),
            };
            return match error {
                Some(error) => self.complain(error),
                None => {
                    let literal = unparenthesized(&cast.expr);
                    let as_token = cast.as_token;
                    self.lift(quote!(#literal #as_token #ty), span, close)
                }
            };
        }
        let error = self.option_as_operand(&cast.expr);
        if let Some(error) = error.or_else(|| self.cast_to_parameter(cast)) {
            return self.complain(error);
        }
        let value = self.argument(&cast.expr);
        if diverge::expr(&cast.expr) {
            return value;
        }
        let trait_ = self.v.item("CastTo", cast.as_token.span);
        let arguments = spans::parens(value, close);
        quote_spanned!(cast.as_token.span=> #trait_::<#ty>::cast #arguments)
    }

    /// Reads a place other than a local.
    fn read(&mut self, expr: &Expr) -> TokenStream {
        if let Some(exclusive) = self.exclusive(expr) {
            return self.call("get", spans::first(expr), exclusive, spans::last(expr));
        }
        if let Some(referred) = self.referred(expr) {
            return self.of_referred(referred);
        }
        if let Some(value) = option::unwrapped(expr) {
            return self.expr(value);
        }
        match self.place(expr, Access::Read) {
            Some(place) => self.call("get", spans::first(expr), place, spans::last(expr)),
            None => TokenStream::new(),
        }
    }
}

/// A literal, negative ones included.
pub(super) fn literal_of(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(lit) => Some(&lit.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match ungrouped(&unary.expr) {
            Expr::Lit(lit) => Some(&lit.lit),
            _ => None,
        },
        _ => None,
    }
}

/// The left side of an operator: at the beginning of a statement, braces alone would be one.
fn not_a_statement(left: TokenStream) -> TokenStream {
    match left.clone().into_iter().next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let span = spans::first(&left);
            spans::parens(left, span)
        }
        _ => left,
    }
}

fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        _ => expr,
    }
}

/// The function for an operator whose right side has a type of its own.
pub(super) const fn operator_function(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => "overload::right::AddTo::with_operands",
        BinOp::Sub(_) | BinOp::SubAssign(_) => "overload::right::SubFrom::with_operands",
        BinOp::Mul(_) | BinOp::MulAssign(_) => "overload::right::FactorOf::with_operands",
        BinOp::Div(_) | BinOp::DivAssign(_) => "overload::right::DivisorOf::with_operands",
        BinOp::Rem(_) | BinOp::RemAssign(_) => "overload::right::RemDivisorOf::with_operands",
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => "overload::right::BitXorWith::with_operands",
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => "overload::right::BitAndWith::with_operands",
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => "overload::right::BitOrWith::with_operands",
        _ => return None,
    })
}

/// `+` for `+=`, with its span.
pub(super) fn operator_of_assignment(op: &BinOp) -> Option<TokenStream> {
    Some(match op {
        BinOp::AddAssign(token) => quote_spanned!(token.span()=> +),
        BinOp::SubAssign(token) => quote_spanned!(token.span()=> -),
        BinOp::MulAssign(token) => quote_spanned!(token.span()=> *),
        BinOp::DivAssign(token) => quote_spanned!(token.span()=> /),
        BinOp::RemAssign(token) => quote_spanned!(token.span()=> %),
        BinOp::BitXorAssign(token) => quote_spanned!(token.span()=> ^),
        BinOp::BitAndAssign(token) => quote_spanned!(token.span()=> &),
        BinOp::BitOrAssign(token) => quote_spanned!(token.span()=> |),
        BinOp::ShlAssign(token) => quote_spanned!(token.span()=> <<),
        BinOp::ShrAssign(token) => quote_spanned!(token.span()=> >>),
        _ => return None,
    })
}

macro_rules! attributes_of_each {
    ($($variant:ident)*) => {
        fn attributes(expr: &Expr) -> &[Attribute] {
            match expr {
                $(Expr::$variant(inner) => &inner.attrs,)*
                _ => &[],
            }
        }

        /// The attributes of an expression, to change them.
        pub(crate) fn attributes_mut(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
            match expr {
                $(Expr::$variant(inner) => Some(&mut inner.attrs),)*
                _ => None,
            }
        }
    };
}

/// Splits a statement into its attributes and the expression.
pub(super) fn take_attributes(expr: &Expr) -> (Vec<Attribute>, Expr) {
    let mut expr = expr.clone();
    let attributes = attributes_mut(&mut expr).map(std::mem::take);
    (attributes.unwrap_or_default(), expr)
}

attributes_of_each! {
    Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop Group If Index Infer
    Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference Repeat Return Struct Try TryBlock Tuple
    Unary Unsafe While Yield
}
