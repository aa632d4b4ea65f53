//! The types of a struct's fields: one that cannot lie in memory is an error where it is written, and nothing is said
//! of what is made of it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{DataStruct, GenericParam, Generics, Type, TypeParam};

use crate::generics::mentions;
use crate::runtime::Runtime;
use crate::{spans, types, valid};

pub(super) struct FieldTypes<'d> {
    /// As the implementations name them, in order.
    pub(super) named: Vec<TokenStream>,
    /// What declares these names.
    pub(super) declared: TokenStream,
    /// Those that parameters of the struct are part of, each once: whether they can lie in memory depends on these.
    pub(super) dependent: Vec<&'d Type>,
    /// The others that rustc has to check, with their names.
    checked: Vec<(&'d Type, Ident)>,
}

impl<'d> FieldTypes<'d> {
    pub(super) fn of(data: &'d DataStruct, generics: &Generics, v: &Runtime) -> Self {
        let mut fields = Self {
            named: Vec::new(),
            declared: TokenStream::new(),
            dependent: Vec::new(),
            checked: Vec::new(),
        };
        for field in &data.fields {
            let named = fields.name(&field.ty, generics, v);
            fields.named.push(named);
        }
        fields
    }

    fn name(&mut self, ty: &'d Type, generics: &Generics, v: &Runtime) -> TokenStream {
        match types::bare(ty) {
            Type::Array(array) => {
                let (elem, len) = (self.name(&array.elem, generics, v), &array.len);
                quote_spanned!(Span::mixed_site()=> [#elem; #len])
            }
            ty if valid::is_known_scalar(ty) => ty.to_token_stream(),
            ty if mentions(ty, generics) => {
                if !self.dependent.contains(&ty) {
                    self.dependent.push(ty);
                }
                ty.to_token_stream()
            }
            ty => match self.checked.iter().find(|(known, _)| *known == ty) {
                Some((_, name)) => name.to_token_stream(),
                None => self.check(ty, v).into_token_stream(),
            },
        }
    }

    /// Declares a name for a type that rustc has to check.
    ///
    /// The check is in the length of an array, which is computed once: so it is one error, and the name is in error
    /// then, too.
    fn check(&mut self, ty: &'d Type, v: &Runtime) -> Ident {
        let span = Span::mixed_site().located_at(spans::first(ty));
        let root = v.root(span);
        let name = format_ident!("__Field{}", self.checked.len(), span = Span::mixed_site());
        let check = match valid::is_named_as_a_time(ty) {
            true => quote_spanned!(span=> TimeInMemory),
            false => quote_spanned!(span=> InMemory),
        };
        self.declared.extend(quote_spanned! {span=>
            type #name = <[(); <#ty as #root::#check>::CHECKED] as #root::Checked<#ty>>::This;
        });
        self.checked.push((ty, name.clone()));
        name
    }
}

/// Whether a field is there for rustc alone.
pub(super) fn is_marker(ty: &Type) -> bool {
    matches!(types::bare(ty), Type::Path(path) if types::argument_of("PhantomData", path).is_some())
}

/// Whether a parameter is part of nothing that lies in memory: no field but markers names it.
pub(super) fn is_of_markers(param: &TypeParam, data: &DataStruct) -> bool {
    let alone = Generics {
        params: [GenericParam::Type(param.clone())].into_iter().collect(),
        ..Generics::default()
    };
    let mut others = data.fields.iter().filter(|field| !is_marker(&field.ty));
    !others.any(|field| mentions(&field.ty, &alone))
}
