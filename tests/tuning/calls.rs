//! The call with the choice open: what it takes, and that it does the same whatever is chosen.

use vortex::prelude::*;
use vortex::sim::Model;
use vortex::{Choices, Generation};

use crate::Scratch;
use crate::kernels::{Choice_of_add, Order, add, enlarge, reverse, sizes};
use crate::search::device;

#[test]
fn candidates_are_a_product_under_a_condition() {
    let texts: Vec<String> = Choice_of_add::all().iter().map(Choices::text).collect();
    assert_eq!(texts.len(), 11);
    assert_eq!(texts[0], "each = 1, block = 4");
    assert_eq!(texts[3], "each = 1, block = (4, 2)");
    assert_eq!(texts[10], "each = 4, block = (4, 2)");
    let with_two = Choice_of_add::all();
    assert_eq!(format!("{:?}", with_two[4]), "each = 2, block = 4");
    assert_ne!(with_two[4], with_two[5]);
}

#[test]
fn the_result_does_not_depend_on_the_choice() {
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    for shape in [[1, 4, 4], [2, 8, 8]] {
        for generation in [Generation::V2, Generation::V3] {
            let device = device(generation, shape, Model::Functional);
            let on_device = device.upload(&x).unwrap();
            for choice in Choice_of_add::all() {
                let mut y = device.upload(&x).unwrap();
                let report = add::tuned(&on_device, &mut y)
                    .only(|other| *other == choice)
                    .grid_by(|choice| 100usize.div_ceil(choice.each * choice.block.0))
                    .launch(&device)
                    .unwrap();
                assert_eq!(report.tuned(), Some(&*choice.text()));
                assert!(report.to_string().contains(&choice.text()), "{report}");
                let expected: Vec<f32> = x.iter().map(|x| x + x).collect();
                assert_eq!(y.download().unwrap(), expected, "{choice:?}");
            }
        }
    }
}

#[test]
fn what_is_not_tuned_is_passed_and_part_of_the_kernels_name() {
    let file = Scratch::new("names");
    let device = device(Generation::V3, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1i32, 2, 3, 4]).unwrap();
    let mut y = device.alloc(4).unwrap();
    for twice in [false, true] {
        let mut call = enlarge::<i32, 3>::tuned(twice, &x, &mut y)
            .over(4)
            .records(&file.0);
        let found = call.tune(&device).unwrap();
        let name = format!("tuning::kernels::enlarge<i32, 3, {twice}>");
        assert_eq!(found.kernel(), name);
        assert!(file.text().contains(&format!("kernel = \"{name}\"")));
        assert!(file.text().contains("\"order = Backward\" = "));
        let backward = |choice: &Choice| matches!(choice.order, Order::Backward);
        call.only(backward).launch(&device).unwrap();
        let factor = if twice { 6 } else { 3 };
        assert_eq!(y.download().unwrap(), [1, 2, 3, 4].map(|x| x * factor));
    }
    type Choice = crate::kernels::Choice_of_enlarge;
    // Its types are those of the arguments.
    let x = device.upload(&[1.5f32]).unwrap();
    let mut y = device.alloc::<f32>(1).unwrap();
    enlarge::<_, 2>::tuned(false, &x, &mut y)
        .over(1)
        .launch(&device)
        .unwrap();
    assert_eq!(y.download().unwrap(), [3.0]);
}

#[test]
fn local_memory_is_as_long_as_the_choice_says() {
    let file = Scratch::new("local");
    let device = device(Generation::V2, [1, 4, 4], Model::cycle());
    let numbers: Vec<u32> = (0..64).collect();
    for side in [4usize, 8, 16] {
        let mut y = device.upload(&numbers).unwrap();
        reverse::tuned(|choice| LocalLen(choice.SIDE), &mut y)
            .only(|choice| choice.SIDE == side)
            .grid_by(|choice| 64 / choice.SIDE)
            .launch(&device)
            .unwrap();
        let expected: Vec<u32> = numbers
            .chunks(side)
            .flat_map(|part| part.iter().rev().copied())
            .collect();
        assert_eq!(y.download().unwrap(), expected);
    }
    let mut y = device.upload(&numbers).unwrap();
    let found = reverse::tuned(|choice| LocalLen(choice.SIDE), &mut y)
        .over(64)
        .exhaustive()
        .records(&file.0)
        .tune(&device)
        .unwrap();
    assert!(
        found
            .tried()
            .iter()
            .all(|tried| tried.outcome.cycles().is_some()),
        "{found}"
    );
}

#[test]
fn groups_that_do_not_divide_the_items_do_not_fit_and_run_without() {
    let file = Scratch::new("rest");
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1.0f32; 12]).unwrap();
    let mut y = device.upload(&[1.0f32; 12]).unwrap();
    let found = add::tuned(&x, &mut y)
        .only(|choice| choice.each == 1)
        .over(12)
        .records(&file.0)
        .tune(&device)
        .unwrap();
    let outcomes: Vec<String> = found
        .tried()
        .iter()
        .map(|tried| tried.outcome.to_string())
        .collect();
    assert!(outcomes[0].ends_with("cycles"), "{found}");
    assert_eq!(
        outcomes[1],
        "does not fit: its groups do not divide the work items"
    );
    // Not all of them were there to choose from.
    assert!(!file.0.exists());
    let error = add::tuned(&x, &mut y)
        .only(|choice| choice.block.0 == 8)
        .over(12)
        .measure(&device)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel add: no choice fits: the groups of none of the candidates divide the work items; list a `block` that \
         does, or ask for groups, `.grid_by(..)`"
    );
    add::tuned(&x, &mut y)
        .only(|choice| choice.each == 1 && choice.block.0 == 8)
        .over(12)
        .launch(&device)
        .unwrap();
    assert_eq!(y.download().unwrap(), [2.0; 12]);
}

#[test]
fn the_first_that_fits_is_taken_without_a_record() {
    let file = Scratch::new("first");
    let device = device(Generation::V2, [1, 2, 4], Model::Functional);
    let x = device.upload(&[1.0f32; 32]).unwrap();
    let mut z = device.alloc(32).unwrap();
    let report = add::tuned(&x, &mut z)
        .only(|choice| choice.block.0 == 16 || choice.block.1 == 2)
        .grid_by(|choice| 32 / choice.block.0)
        .records(&file.0)
        .launch(&device)
        .unwrap();
    // A core of this device has 8 items at a time: `each = 1, block = 16` comes before this one, and does not fit.
    assert_eq!(report.tuned(), Some("each = 1, block = (4, 2)"));
    // Where none fits, the first one's launch says why.
    let mut y = device.upload(&[1u32; 32]).unwrap();
    let error = reverse::tuned(|choice| LocalLen(choice.SIDE), &mut y)
        .only(|choice| choice.SIDE == 16)
        .over(32)
        .records(&file.0)
        .launch(&device)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("a group of 16 x 1 x 1 work items does not fit"),
        "{text}"
    );
}

/// Groups that do not divide the items do not fit, where the kernel needs groups.
#[test]
fn the_first_that_divides_the_items_is_taken() {
    let file = Scratch::new("divides");
    let device = device(Generation::V2, [1, 8, 4], Model::Functional);
    let mut y = device.alloc(12).unwrap();
    let report = sizes::tuned(&mut y)
        .over(12)
        .records(&file.0)
        .launch(&device)
        .unwrap();
    assert_eq!(report.tuned(), Some("block = 4"));
    assert_eq!(y.download().unwrap(), [4u32; 12]);
}

#[test]
fn streams_take_it() {
    let file = Scratch::new("streams");
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1.0f32; 32]).unwrap();
    let mut y = device.alloc(32).unwrap();
    let stream = device.stream().unwrap();
    let pending = stream.launch(add::tuned(&x, &mut y).over(32).records(&file.0));
    pending.wait().unwrap();
    assert_eq!(y.download().unwrap(), [1.0; 32]);
}
