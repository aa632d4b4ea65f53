//! Mistakes in code, in the places where `cargo mutants` makes them, too:
//!
//! * operators: `<` for `<=`, `==` and `>`, `==` for `!=`, `&&` for `||`, `+` for `-` and `*`, shifts, bits;
//! * `!` and `-` in front of something left out, conditions of `if` turned round;
//! * guards of arms that always or never hold, and arms left out where there is a `_`;
//! * arms without bindings that do what the next one does;
//! * functions that return at once: `true`, `false`, `None`, `Ok(())`, 0, 1, nothing.
//!
//! Not in tests, patterns, `const fn` and whatever else is computed when it is compiled. In calls of macros only where
//! those are given expressions.

use crate::List;
use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, BinOp, Block, Expr, Pat, PatGuard, Signature, Token, Type, UnOp, parse_quote,
};

/// The text of a file with all its mistakes in it.
pub(super) fn change(text: &str, list: &mut List) -> syn::Result<String> {
    let mut tree = syn::parse_file(text)?;
    Mutants { list }.visit_file_mut(&mut tree);
    Ok(tree.to_token_stream().to_string())
}

struct Mutants<'a> {
    list: &'a mut List,
}

/// What may be there instead of an operator. `&&` and `||` are made by themselves.
fn instead(op: &BinOp) -> Vec<BinOp> {
    match op {
        BinOp::Lt(_) => vec![parse_quote!(<=), parse_quote!(==), parse_quote!(>)],
        BinOp::Le(_) => vec![parse_quote!(<), parse_quote!(>)],
        BinOp::Gt(_) => vec![parse_quote!(>=), parse_quote!(==), parse_quote!(<)],
        BinOp::Ge(_) => vec![parse_quote!(>), parse_quote!(<)],
        BinOp::Eq(_) => vec![parse_quote!(!=)],
        BinOp::Ne(_) => vec![parse_quote!(==)],
        BinOp::Add(_) => vec![parse_quote!(-), parse_quote!(*)],
        BinOp::Sub(_) => vec![parse_quote!(+), parse_quote!(/)],
        BinOp::Mul(_) => vec![parse_quote!(+), parse_quote!(/)],
        BinOp::Div(_) => vec![parse_quote!(%), parse_quote!(*)],
        BinOp::Rem(_) => vec![parse_quote!(/), parse_quote!(+)],
        BinOp::BitAnd(_) => vec![parse_quote!(|), parse_quote!(^)],
        BinOp::BitOr(_) => vec![parse_quote!(&), parse_quote!(^)],
        BinOp::BitXor(_) => vec![parse_quote!(|), parse_quote!(&)],
        BinOp::Shl(_) => vec![parse_quote!(>>)],
        BinOp::Shr(_) => vec![parse_quote!(<<)],
        _ => vec![],
    }
}

fn is_comparison(op: &BinOp) -> bool {
    use BinOp as B;
    matches!(
        op,
        B::Lt(_) | B::Le(_) | B::Gt(_) | B::Ge(_) | B::Eq(_) | B::Ne(_)
    )
}

/// What a function may return at once.
fn results(output: &syn::ReturnType) -> Vec<Expr> {
    let ty = match output {
        syn::ReturnType::Default => return vec![parse_quote!(())],
        syn::ReturnType::Type(_, ty) => ty.to_token_stream().to_string(),
    };
    match ty.as_str() {
        "bool" => vec![parse_quote!(true), parse_quote!(false)],
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => {
            vec![parse_quote!(0), parse_quote!(1)]
        }
        "Result < () , String >"
        | "Result < () , Box < Fault > >"
        | "Result < () , CompileError >" => {
            vec![parse_quote!(Ok(()))]
        }
        _ if ty.starts_with("Option <") => vec![parse_quote!(None)],
        _ => vec![],
    }
}

/// Whether it is, or has at its top, `let PATTERN = ..`, which can stand in conditions only.
fn binds(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

/// Whether a pattern is a name of something that is known, or several: none that binds.
fn is_of_names(pattern: &Pat) -> bool {
    match pattern {
        Pat::Path(path) => path.path.segments.len() > 1,
        Pat::Lit(_) => true,
        Pat::Or(or) => or.cases.iter().all(is_of_names),
        _ => false,
    }
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    let mut texts = attributes.iter().map(|a| a.to_token_stream().to_string());
    texts.any(|text| text.contains("cfg (test)") || text.contains("# [test]"))
}

impl Mutants<'_> {
    fn add(&mut self, at: Span, what: &str) -> u32 {
        self.list.add(at.start().line, what)
    }

    fn function(&mut self, signature: &Signature, block: &mut Block) {
        if signature.constness.is_some() {
            return;
        }
        self.visit_block_mut(block);
        for result in results(&signature.output) {
            let what = format!("{} => {}", signature.ident, result.to_token_stream());
            let number = self.add(signature.ident.span(), &what);
            block.stmts.insert(
                0,
                parse_quote!(if crate::mutant::is(#number) { return #result; }),
            );
        }
    }

    /// `left && right`, `left || right`: whichever the operator is, the right side is written once.
    fn lazy(&mut self, binary: &syn::ExprBinary) -> Option<Expr> {
        let (left, right) = (&binary.left, &binary.right);
        let (other, op): (_, BinOp) = match binary.op {
            BinOp::And(_) => ("||", parse_quote!(==)),
            BinOp::Or(_) => ("&&", parse_quote!(!=)),
            _ => return None,
        };
        let what = format!("{} => {other}", binary.op.to_token_stream());
        let number = self.add(binary.op.span(), &what);
        Some(parse_quote!({
            let is_so: bool = #left;
            if is_so #op crate::mutant::is(#number) { is_so } else { #right }
        }))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Option<Expr> {
        let (left, op, right) = (&binary.left, &binary.op, &binary.right);
        let others = instead(op);
        if others.is_empty() {
            return None;
        }
        let mut chosen = quote!({ left #op right });
        for other in others {
            let number = self.add(op.span(), &quote!(#op => #other).to_string());
            chosen = quote!({ if crate::mutant::is(#number) { left #other right } else #chosen });
        }
        // Operands are evaluated once, and written once.
        Some(if is_comparison(op) {
            parse_quote!((match (&(#left), &(#right)) { (left, right) => #chosen }))
        } else {
            parse_quote!((match (#left, #right) { (left, right) => #chosen }))
        })
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Option<Expr> {
        let (op, inner) = (&unary.op, &unary.expr);
        let is_wanted = match op {
            UnOp::Not(_) => true,
            UnOp::Neg(_) => !matches!(**inner, Expr::Lit(_)),
            _ => false,
        };
        if !is_wanted || binds(inner) {
            return None;
        }
        let number = self.add(op.span(), &quote!(#op #inner => #inner).to_string());
        Some(parse_quote! {
            (match #inner { inner => if crate::mutant::is(#number) { inner } else { #op inner } })
        })
    }

    fn arm(&mut self, arm: &mut Arm, next: Option<&Expr>, has_rest: bool) {
        let (pattern, span) = (arm.pat.to_token_stream(), arm.pat.span());
        if let Pat::Guard(guarded) = &mut arm.pat {
            let guard = &mut guarded.guard;
            if !binds(guard) {
                let never = self.add(span, &format!("{pattern} if .. => if false"));
                let always = self.add(span, &format!("{pattern} if .. => if true"));
                **guard = parse_quote! {
                    !crate::mutant::is(#never) && (crate::mutant::is(#always) || (#guard))
                };
            }
        } else if has_rest && !matches!(arm.pat, Pat::Wild(_)) {
            let number = self.add(span, &format!("{pattern} => .. left out"));
            arm.pat = Pat::Guard(PatGuard {
                attrs: Vec::new(),
                pat: Box::new(arm.pat.clone()),
                if_token: Default::default(),
                guard: parse_quote!(!crate::mutant::is(#number)),
            });
        }
        if let Some(next) = next {
            let number = self.add(span, &format!("{pattern} => as the next"));
            let body = &arm.body;
            *arm.body = parse_quote!(if crate::mutant::is(#number) { #next } else { #body });
        }
    }
}

impl VisitMut for Mutants<'_> {
    fn visit_item_fn_mut(&mut self, item: &mut syn::ItemFn) {
        if !is_of_tests(&item.attrs) {
            self.function(&item.sig, &mut item.block);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        self.function(&item.sig, &mut item.block);
    }

    fn visit_item_mod_mut(&mut self, item: &mut syn::ItemMod) {
        if !is_of_tests(&item.attrs) {
            visit_mut::visit_item_mod_mut(self, item);
        }
    }

    fn visit_item_const_mut(&mut self, _: &mut syn::ItemConst) {}

    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}

    fn visit_item_static_mut(&mut self, _: &mut syn::ItemStatic) {}

    fn visit_expr_const_mut(&mut self, _: &mut syn::ExprConst) {}

    fn visit_type_mut(&mut self, _: &mut Type) {}

    fn visit_path_mut(&mut self, _: &mut syn::Path) {}

    fn visit_angle_bracketed_generic_arguments_mut(
        &mut self,
        _: &mut syn::AngleBracketedGenericArguments,
    ) {
    }

    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        if let Pat::Guard(guarded) = pattern {
            self.visit_expr_mut(&mut guarded.guard);
        }
    }

    fn visit_expr_repeat_mut(&mut self, item: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut item.expr);
    }

    fn visit_macro_mut(&mut self, item: &mut syn::Macro) {
        if item.path.is_ident("matches") {
            return;
        }
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut operands) = item.parse_body_with(parser) {
            operands
                .iter_mut()
                .for_each(|operand| self.visit_expr_mut(operand));
            item.tokens = operands.to_token_stream();
        }
    }

    fn visit_expr_if_mut(&mut self, item: &mut syn::ExprIf) {
        // What is turned round in others is their operator.
        let turns = !binds(&item.cond) && !matches!(*item.cond, Expr::Binary(_) | Expr::Unary(_));
        let (text, span) = (item.cond.to_token_stream().to_string(), item.cond.span());
        visit_mut::visit_expr_if_mut(self, item);
        if turns {
            let number = self.add(span, &format!("if {text} => if !({text})"));
            let condition = &item.cond;
            *item.cond = parse_quote!((crate::mutant::is(#number) != (#condition)));
        }
    }

    fn visit_expr_match_mut(&mut self, item: &mut syn::ExprMatch) {
        visit_mut::visit_expr_match_mut(self, item);
        let is_rest = |arm: &Arm| matches!(arm.pat, Pat::Wild(_));
        let has_rest = item.arms.iter().any(is_rest);
        let bodies: Vec<_> = item.arms.iter().map(|arm| arm.body.clone()).collect();
        let names: Vec<_> = item.arms.iter().map(|arm| is_of_names(&arm.pat)).collect();
        for (at, arm) in item.arms.iter_mut().enumerate() {
            let both = names[at] && names.get(at + 1) == Some(&true);
            let next = bodies.get(at + 1).filter(|_| both);
            self.arm(arm, next.map(|body| &**body), has_rest);
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let changed = match expr {
            Expr::Binary(binary) if !binds(&binary.left) && !binds(&binary.right) => {
                self.lazy(binary).or_else(|| self.binary(binary))
            }
            Expr::Unary(unary) => self.unary(unary),
            _ => None,
        };
        if let Some(changed) = changed {
            *expr = changed;
        }
    }
}
