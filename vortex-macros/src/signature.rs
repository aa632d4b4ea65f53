//! A typed model of a kernel's signature.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{
    Attribute, Block, FnArg, Generics, ItemFn, Pat, PatType, Path, PointerMutability, Safety,
    Token, Type, Visibility,
};

use crate::attr::{self, Arguments, Attributes, Layout};
use crate::generics::{self, Parameter};
use crate::runtime::Runtime;
use crate::types::bare;
use crate::valid::{self, Complaints};
use crate::{messages, spans, staged, types};

/// A function that can be a kernel.
pub(crate) struct Kernel {
    pub(crate) attributes: Attributes,
    pub(crate) vis: Visibility,
    pub(crate) unsafety: Option<Token![unsafe]>,
    pub(crate) name: Ident,
    /// Where the signature ends.
    pub(crate) end: Span,
    /// With the bounds that the device asks for; empty for most.
    pub(crate) generics: Generics,
    /// The traits of operators that bound these for the user.
    pub(crate) operators: Vec<Path>,
    /// Whether there are type parameters, be they of an `impl` around it.
    pub(crate) has_types: bool,
    /// The type parameters, with what the user asks of them.
    pub(crate) parameters: Vec<Parameter>,
    /// The parameters of a device function that are names, with their types.
    pub(crate) typed: Vec<(Ident, Type)>,
    pub(crate) params: Vec<Param>,
    /// Whether it is a function of a type or a trait: its name alone is that of another then.
    pub(crate) is_of_a_block: bool,
    /// What that has that is called by `self.`, if the function has a `self`.
    pub(crate) methods: Vec<String>,
    /// The names of the parameters that could not be read.
    pub(crate) unread: Vec<Pat>,
    pub(crate) body: Block,
}

/// A parameter of a function by its name, with its type.
fn named(input: &FnArg) -> Option<(Ident, Type)> {
    match input {
        FnArg::Typed(input) => match &*input.pat {
            Pat::Ident(name) => Some((name.ident.clone(), (*input.ty).clone())),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    }
}

/// One parameter.
pub(crate) struct Param {
    pub(crate) mutability: Option<Token![mut]>,
    pub(crate) name: Ident,
    pub(crate) kind: ParamKind,
    pub(crate) lints: Vec<Attribute>,
    /// Its type depends on the kernel's generic parameters.
    pub(crate) is_generic: bool,
}

/// How an argument reaches the device. The types are the user's tokens.
pub(crate) enum ParamKind {
    /// A scalar by value.
    Scalar(Type),
    /// By value: a struct, an enum, an array, or a name that only rustc can look up.
    Value(Type),
    /// `#[comptime]`: by value, to the compiler.
    Comptime(Type),
    /// `&[T]`, `&mut [T]`.
    Slice { mutable: bool, elem: Type },
    /// `*const T`, `*mut T`.
    Pointer { mutable: bool, elem: Type },
    /// `&mut Local<[T]>`.
    Local(Type),
    /// `&Texture<T>`, `&mut Texture<T, 3>`.
    Texture {
        mutable: bool,
        /// What the host calls it, without what is between the angle brackets.
        path: Path,
        texel: Type,
        axes: TokenStream,
    },
    /// `&Tensor<T, M, N>`, `&mut Tensor<T>`.
    Tensor {
        mutable: bool,
        /// What the host calls it, without what is between the angle brackets.
        path: Path,
        elem: Type,
        extents: TokenStream,
        layout: Option<Layout>,
    },
}

impl Kernel {
    /// Reads a function; what cannot be read has been complained of, and is left out.
    pub(crate) fn read(mut function: ItemFn, v: &Runtime, complaints: &mut Complaints) -> Self {
        valid::group_attributes(&mut function.attrs, complaints);
        valid::attributes(&mut function.attrs, complaints);
        valid::signature(&function, complaints);
        valid::bounds_of_operators(&function.sig, complaints);
        let (generics, operators) = generics::read(&function, v);
        let parameters = generics::parameters(&function.sig.generics);
        let has_types = generics.type_params().next().is_some();
        let ItemFn {
            attrs,
            vis,
            sig,
            block,
            ..
        } = function;
        let (mut params, mut unread) = (Vec::new(), Vec::new());
        for input in &sig.inputs {
            let FnArg::Typed(input) = input else {
                continue;
            };
            if let Some(error) = valid::length_by_parameter(&input.ty, &sig) {
                complaints.push(error);
                unread.push((*input.pat).clone());
                continue;
            }
            match Param::read(input, &generics, v, complaints) {
                Some(param) => params.push(param),
                None => unread.push((*input.pat).clone()),
            }
        }
        let kernel = Self {
            attributes: Attributes::sort(attrs),
            vis,
            unsafety: match sig.safety {
                Safety::Unsafe(token) => Some(token),
                Safety::Safe(_) | Safety::Default => None,
            },
            name: sig.ident,
            end: sig.paren_token.span.close(),
            generics,
            operators,
            has_types,
            parameters,
            typed: Vec::new(),
            params,
            is_of_a_block: false,
            methods: Vec::new(),
            unread,
            body: *block,
        };
        let names = kernel.params.iter();
        let names = names.map(|param| (&param.name, param.plain_name()));
        valid::distinct_names(names, complaints);
        kernel
    }

    /// With `checks = "none"` the host call is `unsafe`, as of an `unsafe fn`.
    pub(crate) fn launched_by(mut self, arguments: &Arguments) -> Self {
        if let Some(checks) = arguments
            .value("checks")
            .filter(|checks| checks.is_unchecked())
        {
            let span = spans::first(checks);
            self.unsafety.get_or_insert(Token![unsafe](span));
        }
        self
    }

    /// A device function as far as its body's rewriting is concerned: its parameters are not here.
    pub(crate) fn of_function(mut function: ItemFn, complaints: &mut Complaints) -> Self {
        valid::attributes_of_function(&mut function.attrs, complaints);
        let sig = function.sig;
        Self {
            attributes: Attributes::sort(function.attrs),
            vis: function.vis,
            unsafety: match sig.safety {
                Safety::Unsafe(token) => Some(token),
                Safety::Safe(_) | Safety::Default => None,
            },
            name: sig.ident,
            end: sig.paren_token.span.close(),
            generics: Generics::default(),
            operators: Vec::new(),
            has_types: sig.generics.type_params().next().is_some(),
            parameters: generics::parameters(&sig.generics),
            typed: sig.inputs.iter().filter_map(named).collect(),
            params: Vec::new(),
            is_of_a_block: false,
            methods: Vec::new(),
            unread: Vec::new(),
            body: *function.block,
        }
    }

    /// The parameters that are arguments of the device's, with their numbers.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (usize, &Param)> {
        let arguments = self.params.iter().filter(|param| !param.is_comptime());
        arguments.enumerate()
    }

    /// Whether there are `#[comptime]` parameters.
    pub(crate) fn has_comptime(&self) -> bool {
        self.params.iter().any(Param::is_comptime)
    }

    /// Whether there is an image for each of several types or constants.
    pub(crate) fn is_generic(&self) -> bool {
        !self.generics.params.is_empty()
    }

    /// Whether there is a `&mut [T]`, for whose elements `over_each` makes work items.
    pub(crate) fn has_mutable_slice(&self) -> bool {
        self.params
            .iter()
            .any(|param| matches!(param.kind, ParamKind::Slice { mutable: true, .. }))
    }

    /// Whether a host buffer is borrowed for the launch.
    pub(crate) fn borrows(&self) -> bool {
        self.params.iter().any(|param| {
            matches!(
                param.kind,
                ParamKind::Slice { .. } | ParamKind::Texture { .. } | ParamKind::Tensor { .. }
            )
        })
    }
}

impl Param {
    fn read(
        input: &PatType,
        generics: &Generics,
        v: &Runtime,
        complaints: &mut Complaints,
    ) -> Option<Self> {
        valid::parameter_attributes(&input.attrs, &input.pat, complaints);
        let told = complaints.len();
        let kind = match valid::is_comptime(&input.attrs) {
            true => valid::comptime_parameter(&input.ty, complaints).map(ParamKind::Comptime),
            false => ParamKind::read(&input.ty, v, complaints),
        };
        let name = match &*input.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat),
            // What is wrong with the type often is with the pattern: `(a, b): (f32, f32)`.
            _ if complaints.len() > told => None,
            pat => {
                valid::parameter_pattern(pat, complaints);
                None
            }
        };
        let mut kind = kind?;
        match &mut kind {
            ParamKind::Tensor { layout, .. } => *layout = Layout::of(&input.attrs, complaints),
            _ => valid::no_layout(&input.attrs, complaints),
        }
        let name = name?;
        if let (ParamKind::Comptime(_), Some(mutability)) = (&kind, name.mutability) {
            complaints.push(messages::COMPTIME_MUT.at(mutability, &[&name.ident]));
        }
        Some(Self {
            mutability: name.mutability,
            name: name.ident.clone(),
            is_generic: generics::mentions(&input.ty, generics),
            lints: attr::lints(&input.attrs),
            kind,
        })
    }

    pub(crate) fn is_comptime(&self) -> bool {
        matches!(self.kind, ParamKind::Comptime(_))
    }

    /// Whether a type of the host says what it can be made of.
    fn is_texture_or_tensor(&self) -> bool {
        matches!(
            self.kind,
            ParamKind::Texture { .. } | ParamKind::Tensor { .. }
        )
    }

    /// The parameters of whatever is generic over what this is made of.
    pub(crate) fn made_of(&self, v: &Runtime) -> TokenStream {
        let ty = self.scalar(v);
        match &self.kind {
            ParamKind::Texture { axes, .. } => quote!(#ty, #axes),
            ParamKind::Tensor { extents, .. } => quote!(#ty, #extents),
            _ => ty,
        }
    }

    /// The name as the metadata has it: without `r#`.
    pub(crate) fn plain_name(&self) -> String {
        self.name.unraw().to_string()
    }

    /// The type that is passed or pointed to, in a form that rustc complains of only once.
    pub(crate) fn scalar(&self, v: &Runtime) -> TokenStream {
        let ty = self.kind.ty();
        let is_known = valid::is_known_scalar(ty) && !self.is_texture_or_tensor();
        let span = spans::first(ty);
        let ty = staged::in_memory(ty, v);
        if self.is_generic || is_known {
            return ty;
        }
        let v = v.root(span);
        match self.kind {
            ParamKind::Slice { .. } | ParamKind::Pointer { .. } | ParamKind::Local(_) => {
                quote_spanned!(span=> <#ty as #v::InMemory>::This)
            }
            ParamKind::Texture { .. } => quote_spanned!(span=> <#ty as #v::InTexture>::This),
            ParamKind::Tensor { .. } => quote_spanned!(span=> <#ty as #v::InTensor>::This),
            ParamKind::Comptime(_) => quote_spanned!(span=> <#ty as #v::Comptime>::This),
            ParamKind::Scalar(_) | ParamKind::Value(_) => {
                quote_spanned!(span=> <#ty as #v::ByValue>::This)
            }
        }
    }

    /// Whether its size depends on a type that the user names, and so is known to rustc only: an alias can be spelled
    /// as anything.
    pub(crate) fn is_of_any_type(&self) -> bool {
        matches!(self.kind, ParamKind::Scalar(_) | ParamKind::Value(_))
    }

    /// Where its type stands.
    pub(crate) fn type_span(&self) -> Span {
        spans::first(self.kind.ty())
    }
}

impl ParamKind {
    /// The type that is passed or pointed to.
    fn ty(&self) -> &Type {
        match self {
            Self::Scalar(ty) | Self::Value(ty) | Self::Comptime(ty) | Self::Local(ty) => ty,
            Self::Slice { elem, .. } | Self::Pointer { elem, .. } | Self::Tensor { elem, .. } => {
                elem
            }
            Self::Texture { texel, .. } => texel,
        }
    }

    fn read(ty: &Type, v: &Runtime, complaints: &mut Complaints) -> Option<Self> {
        match ty {
            Type::Paren(ty) => Self::read(&ty.elem, v, complaints),
            Type::Group(ty) => Self::read(&ty.elem, v, complaints),
            Type::Reference(reference) => match bare(&reference.elem) {
                Type::Slice(slice) if reference.lifetime.is_none() => {
                    let elem = valid::element(&slice.elem, complaints)?;
                    Some(Self::Slice {
                        mutable: reference.mutability.is_some(),
                        elem,
                    })
                }
                elem if types::local_memory(elem).is_some() => {
                    let elem = valid::local_parameter(ty, elem, complaints)?;
                    Some(Self::Local(valid::element(&elem, complaints)?))
                }
                elem if let Some(tensor) = types::tensor(elem)
                    && reference.lifetime.is_none() =>
                {
                    valid::tensor(&tensor, complaints).then(|| Self::Tensor {
                        mutable: reference.mutability.is_some(),
                        extents: tensor.extents(v),
                        elem: tensor.elem.clone(),
                        path: tensor.path,
                        layout: None,
                    })
                }
                elem => match types::texture(elem) {
                    Some(texture) if reference.lifetime.is_none() => {
                        valid::texture(&texture, complaints).then(|| Self::Texture {
                            mutable: reference.mutability.is_some(),
                            axes: texture.axes(),
                            texel: texture.texel.clone(),
                            path: texture.path,
                        })
                    }
                    _ => {
                        valid::parameter_reference(reference, complaints);
                        None
                    }
                },
            },
            Type::Ptr(pointer) => {
                let elem = valid::element(&pointer.elem, complaints)?;
                Some(Self::Pointer {
                    mutable: matches!(pointer.mutability, PointerMutability::Mut(_)),
                    elem,
                })
            }
            ty if types::local_memory(ty).is_some() => {
                valid::local_parameter(ty, ty, complaints);
                None
            }
            ty if types::texture(ty).is_some() => {
                complaints.push(messages::TEXTURE_VALUE.at(ty, &[&valid::source(ty)]));
                None
            }
            ty if types::tensor(ty).is_some() => {
                complaints.push(messages::TENSOR_VALUE.at(ty, &[&valid::source(ty)]));
                None
            }
            _ => {
                let ty = valid::value_parameter(ty, complaints)?;
                Some(match valid::is_known_scalar(&ty) {
                    true => Self::Scalar(ty),
                    false => Self::Value(ty),
                })
            }
        }
    }
}
