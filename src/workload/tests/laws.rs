//! Laws of keys that are sources, of hot keys and of drawn costs.

use super::*;
use crate::units::KeyId;
use crate::workload::statistics::{counts, moments};

const SECOND: u64 = 1_000_000_000;

/// The instants of each key.
fn by_key(text: &str, seed: u64) -> Vec<Vec<u64>> {
    let workload = workload(text);
    let mut keys = vec![Vec::new(); workload.keys().len()];
    let all = arrivals(&workload, seed);
    assert!(all.is_sorted_by_key(|arrival| turn(&workload, arrival)));
    for arrival in all {
        keys[arrival.key.0 as usize].push(arrival.at.as_nanos());
    }
    keys
}

/// A source at λ = 10/s while on, with p of its time on, makes λ·p a second in the mean. With
/// exponential periods its count over t has variance
/// λpt + 2λ²·p(1 − p)·(τt − τ²(1 − e^(−t/τ))), τ = 1/(1/E[on] + 1/E[off]); here p = 0.1, τ = 0.9 s.
#[test]
fn keys_that_are_on_and_off_are_independent_and_in_their_long_run_from_the_start() {
    let laws = [
        (
            "{ kind = \"exponential\", mean = \"1s\" }",
            "{ kind = \"exponential\", mean = \"9s\" }",
        ),
        (
            "{ kind = \"weibull\", shape = 0.7, mean = \"1s\" }",
            "{ kind = \"lognormal\", sigma = 1, mean = \"9s\" }",
        ),
        ("\"1s\"", "\"9s\""),
    ];
    for arrivals in ["poisson", "steady"] {
        for (on, off) in laws {
            let text = format!(
                "duration = \"10s\"\n[[traffic]]\npattern = \"on_off\"\nrate = \"10/s\"\n\
                 on = {on}\noff = {off}\narrivals = \"{arrivals}\"\nkeys = {{ count = 4000 }}"
            );
            let keys = by_key(&text, 1);
            assert_eq!(keys.len(), 4_000);
            assert_eq!(workload(&text).expected_requests(), 40_000);
            let seconds: Vec<_> = keys.iter().map(|key| counts(key, SECOND, 10)).collect();
            for second in 0..10 {
                let each: Vec<_> = seconds.iter().map(|key| key[second]).collect();
                let (mean, variance) = moments(&each);
                let error = (variance / 4_000.0).sqrt();
                assert!(
                    (mean - 1.0).abs() < 4.0 * error,
                    "{on} {off}: {mean} in {second}"
                );
            }
            if arrivals == "poisson" && on.contains("exponential") {
                let each: Vec<_> = keys.iter().map(|key| key.len() as f64).collect();
                let (mean, variance) = moments(&each);
                let fourth = each.iter().map(|n| (n - mean).powi(4)).sum::<f64>() / 4_000.0;
                let error = ((fourth - variance * variance) / 4_000.0).sqrt();
                let expected = 10.0 + 18.0 * (9.0 - 0.81 * (1.0 - (-10.0f64 / 0.9).exp()));
                assert!(
                    (variance - expected).abs() < 4.0 * error,
                    "variance {variance}"
                );
            }
        }
    }
}

#[test]
fn a_key_does_the_same_whatever_others_there_are() {
    let text = |count: u32| {
        format!(
            "duration = \"1m\"\n[[traffic]]\npattern = \"on_off\"\nrate = \"10/s\"\n\
             on = \"1s\"\noff = {{ kind = \"exponential\", mean = \"2s\" }}\nstart = \"on\"\n\
             keys = {{ count = {count} }}"
        )
    };
    let (few, many) = (by_key(&text(3), 5), by_key(&text(200), 5));
    assert_eq!(few[..], many[..3]);
    assert_ne!(many[0], many[1]);
}

#[test]
fn sources_are_merged_with_other_blocks_in_order() {
    let text = r#"
        duration = "10s"
        [[traffic]]
        pattern = "on_off"
        rate = "1/s"
        on = "2s"
        off = "1s"
        start = "on"
        keys = { count = 130 }
        [[traffic]]
        pattern = "steady"
        rate = "1/s"
        keys = { count = 130 }
    "#;
    let workload = workload(text);
    let all = arrivals(&workload, 0);
    assert!(all.is_sorted_by_key(|arrival| turn(&workload, arrival)));
    // At 0, 1, 3, 4, 6, 7 and 9 s each, and the ten of the other block.
    assert_eq!(all.len(), 7 * 130 + 10);
    assert_eq!(workload.expected_requests(), 7 * 130 + 10);
    let zero = all.iter().take_while(|arrival| arrival.at == SimTime::ZERO);
    assert_eq!(zero.count(), 131);
}

#[test]
fn the_first_key_gets_its_share_and_the_others_the_rest_evenly() {
    for pattern in ["poisson", "steady"] {
        for share in [0.0, 0.3, 1.0] {
            let keys = by_key(
                &format!(
                    "duration = \"1s\"\n[[traffic]]\npattern = \"{pattern}\"\nrate = \"100000/s\"\n\
                     keys = {{ count = 101, popularity = \"hot\", share = {share:?} }}"
                ),
                2,
            );
            for (key, number) in keys.iter().zip(0..) {
                let p = if number == 0 {
                    share
                } else {
                    (1.0 - share) / 100.0
                };
                let expected = 100_000.0 * p;
                let miss = (key.len() as f64 - expected).abs();
                // One of 606 may pass four standard errors by chance once in 26 such tests.
                assert!(
                    miss <= 4.5 * expected.sqrt(),
                    "{pattern} {share}: {number} has {}",
                    key.len()
                );
            }
        }
    }
}

fn costs(text: &str) -> Vec<f64> {
    let all = arrivals(&workload(text), 3);
    all.iter().map(|arrival| arrival.cost as f64).collect()
}

/// Rounded to the nearest, a gamma variable of mean 100 and sd 50 has the same mean and a variance
/// larger by 1/12.
#[test]
fn costs_are_drawn_from_their_law_in_whole_units() {
    for pattern in ["poisson", "steady"] {
        for keys in ["\"one\"", "{ count = 100 }"] {
            let costs = costs(&format!(
                "duration = \"10s\"\n[[traffic]]\npattern = \"{pattern}\"\nrate = \"2000/s\"\n\
                 keys = {keys}\ncost = {{ kind = \"gamma\", mean = 100, sd = 50 }}"
            ));
            let n = costs.len() as f64;
            let (mean, variance) = moments(&costs);
            assert!(
                (mean - 100.0).abs() < 4.0 * 50.0 / n.sqrt(),
                "{pattern}: {mean}"
            );
            // The fourth central moment of gamma is σ⁴(3 + 6/k), k = 4.
            let error = 2_500.0 * (3.5 / n).sqrt();
            assert!(
                (variance - 2_500.0).abs() < 4.0 * error,
                "{pattern}: {variance}"
            );
        }
    }
}

#[test]
fn a_cost_above_nothing_is_at_least_one_and_nothing_stays_nothing() {
    let costs_of = |law: &str| {
        costs(&format!(
            "[[traffic]]\npattern = \"burst\"\ncount = 2000\ncost = {law}"
        ))
    };
    let small = costs_of("{ kind = \"uniform\", min = 0.1, max = 2.4 }");
    assert!(small.iter().all(|cost| [1.0, 2.0].contains(cost)));
    // Below 1.5 of the range 0.1 to 2.4: 60.9 % of 2,000, standard error 21.8.
    let ones = small.iter().filter(|cost| **cost < 1.5).count() as f64;
    assert!((ones - 2_000.0 * 1.4 / 2.3).abs() < 4.0 * 21.8, "{ones}");
    let listed = costs_of("{ kind = \"empirical\", values = [0, 7] }");
    assert!(listed.contains(&0.0) && listed.contains(&7.0));
    let huge = costs_of("{ kind = \"constant\", value = 1e300 }");
    assert!(
        huge.iter()
            .all(|cost| cost.to_bits() == (i64::MAX as f64).to_bits())
    );
}

#[test]
fn drawn_costs_move_neither_instants_nor_keys() {
    let text = "duration = \"1s\"\n[[traffic]]\npattern = \"poisson\"\nrate = \"1000/s\"\n\
                keys = { count = 50 }\n";
    let drawn = format!("{text}cost = {{ kind = \"exponential\", mean = 5 }}");
    let place = |text: &str| -> Vec<(SimTime, KeyId)> {
        let all = arrivals(&workload(text), 9);
        all.iter()
            .map(|arrival| (arrival.at, arrival.key))
            .collect()
    };
    assert_eq!(place(text), place(&drawn));
}
