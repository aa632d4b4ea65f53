//! Constants that inner loops use often are kept in registers, whatever else is alive around the loops.

use crate::small_device;
use vortex::Generation;
use vortex::prelude::*;

#[vortex::kernel]
fn nearest(queries: &[[u32; 4]], database: &[[u32; 4]], nearest: &mut [u32]) {
    let i = global_id();
    if i < queries.len() {
        let query = queries[i];
        let (mut best, mut least) = (0, u32::MAX);
        for (k, entry) in database.iter().enumerate() {
            let mut distance = 0;
            for (a, b) in query.iter().zip(entry) {
                distance += (a ^ b).count_ones();
            }
            if distance < least {
                (best, least) = (k as u32, distance);
            }
        }
        nearest[i] = best;
    }
}

#[test]
fn masks_of_counted_bits() {
    for generation in [Generation::V2, Generation::V3] {
        let device = small_device(generation);
        let row = |i: u32| [0x9e37_79b1u32, 7, 0x85eb_ca6b, 13].map(|x| x.wrapping_mul(i + 3));
        let (queries, database): (Vec<_>, Vec<_>) =
            ((0..16).map(row).collect(), (40..72).map(row).collect());
        let expected = queries.iter().map(|query| {
            let distance = |k: &u32| -> u32 {
                let pairs = query.iter().zip(&database[*k as usize]);
                pairs.map(|(a, b)| (a ^ b).count_ones()).sum()
            };
            (0..32).min_by_key(distance).unwrap()
        });
        let expected: Vec<u32> = expected.collect();
        let (q, d) = (
            device.upload(&queries).unwrap(),
            device.upload(&database).unwrap(),
        );
        let mut found = device.alloc(16).unwrap();
        let report = nearest(&q, &d, &mut found)
            .over(16)
            .launch(&device)
            .unwrap();
        assert_eq!(found.download().unwrap(), expected);
        // Each of four masks twice for a number, of four numbers: two instructions each time, if it is not kept.
        let of_entry = report.instructions().unwrap() / (4 * 32);
        assert!(of_entry < 75, "{generation:?}: {of_entry} instructions");
    }
}
