//! Mistakes that are known from what is written: memory and tuples for values, `usize`s in short vectors, bits of
//! floats.

use std::fmt::Display;

use proc_macro2::TokenStream;
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprCall, ExprField, ExprIndex, ExprLit, ExprMethodCall,
    ExprPath, Ident, Lit, Member, Pat, Stmt, Type,
};

use super::method::root;
use super::scope::Declared;
use super::typed::{calculates, is_bool};
use super::{Rewriter, subslice, unparenthesized};
use crate::signature::ParamKind;
use crate::{messages, types, valid};

impl Rewriter<'_> {
    /// What is said of memory of the work group, or of a tuple, where one value is wanted.
    pub(super) fn whole_for_value(&mut self, expr: &Expr) -> Option<syn::Error> {
        let local = self.local(unparenthesized(expr))?;
        let (id, name) = (local.id, local.name.clone());
        if local.declared == Declared::Memory {
            return Some(messages::MEMORY_FOR_VALUE.at(expr, &[&name]));
        }
        let function = self.facts.tuples.get(&id)?.clone();
        if self.facts.unsound.contains(&id) {
            return None;
        }
        // Once of each local.
        let words: [&dyn Display; 3] = [&name, &function, &names_of_parts(&function)];
        (self.facts.refused.insert(id)).then(|| messages::TUPLE_FOR_VALUE.at(expr, &words))
    }

    /// Whether an expression surely is a `usize`.
    pub(super) fn is_size(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Path(_) => self
                .local(expr)
                .is_some_and(|local| self.facts.sizes.contains(&local.id)),
            Expr::Call(call) => valid::gives_a_size(&call.func) && !self.is_ones_own(call),
            Expr::MethodCall(call) => {
                call.method == "len"
                    && call.args.is_empty()
                    && self.element_of(&call.receiver).is_some()
            }
            Expr::Cast(cast) => valid::source(&cast.ty) == "usize",
            Expr::Binary(binary) => {
                let is_shift = matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_));
                calculates(binary)
                    && (self.is_size(&binary.left) || !is_shift && self.is_size(&binary.right))
            }
            _ => false,
        }
    }

    /// The arguments of a function of the prelude: of one that makes a short vector they are of one type.
    pub(super) fn components(&mut self, call: &ExprCall) -> Result<Vec<TokenStream>, syn::Error> {
        let is_vector = valid::makes_a_vector(&call.func);
        if is_vector && let Some(size) = call.args.iter().find(|part| self.is_size(part)) {
            let is_float = |part: &Expr| self.float_of(part).is_some();
            let ty = match call.args.iter().any(is_float) {
                true => "f32",
                false => "u32",
            };
            let words: [&dyn Display; 2] = [&valid::source(size), &ty];
            return Err(messages::SIZE_IN_VECTOR.at(size, &words));
        }
        let is_known = is_vector && call.args.first().is_some_and(|first| self.is_value(first));
        let arguments = call.args.iter().enumerate().map(|(index, argument)| {
            let value = self.argument(argument);
            match is_known && index > 0 {
                true => self.wanted_value(argument, value),
                false => value,
            }
        });
        Ok(arguments.collect())
    }

    /// `bins[i].atomic()`, and that of a field.
    pub(super) fn atomic_of_a_value(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        if call.method != "atomic" || !call.args.is_empty() {
            return None;
        }
        match unparenthesized(&call.receiver) {
            Expr::Index(element) => {
                let (slice, index) = (&element.expr, &element.index);
                let words: [&dyn Display; 2] = [&valid::source(slice), &valid::source(index)];
                Some(messages::ATOMIC_ELEMENT.at(&call.method, &words))
            }
            // Of a variable in device memory each part is a place.
            field @ Expr::Field(_) if valid::is_static(root(field)) => None,
            Expr::Field(_) => Some(messages::ATOMIC_FIELD.at(&call.method, &[])),
            _ => None,
        }
    }

    /// `bins.atomic(i).max(v)`.
    pub(super) fn other_of_atomic(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        match &*call.receiver {
            Expr::MethodCall(atomic)
                if atomic.method == "atomic" && self.element_of(&atomic.receiver).is_some() =>
            {
                valid::other_atomic_method(call)
            }
            _ => None,
        }
    }

    /// `p + i` of a pointer.
    pub(super) fn sum_of_pointer(&self, binary: &ExprBinary) -> Option<syn::Error> {
        let method = match binary.op {
            BinOp::Add(_) => "add",
            BinOp::Sub(_) => "sub",
            _ => return None,
        };
        let Declared::Param(param) = self.local(&binary.left)?.declared else {
            return None;
        };
        let ParamKind::Pointer { .. } = &self.kernel.params[param].kind else {
            return None;
        };
        let (pointer, number) = (valid::source(&binary.left), valid::source(&binary.right));
        let words: [&dyn Display; 3] = [&pointer, &method, &number];
        Some(messages::SUM_OF_POINTER.at(binary.op, &words))
    }

    /// `x[i] >> 3` of a float.
    pub(super) fn bits_of_float(&self, binary: &ExprBinary) -> Option<syn::Error> {
        let is_of_bits = matches!(
            binary.op,
            BinOp::Shl(_) | BinOp::Shr(_) | BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_)
        );
        if !is_of_bits {
            return None;
        }
        if matches!(binary.op, BinOp::BitXor(_))
            && let Some(power) = self.with_powers(binary)
        {
            return Some(messages::POWER_BY_XOR.at(binary, &[&power]));
        }
        let sides = [&binary.left, &binary.right];
        let float = sides
            .into_iter()
            .find(|side| self.float_of(side).is_some())?;
        let words: [&dyn Display; 2] = [&valid::source(&binary.op), &valid::source(float)];
        Some(messages::FLOAT_BITS.at(float, &words))
    }

    /// `filter(|v| v % 2)`: what gives a number where a `bool` is asked for.
    pub(super) fn number_for_truth(&self, method: &Ident, closure: &Expr) -> Option<syn::Error> {
        let Expr::Closure(closure) = unparenthesized(closure) else {
            return None;
        };
        let Expr::Binary(binary) = unparenthesized(&closure.body) else {
            return None;
        };
        let is_number = matches!(
            binary.op,
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
        );
        (is_number && valid::asks_of_items(method))
            .then(|| messages::NUMBER_FOR_TRUTH.at(binary, &[method]))
    }

    /// `x.iter().sum::<u32>()` of elements of another type.
    pub(super) fn sum_of_others(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let generics = call.turbofish.as_ref()?;
        let wanted = valid::source(&generics.args);
        let mut iterated = unparenthesized(&call.receiver);
        if let Some(found) = made_by_map(iterated) {
            let are_known =
                valid::is_scalar(&wanted) && valid::is_scalar(&found) && wanted != found;
            let words: [&dyn Display; 3] = [&call.method, &wanted, &found];
            return are_known.then(|| messages::SUM_OF_OTHERS.at(generics, &words));
        }
        if !self.goes_over_elements(iterated) {
            return None;
        }
        while let Expr::MethodCall(call) = iterated {
            iterated = unparenthesized(&call.receiver);
        }
        let found = valid::source(self.element_of(iterated)?);
        let are_known = valid::is_scalar(&wanted) && valid::is_scalar(&found) && wanted != found;
        let words: [&dyn Display; 3] = [&call.method, &wanted, &found];
        are_known.then(|| messages::SUM_OF_OTHERS.at(generics, &words))
    }

    /// `p.2` of a tuple of two, and `p.x`.
    pub(super) fn part_of_tuple(&self, field: &ExprField) -> Option<syn::Error> {
        let local = self.local(unparenthesized(&field.base))?;
        if let Some(parts) = self.facts.written_tuples.get(&local.id) {
            return part_of_written_tuple(&local.name, *parts, &field.member);
        }
        let function = self.facts.tuples.get(&local.id)?;
        let index = match &field.member {
            Member::Unnamed(index) => index,
            Member::Named(name) => {
                let axis = ["x", "y", "z"].iter().position(|axis| name == axis)?;
                let names = names_of_parts(function);
                let words: [&dyn Display; 4] = [&local.name, function, &axis, &names];
                return Some(messages::TUPLE_AXIS.at(&field.member, &words));
            }
        };
        let (parts, text) = match has_three_parts(function) {
            true => (3, "three"),
            false => (2, "two"),
        };
        let words: [&dyn Display; 4] = [&local.name, &index.index, function, &text];
        (index.index >= parts).then(|| messages::TUPLE_FIELD.at(&field.member, &words))
    }

    /// A literal in a pattern that is a float, of an integer, or the other way round; `Less` of `partial_cmp`.
    pub(super) fn pattern_of_another(&self, matched: &Expr, pat: &Pat) -> Option<syn::Error> {
        let matched = unparenthesized(matched);
        if let Expr::MethodCall(call) = matched
            && call.method == "partial_cmp"
            && let Pat::Path(path) = pat
            && let Some(last) = path.path.segments.last()
            && valid::is_one_of(&last.ident, &["Less", "Equal", "Greater"])
        {
            return Some(messages::PATTERN_OF_OPTION.at(pat, &[&valid::source(path)]));
        }
        let ty = self
            .float_of(matched)
            .or_else(|| self.type_of_operand(matched))?;
        let (is_float, is_integer) = match &*ty {
            ty if valid::is_one_of_floats(ty) => (true, false),
            ty => (false, valid::is_scalar(ty) && ty != "bool"),
        };
        let is_wrong = |expr: &Expr| match expr {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => is_float && number.suffix().is_empty(),
                Lit::Float(_) => is_integer,
                _ => false,
            },
            _ => false,
        };
        let wrong = match pat {
            Pat::Lit(literal) => {
                let literal = Expr::Lit(literal.clone());
                is_wrong(&literal).then_some(literal)
            }
            Pat::Range(range) => {
                let ends = [&range.start, &range.end];
                let mut ends = ends.into_iter().flatten();
                ends.find(|end| is_wrong(end)).map(|end| (**end).clone())
            }
            Pat::Or(or) => {
                let mut cases = or.cases.iter();
                return cases.find_map(|pat| self.pattern_of_another(matched, pat));
            }
            _ => None,
        }?;
        let text = valid::source(&wrong);
        let instead = match is_float {
            true => format!("{text}.0"),
            false => text.split('.').next().unwrap_or(&text).to_owned(),
        };
        let words: [&dyn Display; 3] = [&text, &ty, &instead];
        Some(messages::PATTERN_OF_OTHERS.at(&wrong, &words))
    }

    /// Notes a local that is a `&` of a place which could be changed, as it is declared next.
    pub(super) fn note_shared_place(&mut self, pat: &Pat, value: &Expr) {
        let (Pat::Ident(_), Expr::Reference(reference)) = (pat, unparenthesized(value)) else {
            return;
        };
        if reference.mutability.is_some() || subslice::is_subslice(&reference.expr) {
            return;
        }
        let changes = self
            .local(root(&reference.expr))
            .is_some_and(|local| match local.declared {
                Declared::Param(param) => {
                    matches!(
                        self.kernel.params[param].kind,
                        ParamKind::Slice { mutable: true, .. }
                    )
                }
                Declared::Exclusive => true,
                _ => local.mutable,
            });
        if changes {
            let written = valid::source(&reference.expr);
            self.facts
                .shared_places
                .insert(self.scope.next_id(), written);
        }
    }

    /// What is assigned to, `ball.speed`, where `let ball = &balls[i];`.
    pub(super) fn shared_place(&self, path: &ExprPath, id: usize) -> Option<syn::Error> {
        let written = self.facts.shared_places.get(&id)?;
        let words: [&dyn Display; 2] = [&valid::source(path), written];
        Some(messages::SHARED_PLACE.at(path, &words))
    }

    /// What is assigned to an element of, `part`, where `let part = &out[a..b];`.
    pub(super) fn shared_part(&self, part: &Expr) -> Option<syn::Error> {
        let local = self.local(unparenthesized(part))?;
        let written = self.facts.shared_parts.get(&local.id)?;
        let words: [&dyn Display; 2] = [&local.name, written];
        Some(messages::SHARED_PART.at(part, &words))
    }

    /// Notes a local that is a part of a slice which is written to, but not by it, as it is declared next.
    pub(super) fn note_shared_part(&mut self, param: usize, value: &Expr) {
        if let Expr::Reference(reference) = unparenthesized(value)
            && reference.mutability.is_none()
            && let ParamKind::Slice { mutable: true, .. } = self.kernel.params[param].kind
        {
            let written = valid::source(&reference.expr);
            self.facts
                .shared_parts
                .insert(self.scope.next_id(), written);
        }
    }

    /// `best = x[k]`, of an option.
    pub(super) fn value_for_option(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let local = self.local(target)?;
        let is_option = self.facts.options.contains_key(&local.id);
        is_option.then(|| self.value_among(&local.name, value))?
    }

    /// `let best: Option<f32> = x[k];`
    pub(super) fn value_of_option(
        &self,
        pat: &Pat,
        ty: Option<&Type>,
        value: &Expr,
    ) -> Option<syn::Error> {
        let (Pat::Ident(name), Some(Type::Path(path))) = (pat, ty) else {
            return None;
        };
        types::option(path).and_then(|_| self.value_among(&name.ident, value))
    }

    /// A value that stands where this option gets one: by itself, or at the end of an arm.
    fn value_among(&self, name: &Ident, expr: &Expr) -> Option<syn::Error> {
        let value = plain_ends(expr)
            .into_iter()
            .find(|end| self.is_value(end))?;
        let words: [&dyn Display; 2] = [name, &valid::source(value)];
        Some(messages::VALUE_FOR_OPTION.at(value, &words))
    }

    /// Whether a call is one of a local, or of an item in this body, though it has the name of a function of the
    /// prelude.
    pub(super) fn is_ones_own(&self, call: &ExprCall) -> bool {
        self.local(&call.func).is_some() || self.items.contains(&valid::source(&call.func))
    }

    /// `v = [1, 2]` of an array of three.
    pub(super) fn length_of_assigned(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let wanted = *self.facts.arrays.get(&self.local(target)?.id)?;
        let found = length_of_array(value)?;
        let declared = format!(
            "as many as {found} where `{}` is declared",
            valid::source(target)
        );
        (wanted != found).then(|| wrong_length(value, wanted, found, &declared))
    }

    /// An index that is beyond an array that is written out.
    pub(super) fn index_beyond(&self, element: &ExprIndex) -> Option<syn::Error> {
        let local = self.local(&element.expr)?;
        let length = *self.facts.arrays.get(&local.id)?;
        let index = number(&element.index)?;
        let words: [&dyn Display; 3] = [&local.name, &length, &index];
        (index >= length).then(|| messages::INDEX_BEYOND.at(&element.index, &words))
    }

    /// `tile[i]` of local memory that is one number.
    pub(super) fn index_of_one(&mut self, element: &ExprIndex) -> Option<syn::Error> {
        let local = self.local(unparenthesized(&element.expr))?;
        let (id, name) = (local.id, local.name.clone());
        let ty = self.facts.single.get(&id)?;
        let words: [&dyn Display; 2] = [&name, ty];
        let error = messages::INDEX_OF_ONE.at(&element.expr, &words);
        // Once of each local.
        self.facts.refused.insert(id).then_some(error)
    }

    /// Notes a local of this type, which is declared next, if that is a number's.
    pub(super) fn note_type_of_number(&mut self, pat: &Pat, ty: &Type) {
        if matches!(pat, Pat::Ident(_)) && valid::is_known_scalar(ty) {
            self.facts.numbers.insert(self.scope.next_id());
        }
    }

    /// Notes a local that is a tuple of so many parts, as is written, as it is declared next.
    pub(super) fn note_tuple(&mut self, pat: &Pat, ty: Option<&Type>, value: &Expr) {
        let parts = match (ty, unparenthesized(value)) {
            (Some(Type::Tuple(tuple)), _) => tuple.elems.len(),
            (None, Expr::Tuple(tuple)) => tuple.elems.len(),
            _ => return,
        };
        if let Pat::Ident(_) = pat {
            let id = self.scope.next_id();
            self.facts.written_tuples.insert(id, parts);
        }
    }

    /// Notes a local that is a tuple, of what the prelude gives, a number or a `usize`, as it is declared next.
    pub(super) fn note_kind(&mut self, pat: &Pat, value: &Expr) {
        let Pat::Ident(_) = pat else {
            return;
        };
        let id = self.scope.next_id();
        if self.is_size(value) {
            self.facts.sizes.insert(id);
        }
        if self.is_known_number(value) {
            self.facts.numbers.insert(id);
        }
        if let Some(length) = length_of_array(value) {
            self.facts.arrays.insert(id, length);
        }
        if let Expr::Call(call) = unparenthesized(value)
            && matches!(*call.func, Expr::Path(_))
            && self.local(&call.func).is_none()
            && !valid::is_of_the_prelude(&call.func)
        {
            self.facts.given.insert(id);
        }
        if let Expr::Call(call) = unparenthesized(value)
            && valid::gives_numbers(&call.func)
            && !self.is_ones_own(call)
        {
            let function = valid::source(&call.func);
            self.facts.tuples.insert(id, function);
        }
    }
}

/// A part that a tuple of so many has not.
fn part_of_written_tuple(name: &Ident, parts: usize, member: &Member) -> Option<syn::Error> {
    match member {
        Member::Unnamed(index) => {
            let last = parts
                .checked_sub(1)
                .filter(|last| index.index as usize > *last)?;
            let words: [&dyn Display; 4] = [name, &index.index, &parts, &last];
            Some(messages::TUPLE_PART.at(member, &words))
        }
        Member::Named(part) => {
            let axis = ["x", "y", "z", "w"].iter().position(|axis| part == axis);
            let meant = axis.filter(|axis| *axis < parts).unwrap_or(0);
            let words: [&dyn Display; 3] = [name, part, &meant];
            Some(messages::TUPLE_NAME.at(member, &words))
        }
    }
}

/// The length of an array that is written out.
fn length_of_array(expr: &Expr) -> Option<usize> {
    match unparenthesized(expr) {
        Expr::Array(array) => Some(array.elems.len()),
        Expr::Repeat(repeat) => number(&repeat.len),
        _ => None,
    }
}

/// What an expression ends in, but for what may mention names that its blocks or patterns declare.
fn plain_ends(expr: &Expr) -> Vec<&Expr> {
    match unparenthesized(expr) {
        Expr::If(inner) if !declares_names(&inner.cond) => {
            let mut ends = plain_end(&inner.then_branch);
            if let Some((_, otherwise)) = &inner.else_branch {
                ends.extend(plain_ends(otherwise));
            }
            ends
        }
        Expr::Match(inner) => {
            let is_plain = |pat: &Pat| matches!(pat, Pat::Lit(_) | Pat::Range(_) | Pat::Wild(_));
            let arms = inner.arms.iter().filter(|arm| is_plain(&arm.pat));
            arms.flat_map(|arm| plain_ends(&arm.body)).collect()
        }
        Expr::Block(inner) => plain_end(&inner.block),
        Expr::If(_) => Vec::new(),
        expr => vec![expr],
    }
}

fn plain_end(block: &Block) -> Vec<&Expr> {
    match &block.stmts[..] {
        [Stmt::Expr(end, None)] => plain_ends(end),
        _ => Vec::new(),
    }
}

/// The type of what `.map(|v| *v as u32)` gives.
fn made_by_map(iterated: &Expr) -> Option<String> {
    let Expr::MethodCall(map) = iterated else {
        return None;
    };
    let Some(Expr::Closure(closure)) = map.args.first().filter(|_| map.method == "map") else {
        return None;
    };
    match unparenthesized(&closure.body) {
        Expr::Cast(cast) => Some(valid::source(&cast.ty)),
        body => is_bool(body).then(|| "bool".to_owned()),
    }
}

/// Whether a condition has a `let`.
pub(super) fn declares_names(condition: &Expr) -> bool {
    match unparenthesized(condition) {
        Expr::Let(_) => true,
        Expr::Binary(binary) => declares_names(&binary.left) || declares_names(&binary.right),
        _ => false,
    }
}

/// `[0.25, 0.5]` for a `[f32; 3]`, as far as both lengths are written.
pub(super) fn other_length(ty: Option<&Type>, value: &Expr) -> Option<syn::Error> {
    let Type::Array(array) = ty? else {
        return None;
    };
    let value = unparenthesized(value);
    if let (Some(wanted), Some(found)) = (number(&array.len), length_of_array(value))
        && wanted != found
    {
        let ty = format!("`[{}; {found}]` for its type", valid::source(&array.elem));
        return Some(wrong_length(value, wanted, found, &ty));
    }
    match value {
        Expr::Array(rows) => {
            let mut rows = rows.elems.iter();
            rows.find_map(|row| other_length(Some(&array.elem), row))
        }
        Expr::Repeat(repeat) => other_length(Some(&array.elem), &repeat.expr),
        _ => None,
    }
}

fn wrong_length(value: &Expr, wanted: usize, found: usize, or: &str) -> syn::Error {
    messages::WRONG_LENGTH.at(value, &[&wanted, &found, &or])
}

/// A literal.
fn number(expr: &Expr) -> Option<usize> {
    match unparenthesized(expr) {
        Expr::Lit(ExprLit {
            lit: Lit::Int(lit), ..
        }) => lit.base10_parse().ok(),
        _ => None,
    }
}

/// Whether a function of the prelude that gives a tuple gives three numbers.
fn has_three_parts(function: &str) -> bool {
    function.ends_with("3d")
}

/// What one may call the parts of the tuple that a function of the prelude gives.
pub(super) fn names_of_parts(function: &str) -> &'static str {
    match has_three_parts(function) {
        true => "x, y, z",
        false => "x, y",
    }
}
