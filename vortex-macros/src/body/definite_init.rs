//! `let x;`: whether the local has a value wherever it is read, and gets only one if it is not `mut`. rustc cannot
//! say so of the rewritten body, where a branch is a closure.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprClosure, ExprIf, ExprMatch, Label, Lifetime, Macro, Pat, PatIdent, Stmt,
};

use super::{meaning, refers_to};
use crate::messages;

/// What is wrong with the use of a local in the statements after its declaration.
pub(super) fn complaints(name: &Ident, mutable: bool, after: &[Stmt]) -> Vec<syn::Error> {
    let mut flow = Flow {
        name,
        mutable,
        state: State {
            surely: false,
            perhaps: false,
        },
        targets: Vec::new(),
        unassigned: None,
        again: None,
    };
    flow.statements(after);
    [flow.unassigned, flow.again]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether the local has a value here.
#[derive(Clone, Copy)]
struct State {
    surely: bool,
    perhaps: bool,
}

impl State {
    /// Behind a jump: on no way.
    const NEVER: Self = Self {
        surely: true,
        perhaps: false,
    };

    fn or(self, other: Self) -> Self {
        Self {
            surely: self.surely && other.surely,
            perhaps: self.perhaps || other.perhaps,
        }
    }
}

/// A loop or a block that jumps leave or repeat.
struct Target {
    label: Option<Lifetime>,
    is_loop: bool,
    /// Where it is left, and where it is repeated.
    left: State,
    repeated: State,
}

struct Flow<'a> {
    name: &'a Ident,
    mutable: bool,
    state: State,
    targets: Vec<Target>,
    /// The first mistake of either kind.
    unassigned: Option<syn::Error>,
    again: Option<syn::Error>,
}

impl Flow<'_> {
    fn names(&self, expr: &Expr) -> bool {
        refers_to(expr, self.name)
    }

    fn read(&mut self, at: &Expr) {
        if !self.state.surely {
            let error = || messages::UNASSIGNED.at(at, &[self.name]);
            self.unassigned.get_or_insert_with(error);
        }
    }

    fn assigned(&mut self, at: &Expr) {
        if self.state.perhaps && !self.mutable {
            let error = || messages::ASSIGNED_TWICE.at(at, &[self.name]);
            self.again.get_or_insert_with(error);
        }
        self.state = State {
            surely: true,
            perhaps: true,
        };
    }

    /// What `f` does from `state` on, and the state then.
    fn from(&mut self, state: State, f: impl FnOnce(&mut Self)) -> State {
        self.state = state;
        f(self);
        self.state
    }

    fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.visit_stmt(stmt);
            // Another local of the name.
            if let Stmt::Local(local) = stmt
                && binds(&local.pat, self.name)
            {
                return;
            }
        }
    }

    /// What jumps can leave; what comes after it is what `left` and the end come to.
    fn target(
        &mut self,
        label: Option<&Label>,
        is_loop: bool,
        left: State,
        body: impl FnOnce(&mut Self),
    ) -> Target {
        self.targets.push(Target {
            label: label.map(|label| label.name.clone()),
            is_loop,
            left,
            repeated: State::NEVER,
        });
        body(self);
        let target = self.targets.pop();
        target.unwrap_or(Target {
            label: None,
            is_loop,
            left,
            repeated: State::NEVER,
        })
    }

    /// A loop: first to learn what is known where an iteration begins, then to tell what is wrong.
    fn repeated(&mut self, label: Option<&Label>, endless: bool, iteration: impl Fn(&mut Self)) {
        let before = self.state;
        let known = (self.unassigned.take(), self.again.take());
        let left = if endless { State::NEVER } else { before };
        let first = self.target(label, true, left, &iteration);
        let turned = self.state.or(first.repeated);
        (self.unassigned, self.again) = known;
        self.state = State {
            surely: before.surely,
            perhaps: before.perhaps || turned.perhaps,
        };
        let left = if endless { State::NEVER } else { self.state };
        let second = self.target(label, true, left, iteration);
        self.state = second.left;
    }

    fn jump(&mut self, label: Option<&Lifetime>, repeats: bool) {
        let state = self.state;
        let target = self.targets.iter_mut().rev().find(|target| match label {
            Some(label) => target
                .label
                .as_ref()
                .is_some_and(|own| own.ident == label.ident),
            None => target.is_loop,
        });
        match target {
            Some(target) if repeats => target.repeated = target.repeated.or(state),
            Some(target) => target.left = target.left.or(state),
            None => {}
        }
        self.state = State::NEVER;
    }

    fn conditional(&mut self, conditional: &ExprIf) {
        self.visit_expr(&conditional.cond);
        let before = self.state;
        let then = match binds_in_condition(&conditional.cond, self.name) {
            true => before,
            false => self.from(before, |flow| flow.visit_block(&conditional.then_branch)),
        };
        let otherwise = match &conditional.else_branch {
            Some((_, otherwise)) => self.from(before, |flow| flow.visit_expr(otherwise)),
            None => before,
        };
        self.state = then.or(otherwise);
    }

    fn matching(&mut self, matching: &ExprMatch) {
        self.visit_expr(&matching.expr);
        let before = self.state;
        let arms = matching
            .arms
            .iter()
            .map(|arm| match binds(&arm.pat, self.name) {
                true => before,
                false => self.from(before, |flow| visit::visit_arm(flow, arm)),
            });
        let after = arms.reduce(State::or);
        self.state = after.unwrap_or(State::NEVER);
    }
}

impl<'ast> Visit<'ast> for Flow<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(_) if self.names(expr) => self.read(expr),
            Expr::Assign(assign) => {
                self.visit_expr(&assign.right);
                match self.names(&assign.left) {
                    true => self.assigned(&assign.left),
                    false => self.visit_expr(&assign.left),
                }
            }
            Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                self.visit_expr(&binary.left);
                let left = self.state;
                let right = self.from(left, |flow| flow.visit_expr(&binary.right));
                self.state = left.or(right);
            }
            Expr::Binary(binary) if super::expr::operator_of_assignment(&binary.op).is_some() => {
                self.visit_expr(&binary.right);
                self.visit_expr(&binary.left);
                if self.names(&binary.left) {
                    self.assigned(&binary.left);
                }
            }
            Expr::Reference(reference)
                if reference.mutability.is_some() && self.names(&reference.expr) =>
            {
                self.visit_expr(&reference.expr);
                self.assigned(expr);
            }
            Expr::If(conditional) => self.conditional(conditional),
            Expr::Match(matching) => self.matching(matching),
            Expr::While(inner) => self.repeated(inner.label.as_ref(), false, |flow| {
                flow.visit_expr(&inner.cond);
                if let Some(target) = flow.targets.last_mut() {
                    target.left = target.left.or(flow.state);
                }
                if !binds_in_condition(&inner.cond, flow.name) {
                    flow.visit_block(&inner.body);
                }
            }),
            Expr::ForLoop(inner) => {
                self.visit_expr(&inner.expr);
                self.repeated(inner.label.as_ref(), false, |flow| {
                    if !binds(&inner.pat, flow.name) {
                        flow.visit_block(&inner.body);
                    }
                });
            }
            Expr::Loop(inner) => self.repeated(inner.label.as_ref(), true, |flow| {
                flow.visit_block(&inner.body);
            }),
            Expr::Block(inner) => match &inner.label {
                Some(label) => {
                    let body = |flow: &mut Self| flow.visit_block(&inner.block);
                    let left = self.target(Some(label), false, State::NEVER, body).left;
                    self.state = self.state.or(left);
                }
                None => self.visit_block(&inner.block),
            },
            Expr::Break(jump) => {
                visit::visit_expr_break(self, jump);
                self.jump(jump.label.as_ref(), false);
            }
            Expr::Continue(jump) => self.jump(jump.label.as_ref(), true),
            Expr::Return(jump) => {
                visit::visit_expr_return(self, jump);
                self.state = State::NEVER;
            }
            expr => visit::visit_expr(self, expr),
        }
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        if closure.inputs.iter().any(|input| binds(input, self.name)) {
            return;
        }
        let before = self.state;
        let targets = std::mem::take(&mut self.targets);
        let after = self.from(before, |flow| flow.visit_expr(&closure.body));
        self.targets = targets;
        self.state = before.or(after);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let Some(init) = &local.init else { return };
        self.visit_expr(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            let before = self.state;
            self.visit_expr(otherwise);
            self.state = before;
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.statements(&block.stmts);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        if let Some(name) = mentioned(mac.tokens.clone(), self.name) {
            self.read(&Expr::Verbatim(name.into()));
        }
        if meaning::diverges(mac) {
            self.state = State::NEVER;
        }
    }
}

/// Where a name stands among tokens.
fn mentioned(tokens: TokenStream, name: &Ident) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == *name => Some(TokenTree::Ident(ident)),
        TokenTree::Group(group) => mentioned(group.stream(), name),
        // A text: `{name}`, `{name:?}`.
        TokenTree::Literal(text) => {
            let shown = [format!("{{{name}}}"), format!("{{{name}:")];
            let source = text.to_string();
            let shows = shown.iter().any(|shown| source.contains(shown));
            shows.then(|| TokenTree::Literal(text))
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) => None,
    })
}

/// Whether a pattern declares this name.
pub(super) fn binds(pat: &Pat, name: &Ident) -> bool {
    struct Finder<'a>(&'a Ident, bool);

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_pat_ident(&mut self, ident: &'ast PatIdent) {
            self.1 |= ident.ident == *self.0;
            visit::visit_pat_ident(self, ident);
        }
    }

    let mut finder = Finder(name, false);
    finder.visit_pat(pat);
    finder.1
}

/// Whether a `let` in a condition does.
pub(super) fn binds_in_condition(condition: &Expr, name: &Ident) -> bool {
    match condition {
        Expr::Let(condition) => binds(&condition.pat, name),
        Expr::Binary(binary) => {
            binds_in_condition(&binary.left, name) || binds_in_condition(&binary.right, name)
        }
        Expr::Paren(paren) => binds_in_condition(&paren.expr, name),
        _ => false,
    }
}
