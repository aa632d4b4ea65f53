//! From tokens to tokens.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ItemFn;

use crate::attr::Arguments;
use crate::fallback::Stub;
use crate::native::{KernelTwin, Side};
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::tune::{Tune, Written};
use crate::valid::Complaints;
use crate::{body, bundle, device, expand, fallback, messages, valid};

/// What `#[kernel(arguments)] item` stands for.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            if let Some((function, called)) = fallback::without_body(&item) {
                return without_body(arguments, function, &called, &error);
            }
            if let Some(function) = fallback::with_missing_types(&item) {
                let mut told = Complaints::default();
                let runtime = Runtime::new(Arguments::parse(arguments, &mut told).krate.take());
                let stub = Stub::of(&function);
                let kernel = Kernel::read(function, &runtime, &mut told);
                return bundle::close(&stub.tokens(&kernel, &runtime), &kernel.name, &runtime);
            }
            let error = valid::not_a_function(item.clone())
                .unwrap_or(error)
                .into_compile_error();
            // The item again, so that whatever uses it is not in error too.
            return quote!(#error #item);
        }
    };
    if let Some(error) = valid::receiver(&function.sig) {
        let error = error.into_compile_error();
        let runtime = Runtime::new(Arguments::parse(arguments, &mut Complaints::default()).krate);
        let stub = fallback::kernel_method(function, &runtime);
        return quote!(#error #stub);
    }
    if function.sig.ident == "main" {
        let name = &function.sig.ident;
        let error = messages::KERNEL_MAIN.at(name, &[]).into_compile_error();
        return quote!(#error fn #name() {});
    }
    valid::functions_among_types(&mut function.sig);
    let mut complaints = Complaints::default();
    let mut arguments = Arguments::parse(arguments, &mut complaints);
    // What is wrong with these leaves the signature what it is.
    let mut of_tune = Complaints::default();
    let tune = Written::take(&mut function.attrs, &mut of_tune);
    let mut of_generics = Complaints::default();
    valid::numbers_among_types(&mut function.sig.generics, &mut of_generics);
    let runtime = Runtime::new(arguments.krate.take());
    let stub = Stub::of(&function);
    let twin = arguments.host.as_ref().map(|_| KernelTwin::of(&function));
    Side::Device.choose(&mut function.block);
    let kernel = Kernel::read(function, &runtime, &mut complaints).launched_by(&arguments);
    let tune = tune.map(|written| Tune::of(written, &kernel, &arguments, &runtime, &mut of_tune));
    let stub = stub.signature_is(complaints.is_empty());
    let signature_is_sound = complaints.is_empty();
    let body = body::rewrite(
        &kernel,
        twin.is_some(),
        device::nested,
        &runtime,
        &mut complaints,
    );
    let on_the_host = twin
        .as_ref()
        .map(|twin| twin.tokens(&kernel, &body.refusals, &runtime, &mut complaints));
    complaints.add(of_generics);
    complaints.add(of_tune);
    match complaints.into_error() {
        None => {
            let items = expand::kernel(&kernel, &arguments, &body.tokens, twin.is_some(), &runtime);
            let tuned = tune.map(|tune| expand::tuned(&kernel, &tune, &runtime));
            let refused = body.refusals.constants();
            bundle::close(
                &quote!(#items #refused #on_the_host #tuned),
                &kernel.name,
                &runtime,
            )
        }
        Some(error) => {
            let error = error.into_compile_error();
            let stub = stub.with(body.called, &error).tokens(&kernel, &runtime);
            let on_the_host =
                twin.map(|twin| twin.in_error(&kernel, signature_is_sound, None, &runtime));
            let tuned = tune.map(|tune| expand::tuned_in_error(&kernel, &tune, &runtime));
            bundle::close(&quote!(#stub #on_the_host #tuned), &kernel.name, &runtime)
        }
    }
}

/// A kernel whose body rustc cannot parse, and says so, as it has parsed it before.
fn without_body(
    arguments: TokenStream,
    mut function: ItemFn,
    called: &[Ident],
    unread: &syn::Error,
) -> TokenStream {
    if valid::receiver(&function.sig).is_some() {
        let runtime = Runtime::new(Arguments::parse(arguments, &mut Complaints::default()).krate);
        return fallback::kernel_method(function, &runtime);
    }
    valid::functions_among_types(&mut function.sig);
    let mut complaints = Complaints::default();
    let mut arguments = Arguments::parse(arguments, &mut complaints);
    // What is wrong with it leaves the signature what it is.
    let mut of_tune = Complaints::default();
    let tune = Written::take(&mut function.attrs, &mut of_tune);
    let runtime = Runtime::new(arguments.krate.take());
    let twin = arguments.host.as_ref().map(|_| KernelTwin::of(&function));
    let stub = Stub::of(&function).unread(unread);
    let kernel = Kernel::read(function, &runtime, &mut complaints);
    let tune = tune.map(|written| Tune::of(written, &kernel, &arguments, &runtime, &mut of_tune));
    let is_sound = complaints.is_empty();
    let stub = stub.signature_is(is_sound);
    let unread = unread.to_string();
    let on_the_host = twin.map(|twin| twin.in_error(&kernel, is_sound, Some(&unread), &runtime));
    complaints.add(of_tune);
    let error = complaints.into_error().map(syn::Error::into_compile_error);
    let error = error.unwrap_or_default();
    let called = called.iter().map(|name| syn::parse_quote!(#name));
    let stub = stub.with(called.collect(), &error);
    let stub = stub.tokens(&kernel, &runtime);
    let tuned = tune.map(|tune| expand::tuned_in_error(&kernel, &tune, &runtime));
    bundle::close(&quote!(#stub #on_the_host #tuned), &kernel.name, &runtime)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expansion as text, out of its bundle, and how many errors it has.
    fn expanded(arguments: TokenStream, item: TokenStream) -> (String, usize) {
        let text = expand(arguments, item).to_string();
        let errors = text.matches("compile_error").count();
        (text, errors)
    }

    #[test]
    fn a_sound_kernel_has_no_errors() {
        let (text, errors) = expanded(
            quote!(),
            quote!(
                pub fn fill(value: f32, out: &mut [f32]) {
                    out[global_id()] = value;
                }
            ),
        );
        assert_eq!(errors, 0, "{text}");
        for part in [
            "pub enum fill",
            "pub fn fill < 'launch >",
            "pub struct Arguments_of_fill",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn all_mistakes_are_reported_and_the_name_stays() {
        let (text, errors) = expanded(
            quote!(fast),
            quote! {
                async fn k(a: f64, b: &f32) -> u32 {
                    let n = 1;
                    n = 2;
                }
            },
        );
        // In the body, and in the types of both parameters.
        assert_eq!(errors, 6 * 3, "{text}");
        assert!(text.contains("enum k"), "{text}");
        assert!(text.contains("_argument1 : < [() ; {"), "{text}");
    }

    #[test]
    fn what_is_no_function_is_left_as_it_is() {
        let item = quote!(
            struct NotAKernel {
                field: u32,
            }
        );
        let (text, errors) = expanded(quote!(), item.clone());
        assert_eq!(errors, 1);
        assert!(text.ends_with(&item.to_string()), "{text}");
    }

    #[test]
    fn what_has_no_body_that_can_be_parsed_keeps_its_signature() {
        let (text, errors) = expanded(quote!(), quote!(fn k(x: f32) { let = 3; }));
        assert_eq!(errors, 0, "rustc has reported it: {text}");
        assert!(text.contains("enum k"), "{text}");
        assert!(!text.contains("let = 3"), "{text}");
        assert!(text.contains("`k` could not be read"), "{text}");
    }

    #[test]
    fn what_has_no_signature_that_can_be_parsed_is_left_as_it_is() {
        let item = quote!(fn k(x: ) { let a = 3; });
        let (text, errors) = expanded(quote!(), item.clone());
        assert_eq!(errors, 1);
        assert!(text.ends_with(&item.to_string()), "{text}");
    }

    #[test]
    fn the_library_is_where_the_user_says() {
        let (text, _) = expanded(
            quote!(crate = my::gpu),
            quote!(
                fn k(x: &mut [f32]) {
                    x[0] = 1.0;
                }
            ),
        );
        assert!(text.contains("my :: gpu :: __private :: Launch"), "{text}");
        assert!(!text.contains(":: vortex ::"), "{text}");
    }

    #[test]
    fn a_mut_in_vain_is_left_to_rustc() {
        let (text, _) = expanded(
            quote!(),
            quote!(
                fn k(x: &mut [f32]) {
                    let mut a = x[0];
                    let mut b = a;
                    b += 1.0;
                    x[1] = b;
                }
            ),
        );
        assert!(text.contains("let mut a ="), "{text}");
        assert!(!text.contains("let mut b ="), "{text}");
    }

    #[test]
    fn conditions_are_on_every_item() {
        let (text, _) = expanded(
            quote!(),
            quote!(
                #[cfg(feature = "k")]
                fn k(x: &mut [f32]) {
                    x[0] = 1.0;
                }
            ),
        );
        let items = syn::parse_str::<syn::File>(inner(&text)).unwrap().items;
        assert_eq!(items.len(), 10, "{text}");
        assert_eq!(
            text.matches("cfg (feature = \"k\")").count(),
            items.len(),
            "{text}"
        );
    }

    #[test]
    fn conditions_are_on_every_item_of_what_is_tuned() {
        for values in [quote!([1, 2]), quote!([])] {
            let (text, _) = expanded(
                quote!(),
                quote!(
                    #[cfg(feature = "k")]
                    #[tune(each in #values)]
                    fn k(#[comptime] each: u32, x: &mut [u32]) {
                        x[0] = each;
                    }
                ),
            );
            let items = syn::parse_str::<syn::File>(inner(&text)).unwrap().items;
            let conditions = text.matches("cfg (feature = \"k\")").count();
            assert_eq!(conditions, items.len(), "{text}");
        }
    }

    #[test]
    fn what_is_tuned_has_an_instance_for_each_choice() {
        let (text, errors) = expanded(
            quote!(),
            quote!(
                #[tune(A in [1, 2, 4], B in [true, false], block in [8, 16])]
                fn k<const A: usize, const B: bool>(x: &mut [u32]) {
                    x[A] = 1;
                }
            ),
        );
        assert_eq!(errors, 0, "{text}");
        for part in ["struct Choice_of_k", "fn tuned < 'launch >"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(text.matches("k :: < {").count(), 6, "{text}");
        assert!(!text.contains("# [tune"), "{text}");
    }

    /// So that no name that a user shadows, and no path given by `crate = path`, can make safe code unsound.
    #[test]
    fn generated_code_contains_no_unsafe() {
        let kernel = quote!(
            fn k(
                a: u32,
                b: [u8; 3],
                p: P,
                x: &[f32],
                y: &mut [f32],
                z: *mut f32,
                l: &mut Local<[u32]>,
                t: &Texture<f32>,
                #[layout(tile_shape = [16, 16])] m: &Tensor<f32, 32, 32>,
            ) {
                y[0] = x[0];
            }
        );
        let generic = quote!(
            fn k<T: Num, const N: usize>(#[comptime] c: u32, a: [T; N], y: &mut [T]) {
                y[0] = a[0];
            }
        );
        let tuned = quote!(
            #[tune(c in [1, 2], N in [3, 4], block in [32, (8, 8)], where N > c)]
            fn k<T: Num, const N: u32>(#[comptime] c: u32, a: T, y: &mut [T], l: &mut Local<[T]>) {
                y[0] = a;
            }
        );
        let on_the_host = quote!(
            fn k(a: u32, x: &[f32], y: &mut [f32], l: &mut Local<[u32]>) {
                let tile = local::<[f32; 4]>();
                barrier();
                y[0] = group::reduce_add(x[0]);
            }
        );
        let function = quote!(
            fn f(a: f32) -> f32 {
                a
            }
        );
        let structure = quote!(
            #[repr(C)]
            struct S<T> {
                a: T,
                b: [u8; 4],
            }
        );
        let enumeration = quote!(
            #[repr(u8)]
            enum E {
                A,
                B,
            }
        );
        let variable = quote!(
            static V: u32 = 1;
        );
        let (global, constant) = (
            crate::variable::Kind::Global,
            crate::variable::Kind::Constant,
        );
        for code in [
            expand(quote!(), kernel),
            expand(quote!(), generic),
            expand(quote!(), tuned),
            expand(quote!(host), on_the_host),
            crate::device::expand(quote!(), function),
            crate::derive::expand(structure),
            crate::derive::expand(enumeration),
            crate::variable::expand(global, quote!(), variable.clone()),
            crate::variable::expand(constant, quote!(), variable),
        ] {
            let text = code.to_string();
            assert!(!text.contains("compile_error"), "{text}");
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(words.clone().any(|word| word == "__private"), "{text}");
            assert!(!words.into_iter().any(|word| word == "unsafe"), "{text}");
        }
    }

    /// The one word that a user can ask for: the host call of a kernel without checks.
    #[test]
    fn a_kernel_without_checks_is_unsafe_to_call() {
        let kernel = quote!(
            fn k(y: &mut [f32]) {
                y[0] = 1.0;
            }
        );
        for (arguments, calls) in [(quote!(checks = "none"), 1), (quote!(checks = "full"), 0)] {
            let text = expand(arguments, kernel.clone()).to_string();
            assert_eq!(text.matches("unsafe").count(), calls, "{text}");
            assert_eq!(text.matches("unsafe fn k").count(), calls, "{text}");
        }
    }

    /// What is between the braces of `items! { .. }`.
    fn inner(text: &str) -> &str {
        let start = text.find("items ! {").unwrap() + "items ! {".len();
        let end = text
            .trim_end()
            .trim_end_matches('}')
            .trim_end()
            .trim_end_matches('}');
        &text[start..end.len()]
    }
}
