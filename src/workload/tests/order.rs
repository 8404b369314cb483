//! Order, shards and slices.

use super::*;
use crate::units::{KeyId, SHARDS};
use crate::workload::BATCH;

/// Sequential and splitting blocks together, more than a slice of them, many at the same instants.
const MIXED: &str = r#"
    duration = "1ms"
    [[traffic]]
    pattern = "poisson"
    rate = "0.1/ns"
    keys = { count = 1000, popularity = "zipf" }
    [[traffic]]
    pattern = "burst"
    at = "10us"
    count = 300000
    spread = "500us"
    keys = { count = 100 }
    [[traffic]]
    pattern = "poisson"
    rate = "50/us"
    [[traffic]]
    pattern = "steady"
    rate = "20/us"
    keys = { count = 5, prefix = "steady-" }
"#;

#[test]
fn slices_are_in_order_and_so_is_each_shard() {
    let workload = workload(MIXED);
    let mut rounds = workload.rounds(7);
    let (mut batch, mut slices, mut last) = (Vec::new(), 0, None);
    let mut count = 0;
    while rounds.advance().unwrap() {
        slices += 1;
        let mut end = last;
        for (feed, shard) in rounds.feeds().iter_mut().zip(0..) {
            let mut previous = last;
            while feed.fill(&mut batch) {
                assert!(batch.len() <= BATCH);
                count += batch.len();
                for arrival in &batch {
                    assert_eq!(arrival.key.shard(), shard);
                    let here = Some(turn(&workload, arrival));
                    assert!(
                        previous < here,
                        "{previous:?} then {here:?} in shard {shard}"
                    );
                    previous = here;
                }
            }
            assert!(!feed.fill(&mut batch) && batch.is_empty());
            end = end.max(previous);
        }
        last = end;
    }
    assert!(!rounds.advance().unwrap());
    assert!(slices >= 2, "{slices} slices");
    // 300,000 + 20,000 exactly, and Poisson means of 100,000 and 50,000.
    let random = count - 320_000;
    assert!(random.abs_diff(150_000) < 4 * 388, "{random}");
}

#[test]
fn the_same_seed_gives_the_same_arrivals_and_another_one_others() {
    let workload = workload(MIXED);
    assert_eq!(arrivals(&workload, 7), arrivals(&workload, 7));
    assert_ne!(arrivals(&workload, 7), arrivals(&workload, 8));
}

#[test]
fn one_block_more_does_not_change_the_others() {
    let block = "[[traffic]]\npattern = \"poisson\"\nrate = \"1/us\"\nkeys = { count = 9 }\n";
    let more = "[[traffic]]\npattern = \"steady\"\nrate = \"1/us\"\n";
    let one = workload(&format!("duration = \"1ms\"\n{block}"));
    let two = workload(&format!("duration = \"1ms\"\n{block}{more}"));
    let mut both = arrivals(&two, 3);
    both.retain(|arrival| two.marks()[arrival.mark.0 as usize].block == 0);
    assert_eq!(arrivals(&one, 3), both);
}

#[test]
fn requests_at_one_instant_come_in_the_order_of_their_blocks() {
    let text = r#"
        duration = "10s"
        [[traffic]]
        pattern = "script"
        at = ["1s", "2s"]
        cost = 1
        [[traffic]]
        pattern = "burst"
        at = "1s"
        count = 2
        cost = 2
        [[traffic]]
        pattern = "steady"
        rate = "1/s"
        to = "3s"
        cost = 3
    "#;
    let all = arrivals(&workload(text), 0);
    let costs: Vec<_> = all.iter().map(|arrival| arrival.cost).collect();
    assert_eq!(costs, [3, 1, 2, 2, 3, 1, 3]);
    let seqs: Vec<_> = all.iter().map(|arrival| arrival.seq).collect();
    assert_eq!(seqs, [0, 0, 0, 1, 1, 1, 2]);
}

#[test]
fn more_requests_at_one_instant_than_a_slice_holds_keep_their_order() {
    let text = r#"
        [[traffic]]
        pattern = "burst"
        count = 600000
        keys = { count = 200 }
        [[traffic]]
        pattern = "script"
        at = ["0s"]
    "#;
    let workload = workload(text);
    let all = arrivals(&workload, 1);
    assert_eq!(all.len(), 600_001);
    assert!(all.is_sorted_by_key(|arrival| turn(&workload, arrival)));
    assert_eq!(all.last().map(|arrival| arrival.seq), Some(0));
}

#[test]
fn seqs_are_unique_within_a_block() {
    let workload = workload(MIXED);
    let all = arrivals(&workload, 2);
    let mut turns: Vec<_> = all.iter().map(|arrival| turn(&workload, arrival)).collect();
    turns.sort_unstable();
    turns.dedup();
    assert_eq!(turns.len(), all.len());
}

/// The weights are exp(σ·z), z the normal quantiles of the middles of fifths: ±1.2816, ±0.5244 and 0.
#[test]
fn keys_of_log_normal_rates_are_drawn_by_them() {
    for pattern in ["poisson", "steady"] {
        let counts = frequencies(&format!(
            "duration = \"1s\"\n[[traffic]]\npattern = \"{pattern}\"\nrate = \"200000/s\"\n\
             keys = {{ count = 5, popularity = \"lognormal\", sigma = 1.5 }}"
        ));
        let quantiles = [
            1.281_551_565_5,
            0.524_400_512_7,
            0.0,
            -0.524_400_512_7,
            -1.281_551_565_5,
        ];
        let weights = quantiles.map(|z: f64| (1.5 * z).exp());
        let statistic = chi_square(&counts, &weights);
        // Four degrees of freedom: 18.47 is exceeded once in a thousand.
        assert!(statistic < 18.47, "{pattern}: {statistic}");
    }
}

/// How often each key is drawn, by key.
fn frequencies(text: &str) -> Vec<f64> {
    let workload = workload(text);
    let mut counts = vec![0.0; workload.keys().len()];
    for arrival in arrivals(&workload, 11) {
        counts[arrival.key.0 as usize] += 1.0;
    }
    counts
}

/// Pearson's statistic against expected shares. With k keys it has mean k − 1 and variance
/// 2(k − 1) about.
fn chi_square(counts: &[f64], weights: &[f64]) -> f64 {
    let (total, weight): (f64, f64) = (counts.iter().sum(), weights.iter().sum());
    let cells = counts.iter().zip(weights).map(|(count, w)| {
        let expected = total * w / weight;
        (count - expected).powi(2) / expected
    });
    cells.sum()
}

#[test]
fn keys_are_drawn_by_their_popularity() {
    for pattern in ["poisson", "steady"] {
        for (popularity, exponent) in [("uniform", 0.0), ("zipf", 1.0), ("zipf", 1.3)] {
            let field = if popularity == "zipf" {
                format!(", exponent = {exponent:?}")
            } else {
                String::new()
            };
            let counts = frequencies(&format!(
                "duration = \"1s\"\n[[traffic]]\npattern = \"{pattern}\"\nrate = \"200000/s\"\n\
                 keys = {{ count = 150, popularity = \"{popularity}\"{field} }}"
            ));
            let weights: Vec<_> = (1..=150).map(|k| f64::from(k).powf(-exponent)).collect();
            let statistic = chi_square(&counts, &weights);
            let bound = 149.0 + 4.0 * (2.0f64 * 149.0).sqrt();
            assert!(
                statistic < bound,
                "{pattern} {popularity} {exponent}: {statistic}"
            );
        }
    }
}

#[test]
fn blocks_that_name_the_same_keys_share_them() {
    let text = r#"
        duration = "1s"
        [[traffic]]
        pattern = "steady"
        rate = "1/s"
        keys = "key-2"
        [[traffic]]
        pattern = "steady"
        rate = "100/s"
        keys = { count = 3 }
        [[traffic]]
        pattern = "steady"
        rate = "1/s"
    "#;
    let workload = workload(text);
    assert_eq!(*workload.keys(), ["key-2", "key-1", "key-3", "all"]);
    assert_eq!(workload.expected_requests(), 102);
}

#[test]
fn a_single_key_stays_in_its_shard() {
    let workload =
        workload("duration = \"1s\"\n[[traffic]]\npattern = \"poisson\"\nrate = \"9/s\"");
    let all = arrivals(&workload, 0);
    assert!(!all.is_empty());
    assert!(all.iter().all(|arrival| arrival.key == KeyId(0)));
    assert!(
        all.iter()
            .all(|arrival| arrival.seq % u64::from(SHARDS) == 0)
    );
}
