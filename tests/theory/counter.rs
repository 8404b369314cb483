//! How far a sliding window counter's estimate lies from the truth.
//!
//! A Poisson source of which P requests came in the previous window, none denied: these lie anywhere in
//! it, independently. With a share f of the present window elapsed the error has mean 0 and variance
//! P·f(1 − f), and its mean size is about 0.313/√P of P.

use super::forms::estimate_error;
use super::measured::{Measured, run, walk};
use super::{BAND, Row};
use ratesim::simulation::Stepper;
use ratesim::units::SimTime;
use std::collections::VecDeque;
use std::sync::LazyLock;

const WINDOW: u64 = 1_000_000_000;

fn scenario(mean: u32, requests: u32, seed: u64) -> String {
    format!(
        "limit = '1000000/1s'
        duration = '{}s'
        seed = {seed}
        traffic = [{{ pattern = 'poisson', rate = '{mean}/s' }}]
        algorithm = [{{ kind = 'sliding_window_counter' }}]",
        requests / mean
    )
}

/// The arrivals so far, as far as they matter.
#[derive(Default)]
struct Past {
    /// Times within the trailing window.
    recent: VecDeque<u64>,
    /// The present clock window, its count, and the count of the one before.
    window: u64,
    current: u32,
    previous: u32,
}

impl Past {
    /// Moves on to `now`; gives estimate − truth, where the window before had `count` requests.
    #[allow(clippy::cast_precision_loss)]
    fn error(&mut self, now: SimTime, counter: &mut dyn Stepper, count: u32) -> Option<f64> {
        let at = now.as_nanos();
        while self.recent.front().is_some_and(|time| at - time >= WINDOW) {
            self.recent.pop_front();
        }
        let window = at / WINDOW;
        if window > self.window {
            self.previous = if window == self.window + 1 {
                self.current
            } else {
                0
            };
            (self.window, self.current) = (window, 0);
        }
        let error = counter.level(now).as_f64() - self.recent.len() as f64;
        let found = (self.previous == count).then_some(error);
        self.current += 1;
        self.recent.push_back(at);
        assert!(counter.decide(now, 1).is_admitted());
        found
    }
}

/// The ratio of `of(f, error)` = (part, whole), over requests with `count` in the window before.
#[allow(clippy::cast_precision_loss)]
fn measure(text: &str, count: u32, of: impl Fn(f64, f64) -> (f64, f64)) -> Measured {
    let mut past = Past::default();
    let sums = walk(text, |now, counter| {
        let share = (now.as_nanos() % WINDOW) as f64 / WINDOW as f64;
        let error = past.error(now, counter, count);
        error.map_or((0.0, 0.0), |error| of(share, error))
    });
    Measured::ratio(&sums)
}

/// P, requests in the run, seed.
const SOURCES: [(u32, u32, u64); 3] = [
    (10, 2_000_000, 31),
    (27, 2_000_000, 32),
    (100, 6_000_000, 33),
];

pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    for (count, requests, seed) in SOURCES {
        let text = scenario(count, requests, seed);
        let p = f64::from(count);
        let mut row = |form: &str, expected, measured| {
            rows.push(Row {
                form: format!("sliding counter: {form}"),
                parameters: format!("P = {count}"),
                seed,
                expected,
                measured,
            });
        };
        row(
            "mean of (estimate − truth)/P",
            0.0,
            measure(&text, count, |_, error| (error / p, 1.0)),
        );
        row(
            "variance/P, mean over f",
            1.0 / 6.0,
            measure(&text, count, |_, error| (error * error / p, 1.0)),
        );
        row(
            "mean size of (estimate − truth)/P",
            estimate_error(count),
            measure(&text, count, |_, error| (error.abs() / p, 1.0)),
        );
    }
    rows
});

#[test]
fn an_estimate_is_right_in_the_mean_and_errs_as_a_binomial_count_does() {
    for row in ROWS.iter() {
        row.check();
    }
    for (row, (count, ..)) in ROWS.iter().skip(2).step_by(3).zip(SOURCES) {
        let rule = 0.313 / f64::from(count).sqrt();
        assert!((row.measured.value / rule - 1.0).abs() < 0.05, "{row}");
    }
}

#[test]
fn the_variance_is_p_f_times_1_less_f() {
    let text = scenario(27, 2_000_000, 34);
    for tenth in 0..10u32 {
        let (low, high) = (f64::from(tenth) / 10.0, f64::from(tenth + 1) / 10.0);
        let found = measure(&text, 27, |share, error| {
            let here = (low..high).contains(&share);
            let form = 27.0 * share * (1.0 - share);
            if here {
                (error * error, form)
            } else {
                (0.0, 0.0)
            }
        });
        assert!(found.distance(1.0).abs() <= BAND, "{found:?} at {low}");
        assert!(found.error < 0.1, "{found:?} at {low}");
    }
}

/// The measure takes the truth in place of P below the line, which for a large P is nearly the same.
#[test]
fn the_run_reports_the_mean_relative_error() {
    let result = run(&scenario(100, 300_000, 35));
    let (sum, requests) = result.candidates[0].estimates.mean();
    #[allow(clippy::cast_precision_loss)]
    let mean = sum as f64 / requests as f64;
    assert!((0.0305..0.0330).contains(&mean), "{mean}");
}
