//! What clients that are refused do to a limiter, and to themselves.

use crate::ran::{Answers, Ran};
use crate::reference::draw::Draw;
use crate::reference::retries::{Client, Limiter, Policy, SECOND, Told, simulate};
use crate::theory::BAND;
use crate::theory::measured::Measured;
use ratesim::measure::ClientTally;
use ratesim::scenario::Overrides;

fn clients(answers: &Answers) -> ClientTally {
    answers.result.clients().unwrap().total()
}

/// Requests, attempts, served, given up and unfinished.
fn counts(answers: &Answers) -> [u64; 5] {
    let all = clients(answers);
    [
        all.requests,
        all.attempts,
        all.served,
        all.given_up,
        all.unfinished,
    ]
}

fn seconds(answers: &Answers) -> u64 {
    clients(answers).drained.unwrap().as_nanos() / SECOND
}

/// The requests of a run of one key, and what a simulation of its own makes of them.
struct Model {
    requests: Vec<(u64, usize)>,
    limiter: fn() -> Limiter,
    end: u64,
}

impl Model {
    fn of(run: &Ran, limiter: fn() -> Limiter) -> Self {
        let arrivals = run.result.arrivals.as_ref().unwrap().iter();
        Self {
            requests: arrivals.map(|arrival| (arrival.at.as_nanos(), 0)).collect(),
            limiter,
            end: run.result.horizon.as_nanos(),
        }
    }

    fn told(&self, policy: Policy, max_attempts: u64, draw: &mut Draw) -> Told {
        let client = || Client {
            policy,
            max_attempts,
            give_up: None,
        };
        simulate(
            (self.limiter)(),
            &self.requests,
            &[client(), client()],
            self.end,
            draw,
        )
    }

    fn counts(&self, policy: Policy, max_attempts: u64) -> [u64; 5] {
        let told = self.told(policy, max_attempts, &mut Draw::new(0));
        let requests = self.requests.len() as u64;
        let served = told
            .attempts
            .iter()
            .filter(|(.., is_admitted)| *is_admitted)
            .count() as u64;
        [
            requests,
            told.attempts.len() as u64,
            served,
            told.given_up,
            told.unfinished,
        ]
    }

    /// Whether a run of as many attempts is one of those that chance makes.
    fn is_usual(&self, attempts: u64, policy: Policy, max_attempts: u64) {
        const RUNS: u32 = 24;
        #[allow(clippy::cast_precision_loss)]
        let number = |told: &Told| told.attempts.len() as f64;
        let runs = (0..RUNS).map(|seed| {
            let mut draw = Draw::new(1_000 + u64::from(seed));
            number(&self.told(policy, max_attempts, &mut draw))
        });
        let mean = Measured::mean(&runs.collect::<Vec<_>>());
        let deviation = mean.error * f64::from(RUNS).sqrt();
        #[allow(clippy::cast_precision_loss)]
        let off = (attempts as f64 - mean.value).abs();
        assert!(
            off <= BAND * deviation,
            "{attempts}, {mean:?} ± {deviation}"
        );
    }
}

/// Waves of 1,000, 900, … and 100. Without jitter rounds at 1, 3, 7, 15 and 31 s come to nothing, and
/// the waves follow at 63 s and every minute after that.
#[test]
fn thundering_herd_5500_attempts_and_540_seconds() {
    let run = Ran::ready("thundering_herd.toml", &Overrides::default());
    let told = run.of("as told");
    assert_eq!(counts(&told), [1_000, 5_500, 1_000, 0, 0]);
    assert_eq!(told.counts(), (1_000, 4_500));
    assert_eq!(clients(&told).drained.unwrap().to_string(), "540");
    // The waves of 900 down to 100, each told when to come: of 4,500 a hundred nine times.
    assert_eq!(
        (clients(&told).as_told, clients(&told).as_told_admitted),
        (4_500, 900)
    );
    let mut waves = vec![0; 10];
    for (_, record) in told.each() {
        let at = record.at.as_nanos();
        assert_eq!(at % (60 * SECOND), 0);
        waves[usize::try_from(at / (60 * SECOND)).unwrap()] += 1;
    }
    assert_eq!(
        waves,
        (1..=10)
            .rev()
            .map(|hundreds| hundreds * 100)
            .collect::<Vec<_>>()
    );

    let exponential = run.of("exponential");
    assert_eq!(
        counts(&exponential),
        [1_000, 1_000 + 5 * 900 + 4_500, 1_000, 0, 0]
    );
    assert_eq!(clients(&exponential).drained.unwrap().to_string(), "543");

    let model = Model::of(&run, || Limiter::window(100, 60 * SECOND));
    let jitter = run.of("exponential with full jitter");
    assert_eq!(counts(&jitter), [1_000, 4_122, 1_000, 0, 0]);
    assert_eq!(seconds(&jitter), 935);
    let policy = Policy::FullJitter {
        base: 60 * SECOND,
        cap: 600 * SECOND,
    };
    model.is_usual(4_122, policy, 20);
    let spread = run.of("as told and spread over 15 minutes");
    assert_eq!(counts(&spread), [1_000, 1_900, 1_000, 0, 0]);
    assert_eq!(seconds(&spread), 959);
    // A minute of fifteen has room for 100 and gets 60 in the mean, hardly ever more than 93.
    model.is_usual(
        1_900,
        Policy::Told {
            in_seconds: true,
            spread: 900 * SECOND,
        },
        10,
    );
}

#[test]
fn retry_storm_retries_help_only_where_they_outlast_the_rush() {
    let run = Ran::ready("retry_storm.toml", &Overrides::default());
    let model = Model::of(&run, || Limiter::bucket(20, SECOND));
    assert_eq!(counts(&run.of("none")), [3_728, 3_728, 3_155, 573, 0]);
    assert_eq!(model.counts(Policy::None, 1), [3_728, 3_728, 3_155, 573, 0]);
    // A bucket that has no token has none at the same instant.
    assert_eq!(
        counts(&run.of("at once")),
        [3_728, 3_728 + 9 * 573, 3_155, 573, 0]
    );
    assert_eq!(3_728 + 9 * 573, 8_885);
    let every_second = [3_728, 9_491, 3_155 + 79, 494, 0];
    assert_eq!(counts(&run.of("every second")), every_second);
    assert_eq!(model.counts(Policy::Fixed(SECOND), 10), every_second);
    let as_told = run.of("as told");
    assert_eq!(
        counts(&as_told),
        every_second,
        "at most 50 ms is a second in the header"
    );
    let all = clients(&as_told);
    assert_eq!(all.as_told, 9_491 - 3_728);
    assert_eq!(all.as_told_admitted * 1_000 / all.as_told, 63, "6.38 %");
    let exponential = [3_728, 7_523, 3_728, 0, 0];
    assert_eq!(counts(&run.of("exponential")), exponential);
    let doubling = Policy::Exponential {
        base: SECOND,
        cap: 60 * SECOND,
        factor: 2,
    };
    assert_eq!(model.counts(doubling, 10), exponential);
    assert_eq!(
        counts(&run.of("exponential with full jitter")),
        [3_728, 8_990, 3_726, 2, 0]
    );
    let jitter = Policy::FullJitter {
        base: SECOND,
        cap: 60 * SECOND,
    };
    model.is_usual(8_990, jitter, 10);
    let spread = run.of("as told and spread over a minute");
    assert_eq!(counts(&spread), [3_728, 4_683, 3_728, 0, 0]);
    assert_eq!(clients(&spread).wasted(), 955);
    model.is_usual(
        4_683,
        Policy::Told {
            in_seconds: true,
            spread: 60 * SECOND,
        },
        10,
    );
}
