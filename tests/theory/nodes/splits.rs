//! A limit that is split over nodes: each decides as one node with its part of the limit and of the
//! traffic does.

use super::super::Row;
use super::super::forms::{deterministic_queue, erlang_b, fixed_window, log_of_all};
use super::super::measured::{Measured, run};
use std::sync::LazyLock;

/// n a second, split over nodes that `mean` requests a second are sent to at random.
struct Split {
    nodes: u32,
    limit: u32,
    mean: f64,
    seconds: u32,
    seed: u64,
}

const SPLITS: &[Split] = &[
    split(10, 100, 100.0, 5_000, 9),
    split(5, 50, 40.0, 10_000, 44),
    split(4, 20, 24.0, 12_000, 42),
    // 4, 3 and 3.
    split(3, 10, 9.0, 30_000, 43),
];

const fn split(nodes: u32, limit: u32, mean: f64, seconds: u32, seed: u64) -> Split {
    Split {
        nodes,
        limit,
        mean,
        seconds,
        seed,
    }
}

impl Split {
    /// The share denied, by the share that a node denies with this many of the limit: the mean over the
    /// nodes, to each of which equally many requests come.
    fn over_nodes(&self, denies: impl Fn(u32) -> f64) -> f64 {
        let own = |node| self.limit / self.nodes + u32::from(node < self.limit % self.nodes);
        let all: f64 = (0..self.nodes).map(|node| denies(own(node))).sum();
        all / f64::from(self.nodes)
    }

    fn rows(&self) -> Vec<Row> {
        let run = run(&format!(
            "limit = '{}/1s'
            duration = '{}s'
            seed = {}
            measure = ['series']
            traffic = [{{ pattern = 'poisson', rate = '{}/s' }}]
            algorithm = [
                {{ kind = 'token_bucket' }}, {{ kind = 'leaky_bucket' }}, {{ kind = 'gcra' }},
                {{ kind = 'fixed_window' }}, {{ kind = 'sliding_window_log', name = 'all' }},
                {{ kind = 'sliding_window_log', name = 'admitted', log_denied = false }},
            ]
            deployment = [{{ nodes = {}, routing = 'random', share = 'split' }}]",
            self.limit, self.seconds, self.seed, self.mean, self.nodes
        ));
        let of = |name: &str| {
            let mut all = run.candidates.iter();
            all.find(|candidate| candidate.name == name).unwrap()
        };
        let bucket = of("token_bucket");
        for other in ["leaky_bucket", "gcra"] {
            assert_eq!(of(other).tally.denied, bucket.tally.denied, "{other}");
        }
        let mean = self.mean / f64::from(self.nodes);
        // Rates are split exactly, so that the load is the same however the counts fall.
        let load = self.mean / f64::from(self.limit);
        let all = [
            (
                "token bucket",
                self.over_nodes(|n| deterministic_queue(load, n).0),
                bucket,
            ),
            (
                "fixed window",
                self.over_nodes(|n| fixed_window(n, mean)),
                of("fixed_window"),
            ),
            (
                "sliding log of admitted",
                self.over_nodes(|n| erlang_b(n, mean)),
                of("admitted"),
            ),
            (
                "sliding log of all",
                self.over_nodes(|n| log_of_all(n, mean)),
                of("all"),
            ),
        ];
        let row = |(form, expected, found)| Row {
            form: format!("{form}, split over {} nodes", self.nodes),
            parameters: format!("n = {}, m = {}", self.limit, self.mean),
            seed: self.seed,
            expected,
            measured: Measured::denied(found),
        };
        all.map(row).into()
    }
}

pub(in super::super) static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| SPLITS.iter().flat_map(Split::rows).collect());

/// Sixteen comparisons at four standard errors; a limit of 100 in a fixed window denies 3.99 % on one node
/// and 12.51 % on ten.
#[test]
fn nodes_with_a_part_of_the_limit_deny_what_each_of_them_does_alone() {
    for row in ROWS.iter() {
        row.check();
        assert!(
            row.measured.error < 0.003,
            "a wide band proves nothing: {row}"
        );
    }
    let ten = ROWS
        .iter()
        .find(|row| row.form.starts_with("fixed window, split over 10"));
    let ten = ten.unwrap();
    assert!((ten.expected - 0.1251).abs() < 5e-5);
    assert!((ten.measured.value - 0.1251).abs() < 0.003);
    assert!((fixed_window(100, 100.0) - 0.0399).abs() < 5e-5);
}
