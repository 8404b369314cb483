//! The share denied of Poisson arrivals.

use super::Row;
use super::forms::{deterministic_queue, erlang_b, fixed_window, log_of_all};
use super::measured::{Measured, run};
use std::sync::LazyLock;

/// One key at `mean` requests a second against n a second; all algorithms at their defaults.
struct Load {
    limit: u32,
    mean: f64,
    seconds: u32,
    seed: u64,
}

/// About half a million requests each; more where hardly any is denied.
const LOADS: &[Load] = &[
    load(5, 4.0, 120_000, 1),
    load(5, 7.5, 60_000, 2),
    load(10, 9.0, 50_000, 3),
    load(10, 10.0, 50_000, 4),
    load(10, 12.0, 40_000, 5),
    load(50, 47.5, 20_000, 6),
    load(100, 100.0, 10_000, 7),
];

const fn load(limit: u32, mean: f64, seconds: u32, seed: u64) -> Load {
    Load {
        limit,
        mean,
        seconds,
        seed,
    }
}

impl Load {
    fn scenario(&self, algorithms: &str) -> String {
        format!(
            "limit = '{}/1s'
            duration = '{}s'
            seed = {}
            traffic = [{{ pattern = 'poisson', rate = '{}/s' }}]
            algorithm = [{algorithms}]",
            self.limit, self.seconds, self.seed, self.mean
        )
    }

    fn row(&self, form: &str, expected: f64, measured: Measured) -> Row {
        Row {
            form: form.to_owned(),
            parameters: format!("n = {}, m = {}", self.limit, self.mean),
            seed: self.seed,
            expected,
            measured,
        }
    }

    fn rows(&self) -> Vec<Row> {
        let run = run(&self.scenario(
            "{ kind = 'token_bucket' }, { kind = 'leaky_bucket' }, { kind = 'gcra' },
            { kind = 'fixed_window' }, { kind = 'sliding_window_log', name = 'all' },
            { kind = 'sliding_window_log', name = 'admitted', log_denied = false }",
        ));
        let of = |name: &str| {
            let mut all = run.candidates.iter();
            all.find(|candidate| candidate.name == name).unwrap()
        };
        let bucket = of("token_bucket");
        for other in ["leaky_bucket", "gcra"] {
            assert_eq!(of(other).tally.denied, bucket.tally.denied, "{other}");
        }
        let (n, m) = (self.limit, self.mean);
        let lost = deterministic_queue(m / f64::from(n), n).0;
        let all = [
            ("token bucket = leaky bucket = GCRA: M/D/1/n", lost, bucket),
            ("fixed window", fixed_window(n, m), of("fixed_window")),
            (
                "sliding log of admitted: Erlang B",
                erlang_b(n, m),
                of("admitted"),
            ),
            ("sliding log of all", log_of_all(n, m), of("all")),
        ];
        let rows =
            all.map(|(form, expected, found)| self.row(form, expected, Measured::denied(found)));
        rows.into()
    }
}

pub(super) static ONE_KEY: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows: Vec<Row> = LOADS.iter().flat_map(Load::rows).collect();
    // A bucket of 50 at 95 % denies one in three thousand: it takes more to tell.
    let rare = load(50, 47.5, 160_000, 8);
    let run = run(&rare.scenario("{ kind = 'token_bucket' }"));
    let lost = deterministic_queue(0.95, 50).0;
    let measured = Measured::denied(&run.candidates[0]);
    rows.push(rare.row("token bucket, longer: M/D/1/n", lost, measured));
    rows
});

#[test]
fn each_algorithm_denies_the_share_of_its_closed_form() {
    for row in ONE_KEY.iter() {
        row.check();
        // A wide band proves nothing.
        let narrow = row.measured.error < 0.004 && row.measured.error < 0.15 * row.expected;
        assert!(narrow || row.expected < 0.005, "{row}");
    }
}

/// There is no closed form; the expected shares were simulated elsewhere, to three digits.
#[test]
fn a_sliding_counter_denies_about_what_was_simulated_elsewhere() {
    for (load, expected, within) in [
        (load(10, 10.0, 50_000, 10), 0.221, 0.003),
        (load(100, 100.0, 10_000, 11), 0.066, 0.003),
    ] {
        let run = run(&load.scenario("{ kind = 'sliding_window_counter' }"));
        let found = Measured::denied(&run.candidates[0]);
        assert!(found.error < within / 2.0, "{found:?}");
        assert!((found.value - expected).abs() < within, "{found:?}");
    }
}
