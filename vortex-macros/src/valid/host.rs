//! What a device function cannot do that is one of the host, too.

use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, FnArg, ItemFn, Type};

use super::{Complaints, is_arrival, last_two, source};
use crate::messages;
use crate::types;
use crate::types::bare;

/// Complains of all that only a kernel has.
pub(crate) fn on_the_host(function: &ItemFn, complaints: &mut Complaints) {
    for input in &function.sig.inputs {
        if let FnArg::Typed(input) = input
            && is_of_the_device(&input.ty)
        {
            complaints.push(messages::HOST_PARAMETER.at(&input.ty, &[&source(&input.ty)]));
        }
    }
    Finder(complaints).visit_block(&function.block);
}

fn is_of_the_device(ty: &Type) -> bool {
    let ty = match bare(ty) {
        Type::Reference(reference) => &reference.elem,
        ty => ty,
    };
    types::local_memory(ty).is_some() || types::texture(ty).is_some() || types::tensor(ty).is_some()
}

struct Finder<'a>(&'a mut Complaints);

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        visit::visit_expr_call(self, call);
        let Expr::Path(path) = &*call.func else {
            return;
        };
        let Some(last) = path.path.segments.last().map(|last| last.ident.to_string()) else {
            return;
        };
        let is_of_groups = last_two(&path.path).is_some_and(|(module, _)| module == "group");
        if is_of_groups || is_arrival(path) || last == "barrier" || last == "local" {
            let error = messages::HOST_CALL.at(&call.func, &[&source(&call.func)]);
            self.0.push(error);
        }
    }
}
