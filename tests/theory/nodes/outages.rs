//! Outages of the store: what passes meanwhile, and what waits.

use super::super::BAND;
use super::super::measured::Measured;
use crate::ran::{Answers, Ran};
use ratesim::measure::Reason;
use ratesim::units::{Nanos, SimTime};

/// A second of outage in every ten, far more often than anybody has it: each is a sample of its own.
const OUTAGES: u64 = 100;
/// Poisson requests a second.
const RATE: u32 = 200;

fn run() -> Ran {
    let outages = (0..OUTAGES).map(|k| {
        format!(
            "{{ of = 'store', from = '{}s', to = '{}s' }},",
            10 * k + 5,
            10 * k + 6
        )
    });
    let outages: String = outages.collect();
    let mut text = format!(
        "limit = '20/1s'
        duration = '{}s'
        seed = 71
        traffic = [{{ pattern = 'poisson', rate = '{RATE}/s' }}]
        algorithm = [{{ kind = 'sliding_window_log', log_denied = false }}]\n",
        10 * OUTAGES
    );
    for (policy, more) in [
        ("fail_open", ""),
        ("fail_closed", ""),
        ("local_fallback", "fallback_share = '1/4'"),
    ] {
        text += &format!(
            "[[deployment]]
            name = '{policy}'
            nodes = 2
            routing = 'random'
            store = 'central'
            timeout = '250ms'
            on_store_failure = '{policy}'
            {more}
            outage = [{outages}]\n"
        );
    }
    Ran::text(&text)
}

/// Whether the store is down at an instant.
fn is_down(at: SimTime) -> bool {
    (at.as_nanos() / Nanos::from_secs(1).get()) % 10 == 5
}

/// By outage, how many of the requests that came in it had an answer of this kind.
fn in_outages(answers: &Answers, is_counted: impl Fn(Option<Reason>, bool) -> bool) -> Vec<u32> {
    let mut counts = vec![0; usize::try_from(OUTAGES).unwrap()];
    for (arrival, record) in answers.each().filter(|(arrival, _)| is_down(arrival.at)) {
        let outage = arrival.at.as_nanos() / Nanos::from_secs(10).get();
        if is_counted(record.reason, record.decision.is_admitted()) {
            counts[usize::try_from(outage).unwrap()] += 1;
        }
    }
    counts
}

fn samples(counts: &[u32]) -> Vec<f64> {
    counts.iter().copied().map(f64::from).collect()
}

/// Means over 100 outages within four standard errors, at one seed.
#[test]
fn an_outage_lets_all_pass_or_none() {
    let run = run();
    let came = in_outages(&run.of("fail_open"), |_, _| true);
    let expected = f64::from(RATE);
    let measured = Measured::mean(&samples(&came));
    assert!(measured.distance(expected).abs() < BAND, "{measured:?}");
    // As often as they came: no request is lost, none is answered otherwise.
    let open = in_outages(&run.of("fail_open"), |reason, admitted| {
        reason == Some(Reason::FailOpen) && admitted
    });
    assert_eq!(open, came);
    let closed = in_outages(&run.of("fail_closed"), |reason, admitted| {
        reason == Some(Reason::FailClosed) && !admitted
    });
    assert_eq!(closed, came);
    // A log of 5 in a second at each of the two nodes: the first entry leaves as the last request comes.
    let fallback = in_outages(&run.of("local_fallback"), |reason, admitted| {
        reason == Some(Reason::LocalFallback) && admitted
    });
    assert!(fallback.iter().all(|count| *count == 10), "{fallback:?}");
    for (name, answers) in run.all() {
        let failed = if name == "fail_closed" {
            came.iter().sum()
        } else {
            0
        };
        assert_eq!(answers.result.tally.errors, u64::from(failed), "{name}");
        for (arrival, record) in answers.each() {
            let waits = if is_down(arrival.at) { 250 } else { 0 };
            assert_eq!(
                record.answered - arrival.at,
                Nanos::from_millis(waits),
                "{name}"
            );
        }
    }
}

/// From 250 ms on, what waits are the Poisson arrivals of the last 250 ms: mean and variance λ · timeout.
/// The instants at the end of each outage are independent samples.
#[test]
fn requests_in_flight_are_those_of_the_last_timeout() {
    let run = run();
    let answers = run.of("fail_closed");
    let mut waiting = vec![0; usize::try_from(OUTAGES).unwrap()];
    for (arrival, record) in answers.each() {
        let outage = arrival.at.as_nanos() / Nanos::from_secs(10).get();
        let seen = SimTime::ZERO + Nanos::from_secs(10 * outage + 6);
        if arrival.at < seen && seen <= record.answered && is_down(arrival.at) {
            waiting[usize::try_from(outage).unwrap()] += 1;
        }
    }
    let expected = f64::from(RATE) / 4.0;
    let waiting = samples(&waiting);
    for measured in [Measured::mean(&waiting), Measured::variance(&waiting)] {
        assert!(measured.distance(expected).abs() < BAND, "{measured:?}");
    }
    // The most that ever waits is a few standard deviations above.
    let cluster = answers.result.cluster.as_ref().unwrap();
    assert!(
        (60..110).contains(&cluster.in_flight_peak),
        "{}",
        cluster.in_flight_peak
    );
}
